"""Joints that stick or rest at a limit in native runs: for how many steps nothing changes.

While they are held their accelerations are zero, and the loop runs with that (`Kept.held`).  Looked
at afterwards are the forces r that hold them, of trees

    r = M a + h - tau

and the velocities of joints that slide.  A step near a change, by as much as the last one has made,
is made again in Python, where stages look at the sign of every force and velocity.
"""

from __future__ import annotations

import numpy as np

from armillary.evaluate.compile_function import NotNative
from armillary.evaluate.inputs import Array
from armillary.sim.loop.events import Parts, Watched
from armillary.sim.loop.states import StepBatch, given_at
from armillary.sim.loop.stick_slip import StickEvent, Stuck, friction_levels
from armillary.sim.methods.system import System

_STILL = 1e-12  # of the forces in play: less is rounding


def held_entries(system: System) -> tuple[int, ...]:
    """Entries of v that stick or rest at a limit now, of a single run."""
    entries = set(system.modes.resting.get(None, {}))
    if isinstance(system.friction, Stuck):
        modes = system.friction.modes.get(None, np.ones(len(system.friction.columns)))
        entries |= {int(k) for k in system.friction.columns[modes == 0]}
    return tuple(sorted(entries))


def refuse_held(system: System, single: bool) -> None:
    """Where joints that are held, or may stick, are looked at in every step."""
    setup, held = system.setup, bool(held_entries(system))
    if not held and system.friction is None:
        return
    if not single:
        raise NotNative("friction that sticks, in a batch")
    if held and (system.mechanism.constraints or setup.prescribed or setup.parameters is not None):
        raise NotNative("a joint that is held in a closed or driven mechanism, or with parameters")


def unchanged_steps(
    system: System, watched: list[Watched], times: list[float], before: Parts, batch: StepBatch
) -> int:
    """In how many steps what sticks, rests and slides stays so.  times: of the start and of the
    ends of the steps."""
    count = batch.done
    stuck = next((event.stuck for event in watched if isinstance(event, StickEvent)), None)
    if stuck is not None and count:
        modes = stuck.modes[None]
        own = np.concatenate([before[1][None], batch.v[:count]])[:, stuck.columns]
        system.setup.enter(times[0], times[1])
        _, a = system.view().dynamics(times[0], *before)
        pace = np.abs(a[stuck.columns]) * (times[1] - times[0])
        slides = modes != 0
        count = _apart_from_zero((modes * own)[:, slides], pace[slides])
    held = held_entries(system)
    if not held or not count:
        return count
    margins = _margins(system, stuck, held, times, before, batch, count)
    return _apart_from_zero(margins)


def _apart_from_zero(x: Array, pace: Array | None = None) -> int:
    """In how many steps all x (steps + 1, n) stay above zero, by more than they change.

    pace (n,): of velocities, how much they change in a step at the start.  A stage of a step may
    meet the friction of the other way, though both ends of the step do not: what the step before
    changed counts, too, and twice."""
    if not x.shape[1]:
        return len(x) - 1
    low, change = np.minimum(x[:-1], x[1:]), np.abs(np.diff(x, axis=0))
    if pace is not None:
        change = 2.0 * np.maximum(change, np.concatenate([pace[None], change[:-1]]))
    near = np.any(low <= change, axis=1)
    return int(np.argmax(near)) if near.any() else len(low)


def _margins(
    system: System,
    stuck: Stuck | None,
    held: tuple[int, ...],
    times: list[float],
    before: Parts,
    batch: StepBatch,
    count: int,
) -> Array:
    """(count + 1, n): what is left until each held entry lets go, N m or N."""
    r = _holding_forces(system, times, before, batch, count)
    resting, found = system.modes.resting.get(None, {}), []
    for k in held:
        own, level = r[:, k], np.zeros(len(r))
        if stuck is not None and k in stuck.columns and not stuck.modes[None][stuck.at(k)]:
            level = friction_levels(system.mechanism, k, own)
        # a limit takes what pushes towards it, friction the rest
        found.append(resting[k] * own + level if k in resting else level - np.abs(own))
    return np.array(found).T - _STILL * np.abs(r).max(initial=0.0)


def _holding_forces(
    system: System, times: list[float], before: Parts, batch: StepBatch, count: int
) -> Array:
    """r (count + 1, nv) at the start and at the ends of the first steps."""
    system.setup.enter(times[0], times[1])
    first_tau, first_a = system.view().dynamics(times[0], *before)
    a, tau = (x[:count] for x in batch.forces(system, times[1:]))
    given = given_at(system, times[1 : count + 1], batch).get("external", {})
    wrenches = system.view().wrenches(times[0], *before[:2]) or {}
    none = np.zeros(6)
    external = {
        name: np.concatenate(
            [[wrenches.get(name, none)], given.get(name, np.zeros((count, 6)))[:count]]
        )
        for name in {**wrenches, **given}
    }
    q, v, a, tau = (
        np.concatenate([first[None], rest[:count]])
        for first, rest in (
            (before[0], batch.q), (before[1], batch.v), (first_a, a), (first_tau, tau),
        )
    )  # fmt: skip
    return np.asarray(system.mechanism.inverse_dynamics(q, v, a, external or None) - tau)
