"""What compiled code runs in: the loop over bodies with its equations, sparse elimination, the loop
over time, the call from Python, threads."""
