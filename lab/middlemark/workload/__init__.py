"""Sessions of virtual users, the driver's plan, and the figures of its lines."""
