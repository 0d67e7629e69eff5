"""Events at instants that are not known in advance: limits, switches, functions of the user.

An event is a number that changes its sign.  The loop repeats the step with shorter lengths until
the instant is known to rounding, so an event is as exact as the method.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from armillary.errors import InputError, ModelError, Remedy
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.loop.start import allowed_state
from armillary.sim.methods.run_view import RunView
from armillary.sim.motion.coordinates import one_number
from armillary.sim.motion.schedules import columns_of
from armillary.sim.motion.user_functions import number, numbers

Watch = Callable[[float, Array, Array], float]
Parts = tuple[Array, Array, Array]  # q, v, z
Outcome = tuple[Array, Array, str]  # q, v, and what happened
_HELD = 1e-9  # of the mobility a coordinate would have alone: an impulse does not move it
_SWEEPS = 200  # of the impulses of several limits
_OUTSIDE = 1e-6  # rad or m, relative above 1: further beyond a limit no run starts


class Watched(Protocol):
    """Something that is watched in a run, or in every run of a batch."""

    terminal: bool  # the run ends with it

    def value_in(self, view: RunView, t: float, parts: Parts) -> float:
        """The number whose sign changes."""

    def crossed(self, before: float, after: float, v: Array) -> bool:
        """Did it happen between these values?  v: at the later one."""

    def act(self, view: RunView, t: float, q: Array, v: Array) -> Outcome:
        """What it does to the state."""


@dataclass
class FrictionEvent:
    """A number of the friction in a run that falls below zero; forces may make it jump."""

    terminal: bool = field(default=False, init=False)

    def crossed(self, before: float, after: float, v: Array) -> bool:
        return after < 0.0


@dataclass
class Event:
    """function(t, q, v) changes its sign: direction +1 upwards, -1 downwards, 0 both.

    terminal: the run ends.  action(t, q, v) -> (q, v), or None: what it does to the state."""

    function: Watch
    name: str = "event"
    direction: int = 0
    terminal: bool = False
    action: Callable[[float, Array, Array], tuple[Array, Array] | None] | None = None

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InputError(
                f"event '{self.name}': expected a function (t, q, v) -> number, found "
                f"{type(self.function).__name__}."
            )
        if self.direction not in (-1, 0, 1):
            raise InputError(
                f"event '{self.name}': direction must be 1 (upwards), -1 (downwards) "
                f"or 0 (either), found {self.direction!r}."
            )

    def value_in(self, view: RunView, t: float, parts: Parts) -> float:
        return self.value(t, *parts[:2])

    def value(self, t: float, q: Array, v: Array) -> float:
        found = number(f"event '{self.name}'", self.function(t, q.copy(), v.copy()), t)
        if np.isnan(found) and np.isfinite(q).all() and np.isfinite(v).all():
            raise InputError(
                f"event '{self.name}': its function gave NaN at t = {t:g} s. Let it give a "
                f"finite number everywhere, with a sign that changes at the event."
            )
        return found

    def crossed(self, before: float, after: float, v: Array) -> bool:
        up, down = before < 0.0 <= after, before > 0.0 >= after
        return (up and self.direction >= 0) or (down and self.direction <= 0)

    def act(self, view: RunView, t: float, q: Array, v: Array) -> Outcome:
        if self.action is not None:
            changed = self.action(t, q.copy(), v.copy())
            if changed is not None:
                q, v = self._checked(changed, t, q, v)
        return q, v, self.name

    def _checked(self, changed: object, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        """What the action gave, in the shapes of a state."""
        new_q = new_v = np.zeros(0)
        if isinstance(changed, (tuple, list)) and len(changed) == 2:
            what = f"action of event '{self.name}'"
            new_q, new_v = (np.array(numbers(what, x, t)) for x in changed)
        if new_q.shape != q.shape or new_v.shape != v.shape:
            found = (
                [np.shape(x) for x in changed] if isinstance(changed, (tuple, list)) else changed
            )
            raise InputError(
                f"event '{self.name}': its action must give (q, v) with the shapes {q.shape} and "
                f"{v.shape}, or None; found {found} at t = {t:g} s."
            )
        for name, x in (("q", new_q), ("v", new_v)):
            if not np.isfinite(x).all():
                raise InputError(
                    f"event '{self.name}': its action gave no finite number at t = {t:g} s; "
                    f"{name} = {x.tolist()}."
                )
        return new_q, new_v


@dataclass
class Switch(Event):
    """The same event, after which another mechanism goes on: a constraint or contact that opens or
    closes.  The velocity that the new constraints do not allow is lost: the impulse of the
    inelastic impact, nearest in kinetic energy."""

    to: Mechanism = None  # type: ignore[assignment]  # checked

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.to, Mechanism):
            raise InputError(
                f"Switch '{self.name}': give the mechanism that goes on as `to`, "
                f"found {type(self.to).__name__}."
            )

    def act(self, view: RunView, t: float, q: Array, v: Array) -> Outcome:
        q, v, text = super().act(view, t, q, v)
        q, v = allowed_state(view.switched(self.to), t, q, v)
        return q, v, f"{text}: now '{self.to.name}' with constraints {list(self.to.constraints)}"


@dataclass
class JointLimits:
    """Joints bounce at their limits: the velocity along the coordinate is reversed, times
    `restitution`, by an impulse of the limit that moves all joints with it:

        v' = v - (1 + e) v_k Y_k / Y_kk,        Y the inverse of M (under constraints, what is left)

    joints: names (default: all that have limits).  Bounces slower than `rest` (rad/s or m/s)
    end in rest at the limit, until something lifts the joint off."""

    restitution: float = 0.0
    joints: Sequence[str] | str | None = None
    rest: float = 1e-4

    def __post_init__(self) -> None:
        if not 0.0 <= one_number("restitution", self.restitution) <= 1.0:
            raise InputError(f"restitution: expected 0 to 1, found {self.restitution}.")
        one_number("rest", self.rest, 0.0)
        asked_joints("JointLimits", self.joints)

    def watched(self, mechanism: Mechanism) -> list[Bound]:
        mechanism.evaluator.refuse_load_friction("JointLimits")
        model, found = mechanism.model, []
        chosen = None
        if self.joints is not None:
            names = asked_joints("JointLimits", self.joints)
            chosen = {k for name in names for k in columns_of(mechanism, name)}
        for body, joint, slot in zip(model.bodies, model.joints, model.slots, strict=True):
            for i, limit in enumerate(body.joint.limits if joint.nq == joint.nv else ()):
                k = slot.v.start + i
                for place, side in ((limit.lower, 1.0), (limit.upper, -1.0)):
                    if place is not None and np.isfinite(place) and (chosen is None or k in chosen):
                        label = model.v_labels[k]
                        unit = mechanism.v_units[k]
                        found.append(Bound(label, slot.q.start + i, k, place, side, self, unit))
        if not found:
            raise InputError(
                f"JointLimits: no joint of '{mechanism.name}' that is asked for has limits.",
                Remedy("no limits"),
            )
        return found


def asked_joints(who: str, joints: object) -> list[str]:
    """Names of joints that `who` is asked for; none where all are meant."""
    names = [joints] if isinstance(joints, str) else [] if joints is None else joints
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise InputError(
            f"{who}: expected names of joints, found {type(joints).__name__}. {who}() takes all "
            f"joints of the mechanism that `simulate` is given, {who}(['elbow']) some of them."
        )
    return list(names)


@dataclass
class Bound:
    """One end of one coordinate: side (q - place) ≥ 0."""

    label: str
    i: int  # entry of q
    k: int  # entry of v
    place: float
    side: float
    limits: JointLimits
    unit: str  # of the coordinate
    terminal: bool = field(default=False, init=False)

    def value_in(self, view: RunView, t: float, parts: Parts) -> float:
        return self.side * float(parts[0][self.i] - self.place)

    def crossed(self, before: float, after: float, v: Array) -> bool:
        return after < 0.0 and self.side * v[self.k] < 0.0

    def passed(self, q: Array, v: Array) -> Array:
        """The same for columns: q (nq, B), v (nv, B)."""
        return (self.side * (q[self.i] - self.place) < 0.0) & (self.side * v[self.k] < 0.0)

    def act(self, view: RunView, t: float, q: Array, v: Array, still: bool = False) -> Outcome:
        speed = float(v[self.k])
        e = self.limits.restitution
        resting = still or e * abs(speed) < self.limits.rest
        Y = view.mobility(q)
        end = "lower" if self.side > 0 else "upper"
        where = f"at its {end} limit, {self.place:.4g} {self.unit}"
        if not Y[self.k, self.k] * view.mechanism.mass_matrix(q)[self.k, self.k] > _HELD:
            raise ModelError(
                f"JointLimits: '{self.label}' is moved by prescribed motion or constraints "
                f"{where}, and an impulse cannot reverse it.",
                Remedy("fewer limits", {"otherwise": "Keep the motion within the limits"}),
            )
        held = view.modes.resting.get(view.row, {})
        v = _after_impact(Y, v, self.k, 0.0 if resting else -e * speed, held)
        before = f"{speed:.3g} {self.unit}/s before"
        if resting:
            v[self.k] = 0.0
            view.modes.rest_at(view.row, self.k, self.side)
            return q, v, f"'{self.label}' comes to rest {where} ({before})"
        return q, v, f"'{self.label}' bounces {where} ({before}, {v[self.k]:.3g} after)"


def _after_impact(Y: Array, v: Array, k: int, wanted: float, held: dict[int, float]) -> Array:
    """v after the impulses that give entry k the velocity `wanted` and keep entries that rest at
    limits (with their sides) from passing them:  side_j v_j ≥ 0,  impulse_j ≥ 0."""
    others = {j: side for j, side in held.items() if j != k and Y[j, j] > 0.0}
    push = dict.fromkeys(others, 0.0)
    for _ in range(_SWEEPS if others else 1):  # projected Gauss-Seidel
        v = v + (wanted - v[k]) * Y[:, k] / Y[k, k]
        for j, side in others.items():
            more = max(0.0, push[j] - side * v[j] / Y[j, j]) - push[j]
            push[j], v = push[j] + more, v + side * more * Y[:, j]
    for j, side in others.items():
        v[j] = side * max(0.0, side * v[j])
    return v


def check_start(watched: Sequence[Watched], q: Array) -> None:
    """Refuse a start beyond limits."""
    for bound in (event for event in watched if isinstance(event, Bound)):
        beyond = -bound.side * (np.atleast_2d(q)[:, bound.i] - bound.place)
        if beyond.max() > _OUTSIDE * max(1.0, abs(bound.place)):
            row = int(beyond.argmax())
            run = f" of run {row}" if q.ndim == 2 else ""
            raise InputError(
                f"q0: '{bound.label}'{run} is {np.atleast_2d(q)[row, bound.i]:.6g} {bound.unit}, "
                f"beyond its {'lower' if bound.side > 0 else 'upper'} limit {bound.place:.6g} "
                f"{bound.unit}.",
                Remedy("fewer limits", {"otherwise": "Start within the limits"}),
            )
