"""Bodies at many states as arrays, as constraints see them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armillary.algorithms.closed.elimination_terms import BodyMotion
from armillary.evaluate.inputs import Array
from armillary.spatial import Transform, Vector


@dataclass(frozen=True)
class PlacedBodies:
    """B configurations; body -1 is the world.  Scalars are arrays (B)."""

    Y: Array  # (B, bodies + 1, 12): X_BW of the axes along which joints move
    S: Array  # (B, n, 6): joint axes at the origins of their bodies, along the world's axes
    q: list[Array]  # nq of them

    @classmethod
    def of(cls, motion: Array, S: Array, q: Array) -> PlacedBodies:
        """From the results of `row_motion`."""
        Y = motion.reshape(len(q), -1, BodyMotion.size)[..., :12]
        world = np.broadcast_to(Transform.identity().leaves(), (len(q), 1, 12))
        return cls(np.concatenate([Y, world], axis=1), S, list(q.T))

    @property
    def o(self) -> Array:
        """(B, bodies + 1, 3) origins in the world."""
        return self.Y[..., 9:]

    def point(self, body: int, r: Vector) -> Array:
        """(3,) of the first configuration: a point of a body, in the world."""
        E = self.Y[0, body, :9].reshape(3, 3)
        return np.asarray(self.o[0, body] + E.T @ np.array([float(x) for x in r.leaves()]))

    def meeting(self, one: int, two: int) -> int:
        return -1

    def pose(self, body: int, carrier: int) -> Transform:
        return Transform.from_leaves(list(self.Y[:, body].T))
