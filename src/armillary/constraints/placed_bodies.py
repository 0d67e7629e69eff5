"""Where bodies are at many states, as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.joints.closures import OnPlane
from armillary.joints.rolling import RollingDisc
from armillary.model.lowering.constraint_table import ConstraintTable
from armillary.model.lowering.tree import Tables
from armillary.spatial import Transform, Vector


@dataclass(frozen=True)
class PlacedBodies:
    """B configurations; body -1 is the world."""

    Y: Array  # (B, bodies + 1, 12): X_BW of the axes along which joints move
    S: Array  # (B, n, 6): joint axes at the origins of their bodies, along the world's axes

    @classmethod
    def of(cls, motion: Array, S: Array) -> PlacedBodies:
        """From the results of `row_motion`."""
        Y = motion[..., :12]
        world = np.broadcast_to(Transform.identity().leaves(), (len(Y), 1, 12))
        return cls(np.concatenate([Y, world], axis=1), S)

    @property
    def o(self) -> Array:
        """(B, bodies + 1, 3) origins in the world."""
        return self.Y[..., 9:]

    def points(self, constraints: ConstraintTable, tables: Tables) -> Array:
        """(k, 3) joints, constrained points and centres of mass of the first configuration."""
        found = [*self.o[0, :-1]]
        for frame in constraints.frames:
            sides = [(frame.first, frame.X_1A.r), (frame.second, frame.X_2B.r)]
            # the ground is everywhere: where its frame stands says nothing
            found += [
                self._point(*side)
                for side in sides[isinstance(frame.closure, (RollingDisc, OnPlane)) :]
            ]
        for k, part in enumerate(tables.bodies):
            if part.inertia.mass > 0:
                found.append(self._point(k, part.inertia.com()))
        return np.array(found)

    def _point(self, body: int, r: Vector) -> Array:
        """(3,) a point of a body, in the world."""
        E = self.Y[0, body, :9].reshape(3, 3)
        return np.asarray(self.o[0, body] + E.T @ np.array([float(x) for x in r.leaves()]))
