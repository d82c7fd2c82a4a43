"""Generates, proves and resets the data of a specification."""
