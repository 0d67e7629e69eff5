"""Joints and coordinates that are held while the rest of a mechanism gives way.

What is held is a set of rows like those of the constraints: H x = given, for the velocities, the
accelerations or a step of the position.  A name is a joint (all its entries), an entry of v
(`rear-frame.wz`), or a coordinate of q that is a length (`rear-frame.px`, along the world's axis).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armillary.constraints.nullspace import Factor, Scaling
from armillary.errors import InputError, unknown_name
from armillary.evaluate.inputs import Array, as_floats
from armillary.joints import Joint
from armillary.model.model import Model, Slot

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations

Names = Iterable[str] | str


class Held:
    """What is held, in the order of the names."""

    def __init__(self, equations: Equations, names: Names = ()):
        self.model, self.equations = equations.model, equations
        self.names = (names,) if isinstance(names, str) else tuple(names)
        found: list[tuple[str, int]] = []
        for name in self.names:
            found += _entries(self.model, name)
        self.entries = list(dict.fromkeys(found))
        units = {"v": self.model.v_units, "q": self.model.q_units}
        lengths = [units[kind][k] == "m" for kind, k in self.entries]
        self.sizes = np.where(lengths, 1.0, equations.scaling.length)

    def __bool__(self) -> bool:
        return bool(self.entries)

    def rows(self, q: Array) -> Array:
        """H (h, nv) at q (nq)."""
        H = np.zeros((len(self.entries), self.model.nv))
        for row, (kind, k) in zip(H, self.entries, strict=True):
            if kind == "v":
                row[k] = 1.0
                continue
            joint, slot = _carrier(self.model, k)
            own, unit = q[slot.q].tolist(), np.eye(joint.nv).tolist()
            row[slot.v] = [float(joint.rate(own, e)[k - slot.q.start]) for e in unit]
        return H

    def factor(self, J: Array, scaling: Scaling, q: Array, tolerance: float) -> Factor:
        """Of the rows J and those that are held."""
        sizes = np.concatenate([scaling.rows, self.sizes])
        scaled = Scaling(scaling.length, sizes, scaling.columns)
        return Factor(np.concatenate([J, self.rows(q)]), scaled, tolerance)

    def free(self, q: Array) -> Array:
        """(nv, nv) projector on the scaled steps (entries over their sizes) that hold."""
        s = self.equations.scaling
        H = self.sizes[:, None] * self.rows(q) * (s.columns / s.length)
        return np.eye(self.model.nv) - np.linalg.pinv(H, rcond=1e-9) @ H

    def put_back(self, q: Array, start: Array) -> Array:
        """q with held lengths exactly as in `start`: they are the coordinates themselves."""
        q = q.copy()
        for kind, k in self.entries:
            if kind == "q":
                q[..., k] = start[..., k]
        return q


def _entries(model: Model, name: str) -> list[tuple[str, int]]:
    """("v", entry) or ("q", coordinate) of what a name stands for."""
    if name in model.v_labels:
        return [("v", model.v_labels.index(name))]
    if name in model.joint_index:
        own = model.slots[model.joint_index[name]].v
        return [("v", k) for k in range(own.start, own.stop)]
    if name not in model.q_labels:
        known = (*model.moving_joints, *model.v_labels, *model.q_labels)
        raise unknown_name("joint", name, known)
    k = model.q_labels.index(name)
    if model.q_units[k] == "1":
        joint = name.rpartition(".")[0]
        turns = [x for x in model.v_labels if x.startswith(f"{joint}.w")]
        raise InputError(
            f"'{name}' is a part of a quaternion and cannot be held alone. Hold the turns about "
            f"the axes of the body ({', '.join(turns)}), or the whole joint '{joint}'."
        )
    return [("q", k)]


def _carrier(model: Model, k: int) -> tuple[Joint, Slot]:
    """The joint that has coordinate k of q, and its places."""
    pairs = zip(model.joints, model.slots, strict=True)
    return next(pair for pair in pairs if pair[1].q.start <= k < pair[1].q.stop)


@dataclass(frozen=True)
class Named:
    """Numbers that are given by name, for one state or a batch."""

    held: Held
    values: Array  # (B, h)
    single: bool

    def row(self, k: int) -> Named:
        """Those of one state."""
        return self if len(self.values) == 1 else Named(self.held, self.values[k : k + 1], True)

    def of(self, count: int) -> Array:
        """One row for each of so many states."""
        return np.broadcast_to(self.values, (count, self.values.shape[1]))


def named_values(equations: Equations, name: str, given: Mapping[str, ArrayLike]) -> Named:
    """{joint or coordinate: x}; x is a number or, for a batch, B of them."""
    held = Held(equations, given)
    columns: list[Array] = []
    for key, value in given.items():
        entries = _entries(equations.model, key)
        if len(entries) > 1:
            labels = [equations.model.v_labels[k] for _, k in entries]
            raise InputError(f"{name}: '{key}' has several entries; name {', '.join(labels)}.")
        array = as_floats(f"{name}['{key}']", value).astype(float)
        if array.ndim > 1 or not np.isfinite(array).all():
            raise InputError(
                f"{name}['{key}']: expected a finite number, or one for each state of a batch; "
                f"found {value!r}."
            )
        columns.append(array)
    if len(held.entries) != len(columns):
        raise InputError(f"{name}: the same entry is named twice in {', '.join(given)}.")
    sizes = {len(x) for x in columns if x.ndim}
    if len(sizes) > 1:
        raise InputError(f"{name}: batches of different lengths {sorted(sizes)}. Use one length.")
    count = next(iter(sizes), 1)
    values = [np.broadcast_to(x, (count,)) for x in columns]
    return Named(held, np.array(values, float).reshape(len(values), count).T, not sizes)
