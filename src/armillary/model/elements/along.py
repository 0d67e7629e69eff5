"""Forces along one coordinate: the length of a line through points, or a sum of coordinates of
joints.

The law gives a tension T(x, dx/dt); where it acts follows from what the coordinate is made of.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

from armillary.errors import ModelError
from armillary.model.elements.element import ElementLaw, Ends
from armillary.scalar import Scalar, dot, sqrt, where
from armillary.spatial import Vector

_FORCE = {"m": "N", "rad": "N m"}


@dataclass(frozen=True)
class AlongForce(ElementLaw):
    """weights: none, and the coordinate is the length L of the line over the ends (m); else it is

        x = Σ weights q

    of coordinates of joints, in the unit of the first one, and a tension T drives each of them
    by -weight T: an elastic gear between q1 and q2 has the weights (1, -ratio)."""

    weights: tuple[float, ...] = ()
    unit: str = "m"

    def tension(self, position: Scalar, rate: Scalar) -> Scalar:
        """Against growth of the coordinate, N or N m."""
        raise NotImplementedError

    @property
    def units(self) -> tuple[str, str, str]:  # type: ignore[override]
        return (_FORCE[self.unit], self.unit, f"{self.unit}/s")

    @property
    def of_coordinates(self) -> bool:
        return bool(self.weights)

    def act(self, ends: Ends) -> None:
        """ends: `End` or, with weights, `CoordinateEnd`."""
        if self.of_coordinates:
            tension = self.tension(*self.measured(ends))
            for weight, end in zip(self.weights, ends, strict=True):
                end.drive(-(weight * tension))
            return
        arms, length = arms_of(ends)
        self.pull(ends, arms, self.tension(length, rate_of(ends, arms)))

    def pull(self, ends: Ends, arms: Arms, tension: Scalar, slack: Scalar | None = None) -> None:
        """Along the line.  slack: where it pulls nowhere, even if it is rolled up in a point."""
        scales = [tension * inverse for _, inverse in arms]
        if slack is not None:
            scales = [where(slack, 0.0, scale) for scale in scales]
        pulls = [arm * scale for (arm, _), scale in zip(arms, scales, strict=True)]
        for (one, two), pull in zip(pairwise(ends), pulls, strict=True):
            one.push(pull)
            two.push(-pull)

    def measured(self, ends: Ends) -> tuple[Scalar, Scalar]:
        """The coordinate and its rate."""
        if self.of_coordinates:
            place = dot(self.weights, [end.place for end in ends])
            return place, dot(self.weights, [end.rate for end in ends])
        arms, length = arms_of(ends)
        return length, rate_of(ends, arms)

    def readings(self, ends: Ends) -> tuple[Scalar, Scalar, Scalar]:
        position, rate = self.measured(ends)
        if not self.of_coordinates:
            rate = growth_of(ends, arms_of(ends)[0])
        return self.tension(position, rate), position, rate

    def check_positive(self, part: str, *names: str) -> None:
        for name in names:
            if getattr(self, name) < 0.0:
                raise ModelError(
                    f"{part}: its {name} is negative: {getattr(self, name):g}. Expected zero or "
                    f"more; a force that grows with the distance the other way is a law of your "
                    f"own: Builder.force(name, ..., law=..., potential=...)."
                )

    def check_weights(self, part: str) -> None:
        """Of coordinates: numbers, and none of them zero."""
        if any(weight == 0.0 for weight in self.weights):
            raise ModelError(
                f"{part}: the weight of one of its coordinates is 0, so it has no part in it. "
                f"Leave the coordinate out, or give it its ratio."
            )


# -- lines ---------------------------------------------------------------------------------------

Arms = list[tuple[Vector, Scalar]]


def arms_of(ends: Ends) -> tuple[Arms, Scalar]:
    """From point to point: the vector and 1 / its length; and the sum of the lengths."""
    arms, total = [], 0
    for one, two in pairwise(ends):
        arm = two.position - one.position
        length = sqrt(arm.dot(arm))
        arms.append((arm, inverse(length)))
        total = total + length
    return arms, total


def rate_of(ends: Ends, arms: Arms) -> Scalar:
    """dL/dt."""
    total: Scalar = 0
    for (one, two), (arm, inverse) in zip(pairwise(ends), arms, strict=True):
        total = total + arm.dot(two.velocity - one.velocity) * inverse
    return total


def growth_of(ends: Ends, arms: Arms) -> Scalar:
    """dL/dt; where points coincide they part with their relative speed."""
    total: Scalar = 0
    for (one, two), (arm, inverse) in zip(pairwise(ends), arms, strict=True):
        u, apart = two.velocity - one.velocity, arm.dot(arm) > 0
        parting = sqrt(where(apart, 1.0, u.dot(u)))
        total = total + where(apart, arm.dot(u) * inverse, parting)
    return total


def inverse(x: Scalar) -> Scalar:
    """1 / x; not a number where that is undefined, as in compiled code."""
    return math.nan if isinstance(x, (int, float)) and x == 0.0 else 1.0 / x


__all__ = ["AlongForce", "Arms", "arms_of", "growth_of", "inverse", "rate_of"]
