"""What goes into a linear model and what comes out of it, by name.

Inputs: joint forces (a joint or an entry of v), and wrenches on frames, in the frame's own axes.
Outputs, each linear in the small changes of q, v and a:

    elbow            change of a coordinate (of a joint: of all of its entries), rad or m
    v.elbow  a.elbow of its velocity, of its acceleration
    hand.position    of a frame's origin, world axes, m: three rows, hand.position.x alone is one
    hand.rotation    turn of the frame, world axes, rad: hand.rotation.x ...
    hand.velocity    angular and linear velocity, world axes: hand.velocity.wx ... hand.velocity.vz
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from armillary.analysis.point import Point
from armillary.errors import InputError, unknown_name
from armillary.evaluate.inputs import Array
from armillary.evaluate.named_states import names_of, rate_entries
from armillary.mechanism.mechanism import Mechanism
from armillary.units import FORCE, WRENCH, WRENCH_UNITS, unit_of

_PARTS = {  # of a frame: rows of its Jacobian, and how they are called
    "position": ((3, "x", "m"), (4, "y", "m"), (5, "z", "m")),
    "rotation": ((0, "x", "rad"), (1, "y", "rad"), (2, "z", "rad")),
    "velocity": (
        *((k, f"w{x}", "rad/s") for k, x in enumerate("xyz")),
        *((3 + k, f"v{x}", "m/s") for k, x in enumerate("xyz")),
    ),
}
_ENTRIES = {f"{part}.{own[1]}": (part, own) for part, rows in _PARTS.items() for own in rows}


@dataclass(frozen=True)
class Inputs:
    """forces (nv, inputs): joint forces that one unit of each input amounts to."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    forces: Array


@dataclass(frozen=True)
class Outputs:
    """Rows (outputs, nv) on the small changes of q, v and a."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    by_q: Array
    by_v: Array
    by_a: Array


def _entries(mechanism: Mechanism, name: str, argument: str) -> list[int]:
    found = rate_entries(mechanism.model, name)
    if any(kind == "q" for kind, _ in found):
        raise InputError(
            f"{argument}: '{name}' is a coordinate along the world's axes. Name an entry of v: "
            f"{', '.join(mechanism.v_labels)}; or the position of a frame."
        )
    return [k for _, k in found]


def inputs_of(
    mechanism: Mechanism, q: Array, joints: str | Iterable[str] | None, wrenches: Iterable[str]
) -> Inputs:
    """Default: the joints with motors, or all that move where there are none."""
    if joints is None:
        joints = tuple(b.joint.name for b in mechanism.model.bodies if b.motor is not None)
        joints = joints or mechanism.v_labels
    chosen = [k for name in names_of("inputs", joints) for k in _entries(mechanism, name, "inputs")]
    names = [mechanism.v_labels[k] for k in chosen]
    units = [FORCE[mechanism.v_units[k]] for k in chosen]
    columns = [np.eye(mechanism.nv)[:, chosen]]
    for frame in names_of("wrenches", wrenches):
        columns.append(mechanism.jacobian(q, frame).T)  # tau = J^T (n; f), in the frame
        names += [f"{frame}.{part}" for part in WRENCH]
        units += WRENCH_UNITS
    if len(set(names)) < len(names):
        raise InputError(f"inputs: the same input is named twice in {', '.join(names)}.")
    return Inputs(tuple(names), tuple(units), np.concatenate(columns, axis=1))


def outputs_of(mechanism: Mechanism, at: Point, names: str | Iterable[str] | None) -> Outputs:
    """Default: all coordinates, then their velocities."""
    if names is None:
        names = (*mechanism.v_labels, *(f"v.{label}" for label in mechanism.v_labels))
    frames = _Frames(mechanism, at)
    rows: list[tuple[str, str, Array]] = []  # name, unit, (3, nv) by q, v and a
    for name in names_of("outputs", names):
        rows += _coordinates(mechanism, name) or frames.rows(name)
    if not rows:
        raise InputError("outputs: none is named.")
    found = np.array([row for _, _, row in rows])
    labels, units = tuple(name for name, _, _ in rows), tuple(unit for _, unit, _ in rows)
    return Outputs(labels, units, found[:, 0], found[:, 1], found[:, 2])


def _coordinates(mechanism: Mechanism, name: str) -> list[tuple[str, str, Array]]:
    """Rows of "elbow", "v.elbow", "a.elbow"; empty: it is no such name."""
    head, _, tail = name.partition(".")
    model, level = mechanism.model, 0
    known = (*model.v_labels, *model.moving_joints)
    if name not in known:
        if head not in ("v", "a") or tail not in known:
            return []
        level, name = ("v", "a").index(head) + 1, tail
    found = []
    for k in _entries(mechanism, name, "outputs"):
        row = np.zeros((3, mechanism.nv))
        row[level, k] = 1.0
        unit = mechanism.v_units[k]
        label = mechanism.v_labels[k]
        if level:
            unit, label = unit_of("va"[level - 1], unit), f"{'va'[level - 1]}.{label}"
        found.append((label, unit, row))
    return found


class _Frames:
    """Rows of what frames do."""

    def __init__(self, mechanism: Mechanism, at: Point):
        self.mechanism, self.at = mechanism, at

    def rows(self, name: str) -> list[tuple[str, str, Array]]:
        for frame in self.mechanism.frames:
            part = name.removeprefix(f"{frame}.")
            if part != name and part in _PARTS:
                return [self._row(frame, part, *own) for own in _PARTS[part]]
            if part != name and part in _ENTRIES:
                kind, own = _ENTRIES[part]
                return [self._row(frame, kind, *own)]
        frame = name.partition(".")[0]
        rates = (f"{kind}.{label}" for kind in "va" for label in self.mechanism.v_labels)
        known = (*self.mechanism.v_labels, *rates)
        if frame in self.mechanism.frames:
            known = tuple(f"{frame}.{part}" for part in (*_PARTS, *_ENTRIES))
        raise unknown_name("output", name, known)

    def _row(self, frame: str, kind: str, k: int, name: str, unit: str) -> tuple[str, str, Array]:
        n, (q, v) = self.mechanism.nv, (self.at.q, self.at.v)
        J = self.mechanism.jacobian(q, frame, coordinates="world_aligned")
        row = np.zeros((3, n))
        if kind != "velocity":
            row[0] = J[k]
            return f"{frame}.{kind}.{name}", unit, row
        row[1] = J[k]
        if self.at.moving:  # d(J v) along every unit change of q
            many = np.tile(q, (n, 1))
            dJ = self.mechanism.jacobian_dot(many, np.eye(n), frame, coordinates="world_aligned")
            row[0] = dJ[:, k] @ v
        return f"{frame}.{kind}.{name}", unit, row
