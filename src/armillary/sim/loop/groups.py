"""Runs of a batch that go on alike: with the same mechanism and the same joints held."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from types import EllipsisType

import numpy as np
from numpy.typing import NDArray

from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.loop.events import Bound, Parts, Watched
from armillary.sim.methods.resting import NOTHING_HELD, Held, held_variant
from armillary.sim.methods.run_view import RunView
from armillary.sim.methods.system import System


@dataclass(frozen=True)
class Group:
    """rows: numbers of the runs of a batch; None: the only one, or all.  mechanism: with what they
    were given or have switched to, and nothing held."""

    rows: NDArray[np.intp] | None
    mechanism: Mechanism
    held: Held = NOTHING_HELD

    def numbers(self, single: bool, count: int) -> list[int | None]:
        """Of the runs, as modes are kept for them.  count: of all runs."""
        if self.rows is not None:
            return list(map(int, self.rows))
        return [None] if single else list(range(count))

    def moving(self, system: System) -> Mechanism:
        """The mechanism with what is held."""
        if not self.held.entries:
            return self.mechanism
        made = held_variant(self.mechanism, self.held)
        if system.setup.prescribed is not None:
            system.setup.prescribed.on(made)
        return made


def groups(
    system: System,
    runs: int | None,
    over: Container[int] = (),
    watched: Sequence[Watched] = (),
    places: bool = False,
) -> list[Group]:
    """All runs that are not over.  runs: of a batch; None: a single one.  places: held joints are
    kept where their limits are (`watched` has those)."""
    if runs is None:
        return [Group(None, system.mechanism, held_in(system, None, watched, places))]
    found: dict[tuple[int, Held], list[int]] = {}
    for row in range(runs):
        if row not in over:
            key = id(system.mechanisms.of_row(row)), held_in(system, row, watched, places)
            found.setdefault(key, []).append(row)
    if len(found) == 1 and len(next(iter(found.values()))) == runs and not system.mechanisms.own:
        ((_, held),) = found
        return [Group(None, system.mechanism, held)]
    return [
        Group(np.array(rows, np.intp), system.mechanisms.of_row(rows[0]), held)
        for (_, held), rows in found.items()
    ]


def held_in(
    system: System, run: int | None, watched: Sequence[Watched] = (), places: bool = False
) -> Held:
    """Entries of v of one run that stick or rest at a limit now."""
    resting = system.modes.resting.get(run, {})
    stick = () if system.friction is None else system.friction.held(run)
    at = tuple(sorted({*resting, *stick}))
    return Held(at, _limits(watched, resting, at) if places else ())


def _limits(
    watched: Sequence[Watched], resting: Mapping[int, float], entries: tuple[int, ...]
) -> tuple[float, ...]:
    """Where entries of v rest."""
    bounds = {(b.k, b.side): b.place for b in watched if isinstance(b, Bound)}
    return tuple(bounds[k, resting[k]] for k in entries)


def pressed(
    view: RunView, watched: Sequence[Watched], places: bool, t: float, parts: Parts
) -> list[tuple[NDArray[np.intp] | EllipsisType, RunView, Parts]]:
    """Rows of the state, the view of them in which the joints are held that press on their limits
    now, and their part of it.  For methods that take a step with the forces of its start; those
    with stages look at the limits at every one."""
    q, v, z = parts
    tau, _ = view.forces(t, q, v, z)
    held: dict[int, Held] = {}
    for rest, _, push in view.pushes(q, view.unlimited_acceleration(t, q, v, tau)):
        for row, sides, own in zip(rest.rows.tolist(), rest.sides, push, strict=True):
            at = tuple(rest.entries[own > 0.0].tolist())
            resting = dict(zip(rest.entries.tolist(), sides.tolist(), strict=True))
            held[row] = Held(at, _limits(watched, resting, at) if places else ())
    if q.ndim == 1:
        still = held.get(0, NOTHING_HELD)
        return [(..., view.holding(still), (q, _without(v, still), z))]
    numbers = view.numbers(q)
    alike: dict[tuple[int, Held], list[int]] = {}
    for row, number in enumerate(numbers):
        key = id(view.mechanisms.of_row(number)), held.get(row, NOTHING_HELD)
        alike.setdefault(key, []).append(row)
    return [
        (
            np.array(rows),
            view.of(np.array([numbers[row] for row in rows])).holding(own),
            (q[rows], _without(v[rows], own), z[rows]),
        )
        for (_, own), rows in alike.items()
    ]


def _without(v: Array, held: Held) -> Array:
    """Velocities of what is held are zero."""
    v = v.copy()
    v[..., list(held.entries)] = 0.0
    return v
