"""Motions that the rows of B states admit, and what answers right sides of them: by dependent
coordinates where these are healthy, else by the null space, as in the ladder of solvers.

    J x = target                       x = P target + N y
    M x = f + J^T λ,  J x = 0          x = R f,    R = N (N^T M N)^-1 N^T
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armillary.algorithms.closed.split import split_dynamics
from armillary.codegen.target import native
from armillary.constraints.compiled import compiled_kernels
from armillary.constraints.ladder import States, results_of
from armillary.constraints.null_space_kernel import solve_call
from armillary.constraints.nullspace import Factor, Scaling, inertia_sums, orthonormal, solve
from armillary.constraints.plan import make_plan, plan_of, small
from armillary.constraints.states import fulfilled
from armillary.constraints.table import SLOPES, options_for
from armillary.errors import ProjectionWarning, SingularError, warn_caller
from armillary.evaluate.inputs import Array

if TYPE_CHECKING:
    from armillary.algorithms.closed.constrained import Plan
    from armillary.constraints.equations import Equations, System
    from armillary.evaluate.program import Program

_HEALTHY = 1e4  # largest entry of the scaled P and of the inverse of the scaled N^T M N
_OPPOSED = 1e-12  # of the sum that an inertia is the rest of: less is rounding, as at a gimbal lock
# rank tolerance: where fewer rows count by this, P is beyond what is healthy; not where rows that
# are far open make the tolerance large
_CLOSED = 1e-6
_FULFILLED = 1e-9  # what a row without a pivot may move along the free motions


@dataclass
class Split:
    """Of B states."""

    motions: Array  # (B, n, k): changes of q that the rows admit, orthonormal in scaled units
    velocities: Array  # (B, n, l): changes of v
    particular: Array  # P (B, n, m)
    response: Array  # R (B, n, n)
    undefined: NDArray[np.bool_]  # (B,) where R is, and zero here: a gimbal turned by a quarter

    @property
    def free(self) -> tuple[int, int]:
        """How many changes of v and of q the rows admit."""
        return self.velocities.shape[2], self.motions.shape[2]

    def blank(self, states: int) -> Split:
        """The same shapes for so many states, without an answer."""
        shapes = {name: (states, *x.shape[1:]) for name, x in vars(self).items()}
        arrays = {name: np.zeros(shape) for name, shape in shapes.items() if len(shape) > 1}
        return Split(**arrays, undefined=np.ones(states, bool))


@dataclass(frozen=True)
class SolvedSplit:
    """The same with the solution of the states."""

    split: Split
    v: Array  # (B, n)
    M: Array  # (B, n, n)
    J: Array  # (B, m, n)
    a: Array  # (B, n)
    multipliers: Array  # (B, m)
    inert: bool  # no free motion has as good as no inertia, which has been checked


def solved_split(equations: Equations, system: System, single: bool) -> SolvedSplit:
    """By numpy, or natively where fewer rows count than elsewhere."""
    found = _singular_split(equations, system) if single else None
    if found is not None:
        return found
    split, M = split_of(equations, system, single), system.M
    a = _times(split.particular, system.target)
    for _ in range(2):  # refined once, as in `solve`
        a = a + _times(split.response, system.force - _times(M, a))
    multipliers = _times(np.swapaxes(split.particular, 1, 2), _times(M, a) - system.force)
    return SolvedSplit(split, system.v, M, system.terms.J, a, multipliers, inert=False)


def compiled_split(
    equations: Equations, states: States, closed: bool, count: int = 0
) -> SolvedSplit | None:
    """By compiled code; None: there is none, or it has not converged at every state.  closed: open
    positions do not converge.  count: of all states that are asked for, of which these are some."""
    kernels = _split_program(equations, states, max(count, len(states)))
    found = None if kernels is None else results_of(equations, kernels, states, closed, True)
    if not found or not isfinite(found["a"].sum()):  # all marks of the code are on them
        return None
    s, N = equations.scaling, found["N"]
    velocities = _orthonormal(s, N)
    motions = _orthonormal(s, found["K"]) if "K" in found else velocities
    response = N @ found["H"] @ N.swapaxes(1, 2)
    split = Split(motions, velocities, found["P"], response, np.zeros(len(states), bool))
    known = {name: found[name] for name in ("M", "J", "a", "multipliers")}
    return SolvedSplit(split, states.arrays["v"], **known, inert=True)


def _split_program(equations: Equations, states: States, count: int) -> Program | None:
    """Code that splits the equations of states like these; None where there is none."""
    by_load = states.passive and equations.model.load_dependent_joints
    if by_load or not len(states) or not native():
        return None
    given = (states.reads, states.passive)
    key = ("split dynamics", *given, options_for(equations.evaluator.options, SLOPES, count).budget)
    return equations.memo.once(key, partial(_kernels, equations, *given, count))


def _kernels(
    equations: Equations, reads: tuple[str, ...], passive: bool, count: int
) -> Program | None:
    if not equations.constraints.ideal or not small(equations):
        return None
    every, of_places = _plans(equations)
    if every.pivots is None or of_places.pivots is None:
        return None
    s, places = equations.scaling, None if of_places is every else of_places
    algorithm = split_dynamics(every, places, (s.rows / s.length).tolist())
    return compiled_kernels(equations, algorithm, reads, passive, code=SLOPES, states=count)


def _orthonormal(scaling: Scaling, motions: Array) -> Array:
    """The same motions (B, n, k), orthonormal in scaled units."""
    return np.asarray(scaling.columns[:, None] * orthonormal(motions / scaling.columns[:, None]))


def _times(A: Array, x: Array) -> Array:
    """(B, m, n) by (B, n)."""
    return np.asarray((A @ x[..., None])[..., 0])


def split_of(equations: Equations, system: System, single: bool) -> Split:
    """Every state by dependent coordinates, or by the null space where those fail.  A state of a
    batch that admits another number of variations than the others is singular: undefined, and a
    warning says so."""
    holonomic = np.array(equations.constraints.holonomic, bool)
    whole, healthy = None, np.zeros(len(system.q), bool)
    if (embedded := _embedded(equations, system, holonomic)) is not None:
        whole, healthy = embedded
    others = {
        k: _by_null_space(equations, system, k, holonomic, single)
        for k in np.flatnonzero(~healthy).tolist()
    }
    if whole is None or not healthy.any():
        most = Counter(x.free for x in others.values()).most_common(1)[0][0]
        whole = next(x for x in others.values() if x.free == most).blank(len(system.q))
    blank = whole.blank(1)
    singular = [k for k, x in others.items() if x.free != whole.free]
    for k, other in others.items():
        for name, x in vars(blank if k in singular else other).items():
            getattr(whole, name)[k] = x[0]
    if singular:
        _warn_singular(singular, others[singular[0]].free[0], whole.free[0])
    return whole


def _warn_singular(states: list[int], own: int, usual: int) -> None:
    k, others = states[0], len(states) - 1
    warn_caller(
        f"forward_dynamics.derivatives: state {k}{f' (and {others} more)' if others else ''} is "
        f"NaN, for it is singular: it has {own} admissible variations, where others have {usual}. "
        f"Ask for its derivatives alone.",
        ProjectionWarning,
    )


def _embedded(
    equations: Equations, system: System, holonomic: NDArray[np.bool_]
) -> tuple[Split, NDArray[np.bool_]] | None:
    """By the dependent coordinates of the plans, and where these are healthy; None: there are
    none."""
    every, of_places = _plans(equations)
    if every.pivots is None or of_places.pivots is None:
        return None
    s, M = equations.scaling, system.M
    J = s.scaled(system.terms.J)
    N, P = _solved(every, J)
    K = N if of_places is every else _solved(of_places, J)[0]
    inner = np.swapaxes(N, 1, 2) @ (s.columns[:, None] * M * s.columns) @ N
    own = np.einsum("bii->bi", inner)
    opposed = own > _OPPOSED * inertia_sums(N, s.columns[:, None] * M * s.columns)
    size = np.sqrt(np.maximum(own, 1e-300))
    inverse = _inverse(inner / (size[:, :, None] * size[:, None, :]))
    largest = np.maximum(_largest(P), _largest(inverse))
    P = s.columns[:, None] * P * (s.rows / s.length)
    a = (P @ system.target[..., None])[..., 0]
    implied = np.maximum(_largest(J @ N), _largest(J[:, holonomic] @ K)) <= _FULFILLED
    healthy = (largest < _HEALTHY) & implied & opposed.all(axis=1)
    healthy &= fulfilled(equations, system.terms.J, system.target, system.v, a)
    inverse = inverse / (size[:, :, None] * size[:, None, :])
    R = s.columns[:, None] * (N @ inverse @ np.swapaxes(N, 1, 2)) * s.columns
    velocities = s.columns[:, None] * orthonormal(N)
    motions = velocities if K is N else s.columns[:, None] * orthonormal(K)
    return Split(motions, velocities, P, R, np.zeros(len(M), bool)), healthy


def _plans(equations: Equations) -> tuple[Plan, Plan]:
    """Of all rows, and of those that places have to keep; made once.  Places where fewer rows count
    than elsewhere, as of wheels whose axles meet, are left to the null space."""
    holonomic, every = np.array(equations.constraints.holonomic, bool), plan_of(equations)
    if every.pivots is None:
        general = lambda: make_plan(equations, implied=True, general=True)  # noqa: E731
        every = equations.memo.once("plan of general places", general)
    if holonomic.all():
        return every, every
    make = lambda: make_plan(equations, holonomic, implied=True)  # noqa: E731
    return every, equations.memo.once("plan of places", make)


def _solved(plan: Plan, J: Array) -> tuple[Array, Array]:
    """N (B, n, free) and P (B, n, m) of rows that are solved for dependent coordinates."""
    states, m, n = J.shape
    rows = [plan.kept[pivot.row] for pivot in plan.pivots or ()]
    dofs = [pivot.dof for pivot in plan.pivots or ()]
    others = [k for k in range(n) if k not in dofs]
    inverse = _inverse(J[:, rows][:, :, dofs])
    N, P = np.zeros((states, n, len(others))), np.zeros((states, n, m))
    N[:, others] = np.eye(len(others))
    N[:, dofs] = -inverse @ J[:, rows][:, :, others]
    P[:, np.array(dofs, int)[:, None], np.array(rows, int)] = inverse
    return N, P


def _inverse(A: Array) -> Array:
    """Of B matrices; NaN where one has none."""
    try:
        return np.asarray(np.linalg.inv(A))
    except np.linalg.LinAlgError:
        regular = np.linalg.slogdet(A)[0] != 0.0
        found = np.full(A.shape, np.nan)
        found[regular] = np.linalg.inv(A[regular])
        return found


def _largest(x: Array) -> Array:
    return np.abs(x).max(axis=(1, 2), initial=0.0)


def _by_null_space(
    equations: Equations, system: System, k: int, holonomic: NDArray[np.bool_], single: bool
) -> Split:
    """Of one state.  single: an error where its accelerations are undefined."""
    factor = equations.factor(system.terms, k)
    tolerance = equations.rank_tolerance(system.terms.residual[k])
    scaling = equations.scaling.of_rows(holonomic)
    places = Factor(system.terms.J[k][holonomic], scaling, tolerance)
    P = factor.motion(np.eye(equations.constraints.count))[0]
    try:
        R, undefined = responses(equations, system, k, factor), False
    except SingularError:
        if single:
            raise
        R, undefined = np.zeros(system.M[k].shape), True
    return Split(places.free[None], factor.free[None], P[None], R[None], np.array([undefined]))


def _singular_split(equations: Equations, system: System) -> SolvedSplit | None:
    """Of a single state by one native call for the null space; None where there is none, and where
    dependent coordinates may be healthy: as many rows count there as elsewhere."""
    terms, s, holonomic = system.terms, equations.scaling, equations.constraints.holonomic
    call = solve_call(*terms.J.shape[1:], True) if equations.constraints.ideal else None
    pivots = _plans(equations)[0].pivots
    if call is None or pivots is None:
        return None
    J, tolerance = terms.J[0], equations.rank_tolerance(terms.residual[0])
    if tolerance > _CLOSED:
        return None
    equation = (system.M.ravel(), system.force[0], J.ravel(), system.target[0])
    found = call(*equation, *s.weights, np.array([tolerance]))
    if found is None:
        return None
    a, multipliers, P_turned, R, (rank, _), Q_turned = found
    if rank >= len(pivots):
        return None
    velocities = (s.columns[:, None] * Q_turned[int(rank) :].T)[None]
    motions = velocities
    if not all(holonomic):
        rows = np.array(holonomic, bool)
        motions = Factor(J[rows], s.of_rows(rows), tolerance).free[None]
    split = Split(motions, velocities, P_turned.T[None], R[None], np.zeros(1, bool))
    known = (system.v, system.M, terms.J, a[None], multipliers[None])
    return SolvedSplit(split, *known, inert=False)


def responses(equations: Equations, system: System, k: int, factor: Factor) -> Array:
    """d a / d tau (nv, nv) of state k: N (N^T M N)^-1 N^T."""
    n, labels = equations.tables.nv, equations.model.v_labels
    target = np.zeros((equations.constraints.count, n))
    return solve(system.M[k], np.eye(n), factor, target, labels=labels).a
