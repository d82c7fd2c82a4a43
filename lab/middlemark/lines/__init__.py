"""Counts lines of code, for `middlemark lines` and the report."""
