"""What the driver costs, beside other load generators: `python -m checks.bench_driver`."""
