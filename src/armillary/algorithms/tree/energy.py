"""Energies, momentum and centre of mass of the whole mechanism."""

from __future__ import annotations

from armillary.algorithms.passes import Algorithm, Inward, Outward, WorldStep
from armillary.algorithms.tree.kinematics import place, pose
from armillary.spatial import Force, Inertia, Symmetric, Transform, Vector


def _moving(b, p, j):
    place(b, p, j)
    b.v = b.X @ p.v + b.S @ j.v
    b.m = b.inertia.mass
    b.h = b.inertia.moment
    rotors = sum((m * v * v for m, v in zip(b.armature, j.v, strict=True)), 0)
    b.T = b.inertia.kinetic_energy(b.v) + rotors * 0.5
    b.V = b.spring_energy(j.q)


def _sum_energy(b, p, j):
    p.T += b.T
    p.V += b.V
    sum_moment(b, p, j)


def sum_moment(b, p, j):
    """Mass and first moment of all that hangs on the body, seen from the parent."""
    carried = b.X.T @ Inertia(b.m, b.h, Symmetric.zero()) @ b.X
    p.m += carried.mass
    p.h += carried.moment


def _energies(w, g):
    """Kinetic energy; potential energy -g · Σ m r (zero at the world's origin) plus springs."""
    w.kinetic = w.T
    w.potential = w.V - g.gravity.dot(w.h)


energy = Algorithm(
    "energy",
    (Outward(_moving), Inward(_sum_energy), WorldStep(_energies)),
    lambda g: {"v": g.velocity, "m": 0, "h": Vector(), "T": 0, "V": 0},
    ("q", "v"),
    {"kinetic": "world", "potential": "world"},
    {"kinetic": None, "potential": None},
)


def _placed(b, p, j):
    place(b, p, j)
    b.m = b.inertia.mass
    b.h = b.inertia.moment


def _center(w, g):
    w.com = w.h * (1.0 / w.m)


center_of_mass = Algorithm(
    "center_of_mass",
    (Outward(_placed), Inward(sum_moment), WorldStep(_center)),
    lambda g: {"m": 0, "h": Vector()},
    ("q",),
    {"com": "world"},
    {"com": Vector},
)


def _with_momentum(b, p, j):
    _moving(b, p, j)
    b.L = b.inertia @ b.v


def sum_momentum(b, p, j):
    p.L += b.X.T @ b.L
    sum_moment(b, p, j)


def _about_center(w, g):
    """Momentum about the centre of mass, along the world's axes."""
    com = w.h * (1.0 / w.m)
    w.momentum = Force(w.L.angular - com.cross(w.L.linear), w.L.linear)


momentum = Algorithm(
    "momentum",
    (Outward(_with_momentum), Inward(sum_momentum), WorldStep(_about_center)),
    lambda g: {"v": g.velocity, "m": 0, "h": Vector(), "L": Force.zero()},
    ("q", "v"),
    {"momentum": "world"},
    {"momentum": Force},
)


def _placed_in_world(b, p, j):
    pose(b, p, j)
    b.m = b.inertia.mass
    b.h = b.inertia.moment
    b.I_C = b.inertia


def _compose(b, p, j):
    p.I_C += b.X.T @ b.I_C @ b.X
    sum_moment(b, p, j)


def _keep_sums(w, g):
    """Mass and first moment of the whole, which the next pass hands to every body."""


def _momenta(b, p, j):
    """Momentum about the world's origin per unit velocity of each degree of freedom; mass and
    first moment of the whole."""
    b.m, b.h = p.m, p.h
    return [b.Y.T @ (b.I_C @ s) for s in b.S]


def _about_center_each(b, p, j):
    momenta, com = _momenta(b, p, j), b.h * (1.0 / b.m)
    j.A = tuple(Force(L.angular - com.cross(L.linear), L.linear) for L in momenta)


def _center_each(b, p, j):
    momenta, share = _momenta(b, p, j), 1.0 / b.m
    j.J = tuple(L.linear * share for L in momenta)


def _composed(step):
    return (Outward(_placed_in_world), Inward(_compose), WorldStep(_keep_sums), Outward(step))


def _world_composed(g):
    return {"Y": Transform.identity(), "I_C": Inertia.zero(), "m": 0, "h": Vector()}


momentum_matrix = Algorithm(
    "momentum_matrix",
    _composed(_about_center_each),
    _world_composed,
    ("q",),
    {"A": "columns"},
    {"A": Force},
)
center_of_mass_jacobian = Algorithm(
    "center_of_mass_jacobian",
    _composed(_center_each),
    _world_composed,
    ("q",),
    {"J": "columns"},
    {"J": Vector},
)
