"""Small dense symmetric equations of one state, as native functions of the loop over time.

    A = Uᵀ D U,    d_j = A_jj - Σ_k U_kj² d_k,    U_ji = (A_ji - Σ_k U_kj U_ki d_k) / d_j

in place: D on the diagonal, U above it; what stands below is not read.  Of a positive semi-definite
matrix, rows that follow from the rows before them have no pivot: they are left out, and the
solution is zero there.  Inner loops run along rows: they use vector registers and round the same on
every machine.
"""

from __future__ import annotations

from armillary.codegen.code import Code


def dense_text() -> str:
    """`factor(A, kept, lost, n, least)`: kept[j] = 0.0 where row j is left out, from the start or
    because its pivot is not above `least`; the latter are counted in lost.
    `substitute(A, X, n, count)`: A X = B in place, with the factors in A; B (n, count).
    `dot(out, x, y, n)`: out[0] = x · y.
    `take_off(y, x, factor, n)`: y -= factor x."""
    return "\n\n".join([_take_off(), _dot(), _factor(), _substitute()])


def _take_off() -> str:
    c = Code("take_off", ("ptr noalias %y", "ptr noalias %x", "double %factor", "i64 %n"))
    with c.when(c.let("fcmp une double %factor, 0.0")), c.loop("%n") as k:
        product = c.float("fmul", "%factor", c.read("%x", k, "double"))
        c.write("%y", k, c.float("fsub", c.read("%y", k, "double"), product), "double")
    return c.text()


def _dot() -> str:
    c = Code("dot", ("ptr noalias %out", "ptr %x", "ptr %y", "i64 %n"))
    total = c.number()
    with c.loop("%n") as k:
        product = c.float("fmul", c.read("%x", k, "double"), c.read("%y", k, "double"))
        c.accumulate(total, "fadd", product)
    c.write_number("%out", c.read_number(total))
    return c.text()


def _factor() -> str:
    arguments = ("ptr noalias %A", "ptr noalias %kept", "ptr noalias %lost", "i64 %n")
    c = Code("factor", (*arguments, "double %least"))
    with c.loop("%n") as j:
        row, after = c.pointer("%A", c.mul(j, "%n"), "double"), c.add(j, 1)
        pivot = c.read(row, j, "double")
        wanted = c.let(f"fcmp une double {c.read('%kept', j, 'double')}, 0.0")
        good = c.let(f"and i1 {wanted}, {c.let(f'fcmp ogt double {pivot}, %least')}")
        with c.when(c.let(f"xor i1 {good}, true")):
            missed = c.let(f"zext i1 {wanted} to i64")
            c.write("%lost", 0, c.add(c.read("%lost", 0), missed))
            c.write("%kept", j, "0.0", "double")
            with c.loop("%n", j) as k:
                c.write(row, k, "0.0", "double")
        with c.when(good):
            with c.loop("%n", after) as i:
                share = c.float("fdiv", c.read(row, i, "double"), pivot)
                other = c.pointer("%A", c.mul(i, c.add("%n", 1)), "double")
                source = c.pointer(row, i, "double")
                _less(c, other, source, share, c.sub("%n", i))
            with c.loop("%n", after) as k:
                c.write(row, k, c.float("fdiv", c.read(row, k, "double"), pivot), "double")
    return c.text()


def _less(c: Code, y: str, x: str, factor: str, n: str) -> None:
    c.do(f"call void @take_off(ptr {y}, ptr {x}, double {factor}, i64 {n})")


def _substitute() -> str:
    c = Code("substitute", ("ptr noalias %A", "ptr noalias %X", "i64 %n", "i64 %count"))

    def line(k: str) -> str:
        return c.pointer("%X", c.mul(k, "%count"), "double")

    with c.loop("%n") as i:
        row = c.pointer("%A", c.mul(i, "%n"), "double")
        with c.loop("%n", c.add(i, 1)) as k:
            _less(c, line(k), line(i), c.read(row, k, "double"), "%count")
        pivot = c.read(row, i, "double")
        there = c.let(f"fcmp une double {pivot}, 0.0")
        safe = c.let(f"select i1 {there}, double {pivot}, double 1.0")
        own = line(i)
        with c.loop("%count") as k:
            share = c.float("fdiv", c.read(own, k, "double"), safe)
            c.write(own, k, c.let(f"select i1 {there}, double {share}, double 0.0"), "double")
    with c.loop("%n") as back:
        i = c.sub(c.sub("%n", 1), back)
        row = c.pointer("%A", c.mul(i, "%n"), "double")
        with c.loop("%n", c.add(i, 1)) as k:
            _less(c, line(i), line(k), c.read(row, k, "double"), "%count")
    return c.text()
