"""What compiled code runs in: the loop over bodies with its equations, the loop over time, tapes,
the call from Python, threads."""
