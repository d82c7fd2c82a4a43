"""The files that are written and read back: the driver's lines, the monitor's samples, result folders."""
