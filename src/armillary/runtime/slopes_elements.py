"""Force elements in chunks of one kind: where their bodies are is gathered, a kernel gives what
they exert and how that changes (evaluate/element_slopes.py), and both are added to what the bodies
have, or the coordinates.  Of one state a chunk has several elements, side by side; of several
states it has one.
"""

from __future__ import annotations

from armillary.codegen.abi import Context
from armillary.runtime.slopes_code import Shape, Writer
from armillary.runtime.slopes_tables import MOVING, Chunk, Slopes


def elements_text(shape: Shape) -> list[str]:
    return [_packed(shape), _gather(shape), _spread(shape), _coordinates(shape), _elements(shape)]


def _packed(shape: Shape) -> str:
    """`packed(ctx)`: what elements read of every body, side by side; and the axes and their rates,
    as far as bodies move along them."""
    c = Writer(shape, "packed")
    sources = [
        (c.field(Slopes.MOTION.at(k)), c.field(Slopes.FOUND_STEPS.at(k)), size, place)
        for k, size in enumerate(MOVING.values())
        for place in range(size)
    ]
    with c.loop(c.field(Slopes.BODIES)) as body:
        out = c.at(c.field(Slopes.PACKED), c.mul(body, len(shape.leaves)))
        for n, leaf in enumerate(shape.leaves):
            source, step, size, place = sources[leaf]
            c.put_number(out, n, c.row_number(source, step, c.add(c.mul(body, size), place)))
    for out_of, into in ((Slopes.ALL_AXES, Slopes.AXES), (Slopes.ALL_RATES, Slopes.RATES)):
        whole, own = c.field(out_of), c.field(into)
        step = c.field(Slopes.FOUND_STEPS.at(out_of - Slopes.MOTION))
        with c.loop(c.field(Slopes.NV)) as i:
            for n, axis in enumerate(shape.axes):
                x = c.row_number(whole, step, c.add(c.mul(i, 6), axis))
                c.put_number(own, c.add(c.mul(i, shape.size), n), x)
    return c.text()


def _gather(shape: Shape) -> str:
    """`gather(ctx, chunk)`: what the kernel of a chunk reads."""
    c = Writer(shape, "gather", "ptr %chunk")
    count, ends = (c.field(x, "%chunk") for x in (Chunk.COUNT, Chunk.ENDS))
    bodies, out = c.field(Chunk.BODIES, "%chunk"), c.field(Slopes.GATHERED)
    joints = c.equal(c.field(Chunk.COORDINATES, "%chunk"), 1)
    with c.when(joints), c.loop(count) as k, c.loop(ends) as n:
        first = c.mul(c.mul(k, ends), 2)
        for which, name in enumerate((Slopes.Q, Slopes.V)):
            own = c.read(bodies, c.add(c.add(first, c.mul(n, 2)), which))
            none = c.let(f"icmp slt i64 {own}, 0")
            safe = c.let(f"select i1 {none}, i64 0, i64 {own}")
            step = c.field(Slopes.GIVEN_STEPS.at(name - Slopes.Q))
            x = c.row_number(c.field(name), step, safe)
            place = c.add(c.add(first, c.mul(ends, which)), n)
            c.put_number(out, place, c.let(f"select i1 {none}, {c.t} {c.zero}, {c.t} {x}"))
    with c.when(c.negated(joints)):
        width, packed = len(shape.leaves), c.field(Slopes.PACKED)
        with c.loop(c.mul(count, ends)) as k:
            own = c.at(packed, c.mul(c.read(bodies, k), width))
            target = c.at(out, c.mul(k, width))
            for i in range(width):
                c.put_number(target, i, c.get_number(own, i))
    given, starts = c.field(Chunk.GIVEN_SIZE, "%chunk"), c.field(Chunk.GIVEN, "%chunk")
    step = c.field(Slopes.GIVEN_STEPS.at(Slopes.PARAMETERS - Slopes.Q))
    with c.when(c.let(f"icmp sgt i64 {given}, 0")), c.loop(count) as k, c.loop(given) as n:
        x = c.row_number(c.field(Slopes.PARAMETERS), step, c.add(c.read(starts, k), n))
        c.put_number(c.field(Slopes.GIVENS), c.add(c.mul(k, given), n), x)
    if shape.lanes.width > 1:  # one element at a time
        numbers = c.field(Chunk.NUMBERS, "%chunk")
        with c.loop(c.field(Chunk.NUMBER_COUNT, "%chunk")) as n:
            c.put_number(c.field(Slopes.NUMBERS), n, c.same(numbers, n))
    return c.text()


def _spread(shape: Shape) -> str:
    """`spread(ctx, chunk)`: blocks and wrenches of its elements, added to those of their bodies."""
    c = Writer(shape, "spread", "ptr %chunk")
    fields = (Chunk.COUNT, Chunk.PAIRS, Chunk.OWN, Chunk.SLOTS, Chunk.RESULTS, Chunk.ENDS)
    count, pairs, own, slots, size, ends = (c.field(x, "%chunk") for x in fields)
    bodies, wrenches = c.field(Chunk.BODIES, "%chunk"), c.field(Slopes.WRENCHES)
    found, each = c.field(Slopes.FOUND), c.add(pairs, own)
    with c.loop(count) as k:
        source, first = c.at(found, c.mul(k, size)), c.mul(k, each)
        with c.loop(pairs) as n:
            out = c.block(c.read(slots, c.add(first, n)))
            x = c.at(source, c.mul(n, shape.pair))
            c.do(f"call void @fadd{shape.pair}(ptr %ctx, ptr {out}, ptr {x})")
        rest = c.at(source, c.mul(pairs, shape.pair))
        with c.loop(own) as n:
            out = c.block(c.read(slots, c.add(c.add(first, pairs), n)))
            x = c.at(rest, c.mul(n, shape.own))
            c.do(f"call void @fadd{shape.own}(ptr %ctx, ptr {out}, ptr {x})")
        rest = c.at(rest, c.mul(own, shape.own))
        with c.loop(ends) as n:
            body = c.read(bodies, c.add(c.mul(k, ends), n))
            place, more = c.mul(body, shape.size), c.get_vector(rest, c.mul(n, shape.size))
            total = c.each("fadd", c.get_vector(wrenches, place), more)
            c.put_vector(wrenches, place, total)
    return c.text()


def _coordinates(shape: Shape) -> str:
    """`coordinates(ctx, chunk)`: forces and slopes between coordinates, added to Q, dQ/dq and
    dQ/dv."""
    c = Writer(shape, "coordinates", "ptr %chunk")
    fields = (Chunk.COUNT, Chunk.ENDS, Chunk.BODIES, Chunk.RESULTS)
    count, ends, bodies, size = (c.field(x, "%chunk") for x in fields)
    nv, found, square = c.field(Slopes.NV), c.field(Slopes.FOUND), c.mul(ends, ends)
    with c.loop(count) as k:
        own = c.pointer(bodies, c.mul(c.mul(k, ends), 2))
        source = c.at(found, c.mul(k, size))
        with c.loop(ends) as i:
            row = c.read(own, c.add(c.mul(i, 2), 1))
            with c.loop(ends) as j:
                column = c.read(own, c.add(c.mul(j, 2), 1))
                place, cell = c.add(c.mul(i, ends), j), c.add(c.mul(row, nv), column)
                for n, out in enumerate((Slopes.BY_Q, Slopes.BY_V)):
                    more = c.get_number(source, c.add(place, c.mul(square, n)))
                    c.add_to(c.field(out), cell, more)
            force = c.get_number(source, c.add(c.mul(square, 2), i))
            c.add_to(c.field(Slopes.FORCES), row, force)
    return c.text()


def _elements(shape: Shape) -> str:
    """`elements(ctx)`: all chunks of a state."""
    c = Writer(shape, "elements")
    chunks, contexts = c.field(Slopes.CHUNKS), c.field(Slopes.CONTEXTS)
    with c.loop(c.field(Slopes.CHUNK_COUNT)) as k:
        chunk = c.pointer(chunks, c.mul(k, Chunk.SIZE))
        context = c.pointer(contexts, c.mul(c.field(Chunk.CONTEXT, chunk), Context.SIZE))
        c.do(f"call void @gather(ptr %ctx, ptr {chunk})")
        code = c.let(f"inttoptr i64 {c.field(Chunk.CODE, chunk)} to ptr")
        if shape.lanes.width == 1:
            c.set_field(Context.INPUT_ROWS.at(1), c.field(Chunk.NUMBERS, chunk), context)
            c.set_field(Context.ROWS, c.field(Chunk.COUNT, chunk), context)
            c.do(f"call void {code}(ptr {context})")
        else:
            c.do(f"call void {code}(ptr {context}, i64 0, i64 1)")
        joints = c.equal(c.field(Chunk.COORDINATES, chunk), 1)
        with c.when(joints):
            c.do(f"call void @coordinates(ptr %ctx, ptr {chunk})")
        with c.when(c.negated(joints)):
            c.do(f"call void @spread(ptr %ctx, ptr {chunk})")
    return c.text()
