"""Section 5.1 of [Yesiloglu2007]: two arms on a free-flying base hold a load.

The thesis prints no data; masses and lengths are of our own.
python examples/sources/free_flyer.py
"""

import numpy as np

import armillary as am

flyer = am.example("dual-arm-free-flyer")
print(flyer.mobility(), "\n")
SIGNS, AMPLITUDE = np.array([1.0, -1.0]), 0.4  # N m after five seconds


def torques(t):
    """A ramp on the second joint of one arm and the third of the other."""
    tau = np.zeros(9)
    tau[[4, 8]] = SIGNS * AMPLITUDE * t / 5.0
    return tau


q, v, h = np.array(flyer.initial), np.zeros(9), 0.0125  # s
print("  time    base angle   base x      base y     force of hand 2 on the load, N")
times, states = [], []
for step in range(81):  # the first of the five seconds of the ramp; Runge-Kutta of order four
    t = step * h
    if step % 16 == 0:
        grip = flyer.solve(q, v, torques(t)).constraint_forces["grasp"]
        force = flyer.pose(q, "grip")[0] @ grip[3:]
        print(f"{t:6.2f} {q[0]:11.7f} {q[1]:11.7f} {q[2]:11.7f}   {force[:2].round(6) + 0.0}")
        times.append(t)
        states.append(np.concatenate([q, v]))
    ks, vs = [], []
    for c in (0.0, 0.5, 0.5, 1.0):
        dq, dv = (vs[-1], ks[-1]) if ks else (v, np.zeros(9))
        vs.append(v + c * h * dv)
        ks.append(flyer.forward_dynamics(q + c * h * dq, vs[-1], torques(t + c * h)))
    q = q + h / 6 * (vs[0] + 2 * vs[1] + 2 * vs[2] + vs[3])
    v = v + h / 6 * (ks[0] + 2 * ks[1] + 2 * ks[2] + ks[3])
momentum = flyer.momentum(states[-1][:9], states[-1][9:])
print(f"\nmomentum, from internal forces alone: {np.abs(momentum).max():.0e} N m s, N s")
