"""Runs experiments: starts and rounds of combinations."""
