"""A flexible transmission: rotor and joint are two bodies with a spring between them."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from armillary.errors import InputError, ModelError
from armillary.mechanism.mechanism import Mechanism
from armillary.model.arguments import name_arguments
from armillary.scalar import Scalar, tanh
from armillary.sim.actuators.dc_motor import DCMotor, rotors_of
from armillary.sim.control.block import Block, Scalars, made_for
from armillary.sim.motion.coordinates import argument_units, freedoms, one_number, per_freedom

_UNITS = {
    "stiffness": "{F}/{x}",
    "inertia": "{F} s²/{x}",
    "damping": "{F} s/{x}",
    "friction": "{F} s/{x}",
    "coulomb": "{F}",
    "smoothing": "{x}/s",
    "stretch": "{x}",
}


class FlexibleTransmission(Block):
    """A spring and a damper between rotor and joint, both counted at the joint (ω = motor / n):

        stretch' = ω - v        B ω' = drive - friction ω - coulomb tanh(ω / smoothing) - tau
        tau = stiffness stretch + damping (ω - v)

    friction, coulomb (N m or N): viscous and dry friction on the rotor; smoothing (rad/s or m/s):
    over which the dry part changes its sign.  Below it the rotor creeps where a real one sticks.
    B = inertia (kg m² or kg at the joint: gear² times the rotor's own).  The states are stretch
    and ω of every flexible joint.  drive: the command as a joint-side force, or the force of
    `motors` (a `DCMotor` of the same joints), which then turn with the rotor's velocity."""

    entries: list[int]

    @name_arguments
    def __init__(
        self,
        mechanism: Mechanism,
        joints: Sequence[str] | str,
        *,
        stiffness: ArrayLike,
        inertia: ArrayLike,
        damping: ArrayLike = 0.0,
        friction: ArrayLike = 0.0,
        coulomb: ArrayLike = 0.0,
        smoothing: float = 1e-3,
        stretch: ArrayLike = 0.0,
        motors: DCMotor | None = None,
    ):
        self.built_for = made_for(mechanism)
        self.entries = freedoms(mechanism, joints)
        labels = [mechanism.v_labels[i] for i in self.entries]
        n = len(labels)
        names = ("stiffness", "inertia", "damping", "friction", "coulomb", "stretch")
        given = (stiffness, inertia, damping, friction, coulomb, stretch)
        numbers = {
            name: per_freedom(name, value, n, labels, None if name == "stretch" else 0.0)
            for name, value in zip(names, given, strict=True)
        }
        for label, number in zip(labels, numbers["inertia"], strict=True):
            if number == 0.0:
                raise InputError(f"inertia of '{label}': expected more than 0, found 0.")
        if motors is not None and not isinstance(motors, DCMotor):
            raise InputError(f"motors: expected a DCMotor, found {type(motors).__name__}.")
        self.stiffness, self.inertia = numbers["stiffness"], numbers["inertia"]
        self.damping, self.friction = numbers["damping"], numbers["friction"]
        self.coulomb, self.smoothing = numbers["coulomb"], one_number("smoothing", smoothing, 0.0)
        if any(self.coulomb) and self.smoothing == 0.0:
            raise InputError("smoothing: expected more than 0 rad/s where there is dry friction.")
        self.stretch, self.motors = numbers["stretch"], motors
        self.starts_steady = motors is not None and motors.starts_steady
        self.own = tuple(
            f"{mechanism.v_labels[i]}.{x}"
            for i in self.entries
            for x in ("stretch", "rotor_velocity")
        )
        self.states = self.own + (motors.states if motors else ())
        self.period = motors.period if motors else None
        _refuse_rigid_rotors(mechanism, self.entries)
        self.argument_units = {
            **DCMotor.argument_units,
            **argument_units(mechanism, self.entries, _UNITS),
        }

    def start(
        self, mechanism: Mechanism, q: Scalars | None = None, v: Scalars | None = None
    ) -> list[Scalar]:
        """The rotor turns with the joint, the spring as given."""
        own: list[Scalar] = []
        for i, stretch in zip(self.entries, self.stretch, strict=True):
            own += [stretch, 0.0 if v is None else v[i]]
        return own + (self.motors.start(mechanism, q, v) if self.motors else [])

    def force(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        forces = list(u)
        for k, i in enumerate(self.entries):
            forces[i] = self._spring(k, v[i], z)
        return forces

    def rate(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        drive, turning, share = self._driven(t, q, v, z, u)
        rates: list[Scalar] = []
        for k, i in enumerate(self.entries):
            load = self.friction[k] * turning[i] + self._dry(k, turning[i])
            load = load + self._spring(k, v[i], z)
            rates += [turning[i] - v[i], (drive[i] - load) / self.inertia[k]]
        return rates + (self.motors.rate(t, q, turning, share, u) if self.motors else [])

    def steady(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        """Of the motors; spring and rotor begin as they are."""
        _, turning, share = self._driven(t, q, v, z, u)
        own = list(z[: len(self.own)])
        return own + (self.motors.steady(t, q, turning, share, u) if self.motors else [])

    def signals(
        self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars
    ) -> dict[str, list[Scalar]]:
        _, turning, share = self._driven(t, q, v, z, u)
        return self.motors.signals(t, q, turning, share, u) if self.motors else {}

    def _driven(
        self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars
    ) -> tuple[list[Scalar], list[Scalar], Scalars]:
        """Forces on the rotors, velocities seen by the motors, states of the motors."""
        turning = list(v)
        for k, i in enumerate(self.entries):
            turning[i] = z[2 * k + 1]
        share = z[len(self.own) :]
        if self.motors is None:
            return list(u), turning, share
        return self.motors.force(t, q, turning, share, u), turning, share

    def _dry(self, k: int, turning: Scalar) -> Scalar:
        level = self.coulomb[k]
        return level * tanh(turning / self.smoothing) if level else 0.0

    def _spring(self, k: int, v: Scalar, z: Scalars) -> Scalar:
        return self.stiffness[k] * z[2 * k] + self.damping[k] * (z[2 * k + 1] - v)


def _refuse_rigid_rotors(mechanism: Mechanism, entries: Sequence[int]) -> None:
    for i, rotor in rotors_of(mechanism).items():
        if i in entries:
            raise ModelError(
                f"'{mechanism.v_labels[i]}': the model holds its rotor ({rotor.reflected:g} at the "
                "joint) rigidly geared; it would count twice. Take it out of the model, "
                "mechanism.replace(bodies={...: {'rotors': ()}}), and give inertia= here."
            )
