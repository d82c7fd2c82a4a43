"""Tests of the repository itself: its tree, its borders, its links, its sizes and its words."""
