"""How the generalised forces of many force elements change with q and v, state after state.

    dQ/dq = C^T (K C + D dC)      dQ/dv = C^T D C

with the motion C of the bodies per degree of freedom, dC of their velocities, and stiffness K and
damping D between the bodies.  Some states at a time:

    1. a kernel tells how their bodies move (algorithms/forces/end_motions.py)
    2. elements give their wrenches, K and D (slopes_elements.py), which are carried to the degrees
       of freedom (slopes_turns.py)
    3. with those wrenches as external ones, a kernel takes the derivatives of everything else
    4. both are put together
"""

from __future__ import annotations

from functools import cache

from armillary.codegen.abi import Context, Slot
from armillary.codegen.jit import Library
from armillary.codegen.llvm import with_declarations
from armillary.runtime.in_turn import call_kernel
from armillary.runtime.slopes_code import Shape, Writer, rows_text
from armillary.runtime.slopes_elements import elements_text
from armillary.runtime.slopes_tables import FOUND_ARRAYS, GIVEN, RESULTS, TAU, Slopes
from armillary.runtime.slopes_turns import turns_text


@cache
def library(shape: Shape) -> Library:
    """`batch(ctx)`: all rows of a call, whose context is followed by `Slopes`."""
    parts = [*rows_text(shape), *elements_text(shape), *turns_text(shape)]
    parts += [_pushed(shape), _state(shape), _onward(shape), _both(shape)]
    parts += [_placed(shape), _handed(shape), _batch(shape)]
    return Library(
        with_declarations("\n\n".join(parts), shape.lanes), ["batch"], quick=shape.lanes.quick
    )


# -- as many states as stand side by side ----------------------------------------------------------


def _state(shape: Shape) -> str:
    """`state(ctx)`: elements, and what they are for the degrees of freedom."""
    c = Writer(shape, "state")
    nv, bodies = c.field(Slopes.NV), c.field(Slopes.BODIES)
    sizes = {
        Slopes.BLOCKS: c.mul(c.field(Slopes.CLEARED), shape.pair),
        Slopes.BY_Q: c.mul(nv, nv),
        Slopes.BY_V: c.mul(nv, nv),
        Slopes.WRENCHES: c.mul(bodies, shape.size),
        Slopes.FORCES: nv,
    }
    for field, size in sizes.items():
        c.do(f"call void @clear(ptr %ctx, ptr {c.field(field)}, i64 {size})")
    for name in ("packed", "elements", "folds", "turns", "pushed"):
        c.do(f"call void @{name}(ptr %ctx)")
    driven, step = _found(c, Slopes.DRIVEN)
    with c.loop(nv) as k:
        c.put_row_number(driven, step, k, c.get_number(c.field(Slopes.FORCES), k))
    _with_given(c, Slopes.DRIVEN, Slopes.TAU, nv)
    _with_given(c, Slopes.PUSHED, Slopes.EXTERNAL, c.mul(bodies, 6))
    return c.text()


def _found(c: Writer, field: Slot) -> tuple[str, str]:
    """Rows that are found here, and the step from one to the next."""
    return c.field(field), c.field(Slopes.FOUND_STEPS.at(field - Slopes.MOTION))


def _with_given(c: Writer, found: Slot, given: Slot, count: str) -> None:
    """Where an input has such numbers, too, both."""
    number = given - Slopes.Q
    known = c.let(f"icmp sge i64 {c.field(Slopes.GIVEN_FROM.at(number))}, 0")
    (out, step), source = _found(c, found), c.field(given)
    with c.when(known), c.loop(count) as k:
        more = c.row_number(source, c.field(Slopes.GIVEN_STEPS.at(number)), k)
        c.put_row_number(out, step, k, c.plus(c.row_number(out, step, k), more))


def _pushed(shape: Shape) -> str:
    """`pushed(ctx)`: wrenches at the origin of the world, in the bodies' own frames:
    f' = R E f, n' = R E (n - r × f)."""
    c = Writer(shape, "pushed")

    def combined(*products: tuple[str, str, str]) -> str:
        total = c.zero
        for operation, a, b in products:
            product = c.let(f"fmul {c.t} {a}, {b}")
            total = c.let(f"{operation} {c.t} {total}, {product}")
        return total

    def turned(matrix: list[str], x: list[str]) -> list[str]:
        rows = (zip(matrix[3 * i : 3 * i + 3], x, strict=True) for i in range(3))
        return [combined(*(("fadd", a, b) for a, b in row)) for row in rows]

    with c.loop(c.field(Slopes.BODIES)) as body:
        E, r = (
            [c.row_number(*_found(c, field), c.add(c.mul(body, n), k)) for k in range(n)]
            for field, n in ((Slopes.MOTION.at(0), 9), (Slopes.MOTION.at(1), 3))
        )
        R = [c.same(c.field(Slopes.FRAMES), c.add(c.mul(body, 9), k)) for k in range(9)]
        wrench = [c.zero] * 6
        first = c.mul(body, shape.size)
        for k, axis in enumerate(shape.axes):
            wrench[axis] = c.get_number(c.field(Slopes.WRENCHES), c.add(first, k))
        n, f = wrench[:3], wrench[3:]
        for i, (j, k) in enumerate(((1, 2), (2, 0), (0, 1))):
            arm = combined(("fadd", r[j], f[k]), ("fsub", r[k], f[j]))
            n[i] = c.let(f"fsub {c.t} {n[i]}, {arm}")
        for k, x in enumerate([*turned(R, turned(E, n)), *turned(R, turned(E, f))]):
            c.put_row_number(*_found(c, Slopes.PUSHED), c.add(c.mul(body, 6), k), x)
    return c.text()


def _both(shape: Shape) -> str:
    """`both(ctx)`: what elements add to the derivatives: -dQ, or M^-1 dQ."""
    c = Writer(shape, "both")
    nv = c.field(Slopes.NV)
    solved = c.equal(c.field(Slopes.SOLVED), 1)
    for out, x in ((Slopes.DQ, Slopes.BY_Q), (Slopes.DV, Slopes.BY_V)):
        (target, step), own = _result(c, out), c.field(x)
        with c.when(c.negated(solved)), c.loop(c.mul(nv, nv)) as k:
            less = c.let(f"fneg {c.t} {c.get_number(own, k)}")
            c.put_row_number(target, step, k, c.plus(c.row_number(target, step, k), less))
        with c.when(solved), c.loop(nv) as i:
            _solved_row(c, c.mul(i, nv), target, step, own)
    return c.text()


def _result(c: Writer, field: Slot) -> tuple[str, str]:
    return c.field(field), c.field(Slopes.RESULTS_STEPS.at(field - Slopes.DQ))


def _solved_row(c: Writer, first: str, target: str, step: str, x: str) -> None:
    """A row of target += M^-1 x."""
    row, nv, (M, M_step) = c.field(Slopes.ROW), c.field(Slopes.NV), _result(c, Slopes.M)
    with c.loop(nv) as k:
        c.put_number(row, k, c.row_number(target, step, c.add(first, k)))
    with c.loop(nv) as k:
        factor = c.row_number(M, M_step, c.add(first, k))
        some = c.let(f"fcmp une {c.t} {factor}, {c.zero}")
        if c.lanes.width > 1:
            bits = c.let(f"bitcast {c.lanes.mask} {some} to i{c.lanes.width}")
            some = c.let(f"icmp ne i{c.lanes.width} {bits}, 0")
        with c.when(some):
            own = c.at(x, c.mul(k, nv))
            c.do(f"call void @add_row(ptr %ctx, ptr {row}, ptr {own}, {c.t} {factor}, i64 {nv})")
    with c.loop(nv) as k:
        c.put_row_number(target, step, c.add(first, k), c.get_number(row, k))


# -- states ----------------------------------------------------------------------------------------


def _placed(shape: Shape) -> str:
    """`placed(ctx, call, row)`: the arrays of the states from this row of the call on, and of the
    first ones in the memory here."""
    c = Writer(shape, "placed", "ptr noalias %call", "i64 %row")
    for first, numbers, steps, rows, sizes, count in (
        (Slopes.Q, Slopes.GIVEN_FROM, Slopes.GIVEN_STEPS,
         Context.INPUT_ROWS, Context.INPUT_STRIDES, len(GIVEN)),
        (Slopes.DQ, Slopes.RESULTS_FROM, Slopes.RESULTS_STEPS,
         Context.OUTPUT_ROWS, Context.OUTPUT_SIZES, len(RESULTS)),
    ):  # fmt: skip
        with c.loop(count) as k:
            number = c.field(c.entry(numbers, k))
            none = c.let(f"icmp slt i64 {number}, 0")
            number = c.let(f"select i1 {none}, i64 0, i64 {number}")
            base, step = (c.field(c.entry(x, number), "%call") for x in (rows, sizes))
            c.set_field(c.entry(first, k), c.pointer(base, c.mul("%row", step), c.e))
            c.set_field(c.entry(steps, k), step)
    with c.loop(FOUND_ARRAYS) as k:
        c.set_field(c.entry(Slopes.MOTION, k), c.field(c.entry(Slopes.FOUND_FIRST, k)))
    return c.text()


def _onward(shape: Shape) -> str:
    """`onward(ctx)`: to the next states."""
    c = Writer(shape, "onward")
    for first, steps, count in (
        (Slopes.Q, Slopes.GIVEN_STEPS, len(GIVEN)),
        (Slopes.DQ, Slopes.RESULTS_STEPS, len(RESULTS)),
        (Slopes.MOTION, Slopes.FOUND_STEPS, FOUND_ARRAYS),
    ):
        with c.loop(count) as k:
            place, step = c.entry(first, k), c.field(c.entry(steps, k))
            step = c.mul(step, shape.lanes.width)
            c.set_field(place, c.pointer(c.field(place), step, c.e))
    return c.text()


def _handed(shape: Shape) -> str:
    """`handed(ctx, call, inner, from, row)`: the inputs of a kernel from this row of the call on,
    or those that are found here."""
    arguments = ("ptr noalias %call", "ptr noalias %inner", "ptr %from", "i64 %row")
    c = Writer(shape, "handed", *arguments)
    with c.loop(c.field(Context.INPUT_COUNT, "%inner")) as k:
        number = c.read("%from", k)
        found = c.let(f"icmp slt i64 {number}, 0")
        first, place = Slopes.PUSHED - Slopes.MOTION, c.equal(number, TAU)
        own = c.let(f"select i1 {place}, i64 {Slopes.DRIVEN - Slopes.MOTION}, i64 {first}")
        number = c.let(f"select i1 {found}, i64 0, i64 {number}")
        stride = c.field(c.entry(Context.INPUT_STRIDES, number), "%call")
        rows = c.field(c.entry(Context.INPUT_ROWS, number), "%call")
        base = c.pointer(rows, c.mul("%row", stride), c.e)
        memory, step = (c.field(c.entry(x, own)) for x in (Slopes.FOUND_FIRST, Slopes.FOUND_STEPS))
        base = c.let(f"select i1 {found}, ptr {memory}, ptr {base}")
        stride = c.let(f"select i1 {found}, i64 {step}, i64 {stride}")
        c.set_field(c.entry(Context.INPUT_ROWS, k), base, "%inner")
        c.set_field(c.entry(Context.INPUT_STRIDES, k), stride, "%inner")
    return c.text()


def _batch(shape: Shape) -> str:
    """Some rows at a time; the last ones overlap those before, which are worked on again."""
    c = Writer(shape, "batch")
    own, rows = c.pointer("%ctx", Context.SIZE), c.field(Context.ROWS)
    most = c.field(Slopes.MOST, own)
    count = c.let(f"select i1 {c.let(f'icmp slt i64 {rows}, {most}')}, i64 {rows}, i64 {most}")
    count = c.let(f"and i64 {count}, {-shape.lanes.width}")  # whole vectors
    last = c.sub(rows, count)
    motions, plain = (c.field(x, own) for x in (Slopes.MOTIONS_CONTEXT, Slopes.PLAIN_CONTEXT))
    for context in (motions, plain):
        c.set_field(Context.ROWS, count, context)
    with c.loop(rows, step=count) as block:
        late = c.let(f"icmp sgt i64 {block}, {last}")
        row = c.let(f"select i1 {late}, i64 {last}, i64 {block}")
        for context, numbers in ((motions, Slopes.MOTIONS_FROM), (plain, Slopes.PLAIN_FROM)):
            where = f"ptr {context}, ptr {c.pointer(own, numbers)}, i64 {row}"
            c.do(f"call void @handed(ptr {own}, ptr %ctx, {where})")
        with c.loop(c.field(Context.OUTPUT_COUNT)) as k:
            size = c.field(c.entry(Context.OUTPUT_SIZES, k))
            place = c.pointer(c.field(c.entry(Context.OUTPUT_ROWS, k)), c.mul(row, size), c.e)
            c.set_field(c.entry(Context.OUTPUT_ROWS, k), place, plain)
        for code, context, then in (
            (Slopes.MOTIONS_CODE, motions, "state"),
            (Slopes.PLAIN_CODE, plain, "both"),
        ):
            call_kernel(c, c.field(code, own), context)
            c.do(f"call void @placed(ptr {own}, ptr %ctx, i64 {row})")
            with c.loop(count, step=shape.lanes.width):
                c.do(f"call void @{then}(ptr {own})")
                c.do(f"call void @onward(ptr {own})")
    return c.text()
