"""`middlemark drive`: any web site under load."""
