"""What functions of the user are handed, and what they answer.

They get copies of the state: what they write there stays with them.  Their answers are checked by
name: real numbers, as many as are needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np

from armillary.errors import InputError
from armillary.evaluate.inputs import Array, as_floats


def name_of(given: Any) -> str:
    """A function or part, for messages."""
    return f"'{getattr(given, '__name__', type(given).__name__)}'"


def numbers(what: str, found: Any, t: float) -> Array:
    """An answer at t as floats."""
    if type(found) is np.ndarray and found.dtype == np.float64:
        return found
    try:
        return as_floats(what, found).astype(float, copy=False)
    except InputError as fault:
        raise _unfit(fault, found, t) from None


def number(what: str, found: Any, t: float) -> float:
    """One number."""
    array = numbers(what, found, t)
    if array.ndim:
        raise InputError(
            f"{what}: its function must give one number, found shape {array.shape} at t = {t:g} s."
        )
    return float(array)


def scalars(what: str, found: Any, like: Array, t: float, meant: str) -> list:
    """Scalars of a part: floats, or columns (B,); as many as `like` (..., n) has columns."""
    try:
        values = list(found)
    except TypeError:
        values = None
    if values is None or len(values) != like.shape[-1]:
        shown = type(found).__name__ if values is None else len(values)
        raise InputError(f"{what}: expected {like.shape[-1]} {meant} at t = {t:g} s, "
                         f"found {shown}.")  # fmt: skip
    if all(type(x) is float for x in values):
        return values
    values = [numbers(what, x, t) for x in values]
    for x in values:
        if x.shape not in ((), like.shape[:-1]):
            raise InputError(
                f"{what}: expected a number for each of {meant} at t = {t:g} s, or one per run; "
                f"found shape {x.shape}."
            )
    return [x.item() if x.ndim == 0 else x for x in values]


def handed(values: Sequence[Any]) -> list:
    """Scalars that are the receiver's own."""
    return [x.copy() if isinstance(x, np.ndarray) else x for x in values]


def finite(values: Sequence[Any]) -> bool:
    """Of scalars or columns: quick, and in doubt False."""
    total = sum(values)
    return isfinite(total) if isinstance(total, float) else bool(np.isfinite(total).all())


def _unfit(fault: InputError, found: Any, t: float) -> InputError:
    if found is None:
        fault = InputError(f"{str(fault).partition(': expected')[0]}: found None, it returns "
                           f"nothing.")  # fmt: skip
    return InputError(f"{fault} (The answer at t = {t:g} s.)")
