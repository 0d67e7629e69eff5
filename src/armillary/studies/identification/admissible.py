"""Equations along the motions that constraints allow.

    N^T (f(θ) - tau) = 0,      v = N w,  w: independent velocities

The forces of the constraints do no work along N, so they drop out.  N is one at the independent
coordinates; where these are the driven ones, the equations are their joint forces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import qr

from armillary.errors import InputError
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.motion.coordinates import freedoms
from armillary.studies.identification.filtering import Motion

_RANK = 1e-8  # of the largest singular value of the constraint rows
_SINGULAR = 1e-3  # of independent coordinates
_FAR = 0.1  # rad, or sizes of the machine


@dataclass(frozen=True)
class Rows:
    """Which equations there are: entries of v that they belong to; N (T, nv, rows), None: all
    motions are free and the equations are those of the entries."""

    entries: tuple[int, ...]
    N: Array | None = None

    def of(self, x: Array) -> Array:
        """(T, nv, ...) to (T, rows, ...)."""
        if self.N is None:
            return x[:, list(self.entries)]
        return np.einsum("tvr,tv...->tr...", self.N, x)


@dataclass(frozen=True)
class FreeMotions:
    """A motion on the constraints, and what they leave free: J (T, m, nv), N (T, nv, freedoms) with
    J N = 0, one at the independent `entries` of v; `rest`: the others."""

    q: Array
    v: Array
    J: Array
    N: Array
    entries: tuple[int, ...]
    rest: tuple[int, ...]

    def solved(self, right: Array) -> Array:
        """x (T, rest, ...) of J_rest x = right (T, m, ...)."""
        back = np.linalg.pinv(self.J[:, :, list(self.rest)], rcond=_RANK)
        return np.einsum("tdm,tm...->td...", back, right)


def free_motions(
    mechanism: Mechanism,
    motion: Motion,
    driven: Sequence[int],
    independent: Sequence[str] | None,
    what: str = "identify",
) -> FreeMotions:
    """The measured motion brought onto the constraints; refused where it is far from them, or where
    the independent coordinates do not determine it."""
    motion = on_constraints(mechanism, motion, what)
    q, v = motion.q, motion.v
    J = mechanism.constraint_jacobian(q)
    free = _null_space(mechanism, J, motion, what)
    entries = _independent(mechanism, free, driven, independent)
    size = np.linalg.svd(free[:, entries], compute_uv=False)[:, -1]
    if size.min() < _SINGULAR:
        k, names = int(np.argmin(size)), ", ".join(mechanism.v_labels[i] for i in entries)
        raise InputError(
            f"{what}: at t = {motion.time[k]:g} s {names} do not determine the motion of "
            f"'{mechanism.name}' (a dead centre). Name others: independent=[...]."
        )
    N = free @ np.linalg.inv(free[:, entries])
    rest = tuple(k for k in range(mechanism.nv) if k not in entries)
    return FreeMotions(q, v, J, N, tuple(entries), rest)


def on_constraints(mechanism: Mechanism, motion: Motion, what: str) -> Motion:
    """The measured positions and velocities brought onto the constraints."""
    q, v = mechanism.project(motion.q, motion.v)
    _refuse_far(mechanism, motion, q, what)
    return replace(motion, q=q, v=v)


def closed_motion(
    mechanism: Mechanism, motion: Motion, driven: Sequence[int], independent: Sequence[str] | None
) -> tuple[Motion, Rows]:
    """The measured motion brought onto the constraints, and the equations along it."""
    free = free_motions(mechanism, motion, driven, independent)
    entries, rest = list(free.entries), list(free.rest)
    a = motion.a.copy()
    lead = np.einsum("tmi,ti->tm", free.J[:, :, entries], a[:, entries])
    a[:, rest] = free.solved(_targets(mechanism, free.q, free.v) - lead)
    return Motion(motion.time, free.q, free.v, a), Rows(free.entries, free.N)


def _refuse_far(mechanism: Mechanism, motion: Motion, q: Array, what: str) -> None:
    """Positions that had to move far to fit the constraints are no measurement of them."""
    size = mechanism.constraint_solver.equations.scaling.columns
    off = np.abs(mechanism.difference(motion.q, q)) / size
    off[~np.isfinite(q).all(axis=1)] = np.inf
    worst = float(off.max())
    if worst <= _FAR:
        return
    k, joint = np.unravel_index(int(np.argmax(off)), off.shape)
    far = f"by {worst:.2g} rad or sizes of the machine" if np.isfinite(worst) else "by any way"
    raise InputError(
        f"{what}: at t = {motion.time[k]:g} s the measured positions miss the constraints of "
        f"'{mechanism.name}': '{mechanism.v_labels[joint]}' is off {far}. Check units and zeros of "
        "the coordinates."
    )


def _targets(mechanism: Mechanism, q: Array, v: Array) -> Array:
    """γ of J a = γ (T, rows)."""
    equations = mechanism.constraint_solver.equations
    return np.asarray(equations.system(q, v, np.zeros_like(v), None, False).target)


def _null_space(mechanism: Mechanism, J: Array, motion: Motion, what: str) -> Array:
    """(T, nv, freedoms): one number of freedoms all the way."""
    columns = mechanism.constraint_solver.equations.scaling.columns  # rad and m alike
    _, s, Vt = np.linalg.svd(J * columns[None, None, :], full_matrices=True)
    limit = max(_RANK, mechanism.geometry_tolerance) * s[:, :1]
    rank = (s > limit).sum(axis=1)
    if np.ptp(rank):
        k = int(np.argmax(rank != np.median(rank)))
        raise InputError(
            f"{what}: at t = {motion.time[k]:g} s '{mechanism.name}' stands in a singular "
            "position, where it gains a freedom. Cut the log there."
        )
    if rank[0] == mechanism.nv:
        raise InputError(f"{what}: '{mechanism.name}' cannot move; there is nothing to measure.")
    return np.asarray(columns[None, :, None] * np.swapaxes(Vt[:, int(rank[0]) :], 1, 2))


def _independent(
    mechanism: Mechanism, free: Array, driven: Sequence[int], named: Sequence[str] | None
) -> list[int]:
    """Entries of v that determine the motion: those named, else driven ones before others."""
    count = free.shape[2]
    if named is not None:
        found = freedoms(mechanism, named)
        if len(found) != count:
            raise InputError(
                f"independent: '{mechanism.name}' has {count} freedoms, {len(found)} coordinates "
                "are named."
            )
        return sorted(found)
    middle = free[len(free) // 2]
    _, _, order = qr(middle[list(driven)].T, mode="economic", pivoting=True)
    chosen = [driven[k] for k in order[: min(count, len(driven))]]
    kept = [k for n, k in enumerate(chosen) if _rank(middle[chosen[: n + 1]]) == n + 1]
    if len(kept) < count:
        basis = middle - middle @ np.linalg.pinv(middle[kept]) @ middle[kept] if kept else middle
        _, _, order = qr(basis.T, mode="economic", pivoting=True)
        kept += [int(k) for k in order if k not in kept][: count - len(kept)]
    return sorted(int(k) for k in kept)


def _rank(rows: Array) -> int:
    return int(np.linalg.matrix_rank(rows, tol=1e-6))
