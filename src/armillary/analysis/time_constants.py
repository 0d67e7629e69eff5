"""How fast motors and friction slow an arm down, and the time step that follows.

A motor held at a voltage brakes with  n² K² / R  per velocity, viscous friction with its own b:

    M(q) dv/dt + D v = ...,    D = diag(n² K² / R + b)

The mechanical time constants are 1/λ of  D x = λ M x;  of one motor alone  J R / (n K)².
[Swartz1982] integrates with about 1/15 of the smallest.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import ArrayLike

from armillary.analysis.zero_modes import eigenvalues
from armillary.errors import InputError
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.model.arguments import name_arguments
from armillary.shown import shown

PARTS = 15.0  # of the smallest time constant


@shown
@dataclass(frozen=True)
class TimeConstants:
    """Seconds; inf: nothing brakes."""

    labels: tuple[str, ...]
    alone: Array  # (nv,) of every joint with the others held
    coupled: Array  # (nv,) of the whole arm, the smallest first
    shape: Array  # (nv,) motion of the smallest, largest entry 1
    electrical: Array  # (nv,) L / R of every motor, 0 without inductance or motor

    @property
    def smallest(self) -> float:
        """Of the arm and its motors' windings, mechanical and electrical."""
        windings = self.electrical[self.electrical > 0.0]
        return float(min(self.coupled[0], *windings, inf))

    @property
    def step(self) -> float:
        """Suggested for explicit methods such as rk3: 1/15 of the smallest."""
        return self.smallest / PARTS

    def __str__(self) -> str:
        if self.smallest == inf:
            return "no motor and no viscous friction: no time constant"
        name = self.labels[int(np.argmax(np.abs(self.shape)))]
        lines = [
            f"smallest mechanical time constant {self.coupled[0]:.4g} s (mostly '{name}'); "
            f"suggested step 1/15 of it: {self.coupled[0] / PARTS:.3g} s"
        ]
        if self.smallest < self.coupled[0]:
            lines.append(
                f"smallest electrical time constant {self.smallest:.4g} s (L/R); "
                f"suggested step 1/15 of it: {self.step:.3g} s"
            )
        return "\n".join(lines)


@name_arguments
def time_constants(mechanism: Mechanism, q: ArrayLike | None = None) -> TimeConstants:
    """Time constants of an arm with motors at q (default: where it starts); a tree.

    Springs and force elements are not counted: `mechanism.modes` has their periods."""
    model = mechanism.model
    if mechanism.constraints:
        raise InputError(
            f"'{mechanism.name}' is closed: time_constants takes trees. Use mechanism.modes()."
        )
    place = np.asarray(model.start() if q is None else q, float)
    braking, electrical = np.zeros(model.nv), np.zeros(model.nv)
    for body, slot in zip(model.bodies, model.slots, strict=True):
        for k, entry in enumerate(range(slot.v.start, slot.v.stop)):
            if body.joint.passive:
                braking[entry] += body.joint.passive[k].viscous
            if body.motor is not None:
                motor = body.motor
                braking[entry] += (motor.gear * motor.torque_constant) ** 2 / motor.resistance
                electrical[entry] = motor.inductance / motor.resistance
    M = mechanism.mass_matrix(place)
    with np.errstate(divide="ignore", invalid="ignore"):
        alone = np.where(braking > 0.0, np.diag(M) / braking, inf)
    rates, shapes = _eigen(braking, M)
    with np.errstate(divide="ignore"):
        coupled = np.where(rates > 0.0, 1.0 / rates, inf)
    fastest = shapes[:, 0] / np.abs(shapes[:, 0]).max()
    return TimeConstants(mechanism.v_labels, alone, coupled, fastest, electrical)


def _eigen(braking: Array, M: Array) -> tuple[Array, Array]:
    """λ (nv,), the greatest first, and shapes of D x = λ M x: where D brakes those of
    √D M⁻¹ √D, else exactly 0."""
    try:
        inverse = np.linalg.inv(np.linalg.cholesky(M))
    except np.linalg.LinAlgError:
        raise InputError("the mass matrix is singular: a joint moves no mass.") from None
    own = braking > 0.0
    moved = inverse.T @ inverse[:, own] * np.sqrt(braking[own])
    square = np.sqrt(braking[own])[:, None] * moved[own]
    values, vectors = eigenvalues(square, np.zeros_like(square))
    order = np.argsort(-values.real)
    left = np.eye(len(M))[:, ~own]
    rates = np.concatenate([values.real[order], np.zeros(left.shape[1])])
    return rates, np.concatenate([moved @ vectors.real[:, order], left], axis=1)
