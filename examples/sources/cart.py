"""Section 5.2 of [Yesiloglu2007]: a cart with two wheels, three ways to drive it.

The thesis prints no data; masses and lengths are of our own.
python examples/sources/cart.py
"""

import numpy as np

import armillary as am

cart = am.example("two-wheeled-cart")
print(cart.mobility(), "\n")
q, rest = np.array(cart.initial), np.zeros(8)
drives = {"forward": (1.0, 1.0), "rotate": (1.0, -1.0), "off_center": (1.0, 0.4)}  # N m
found = {}
print("     torques, N m   along y, m/s²  yaw, rad/s²  pitch of the axle, rad/s²")
for name, torques in drives.items():
    solution = cart.solve(q, rest, np.array([0.0] * 6 + list(torques)))
    found[name] = solution.acceleration[[4, 2, 0]]
    print(f"{name:>12} {torques}", " ".join(f"{x:12.6f}" for x in found[name] + 0.0))
