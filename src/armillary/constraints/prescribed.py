"""Accelerations prescribed by name: of a constraint, or of a joint that gets a drive for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from armillary.constraints.moving import Drives
from armillary.errors import InputError, unknown_name
from armillary.model.closing import Drive
from armillary.model.model import Model


def with_drives(model: Model, drives: Drives) -> tuple[Model, Drives]:
    """The model with a drive for every joint or coordinate that is named, and the prescribed
    accelerations by the names of its constraints."""
    known = [part.name for part in model.constraints]
    if not isinstance(drives, Mapping) or all(name in known for name in drives):
        return model, drives
    parts = {d.joint: d for d in model.drives}
    given: dict[str, ArrayLike] = {}
    for name, value in drives.items():
        if name in known:
            given[name] = value
            continue
        labels = _labels(model, name)
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
    return replace(model, drives=tuple(parts.values())), given


def _labels(model: Model, name: str) -> list[str]:
    """Coordinates of a joint, or the one that is named."""
    if name in model.v_labels:
        return [name]
    if name not in model.joint_index:
        names = (*(part.name for part in model.constraints), *model.v_labels, *model.joint_index)
        raise unknown_name("constraint or joint", name, dict.fromkeys(names))
    slot = model.slots[model.joint_index[name]].v
    if slot.start == slot.stop:
        raise InputError(f"drives: joint '{name}' is fixed; it has no coordinate to drive.")
    return list(model.v_labels[slot.start : slot.stop])
