"""Small dense equations of one state, as native functions of the loop over time.

Symmetric ones:

    A = Uᵀ D U,    d_j = A_jj - Σ_k U_kj² d_k,    U_ji = (A_ji - Σ_k U_kj U_ki d_k) / d_j

in place: D on the diagonal, U above it; what stands below is not read.  Of a positive semi-definite
matrix, rows that follow from the rows before them have no pivot: they are left out, and the
solution is zero there.  General ones: A = P L U in place, with the largest pivot of every column.
Inner loops run along rows: they use vector registers and round the same on every machine.
"""

from __future__ import annotations

from armillary.codegen.code import Code


def symmetric_text() -> str:
    """`factor(A, kept, lost, n, least)`: kept[j] = 0.0 where row j is left out, from the start or
    because its pivot is not above `least`; the latter are counted in lost.
    `substitute(A, X, n, count)`: A X = B in place, with the factors in A; B (n, count).
    `dot(out, x, y, n)`: out[0] = x · y.
    `take_off(y, x, factor, n)`: y -= factor x."""
    return "\n\n".join([_take_off(), _dot(), _factor(), _substitute()])


def general_text() -> str:
    """`factor_general(A, order, n)`: order[j] is the row that changed places with row j.  A matrix
    without an inverse gives results that are not finite.
    `solve_general(A, order, x, n)`: A x = b in place, with the factors in A.
    `dot` and `take_off` as above."""
    return "\n\n".join([_take_off(), _dot(), _factor_general(), _solve_general()])


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


def _factor_general() -> str:
    c = Code("factor_general", ("ptr noalias %A", "ptr noalias %order", "i64 %n"))
    with c.loop("%n") as j:
        row, after = c.pointer("%A", c.mul(j, "%n"), "double"), c.add(j, 1)
        largest, place = c.number("-1.0"), c.variable(j)
        with c.loop("%n", j) as i:
            entry = c.read("%A", c.add(c.mul(i, "%n"), j), "double")
            size = c.let(f"call double @llvm.fabs.f64(double {entry})")
            with c.when(c.let(f"fcmp ogt double {size}, {c.read_number(largest)}")):
                c.write_number(largest, size)
                c.set(place, i)
        other = c.pointer("%A", c.mul(c.get(place), "%n"), "double")
        c.write("%order", j, c.get(place))
        with c.when(c.let(f"icmp ne i64 {c.get(place)}, {j}")), c.loop("%n") as k:
            _exchange(c, c.pointer(row, k, "double"), c.pointer(other, k, "double"))
        pivot = c.read(row, j, "double")
        rest, length = c.pointer(row, after, "double"), c.sub("%n", after)
        with c.loop("%n", after) as i:
            own = c.pointer("%A", c.add(c.mul(i, "%n"), j), "double")
            share = c.float("fdiv", c.read_number(own), pivot)
            c.write_number(own, share)
            _less(c, c.pointer(own, 1, "double"), rest, share, length)
    return c.text()


def _exchange(c: Code, x: str, y: str) -> None:
    both = c.read_number(x), c.read_number(y)
    c.write_number(x, both[1])
    c.write_number(y, both[0])


def _solve_general() -> str:
    arguments = ("ptr noalias %A", "ptr noalias %order", "ptr noalias %x", "i64 %n")
    c = Code("solve_general", arguments)
    share = c.number()

    def less(i: str, first: str, count: str) -> str:
        """x_i - Σ A_ik x_k, over `count` numbers k from `first` on."""
        row = c.pointer("%A", c.add(c.mul(i, "%n"), first), "double")
        known = c.pointer("%x", first, "double")
        c.do(f"call void @dot(ptr {share}, ptr {row}, ptr {known}, i64 {count})")
        return c.float("fsub", c.read("%x", i, "double"), c.read_number(share))

    with c.loop("%n") as j:
        _exchange(c, c.pointer("%x", j, "double"), c.pointer("%x", c.read("%order", j), "double"))
    with c.loop("%n") as i:
        c.write("%x", i, less(i, "0", i), "double")
    with c.loop("%n") as back:
        i = c.sub(c.sub("%n", 1), back)
        pivot = c.read("%A", c.mul(i, c.add("%n", 1)), "double")
        rest = less(i, c.add(i, 1), back)
        c.write("%x", i, c.float("fdiv", rest, pivot), "double")
    return c.text()
