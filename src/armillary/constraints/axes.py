"""Wrenches along chosen axes and about a chosen point."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from armillary.constraints.arrays import shifted, turned, turned_back
from armillary.constraints.solution import ConstrainedSolution
from armillary.errors import InputError, unknown_name
from armillary.evaluate.deferred import exchanged
from armillary.evaluate.inputs import Array, as_floats
from armillary.evaluate.results import ReactionsIn, Solution
from armillary.model.model import Model
from armillary.model.parts import Pose

if TYPE_CHECKING:
    from armillary.constraints.solution import ConstraintForces
    from armillary.evaluate.results import Reactions

COORDINATES = {
    "local": "in its own frame",
    "world_aligned": "along the world's axes",
    "world": "along the world's axes",
}
About = str | ArrayLike | None
Solved = TypeVar("Solved", bound=Solution)


class Placed(Protocol):
    """What tells where bodies and frames are."""

    @property
    def model(self) -> Model: ...

    def poses(self, q: ArrayLike) -> tuple[Array, Array]: ...

    def pose(self, q: ArrayLike, frame: str) -> tuple[Array, Array]: ...


@dataclass(frozen=True)
class Axes:
    """coordinates: "local" (the wrench's own axes and origin), "world_aligned" (its own origin, the
    world's axes) or "world" (the world's axes and origin).  about: the point that moments count
    about instead, the origin of a frame by name or a point of the world (3,), m."""

    coordinates: str = "local"
    about: About = None

    def __post_init__(self) -> None:
        if self.coordinates not in COORDINATES:
            raise unknown_name("coordinates", self.coordinates, COORDINATES)
        if self.about is None or isinstance(self.about, str):
            return
        point = as_floats("about", self.about)
        if point.shape != (3,) or not np.isfinite(point).all():
            raise InputError(
                f"about: expected the name of a frame or a point of the world (3 finite numbers, "
                f"m), found {self.about!r}."
            )

    def __bool__(self) -> bool:
        """Is it another choice than the usual one?"""
        return self.coordinates != "local" or self.about is not None

    @property
    def words(self) -> str:
        """Of titles: which axes, and about which point."""
        if isinstance(self.about, str):
            point = f"the origin of '{self.about}'"
        elif self.about is not None:
            point = f"the point {np.asarray(self.about, float).tolist()} m of the world"
        else:
            point = "the world's origin" if self.coordinates == "world" else "its own origin"
        return f"{COORDINATES[self.coordinates]}, moments about {point}"

    def point(self, mechanism: Placed, q: Array, origins: Array) -> Array:
        """What moments count about: (..., n, 3) of n wrenches at `origins`."""
        if isinstance(self.about, str):
            if self.about == "world":
                return np.zeros_like(origins)
            return np.broadcast_to(mechanism.pose(q, self.about)[1][..., None, :], origins.shape)
        if self.about is not None:
            return np.broadcast_to(np.asarray(self.about, float), origins.shape)
        return np.zeros_like(origins) if self.coordinates == "world" else origins

    def of(self, wrench: Array, R: Array, origins: Array, point: Array) -> Array:
        """Wrenches (..., n, 6) of frames with axes R (columns, in the world) at `origins`."""
        moved = shifted(turned(R, wrench), origins - point)
        return turned_back(R, moved) if self.coordinates == "local" else moved


def second_frames(model: Model, R: Array, origins: Array) -> tuple[Array, Array]:
    """Axes (..., constraints, 3, 3) and origins (..., constraints, 3) in the world of the second
    frames of constraints (wheels: the wheel's axes at its centre), from those of the bodies."""
    found = []
    groups = (model.loops, model.distances, model.surfaces, model.contacts)
    frames = [part.second for parts in groups for part in parts]
    places = [(frame.body, frame.pose) for frame in frames]
    places += [(wheel.body, Pose(wheel.center)) for wheel in model.wheels]
    for body, pose in places:
        k = model.index[body]
        own = np.broadcast_to(np.eye(3), R[..., 0, :, :].shape) if k < 0 else R[..., k, :, :]
        start = np.zeros(3) if k < 0 else origins[..., k, :]
        there = start + np.einsum("...ij,j->...i", own, np.asarray(pose.position, float))
        found.append((own @ np.asarray(pose.rotation, float), there))
    if not found:
        return R[..., :0, :, :], origins[..., :0, :]
    axes, points = zip(*found, strict=True)
    return np.stack(axes, axis=-3), np.stack(points, axis=-2)


def reactions_in(mechanism: Placed, found: Reactions, q: Array, axes: Axes) -> ReactionsIn:
    """The reactions of a mechanism at q along other axes."""
    R, origins = mechanism.poses(q)
    point = axes.point(mechanism, q, origins)
    total, driving = (axes.of(x, R, origins, point) for x in (found.total, found.driving))
    return ReactionsIn(found.model, total, driving, axes.words)


def constraint_forces_in(
    mechanism: Placed, found: ConstraintForces, q: Array, axes: Axes
) -> ConstraintForces:
    """The wrenches of constraints at q along other axes."""
    R, origins = second_frames(mechanism.model, *mechanism.poses(q))
    point = axes.point(mechanism, q, origins)
    return replace(found, wrench=axes.of(found.wrench, R, origins, point), where=axes.words)


def in_axes(mechanism: Placed, found: Solved, q: Array, axes: Axes) -> Solved:
    """A solution with all wrenches along other axes."""
    reactions = reactions_in(mechanism, found.reactions, q, axes)
    if not isinstance(found, ConstrainedSolution):
        return exchanged(found, wrenches=reactions)
    forces = constraint_forces_in(mechanism, found.constraint_forces, q, axes)
    return exchanged(found, wrenches=reactions, constraint_forces=forces)
