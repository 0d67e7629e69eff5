"""Motion that is prescribed: of rows, where they are, how fast, and how that changes; and of
constraints or joints, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armillary.constraints.rows import Terms
from armillary.errors import InputError, unknown_name
from armillary.evaluate.inputs import Array
from armillary.model.constraint_parts import PrescribedMotion
from armillary.model.lowering.constraint_table import ConstraintTable
from armillary.model.model import Model

Index = int | NDArray[np.integer | np.bool_] | np.bool_  # one state of a batch, or some


@dataclass(frozen=True)
class RowMotion:
    """Motion that is given for the rows of all constraints, in their order (0: as modelled):

        residual(q) = x,    J v = x',    J a - gamma = x''

    place x, velocity x', acceleration x'': (m,) or (B, m), rad or m and seconds."""

    place: Array
    velocity: Array
    acceleration: Array

    def shifted(self, terms: Terms) -> Terms:
        """The same rows with residual and rate counted from the prescribed motion."""
        return replace(terms, residual=terms.residual - self.place, rate=terms.rate - self.velocity)

    def of(self, rows: Index) -> RowMotion:
        """The motion of some states of a batch."""
        return RowMotion(*(x[rows] if x.ndim == 2 else x for x in self.parts))

    @property
    def parts(self) -> tuple[Array, Array, Array]:
        return self.place, self.velocity, self.acceleration


Prescribed = Mapping[str, ArrayLike] | RowMotion | None


def spread(x: Array, count: int) -> Array:
    """One row per state."""
    return np.ascontiguousarray(np.broadcast_to(x, (count, x.shape[-1])))


def of_states(prescribed: Prescribed, rows: Index, count: int) -> Prescribed:
    """What belongs to the chosen states of a batch of `count`."""
    if prescribed is None or isinstance(prescribed, RowMotion):
        return prescribed.of(rows) if prescribed is not None else None
    return {name: rows_of(np.asarray(x, float), rows, count) for name, x in prescribed.items()}


def rows_of(x: Array, rows: Index, count: int) -> Array:
    """The chosen rows of a batch, or the one row that serves all."""
    return x[rows] if x.ndim == 2 and len(x) == count else x


def with_prescribed(model: Model, prescribed: Prescribed) -> tuple[Model, Prescribed]:
    """The model with a prescribed motion for every joint or coordinate that is named, and the
    accelerations by the names of its constraints."""
    if prescribed is None or isinstance(prescribed, RowMotion):
        return model, prescribed
    if not isinstance(prescribed, Mapping):
        raise InputError(
            f"prescribed: expected accelerations by name, {{'crank': 2.0}}, found {prescribed!r}."
        )
    prescribed = {name: _numbers(name, value) for name, value in prescribed.items()}
    known = [part.name for part in model.constraints]
    if all(name in known for name in prescribed):
        return model, prescribed
    parts = {d.joint: d for d in model.prescribed}
    given: dict[str, ArrayLike] = {}
    for name, value in prescribed.items():
        if name in known:
            given[name] = value
            continue
        labels = _labels(model, name)
        each = np.asarray(value)
        if each.shape[-1:] != (len(labels),) and not (len(labels) == 1 and each.ndim < 2):
            raise InputError(
                f"prescribed motion of '{name}': expected {len(labels)} accelerations "
                f"({', '.join(labels)}), found shape {each.shape}."
            )
        for k, label in enumerate(labels):
            parts.setdefault(label, PrescribedMotion(label, label))
            own = each[..., k] if each.shape[-1:] == (len(labels),) else each
            given[parts[label].name] = own[:, None] if own.ndim else own
    return replace(model, prescribed=tuple(parts.values())), given


def _numbers(name: str, value: ArrayLike) -> Array:
    try:
        return np.asarray(value, float)
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            f"prescribed motion of '{name}': expected accelerations (numbers), found {value!r}."
        ) from None


def _labels(model: Model, name: str) -> list[str]:
    """Coordinates of a joint, or the one that is named."""
    if name in model.v_labels:
        return [name]
    if name not in model.joint_index:
        names = (*(part.name for part in model.constraints), *model.v_labels, *model.joint_index)
        raise unknown_name("constraint or joint", name, dict.fromkeys(names))
    slot = model.slots[model.joint_index[name]].v
    if slot.start == slot.stop:
        raise InputError(f"prescribed: joint '{name}' is fixed; it has no coordinate to prescribe.")
    return list(model.v_labels[slot.start : slot.stop])


def prescribed_rows(table: ConstraintTable, prescribed: Prescribed, count: int) -> Array:
    """Prescribed accelerations of constraints, on top of what the model says: of a
    coordinate, of the road under a wheel, or along the rows of a contact or loop."""
    if isinstance(prescribed, RowMotion):
        return spread(prescribed.acceleration, count)
    extra = np.zeros((count, table.count))
    for name, value in (prescribed or {}).items():
        if name not in table.slices:
            raise unknown_name("constraint", name, table.slices)
        rows = table.slices[name]
        size = rows.stop - rows.start
        given = np.asarray(value, float)
        if given.ndim == 0 and size > 1:  # the road lifts the wheel
            given = np.array([float(given)] + [0.0] * (size - 1))
        if given.shape not in ((), (size,), (count, size)) or not np.isfinite(given).all():
            raise InputError(
                f"prescribed motion of '{name}': expected {size} finite accelerations "
                f"({', '.join(table.labels[rows])}), found shape {given.shape}."
            )
        extra[:, rows] += given
        for constraint in table.axes:
            if constraint.name == name:
                extra[:, rows] -= constraint.acceleration
    return extra
