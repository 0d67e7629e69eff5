"""Derivatives as transforms of algorithms."""
