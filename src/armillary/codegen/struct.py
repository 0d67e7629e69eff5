"""Structures of 64-bit fields: Python fills them as arrays of int64, compiled code reads them.

A structure is a class whose attributes are fields, in their order; it numbers them:

    class Job(Struct):
        COUNT = integer()
        ROWS = pointer(8)

Job.COUNT is 0, Job.ROWS is 1, Job.ROWS.at(3) is 4, Job.SIZE is 9.
"""

from __future__ import annotations

import struct
from typing import ClassVar

from armillary.errors import CompileError


class Slot(int):
    """Where a field stands in its structure, in units of 8 bytes, and what stands there.

    kind: the LLVM type; of a structure inside, "struct".  count: so many of them in a row, each of
    `size` units."""

    kind: str
    count: int
    size: int

    def __new__(cls, place: int, kind: str, count: int = 1, size: int = 1) -> Slot:
        made = super().__new__(cls, place)
        made.kind, made.count, made.size = kind, count, size
        return made

    def at(self, k: int) -> Slot:
        """The k-th of several."""
        if not 0 <= k < self.count:
            raise CompileError(f"field {k} of {self.count} in a row.")
        return Slot(self + k * self.size, self.kind, 1, self.size)

    def of(self, inner: Slot) -> Slot:
        """A field of the structure that begins here."""
        return Slot(self + inner, inner.kind, inner.count, inner.size)

    def read_as(self, kind: str) -> str:
        """The type to load it with: its own, or that of an address as a number."""
        if kind in ("", self.kind) or (kind == "i64" and self.kind == "ptr"):
            return kind or self.kind
        raise CompileError(f"a field of kind {self.kind} is read as {kind}.")


def integer(count: int = 1) -> Slot:
    return Slot(0, "i64", count)


def pointer(count: int = 1) -> Slot:
    return Slot(0, "ptr", count)


def double(count: int = 1) -> Slot:
    return Slot(0, "double", count)


class Struct:
    """The fields of a subclass, one after the other."""

    SIZE: ClassVar[int] = 0
    FIELDS: ClassVar[dict[str, Slot]] = {}

    def __init_subclass__(cls) -> None:
        cls.FIELDS, cls.SIZE = {}, 0
        for name, slot in list(vars(cls).items()):
            if isinstance(slot, Slot):
                cls.FIELDS[name] = Slot(cls.SIZE, slot.kind, slot.count, slot.size)
                setattr(cls, name, cls.FIELDS[name])
                cls.SIZE += slot.count * slot.size


def structure(kind: type[Struct], count: int = 1) -> Slot:
    """Another structure inside, or several; `Slot.of` tells where its fields are."""
    return Slot(0, "struct", count, kind.SIZE)


def bits(x: float) -> int:
    """A double as the integer that is written into its field."""
    return int(struct.unpack("<q", struct.pack("<d", x))[0])
