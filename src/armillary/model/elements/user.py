"""A law of the user's own between two frames: magnets, gravity between bodies, contact models."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from armillary.errors import ArmillaryError, ModelError
from armillary.model.elements.element import ElementLaw, End
from armillary.model.elements.turning import Between
from armillary.model.law import called
from armillary.scalar import Dual, Scalar
from armillary.spatial import Force, Vector

_AGREES = 1e-6  # of the forces
_PLACES = ((0.11, -0.07, 0.23), (-0.4, 0.31, 0.17), (1.3, 0.9, -1.1))
# of a function that takes or gives something else
_UNFIT = (TypeError, ValueError, LookupError, AttributeError)
_STRAIGHT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@dataclass(frozen=True)
class UserForce(ElementLaw):
    """law(r, R, w, u, **values): the force on the second body at the second frame's origin, as
    three scalars (fx, fy, fz), or six with the moment first, along the first frame's axes.

    r: origin of the second frame in the first, m; R: rows of the rotation matrix whose columns are
    the second frame's axes in the first; w, u: angular velocity and velocity of that origin
    relative to the first frame, along its axes.  potential(r, R, **values): J.  Both are functions
    over scalars: use `armillary.scalar` for sqrt, where and the like.

    With states of its own, z: law(r, R, w, u, z, **values), potential(r, R, z, **values), and
    rate(r, R, w, u, z, **values) gives dz/dt.  Then the force need not be -dU/dr, and the potential
    is not compared with the law."""

    kind = "force"
    numbers = ("values", "state")
    named = numbers

    law: Callable[..., Sequence[Scalar]]
    energy: Callable[..., Scalar] | None = None
    names: tuple[str, ...] = ()
    values: tuple[float, ...] = ()
    rate: Callable[..., Sequence[Scalar]] | None = None
    states: tuple[str, ...] = ()
    state: tuple[float, ...] = ()
    steady: bool = False  # a run begins where the rates vanish

    def value_names(self) -> tuple[str, ...]:
        return (*self.names, *self.states)

    def state_names(self) -> tuple[str, ...]:
        return self.states

    @property
    def begins_steady(self) -> bool:
        return self.steady

    @property
    def _own(self) -> tuple[tuple[Scalar, ...], ...]:
        """What the functions get behind pose and velocity."""
        return (self.state,) if self.states else ()

    def _check_states(self, part: str) -> None:
        if bool(self.states) != (self.rate is not None):
            raise ModelError(
                f"{part}: states of its own and a function `rate` that gives dz/dt belong "
                f"together; found {len(self.states)} states and {'a' if self.rate else 'no'} rate."
            )
        if both := set(self.states) & set(self.names):
            raise ModelError(f"{part}: '{sorted(both)[0]}' names a state and a parameter.")
        if self.rate is None:
            return
        none = (0.0, 0.0, 0.0)
        try:
            found = list(self.rate(_PLACES[0], _STRAIGHT, none, none, *self._own, **self._named()))
        except (*_UNFIT, ArithmeticError) as fault:
            raise ModelError(
                f"{part}: rate(r, R, w, u, z) at r = {_PLACES[0]} failed: {fault}. It takes five "
                f"tuples{f' and {self.names}' if self.names else ''} and gives {len(self.states)} "
                f"scalars."
            ) from None
        if len(found) != len(self.states):
            raise ModelError(
                f"{part}: its rate gives {len(found)} numbers, expected {len(self.states)}: one "
                f"for each of {', '.join(self.states)}."
            )

    def check(self, part: str) -> None:
        for name, function in (("law", self.law), ("potential", self.energy)):
            if not (callable(function) or (name == "potential" and function is None)):
                raise ModelError(f"{part}: `{name}` is a function, found {function!r:.60}.")
        self._check_states(part)
        for place in _PLACES:
            found = self._at(part, place)
            if self.energy is not None and not self.states:  # these store, too
                self._check_potential(part, self.energy, place, found)

    def _named(self) -> dict[str, Scalar]:
        return dict(zip(self.names, self.values, strict=True))

    def _at(self, part: str, place: tuple[float, ...]) -> list[float]:
        """The force of a body at rest there."""
        still = (place, _STRAIGHT, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        try:
            found = [float(x) for x in self.law(*still, *self._own, **self._named())]
        except _UNFIT as fault:
            raise ModelError(
                f"{part}: law(r, R, w, u{', z' * bool(self.states)}) at r = {place} failed: "
                f"{fault}. It takes {'five' if self.states else 'four'} tuples"
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
                slope = -float(Dual.lift(energy(r, _STRAIGHT, *self._own, **self._named())).slope)
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
        E = between.X.E
        given = (*_seen(between), *self._own)
        found = _numbers(3, lambda: list(called(self.law, *given, **self._named())))
        moment = Vector(*found[:3]) if len(found) == 6 else Vector()
        between.twist(Force(E @ moment, E @ Vector(*found[-3:])))

    def potential(self, ends: Sequence[End]) -> Scalar:
        if self.energy is None:
            return 0
        X = Between(ends).X
        energy, given = self.energy, (tuple(X.r), X.E.T.rows, *self._own)
        return _numbers(1, lambda: [called(energy, *given, **self._named())])[0]

    def rates(self, ends: Sequence[End]) -> Sequence[Scalar]:
        if self.rate is None:
            return ()
        rate, given = self.rate, (*_seen(Between(ends)), *self._own)
        return _numbers(len(self.states), lambda: tuple(called(rate, *given, **self._named())))


def _numbers(count: int, ask: Callable[[], Sequence[Scalar]]) -> Sequence[Scalar]:
    """What a function gives; not a number where it divides by zero, or takes the root of a negative
    number: plain numbers raise an error there, compiled code does not."""
    try:
        return ask()
    except (ArithmeticError, ValueError) as fault:
        if isinstance(fault, ArmillaryError):
            raise
        return (math.nan,) * count


def _seen(between: Between) -> tuple[Sequence[Scalar], ...]:
    """r, R, w, u of the second frame, along the first one's axes."""
    R = between.X.E.T
    w, u = R @ between.motion.angular, R @ between.motion.linear
    return tuple(between.X.r), R.rows, tuple(w), tuple(u)
