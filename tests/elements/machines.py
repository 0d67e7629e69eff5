"""Mechanisms with force elements: every kind, on a nasty tree and on structured geometry."""

from dataclasses import replace
from functools import cache

import numpy as np

import armillary as am
import samples
from armillary.evaluate.request import CompileOptions
from armillary.scalar import sqrt

END = am.Frame("end", "bob", am.Pose((0.1, 0.2, 0.3)))


def tree(name: str, axes=("y", ("x", "y"))) -> am.Builder:
    """A branch with a universal joint, a free body with a welded one, full tensors, offsets."""
    rng, b = np.random.default_rng(3), am.Builder(name)
    b.body("crane", joint="revolute", axis=axes[0], at=(0, 0.1, 1), mass=samples.random_mass(rng))
    b.body("arm", "crane", joint="universal", axes=list(axes[1]), at=samples.random_pose(rng),
           mass=samples.random_mass(rng))  # fmt: skip
    b.body("bob", joint="free", mass=samples.random_mass(rng))
    b.body("weld", "bob", joint="fixed", at=samples.random_pose(rng),
           mass=samples.random_mass(rng))  # fmt: skip
    b.frame("tip", "arm", at=samples.random_pose(rng))
    b.frame("eye", "weld", at=samples.random_pose(rng))
    return b


def magnet(r, R, w, u, k, c):
    d = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
    pull = -k / (d * d * d * d)
    return [x * pull - c * y for x, y in zip(r, u, strict=True)]


def magnet_energy(r, R, k, c):
    return -0.5 * k / (r[0] * r[0] + r[1] * r[1] + r[2] * r[2])


def turning(r, R, w, u):
    """A moment, too: six numbers."""
    return [R[0][1], -0.3 * w[1], R[2][0] * r[1], r[1], -r[0], 0.5 * u[2]]


def _matrix(seed: int, size: float) -> np.ndarray:
    A = np.random.default_rng(seed).normal(size=(6, 6))
    return A @ A.T * size


PLAIN = {"stiffness": 300.0, "damping": 20.0, "rest": 0.5}
TABLE = [(-1.0, -20.0), (0.0, 0.0), (0.5, 30.0), (1.0, 80.0)]
# how each kind is added to a builder
KINDS = {
    "spring": lambda b: b.spring("e", "tip", END, **PLAIN),
    "spring to the world": lambda b: b.spring("e", "world", "tip", **PLAIN),
    "spring of rest length 0": lambda b: b.spring("e", "tip", "eye", stiffness=90.0, rest=0.0),
    "cable": lambda b: b.spring("e", "tip", "eye", stiffness=90.0, rest=0.1, side="pull"),
    "bump stop": lambda b: b.spring("e", "tip", "eye", stiffness=90.0, rest=9.0, side="push"),
    "constant force": lambda b: b.spring("e", "tip", "eye", force=-30.0),
    "progressive": lambda b: b.spring("e", "arm", "bob", cubic=50.0, rest=0.2, table=TABLE,
                                      damper_table=[(-2, -5), (0, 0), (3, 40)]),
    "cable over points": lambda b: b.cable("e", ["world", "tip", "eye", "crane"], stiffness=100.0,
                                           damping=5.0, rest=0.5),
    "cable twice over a body": lambda b: b.cable("e", ["tip", "arm", "eye", END], stiffness=80.0,
                                                 damping=3.0, rest=0.4),
    "torsion spring": lambda b: b.torsion_spring("e", "tip", "eye", axis=(1, 2, 2), stiffness=30.0,
                                                 damping=2.0, rest=0.3),
    "bushing": lambda b: b.bushing("e", "tip", "eye", stiffness=_matrix(0, 20.0),
                                   damping=_matrix(1, 2.0), rest=(0.1, 0.2, -0.1, 0.05, 0, 0.1),
                                   preload=(1, 2, 3, 4, 5, 6)),
    "fixed wrench": lambda b: b.fixed_wrench("e", "eye", force=(10, -5, 3), moment=(1, 2, -3)),
    "wrench along a body": lambda b: b.fixed_wrench("e", "eye", force=(10, -5, 3),
                                                    moment=(1, 2, -3), along="tip"),
    "drag": lambda b: b.drag("e", "tip", linear=0.5, quadratic=1.3, wind=(3, 0, 1)),
    "point gravity": lambda b: b.point_gravity("e", "eye", strength=20.0, mass=1.5, center="tip"),
    "user law": lambda b: b.force("e", ("tip", "eye"), magnet, magnet_energy,
                                  {"k": 30.0, "c": 0.7}),
    "user law with moments": lambda b: b.force("e", ("tip", "eye"), turning),
}  # fmt: skip
# those whose whole force at rest is the gradient of their energy
STORING = tuple(k for k in KINDS if k not in ("wrench along a body", "drag", "fixed wrench",
                                              "user law with moments"))  # fmt: skip
IN_FILES = tuple(k for k in KINDS if not k.startswith("user"))


@cache
def machine(kind: str, tier: int | None = None) -> am.Mechanism:
    b = tree(kind)
    if kind != "all":
        KINDS[kind](b)
        return am.Mechanism(b.build().model, CompileOptions(tier=tier))
    parts = (replace(machine(k).model.elements[0], name=k) for k in IN_FILES)
    return am.Mechanism(replace(b.build().model, elements=tuple(parts)), CompileOptions(tier=tier))


def without(m: am.Mechanism) -> am.Mechanism:
    return m.replace(elements=())
