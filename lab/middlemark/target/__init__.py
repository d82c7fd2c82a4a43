"""Starts and stops what is measured: databases, applications, and the guard that outlives the lab."""
