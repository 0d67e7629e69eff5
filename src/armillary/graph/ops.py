"""The operations of an expression graph: one row each.

A row gives the number of arguments, the value on floats, the LLVM text, and the cost of doing it
again instead of keeping the result.  `{t}` is the element type (scalar or vector), `{a}`, `{b}`,
`{c}` the operands, `{s}` the suffix of an LLVM intrinsic, `{m}` the mask type.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple


class Op(NamedTuple):
    arity: int
    value: Callable[..., Any]
    llvm: str
    cost: int = 1  # in additions; 100 and more: never recompute
    result: str = "number"  # or "mask"


def _ratio(a: float, b: float) -> float:
    if b == 0.0:
        return math.nan if a == 0.0 or a != a else math.copysign(math.inf, a) * math.copysign(1, b)
    return a / b


OPS: dict[str, Op] = {
    "add": Op(2, lambda a, b: a + b, "fadd {t} {a}, {b}"),
    "sub": Op(2, lambda a, b: a - b, "fsub {t} {a}, {b}"),
    "mul": Op(2, lambda a, b: a * b, "fmul {t} {a}, {b}"),
    "neg": Op(1, lambda a: -a, "fneg {t} {a}"),
    "div": Op(2, _ratio, "fdiv {t} {a}, {b}", 100),
    "sqrt": Op(1, lambda a: math.sqrt(a) if a >= 0 else math.nan,
               "call {t} @llvm.sqrt.{s}({t} {a})", 100),
    "fma": Op(3, lambda a, b, c: a * b + c, "call {t} @llvm.fma.{s}({t} {a}, {t} {b}, {t} {c})"),
    "abs": Op(1, abs, "call {t} @llvm.fabs.{s}({t} {a})"),
    "sin": Op(1, math.sin, "", 100),  # expanded by expand.py before LLVM
    "cos": Op(1, math.cos, "", 100),
    "quadrant_sin": Op(3, lambda k, s, c: math.nan, "", 100),  # written by emit.py
    "quadrant_cos": Op(3, lambda k, s, c: math.nan, "", 100),
    "exp": Op(1, math.exp, "{lib}", 100),  # from the C library, lane by lane
    "tanh": Op(1, math.tanh, "{lib}", 100),
    "atan2": Op(2, math.atan2, "{lib}", 100),
    "lt": Op(2, lambda a, b: a < b, "fcmp olt {t} {a}, {b}", 1, "mask"),
    "le": Op(2, lambda a, b: a <= b, "fcmp ole {t} {a}, {b}", 1, "mask"),
    "eq": Op(2, lambda a, b: a == b, "fcmp oeq {t} {a}, {b}", 1, "mask"),
    "select": Op(3, lambda c, a, b: a if c else b, "select {m} {a}, {t} {b}, {t} {c}"),
}  # fmt: skip
