"""Asks the database whether everything that was confirmed has happened, once."""
