"""What a run keeps, and the files it is kept in."""
