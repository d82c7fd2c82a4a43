"""Asks the databases whether everything that was confirmed has happened, once."""
