"""Scalars that remember how they were made, for gradients by one sweep back over the record.

A `Taped` holds a value of any scalar kind and, for each argument it was made of, the slope with
respect to it.  After a sweep, `bar` is the derivative of the swept sum with respect to the value.
Structural integers stay what they are: they have no slope.
"""

from __future__ import annotations

from collections.abc import Sequence

from armillary.scalar import (
    Around,
    Scalar,
    Table,
    atan2,
    cos,
    exp,
    lookup,
    sin,
    sqrt,
    tanh,
    where,
)


class Taped(Around):
    """A value on a tape: `edges` are pairs (argument, slope)."""

    __slots__ = ("bar", "edges", "tape", "value")

    def __init__(self, tape: list[Taped], value: Scalar, edges: Sequence[tuple] = ()):
        self.tape, self.value, self.edges = tape, value, edges
        self.bar: Scalar = 0
        tape.append(self)

    def made(self, value: Scalar, *edges: tuple) -> Taped:
        return Taped(self.tape, value, edges)

    def __add__(self, o: Scalar) -> Taped:
        if isinstance(o, Taped):
            return self.made(self.value + o.value, (self, 1), (o, 1))
        return self if _is(o, 0) else self.made(self.value + o, (self, 1))

    __radd__ = __add__

    def __sub__(self, o: Scalar) -> Taped:
        if isinstance(o, Taped):
            return self.made(self.value - o.value, (self, 1), (o, -1))
        return self if _is(o, 0) else self.made(self.value - o, (self, 1))

    def __rsub__(self, o: Scalar) -> Taped:
        return self.made(o - self.value, (self, -1))

    def __mul__(self, o: Scalar) -> Scalar:
        if isinstance(o, Taped):
            return self.made(self.value * o.value, (self, o.value), (o, self.value))
        if _is(o, 0):
            return 0
        return self if _is(o, 1) else self.made(self.value * o, (self, o))

    __rmul__ = __mul__

    def __truediv__(self, o: Scalar) -> Taped:
        if not isinstance(o, Taped):
            return self.made(self.value / o, (self, 1.0 / o))
        inverse = 1.0 / o.value
        ratio = self.value * inverse
        return self.made(ratio, (self, inverse), (o, -(ratio * inverse)))

    def __rtruediv__(self, o: Scalar) -> Scalar:
        if _is(o, 0):
            return 0
        value = o / self.value
        return self.made(value, (self, -(value / self.value)))

    def __neg__(self) -> Taped:
        return self.made(-self.value, (self, -1))

    def __pow__(self, n: int) -> Taped:
        return self.made(self.value**n, (self, self.value ** (n - 1) * n))

    def __abs__(self) -> Scalar:
        return where(self < 0, -self, self)

    def __lt__(self, o: Scalar) -> _TapedMask:
        return _TapedMask(self.value < _value(o))

    def __le__(self, o: Scalar) -> _TapedMask:
        return _TapedMask(self.value <= _value(o))

    def __gt__(self, o: Scalar) -> _TapedMask:
        return _TapedMask(self.value > _value(o))

    def __ge__(self, o: Scalar) -> _TapedMask:
        return _TapedMask(self.value >= _value(o))

    def sin(self) -> Taped:
        return self.made(sin(self.value), (self, cos(self.value)))

    def cos(self) -> Taped:
        return self.made(cos(self.value), (self, -sin(self.value)))

    def sqrt(self) -> Taped:
        root = sqrt(self.value)
        return self.made(root, (self, 0.5 / root))

    def exp(self) -> Taped:
        power = exp(self.value)
        return self.made(power, (self, power))

    def tanh(self) -> Taped:
        t = tanh(self.value)
        return self.made(t, (self, 1.0 - t * t))

    def lookup(self, table: Table, column: int) -> Scalar:
        return lookup(table, self.value, column)

    @staticmethod
    def atan2(y: Scalar, x: Scalar) -> Taped:
        known = y if isinstance(y, Taped) else x
        vy, vx = _value(y), _value(x)
        scale = 1.0 / (vx * vx + vy * vy)
        edges = ((y, vx * scale), (x, -(vy * scale)))
        return known.made(atan2(vy, vx), *(e for e in edges if isinstance(e[0], Taped)))


class _TapedMask:
    """The outcome of comparing taped values: decided by the values."""

    def __init__(self, condition: Scalar):
        self.condition = condition

    def __bool__(self) -> bool:
        return bool(self.condition)

    def where(self, yes: Scalar, no: Scalar) -> Scalar:
        value = where(self.condition, _value(yes), _value(no))
        ends = ((yes, where(self.condition, 1.0, 0.0)), (no, where(self.condition, 0.0, 1.0)))
        edges = [end for end in ends if isinstance(end[0], Taped)]
        return Taped(edges[0][0].tape, value, edges) if edges else value


def sweep(tape: Sequence[Taped]) -> None:
    """Hand the bars of these values on to what they were made of, last one first."""
    for x in reversed(tape):
        if not _is(x.bar, 0):
            for argument, slope in x.edges:
                argument.bar = argument.bar + x.bar * slope


def _value(x: Scalar) -> Scalar:
    return x.value if isinstance(x, Taped) else x


def _is(x: Scalar, number: int) -> bool:
    """A structural integer."""
    return type(x) is int and x == number
