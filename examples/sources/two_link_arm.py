"""The arm of [Lecture]: equations of motion in letters, and the same in numbers.

python examples/sources/two_link_arm.py
"""

import numpy as np

import armillary as am

m1, m2, l1, l2, g = 2.0, 1.5, 0.8, 0.6, 9.81  # numbers of our own: the notes print none
builder = am.Builder("two-link", (0.0, -g, 0.0))
builder.body("upper", joint="revolute", axis="z", mass=m1, com=(l1 / 2, 0, 0),
             inertia=(0.0, m1 * l1**2 / 12, m1 * l1**2 / 12))  # fmt: skip
builder.body("lower", "upper", "revolute", (l1, 0, 0), axis="z", mass=m2, com=(l2 / 2, 0, 0),
             inertia=(0.0, m2 * l2**2 / 12, m2 * l2**2 / 12))  # fmt: skip
builder.frame("tip", "lower", (l2, 0, 0))
arm = builder.build()
q, v = np.array([0.3, 0.5]), np.array([0.7, -0.4])

# the final equation of the notes
C1, C2, S2, C12 = np.cos(q[0]), np.cos(q[1]), np.sin(q[1]), np.cos(q[0] + q[1])
M = np.array([
    [m1 * l1**2 / 3 + m2 * l1**2 + m2 * l2**2 / 3 + m2 * l1 * l2 * C2,
     m2 * l2**2 / 3 + m2 * l1 * l2 * C2 / 2],
    [m2 * l2**2 / 3 + m2 * l1 * l2 * C2 / 2, m2 * l2**2 / 3],
])  # fmt: skip
h = np.array([
    -m2 * l1 * l2 * S2 * (v[0] * v[1] + v[1] ** 2 / 2)
    + (m1 / 2 + m2) * g * l1 * C1 + m2 * g * l2 * C12 / 2,
    m2 * l1 * l2 * S2 * v[0] ** 2 / 2 + m2 * g * l2 * C12 / 2,
])  # fmt: skip
print("M by hand:\n", M, "\nby composite bodies:\n", arm.mass_matrix(q))
print("h by hand:", h, "by Newton-Euler:", arm.bias_forces(q, v), "N m")

work = arm.explain("Lagrange", q, v, np.zeros(2))
print("\n" + str(work))

J = arm.jacobian(q, "tip", "world_aligned")[3:5]
F = np.array([3.0, -2.0])  # N
print("\ndet J:", np.linalg.det(J), "m² = l1 l2 sin(q2):", l1 * l2 * S2)
print("J^T F:", J.T @ F, "N m")
