"""Runs cases against applications."""
