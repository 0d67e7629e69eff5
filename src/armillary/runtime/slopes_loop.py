"""How the generalised forces of many force elements change with q and v, state after state.

    dQ/dq = C^T (K C + D dC)      dQ/dv = C^T D C

with the motion C of the bodies per degree of freedom, dC of their velocities, and stiffness K and
damping D between the bodies.  Elements are worked on in chunks of one kind: where their bodies are
is gathered, a kernel gives their blocks (evaluate/element_slopes.py), and these are added to those
of the two bodies.  Then bodies take their turns, from the last to the first
(evaluate/pair_tables.py).  Vectors hold the six numbers of a motion or a wrench.
"""

from __future__ import annotations

from functools import cache

from armillary.codegen.abi import Context
from armillary.codegen.code import Code
from armillary.codegen.jit import Library
from armillary.codegen.llvm import multiply_add, splat, with_declarations
from armillary.codegen.target import Lanes
from armillary.runtime.slopes_tables import (
    BLOCK,
    OWN,
    PAIR,
    SHARED,
    STATE_ARRAYS,
    Chunk,
    Fold,
    Move,
    Share,
    Slopes,
    Turn,
)

_PLACES = (("E", 9, 12, 0), ("r", 3, 12, 9), ("turning", 3, 6, 0), ("moving", 3, 6, 3))


@cache
def library(lanes: Lanes) -> Library:
    """`batch(ctx)`: the slopes of all rows are added to dq and dv.  lanes: the type of numbers."""
    return Library(with_declarations(_text(lanes), lanes), ["batch"], optimize=2)


def _text(lanes: Lanes) -> str:
    e = lanes.element
    parts = [_add_all(e, PAIR, "fadd"), _add_all(e, OWN, "fadd"), _add_all(e, OWN, "fsub")]
    parts += [_clear(e), _add_row(e), _turned(e), _gather(e), _spread(e), _coordinates(e)]
    parts += [_dof(lanes), _turns(e), _finish(e), _state(e), _batch(e)]
    return "\n\n".join(parts)


class _Writer(Code):
    """Words of the text below; numbers are of one type."""

    def __init__(self, element: str, name: str, *arguments: str):
        super().__init__(name, ("ptr noalias %ctx", *arguments))
        self.e, self.align = element, 8 if element == "double" else 4

    def get_number(self, base: str, k: str | int) -> str:
        return self.read(base, k, self.e, self.align)

    def put_number(self, base: str, k: str | int, value: str) -> None:
        self.write(base, k, value, self.e, self.align)

    def at(self, base: str, k: str | int) -> str:
        return self.pointer(base, k, self.e)

    def array(self, name: str) -> str:
        return self.field(Slopes.ARRAYS.at(STATE_ARRAYS.index(name)))

    def copy(self, out: str, source: str, count: str | int) -> None:
        with self.loop(count) as k:
            self.put_number(out, k, self.get_number(source, k))

    def block(self, slot: str) -> str:
        return self.at(self.field(Slopes.BLOCKS), self.mul(slot, PAIR))


# -- rows of numbers -------------------------------------------------------------------------------


def _add_all(element: str, count: int, operation: str) -> str:
    """`fadd144(out, x)`: out += x."""
    c = _Writer(element, f"{operation}{count}", "ptr noalias %out", "ptr noalias %x")
    with c.loop(count) as k:
        total = c.let(f"{operation} {c.e} {c.get_number('%out', k)}, {c.get_number('%x', k)}")
        c.put_number("%out", k, total)
    return c.text()


def _clear(element: str) -> str:
    c = _Writer(element, "clear", "ptr noalias %out", "i64 %count")
    with c.loop("%count") as k:
        c.put_number("%out", k, "0.0")
    return c.text()


def _add_row(element: str) -> str:
    """`add_row(out, x, factor, n)`: out += factor x."""
    arguments = ("ptr noalias %out", "ptr noalias %x", f"{element} %factor", "i64 %n")
    c = _Writer(element, "add_row", *arguments)
    with c.loop("%n") as k:
        product = c.let(f"fmul {c.e} %factor, {c.get_number('%x', k)}")
        c.put_number("%out", k, c.let(f"fadd {c.e} {c.get_number('%out', k)}, {product}"))
    return c.text()


def _turned(element: str) -> str:
    """`add_turned(out, x)`: out += x^T of two blocks (6, 6), and the blocks behind them."""
    c = _Writer(element, "add_turned", "ptr noalias %out", "ptr noalias %x")
    with c.loop(2) as which:
        start = c.mul(which, BLOCK)
        out, x = c.at("%out", start), c.at("%x", start)
        with c.loop(6) as i, c.loop(6) as k:
            place = c.add(c.mul(i, 6), k)
            more = c.get_number(x, c.add(c.mul(k, 6), i))
            c.put_number(out, place, c.let(f"fadd {c.e} {c.get_number(out, place)}, {more}"))
    return c.text()


# -- elements --------------------------------------------------------------------------------------


def _gather(element: str) -> str:
    """`gather(ctx, chunk)`: what the kernel of a chunk reads."""
    c = _Writer(element, "gather", "ptr %chunk")
    count, ends = (c.field(x, "%chunk") for x in (Chunk.COUNT, Chunk.ENDS))
    bodies, outs = c.field(Chunk.BODIES, "%chunk"), (Slopes.PLACES, Slopes.MOTIONS)
    joints = c.equal(c.field(Chunk.COORDINATES, "%chunk"), 1)
    places, motions = (c.field(x) for x in outs)
    total = c.mul(count, ends)
    with c.when(joints), c.loop(total) as k:
        for n, (name, out) in enumerate((("q", places), ("v", motions))):
            own = c.read(bodies, c.add(c.mul(k, 2), n))
            none = c.let(f"icmp slt i64 {own}, 0")
            safe = c.let(f"select i1 {none}, i64 0, i64 {own}")
            x = c.get_number(c.array(name), safe)
            c.put_number(out, k, c.let(f"select i1 {none}, {c.e} 0.0, {c.e} {x}"))
    with c.when(c.let(f"xor i1 {joints}, true")):
        sources = [c.array(name) for name, *_ in _PLACES]
        with c.loop(total) as k:
            body = c.read(bodies, k)
            for source, (_, size, width, start) in zip(sources, _PLACES, strict=True):
                base = places if width == 12 else motions
                out = c.at(base, c.add(c.mul(k, width), start))
                own = c.at(source, c.mul(body, size))
                for i in range(size):
                    c.put_number(out, i, c.get_number(own, i))
    given, starts = c.field(Chunk.GIVEN_SIZE, "%chunk"), c.field(Chunk.GIVEN, "%chunk")
    with c.when(c.let(f"icmp sgt i64 {given}, 0")), c.loop(count) as k:
        own = c.at(c.array("parameters"), c.read(starts, k))
        c.copy(c.at(c.field(Slopes.GIVENS), c.mul(k, given)), own, given)
    return c.text()


def _spread(element: str) -> str:
    """`spread(ctx, chunk)`: blocks of its elements, added to those of their bodies."""
    c = _Writer(element, "spread", "ptr %chunk")
    fields = (Chunk.COUNT, Chunk.PAIRS, Chunk.OWN, Chunk.SLOTS, Chunk.RESULTS)
    count, pairs, own, slots, size = (c.field(x, "%chunk") for x in fields)
    found, each = c.field(Slopes.FOUND), c.add(pairs, own)
    with c.loop(count) as k:
        source, place = c.at(found, c.mul(k, size)), c.mul(k, each)
        with c.loop(pairs) as n:
            out = c.block(c.read(slots, c.add(place, n)))
            c.do(f"call void @fadd{PAIR}(ptr %ctx, ptr {out}, ptr {c.at(source, c.mul(n, PAIR))})")
        rest = c.at(source, c.mul(pairs, PAIR))
        with c.loop(own) as n:
            out = c.block(c.read(slots, c.add(c.add(place, pairs), n)))
            c.do(f"call void @fadd{OWN}(ptr %ctx, ptr {out}, ptr {c.at(rest, c.mul(n, OWN))})")
    return c.text()


def _coordinates(element: str) -> str:
    """`coordinates(ctx, chunk)`: slopes between coordinates, added to dQ/dq and dQ/dv."""
    c = _Writer(element, "coordinates", "ptr %chunk")
    count, ends, bodies = (c.field(x, "%chunk") for x in (Chunk.COUNT, Chunk.ENDS, Chunk.BODIES))
    nv, found, square = c.field(Slopes.NV), c.field(Slopes.FOUND), c.mul(ends, ends)
    with c.loop(count) as k:
        own = c.pointer(bodies, c.mul(c.mul(k, ends), 2))
        source = c.at(found, c.mul(c.mul(k, square), 2))
        with c.loop(ends) as i, c.loop(ends) as j:
            row, column = (c.read(own, c.add(c.mul(x, 2), 1)) for x in (i, j))
            place, cell = c.add(c.mul(i, ends), j), c.add(c.mul(row, nv), column)
            for n, out in enumerate((Slopes.BY_Q, Slopes.BY_V)):
                base = c.field(out)
                more = c.get_number(source, c.add(place, c.mul(square, n)))
                total = c.let(f"fadd {c.e} {c.get_number(base, cell)}, {more}")
                c.put_number(base, cell, total)
    return c.text()


def _elements(c: _Writer) -> None:
    """All chunks of a state."""
    chunks, contexts = c.field(Slopes.CHUNKS), c.field(Slopes.CONTEXTS)
    with c.loop(c.field(Slopes.CHUNK_COUNT)) as k:
        chunk = c.pointer(chunks, c.mul(k, Chunk.SIZE))
        context = c.pointer(contexts, c.mul(c.field(Chunk.CONTEXT, chunk), Context.SIZE))
        c.do(f"call void @gather(ptr %ctx, ptr {chunk})")
        c.set_field(Context.INPUT_ROWS.at(2), c.field(Chunk.NUMBERS, chunk), context)
        c.set_field(Context.ROWS, c.field(Chunk.COUNT, chunk), context)
        code = c.let(f"inttoptr i64 {c.field(Chunk.CODE, chunk)} to ptr")
        c.do(f"call void {code}(ptr {context})")
        joints = c.equal(c.field(Chunk.COORDINATES, chunk), 1)
        with c.when(joints):
            c.do(f"call void @coordinates(ptr %ctx, ptr {chunk})")
        with c.when(c.let(f"xor i1 {joints}, true")):
            c.do(f"call void @spread(ptr %ctx, ptr {chunk})")


# -- bodies ----------------------------------------------------------------------------------------


class _Six(_Writer):
    """Vectors of six."""

    def __init__(self, lanes: Lanes, name: str, *arguments: str):
        super().__init__(lanes.element, name, *arguments)
        self.six = Lanes(6, lanes.element, lanes.fma)

    def load6(self, base: str, k: str | int) -> str:
        place = self.at(base, k)
        return self.let(f"load {self.six.type}, ptr {place}, align {self.align}")

    def store6(self, base: str, k: str | int, value: str) -> None:
        self.do(f"store {self.six.type} {value}, ptr {self.at(base, k)}, align {self.align}")

    def times(self, numbers: list[str], block: str, total: str = "") -> str:
        """Σ_k numbers_k row_k of a block, and a vector."""
        for k, x in enumerate(numbers):
            row = self.load6(block, 6 * k)
            if total:
                total = multiply_add(x, row, total, self.six, self.let)
            else:
                total = self.let(f"fmul {self.six.type} {x}, {row}")
        return total

    def sum6(self, x: str) -> str:
        parts = [self.let(f"extractelement {self.six.type} {x}, i32 {k}") for k in range(6)]
        while len(parts) > 1:
            parts.append(self.let(f"fadd {self.e} {parts.pop(0)}, {parts.pop(0)}"))
        return parts[0]

    def add_to(self, base: str, k: str, value: str) -> None:
        total = self.let(f"fadd {self.e} {self.get_number(base, k)}, {value}")
        self.put_number(base, k, total)


def _dof(lanes: Lanes) -> str:
    """`dof(ctx, i, shares, count)`: the row and the column of a degree of freedom i, with all
    bodies that it shares blocks with, the last ones first; its own body comes first of all."""
    c = _Six(lanes, "dof", "i64 %i", "ptr %shares", "i64 %count")
    S, dS = c.array("S"), c.array("dS")
    own = [
        [splat(c.get_number(x, c.add(c.mul("%i", 6), k)), c.six, c.let) for k in range(6)]
        for x in (S, dS)
    ]
    buffer = c.field(Slopes.BUFFER)
    both = c.field(Slopes.BOTH)
    with c.loop("%count") as n:
        share = c.pointer("%shares", c.mul(n, Share.SIZE))
        out = c.at(buffer, c.mul(c.field(Share.BODY, share), SHARED))
        slot = c.field(Share.SLOT, share)
        none = c.let(f"icmp slt i64 {slot}, 0")
        with c.when(none):
            for k in range(4):
                c.store6(out, 6 * k, "zeroinitializer")
        with c.when(c.let(f"xor i1 {none}, true")):
            first, other = c.equal(n, 0), c.block(slot)
            block = c.let(f"select i1 {first}, ptr {both}, ptr {other}")
            K, D, K_back, D_back = (c.at(block, BLOCK * k) for k in range(4))
            c.store6(out, 0, c.times(own[0], K))
            c.store6(out, 6, c.times(own[0], D))
            c.store6(out, 12, c.times(own[1], D_back, c.times(own[0], K_back)))
            c.store6(out, 18, c.times(own[0], D_back))
    with c.loop("%count") as n:
        _meet(c, n, c.pointer("%shares", c.mul(n, Share.SIZE)), S, dS)
    return c.text()


def _meet(c: _Six, n: str, share: str, S: str, dS: str) -> None:
    """The vectors of a body meet its degrees of freedom and go on to its parent."""
    buffer, nv = c.field(Slopes.BUFFER), c.field(Slopes.NV)
    by_q, by_v = c.field(Slopes.BY_Q), c.field(Slopes.BY_V)
    vectors = c.at(buffer, c.mul(c.field(Share.BODY, share), SHARED))
    parent = c.at(buffer, c.mul(c.field(Share.PARENT, share), SHARED))
    fK, fD, g, g_fast = (c.load6(vectors, 6 * k) for k in range(4))
    t, first = c.six.type, c.field(Share.FIRST, share)
    with c.loop(c.add(first, c.field(Share.DOFS, share)), first) as j:
        place = c.mul(j, 6)
        axis, rate = c.load6(S, place), c.load6(dS, place)
        row, column = c.add(c.mul("%i", nv), j), c.add(c.mul(j, nv), "%i")
        slow = multiply_add(fD, rate, c.let(f"fmul {t} {fK}, {axis}"), c.six, c.let)
        c.add_to(by_q, row, c.sum6(slow))
        c.add_to(by_v, row, c.sum6(c.let(f"fmul {t} {fD}, {axis}")))
        with c.when(c.let(f"icmp ne i64 {n}, 0")):  # of its own body the rows have it all
            c.add_to(by_q, column, c.sum6(c.let(f"fmul {t} {g}, {axis}")))
            c.add_to(by_v, column, c.sum6(c.let(f"fmul {t} {g_fast}, {axis}")))
    for k, x in enumerate((fK, fD, g, g_fast)):
        c.store6(parent, 6 * k, c.let(f"fadd {t} {c.load6(parent, 6 * k)}, {x}"))


def _turns(element: str) -> str:
    """`turns(ctx)`: bodies one after the other, from the last to the first."""
    c = _Writer(element, "turns")
    turns, shares, moves = (c.field(x) for x in (Slopes.TURNS, Slopes.SHARES, Slopes.MOVES))
    both = c.field(Slopes.BOTH)
    behind = c.at(both, OWN)
    with c.loop(c.field(Slopes.TURN_COUNT)) as n:
        turn = c.pointer(turns, c.mul(n, Turn.SIZE))
        own = c.block(c.field(Turn.SLOT, turn))
        # what was added as K_ab and as K_ba^T together, and transposed
        c.copy(both, own, OWN)
        c.do(f"call void @add_turned(ptr %ctx, ptr {both}, ptr {c.at(own, OWN)})")
        c.do(f"call void @clear(ptr %ctx, ptr {behind}, i64 {OWN})")
        c.do(f"call void @add_turned(ptr %ctx, ptr {behind}, ptr {both})")
        start = c.pointer(shares, c.mul(c.field(Turn.SHARES, turn), Share.SIZE))
        count, first = c.field(Turn.SHARE_COUNT, turn), c.field(Turn.FIRST, turn)
        with c.loop(c.add(first, c.field(Turn.DOFS, turn)), first) as i:
            c.do(f"call void @dof(ptr %ctx, i64 {i}, ptr {start}, i64 {count})")
        begin = c.field(Turn.MOVES, turn)
        with c.loop(c.add(begin, c.field(Turn.MOVE_COUNT, turn)), begin) as k:
            _move(c, c.pointer(moves, c.mul(k, Move.SIZE)))
    return c.text()


def _move(c: _Writer, move: str) -> None:
    source, target = (c.block(c.field(x, move)) for x in (Move.SOURCE, Move.TARGET))
    with c.when(c.equal(c.field(Move.NEW, move), 1)):
        c.do(f"call void @clear(ptr %ctx, ptr {target}, i64 {PAIR})")
    across = c.equal(c.field(Move.ACROSS, move), 1)
    with c.when(across):
        for one, two in ((0, OWN), (OWN, 0)):
            out, x = c.at(target, one), c.at(source, two)
            c.do(f"call void @add_turned(ptr %ctx, ptr {out}, ptr {x})")
    with c.when(c.let(f"xor i1 {across}, true")):
        c.do(f"call void @fadd{PAIR}(ptr %ctx, ptr {target}, ptr {source})")


# -- states ----------------------------------------------------------------------------------------


def _finish(element: str) -> str:
    """`finish(ctx, out, x)`: out -= x, or out += M^-1 x."""
    c = _Writer(element, "finish", "ptr noalias %out", "ptr noalias %x")
    nv, M = c.field(Slopes.NV), c.array("M")
    solved = c.equal(c.field(Slopes.SOLVED), 1)
    with c.when(c.let(f"xor i1 {solved}, true")):
        size = c.mul(nv, nv)
        c.do(f"call void @add_row(ptr %ctx, ptr %out, ptr %x, {c.e} -1.0, i64 {size})")
    with c.when(solved), c.loop(nv) as i:
        row = c.at("%out", c.mul(i, nv))
        with c.loop(nv) as k:
            factor = c.get_number(M, c.add(c.mul(i, nv), k))
            with c.when(c.let(f"fcmp une {c.e} {factor}, 0.0")):
                own = c.at("%x", c.mul(k, nv))
                c.do(
                    f"call void @add_row(ptr %ctx, ptr {row}, ptr {own}, {c.e} {factor}, i64 {nv})"
                )
    return c.text()


def _state(element: str) -> str:
    c = _Writer(element, "state")
    nv, blocks = c.field(Slopes.NV), c.field(Slopes.BLOCKS)
    square, cleared = c.mul(nv, nv), c.mul(c.field(Slopes.CLEARED), PAIR)
    results = [c.field(x) for x in (Slopes.BY_Q, Slopes.BY_V)]
    for x, size in ((blocks, cleared), *((x, square) for x in results)):
        c.do(f"call void @clear(ptr %ctx, ptr {x}, i64 {size})")
    _elements(c)
    folds = c.field(Slopes.FOLDS)
    with c.loop(c.field(Slopes.FOLD_COUNT)) as k:  # K_aa is less by K_ab, K_bb by K_ba
        fold = c.pointer(folds, c.mul(k, Fold.SIZE))
        pair, one, two = (c.block(c.field(x, fold)) for x in (Fold.PAIR, Fold.ONE, Fold.TWO))
        c.do(f"call void @fsub{OWN}(ptr %ctx, ptr {one}, ptr {pair})")
        behind = c.at(pair, OWN)
        c.do(f"call void @fsub{OWN}(ptr %ctx, ptr {c.at(two, OWN)}, ptr {behind})")
    c.do("call void @turns(ptr %ctx)")
    for name, x in zip(("dq", "dv"), results, strict=True):
        c.do(f"call void @finish(ptr %ctx, ptr {c.array(name)}, ptr {x})")
    return c.text()


def _batch(element: str) -> str:
    c = _Writer(element, "batch")
    with c.loop(c.field(Slopes.ROWS)):
        c.do("call void @state(ptr %ctx)")
        with c.loop(len(STATE_ARRAYS)) as k:  # on to the next state
            place, step = c.entry(Slopes.ARRAYS, k), c.field(c.entry(Slopes.STRIDES, k))
            c.set_field(place, c.at(c.field(place), step))
    return c.text()
