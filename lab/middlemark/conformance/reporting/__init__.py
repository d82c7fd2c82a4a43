"""What came of a verification, for people and programs."""
