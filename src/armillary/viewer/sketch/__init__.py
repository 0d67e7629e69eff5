"""Kinematic sketches: a skeleton, seen from somewhere, in the symbols of textbooks."""
