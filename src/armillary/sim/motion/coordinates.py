"""Degrees of freedom by name, and numbers given for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from armillary.errors import InputError, unknown_name
from armillary.evaluate.named_states import velocity_entries
from armillary.mechanism.mechanism import Mechanism
from armillary.model.arguments import fits
from armillary.units import FORCE


def freedoms(mechanism: Mechanism, joints: Sequence[str] | str | None) -> list[int]:
    """Entries of v of joints ("rod1") or single coordinates ("rod1.dx"); None: all."""
    return velocity_entries(mechanism.model, joints, "joints")


def coordinates(mechanism: Mechanism, entries: Sequence[int]) -> list[int]:
    """The entry of q that belongs to each entry of v; joints with quaternions have none."""
    place: dict[int, int] = {}
    for joint, slot in zip(mechanism.model.joints, mechanism.model.slots, strict=True):
        if joint.nq == joint.nv:
            place.update(
                zip(range(slot.v.start, slot.v.stop), range(slot.q.start, slot.q.stop), strict=True)
            )
    for i in entries:
        if i not in place:
            raise InputError(
                f"'{mechanism.v_labels[i]}' belongs to a quaternion and has no coordinate of its "
                "own to compare; use ComputedTorque, or a gimbal joint."
            )
    return [place[i] for i in entries]


def argument_units(
    mechanism: Mechanism, entries: Sequence[int], laws: Mapping[str, str]
) -> dict[str, str]:
    """Units of arguments that are given once for these entries of v, or for each of them by place
    or by name: {"kp": "{F}/{x}"} tells those of kp (where all have the same), kp.0 and kp.elbow.
    x: unit of the coordinate; F: of the force along it."""
    found = {}
    for name, law in laws.items():
        units = [mechanism.v_units[i] for i in entries]
        each = [law.format(x=unit, F=FORCE[unit]) for unit in units]
        found[name] = each[0] if len(set(each)) == 1 else ""
        for k, i in enumerate(entries):
            found[f"{name}.{k}"] = found[f"{name}.{mechanism.v_labels[i]}"] = each[k]
    return found


def per_freedom(
    name: str,
    value: ArrayLike | Mapping[str, float],
    count: int,
    labels: Sequence[str],
    above: float | None = None,
) -> list[float]:
    """One number for all, one per entry, or {label: number} (others 0).  above: a bound that
    none may fall below."""
    if isinstance(value, Mapping):
        for key in value:
            if key not in labels:
                raise unknown_name(f"degree of freedom for {name}", key, labels)
        value = [value.get(label, 0.0) for label in labels]
    try:
        array = np.asarray(value, float)
    except (TypeError, ValueError, OverflowError):
        array = np.array(np.nan)
    if array.ndim > 1 or (array.ndim == 1 and len(array) != count) or not np.isfinite(array).all():
        raise InputError(
            f"{name}: expected a finite number or {count} of them ({', '.join(labels)}), "
            f"found {value!r}."
        )
    numbers = [float(x) for x in np.broadcast_to(array, (count,))]
    for label, number in zip(labels, numbers, strict=True):
        if above is not None and number < above:
            raise InputError(f"{name} of '{label}': expected {above:g} or more, found {number:g}.")
    return numbers


def one_number(
    name: str, value: ArrayLike | Mapping[str, float], above: float | None = None
) -> float:
    """A finite number, not below the bound."""
    return per_freedom(name, value, 1, (name,), above)[0]


def positive_period(period: float | None, what: str = "period") -> float | None:
    if period is None:
        return None
    if not (fits(period, float) and period > 0.0):
        raise InputError(f"{what}: expected a positive time in seconds or None, found {period!r}.")
    return float(period)
