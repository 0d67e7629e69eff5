"""Derivatives of constrained accelerations along the variations the constraints admit.

The equations  M a + h = tau + J^T λ,  J a = gamma  are differentiated with a and λ held (dual
numbers through the interpreted steps), and the answer solves the same equations:

    M da - J^T dλ = -d(first)|a,λ ,    J da = -d(second)|a
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.algorithms.constrained import defect
from armillary.algorithms.run import Run
from armillary.functions.constrained.nullspace import Answer, Factor, Scaling, solve
from armillary.functions.inputs import Array, wrench_rows
from armillary.scalar import Dual

if TYPE_CHECKING:
    from armillary.functions.constrained.engine import Engine, System
    from armillary.functions.core import External


@dataclass(frozen=True)
class ConstrainedDerivatives:
    """Derivatives of a.  Off the admissible variations a loop opens and there is no derivative.

    dtau (nv, nv); motions (nv, k): admissible variations of q (on the tangent space), dq (nv, k)
    the change of a along each of them, v held; velocities (nv, l) and dv (nv, l) likewise."""

    dtau: Array
    motions: Array
    dq: Array
    velocities: Array
    dv: Array

    def along(self, dq: Array, dv: Array, dtau: Array) -> Array:
        """Change of a for an admissible variation of everything."""
        x = np.linalg.lstsq(self.motions, dq, rcond=None)[0]
        y = np.linalg.lstsq(self.velocities, dv, rcond=None)[0]
        return np.asarray(self.dq @ x + self.dv @ y + self.dtau @ dtau)


def derivatives(
    engine: Engine, system: System, external: External, passive: bool
) -> ConstrainedDerivatives:
    """Of state 0 of the system."""
    answer = engine.answer(system, 0)
    M, n = system.M[0], engine.tables.nv
    holonomic = np.array(engine.ties.holonomic, bool)
    s = engine.scaling
    position = Factor(system.terms.J[0][holonomic], Scaling(s.length, s.rows[holonomic], s.columns),
                      engine.rank_tolerance(system.terms.residual[0]))  # fmt: skip
    motions, velocities = position.free, answer.factor.free
    still = np.zeros(n)
    probe = _Probe(engine, system, answer, external, passive)
    dq = [_change(M, answer.factor, *probe.slopes(d, still)) for d in motions.T]
    dv = [_change(M, answer.factor, *probe.slopes(still, d)) for d in velocities.T]
    zero = np.zeros(engine.ties.count)
    dtau = [solve(M, unit, answer.factor, zero).a for unit in np.eye(n)]
    columns = lambda rows: np.array(rows).T.reshape(n, -1)  # noqa: E731
    return ConstrainedDerivatives(columns(dtau), motions, columns(dq), velocities, columns(dv))


def _change(M: Array, factor: Factor, first: Array, second: Array) -> Array:
    return solve(M, -first, factor, -second).a


class _Probe:
    """Slopes of the equations along a variation, accelerations and multipliers held."""

    def __init__(
        self, engine: Engine, system: System, answer: Answer, external: External, passive: bool
    ):
        owner = engine.owner
        self.engine, self.base = engine, owner.base()
        ties = engine.ties if passive else engine.ties.bare
        self.tables = replace(owner.tables(True, passive), ties=ties)
        self.q, self.v = system.q[0].tolist(), system.v[0].tolist()
        self.algorithm = defect(answer.multipliers.tolist())
        self.inputs: dict[str, Any] = {"a": answer.a.tolist()}
        if external:
            given = {name: wrench_rows(name, x) for name, x in external.items()}
            self.inputs["external"] = owner._external(given, 1, self.tables)[0].tolist()

    def slopes(self, dq: Array, dv: Array) -> tuple[Array, Array]:
        model = self.engine.owner.model
        q: list[Any] = []
        for joint, slot in zip(model.joints, model.slots, strict=True):
            rates = joint.rate(self.q[slot.q], dq[slot.v].tolist())
            q += [Dual(x, rate) for x, rate in zip(self.q[slot.q], rates, strict=True)]
        v = [Dual(x, rate) for x, rate in zip(self.v, dv.tolist(), strict=True)]
        run: Any = Run(self.algorithm, self.tables, self.base, self.inputs | {"q": q, "v": v})
        return _slopes(run.flat), _slopes(run.rows)


def _slopes(values: list[Any]) -> Array:
    return np.array([float(x.slope) if isinstance(x, Dual) else 0.0 for x in values])
