"""Own states of force elements (Maxwell's tension, filters of user laws) in small motion.

Beside the changes of q and v stand those of z,  dz/dt = r(q, v, z),  and the forces along the
joints change by  f_z dz:  the model's elements are taken at the states that their laws hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from armillary.algorithms.forces.changing import changing_elements
from armillary.algorithms.interpreter import Run
from armillary.analysis.point import Point
from armillary.errors import NotFiniteError
from armillary.evaluate.inputs import Array
from armillary.evaluate.needs import refuse_undefined_elements
from armillary.mechanism.mechanism import Mechanism
from armillary.model.elements.element import ForceElement
from armillary.scalar import Dual, Scalar

_STEADY = 1e-9  # of what their rates are made of: less is rounding


@dataclass(frozen=True)
class OwnStates:
    """k states of all elements: rates (k); their slopes along q (tangent) and v (k, nv each) and
    along the states themselves (k, k); what each adds to the joint forces (nv, k)."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    rates: Array
    by_q: Array
    by_v: Array
    by_z: Array
    forces: Array

    @property
    def changing(self) -> str | None:
        """The state that changes most where the motion is held, if any does."""
        if not self.names or not self.rates.any():
            return None
        in_play = np.abs(np.concatenate([self.by_q, self.by_v, self.by_z], axis=1)).max(axis=1)
        share = np.abs(self.rates) / np.maximum(in_play, 1e-300)
        k = int(np.argmax(share))
        return self.names[k] if share[k] > _STEADY else None


def state_names(part: ForceElement) -> tuple[str, ...]:
    """Of the states of an element that stand for themselves; of steady ones none do."""
    names = () if part.law.answers_steady else part.law.state_names()
    return tuple(f"{part.name}.{name}" for name in names)


def own_states(mechanism: Mechanism, at: Point) -> OwnStates:
    """By dual numbers through the laws."""
    parts = [(k, p) for k, p in enumerate(mechanism.model.elements) if state_names(p)]
    names = [name for _, part in parts for name in state_names(part)]
    units = [unit for _, part in parts for unit in part.law.state_units()]
    nv, k = mechanism.nv, len(names)
    rates, force = np.zeros((2 * nv + k, k)), np.zeros((2 * nv + k, nv))
    if not k:
        none = np.zeros((0, nv))
        return OwnStates((), (), np.zeros(0), none, none, np.zeros((0, 0)), none.T)
    changing = tuple((n, len(part.law.state_names()), 0, 0) for n, part in parts)
    evaluator, algorithm = mechanism.evaluator, changing_elements(changing)
    held = [float(x) for _, part in parts for x in vars(part.law)["state"]]
    now = np.zeros(k)
    for n, state in enumerate(_directions(mechanism, at, held)):
        try:
            run = Run(algorithm, evaluator.tables(), evaluator.base(), state)
        except ZeroDivisionError as fault:  # ends that coincide
            refuse_undefined_elements(evaluator.undefined_elements({"q": at.q, "v": at.v}))
            raise NotFiniteError(str(fault)) from None
        found = [Dual.lift(x) for x in run.result("rates")]
        now, rates[n] = np.array([x.value for x in found]), [x.slope for x in found]
        force[n] = [Dual.lift(x).slope for x in run.result("force")]
    return OwnStates(
        tuple(names),
        tuple(units),
        now,
        rates[:nv].T,
        rates[nv : 2 * nv].T,
        rates[2 * nv :].T,
        force[2 * nv :].T,
    )


def _directions(
    mechanism: Mechanism, at: Point, held: Sequence[float]
) -> Iterator[dict[str, Sequence[Scalar]]]:
    """The state with slopes along each entry of q (tangent), v and z in turn."""
    nv, k = mechanism.nv, len(held)
    for n in range(2 * nv + k):
        step = [1.0 if i == n else 0.0 for i in range(2 * nv + k)]
        q: list[Scalar] = []
        for joint, slot in zip(mechanism.model.joints, mechanism.model.slots, strict=True):
            q += joint.integrate(at.q[slot.q].tolist(), [Dual(0.0, x) for x in step[slot.v]])
        yield {
            "q": q,
            "v": [Dual(x, step[nv + i]) for i, x in enumerate(at.v.tolist())],
            "states": [Dual(x, step[2 * nv + i]) for i, x in enumerate(held)],
            "inputs": (),
        }
