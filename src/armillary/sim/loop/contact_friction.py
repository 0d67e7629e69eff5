"""Friction of contacts in a run: it opposes the sliding, or the contact sticks.

Every free direction of a contact along which friction acts has a mode, +1, -1 or 0, and every
constrained direction it follows has a sign.  While the contact slides, the force along the
direction is

    f = -mode * sum of coefficient * sign * λ,      sign * λ = |λ|

with λ the force along the constrained direction.  Where the sliding comes to zero (an event) the
contact sticks if the force r that holds it does not exceed the friction level, |r| ≤ sum of
coefficient * |λ|, and slides on otherwise; it breaks away where |r| comes to the level (an event
again).  Contacts hold both ways: where λ changes its sign they begin to pull, an event, too.

Each combination of modes is a mechanism of its own with the same tree: sliding contacts have
coefficients with signs, sticking ones have rows for the velocity.  Forces, energies and recorded
quantities are those of the mechanism in force.  Directions rub independently of each other.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from armillary.constraints.moving import RowMotion
from armillary.errors import InputError, ModelError
from armillary.evaluate.inputs import Array, Keywords
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.loop.events import FrictionEvent, Outcome, Parts, Switch, Watched
from armillary.sim.loop.start import allowed_state
from armillary.sim.methods.integrators import Stepper
from armillary.sim.methods.run_view import RunView
from armillary.sim.methods.system import System
from armillary.sim.methods.variational import Variational

Key = tuple[str, str]  # contact, direction
_STILL = 1e-9  # rad/s or m/s: slower is at rest
_ROUNDING = 1e-9  # of the forces in play
_REMEMBERED = 4  # states: the ends of a step, and where an event may be
_CHANGES = 50  # of modes and signs until they agree with each other


@dataclass(frozen=True)
class Forces:
    """What acts in the contacts at one state, by contact and direction."""

    mechanism: Mechanism
    held: dict[Key, float]  # force on the tip along every constrained or sticking direction
    speed: dict[Key, float]  # of the sliding, rad/s or m/s
    gain: dict[Key, float]  # its rate
    rounding: float  # N

    def slack(self, key: Key) -> float:
        """Forces along this direction below which nothing is told apart."""
        return self.rounding * lever(self.mechanism, key)


@dataclass
class _Modes:
    """Of one run."""

    slide: dict[Key, int] = field(default_factory=dict)
    sign: dict[Key, int] = field(default_factory=dict)
    blocked: set[Key] = field(default_factory=set)  # other constraints hold them anyway


def contact_events(system: System, watched: Iterable[Watched]) -> list[Watched]:
    """What is watched beside the given events, where a mechanism of the run has contacts."""
    targets = [e.to for e in watched if isinstance(e, Switch)]
    system.mechanisms.others += targets
    mechanisms = list({id(m): m for m in (system.mechanism, *targets)}.values())
    if not any(c.normals for m in mechanisms for c in m.model.contacts):
        return []
    return ContactFriction(system, mechanisms).events()


class ContactFriction:
    """The contacts of a run, in every run of a batch."""

    def __init__(self, system: System, mechanisms: Iterable[Mechanism]):
        self.system = system
        self._modes: dict[int | None, _Modes] = {}
        self._known: dict[Hashable, Forces] = {}  # of the states that were looked at last
        self.rubbing: dict[int, dict[Key, list[tuple[str, float]]]] = {}  # by id of a mechanism
        self.normals: dict[int, list[Key]] = {}
        for mechanism in mechanisms:
            contacts = mechanism.model.contacts
            rubs: dict[Key, list[tuple[str, float]]] = {}
            for c in contacts:
                for along, of, size in c.friction:
                    rubs.setdefault((c.name, along), []).append((of, abs(size)))
            self.rubbing[id(mechanism)] = rubs
            self.normals[id(mechanism)] = [(c.name, d) for c in contacts for d in c.normals]
            if rubs:
                self._variant(mechanism, dict.fromkeys(rubs, 0), {})

    def events(self) -> list[Watched]:
        """What has to be watched."""
        rubs = dict.fromkeys(key for own in self.rubbing.values() for key in own)
        pulls = dict.fromkeys(key for own in self.normals.values() for key in own)
        return [
            *(kind(key, self) for key in rubs for kind in (Rest, BreakAway)),
            *(Pull(key, self) for key in pulls),
        ]

    def base(self, mechanism: Mechanism) -> Mechanism:
        """The mechanism that a run was given or has switched to, whatever its contacts do."""
        return self.system.mechanisms.chosen(mechanism)

    def modes(self, row: int | None) -> _Modes:
        """Of a run of a batch, or of the only one."""
        return self._modes.setdefault(row, _Modes())

    def _variant(self, base: Mechanism, slide: dict[Key, int], sign: dict[Key, int]) -> Mechanism:
        """The mechanism with these modes, made once."""
        contacts = []
        for c in base.model.contacts:
            stick = tuple(d for name, d in slide if name == c.name and not slide[name, d])
            laws = tuple(
                (d, of, -slide[c.name, d] * sign[c.name, of] * abs(size))
                for d, of, size in c.friction
                if slide[c.name, d]
            )
            contacts.append(replace(c, friction=laws, sticking=stick))
        key = tuple(contacts)
        made = base.variant(("contacts", key), replace(base.model, contacts=key))
        prescribed = self.system.setup.prescribed
        if self.system.mechanisms.add_variant(made, base) and prescribed is not None:
            prescribed.on(made)
        return made

    # -- forces ----------------------------------------------------------------------------------

    def forces(self, view: RunView, t: float, parts: Parts) -> Forces:
        """Of the mechanism in force."""
        q, v, z = parts
        tau, _ = view.forces(t, q, v, z)
        wrenches, moving = view.wrenches(t, q, v), view.moving(t)
        pushes = [np.asarray(x, float).tobytes() for x in (wrenches or {}).values()]
        moved = () if moving is None else tuple(x.tobytes() for x in moving.parts)
        key = (id(view.mechanism), t, *(x.tobytes() for x in (q, v, tau)), *pushes, *moved)
        if key not in self._known:
            if len(self._known) == _REMEMBERED:
                del self._known[next(iter(self._known))]
            self._known[key] = self._forces(view, t, q, v, tau, wrenches, moving)
        return self._known[key]

    def _forces(
        self,
        view: RunView,
        t: float,
        q: Array,
        v: Array,
        tau: Array,
        wrenches: dict[str, Array] | None,
        moving: RowMotion | None,
    ) -> Forces:
        mechanism, baumgarte = view.mechanism, view.setup.baumgarte
        if view.friction is not None or view.modes.resting:
            tau = tau + view.restraint(t, q, v, tau, view.acceleration(t, q, v, tau))
        equations = mechanism.constraint_solver.equations
        if mechanism.model.load_dependent_joints:
            options: Keywords = {"prescribed": moving, "baumgarte": baumgarte}
            solution: Any = mechanism.solve(q, v, tau, wrenches, **options)
            a, forces = solution.acceleration, solution.multipliers
        else:
            given = (q[None], v[None], tau[None], wrenches, True, moving, baumgarte)
            rows = equations.system(*given, parameters=view.bodies())
            answer = equations.answer(rows, 0)
            a, forces = answer.a, answer.multipliers
        held = along(directions(mechanism), forces)
        speed, gain = self._sliding(mechanism, q, v, a)
        return Forces(mechanism, held, speed, gain, float(force_rounding(view, forces, tau)))

    def _sliding(
        self, mechanism: Mechanism, q: Array, v: Array, a: Array
    ) -> tuple[dict[Key, float], dict[Key, float]]:
        """Velocities and accelerations along all directions that rub."""
        base = self.base(mechanism)
        rubs = self.rubbing[id(base)]
        if not rubs:
            return {}, {}
        whole = self._variant(base, dict.fromkeys(rubs, 0), {})
        terms = whole.constraint_solver.equations.terms(q[None], v[None])
        rate = along(directions(whole), terms.rate[0])
        gain = along(directions(whole), terms.J[0] @ a - terms.gamma[0])
        return {key: rate[key] for key in rubs}, {key: gain[key] for key in rubs}

    # -- modes -----------------------------------------------------------------------------------

    def begin(self, stepper: Stepper, t: float, parts: Parts) -> tuple[Array, list[str]]:
        """Modes of the first state; v, and what there is to tell."""
        if isinstance(stepper, Variational) and any(self.rubbing.values()):
            names = sorted({name for rubs in self.rubbing.values() for name, _ in rubs})
            raise InputError(
                f"method: 'variational' knows no friction of contacts ({', '.join(names)}). "
                f"Choose another method, such as 'rk4', or leave the friction out."
            )
        if self._modes:  # a run that goes on
            return parts[1], []
        found, texts = [], []
        for view, own in self.system.view().runs(parts):
            v, changes = self.settle(view, t, own)
            found.append(v)
            texts += [view.named + text for text in changes]
        return np.reshape(found, parts[1].shape), texts

    def settle(self, view: RunView, t: float, parts: Parts) -> tuple[Array, list[str]]:
        """Modes and signs that agree with the motion and the forces; v, and what has changed."""
        q, v, z = parts
        base, before = self.base(view.mechanism), self.modes(view.row)
        rubs, pushing = self.rubbing[id(base)], self.normals[id(base)]
        if not pushing:
            return v, []
        sign = {key: before.sign.get(key, 1) for key in pushing}
        speed, _ = self._sliding(view.mechanism, q, v, np.zeros_like(v))
        slide = {key: int(np.sign(x)) if abs(x) > _STILL else 0 for key, x in speed.items()}
        blocked: set[Key] = set()
        fresh: Key | None = None  # it has just been let go
        for _ in range(_CHANGES):
            if rubs:
                view = view.switched(self._variant(base, slide, sign))
            if not all(slide.values()):
                v = allowed_state(view, t, q, v)[1]
            found = self.forces(view, t, (q, v, z))
            if fresh is not None and not found.gain[fresh] * slide[fresh] > 0.0:
                slide[fresh] = 0
                blocked.add(fresh)
                fresh = None
                continue
            fresh = None
            wrong = [k for k in pushing if sign[k] * found.held[k] < -found.slack(k)]
            if wrong:
                worst = min(wrong, key=lambda k: sign[k] * found.held[k])
                sign[worst] = -sign[worst]
                continue
            over = {k: self.excess(found, k, base) for k in rubs if not slide[k]}
            loose = [k for k, x in over.items() if x > 0.0 and k not in blocked]
            if not loose:
                self._modes[view.row] = _Modes(slide, sign, blocked)
                return v, _changes(before, self.modes(view.row))
            fresh = max(loose, key=lambda k: over[k])
            slide[fresh] = -int(np.sign(found.held[fresh]))
        raise ModelError(
            f"contact {sorted({name for name, _ in pushing})}: no forces agree with the friction "
            f"at t = {t:.6g} s; a contact that rubs this much jams there (Painlevé). Use a smaller "
            f"coefficient."
        )

    def excess(self, found: Forces, key: Key, base: Mechanism) -> float:
        """Of the force that holds a sticking contact, beyond its friction level."""
        laws = self.rubbing[id(base)][key]
        level = sum(size * abs(found.held[key[0], of]) for of, size in laws)
        return abs(found.held[key]) - level - found.slack(key)


def lever(mechanism: Mechanism, key: Key) -> float:
    """What a force is multiplied with to be compared along a direction: 1, of moments the size of
    the machine (m)."""
    return mechanism.constraint_solver.equations.length if key[1][0] == "r" else 1.0


def force_rounding(view: RunView, forces: Array, tau: Array) -> Array:
    """Forces (...), N, that are small against the weight, the forces of all rows (..., m) and those
    of the joints (..., n)."""
    mechanism = view.mechanism
    equations, own = mechanism.constraint_solver.equations, view.bodies()
    masses = (mechanism.parameters if own is None else own)[..., : 10 * len(mechanism.bodies) : 10]
    weight = np.abs(masses).sum(axis=-1) * np.linalg.norm(mechanism.model.gravity)
    usual = weight
    for numbers, units in ((forces, equations.constraints.units), (tau, mechanism.v_units)):
        arms = np.array([equations.length if unit == "rad" else 1.0 for unit in units])
        usual = np.maximum(usual, (np.abs(numbers) / arms).max(axis=-1, initial=0.0))
    return np.asarray(_ROUNDING * usual)


def along(rows: list[Key | None], numbers: Array) -> dict[Key, float]:
    """Numbers of the rows of contacts, by contact and direction."""
    pairs = zip(rows, numbers.tolist(), strict=True)
    return {key: x for key, x in pairs if key is not None}


def directions(mechanism: Mechanism) -> list[Key | None]:
    """The contact and direction of every row; rows of other constraints are None."""
    constraints = mechanism.constraint_solver.equations.constraints
    rows: list[Key | None] = [None] * constraints.count
    for c in mechanism.model.contacts:
        start = constraints.slices[c.name].start
        held = (*c.constrained, *c.sticking)
        rows[start : start + len(held)] = [(c.name, d) for d in held]
    return rows


def _changes(before: _Modes, after: _Modes) -> list[str]:
    texts = []
    for key, mode in after.slide.items():
        was = before.slide.get(key, mode)
        if was != mode:
            words = "sticks" if mode == 0 else "slips" if was == 0 else "slides back"
            texts.append(f"contact '{key[0]}' {words} along {key[1]}")
    for key, sign in after.sign.items():
        if before.sign.get(key, 1) != sign:
            words = "pushes again" if sign > 0 else "begins to pull"
            words = f"contact '{key[0]}' {words} along {key[1]}"
            texts.append(words if sign > 0 else f"{words}: contacts hold both ways")
    return texts


@dataclass
class ContactEvent(FrictionEvent):
    """Something about one direction of a contact."""

    key: Key
    contacts: ContactFriction = field(repr=False)

    def act(self, view: RunView, t: float, q: Array, v: Array) -> Outcome:
        """The modes are settled after every event, and tell what has changed."""
        return q, v, ""


class Rest(ContactEvent):
    """The sliding comes to rest."""

    def value_in(self, view: RunView, t: float, parts: Parts) -> float:
        contacts = self.contacts
        mode = contacts.modes(view.row).slide.get(self.key, 0)
        known = mode and self.key in contacts.rubbing[id(contacts.base(view.mechanism))]
        return mode * contacts.forces(view, t, parts).speed[self.key] if known else 1.0


class BreakAway(ContactEvent):
    """What is left of the friction level of a contact that sticks."""

    def value_in(self, view: RunView, t: float, parts: Parts) -> float:
        contacts = self.contacts
        modes, base = contacts.modes(view.row), contacts.base(view.mechanism)
        sticks = self.key in contacts.rubbing[id(base)] and modes.slide.get(self.key) == 0
        if not sticks or self.key in modes.blocked:
            return 1.0
        return -contacts.excess(contacts.forces(view, t, parts), self.key, base)


class Pull(ContactEvent):
    """The force along a constrained direction turns round."""

    def value_in(self, view: RunView, t: float, parts: Parts) -> float:
        contacts = self.contacts
        if self.key not in contacts.normals[id(contacts.base(view.mechanism))]:
            return 1.0
        found = contacts.forces(view, t, parts)
        sign = contacts.modes(view.row).sign.get(self.key, 1)
        return sign * found.held[self.key] + found.slack(self.key)
