"""Even ground."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from armillary.errors import ModelError
from armillary.model.arguments import check_arguments
from armillary.model.checks import numbers
from armillary.model.numbered import quantity
from armillary.model.roads.friction import Friction, friction_at
from armillary.model.roads.road import Ground, Road
from armillary.scalar import Scalar


@dataclass(frozen=True)
class Plane(Road):
    """z = height + grade x + bank y."""

    plane = True

    height: float = quantity(0.0, "m", "z at x = y = 0")
    grade: float = quantity(0.0, "1", "dz/dx: 0.1 climbs 10 % towards x")
    bank: float = quantity(0.0, "1", "dz/dy: rises to the left")
    mu: float | Friction = field(
        default=1.0, metadata={"unit": "1", "text": "friction relative to that of the tyre's data"}
    )
    tilted: bool | None = None  # has it grade and bank?  By default: where they are not 0

    def __post_init__(self) -> None:
        if self.tilted is None:
            level = all(isinstance(x, int | float) and x == 0 for x in (self.grade, self.bank))
            object.__setattr__(self, "tilted", not level)

    @classmethod
    @check_arguments
    def with_normal(
        cls, normal: Sequence[float], height: float = 0.0, mu: float | Friction = 1.0
    ) -> Plane:
        """By a vector that stands on it, of any length."""
        x, y, z = numbers(normal, 3, "road, normal")
        if not z > 0.0:
            raise ModelError(f"road: its normal points upwards (z > 0), found {(x, y, z)}.")
        return cls(height, -x / z, -y / z, mu)

    def _own(self) -> Iterator[tuple[str, object, bool]]:
        """Grade and bank are no numbers of level ground: they could not change."""
        for name, value, number in super()._own():
            yield name, value, number and (bool(self.tilted) or name in ("height", "mu"))

    def check(self, part: str) -> None:
        super().check(part)
        if not isinstance(self.mu, Friction):
            self.refuse_negative(part, "mu")

    def at(self, x: Scalar, y: Scalar) -> Ground:
        mu = friction_at(self.mu, x, y)
        if not self.tilted:
            return Ground(self.height, 0, 0, mu)
        return Ground(self.height + self.grade * x + self.bank * y, self.grade, self.bank, mu)
