"""Spring and damper in series."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armillary.errors import ModelError
from armillary.model.elements.along import AlongForce
from armillary.model.elements.element import Ends
from armillary.scalar import Scalar


@dataclass(frozen=True)
class Maxwell(AlongForce):
    """A Maxwell element: the same tension s in a spring k and a damper c, one behind the other,

        ds/dt = k dL/dt - (k/c) s

    s is its own state.  It stores s²/2k, dissipates s²/c, and carries nothing once it is relaxed:
    after a step x of its length it relaxes as k x exp(-t k/c).  A spring beside it makes a standard
    linear solid."""

    kind = "Maxwell element"
    numbers = ("stiffness", "damping", "state", "weights")
    named = numbers

    stiffness: float = 0.0  # N/m or N m/rad
    damping: float = 0.0  # N s/m or N m s/rad
    state: tuple[float] = (0.0,)  # the tension, N or N m

    def value_names(self) -> tuple[str, ...]:
        return tuple("tension" if name == "state.0" else name for name in super().value_names())

    def state_names(self) -> tuple[str, ...]:
        return ("tension",)

    def state_units(self) -> tuple[str, ...]:
        return self.units[:1]

    def check(self, part: str) -> None:
        self.check_weights(part)
        for name in ("stiffness", "damping"):
            if not getattr(self, name) > 0.0:
                raise ModelError(
                    f"{part}: its {name} is {getattr(self, name):g}; expected more than 0: a "
                    f"spring and a damper in series. One of them alone is a spring(...)."
                )

    def tension(self, position: Scalar, rate: Scalar) -> Scalar:
        return self.state[0]

    def rates(self, ends: Ends) -> Sequence[Scalar]:
        rate = self.measured(ends)[1]
        return (self.stiffness * (rate - self.state[0] / self.damping),)

    def potential(self, ends: Ends) -> Scalar:
        return self.state[0] * self.state[0] / (2.0 * self.stiffness)
