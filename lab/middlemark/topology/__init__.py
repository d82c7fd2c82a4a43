"""Which processes a subject becomes, and starting them."""
