"""The methods of revolute arms in Denavit-Hartenberg frames, as formulations  [Swartz1982]."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.textbook.arm import forward_arm, inverse_arm, walker_orin
from armillary.textbook.formulations.tree_state import TreeState
from armillary.textbook.formulations.workbook import JOINTS


def inverse_arm_torques(s: TreeState, a: Array) -> Array:
    """Newton-Euler from link to link in Denavit-Hartenberg frames (1-10)."""
    machine: Any = s.machine
    found = inverse_arm(machine, s.q, s.v, a, passive=False, loads=_on_links(s))
    s.note_fields(found, "Denavit-Hartenberg frame of the link", ", one row per link")
    return found.tau + s.rotors * a


def _on_links(s: TreeState) -> Array | None:
    """(links, 6) wrenches about the world's origin along its axes; welded bodies are one link."""
    if not s.loads:
        return None
    found = np.zeros((s.model.nv, 6))
    for slot, (R, p), w in zip(s.slots, s.poses, s.loads, strict=True):
        n, f = R @ w[:3], R @ w[3:]
        if slot.stop:  # on the ground it moves nothing
            found[slot.stop - 1] += np.concatenate([n + np.cross(p, f), f])
    return found


def inertia_by(method: int, about: str) -> Callable[[TreeState], Array]:
    """H by one of Walker and Orin's methods."""

    def inertia(s: TreeState) -> Array:
        machine: Any = s.machine
        H = s.note("H", walker_orin(machine, s.q, method), f"{about} (13)", "kg m²")
        return H + np.diag(s.rotors)

    inertia.__doc__ = about
    return inertia


def accelerations_by(method: int, about: str) -> Callable[[TreeState, Array], Array]:
    """θ̈ by one of Walker and Orin's methods."""

    def accelerations(s: TreeState, tau: Array) -> Array:
        machine: Any = s.machine
        found = forward_arm(machine, s.q, s.v, tau, method=method, passive=False)
        s.note_fields(found, JOINTS)
        return found.alpha

    accelerations.__doc__ = about
    return accelerations
