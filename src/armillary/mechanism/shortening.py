"""Expressions as people write them down: one fraction, short sums of sines and cosines."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from armillary.errors import InputError, how_to_install
from armillary.mechanism.trigonometry import NotPolynomialError, TrigRing

Expression = Any  # of SymPy, which has no types

_LONG, _MANY = 24, 3  # terms, angles: beyond one of them, `tidy` tries nothing but the normal forms


def tidy(expression: Expression) -> Expression:
    """One fraction, multiplied out, without squares of sines; angles added where it is shorter.

    What is long is not worked on further than `angle_sums` does."""
    sympy = sympy_module()
    long = _long_polynomial(expression)
    if long is not None:
        return long
    over, under = map(_no_squared_sines, sympy.fraction(sympy.together(expression)))
    if under.free_symbols:
        over, under = map(_no_squared_sines, sympy.fraction(sympy.cancel(over / under)))
    return sympy.trigsimp(over) / sympy.trigsimp(under)


def _long_polynomial(expression: Expression) -> Expression | None:
    """The shorter normal form of a polynomial of many terms; None of a short one, or of none."""
    try:
        ring = TrigRing.of([expression])
        p = ring.polynomial(expression)
    except NotPolynomialError:
        return None
    long = len(ring.angles) > _MANY or len(p) > _LONG
    return shorter(ring, p) if long else None


def angle_sums(expression: Expression) -> Expression:
    """Products of sines and cosines as sums over angles, or without squares of sines, whichever is
    shorter: the two normal forms of trigonometry.py, and nothing else is tried."""
    sympy = sympy_module()
    expression = sympy.sympify(expression)
    if (short := polynomial_sums(expression)) is not expression:
        return short
    over, under = sympy.fraction(sympy.together(expression))
    if under.free_symbols:
        return tidy(expression)
    over = sympy.expand(over)
    summed = sympy.expand(_linear(over))
    return sympy.expand(min((_no_squared_sines(over), summed), key=_length) / under)


def polynomial_sums(expression: Expression) -> Expression:
    """`angle_sums` of a polynomial; anything else stays as it is, for shortening takes too long."""
    expression = sympy_module().sympify(expression)
    try:
        ring = TrigRing.of([expression])
        return shorter(ring, ring.polynomial(expression))
    except NotPolynomialError:
        return expression


def shorter(ring: TrigRing, p: Expression) -> Expression:
    """The form with fewer sines and cosines; of the same number, with fewer operations."""
    in_products, in_sums = ring.turns(p)
    if in_products != in_sums:
        return ring.sums(p) if in_sums < in_products else ring.products(p)
    return min((ring.products(p), ring.sums(p)), key=_length)


def _length(form: Expression) -> tuple[int, int]:
    sympy = sympy_module()
    return form.count(sympy.sin) + form.count(sympy.cos), form.count_ops()


def _linear(expression: Expression) -> Expression:
    from sympy.simplify.fu import TR8

    return TR8(expression)


def _no_squared_sines(expression: Expression) -> Expression:
    sympy = sympy_module()

    def squares(power: Expression) -> bool:
        whole = power.is_Pow and power.exp.is_Integer and power.exp > 1
        return bool(whole and isinstance(power.base, sympy.sin))

    def by_cosines(power: Expression) -> Expression:
        pairs, single = divmod(int(power.exp), 2)
        return (1 - sympy.cos(power.base.args[0]) ** 2) ** pairs * power.base**single

    return sympy.expand(sympy.expand(expression).replace(squares, by_cosines))


def sympy_module() -> ModuleType:
    try:
        import sympy
    except ModuleNotFoundError:
        raise InputError(f"equations need SymPy. {how_to_install('symbolic')}") from None
    return sympy
