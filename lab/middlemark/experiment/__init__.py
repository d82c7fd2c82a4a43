"""Runs experiments: combinations, points and blocks."""
