"""Small changes of a state that the constraints allow, in independent coordinates.

Of the tangent space of q some entries y are independent, of v some entries w; with N, C, V chosen
so that the independent entries stand for themselves

    dq = N y ,    dv = C y + V w ,    da = a_y y + a_w w + a_tau dtau

Holonomic rows restrict both, rolling rows v alone: there are more y than w then.  The choice stays
while the mechanism moves, so no rate of N enters the equations of small motion.  In a tree N and V
are the identity and C is zero.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.analysis.point import Point, scales
from armillary.errors import InputError, ModelError
from armillary.evaluate.inputs import Array
from armillary.evaluate.named_states import names_of, rate_entries
from armillary.mechanism.mechanism import Mechanism

_STEADY = 1e-9  # of the accelerations: less is none
_WEAK = 1e-3  # an independent coordinate must move by this part of the motion, at least


@dataclass(frozen=True)
class Variations:
    """positions, velocities: numbers of the independent entries, in the order of y and w."""

    positions: tuple[int, ...]
    velocities: tuple[int, ...]
    N: Array  # (nv, k)
    C: Array  # (nv, k)
    V: Array  # (nv, l)
    a_y: Array  # (nv, k)
    a_w: Array  # (nv, l)
    a_tau: Array  # (nv, nv)


def variations(mechanism: Mechanism, at: Point, independent: Iterable[str] | None) -> Variations:
    """All small changes about a state."""
    n, state = mechanism.nv, (at.q, at.v, at.tau, at.external)
    if not mechanism.constraints:
        if independent is not None:
            raise InputError(
                f"independent: '{mechanism.name}' has no constraints; all of its coordinates are."
            )
        by = mechanism.forward_dynamics.derivatives(*state)
        all_, one = tuple(range(n)), np.eye(n)
        return Variations(all_, all_, one, np.zeros((n, n)), one, by.dq, by.dv, by.dtau)
    d = mechanism.constraint_solver.forward.derivatives(*state)
    if not np.isfinite(d.moved).all():
        raise ModelError(
            f"'{mechanism.name}' has no linear model here: its accelerations jump along some of "
            f"the motions that it admits. Choose forces under which it stays at rest, or another "
            f"place."
        )
    size = scales(mechanism)
    first = _named(mechanism, independent)
    still = _still(d.full.jvp(q=at.v, v=at.a) / size) & _still(at.a / size)
    velocities = _chosen(mechanism, d.velocities / size[:, None], first, still)
    positions = _chosen(mechanism, d.motions / size[:, None], velocities, still)
    to_y = _inverse(d.motions[positions])
    to_w = _inverse(d.velocities[velocities])
    V, a_w = d.velocities @ to_w, d.dv @ to_w
    carried = d.carried @ to_y  # a change of v that y demands: its independent part is w's
    N, C = d.motions @ to_y, carried - V @ carried[velocities]
    a_y = d.moved @ to_y - a_w @ carried[velocities]
    for matrix, own in ((N, positions), (V, velocities)):
        matrix[np.abs(matrix) < 1e-13 * np.abs(matrix).max(initial=0.0)] = 0.0
        matrix[own] = np.eye(len(own))
    C[velocities] = 0.0
    return Variations(tuple(positions), tuple(velocities), N, C, V, a_y, a_w, d.dtau)


def _still(rates: Array) -> NDArray[np.bool_]:
    """(nv,) which of the velocities do not change, here (a) and on the way (jerk)."""
    return np.asarray(np.abs(rates) <= _STEADY * np.abs(rates).max(initial=0.0))


def _inverse(square: Array) -> Array:
    return np.asarray(np.linalg.inv(square)) if len(square) else square


def _named(mechanism: Mechanism, names: Iterable[str] | None) -> list[int]:
    """Entries of v by the names of joints or of entries."""
    found: list[int] = []
    for name in names_of("independent", names):
        for kind, k in rate_entries(mechanism.model, name):
            if kind == "q":
                raise InputError(
                    f"independent: '{name}' is a coordinate along the world's axes. Name an entry "
                    f"of v: {', '.join(mechanism.v_labels)}."
                )
            found.append(k)
    return list(dict.fromkeys(found))


def _chosen(
    mechanism: Mechanism, motions: Array, first: list[int], still: NDArray[np.bool_]
) -> list[int]:
    """Entries that tell the motions (nv, k) apart: the `first` ones, then the first large ones,
    those that do not accelerate before the others.  Too many `first` ones are an error."""
    left, found = motions.copy(), list[int]()

    def take(k: int) -> bool:
        nonlocal left
        size = float(np.linalg.norm(left[k]))
        if len(found) == motions.shape[1] or size < _WEAK:
            return False
        along = left[k] / size
        left = left - np.outer(left @ along, along)
        found.append(k)
        return True

    for k in first:
        if not take(k):
            label = mechanism.v_labels[k]
            raise InputError(
                f"independent: '{label}' depends on the others, or does not move here; "
                f"{motions.shape[1]} coordinates of '{mechanism.name}' are independent. Leave it "
                f"out."
            )
    for among in (np.flatnonzero(still), np.arange(len(motions))):
        while len(among) and take(_first_large(among, left)):
            pass
    return sorted(found)


def _first_large(among: NDArray[np.intp], left: Array) -> int:
    """The first of the entries with a large part in what is left."""
    size = np.linalg.norm(left[among], axis=1)
    return int(among[np.flatnonzero(size >= 0.5 * size.max())[0]])


def brackets(mechanism: Mechanism, v: Array) -> Array:
    """K (nv, nv) of  d(dq)/dt = dv + K dq  along a motion with the velocity v.

    Of joints with a quaternion dq are turns and shifts in the moving body frame, q = q0 ⊕ dq, so
    K dq = dq × v, the bracket of twists; of all others K = 0."""
    K = np.zeros((mechanism.nv, mechanism.nv))
    model = mechanism.model
    for joint, slot in zip(model.joints, model.slots, strict=True):
        if joint.nq == joint.nv:
            continue
        columns = joint.motion_space(joint.neutral()).columns
        S = np.array([[float(x) for x in column.leaves()] for column in columns]).T
        twist = joint.motion_space(joint.neutral()) @ v[slot.v].tolist()
        turned = np.array([[float(x) for x in c.cross(twist).leaves()] for c in columns]).T
        K[slot.v, slot.v] = np.linalg.pinv(S) @ turned
    return K
