"""A tyre by springs and dampers at a point that rolls  [Yesiloglu 2007, 5.4]."""

from __future__ import annotations

from dataclasses import dataclass

from armillary.model.numbered import quantity
from armillary.model.tyres.tyre_model import Slip, TyreModel
from armillary.scalar import Scalar


@dataclass(frozen=True, kw_only=True)
class SpringDamper(TyreModel):
    """Point contact with pairs of springs and dampers across the road (stiffness, damping) and
    along it: the point of contact rolls without slip, and the rim is held to it by
    horizontal_stiffness and horizontal_damping, up to the friction mu  [Yesiloglu 2007, 5.4].

    The deflections along the road are own states, du/dt = -V_s while friction holds; a question
    about one state takes them as 0."""

    stateful = True

    horizontal_stiffness: float = quantity(2e5, "N/m", "along the road, both ways")
    horizontal_damping: float = quantity(500.0, "N s/m", "along the road, both ways")
    mu: float = quantity(1.0, "1", "friction, on a road of friction 1")

    def check(self, part: str) -> None:
        super().check(part)
        self.refuse_not_positive(part, "horizontal_stiffness")
        self.refuse_negative(part, "horizontal_damping", "mu")

    def grip(self, fz: Scalar, mu: Scalar) -> Scalar:
        return self.mu * mu * fz

    def moments(self, s: Slip, fx: Scalar, fy: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        return 0, self.resisting(s), 0

    def carcass(self) -> tuple[Scalar, Scalar]:
        return self.horizontal_stiffness, self.horizontal_stiffness
