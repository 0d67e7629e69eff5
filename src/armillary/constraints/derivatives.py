"""Derivatives of constrained accelerations along the variations the constraints admit.

The equations  M a + h = tau + J^T λ,  J a = gamma  are differentiated with a and λ held (dual
numbers through their steps), and the answer solves the same equations:

    M da - J^T dλ = -d(first)|a,λ ,    J da = -d(second)|a

A mechanism that moves cannot change q alone:  J(q + dq) (v + dv) = 0  demands

    J dv = -d(J v)|v ,    of which the smallest, by kinetic energy, is carried along with dq.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armillary.algorithms.closed.constrained import defect_slopes
from armillary.algorithms.interpreter import Run
from armillary.constraints.compiled_rows import Asked
from armillary.constraints.nullspace import Answer, Factor, Scaling, smallest, solve
from armillary.errors import ModelError
from armillary.evaluate.array_text import arrays_text
from armillary.evaluate.derivatives import ForwardDerivatives
from armillary.evaluate.inputs import Array, wrench_rows
from armillary.evaluate.request import Request
from armillary.scalar import Scalar
from armillary.shown import shown

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations, System
    from armillary.evaluate.evaluator import External
    from armillary.evaluate.program import Program

_WORTH = 200  # directions: for fewer, the interpreter is done before their code is compiled
_SINGULAR = 1e-6  # of the velocities: a variation that rows forbid by more leads nowhere


@shown
@dataclass(frozen=True)
class ConstrainedDerivatives:
    """Derivatives of a.  Off the admissible variations a loop opens and there is no derivative.

    dtau (nv, nv).  motions (nv, k): admissible variations of q (on the tangent space); dq (nv, k)
    the change of a along each of them with v held.  carried (nv, k): the change of v that each of
    them demands, least by kinetic energy; moved (nv, k) the change of a with v carried along.
    velocities (nv, l): admissible variations of v alone; dv (nv, l) the change of a along them.
    full: `dq`, `dv`, `dtau`, (nv, nv) each, as for a tree: derivatives of the acceleration at
    project(q, v), the nearest admissible state.  A batch has (B, ...) of everything."""

    dtau: Array
    motions: Array
    dq: Array
    carried: Array
    moved: Array
    velocities: Array
    dv: Array
    full: ForwardDerivatives

    def __str__(self) -> str:
        parts = {field.name: getattr(self, field.name) for field in fields(self)}
        del parts["full"]
        return arrays_text(
            "derivatives of a along admissible variations; .full: as of a tree", parts
        )

    def jvp(self, q: ArrayLike = 0.0, v: ArrayLike = 0.0, tau: ArrayLike = 0.0) -> Array:
        """Change of a (nv) for small changes of q (tangent), v and tau.

        Changes that are not admissible count as the nearest that are, by kinetic energy: v = 0
        leaves the change of v to what that of q demands."""
        return self.full.jvp(q, v, tau)

    def vjp(self, weight: ArrayLike) -> tuple[Array, Array, Array]:
        """Gradient of weight · a with respect to q (tangent), v and tau: `jvp`, transposed."""
        return self.full.vjp(weight)


def derivatives(
    equations: Equations, system: System, external: External, passive: bool, single: bool
) -> ConstrainedDerivatives:
    """Of every state of the system."""
    if not equations.constraints.ideal:
        name = next(c.name for c in equations.model.contacts if c.friction)
        raise ModelError(
            f"forward_dynamics.derivatives: contact '{name}' rubs, and derivatives are known only "
            f"where constraint forces act along their rows. Set its friction to zero, or take "
            f"differences of forward_dynamics between states of project(q, v)."
        )
    found = [_of_state(equations, system, k, external, passive) for k in range(len(system.q))]
    return found[0] if single else _stacked(found, equations.tables.nv)


def _stacked(found: Sequence[ConstrainedDerivatives], nv: int) -> ConstrainedDerivatives:
    if not found:  # how many variations there are is not known
        square, none = np.zeros((0, nv, nv)), np.zeros((0, nv, 0))
        full = ForwardDerivatives(square, square, square)
        return ConstrainedDerivatives(square, *(none,) * 6, full)
    for kind in ("motions", "velocities"):
        free = [getattr(d, kind).shape[1] for d in found]
        if len(set(free)) > 1:
            k = free.index(max(free))
            raise ModelError(
                f"forward_dynamics.derivatives: state {k} has {free[k]} admissible variations and "
                f"others have {min(free)}; it is singular. Ask for its derivatives alone."
            )
    parts: dict[str, Array] = {
        field.name: np.stack([getattr(d, field.name) for d in found])
        for field in fields(ConstrainedDerivatives)
        if field.name != "full"
    }
    full = ForwardDerivatives(*(np.stack(x) for x in zip(*(d.full for d in found), strict=True)))
    return ConstrainedDerivatives(**parts, full=full)


def _of_state(
    equations: Equations, system: System, k: int, external: External, passive: bool
) -> ConstrainedDerivatives:
    answer = equations.answer(system, k)
    M = system.M[k]
    holonomic = np.array(equations.constraints.holonomic, bool)
    s = equations.scaling
    scaling = s.of_rows(holonomic)
    tolerance = equations.rank_tolerance(system.terms.residual[k])
    position = Factor(system.terms.J[k][holonomic], scaling, tolerance)
    motions, velocities = position.free, answer.factor.free
    probe = _Probe(equations, system, k, answer, external, passive)
    still = np.zeros_like
    dtau = responses(equations, system, k, answer.factor)

    def changes(first: Array, second: Array, rates: Array) -> Array:
        """da (n, k) that balances slopes of both equations."""
        da = answer.factor.motion(-second)[0]
        for _ in range(2):  # refined once, as in `solve`
            da = da - dtau @ (first + M @ da)
        return da

    slopes = probe.slopes(motions, still(motions))
    dq = changes(*slopes)
    carried = _carried(equations, M, answer.factor, slopes[2], system.v[k])
    moved = dq + changes(*probe.slopes(still(carried), carried))
    by_v = changes(*probe.slopes(still(velocities), velocities))
    onto_q, onto_v = _onto(motions, M, s), _onto(velocities, M, s)
    full = ForwardDerivatives(moved @ onto_q, by_v @ onto_v, dtau)
    return ConstrainedDerivatives(dtau, motions, dq, carried, moved, velocities, by_v, full)


def responses(equations: Equations, system: System, k: int, factor: Factor) -> Array:
    """d a / d tau (nv, nv) of state k: N (N^T M N)^-1 N^T."""
    n = equations.tables.nv
    return solve(system.M[k], np.eye(n), factor, np.zeros((equations.constraints.count, n))).a


def _onto(motions: Array, M: Array, scaling: Scaling) -> Array:
    """(k, nv): coordinates along the motions of what is nearest to a change, by kinetic energy."""
    if not motions.shape[1]:
        return np.zeros((0, len(M)))
    size = np.maximum(np.diag(M), np.trace(M) / len(M) * 1e-12)
    weighted = np.sqrt(size)[:, None] * motions
    inner = motions.T @ M @ motions
    if np.linalg.cond(inner) > 1e14:  # motions without inertia: any measure of them will do
        return np.linalg.pinv(motions / scaling.columns[:, None]) / scaling.columns
    _, R = np.linalg.qr(weighted)
    inverse = np.linalg.inv(R)  # the motions made of one size first
    return np.asarray(
        inverse @ np.linalg.solve(inverse.T @ inner @ inverse, inverse.T @ motions.T @ M)
    )


def _carried(equations: Equations, M: Array, factor: Factor, rates: Array, v: Array) -> Array:
    """The smallest changes of v (n, k), by kinetic energy, that keep the rates of the rows."""
    if not rates.any():
        return np.zeros((len(M), rates.shape[1]))
    found = smallest(M, factor, -rates, equations.model.v_labels)
    s = equations.scaling
    open_ = (s.rows / s.length)[:, None] * (factor.J @ found + rates)
    left = np.abs(open_).max(initial=0.0)
    if left > _SINGULAR * np.abs(v / s.columns).max(initial=0.0):
        raise ModelError(
            f"forward_dynamics.derivatives: '{equations.model.name}' is in a singular position, "
            f"where a variation that its rows admit leads nowhere while it moves. Ask beside it."
        )
    return found


class _Probe:
    """Slopes of the equations along variations, accelerations and multipliers held."""

    def __init__(
        self,
        equations: Equations,
        system: System,
        k: int,
        answer: Answer,
        external: External,
        passive: bool,
    ):
        owner = equations.evaluator
        self.equations, self.passive = equations, passive
        constraints = equations.constraints if passive else equations.constraints.bare
        self.tables = replace(owner.tables(True, passive), constraints=constraints)
        self.state = {"q": system.q[k], "v": system.v[k], "a": answer.a}
        if external:
            given = {name: wrench_rows(name, x) for name, x in external.items()}
            self.state["external"] = owner.external_rows(given, len(system.q), self.tables)[k]
        self.state["multipliers"] = answer.multipliers

    def slopes(self, dq: Array, dv: Array) -> tuple[Array, Array, Array]:
        """Of the equations of motion (n, k), of J a - gamma and of J v (m, k), along the columns
        of dq and dv (n, k)."""
        kernels = self._kernels(dq.shape[1])
        if kernels is not None:
            inputs = {name: x[None] for name, x in self.state.items()}
            inputs |= {"dq": np.ascontiguousarray(dq.T), "dv": np.ascontiguousarray(dv.T)}
            found = kernels(inputs, dq.shape[1], self.equations.evaluator.base_numbers)
        else:
            lines = [self._interpreted(*pair) for pair in zip(dq.T, dv.T, strict=True)]
            n, m = len(dq), self.equations.constraints.count
            sizes = {"balance": n, "rows": m, "rates": m}
            found = {
                name: np.array([line[name] for line in lines], float).reshape(len(lines), size)
                for name, size in sizes.items()
            }
        return found["balance"].T, found["rows"].T, found["rates"].T

    def _kernels(self, count: int) -> Program | None:
        """Compiled once so many directions were asked for that it is worth its making."""
        memo, reads = self.equations.memo, (*self.state, "dq", "dv")
        asked = memo.once("directions of derivatives", Asked)
        asked.count += count
        if asked.count < _WORTH or not count:
            return None
        return memo.once(("slopes", reads, self.passive), lambda: self._made(reads))

    def _made(self, reads: tuple[str, ...]) -> Program | None:
        from armillary.evaluate.program import Program

        owner = self.equations.evaluator
        request = Request(defect_slopes, reads, owner.moving_base, owner.vertical_gravity)
        kernels = Program(request, self.tables, owner.options)
        return kernels if kernels.straight() else None

    def _interpreted(self, dq: Array, dv: Array) -> dict[str, list[Scalar]]:
        numbers = self.state | {"dq": dq, "dv": dv}
        inputs = {name: x.tolist() for name, x in numbers.items()}
        return Run(defect_slopes, self.tables, self.equations.evaluator.base(), inputs).results
