"""Integration methods, as tables where they are tables."""
