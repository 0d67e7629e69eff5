"""Our speed and that of other engines, as ratios in one run: `python -m benchmarks --help`.

accuracy.py     how far we are from the peer, and who is right
clock.py        times in turns, the smallest of many short samples
table.py        rows with targets and verdicts, as text, markdown and JSON
mechanisms.py   the robots and chains, ours
pinocchio_peer.py, mujoco_peer.py, native.py    the same robots elsewhere
single.py, batch.py, derivatives.py, chains.py, growth.py, startup.py, others.py    the sections
"""
