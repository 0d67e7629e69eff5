"""The native loop of rolled code: one template after the other, each over its rows."""

from __future__ import annotations

from armillary.codegen.abi import Context
from armillary.codegen.code import Code
from armillary.codegen.target import Lanes
from armillary.runtime.tree_loop import loop_text

CALL = 4  # integers: code, table of rows, first row, last row + 1


def rolled_text(lanes: Lanes) -> str:
    """LLVM text with `batch(ctx)` for all rows of a batch."""
    c = Code("whole")
    calls = c.field(Context.RUNS)
    with c.loop(c.field(Context.RUN_COUNT)) as k:
        row = c.mul(k, CALL)
        code = c.read(calls, row, "ptr")
        c.set_field(Context.INTS, c.read(calls, c.add(row, 1), "ptr"))
        first, last = (c.read(calls, c.add(row, n)) for n in (2, 3))
        c.do(f"call void {code}(ptr %ctx, i64 {first}, i64 {last})")
    return f"{c.text()}\n\n{loop_text(lanes, 'whole')}"
