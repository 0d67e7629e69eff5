"""The native loop of a kernel: over the bodies, pass after pass, and over the rows of a batch.

It is the same for all algorithms and mechanisms; what it calls stands in a table of code pointers
[block][kind of body].
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from armillary.codegen.abi import COLUMN_STARTS, PATH_STARTS, Context, Ints, Kind, Slot
from armillary.codegen.code import Code
from armillary.codegen.target import Lanes
from armillary.codegen.transpose import transposed
from armillary.runtime.tree_solve import call_solve, solve_text


def loop_text(lanes: Lanes, each: str = "run") -> str:
    """LLVM text with `run(ctx)` for one set of lanes and `batch(ctx)` for all rows.

    each: the function that `batch` calls for every set; one that calls `run` itself, for passes
    without dense equations."""
    batch = (_batch_scalar if lanes.width == 1 else _batch_vector)(lanes, each)
    if each != "run":
        return "\n\n".join([_run(solve=False), batch])
    return "\n\n".join([solve_text(lanes), _run(solve=True), batch])


def _call(c: Code, block: str, variant: str, first: str, last: str) -> None:
    start = c.mul(block, c.field(Context.VARIANTS))
    f = c.read(c.field(Context.TABLE), c.add(start, variant), "ptr")
    c.do(f"call void {f}(ptr %ctx, i64 {first}, i64 {last})")


def _body_int(c: Code, body: str, column: int) -> str:
    row = c.add(c.mul(body, Ints.SIZE), column)
    return c.read(c.field(Context.INTS), row)


def _call_body(c: Code, block: str, body: str) -> None:
    _call(c, block, _body_int(c, body, Ints.VARIANT), body, c.add(body, 1))


def _run(solve: bool) -> str:
    c = Code("run")
    with c.loop(c.field(Context.PROGRAM_LENGTH)) as p:
        program = c.field(Context.PROGRAM)
        kind = c.read(program, c.mul(p, 2))
        block = c.read(program, c.add(c.mul(p, 2), 1))
        with c.when(c.equal(kind, Kind.OUTWARD)):
            _runs(c, block, backward=False)
        with c.when(c.equal(kind, Kind.INWARD)):
            _runs(c, block, backward=True)
        with c.when(c.equal(kind, Kind.ANCESTOR_PAIRS)):
            _ancestor_pairs(c, block)
        with c.when(c.equal(kind, Kind.PATH_TO_ROOT)):
            _path_to_root(c, block)
        with c.when(c.equal(kind, Kind.FRAME)):
            _call_body(c, block, c.field(Context.FRAME_BODY))
        with c.when(c.equal(kind, Kind.WORLD)):
            bodies = c.field(Context.BODIES)
            _call(c, block, "0", bodies, c.add(bodies, 1))
        with c.when(c.equal(kind, Kind.BODY_COLUMNS)):
            _body_columns(c, block)
        with c.when(c.equal(kind, Kind.STRAIGHT)):
            _call(c, block, "0", "0", "1")
        with c.when(c.equal(kind, Kind.ELEMENTS)):
            _runs(c, block, False, Context.ELEMENT_RUNS, Context.ELEMENT_RUN_COUNT)
        if solve:
            with c.when(c.equal(kind, Kind.SOLVE)):
                call_solve(c, block)
    return c.text()


def _runs(
    c: Code,
    block: str,
    backward: bool,
    table: Slot = Context.RUNS,
    size: Slot = Context.RUN_COUNT,
) -> None:
    """A walk over all bodies: one call per run of bodies that share their code."""
    count = c.field(size)
    with c.loop(count) as k:
        r = c.sub(c.sub(count, 1), k) if backward else k
        runs = c.field(table)
        row = c.mul(r, 3)
        first, last = c.read(runs, row), c.read(runs, c.add(row, 1))
        _call(c, block, c.read(runs, c.add(row, 2)), first, last)


def _ancestor_pairs(c: Code, block: str) -> None:
    """Every column of every body climbs to the root and meets each ancestor once."""
    climb, meet = (c.add(block, PATH_STARTS + k) for k in range(2))
    with c.loop(c.field(Context.BODIES)) as i, c.loop(_body_int(c, i, Ints.DOFS)) as k:
        c.set_field(Context.COLUMN, c.add(_body_int(c, i, Ints.V), k))
        _call_body(c, c.add(block, k), i)
        _climb(c, i, climb, meet)


def _body_columns(c: Code, block: str) -> None:
    """Ten columns of every body climb to the root, meeting the body itself and each ancestor."""
    climb, meet = (c.add(block, COLUMN_STARTS + k) for k in range(2))
    with c.loop(c.field(Context.BODIES)) as i, c.loop(COLUMN_STARTS) as k:
        c.set_field(Context.COLUMN, c.add(c.mul(i, COLUMN_STARTS), k))
        _call_body(c, c.add(block, k), i)
        _call_body(c, meet, i)
        _climb(c, i, climb, meet)


def _climb(c: Code, start: str, climb: str, meet: str) -> None:
    place = c.variable(start)
    with c.forever() as loop:
        j = c.get(place)
        parent = _body_int(c, j, Ints.PARENT)
        c.break_if(loop, c.let(f"icmp slt i64 {parent}, 0"))
        _call_body(c, climb, j)
        _call_body(c, meet, parent)
        c.set(place, parent)


def _path_to_root(c: Code, block: str) -> None:
    """One climb from the asked frame to the root."""
    climb, meet = c.add(block, 1), c.add(block, 2)
    body = c.field(Context.FRAME_BODY)
    _call_body(c, block, body)
    _call_body(c, meet, body)
    _climb(c, body, climb, meet)


def _batch_scalar(lanes: Lanes, each: str) -> str:
    """Row by row, straight from and to the user's arrays."""
    c = Code("batch")
    with c.loop(c.field(Context.ROWS)) as row:
        with c.loop(c.field(Context.INPUT_COUNT)) as i:
            start = c.mul(row, c.field(c.entry(Context.INPUT_STRIDES, i)))
            source = c.field(c.entry(Context.INPUT_ROWS, i))
            c.set_field(c.entry(Context.INPUTS, i), c.pointer(source, start, lanes.element))
        with c.loop(c.field(Context.OUTPUT_COUNT)) as i:
            size = c.field(c.entry(Context.OUTPUT_SIZES, i))
            target = c.field(c.entry(Context.OUTPUT_ROWS, i))
            place = c.pointer(target, c.mul(row, size), lanes.element)
            c.set_field(c.entry(Context.OUTPUTS, i), place)
            _zero(c, lanes, i, place, size)
        c.do(f"call void @{each}(ptr %ctx)")
    return c.text()


def _zero(c: Code, lanes: Lanes, i: str, place: str, size: str) -> None:
    with c.when(c.equal(c.field(c.entry(Context.ZERO_OUTPUTS, i)), 1)):
        count = c.mul(size, lanes.width)
        with c.loop(count) as k:
            c.write(place, k, "0.0", lanes.element, lanes.bytes)


def _batch_vector(lanes: Lanes, each: str) -> str:
    """W rows at a time: transpose in, run, transpose out.  The last block overlaps."""
    c = Code("batch")
    w, e = lanes.width, lanes.element
    rows = c.field(Context.ROWS)
    last = c.sub(rows, w)
    with c.loop(rows, step=w) as block:
        late = c.let(f"icmp sgt i64 {block}, {last}")
        row = c.let(f"select i1 {late}, i64 {last}, i64 {block}")
        place = c.variable("0")
        with c.loop(c.field(Context.INPUT_COUNT)) as i:
            scratch = _scratch(c, lanes, place)
            c.set_field(c.entry(Context.INPUTS, i), scratch)
            size = c.field(c.entry(Context.INPUT_SIZES, i))
            stride = c.field(c.entry(Context.INPUT_STRIDES, i))
            source = c.field(c.entry(Context.INPUT_ROWS, i))
            source = c.pointer(source, c.mul(row, stride), e)
            _transpose_in(c, lanes, source, stride, scratch, size)
            c.set(place, c.add(c.get(place), size))
        outputs = c.variable(c.get(place))
        with c.loop(c.field(Context.OUTPUT_COUNT)) as i:
            scratch = _scratch(c, lanes, place)
            c.set_field(c.entry(Context.OUTPUTS, i), scratch)
            size = c.field(c.entry(Context.OUTPUT_SIZES, i))
            _zero(c, lanes, i, scratch, size)
            c.set(place, c.add(c.get(place), size))
        c.do(f"call void @{each}(ptr %ctx)")
        with c.loop(c.field(Context.OUTPUT_COUNT)) as i:
            scratch = _scratch(c, lanes, outputs)
            size = c.field(c.entry(Context.OUTPUT_SIZES, i))
            target = c.field(c.entry(Context.OUTPUT_ROWS, i))
            target = c.pointer(target, c.mul(row, size), e)
            _transpose_out(c, lanes, scratch, target, size)
            c.set(outputs, c.add(c.get(outputs), size))
    return c.text()


def _scratch(c: Code, lanes: Lanes, place: str) -> str:
    base = c.field(Context.SCRATCH)
    return c.pointer(base, c.mul(c.get(place), lanes.width), lanes.element)


@contextmanager
def _blocks(c: Code, size: str, width: int) -> Iterator[str]:
    """Blocks of W numbers that cover 0..size-1, the last one overlapping; none if size < W."""
    last = c.sub(size, width)
    count = c.let(f"select i1 {c.let(f'icmp slt i64 {last}, 0')}, i64 0, i64 {size}")
    with c.loop(count, step=width) as k:
        late = c.let(f"icmp sgt i64 {k}, {last}")
        yield c.let(f"select i1 {late}, i64 {last}, i64 {k}")


@contextmanager
def _few(c: Code, size: str, width: int) -> Iterator[str]:
    """The numbers one by one where there are fewer than W."""
    small = c.let(f"icmp slt i64 {size}, {width}")
    with c.loop(c.let(f"select i1 {small}, i64 {size}, i64 0")) as k:
        yield k


def _transpose_in(c: Code, lanes: Lanes, source: str, stride: str, target: str, size: str) -> None:
    """target[k][lane] = source[lane * stride + k]."""
    w, e, t, b = lanes.width, lanes.element, lanes.type, lanes.bytes
    with _blocks(c, size, w) as k:
        rows = []
        for lane in range(w):
            place = c.add(c.mul(stride, lane), k)
            rows.append(c.let(f"load {t}, ptr {c.pointer(source, place, e)}, align {b}"))
        for n, column in enumerate(transposed(c.let, lanes, rows)):
            place = c.mul(c.add(k, n), w)
            c.do(f"store {t} {column}, ptr {c.pointer(target, place, e)}, align {b}")
    with _few(c, size, w) as k:
        for lane in range(w):
            value = c.read(source, c.add(c.mul(stride, lane), k), e, b)
            c.write(target, c.add(c.mul(k, w), lane), value, e, b)


def _transpose_out(c: Code, lanes: Lanes, source: str, target: str, size: str) -> None:
    """target[lane * size + k] = source[k][lane]."""
    w, e, t, b = lanes.width, lanes.element, lanes.type, lanes.bytes
    with _blocks(c, size, w) as k:
        columns = []
        for n in range(w):
            place = c.mul(c.add(k, n), w)
            columns.append(c.let(f"load {t}, ptr {c.pointer(source, place, e)}, align {b}"))
        for lane, row in enumerate(transposed(c.let, lanes, columns)):
            place = c.add(c.mul(size, lane), k)
            c.do(f"store {t} {row}, ptr {c.pointer(target, place, e)}, align {b}")
    with _few(c, size, w) as k:
        for lane in range(w):
            value = c.read(source, c.add(c.mul(k, w), lane), e, b)
            c.write(target, c.add(c.mul(size, lane), k), value, e, b)
