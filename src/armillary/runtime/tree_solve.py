"""Dense symmetric equations as native loops, with the sparsity of a tree.

A = L^T D L, eliminated from the leaves to the root: row j has entries only at the ancestors of
degree of freedom j, and elimination adds none.  Right sides are matrices whose entries [i, k] are
zero where neither of i and k carries the other.  Arrays hold W states side by side.  Up to three
rows by four columns are worked on in registers (tile_code.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from armillary.codegen.abi import Context
from armillary.codegen.code import Code
from armillary.codegen.target import Lanes
from armillary.runtime.tile_code import COUNTS, SHORT_LOOPS, Strip, Sums, TileCode, Walk, strips
from armillary.runtime.tiles import Tile


def solve_text(lanes: Lanes) -> str:
    """LLVM text of `factor(ctx, A, L)`, `substitute(ctx, L, R)` and `invert(ctx, L, R)`."""
    texts = [_fold(lanes, rows) for rows in COUNTS] + [_eliminate(lanes, rows) for rows in COUNTS]
    texts += [_up(lanes, rows) for rows in COUNTS] + [_down(lanes, rows) for rows in COUNTS]
    return "\n\n".join([*texts, _factor(), _substitute(lanes), _invert(lanes), SHORT_LOOPS])


def call_solve(c: Code, block: str) -> None:
    """A Solve pass; `block` holds the numbers of the outputs: matrix, count and first of the
    right sides, in bytes from the lowest."""
    matrix = c.let(f"and i64 {block}, 255")
    count = c.let(f"and i64 {c.let(f'lshr i64 {block}, 8')}, 255")
    first = c.let(f"and i64 {c.let(f'lshr i64 {block}, 16')}, 255")
    A, L = c.field(c.entry(Context.OUTPUTS, matrix)), c.field(Context.EXTRA)
    c.do(f"call void @factor(ptr %ctx, ptr {A}, ptr {L})")
    with c.loop(count) as k:
        R = c.field(c.entry(Context.OUTPUTS, c.add(first, k)))
        c.do(f"call void @substitute(ptr %ctx, ptr {L}, ptr {R})")
    c.do(f"call void @invert(ptr %ctx, ptr {L}, ptr {A})")


# -- the rows of one tile ----------------------------------------------------------------------


def _read(c: TileCode, strip: Strip, rows: Sequence[str]) -> list[list[str]]:
    columns = [k * strip.columns for k in range(strip.vectors)]
    return [[c.load(row, strip.lanes, column) for column in columns] for row in rows]


def _write(c: TileCode, strip: Strip, rows: Sequence[str], values: list[list[str]]) -> None:
    for row, numbers in zip(rows, values, strict=True):
        for k, value in enumerate(numbers):
            c.store(row, strip.lanes, value, k * strip.columns)


def _give(c: TileCode, j: str, column: str, sums: Sums) -> None:
    """What row j gives to the rows of the tile that carries it."""
    factors = c.place("%L", j, c.first)
    sums.take_off([c.load(factors, c.lanes, r) for r in range(c.rows)], c.place("%R", j, column))


def _within(c: TileCode, lanes: Lanes, values: list[list[str]], inward: bool) -> None:
    """The triangle of L among the rows of the tile, from the last row to the first or back."""
    L = c.triangle()
    for r in reversed(range(c.rows)) if inward else range(c.rows):
        for s in range(r) if inward else range(r + 1, c.rows):
            factor = c.across(L[max(r, s), min(r, s)], lanes)
            values[s] = [
                c.less(lanes, a, factor, x) for a, x in zip(values[s], values[r], strict=True)
            ]


def _tile_columns(c: TileCode, other: str) -> Iterator[tuple[Strip, str]]:
    """The columns of a tile as a strip, and the first of them: code for each number of columns."""
    first = c.of(other, Tile.FIRST)
    count = c.sub(c.of(other, Tile.LAST), first)
    for vectors in COUNTS:
        with c.when(c.equal(count, vectors)):
            yield Strip(vectors, 1, c.lanes), first


def _all_columns(c: TileCode, start: str, stop: str) -> Iterator[tuple[Strip, str]]:
    """Columns start .. stop - 1, strip by strip."""
    place = c.variable(start)
    for strip in strips(c.lanes):
        with c.forever() as loop:
            column = c.get(place)
            c.break_if(loop, c.less_than(c.sub(stop, column), strip.size))
            yield strip, column
            c.set(place, c.add(column, strip.size))


def _fold(lanes: Lanes, rows: int) -> str:
    """R[i, k] -= sum of L[j, i] R[j, k] over all j that are carried by the tile, k: its own
    columns and those of its ancestors."""
    c = TileCode("fold", lanes, rows)
    last, end = c.of("%tile", Tile.LAST), c.of("%tile", Tile.END)
    with c.upward("%tile") as other:
        for strip, column in _tile_columns(c, other):
            own = c.places("%R", column)
            sums = Sums(c, strip, _read(c, strip, own))
            with c.loop(end, last) as j:
                _give(c, j, column, sums)
            _write(c, strip, own, sums.values())
    return c.text()


def _eliminate(lanes: Lanes, rows: int) -> str:
    """Rows of R = A, already without what they carry: those of L, with 1/d on its diagonal."""
    c = TileCode("eliminate", lanes, rows)
    t, diagonal, factors = lanes.type, c.places("%R", c.first), c.places("%L", c.first)
    a = [[c.load(diagonal[r], lanes, s) for s in range(r + 1)] for r in range(rows)]
    L: dict[tuple[int, int], str] = {}
    inverses = [""] * rows
    for r in reversed(range(rows)):
        inverses[r] = c.let(f"fdiv {t} {lanes.constant(1.0)}, {a[r][r]}")
        c.store(factors[r], lanes, inverses[r], r)
        for s in range(r):
            L[r, s] = c.let(f"fmul {t} {a[r][s]}, {inverses[r]}")
            c.store(factors[r], lanes, L[r, s], s)
            for k in range(s + 1):
                a[s][k] = c.less(lanes, a[s][k], L[r, s], a[r][k])
    with c.between("%tile", "0") as column:
        here = c.places("%R", column)
        b = [c.load(place, lanes) for place in here]
        for r in reversed(range(rows)):
            for s in range(r):
                b[s] = c.less(lanes, b[s], L[r, s], b[r])
        for r, place in enumerate(c.places("%L", column)):
            c.store(here[r], lanes, b[r])
            c.store(place, lanes, c.let(f"fmul {t} {b[r]}, {inverses[r]}"))
    return c.text()


def _up(lanes: Lanes, rows: int) -> str:
    """L^T y = R for the rows of a tile, from those that it carries.

    Rows have entries at what they carry and, where `ancestors` is 1, at their ancestors."""
    c = TileCode("up", lanes, rows, ("i64 %ancestors",))
    last, end = c.of("%tile", Tile.LAST), c.of("%tile", Tile.END)

    def finish(strip: Strip, own: list[str], sums: Sums) -> None:
        values = sums.values()
        _within(c, strip.lanes, values, inward=True)
        _write(c, strip, own, values)

    def plain(strip: Strip, column: str) -> None:
        own = c.places("%R", column)
        sums = Sums(c, strip, _read(c, strip, own))
        with c.loop(end, last) as j:
            _give(c, j, column, sums)
        finish(strip, own, sums)

    every = c.equal("%ancestors", 1)
    if lanes.width == 1:  # all columns, many of them zero, are fewer vectors
        start = c.let(f"select i1 {every}, i64 0, i64 {c.first}")
        stop = c.let(f"select i1 {every}, i64 {c.n}, i64 {end}")
        for strip, column in _all_columns(c, start, stop):
            plain(strip, column)
        return c.text()
    with (
        c.upward("%tile") as other,
        c.when(c.let(f"or i1 {every}, {c.equal(other, '%tile')}")),
    ):
        for strip, column in _tile_columns(c, other):
            plain(strip, column)
    with c.below("%tile") as other:
        for strip, column in _tile_columns(c, other):
            own = c.places("%R", column)
            sums = Sums(c, strip, _read(c, strip, own))
            with c.between(other, last) as j:
                _give(c, j, column, sums)
            with c.loop(c.of(other, Tile.END), column) as j:
                _give(c, j, column, sums)
            finish(strip, own, sums)
    return c.text()


def _down(lanes: Lanes, rows: int) -> str:
    """L x = sign D^-1 y for the rows of a tile, columns `start` and on, from its ancestors."""
    c = TileCode("down", lanes, rows, ("i64 %start", f"{lanes.element} %sign"))
    sign = c.splat("%sign", lanes)
    scales = [c.let(f"fmul {lanes.type} {c.triangle()[r, r]}, {sign}") for r in range(rows)]
    for strip, column in _all_columns(c, "%start", c.n):
        v, own = strip.lanes, c.places("%R", column)
        values = [
            [c.let(f"fmul {v.type} {x}, {c.across(scale, v)}") for x in row]
            for scale, row in zip(scales, _read(c, strip, own), strict=True)
        ]
        sums = Sums(c, strip, values)
        with c.between("%tile", "0") as j:
            factors = [c.load(place, lanes) for place in c.places("%L", j)]
            sums.take_off(factors, c.place("%R", j, column))
        values = sums.values()
        _within(c, v, values, inward=False)
        _write(c, strip, own, values)
    return c.text()


# -- the whole matrix ----------------------------------------------------------------------------


@contextmanager
def _inward(c: Walk) -> Iterator[str]:
    with c.loop(c.count) as back:
        yield c.sub(c.sub(c.count, 1), back)


def _factor() -> str:
    """A -> rows of L below the diagonal, 1/D on it.  A is used up."""
    c = Walk("factor", ("%A", "%L"))
    with _inward(c) as tile:
        with c.when(c.less_than(c.of(tile, Tile.LAST), c.of(tile, Tile.END))):
            c.each("fold", tile, f"ptr %L, ptr %A, i64 {tile}")
        c.each("eliminate", tile, f"ptr %L, ptr %A, i64 {tile}")
    return c.text()


def _substitute(lanes: Lanes) -> str:
    """R (n, n) becomes -A^-1 R."""
    c = Walk("substitute", ("%L", "%R"))
    with _inward(c) as tile:
        c.each("up", tile, f"ptr %L, ptr %R, i64 {tile}, i64 1")
    with c.loop(c.count) as tile:
        c.each("down", tile, f"ptr %L, ptr %R, i64 {tile}, i64 0, {lanes.element} -1.0")
    return c.text()


def _invert(lanes: Lanes) -> str:
    """R (n, n) becomes A^-1: on and above the diagonal, then mirrored."""
    c = Walk("invert", ("%L", "%R"))
    t, b = lanes.type, lanes.bytes
    with c.loop(c.mul(c.n, c.n)) as k:
        c.write("%R", k, lanes.constant(0.0), t, b)
    with c.loop(c.n) as k:
        c.write("%R", c.add(c.mul(k, c.n), k), lanes.constant(1.0), t, b)
    with _inward(c) as tile:
        c.each("up", tile, f"ptr %L, ptr %R, i64 {tile}, i64 0")
    with c.loop(c.count) as tile:
        first = c.of(tile, Tile.FIRST)
        c.each("down", tile, f"ptr %L, ptr %R, i64 {tile}, i64 {first}, {lanes.element} 1.0")
    with c.loop(c.n) as r, c.loop(c.n, c.add(r, 1)) as k:
        value = c.read("%R", c.add(c.mul(r, c.n), k), t, b)
        c.write("%R", c.add(c.mul(k, c.n), r), value, t, b)
    return c.text()
