"""Columns over W states to rows of W numbers: squares that are transposed in registers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from armillary.codegen.code import Code
from armillary.codegen.target import Lanes


def transposed(line: Callable[[str], str], lanes: Lanes, vectors: list[str]) -> list[str]:
    """W vectors as the rows of a square matrix, transposed by exchanging blocks of 1, 2, 4, ..."""
    w, t = lanes.width, lanes.type
    vectors = list(vectors)
    s = 1
    while s < w:
        low = [k if not k & s else w + k - s for k in range(w)]
        high = [k + s if not k & s else w + k for k in range(w)]
        for i in range(w):
            if i & s:
                continue
            a, b = vectors[i], vectors[i + s]
            vectors[i], vectors[i + s] = (
                line(f"shufflevector {t} {a}, {t} {b}, <{w} x i32> {mask(half)}")
                for half in (low, high)
            )
        s *= 2
    return vectors


def mask(indices: list[int]) -> str:
    return "<" + ", ".join(f"i32 {k}" for k in indices) + ">"


def unpacking(lanes: Lanes, name: str, places: Sequence[int]) -> str:
    """`void name(ptr columns, ptr rows)`: rows[lane][k] = columns[places[k]][lane].

    The last square overlaps the one before it.  len(places) >= W numbers in a row."""
    w, e, t, b = lanes.width, lanes.element, lanes.type, lanes.bytes
    size, last = len(places), len(places) - w
    c = Code(name, ("ptr noalias %columns", "ptr noalias %rows"))
    c.lines[0] = c.lines[0].replace("define", "define internal", 1).replace("{", "noinline {")
    with c.loop(size, step=w) as block:
        late = c.let(f"icmp sgt i64 {block}, {last}")
        k = c.let(f"select i1 {late}, i64 {last}, i64 {block}")
        columns = []
        for n in range(w):
            place = c.read(f"@{name}_places", c.add(k, n), "i32", 4)
            column = c.pointer("%columns", c.let(f"zext i32 {place} to i64"), t)
            columns.append(c.let(f"load {t}, ptr {column}, align {w * b}"))
        for lane, row in enumerate(transposed(c.let, lanes, columns)):
            place = c.pointer("%rows", c.add(k, lane * size), e)
            c.do(f"store {t} {row}, ptr {place}, align {b}")
    numbers = ", ".join(f"i32 {place}" for place in places)
    return f"@{name}_places = internal constant [{size} x i32] [{numbers}]\n\n{c.text()}"
