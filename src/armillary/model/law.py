"""Laws of one degree of freedom: a force, and where it has one the energy it stores."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from armillary.errors import ModelError
from armillary.scalar import Dual, Scalar

# where a law is looked at, rad or m, both ways
_PLACES = tuple(side * 10.0 ** (k / 8) for k in range(-48, 25) for side in (1.0, -1.0))
_AGREES = 1e-6  # of the forces of the law


@runtime_checkable
class Storing(Protocol):
    """A law that names the energy it stores: U(x) in J, zero where one likes."""

    def __call__(self, x: Scalar, v: Scalar) -> Scalar: ...

    def potential(self, x: Scalar) -> Scalar: ...


def called(law: Callable[..., Any], *given: Any, **named: Scalar) -> Any:
    """What a function of the user gives; where it cannot take scalars, what they are."""
    try:
        return law(*given, **named)
    except (TypeError, LookupError, AttributeError) as fault:
        raise ModelError(
            f"the law '{getattr(law, '__name__', law)}' failed: {fault}. A law is traced, "
            f"differentiated and compiled: write it over scalars, with plain arithmetic and "
            f"armillary.scalar (sqrt, where, ...)."
        ) from fault


@dataclass(frozen=True)
class Law:
    """A force over scalars with its potential:  force(x, 0) = dU/dx.

    force(x, v): what a drive must supply to move against it, N m or N; potential(x): J.  Both use
    `armillary.scalar` for functions such as sqrt, so that they can be compiled."""

    force: Callable[[Scalar, Scalar], Scalar]
    potential: Callable[[Scalar], Scalar]

    def __post_init__(self) -> None:
        for name in ("force", "potential"):
            if not callable(getattr(self, name)):
                raise ModelError(f"Law: {name} is a function, found {getattr(self, name)!r:.60}.")
        for x in (0.05, -0.07, 0.3, -0.4):
            pushed, slope = _number(self.force, x, 0.0), _number(self._slope, x)
            size = max(abs(pushed), abs(slope))
            if abs(pushed - slope) > _AGREES * size:  # not where one of them is no number
                raise ModelError(
                    f"Law: the potential does not belong to the force: at x = {x:g} its slope is "
                    f"{slope:.6g}, and force(x, 0) is {pushed:.6g}. Give U with dU/dx = force(x, "
                    f"0)."
                )

    def _slope(self, x: float) -> Scalar:
        return Dual.lift(self.potential(Dual(x, 1.0))).slope

    def __call__(self, x: Scalar, v: Scalar) -> Scalar:
        return self.force(x, v)


def hides_energy(law: Callable[[Scalar, Scalar], Scalar] | None) -> bool:
    """Does a law hold a force at rest, and not say what energy that stores?"""
    if law is None or isinstance(law, Storing):
        return False
    return any(_number(law, x, 0.0) != 0.0 for x in _PLACES)


def _number(function: Callable[..., Scalar], *at: float) -> float:
    """What a law gives there; not a number outside of what it is made for."""
    try:
        return float(function(*at))
    except (ArithmeticError, TypeError, ValueError):
        return math.nan
