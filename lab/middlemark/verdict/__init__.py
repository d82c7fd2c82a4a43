"""Whether figures count, and what they say: a point's conditions, the comparison of blocks, the sentence on top."""
