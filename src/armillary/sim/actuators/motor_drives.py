"""One direct-current motor with a gear, in the quantities of its joint.

    V = R i + L di/dt + n K v          tau = n K i, less what the gear takes

n: motor turns per joint turn; K: N m/A and V s/rad.  The rotor's inertia belongs to the model
(`Rotor`, gear² · inertia in the mass matrix).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import NamedTuple

from armillary.model.parts import Motor
from armillary.scalar import Scalar, sign, tanh, where
from armillary.sim.control.block import clip


class Power(NamedTuple):
    """Watts:  electrical = copper + field + gear + mechanical."""

    electrical: Scalar
    copper: Scalar  # R i²
    field: Scalar  # L i di/dt, stored
    gear: Scalar  # lost in the gear
    mechanical: Scalar  # tau v


@dataclass(frozen=True)
class Drive:
    """One motor at one degree of freedom; every method takes any kind of scalar.

    smoothing (rad/s or m/s of the joint): over which the gear's loss changes its sign with the
    velocity; 0: at once."""

    motor: Motor
    smoothing: float = 0.0

    @property
    def constant(self) -> float:
        """n K: joint force per ampere, volts per joint velocity."""
        return self.motor.gear * self.motor.torque_constant

    def force(self, current: Scalar, v: Scalar) -> Scalar:
        """tau = n K i (motor drives: times efficiency; load drives: over efficiency)."""
        return self.constant * current * self._share(self.constant * current, v)

    def current(self, force: Scalar, v: Scalar) -> Scalar:
        """The current for a joint force: the inverse of `force`."""
        return force / (self.constant * self._share(force, v))

    def _share(self, force: Scalar, v: Scalar) -> Scalar:
        """Joint force over n K i: 1 at rest, the efficiency when the motor drives, one over it
        when the load drives the motor."""
        eta = self.motor.efficiency
        if isinstance(eta, (int, float)) and eta == 1.0:
            return 1.0
        direction = tanh(v / self.smoothing) if self.smoothing > 0.0 else sign(v)
        with_motion = sign(force) * direction
        return 1.0 - with_motion * where(with_motion > 0.0, 1.0 - eta, 1.0 / eta - 1.0)

    def back_emf(self, v: Scalar) -> Scalar:
        return self.constant * v

    def steady_current(self, voltage: Scalar, v: Scalar) -> Scalar:
        """(V - n K v) / R, within the current limit [Swartz1982, 12]."""
        return self.limited((voltage - self.back_emf(v)) / self.motor.resistance)

    def limited(self, current: Scalar) -> Scalar:
        top = self.motor.current_limit
        return current if top is None else clip(current, -top, top)

    def supply(self, voltage: Scalar) -> Scalar:
        top = self.motor.voltage_limit
        return voltage if top is None else clip(voltage, -top, top)

    def current_rate(self, voltage: Scalar, v: Scalar, current: Scalar) -> Scalar:
        """di/dt = (V - R i - n K v) / L; the amplifier keeps it from the current limit."""
        motor = self.motor
        rate = (voltage - motor.resistance * current - self.back_emf(v)) / motor.inductance
        if motor.current_limit is None:
            return rate
        top, decay = motor.current_limit, motor.resistance / motor.inductance
        inward = where(current >= top, clip(rate, -inf, (top - current) * decay), rate)
        return where(current <= -top, clip(rate, (-top - current) * decay, inf), inward)

    def voltage(self, current: Scalar, v: Scalar, current_rate: Scalar = 0.0) -> Scalar:
        """V = R i + n K v + L di/dt [Swartz1982, 11]."""
        motor = self.motor
        return motor.resistance * current + self.back_emf(v) + motor.inductance * current_rate

    def power(self, current: Scalar, v: Scalar, current_rate: Scalar = 0.0) -> Power:
        copper = self.motor.resistance * current * current
        stored = self.motor.inductance * current * current_rate
        drawn = self.constant * current * v
        out = self.force(current, v) * v
        return Power(copper + stored + drawn, copper, stored, drawn - out, out)
