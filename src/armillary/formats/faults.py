"""Values that a mechanism can hold but not use, as the native file reports or refuses them."""

from __future__ import annotations

from collections.abc import Iterator

from armillary.model import Model
from armillary.model.checks import drive_fault, inertia_fault, limits_fault, motor_fault


def part_faults(model: Model) -> Iterator[tuple[str, str]]:
    """(part, what is wrong with it), beyond what `Builder` looks at."""
    for wheel in model.wheels:
        if wheel.radius <= 0.0:
            yield f"wheel '{wheel.name}'", f"the radius must be positive, found {wheel.radius:g} m"
    for coupling in model.couplings:
        if coupling.joint == coupling.source:
            yield f"coupling '{coupling.name}'", "couples a joint with itself"


def is_doubtful(model: Model) -> bool:
    """Whether strict checks would refuse this model, say one from a vendor's file."""
    for body in model.bodies:
        faults = (
            inertia_fault(body.mass),
            *map(drive_fault, body.joint.rotors),
            *map(limits_fault, body.joint.limits),
            *map(motor_fault, [body.motor] if body.motor else []),
        )
        if any(faults):
            return True
    return any(True for _ in part_faults(model))
