"""Section 4.6 of [VanDerMerwe1995]: the arm goes to a tap and closes it with 5 N m.

python examples/sources/tap_closing.py
"""

import numpy as np

import armillary as am

arm = am.example("stanford")
q_start = np.array([0, 0, 0.8, 0, 0])

# the tip at (0, 0, 0.5), pointing down: joint 1 turns the offset of 0.15 m out of the way, joint 2
# and the slide reach the wrist 0.25 m above the tap, joint 3 points down
reach, drop = np.sqrt(0.5**2 - 0.15**2), 0.25 - 0.5
pitch = np.arctan2(drop, reach)
q_tap = np.array([np.arctan2(reach, 0.15) - np.pi, pitch, np.hypot(drop, reach),
                  -np.pi / 2 - pitch, np.pi / 2])  # fmt: skip
q_end = q_tap + [0, 0, 0, 0, np.pi]  # noqa: RUF005 - a sum of numbers, not of lists
print("tip at the tap:", arm.pose(q_tap, "tip")[1].round(12) + 0.0, "m")


def cubic(q0, q1, duration, t):
    """From rest to rest."""
    s, way = t / duration, q1 - q0
    return (q0 + way * (3 * s**2 - 2 * s**3), way * (6 * s - 6 * s**2) / duration,
            way * (6 - 12 * s) / duration**2)  # fmt: skip


tap = {"tip": [-5.0, 0, 0, 0, 0, 0]}  # N m, on the tip
instants = {
    "t = 0": (cubic(q_start, q_tap, 1.0, 0.0), None),
    "t = 1, before": (cubic(q_start, q_tap, 1.0, 1.0), None),
    "t = 1, after": (cubic(q_tap, q_end, 0.5, 0.0), tap),
    "t = 1.5": (cubic(q_tap, q_end, 0.5, 0.5), tap),
}
tau = {name: arm.inverse_dynamics(*x, external=hold) for name, (x, hold) in instants.items()}
print("joint forces, N m (third: N):")
for name, forces in tau.items():
    print(f"{name:>14}", " ".join(f"{x:10.5f}" for x in forces.round(9) + 0.0))
