"""What draws constraints back that drift open, where positions are not projected; and penalties,
which take the place of constraints."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan
from typing import TYPE_CHECKING

import numpy as np

from armillary.constraints.nullspace import sound
from armillary.errors import InputError
from armillary.evaluate.inputs import Array

if TYPE_CHECKING:
    from armillary.constraints.rows import Terms


@dataclass(frozen=True)
class CorrectiveForce:
    """A force along the constraint rows, on top of the forces of the constraints:

        a = a_c + M⁻¹ Jᵀ f,    f = -kv (J v) - kp (residual)      [VanDerMerwe1995, 5.75; 0-27]

    a_c: accelerations under the constraints.  kp in N/m, kv in N s/m; of rows that turn in N m/rad
    and N m s/rad."""

    kp: float
    kv: float

    def __post_init__(self) -> None:
        _check("CorrectiveForce", kp=self.kp, kv=self.kv)


@dataclass(frozen=True)
class Penalty:
    """Constraints give way like springs and dampers along their rows [Yesiloglu2007, 1.2.1, who
    names it; Lötstedt 1979]:

        M a = f + Jᵀ λ,    λ = -stiffness (residual) - damping (J v)

    stiffness in N/m, damping in N s/m; of rows that turn in N m/rad and N m s/rad.  The opening
    under a force F is F / stiffness; a step must be short against √(mass / stiffness)."""

    stiffness: float
    damping: float = 0.0

    def __post_init__(self) -> None:
        _check("Penalty", stiffness=self.stiffness, damping=self.damping)

    @property
    def law(self) -> tuple[float, float, float]:
        """m, c, k of λ = -(m r'' + c r' + k r), r the opening of a row."""
        return 0.0, float(self.damping), float(self.stiffness)


@dataclass(frozen=True)
class StabilizedPenalty:
    """A penalty on the acceleration of the rows, which draws them back by a rate of its own
    [Yesiloglu2007, 1.2.1, who names it; Park and Chiou 1988, Bayo and others 1988]:

        M a = f + Jᵀ λ,    λ = -weight (r'' + 2 ratio rate r' + rate² r),    r the opening of a row

    weight in kg (kg m² of rows that turn), rate in 1/s.  As the weight grows it becomes Baumgarte's
    (ratio rate, rate); steps need be short against 1/rate only, whatever the weight.  Rows may
    depend on each other, positions be singular.  The multipliers of Park and Chiou, a penalty of
    stiffness k taken implicitly over a time d, are those of weight = k d², rate = 1/d, ratio =
    1/2."""

    weight: float
    rate: float
    ratio: float = 1.0

    def __post_init__(self) -> None:
        _check("StabilizedPenalty", weight=self.weight, rate=self.rate, ratio=self.ratio)

    @property
    def law(self) -> tuple[float, float, float]:
        """m, c, k of λ = -(m r'' + c r' + k r), r the opening of a row."""
        m, rate = float(self.weight), float(self.rate)
        return m, 2.0 * self.ratio * rate * m, rate * rate * m


def _check(kind: str, **numbers: object) -> None:
    for name, value in numbers.items():
        if not isinstance(value, (int, float)) or not 0.0 <= value < inf:
            raise InputError(f"{kind}: {name} must be a finite number from 0 on, found {value!r}.")


AnyPenalty = Penalty | StabilizedPenalty
# rates (alpha, beta) in 1/s, or gains
DrawnBack = tuple[float, float] | CorrectiveForce | AnyPenalty


def baumgarte_rates(given: tuple[float, float], name: str = "baumgarte") -> tuple[float, float]:
    """Checked; name: of the argument that they were given as."""
    try:
        alpha, beta = (float(x) for x in given)
    except (TypeError, ValueError, OverflowError):
        alpha = beta = nan
    if not (0.0 <= alpha < inf and 0.0 <= beta < inf):
        raise InputError(
            f"{name}: expected two rates (alpha, beta) in 1/s, none negative; found {given}."
        )
    return alpha, beta


def penalized(
    M: Array, force: Array, target: Array, terms: Terms, how: AnyPenalty
) -> tuple[Array, Array]:
    """a (B, n) and λ (B, m) of  M a = force + Gᵀ λ,  λ = -(m r'' + c r' + k r),
    r'' = J a - target."""
    m, c, k = how.law
    (B, rows, n), share = terms.J.shape, 1.0 / (1.0 + m)
    both = np.zeros((B, n + rows, n + rows))
    both[:, :n, :n], both[:, :n, n:] = M, -np.swapaxes(terms.G, 1, 2)
    both[:, n:, :n], both[:, n:, n:] = share * m * terms.J, share * np.eye(rows)
    right = share * (m * target - c * terms.rate - k * terms.residual)
    known = sound(M)  # rows that give way do not hold what moves without inertia
    both[~known] = np.eye(n + rows)
    found = np.linalg.solve(both, np.concatenate([force, right], axis=1)[..., None])
    found[~known] = np.nan
    return found[:, :n, 0], found[:, n:, 0]
