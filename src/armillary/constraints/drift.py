"""What draws constraints back that drift open, where positions are not projected."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan

from armillary.errors import InputError


@dataclass(frozen=True)
class CorrectiveForce:
    """A force along the constraint rows, on top of the forces of the constraints:

        a = a_c + M⁻¹ Jᵀ f,    f = -kv (J v) - kp (residual)      [VanDerMerwe1995, 5.75; 0-27]

    a_c: accelerations under the constraints.  kp in N/m, kv in N s/m; of rows that turn in N m/rad
    and N m s/rad."""

    kp: float
    kv: float

    def __post_init__(self) -> None:
        for name, value in (("kp", self.kp), ("kv", self.kv)):
            if not isinstance(value, (int, float)) or not 0.0 <= value < inf:
                raise InputError(
                    f"CorrectiveForce: {name} must be a finite number from 0 on, found {value!r}."
                )


DrawnBack = tuple[float, float] | CorrectiveForce  # rates (alpha, beta) in 1/s, or gains


def baumgarte_rates(baumgarte: tuple[float, float]) -> tuple[float, float]:
    try:
        alpha, beta = (float(x) for x in baumgarte)
    except (TypeError, ValueError):
        alpha = beta = nan
    if not (0.0 <= alpha < inf and 0.0 <= beta < inf):
        raise InputError(
            f"baumgarte: expected two rates (alpha, beta) in 1/s, none negative; found {baumgarte}."
        )
    return alpha, beta
