"""The operations of an expression graph: one table of what they mean.

How an operation is written belongs to the printers (infix.py, c_source.py, codegen/llvm.py).
"""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable
from typing import Literal, NamedTuple

from armillary import scalar
from armillary.errors import CompileError
from armillary.scalar import Scalar

KEPT = 100  # cost of what is never worked out twice


class Op(NamedTuple):
    """value: over scalars of any kind; a division or a root of floats is that of the machine.
    latency: cycles until the result is there, 0 for what is a part of the operation that uses it.
    cost: of working it out again instead of keeping it, in additions.
    multiplies: it needs a multiplier, of which a processor has few."""

    arity: int
    value: Callable[..., Scalar]
    latency: int
    cost: int = 1
    multiplies: bool = False
    result: Literal["number", "mask"] = "number"


def latency(op: str) -> int:
    """Cycles of an operation; numbers and loads take none."""
    return OPS[op].latency if op in OPS else 0


def _ratio(a: Scalar, b: Scalar) -> Scalar:
    if isinstance(a, (float, int)) and isinstance(b, (float, int)) and b == 0:
        if a == 0 or a != a:
            return math.nan
        return math.copysign(math.inf, a) * math.copysign(1, b)
    return a / b


def _root(a: Scalar) -> Scalar:
    return math.nan if isinstance(a, (float, int)) and not a >= 0 else scalar.sqrt(a)


def _quadrant(bits: float) -> int:
    """Lowest bits of a double."""
    return int(struct.unpack("<q", struct.pack("<d", bits))[0])


def _quadrant_sin(bits: float, sine: float, cosine: float) -> float:
    """Sine of an angle in quadrant k, from those of its rest; k stands in the bits."""
    k = _quadrant(bits)
    value = cosine if k & 1 else sine
    return -value if k & 2 else value


def _quadrant_cos(bits: float, sine: float, cosine: float) -> float:
    k = _quadrant(bits)
    value = sine if k & 1 else cosine
    return -value if (k + 1) & 2 else value


def _no_table(place: Scalar) -> Scalar:
    raise CompileError("a table is read by its node, which knows it.")


def _power_of_two(bits: float) -> float:
    """2^k; k stands in the lowest bits."""
    return 2.0 ** (_quadrant(bits) & 0x3FF)


OPS: dict[str, Op] = {
    "add": Op(2, operator.add, 3),
    "sub": Op(2, operator.sub, 3),
    "mul": Op(2, operator.mul, 3, multiplies=True),
    "neg": Op(1, operator.neg, 0),
    "div": Op(2, _ratio, 13, KEPT, multiplies=True),
    "sqrt": Op(1, _root, 20, KEPT, multiplies=True),
    "fma": Op(3, lambda a, b, c: a * b + c, 4, multiplies=True),
    "abs": Op(1, abs, 1),
    "sin": Op(1, scalar.sin, 40, KEPT),
    "cos": Op(1, scalar.cos, 40, KEPT),
    "quadrant_sin": Op(3, _quadrant_sin, 4, KEPT),  # these three only after expansion
    "quadrant_cos": Op(3, _quadrant_cos, 4, KEPT),
    "power_of_two": Op(1, _power_of_two, 2, KEPT),
    "exp": Op(1, scalar.exp, 40, KEPT),
    "tanh": Op(1, scalar.tanh, 40, KEPT),
    "atan2": Op(2, scalar.atan2, 40, KEPT),
    "lookup": Op(1, _no_table, 10, KEPT),  # of a table that the node holds
    "lt": Op(2, operator.lt, 3, result="mask"),
    "le": Op(2, operator.le, 3, result="mask"),
    "eq": Op(2, operator.eq, 3, result="mask"),
    "select": Op(3, scalar.where, 2),
}
