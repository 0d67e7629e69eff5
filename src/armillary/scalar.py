"""Elementary functions of one scalar of any kind.

Algorithms are written over scalars and never ask which kind: floats, nodes of an expression
graph, SymPy expressions, CasADi symbols, mpmath numbers, complex numbers or numpy arrays all
work.  A kind either brings the functions as methods (`x.sin()`) or is found in the table of
libraries below.  The integers 0 and 1 are *structural*: they say "nothing here", not "a number
that happens to be zero", and graph nodes fold them away.
"""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any, TypeAlias

Scalar: TypeAlias = Any

# library of a foreign scalar type, found by the first word of the type's module
_LIBRARY = {"sympy": "sympy", "mpmath": "mpmath", "numpy": "numpy", "builtins": "cmath"}
_NUMPY_NAME = {"atan2": "arctan2"}


def _call(name: str, x: Scalar, *rest: Scalar) -> Scalar:
    method = getattr(type(x), name, None)
    if method is not None:
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


def sign(x: Scalar) -> Scalar:
    """-1, 0 or 1."""
    return where(x > 0, 1.0, where(x < 0, -1.0, 0.0))


def dot(xs: Any, ys: Any) -> Scalar:
    """Sum of the products of two rows of scalars; the structural zero for empty rows."""
    total: Scalar = 0
    for x, y in zip(xs, ys, strict=True):
        total = total + x * y
    return total
