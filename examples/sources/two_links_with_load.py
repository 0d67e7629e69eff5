"""Section 6.5 of [VanDerMerwe1995]: two links carry a load, the reference member.

python examples/sources/two_links_with_load.py
"""

import numpy as np

import armillary as am

machine = am.example("two-link-load")
q, rest = np.array(machine.initial), np.zeros(machine.nv)
pins = dict.fromkeys(("tip1", "tip2"), ("rx", "rz", "dx", "dy", "dz"))
member = am.methods.reference_member(machine.tree, "load", pins, q, rest, rest)
print(member)

# the general way to the same answer
general = machine.solve(q, rest, rest)
links = np.array([member.qdd["tip1"][0], member.qdd["tip2"][0]])
print("\nlinks by the method:", links, "rad/s²; by solve:", general.acceleration[-2:])
