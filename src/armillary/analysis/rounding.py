"""What rounding can do to each entry of a linear model.

Entries are sums whose terms may cancel, and only rounding of the terms is left then: bushings of
1e11 N/m between parts of a free body, weights that balance.  How much that is tells the same
question a few roundings beside, and for gravity the weight that each coordinate carries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from armillary.analysis.point import Point, carried_weights, scales
from armillary.errors import ModelError
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism

_SAFE = 64.0  # roundings: those seen, and as many more
_EPS = 2.0**-52
_BESIDE = 3  # places, on both sides


def rounding(
    mechanism: Mechanism,
    at: Point,
    A: Array,
    again: Callable[[Point], Array],
    step: Array | float = 0.0,
) -> Array:
    """Of every entry of A, which is `again` at the state; step (nv): how far q is known, where that
    is less than to rounding."""
    seen = _EPS * np.abs(A)
    for ends in _beside(mechanism, at, np.maximum(_EPS * scales(mechanism), np.abs(step))):
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


def _beside(mechanism: Mechanism, at: Point, step: Array) -> Iterator[tuple[Point, Point]]:
    """The state with the last digits changed, both ways."""
    rng, n = np.random.default_rng(0), mechanism.nv
    for _ in range(_BESIDE):
        q, v, tau = rng.uniform(0.5, 2.0, (3, n)) * rng.choice((-1, 1), (3, n))
        ends = [
            Point(
                mechanism.integrate(at.q, s * q * step),
                at.v * (1.0 + s * v * _EPS),
                at.tau * (1.0 + s * tau * _EPS),
                at.a,
                at.external,
            )
            for s in (1, -1)
        ]
        yield ends[0], ends[1]


def weight_rounding(mechanism: Mechanism) -> Array:
    """(nv, nv) of the stiffness: weights may balance, so what they do together says nothing of
    their size."""
    weight, size = carried_weights(mechanism), scales(mechanism)
    return np.asarray(_SAFE * _EPS * np.minimum.outer(weight, weight) / np.outer(size, size))
