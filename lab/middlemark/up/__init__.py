"""Starts an application for people to look at, for `middlemark up`."""
