"""What rounding can do to each entry of a linear model.

Entries are sums whose terms may cancel, and only rounding of the terms is left then: bushings of
1e11 N/m between parts of a free body, weights that balance.  How much that is tells the same
question a few roundings beside, and for gravity the weight that each coordinate carries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from armillary.analysis.point import Point, scales
from armillary.errors import ModelError
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism

_SAFE = 16.0  # roundings
_EPS = 2.0**-52
_BESIDE = 3  # places, on both sides


def rounding(mechanism: Mechanism, at: Point, A: Array, again: Callable[[Point], Array]) -> Array:
    """Of every entry of A, which is `again` at the state."""
    seen = _EPS * np.abs(A)
    for ends in _beside(mechanism, at):
        off = [_off(again, point, A) for point in ends]
        seen = np.maximum(seen, np.minimum(*off))  # a law may jump to one side
    return _SAFE * seen


def _off(again: Callable[[Point], Array], point: Point, A: Array) -> Array:
    try:
        found = again(point)
    except ModelError:
        return np.zeros_like(A)
    if found.shape != A.shape or not np.isfinite(found).all():
        return np.zeros_like(A)
    return np.asarray(np.abs(found - A))


def _beside(mechanism: Mechanism, at: Point) -> Iterator[tuple[Point, Point]]:
    """The state with the last digits changed, both ways."""
    rng = np.random.default_rng(0)
    step = _EPS * scales(mechanism)
    for _ in range(_BESIDE):
        q, v, tau = rng.uniform(0.5, 2.0, (3, mechanism.nv)) * rng.choice((-1, 1), (3, mechanism.nv))
        yield tuple(
            Point(
                mechanism.integrate(at.q, s * q * step),
                at.v * (1.0 + s * v * _EPS),
                at.tau * (1.0 + s * tau * _EPS),
                at.a,
                at.external,
            )
            for s in (1, -1)
        )


def weight_rounding(mechanism: Mechanism) -> Array:
    """(nv, nv) of the stiffness: weights may balance, so what they do together says nothing of
    their size.  Of each coordinate the weight it carries counts, over a large change of it."""
    model = mechanism.model
    carried = np.array([body.mass.mass for body in model.bodies], float)
    weight = np.zeros(model.nv)
    for k in reversed(range(len(model.bodies))):
        if (parent := model.parents[k]) >= 0:
            carried[parent] += carried[k]
        weight[model.slots[k].v] = carried[k]
    size = scales(mechanism)
    weight *= np.linalg.norm(mechanism.gravity) * mechanism.constraint_solver.equations.length
    return np.asarray(_SAFE * _EPS * np.minimum.outer(weight, weight) / np.outer(size, size))
