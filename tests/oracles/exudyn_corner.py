"""A corner with a double wishbone and a spinning wheel, falling, against Exudyn.

The numbers: Exudyn 1.13.6, rigid bodies with Euler parameters in redundant coordinates, joints by
multipliers, implicit trapezoidal rule (index 2) with 1e-4 and 5e-5 s, extrapolated; from points,
masses and tensors alone.  Columns: time, s; the wheel's centre, m; its angular velocity along the
axes of the world, rad/s.  The two step sizes differ by 5e-8 m and 4e-6 rad/s."""

import numpy as np

import armillary as am
from armillary.vehicles.assembling import CHASSIS, Assembler
from armillary.vehicles.axle import Axle
from armillary.vehicles.axles import Strut
from armillary.vehicles.suspensions import DoubleWishbone

WHEEL, SPIN = "front-left-wheel", 100.0  # rad/s
EXUDYN = np.array([
    [0.00, 0.0000000000, 0.7600000000, 0.3100000000, 0.0000000, 100.0000000, 0.0000000],
    [0.05, 0.0004276574, 0.7600561869, 0.3002849539, -0.0512754, 99.9985229, -0.5650082],
    [0.10, 0.0009506245, 0.7597367610, 0.2892639077, 0.2078905, 99.9937604, -1.0982468],
    [0.15, 0.0007530002, 0.7599021762, 0.2933290925, 0.2896260, 99.9959095, -0.8627205],
    [0.20, 0.0003398588, 0.7600701826, 0.3022231905, 0.1407463, 99.9990564, -0.4149302],
    [0.25, 0.0003681343, 0.7600670307, 0.3015959877, 0.0327884, 99.9988935, -0.4732020],
    [0.30, 0.0006675529, 0.7599574561, 0.2951230126, 0.1178678, 99.9966682, -0.8095089],
])  # fmt: skip


def fallen_corner():
    """(times, 7): the same columns by this library, rk4."""
    b = am.Builder("corner", gravity=(0.0, 0.0, -9.81))
    b.body(CHASSIS, joint="fixed", mass=1.0, inertia=(1.0, 1.0, 1.0))
    Axle(DoubleWishbone(strut=Strut(stiffness=60e3, damping=500.0))).attach(Assembler(b))
    m = b.build()
    v0 = np.where([label.endswith("wheel") for label in m.v_labels], SPIN, 0.0)
    run = am.simulate(m, v0=v0, duration=0.3, step=2e-4, method="rk4", every=250)
    _, place = m.pose(run.q, WHEEL)
    rate = m.velocity(run.q, run.v, WHEEL, coordinates="world")[:, :3]
    return np.column_stack([run.time, place, rate])
