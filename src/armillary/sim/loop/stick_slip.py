"""Dry friction without smoothing: a joint slides in either direction, or it sticks.

Every watched entry of v has a mode, +1, -1 or 0.  While it slides, friction acts against its mode;
where its velocity comes to zero (an event, found to rounding) it sticks if the force r that keeps
it there does not exceed the friction level at rest, |r| ≤ level, and slides on otherwise.  While it
sticks, its velocity is zero and its acceleration is held at zero by r; it slips where |r| comes to
the level (an event again).  Nothing creeps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from armillary.errors import InputError, ModelError
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.model.passive import Passive
from armillary.sim.loop.events import FrictionEvent, Outcome, Parts, Watched
from armillary.sim.methods.integrators import ExplicitRungeKutta, SemiImplicitEuler, Stepper
from armillary.sim.methods.run_view import RunView
from armillary.sim.methods.system import System
from armillary.sim.motion.schedules import columns_of

_TINY = 1e-200  # rad/s or m/s: has a sign, and no other effect
_STILL = 1e-9  # rad/s or m/s: what an impact leaves of a joint that stuck
_ITERATIONS = 100


@dataclass
class StickSlip:
    """Joints with Coulomb, static or load-dependent friction stick and slip exactly.

    joints: names (default: all that have such friction).  Their friction must be sharp
    (smoothing = 0); methods: the explicit ones and "semi-implicit"."""

    joints: Sequence[str] | str | None = None

    def watched(self, mechanism: Mechanism) -> list[Watched]:
        if mechanism.model.constraints:
            mechanism.evaluator.refuse_load_friction("StickSlip with constraints")
        passive, labels = _passives(mechanism), mechanism.v_labels
        dry = [k for k, p in enumerate(passive) if p.dry]
        for loop in mechanism.model.loops if self.joints is None else ():
            if any(p.dry and not p.smoothing for p in loop.joint.passive):
                raise InputError(
                    f"StickSlip: '{loop.name}' closes a chain, and such a joint has no velocity "
                    f"of its own that could be watched. Cut the chain at another joint, give this "
                    f"one `smoothing`, or name the joints that stick: StickSlip(joints=[...])."
                )
        if self.joints is not None:
            names = [self.joints] if isinstance(self.joints, str) else self.joints
            asked = [k for name in names for k in columns_of(mechanism, name)]
            for k in asked:
                if k not in dry:
                    raise InputError(
                        f"StickSlip: joint '{labels[k]}' has no dry friction. Give it `coulomb`, "
                        f"`static` or load-dependent friction, or leave it out."
                    )
            dry = asked
        if not dry:
            raise InputError(
                f"StickSlip: no joint of '{mechanism.name}' has dry friction. Give one `coulomb`, "
                f"`static` or load-dependent friction, or leave StickSlip out."
            )
        for k in dry:
            if passive[k].smoothing:
                raise InputError(
                    f"StickSlip: friction of joint '{labels[k]}' is smooth (smoothing = "
                    f"{passive[k].smoothing:g}) and never sticks. Set smoothing to 0."
                )
        stuck = Stuck(np.array(sorted(set(dry))))
        pairs = enumerate(stuck.columns)
        return [kind(labels[k], i, stuck) for i, k in pairs for kind in (Stop, Slip)]


def _reference_acceleration(view: RunView, q: Array, v: Array, tau: Array) -> float:
    """Accelerations, rad/s² or m/s², against which rounding counts where all forces balance: those
    of gravity, of the joint forces and of the motion by themselves."""
    mechanism = view.mechanism
    g = float(np.linalg.norm(mechanism.model.gravity))
    falling = g / mechanism.constraint_solver.equations.length if "rad" in mechanism.v_units else g
    force = np.abs(tau) + np.abs(mechanism.bias_forces(q, v, passive=False))
    return max(falling, float((np.abs(view.mobility(q)) @ force).max()))


def _passives(mechanism: Mechanism) -> list[Passive]:
    """Of every entry of v."""
    pairs = zip(mechanism.model.bodies, mechanism.model.joints, strict=True)
    return [p for body, joint in pairs for p in body.joint.passive or (Passive(),) * joint.nv]


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
        held, level = self.stuck.forces(view, t, parts)
        return float(level[self.i] - abs(held[self.i]))

    def act(self, view: RunView, t: float, q: Array, v: Array) -> Outcome:
        self.stuck.broken = self.i
        return q, v, f"'{self.label}' slips"


def friction_levels(mechanism: Mechanism, k: int, r: Array) -> Array:
    """Friction at rest of entry k of v, without loads, against the slip that forces r (T,) hold."""
    passive = _passives(mechanism)[k]
    up, down = (float(passive.level(x, 0.0)) for x in (-_TINY, _TINY))
    return np.where(r > 0.0, up, down)


class Stuck:
    """The modes of all watched entries, in every run of a batch."""

    def __init__(self, columns: Array):
        self.columns = columns
        self.modes: dict[int | None, Array] = {}  # by the row of a batch
        self.broken: int | None = None  # the entry that has just come to its level

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
        if not isinstance(stepper, (ExplicitRungeKutta, SemiImplicitEuler)):
            raise InputError(
                "StickSlip: needs an explicit method (euler, heun, rk3, rk4, dopri5) or "
                "'semi-implicit'; the others do not keep a velocity at zero. Choose one of them, "
                "or give the friction a smoothing."
            )
        system.friction = self
        found = [self.settle(view, t, own) for view, own in system.view().runs(parts)]
        return np.reshape(found, parts[1].shape)

    # -- forces ----------------------------------------------------------------------------------

    def acceleration(self, view: RunView, t: float, q: Array, v: Array, tau: Array) -> Array:
        """As `RunView.free_acceleration`, with the modes in force."""
        if v.ndim == 1:
            return self._held(view, t, q, v, tau)[0]
        modes = np.stack([self.modes[row] for row in range(len(v))])
        a = np.array(view.free_acceleration(t, q, self._moded(v, modes), tau))
        for row in np.flatnonzero((modes == 0).any(axis=1)):
            if np.isfinite(a[row]).all():
                a[row] = self._held(view.of(int(row)), t, q[row], v[row], tau[row])[0]
        return a

    def _moded(self, v: Array, modes: Array) -> Array:
        """v with the signs of the modes, which tell friction where to act."""
        v, own = v.copy(), v[..., self.columns]
        v[..., self.columns] = np.where(own * modes > 0.0, own, modes * _TINY)
        return v

    def _held(self, view: RunView, t: float, q: Array, v: Array, tau: Array) -> tuple[Array, Array]:
        """a, and the forces r of the watched entries that hold those which stick."""
        modes = self.mode(view)
        v = self._moded(v, modes)
        a = view.free_acceleration(t, q, v, tau)
        still, r = np.flatnonzero(modes == 0), np.zeros(len(modes))
        k = self.columns[still]
        if not len(k) or not np.isfinite(a).all():
            return a, r
        Y = view.mobility(q)[np.ix_(k, k)]
        size, before = float(np.abs(a).max()) + _reference_acceleration(view, q, v, tau), np.inf
        for _ in range(_ITERATIONS):  # once is enough where a is linear in tau
            miss = float(np.abs(a[k]).max())
            if miss <= 1e-14 * size or (miss <= 1e-9 * size and miss > 0.5 * before):
                break
            before = miss
            r[still] -= np.linalg.lstsq(Y, a[k], rcond=1e-12)[0]
            force = tau.copy()
            force[self.columns] += r
            a = view.free_acceleration(t, q, v, force)
        else:
            names = [view.mechanism.v_labels[i] for i in k]
            raise ModelError(
                f"StickSlip: no forces found that hold {names} at t = {t:.6g} s; the reactions "
                f"there may not be determined. Leave one of these joints out of StickSlip."
            )
        a = a.copy()
        a[k] = 0.0
        return a, r

    def forces(self, view: RunView, t: float, parts: Parts) -> tuple[Array, Array]:
        """Forces r that hold what sticks, and friction levels at rest, of the watched entries."""
        q, v, z = parts
        tau, _ = view.forces(t, q, v, z)
        a, r = self._held(view, t, q, v, tau)
        return r, self._levels(view, t, q, v, a, r)

    def _levels(self, view: RunView, t: float, q: Array, v: Array, a: Array, r: Array) -> Array:
        """Friction at rest against the direction of the impending slip, which r holds back."""
        mechanism, load = view.mechanism, np.zeros(len(v))
        if mechanism.model.load_dependent_joints:
            friction = mechanism.load_friction
            bodies = {"parameters": view.bodies()}
            loads = friction.loads(q[None], v[None], a[None], view.wrenches(t, q, v), bodies)
            load[friction.columns] = friction.levels(loads)[0]
        passive = _passives(mechanism)
        directions = -np.sign(r) * _TINY
        pairs = zip(self.columns, directions, strict=True)
        return np.array([passive[k].level(x, float(load[k])) for k, x in pairs])

    # -- modes -----------------------------------------------------------------------------------

    def settle(self, view: RunView, t: float, parts: Parts) -> Array:
        """Which of the entries at rest stick; gives v.  The one that is held worst goes first."""
        q, v, z = parts[0], parts[1].copy(), parts[2]
        before = self.modes.get(view.row, np.ones(len(self.columns)))
        own = v[self.columns]
        own[(before == 0) & (np.abs(own) < _STILL)] = 0.0
        v[self.columns] = own
        modes = self.modes[view.row] = np.sign(own)
        for _ in range(len(modes)):
            r, level = self.forces(view, t, (q, v, z))
            over = np.where(modes == 0, np.abs(r) - level, -np.inf)
            if self.broken is not None and modes[self.broken] == 0:
                over[self.broken] = np.inf
            self.broken = None
            worst = int(np.argmax(over))
            if not over[worst] > 0.0:
                break
            modes[worst] = -np.sign(r[worst])
        return v
