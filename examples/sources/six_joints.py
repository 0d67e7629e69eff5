"""The programs InvArm and ForArm of [Swartz1982]; the report prints no data of an arm, so the
numbers are of our own.

python examples/sources/six_joints.py
"""

import numpy as np

import armillary as am

arm = am.example("six-r")
q, v = [0.3, -0.6, 0.5, 0.2, -0.4, 0.7], [0.5, -0.3, 0.8, 1.0, -0.7, 0.4]
a = [1.0, -0.5, 0.3, 0.6, 0.2, -0.9]

work = arm.explain("Inverse Arm", q, v, a, passive=False)  # (1-10)
tau = work.answer
R, K = (np.array([getattr(body.motor, name) for body in arm.model.bodies])
        for name in ("resistance", "torque_constant"))  # fmt: skip
voltage = tau * R / K + K * np.array(v)  # (11)
print("torques, N m:", tau.round(6))
print("voltages, V: ", voltage.round(6))

bias = arm.explain("Inverse Arm", q, v, np.zeros(6), passive=False).answer  # (14)
H = arm.explain("Walker-Orin 3", q, passive=False).answer  # (16-26)
forward = arm.explain("Forward Arm 3", q, v, np.zeros(6), passive=False).answer
print("accelerations without torques, rad/s²:", forward.round(5))

by_hand = np.array([0.1, -0.2, 0.3, 1.0, 2.0, -3.0])  # moment and force exerted by the hand
loaded = arm.explain("Newton-Euler", q, v, a, external={"link6_dh": -by_hand}, passive=False).answer
print("torques with a load at the hand, N m:", loaded.round(6))
