"""Accelerations prescribed by name: of a constraint, or of a joint without one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from armillary.constraints.moving import Prescribed
from armillary.errors import InputError, unknown_name
from armillary.model.constraint_parts import PrescribedMotion
from armillary.model.model import Model


def with_prescribed(model: Model, prescribed: Prescribed) -> tuple[Model, Prescribed]:
    """The model with a prescribed motion for every joint or coordinate that is named, and the
    accelerations by the names of its constraints."""
    known = [part.name for part in model.constraints]
    if not isinstance(prescribed, Mapping) or all(name in known for name in prescribed):
        return model, prescribed
    parts = {d.joint: d for d in model.prescribed}
    given: dict[str, ArrayLike] = {}
    for name, value in prescribed.items():
        if name in known:
            given[name] = value
            continue
        labels = _labels(model, name)
        each = np.asarray(value, float)
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
