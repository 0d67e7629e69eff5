"""What functions of the user are handed, and what they answer.

They get copies of the state: what they write there stays with them.  Their answers are checked by
name: real numbers, as many as are needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

import numpy as np

from armillary.errors import InputError
from armillary.evaluate.inputs import Array, as_floats
from armillary.scalar import Scalar


def name_of(given: object) -> str:
    """A function or part, for messages."""
    return f"'{getattr(given, '__name__', type(given).__name__)}'"


def several(given: object) -> list[object]:
    """One or several things, or None."""
    if given is None:
        return []
    return list(given) if isinstance(given, Sequence) else [given]


def numbers(what: str, found: object, t: float) -> Array:
    """An answer at t as floats."""
    if type(found) is np.ndarray and found.dtype == np.float64:
        return found
    try:
        return as_floats(what, found).astype(float, copy=False)
    except InputError as fault:
        raise _unfit(fault, found, t) from None


def number(what: str, found: object, t: float) -> float:
    """One number."""
    array = numbers(what, found, t)
    if array.ndim:
        raise InputError(
            f"{what}: its function must give one number, found shape {array.shape} at t = {t:g} s."
        )
    return float(array)


def scalars(
    what: str, found: object, count: int, batch: tuple[int, ...], t: float, meant: str
) -> list[Scalar]:
    """Scalars of a block: `count` floats, or columns of the shape `batch`."""
    try:
        values = list(found)  # type: ignore[call-overload]
    except TypeError:
        values = None
    if values is None or len(values) != count:
        shown = type(found).__name__ if values is None else len(values)
        raise InputError(f"{what}: expected {count} {meant} at t = {t:g} s, found {shown}.")
    if all(type(x) is float for x in values):
        return values
    values = [numbers(what, x, t) for x in values]
    for x in values:
        if x.shape not in ((), batch):
            raise InputError(
                f"{what}: expected a number for each of {meant} at t = {t:g} s, or one per run; "
                f"found shape {x.shape}."
            )
    return [x.item() if x.ndim == 0 else x for x in values]


def handed(values: Sequence[Scalar]) -> list[Scalar]:
    """Scalars that are the receiver's own."""
    return [x.copy() if isinstance(x, np.ndarray) else x for x in values]


def finite(values: Sequence[Scalar]) -> bool:
    """Of scalars or columns: quick, and in doubt False."""
    total = sum(values)
    return isfinite(total) if isinstance(total, float) else bool(np.isfinite(total).all())


def _unfit(fault: InputError, found: object, t: float) -> InputError:
    if found is None:
        about = str(fault).partition(": expected")[0]
        fault = InputError(f"{about}: found None, it returns nothing.")
    return InputError(f"{fault} (The answer at t = {t:g} s.)")


# -- arrays as lists of scalars ------------------------------------------------------------------


def columns(x: Array) -> list[Scalar]:
    """(n,) -> n floats; (B, n) -> n columns (B,); copies."""
    return x.tolist() if x.ndim == 1 else list(x.T.copy())


def array_of(scalars: Sequence[Scalar]) -> Array:
    """n floats -> (n,); n columns (B,) -> (B, n).  Floats among columns are spread."""
    if all(type(x) is float for x in scalars):
        return np.array(scalars, float)
    return np.stack(np.broadcast_arrays(*(np.asarray(x, float) for x in scalars)), axis=-1)


def rows(values: Sequence[Scalar], like: Array) -> Array:
    """Scalars or columns as an array shaped like the given one."""
    result = np.empty(like.shape)
    for k, x in enumerate(values):
        result[..., k] = x
    return result
