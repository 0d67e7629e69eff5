"""The torque regressor: tau = Y(q, v, a) pi, linear in ten inertial parameters of every body.

pi of a body, in its own frame: mass, first moments m c (x, y, z), tensor about the origin of the
frame (xx, yy, zz, xy, xz, yz).
"""

from __future__ import annotations

from armillary.algorithms.passes import Algorithm, BodyColumns, Outward, from_own, to_own
from armillary.algorithms.tree.kinematics import move, place
from armillary.spatial import Force, Inertia

PARAMETERS = ("mass", "mx", "my", "mz", "xx", "yy", "zz", "xy", "xz", "yz")


def _outward(b, p, j):
    place(b, p, j)
    move(b, p, j)


def _start(b, k):
    """Net force of a body that has parameter k alone, and that of size one."""
    unit = Inertia.from_leaves([1 if i == k else 0 for i in range(10)])
    v, a = to_own(b.v, b.own), to_own(b.a, b.own)
    return (from_own(unit @ a + v.cross_force(unit @ v), b.own),)


regressor = Algorithm(
    "regressor",
    (
        Outward(_outward),
        BodyColumns(
            start=_start,
            climb=lambda b, value: (b.X.T @ value[0],),
            meet=lambda a, value: a.S.T @ value[0],
            count=10,
            shape=(Force,),
            writes="Y",
        ),
    ),
    lambda g: {"v": g.velocity, "a": g.felt_acceleration()},
    ("q", "v", "a"),
    {"Y": "regressor"},
)
