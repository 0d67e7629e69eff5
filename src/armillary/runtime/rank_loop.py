"""Rank, free motions and dependent rows of small matrices, as native code.

Rows A (m, n), weighted on both sides, are turned into each other by reflections, the longest of
those that are left first (pivoted QR of the transpose):

    A[P]^T = Q [R; 0],   R = |R1 R2|,   |r_11| >= |r_22| >= ... > tolerance max(|r_11|, 1)

What is not longer than that is nothing, and gets no reflection: the other columns of Q, a basis of
what the rows leave free, do not depend on rounding.  A[P] has rows that follow from the first r of
them, by the columns of R1^-1 R2.
"""

from __future__ import annotations

from functools import cache

from armillary.codegen.abi import Context, Struct, integer, pointer
from armillary.codegen.code import Code
from armillary.codegen.jit import Library
from armillary.codegen.llvm import with_declarations
from armillary.codegen.target import lanes
from armillary.runtime.dense_code import product_text
from armillary.runtime.in_turn import behind_context

INPUTS = ("A", "rows", "columns", "tolerance")  # (m, n), weights (m) and (n), (1)
OUTPUTS = ("numbers", "Q_turned", "R_turned", "order", "shares")


class Ranks(Struct):
    """What stands behind the fields of the context."""

    ROWS = integer()  # m
    COLUMNS = integer()  # n
    REFLECTIONS = pointer()  # (min(m, n), n)
    SCALES = pointer()  # (min(m, n))  H = 1 - scale u u^T
    LENGTHS = pointer()  # (m) squares
    SOLVED = pointer()  # (min(m, n))


@cache
def library() -> Library:
    """`batch(ctx)`: numbers (rank, a bound of the condition), Q^T (n, n), R^T (m, n), P (m), and
    how much every row has to do with those that follow from others (m)."""
    text = "\n\n".join([*parts(), _batch()])
    return Library(with_declarations(text, lanes(False, "double")), ["batch"])


def parts() -> list[str]:
    """`weighted`, `reflected`, `basis` and `solved` of one matrix, in turn; each of a context.
    With `dot` and `take_off` of dense_code."""
    return [product_text(), _weighted(), _reflected(), _basis(), _solved()]


class _Work:
    """Words of the text below."""

    def __init__(self, c: Code):
        self.c = c
        fields = ("ROWS", "COLUMNS", "REFLECTIONS", "SCALES", "LENGTHS", "SOLVED")
        self.m, self.n, self.reflections, self.scales, self.lengths, self.solved = (
            c.field(behind_context(Ranks.FIELDS[name])) for name in fields
        )
        self.A, self.row_weights, self.column_weights, self.tolerance = (
            c.field(Context.INPUT_ROWS.at(k)) for k in range(len(INPUTS))
        )
        self.numbers, self.Q, self.R, self.order, self.shares = (
            c.field(Context.OUTPUT_ROWS.at(k)) for k in range(len(OUTPUTS))
        )
        self._dot = c.number()

    def row(self, array: str, i: str, first: str = "0") -> str:
        return self.c.pointer(array, self.c.add(self.c.mul(i, self.n), first), "double")

    def dot(self, x: str, y: str, n: str) -> str:
        self.c.do(f"call void @dot(ptr {self._dot}, ptr {x}, ptr {y}, i64 {n})")
        return self.c.read_number(self._dot)

    def take_off(self, y: str, x: str, factor: str, n: str) -> None:
        self.c.do(f"call void @take_off(ptr {y}, ptr {x}, double {factor}, i64 {n})")

    @property
    def rank(self) -> str:
        return self.c.let(f"fptosi double {self.c.read(self.numbers, 0, 'double')} to i64")


def _root(c: Code, x: str) -> str:
    return c.let(f"call double @llvm.sqrt.f64(double {x})")


def _size(c: Code, x: str) -> str:
    return c.let(f"call double @llvm.fabs.f64(double {x})")


def _weighted() -> str:
    """The weighted rows in R, the squares of their lengths, the sum of these in numbers[1]."""
    c = Code("weighted")
    w = _Work(c)
    total = c.number()
    with c.loop(w.m) as i:
        own, source, weight = w.row(w.R, i), w.row(w.A, i), c.read(w.row_weights, i, "double")
        with c.loop(w.n) as k:
            x = c.float("fmul", weight, c.read(source, k, "double"))
            c.write(own, k, c.float("fmul", x, c.read(w.column_weights, k, "double")), "double")
        square = w.dot(own, own, w.n)
        c.write(w.lengths, i, square, "double")
        c.accumulate(total, "fadd", square)
        c.write(w.order, i, c.let(f"sitofp i64 {i} to double"), "double")
    c.write(w.numbers, 0, "0.0", "double")
    c.write(w.numbers, 1, c.read_number(total), "double")
    return c.text()


def _reflected() -> str:
    """Reflections that turn the rows in R into R^T; the rank in numbers[0]."""
    c = Code("reflected")
    w = _Work(c)
    fewer = c.let(f"icmp slt i64 {w.m}, {w.n}")
    limit, tolerance = c.number(), c.read(w.tolerance, 0, "double")
    count = c.let(f"select i1 {fewer}, i64 {w.m}, i64 {w.n}")
    with c.loop(count) as k, c.when(c.equal(w.rank, k)):
        place = _longest(c, w, k)
        length = _root(c, c.read(w.lengths, place, "double"))
        with c.when(c.equal(k, 0)):
            long = c.let(f"fcmp ogt double {length}, 1.0")
            first = c.let(f"select i1 {long}, double {length}, double 1.0")
            c.write_number(limit, c.float("fmul", tolerance, first))
        with c.when(c.let(f"fcmp ogt double {length}, {c.read_number(limit)}")):
            _exchanged(c, w, k, place)
            _reflect(c, w, k)
            c.write(w.numbers, 0, c.let(f"sitofp i64 {c.add(k, 1)} to double"), "double")
    return c.text()


def _longest(c: Code, w: _Work, k: str) -> str:
    """The number of the longest row from k on; of equal ones the first."""
    largest, place = c.number("-1.0"), c.variable(k)
    with c.loop(w.m, k) as i:
        square = c.read(w.lengths, i, "double")
        with c.when(c.let(f"fcmp ogt double {square}, {c.read_number(largest)}")):
            c.write_number(largest, square)
            c.set(place, i)
    return c.get(place)


def _exchanged(c: Code, w: _Work, k: str, place: str) -> None:
    def exchange(x: str, y: str) -> None:
        both = c.read_number(x), c.read_number(y)
        c.write_number(x, both[1])
        c.write_number(y, both[0])

    own, other = w.row(w.R, k), w.row(w.R, place)
    with c.loop(w.n) as j:
        exchange(c.pointer(own, j, "double"), c.pointer(other, j, "double"))
    exchange(c.pointer(w.order, k, "double"), c.pointer(w.order, place, "double"))


def _reflect(c: Code, w: _Work, k: str) -> None:
    """Row k becomes r_kk e_k, and the rows behind it are reflected with it.  u = x - r e,
    scale = 1 / (|x| (|x| + |x_0|)).  All lengths behind it are new."""
    own, u, rest = w.row(w.R, k, k), w.row(w.reflections, k, k), c.sub(w.n, k)
    with c.loop(rest) as j:
        c.write(u, j, c.read(own, j, "double"), "double")
        c.write(own, j, "0.0", "double")
    length, x = _root(c, w.dot(u, u, rest)), c.read(u, 0, "double")
    negative, opposite = c.let(f"fcmp olt double {x}, 0.0"), c.let(f"fneg double {length}")
    pivot = c.let(f"select i1 {negative}, double {length}, double {opposite}")
    c.write(own, 0, pivot, "double")
    c.write(u, 0, c.float("fsub", x, pivot), "double")
    both = c.float("fmul", length, c.float("fadd", length, _size(c, x)))
    scale = c.float("fdiv", "1.0", both)
    c.write(w.scales, k, scale, "double")
    behind = c.sub(rest, 1)
    with c.loop(w.m, c.add(k, 1)) as i:
        other = w.row(w.R, i, k)
        w.take_off(other, u, c.float("fmul", scale, w.dot(other, u, rest)), rest)
        left = c.pointer(other, 1, "double")
        c.write(w.lengths, i, w.dot(left, left, behind), "double")


def _basis() -> str:
    """The columns of Q, as rows: all reflections of the unit vectors, the last first."""
    c = Code("basis")
    w = _Work(c)
    rank = w.rank
    with c.loop(w.n) as j:
        own = w.row(w.Q, j)
        with c.loop(w.n) as i:
            one = c.let(f"uitofp i1 {c.let(f'icmp eq i64 {i}, {j}')} to double")
            c.write(own, i, one, "double")
        with c.loop(rank) as back:
            k = c.sub(c.sub(rank, 1), back)
            u, x, rest = w.row(w.reflections, k, k), c.pointer(own, k, "double"), c.sub(w.n, k)
            share = c.float("fmul", c.read(w.scales, k, "double"), w.dot(x, u, rest))
            w.take_off(x, u, share, rest)
    return c.text()


def _solved() -> str:
    """Columns of R1^-1, whose size bounds the condition, and of R1^-1 R2: who follows from whom."""
    c = Code("solved")
    w = _Work(c)
    rank, x, total = w.rank, w.solved, c.number()

    def solve(count: str) -> None:
        """R1 x = b in place, of which `count` numbers are not zero."""
        with c.loop(count) as back:
            k = c.sub(c.sub(count, 1), back)
            column = w.row(w.R, k)
            found = c.float("fdiv", c.read(x, k, "double"), c.read(column, k, "double"))
            c.write(x, k, found, "double")
            w.take_off(x, column, found, k)

    with c.loop(rank) as j:
        with c.loop(j) as k:
            c.write(x, k, "0.0", "double")
        c.write(x, j, "1.0", "double")
        solve(c.add(j, 1))
        c.accumulate(total, "fadd", w.dot(x, x, c.add(j, 1)))
    size = c.float("fmul", c.read(w.numbers, 1, "double"), c.read_number(total))
    c.write(w.numbers, 1, _root(c, size), "double")
    with c.loop(w.m) as i:
        c.write(w.shares, i, "0.0", "double")
    with c.loop(w.m, rank) as i:
        with c.loop(rank) as k:
            c.write(x, k, c.read(w.row(w.R, i), k, "double"), "double")
        solve(rank)
        with c.loop(rank) as k:
            _raise(c, w, k, _size(c, c.read(x, k, "double")))
        _raise(c, w, i, "1.0")
    return c.text()


def _raise(c: Code, w: _Work, k: str, value: str) -> None:
    """The share of what is now row k is at least this."""
    own = c.let(f"fptosi double {c.read(w.order, k, 'double')} to i64")
    with c.when(c.let(f"fcmp ogt double {value}, {c.read(w.shares, own, 'double')}")):
        c.write(w.shares, own, value, "double")


def _batch() -> str:
    c = Code("batch")
    slots = [
        *((Context.INPUT_ROWS.at(k), Context.INPUT_STRIDES.at(k)) for k in range(len(INPUTS))),
        *((Context.OUTPUT_ROWS.at(k), Context.OUTPUT_SIZES.at(k)) for k in range(len(OUTPUTS))),
    ]
    arrays = [(slot, c.field(slot), c.field(step)) for slot, step in slots]
    with c.loop(c.field(Context.ROWS)) as row:
        for slot, array, step in arrays:
            c.set_field(slot, c.pointer(array, c.mul(row, step), "double"))
        for name in ("weighted", "reflected", "basis", "solved"):
            c.do(f"call void @{name}(ptr %ctx)")
    for slot, array, _ in arrays:
        c.set_field(slot, array)
    return c.text()
