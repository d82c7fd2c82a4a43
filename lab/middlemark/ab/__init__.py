"""`middlemark ab`: two versions of an application side by side."""
