"""Native loops that share multipliers of rows that depend on others; see constraints/sharing.py."""

from __future__ import annotations

from armillary.codegen.abi import Context, Slot
from armillary.codegen.target import Lanes
from armillary.runtime.closing_code import WrenchCode
from armillary.runtime.closing_tables import Closing
from armillary.runtime.reaction_tables import Reacting


def share_text(lanes: Lanes) -> str:
    """Multipliers of rows that follow from others, and what those leave to them."""
    c = WrenchCode("share", lanes)
    arm, carried = c.across(Reacting.ARM), c.of(Reacting.CARRIED)
    second = c.pointer(c.tables, Reacting.SHARING)

    def of(slot: Slot) -> str:
        return c.field(Reacting.SHARING.of(slot), c.tables)

    K, x, right, shares = (*map(of, (Closing.K, Closing.X, Closing.RIGHT)), c.of(Reacting.SHARES))
    links, count = c.of(Reacting.LINKS), c.of(Reacting.LINK_COUNT)
    for start, number in ((K, of(Closing.ENTRY_COUNT)), (right, of(Closing.UNKNOWNS))):
        with c.loop(number) as k:
            c.put(c.add(start, k), c.constant(0.0))
    with c.loop(c.sub(carried, shares)) as k:  # their wrenches stand before the carried ones
        c.put(c.add(shares, k), c.constant(0.0))
    combined, factors = c.of(Reacting.COMBINED), c.of(Reacting.COMBINED_BY)
    with c.loop(c.of(Reacting.COMBINED_COUNT)) as k:
        (wrench, target), factor = c.column(combined, k, 2), c.shared(factors, k)
        for n in range(6):
            place = c.add(target, n)
            c.put(place, c.more(c.load(place), factor, c.load(c.add(wrench, n))))
    with c.loop(count) as k:
        wrench, here, there = c.column(links, k, 3)
        moved = c.shifted(c.six(wrench), c.vector(here), c.vector(there))
        c.put_all(c.add(carried, c.mul(k, 6)), c.weighed(moved, arm))
    pairs = c.of(Reacting.PAIRS)
    with c.loop(c.of(Reacting.PAIR_COUNT)) as k:
        entry, one, two = c.column(pairs, k, 3)
        c.put(entry, c.op("fadd", c.load(entry), c.product(c.six(one), c.six(two))))
    rights, signs = c.of(Reacting.RIGHTS), c.of(Reacting.RIGHTS_BY)
    with c.loop(c.of(Reacting.RIGHT_COUNT)) as k:
        place, link, wrench = c.column(rights, k, 3)
        part = c.product(c.six(link), c.weighed(c.six(wrench), arm))
        c.put(place, c.more(c.load(place), c.shared(signs, k), part))
    copies, factors = c.of(Reacting.COPIES), c.of(Reacting.COPIES_BY)
    with c.loop(c.of(Reacting.COPY_COUNT)) as k:
        source, target = c.column(copies, k, 2)
        c.put(target, c.op("fmul", c.load(source), c.shared(factors, k)))
    c.set_field(Context.CLOSING, second)
    c.do("call void @sparse_factor(ptr %ctx)")
    whole = c.let(f"icmp sgt i64 {c.of(Reacting.COPY_COUNT)}, 0")
    with c.when(whole):
        c.do("call void @refine(ptr %ctx)")
    with c.when(c.let(f"xor i1 {whole}, true")):
        c.copy(right, x, of(Closing.UNKNOWNS))
        c.do(f"call void @forward(ptr %ctx, i64 {x})")
        c.do(f"call void @backward(ptr %ctx, i64 {x})")
    c.set_field(Context.CLOSING, c.tables)
    with c.when(whole):
        c.do("call void @shared(ptr %ctx)")
    spread, factors = c.of(Reacting.SPREAD), c.of(Reacting.SPREAD_BY)
    with c.loop(c.of(Reacting.SPREAD_COUNT)) as k:
        place, unknown = c.column(spread, k, 2)
        c.put(place, c.more(c.load(place), c.shared(factors, k), c.load(unknown)))
    return c.text()


def shared_text(lanes: Lanes) -> str:
    """Shares become NaN where they do not balance, or the last correction is more than rounding."""
    c = WrenchCode("shared", lanes)

    def of(slot: Slot) -> str:
        return c.field(Reacting.SHARING.of(slot), c.tables)

    x, residual, last, fine = of(Closing.X), of(Closing.RESIDUAL), c.register(), c.register(1.0)
    size, ranks, stresses = c.register(), of(Closing.RANKS), of(Closing.DOFS)
    c.keep(size, c.load(c.of(Reacting.IN_PLAY)))
    with c.loop(stresses) as k:
        rank = c.read(ranks, k)
        c.squared(last, [c.load(c.add(of(Closing.STEP), rank))])
        c.squared(size, [c.load(c.add(x, rank))])
    limit = c.op("fmul", c.kept(size), c.across(Reacting.UNBALANCED))
    targets = of(Closing.TARGETS)
    pairs = [(c.kept(last), c.op("fmul", c.kept(size), c.across(Reacting.ROUNDING)))]
    with c.loop(of(Closing.ROWS)) as k:
        left = c.load(c.add(residual, c.read(targets, k)))
        small = c.let(f"fcmp ole {lanes.type} {c.op('fmul', left, left)}, {limit}")
        c.keep(fine, c.where(small, c.kept(fine), c.constant(0.0)))
    for value, most in pairs:
        small = c.let(f"fcmp ole {lanes.type} {value}, {most}")
        c.keep(fine, c.where(small, c.kept(fine), c.constant(0.0)))
    good = c.let(f"fcmp oeq {lanes.type} {c.kept(fine)}, {c.constant(1.0)}")
    status = c.where(good, c.constant(0.0), c.constant(float("nan")))
    with c.loop(stresses) as k:
        place = c.add(x, c.read(ranks, k))
        c.put(place, c.op("fadd", c.load(place), status))
    return c.text()
