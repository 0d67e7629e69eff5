"""Motors, converters, transmissions."""
