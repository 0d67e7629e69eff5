"""Forces of a large closed mechanism whose accelerations are known, as native loops.

    [ D    J^T ] [ x ]   [ -r ]        r = M a + h - tau - known forces,    x = 0,   y = -λ
    [ J   -mu  ] [ y ] = [  0 ]

is eliminated and refined by the code of elimination.py; D is constant, of the coordinates' sizes.
Then the wrenches of the multipliers are carried inward, along the world's axes.  Rows that follow
from others of their constraint share their multipliers: Z^T H Z c = Z^T (reactions), a second
sparse system, whose factor is the same code over other tables (constraints/sharing.py).
"""

from __future__ import annotations

from armillary.codegen.abi import Context, Slot
from armillary.codegen.target import Lanes
from armillary.runtime.closing_code import ORIGIN, WrenchCode
from armillary.runtime.closing_tables import Closing
from armillary.runtime.elimination import system_texts
from armillary.runtime.reaction_tables import MOTION, Reacting
from armillary.runtime.sharing_loop import share_text, shared_text
from armillary.runtime.tree_loop import loop_text

REFINEMENTS = 4  # of what rows of a thousandth of their size leave, rounding remains
_LOAD = 15  # numbers of a body's load
_RESULTS = 5  # of the tree, and as many of the whole


def reaction_text(lanes: Lanes) -> str:
    """LLVM text with `batch(ctx)` for all rows."""
    first = (_add_up, _carry, _frames, _refine, _multipliers, _checked, _stretch)
    texts = [text(lanes) for text in (*first, share_text, shared_text, _results, _whole)]
    return "\n\n".join([system_texts(lanes), *texts, loop_text(lanes, "whole")])


def _whole(lanes: Lanes) -> str:
    """One block of states: the tree, the rows, the multipliers, the wrenches."""
    c = WrenchCode("whole", lanes)
    outputs = [c.field(Context.OUTPUTS.at(k)) for k in range(_RESULTS)]
    # in the order of closed/force_terms.py
    places = (Closing.BIAS, Closing.MOTION, Reacting.LOADS, Closing.AXES, Reacting.DRIVES)
    for n, slot in enumerate(places):
        c.set_field(Context.OUTPUTS.at(n), c.pointer(c.memory, c.of(slot), lanes.type))
    c.do("call void @run(ptr %ctx)")
    for n, output in enumerate(outputs):
        c.set_field(Context.OUTPUTS.at(n), output)
    nothing, columns = c.constant(0.0), c.of(Closing.COLUMNS)
    with c.loop(c.mul(c.field(Context.NV), 6)) as k:
        c.put(c.add(columns, k), nothing)
    before = ("rows", "frames", "assemble", "sparse_factor", "multipliers", "checked", "carry")
    for name in before:
        c.do(f"call void @{name}(ptr %ctx)")
    with c.when(c.let(f"icmp sgt i64 {c.of(Reacting.SPREAD_COUNT)}, 0")):
        c.do("call void @share(ptr %ctx)")
        c.do("call void @carry(ptr %ctx)")
    for name in ("stretch", "results"):
        c.do(f"call void @{name}(ptr %ctx)")
    return c.text()


def _frames(lanes: Lanes) -> str:
    """The world as a body that rests, and the origins of the second frames."""
    c = WrenchCode("frames", lanes)
    world = c.of(Reacting.WORLD)
    for number in range(MOTION):
        one = number < ORIGIN and number % 4 == 0
        c.put(c.add(world, number), c.constant(1.0 if one else 0.0))
    ends, frames, points = c.of(Reacting.ENDS), c.of(Reacting.FRAMES), c.of(Reacting.POINTS)
    with c.loop(c.of(Reacting.CONSTRAINTS)) as k:
        _, second = c.column(ends, k, 2)
        turn = [c.load(c.add(second, n)) for n in range(9)]
        start = c.mul(k, 12)
        r = [c.shared(frames, c.add(start, 9 + n)) for n in range(3)]
        back = c.turned([turn[3 * (n % 3) + n // 3] for n in range(9)], r)
        place = [c.op("fadd", a, b) for a, b in zip(c.origin(second), back, strict=True)]
        c.put_all(c.add(points, c.mul(k, 3)), place)
    return c.text()


def _refine(lanes: Lanes) -> str:
    """x of the true equations of a system."""
    c = WrenchCode("refine", lanes)
    size, x, step = c.of(Closing.UNKNOWNS), c.of(Closing.X), c.of(Closing.STEP)
    c.copy(c.of(Closing.RIGHT), x, size)
    c.do(f"call void @forward(ptr %ctx, i64 {x})")
    c.do(f"call void @backward(ptr %ctx, i64 {x})")
    with c.loop(REFINEMENTS):
        c.do("call void @residual(ptr %ctx)")
        c.copy(c.of(Closing.RESIDUAL), step, size)
        c.do(f"call void @forward(ptr %ctx, i64 {step})")
        c.do(f"call void @backward(ptr %ctx, i64 {step})")
        with c.loop(size) as k:
            place = c.add(x, k)
            c.put(place, c.op("fadd", c.load(place), c.load(c.add(step, k))))
    c.do("call void @residual(ptr %ctx)")
    return c.text()


def _multipliers(lanes: Lanes) -> str:
    """λ of the kept rows; 0 for the others; behind them a one."""
    c = WrenchCode("multipliers", lanes)
    c.do("call void @refine(ptr %ctx)")
    x = c.of(Closing.X)
    found, count = c.of(Reacting.MULTIPLIERS), c.of(Reacting.ALL_ROWS)
    with c.loop(count) as k:
        c.put(c.add(found, k), c.constant(0.0))
    c.put(c.add(found, count), c.constant(1.0))
    targets = c.of(Closing.TARGETS)
    with c.loop(c.of(Closing.ROWS)) as k:
        rank, _, number = c.column(targets, k, 3)
        value = c.let(f"fneg {lanes.type} {c.load(c.add(x, rank))}")
        c.put(c.add(found, number), value)
    return c.text()


def _add_up(lanes: Lanes) -> str:
    """Wrenches of some items, each with its multiplier, to their targets."""
    c = WrenchCode("add_up", lanes, ("i64 %first", "i64 %last"))
    items, multipliers = c.of(Reacting.ITEMS), c.of(Reacting.MULTIPLIERS)
    with c.loop("%last", "%first") as k:
        row, wrench, target = c.column(items, k, 3)
        size = c.load(c.add(multipliers, row))
        for n in range(6):
            place = c.add(target, n)
            c.put(place, c.more(c.load(place), size, c.load(c.add(wrench, n))))
    return c.text()


def _carry(lanes: Lanes) -> str:
    """What the joints transmit, and what the constraints do at the origins of their frames."""
    c = WrenchCode("carry", lanes)
    bodies, motion, parents = c.of(Reacting.BODIES), c.of(Closing.MOTION), c.of(Reacting.PARENTS)
    sums, reactions, loads = (c.of(getattr(Reacting, x)) for x in ("SUMS", "REACTIONS", "LOADS"))
    own, constraints = c.of(Reacting.OWN), c.of(Reacting.CONSTRAINTS)
    for start, count in ((sums, bodies), (own, constraints)):
        with c.loop(c.mul(count, 6)) as k:
            c.put(c.add(start, k), c.constant(0.0))
    c.do(f"call void @add_up(ptr %ctx, i64 0, i64 {c.of(Reacting.OF_CONSTRAINTS)})")
    with c.loop(bodies) as back:
        k = c.sub(c.sub(bodies, 1), back)
        place = c.add(sums, c.mul(k, 6))
        parent, wrench = c.read(parents, k), c.six(place)
        load = c.six(c.add(loads, c.mul(k, _LOAD)))
        left = [c.op("fsub", a, b) for a, b in zip(load, wrench, strict=True)]
        c.put_all(c.add(reactions, c.mul(k, 6)), left)
        with c.when(c.there(parent)):
            ends = [c.origin(c.add(motion, c.mul(x, MOTION))) for x in (k, parent)]
            target = c.add(sums, c.mul(parent, 6))
            more = zip(c.six(target), c.shifted(wrench, *ends), strict=True)
            c.put_all(target, [c.op("fadd", a, b) for a, b in more])
    _at_points(c, Reacting.OWN)
    return c.text()


def _at_points(c: WrenchCode, wrenches: Slot) -> None:
    """Summed wrenches of constraints on one of their bodies, on the second at its frame instead."""
    ends, signs, points = c.of(Reacting.ENDS), c.of(Reacting.SIGNS), c.of(Reacting.POINTS)
    with c.loop(c.of(Reacting.CONSTRAINTS)) as k:
        side, _ = c.column(ends, k, 2)
        place, sign = c.add(c.of(wrenches), c.mul(k, 6)), c.shared(signs, k)
        point = c.vector(c.add(points, c.mul(k, 3)))
        moved = c.shifted(c.six(place), c.origin(side), point)
        c.put_all(place, [c.op("fmul", sign, x) for x in moved])


def _checked(lanes: Lanes) -> str:
    """Multipliers become NaN where the forces do not balance, where the last correction is more
    than rounding, where rows are nearly dependent, and where a loop is open."""
    c = WrenchCode("checked", lanes)
    x, step, lower = c.of(Closing.X), c.of(Closing.STEP), c.of(Closing.LOWER)
    arm, fine, size = c.across(Reacting.ARM), c.register(1.0), c.register()
    loads, found = c.of(Reacting.LOADS), c.of(Reacting.MULTIPLIERS)
    with c.loop(c.of(Reacting.BODIES)) as k:
        c.squared(size, c.weighed(c.six(c.add(loads, c.mul(k, _LOAD))), arm))
    gravity = [c.shared(c.field(Context.GLOBALS), str(n)) for n in range(3)]
    weight = c.op("fmul", c.product(gravity, gravity), c.across(Reacting.MASSES))
    c.keep(size, c.op("fadd", c.kept(size), weight))
    ranks, sizes, dofs = c.of(Closing.RANKS), c.of(Reacting.SIZES), c.of(Closing.DOFS)
    with c.loop(dofs) as k:
        right = c.load(c.add(c.of(Closing.RIGHT), c.read(ranks, k)))
        c.squared(size, [c.op("fmul", right, c.shared(sizes, k))])

    def demand(value: str, most: str) -> None:
        small = c.let(f"fcmp ole {lanes.type} {value}, {most}")
        c.keep(fine, c.where(small, c.kept(fine), c.constant(0.0)))

    limit = c.op("fmul", c.kept(size), c.across(Reacting.UNBALANCED))
    diagonal = c.of(Closing.ARMATURE)
    with c.loop(dofs) as k:
        left = c.op("fmul", c.load(c.add(x, c.read(ranks, k))), c.shared(diagonal, k))
        left = c.op("fmul", left, c.shared(sizes, k))
        demand(c.op("fmul", left, left), limit)
    targets, units, last = c.of(Closing.TARGETS), c.of(Reacting.UNITS), c.register()
    dampers, largest = c.of(Closing.DAMPERS), c.of(Reacting.LARGEST)
    with c.loop(c.of(Closing.ROWS)) as k:
        rank, unit = c.read(targets, c.mul(k, 3)), c.shared(units, k)
        c.squared(last, [c.op("fmul", c.load(c.add(step, rank)), unit)])
        c.squared(size, [c.op("fmul", c.load(c.add(x, rank)), unit)])
        pivot = c.let(f"fneg {lanes.type} {c.load(c.add(lower, c.read(dampers, k)))}")
        demand(pivot, c.shared(largest, k))
    demand(c.kept(last), c.op("fmul", c.kept(size), c.across(Reacting.ROUNDING)))
    c.put(c.of(Reacting.IN_PLAY), c.kept(size))
    openings, total = c.of(Closing.OPENINGS), c.register()
    with c.loop(c.of(Closing.SQUARE_COUNT)) as k:
        c.keep(total, c.op("fadd", c.kept(total), c.load(c.read(openings, k))))
    demand(c.kept(total), c.constant(1.0))
    good = c.let(f"fcmp oeq {lanes.type} {c.kept(fine)}, {c.constant(1.0)}")
    status = c.where(good, c.constant(0.0), c.constant(float("nan")))
    with c.loop(c.of(Reacting.ALL_ROWS)) as k:
        place = c.add(found, k)
        c.put(place, c.op("fadd", c.load(place), status))
    return c.text()


def _stretch(lanes: Lanes) -> str:
    """What a probe shows of rows that are nearly dependent, as its only result."""
    c = WrenchCode("stretch", lanes)
    probe, ranks, probed = c.of(Reacting.PROBE), c.of(Closing.RANKS), c.of(Reacting.PROBED)
    with c.loop(c.of(Closing.UNKNOWNS)) as k:
        c.put(c.add(probe, k), c.constant(0.0))
    with c.loop(c.of(Closing.DOFS)) as k:
        c.put(c.add(probe, c.read(ranks, k)), c.shared(probed, k))
    c.do(f"call void @forward(ptr %ctx, i64 {probe})")
    c.do(f"call void @backward(ptr %ctx, i64 {probe})")
    targets, sizes, most = c.of(Closing.TARGETS), c.of(Reacting.ROW_SIZES), c.register()
    with c.loop(c.of(Closing.ROWS)) as k:
        part = c.load(c.add(probe, c.read(targets, c.mul(k, 3))))
        part = c.op("fmul", part, c.shared(sizes, k))
        square = c.op("fmul", part, part)
        larger = c.let(f"fcmp ogt {lanes.type} {square}, {c.kept(most)}")
        c.keep(most, c.where(larger, square, c.kept(most)))
    found = c.op("fmul", c.kept(most), c.across(Reacting.STRETCHED))
    c.write(c.field(Context.OUTPUTS.at(4)), "0", found, lanes.type)
    return c.text()


def _results(lanes: Lanes) -> str:
    """Multipliers; wrenches of joints and what drives of them, in own axes; of constraints."""
    c = WrenchCode("results", lanes)
    given, constraints = c.of(Reacting.GIVEN), c.of(Reacting.CONSTRAINTS)
    with c.loop(c.mul(constraints, 6)) as k:
        c.put(c.add(given, k), c.constant(0.0))
    of_constraints, count = c.of(Reacting.OF_CONSTRAINTS), c.of(Reacting.ITEM_COUNT)
    c.do(f"call void @add_up(ptr %ctx, i64 {of_constraints}, i64 {count})")
    _at_points(c, Reacting.GIVEN)
    multipliers, wrenches, drives, pushes = (c.field(Context.OUTPUTS.at(k)) for k in range(4))
    found = c.of(Reacting.MULTIPLIERS)
    with c.loop(c.of(Reacting.ALL_ROWS)) as k:
        c.write(multipliers, k, c.load(c.add(found, k)), lanes.type)
    bodies, loads, sums = c.of(Reacting.BODIES), c.of(Reacting.LOADS), c.of(Reacting.SUMS)
    reactions, axes, psi = c.of(Reacting.REACTIONS), c.of(Closing.AXES), c.of(Reacting.DRIVES)
    with c.loop(c.mul(bodies, 6)) as k:  # the sums were of use: driving parts now
        c.put(c.add(sums, k), c.constant(0.0))
    carriers = c.of(Reacting.CARRIERS)
    with c.loop(c.field(Context.NV)) as k:
        body, start = c.mul(c.read(carriers, k), 6), c.mul(k, 6)
        wrench, axis = c.six(c.add(reactions, body)), c.six(c.add(axes, start))
        along, target = c.product(axis, wrench), c.add(sums, body)
        drive = zip(c.six(target), c.six(c.add(psi, start)), strict=True)
        c.put_all(target, [c.more(old, x, along) for old, x in drive])

    def write(output: str, k: str, turn: list[str], wrench: list[str]) -> None:
        both = [*c.turned(turn, wrench[:3]), *c.turned(turn, wrench[3:])]
        for n, value in enumerate(both):
            c.write(output, c.add(c.mul(k, 6), n), value, lanes.type)

    with c.loop(bodies) as k:
        start = c.add(loads, c.add(c.mul(k, _LOAD), 6))
        turn = [c.load(c.add(start, n)) for n in range(9)]
        for output, source in ((wrenches, reactions), (drives, sums)):
            write(output, k, turn, c.six(c.add(source, c.mul(k, 6))))
    ends, frames, own = c.of(Reacting.ENDS), c.of(Reacting.FRAMES), c.of(Reacting.OWN)
    with c.loop(constraints) as k:
        _, second = c.column(ends, k, 2)
        there = [c.shared(frames, c.add(c.mul(k, 12), n)) for n in range(9)]
        columns = [[c.load(c.add(second, 3 * n + m)) for n in range(3)] for m in range(3)]
        turned = [c.turned(there, column) for column in columns]
        turn = [turned[m][n] for n in range(3) for m in range(3)]
        place = c.mul(k, 6)
        both = zip(c.six(c.add(own, place)), c.six(c.add(given, place)), strict=True)
        write(pushes, k, turn, [c.op("fadd", a, b) for a, b in both])
    return c.text()
