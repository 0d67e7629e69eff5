"""Fields of results that are found when they are first read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Generic, TypeVar, overload

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")
Held = TypeVar("Held", bound="DataclassInstance")


class Deferred(Generic[T]):
    """A value that is not known yet, and how to find it."""

    def __init__(self, find: Callable[[], T]):
        self.find = find

    def __reduce__(self) -> tuple[Callable[[T], T], tuple[T]]:
        """Results that are sent to another process take their values along."""
        return _known, (self.find(),)


def _known(value: T) -> T:
    return value


class Later(Generic[T]):
    """A field of a dataclass that takes a value or a `Deferred` one; whoever reads it gets the
    value."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Later[T]: ...

    @overload
    def __get__(self, instance: object, owner: type | None = None) -> T: ...

    def __get__(self, instance: object | None, owner: type | None = None) -> T | Later[T]:
        if instance is None:
            raise AttributeError(self._name)  # the field has no default
        held = vars(instance)
        if isinstance(held[self._name], Deferred):
            held[self._name] = held[self._name].find()
        found: T = held[self._name]
        return found

    def __set__(self, instance: object, value: T | Deferred[T]) -> None:
        vars(instance)[self._name] = value


def exchanged(found: Held, **values: object) -> Held:
    """A copy of a result with other values in some fields, as `dataclasses.replace` makes it, but
    what was not read yet stays to be found when it is."""
    held = {field.name: vars(found)[field.name] for field in fields(found)}
    return type(found)(**(held | values))
