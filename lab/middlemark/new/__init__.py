"""Files to start from, for `middlemark new`."""
