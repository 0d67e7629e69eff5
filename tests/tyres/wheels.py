"""Wheels with tyres: a hub that flies freely, a car of one stiff body, coefficients of a tyre."""

import math

import numpy as np

import armillary as am

# 205/60 R15 91V at 2.2 bar, ISO signs: Pacejka, Tire and Vehicle Dynamics, 2nd ed. (2006), Table
# A3.1; VERTICAL_STIFFNESS is ours
BOOK = {
    "FNOMIN": 4000.0, "UNLOADED_RADIUS": 0.313, "LONGVL": 16.67, "VERTICAL_STIFFNESS": 2e5,
    "PCX1": 1.685, "PDX1": 1.210, "PDX2": -0.037, "PEX1": 0.344, "PEX2": 0.095, "PEX3": -0.020,
    "PKX1": 21.51, "PKX2": -0.163, "PKX3": 0.245, "PHX1": -0.002, "PHX2": 0.002, "RBX1": 12.35,
    "RBX2": -10.77, "RCX1": 1.092, "RHX1": 0.007, "PCY1": 1.193, "PDY1": -0.990, "PDY2": 0.145,
    "PDY3": -11.23, "PEY1": -1.003, "PEY2": -0.537, "PEY3": -0.083, "PEY4": -4.787,
    "PKY1": -14.95, "PKY2": 2.130, "PKY3": -0.028, "PKY4": 2.0, "PKY6": -0.92, "PKY7": -0.24,
    "PHY1": 0.003, "PHY2": -0.001, "PVY1": 0.045, "PVY2": -0.024, "PVY3": -0.532, "PVY4": 0.039,
    "RBY1": 6.461, "RBY2": 4.196, "RBY3": -0.015, "RCY1": 1.081, "RHY1": 0.009, "RVY1": 0.053,
    "RVY2": -0.073, "RVY3": 0.517, "RVY4": 35.44, "RVY5": 1.9, "RVY6": -10.71, "QBZ1": 8.964,
    "QBZ2": -1.106, "QBZ3": -0.842, "QBZ5": -0.227, "QBZ9": 18.47, "QCZ1": 1.180, "QDZ1": 0.100,
    "QDZ2": -0.001, "QDZ3": 0.007, "QDZ4": 13.05, "QDZ6": -0.008, "QDZ8": -0.296, "QDZ9": -0.009,
    "QEZ1": -1.609, "QEZ2": -0.359, "QEZ4": 0.174, "QEZ5": -0.896, "QHZ1": 0.007, "QHZ2": -0.002,
    "QHZ3": 0.147, "QHZ4": 0.004, "SSZ1": 0.043, "SSZ2": 0.001, "SSZ3": 0.731, "SSZ4": -0.238,
    "QSY1": 0.01,
}  # fmt: skip
MF = am.tyres.MagicFormula.of(BOOK, "6.1")
MODELS = {
    "linear": am.tyres.Linear(),
    "fiala": am.tyres.Fiala(mu=0.9, mu_sliding=0.7),
    "brush": am.tyres.Brush(),
    "magic formula": MF,
    "magic formula 5.2": am.tyres.MagicFormula.of(BOOK | {"PHY3": -0.02}, "5.2"),
}
STEADY = {"relaxation_x": 0.0, "relaxation_y": 0.0}


def steady(model):
    """The same without own states."""
    from dataclasses import replace

    return replace(model, **STEADY)


def wheel(model=None, road=None, radius=0.3, gravity=(0, 0, -9.81), **options):
    """A hub that flies freely with a wheel whose frame is turned, off its origin."""
    b = am.Builder("wheel", gravity=gravity)
    b.body("hub", joint="free", mass=300.0, com=(0.05, 0.02, 0.1), inertia=(5.0, 6.0, 7.0))
    b.body("rim", "hub", joint="revolute", axis=(0.0, 0.8, 0.6), at=(0.1, 0.05, -0.1), mass=20.0,
           inertia=(0.5, 1.0, 0.6))  # fmt: skip
    axis = np.array([0.0, 0.8, 0.6])
    turn = am.Pose.from_rpy((0.02, 0.08, 0.06), (0.3, -0.2, 0.5))
    b.frame("centre", "rim", turn)
    own = np.array(turn.rotation).T @ axis
    b.tyre("t", "centre", radius=radius, axis=own, model=model, road=road, **options)
    return b.build()


def unicycle(model=None, road=None, mass=300.0, radius=0.3, spin_inertia=1.0, **options):
    """A wheel that stays upright and slides up and down on a carriage along x and y."""
    b = am.Builder("unicycle")
    b.body("along", joint="prismatic", axis="x", mass=0.0)
    b.body("across", "along", joint="prismatic", axis="y", mass=0.0)
    b.body("hub", "across", joint="prismatic", axis="z", mass=mass)
    b.body("rim", "hub", joint="revolute", axis="y", mass=20.0, inertia=(0.5, spin_inertia, 0.5))
    b.tyre("t", "rim", radius=radius, model=model, road=road, **options)
    return b.build()


def car(model, road=None, locked=("rl", "rr"), mass=1200.0):
    """One stiff body on four tyres; some wheels do not turn."""
    b = am.Builder("car")
    b.body("body", joint="free", at=(0, 0, 0.5), mass=mass, inertia=(400.0, 1500.0, 1600.0))
    for name, x, y in (("fl", 1.3, 0.75), ("fr", 1.3, -0.75), ("rl", -1.3, 0.75),
                       ("rr", -1.3, -0.75)):  # fmt: skip
        joint = {"joint": "fixed"} if name in locked else {"joint": "revolute", "axis": "y"}
        b.body(name, "body", at=(x, y, -0.2), mass=20.0, inertia=(0.5, 1.0, 0.5), **joint)
        b.tyre(name, name, radius=0.3, model=model, road=road)
    return b.build()


def pressed(m, load, stiffness=2e5, radius=0.3):
    """q of a unicycle whose tyre carries a load."""
    q = np.zeros(m.nq)
    q[2] = radius - load / stiffness
    return q


def near(found, wanted, tolerance=1e-9, size=None):
    size = np.abs(wanted).max(initial=1e-300) if size is None else size
    np.testing.assert_allclose(found, wanted, rtol=0.0, atol=tolerance * size)


def slip(kappa=0.0, alpha=0.0, gamma=0.0, fz=4000.0, mu=1.0, speed=16.67, radius=0.313):
    from armillary.model.tyres.tyre_model import Slip

    rolling = speed * (1.0 + kappa)
    return Slip(kappa, math.tan(alpha), math.sin(gamma), gamma, fz, mu, speed, rolling, radius)
