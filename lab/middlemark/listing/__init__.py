"""What there is to name on the command line, for `middlemark list`."""
