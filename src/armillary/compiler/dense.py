"""Dense symmetric equations as native loops, with the sparsity of a tree.

A = L^T D L, eliminated from the leaves to the root: row j has entries only at the ancestors of
degree of freedom j, and elimination adds none.  Arrays hold W states side by side.
"""

from __future__ import annotations

from armillary.compiler.code import Code
from armillary.compiler.context import Context
from armillary.compiler.target import Lanes


def solve_text(lanes: Lanes) -> str:
    """LLVM text of `factor(ctx, A)` and `substitute(ctx, A, R, sign)`."""
    return "\n\n".join([_factor(lanes), _substitute(lanes)])


def call_solve(c: Code, lanes: Lanes, block: str) -> None:
    """A Solve pass; `block` holds the numbers of the outputs: matrix, count and first of the
    right sides, in bytes from the lowest."""
    matrix = c.let(f"and i64 {block}, 255")
    count = c.let(f"and i64 {c.let(f'lshr i64 {block}, 8')}, 255")
    first = c.let(f"and i64 {c.let(f'lshr i64 {block}, 16')}, 255")
    A = c.field(c.add(matrix, Context.OUTPUTS), "ptr")
    extra = c.field(Context.EXTRA, "ptr")
    n = c.field(Context.NV)
    c.do(f"call void @factor(ptr %ctx, ptr {A})")
    with c.loop(count) as k:
        R = c.field(c.add(c.add(first, k), Context.OUTPUTS), "ptr")
        c.do(f"call void @substitute(ptr %ctx, ptr {A}, ptr {R}, {lanes.element} -1.0)")
    zero, one = lanes.constant(0.0), lanes.constant(1.0)
    with c.loop(n) as r, c.loop(n) as k:
        on = c.equal(r, k)
        value = c.let(f"select i1 {on}, {lanes.type} {one}, {lanes.type} {zero}")
        _put(c, lanes, extra, c.add(c.mul(r, n), k), value)
    c.do(f"call void @substitute(ptr %ctx, ptr {A}, ptr {extra}, {lanes.element} 1.0)")
    with c.loop(c.mul(n, n)) as k:
        _put(c, lanes, A, k, _get(c, lanes, extra, k))


def _get(c: Code, lanes: Lanes, base: str, index: str) -> str:
    return c.read(base, index, lanes.type, lanes.bytes)


def _put(c: Code, lanes: Lanes, base: str, index: str, value: str) -> None:
    c.write(base, index, value, lanes.type, lanes.bytes)


def _ancestors(c: Code, j: str) -> tuple[str, str]:
    """A variable that walks over the ancestors of degree of freedom j."""
    parents = c.field(Context.DOF_PARENTS, "ptr")
    return parents, c.variable(c.read(parents, j))


def _factor(lanes: Lanes) -> str:
    """A becomes: rows of L times D below the diagonal, 1/D on it."""
    c = Code("factor", ("ptr noalias %ctx", "ptr noalias %A"))
    n, t = c.field(Context.NV), lanes.type
    with c.loop(n) as back:
        j = c.sub(c.sub(n, 1), back)
        row = c.mul(j, n)
        d = _get(c, lanes, "%A", c.add(row, j))
        inverse = c.let(f"fdiv {t} {lanes.constant(1.0)}, {d}")
        _put(c, lanes, "%A", c.add(row, j), inverse)
        parents, place = _ancestors(c, j)
        with c.forever() as loop:
            i = c.get(place)
            c.break_if(loop, c.let(f"icmp slt i64 {i}, 0"))
            l_ji = c.let(f"fmul {t} {_get(c, lanes, '%A', c.add(row, i))}, {inverse}")
            target = c.mul(i, n)
            with c.loop(c.add(i, 1)) as k:
                old = _get(c, lanes, "%A", c.add(target, k))
                step = c.let(f"fmul {t} {l_ji}, {_get(c, lanes, '%A', c.add(row, k))}")
                _put(c, lanes, "%A", c.add(target, k), c.let(f"fsub {t} {old}, {step}"))
            c.set(place, c.read(parents, i))
    return c.text()


def _substitute(lanes: Lanes) -> str:
    """R (n, n) becomes sign * A^-1 R."""
    sign = f"{lanes.element} %sign"
    c = Code("substitute", ("ptr noalias %ctx", "ptr noalias %A", "ptr noalias %R", sign))
    n, t = c.field(Context.NV), lanes.type
    factor = "%sign"
    if lanes.width > 1:
        one = c.let(f"insertelement {t} poison, {lanes.element} %sign, i32 0")
        zeros = f"<{lanes.width} x i32> zeroinitializer"
        factor = c.let(f"shufflevector {t} {one}, {t} poison, {zeros}")
    with c.loop(n) as back:  # L^T y = R
        j = c.sub(c.sub(n, 1), back)
        _eliminate(c, lanes, n, j, upward=True)
    with c.loop(n) as j:  # scale by 1/D
        inverse = _get(c, lanes, "%A", c.add(c.mul(j, n), j))
        scale = c.let(f"fmul {t} {inverse}, {factor}")
        with c.loop(n) as k:
            place = c.add(c.mul(j, n), k)
            value = c.let(f"fmul {t} {_get(c, lanes, '%R', place)}, {scale}")
            _put(c, lanes, "%R", place, value)
    with c.loop(n) as j:  # L x = y
        _eliminate(c, lanes, n, j, upward=False)
    return c.text()


def _eliminate(c: Code, lanes: Lanes, n: str, j: str, upward: bool) -> None:
    """For every ancestor i of j: R[i] -= L[j, i] R[j] (upward), or R[j] -= L[j, i] R[i]."""
    t = lanes.type
    row = c.mul(j, n)
    inverse = _get(c, lanes, "%A", c.add(row, j))
    parents, place = _ancestors(c, j)
    with c.forever() as loop:
        i = c.get(place)
        c.break_if(loop, c.let(f"icmp slt i64 {i}, 0"))
        l_ji = c.let(f"fmul {t} {_get(c, lanes, '%A', c.add(row, i))}, {inverse}")
        other = c.mul(i, n)
        target, source = (other, row) if upward else (row, other)
        with c.loop(n) as k:
            old = _get(c, lanes, "%R", c.add(target, k))
            step = c.let(f"fmul {t} {l_ji}, {_get(c, lanes, '%R', c.add(source, k))}")
            _put(c, lanes, "%R", c.add(target, k), c.let(f"fsub {t} {old}, {step}"))
        c.set(place, c.read(parents, i))
