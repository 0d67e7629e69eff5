"""The state that an analysis is made about: one state, closed, with a velocity it can have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from armillary.constraints.notes import refuse_open
from armillary.constraints.states import one_state
from armillary.errors import InputError, ModelError, Remedy
from armillary.evaluate.evaluator import External
from armillary.evaluate.inputs import Array
from armillary.evaluate.named_states import State
from armillary.mechanism.mechanism import Mechanism

_OPEN = 1e-6  # of the machine's size, and of its speed: less is rounding
Forces = State | Literal["hold"] | None


@dataclass(frozen=True)
class Point:
    """A state with the forces that act there, and the accelerations a (nv) that follow."""

    q: Array
    v: Array
    tau: Array
    a: Array
    external: External = None

    @property
    def moving(self) -> bool:
        return bool(self.v.any())


def closed_state(mechanism: Mechanism, question: str, **state: State) -> dict[str, Array]:
    """The entries of a single state by name; one that is open is refused: its rows have no rank,
    so freedoms would be those of the tree."""
    equations = mechanism.constraint_solver.equations
    found = one_state(equations, question, "Ask for one after the other.", **state)
    if mechanism.constraint_rows:
        residual = mechanism.constraint_residual(found["q"])
        refuse_open(equations, residual, question, "freedoms have no meaning")
    return found


def point(
    mechanism: Mechanism,
    question: str,
    q: State | None,
    v: State | None,
    tau: Forces,
    external: External = None,
) -> Point:
    """Defaults: q where the mechanism starts, v = 0, tau = 0; "hold": the forces of the actuators
    that keep v as it is."""
    hold = isinstance(tau, str)
    if hold and tau != "hold":
        raise InputError(
            f"{question}: tau: expected joint forces or the word 'hold', found {tau!r}."
        )
    none = np.zeros(mechanism.nv)
    state = one_state(
        mechanism.constraint_solver.equations,
        question,
        q=mechanism.initial if q is None else q,
        v=none if v is None else v,
        tau=none if hold or tau is None else tau,
    )
    _refuse_open(mechanism, question, state["q"], state["v"])
    if hold:
        still = np.zeros(mechanism.nv)
        if mechanism.constraints:
            still = mechanism.project_acceleration(state["q"], state["v"])
        state["tau"] = mechanism.inverse_dynamics(state["q"], state["v"], still, external)
    a = mechanism.forward_dynamics(state["q"], state["v"], state["tau"], external)
    return Point(state["q"], state["v"], state["tau"], a, external)


def _refuse_open(mechanism: Mechanism, question: str, q: Array, v: Array) -> None:
    """A mechanism that is not closed has no small motions on its constraints."""
    if not mechanism.constraint_rows:
        return
    solver = mechanism.constraint_solver
    tolerance = max(_OPEN, mechanism.geometry_tolerance)
    residual = mechanism.constraint_residual(q)
    if (opening := solver.closer.opening(residual)) > tolerance:
        worst = mechanism.constraint_rows[int(np.argmax(np.abs(residual)))]
        raise ModelError(
            f"{question}: '{mechanism.name}' is open at q by {opening:.2g} of its size, most at "
            f"'{worst}'.",
            Remedy("assemble q"),
        )
    scaling = solver.equations.scaling
    rates = mechanism.constraint_rate(q, v) * scaling.rows / scaling.length
    if np.abs(rates).max(initial=0.0) > tolerance * np.abs(v / scaling.columns).max(initial=0.0):
        worst = mechanism.constraint_rows[int(np.argmax(np.abs(rates)))]
        raise InputError(
            f"{question}: the constraints do not allow v; it misses '{worst}'. Use "
            f"q, v = mechanism.project(q, v), or give velocities by name; the others follow."
        )


def scales(mechanism: Mechanism) -> Array:
    """(nv,) what counts as a large change of each coordinate: 1 rad, or the machine's size (m)."""
    return np.asarray(mechanism.constraint_solver.equations.scaling.columns, float)


def carried_weights(mechanism: Mechanism) -> Array:
    """(nv,) the work of the weight that each coordinate carries, over a large change of it, J."""
    model = mechanism.model
    carried = np.array([body.mass.mass for body in model.bodies], float)
    found = np.zeros(model.nv)
    for k in reversed(range(len(model.bodies))):
        if (parent := model.parents[k]) >= 0:
            carried[parent] += carried[k]
        found[model.slots[k].v] = carried[k]
    length = mechanism.constraint_solver.equations.length
    return np.asarray(found * np.linalg.norm(mechanism.gravity) * length)


def geared_scales(mechanism: Mechanism) -> Array:
    """(nv,) the same, with fast coordinates of gears, couplings and elastic shafts as far apart as
    their ratios: a motor that turns 50 times while its joint turns once turns 50 rad where that
    turns one."""
    model, own = mechanism.model, scales(mechanism)
    place = {label: k for k, label in enumerate(model.v_labels)}
    ratios = [{x.joint: abs(x.ratio), x.source: 1.0} for x in model.couplings if x.ratio]
    for part in model.elements:
        weights = getattr(part.law, "weights", ())
        ratios.append({n: 1.0 / abs(w) for n, w in zip(part.coordinates, weights, strict=False)})
    found, left = own.copy(), [{place[n]: x for n, x in one.items()} for one in ratios if one]
    while left:
        group = left.pop()
        while near := next((x for x in left if x.keys() & group.keys()), None):
            left.remove(near)
            k = next(iter(near.keys() & group.keys()))
            group = {j: x * group[k] / near[k] for j, x in near.items()} | group
        slow = min(x / own[j] for j, x in group.items())
        for j, x in group.items():
            found[j] = x / slow
    return found
