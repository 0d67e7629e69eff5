"""Section 5.3 of [Yesiloglu2007]: four wheels, all driven and steered.

How many rows of the rolling wheels say the same depends on the steering: three where the axles
meet in a point or are parallel, two otherwise (the thesis takes three for granted).
python examples/sources/rover.py
"""

import numpy as np

import armillary as am

rover = am.example("rover")
legs = [k for k, label in enumerate(rover.q_labels) if label.endswith("-steer")]
places = ((0.5, 0.4), (0.5, -0.4), (-0.5, 0.4), (-0.5, -0.4))  # of the legs on the chassis, m
steering = {
    "4ws straight": (0.0, 0.0, 0.0, 0.0),
    "4ws parallel crab 20deg": (np.pi / 9,) * 4,
    "4ws generic steer": (0.3, -0.2, 0.1, 0.25),
    "4ws ICR-consistent steer": tuple(np.arctan(x / (1.7 - y)) for x, y in places),
}
found = {}
for name, angles in steering.items():
    q = np.array(rover.initial)
    q[legs] = angles
    mobility = rover.mobility(q)
    found[name] = (mobility.redundancy, mobility.instantaneous)
    print(f"{name:>24}: {found[name][0]} redundant rows, {found[name][1]} degrees of freedom")
