"""Sessions of simulated users, the driver's plan, and the figures of its lines."""
