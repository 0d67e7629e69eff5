"""What a step on the world overwrites is what later passes find there, in loops as elsewhere."""

import numpy as np
import pytest

from armillary.algorithms.passes import Algorithm, Inward, Outward, WorldStep
from armillary.algorithms.tree.kinematics import pose
from armillary.spatial import Transform, Vector
from compiler.nasty import mechanism, models, states


def _start(g):
    zero = Vector(0.0, 0.0, 0.0)
    return {"Y": Transform.identity(), "mass": 0.0, "moment": zero,
            "one": Vector(1.0, 2.0, 3.0), "other": Vector(-1.0, 0.5, 0.25)}  # fmt: skip


def _placed(b, p, j):
    pose(b, p, j)
    b.mass = b.inertia.mass
    b.moment = b.Y.r * b.mass
    b.one, b.other = p.one + b.Y.r, p.other  # before: those of the start


def _sum(b, p, j):
    p.mass += b.mass
    p.moment += b.moment


def _center(w, g):
    """Sums that become something else, two fields that change places."""
    w.moment = w.moment * (1.0 / w.mass) + g.gravity
    w.one, w.other = w.other, w.one


def _again(w, g):
    """On top of what the step before has left there."""
    w.one = w.one + w.moment


def _outward(b, p, j):
    b.moment, b.one, b.other = p.moment, p.one + b.Y.r, p.other
    b.seen = b.moment + b.one * 3.0 + b.other * 7.0


def _algorithm(name, *passes):
    return Algorithm(
        name, (Outward(_placed), Inward(_sum), *passes, Outward(_outward)), _start, ("q",),
        {"seen": "body"}, {"seen": Vector(0.0, 0.0, 0.0)},
    )  # fmt: skip


STEPS = {
    "one step": _algorithm("overwritten_once", WorldStep(_center)),
    "two steps": _algorithm("overwritten_twice", WorldStep(_center), WorldStep(_again)),
}


@pytest.mark.parametrize("count", [1, 7])
@pytest.mark.parametrize("tier", [1, 2])
@pytest.mark.parametrize("name", models())
@pytest.mark.parametrize("steps", STEPS)
def test_later_passes_read_it(steps, name, tier, count):
    m, algorithm = mechanism(name, tier), STEPS[steps]
    q = states(models()[name], count)["q"]
    kernels = m.evaluator.kernels_of(algorithm, ("q",), False, True)
    found = kernels({"q": q}, count, m.evaluator.base_numbers)["seen"]
    for row, own in zip(q, found, strict=True):
        run = m.interpret(algorithm, {"q": row.tolist()}, fuse=False)
        wanted = np.array([[float(x) for x in b.seen.leaves()] for b in run.bodies])
        np.testing.assert_allclose(np.reshape(own, wanted.shape), wanted, rtol=1e-12, atol=1e-12)
