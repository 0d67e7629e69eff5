"""Derivatives of constrained accelerations along the variations the constraints admit.

The equations  M a + h = tau + J^T λ,  J a = gamma  are differentiated with a and λ held (dual
numbers through their steps), and the answer solves the same equations:

    M da - J^T dλ = -d(first)|a,λ ,    J da = -d(second)|a

A mechanism that moves cannot change q alone:  J(q + dq) (v + dv) = 0  demands

    J dv = -d(J v)|v ,    of which the smallest, by kinetic energy, is carried along with dq.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armillary.algorithms.closed.constrained import defect_slopes
from armillary.algorithms.interpreter import Run
from armillary.constraints.compiled_rows import Asked
from armillary.constraints.nullspace import Scaling
from armillary.constraints.splitting import split_of
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
    if not len(system.q):  # how many variations there are is not known
        n = equations.tables.nv
        square, none = np.zeros((0, n, n)), np.zeros((0, n, 0))
        full = ForwardDerivatives(square, square, square)
        return ConstrainedDerivatives(square, *(none,) * 6, full)
    found = _of_states(equations, system, external, passive)
    if not single:
        return found
    parts = {field.name: getattr(found, field.name)[0] for field in fields(found)[:-1]}
    return ConstrainedDerivatives(**parts, full=ForwardDerivatives(*(x[0] for x in found.full)))


def _of_states(
    equations: Equations, system: System, external: External, passive: bool
) -> ConstrainedDerivatives:
    split = split_of(equations, system)
    P, dtau, M, motions = split.particular, split.response, system.M, split.motions
    a = _times(P, system.target)
    for _ in range(2):  # refined once, as in `solve`
        a = a + _times(dtau, system.force - _times(M, a))
    multipliers = _times(np.swapaxes(P, 1, 2), _times(M, a) - system.force)
    probe = _Probe(equations, system, a, multipliers, external, passive)

    def changes(first: Array, second: Array) -> Array:
        """da (B, n, k) that balances slopes of both equations."""
        da = -P @ second
        for _ in range(2):
            da = da - dtau @ (first + M @ da)
        return da

    first, second, rates = probe.slopes(motions, np.zeros_like(motions))
    dq = changes(first, second)
    carried = -P @ rates  # the smallest changes of v, by kinetic energy, that keep the rows
    for _ in range(2):
        carried = carried - dtau @ (M @ carried)
    _refuse_singular(equations, system, carried, rates)
    along = np.concatenate([carried, split.velocities], axis=2)
    by_v = changes(*probe.slopes(np.zeros_like(along), along)[:2])
    moved, dv = dq + by_v[..., : motions.shape[2]], by_v[..., motions.shape[2] :]
    onto_q, onto_v = (_onto(x, M, equations.scaling) for x in (motions, split.velocities))
    full = ForwardDerivatives(moved @ onto_q, dv @ onto_v, dtau)
    return ConstrainedDerivatives(dtau, motions, dq, carried, moved, split.velocities, dv, full)


def _times(A: Array, x: Array) -> Array:
    """(B, m, n) by (B, n)."""
    return np.asarray((A @ x[..., None])[..., 0])


def _onto(motions: Array, M: Array, scaling: Scaling) -> Array:
    """(B, k, nv): coordinates along the motions of what is nearest to a change, by kinetic energy."""
    if not motions.shape[2]:
        return np.zeros((len(M), 0, M.shape[1]))
    transposed = np.swapaxes(motions, 1, 2)
    inner = transposed @ M @ motions
    flat = np.linalg.cond(inner) > 1e14  # motions without inertia: any measure of them will do
    diagonal = np.einsum("bii->bi", M)
    size = np.maximum(diagonal, diagonal.mean(axis=1, keepdims=True) * 1e-12)
    _, R = np.linalg.qr(np.sqrt(size)[..., None] * motions)
    R[flat], inner[flat] = (np.eye(motions.shape[2]),) * 2
    inverse = np.linalg.inv(R)  # the motions made of one size first
    back = np.swapaxes(inverse, 1, 2)
    found = inverse @ np.linalg.solve(back @ inner @ inverse, back @ transposed @ M)
    for k in np.flatnonzero(flat):
        found[k] = np.linalg.pinv(motions[k] / scaling.columns[:, None]) / scaling.columns
    return np.asarray(found)


def _refuse_singular(equations: Equations, system: System, carried: Array, rates: Array) -> None:
    """Changes of v that leave rates of the rows: no motion goes on from there."""
    s = equations.scaling
    left = np.abs((s.rows / s.length)[:, None] * (system.terms.J @ carried + rates))
    speeds = np.abs(system.v / s.columns).max(axis=1, initial=0.0)
    if (left.max(axis=(1, 2), initial=0.0) > _SINGULAR * speeds).any():
        raise ModelError(
            f"forward_dynamics.derivatives: '{equations.model.name}' is in a singular position, "
            f"where a variation that its rows admit leads nowhere while it moves. Ask beside it."
        )


class _Probe:
    """Slopes of the equations along variations, accelerations and multipliers held."""

    def __init__(
        self,
        equations: Equations,
        system: System,
        a: Array,
        multipliers: Array,
        external: External,
        passive: bool,
    ):
        owner = equations.evaluator
        self.equations, self.passive = equations, passive
        constraints = equations.constraints if passive else equations.constraints.bare
        self.tables = replace(owner.tables(True, passive), constraints=constraints)
        self.states = {"q": system.q, "v": system.v, "a": a}
        if external:
            given = {name: wrench_rows(name, x) for name, x in external.items()}
            self.states["external"] = owner.external_rows(given, len(system.q), self.tables)
        self.states["multipliers"] = multipliers

    def slopes(self, dq: Array, dv: Array) -> tuple[Array, Array, Array]:
        """Of the equations of motion (B, n, k), of J a - gamma and of J v (B, m, k), along the
        columns of dq and dv (B, n, k)."""
        states, n, k = dq.shape
        inputs = {name: np.repeat(x, k, axis=0) for name, x in self.states.items()}
        for name, x in (("dq", dq), ("dv", dv)):
            inputs[name] = np.swapaxes(x, 1, 2).reshape(states * k, n)
        kernels = self._kernels(states * k)
        if kernels is not None:
            found = kernels(inputs, states * k, self.equations.evaluator.base_numbers)
        else:
            found = self._interpreted(inputs)
        sizes = {"balance": n, "rows": self.equations.constraints.count}
        sizes["rates"] = sizes["rows"]
        balance, rows, rates = (
            np.swapaxes(np.array(found[name], float).reshape(states, k, size), 1, 2)
            for name, size in sizes.items()
        )
        return balance, rows, rates

    def _kernels(self, count: int) -> Program | None:
        """Compiled once so many directions were asked for that it is worth its making."""
        memo, reads = self.equations.memo, (*self.states, "dq", "dv")
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

    def _interpreted(self, inputs: Mapping[str, Array]) -> dict[str, list[list[Scalar]]]:
        """Direction by direction, by the interpreter."""
        base, found = self.equations.evaluator.base(), []
        for line in zip(*(x.tolist() for x in inputs.values()), strict=True):
            given = dict(zip(inputs, line, strict=True))
            found.append(Run(defect_slopes, self.tables, base, given).results)
        names = ("balance", "rows", "rates")
        return {name: [results[name] for results in found] for name in names}
