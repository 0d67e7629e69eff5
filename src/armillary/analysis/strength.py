"""How hard a frame can push and how much it can carry, at rest or in motion, by effort limits.

    tau = h + J^T F,   |tau_i| ≤ effort_i          F = (n; f): by the frame on its surroundings

h: joint forces of the motion without F (at rest: gravity and springs).  In a tree every joint cuts
the wrenches at two planes, so a direction d is limited by one joint:

    F = s d,   s ≤ min_i (effort_i sign(c_i) - h_i) / c_i,   c = J^T d

The joints of a closed mechanism share the load as its freedoms demand, N^T tau = N^T (h + J^T F),
which is a linear programme; joints that do not drive give no force.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armillary.analysis.allowed import Allowed
from armillary.analysis.classification import asked_frame
from armillary.analysis.columns import columns
from armillary.analysis.dexterity import effort_limits
from armillary.analysis.point import closed_state
from armillary.constraints.actuation import actuator_indices
from armillary.errors import InputError, ModelError, unknown_name
from armillary.evaluate.inputs import Array, as_floats, mapping, one_number
from armillary.evaluate.named_states import State
from armillary.mechanism.mechanism import Mechanism
from armillary.shown import shown
from armillary.units import WRENCH, WRENCH_UNITS

_SMALL = 1e-12  # of the largest lever: less is none


@dataclass(frozen=True)
class Strength:
    """The largest push along one direction (6,), angular part first, and the joint that ends it.

    size: N m or N, along the direction; inf where no joint resists, negative where the joints do
    not even hold their own weight there."""

    name: str
    direction: Array
    size: float
    limiting: str


@shown
@dataclass(frozen=True)
class ForceLimits:
    """Static force limits of a frame, along the world's axes at its origin.

    pushes: one per asked direction; weakest: the direction of the smallest force (no moment) among
    all directions of space; held (nv,): joint forces of the motion alone."""

    mechanism_name: str
    frame: str
    pushes: tuple[Strength, ...]
    weakest: Strength
    held: Array
    limits: Array

    def __getitem__(self, name: str) -> float:
        """The limit along a direction by its name."""
        for push in self.pushes:
            if push.name == name:
                return push.size
        raise unknown_name("direction", name, [push.name for push in self.pushes])

    def __str__(self) -> str:
        heads = ["direction", "limit", "unit", "limited by"]
        rows = [[p.name, p.size, _unit(p.direction), p.limiting] for p in self.pushes]
        w = ", ".join(f"{x:.3g}" for x in self.weakest.direction[3:] + 0.0)
        weakest = f"{self.weakest.size:.6g} N along ({w}), limited by {self.weakest.limiting}"
        lines = [
            f"what the frame '{self.frame}' of '{self.mechanism_name}' can push with (world axes)",
            *columns(heads, rows),
            f"weakest: {weakest if np.isfinite(self.weakest.size) else 'no force is limited'}",
        ]
        return "\n".join(lines)


@shown
@dataclass(frozen=True)
class Payload:
    """The largest point mass (kg) that a frame can carry, and the joint that ends it.

    per_joint: what every joint alone would allow; inf where the load does not reach it."""

    mechanism_name: str
    frame: str
    mass: float
    limiting: str
    per_joint: dict[str, float]

    def __str__(self) -> str:
        lines = [
            f"payload of '{self.mechanism_name}' at '{self.frame}': {self.mass:.6g} kg, "
            f"limited by {self.limiting}"
        ]
        rows = [[name, x, "kg"] for name, x in self.per_joint.items()]
        return (
            "\n".join([*lines, *columns(["joint", "allows", "unit"], rows)]) if rows else lines[0]
        )


def force_limits(
    mechanism: Mechanism,
    q: State | None = None,
    frame: str | None = None,
    *,
    directions: Mapping[str, ArrayLike] | None = None,
    effort: Mapping[str, float] | None = None,
    actuators: Sequence[str] | None = None,
) -> ForceLimits:
    """The largest forces and moments that a frame can exert at rest, by the joints' effort limits.

    directions: {name: (6,)} of moment and force along the world's axes (default: both ways along
    nx .. fz).  effort: limits by joint (N m or N), instead of the model's.  actuators: of a closed
    mechanism, the joints that drive (default: all with a limit)."""
    asked = _Asked.of(mechanism, "force_limits", q, None, None, frame, effort, actuators)
    given = mapping("directions", directions, "{name: (6,)}") if directions is not None else _axes()
    pushes = []
    for name, direction in given.items():
        d = as_floats(f"directions['{name}']", direction)
        if d.shape != (6,) or not np.isfinite(d).all() or not d.any():
            raise InputError(
                f"directions: '{name}': expected 6 finite numbers (nx .. fz), not all 0; found "
                f"{direction!r}."
            )
        pushes.append(Strength(name, d, *asked.largest(asked.J.T @ d)))
    return ForceLimits(
        mechanism.name, asked.frame, tuple(pushes), asked.weakest(), asked.held, asked.limits
    )


def payload(
    mechanism: Mechanism,
    q: State | None = None,
    frame: str | None = None,
    *,
    v: State | None = None,
    a: State | None = None,
    effort: Mapping[str, float] | None = None,
    actuators: Sequence[str] | None = None,
) -> Payload:
    """The largest point mass at a frame that the joints carry through the motion q, v, a.

    By their effort limits, at rest unless v and a say otherwise: the load needs m (a_p - g) at the
    frame's origin.  Open mechanisms also tell what each joint alone would allow."""
    asked = _Asked.of(mechanism, "payload", q, v, a, frame, effort, actuators)
    state = (asked.q, asked.v, asked.a)
    point = mechanism.acceleration(*state, asked.frame, coordinates="world_aligned")[3:]
    pull = np.asarray(point, float) - np.array(mechanism.gravity, float)
    c = asked.J[3:].T @ pull
    mass, limiting = asked.largest(c)
    each = (
        {}
        if mechanism.constraints
        else dict(zip(mechanism.v_labels, asked.per_joint(c).tolist(), strict=True))
    )
    return Payload(mechanism.name, asked.frame, mass, limiting, each)


@dataclass(frozen=True)
class _Asked:
    """One state: what the joints carry already, and what they may."""

    mechanism: Mechanism
    frame: str
    q: Array
    v: Array
    a: Array
    J: Array  # (6, nv), world axes
    held: Array
    limits: Array  # (nv,): 0 where nothing drives

    @classmethod
    def of(
        cls,
        mechanism: Mechanism,
        question: str,
        q: State | None,
        v: State | None,
        a: State | None,
        frame: str | None,
        effort: Mapping[str, float] | None,
        actuators: Sequence[str] | None,
    ) -> _Asked:
        name = asked_frame(mechanism.model, frame)
        none = np.zeros(mechanism.nv)
        s = closed_state(
            mechanism,
            question,
            q=mechanism.initial if q is None else q,
            v=none if v is None else v,
            a=none if a is None else a,
        )
        limits = _limits(mechanism, question, effort, actuators)
        tree = mechanism.tree
        moving = s["v"].any() or s["a"].any()
        held = (
            tree.inverse_dynamics(s["q"], s["v"], s["a"]) if moving else tree.static_torques(s["q"])
        )
        J = np.asarray(mechanism.jacobian(s["q"], name, coordinates="world_aligned"), float)
        return cls(mechanism, name, s["q"], s["v"], s["a"], J, np.asarray(held, float), limits)

    def per_joint(self, c: Array) -> Array:
        """(nv,): the largest s with |held + s c| ≤ limit, joint by joint."""
        room = np.where(c >= 0, self.limits - self.held, self.limits + self.held)
        reach = np.abs(c) > _SMALL * max(np.abs(c).max(initial=0.0), _SMALL)
        beyond = np.abs(self.held) > self.limits * (1 + 1e-12)
        found = np.full(len(c), np.inf)
        found[reach] = room[reach] / np.abs(c[reach])
        found[~reach & beyond] = -np.inf
        return found

    def largest(self, c: Array) -> tuple[float, str]:
        """The largest s for the joint forces held + s c, and what ends it."""
        if self.mechanism.constraints:
            return self._programme(c)
        each = self.per_joint(c)
        k = int(np.argmin(each))
        return float(each[k]), self.mechanism.v_labels[k] if np.isfinite(each[k]) else "nothing"

    def _programme(self, c: Array) -> tuple[float, str]:
        """max s:  N^T tau - s N^T c = N^T held,  |tau| ≤ limits."""
        from scipy.optimize import linprog

        N = Allowed(self.mechanism).motions(self.q)
        n = len(c)
        equal = np.hstack([N.T, -(N.T @ c)[:, None]])
        cost = np.zeros(n + 1)
        cost[-1] = -1.0
        bounds = [*((-x, x) for x in self.limits), (None, None)]
        found = linprog(cost, A_eq=equal, b_eq=N.T @ self.held, bounds=bounds, method="highs")
        if found.status == 3:
            return np.inf, "nothing"
        if found.status != 0:
            return -np.inf, "its own weight"
        at = np.abs(found.x[:-1]) >= self.limits * (1 - 1e-9)
        names = [
            x
            for x, full, most in zip(self.mechanism.v_labels, at, self.limits, strict=True)
            if full and most > 0
        ]
        return float(found.x[-1]), ", ".join(names) or "nothing"

    def weakest(self) -> Strength:
        """The smallest force among all directions, without a moment.

        Of a tree the nearest of the planes |held + J_f^T f| = limit; of a closed mechanism the
        least over a net of directions, which a search then follows down."""
        if self.mechanism.constraints:
            return self._searched()
        best = Strength("weakest", np.zeros(6), np.inf, "nothing")
        for k, row in enumerate(self.J[3:].T):
            size = float(np.linalg.norm(row))
            if size < _SMALL:
                continue
            for sign in (1.0, -1.0):
                distance = float((self.limits[k] - sign * self.held[k]) / size)
                if distance < best.size:
                    d = np.concatenate([np.zeros(3), sign * row / size])
                    best = Strength("weakest", d, distance, self.mechanism.v_labels[k])
        return best

    def _searched(self) -> Strength:
        from scipy.optimize import minimize

        def size(x: Array) -> float:
            return self.largest(self.J[3:].T @ (x / np.linalg.norm(x)))[0]

        net = _sphere(128)
        sizes = [size(x) for x in net]
        if not np.isfinite(sizes).any():
            return Strength("weakest", np.zeros(6), *self.largest(self.J[3:].T @ net[0]))
        start = net[int(np.argmin(np.where(np.isfinite(sizes), sizes, np.inf)))]
        found = minimize(size, start, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12})
        d = found.x / np.linalg.norm(found.x)
        return Strength(
            "weakest", np.concatenate([np.zeros(3), d]), *self.largest(self.J[3:].T @ d)
        )


def _limits(
    mechanism: Mechanism,
    question: str,
    effort: Mapping[str, float] | None,
    actuators: Sequence[str] | None,
) -> Array:
    limits = effort_limits(mechanism)
    equations = mechanism.constraint_solver.equations
    for name, x in mapping("effort", effort, "{joint: N m or N}").items():
        one_number(f"effort: '{name}'", x, 0.0, np.inf, "N m or N")
        limits[actuator_indices(equations, [name])] = x
    if not np.isfinite(limits).any():
        raise ModelError(
            f"{question}: '{mechanism.name}' has no effort limits. Give them in the model, or "
            f"here: effort={{'{mechanism.v_labels[0]}': 50.0, ...}}."
        )
    if mechanism.constraints:
        driven = np.zeros(mechanism.nv, bool)
        chosen = actuators if actuators is not None else ()
        driven[actuator_indices(equations, chosen)] = True
        driven = driven if actuators is not None else np.isfinite(limits)
        limits = np.where(driven, limits, 0.0)
    elif actuators is not None:
        idle = np.ones(mechanism.nv, bool)
        idle[actuator_indices(equations, actuators)] = False
        limits = np.where(idle, 0.0, limits)
    return limits


def _axes() -> dict[str, Array]:
    """Both ways along the six axes of a wrench."""
    found = {}
    for k, name in enumerate(WRENCH):
        for sign, mark in ((1.0, "+"), (-1.0, "-")):
            found[f"{mark}{name}"] = sign * np.eye(6)[k]
    return found


def _sphere(count: int) -> Array:
    """Unit vectors, evenly spread (a Fibonacci lattice)."""
    k = np.arange(count) + 0.5
    z, turn = 1 - 2 * k / count, np.pi * (1 + 5**0.5) * k
    r = np.sqrt(1 - z * z)
    return np.column_stack([r * np.cos(turn), r * np.sin(turn), z])


def _unit(direction: Array) -> str:
    kinds = {unit for x, unit in zip(direction, WRENCH_UNITS, strict=True) if x}
    return kinds.pop() if len(kinds) == 1 else "N m, N"
