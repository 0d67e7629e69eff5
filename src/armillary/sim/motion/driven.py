"""Prescribed motion in a run: coordinates, roads and other rows that move as functions of time.

The model of the run gets a `PrescribedMotion` for every driven coordinate that has none, and
names the other rows that move; they do so by

    residual(q) = x(t) - x0,    J v = x'(t),    J a - gamma = x''(t)

x0: the length of a rod, the radius of a round surface; 0 of all others, which count from the model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from armillary.constraints.moving import RowMotion
from armillary.constraints.plan import following_rows
from armillary.errors import InputError, ModelError, unknown_name
from armillary.evaluate.inputs import Array
from armillary.evaluate.lean_call import lean
from armillary.mechanism.mechanism import Mechanism
from armillary.model import constraint_parts
from armillary.model.lowering.constraint_table import (
    ConstraintTable,
    FrameConstraint,
    LinearConstraint,
)
from armillary.sim.motion.prescribed import Given, Motion, motion_of
from armillary.sim.motion.schedules import columns_of

Rows = NDArray[np.integer]
_MOVABLE = ("wheel", "distance", "surface", "contact")  # their rows are rates of their residuals


class PrescribedMotions:
    """The prescribed motions of a run, by name: {name: motion}.

    name: a drive, wheel (its ground is lifted along the normal), rod, surface, coupling, or a row
    of a contact; or a joint or coordinate."""

    def __init__(self, mechanism: Mechanism, given: Mapping[str, Given] | None, step: float):
        if given is not None and not isinstance(given, Mapping):
            raise InputError(
                f"prescribed: expected {{name: motion}}, found {type(given).__name__}. Names are "
                f"joints, prescribed motions or wheels."
            )
        self._given = dict(given or {})
        self._made: dict[int, tuple[Mechanism, Mechanism, Array, Array]] = {}
        self._lean: dict[int, Callable[..., Array | None] | None] = {}
        self._following: dict[int, tuple[Rows, Rows, Array]] = {}
        spans = self._labels(mechanism)
        self.mechanism = self.on(mechanism)
        self.motions: list[Motion] = [
            motion_of(f"prescribed motion of '{name}'", value, len(spans[name]), step)
            for name, value in self._given.items()
        ]

    def __bool__(self) -> bool:
        return bool(self.motions)

    # -- the model -------------------------------------------------------------------------------

    def on(self, mechanism: Mechanism) -> Mechanism:
        """The mechanism with a prescribed motion for every driven coordinate."""
        if not self._given:
            return mechanism
        if any(made is mechanism for _, made, *_ in self._made.values()):
            return mechanism
        if id(mechanism) not in self._made:
            made = self._driven(mechanism)
            rows = self._rows(mechanism, made)
            self._made[id(mechanism)] = (mechanism, made, rows, _origins(made, rows))
        return self._made[id(mechanism)][1]

    def _driven(self, mechanism: Mechanism) -> Mechanism:
        labels = [label for own in self._labels(mechanism).values() for label in own]
        model = mechanism.model
        prescribed = {d.name: d for d in model.prescribed}
        for label in labels:
            if label in prescribed:
                prescribed[label] = constraint_parts.PrescribedMotion(
                    label, prescribed[label].joint, 0.0, 0.0, 0.0
                )
            elif label in mechanism.v_labels and label not in mechanism.constraints:
                prescribed[label] = constraint_parts.PrescribedMotion(label, label, 0.0, 0.0, 0.0)
        moved = tuple(label for label in labels if label not in prescribed)
        key = (tuple(prescribed.values()), moved)
        if key == (model.prescribed, model.moved):
            return mechanism
        driven = replace(model, prescribed=key[0], moved=moved)
        return mechanism.variant(("driven", key), driven)

    def _labels(self, mechanism: Mechanism) -> dict[str, list[str]]:
        """Rows that every name means."""
        return {name: _rows_meant(mechanism, name) for name in self._given}

    def _rows(self, mechanism: Mechanism, made: Mechanism) -> Array:
        constraints = made.constraint_solver.equations.constraints
        rows = []
        for name, labels in self._labels(mechanism).items():
            for label in labels:
                _check_row(constraints, name, label)
                rows.append(constraints.labels.index(label))
        twice = [constraints.labels[k] for k in rows if rows.count(k) > 1]
        if twice:
            raise InputError(f"prescribed: '{twice[0]}' is driven twice. Give one motion for it.")
        return np.array(rows, int)

    # -- time ------------------------------------------------------------------------------------

    @property
    def runs(self) -> int | None:
        """Number of runs that constants and schedules are made for."""
        return next((m.runs for m in self.motions if m.runs is not None), None)

    def at(self, t: float) -> Array:
        """Places, velocities and accelerations, (3, n) or (3, B, n)."""
        parts = [motion(t) for motion in self.motions]
        if all(x.ndim == 1 for part in parts for x in part):
            return np.array([np.concatenate(xs) for xs in zip(*parts, strict=True)])
        count = max(x.shape[0] for part in parts for x in part if x.ndim == 2)
        wide = [
            [np.broadcast_to(x, (count, x.shape[-1])) for x in xs]
            for xs in zip(*parts, strict=True)
        ]
        return np.array([np.concatenate(xs, axis=1) for xs in wide])

    def at_stages(self, begins: Array, h: float, c: Sequence[float]) -> Array | None:
        """The same at the stages of many steps (steps, stages, 3, 1 or B, n); None where some
        motion is asked instant by instant."""
        parts = [motion.at_stages(begins, h, c) for motion in self.motions]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        rows = max(part.shape[-2] for part in known)
        wide = [np.broadcast_to(x, (*x.shape[:-2], rows, x.shape[-1])) for x in known]
        return np.concatenate(wide, axis=-1)

    def rows_of(self, mechanism: Mechanism) -> tuple[Array, Array]:
        """Numbers of the moved rows of a driven mechanism, and where their motion counts from."""
        return next(found[2:] for found in self._made.values() if found[1] is mechanism)

    def flat(self, t: float, like: Array) -> Array:
        """The same for the recorder: (3 n,) or (B, 3 n), as many rows as `like`."""
        values = self.at(t)
        if like.ndim == 2 and values.ndim == 2:
            values = np.repeat(values[:, None], len(like), axis=1)
        return np.moveaxis(values, 0, -2).reshape(*like.shape[:-1], -1)

    def unflat(self, mechanism: Mechanism, rows: Array) -> RowMotion:
        """Motion of all rows of the mechanism from recorded numbers (S, 3 n)."""
        return self.row_motion(mechanism, np.moveaxis(rows.reshape(len(rows), 3, -1), 1, 0))

    def row_motion(self, mechanism: Mechanism, values: Array) -> RowMotion:
        """Motion of all rows of a driven mechanism; values (3, n) or (3, B, n)."""
        rows, origins = self.rows_of(mechanism)
        full = np.zeros(
            (*values.shape[:-1], mechanism.constraint_solver.equations.constraints.count)
        )
        full[..., rows] = values
        full[0][..., rows] -= origins
        return RowMotion(*full)

    def place(self, mechanism: Mechanism, row: int, t: float) -> float | None:
        """Where a constraint row is meant to be at t (of the first run); None: it is not driven."""
        rows = self.rows_of(mechanism)[0].tolist()
        return float(np.ravel(self.at(t)[0, ..., rows.index(row)])[0]) if row in rows else None

    def may_contradict(self, mechanism: Mechanism) -> bool:
        """Does the motion of some rows follow from that of others?"""
        if id(mechanism) not in self._following:
            self._following[id(mechanism)] = following_rows(mechanism.constraint_solver.equations)
        return len(self._following[id(mechanism)][0]) > 0

    def check(self, mechanism: Mechanism, t: float, moving: RowMotion) -> None:
        """Rows that follow from others must move with them: four wheels of a rigid car on a road
        that is not plane cannot all touch it."""
        if not self.may_contradict(mechanism):
            return
        others, kept, C = self._following[id(mechanism)]
        v = moving.velocity
        clash = np.abs(v[..., others] - v[..., kept] @ C.T)
        if clash.max() > 1e-6 * np.abs(v).max() + 1e-9:
            row = others[int(np.argmax(clash.reshape(-1, len(others)).max(axis=0)))]
            raise ModelError(
                f"prescribed: at t = {t:.6g} s they contradict each other; the motion of "
                f"'{mechanism.constraint_rows[row]}' follows from that of other rows. Leave it "
                f"free, or let springs come in between."
            )

    def acceleration(
        self, mechanism: Mechanism, q: Array, v: Array, tau: Array, moving: RowMotion
    ) -> Array | None:
        """`forward_dynamics` of one state by a lean call; None: in doubt, or there is none."""
        if id(mechanism) not in self._lean:
            reads = ("q", "v", "tau", "prescribed")
            loaded = mechanism.model.load_dependent_joints  # their friction is not in the kernel
            kernels = None if loaded else mechanism.constraint_solver.forward.kernels(reads, True)
            self._lean[id(mechanism)] = lean(kernels, mechanism.evaluator.base_numbers)
        call = self._lean[id(mechanism)]
        a = None if call is None else call(q, v, tau, moving.acceleration)
        return a if a is not None and isfinite(a.sum()) else None

    def coordinates(self) -> list[tuple[int, int, int, str]]:
        """Driven coordinates: (number of the motion, entry of q, entry of v, label)."""
        constraints = self.mechanism.constraint_solver.equations.constraints
        found = []
        for number, row in enumerate(self.rows_of(self.mechanism)[0]):
            constraint = _constraint_of(constraints, constraints.labels[row])
            if isinstance(constraint, LinearConstraint) and constraint.kind == "prescribed":
                v, q, _ = constraint.terms[0]
                found.append((number, q, v, constraint.name))
        return found


def _rows_meant(mechanism: Mechanism, name: str) -> list[str]:
    """Labels of the constraint rows (of the driven mechanism) that a name stands for."""
    model = mechanism.model
    parts = {part.name: part for part in model.constraints}
    joint = name in mechanism.v_labels or name in model.joint_index
    if name in parts:
        part = parts[name]
        if joint and not (
            isinstance(part, constraint_parts.PrescribedMotion) and part.joint == name
        ):
            raise InputError(
                f"prescribed: '{name}' is a joint and a constraint. Rename one of them."
            )
        if isinstance(part, constraint_parts.Wheel):
            return [f"{name}.normal"]
        if isinstance(part, constraint_parts.Distance | constraint_parts.Surface):
            return [f"{name}.f"]
        if isinstance(part, constraint_parts.Contact) and len(part.constrained) == 1:
            # the first one: those of directions that stick come after it
            return [r for r in mechanism.constraint_rows if r.startswith(f"{name}.")][:1]
        if isinstance(part, constraint_parts.Loop | constraint_parts.Contact):
            raise InputError(
                f"prescribed: '{name}' has several rows. Name one row of a contact "
                f"({', '.join(r for r in mechanism.constraint_rows if r.startswith(name + '.'))}); "
                f"loops cannot be driven, drive one of their joints."
            )
        return [name]
    if name in mechanism.constraint_rows:
        return [name]
    if not joint:
        known = (*mechanism.v_labels, *model.joint_index, *parts)
        raise unknown_name("joint, prescribed motion or wheel", name, dict.fromkeys(known))
    own = {d.joint: d.name for d in model.prescribed}
    labels = [mechanism.v_labels[k] for k in columns_of(mechanism, name)]
    if not labels:
        raise InputError(f"prescribed: joint '{name}' is fixed; it has no coordinate to drive.")
    return [own.get(label, label) for label in labels]


def _origins(mechanism: Mechanism, rows: Array) -> Array:
    """What a motion counts from (m): a rod's is its length, a round surface's its radius."""
    model, constraints = mechanism.model, mechanism.constraint_solver.equations.constraints
    sizes = {rod.name: rod.length for rod in model.distances}
    sizes |= {s.name: s.radius for s in model.surfaces if s.shape in ("sphere", "cylinder")}
    return np.array(
        [sizes.get(_constraint_of(constraints, constraints.labels[row]).name, 0.0) for row in rows]
    )


def _constraint_of(constraints: ConstraintTable, label: str) -> FrameConstraint | LinearConstraint:
    row = constraints.labels.index(label)
    return next(
        t
        for t in constraints.all
        if constraints.slices[t.name].start <= row < constraints.slices[t.name].stop
    )


def _check_row(constraints: ConstraintTable, name: str, label: str) -> None:
    """Refuse rows that have no place of their own."""
    if label not in constraints.labels:
        raise InputError(
            f"prescribed: '{name}' has no row along the normal, which a road could lift. Add "
            f"'normal' to the rows of the wheel."
        )
    row, constraint = constraints.labels.index(label), _constraint_of(constraints, label)
    own = constraint.kind in _MOVABLE or isinstance(constraint, LinearConstraint)
    if (
        not own
        or not constraints.holonomic[row]
        or (constraint.kind == "contact" and constraints.units[row] != "m")
    ):
        raise InputError(
            f"prescribed: '{name}' has no place that could be given over time ('{label}': a loop, "
            f"a rolling row, or a joint with a quaternion). Move a base by joints with "
            f"coordinates: prismatic, revolute, planar or gimbal."
        )
