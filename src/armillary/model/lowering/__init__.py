"""The model as the algorithms read it: kernel bodies along the tree, rows of the constraints."""
