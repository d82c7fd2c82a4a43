"""Turns the recording of a browser (HAR) into a session."""
