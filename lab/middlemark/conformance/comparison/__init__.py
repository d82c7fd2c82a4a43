"""Compares values, pages and subjects."""
