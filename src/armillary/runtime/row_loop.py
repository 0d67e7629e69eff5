"""All rows of constraints as native loops, for mechanisms of any size: the tree, the constraints by
the code of their kinds, and what goes to the results, over tables (closing_tables.py) that are made
once by constraints/loop_rows.py.  W states stand side by side."""

from __future__ import annotations

from armillary.codegen.abi import Context
from armillary.codegen.target import Lanes
from armillary.runtime.closing_code import ClosingCode
from armillary.runtime.closing_tables import Closing
from armillary.runtime.elimination import rows_text
from armillary.runtime.tree_loop import loop_text


def row_loop_text(lanes: Lanes) -> str:
    """LLVM text with `batch(ctx)` for all rows."""
    texts = (rows_text, _links, _copies, _whole)
    return "\n\n".join([*(text(lanes) for text in texts), loop_text(lanes, "whole")])


def _whole(lanes: Lanes) -> str:
    """One block of states: the tree, whose results stand in the memory, and the rows."""
    c = ClosingCode("whole", lanes)
    places = {Context.OUTPUTS.at(k): x for k, x in enumerate((Closing.MOTION, Closing.AXES))}
    own = {output: c.field(output) for output in places}
    for output, slot in places.items():
        c.set_field(output, c.pointer(c.memory, c.of(slot), lanes.type))
    c.do("call void @run(ptr %ctx)")
    for output, place in own.items():
        c.set_field(output, place)
    for name in ("rows", "links", "copies"):
        c.do(f"call void @{name}(ptr %ctx)")
    return c.text()


def _links(lanes: Lanes) -> str:
    """result += sign * power, of wrenches that follow each other, on the motion of an axis."""
    c = ClosingCode("links", lanes)
    links, signs = c.of(Closing.LINKS), c.of(Closing.SIGNS)
    with c.loop(c.of(Closing.LINK_COUNT)) as k:
        row = c.mul(k, 8)
        axis, point, wrench, origin, count, result, place, step = (
            c.read(links, c.add(row, n)) for n in range(8)
        )
        sign = c.shared(signs, k)
        screw = [c.op("fmul", sign, x) for x in c.axis_at(axis, point, origin)]
        values = c.field(c.entry(Context.OUTPUTS, result))
        with c.loop(count) as n:
            first = c.add(wrench, c.mul(n, 6))
            goes = c.add(place, c.mul(n, step))
            total = c.read(values, goes, lanes.type)
            for i, x in enumerate(screw):
                total = c.more(total, x, c.load(c.add(first, i)))
            c.write(values, goes, total, lanes.type)
    return c.text()


def _copies(lanes: Lanes) -> str:
    """Numbers of the memory that are results."""
    c = ClosingCode("copies", lanes)
    copies = c.of(Closing.COPIES)
    with c.loop(c.of(Closing.COPY_COUNT)) as k:
        row = c.mul(k, 4)
        place, result, goes, count = (c.read(copies, c.add(row, n)) for n in range(4))
        values = c.field(c.entry(Context.OUTPUTS, result))
        with c.loop(count) as n:
            c.write(values, c.add(goes, n), c.load(c.add(place, n)), lanes.type)
    return c.text()
