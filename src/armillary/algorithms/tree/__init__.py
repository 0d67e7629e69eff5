"""Passes over the bodies of a tree."""
