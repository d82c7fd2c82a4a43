"""Makes the HTML report of a result."""
