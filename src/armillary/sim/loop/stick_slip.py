"""Dry friction without smoothing: a joint slides in either direction, or it sticks.

Every watched entry of v has a mode, +1, -1 or 0.  While it slides, friction acts against its mode;
where its velocity comes to zero (an event, found to rounding) it sticks if the force r that keeps
it there does not exceed the friction level at rest, |r| ≤ level, and slides on otherwise.  While it
sticks, its velocity is zero and its acceleration is held at zero by r; it slips where |r| comes to
the level (an event again).  Nothing creeps.

Where static friction fades over a velocity that a step passes at once, the step is taken in parts
(`Stuck.share`): a stage at rest must not tell the level of the whole step.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from armillary.errors import InputError, ModelError
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.model.passive import Passive
from armillary.model.varied import Varied
from armillary.sim.loop.events import FrictionEvent, Outcome, Parts
from armillary.sim.loop.friction_levels import TINY, Holding, Levels
from armillary.sim.methods.integrators import ExplicitRungeKutta, SemiImplicitEuler, Stepper
from armillary.sim.methods.run_view import RunView
from armillary.sim.methods.system import System

_STILL = 1e-9  # rad/s or m/s: what an impact leaves of a joint that stuck
_ITERATIONS = 100
_REMEMBERED = 4  # states: the ends of a step, and where an event may be
_ROUNDING = 1e-13  # of the accelerations in play: a joint that slips begins to move against none
_REACH = 6.0  # exp(-36): beyond so many Stribeck velocities static friction has faded
_FIRM = 1e-9  # of the mobility an entry would have alone: less, and no force holds it
_TOGETHER = 1e-6  # of the level: joints that move together slip together
_PART = 0.125  # of the Stribeck velocity: so far one step goes near zero
_GROWTH = 1.0 / 64.0  # of it: so much the fall of friction in a step may add to the velocity


@dataclass
class StickEvent(FrictionEvent):
    """Of one watched entry."""

    label: str
    i: int  # among the watched entries
    stuck: Stuck = field(repr=False)


class Stop(StickEvent):
    """A sliding entry comes to rest."""

    def value_in(self, view: RunView, t: float, parts: Parts) -> float:
        mode = self.stuck.mode(view)[self.i]
        return float(mode * parts[1][self.stuck.columns[self.i]]) if mode else 1.0

    def act(self, view: RunView, t: float, q: Array, v: Array) -> Outcome:
        v = v.copy()
        v[self.stuck.columns[self.i]] = 0.0
        return q, v, f"'{self.label}' stops"


class Slip(StickEvent):
    """A sticking entry breaks away."""

    def value_in(self, view: RunView, t: float, parts: Parts) -> float:
        """What is left of the friction level, N m or N."""
        if self.stuck.mode(view)[self.i]:
            return 1.0
        return float(self.stuck.left_of(view, t, parts)[self.i])

    def act(self, view: RunView, t: float, q: Array, v: Array) -> Outcome:
        self.stuck.broken = self.i
        return q, v, f"'{self.label}' slips"


class Stuck:
    """The modes of all watched entries, in every run of a batch."""

    def __init__(self, columns: Array):
        self.columns = columns
        self.modes: dict[int | None, Array] = {}  # by the row of a batch
        self.broken: int | None = None  # the entry that has just come to its level
        self._known: dict[tuple[int, int | None], tuple[Mechanism, Levels]] = {}
        self._asked: dict[Hashable, Array] = {}  # of the states that were looked at last

    def mode(self, view: RunView) -> Array:
        return self.modes[view.row]

    def held(self, run: int | None) -> list[int]:
        """Entries of v that stick in this run."""
        modes = self.modes.get(run, np.ones(len(self.columns)))
        return list(map(int, self.columns[modes == 0]))

    def at(self, k: int) -> int:
        """The number of entry k of v among the watched ones."""
        return int(np.flatnonzero(self.columns == k)[0])

    def begin(self, system: System, stepper: Stepper, t: float, parts: Parts) -> Array:
        """Modes of the first state; gives v."""
        if not sticks_with(stepper):
            raise InputError(
                "StickSlip: needs an explicit method (euler, heun, rk3, rk4, dopri5) or "
                "'semi-implicit'; the others do not keep a velocity at zero. Choose one of them, "
                "or give the friction a smoothing."
            )
        system.friction = self
        return self.settle(system.view(), t, parts)

    def level(self, view: RunView, k: int, r: Array) -> Array:
        """Friction at rest of entry k of v in one run, without loads, against the slip that forces
        r (T,) hold."""
        own, i = self._numbers(view, view.row), self.at(k)
        return np.where(r > 0.0, own.backward[i], own.forward[i])

    def _modes(self, view: RunView, like: Array) -> Array:
        """(..., k) of the runs of a view; like (..., nv)."""
        found = [self.modes[number] for number in view.numbers(like)]
        return found[0] if like.ndim == 1 else np.array(found)

    def numbers(self, view: RunView, like: Array) -> Levels:
        """Of the friction of these runs, which may have parameters of their own."""
        if like.ndim == 1 or not view.mechanism.model.varied or view.setup.parameters is None:
            return self._numbers(view, None if like.ndim == 2 else view.row)
        rows = [self._numbers(view.of(number), number) for number in view.numbers(like)]
        return Levels(*(np.array(x) for x in zip(*(vars(n).values() for n in rows), strict=True)))

    def _numbers(self, view: RunView, run: int | None) -> Levels:
        key = id(view.mechanism), run
        if key not in self._known:
            own = passives(view.mechanism, view.bodies())
            self._known[key] = view.mechanism, Levels.of([own[k] for k in self.columns])
        return self._known[key][1]

    # -- forces ----------------------------------------------------------------------------------

    def acceleration(self, view: RunView, t: float, q: Array, v: Array, tau: Array) -> Array:
        """As `RunView.free_acceleration`, with the modes in force."""
        found = self._held(view, t, q, v, tau)
        if np.isinf(found.r).any():
            k = self.columns[np.isinf(np.atleast_2d(found.r)).any(axis=0)]
            raise ModelError(
                f"StickSlip: no forces found that hold {[view.mechanism.v_labels[i] for i in k]} "
                f"at t = {t:.6g} s; the reactions there may not be determined. Name the joints "
                f"that stick without these: stick=False, events=StickSlip([...])."
            )
        return found.a

    def _moded(self, v: Array, modes: Array) -> Array:
        """v with the signs of the modes, which tell friction where to act."""
        v, own = v.copy(), v[..., self.columns]
        v[..., self.columns] = np.where(own * modes > 0.0, own, modes * TINY)
        return v

    def _held(self, view: RunView, t: float, q: Array, v: Array, tau: Array) -> Holding:
        """What holds the watched entries that stick."""
        modes = self._modes(view, v)
        v = self._moded(v, modes)
        a = np.array(view.free_acceleration(t, q, v, tau))
        found = Holding.none(a, modes.shape)
        still = (modes == 0) & np.isfinite(a).all(axis=-1, keepdims=True)
        if v.ndim == 1:
            return self._holding(view, t, (q, v, tau), a, still) if still.any() else found
        numbers = view.numbers(v)
        alike: dict[int, list[int]] = {}
        for row in np.flatnonzero(still.any(axis=1)).tolist():
            alike.setdefault(id(view.mechanisms.of_row(numbers[row])), []).append(row)
        for rows in alike.values():
            own = view.of(np.array([numbers[row] for row in rows], np.intp))
            part = self._holding(own, t, (q[rows], v[rows], tau[rows]), a[rows], still[rows])
            for whole, some in zip(vars(found).values(), vars(part).values(), strict=True):
                whole[rows] = some
        return found

    def _holding(
        self, view: RunView, t: float, state: Parts, a: Array, still: NDArray[np.bool_]
    ) -> Holding:
        """The same of runs with one mechanism.  state: q, v, tau; a: where nothing is held; still
        (..., k): what is."""
        (q, v, tau), k, closed = state, self.columns, bool(view.mechanism.model.constraints)
        firm, whole = still, view.mobility(q)
        Y = whole[..., k[:, None], k]
        if closed:  # at a dead centre no force of its own holds a joint
            own = np.diagonal(Y, axis1=-2, axis2=-1)
            M = view.mechanism.mass_matrix(q, parameters=view.bodies())
            firm = still & (own * np.diagonal(M, axis1=-2, axis2=-1)[..., k] > _FIRM)
        Y, inverse = _inverse(Y, firm, closed)
        r, before = np.zeros(still.shape), np.inf
        play = np.abs(a) + _accelerations_in_play(view, whole, state)
        size = np.abs(a).max(axis=-1) + play.max(axis=-1)
        for _ in range(_ITERATIONS):  # once is enough where a is linear in tau
            missing = np.where(firm, a[..., k], 0.0)
            miss = np.abs(missing).max(axis=-1)
            fair = (miss <= 1e-9 * size) & (miss > 0.5 * before)
            if np.all((miss <= 1e-14 * size) | fair):
                break
            before = miss
            r = r - (inverse @ missing[..., None])[..., 0]
            force = tau.copy()
            force[..., k] += r
            a = view.free_acceleration(t, q, v, force)
        noise = np.maximum(_ROUNDING * play[..., k], 4.0 * np.abs(missing))
        slack = noise * np.diagonal(inverse, axis1=-2, axis2=-1)
        lost = still & (np.abs(a[..., k]) > 1e-9 * size[..., None])
        a, r = a.copy(), np.where(lost, np.copysign(np.inf, -a[..., k]), r)
        a[..., k] = np.where(still & ~lost, 0.0, a[..., k])
        return Holding(a, r, slack, Y, inverse)

    def left(self, view: RunView, t: float, parts: Parts) -> Array:
        """(..., k) what is left of the friction levels at rest beyond the forces that hold what
        sticks, N m or N; below zero by more than rounding alone: it slips."""
        r, level, slack = self._forces(view, t, parts)
        return np.asarray(level + slack - np.abs(r))

    def left_of(self, view: RunView, t: float, parts: Parts) -> Array:
        """The same of one run; every entry asks for the ends of a step."""
        q, v, z = parts
        tau, _ = view.forces(t, q, v, z)
        wrenches, moving = view.wrenches(t, q, v) or {}, view.moving(t)
        outside = [*wrenches.values(), *(() if moving is None else moving.parts)]
        states = (q, v, tau, self.mode(view), *outside)
        key = (id(view.mechanism), t, *(np.asarray(x, float).tobytes() for x in states))
        if key not in self._asked:
            if len(self._asked) == _REMEMBERED:
                del self._asked[next(iter(self._asked))]
            self._asked[key] = self.left(view, t, parts)
        return self._asked[key]

    def _forces(self, view: RunView, t: float, parts: Parts) -> tuple[Array, Array, Array]:
        """Forces r that hold what sticks, friction levels at rest against the slip that they hold
        back, and the rounding of the forces."""
        q, v, z = parts
        tau, _ = view.forces(t, q, v, z)
        held, numbers = self._held(view, t, q, v, tau), self.numbers(view, v)
        a, r, slack = held.a, held.r, held.slack
        if view.projects:
            r = held.shared(numbers)
        level = numbers.level(r)
        if view.mechanism.model.load_dependent_joints:
            friction, bodies = view.mechanism.load_friction, view.bodies()
            many = [np.atleast_2d(x) for x in (q, v, a)]
            outside = (view.wrenches(t, q, v), {"parameters": bodies})
            loads = friction.loads(many[0], many[1], many[2], *outside)
            load = np.zeros((len(loads), view.nv))
            load[:, friction.columns] = friction.levels(loads)
            level = level + load[:, self.columns].reshape(level.shape)
        return r, level, slack

    # -- modes -----------------------------------------------------------------------------------

    def settle(self, view: RunView, t: float, parts: Parts) -> Array:
        """Which of the entries at rest stick; gives v.  The one that is held worst goes first."""
        q, v, z = parts[0], parts[1].copy(), parts[2]
        numbers, like = view.numbers(v), np.ones(len(self.columns))
        before = np.array([self.modes.get(number, like) for number in numbers])
        own = np.atleast_2d(v[..., self.columns])
        own[(before == 0) & (np.abs(own) < _STILL)] = 0.0
        v[..., self.columns] = own.reshape(v.shape[:-1] + like.shape)
        modes = np.sign(own)
        for _ in like:
            self.modes.update(zip(numbers, modes, strict=True))
            r, level, slack = map(np.atleast_2d, self._forces(view, t, (q, v, z)))
            over = np.where(modes == 0, np.abs(r) - level - slack, -np.inf)
            slips = (over > 0.0) & (over == over.max(axis=1, keepdims=True))
            if self.broken is not None and modes[0, self.broken] == 0:
                slips[0] = view.projects & (over[0] > -_TOGETHER * level[0])
                slips[0, self.broken] = True
            self.broken = None
            if not slips.any():
                break
            modes[slips] = -np.sign(r[slips])
        return v

    def restless(self, view: RunView, span: float, t: float, before: Parts, parts: Parts) -> Array:
        """(B,) in which runs of a batch something may happen in a step of length `span` to t."""
        modes = self._modes(view, before[1])
        left = np.where(modes == 0, self.left(view, t, parts), modes * parts[1][:, self.columns])
        return np.asarray((left < 0.0).any(axis=1) | (self.share(view, span, before, parts) > 1.0))

    def share(self, view: RunView, span: float, before: Parts, after: Parts) -> Array:
        """(...,) how far a step of length `span` goes, as a part of what it may where static
        friction fades."""
        v = np.stack([before[1], after[1]])
        modes = self._modes(view, before[1])
        return self.shares(view, span, before[0], modes * v[..., self.columns])[0].max(axis=-1)

    def shares(self, view: RunView, span: float, q: Array, v: Array) -> Array:
        """(T, ..., k) the same of T steps between velocities v (T + 1, ..., k) along the sliding;
        q (..., nq): at the start.

        A step may go an eighth of the Stribeck velocity near zero, more where less is left to
        fade; and what fades in it may add a 64th, Y_kk span |change of the level|."""
        own, found = self.numbers(view, q), np.zeros((len(v) - 1, *v.shape[1:]))
        if not own.width.any():
            return found
        size = np.where(own.width > 0.0, own.width, 1.0)
        x = np.maximum(v, 0.0) / size
        low, change = np.minimum(x[:-1], x[1:]), np.abs(np.diff(x, axis=0))
        counts = (own.width > 0.0) & (low < _REACH) & (change > 0.0)
        if not counts.any():
            return found
        Y = np.diagonal(view.mobility(q), axis1=-2, axis2=-1)[..., self.columns]
        growth = span * Y * own.rise / size
        part = np.maximum(change / _PART, growth * change / _GROWTH)
        return np.where(counts, part * np.exp(-(np.minimum(low, _REACH) ** 2) / 8.0), 0.0)


def sticks_with(stepper: Stepper) -> bool:
    """Does the method keep a velocity at zero?"""
    return isinstance(stepper, (ExplicitRungeKutta, SemiImplicitEuler))


def passives(mechanism: Mechanism, numbers: Array | None = None) -> list[Passive]:
    """Of every entry of v.  numbers: parameters of the run, where it has its own."""
    model = mechanism.model
    others = {}
    if model.varied and numbers is not None:
        others = dict(Varied(model).numbers(numbers[-len(model.varied) :].tolist()).passive)
    own = [others.get(k, body.joint.passive) for k, body in enumerate(model.bodies)]
    pairs = zip(own, model.joints, strict=True)
    return [p for passive, joint in pairs for p in passive or (Passive(),) * joint.nv]


def _inverse(Y: Array, still: NDArray[np.bool_], closed: bool) -> tuple[Array, Array]:
    """The part (..., k, k) of Y that belongs to what is still, zero elsewhere, and its inverse; in
    closed mechanisms the smallest one."""
    held = still[..., :, None] & still[..., None, :]
    own = np.where(held, Y, 0.0)
    if closed:
        return own, np.asarray(np.linalg.pinv(own, rcond=1e-9, hermitian=True))
    inverse = np.linalg.inv(np.where(held, Y, np.eye(still.shape[-1])))
    return own, np.where(held, inverse, 0.0)


def _accelerations_in_play(view: RunView, Y: Array, state: Parts) -> Array:
    """(..., nv), rad/s² or m/s², against which rounding counts where all forces balance: those of
    gravity, of the joint forces and of the motion by themselves."""
    (q, v, tau), mechanism = state, view.mechanism
    g = float(np.linalg.norm(mechanism.model.gravity))
    falling = g / mechanism.constraint_solver.equations.length if "rad" in mechanism.v_units else g
    force = np.abs(tau) + np.abs(mechanism.bias_forces(q, v, passive=False))
    return np.maximum(falling, (np.abs(Y) @ force[..., None])[..., 0])
