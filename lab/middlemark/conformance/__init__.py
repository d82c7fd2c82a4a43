"""Proves that an application obeys its specification, and that two applications are equal."""
