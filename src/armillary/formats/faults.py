"""Values that a mechanism can hold but not use: bounds that cross, motors without resistance."""

from __future__ import annotations

from collections.abc import Iterator

from armillary.model import Limits, Model, Motor


def part_faults(model: Model) -> Iterator[tuple[str, str]]:
    """(part, what is wrong with it)."""
    for body in model.bodies:
        part = f"joint '{body.joint.name}'"
        for limits in body.joint.limits:
            yield from ((part, text) for text in _limit_faults(limits))
        if body.motor is not None:
            yield from ((f"body '{body.name}'", text) for text in _motor_faults(body.motor))
    for wheel in model.wheels:
        if wheel.radius <= 0.0:
            yield f"wheel '{wheel.name}'", f"the radius must be positive, found {wheel.radius:g} m"
    for coupling in model.couplings:
        if coupling.joint == coupling.source:
            yield f"coupling '{coupling.name}'", "couples a joint with itself"


def _limit_faults(limits: Limits) -> Iterator[str]:
    if limits.lower is not None and limits.upper is not None and limits.lower > limits.upper:
        yield f"the lower limit {limits.lower:g} is above the upper limit {limits.upper:g}"
    for name in ("velocity", "effort"):
        value = getattr(limits, name)
        if value is not None and value < 0.0:
            yield f"the {name} limit is negative: {value:g}"


def _motor_faults(motor: Motor) -> Iterator[str]:
    if motor.resistance <= 0.0:
        yield f"the motor's resistance must be positive, found {motor.resistance:g} ohm"
    if motor.gear == 0.0:
        yield "the motor's gear ratio is zero"
    if motor.inductance < 0.0:
        yield f"the motor's inductance is negative: {motor.inductance:g} H"
    if not 0.0 < motor.efficiency <= 1.0:
        yield f"the motor's efficiency must be in (0, 1], found {motor.efficiency:g}"
