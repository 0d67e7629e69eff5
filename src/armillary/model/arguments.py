"""Arguments of another kind than a function declares, told by their names at its door.

`name_arguments` reads the type hints: where a function stumbles over an argument that does not fit
its hint, that argument is named.  What the function refuses by itself, it says better.
`check_arguments` refuses numbers that are not finite, and what is no function where one is needed,
before the function is called.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import cache, wraps
from inspect import Parameter, Signature, signature, unwrap
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Annotated, Any, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

from armillary.errors import ArmillaryError, InputError

P = ParamSpec("P")
R = TypeVar("R")
_WORDS = {float: "a finite number", int: "a whole number", str: "a text", NoneType: "None"}
_COUNTS = {2: "two", 3: "three", 4: "four", 6: "six"}
Endless = Annotated[float, math.inf]  # a number that may be infinite
_APART = (Mapping, Callable)  # beside numbers in a hint
RAW = (TypeError, ValueError, AttributeError, ArithmeticError, LookupError)


def check_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """The function with errors that name arguments which do not fit, or are not finite."""
    named = name_arguments(function)

    @wraps(function)
    def asked(*args: P.args, **kwargs: P.kwargs) -> R:
        for name, value, hint in _arguments(function, args, kwargs):
            lost = isinstance(value, float) and not math.isfinite(value) and fits(1.0, hint)
            asks = _kind(hint) is Callable and not callable(value)
            if asks or (lost and not fits(value, hint)):
                raise InputError(_message(function, name, hint, value))
        return named(*args, **kwargs)

    return asked


def name_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """The function with errors that name arguments which do not fit."""

    @wraps(function)
    def asked(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except ArmillaryError:
            raise
        except RAW:
            for name, value, hint in _arguments(function, args, kwargs):
                if not fits(value, hint):
                    raise InputError(_message(function, name, hint, value)) from None
            raise

    return asked


def check_all_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """As `check_arguments`, of functions that keep for later what they are given: whatever does not
    fit its hint is refused."""

    @wraps(function)
    def asked(*args: P.args, **kwargs: P.kwargs) -> R:
        for name, value, hint in _arguments(function, args, kwargs):
            if not fits(value, hint):
                raise InputError(_message(function, name, hint, value))
        return function(*args, **kwargs)

    return asked


def check_fields(part: object) -> None:
    """Refuse fields of a dataclass that do not fit their hints, by name."""
    for name, hint in get_type_hints(type(part), include_extras=True).items():
        if not fits(value := getattr(part, name), hint):
            raise InputError(_message(type(part), name, hint, value))


@cache
def _declared(function: Callable[..., Any]) -> tuple[Signature, dict[str, Any]]:
    try:
        hints = get_type_hints(function, localns=_Names(function), include_extras=True)
        return signature(function), hints
    except (AttributeError, TypeError):  # a hint for type checkers alone
        return signature(function), {}


class _Names(dict[str, Any]):
    """Names in the hints of a function; those for type checkers alone fit everything."""

    def __init__(self, function: Callable[..., Any]):
        super().__init__(vars(builtins) | unwrap(function).__globals__)

    def __missing__(self, name: str) -> Any:
        return Any


def _arguments(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Iterator[tuple[str, Any, Any]]:
    """(name, value, hint) of the arguments of a call; none where they cannot be bound."""
    declared, hints = _declared(function)
    try:
        bound = declared.bind(*args, **kwargs).arguments
    except TypeError:
        return
    for name, value in bound.items():
        if name in hints:
            many = declared.parameters[name].kind is Parameter.VAR_POSITIONAL
            for one in value if many else (value,):
                yield name, one, hints[name]


def _kind(hint: Any) -> Any:
    return get_origin(hint) or hint


def fits(value: Any, hint: Any) -> bool:
    """Is a value of the kind that a type hint names?  Hints that are not known fit everything."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return fits(value, parts[0]) or (isinstance(value, float) and value in parts[1:])
    if origin in (Union, UnionType):
        if complex in parts:  # ArrayLike
            parts = tuple(x for x in parts if x in (NoneType, bool) or _kind(x) in _APART)
            return _shape(value) is not None or any(fits(value, part) for part in parts)
        return any(fits(value, part) for part in parts)
    if hint in (float, int):
        return _is_number(value, hint is int)
    if origin is tuple and Ellipsis not in parts:
        return (
            _is_list(value)
            and len(rows := list(value)) == len(parts)
            and all(map(fits, rows, parts))
        )
    kind = _kind(hint)
    if kind is Callable:
        return callable(value)
    if not isinstance(kind, type):
        return True
    if issubclass(kind, Mapping):
        return isinstance(value, Mapping)
    if issubclass(kind, Iterable) and parts and kind.__module__ in ("builtins", "collections.abc"):
        if isinstance(value, Iterator):
            return True
        return _is_list(value) and all(fits(x, parts[0]) for x in value)
    try:
        return isinstance(value, kind)
    except TypeError:  # a protocol
        return True


def _is_number(value: Any, whole: bool) -> bool:
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    try:
        number = float(value)
    except OverflowError:
        return False
    return math.isfinite(number) and (not whole or isinstance(value, Integral))


def _shape(value: Any) -> tuple[int, ...] | None:
    """Of an array of finite numbers, also of lists; None of anything else."""
    if isinstance(value, str | bytes | Mapping | Set):
        return None
    if not isinstance(value, Iterable) or getattr(value, "shape", None) == ():
        number = value.item() if hasattr(value, "item") else value
        return () if isinstance(number, bool) or _is_number(number, False) else None
    rows = {_shape(row) for row in value}
    if None in rows or len(rows) > 1:
        return None
    return (len(list(value)), *(rows.pop() if rows else ()))  # type: ignore[misc]


def _is_list(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


def _message(function: Callable[..., Any], name: str, hint: Any, value: object) -> str:
    title = function.__qualname__.removesuffix(".__init__").removesuffix(".of")
    try:
        found = f"{value!r:.60}"
    except ValueError:  # Python writes no whole number of more than 4300 digits
        found = "a number without end"
    return f"{title}: {name} is {_words(hint)}, found {found}."


def _words(hint: Any) -> str:
    """What a hint asks for."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return " or ".join(map(str, (_words(parts[0]), *parts[1:])))
    if origin in (Union, UnionType):
        if complex in parts:
            own = [_words(x) for x in parts if x is NoneType or _kind(x) in _APART]
            return " or ".join(("finite numbers", *dict.fromkeys(own)))
        return " or ".join(dict.fromkeys(map(_words, parts)))
    if hint in _WORDS:
        return _WORDS[hint]
    if origin is tuple and Ellipsis not in parts:
        return f"{_COUNTS.get(len(parts), len(parts))} finite numbers"
    kind = _kind(hint)
    if kind is Callable:
        return "a function"
    if isinstance(kind, type) and issubclass(kind, Mapping):
        return "names with values"
    name = getattr(kind, "__name__", str(kind))
    if parts and isinstance(kind, type) and issubclass(kind, Iterable) and name != "ndarray":
        return f"a list, each {_words(parts[0])}"
    return f"a {name}" if name != "ndarray" else "an array of numbers"


__all__ = [
    "Endless",
    "check_all_arguments",
    "check_arguments",
    "check_fields",
    "fits",
    "name_arguments",
]
