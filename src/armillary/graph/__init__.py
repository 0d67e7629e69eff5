"""Expressions as graphs: nodes, operations, passes over them and printers.  They know numbers, and
nothing of what the numbers mean."""
