"""Memory that Python and compiled code share: structures of 64-bit fields.

Python fills them as arrays of int64, compiled code reads them.  A structure is a class whose
attributes are fields, in their order; it numbers them:

    class Job(Struct):
        COUNT = integer()
        ROWS = pointer(8)

Job.COUNT is 0, Job.ROWS is 1, Job.ROWS.at(3) is 4, Job.SIZE is 9.

A kernel sees one structure (`Context`), and a table of integers (`Ints`).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, auto
from typing import ClassVar, Literal, NamedTuple

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


# -- what a kernel sees ---------------------------------------------------------------------------


class Ints(Struct):
    """Columns of the integer table: one row per body."""

    WORK = integer()  # offset of the body's record in the work space
    PARENT_WORK = integer()  # offset of the parent's record
    Q = integer()  # offset in q
    V = integer()  # offset in v
    CONSTS = integer()  # offset in the constants
    NUMBER = integer()  # number of the body
    PARENT = integer()  # number of the parent, -1: the world
    VARIANT = integer()  # which compiled code
    DOFS = integer()  # degrees of freedom
    SUM = integer()  # offset of what the children add up
    PARENT_SUM = integer()  # offset of the sum the body adds to


ARRAYS = 8  # inputs of a kernel at most, and outputs


class Context(Struct):
    """What one call of a kernel works on."""

    INTS = pointer()
    CONSTS = pointer()
    WORK = pointer()
    GLOBALS = pointer()
    FRAME = pointer()  # numbers of the asked frame
    NV = integer()
    STATE = pointer()  # what climbs along a path
    COLUMN = integer()  # column of the matrix a path fills
    RUNS = pointer()  # (first, last, variant) of runs of equal bodies
    RUN_COUNT = integer()
    TABLE = pointer()  # code pointers [block][variant]
    VARIANTS = integer()
    FRAME_BODY = integer()
    PROGRAM = pointer()  # pairs (kind of pass, first block)
    PROGRAM_LENGTH = integer()
    BODIES = integer()
    ROWS = integer()  # states in this call
    SCRATCH = pointer()  # inputs and outputs of W states, transposed
    INPUT_COUNT = integer()
    OUTPUT_COUNT = integer()
    INPUTS = pointer(ARRAYS)  # the arrays as the blocks read them
    OUTPUTS = pointer(ARRAYS)
    INPUT_ROWS = pointer(ARRAYS)  # the user's arrays
    OUTPUT_ROWS = pointer(ARRAYS)
    INPUT_SIZES = integer(ARRAYS)  # numbers per state
    OUTPUT_SIZES = integer(ARRAYS)
    INPUT_STRIDES = integer(ARRAYS)  # numbers from one state to the next (0: the same for all)
    ZERO_OUTPUTS = integer(ARRAYS)  # 1: fill the output with zeros first
    EXTRA = pointer()  # room for a matrix
    TILES = pointer()  # degrees of freedom in tiles; see tiles.py
    WIDTH = integer()  # columns of the matrix that paths fill
    RANGES = pointer()  # ancestors of the tiles
    TILE_COUNT = integer()
    CLOSING = pointer()  # tables of a large constrained system; see runtime/elimination.py
    ELEMENT_RUNS = pointer()  # (first, last, variant) of force elements of one kind
    ELEMENT_RUN_COUNT = integer()
    NUMBERS = pointer()  # of the mechanism, which straight-line code reads


@dataclass(frozen=True)
class Arrays:
    """Inputs and outputs of a kernel: numbers per state, by name, in the order of the context."""

    inputs: Mapping[str, int] = field(default_factory=dict)
    outputs: Mapping[str, int] = field(default_factory=dict)

    def numbers(self) -> int:
        """Per state, of all of them."""
        return sum(self.inputs.values()) + sum(self.outputs.values())

    def input(self, name: str, fields: Slot) -> Slot:
        """The field of an input, among those that the context has for every input."""
        return fields.at(list(self.inputs).index(name))

    def output(self, name: str, fields: Slot) -> Slot:
        return fields.at(list(self.outputs).index(name))


# -- where the numbers of a block stand: one row per kind of address ----------------------------
#
# An address is (where, k, ...) or, where the array is an input or an output, (where, field of the
# context, k, ...): number k of the body or of the whole array.


class Place(NamedTuple):
    """field: of the context, with the pointer; None: the second word of the address tells.
    column: of the integers of a body, where its numbers begin; None: at the start.
    shared: the same for all states; others stand W states side by side.
    good: how long a load is good: only read, so always; in one pass; until it is written."""

    field: int | None = None
    column: int | None = None
    shared: bool = False
    good: Literal["always", "pass", "until written"] = "until written"


PLACES = {
    "const": Place(Context.CONSTS, Ints.CONSTS, shared=True, good="always"),  # of the body
    "global": Place(Context.GLOBALS, shared=True, good="always"),  # gravity, base motion
    "frame": Place(Context.FRAME, shared=True, good="always"),  # placement of the asked frame
    "number": Place(Context.NUMBERS, shared=True, good="always"),  # of the mechanism
    "own": Place(Context.WORK, Ints.WORK),  # the body's record
    "parent": Place(Context.WORK, Ints.PARENT_WORK, good="pass"),  # its parent's: (parent, k, pass)
    "sum": Place(Context.WORK, Ints.SUM, good="pass"),  # what its children added up
    "parent_sum": Place(Context.WORK, Ints.PARENT_SUM, good="pass"),  # what its parent will find
    "state": Place(Context.STATE),  # what climbs along a path
    "q": Place(None, Ints.Q, good="always"),
    "dof": Place(None, Ints.V, good="always"),  # (dof, array, k, numbers per degree of freedom)
    "body": Place(None, Ints.NUMBER, good="always"),  # (body, array, k, numbers per body)
    "whole": Place(),  # of an output
    "cell": Place(),  # (cell, array, k): matrix[v + k, column]
    "mirror": Place(),  # (mirror, array, k): matrix[column, v + k]
    "wide": Place(),  # (wide, array, row, k): matrix[row, v + k]
}
LASTING, PASSING = (
    frozenset(name for name, place in PLACES.items() if place.good == good)
    for good in ("always", "pass")
)


# -- the program of a kernel ----------------------------------------------------------------------


class Kind(IntEnum):
    """Kinds of passes in the program of a kernel."""

    OUTWARD = auto()
    INWARD = auto()
    ANCESTOR_PAIRS = auto()  # blocks: 6 x start, climb, meet
    PATH_TO_ROOT = auto()  # from the frame's body; blocks: start, climb, meet
    FRAME = auto()  # the frame's body alone
    WORLD = auto()  # the world's record
    SOLVE = auto()  # dense equations
    BODY_COLUMNS = auto()  # blocks: 10 x start, climb, meet
    STRAIGHT = auto()  # one block for the whole mechanism
    ELEMENTS = auto()  # a walk over the force elements


PATH_STARTS = 6
COLUMN_STARTS = 10
