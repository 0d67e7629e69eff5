"""A six-joint arm with motors: torques along a motion, a payload, and every force in its joints.

python examples/02_robot_arm.py
"""

import numpy as np

import armillary as am

arm = am.example("six-r")
print(arm)
print(arm.report, "\n")

# a smooth motion from one place to another: 201 states at once, arrays (B, n)
start, end = np.zeros(6), np.array([0.8, -0.6, 0.9, 0.4, -0.7, 1.2])
duration = 1.5  # s
t = np.linspace(0.0, duration, 201)[:, None]
s = t / duration
q = start + (end - start) * (10 * s**3 - 15 * s**4 + 6 * s**5)
v = (end - start) * (30 * s**2 - 60 * s**3 + 30 * s**4) / duration
a = (end - start) * (60 * s - 180 * s**2 + 120 * s**3) / duration**2

empty = arm.inverse_dynamics(q, v, a)
loaded = arm.attach("link6", mass=2.0, com=(0, 0, 0.1)).inverse_dynamics(q, v, a)

print("greatest torque over the motion, N m")
print(f"{'joint':<8}{'empty':>10}{'with 2 kg':>12}{'current, A':>12}")
for k, name in enumerate(arm.joint_names):
    motor = arm.model.bodies[arm.model.joint_number(name)].motor
    current = np.abs(loaded[:, k]).max() / (motor.torque_constant * motor.gear)
    print(f"{name:<8}{np.abs(empty[:, k]).max():>10.3f}{np.abs(loaded[:, k]).max():>12.3f}"
          f"{current:>12.2f}")  # fmt: skip

middle = 60
forces = arm.reactions(q[middle], v[middle], a[middle])
print(f"\nbearing load of the joints at {t[middle, 0]:.2f} s: what the motors do not carry")
for k, joint in enumerate(forces):
    moment, force = np.split(forces.constraint[k], 2)
    print(f"{joint:<8} moment {np.linalg.norm(moment):8.3f} N m, "
          f"force {np.linalg.norm(force):8.3f} N")  # fmt: skip

print("\nthe same by independent formulations:")
print(arm.check(q[middle], v[middle], empty[middle]))
