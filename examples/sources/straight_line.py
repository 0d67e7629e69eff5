"""Example 1 of [QuinnChang1991]: a hand on a straight line.  Example 2 has no data.

From (1, 1) ft to (3, 3) ft with cos(t) ft/s² in each axis; printed are metres along the line, with
which the hand would leave the arm's reach.  python examples/sources/straight_line.py
"""

import numpy as np

import armillary as am

FOOT, LENGTH, MASS = 0.305, 0.915, 1.754  # m, m, kg
builder = am.Builder("planar", (0.0, 0.0, 0.0))
rod = (0.0, MASS * LENGTH**2 / 12, MASS * LENGTH**2 / 12)
for name, parent, at in (("upper", "world", 0.0), ("lower", "upper", LENGTH)):
    builder.body(name, parent, "revolute", (at, 0, 0), axis="z", mass=MASS,
                 com=(LENGTH / 2, 0, 0), inertia=rod)  # fmt: skip
builder.frame("hand", "lower", (LENGTH, 0, 0))
arm = builder.build()

# the hand's place in closed form; rates of the joints through J and its derivative
t = np.linspace(0.0, np.pi, 101)
place = FOOT * (2 - np.cos(t))  # x = y
fold = np.arccos(place**2 / LENGTH**2 - 1)
q = np.stack([np.pi / 4 - fold / 2, fold], axis=1)
J = arm.jacobian(q, "hand", "world_aligned")[:, 3:5]
line = np.ones((1, 2)) * FOOT
v = np.linalg.solve(J, (np.sin(t)[:, None] * line)[..., None])[..., 0]
J_rate = arm.jacobian_dot(q, v, "hand", "world_aligned")[:, 3:5]
rest = np.cos(t)[:, None] * line - np.einsum("bij,bj->bi", J_rate, v)
a = np.linalg.solve(J, rest[..., None])[..., 0]

# the control problem (26), one state after the other
forces = [
    am.methods.quasi_coordinates(arm, x, y).forces(z) for x, y, z in zip(q, v, a, strict=True)
]
tau = np.array(forces)
print("  time, s      q, rad               torques, N m")
for k in range(0, 101, 20):
    print(f"{t[k]:8.4f} {q[k, 0]:10.6f} {q[k, 1]:10.6f} {tau[k, 0]:10.6f} {tau[k, 1]:10.6f}")
print("greatest torques:", np.abs(tau).max(axis=0).round(6), "N m")
print(am.methods.quasi_coordinates(arm, q[50], v[50]))
