"""Joints that stick or rest at a limit in native runs: for how many steps nothing changes.

While they are held their accelerations are zero, and the loop runs with that (resting.py).  Looked
at afterwards are the forces r that hold them,

    r = M a + h - tau        of trees,        Y_kk r_k = (a - a_free)_k        under constraints

and the velocities of joints that slide.  A step near a change, by as much as the last one has made,
is made again in Python, where stages look at the sign of every force and velocity.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.evaluate.inputs import Array, Keywords
from armillary.sim.loop.events import Parts, Watched
from armillary.sim.loop.groups import Group, groups
from armillary.sim.loop.states import StepBatch, given_at
from armillary.sim.loop.stick_slip import StickEvent, Stuck
from armillary.sim.methods.run_view import RunView
from armillary.sim.methods.system import System

_STILL = 1e-12  # of the forces in play: less is rounding


def unchanged_steps(
    system: System,
    watched: list[Watched],
    alike: list[Group],
    times: list[float],
    before: Parts,
    batch: StepBatch,
) -> int:
    """In how many steps what sticks, rests and slides stays so.  alike: all runs.  times: of the
    start and of the ends of the steps."""
    count = batch.done
    stuck = next((event.stuck for event in watched if isinstance(event, StickEvent)), None)
    if not count or not (stuck or any(group.held.entries for group in alike)):
        return count
    system.setup.enter(times[0], times[1])
    tau, a = system.view().dynamics(times[0], *before)
    start = (*before[:2], tau, a)
    for group in alike:
        if stuck is not None and count:
            pace = np.abs(a) * (times[1] - times[0])
            count = min(count, _sliding_steps(system, stuck, group, pace, before, batch))
        if group.held.entries and count:
            margins = _margins(system, stuck, group, times, start, batch, count)
            count = min(count, _apart_from_zero(margins))
    return count


def _sliding_steps(
    system: System, stuck: Stuck, group: Group, pace: Array, before: Parts, batch: StepBatch
) -> int:
    """In how many steps what slides goes on.  pace: how much velocities change in the first."""
    v = np.concatenate([before[1][None], batch.v[: batch.done]])
    single = v.ndim == 2
    v, pace = v.reshape(len(v), -1, v.shape[-1]), np.atleast_2d(pace)
    numbers = group.numbers(single, v.shape[1])
    rows = [0 if number is None else number for number in numbers]
    modes = np.array([stuck.modes[number] for number in numbers])
    slides, columns = modes != 0, stuck.columns
    own = modes * v[:, rows][..., columns]
    count = _apart_from_zero(own[..., slides], pace[rows][:, columns][slides])
    q = before[0] if single else before[0][rows]
    shares = stuck.shares(_view(system, group), batch.step, q, own[:, 0] if single else own)
    far = (shares.reshape(len(shares), -1) > 1.0).any(axis=1)
    return min(count, int(np.argmax(far))) if far.any() else count


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
    group: Group,
    times: list[float],
    start: tuple[Array, Array, Array, Array],
    batch: StepBatch,
    count: int,
) -> Array:
    """(count + 1, n): what is left until each held entry of each run lets go, N m or N.  start: q,
    v, tau, a of all runs."""
    states = _States.of(system, group, times[1:], batch, count)
    first = _States.at(system, group, times[0], start)
    k = np.array(group.held.entries)
    r = np.concatenate([first.holding_forces(k), states.holding_forces(k)])
    found = []
    for i, number in enumerate(group.numbers(batch.v.ndim == 2, len(np.atleast_2d(start[1])))):
        resting = system.modes.resting.get(number, {})
        for j, entry in enumerate(group.held.entries):
            own, level = r[:, i, j], np.zeros(len(r))
            sticks = stuck is not None and entry in stuck.columns
            if stuck is not None and sticks and not stuck.modes[number][stuck.at(entry)]:
                level = stuck.level(system.view(number), entry, own)
            # a limit takes what pushes towards it, friction the rest
            found.append(resting[entry] * own + level if entry in resting else level - np.abs(own))
    return np.array(found).T - _STILL * np.abs(r).max(initial=0.0)


@dataclass(frozen=True)
class _States:
    """States (T, runs, ·) of a group, with all that acts on them."""

    view: RunView
    q: Array
    v: Array
    tau: Array
    a: Array
    external: dict[str, Array]  # (T runs, 6)
    options: Keywords

    @classmethod
    def at(
        cls, system: System, group: Group, t: float, parts: tuple[Array, Array, Array, Array]
    ) -> _States:
        """At one instant; q, v, tau and a of all runs."""
        view = _view(system, group)
        own = parts if group.rows is None else tuple(x[group.rows] for x in parts)
        q, v, tau, a = (np.atleast_2d(x)[None] for x in own)
        wrenches = view.wrenches(t, own[0], own[1]) or {}
        external = {
            name: np.broadcast_to(x, (v.shape[1], 6)).copy() for name, x in wrenches.items()
        }
        return cls(view, q, v, tau, a, external, view.options_at(t))

    @classmethod
    def of(
        cls, system: System, group: Group, times: list[float], batch: StepBatch, count: int
    ) -> _States:
        """At the first `count` of the recorded instants of native steps.  times: of all."""
        view, setup = _view(system, group), system.setup
        a, tau = batch.forces(system, times)
        given = given_at(system, times[:count], batch)
        rows: slice | NDArray[np.intp] = slice(None) if group.rows is None else group.rows

        def own(x: Array) -> Array:
            """(T, runs, ·)."""
            return x[:count].reshape(count, -1, x.shape[-1])[:, rows]

        q, v = own(batch.q), own(batch.v)
        options: Keywords = {}
        if setup.prescribed and "prescribed" in given:
            flat = own(given["prescribed"]).reshape(count * v.shape[1], -1)
            options["prescribed"] = setup.prescribed.unflat(view.mechanism, flat)
        bodies = view.bodies()
        if bodies is not None:
            options["parameters"] = np.tile(
                np.broadcast_to(bodies, (v.shape[1], bodies.shape[-1])), (count, 1)
            )
        if setup.baumgarte is not None and view.mechanism.constraints:
            options["baumgarte"] = setup.baumgarte
        external = {name: own(x).reshape(-1, 6) for name, x in given.get("external", {}).items()}
        return cls(view, q, v, own(tau), own(a), external, options)

    def holding_forces(self, entries: NDArray[np.intp]) -> Array:
        """r (T, runs, k) along some entries of v."""
        q, v, tau, a = (x.reshape(-1, x.shape[-1]) for x in (self.q, self.v, self.tau, self.a))
        if self.view.mechanism.constraints:
            r = self.view.holding_forces((q, v, tau, a), entries, self.external, self.options)
        else:
            ask = self.view.mechanism.inverse_dynamics
            r = (ask(q, v, a, self.external or None, **self.options) - tau)[:, entries]
        return np.asarray(r.reshape(*self.v.shape[:2], len(entries)))


def _view(system: System, group: Group) -> RunView:
    return system.view(group.rows)


def restraints(system: System, times: list[float], batch: StepBatch) -> Array:
    """(T, ..., nv): as `RunView.restraint`, at all recorded instants of native steps."""
    runs = None if batch.v.ndim == 2 else batch.v.shape[1]
    found = np.zeros((len(times), *batch.v.shape[1:]))
    for group in groups(system, runs):
        if group.held.entries and group.mechanism.constraints:
            k = np.array(group.held.entries)
            r = _States.of(system, group, times, batch, len(times)).holding_forces(k)
            rows = slice(None) if group.rows is None else group.rows
            whole = found.reshape(len(times), -1, found.shape[-1])
            part = whole[:, rows]
            part[..., k] = r
            whole[:, rows] = part
    return found
