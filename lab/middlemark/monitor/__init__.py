"""Samples CPU and memory of every tier."""
