"""What the simulated users do: sessions, the driver's plan, and the lines it answers."""
