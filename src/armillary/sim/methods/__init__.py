"""The right-hand side of a run, and the methods that integrate it."""
