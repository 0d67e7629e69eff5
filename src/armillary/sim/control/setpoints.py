"""Do the set-points of a closed mechanism contradict each other?

A closed mechanism with more controlled joints than freedoms has set-points that depend on each
other.  If they are not exact, no configuration meets them all: every error stays, its integral
grows, and the controllers push against each other with ever larger forces
[VanDerMerwe1995, 8.2.2].  The nearest closed configuration tells by how much.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armillary.errors import InputError
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.model.arguments import name_arguments
from armillary.shown import shown
from armillary.sim.control.pid import PID
from armillary.sim.motion.coordinates import coordinates, freedoms
from armillary.units import FORCE


@shown
@dataclass(frozen=True)
class SetpointReport:
    """Set-points against the nearest closed configuration."""

    consistent: bool
    labels: tuple[str, ...]
    units: tuple[str, ...]
    contradiction: Array  # set-point less what the nearest closed configuration has: rad or m
    growth: Array  # of the force, N m/s or N/s: ki times the contradiction
    redundant: int  # set-points more than they can choose freely
    freedom: int  # motions that no set-point controls
    q: Array  # the nearest closed configuration

    def __str__(self) -> str:
        head = "consistent" if self.consistent else "CONTRADICTORY"
        lines = [f"{len(self.labels)} set-points, {self.redundant} more than needed: {head}"]
        if self.freedom:
            lines.append(f"  {self.freedom} motions are not controlled")
        if not self.consistent:
            rows = zip(self.labels, self.units, self.contradiction, self.growth, strict=True)
            for label, unit, x, rate in rows:
                force = FORCE[unit]
                lines.append(f"  {label:<24}{x:>13.3e} {unit}  force grows by {rate:.3e} {force}/s")
            lines.append(
                "  Control as many joints as there are freedoms, or take the set-points "
                "from one closed configuration (`.q`)."
            )
        return "\n".join(lines)


@name_arguments
def check_setpoints(
    mechanism: Mechanism,
    target: PID | Mapping[str, float],
    guess: ArrayLike | None = None,
    *,
    t: float = 0.0,
    ki: float = 0.0,
    tolerance: float = 1e-9,
) -> SetpointReport:
    """The closed configuration with the least Σ (set-point - q)², found from `guess` (default:
    initial), and what it leaves.

    target: a `PID` (its set-points at the time t, its gains), or set-points by label."""
    if isinstance(target, PID):
        entries, wanted = target.entries, np.asarray(target.target(t).q, float)
        gains = np.array(target.ki)
    else:
        entries = freedoms(mechanism, list(target))
        wanted = np.array([float(x) for x in target.values()])
        gains = np.full(len(entries), float(ki))
        if len(entries) != len(wanted):
            raise InputError("set-points: name single coordinates, such as 'rod1.dx'.")
    places = coordinates(mechanism, entries)
    q = mechanism.initial if guess is None else np.asarray(guess, float)
    q, free = _nearest(mechanism, q, entries, places, wanted)
    A = free[entries]
    s = np.linalg.svd(A, compute_uv=False)
    rank = int(np.sum(s > 1e-9 * s.max(initial=0.0)))
    left = wanted - q[places]
    size = np.maximum(1.0, np.abs(wanted))
    return SetpointReport(
        bool((np.abs(left) <= tolerance * size).all()),
        tuple(mechanism.v_labels[i] for i in entries),
        tuple(mechanism.v_units[i] for i in entries),
        left,
        gains * left,
        len(entries) - rank,
        free.shape[1] - rank,
        q,
    )


def _nearest(
    mechanism: Mechanism, q: Array, entries: list[int], places: list[int], wanted: Array
) -> tuple[Array, Array]:
    """Gauss-Newton steps along the free motions, closed again after each; and those motions."""
    q = _closed(mechanism, q)
    free = _free_motions(mechanism, q)
    for _ in range(100):
        step = free @ np.linalg.lstsq(free[entries], wanted - q[places], rcond=1e-9)[0]
        step *= min(1.0, 0.2 / max(float(np.abs(step).max(initial=0.0)), 1e-300))
        q = _closed(mechanism, mechanism.integrate(q, step))
        free = _free_motions(mechanism, q)
        if np.abs(step).max(initial=0.0) < 1e-13:
            break
    return q, free


def _closed(mechanism: Mechanism, q: Array) -> Array:
    return mechanism.project(q)[0] if mechanism.constraints else q


def _free_motions(mechanism: Mechanism, q: Array) -> Array:
    """(nv, mobility): velocities that keep all constraints."""
    if not mechanism.constraints:
        return np.eye(mechanism.nv)
    _, s, Vt = np.linalg.svd(mechanism.constraint_jacobian(q))
    rank = int(np.sum(s > 1e-9 * s.max(initial=0.0)))
    return np.asarray(Vt[rank:].T)
