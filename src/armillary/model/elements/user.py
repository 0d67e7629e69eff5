"""A law of the user's own between two frames: magnets, gravity between bodies, contact models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from armillary.errors import ModelError
from armillary.model.elements.element import ElementLaw, End
from armillary.model.elements.turning import Between
from armillary.scalar import Dual, Scalar
from armillary.spatial import Force, Vector

_AGREES = 1e-6  # of the forces
_PLACES = ((0.11, -0.07, 0.23), (-0.4, 0.31, 0.17), (1.3, 0.9, -1.1))
_STRAIGHT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@dataclass(frozen=True)
class UserForce(ElementLaw):
    """law(r, R, w, u, **values): the force on the second body at the second frame's origin, as
    three scalars (fx, fy, fz), or six with the moment first, along the first frame's axes.

    r: origin of the second frame in the first, m; R: rows of the rotation matrix whose columns are
    the second frame's axes in the first; w, u: angular velocity and velocity of that origin
    relative to the first frame, along its axes.  potential(r, R, **values): J.  Both are functions
    over scalars: use `armillary.scalar` for sqrt, where and the like."""

    kind = "force"
    numbers = ("values",)
    named = numbers

    law: Callable[..., Sequence[Scalar]]
    energy: Callable[..., Scalar] | None = None
    names: tuple[str, ...] = ()
    values: tuple[float, ...] = ()

    def value_names(self) -> tuple[str, ...]:
        return self.names

    def check(self, part: str) -> None:
        for name, function in (("law", self.law), ("potential", self.energy)):
            if not (callable(function) or (name == "potential" and function is None)):
                raise ModelError(f"{part}: `{name}` is a function, found {function!r:.60}.")
        for place in _PLACES:
            found = self._at(part, place)
            if self.energy is not None:
                self._check_potential(part, self.energy, place, found)

    def _named(self) -> dict[str, Scalar]:
        return dict(zip(self.names, self.values, strict=True))

    def _at(self, part: str, place: tuple[float, ...]) -> list[float]:
        """The force of a body at rest there."""
        none = (0.0, 0.0, 0.0)
        try:
            found = [float(x) for x in self.law(place, _STRAIGHT, none, none, **self._named())]
        except (TypeError, ValueError) as fault:
            raise ModelError(
                f"{part}: law(r, R, w, u) at r = {place} failed: {fault}. It takes four tuples"
                f"{f' and {self.names}' if self.names else ''} and gives 3 or 6 scalars; use "
                f"armillary.scalar for sqrt, where, ... of them."
            ) from None
        except ArithmeticError:
            return [float("nan")] * 3
        if len(found) not in (3, 6):
            raise ModelError(f"{part}: its law gives {len(found)} numbers, expected 3 or 6.")
        return found[-3:]

    def _check_potential(
        self,
        part: str,
        energy: Callable[..., Scalar],
        place: tuple[float, ...],
        found: Sequence[float],
    ) -> None:
        """f = -dU/dr, for a body at rest that is not turned."""
        for k in range(3):
            r = tuple(Dual(x, 1.0 if i == k else 0.0) for i, x in enumerate(place))
            try:
                slope = -float(Dual.lift(energy(r, _STRAIGHT, **self._named())).slope)
            except ArithmeticError:
                continue
            size = max(abs(slope), *(abs(x) for x in found))
            if abs(slope - found[k]) > _AGREES * size:
                raise ModelError(
                    f"{part}: the potential does not belong to the law: at r = {place} the force "
                    f"along {'xyz'[k]} is {found[k]:.6g} N, and -dU/d{'xyz'[k]} is {slope:.6g}. "
                    f"Give U with f = -dU/dr."
                )

    @property
    def hides_energy(self) -> bool:
        """Does it push at rest and name no potential?"""
        if self.energy is not None:
            return False
        return any(any(x != 0.0 for x in self._at("force", place)) for place in _PLACES)

    def act(self, ends: Sequence[End]) -> None:
        between = Between(ends)
        R, E = between.X.E.T, between.X.E
        w, u = R @ between.motion.angular, R @ between.motion.linear
        found = list(self.law(tuple(between.X.r), R.rows, tuple(w), tuple(u), **self._named()))
        moment = Vector(*found[:3]) if len(found) == 6 else Vector()
        between.twist(Force(E @ moment, E @ Vector(*found[-3:])))

    def potential(self, ends: Sequence[End]) -> Scalar:
        if self.energy is None:
            return 0
        X = Between(ends).X
        return self.energy(tuple(X.r), X.E.T.rows, **self._named())
