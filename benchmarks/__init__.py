"""Our speed and that of other engines, as ratios in one run: `python -m benchmarks --help`.

accuracy.py     how far we are from the peer, and who is right
clock.py        times in turns, the smallest of many short samples
table.py        rows with targets and verdicts, as text, markdown and JSON
mechanisms.py, closed.py    the robots, chains and closed mechanisms, ours
pinocchio_peer.py, pinocchio_closed.py, mujoco_peer.py, native.py    the same elsewhere
single.py, batch.py, derivatives.py, chains.py, growth.py, constraints.py, startup.py,
studies.py, others.py       the sections
"""
