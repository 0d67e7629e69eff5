"""Polynomials in sines, cosines and letters, as people shorten them: fast, and exact.

An expression that is a polynomial over the rationals in symbols, square roots of numbers, and sines
and cosines of whole multiples of angles is turned into a sparse polynomial (SymPy's rings) in which
every angle x has two generators with  sin² x = 1 - cos² x.  It has two normal forms:

    products   without squares of sines       cos(a) cos(b) - sin(a) sin(b)
    sums       one sine or cosine per term    cos(a + b)

The mass matrix of a six-joint arm with all its letters takes a part of a second this way.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any

Expression = Any  # of SymPy, which has no types
Monomial = tuple[int, ...]
Terms = dict[Monomial, Any]  # exponents of all generators -> rational number


class NotPolynomialError(ArithmeticError):
    """There is something else than a polynomial in letters, sines and cosines."""


class TrigRing:
    """Letters, roots of whole numbers, cosines and sines of some angles, in this order."""

    def __init__(
        self,
        letters: Iterable[Expression],
        roots: Iterable[Expression],
        angles: Iterable[Expression],
    ):
        import sympy
        from sympy.polys.rings import PolyRing

        self.letters, self.roots, self.angles = tuple(letters), tuple(roots), tuple(angles)
        k, n = len(self.letters), len(self.angles)
        self.first_root, self.first_cos = k, k + len(self.roots)
        self.first_sin = self.first_cos + n
        dummies = [sympy.Dummy() for _ in range(len(self.roots) + 2 * n)]
        self.ring = PolyRing([*self.letters, *dummies], sympy.QQ, sympy.lex)
        self.place = {symbol: i for i, symbol in enumerate(self.letters)}
        self.place |= {root: self.first_root + i for i, root in enumerate(self.roots)}
        self.turn = {angle: i for i, angle in enumerate(self.angles)}
        shown = [*(sympy.cos(x) for x in self.angles), *(sympy.sin(x) for x in self.angles)]
        self.generators = (*self.letters, *self.roots, *shown)

    @classmethod
    def of(cls, expressions: Iterable[Expression]) -> TrigRing:
        """The ring in which all the expressions are polynomials."""
        import sympy

        letters: set[Expression] = set()
        angles: set[Expression] = set()
        roots: set[Expression] = set()
        for expression in expressions:
            letters |= expression.free_symbols
            for function in expression.atoms(sympy.sin, sympy.cos):
                angles |= function.args[0].free_symbols
            for power in expression.atoms(sympy.Pow):
                if power.base.is_Integer and power.exp == sympy.Rational(1, 2):
                    roots.add(power)
        by_name = sympy.default_sort_key
        return cls(
            sorted(letters, key=by_name), sorted(roots, key=by_name), sorted(angles, key=by_name)
        )

    # -- from expressions ------------------------------------------------------------------------

    def polynomial(self, expression: Expression) -> Expression:
        """The expression as a polynomial of the ring, its sines at most once in every term."""
        known: dict[Expression, Expression] = {}
        return self._read(expression, known)

    def _read(self, e: Expression, known: dict[Expression, Expression]) -> Expression:
        if e in known:
            return known[e]
        if e.is_Rational:
            found = self.ring.ground_new(self.ring.domain.from_sympy(e))
        elif e in self.place:
            found = self.ring.gens[self.place[e]]
        elif e.is_Add:
            found = self.ring.zero
            for part in e.args:
                found = found + self._read(part, known)
        elif e.is_Mul:
            found = self.ring.one
            for part in e.args:
                found = self.times(found, self._read(part, known))
        elif e.is_Pow and e.exp.is_Integer and e.exp > 0:
            base = self._read(e.base, known)
            found = base
            for _ in range(int(e.exp) - 1):
                found = self.times(found, base)
        elif e.is_Pow and e.base.is_Integer and e.exp == Fraction(-1, 2):
            root = e.base ** (-e.exp)
            found = self._read(root, known) * self.ring.domain.from_sympy(1 / e.base)
        elif e.func.__name__ in ("sin", "cos"):
            found = self._turned(e.args[0])[e.func.__name__ == "sin"]
        else:
            raise NotPolynomialError(str(e))
        known[e] = found
        return found

    def _turned(self, angle: Expression) -> tuple[Expression, Expression]:
        """cos and sin of a sum of whole multiples of angles."""
        cos, sin = self.ring.one, self.ring.zero
        for symbol, count in angle.as_coefficients_dict().items():
            if symbol not in self.turn or not count.is_Integer:
                raise NotPolynomialError(str(angle))
            c = self.ring.gens[self.first_cos + self.turn[symbol]]
            s = self.ring.gens[self.first_sin + self.turn[symbol]] * (1 if count > 0 else -1)
            for _ in range(abs(int(count))):
                cos, sin = (
                    self.times(cos, c) - self.times(sin, s),
                    self.times(sin, c) + self.times(cos, s),
                )
        return cos, sin

    def times(self, a: Expression, b: Expression) -> Expression:
        """a b, without squares of sines and of roots."""
        return self._without_squares(a * b)

    def _without_squares(self, p: Expression) -> Expression:
        reduced = (
            *range(self.first_root, self.first_cos),
            *range(self.first_sin, len(self.generators)),
        )
        left = p
        while any(monomial[k] > 1 for monomial in left for k in reduced):
            found: Terms = {}
            for monomial, number in left.items():
                k = next((k for k in reduced if monomial[k] > 1), None)
                if k is None:
                    _add(found, monomial, number)
                    continue
                lower = _changed(monomial, k, -2)
                if k < self.first_cos:
                    _add(found, lower, number * int(self.generators[k].base))
                else:
                    _add(found, lower, number)
                    _add(found, _changed(lower, k - len(self.angles), 2), -number)
            left = self.ring.from_dict(found)
        return left

    def slope(self, p: Expression, symbol: Expression) -> Expression:
        """∂p/∂symbol, which may be a letter, an angle or both."""
        found: Terms = {}
        at, turn = self.place.get(symbol), self.turn.get(symbol)
        for monomial, number in p.items():
            if at is not None and (power := monomial[at]):
                _add(found, _changed(monomial, at, -1), number * power)
            if turn is None:
                continue
            c, s = self.first_cos + turn, self.first_sin + turn
            if power := monomial[c]:  # d cos^n = -n cos^(n-1) sin
                _add(found, _changed(_changed(monomial, c, -1), s, 1), -number * power)
            if power := monomial[s]:
                _add(found, _changed(_changed(monomial, s, -1), c, 1), number * power)
        return self._without_squares(self.ring.from_dict(found))

    # -- to expressions --------------------------------------------------------------------------

    def products(self, p: Expression) -> Expression:
        """As a sum of products of letters, sines and cosines."""
        import sympy

        return sympy.Add(*(self._term(monomial, number) for monomial, number in p.items()))

    def _term(self, monomial: Monomial, number: object) -> Expression:
        import sympy

        factors = [
            g if k == 1 else g**k for g, k in zip(self.generators, monomial, strict=True) if k
        ]
        return sympy.Mul(self.ring.domain.to_sympy(number), *factors)

    def summed(self, p: Expression) -> dict[tuple[Monomial, Monomial, bool], Fraction]:
        """{(exponents of letters and roots, multiples of the angles, is it a sine): number}."""
        found: dict[tuple[Monomial, Monomial, bool], Fraction] = {}
        n = len(self.angles)
        for monomial, number in p.items():
            letters = monomial[: self.first_cos]
            cosines = monomial[self.first_cos : self.first_cos + n]
            sines = monomial[self.first_sin :]
            for (multiples, sine), share in _harmonics(cosines, sines):
                key = (letters, multiples, sine)
                value = found.get(key, Fraction(0)) + share * _fraction(number)
                if value:
                    found[key] = value
                else:
                    found.pop(key, None)
        return found

    def sums(self, p: Expression) -> Expression:
        """As a sum of letters times one sine or cosine of a sum of angles."""
        import sympy

        terms = []
        for (letters, multiples, sine), number in self.summed(p).items():
            angle = sympy.Add(*(k * x for k, x in zip(multiples, self.angles, strict=True) if k))
            factors = [g**k for g, k in zip(self.generators, letters, strict=False) if k]
            turn = sympy.sin(angle) if sine else sympy.cos(angle)
            rational = sympy.Rational(number.numerator, number.denominator)
            terms.append(sympy.Mul(rational, *factors, turn))
        return sympy.Add(*terms)

    def turns(self, p: Expression) -> tuple[int, int]:
        """How many sines and cosines stand in the products, and in the sums."""
        trig = range(self.first_cos, len(self.generators))
        in_products = sum(1 for monomial in p for k in trig if monomial[k])
        return in_products, sum(1 for _, multiples, _ in self.summed(p) if any(multiples))


@lru_cache(maxsize=65536)
def _harmonics(
    cosines: Monomial, sines: Monomial
) -> tuple[tuple[tuple[Monomial, bool], Fraction], ...]:
    """Products of powers of cosines and of sines (each 0 or 1) as sines and cosines of sums."""
    parts = []
    for power, sine in zip(cosines, sines, strict=True):
        waves = {0: 1}  # e^{ikx}: number, times i^-1 for a sine, over 2 for every factor
        for _ in range(power):
            waves = _wave(waves, 1)
        if sine:
            waves = _wave(waves, -1)
        parts.append([(k, x) for k, x in waves.items() if x])
    odd = sum(sines) % 2 == 1
    sign = (-1) ** (sum(sines) // 2)  # i^-m = (-1)^(m // 2), and 1/i where m is odd
    found: dict[Monomial, int] = {}
    for chosen in product(*parts):
        multiples = tuple(k for k, _ in chosen)
        number = prod((x for _, x in chosen), start=sign)
        flipped = next((k for k in multiples if k), 0) < 0
        key = tuple(-k for k in multiples) if flipped else multiples
        found[key] = found.get(key, 0) + (-number if odd and flipped else number)
    over = 2 ** (sum(cosines) + sum(sines))
    shares = {k: Fraction(x, over) for k, x in found.items() if x}
    return tuple(((k, odd), x) for k, x in shares.items() if not (odd and not any(k)))


def _wave(waves: dict[int, int], down: int) -> dict[int, int]:
    """Times  e^{ix} + down e^{-ix}."""
    found: dict[int, int] = {}
    for k, x in waves.items():
        found[k + 1] = found.get(k + 1, 0) + x
        found[k - 1] = found.get(k - 1, 0) + down * x
    return found


def _add(terms: Terms, monomial: Monomial, number: object) -> None:
    value = terms.get(monomial, 0) + number
    if value:
        terms[monomial] = value
    else:
        terms.pop(monomial, None)


def _changed(monomial: Monomial, k: int, by: int) -> Monomial:
    return (*monomial[:k], monomial[k] + by, *monomial[k + 1 :])


def _fraction(number: Any) -> Fraction:
    return Fraction(int(number.numerator), int(number.denominator))
