"""Wrenches of joints and force elements along chosen axes and about a chosen point."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from armillary.errors import InputError, unknown_name
from armillary.evaluate.arrays import rotated, shifted, turned, turned_back
from armillary.evaluate.compiled_function import asked_otherwise, compiled
from armillary.evaluate.derivatives import parameter_names
from armillary.evaluate.evaluator import Evaluator
from armillary.evaluate.functions import CHOSEN_AXES, FUNCTIONS
from armillary.evaluate.inputs import Array, BoundQuestion, as_floats
from armillary.evaluate.results import ElementForces, ElementForcesIn, Reactions, ReactionsIn
from armillary.model.elements.element import end_names
from armillary.model.model import Model
from armillary.model.parts import Frame, Pose
from armillary.model.varied import place_of

COORDINATES = {
    "local": "in its own frame",
    "world_aligned": "along the world's axes",
    "world": "along the world's axes",
}
About = str | ArrayLike | None


class Placed(Protocol):
    """What tells where bodies and frames are."""

    @property
    def model(self) -> Model: ...

    def poses(self, q: ArrayLike, *, offsets: ArrayLike | None = None) -> tuple[Array, Array]: ...

    def pose(
        self, q: ArrayLike, frame: str, *, offsets: ArrayLike | None = None
    ) -> tuple[Array, Array]: ...


@dataclass(frozen=True)
class Axes:
    """coordinates: "local" (the wrench's own axes and origin), "world_aligned" (its own origin, the
    world's axes) or "world" (the world's axes and origin).  about: the point that moments count
    about instead, the origin of a frame by name or a point of the world (3,), m."""

    coordinates: str = "local"
    about: About = None

    def __post_init__(self) -> None:
        if not isinstance(self.coordinates, str) or self.coordinates not in COORDINATES:
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

    def point(self, places: Places, origins: Array) -> Array:
        """What moments count about: (..., n, 3) of n wrenches at `origins`."""
        if isinstance(self.about, str):
            if self.about == "world":
                return np.zeros_like(origins)
            return np.broadcast_to(places.frame(self.about)[..., None, :], origins.shape)
        if self.about is not None:
            return np.broadcast_to(np.asarray(self.about, origins.dtype), origins.shape)
        return np.zeros_like(origins) if self.coordinates == "world" else origins

    def of(self, wrench: Array, R: Array, origins: Array, point: Array) -> Array:
        """Wrenches (..., n, 6) of frames with axes R (columns, in the world) at `origins`."""
        moved = shifted(turned(R, wrench), origins - point)
        return turned_back(R, moved) if self.coordinates == "local" else moved


@dataclass(frozen=True)
class Places:
    """Where the bodies of a mechanism are at q, one state or a batch.

    offsets: of joint frames.  parameters: numbers of bodies and elements instead of the model's,
    which may place joints and ends of elements elsewhere."""

    mechanism: Placed
    q: Array
    offsets: ArrayLike | None = None
    parameters: ArrayLike | None = None

    @property
    def _moved(self) -> dict[str, Any]:
        found = moved_joints(self.mechanism.model, self.parameters)
        if self.offsets is not None:
            found = np.asarray(self.offsets, float) + (0.0 if found is None else found)
        return {} if found is None else {"offsets": found}

    def bodies(self) -> tuple[Array, Array]:
        """Axes (..., bodies, 3, 3), as columns, and origins (..., bodies, 3) in the world."""
        return self.mechanism.poses(self.q, **self._moved)

    def frame(self, name: str) -> Array:
        """Origin (..., 3) of a frame in the world."""
        return self.mechanism.pose(self.q, name, **self._moved)[1]

    def last_ends(self) -> tuple[Array, Array]:
        """Axes and origins of the second (or last) ends of all force elements."""
        model, at, numbers = self.mechanism.model, {}, self.parameters
        if numbers is not None:
            at = {name: k for k, name in enumerate(parameter_names(model))}
        places: list[tuple[str, Pose, Array]] = []
        for part in model.elements:
            end = part.ends[-1] if part.ends else Frame("world", "world")
            position = np.asarray(end.pose.position, float)
            if at and part.ends:
                name = f"{part.name}.{end_names(len(part.ends))[-1]}"
                position = np.asarray(numbers, float)[..., [at[f"{name}.{x}"] for x in "xyz"]]
            places.append((end.body, end.pose, position))
        return on_bodies(model, places, *self.bodies())


def moved_joints(model: Model, parameters: ArrayLike | None) -> Array | None:
    """Offsets (..., 6 bodies) of joints that parameters (..., n) place elsewhere than the model
    does; None where there are none."""
    moved = [(k, place_of(model, path)) for k, path in enumerate(model.varied)]
    moved = [(k, place) for k, place in moved if place.kind == "at"]
    if parameters is None or not moved:
        return None
    numbers = np.asarray(parameters, float)
    offsets = np.zeros((*numbers.shape[:-1], 6 * len(model.bodies)))
    own = numbers[..., numbers.shape[-1] - len(model.varied) :]
    for k, place in moved:
        off = own[..., k] - place.value(model)
        axis = np.array(model.bodies[place.body].at.rotation, float)[place.entry]
        start = 6 * place.body + 3
        offsets[..., start : start + 3] += off[..., None] * axis
    return offsets


def on_bodies(
    model: Model, places: Sequence[tuple[str, Pose, Array]], R: Array, origins: Array
) -> tuple[Array, Array]:
    """Axes (..., n, 3, 3) and origins (..., n, 3) in the world of n frames: the body that carries
    each, its pose there, and its position there (3,) or (B, 3); R, origins: those of the bodies."""
    found = []
    for body, pose, position in places:
        k = model.index[body]
        own = np.broadcast_to(np.eye(3), R[..., 0, :, :].shape) if k < 0 else R[..., k, :, :]
        start = np.zeros(3) if k < 0 else origins[..., k, :]
        found.append((own @ np.asarray(pose.rotation, float), start + rotated(own, position)))
    if not found:
        return R[..., :0, :, :], origins[..., :0, :]
    axes, points = (np.broadcast_arrays(*x) for x in zip(*found, strict=True))
    return np.stack(axes, axis=-3), np.stack(points, axis=-2)


def reactions_in(found: Reactions, places: Places, axes: Axes) -> ReactionsIn:
    """The reactions of a mechanism at a place along other axes."""
    R, origins = places.bodies()
    point = axes.point(places, origins)
    total, driving = (axes.of(x, R, origins, point) for x in (found.total, found.driving))
    return ReactionsIn(found.model, total, driving, axes.words)


def element_forces_in(found: ElementForces, places: Places, axes: Axes) -> ElementForcesIn:
    """The wrenches of force elements at a place along other axes."""
    R, origins = places.last_ends()
    wrench = axes.of(found.wrench, R, origins, axes.point(places, origins))
    return ElementForcesIn(found.model, wrench, found.along, found.power, axes.words)


# -- as arguments of questions ---------------------------------------------------------------------


class _Tree:
    """Where the bodies of an evaluator's mechanism are."""

    def __init__(self, evaluator: Evaluator):
        self.model = evaluator.model
        self.poses, self.pose = (compiled(evaluator, name) for name in ("poses", "pose"))


def along_axes(
    evaluator: Evaluator, name: str, change: Callable[[Any, Places, Axes], Any]
) -> BoundQuestion:
    """A question about wrenches that takes `coordinates` and `about`; change: its answer along such
    axes.

    Native calls never see others than the usual ones: see `asked_otherwise`."""
    tree = cache(lambda: _Tree(evaluator))
    plain = compiled(evaluator, name)
    inputs, signature = FUNCTIONS[name].inputs, FUNCTIONS[name].signature

    def otherwise(call: BoundQuestion) -> BoundQuestion:
        def ask(*given: object, **named: Any) -> Any:
            axes = Axes(**{word: named.pop(word) for word in CHOSEN_AXES if word in named})
            if not axes:
                return call(*given, **named)
            bound: dict[str, Any] = dict(signature.bind(*given, **named).arguments)
            states = evaluator.complete({word: bound[word] for word in inputs})
            found = plain(**(bound | states))
            q, single = evaluator.check("q", states["q"])
            bodies = (bound.get("offsets"), bound.get("parameters"))
            return change(found, Places(tree(), q[0] if single else q, *bodies), axes)

        return ask

    return asked_otherwise(plain, otherwise)
