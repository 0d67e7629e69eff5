"""Solution of a large constrained system: refined with the residual of the true equations until the
last correction, or what is left of the equations, is rounding; and checked, state by state."""

from __future__ import annotations

from armillary.codegen.abi import Context
from armillary.codegen.target import Lanes
from armillary.runtime.closing_code import ClosingCode
from armillary.runtime.closing_tables import Closing

_REFINEMENTS = 2  # before the last correction is looked at
_MOST = 24  # refinements, where it is not small


def refinement_text(lanes: Lanes) -> str:
    """LLVM text of `solve(ctx)`."""
    return "\n\n".join(text(lanes) for text in (_solve, _converged, _fulfilled, _least_squares))


def _solve(lanes: Lanes) -> str:
    """x of the true system; a state that is done keeps it, whatever the others need."""
    c = ClosingCode("solve", lanes)
    size, x, step = c.of(Closing.UNKNOWNS), c.of(Closing.X), c.of(Closing.STEP)
    done = c.register(0.0)
    c.copy(c.of(Closing.RIGHT), x, size)
    c.do(f"call void @forward(ptr %ctx, i64 {x})")
    c.copy(x, c.of(Closing.FIRST), size)
    c.do(f"call void @backward(ptr %ctx, i64 {x})")
    turn = c.variable(0)
    with c.forever() as loop:
        c.do("call void @residual(ptr %ctx)")
        c.copy(c.of(Closing.RESIDUAL), step, size)
        c.do(f"call void @forward(ptr %ctx, i64 {step})")
        c.do(f"call void @backward(ptr %ctx, i64 {step})")
        open_ = c.let(f"fcmp oeq {lanes.type} {c.kept(done)}, {c.constant(0.0)}")
        with c.loop(size) as k:
            place = c.add(x, k)
            more = c.where(open_, c.load(c.add(step, k)), c.constant(0.0))
            c.put(place, c.op("fadd", c.load(place), more))
        c.set(turn, c.add(c.get(turn), 1))
        with c.when(c.let(f"icmp sge i64 {c.get(turn)}, {_REFINEMENTS}")):
            c.do(f"call void @converged(ptr %ctx, ptr {done})")
            c.break_if(loop, _in_all_lanes(c, c.kept(done)))
            c.do("call void @residual(ptr %ctx)")
            c.do(f"call void @fulfilled(ptr %ctx, ptr {done})")
            c.break_if(loop, _in_all_lanes(c, c.kept(done)))
        c.break_if(loop, c.let(f"icmp sge i64 {c.get(turn)}, {_MOST}"))
    c.do("call void @residual(ptr %ctx)")
    c.do(f"call void @least_squares(ptr %ctx, ptr {done})")
    good = c.let(f"fcmp oeq {lanes.type} {c.kept(done)}, {c.constant(1.0)}")
    status = c.where(good, c.constant(0.0), c.constant(float("nan")))
    ranks, dof_of = c.of(Closing.RANKS), c.of(Closing.DOF_OF)
    articulated = c.there(c.of(Closing.SOLUTION_INPUT))
    place = c.pointer(c.memory, c.of(Closing.SOLUTION), lanes.type)
    out = c.let(f"select i1 {articulated}, ptr {place}, ptr {c.field(Context.OUTPUTS.at(0))}")
    with c.when(articulated), c.loop(c.of(Closing.ALL_DOFS)) as k:
        c.write(out, k, status, lanes.type)
    with c.loop(c.of(Closing.DOFS)) as k:
        value = c.op("fadd", c.load(c.add(x, c.read(ranks, k))), status)
        c.write(out, c.read(dof_of, k), value, lanes.type)
    return c.text()


def _in_all_lanes(c: ClosingCode, flags: str) -> str:
    """Is the flag 1 in every lane?"""
    if c.lanes.width == 1:
        return c.let(f"fcmp oeq double {flags}, 1.0")
    found = "true"
    for lane in range(c.lanes.width):
        flag = c.let(f"extractelement {c.lanes.type} {flags}, i32 {lane}")
        one = c.let(f"fcmp oeq {c.lanes.element} {flag}, 1.0")
        found = c.let(f"and i1 {found}, {one}")
    return found


def _converged(lanes: Lanes) -> str:
    """done = 1 where the last correction is rounding: of each unknown itself, or of all of them,
    weighed by their inertias (closed/constrained.py)."""
    c = ClosingCode("converged", lanes, ("ptr noalias %done",))
    K, x, step, first = (c.of(s) for s in (Closing.K, Closing.X, Closing.STEP, Closing.FIRST))
    ranks, dofs = c.of(Closing.RANKS), c.of(Closing.DOFS)
    total, weights, fine = c.register(), c.register(), c.register(1.0)
    with c.loop(dofs) as k:
        weight = c.load(c.add(K, k))
        size = _reference(c, k)
        part = c.op("fmul", size, size)
        c.keep(total, c.more(c.kept(total), weight, part))
        c.keep(weights, c.op("fadd", c.kept(weights), weight))
    limit = c.op("fmul", c.kept(total), c.across(Closing.ROUNDING))
    tolerance = c.across(Closing.TOLERANCE)
    massless = c.op("fmul", c.kept(weights), c.across(Closing.MASSLESS))
    with c.loop(dofs) as k:
        weight = c.op("fadd", c.load(c.add(K, k)), massless)
        rank = c.read(ranks, k)
        correction, value, start = (c.load(c.add(s, rank)) for s in (step, x, first))
        square = c.op("fmul", correction, correction)
        size = c.more(c.op("fmul", value, value), start, start)
        weighed = c.op("fmul", weight, square)
        own = c.op("fmul", size, tolerance)
        small = [
            c.let(f"fcmp ole {lanes.type} {a}, {b}") for a, b in ((weighed, limit), (square, own))
        ]
        either = c.let(f"or {lanes.mask} {small[0]}, {small[1]}")
        c.keep(fine, c.where(either, c.kept(fine), c.constant(0.0)))
    _note(c, c.kept(fine))
    return c.text()


def _fulfilled(lanes: Lanes) -> str:
    """done = 1 where every equation is fulfilled but for the rounding of its terms, and of all
    accelerations together (closed/residual.py: those of one equation may all vanish): nothing
    better can be had, however large the last correction of an ill-conditioned unknown."""
    c = ClosingCode("fulfilled", lanes, ("ptr noalias %done",))
    K, x, r, right = (c.of(s) for s in (Closing.K, Closing.X, Closing.RESIDUAL, Closing.RIGHT))
    squares, size, entries = c.of(Closing.STEP), c.of(Closing.UNKNOWNS), c.of(Closing.ENTRIES)
    with c.loop(size) as k:
        value = c.load(c.add(right, k))
        c.put(c.add(squares, k), c.op("fmul", value, value))
    noises = _noise(c)
    dofs, fine = c.of(Closing.DOFS), c.register(1.0)
    for start, end in (("0", dofs), (dofs, c.of(Closing.ENTRY_COUNT))):
        with c.loop(end, start) as k:
            pair = [c.read(entries, c.add(c.mul(k, 2), n)) for n in range(2)]
            for i, j in [pair] if start == "0" else [pair, pair[::-1]]:
                term = c.op("fmul", c.load(c.add(K, k)), c.load(c.add(x, j)))
                own = c.add(squares, i)
                c.put(own, c.more(c.load(own), term, term))
                entry, noise = c.load(c.add(K, k)), c.load(c.add(noises, j))
                c.put(own, c.more(c.load(own), c.op("fmul", entry, entry), noise))
    limit = c.across(Closing.ROUNDING)
    with c.loop(size) as k:
        left, terms = c.load(c.add(r, k)), c.load(c.add(squares, k))
        most = c.op("fmul", terms, limit)
        small = c.let(f"fcmp ole {lanes.type} {c.op('fmul', left, left)}, {most}")
        c.keep(fine, c.where(small, c.kept(fine), c.constant(0.0)))
    _note(c, c.kept(fine))
    return c.text()


def _noise(c: ClosingCode) -> str:
    """Where, by unknown, the square of what is rounded in it stands: that of all accelerations and
    of their first values, of which little is left at rest, Σ (x / size)² in its own unit; 0 for
    multipliers."""
    ranks, scale = c.of(Closing.RANKS), c.of(Closing.SCALE)
    noises, dofs, total = c.of(Closing.NORM), c.of(Closing.DOFS), c.register()
    with c.loop(c.of(Closing.UNKNOWNS)) as k:
        c.put(c.add(noises, k), c.constant(0.0))
    with c.loop(dofs) as k:
        for values in (Closing.X, Closing.FIRST):
            value = c.load(c.add(c.of(values), c.read(ranks, k)))
            part = c.op("fdiv", value, c.shared(scale, k))
            c.keep(total, c.more(c.kept(total), part, part))
    with c.loop(dofs) as k:
        size = c.shared(scale, k)
        square = c.op("fmul", c.op("fmul", size, size), c.kept(total))
        c.put(c.add(noises, c.read(ranks, k)), square)
    return noises


def _note(c: ClosingCode, fine: str) -> None:
    """done = 1 where fine is 1."""
    old = c.let(f"load {c.lanes.type}, ptr %done")
    now = c.let(f"fcmp oeq {c.lanes.type} {fine}, {c.constant(1.0)}")
    c.do(f"store {c.lanes.type} {c.where(now, c.constant(1.0), old)}, ptr %done")


def _reference(c: ClosingCode, k: str) -> str:
    """What rounding of an unknown is measured against: its first value where forces act; else the
    velocity that is corrected, or the size of the machine."""
    out = c.register()
    tau, v = c.of(Closing.TAU), c.of(Closing.V)
    rank = c.read(c.of(Closing.RANKS), k)
    c.keep(out, c.shared(c.of(Closing.SCALE), k))
    with c.when(c.there(v)):
        c.keep(out, c.input(v, c.read(c.of(Closing.DOF_OF), k)))
    with c.when(c.there(tau)):
        c.keep(out, c.load(c.add(c.of(Closing.FIRST), rank)))
    return c.kept(out)


def _least_squares(lanes: Lanes) -> str:
    """done = 0 where a motion would come nearer to the rows: J^T (target - J x) / mu is to be 0
    (closed/residual.py); and where a row stays open by more than it may."""
    c = ClosingCode("least_squares", lanes, ("ptr noalias %done",))
    K, r, right = c.of(Closing.K), c.of(Closing.RESIDUAL), c.of(Closing.RIGHT)
    sums, norms, dofs = c.of(Closing.STEP), c.of(Closing.NORM), c.of(Closing.DOFS)
    targets, mu, scale = c.of(Closing.TARGETS), c.of(Closing.MU), c.of(Closing.SCALE)
    rows, first, levers = c.of(Closing.ROWS), c.of(Closing.FIRST_ROW), c.of(Closing.LEVERS)
    with c.loop(dofs) as k:
        c.put(c.add(sums, k), c.constant(0.0))
    with c.loop(rows) as k:
        c.put(c.add(norms, k), c.constant(0.0))
    with c.loop(c.of(Closing.ENTRY_COUNT), first) as k:
        place = c.mul(c.sub(k, first), 2)
        row, dof = c.read(levers, place), c.read(levers, c.add(place, 1))
        lever = c.op("fmul", c.load(c.add(K, k)), c.shared(scale, dof))
        left = c.load(c.add(r, c.read(targets, c.mul(row, 3))))
        left = c.op("fmul", left, _weight(c, mu, row))
        own = c.add(sums, dof)
        c.put(own, c.more(c.load(own), lever, left))
        own = c.add(norms, row)
        c.put(own, c.more(c.load(own), lever, lever))
    rounded, total, terms = _rounded(c), c.register(), c.register()
    with c.loop(dofs) as k:
        part = c.load(c.add(sums, k))
        c.keep(total, c.more(c.kept(total), part, part))
    fine = c.register(1.0)
    open_, checked = c.of(Closing.OPEN), c.of(Closing.CHECK_OPEN)
    with c.loop(rows) as k:
        rank = c.read(targets, c.mul(k, 3))
        norm, target = c.load(c.add(norms, k)), c.load(c.add(right, rank))
        weight = _weight(c, mu, k)
        size = c.more(c.op("fmul", target, target), norm, rounded)
        size = c.op("fmul", norm, c.op("fmul", size, c.op("fmul", weight, weight)))
        c.keep(terms, c.op("fadd", c.kept(terms), size))
        with c.when(c.let(f"icmp ne i64 {checked}, 0")):
            left = c.op("fmul", c.load(c.add(r, rank)), c.shared(open_, k))
            square = c.op("fmul", left, left)
            closed = c.let(f"fcmp ole {lanes.type} {square}, {c.constant(1.0)}")
            c.keep(fine, c.where(closed, c.kept(fine), c.constant(0.0)))
    _closed(c, fine)
    limit = c.op("fmul", c.kept(terms), c.across(Closing.LEAST_SQUARES))
    small = c.let(f"fcmp ole {lanes.type} {c.kept(total)}, {limit}")
    old = c.where(small, c.kept(fine), c.constant(0.0))
    before = c.let(f"load {lanes.type}, ptr %done")
    c.do(f"store {lanes.type} {c.op('fmul', before, old)}, ptr %done")
    return c.text()


def _closed(c: ClosingCode, fine: str) -> None:
    """fine = 0 where the position is open, if closed ones are asked for."""
    openings, total, squares = c.of(Closing.OPENINGS), c.register(), c.of(Closing.SQUARE_COUNT)
    with c.loop(squares) as k:
        c.keep(total, c.op("fadd", c.kept(total), c.load(c.read(openings, k))))
    with c.loop(c.of(Closing.OPENING_COUNT)) as k:
        part = c.load(c.read(openings, c.add(squares, k)))
        c.keep(total, c.more(c.kept(total), part, part))
    most = c.shared(c.field(Context.GLOBALS), "15")
    closed = c.let(f"fcmp ole {c.lanes.type} {c.kept(total)}, {most}")
    c.keep(fine, c.where(closed, c.kept(fine), c.constant(0.0)))


def _weight(c: ClosingCode, mu: str, row: str) -> str:
    return c.op("fdiv", c.shared(mu, "0"), c.shared(mu, row))


def _rounded(c: ClosingCode) -> str:
    """The square of what is rounded in the rows, in units of the machine: unknowns, or what they
    correct; and, where forces act, gravity and velocities."""
    dofs, scale, tau = c.of(Closing.DOFS), c.of(Closing.SCALE), c.of(Closing.TAU)
    total, x, ranks = c.register(), c.of(Closing.X), c.of(Closing.RANKS)

    def add(value: str, size: str) -> None:
        part = c.op("fdiv", value, size)
        c.keep(total, c.more(c.kept(total), part, part))

    with c.loop(dofs) as k:
        size = c.shared(scale, k)
        with c.when(c.let(f"icmp slt i64 {tau}, 0")):
            add(_reference(c, k), size)
        with c.when(c.there(tau)):
            add(c.load(c.add(x, c.read(ranks, k))), size)
            add(c.input(c.of(Closing.V), c.read(c.of(Closing.DOF_OF), k)), size)
    with c.when(c.there(tau)):
        length = c.across(Closing.LENGTH)
        numbers = c.field(Context.GLOBALS)  # gravity, velocity and acceleration of the base
        for n in range(3):
            felt = c.op("fsub", c.shared(numbers, str(12 + n)), c.shared(numbers, str(n)))
            add(felt, length)
    return c.kept(total)
