"""Middlemark compares application platforms by running whole business applications on them."""

__version__ = "0.1.0"
