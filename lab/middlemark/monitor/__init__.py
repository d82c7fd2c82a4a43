"""Samples every tier, the database, and the machine they share."""
