"""Inertia of a solid given by its bounds:  mass = ∫∫∫ ρ dz dy dx, and so on  [Lecture].

Numbers are integrated by Gauss's rule with more and more points until they agree; bounds or
densities with SymPy symbols give the closed formula.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TypeAlias

from armillary.errors import ModelError
from armillary.model.arguments import name_arguments
from armillary.scalar import Scalar
from armillary.spatial import Inertia, Symmetric, Vector

Bound: TypeAlias = Scalar | Callable[..., Scalar]
_POINTS = (8, 16, 32, 64)  # per direction; polynomials of degree 15 are exact with the fewest
_AGREE = 1e-10
# mass, first moments, ∫ of xx yy zz xy xz yz
_INTEGRANDS = (
    (0, 0, 0),
    (1, 0, 0),
    (0, 1, 0),
    (0, 0, 1),
    (2, 0, 0),
    (0, 2, 0),
    (0, 0, 2),
    (1, 1, 0),
    (1, 0, 1),
    (0, 1, 1),
)


@name_arguments
def volume_inertia(
    density: Bound,
    x: tuple[Bound, Bound],
    y: tuple[Bound, Bound],
    z: tuple[Bound, Bound],
) -> Inertia:
    """Inertia about the origin of the axes in which the bounds are given.

    x: two numbers (m); y: numbers or functions of x; z: numbers or functions of x and y.
    density: kg/m³, or a function of x, y and z.

    >>> volume_inertia(1000.0, (0.0, 0.1), (0.0, 0.2), (0.0, 0.3)).tensor.xy  # about a corner
    -0.03
    """
    plain = [bound for bound in (density, *x, *y, *z) if not callable(bound)]
    if any(type(bound).__module__.startswith("sympy") for bound in plain):
        return _inertia(_symbolic(density, x, y, z))
    before: list[float] = []
    for points in _POINTS:
        moments = _summed(density, x, y, z, points)
        if not all(math.isfinite(m) for m in moments) or moments[0] <= 0.0:
            raise ModelError(
                f"volume_inertia: the mass between these bounds is {moments[0]:g} kg. Give each "
                f"lower bound first, and a positive density."
            )
        if before and _agree(before, moments):
            return _inertia(moments)
        before = moments
    raise ModelError(
        "volume_inertia: the integral does not settle: a bound or the density has a corner or a "
        "vertical tangent. Split the solid there and add the inertias."
    )


def _inertia(m: list[Scalar]) -> Inertia:
    return Inertia.from_euler(m[0], Vector(*m[1:4]), Symmetric(*m[4:]))


def _agree(old: list[float], new: list[float]) -> bool:
    """Within rounding of what a body of that mass and extent has."""
    length = math.sqrt(sum(new[4:7]) / new[0])
    sizes = [new[0], *(new[0] * length,) * 3, *(new[0] * length * length,) * 6]
    return all(abs(a - b) <= _AGREE * s for a, b, s in zip(old, new, sizes, strict=True))


def _value(bound: Bound, *at: Scalar) -> Scalar:
    return bound(*at) if callable(bound) else bound


def _summed(
    density: Bound,
    x: tuple[Bound, Bound],
    y: tuple[Bound, Bound],
    z: tuple[Bound, Bound],
    points: int,
) -> list[float]:
    rule = list(_gauss(points))
    total = [0.0] * len(_INTEGRANDS)
    for px, wx in _between(x, rule):
        for py, wy in _between(y, rule, px):
            for pz, wz in _between(z, rule, px, py):
                weight = wx * wy * wz * _value(density, px, py, pz)
                for k, (i, j, l) in enumerate(_INTEGRANDS):
                    total[k] += weight * px**i * py**j * pz**l
    return total


def _between(
    bounds: tuple[Bound, Bound], rule: list[tuple[float, float]], *at: float
) -> Iterator[tuple[float, float]]:
    low, high = (float(_value(bound, *at)) for bound in bounds)
    middle, half = (low + high) / 2, (high - low) / 2
    return ((middle + half * node, half * weight) for node, weight in rule)


def _gauss(n: int) -> Iterator[tuple[float, float]]:
    """Nodes and weights on [-1, 1]: roots of the Legendre polynomial by Newton's method."""
    for k in range(n):
        node = math.cos(math.pi * (k + 0.75) / (n + 0.5))
        for _ in range(20):
            now, last = 1.0, 0.0
            for j in range(n):
                now, last = ((2 * j + 1) * node * now - j * last) / (j + 1), now
            slope = n * (node * now - last) / (node * node - 1.0)
            node, step = node - now / slope, now / slope
            if abs(step) < 1e-16:
                break
        yield node, 2.0 / ((1.0 - node * node) * slope * slope)


def _symbolic(
    density: Bound, x: tuple[Bound, Bound], y: tuple[Bound, Bound], z: tuple[Bound, Bound]
) -> list[Scalar]:
    sympy = import_module("sympy")
    u, v, w = (sympy.Dummy(name, real=True) for name in "xyz")
    ranges = (
        (w, *(_value(bound, u, v) for bound in z)),
        (v, *(_value(bound, u) for bound in y)),
        (u, *x),
    )
    rho = _value(density, u, v, w)
    integrals = (sympy.integrate(rho * u**i * v**j * w**k, *ranges) for i, j, k in _INTEGRANDS)
    return [sympy.factor(sympy.simplify(m)) for m in integrals]
