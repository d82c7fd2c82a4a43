"""Programs that are started, watched and stopped; the watchdog that stops what is left."""
