"""Controllers, and the chain from set point to joint force."""
