"""Dense symmetric equations as native loops, with the sparsity of a tree.

A = L^T D L, eliminated from the leaves to the root: row j has entries only at the ancestors of
degree of freedom j, and elimination adds none.  Right sides are matrices whose entries [i, k] are
zero where neither of i and k carries the other.  Arrays hold W states side by side.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from armillary.compiler.code import Code
from armillary.compiler.context import Context
from armillary.compiler.target import Lanes

_COLUMNS = (6, 2, 1)  # right sides that are worked on together, as many as are left


def solve_text(lanes: Lanes) -> str:
    """LLVM text of `factor(ctx, A)`, `substitute(ctx, A, R)` and `invert(ctx, A, R)`."""
    return "\n\n".join([_factor(lanes), _substitute(lanes), _invert(lanes)])


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
        c.do(f"call void @substitute(ptr %ctx, ptr {A}, ptr {R})")
    c.do(f"call void @invert(ptr %ctx, ptr {A}, ptr {extra})")
    with c.loop(c.mul(n, n)) as k:
        _put(c, lanes, A, k, _get(c, lanes, extra, k))


def _get(c: Code, lanes: Lanes, base: str, index: str) -> str:
    return c.read(base, index, lanes.type, lanes.bytes)


def _put(c: Code, lanes: Lanes, base: str, index: str, value: str) -> None:
    c.write(base, index, value, lanes.type, lanes.bytes)


def _less(c: Code, lanes: Lanes, a: str, x: str, y: str) -> str:
    """a - x y, in one rounding where the machine can."""
    t = lanes.type
    if not lanes.fma:
        return c.let(f"fsub {t} {a}, {c.let(f'fmul {t} {x}, {y}')}")
    minus = c.let(f"fneg {t} {x}")
    return c.let(f"call {t} @llvm.fma.{lanes.suffix}({t} {minus}, {t} {y}, {t} {a})")


def _take_off(c: Code, lanes: Lanes, target: str, factor: str, source: str) -> None:
    """R[target] -= factor R[source]."""
    old, other = _get(c, lanes, "%R", target), _get(c, lanes, "%R", source)
    _put(c, lanes, "%R", target, _less(c, lanes, old, factor, other))


@contextmanager
def _ancestors(c: Code, j: str) -> Iterator[str]:
    """Every ancestor of degree of freedom j, the nearest first."""
    parents = c.field(Context.DOF_PARENTS, "ptr")
    place = c.variable(c.read(parents, j))
    with c.forever() as loop:
        i = c.get(place)
        c.break_if(loop, c.let(f"icmp slt i64 {i}, 0"))
        yield i
        c.set(place, c.read(parents, i))


def _factor(lanes: Lanes) -> str:
    """A becomes: rows of L below the diagonal, 1/D on it."""
    c = Code("factor", ("ptr noalias %ctx", "ptr noalias %A"))
    n, t = c.field(Context.NV), lanes.type
    with c.loop(n) as back:
        j = c.sub(c.sub(n, 1), back)
        row = c.mul(j, n)
        d = _get(c, lanes, "%A", c.add(row, j))
        inverse = c.let(f"fdiv {t} {lanes.constant(1.0)}, {d}")
        _put(c, lanes, "%A", c.add(row, j), inverse)
        with _ancestors(c, j) as i:
            l_ji = c.let(f"fmul {t} {_get(c, lanes, '%A', c.add(row, i))}, {inverse}")
            target = c.mul(i, n)
            with c.loop(c.add(i, 1)) as k:
                old = _get(c, lanes, "%A", c.add(target, k))
                new = _less(c, lanes, old, l_ji, _get(c, lanes, "%A", c.add(row, k)))
                _put(c, lanes, "%A", c.add(target, k), new)
        with c.loop(j) as i:
            l_ji = c.let(f"fmul {t} {_get(c, lanes, '%A', c.add(row, i))}, {inverse}")
            _put(c, lanes, "%A", c.add(row, i), l_ji)
    return c.text()


def _up(c: Code, lanes: Lanes, n: str, ancestors: bool) -> None:
    """L^T y = R from the leaves to the root.  Row j has entries at what j carries and, where it is
    said so, at its ancestors."""
    ends = c.field(Context.DOF_ENDS, "ptr")
    with c.loop(n) as back:
        j = c.sub(c.sub(n, 1), back)
        row, end = c.mul(j, n), c.read(ends, j)
        with _ancestors(c, j) as i:
            l_ji, target = _get(c, lanes, "%A", c.add(row, i)), c.mul(i, n)
            with c.loop(end, j) as k:
                _take_off(c, lanes, c.add(target, k), l_ji, c.add(row, k))
            if ancestors:
                with _ancestors(c, j) as k:
                    _take_off(c, lanes, c.add(target, k), l_ji, c.add(row, k))


def _substitute(lanes: Lanes) -> str:
    """R (n, n) becomes -A^-1 R."""
    c = Code("substitute", ("ptr noalias %ctx", "ptr noalias %A", "ptr noalias %R"))
    n = c.field(Context.NV)
    _up(c, lanes, n, ancestors=True)
    first = c.variable(0)
    for count in _COLUMNS:
        with c.forever() as loop:
            k = c.get(first)
            left = c.let(f"icmp slt i64 {c.sub(n, k)}, {count}")
            c.break_if(loop, left)
            _down(c, lanes, n, k, count)
            c.set(first, c.add(k, count))
    return c.text()


def _down(c: Code, lanes: Lanes, n: str, k: str, count: int) -> None:
    """L x = -D^-1 y from the root to the leaves, columns k .. k + count - 1 in registers."""
    t = lanes.type
    with c.loop(n) as j:
        row = c.mul(j, n)
        inverse = _get(c, lanes, "%A", c.add(row, j))
        minus = c.let(f"fneg {t} {inverse}")
        start, sums = c.add(row, k), []
        for m in range(count):
            value = _get(c, lanes, "%R", c.add(start, m))
            sums.append(_variable(c, lanes, c.let(f"fmul {t} {value}, {minus}")))
        with _ancestors(c, j) as i:
            l_ji, other = _get(c, lanes, "%A", c.add(row, i)), c.add(c.mul(i, n), k)
            for m, place in enumerate(sums):
                x = _get(c, lanes, "%R", c.add(other, m))
                new = _less(c, lanes, c.let(f"load {t}, ptr {place}"), l_ji, x)
                c.do(f"store {t} {new}, ptr {place}")
        for m, place in enumerate(sums):
            _put(c, lanes, "%R", c.add(start, m), c.let(f"load {t}, ptr {place}"))


def _variable(c: Code, lanes: Lanes, value: str) -> str:
    place = c.name()
    c.lines.insert(2, f"{place} = alloca {lanes.type}")
    c.do(f"store {lanes.type} {value}, ptr {place}")
    return place


def _invert(lanes: Lanes) -> str:
    """R (n, n) becomes A^-1: on and above the diagonal, then mirrored."""
    c = Code("invert", ("ptr noalias %ctx", "ptr noalias %A", "ptr noalias %R"))
    n, t = c.field(Context.NV), lanes.type
    zero, one = lanes.constant(0.0), lanes.constant(1.0)
    with c.loop(n) as r, c.loop(n) as k:
        on = c.equal(r, k)
        value = c.let(f"select i1 {on}, {t} {one}, {t} {zero}")
        _put(c, lanes, "%R", c.add(c.mul(r, n), k), value)
    _up(c, lanes, n, ancestors=False)
    with c.loop(n) as j:
        row = c.mul(j, n)
        inverse = _get(c, lanes, "%A", c.add(row, j))
        with c.loop(n, j) as k:
            value = c.let(f"fmul {t} {_get(c, lanes, '%R', c.add(row, k))}, {inverse}")
            _put(c, lanes, "%R", c.add(row, k), value)
        with _ancestors(c, j) as i:
            l_ji, other = _get(c, lanes, "%A", c.add(row, i)), c.mul(i, n)
            with c.loop(n, j) as k:
                _take_off(c, lanes, c.add(row, k), l_ji, c.add(other, k))
        with c.loop(n, j) as k:
            value = _get(c, lanes, "%R", c.add(row, k))
            _put(c, lanes, "%R", c.add(c.mul(k, n), j), value)
    return c.text()
