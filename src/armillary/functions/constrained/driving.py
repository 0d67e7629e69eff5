"""Accelerations prescribed by name: of a constraint, or of a joint that gets a drive for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from armillary.errors import InputError, unknown_name
from armillary.functions.constrained.moving import Drives
from armillary.model.closing import Drive

if TYPE_CHECKING:
    from armillary.functions.constrained.dynamics import Constrained


def with_drives(mechanism: Constrained, drives: Drives) -> tuple[Any, Drives]:
    """The mechanism with a drive for every joint or coordinate that is named, and the prescribed
    accelerations by the names of its constraints."""
    known = mechanism.constraints
    if not isinstance(drives, Mapping) or all(name in known for name in drives):
        return mechanism, drives
    model = mechanism.model
    parts = {d.joint: d for d in model.drives}
    given: dict[str, ArrayLike] = {}
    for name, value in drives.items():
        if name in known:
            given[name] = value
            continue
        labels = _labels(mechanism, name)
        each = np.asarray(value, float)
        if each.shape[-1:] != (len(labels),) and not (len(labels) == 1 and each.ndim < 2):
            raise InputError(
                f"drives['{name}']: expected {len(labels)} accelerations ({', '.join(labels)}), "
                f"found shape {each.shape}."
            )
        for k, label in enumerate(labels):
            parts.setdefault(label, Drive(label, label))
            own = each[..., k] if each.shape[-1:] == (len(labels),) else each
            given[parts[label].name] = own[:, None] if own.ndim else own
    key = tuple(parts.values())
    if key not in mechanism._driven:
        driven = replace(model, drives=key)
        mechanism._driven[key] = type(mechanism)(driven, mechanism.options)
    return mechanism._driven[key], given


def _labels(mechanism: Constrained, name: str) -> list[str]:
    """Coordinates of a joint, or the one that is named."""
    model = mechanism.model
    if name in model.v_labels:
        return [name]
    if name not in model.joint_index:
        names = (*mechanism.constraints, *model.v_labels, *model.joint_index)
        raise unknown_name("constraint or joint", name, dict.fromkeys(names))
    slot = model.slots[model.joint_index[name]].v
    if slot.start == slot.stop:
        raise InputError(f"drives: joint '{name}' is fixed; it has no coordinate to drive.")
    return list(model.v_labels[slot.start : slot.stop])
