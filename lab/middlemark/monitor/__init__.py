"""Samples every tier, the databases, and the machine they share."""
