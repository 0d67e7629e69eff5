"""Chapter 8 of [VanDerMerwe1995]: three legs with slides carry a platform, the reference member.

python examples/sources/three_legs.py
"""

import numpy as np

import armillary as am

machine = am.example("hslm")
q, rest = np.array(machine.initial), np.zeros(machine.nv)
held = dict.fromkeys(("tip1", "tip2", "tip3"), ("rx", "ry", "rz", "dx", "dy", "dz"))


def member(tau):
    return am.methods.reference_member(machine.tree, "platform", held, q, rest, tau)


# 8.2.1, 8.7: no joint forces, the platform falls faster than free
fall = member(rest)
push = (fall.chains["tip1"].X.T @ fall.f["tip1"])[4]
print(f"the platform falls with {-fall.a_r[4]:.9g} m/s², each leg pushes with {push:.9g} N")
print("accelerations of a leg:", fall.qdd["tip1"].round(7) + 0.0)

# 8.8: every leg carries itself and a third of the platform along its slide
lean = -q[machine.q_labels.index("rod1.rz")]
weight = 5.0 * 10.0  # N: errata 0-57
leg = machine.tree.gravity_forces(q)[6:11]
leg = leg - np.array([0, 0, weight / 3 / np.sin(lean), 0, 0])
print("static joint forces of a leg:", leg.round(7) + 0.0)
still = member(np.concatenate([np.zeros(6), leg, leg, leg]))
printed = [0, 6.3164555, -41.113563, 0, 0.25]
nearly = member(np.concatenate([np.zeros(6), *[printed] * 3]))
print(f"left over: {np.abs(still.a_r).max():.0e} m/s²; with 8.8 as printed {nearly.a_r[4]:.1e}")

mobility = machine.mobility(q)
feet = np.array([machine.pose(q, f"rod{k}")[1] - machine.pose(q, f"rod{k}")[0][:, 0]
                 * q[machine.q_labels.index(f"rod{k}.dx")] for k in (1, 2, 3)])  # fmt: skip
grips = np.array([machine.pose(q, f"grip{k}")[1] for k in (1, 2, 3)])
print(f"{mobility.instantaneous} degrees of freedom")
print(f"base triangle {np.linalg.norm(feet[0] - feet[1]):.6g} m, lean {lean:.6g} rad")
