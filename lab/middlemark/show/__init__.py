"""What findings look like: a report, lines for a terminal, CSV and JUnit. Nothing here judges, or reads a raw file."""
