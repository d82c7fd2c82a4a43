"""What `make quick` runs: format, types, lints and the tests of what changed, in less than three minutes."""
