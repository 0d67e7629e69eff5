"""Expressions as graphs: nodes, operations, passes over them and printers.  Knows no body."""
