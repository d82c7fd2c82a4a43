"""Where to measure next: the peak of throughput and the largest load inside limits, found with few points."""
