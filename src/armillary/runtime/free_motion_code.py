"""What constraints leave free, as native functions of the null space (null_space_loop.py): motions
with coordinates of their own, their inertia, and what forces do to them.

    N^T M N = L D L^T,    a += N (N^T M N)^-1 N^T (force - M a)
"""

from __future__ import annotations

from math import inf

from armillary.codegen.abi import Context
from armillary.codegen.code import Code
from armillary.codegen.target import hexadecimal
from armillary.runtime.in_turn import behind_context
from armillary.runtime.null_space_code import Work
from armillary.runtime.rank_loop import Ranks

# of an inertia, which others take all of: what is left is rounding (nullspace.py)
_LEAST = hexadecimal(1e-14, "double")
_LIGHTEST = hexadecimal(1e-9, "double")  # of the heaviest coordinate: what others count at least
_LARGEST = 100.0  # entry of a basis: beyond, a coordinate that hardly moves was taken for its own
_NOTHING = hexadecimal(4e-16, "double")  # of that entry: rounding
_INFINITE = hexadecimal(inf, "double")


def free_motion_parts() -> list[str]:
    """`grade(ctx)`: N.  `reduce(ctx)`: N^T M N in factors.  `respond(ctx, force, a)`: as above.
    LOST counts motions without inertia."""
    return [_own_coordinates(), _grade(), _reduce(), _respond()]


def _own_coordinates() -> str:
    """`own_coordinates(ctx, size)`: N with ones in own coordinates, chosen by the weights that
    stand in FREE; size[0]: its largest entry, or infinity where none were found."""
    c = Code("own_coordinates", ("ptr noalias %ctx", "ptr noalias %size"))
    w = Work(c)
    f, grades, own = w.free, w("GRADES"), w("OWN")
    scaled = c.field(Context.INPUT_ROWS.at(0), grades)
    with c.loop(w.n) as i, c.loop(f) as k:
        column = w.row_at(w.Q, c.add(w.rank, k), w.n)
        c.write(scaled, c.add(c.mul(i, f), k), c.read(column, i, "double"), "double")
    c.set_field(behind_context(Ranks.COLUMNS), f, grades)
    for name in ("weighted", "reflected"):
        c.do(f"call void @{name}(ptr {grades})")
    numbers, order = (c.field(Context.OUTPUT_ROWS.at(k), grades) for k in (0, 3))
    c.write_number("%size", _INFINITE)
    whole = c.let(f"fptosi double {c.read(numbers, 0, 'double')} to i64")
    with c.when(c.equal(whole, f)):
        c.write_number("%size", "0.0")
        with c.loop(f) as k:  # the transposed of what moves in own coordinates
            source = w.row_at(scaled, w.integer(order, k), f)
            with c.loop(f) as i:
                place = c.add(c.mul(i, f), k)
                c.write(own, place, c.read(source, i, "double"), "double")
        c.do(f"call void @factor_general(ptr {own}, ptr {w('ORDER')}, i64 {f})")
        with c.loop(w.n) as i:
            row = w.row_at(scaled, i, f)
            c.do(f"call void @solve_general(ptr {own}, ptr {w('ORDER')}, ptr {row}, i64 {f})")
            with c.loop(f) as k:
                x = c.read(row, k, "double")
                c.write(w.row("BASIS", k, w.n), i, x, "double")
                w.raise_to("%size", w.size(x))
        with c.loop(f) as k:
            place = w.integer(order, k)
            with c.loop(f) as i:
                one = c.let(f"uitofp i1 {c.equal(i, k)} to double")
                c.write(w.row("BASIS", i, w.n), place, one, "double")
    return c.text()


def _grade() -> str:
    """The same motions, each with a coordinate of its own, heavy coordinates first; else any."""
    c = Code("grade")
    w = Work(c)
    weights, heaviest, size = w("FREE"), c.number(), c.number()
    with c.loop(w.n) as k:
        inertia = c.read(w("M"), c.mul(k, c.add(w.n, 1)), "double")
        some = c.let(f"fcmp ogt double {inertia}, 0.0")
        root = w.root(c.let(f"select i1 {some}, double {inertia}, double 0.0"))
        weight = c.float("fmul", c.read(w.columns, k, "double"), root)
        c.write(weights, k, weight, "double")
        w.raise_to(heaviest, weight)
    least = c.float("fmul", c.read_number(heaviest), _LIGHTEST)
    with c.loop(w.n) as k:
        c.write(weights, k, c.float("fadd", c.read(weights, k, "double"), least), "double")
    c.do(f"call void @own_coordinates(ptr %ctx, ptr {size})")
    with c.when(c.let(f"fcmp uge double {c.read_number(size)}, {_LARGEST}")):
        with c.loop(w.n) as k:
            c.write(weights, k, "1.0", "double")
        c.do(f"call void @own_coordinates(ptr %ctx, ptr {size})")
    limit = c.float("fmul", c.read_number(size), _NOTHING)
    with c.loop(w.free) as k:
        motion = w.row("BASIS", k, w.n)
        with c.loop(w.n) as i:
            x = c.read(motion, i, "double")
            small = c.let(f"fcmp olt double {w.size(x)}, {limit}")
            sized = c.float("fmul", x, c.read(w.columns, i, "double"))
            c.write(motion, i, c.let(f"select i1 {small}, double 0.0, double {sized}"), "double")
    c.write(w("LOST"), 0, c.let(f"zext i1 {w.not_finite(c.read_number(size))} to i64"))
    return c.text()


def _reduce() -> str:
    """N^T M N, scaled to ones on its diagonal, in factors; LOST counts motions without inertia."""
    c = Code("reduce")
    w = Work(c)
    f, M, lost = w.free, w("M"), w("LOST")
    sizes, inner = w("SIZES"), w("INNER")
    with c.loop(f) as k:
        motion, pushed, total = w.row("BASIS", k, w.n), w.row("PUSHED", k, w.n), c.number()
        c.write_number(total, "0.0")
        with c.loop(w.n) as i:
            c.write(pushed, i, w.dot(w.row_at(M, i, w.n), motion, w.n), "double")
            x, place = c.read(motion, i, "double"), c.mul(i, c.add(w.n, 1))
            own = w.size(c.read(M, place, "double"))
            c.accumulate(total, "fadd", c.float("fmul", c.float("fmul", x, x), own))
        inertia = w.dot(motion, pushed, w.n)
        least = c.float("fmul", c.read_number(total), _LEAST)
        some = c.let(f"fcmp ogt double {inertia}, {least}")
        with c.when(c.let(f"xor i1 {some}, true")):
            c.write(lost, 0, c.add(c.read(lost, 0), 1))
        safe = c.let(f"select i1 {some}, double {inertia}, double 1.0")
        c.write(sizes, k, w.root(safe), "double")
        c.write(w("KEPT"), k, "1.0", "double")
    with c.loop(f) as i, c.loop(f, i) as k:
        entry = w.dot(w.row("BASIS", i, w.n), w.row("PUSHED", k, w.n), w.n)
        both = c.float("fmul", c.read(sizes, i, "double"), c.read(sizes, k, "double"))
        c.write(inner, c.add(c.mul(i, f), k), c.float("fdiv", entry, both), "double")
    given = f"ptr {inner}, ptr {w('KEPT')}, ptr {lost}, i64 {f}"
    c.do(f"call void @factor({given}, double {_LEAST})")
    return c.text()


def _respond() -> str:
    """`respond(ctx, force, a)`: a += N (N^T M N)^-1 N^T (force - M a)."""
    c = Code("respond", ("ptr noalias %ctx", "ptr noalias %force", "ptr noalias %a"))
    w = Work(c)
    f, left, y, sizes = w.free, w("DOF"), w("FREE"), w("SIZES")
    with c.loop(w.n) as i:
        taken = w.dot(w.row_at(w("M"), i, w.n), "%a", w.n)
        c.write(left, i, c.float("fsub", c.read("%force", i, "double"), taken), "double")
    with c.loop(f) as k:
        pushed = w.dot(w.row("BASIS", k, w.n), left, w.n)
        c.write(y, k, c.float("fdiv", pushed, c.read(sizes, k, "double")), "double")
    c.do(f"call void @substitute(ptr {w('INNER')}, ptr {y}, i64 {f}, i64 1)")
    with c.loop(f) as k:
        share = c.float("fdiv", c.read(y, k, "double"), c.read(sizes, k, "double"))
        w.take_off("%a", w.row("BASIS", k, w.n), c.let(f"fneg double {share}"), w.n)
    return c.text()
