"""Proves that `middlemark verify` can fail: changes the Go application, and says which changes verify notices.

docs/reference/mutants.md is its manual.
"""
