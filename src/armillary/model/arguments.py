"""Arguments of another kind than a function declares, told by their names at its door.

`check_arguments` reads the type hints.  Numbers that are not finite, and what is no function where
one is needed, are refused before the function is called; where it then stumbles over an argument
that does not fit its hint, that argument is named.  What the function refuses by itself, it says
better.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, wraps
from inspect import Parameter, Signature, signature
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Annotated, Any, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

from armillary.errors import ArmillaryError, InputError

P = ParamSpec("P")
R = TypeVar("R")
_WORDS = {float: "a finite number", int: "a whole number", str: "a text", NoneType: "None"}
_COUNTS = {2: "two", 3: "three", 4: "four", 6: "six"}
Endless = Annotated[float, math.inf]  # a number that may be infinite
RAW = (TypeError, ValueError, AttributeError, ArithmeticError, LookupError)


def check_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """The function with errors that name arguments which do not fit."""

    @wraps(function)
    def asked(*args: P.args, **kwargs: P.kwargs) -> R:
        for name, value, hint in _arguments(function, args, kwargs):
            lost = isinstance(value, float) and not math.isfinite(value) and fits(1.0, hint)
            asks = _kind(hint) is Callable and not callable(value)
            if asks or (lost and not fits(value, hint)):
                raise InputError(_message(function, name, hint, value))
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
        return signature(function), get_type_hints(function, include_extras=True)
    except NameError:  # a hint for type checkers alone
        return signature(function), {}


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


__all__ = ["Endless", "check_all_arguments", "check_arguments", "check_fields", "fits"]
