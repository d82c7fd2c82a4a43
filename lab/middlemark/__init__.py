"""Middlemark compares application platforms with whole business applications."""

__version__ = "0.1.0"
