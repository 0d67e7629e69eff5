"""Inverse dynamics of closed chains: which forces of the chosen actuators give this motion.

Only the part of the joint forces along free motions matters:  (N^T S) u = N^T (M a + h).  (Where
contacts rub, N are the motions on which their forces do no work instead.)  The null space here
serves one state; `actuation_law` gives the steps that are compiled (closed/actuation.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armillary.algorithms.closed import actuation as passes
from armillary.algorithms.passes import Algorithm
from armillary.constraints.compiled import compiled_kernels
from armillary.constraints.ladder import (
    Asked,
    Outcome,
    States,
    compiled,
    solve_in_turn,
    where_closed,
)
from armillary.constraints.mobility import singular_notes
from armillary.constraints.notes import NEARLY_SINGULAR, nearness, open_notes
from armillary.constraints.nullspace import Factor
from armillary.constraints.plan import make_plan, samples_of
from armillary.constraints.states import answerable, finite_rows
from armillary.errors import unknown_name
from armillary.evaluate.deferred import Deferred, Later
from armillary.evaluate.inputs import Array, flag, mapping, one_number
from armillary.evaluate.named_states import velocity_entries
from armillary.shown import shown
from armillary.units import FORCE

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations, System
    from armillary.evaluate.program import Program


_HOLD = 1e-9  # how far an actuator moves with a free motion of size 1: less is no hold


@shown
@dataclass(frozen=True, kw_only=True)
class Actuation:
    """Actuator forces for a motion of one state.

    tau (nv) holds them at their places, zero elsewhere."""

    tau: Array
    actuators: tuple[str, ...]
    units: tuple[str, ...]
    unreachable: Array  # (nv,): the joint force that no actuator can supply
    singular_values: Array  # of N^T S in scaled units
    actuation_redundancy: int  # actuators more than needed
    mobility: int
    clipped: tuple[str, ...]  # actuators at a limit
    forces: Array  # (actuators,)
    needed: float  # largest joint force the motion takes
    # a closure, or a hold of the actuators, that is nearly singular
    messages: Later[tuple[str, ...]] = Later()

    @property
    def missing(self) -> int:
        """Freedoms that no actuator prescribed: the mobility less the rank of N^T S."""
        return self.mobility - (len(self.actuators) - self.actuation_redundancy)

    @property
    def reachable(self) -> bool:
        scale = max(float(np.abs(self.tau).max(initial=0.0)), self.needed)
        return bool(np.abs(self.unreachable).max(initial=0.0) <= 1e-9 * scale)

    def __getitem__(self, actuator: str) -> float:
        if actuator not in self.actuators:
            raise unknown_name("actuator", actuator, self.actuators)
        return float(self.forces[self.actuators.index(actuator)])

    def __str__(self) -> str:
        kinds = [f"under-actuated by {self.missing}"] if self.missing else []
        kinds += (
            [f"{self.actuation_redundancy} more than needed"] if self.actuation_redundancy else []
        )
        kinds = kinds or ["exactly actuated"]
        kinds += ["the motion cannot be reached"] if not self.reachable else []
        counts = (
            f"{_counted(len(self.actuators), 'actuator')}, {_counted(self.mobility, 'freedom')}"
        )
        lines = [f"{counts}: {', '.join(kinds)}"]
        for name, unit, x in zip(self.actuators, self.units, self.forces, strict=True):
            mark = "  at its limit" if name in self.clipped else ""
            lines.append(f"  {name:<30}{x:>14.6g} {unit}{mark}")
        if not self.reachable:
            worst = float(np.abs(self.unreachable).max())
            lines.append(f"  missing joint force, largest entry {worst:.6g}")
        return "\n".join([*lines, *("warning: " + text for text in self.messages)])


def _counted(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def actuator_indices(equations: Equations, actuators: Sequence[str] | None) -> list[int]:
    """Entries of v that are driven; None: all of them."""
    return velocity_entries(equations.model, actuators, "actuators")


def actuation(
    equations: Equations,
    system: System,
    a: Array,
    actuators: Sequence[str] | None,
    weights: Mapping[str, float] | None,
    limits: bool,
) -> Actuation:
    """u with the least Σ weight u² among those that give the accelerations `a` (state 0).

    Moments count as forces at a lever of the machine's size, so units do not matter."""
    model = equations.model
    chosen = actuator_indices(equations, actuators)
    factor = equations.factor(system.terms)
    N = factor.free if equations.constraints.ideal else equations.pushes(system.terms)
    needed = system.M[0] @ a - system.force[0]  # the joint force beyond what is there already
    columns = equations.scaling.columns
    scale = np.array([_weight(model.v_labels[i], weights) * columns[i] for i in chosen])
    A = N[chosen].T / scale  # (free, actuators): N^T S, in scaled forces
    b = N.T @ needed
    lower, upper = _bounds(equations, chosen, limits)
    dead = _HOLD / float((scale / columns[chosen]).max(initial=1.0))
    u, clipped, values = _least(A, b, lower * scale, upper * scale, dead)
    forces = u / scale
    tau = np.zeros(model.nv)
    tau[chosen] = forces
    missing = N.T @ (needed - tau)
    unreachable = np.zeros(model.nv)
    if N.shape[1]:  # the smallest with N^T x = missing
        unreachable = N @ np.linalg.solve(N.T @ N, missing)
    names = tuple(model.v_labels[i] for i in chosen)
    return Actuation(
        tau=tau,
        actuators=names,
        units=tuple(FORCE[model.v_units[i]] for i in chosen),
        unreachable=unreachable,
        singular_values=values,
        actuation_redundancy=len(chosen) - int(np.sum(values > dead)),
        mobility=N.shape[1],
        clipped=tuple(names[i] for i in np.flatnonzero(clipped)),
        forces=forces,
        needed=float(np.abs(needed).max(initial=0.0)),
        messages=Deferred(lambda: _messages(equations, system, factor, N, chosen)),
    )


def _messages(
    equations: Equations, system: System, factor: Factor, N: Array, chosen: Sequence[int]
) -> tuple[str, ...]:
    """An open position, and what makes the forces large: a closure that is nearly singular, or
    actuators that hardly move with a free motion (N: orthonormal in scaled units)."""
    near = nearness(equations, factor)
    texts = [*open_notes(equations, system.terms.residual[0]), *([near] if near else [])]
    texts += singular_notes(equations, system, 0, factor)
    part = N[chosen] / equations.scaling.columns[chosen, None]
    holds = np.linalg.svd(part, compute_uv=False) if part.size else np.zeros(0)
    weak = holds[(holds > _HOLD) & (holds < 1.0 / NEARLY_SINGULAR)]
    if len(weak):
        names = ", ".join(equations.model.v_labels[k] for k in chosen)
        texts.append(
            f"the actuators {names} hardly hold the mechanism here: condition number "
            f"{1.0 / weak[-1]:.2g}. Their forces may be very large"
        )
    return tuple(texts)


def actuation_law(
    equations: Equations, actuators: Sequence[str] | None, strict: passes.Strict | None = None
) -> Algorithm | None:
    """(q, v, a) -> tau of these actuators as an algorithm; None where there is none: forces that
    do not act along their rows, or actuators that hinder each other while motions are missing.
    strict: motions that cannot be are marked (not a number)."""
    chosen = actuator_indices(equations, actuators)
    if not equations.constraints.ideal or not chosen:
        return None
    sizes = equations.scaling.columns
    terms = equations.terms(samples_of(equations))
    frees = [equations.factor(terms, k).free for k in range(len(terms.J))]
    ranks = [np.linalg.matrix_rank(N[chosen].T / sizes[chosen], _HOLD) for N in frees]
    mobility = np.zeros(len(sizes))
    mobility[chosen] = sizes[chosen] ** -2.0
    if all(rank == N.shape[1] for rank, N in zip(ranks, frees, strict=True)):
        plan = make_plan(equations, inertia=mobility)
        return passes.actuation(plan, mobility.tolist(), sizes.tolist(), True, strict)
    if any(rank < len(chosen) for rank in ranks):
        return None
    plan = make_plan(equations, inertia=sizes**-2.0)
    return passes.actuation(plan, mobility.tolist(), sizes.tolist(), False, strict)


def driving_forces(equations: Equations, actuators: Sequence[str] | None) -> DrivingForces:
    """Forces of these actuators, made once."""
    key = None
    if actuators is not None:
        labels = equations.model.v_labels
        key = tuple(labels[k] for k in actuator_indices(equations, actuators))
    return equations.memo.once(("driving", key), lambda: DrivingForces(equations, key))


class DrivingForces:
    """tau (B, nv) of chosen actuators for motions of B states: compiled first, then by the null
    space."""

    def __init__(self, equations: Equations, actuators: Sequence[str] | None):
        self.equations, self.actuators = equations, actuators
        self._kernels: dict[bool, Program | None] = {}

    @cached_property
    def law(self) -> Algorithm | None:
        return actuation_law(self.equations, self.actuators)

    def __call__(self, q: Array, v: Array, a: Array, passive: bool = True) -> Array:
        states = States({"q": q, "v": v, "a": a}, passive=passive)
        return solve_in_turn(states, self._compiled, self._null_space).values

    def asked(self, asked: Asked, arrays: Mapping[str, Array], passive: bool) -> tuple[Array, str]:
        """The same, and a warning where positions are open."""
        quick, anywhere = (
            (partial(self._compiled, closed=True),),
            (self._compiled, self._null_space),
        )
        states = States(arrays, passive=passive)
        return where_closed(self.equations, asked, states, quick, self._null_space, anywhere)

    def _compiled(self, states: States, closed: bool = False) -> Outcome | None:
        passive = states.passive
        if passive not in self._kernels:
            made = None
            if self.law is not None:
                made = compiled_kernels(self.equations, self.law, states.reads, passive)
            self._kernels[passive] = made
        kernels = self._kernels[passive]
        return None if kernels is None else compiled(self.equations, kernels, states, "tau", closed)

    def _null_space(self, states: States) -> Outcome:
        tau = np.full(states.arrays["v"].shape, np.nan)
        for k in range(len(states)):
            one = states.of(np.array([k]))
            system = one.system(self.equations)
            if answerable(system).all():
                a = one.arrays["a"][0]
                tau[k] = actuation(self.equations, system, a, self.actuators, None, False).tau
        return Outcome(tau, finite_rows(tau))


def _weight(label: str, weights: Mapping[str, float] | None) -> float:
    weights = mapping("weights", weights, "{joint: weight}")
    value = weights.get(label, weights.get(label.partition(".")[0], 1.0))
    return float(
        np.sqrt(one_number(f"weights['{label}']", value, 1e-100, 1e100, "a positive number,"))
    )


def _bounds(equations: Equations, chosen: Sequence[int], limits: bool) -> tuple[Array, Array]:
    bound = np.full(len(chosen), np.inf)
    if flag("limits", limits):
        model = equations.model
        for k, i in enumerate(chosen):
            for body, slot in zip(model.bodies, model.slots, strict=True):
                if slot.v.start <= i < slot.v.stop and body.joint.limits:
                    effort = body.joint.limits[i - slot.v.start].effort
                    bound[k] = np.inf if effort is None else effort
    return -bound, bound


def _least(
    A: Array, b: Array, lower: Array, upper: Array, dead: float
) -> tuple[Array, NDArray[np.bool_], Array]:
    """Smallest u with A u = b (least squares where it cannot be), inside the bounds; which are at
    a bound; and the singular values of A.  dead: what counts as no hold among them."""
    u, values = np.zeros(A.shape[1]), np.zeros(0)
    if A.size:
        U, values, Vt = np.linalg.svd(A, full_matrices=False)
        holds = values > dead
        u = Vt[holds].T @ ((U[:, holds].T @ b) / values[holds])
    if np.all((u >= lower) & (u <= upper)):
        return u, np.zeros(len(u), bool), values
    from scipy.optimize import lsq_linear

    small = 1e-6 * max(float(np.abs(A).max(initial=0.0)), 1e-300)
    stacked = np.concatenate([A, small * np.eye(A.shape[1])])
    target = np.concatenate([b, np.zeros(A.shape[1])])
    u = lsq_linear(stacked, target, (lower, upper), tol=1e-14, method="bvls").x
    clipped = (u <= lower + 1e-9 * np.abs(lower)) | (u >= upper - 1e-9 * np.abs(upper))
    return u, clipped, values
