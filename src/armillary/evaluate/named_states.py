"""States by name: {"shoulder": 0.3} in the place of an array.

A name is a joint, with one number per coordinate, or the label of one entry (`base.px`).  Of v and
a it may also be a length of q: how fast `base.px` changes, along the world's axis.  Values are
those of one state, or one row for each state of a batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armillary.errors import ArmillaryError, InputError, unknown_name
from armillary.evaluate.inputs import Array, as_floats
from armillary.joints import Joint
from armillary.model.model import Model, Slot
from armillary.scalar import Dual

State = ArrayLike | Mapping[str, ArrayLike]  # all entries in order, or some by name
Inputs = Mapping[str, State]  # q, v, a, tau as a question takes them
Entry = tuple[str, int]  # ("q" or "v", place there)


def names_of(argument: str, names: object) -> tuple[str, ...]:
    """Names that a user gives: one, several, or None for none."""
    if names is None:
        return ()
    if isinstance(names, str):
        return (names,)
    found: tuple[Any, ...] = (names,)
    if isinstance(names, Iterable) and getattr(names, "ndim", 1) != 0:
        found = tuple(names)
    if not all(isinstance(name, str) for name in found):
        raise InputError(f"{argument}: expected names of joints or coordinates, found {names!r}.")
    return found


def velocity_entries(model: Model, names: Sequence[str] | str | None, argument: str) -> list[int]:
    """Entries of v of joints ("rod1") or single coordinates ("rod1.dx"); None: all."""
    if names is None:
        return list(range(model.nv))
    found: list[int] = []
    for name in names_of(argument, names):
        if name in model.v_labels:
            found.append(model.v_labels.index(name))
        elif name in model.moving_joints:
            slot = model.slots[model.joint_index[name]].v
            found += range(slot.start, slot.stop)
        else:
            raise unknown_name("joint", name, (*model.moving_joints, *model.v_labels))
    if len(set(found)) != len(found):
        raise InputError(f"{argument}: the same degree of freedom is named twice.")
    return found


@dataclass(frozen=True)
class Named:
    """Numbers that are given by name, for one state or a batch."""

    names: tuple[str, ...]
    entries: tuple[Entry, ...]
    values: Array  # (B, h), a column for each entry
    single: bool

    def row(self, k: int) -> Named:
        """Those of one state."""
        if len(self.values) == 1:
            return self
        return Named(self.names, self.entries, self.values[k : k + 1], True)

    def of(self, count: int) -> Array:
        """One row for each of so many states."""
        return np.broadcast_to(self.values, (count, self.values.shape[1]))

    def placed(self, start: Array) -> Array:
        """(B, n): start (n,) with the named entries as given."""
        found = np.tile(start, (len(self.values), 1))
        found[:, [k for _, k in self.entries]] = self.values
        return found


def rate_entries(model: Model, name: str) -> list[Entry]:
    """What a name stands for in v, a and tau: ("v", entry), or ("q", coordinate) of a length."""
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


def _entries(model: Model, kind: str, argument: str, name: str) -> list[Entry]:
    """What a name stands for in q, v, a or tau."""
    if kind in ("v", "a"):
        try:
            return rate_entries(model, name)
        except ArmillaryError as fault:
            raise InputError(f"{argument}: {fault}") from None
    labels = model.q_labels if kind == "q" else model.v_labels
    own = "q" if kind == "q" else "v"
    if name in labels:
        return [(own, labels.index(name))]
    if name in model.joint_index:
        place = getattr(model.slots[model.joint_index[name]], own)
        return [(own, k) for k in range(place.start, place.stop)]
    raise InputError(f"{argument}: {unknown_name('joint', name, (*model.moving_joints, *labels))}")


def named_values(
    model: Model, kind: str, given: Mapping[str, ArrayLike], argument: str = ""
) -> Named:
    """{joint or coordinate: x} of q, v, a or tau; argument: what the caller names it."""
    argument = argument or kind
    entries: list[Entry] = []
    columns: list[Array] = []
    for name, value in given.items():
        own = _entries(model, kind, argument, name)
        entries += own
        columns.append(_columns(model, f"{argument}['{name}']", own, argument, name, value))
    if len(set(entries)) < len(entries):
        raise InputError(f"{argument}: the same entry is named twice in {', '.join(given)}.")
    sizes = {len(x) for x in columns if x.ndim == 2}
    if len(sizes) > 1:
        raise InputError(
            f"{argument}: batches of different lengths {sorted(sizes)}. Use one length."
        )
    count = next(iter(sizes), 1)
    rows = [np.broadcast_to(x, (count, x.shape[-1])) for x in columns]
    values = np.concatenate([np.zeros((count, 0)), *rows], axis=1)
    return Named(tuple(given), tuple(entries), values, not sizes)


def _columns(
    model: Model, part: str, entries: list[Entry], argument: str, name: str, value: ArrayLike
) -> Array:
    """(h,) of one state or (B, h) of a batch; only a batch may have numbers that are not finite."""
    array, size = as_floats(part, value).astype(float), len(entries)
    if size == 1 and array.ndim < 2:
        array = array[..., None]
    if array.ndim not in (1, 2) or array.shape[-1] != size:
        labels = [{"q": model.q_labels, "v": model.v_labels}[kind][k] for kind, k in entries]
        if not labels:
            raise InputError(f"{argument}: joint '{name}' does not move; leave it out.")
        if array.ndim == 0:
            raise InputError(
                f"{argument}: '{name}' has several entries; name {', '.join(labels)}, or give "
                f"{size} numbers."
            )
        raise InputError(
            f"{part}: expected {size} numbers per state ({', '.join(labels)}), found shape "
            f"{array.shape}."
        )
    if array.ndim == 1 and not np.isfinite(array).all():
        raise InputError(
            f"{part}: expected a finite number, or one for each state of a batch; found {value!r}."
        )
    return array


def rate_rows(model: Model, entries: Iterable[Entry], q: Array) -> Array:
    """H (h, nv) at q (nq): H v are the rates of the entries."""
    entries = tuple(entries)
    H = np.zeros((len(entries), model.nv))
    for row, (kind, k) in zip(H, entries, strict=True):
        if kind == "v":
            row[k] = 1.0
            continue
        joint, slot = _carrier(model, k)
        own, unit = q[slot.q].tolist(), np.eye(joint.nv).tolist()
        row[slot.v] = [float(joint.rate(own, e)[k - slot.q.start]) for e in unit]
    return H


def rate_bias(model: Model, entries: Iterable[Entry], q: Array, v: Array) -> Array:
    """(h,) dH/dt v at q (nq), v (nv): the second derivatives of the entries are H a + this."""
    found = []
    for kind, k in entries:
        if kind == "v":
            found.append(0.0)
            continue
        joint, slot = _carrier(model, k)
        own = v[slot.v].tolist()
        moving = joint.integrate(q[slot.q].tolist(), [Dual(0.0, x) for x in own])
        found.append(float(Dual.lift(joint.rate(moving, own)[k - slot.q.start]).slope))
    return np.array(found)


def _carrier(model: Model, k: int) -> tuple[Joint, Slot]:
    """The joint that has coordinate k of q, and its places."""
    pairs = zip(model.joints, model.slots, strict=True)
    return next(pair for pair in pairs if pair[1].q.start <= k < pair[1].q.stop)


def completed_tree(model: Model, inputs: Inputs) -> dict[str, ArrayLike]:
    """Dictionaries as arrays: in a tree nothing follows, so the rest of q is where the mechanism
    starts, and the rest of v, a, tau and small changes is zero."""
    found: dict[str, ArrayLike] = {}
    for kind, given in inputs.items():
        if not isinstance(given, Mapping):
            found[kind] = given
            continue
        named = named_values(model, kind, given)
        if kind != "q" and any(own == "q" for own, _ in named.entries):
            found[kind] = _of_lengths(model, kind, named, found)
            continue
        rows = named.placed(np.array(model.start()) if kind == "q" else np.zeros(model.nv))
        found[kind] = rows[0] if named.single else rows
    return found


def _of_lengths(model: Model, kind: str, named: Named, at: Mapping[str, ArrayLike]) -> Array:
    """v or a, the smallest that move named lengths of q as given; at: q, and v of a."""
    parts = [as_floats(name, at[name]) for name in ("q", "v")[: 1 + (kind == "a")]]
    sizes = [len(x) for x in (*parts, *([] if named.single else [named.values])) if x.ndim == 2]
    count = max(sizes, default=1)
    q, v = (np.broadcast_to(x, (count, x.shape[-1])) for x in (parts * 2)[:2])
    wanted, found = named.of(count), np.full((count, model.nv), np.nan)
    for k in np.flatnonzero(np.isfinite(np.concatenate([q, v, wanted], axis=1)).all(axis=1)):
        bias = rate_bias(model, named.entries, q[k], v[k]) if kind == "a" else 0.0
        found[k] = np.linalg.pinv(rate_rows(model, named.entries, q[k])) @ (wanted[k] - bias)
    return found if sizes else found[0]
