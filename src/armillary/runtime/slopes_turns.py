"""Stiffness and damping between bodies, carried to the degrees of freedom: bodies take their turns,
from the last to the first (evaluate/pair_tables.py)."""

from __future__ import annotations

from armillary.runtime.slopes_code import Shape, Writer
from armillary.runtime.slopes_tables import Fold, Move, Share, Slopes, Turn


def turns_text(shape: Shape) -> list[str]:
    return [_folds(shape), _dof(shape), _turns(shape)]


def _folds(shape: Shape) -> str:
    """`folds(ctx)`: K_aa is less by K_ab, K_bb by K_ba."""
    c = Writer(shape, "folds")
    folds, own = c.field(Slopes.FOLDS), shape.own
    with c.loop(c.field(Slopes.FOLD_COUNT)) as k:
        fold = c.pointer(folds, c.mul(k, Fold.SIZE))
        pair, one, two = (c.block(c.field(x, fold)) for x in (Fold.PAIR, Fold.ONE, Fold.TWO))
        c.do(f"call void @fsub{own}(ptr %ctx, ptr {one}, ptr {pair})")
        behind = c.at(pair, own)
        c.do(f"call void @fsub{own}(ptr %ctx, ptr {c.at(two, own)}, ptr {behind})")
    return c.text()


def _dof(shape: Shape) -> str:
    """`dof(ctx, i, shares, count)`: the row and the column of a degree of freedom i, with all
    bodies that it shares blocks with, the last ones first; its own body comes first of all."""
    c = Writer(shape, "dof", "i64 %i", "ptr %shares", "i64 %count")
    size, place = shape.size, c.mul("%i", shape.size)
    S, dS = c.field(Slopes.AXES), c.field(Slopes.RATES)
    own = [c.factors(x, place) for x in (S, dS)]
    buffer = c.field(Slopes.BUFFER)
    both = c.field(Slopes.BOTH)
    with c.loop("%count") as n:
        share = c.pointer("%shares", c.mul(n, Share.SIZE))
        out = c.at(buffer, c.mul(c.field(Share.BODY, share), shape.shared))
        slot = c.field(Share.SLOT, share)
        none = c.let(f"icmp slt i64 {slot}, 0")
        with c.when(none):
            for k in range(4):
                c.put_vector(out, size * k, c.no_vector())
        with c.when(c.negated(none)):
            first, other = c.equal(n, 0), c.block(slot)
            block = c.let(f"select i1 {first}, ptr {both}, ptr {other}")
            K, D, K_back, D_back = (c.at(block, shape.block * k) for k in range(4))
            c.put_vector(out, 0, c.times(own[0], K))
            c.put_vector(out, size, c.times(own[0], D))
            c.put_vector(out, 2 * size, c.times(own[1], D_back, c.times(own[0], K_back)))
            c.put_vector(out, 3 * size, c.times(own[0], D_back))
    with c.loop("%count") as n:
        _meet(c, n, c.pointer("%shares", c.mul(n, Share.SIZE)), S, dS)
    return c.text()


def _meet(c: Writer, n: str, share: str, S: str, dS: str) -> None:
    """The vectors of a body meet its degrees of freedom and go on to its parent."""
    buffer, nv, size = c.field(Slopes.BUFFER), c.field(Slopes.NV), c.shape.size
    by_q, by_v = c.field(Slopes.BY_Q), c.field(Slopes.BY_V)
    vectors = c.at(buffer, c.mul(c.field(Share.BODY, share), c.shape.shared))
    parent = c.at(buffer, c.mul(c.field(Share.PARENT, share), c.shape.shared))
    fK, fD, g, g_fast = (c.get_vector(vectors, size * k) for k in range(4))
    first = c.field(Share.FIRST, share)
    with c.loop(c.add(first, c.field(Share.DOFS, share)), first) as j:
        place = c.mul(j, size)
        axis, rate = c.get_vector(S, place), c.get_vector(dS, place)
        row, column = c.add(c.mul("%i", nv), j), c.add(c.mul(j, nv), "%i")
        slow = c.fused(fD, rate, c.each("fmul", fK, axis))
        c.add_to(by_q, row, c.sum(slow))
        c.add_to(by_v, row, c.sum(c.each("fmul", fD, axis)))
        with c.when(c.let(f"icmp ne i64 {n}, 0")):  # of its own body the rows have it all
            c.add_to(by_q, column, c.sum(c.each("fmul", g, axis)))
            c.add_to(by_v, column, c.sum(c.each("fmul", g_fast, axis)))
    for k, x in enumerate((fK, fD, g, g_fast)):
        c.put_vector(parent, size * k, c.each("fadd", c.get_vector(parent, size * k), x))


def _turns(shape: Shape) -> str:
    """`turns(ctx)`: bodies one after the other."""
    c = Writer(shape, "turns")
    turns, shares, moves = (c.field(x) for x in (Slopes.TURNS, Slopes.SHARES, Slopes.MOVES))
    both = c.field(Slopes.BOTH)
    behind = c.at(both, shape.own)
    with c.loop(c.field(Slopes.TURN_COUNT)) as n:
        turn = c.pointer(turns, c.mul(n, Turn.SIZE))
        own = c.block(c.field(Turn.SLOT, turn))
        # what was added as K_ab and as K_ba^T together, and transposed
        c.copy(both, own, shape.own)
        c.do(f"call void @add_turned(ptr %ctx, ptr {both}, ptr {c.at(own, shape.own)})")
        c.do(f"call void @clear(ptr %ctx, ptr {behind}, i64 {shape.own})")
        c.do(f"call void @add_turned(ptr %ctx, ptr {behind}, ptr {both})")
        start = c.pointer(shares, c.mul(c.field(Turn.SHARES, turn), Share.SIZE))
        count, first = c.field(Turn.SHARE_COUNT, turn), c.field(Turn.FIRST, turn)
        with c.loop(c.add(first, c.field(Turn.DOFS, turn)), first) as i:
            c.do(f"call void @dof(ptr %ctx, i64 {i}, ptr {start}, i64 {count})")
        begin = c.field(Turn.MOVES, turn)
        with c.loop(c.add(begin, c.field(Turn.MOVE_COUNT, turn)), begin) as k:
            _move(c, c.pointer(moves, c.mul(k, Move.SIZE)))
    return c.text()


def _move(c: Writer, move: str) -> None:
    pair, own = c.shape.pair, c.shape.own
    source, target = (c.block(c.field(x, move)) for x in (Move.SOURCE, Move.TARGET))
    with c.when(c.equal(c.field(Move.NEW, move), 1)):
        c.do(f"call void @clear(ptr %ctx, ptr {target}, i64 {pair})")
    across = c.equal(c.field(Move.ACROSS, move), 1)
    with c.when(across):
        for one, two in ((0, own), (own, 0)):
            out, x = c.at(target, one), c.at(source, two)
            c.do(f"call void @add_turned(ptr %ctx, ptr {out}, ptr {x})")
    with c.when(c.negated(across)):
        c.do(f"call void @fadd{pair}(ptr %ctx, ptr {target}, ptr {source})")
