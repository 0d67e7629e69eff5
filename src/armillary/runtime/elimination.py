"""Large constrained systems as native loops: rows, entries, sparse elimination, refinement.

    [ M    J^T ] [  x ]   [ force  ]
    [ J   -mu  ] [ -λ ] = [ target ]

The same code serves every mechanism: what it works on are tables (closing_tables.py), made once by
constraints/elimination_code.py.  W states stand side by side; a number k of the memory is a vector
of W doubles.  K = [M J^T; J 0] is kept by its lower entries, the factor of K_mu column by column in
the order of elimination, each with its diagonal first.  The solution is refined with the residual
of the *true* system (refinement.py); a state that does not get to rounding, or whose rows could
still be fulfilled better, is NaN.
"""

from __future__ import annotations

from armillary.codegen.abi import Context
from armillary.codegen.target import Lanes
from armillary.runtime.closing_code import ClosingCode
from armillary.runtime.closing_tables import Closing
from armillary.runtime.refinement import refinement_text
from armillary.runtime.tree_loop import loop_text


def elimination_text(lanes: Lanes) -> str:
    """LLVM text with `batch(ctx)` for all rows."""
    parts = [system_texts(lanes), _whole(lanes), refinement_text(lanes)]
    return "\n\n".join([*parts, loop_text(lanes, "whole")])


def system_texts(lanes: Lanes) -> str:
    """The equations of a block of states, their factor, and what it solves."""
    texts = (rows_text, _assemble, _factor, _forward, _backward, _residual)
    return "\n\n".join(text(lanes) for text in texts)


def _whole(lanes: Lanes) -> str:
    """One block of states: the tree, the rows, the equations, their solution."""
    c = ClosingCode("whole", lanes)
    places = (Closing.MOTION, Closing.AXES, Closing.COLUMNS, Closing.BIAS)
    for k, slot in enumerate(places, 1):  # results of the tree, behind that of the whole
        place = c.pointer(c.memory, c.of(slot), lanes.type)
        c.set_field(Context.OUTPUTS.at(k), place)
    passes, program = c.field(Context.PROGRAM_LENGTH), c.field(Context.PROGRAM)
    input_ = c.of(Closing.SOLUTION_INPUT)
    behind = c.let(f"zext i1 {c.there(input_)} to i64")  # passes behind the solution
    before = c.sub(passes, behind)
    c.set_field(Context.PROGRAM_LENGTH, before)
    for name in ("run", "rows", "assemble", "sparse_factor", "solve"):
        c.do(f"call void @{name}(ptr %ctx)")
    with c.when(c.there(input_)):
        solution = c.pointer(c.memory, c.of(Closing.SOLUTION), lanes.type)
        c.set_field(c.entry(Context.INPUTS, input_), solution)
        c.set_field(Context.PROGRAM, c.pointer(program, c.mul(before, 2)))
        c.set_field(Context.PROGRAM_LENGTH, behind)
        c.do("call void @run(ptr %ctx)")
        c.set_field(Context.PROGRAM, program)
    c.set_field(Context.PROGRAM_LENGTH, passes)
    return c.text()


def rows_text(lanes: Lanes) -> str:
    """Values and wrenches of all constraints between frames; values of linear ones."""
    c = ClosingCode("rows", lanes)
    forms, offsets = c.of(Closing.FORMS), c.of(Closing.OFFSETS)
    terms, factors = c.of(Closing.TERMS), c.of(Closing.FACTORS)
    with c.loop(c.of(Closing.FORM_COUNT)) as k:
        row = c.mul(k, 4)
        place, first, last, source = (c.read(forms, c.add(row, n)) for n in range(4))
        c.put(place, c.shared(offsets, k))
        with c.loop(last, first) as t:
            value = c.input(source, c.read(terms, t))
            c.put(place, c.more(c.load(place), c.shared(factors, t), value))
    swapped = {Context.INTS: Closing.INTS, Context.CONSTS: Closing.CONSTS}
    before = {slot: c.field(slot) for slot in (*swapped, Context.WORK)}
    for slot, own in swapped.items():
        c.set_field(slot, c.of(own))
    c.set_field(Context.WORK, c.memory)
    codes = c.of(Closing.CODES)
    with c.loop(c.of(Closing.CODE_COUNT)) as k:
        row = c.mul(k, 3)
        code = c.read(codes, row, "ptr")
        first, last = (c.read(codes, c.add(row, n)) for n in (1, 2))
        c.do(f"call void {code}(ptr %ctx, i64 {first}, i64 {last})")
    for slot, value in before.items():
        c.set_field(slot, value)
    return c.text()


def _assemble(lanes: Lanes) -> str:
    """K, the right side, and what rounding is measured against."""
    c = ClosingCode("assemble", lanes)
    K, powers, constants = c.of(Closing.K), c.of(Closing.POWERS), c.of(Closing.CONSTANTS)
    count, right, ranks = c.of(Closing.POWER_COUNT), c.of(Closing.RIGHT), c.of(Closing.RANKS)
    with c.loop(count) as k:
        c.put(c.add(K, k), c.power(powers, c.mul(k, 4)))
    with c.loop(c.sub(c.of(Closing.ENTRY_COUNT), count)) as k:
        c.put(c.add(c.add(K, count), k), c.shared(constants, k))
    armature, dofs = c.of(Closing.ARMATURE), c.of(Closing.DOFS)
    tau, bias, dof_of = c.of(Closing.TAU), c.of(Closing.BIAS), c.of(Closing.DOF_OF)
    with c.loop(dofs) as k:
        place = c.add(K, k)
        c.put(place, c.op("fadd", c.load(place), c.shared(armature, k)))
        place = c.add(right, c.read(ranks, k))
        c.put(place, c.constant(0.0))
        with c.when(c.there(tau)):
            dof = c.read(dof_of, k)
            c.put(place, c.op("fsub", c.input(tau, dof), c.load(c.add(bias, dof))))
    pushes = c.of(Closing.PUSHES)
    with c.loop(c.of(Closing.PUSH_COUNT)) as k:
        row = c.mul(k, 5)
        place = c.add(right, c.read(pushes, c.add(row, 4)))
        c.put(place, c.op("fadd", c.load(place), c.power(pushes, row)))
    targets, prescribed = c.of(Closing.TARGETS), c.of(Closing.PRESCRIBED)
    sign = c.across(Closing.SIGN)
    with c.loop(c.of(Closing.ROWS)) as k:
        row = c.mul(k, 3)
        rank, value, number = (c.read(targets, c.add(row, n)) for n in range(3))
        place = c.add(right, rank)
        c.put(place, c.op("fmul", sign, c.load(value)))
        with c.when(c.there(prescribed)):
            c.put(place, c.op("fadd", c.load(place), c.input(prescribed, number)))
    return c.text()


def _factor(lanes: Lanes) -> str:
    """K_mu = L D L^T: entries of L behind 1/D, column by column."""
    c = ClosingCode("sparse_factor", lanes)
    work, lower, K = c.of(Closing.WORK), c.of(Closing.LOWER), c.of(Closing.K)
    starts, updates = c.of(Closing.STARTS), c.of(Closing.UPDATES)
    with c.loop(c.of(Closing.FACTOR_COUNT)) as k:
        c.put(c.add(work, k), c.constant(0.0))
    goes = c.of(Closing.GOES)
    with c.loop(c.of(Closing.ENTRY_COUNT)) as k:
        c.put(c.add(work, c.read(goes, k)), c.load(c.add(K, k)))
    dampers, mu = c.of(Closing.DAMPERS), c.of(Closing.MU)
    with c.loop(c.of(Closing.ROWS)) as k:
        value = c.let(f"fneg {lanes.type} {c.shared(mu, k)}")
        c.put(c.add(work, c.read(dampers, k)), value)
    update = c.variable(0)
    with c.loop(c.of(Closing.UNKNOWNS)) as k:
        start, end = c.read(starts, k), c.read(starts, c.add(k, 1))
        inverse = c.op("fdiv", c.constant(1.0), c.load(c.add(work, start)))
        c.put(c.add(lower, start), inverse)
        after = c.add(start, 1)
        with c.loop(end, after) as p:
            c.put(c.add(lower, p), c.op("fmul", c.load(c.add(work, p)), inverse))
        with c.loop(end, after) as p:
            factor = c.let(f"fneg {lanes.type} {c.load(c.add(lower, p))}")
            first = c.sub(c.get(update), p)
            with c.loop(end, p) as r:
                place = c.add(work, c.read(updates, c.add(first, r)))
                value = c.more(c.load(place), factor, c.load(c.add(work, r)))
                c.put(place, value)
            c.set(update, c.add(first, end))
    return c.text()


def _forward(lanes: Lanes) -> str:
    """x = D^-1 L^-1 x."""
    c = ClosingCode("forward", lanes, ("i64 %x",))
    lower, starts, ranks = c.of(Closing.LOWER), c.of(Closing.STARTS), c.of(Closing.RANK_OF)
    with c.loop(c.of(Closing.UNKNOWNS)) as k:
        start, end = c.read(starts, k), c.read(starts, c.add(k, 1))
        own = c.add("%x", k)
        value = c.load(own)
        minus = c.let(f"fneg {lanes.type} {value}")
        with c.loop(end, c.add(start, 1)) as p:
            place = c.add("%x", c.read(ranks, p))
            c.put(place, c.more(c.load(place), c.load(c.add(lower, p)), minus))
        c.put(own, c.op("fmul", value, c.load(c.add(lower, start))))
    return c.text()


def _backward(lanes: Lanes) -> str:
    """x = L^-T x."""
    c = ClosingCode("backward", lanes, ("i64 %x",))
    lower, starts, ranks = c.of(Closing.LOWER), c.of(Closing.STARTS), c.of(Closing.RANK_OF)
    size, total = c.of(Closing.UNKNOWNS), c.register()
    with c.loop(size) as back:
        k = c.sub(c.sub(size, 1), back)
        start, end = c.read(starts, k), c.read(starts, c.add(k, 1))
        own = c.add("%x", k)
        c.keep(total, c.load(own))
        with c.loop(end, c.add(start, 1)) as p:
            other = c.load(c.add("%x", c.read(ranks, p)))
            c.keep(total, c.less(c.kept(total), c.load(c.add(lower, p)), other))
        c.put(own, c.kept(total))
    return c.text()


def _residual(lanes: Lanes) -> str:
    """r = b - K x."""
    c = ClosingCode("residual", lanes)
    K, x, r = c.of(Closing.K), c.of(Closing.X), c.of(Closing.RESIDUAL)
    c.copy(c.of(Closing.RIGHT), r, c.of(Closing.UNKNOWNS))
    entries, dofs = c.of(Closing.ENTRIES), c.of(Closing.DOFS)

    def take_off(minus: str, i: str, j: str) -> None:
        place = c.add(r, i)
        c.put(place, c.more(c.load(place), minus, c.load(c.add(x, j))))

    for start, end in (("0", dofs), (dofs, c.of(Closing.ENTRY_COUNT))):
        with c.loop(end, start) as k:
            i, j = (c.read(entries, c.add(c.mul(k, 2), n)) for n in range(2))
            minus = c.let(f"fneg {lanes.type} {c.load(c.add(K, k))}")
            take_off(minus, i, j)
            if start == dofs:
                take_off(minus, j, i)
    return c.text()
