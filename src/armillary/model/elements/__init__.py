"""Force elements: what pushes and pulls between bodies beside joints and constraints."""
