"""Closed mechanisms: rows, solvers, assembly, projection, mobility, self-stress."""
