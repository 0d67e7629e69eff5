"""Expression graphs and their way to machine code.  Knows no body, no joint, no file."""
