"""Derivatives of a closed mechanism, state after state: the products between two kernels.

One kernel splits the equations of a state (algorithms/closed/split.py), one gives their slopes
along directions (defect_slopes); constraints/derivatives.py has the equations of what is made of
them here.  Directions are rows: every product adds up rows of its second factor, which uses vector
registers and rounds the same on every machine.
"""

from __future__ import annotations

from functools import cache

from armillary.codegen.abi import Context, Struct, double, integer, pointer
from armillary.codegen.code import Code
from armillary.codegen.jit import Library
from armillary.codegen.llvm import with_declarations
from armillary.codegen.target import lanes
from armillary.runtime.dense_code import product_text, symmetric_parts
from armillary.runtime.in_turn import behind_context, call_kernel

FOUND = ("a", "multipliers", "M", "J", "N", "P", "H", "K")  # results of the first kernel
STATE = ("q", "v", "a", "multipliers")  # what the second reads, behind the directions
RESULTS = ("a", "dtau", "along", "fast", "full")


class Variations(Struct):
    """What stands behind the fields of the context.  Sizes: n degrees of freedom, m rows, k changes
    of q and l of v that the rows admit.  All arrays are of doubles, in rows."""

    SPLIT = integer()  # address of the code
    SPLIT_CONTEXT = pointer()
    SLOPES = integer()
    SLOPES_CONTEXT = pointer()
    NV = integer()
    ROWS = integer()
    ALONG = integer()  # k
    FREE = integer()  # l
    WIDTH = integer()  # directions that the second kernel takes at least
    SAME = integer()  # 1: changes of q are those of v
    SINGULAR = double()  # of the velocities: what a variation may leave of the rates of rows
    LEAST = double()  # pivot of the even inertias of motions
    SCALE = pointer()  # (n) units of the degrees of freedom
    WEIGHTS = pointer()  # (m) of the rows
    FOUND = pointer(8)  # what the first kernel fills
    BALANCE = pointer()  # what the second fills (directions, n), (directions, m) twice
    SLOPES_OF_ROWS = pointer()
    RATES = pointer()
    NOTHING = pointer()  # (directions, n) zeros
    TURNED = pointer()  # N^T (l, n)
    P_TURNED = pointer()  # (m, n)
    J_TURNED = pointer()  # (n, m)
    MOTIONS = pointer()  # (directions, n) changes of q; those that are asked for stand first
    SPEEDS = pointer()  # (directions, n) changes of v: carried (k), free (l)
    CHANGES = pointer()  # (k, n) of a, along changes of q
    OTHERS = pointer()  # (directions, n) of a, along changes of v
    ONTO_V = pointer()  # (l, n)
    ONTO_Q = pointer()  # (k, n)
    PART = pointer()  # (directions + n, max(n, m)) work space
    INNER = pointer()  # (k, k)
    KEPT = pointer()  # (k)


@cache
def library() -> Library:
    width = lanes(False, "double")
    parts = (product_text(), *symmetric_parts(), _turned(), _even(), _changed(), _batch())
    return Library(with_declarations("\n\n".join(parts), width), ["batch"])


def _turned() -> str:
    """`turned(out, A, rows, columns)`: out (columns, rows) = A^T."""
    c = Code("turned", ("ptr noalias %out", "ptr %A", "i64 %rows", "i64 %columns"))
    with c.loop("%rows") as i:
        line = c.pointer("%A", c.mul(i, "%columns"), "double")
        with c.loop("%columns") as k:
            place = c.add(c.mul(k, "%rows"), i)
            c.write("%out", place, c.read(line, k, "double"), "double")
    return c.text()


def _even() -> str:
    """`orthonormal(X, scale, count, n)`: rows of X, orthonormal in units of scale (n), in place:
    Gram and Schmidt's way twice, which is exact to rounding."""
    c = Code("orthonormal", ("ptr noalias %X", "ptr noalias %scale", "i64 %count", "i64 %n"))
    share = c.number()

    def row(i: str) -> str:
        return c.pointer("%X", c.mul(i, "%n"), "double")

    def each(i: str, operation: str, other: str | None = None) -> None:
        own = row(i)
        with c.loop("%n") as k:
            by = other or c.read("%scale", k, "double")
            c.write(own, k, c.float(operation, c.read(own, k, "double"), by), "double")

    with c.loop("%count") as i:
        each(i, "fdiv")
        for _ in range(2):
            with c.loop(i) as before:
                c.do(f"call void @dot(ptr {share}, ptr {row(i)}, ptr {row(before)}, i64 %n)")
                part = c.read_number(share)
                c.do(f"call void @take_off(ptr {row(i)}, ptr {row(before)}, double {part}, i64 %n)")
        c.do(f"call void @dot(ptr {share}, ptr {row(i)}, ptr {row(i)}, i64 %n)")
        each(i, "fdiv", c.let(f"call double @llvm.sqrt.f64(double {c.read_number(share)})"))
    with c.loop("%count") as i:
        each(i, "fmul")
    return c.text()


def _changed() -> str:
    """`changed(ctx, out, count)`: changes of a (count, n) that balance the slopes in BALANCE and
    SLOPES_OF_ROWS:  -P second, and from there on twice  - R (first + M da)."""
    c = Code("changed", ("ptr noalias %ctx", "ptr noalias %out", "i64 %count"))
    w = _Work(c)
    w.clear("%out", c.mul("%count", w.n))
    w.add("%out", w("SLOPES_OF_ROWS"), w("P_TURNED"), "-1.0", "%count", w.m, w.n)
    part, size = w("PART"), c.mul("%count", w.n)
    for _ in range(2):
        w.copy(part, w("BALANCE"), size)
        w.add(part, "%out", w.found("M"), "1.0", "%count", w.n, w.n)
        w.add("%out", part, c.field(Context.OUTPUT_ROWS.at(1)), "-1.0", "%count", w.n, w.n)
    return c.text()


class _Work:
    """Words of the text below."""

    def __init__(self, c: Code):
        self.c = c
        self.n, self.m, self.k, self.l = (self(x) for x in ("NV", "ROWS", "ALONG", "FREE"))

    def __call__(self, name: str) -> str:
        return self.c.field(behind_context(Variations.FIELDS[name]))

    def found(self, name: str) -> str:
        return self.c.field(behind_context(Variations.FOUND.at(FOUND.index(name))))

    def clear(self, x: str, count: str) -> None:
        with self.c.loop(count) as k:
            self.c.write(x, k, "0.0", "double")

    def copy(self, x: str, source: str, count: str) -> None:
        with self.c.loop(count) as k:
            self.c.write(x, k, self.c.read(source, k, "double"), "double")

    def add(
        self, out: str, A: str, B: str, factor: str, rows: str, inner: str, columns: str
    ) -> None:
        self.c.do(
            f"call void @add_product(ptr {out}, ptr {A}, ptr {B}, double {factor}, i64 {rows}, "
            f"i64 {inner}, i64 {columns})"
        )

    def product(self, out: str, A: str, B: str, rows: str, inner: str, columns: str) -> None:
        self.clear(out, self.c.mul(rows, columns))
        self.add(out, A, B, "1.0", rows, inner, columns)

    def turned(self, out: str, A: str, rows: str, columns: str) -> None:
        self.c.do(f"call void @turned(ptr {out}, ptr {A}, i64 {rows}, i64 {columns})")

    def slopes(self, dq: str, dv: str, count: str) -> None:
        """The second kernel along so many directions, or as many as it takes at least."""
        c, context = self.c, self("SLOPES_CONTEXT")
        for place, array in enumerate((dq, dv)):
            c.set_field(Context.INPUT_ROWS.at(place), array, context)
        width = self("WIDTH")
        few = c.let(f"icmp slt i64 {count}, {width}")
        c.set_field(Context.ROWS, c.let(f"select i1 {few}, i64 {width}, i64 {count}"), context)
        call_kernel(c, self("SLOPES"), context)


def _batch() -> str:
    c = Code("batch")
    split, slopes = (c.field(behind_context(Variations.FIELDS[f"{x}_CONTEXT"]))
                     for x in ("SPLIT", "SLOPES"))  # fmt: skip
    inputs = [c.field(Context.INPUT_ROWS.at(k)) for k in range(3)]
    strides = [c.field(Context.INPUT_STRIDES.at(k)) for k in range(3)]
    outputs = [c.field(Context.OUTPUT_ROWS.at(k)) for k in range(len(RESULTS))]
    sizes = [c.field(Context.OUTPUT_SIZES.at(k)) for k in range(len(RESULTS))]
    code = c.field(behind_context(Variations.SPLIT))
    with c.loop(c.field(Context.ROWS)) as row:
        for k, (array, stride) in enumerate(zip(inputs, strides, strict=True)):
            own = c.pointer(array, c.mul(row, stride), "double")
            c.set_field(Context.INPUT_ROWS.at(k), own, split)
            if k < 2:
                c.set_field(Context.INPUT_ROWS.at(2 + k), own, slopes)
            c.set_field(Context.INPUT_ROWS.at(k), own)
        for k, (array, size) in enumerate(zip(outputs, sizes, strict=True)):
            c.set_field(Context.OUTPUT_ROWS.at(k), c.pointer(array, c.mul(row, size), "double"))
        call_kernel(c, code, split)
        c.do("call void @state(ptr %ctx)")
    for k, array in enumerate(inputs):
        c.set_field(Context.INPUT_ROWS.at(k), array)
    for k, array in enumerate(outputs):
        c.set_field(Context.OUTPUT_ROWS.at(k), array)
    return f"{_state()}\n\n{c.text()}"


def _state() -> str:
    """`state(ctx)`: one state, its results where the context points to."""
    c = Code("state")
    w = _Work(c)
    n, k, l = w.n, w.k, w.l
    a, R, along, fast, full = (c.field(Context.OUTPUT_ROWS.at(i)) for i in range(len(RESULTS)))
    w.copy(a, w.found("a"), n)
    bad = c.number()
    with c.loop(n) as i:  # x - x is 0, and not a number where x is not finite
        x = c.read(a, i, "double")
        c.accumulate(bad, "fadd", c.float("fsub", x, x))
    with c.when(c.let(f"fcmp oeq double {c.read_number(bad)}, 0.0")):
        _admitted(c, w, R)
        motions, speeds, changes = w("MOTIONS"), w("SPEEDS"), w("CHANGES")
        w.slopes(motions, w("NOTHING"), k)
        _carried(c, w, R, bad)
        c.do(f"call void @changed(ptr %ctx, ptr {changes}, i64 {k})")
        both = c.add(k, l)
        w.slopes(w("NOTHING"), speeds, both)
        others = w("OTHERS")
        c.do(f"call void @changed(ptr %ctx, ptr {others}, i64 {both})")
        _onto(c, w, R, bad)
        size, free = c.mul(n, k), c.mul(n, l)
        w.turned(along, motions, k, n)
        w.turned(c.pointer(along, size, "double"), changes, k, n)
        w.turned(c.pointer(along, c.mul(size, 2), "double"), speeds, k, n)
        with c.loop(size) as i:
            total = c.float("fadd", c.read(changes, i, "double"), c.read(others, i, "double"))
            c.write(changes, i, total, "double")
        moved = c.pointer(along, c.mul(size, 3), "double")
        w.turned(moved, changes, k, n)
        w.turned(fast, c.pointer(speeds, size, "double"), l, n)
        by_v = c.pointer(fast, free, "double")
        w.turned(by_v, c.pointer(others, size, "double"), l, n)
        w.product(full, moved, w("ONTO_Q"), n, k, n)
        w.product(c.pointer(full, c.mul(n, n), "double"), by_v, w("ONTO_V"), n, l, n)
        with c.loop(n) as i:  # a mark of what has not converged
            marked = c.float("fadd", c.read(a, i, "double"), c.read_number(bad))
            c.write(a, i, marked, "double")
    return c.text()


def _admitted(c: Code, w: _Work, R: str) -> None:
    """Free motions, orthonormal in scaled units, and R = N H N^T."""
    n, m, k, l = w.n, w.m, w.k, w.l
    scale, size = w("SCALE"), c.mul(l, n)
    w.turned(w("TURNED"), w.found("N"), n, l)
    w.turned(w("P_TURNED"), w.found("P"), n, m)
    w.turned(w("J_TURNED"), w.found("J"), m, n)
    w.product(w("PART"), w.found("H"), w("TURNED"), l, l, n)
    w.product(R, w.found("N"), w("PART"), n, l, n)
    velocities = c.pointer(w("SPEEDS"), c.mul(k, n), "double")
    w.copy(velocities, w("TURNED"), size)
    c.do(f"call void @orthonormal(ptr {velocities}, ptr {scale}, i64 {l}, i64 {n})")
    same = c.equal(w("SAME"), 1)
    motions = w("MOTIONS")
    with c.when(same):
        w.copy(motions, velocities, size)
    with c.when(c.let(f"xor i1 {same}, true")):
        w.turned(motions, w.found("K"), n, k)
        c.do(f"call void @orthonormal(ptr {motions}, ptr {scale}, i64 {k}, i64 {n})")


def _carried(c: Code, w: _Work, R: str, bad: str) -> None:
    """Changes of v that changes of q demand, in SPEEDS; not a number in `bad` where they leave
    rates of rows: no motion goes on from there."""
    n, m, k = w.n, w.m, w.k
    speeds, part, rates = w("SPEEDS"), w("PART"), w("RATES")
    w.clear(speeds, c.mul(k, n))
    w.add(speeds, rates, w("P_TURNED"), "-1.0", k, m, n)
    for _ in range(2):
        w.product(part, speeds, w.found("M"), k, n, n)
        w.add(speeds, part, R, "-1.0", k, n, n)
    fastest, v, scale = c.number(), c.field(Context.INPUT_ROWS.at(1)), w("SCALE")
    with c.loop(n) as i:
        x = c.float("fdiv", c.read(v, i, "double"), c.read(scale, i, "double"))
        size = c.let(f"call double @llvm.fabs.f64(double {x})")
        with c.when(c.let(f"fcmp ogt double {size}, {c.read_number(fastest)}")):
            c.write_number(fastest, size)
    limit = c.float("fmul", c.read_number(fastest), w("SINGULAR"))
    w.copy(part, rates, c.mul(k, m))
    w.add(part, speeds, w("J_TURNED"), "1.0", k, n, m)
    weights = w("WEIGHTS")
    with c.loop(k) as i:
        own = c.pointer(part, c.mul(i, m), "double")
        with c.loop(m) as r:
            x = c.float("fmul", c.read(own, r, "double"), c.read(weights, r, "double"))
            size = c.let(f"call double @llvm.fabs.f64(double {x})")
            _mark(c, bad, c.let(f"fcmp ule double {size}, {limit}"))


def _mark(c: Code, bad: str, good: str) -> None:
    with c.when(c.let(f"xor i1 {good}, true")):
        c.write_number(bad, "0x7FF8000000000000")


def _onto(c: Code, w: _Work, R: str, bad: str) -> None:
    """Coordinates along the motions of the nearest change, by kinetic energy: of v, velocities
    R M; of q the same, or (K^T M K)^-1 K^T M."""
    n, k, l = w.n, w.k, w.l
    part, scale, M = w("PART"), w("SCALE"), w.found("M")
    onto_v, onto_q = w("ONTO_V"), w("ONTO_Q")
    velocities = c.pointer(w("SPEEDS"), c.mul(k, n), "double")
    with c.loop(l) as i:
        first = c.mul(i, n)
        with c.loop(n) as j:
            unit = c.read(scale, j, "double")
            x = c.read(velocities, c.add(first, j), "double")
            x = c.float("fdiv", x, c.float("fmul", unit, unit))
            c.write(onto_q, c.add(first, j), x, "double")
    w.product(part, onto_q, R, l, n, n)
    w.product(onto_v, part, M, l, n, n)
    same = c.equal(w("SAME"), 1)
    with c.when(same):
        w.copy(onto_q, onto_v, c.mul(l, n))
    with c.when(c.let(f"xor i1 {same}, true")):
        motions, inner, kept = w("MOTIONS"), w("INNER"), w("KEPT")
        w.product(onto_q, motions, M, k, n, n)
        w.turned(part, motions, k, n)
        w.product(inner, onto_q, part, k, n, k)
        with c.loop(k) as i:
            own = c.read(inner, c.mul(i, c.add(k, 1)), "double")
            some = c.let(f"fcmp ogt double {own}, 1.0e-300")
            _mark(c, bad, some)
            c.write(kept, i, c.let(f"call double @llvm.sqrt.f64(double {own})"), "double")
        _divided(c, inner, kept, k, k)
        with c.loop(k) as i:
            size = c.read(kept, i, "double")
            with c.loop(k) as j:
                place = c.add(c.mul(i, k), j)
                even = c.float("fdiv", c.read(inner, place, "double"), c.read(kept, j, "double"))
                c.write(inner, place, even, "double")
            with c.loop(k) as j:  # inertias of very different size ask for care
                share = c.float("fmul", w("LEAST"), c.read(kept, j, "double"))
                _mark(c, bad, c.let(f"fcmp ogt double {size}, {share}"))
        _divided(c, onto_q, kept, k, n)
        lost, wanted = c.variable(0), w("PART")
        with c.loop(k) as i:
            c.write(wanted, i, "1.0", "double")
        least = c.float("fmul", w("LEAST"), w("LEAST"))
        c.do(f"call void @factor(ptr {inner}, ptr {wanted}, ptr {lost}, i64 {k}, double {least})")
        c.do(f"call void @substitute(ptr {inner}, ptr {onto_q}, i64 {k}, i64 {n})")
        _divided(c, onto_q, kept, k, n)
        _mark(c, bad, c.equal(c.get(lost), 0))


def _divided(c: Code, x: str, sizes: str, rows: str, columns: str) -> None:
    """Rows of x by their sizes."""
    with c.loop(rows) as i:
        size, first = c.read(sizes, i, "double"), c.mul(i, columns)
        with c.loop(columns) as j:
            place = c.add(first, j)
            c.write(x, place, c.float("fdiv", c.read(x, place, "double"), size), "double")
