"""Models of tyres: forces and moments in the axes of the tyre, over scalars."""
