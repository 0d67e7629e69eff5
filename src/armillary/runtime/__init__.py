"""What compiled code runs in: the loop over bodies, dense solves, the loop over time, the call from
Python."""
