"""What comes in: lists, scalars and arrays of users, checked and turned into rows of float64."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from armillary.errors import InputError, NotFiniteError
from armillary.units import WRENCH

if TYPE_CHECKING:
    from armillary.runtime.call_arguments import Arguments

Array = NDArray[np.float64]
Keywords: TypeAlias = dict[str, Any]  # arguments of a call by name
BoundQuestion = Callable[..., Any]  # of one mechanism; its row of the table says what it takes


MOST_STATES = 100_000_000  # made at random at once: more fit into no memory


def rows(name: str, value: ArrayLike, labels: Sequence[str]) -> tuple[Array, bool]:
    """The value as (B, n), and whether it was a single state.

    A single state must be finite.  In a batch, numbers that are not finite go through to the
    results of their own row."""
    n = len(labels)
    plain = type(value) is np.ndarray and value.dtype == np.float64 and value.shape == (n,)
    if plain and np.isfinite(value).all():  # as most are
        return np.ascontiguousarray(value)[None], True
    array = as_floats(name, value)
    if array.ndim == 0 and n == 1:
        array = array.reshape(1)
    if array.ndim not in (1, 2) or array.shape[-1] != n:
        raise InputError(
            f"{name}: expected {n} numbers per state ({_few(labels)}), i.e. shape ({n},) or "
            f"(B, {n}); found shape {array.shape}."
        )
    single = array.ndim == 1
    if single and not np.isfinite(array).all():
        k = int(np.flatnonzero(~np.isfinite(array))[0])
        raise InputError(f"{name}: entry {k} ('{labels[k]}') is {array[k]}; it must be finite.")
    return np.ascontiguousarray(array.reshape(1, n) if single else array), single


def as_floats(name: str, value: object) -> Array:
    """Any real numbers as float64; anything else is refused by name."""
    try:
        array = np.asarray(value)
    except (ValueError, TypeError):
        raise InputError(f"{name}: rows of different lengths; expected a plain array.") from None
    # who has a masked array has imported numpy.ma, which takes as long as a whole first answer
    if "numpy.ma" in sys.modules and isinstance(value, np.ma.MaskedArray) and value.mask.any():
        raise InputError(f"{name}: some entries are masked; fill or drop them first.")
    if array.dtype.kind not in "fiub":
        found = f"complex numbers ({array.dtype})" if array.dtype.kind == "c" else array.dtype
        raise InputError(f"{name}: expected real numbers, found {found}.")
    if array.dtype == np.float32 and array.dtype.isnative:
        return array
    return array.astype(np.float64, copy=False)


def whole_number(name: str, value: object, least: int, most: int | None = None) -> int:
    """A whole number from `least` on, of any kind of integer; anything else is refused by name."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(f"{name}: expected a whole number from {least} on, found {value!r:.60}.")
    if most is not None and value > most:
        raise InputError(f"{name}: expected {most} at most, found {value!r:.60}.")
    return int(value)


def one_number(name: str, value: object, low: float, high: float, what: str = "a number") -> float:
    """A real number from `low` to `high`; anything else is refused by name."""
    plain = isinstance(value, int | float | np.integer | np.floating)
    if not plain or isinstance(value, bool) or not low <= value <= high:  # type: ignore[operator]
        raise InputError(f"{name}: expected {what} from {low:g} to {high:g}, found {value!r:.60}.")
    return float(value)  # type: ignore[arg-type]


def mapping(name: str, value: object, what: str) -> Mapping[str, Any]:
    """Values by names; None: none."""
    if not isinstance(value, Mapping | None):
        raise InputError(f"{name}: expected {what}, found {value!r:.60}.")
    return value or {}


def is_none(external: object) -> bool:
    """No wrench at all: None, or a mapping without one."""
    return external is None or (isinstance(external, Mapping) and not external)


def checked_out(out: object, shape: tuple[int, ...], dtype: DTypeLike) -> np.ndarray:
    """An array of the caller that can take a result."""
    if not isinstance(out, np.ndarray) or out.shape != shape or out.dtype != dtype:
        found = f"{out.dtype} {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
        raise InputError(
            f"out: expected an array of {np.dtype(dtype)} with shape {shape}, found {found}."
        )
    if not out.flags.writeable:
        raise InputError("out: the array is read-only.")
    return out


def result_type(*values: object) -> Any:
    """float32 where every input is a float32 array, float64 otherwise."""
    single = all(isinstance(v, np.ndarray) and v.dtype == np.float32 for v in values)
    return np.float32 if single and values else np.float64


def common_rows(parts: dict[str, tuple[Array, bool]]) -> tuple[int, bool]:
    """Number of states of a call, and whether all inputs were single states.

    A single state goes with a batch of any length: it is used for every row."""
    sizes = {name: len(array) for name, (array, single) in parts.items() if not single}
    if not sizes:
        return 1, True
    if len(set(sizes.values())) > 1:
        found = ", ".join(f"{name}: {size}" for name, size in sizes.items())
        raise InputError(f"batches of different lengths: {found}. Use one length for all.")
    return next(iter(sizes.values())), False


def refuse_not_finite(
    given: Mapping[str, Array], labels: Mapping[str, Sequence[str]], *results: Array
) -> None:
    """The results of one state must be finite; if they are not, the largest number given to the
    question is named.  given: its inputs by name; labels: those of their entries."""
    if all(np.isfinite(result).all() for result in results):
        return
    size, name, k = 0.0, "", 0
    for key, array in given.items():
        flat = np.abs(np.ravel(array))
        if flat.size and (not name or float(flat.max()) > size):
            size, name, k = float(flat.max()), key, int(flat.argmax())
    known = labels.get(name, ())
    which = f"{name}[{k}]" + (f" ('{known[k]}')" if k < len(known) else "")
    value = float(np.ravel(given[name])[k]) if name else 0.0
    largest = f"the largest number given is {which} = {value:.6g}" if name else "nothing was given"
    raise NotFiniteError(
        f"the answer is not a finite number: {largest}. Squares of numbers beyond 1e150 overflow, "
        f"angles beyond 1e15 rad have no sine, and so do the products of a model whose own numbers "
        f"are that large, or whose inertia vanishes. Use SI units and angles within a few turns."
    )


def wrenches(external: object) -> dict[str, tuple[Array, bool]]:
    """External wrenches by frame name, each as `rows` gives them."""
    if external is not None and not isinstance(external, Mapping):
        raise InputError(
            "external: expected wrenches by frame name, {'hand': (nx, ny, nz, fx, fy, fz)}, "
            f"found {type(external).__name__}."
        )
    return {name: wrench_rows(name, value) for name, value in (external or {}).items()}


def wrench_rows(name: str, value: ArrayLike) -> tuple[Array, bool]:
    return rows(f"external['{name}']", value, WRENCH)


def choice(name: str, value: str, known: Sequence[str]) -> str:
    if not isinstance(value, str) or value not in known:
        options = ", ".join(f"'{k}'" for k in known)
        raise InputError(f"{name}: expected one of {options}, found {value!r}.")
    return value


def _few(labels: Sequence[str]) -> str:
    shown = ", ".join(labels[:4])
    return shown + (", ..." if len(labels) > 4 else "")


def flag(name: str, value: object) -> bool:
    """True or False; anything that has a length is a mistake in the order of arguments."""
    if isinstance(value, (bool, np.bool_, int)):
        return bool(value)
    raise InputError(f"{name}: expected True or False, found {type(value).__name__}.")


def as_plain(x: object, dtype: type = np.float64) -> Any:
    """Real numbers as a plain array, as native calls take it, or what was given."""
    if type(x) in (list, tuple):
        x = np.array(x)
    elif type(x) is not np.ndarray or _is_plain(x, dtype):
        return x
    return np.ascontiguousarray(x, dtype) if x.dtype.kind in "fiu" and x.ndim else x


def _is_plain(x: np.ndarray, dtype: type) -> bool:
    return x.dtype == dtype and x.dtype.isnative and x.flags.c_contiguous and x.flags.aligned


def plain_call(
    known: Arguments, given: tuple[object, ...], named: dict[str, object]
) -> tuple[list[Any], dict[str, Any]] | None:
    """The same call with rows of numbers instead of lists, whole numbers and strided arrays:
    doubles, or floats where the whole state is.  None: there is nothing to change."""
    arrays = {*known.inputs, *known.arrays}
    slots = dict(zip(known.names, given, strict=False)) | named
    dtype = result_type(*(slots.get(name) for name in known.inputs))
    try:
        changed = {
            n: x for n, v in slots.items() if n in arrays and (x := as_plain(v, dtype)) is not v
        }
        wrenches = slots.get("external") if known.frames else None
        if type(wrenches) is dict:
            plain = {name: as_plain(w) for name, w in wrenches.items()}
            if any(plain[name] is not w for name, w in wrenches.items()):
                changed["external"] = plain
    except (TypeError, ValueError):  # no numbers: the Python function says which
        return None
    if not changed:
        return None
    places = [changed.get(n, v) for n, v in zip(known.names, given, strict=False)]
    return places, {n: changed.get(n, v) for n, v in named.items()}
