"""`equilibrium`: static rest from a guess, on the constraint manifold.

Newton's method on the forces out of balance, each step shortened until they shrink; where that
leads nowhere, steps downhill in potential energy (the stiffness made positive).  Stability is told
by the eigenvalues of the reduced stiffness.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from armillary.analysis.own_states import own_states
from armillary.analysis.point import Point
from armillary.analysis.statics import Balance, Statics
from armillary.analysis.zero_modes import spectrum
from armillary.constraints.assembled import beyond_limits
from armillary.constraints.states import one_state
from armillary.errors import ArmillaryError, InputError, ModelError, Remedy, unknown_name
from armillary.evaluate.evaluator import External
from armillary.evaluate.inputs import Array, flag
from armillary.evaluate.named_states import State, names_of
from armillary.mechanism.mechanism import Mechanism
from armillary.shown import shown
from armillary.units import FORCE

_STEPS = 150
_FAR = 20.0  # rad, or sizes of the machine: what falls further falls for ever
_BALANCED = 1e-10  # of the forces in play
_EXACT = 1e-13
_LARGEST = 0.5  # rad, or sizes of the machine: a step is not longer
_SINGULAR = 1e-11  # of the stiffness, rows scaled: less resists nothing
_NEUTRAL = 1e-9
_UNKNOWN = 1e-6  # rad, or sizes of the machine: how far the place of rest may be unknown, at most
_SAME = 1e-6


@shown
@dataclass(frozen=True)
class Equilibrium:
    """A state of rest.

    stability: "stable" (every small change is drawn back), "unstable", or "neutral" (some change
    meets no resistance).  stiffness: eigenvalues of the reduced stiffness in N m per rad, lengths
    counted in sizes of the machine, motors behind gears in turns of the slow side.  holding:
    forces in the joints that are held.  residual: what is left of the forces out of balance, as a
    part of those that meet.  others: further solutions, by their energy, where restarts were
    asked for."""

    mechanism_name: str
    q: Array
    labels: tuple[str, ...]
    units: tuple[str, ...]
    stability: str
    stiffness: Array
    residual: float
    steps: int
    energy: float
    holding: dict[str, float] = field(default_factory=dict)
    holding_units: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    others: tuple[Equilibrium, ...] = ()

    @property
    def solutions(self) -> tuple[Equilibrium, ...]:
        """This one and the others."""
        return (self, *self.others)

    def __getitem__(self, label: str) -> float:
        if label not in self.labels:
            raise unknown_name("coordinate", label, self.labels)
        return float(self.q[self.labels.index(label)])

    def __str__(self) -> str:
        least = f", least stiffness {self.stiffness[0]:.6g} N m" if len(self.stiffness) else ""
        title = f"'{self.mechanism_name}' at rest: {self.stability}{least}"
        lines = [f"{title}, potential energy {self.energy:.9g} J"]
        wide = max(len(label) for label in (*self.labels, *self.holding)) + 2
        places = zip(self.labels, self.q, self.units, strict=True)
        lines += [f"  {label:<{wide}}{x + 0.0:>16.9g} {unit}" for label, x, unit in places]
        if self.holding:
            lines.append("held by")
            forces = zip(self.holding.items(), self.holding_units, strict=True)
            lines += [f"  {name:<{wide}}{x + 0.0:>16.9g} {unit}" for (name, x), unit in forces]
        lines += [f"note: {text}" for text in self.messages]
        if self.others:
            lines.append(f"{len(self.others)} more solutions:")
            for other in self.others:
                place = ", ".join(f"{x:.6g}" for x in other.q)
                lines.append(f"  {other.energy:.9g} J, {other.stability}: q = ({place})")
        return "\n".join(lines)


def equilibrium(
    mechanism: Mechanism,
    q: State | None = None,
    tau: State | None = None,
    *,
    hold: str | Sequence[str] = (),
    external: External = None,
    stable: bool = False,
    restarts: int = 0,
    seed: int = 0,
) -> Equilibrium:
    """Static rest near a guess: gravity, springs and the forces given are in balance.

    q: the guess (default: the start), closed first where it is not; tau: joint forces (default
    none); hold: joints that stay where the guess has them, whatever force that takes (`holding`).
    external: wrenches {frame: (6)}.  stable: go downhill in energy from the beginning, to a stable
    rest; else the nearest one is found, stable or not, and `stability` tells.  restarts: so many
    random guesses more (`seed`); what they find besides is in `others`.

    Where nothing balances there is an error that names the coordinate.  Friction counts as
    none: with dry friction there is rest all around."""
    state = one_state(
        mechanism.constraint_solver.equations,
        "equilibrium",
        q=mechanism.initial if q is None else q,
        tau=np.zeros(mechanism.nv) if tau is None else tau,
    )
    for name, given in (("restarts", restarts), ("seed", seed)):
        whole = isinstance(given, (int, np.integer)) and not isinstance(given, bool)
        if not whole or given < 0:
            raise InputError(f"{name}: expected a whole number from 0 on, found {given!r}.")
    search = _Search(mechanism, _closed(mechanism, state["q"]), state["tau"], external, hold)
    found: list[Equilibrium] = []
    failure: ArmillaryError | None = None
    for k, guess in enumerate(search.guesses(restarts, seed)):
        try:
            one = search.solution(guess, stable)
        except ArmillaryError as fault:
            failure = failure or fault
            continue
        if not any(search.same(one, other) for other in found):
            found.append(one)
        if k == 0 and not restarts:
            break
    if not found:
        raise failure or ModelError(f"equilibrium: '{mechanism.name}' has no place of rest.")
    first = found[0] if failure is None else min(found, key=lambda x: x.energy)
    others = sorted((x for x in found if x is not first), key=lambda x: x.energy)
    if failure is not None:
        text = f"not every guess led to rest: {failure.message.text}"
        first = replace(first, messages=(*first.messages, text))
    return replace(first, others=tuple(others))


def _closed(mechanism: Mechanism, guess: Array) -> Array:
    """The guess, closed; a rough one is assembled."""
    if not mechanism.constraint_rows:
        return guess
    try:
        return mechanism.project(guess)[0]
    except ModelError:
        found = mechanism.assemble(guess)
        if not found.closed:
            raise
        return np.asarray(found.q)


def _passing(mechanism: Mechanism, q: Array) -> tuple[str, ...]:
    """A remark where elements are not at rest: their states are those of the model."""
    rest = np.zeros(mechanism.nv)
    name = own_states(mechanism, Point(q, rest, rest, rest)).changing
    if name is None:
        return ()
    return (
        f"'{name}' changes here, so the rest does not last: it is that of the value in the model. "
        f"Give the element the value that stays (tension=0 of a Maxwell element) and ask again.",
    )


class _Search:
    """Rest of one mechanism, with some of its joints held where the guess has them."""

    def __init__(
        self,
        mechanism: Mechanism,
        guess: Array,
        tau: Array,
        external: External,
        hold: str | Sequence[str],
    ):
        self.mechanism, self.guess, self.tau, self.external = mechanism, guess, tau, external
        self.held = names_of("hold", hold)
        model = mechanism.model
        for name in self.held:
            if name not in model.moving_joints:
                raise unknown_name("joint to hold", name, model.moving_joints)
        slots = {b.joint.name: s for b, s in zip(model.bodies, model.slots, strict=True)}
        kept_q = [k for n, s in slots.items() if n not in self.held for k in range(*_ends(s.q))]
        kept_v = [k for n, s in slots.items() if n not in self.held for k in range(*_ends(s.v))]
        if not kept_v:
            raise InputError(
                f"hold: all joints of '{mechanism.name}' are held, so nothing can come to rest. "
                f"Leave some free; static_torques(q) are the forces that hold it all."
            )
        self.kept_q, self.kept_v = kept_q, kept_v
        self.slots = slots
        self.free = mechanism
        if self.held:
            values = {name: guess[slots[name].q].tolist() for name in self.held}
            held = {name: x if len(x) > 1 else x[0] for name, x in values.items()}
            self.free = mechanism.lock(held)
        self.statics = Statics(self.free, tau[kept_v], external)

    def guesses(self, restarts: int, seed: int) -> Iterator[Array]:
        """The given one, then random ones, of the coordinates that are free."""
        yield self.guess[self.kept_q]
        for k in range(restarts):
            rough = self.free.random_state(1_000_003 * seed + k)[0]
            try:
                yield _closed(self.free, rough)
            except ModelError:
                continue

    def solution(self, q: Array, stable: bool) -> Equilibrium:
        """Rest from one guess."""
        found, balance, steps = _solved(self.statics, q, stable)
        whole = self.guess.copy()
        whole[self.kept_q] = found
        unknown = np.clip(_step(balance), -_UNKNOWN, _UNKNOWN)
        noise = self.statics.rounding(found, balance, balance.changes @ unknown)
        values = np.sort(spectrum(balance.square, noise).real)
        least = values.min(initial=np.inf)
        kind = "unstable" if least < 0.0 else "neutral" if least == 0.0 else "stable"
        holding, units = self._holding(whole)
        m = self.mechanism
        residual = float(np.abs(balance.force * balance.scale**2).max(initial=0.0))
        energy = float(m.energy(whole, np.zeros(m.nv))[1])
        return Equilibrium(
            m.name,
            whole,
            m.q_labels,
            m.q_units,
            stability=kind,
            stiffness=values,
            residual=residual,
            steps=steps,
            energy=energy,
            holding=holding,
            holding_units=units,
            messages=(*beyond_limits(m.model, whole[None]), *_passing(m, whole)),
        )

    def _holding(self, q: Array) -> tuple[dict[str, float], tuple[str, ...]]:
        """What the held joints give, beside the forces that act."""
        if not self.held:
            return {}, ()
        m, rest = self.mechanism, np.zeros(self.mechanism.nv)
        entries = [k for name in self.held for k in range(*_ends(self.slots[name].v))]
        if m.constraints:  # a(tau) is linear: the smallest forces that bring it to zero
            others = self.tau.copy()
            others[entries] = 0.0
            a = m.forward_dynamics(q, rest, others, self.external)
            by_force = m.forward_dynamics.derivatives(q, rest, others, self.external).dtau
            forces = np.linalg.pinv(by_force[:, entries], rcond=_SINGULAR) @ -a
        else:
            forces = m.inverse_dynamics(q, rest, rest, self.external)[entries]
        names, units = (tuple(x[k] for k in entries) for x in (m.v_labels, m.v_units))
        found = dict(zip(names, (float(x) for x in forces), strict=True))
        return found, tuple(FORCE[unit] for unit in units)

    def same(self, one: Equilibrium, other: Equilibrium) -> bool:
        """The same place of all bodies, and the same energy."""
        m = self.mechanism
        length = m.constraint_solver.equations.length
        (R, p), (R2, p2) = m.poses(one.q), m.poses(other.q)
        apart = max(np.abs(R - R2).max(initial=0.0), np.abs(p - p2).max(initial=0.0) / length)
        size = max(abs(one.energy), abs(other.energy), 1e-12)
        return bool(apart < _SAME and abs(one.energy - other.energy) <= 1e-6 * size)


def _ends(own: slice) -> tuple[int, int]:
    return own.start, own.stop


# -- the search ------------------------------------------------------------------------------------


def _solved(statics: Statics, q: Array, stable: bool) -> tuple[Array, Balance, int]:
    """q at rest, the balance there and how many steps it took."""
    downhill, balance = flag("stable", stable), statics.balance(q)
    if stable and not statics.conservative:
        raise InputError(
            "equilibrium: stable=True goes downhill in energy, and not all of these forces have "
            "one (wrenches, forces on ball joints, laws without a potential). Leave it out; "
            "`stability` tells what was found."
        )
    guess, why = q, f"{_STEPS} steps were not enough"
    for step in range(_STEPS):
        if balance.left <= _EXACT:
            saddle = _saddle(balance) if downhill else None
            if saddle is None:
                return q, balance, step
            moved = _lower(statics, q, saddle)
        else:
            moved = _newton(statics, q, balance) if not downhill or _convex(balance) else None
            if moved is None and balance.left > _BALANCED and statics.conservative:
                downhill, moved = True, _downhill(statics, q, balance)
        if moved is None:
            if balance.left <= _BALANCED:  # rounding: no step makes it smaller
                return q, balance, step
            why = "no step makes it smaller"
            break
        q = moved
        balance = statics.balance(q)
        gone = np.abs(statics.mechanism.difference(guess, q) / statics.size)
        if gone.max(initial=0.0) > _FAR:
            why = f"the search went {_FAR:g} rad, or sizes of the machine, away from it"
            break
    raise _no_rest(statics, balance, why)


def _step(balance: Balance) -> Array:
    """Independent changes (k) that bring the forces into balance, to the first order."""
    rows = balance.scale[:, None] * balance.stiffness
    columns = np.maximum(np.linalg.norm(rows, axis=0), np.sqrt(balance.in_play_of_changes))
    columns = np.where(columns > 0.0, columns, 1.0)
    found = np.linalg.lstsq(rows / columns, balance.scale * balance.force, rcond=_SINGULAR)[0]
    return np.asarray(found / columns)


def _newton(statics: Statics, q: Array, balance: Balance) -> Array | None:
    """q after a step that makes the forces out of balance smaller; None: there is none."""
    y = _step(balance)
    y = y * min(1.0, _LARGEST / max(float(np.abs(y).max(initial=0.0)), 1e-300))
    for k in range(8):
        moved = _tried(statics, q, balance.changes @ y * 0.5**k)
        if moved is None:
            continue
        if statics.imbalance(moved, balance) < (1.0 - 1e-4 * 0.5**k) * balance.left:
            return moved
    return None


def _tried(statics: Statics, q: Array, change: Array) -> Array | None:
    try:
        return statics.moved(q, change)
    except ModelError:  # so far it cannot be closed
        return None


def _curvatures(balance: Balance) -> tuple[Array, Array]:
    values, vectors = np.linalg.eigh((balance.scaled + balance.scaled.T) / 2.0)
    return np.asarray(values), np.asarray(vectors)


def _convex(balance: Balance) -> bool:
    values = _curvatures(balance)[0]
    return bool(values[0] > _NEUTRAL * max(np.abs(values).max(), 1.0))


def _downhill(statics: Statics, q: Array, balance: Balance) -> Array | None:
    """q after a step that lowers the energy, along the forces, softer directions further."""
    values, vectors = _curvatures(balance)
    least = 1e-3 * max(float(np.abs(values).max(initial=0.0)), 1.0)
    along = vectors.T @ (balance.scale * balance.force)
    z = balance.scale * (vectors @ (along / np.maximum(np.abs(values), least)))
    z = z * min(1.0, _LARGEST / max(float(np.abs(z).max(initial=0.0)), 1e-300))
    return _lower(statics, q, balance.changes @ balance.rolled @ z, float(balance.force @ z))


def _saddle(balance: Balance) -> Array | None:
    """A change (nv) that leads down from a rest that is not stable; None: it is none."""
    values, vectors = _curvatures(balance)
    if not len(values) or values[0] >= -_NEUTRAL * max(np.abs(values).max(), 1.0):
        return None
    z = balance.scale * vectors[:, 0]
    return np.asarray(balance.changes @ balance.rolled @ z * (0.1 / np.linalg.norm(z)))


def _lower(statics: Statics, q: Array, change: Array, gain: float = 0.0) -> Array | None:
    """q moved by the change or a part of it, where the energy is lower."""
    before = statics.energy(q)
    for k in range(30):
        moved = _tried(statics, q, change * 0.5**k)
        if moved is not None and statics.energy(moved) < before - 1e-4 * gain * 0.5**k:
            return moved
    return None


def _no_rest(statics: Statics, balance: Balance, why: str) -> ModelError:
    """The free motion along which most force is left, and why."""
    k = int(np.argmax(np.abs(balance.force)))
    label, model = balance.labels[k], statics.mechanism.model
    j = model.v_labels.index(label)
    force, unit = balance.force[k] / statics.size[j], FORCE[model.v_units[j]]
    pairs = zip(model.bodies, model.slots, strict=True)
    joint = next(body.joint.name for body, own in pairs if own.v.start <= j < own.v.stop)
    slack = not np.abs(balance.stiffness[k]).max(initial=0.0) > _NEUTRAL * balance.in_play[k]
    why = "nothing there resists a motion" if slack else why
    return ModelError(
        f"equilibrium: '{model.name}' finds no rest near this guess; {force:.4g} {unit} stay out "
        f"of balance along '{label}', and {why}.",
        Remedy("hold joint", {"joint": joint}),
    )
