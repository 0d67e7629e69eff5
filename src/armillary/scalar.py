"""Elementary functions of one scalar of any kind.

Algorithms are written over scalars and never ask which kind: floats, nodes of an expression
graph, SymPy expressions, CasADi symbols, mpmath numbers, complex numbers or numpy arrays all
work.  A kind either brings the functions as methods (`x.sin()`) or is found in the table of
libraries below.  The integers 0 and 1 are *structural*: they say "nothing here", not "a number
that happens to be zero", and graph nodes fold them away.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeAlias

Scalar: TypeAlias = Any

# library of a foreign scalar type, found by the first word of the type's module
_LIBRARY = {"sympy": "sympy", "mpmath": "mpmath", "numpy": "numpy", "builtins": "cmath"}
_NUMPY_NAME = {"atan2": "arctan2"}


def _call(name: str, x: Scalar, *rest: Scalar) -> Scalar:
    method = getattr(type(x), name, None)
    if callable(method):  # mpmath numbers have a plain property `exp`
        return method(x, *rest)
    root = type(x).__module__.partition(".")[0]
    library = import_module(_LIBRARY.get(root, root))
    if root == "numpy":
        name = _NUMPY_NAME.get(name, name)
    return getattr(library, name)(x, *rest)


def sin(x: Scalar) -> Scalar:
    return math.sin(x) if isinstance(x, (float, int)) else _call("sin", x)


def cos(x: Scalar) -> Scalar:
    return math.cos(x) if isinstance(x, (float, int)) else _call("cos", x)


def sqrt(x: Scalar) -> Scalar:
    return math.sqrt(x) if isinstance(x, (float, int)) else _call("sqrt", x)


def exp(x: Scalar) -> Scalar:
    return math.exp(x) if isinstance(x, (float, int)) else _call("exp", x)


def tanh(x: Scalar) -> Scalar:
    return math.tanh(x) if isinstance(x, (float, int)) else _call("tanh", x)


def atan2(y: Scalar, x: Scalar) -> Scalar:
    """Angle of the point (x, y), in (-pi, pi]."""
    if isinstance(y, (float, int)) and isinstance(x, (float, int)):
        return math.atan2(y, x)
    symbolic = y if not isinstance(y, (float, int)) else x
    method = getattr(type(symbolic), "atan2", None)
    if method is not None:
        return method(y, x)
    root = type(symbolic).__module__.partition(".")[0]
    library = import_module(_LIBRARY.get(root, root))
    return getattr(library, _NUMPY_NAME["atan2"] if root == "numpy" else "atan2")(y, x)


def where(condition: Scalar, yes: Scalar, no: Scalar) -> Scalar:
    """`yes` if the condition holds, else `no`.  Both are evaluated: keep both finite."""
    if isinstance(condition, bool):
        return yes if condition else no
    if isinstance(yes, Dual) or isinstance(no, Dual):
        condition = _DualMask.of(condition)
    method = getattr(type(condition), "where", None)
    if method is not None:
        return method(condition, yes, no)
    root = type(condition).__module__.partition(".")[0]
    if root == "sympy":
        return import_module("sympy").Piecewise((yes, condition), (no, True))
    if root == "numpy":
        return import_module(root).where(condition, yes, no)
    if root == "casadi":
        return import_module("casadi").if_else(condition, yes, no)
    return yes if condition else no


def nothing(x: Scalar) -> bool:
    """Is it the number 0?  Scalars that are only known later are something."""
    return type(x) in (int, float) and x == 0


def sign(x: Scalar) -> Scalar:
    """-1, 0 or 1."""
    return where(x > 0, 1.0, where(x < 0, -1.0, 0.0))


@dataclass(frozen=True)
class Table:
    """Rows of numbers, one behind the other, that are read by their place."""

    values: tuple[float, ...]
    columns: int = 1

    @classmethod
    def of_rows(cls, rows: Sequence[Sequence[float]]) -> Table:
        return cls(tuple(float(x) for row in rows for x in row), len(rows[0]))

    @property
    def rows(self) -> int:
        return len(self.values) // self.columns

    def __hash__(self) -> int:
        return hash((self.columns, len(self.values), self.values[:8], self.values[-8:]))

    def at(self, place: float, column: int) -> float:
        row = min(max(place, 0.0), self.rows - 1.0) if place == place else self.rows - 1.0
        return self.values[int(row) * self.columns + column]


def lookup(table: Table, x: Scalar, column: int = 0) -> Scalar:
    """A number of the row at floor(x), of the first or last one beyond them.  It has no slope."""
    if isinstance(x, (float, int)):
        return table.at(x, column)
    method = getattr(type(x), "lookup", None)
    if method is not None:
        return method(x, table, column)
    root = type(x).__module__.partition(".")[0]
    if root == "numpy":
        numpy = import_module(root)
        rows = numpy.where(x == x, numpy.clip(x, 0, table.rows - 1), table.rows - 1)
        return numpy.array(table.values)[rows.astype(int) * table.columns + column]
    if root in ("mpmath", "builtins"):
        return table.at(float(x.real), column)
    raise TypeError(f"tables have no form for scalars of {root}: use numbers there.")


def dot(xs: Any, ys: Any) -> Scalar:
    """Sum of the products of two rows of scalars; the structural zero for empty rows."""
    total: Scalar = 0
    for x, y in zip(xs, ys, strict=True):
        total = total + x * y
    return total


class Around:
    """A scalar made of other scalars: arithmetic between the two is its business, also where the
    others are arrays."""

    __slots__ = ()
    __array_ufunc__ = None


class Dual(Around):
    """A value with a slope: functions over scalars give their derivative along with the value."""

    __slots__ = ("slope", "value")

    def __init__(self, value: Scalar, slope: Scalar = 0):
        self.value, self.slope = value, slope

    @staticmethod
    def lift(x: Scalar) -> Dual:
        return x if isinstance(x, Dual) else Dual(x)

    def __add__(self, o: Scalar) -> Dual:
        o = Dual.lift(o)
        return Dual(self.value + o.value, self.slope + o.slope)

    __radd__ = __add__

    def __sub__(self, o: Scalar) -> Dual:
        o = Dual.lift(o)
        return Dual(self.value - o.value, self.slope - o.slope)

    def __rsub__(self, o: Scalar) -> Dual:
        return Dual.lift(o) - self

    def __mul__(self, o: Scalar) -> Dual:
        o = Dual.lift(o)
        return Dual(self.value * o.value, self.slope * o.value + self.value * o.slope)

    __rmul__ = __mul__

    def __truediv__(self, o: Scalar) -> Dual:
        o = Dual.lift(o)
        inverse = 1.0 / o.value
        ratio = self.value * inverse
        return Dual(ratio, (self.slope - ratio * o.slope) * inverse)

    def __rtruediv__(self, o: Scalar) -> Dual:
        value = o / self.value
        return Dual(value, -(value / self.value) * self.slope)

    def __neg__(self) -> Dual:
        return Dual(-self.value, -self.slope)

    def __pow__(self, n: int) -> Dual:
        return Dual(self.value**n, n * self.value ** (n - 1) * self.slope)

    def __abs__(self) -> Dual:
        return where(self.value < 0, -self, self)

    def __lt__(self, o: Scalar) -> Scalar:
        return _DualMask(self.value < Dual.lift(o).value)

    def __le__(self, o: Scalar) -> Scalar:
        return _DualMask(self.value <= Dual.lift(o).value)

    def __gt__(self, o: Scalar) -> Scalar:
        return _DualMask(self.value > Dual.lift(o).value)

    def __ge__(self, o: Scalar) -> Scalar:
        return _DualMask(self.value >= Dual.lift(o).value)

    def sin(self) -> Dual:
        return Dual(sin(self.value), cos(self.value) * self.slope)

    def cos(self) -> Dual:
        return Dual(cos(self.value), -sin(self.value) * self.slope)

    def sqrt(self) -> Dual:
        root = sqrt(self.value)
        return Dual(root, self.slope / (2.0 * root))

    def exp(self) -> Dual:
        power = exp(self.value)
        return Dual(power, power * self.slope)

    def tanh(self) -> Dual:
        h = tanh(self.value * 0.5)  # 1 - t² = ((1 - h²) / (1 + h²))²: far less cancels
        slope = (1.0 - h * h) / (1.0 + h * h)
        return Dual(tanh(self.value), slope * slope * self.slope)

    def lookup(self, table: Table, column: int) -> Scalar:
        return lookup(table, self.value, column)

    @staticmethod
    def atan2(y: Scalar, x: Scalar) -> Dual:
        y, x = Dual.lift(y), Dual.lift(x)
        length = x.value * x.value + y.value * y.value
        return Dual(atan2(y.value, x.value), (x.value * y.slope - y.value * x.slope) / length)


class _DualMask:
    """The outcome of comparing duals: decided by the values."""

    def __init__(self, condition: Scalar):
        self.condition = condition

    @classmethod
    def of(cls, condition: Scalar) -> _DualMask:
        """Also of a condition on numbers without slopes."""
        return condition if isinstance(condition, _DualMask) else cls(condition)

    def __bool__(self) -> bool:
        return bool(self.condition)

    def where(self, yes: Scalar, no: Scalar) -> Dual:
        yes, no = Dual.lift(yes), Dual.lift(no)
        return Dual(
            where(self.condition, yes.value, no.value),
            where(self.condition, yes.slope, no.slope),
        )
