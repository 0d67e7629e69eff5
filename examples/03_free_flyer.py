"""A free-flying body with an arm: build it in Python, move the arm, watch the base answer.

python examples/03_free_flyer.py
"""

import numpy as np

import armillary as am

b = am.Builder("flyer", gravity=(0, 0, 0))
b.body("hull", joint="free", mass=20.0, inertia=(0.8, 1.0, 1.2, 0.02, 0.0, 0.01))
b.body("upper", "hull", "revolute", (0.3, 0, 0), axis="z", mass=2.0, com=(0.25, 0, 0),
       inertia=(0.002, 0.05, 0.05))  # fmt: skip
b.body("lower", "upper", "revolute", (0.5, 0, 0), axis="z", mass=1.0, com=(0.2, 0, 0),
       inertia=(0.001, 0.02, 0.02))  # fmt: skip
b.frame("tip", "lower", (0.4, 0, 0))
flyer = b.build()
print(flyer)
print("q:", ", ".join(flyer.q_labels))
print("v:", ", ".join(flyer.v_labels), "\n")

q, v = flyer.neutral(), np.zeros(flyer.nv)
h = 1e-3
for step in range(1000):
    torque = np.sin(2 * np.pi * step * h)
    tau = np.array([0, 0, 0, 0, 0, 0, torque, -0.5 * torque])  # nothing pushes the hull
    v_half = v + 0.5 * h * flyer.forward_dynamics(q, v, tau)
    q_half = flyer.integrate(q, 0.5 * h * v)
    q = flyer.integrate(q, h * v_half)
    v = v + h * flyer.forward_dynamics(q_half, v_half, tau)

_, place = flyer.pose(q, "tip")
turn = 2 * np.degrees(np.arctan2(q[3], q[0]))
print(f"after 1 s: arm at ({q[7]:.4f}, {q[8]:.4f}) rad, hull turned by {turn:.3f} degrees")
print(f"tip at ({place[0]:.4f}, {place[1]:.4f}, {place[2]:.4f}) m")
print(f"momentum, which no inner force can change: {np.abs(flyer.momentum(q, v)).max():.1e}")
