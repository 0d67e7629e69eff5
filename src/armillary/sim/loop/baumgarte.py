"""Constraints that are drawn back instead of projected: Baumgarte's terms, and their force.

    J a = gamma - 2 alpha (J v) - beta² (residual)          [VanDerMerwe1995, 5.75; errata 0-27]

What the terms add to the forces of the constraints is the corrective force.
"""

from __future__ import annotations

from typing import Any

from armillary.constraints.equations import baumgarte_rates
from armillary.errors import InputError

_EXPLICIT = ("euler", "heun", "rk3", "rk4", "dopri5", "semi-implicit")


def projection_or_rates(
    project: Any, method: str, names: tuple[str, ...], parameters: bool
) -> tuple[bool, tuple[float, float] | None]:
    """Whether steps end with a projection, and the rates (alpha, beta) that take its place.

    parameters: the run has inertias of its own."""
    rates = None
    if not isinstance(project, bool):
        if not isinstance(project, (tuple, list)) and getattr(project, "ndim", 0) == 0:
            raise InputError(
                f"project: expected True, False or rates (alpha, beta) in 1/s, found "
                f"{type(project).__name__}."
            )
        if method not in _EXPLICIT or parameters:
            raise InputError(
                f"project: rates go with the methods {', '.join(_EXPLICIT)}, and without "
                f"`parameters`. Use project=True."
            )
        rates = baumgarte_rates(tuple(project))
        project = False
    if "corrective_force" in names and rates is None:
        raise InputError(
            "record: there is no corrective force where constraints are kept by projection. Draw "
            "them back instead: project=(alpha, beta), rates in 1/s."
        )
    return project, rates
