"""Formulations over arrays that count: the same files, run on another numpy.

An algorithm over scalars runs on symbols; a formulation in matrices runs on `Counted` arrays.  Its
modules are loaded once more with a numpy whose arrays are of that kind, and nothing else differs:
what is counted is what is carried out.

dense   every multiplication and addition of every product of arrays, zeros included
own     those of them whose factors are neither 0 nor ±1, whose summands are not 0, rounding aside

Complex numbers count as four multiplications and two additions, choices and signs are free.
Decompositions are counted by their sizes, both times: elimination n³/3, Cholesky n³/6, Householder
n²(m - n/3), singular values 4 m n² + 8 n³ [Golub and Van Loan, 5.2, 8.6].
"""

from __future__ import annotations

import builtins
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np
import scipy.linalg

_COPIED = (
    "armillary.textbook",
    "armillary.constraints.nullspace",
    "armillary.constraints.equations",
)
Value: TypeAlias = Any  # what numpy takes and gives: arrays, counted or plain, numbers, shapes
_TURNS = (np.sin, np.cos)
_SUMS = (np.add, np.subtract)
_ROUNDING = 1e-13  # of the largest entry
_NOTHING = 1e-15  # smaller numbers are none


@dataclass
class Tally:
    """Multiplications, additions, divisions and roots, sines and cosines; dense and own."""

    dense: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    own: list[int] = field(default_factory=lambda: [0, 0, 0, 0])

    def reset(self) -> None:
        self.dense[:], self.own[:] = [0] * 4, [0] * 4

    def add(self, kind: int, dense: float, own: float | None = None) -> None:
        self.dense[kind] += round(dense)
        self.own[kind] += round(dense if own is None else own)

    def products(self, A: Value, B: Value) -> None:
        """A @ B, and the sums in it."""
        A, B = np.atleast_2d(A), B[:, None] if B.ndim == 1 else B
        count, summed = A.size * B.shape[-1], A.shape[0] * B.shape[-1] * (A.shape[-1] - 1)
        times = _some(A).sum(axis=-2) @ _some(B).sum(axis=-1)
        terms = _there(A).astype(int) @ _there(B)
        self.times(count, times, A, B)
        self.plus(summed, np.maximum(terms - 1, 0).sum(), A, B)

    def times(self, dense: float, own: float, *factors: Value) -> None:
        each = 4 if all(np.iscomplexobj(x) for x in factors) else 1 + _complex(*factors)
        self.add(0, each * dense, each * own)
        if each == 4:
            self.add(1, 2 * dense, 2 * own)

    def plus(self, dense: float, own: float, *summands: Value) -> None:
        each = 1 + _complex(*summands)
        self.add(1, each * dense, each * own)

    def ufunc(self, kind: np.ufunc, method: str, inputs: tuple[Value, ...], result: Value) -> None:
        if kind is np.matmul:
            self.products(*inputs)
        elif method == "reduce" and kind is np.add:
            some = np.maximum(_there(inputs[0]).sum() - np.size(result), 0)
            self.plus(np.size(inputs[0]) - np.size(result), some, inputs[0])
        elif method not in ("__call__", "outer"):
            return
        elif kind is np.multiply:
            both = np.multiply.outer if method == "outer" else np.logical_and
            some = both(_some(inputs[0]), _some(inputs[1]))
            self.times(np.size(result), some.sum(), *inputs)
        elif kind in _SUMS:
            some = _there(inputs[0]) & _there(inputs[1])
            self.plus(np.size(result), np.broadcast_to(some, np.shape(result)).sum(), *inputs)
        elif kind in (np.square, np.power):
            self.add(0, np.size(result))
        elif kind in (np.true_divide, np.sqrt):
            self.add(2, np.size(result))
        elif kind in _TURNS:
            self.add(3, np.size(result))

    def function(self, name: str, args: tuple[Value, ...], result: Value) -> None:
        """Functions of numpy and scipy that are no products of arrays."""
        first = np.asarray(args[0]) if args and not isinstance(args[0], (list, tuple)) else None
        if name == "cross":
            some = int(_there(result).sum())
            self.add(0, 2 * np.size(result), 2 * some)
            self.add(1, np.size(result), some)
        elif name in ("kron", "outer"):
            both = np.multiply.outer(_some(first), _some(args[1])).sum()
            self.times(np.size(result), both, first, args[1])
        elif first is None:
            return
        elif name in ("sum", "trace"):
            terms = first if name == "sum" else np.diag(first)
            self.plus(terms.size - np.size(result), int(_there(terms).sum()) - 1, terms)
        elif name in _DECOMPOSED:
            for kind, count in enumerate(_DECOMPOSED[name](first, args)):
                self.add(kind, count)


def _solved(A: Value, args: tuple[Value, ...]) -> tuple[float, float, float]:
    """Elimination: n³/3 products for the factors, n² for every right side."""
    n = len(A)
    right = np.size(args[1]) if len(args) > 1 else n * n
    return (n**3 - n) / 3 + n * right, (n**3 - n) / 3 + (n - 1) * right, n


def _cholesky(A: Value, _: tuple[Value, ...]) -> tuple[float, float, float]:
    n = len(A)
    return n**3 / 6, n**3 / 6, 2 * n


def _householder(A: Value, _: tuple[Value, ...]) -> tuple[float, float, float]:
    m, n = max(A.shape), min(A.shape)
    return n * n * (m - n / 3), n * n * (m - n / 3), 2 * n


def _singular(A: Value, _: tuple[Value, ...]) -> tuple[float, float, float]:
    m, n = max(A.shape), min(A.shape)
    return 4 * m * n * n + 8 * n**3, 4 * m * n * n + 8 * n**3, n


_DECOMPOSED: dict[str, Callable[[Value, tuple[Value, ...]], tuple[float, float, float]]] = {
    "solve": _solved, "inv": _solved, "cholesky": _cholesky, "qr": _householder,
    "svd": _singular, "pinv": _singular, "lstsq": _singular,
}  # fmt: skip


def _complex(*numbers: Value) -> int:
    return int(any(np.iscomplexobj(x) for x in numbers))


def _there(x: Value) -> Value:
    """Where a summand is more than rounding, which differs between processors."""
    size = np.abs(x)
    return size > max(_ROUNDING * float(np.max(size, initial=0.0)), _NOTHING)


def _some(x: Value) -> Value:
    """Where a factor is one."""
    return (_there(x) & (np.abs(np.abs(x) - 1) > _ROUNDING)).astype(int)


class Counted(np.ndarray):
    """An array that counts what is done with it; its entries are `Number`s."""

    tally: Tally

    def __array_finalize__(self, other: Value) -> None:
        self.tally = getattr(other, "tally", None) or Tally()

    def __array_ufunc__(
        self, ufunc: Value, method: Value, *inputs: Value, **kwargs: Value
    ) -> Value:
        plain = _plain(inputs)
        out = kwargs.pop("out", None)
        if out is not None:
            kwargs["out"] = _plain(out)
        result = getattr(ufunc, method)(*plain, **kwargs)
        self.tally.ufunc(ufunc, method, plain, result)
        return out[0] if out is not None else counted(result, self.tally)

    def __array_function__(self, function: Value, types: Value, args: Value, named: Value) -> Value:
        plain = _plain(args)
        result = function(*plain, **{name: _plain(x) for name, x in named.items()})
        self.tally.function(function.__name__, plain, result)
        return counted(result, self.tally)

    def __getitem__(self, key: Value) -> Value:
        return counted(np.ndarray.__getitem__(_plain(self), _plain(key)), self.tally)

    def __iter__(self) -> Value:
        return (self[k] for k in range(len(self)))

    def tolist(self) -> Value:
        """For what is written over scalars."""
        return [x.tolist() if isinstance(x, Counted) else x for x in self]


def counted(x: Value, tally: Tally) -> Value:
    """Arrays and numbers of an answer, as those that count."""
    if isinstance(x, tuple):
        items = [counted(item, tally) for item in x]
        return type(x)(*items) if hasattr(x, "_fields") else tuple(items)
    if isinstance(x, (np.floating, np.complexfloating)):
        return Number(x.item(), tally)
    if not isinstance(x, np.ndarray) or x.dtype.kind not in "fc":
        return x
    found = x.view(Counted)
    found.tally = tally
    return found


def _plain(x: Value) -> Value:
    if isinstance(x, Counted):
        return x.view(np.ndarray)
    if isinstance(x, (tuple, list)) and not hasattr(x, "_fields"):
        return type(x)(_plain(item) for item in x)
    return _value(x)


def _value(x: Value) -> Value:
    return x.value if isinstance(x, Number) else x


class Number:
    """A scalar that counts; the integers 0 and 1 belong to the structure and are free."""

    __array_ufunc__ = None  # arrays hand their operators to it

    def __init__(self, value: Value, tally: Tally):
        self.value, self.tally = value, tally

    def _array(self) -> Value:
        return counted(np.array([self.value]), self.tally)

    def __add__(self, other: Value) -> Value:
        if isinstance(other, np.ndarray):
            return self._array() + other
        x = _value(other)
        if not _is(other, 0):
            self.tally.plus(1, int(_there(self.value) and _there(x)), self.value, x)
        return Number(self.value + x, self.tally)

    def __sub__(self, other: Value) -> Value:
        return self + (-other)

    def __rsub__(self, other: Value) -> Value:
        return -self + other

    def __mul__(self, other: Value) -> Value:
        if isinstance(other, np.ndarray):
            return self._array() * other
        x = _value(other)
        if _is(other, 0):
            return 0
        if not _is(other, 1, -1):
            some = all(y not in (0, 1, -1) for y in (x, self.value))
            self.tally.times(1, int(some), self.value, x)
        return Number(self.value * x, self.tally)

    __radd__, __rmul__ = __add__, __mul__

    def __truediv__(self, other: Value) -> Value:
        if isinstance(other, np.ndarray):
            return self._array() / other
        self.tally.add(2, int(not _is(other, 1)))
        return Number(self.value / _value(other), self.tally)

    def __rtruediv__(self, other: Value) -> Value:
        if isinstance(other, np.ndarray):
            return other / self._array()
        self.tally.add(2, 1)
        return Number(_value(other) / self.value, self.tally)

    def __pow__(self, power: int) -> Number:
        self.tally.times(power - 1, power - 1, self.value)
        return Number(self.value**power, self.tally)

    def __neg__(self) -> Number:
        return Number(-self.value, self.tally)

    def __abs__(self) -> Number:
        return Number(abs(self.value), self.tally)

    def __float__(self) -> float:
        return float(self.value)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __eq__(self, other: object) -> Value:
        return self.value == _plain(other)

    def __lt__(self, other: Value) -> Value:
        return self.value < _plain(other)

    def __le__(self, other: Value) -> Value:
        return self.value <= _plain(other)

    def __gt__(self, other: Value) -> Value:
        return self.value > _plain(other)

    def __ge__(self, other: Value) -> Value:
        return self.value >= _plain(other)

    __hash__ = None  # type: ignore[assignment]

    @property
    def imag(self) -> Number:
        return Number(self.value.imag, self.tally)

    def sin(self) -> Number:
        self.tally.add(3, 1)
        return Number(np.sin(self.value), self.tally)

    def cos(self) -> Number:
        self.tally.add(3, 1)
        return Number(np.cos(self.value), self.tally)

    def sqrt(self) -> Number:
        self.tally.add(2, 1)
        return Number(np.sqrt(self.value), self.tally)


def _is(x: Value, *known: int) -> bool:
    """A number of the structure, which no machine multiplies by."""
    return isinstance(x, (int, complex)) and x in known


class _Numpy:
    """A module whose functions give and take `Counted` arrays."""

    def __init__(self, module: Value, tally: Tally):
        self._module, self._tally = module, tally

    def __getattr__(self, name: str) -> Value:
        found = getattr(self._module, name)
        if isinstance(found, ModuleType):
            return _Numpy(found, self._tally)
        if isinstance(found, type) or not callable(found):
            return found

        def function(*args: Value, **named: Value) -> Value:
            plain = _plain(args)
            result = found(*plain, **{key: _plain(x) for key, x in named.items()})
            if isinstance(found, np.ufunc):
                self._tally.ufunc(found, "__call__", plain, result)
            else:
                self._tally.function(name, plain, result)
            return counted(result, self._tally)

        return function


class Copies:
    """The modules of the formulations once more, over arrays that count into `tally`."""

    def __init__(self) -> None:
        self.tally = Tally()
        self._modules: dict[str, Value] = {
            "numpy": _Numpy(np, self.tally),
            "numpy.linalg": _Numpy(np.linalg, self.tally),
            "scipy.linalg": _Numpy(scipy.linalg, self.tally),
        }
        self._builtins = {**vars(builtins), "__import__": self._import}

    def module(self, name: str) -> Value:
        """A copy by its name, or the module itself where it is none of them."""
        if name in self._modules:
            return self._modules[name]
        if not any(name == part or name.startswith(part + ".") for part in _COPIED):
            return importlib.import_module(name)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            raise ImportError(name)
        copy = importlib.util.module_from_spec(spec)
        vars(copy)["__builtins__"] = self._builtins
        self._modules[name] = copy
        spec.loader.exec_module(copy)
        return copy

    def _import(
        self,
        name: str,
        globals: Value = None,
        locals: Value = None,
        names: Value = (),
        level: int = 0,
    ) -> Value:
        known = name in self._modules or any(name.startswith(part) for part in _COPIED)
        if level or not known or not names:
            if name == "numpy" and not names:
                return self._modules["numpy"]
            return builtins.__import__(name, globals, locals, names, level)
        found = self.module(name)
        for part in names:  # modules of a package are attributes of it
            inner = f"{name}.{part}"
            if not hasattr(found, part) and importlib.util.find_spec(inner) is not None:
                setattr(found, part, self.module(inner))
        return found


class CountedMachine:
    """An object whose arrays are counted, and whose methods are those of a copied class."""

    def __init__(self, whole: Value, kind: Value, tally: Tally):
        self._whole, self._kind, self._tally = whole, kind, tally

    def __getattr__(self, name: str) -> Value:
        method = vars(self._kind).get(name)
        if callable(method):
            return partial(method, self)
        return counted(getattr(self._whole, name), self._tally)
