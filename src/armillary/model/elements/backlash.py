"""Backlash of gears and couplings: a spring that acts beyond a gap."""

from __future__ import annotations

from dataclasses import dataclass

from armillary.errors import ModelError
from armillary.model.elements.along import AlongForce
from armillary.model.elements.element import Ends
from armillary.scalar import Scalar, where


@dataclass(frozen=True)
class Backlash(AlongForce):
    """Nothing within a gap about `rest`, and in contact a spring and damper that only press:

        x = L - rest,    T = max(0, stiffness (x - gap/2) + damping dL/dt)   where x > gap/2,
                         T = min(0, stiffness (x + gap/2) + damping dL/dt)   where x < -gap/2

    Where it comes into contact at a speed the force jumps by the damping times it, as it does in a
    bump stop."""

    kind = "backlash"
    numbers = ("stiffness", "damping", "gap", "rest", "weights")
    named = numbers

    stiffness: float = 0.0  # N/m or N m/rad
    damping: float = 0.0  # N s/m or N m s/rad
    gap: float = 0.0  # m or rad, from one side to the other
    rest: float = 0.0  # m or rad: the middle of the gap

    def check(self, part: str) -> None:
        self.check_positive(part, "damping", "gap")
        self.check_weights(part)
        if not self.stiffness > 0.0:
            raise ModelError(
                f"{part}: its stiffness is {self.stiffness:g}; expected more than 0, for the "
                f"contact on either side of the gap."
            )

    def _beyond(self, position: Scalar) -> tuple[Scalar, Scalar]:
        """How far beyond the upper side, and the lower one."""
        x = position - self.rest
        half = self.gap * 0.5
        return x - half, x + half

    def tension(self, position: Scalar, rate: Scalar) -> Scalar:
        above, below = self._beyond(position)
        up = self.stiffness * above + self.damping * rate
        down = self.stiffness * below + self.damping * rate
        pressed = where(above > 0, where(up > 0, up, 0.0), 0.0)
        return where(below < 0, where(down < 0, down, 0.0), pressed)

    def potential(self, ends: Ends) -> Scalar:
        above, below = self._beyond(self.measured(ends)[0])
        deep = where(above > 0, above, where(below < 0, below, 0.0))
        return self.stiffness * (deep * deep) * 0.5
