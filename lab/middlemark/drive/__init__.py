"""Puts any web site under load, for `middlemark drive`."""
