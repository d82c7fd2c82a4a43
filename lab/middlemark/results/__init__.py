"""The result folder of a run: what it holds and how it is read and written."""
