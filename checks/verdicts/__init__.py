"""What the verdicts are worth on this machine: equal builds of Go, and one that burns more."""
