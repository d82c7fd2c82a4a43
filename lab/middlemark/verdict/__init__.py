"""Judges a point and compares combinations."""
