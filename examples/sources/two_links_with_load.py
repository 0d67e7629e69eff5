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

# 6.148-6.152: torques that hold the load
hold = machine.actuator_forces(q, rest, rest, actuators=["link1", "link2"])
static = hold.tau
still = am.methods.reference_member(machine.tree, "load", pins, q, rest, static)
print(f"\nheld by {static[6]:.7f} N m each (6.148); left over {np.abs(still.a_r).max():.0e} m/s²")
print(hold)

# a couple cannot turn the load: the motion space of 6.63 lets it
couple = {"load": [0, 1.0, 0, 0, 0, 0]}
turned = {
    how: am.methods.reference_member(
        machine.tree, "load", pins, q, rest, rest, external=couple, projection=how
    )
    for how in ("intersection", "document")
}
for how, found in turned.items():
    print(f"{how}: angular acceleration {found.a_r[1]:.6f} rad/s²")
