"""Values that a mechanism can hold but not use, as `checks: report` in the native file says."""

from __future__ import annotations

from armillary.model import Model
from armillary.model.checks import inertia_fault, limits_fault


def is_doubtful(model: Model) -> bool:
    """Whether strict checks would refuse this model, say one from a vendor's file."""
    for body in model.bodies:
        if inertia_fault(body.mass) or any(map(limits_fault, body.joint.limits)):
            return True
    return False
