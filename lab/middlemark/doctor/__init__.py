"""Looks at this machine, for `middlemark doctor`."""
