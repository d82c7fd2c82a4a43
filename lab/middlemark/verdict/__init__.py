"""Whether figures count, and what they say: a point's conditions, the comparison of rounds, the sentence on top."""
