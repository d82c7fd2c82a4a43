"""The format of cases."""
