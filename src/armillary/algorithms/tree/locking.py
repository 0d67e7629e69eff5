"""Joints whose axes have come to coincide: a gimbal that is turned by a quarter.

Of the inertia against one of the axes nothing is left then but rounding, once the others have taken
their share: how an acceleration is divided among them is undefined.  A *status* is 0 elsewhere and
NaN there; it is added to forces, so that no such number is given.
"""

from __future__ import annotations

from collections.abc import Sequence

from armillary.scalar import Scalar, dot, where
from armillary.spatial import MotionSpace

LOCKED = 1e-13  # of its inertia: less is rounding
_NAN = float("nan")


def lock_status(sizes: Sequence[Scalar], inverse_D: Sequence[Scalar], least: float) -> Scalar:
    """0; NaN where the other axes leave to one less than such a part of its inertia.

    sizes: diagonal of the inertia against the axes; inverse_D: 1 over its pivots."""
    status: Scalar = 0.0
    for size, inverse in zip(sizes[1:], inverse_D[1:], strict=True):
        share = size * inverse
        status = where(share > 0.0, where(share * least <= 1.0, status, _NAN), _NAN)
    return status


def axes_status(S: MotionSpace, least: float = LOCKED) -> Scalar:
    """0; NaN where one of the axes S depends on those before it, whatever they move: then a solver
    that needs them to be independent must not be asked.  least: of its square that is left."""
    status: Scalar = 0.0
    done: list[tuple[list[Scalar], Scalar]] = []
    for axis in S:
        left = list(axis.leaves())
        size = dot(left, left)
        for other, square in done:
            factor = dot(left, other) / square
            left = [x - factor * y for x, y in zip(left, other, strict=True)]
        rest = dot(left, left)
        free = rest > size * least
        status = where(free, status, _NAN)
        done.append((left, where(free, rest, 1.0)))
    return status


def with_status(values: Sequence[Scalar], status: Scalar) -> list[Scalar]:
    """The values, NaN where the status is."""
    return [value + status for value in values]
