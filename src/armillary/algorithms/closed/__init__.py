"""Constraints beside the tree: rows, systems, actuators, a step of the variational rule."""
