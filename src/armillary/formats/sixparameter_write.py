"""From a tree back to a six-parameter table.

The link frames of the table are the body frames where their axes fit the sequence x, y, z;
a joint with one axis that does not fit gets a link frame with that axis along z.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from armillary.errors import FormatError
from armillary.formats.losses import only_a_tree
from armillary.formats.sixparameter import LinkRow, Triple, rotation_axes
from armillary.formats.tables import moved_mass, rotated_z
from armillary.joints import AXES
from armillary.model import WORLD, Body, Frame, JointSpec, Model, Pose
from armillary.model.parts import own_rotation
from armillary.spatial import Matrix, Vector
from armillary.units import AXIS_VECTORS

CLOSE = 1e-9  # rad or m
_TRANSLATIONS = {AXIS_VECTORS[x]: f"d{x}" for x in "xyz"}


@dataclass(frozen=True)
class _Fit:
    """Constant rotations, names of the free entries, and W: from body axes to link-frame axes."""

    rotations: Triple
    free: tuple[str, ...]
    W: Matrix


def write_sixparameter(model: Model) -> list[LinkRow]:
    """Rows for `sixparameter(rows, gravity=model.gravity)`; a FormatError names the joint that has
    no row in one."""
    only_a_tree(model, "a six-parameter table")
    model = _translations_ended(model)
    fits: dict[str, _Fit] = {}
    rows = []
    before = WORLD
    for body in model.bodies:
        W_P = fits[body.parent].W if body.parent != WORLD else Matrix.identity()
        fit = _fit(body, W_P)
        fits[body.name] = fit
        rows.append(_row(model, body, fit, before))
        before = body.name
    return rows


def _row(model: Model, body: Body, fit: _Fit, before: str) -> LinkRow:
    slot = model.slots[model.index[body.name]].q
    start = model.initial[slot] if model.initial else (0.0,) * len(fit.free)
    gamma = [*fit.rotations, *_reach(model, body, fit)]
    for axis, value in zip(fit.free, start, strict=True):
        gamma[AXES.index(axis)] = value
    mass = moved_mass(body.mass, Pose((0.0, 0.0, 0.0), _rows(fit.W)))
    free_part = [gamma[3 + k] if AXES[3 + k] in fit.free else 0.0 for k in range(3)]
    row: dict[str, Any] = {"name": body.name}
    if body.joint.name != body.name:
        row["joint"] = body.joint.name
    if body.parent != before:
        row["parent"] = body.parent
    if body.parent == WORLD and any(body.at.position):
        row["position"] = body.at.position
    row |= {"gamma": tuple(x + 0.0 for x in gamma), "free": fit.free, "mass": mass.mass}
    row["com"] = tuple(c + d for c, d in zip(mass.com, free_part, strict=True))
    row["inertia"] = mass.tensor
    spec = body.joint
    parts = (("friction", spec.passive), ("limits", spec.limits), ("rotor", spec.rotors))
    row |= {key: value for key, value in parts if value}
    return row | ({"motor": body.motor} if body.motor is not None else {})


def _reach(model: Model, body: Body, fit: _Fit) -> list[float]:
    """Where the next joints sit, in the link frame: one position for all of them."""
    positions = _next_positions(model, body.name)
    if not positions:
        return [0.0, 0.0, 0.0]
    for position in positions[1:]:
        if math.dist(position, positions[0]) > CLOSE:
            raise FormatError(
                f"body '{body.name}' carries joints at {positions[0]} and {position}: a row of a "
                f"six-parameter table leads to one position only. Write the native file."
            )
    reach = [float(x) for x in fit.W @ Vector(*positions[0])]
    for k in range(3):
        if AXES[3 + k] in fit.free:
            if abs(reach[k]) > CLOSE:
                raise FormatError(
                    f"body '{body.name}': the next joint sits {reach[k]:g} m beyond the end of the "
                    f"translation {AXES[3 + k]} of a joint that also rotates. Move the body frame "
                    f"there."
                )
            reach[k] = 0.0
    return reach


def _next_positions(model: Model, name: str) -> list[Triple]:
    """Positions of the joints that hang on the body; of its tip frame where there are none."""
    positions = [body.at.position for body in model.bodies if body.parent == name]
    return positions or [f.pose.position for f in model.frames if _is_tip(f, name)]


def _is_tip(frame: Frame, body: str) -> bool:
    return frame.body == body and frame.name in ("tip", f"{body}_tip")


def _translations_ended(model: Model) -> Model:
    """The same mechanism with every pure translation ending at the next joint.

    Moving joint and body frame together along the axis changes no coordinate."""
    for body in reversed(model.bodies):
        rotations, translations = _axes(body.joint)
        positions = _next_positions(model, body.name) if translations and not rotations else []
        shift = _along(positions[0], translations) if positions else (0.0, 0.0, 0.0)
        if any(shift):
            model = _ended(model, body.name, shift)
    return model


def _ended(model: Model, name: str, shift: Triple) -> Model:
    """The frame of one body moved by `shift`, its joint too; everything on it stays in place."""
    bodies = []
    for body in model.bodies:
        if body.name == name:
            x, y, z = (c - s for c, s in zip(body.mass.com, shift, strict=True))
            mass = replace(body.mass, com=(x, y, z))
            body = replace(body, at=body.at.then(Pose(shift)), mass=mass)
        elif body.parent == name:
            body = replace(body, at=_moved(body.at, shift))
        bodies.append(body)
    frames = [replace(f, pose=_moved(f.pose, shift)) if f.body == name else f for f in model.frames]
    return replace(model, bodies=tuple(bodies), frames=tuple(frames))


def _along(position: Triple, translations: Sequence[Triple]) -> Triple:
    total = Vector(0.0, 0.0, 0.0)
    for axis in translations:
        unit = Vector(*axis)
        total = total + unit * Vector(*position).dot(unit)
    x, y, z = (float(v) for v in total)
    return (x, y, z)


def _moved(pose: Pose, shift: Triple) -> Pose:
    x, y, z = (p - s for p, s in zip(pose.position, shift, strict=True))
    return Pose((x, y, z), pose.rotation)


# -- fitting a joint into the sequence x, y, z ---------------------------------------------------


def _axes(spec: JointSpec) -> tuple[list[Triple], list[Triple]]:
    """Rotations through the joint's origin and translations, in order; other joints are refused."""
    axes = [tuple(float(x) for x in axis) for axis in spec.axes]
    rotations: list[Any] = []
    translations: list[Any] = []
    if spec.kind == "revolute" or spec.kind == "universal":
        rotations = axes
    elif spec.kind == "prismatic":
        translations = axes
    elif spec.kind == "cylindrical":
        rotations, translations = axes, axes
    elif spec.kind == "gimbal":
        rotations = [AXIS_VECTORS[name[1]] for name in spec.free if name[0] == "r"]
        translations = [AXIS_VECTORS[name[1]] for name in spec.free if name[0] == "d"]
    elif spec.kind == "general":
        rotations = [axis[:3] for axis in axes if any(axis[:3])]
        translations = [axis[3:] for axis in axes if not any(axis[:3])]
        plain = [(*t, 0.0, 0.0, 0.0) for t in rotations] + [
            (0.0, 0.0, 0.0, *s) for s in translations
        ]
        if plain != axes:
            raise _no_row(spec)
    elif spec.kind != "fixed":
        raise _no_row(spec)
    return rotations, translations


def _no_row(spec: JointSpec) -> FormatError:
    return FormatError(
        f"joint '{spec.name}' ({spec.kind}) is no sequence of rotations about and translations "
        f"along x, y, z: a six-parameter table has no row for it. Write the native file."
    )


def _fit(body: Body, W_P: Matrix) -> _Fit:
    """The link frame of a body: its own frame, or for one axis a frame with that axis along z."""
    rotations, translations = _axes(body.joint)
    E = Matrix(body.at.rotation).T @ W_P.T  # parent's link frame to the body frame at q = 0
    names = [_TRANSLATIONS.get(axis) for axis in translations]
    if None not in names and names == sorted(set(names), key=str):
        for letters in combinations(range(3), len(rotations)):
            for angles in _xyz(E):
                found = _matched(angles, letters, rotations)
                if found is not None:
                    free = tuple(AXES[k] for k in letters) + tuple(str(n) for n in names)
                    return _Fit(found, free, Matrix.identity())
    one_axis = {*rotations, *translations}
    if len(one_axis) != 1 or len(rotations) > 1 or len(translations) > 1:
        raise _no_row(body.joint)
    W = own_rotation(replace(body.joint, kind="revolute", axes=(one_axis.pop(),))).T
    x, y, z = next(_xyz(W @ E))
    free = ("rz",) * len(rotations) + ("dz",) * len(translations)
    if rotations:  # the angle about z is the coordinate: rotate the link frame until it is zero
        W, z = Matrix(rotated_z(z).rotation) @ W, 0.0
    return _Fit((x, y, z), free, W)


def _matched(angles: Triple, letters: Sequence[int], rotations: Sequence[Triple]) -> Triple | None:
    """The constant rotations, if the free ones are zero and the axes are the joint's."""
    free = [AXES[k] for k in letters]
    if any(abs(math.remainder(angles[k], math.tau)) > CLOSE for k in letters):
        return None
    x, y, z = (0.0 if k in letters else angle for k, angle in enumerate(angles))
    axes = rotation_axes((x, y, z, 0.0, 0.0, 0.0), free)
    close = all(math.dist(a, b) < CLOSE for a, b in zip(axes, rotations, strict=True))
    return (x, y, z) if close else None


def _xyz(E: Matrix) -> Iterator[Triple]:
    """All ways to write  E = Rot(z) Rot(y) Rot(x)  (eq 2.28), the smaller angles first."""
    (e00, e01, _), (e10, e11, _), (e20, e21, e22) = E.rows
    level = math.hypot(e00, e10)
    y = math.atan2(e20, level)
    if level > 1e-9:
        x, z = math.atan2(-e21, e22), math.atan2(-e10, e00)
        yield (x, y, z)
        yield tuple(math.remainder(v, math.tau) for v in (x + math.pi, math.pi - y, z + math.pi))  # type: ignore[misc]
        return
    both = math.atan2(e01, e11)  # x + z where y = 90 degrees, z - x where y = -90 degrees
    yield (both if e20 > 0 else -both, y, 0.0)
    yield (0.0, y, both)


def _rows(R: Matrix) -> Any:
    return tuple(tuple(float(x) for x in row) for row in R.rows)
