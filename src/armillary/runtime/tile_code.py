"""Functions over the rows of one tile (tiles.py), written in LLVM: blocks of numbers in registers.

Matrices are n x n; each number stands for W states side by side.  Of one state, a vector is four
neighbouring columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from armillary.codegen.abi import Context
from armillary.codegen.code import Code
from armillary.codegen.llvm import splat
from armillary.codegen.target import Lanes
from armillary.runtime.tiles import LARGEST, Tile

COUNTS = range(1, LARGEST + 1)  # rows of a tile
_ACROSS = 4  # columns per vector when there is one state
_VECTORS = 4  # that are worked on together: with three rows they fill 16 registers
# metadata: loops are short, copies of their bodies would only be jumped over
SHORT_LOOPS = """!8 = distinct !{!8, !9}
!9 = !{!"llvm.loop.unroll.disable"}"""


# -- the tables of tiles -------------------------------------------------------------------------


class Walk(Code):
    """A function of the context with the tables of tiles at hand."""

    def __init__(self, name: str, matrices: Sequence[str], more: Sequence[str] = ()):
        pointers = ("ptr noalias %ctx", *(f"ptr noalias {m}" for m in matrices))
        super().__init__(name, (*pointers, *more))
        self.n, self.tiles = self.field(Context.NV), self.field(Context.TILES)
        self.count, self.ranges = self.field(Context.TILE_COUNT), self.field(Context.RANGES)

    def text(self) -> str:
        """Each loop is entered by a jump to its head and ends with another."""
        entered: set[str] = set()
        for k, line in enumerate(self.lines):
            if line in entered:
                self.lines[k] += ", !llvm.loop !8"
            elif line.startswith("br label %head_"):
                entered.add(line)
        return super().text()

    def of(self, tile: str, column: int) -> str:
        return self.read(self.tiles, self.add(self.mul(tile, Tile.SIZE), column))

    def less_than(self, a: str, b: str | int) -> str:
        return self.let(f"icmp slt i64 {a}, {b}")

    @contextmanager
    def upward(self, tile: str) -> Iterator[str]:
        """The tile, then every tile before it on the way to the root."""
        place = self.variable(tile)
        with self.forever() as loop:
            k = self.get(place)
            self.break_if(loop, self.less_than(k, 0))
            yield k
            self.set(place, self.of(k, Tile.PARENT))

    @contextmanager
    def below(self, tile: str) -> Iterator[str]:
        """Every tile that is carried by this one."""
        place, end = self.variable(self.add(tile, 1)), self.of(tile, Tile.END)
        with self.forever() as loop:
            k = self.get(place)
            self.break_if(loop, self.let(f"icmp sge i64 {k}, {self.count}"))
            self.break_if(loop, self.let(f"icmp sge i64 {self.of(k, Tile.FIRST)}, {end}"))
            yield k
            self.set(place, self.add(k, 1))

    @contextmanager
    def between(self, tile: str, low: str) -> Iterator[str]:
        """Every ancestor of a tile from `low` on, root first."""
        first = self.of(tile, Tile.RANGES)
        with self.loop(self.add(first, self.of(tile, Tile.RANGE_COUNT)), first) as q:
            start = self.read(self.ranges, self.mul(q, 2))
            late = self.less_than(start, low)
            start = self.let(f"select i1 {late}, i64 {low}, i64 {start}")
            with self.loop(self.read(self.ranges, self.add(self.mul(q, 2), 1)), start) as j:
                yield j

    def each(self, kind: str, tile: str, arguments: str) -> None:
        """The function of this kind for the number of rows of the tile."""
        rows = self.sub(self.of(tile, Tile.LAST), self.of(tile, Tile.FIRST))
        for count in COUNTS:
            with self.when(self.equal(rows, count)):
                self.do(f"call void @{kind}_{count}(ptr %ctx, {arguments})")


# -- rows and columns in registers ---------------------------------------------------------------


@dataclass(frozen=True)
class Strip:
    """Neighbouring columns that are worked on together: so many vectors of so many columns."""

    vectors: int
    columns: int
    lanes: Lanes  # of one vector

    @property
    def size(self) -> int:
        return self.vectors * self.columns


def strips(lanes: Lanes) -> tuple[Strip, ...]:
    """To cover a row, as many of the first as fit, then of the next."""
    if lanes.width > 1:
        return tuple(Strip(count, 1, lanes) for count in (_VECTORS, 2, 1))
    wide = Lanes(_ACROSS, lanes.element, lanes.fma)
    return Strip(_VECTORS, _ACROSS, wide), Strip(1, _ACROSS, wide), Strip(1, 1, lanes)


class TileCode(Walk):
    """A function of the rows of one tile: of L (n, n) and of a matrix R (n, n)."""

    def __init__(self, kind: str, lanes: Lanes, rows: int, more: Sequence[str] = ()):
        super().__init__(f"{kind}_{rows}", ("%L", "%R"), ("i64 %tile", *more))
        self.lanes, self.rows = lanes, rows
        self.lines[0] = self.lines[0].replace("define void", "define internal void")
        self.lines[0] = self.lines[0].replace(") {", ") noinline {")
        self.first = self.of("%tile", Tile.FIRST)

    def place(self, base: str, row: str, column: str) -> str:
        """Pointer to the number [row, column] of the W states."""
        index = self.mul(self.add(self.mul(row, self.n), column), self.lanes.width)
        return self.pointer(base, index, self.lanes.element)

    def places(self, base: str, column: str) -> list[str]:
        """Pointers to [i, column] for every row i of the tile."""
        start, step = self.place(base, self.first, column), self.mul(self.n, self.lanes.width)
        places = [start]
        for _ in range(1, self.rows):
            places.append(self.pointer(places[-1], step, self.lanes.element))
        return places

    def load(self, place: str, lanes: Lanes, column: int = 0) -> str:
        """A vector from `column` columns beyond the place on."""
        where = self.pointer(place, column * self.lanes.width, self.lanes.element)
        return self.let(f"load {lanes.type}, ptr {where}, align {lanes.bytes}")

    def store(self, place: str, lanes: Lanes, value: str, column: int = 0) -> None:
        where = self.pointer(place, column * self.lanes.width, self.lanes.element)
        self.do(f"store {lanes.type} {value}, ptr {where}, align {lanes.bytes}")

    def across(self, value: str, lanes: Lanes) -> str:
        """A number of W states for a vector: of one state the same for all its columns."""
        if lanes.width == self.lanes.width:
            return value
        return self.splat(value, lanes)

    def splat(self, value: str, lanes: Lanes) -> str:
        return splat(value, lanes, self.let)

    def less(self, lanes: Lanes, a: str, x: str, y: str) -> str:
        """a - x y, in one rounding where the machine can."""
        t = lanes.type
        if not lanes.fma:
            return self.let(f"fsub {t} {a}, {self.let(f'fmul {t} {x}, {y}')}")
        minus = self.let(f"fneg {t} {x}")
        return self.let(f"call {t} @llvm.fma.{lanes.suffix}({t} {minus}, {t} {y}, {t} {a})")

    def triangle(self) -> dict[tuple[int, int], str]:
        """The entries of L among the rows of the tile, and 1/d."""
        rows = self.places("%L", self.first)
        every = [(r, s) for r in range(self.rows) for s in range(r + 1)]
        return {(r, s): self.load(rows[r], self.lanes, s) for r, s in every}


class Sums:
    """A block of numbers [rows][vectors] in registers, while others are taken off."""

    def __init__(self, c: TileCode, strip: Strip, values: list[list[str]]):
        self.c, self.strip, self.lanes = c, strip, strip.lanes
        self._places = [[self._register(value) for value in row] for row in values]

    def _register(self, value: str) -> str:
        place = self.c.name()
        self.c.lines.insert(2, f"{place} = alloca {self.lanes.type}")
        self.c.do(f"store {self.lanes.type} {value}, ptr {place}")
        return place

    def values(self) -> list[list[str]]:
        t = self.lanes.type
        return [[self.c.let(f"load {t}, ptr {x}") for x in row] for row in self._places]

    def take_off(self, factors: Sequence[str], other: str) -> None:
        """[r][k] -= factors[r] other[k], with the row of the others from that place on."""
        c, v = self.c, self.lanes
        factors = [c.across(factor, v) for factor in factors]
        for k in range(self.strip.vectors):
            x = c.load(other, v, k * self.strip.columns)
            for factor, row in zip(factors, self._places, strict=True):
                old = c.let(f"load {v.type}, ptr {row[k]}")
                c.do(f"store {v.type} {c.less(v, old, factor, x)}, ptr {row[k]}")
