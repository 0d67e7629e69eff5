"""Wrenches of constraints, and whole solutions, along chosen axes and about a chosen point."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from armillary.constraints.solution import ConstrainedSolution
from armillary.evaluate.axes import Axes, Places, element_forces_in, on_bodies, reactions_in
from armillary.evaluate.deferred import Deferred, exchanged
from armillary.evaluate.inputs import Array
from armillary.evaluate.results import ElementForces, Solution
from armillary.model.model import Model
from armillary.model.parts import Pose

if TYPE_CHECKING:
    from armillary.constraints.solution import ConstraintForces

Solved = TypeVar("Solved", bound=Solution)


def second_frames(model: Model, R: Array, origins: Array) -> tuple[Array, Array]:
    """Axes (..., constraints, 3, 3) and origins (..., constraints, 3) in the world of the second
    frames of constraints (wheels: the wheel's axes at its centre), from those of the bodies."""
    groups = (model.loops, model.distances, model.surfaces, model.contacts)
    frames = [part.second for parts in groups for part in parts]
    places = [(frame.body, frame.pose) for frame in frames]
    places += [(wheel.body, Pose(wheel.center)) for wheel in model.wheels]
    there = [(body, pose, np.asarray(pose.position, float)) for body, pose in places]
    return on_bodies(model, there, R, origins)


def constraint_forces_in(found: ConstraintForces, places: Places, axes: Axes) -> ConstraintForces:
    """The wrenches of constraints at a place along other axes."""
    R, origins = second_frames(places.mechanism.model, *places.bodies())
    point = axes.point(places, origins)
    return replace(found, wrench=axes.of(found.wrench, R, origins, point), where=axes.words)


def in_axes(found: Solved, places: Places, axes: Axes) -> Solved:
    """A solution with all wrenches along other axes."""

    def elements() -> ElementForces | None:
        own = found.element_forces
        return None if own is None else element_forces_in(own, places, axes)

    changed: dict[str, object] = {
        "wrenches": reactions_in(found.reactions, places, axes),
        "element_forces": Deferred(elements),
    }
    if isinstance(found, ConstrainedSolution):
        changed["constraint_forces"] = constraint_forces_in(found.constraint_forces, places, axes)
    return exchanged(found, **changed)
