"""Small constrained equations of one state by the null space of their rows, as native code.

    M a = force + J^T λ,    J a = target          (least squares where that cannot be)

The steps of constraints/nullspace.py, with the same limits.  Rows weighted on both sides are
decomposed (rank_loop.py), J~[P]^T = Q [R; 0], and R_r^T = Q2 R2 once more by reflections.  Then

    x = Q_r R2^-1 Q2^T target~ ,     λ = Q2 R2^-T Q_r^T force~

are the smallest motion and the smallest multipliers.  The free motions, the other columns of Q, are
given coordinates of their own, heavy ones first, and (N^T M N) y = N^T (force - M x) is solved
twice.  Vectors are rows of what is kept, so that inner loops run along memory.  a is not a number
where a free motion has no inertia.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import inf, nan

from armillary.codegen.abi import ARRAYS, Context, Slot
from armillary.codegen.code import Code
from armillary.codegen.jit import Library
from armillary.codegen.llvm import with_declarations
from armillary.codegen.target import hexadecimal, lanes
from armillary.runtime import rank_loop
from armillary.runtime.dense_code import general_parts, symmetric_parts
from armillary.runtime.free_motion_code import free_motion_parts
from armillary.runtime.in_turn import behind_context, call_kernel
from armillary.runtime.null_space_code import NullSpace, Work

INPUTS = ("M", "force", "J", "target")  # (n, n), (n), (m, n), (m)
# then those of rank_loop: rank and bound of the condition, Q^T (n, n), R^T (m, n), P (m), shares
OUTPUTS = ("a", "multipliers", "residual", *rank_loop.OUTPUTS)  # (n), (m), (m)
SPLIT = ("a", "multipliers", "P_turned", "response", *rank_loop.OUTPUTS[:2])  # (m, n), (n, n)
_NAN, _ENDLESS = (hexadecimal(x, "double") for x in (nan, inf))
CONFLICT = 1e-8  # of the largest terms of all rows: more left of a row is a contradiction
_RESIDUAL = 2  # among the right sides of a state: gamma, rate, residual
_OPENING = 15  # among the global numbers: how far positions may be open


@cache
def library() -> Library:
    """`batch(ctx)` and `split(ctx)` of equations that are given; `state(ctx)` of states, one after
    the other, whose equations another kernel gives: a alone, and not a number at open positions
    and where rows contradict each other, if closed ones are asked for."""
    parts = (
        *rank_loop.parts(), *symmetric_parts(), *general_parts(), _turn(), _reflected_row(),
        _motion(), _carry(), *free_motion_parts(), _answer(), _batch(), _split(), _state(),
    )  # fmt: skip
    text = with_declarations("\n\n".join(parts), lanes(False, "double"))
    return Library(text, ["batch", "split", "state"])


def _turn() -> str:
    """R_r^T = Q2 R2 by reflections, rows of R2^T one after the other."""
    c = Code("turn")
    w = Work(c)
    rank = w.rank
    with c.loop(rank) as k:
        own = w.row("TURNED", k, w.m)
        with c.loop(w.m) as i:
            behind = c.let(f"icmp sge i64 {i}, {k}")
            entry = c.read(w.row_at(w.R, i, w.n), k, "double")
            c.write(own, i, c.let(f"select i1 {behind}, double {entry}, double 0.0"), "double")
        with c.loop(k) as before:
            w.reflect(own, before)
        u, rest = w.row("REFLECTIONS", k, w.m, k), c.sub(w.m, k)
        first = c.pointer(own, k, "double")
        w.copy(u, first, rest)
        w.clear(first, rest)
        length, x = w.root(w.dot(u, u, rest)), c.read(u, 0, "double")
        negative, opposite = c.let(f"fcmp olt double {x}, 0.0"), c.let(f"fneg double {length}")
        pivot = c.let(f"select i1 {negative}, double {length}, double {opposite}")
        c.write(first, 0, pivot, "double")
        c.write(u, 0, c.float("fsub", x, pivot), "double")
        both = c.float("fmul", length, c.float("fadd", length, w.size(x)))
        c.write(w("SCALES"), k, c.float("fdiv", "1.0", both), "double")
    return c.text()


def _reflected_row() -> str:
    """`reflected_row(ctx, x, k)`: x (m) by reflection k."""
    c = Code("reflected_row", ("ptr noalias %ctx", "ptr noalias %x", "i64 %k"))
    w = Work(c)
    rest, u = c.sub(w.m, "%k"), w.row("REFLECTIONS", "%k", w.m, "%k")
    x = c.pointer("%x", "%k", "double")
    share = c.float("fmul", c.read(w("SCALES"), "%k", "double"), w.dot(x, u, rest))
    w.take_off(x, u, share, rest)
    return c.text()


def _motion() -> str:
    """`motion(ctx, target, x)`: x += the smallest motion with J x = target; target is used up."""
    c = Code("motion", ("ptr noalias %ctx", "ptr noalias %target", "ptr noalias %x"))
    w = Work(c)
    y, rank, turned = w("ROW"), w.rank, w("DOF")
    with c.loop(w.m) as i:
        row = w.place(i)
        sized = c.float("fmul", c.read(w.weights, row, "double"), c.read("%target", row, "double"))
        c.write(y, i, sized, "double")
    with c.loop(rank) as k:
        w.reflect(y, k)
    w.clear(turned, w.n)
    with c.loop(rank) as back:
        k = c.sub(c.sub(rank, 1), back)
        column = w.row("TURNED", k, w.m)
        found = c.float("fdiv", c.read(y, k, "double"), c.read(column, k, "double"))
        w.take_off(y, column, found, k)
        minus = c.let(f"fneg double {found}")
        w.take_off(turned, w.row_at(w.Q, k, w.n), minus, w.n)
    with c.loop(w.n) as k:
        more = c.float("fmul", c.read(turned, k, "double"), c.read(w.columns, k, "double"))
        c.write("%x", k, c.float("fadd", c.read("%x", k, "double"), more), "double")
    return c.text()


def _carry() -> str:
    """`carry(ctx, force, out)`: the smallest multipliers with J^T λ = force; force is used up."""
    c = Code("carry", ("ptr noalias %ctx", "ptr noalias %force", "ptr noalias %out"))
    w = Work(c)
    z, rank = w("ROW"), w.rank
    with c.loop(w.n) as k:
        sized = c.float("fmul", c.read("%force", k, "double"), c.read(w.columns, k, "double"))
        c.write("%force", k, sized, "double")
    w.clear(z, w.m)
    with c.loop(rank) as k:
        row = w.row("TURNED", k, w.m)
        pushed = w.dot(w.row_at(w.Q, k, w.n), "%force", w.n)
        left = c.float("fsub", pushed, w.dot(row, z, k))
        c.write(z, k, c.float("fdiv", left, c.read(row, k, "double")), "double")
    with c.loop(rank) as back:
        w.reflect(z, c.sub(c.sub(rank, 1), back))
    with c.loop(w.m) as i:
        row = w.place(i)
        sized = c.float("fmul", c.read(w.weights, row, "double"), c.read(z, i, "double"))
        c.write("%out", row, sized, "double")
    return c.text()


def _answer() -> str:
    """Everything of one state whose equations stand where the fields point to."""
    c = Code("answer")
    w = Work(c)
    a, left, force, target = w("A"), w("LEFT"), w("FORCE"), w("TARGET")
    for name in ("weighted", "reflected", "basis"):
        c.do(f"call void @{name}(ptr {w('RANKS')})")
    c.do("call void @turn(ptr %ctx)")
    w.clear(a, w.n)
    w.copy(left, target, w.m)
    for _ in range(2):  # the rounding of a motion is seen by rows of very different size
        c.do(f"call void @motion(ptr %ctx, ptr {left}, ptr {a})")
        _leave(c, w)
    c.write(w("LOST"), 0, "0")
    with c.when(c.let(f"icmp sgt i64 {w.free}, 0")):
        for name in ("grade", "reduce"):
            c.do(f"call void @{name}(ptr %ctx)")
        for _ in range(2):  # the sum cancels where constraints carry most of the force
            c.do(f"call void @respond(ptr %ctx, ptr {force}, ptr {a})")
    fault = c.let(f"icmp ne i64 {c.read(w('LOST'), 0)}, 0")
    status = c.number()
    c.write_number(status, c.let(f"select i1 {fault}, double {_NAN}, double 0.0"))
    with c.loop(w.m) as i:  # x - x is 0, and not a number where x is not finite
        own = w.dot(w.row_at(w("J"), i, w.n), a, w.n)
        total = c.float("fadd", c.read(left, i, "double"), own)
        c.accumulate(status, "fadd", c.float("fsub", total, total))
    with c.loop(w.n) as k:
        c.write(a, k, c.float("fadd", c.read(a, k, "double"), c.read_number(status)), "double")
    return c.text()


def _leave(c: Code, w: Work) -> None:
    """LEFT = target - J a."""
    with c.loop(w.m) as i:
        own = w.dot(w.row_at(w("J"), i, w.n), w("A"), w.n)
        c.write(w("LEFT"), i, c.float("fsub", c.read(w("TARGET"), i, "double"), own), "double")


def _carried(c: Code, w: Work) -> None:
    """The multipliers of M a - force."""
    needed = w("DOF")
    with c.loop(w.n) as i:
        taken = w.dot(w.row_at(w("M"), i, w.n), w("A"), w.n)
        c.write(needed, i, c.float("fsub", taken, c.read(w("FORCE"), i, "double")), "double")
    c.do(f"call void @carry(ptr %ctx, ptr {needed}, ptr {w('MULTIPLIERS')})")


def _given(c: Code, outputs: Sequence[Slot], of_rows: int) -> str:
    """Fields that point to the arrays of a call: equations, results, and those of the first
    `of_rows` results of the decomposition; its context."""
    fields = (NullSpace.M, NullSpace.FORCE, NullSpace.J, NullSpace.TARGET)
    for k, field in enumerate(fields):
        c.set_field(behind_context(field), c.field(Context.INPUT_ROWS.at(k)))
    for k, field in enumerate(outputs):
        c.set_field(behind_context(field), c.field(Context.OUTPUT_ROWS.at(k)))
    ranks, first = c.field(behind_context(NullSpace.RANKS)), len(outputs)
    c.set_field(Context.INPUT_ROWS.at(0), c.field(Context.INPUT_ROWS.at(2)), ranks)
    for k in range(3):  # weights of rows and columns, tolerance
        c.set_field(Context.INPUT_ROWS.at(1 + k), c.field(Context.INPUT_ROWS.at(4 + k)), ranks)
    for k in range(of_rows):
        c.set_field(Context.OUTPUT_ROWS.at(k), c.field(Context.OUTPUT_ROWS.at(first + k)), ranks)
    return ranks


def _batch() -> str:
    """All that is known of equations that are given: one state."""
    c = Code("batch")
    results = (NullSpace.A, NullSpace.MULTIPLIERS, NullSpace.LEFT)
    ranks = _given(c, results, len(rank_loop.OUTPUTS))
    c.do("call void @answer(ptr %ctx)")
    _carried(c, Work(c))
    c.do(f"call void @solved(ptr {ranks})")
    return c.text()


def _split() -> str:
    """The same with what answers other right sides: motions P^T (m, n) of unit targets, and
    responses R (n, n) to unit forces."""
    c = Code("split")
    results = (NullSpace.A, NullSpace.MULTIPLIERS, NullSpace.PARTICULAR, NullSpace.RESPONSE)
    _given(c, results, 2)
    c.do("call void @answer(ptr %ctx)")
    w = Work(c)
    _carried(c, w)
    left, unit = w("LEFT"), w("UNIT")
    with c.loop(w.m) as i:
        x = w.row("PARTICULAR", i, w.n)
        w.clear(x, w.n)
        w.clear(left, w.m)
        c.write(left, i, "1.0", "double")
        c.do(f"call void @motion(ptr %ctx, ptr {left}, ptr {x})")
        with c.loop(w.m) as k:
            one = c.let(f"uitofp i1 {c.equal(i, k)} to double")
            own = w.dot(w.row_at(w("J"), k, w.n), x, w.n)
            c.write(left, k, c.float("fsub", one, own), "double")
        c.do(f"call void @motion(ptr %ctx, ptr {left}, ptr {x})")
    with c.loop(w.n) as i:
        x = w.row("RESPONSE", i, w.n)
        w.clear(x, w.n)
        w.clear(unit, w.n)
        c.write(unit, i, "1.0", "double")
        with c.when(c.let(f"icmp sgt i64 {w.free}, 0")):
            for _ in range(2):
                c.do(f"call void @respond(ptr %ctx, ptr {unit}, ptr {x})")
    return c.text()


def _state() -> str:
    """a of states, one after the other: their equations, how far they are open, the answer; or the
    smallest change of v, by kinetic energy, that keeps the rows."""
    c = Code("state")
    w = Work(c)
    context, ranks = w("STATE_CONTEXT"), w("RANKS")
    arrays = [
        (slot, c.field(slot), c.field(step))
        for slot, step in (
            *((Context.INPUT_ROWS.at(k), Context.INPUT_STRIDES.at(k)) for k in range(ARRAYS)),
            (Context.OUTPUT_ROWS.at(0), Context.OUTPUT_SIZES.at(0)),
        )
    ]
    opened, largest = c.number(), c.number()
    with c.loop(c.field(Context.ROWS)) as row:
        for slot, array, step in arrays[:-1]:
            c.set_field(slot, c.pointer(array, c.mul(row, step), "double"), context)
        _, array, step = arrays[-1]
        a = c.pointer(array, c.mul(row, step), "double")
        c.set_field(behind_context(NullSpace.A), a)
        call_kernel(c, w("STATE_CODE"), context)
        with c.when(c.let(f"icmp ne i64 {w('CORRECTS')}, 0")):  # no forces, and no rates
            w.clear(w("FORCE"), w.n)
            with c.loop(w.m) as i:
                rate = c.read(w("TARGET"), c.add(w.m, i), "double")
                c.write(w("TARGET"), i, c.let(f"fneg double {rate}"), "double")
        for number in (opened, largest):
            c.write_number(number, "0.0")
        residual = c.pointer(w("TARGET"), c.mul(w.m, _RESIDUAL), "double")
        with c.loop(w.m) as i:
            x = c.read(residual, i, "double")
            part = c.float("fmul", x, c.read(w("OPEN_WEIGHTS"), i, "double"))
            c.accumulate(opened, "fadd", c.float("fmul", part, part))
            w.raise_to(largest, w.size(c.float("fmul", x, c.read(w.weights, i, "double"))))
        rough = c.float("fmul", c.read_number(largest), c.read(w("TOLERANCES"), 1, "double"))
        tolerance = c.field(Context.INPUT_ROWS.at(3), ranks)
        c.write(tolerance, 0, c.read(w("TOLERANCES"), 0, "double"), "double")
        w.raise_to(tolerance, rough)
        c.do("call void @answer(ptr %ctx)")
        most = c.read(c.field(Context.GLOBALS), _OPENING, "double")
        with c.when(c.let(f"fcmp olt double {most}, {_ENDLESS}")):
            _contradicting(c, w, opened, largest)
        closed = c.let(f"fcmp ole double {c.read_number(opened)}, {most}")
        with c.when(c.let(f"xor i1 {closed}, true")), c.loop(w.n) as k:
            c.write(a, k, _NAN, "double")
    return c.text()


def _contradicting(c: Code, w: Work, opened: str, largest: str) -> None:
    """Rows that contradict each other count as open: |target - J a| against the largest terms."""
    c.write_number(largest, "0.0")
    terms = c.number()
    with c.loop(w.m) as i:
        c.write_number(terms, w.size(c.read(w("TARGET"), i, "double")))
        row = w.row_at(w("J"), i, w.n)
        with c.loop(w.n) as k:
            term = c.float("fmul", c.read(row, k, "double"), c.read(w("A"), k, "double"))
            c.accumulate(terms, "fadd", w.size(term))
        w.raise_to(largest, c.read_number(terms))
    limit = c.float("fmul", c.read_number(largest), hexadecimal(CONFLICT, "double"))
    with c.loop(w.m) as i:
        left = w.size(c.read(w("LEFT"), i, "double"))
        with c.when(c.let(f"fcmp ogt double {left}, {limit}")):
            c.write_number(opened, _ENDLESS)
