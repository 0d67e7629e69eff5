"""Mechanisms with constraints: rows, robust solutions, analysis, assembly, actuation."""
