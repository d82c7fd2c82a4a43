"""What a specification says: `spec.toml` and its data sets."""
