"""What a result's raw files show: each is read once, each window is judged, and each comparison is made once."""
