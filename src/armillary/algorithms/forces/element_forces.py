"""What every force element exerts at a state, and what that means along the joints."""

from __future__ import annotations

from armillary.algorithms.passes import Algorithm, ElementStep, Inward, Outward
from armillary.algorithms.tree.kinematics import place
from armillary.spatial import Force

element_forces = Algorithm(
    "element_forces", (ElementStep("read"),), lambda g: {}, ("q", "v"), {"readings": "element"}
)

# what tyres say of themselves
tyre_forces = Algorithm(
    "tyre_forces", (ElementStep("show"),), lambda g: {}, ("q", "v"), {"outputs": "tyre"}
)


def _outward(b, p, j):
    place(b, p, j)
    b.f = j.external


def _inward(b, p, j):
    j.push = tuple(f + x for f, x in zip(b.S.T @ b.f, j.driven, strict=True))
    p.f += b.X.T @ b.f


# generalised forces of all wrenches, those of force elements among them
joint_pushes = Algorithm(
    "joint_pushes",
    (Outward(_outward), Inward(_inward)),
    lambda g: {"f": Force.zero()},
    ("q", "v", "external"),
    {"push": "dof"},
)
