"""Passes and steps: one formulation per file."""
