"""Platforms and servers as their files describe them, built and installed."""
