"""Runs the steps of a case: calls, pages, raw requests, SQL, and several clients at once."""
