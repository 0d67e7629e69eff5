"""Blocks: controllers, sensors, and the chain from set point to joint force."""
