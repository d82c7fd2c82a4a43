"""PostgreSQL servers, embedded or the user's own, and the databases in them."""
