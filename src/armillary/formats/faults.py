"""Values that a mechanism can hold but not use, as `checks: report` in the native file says."""

from __future__ import annotations

from armillary.model import Model
from armillary.model.checks import drive_fault, inertia_fault, limits_fault, motor_fault


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
    return False
