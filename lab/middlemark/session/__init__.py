"""Makes sessions of browser recordings, for `middlemark session import`."""
