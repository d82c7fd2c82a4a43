"""Pages: read as HTML5, looked at, compared element by element."""
