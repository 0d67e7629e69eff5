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
    return "\n\n".join([_take_off(), _dot(), *symmetric_parts()])


def symmetric_parts() -> list[str]:
    """`factor` and `substitute` alone, beside other text with `take_off`."""
    return [_factor(), _substitute()]


def general_text() -> str:
    """`factor_general(A, order, n)`: order[j] is the row that changed places with row j.  A matrix
    without an inverse gives results that are not finite.
    `solve_general(A, order, x, n)`: A x = b in place, with the factors in A.
    `dot` and `take_off` as above."""
    return "\n\n".join([_take_off(), _dot(), *general_parts()])


def general_parts() -> list[str]:
    """`factor_general` and `solve_general` alone, beside other text with `dot` and `take_off`."""
    return [_factor_general(), _solve_general()]


def phi_text() -> str:
    """`phi_functions(P, R, X, S, n)`: P = φ₁(X), R = φ₂(X) of X (n, n); S is work space.
    The others as of `product_text`."""
    return f"{product_text()}\n\n{_phi_functions()}"


def product_text() -> str:
    """`add_product(out, A, B, factor, rows, inner, columns)`: out += factor A B.
    `dot` and `take_off` as above."""
    return "\n\n".join([_take_off(), _dot(), _add_product()])


def _add_product() -> str:
    arguments = ("ptr noalias %out", "ptr %A", "ptr %B", "double %factor")
    c = Code("add_product", (*arguments, "i64 %rows", "i64 %inner", "i64 %columns"))
    with c.loop("%rows") as i:
        row = c.pointer("%out", c.mul(i, "%columns"), "double")
        line = c.pointer("%A", c.mul(i, "%inner"), "double")
        with c.loop("%inner") as k:
            entry = c.float("fmul", c.read(line, k, "double"), "%factor")
            source = c.pointer("%B", c.mul(k, "%columns"), "double")
            _less(c, row, source, c.let(f"fneg double {entry}"), "%columns")
    return c.text()


_SMALL, _TERMS, _MOST = 0.25, 15, 1100  # norm for the series; its terms; halvings of any double


def _phi_functions() -> str:
    """The series of X / 2^s, 2 φ₂ = 1 + X/3 (1 + X/4 (...)), φ₁ = 1 + X φ₂, then s times
    φ₂(2X) = (φ₁² + 2 φ₂) / 4,  φ₁(2X) = φ₁ + X φ₁² / 2.  An X that is not finite gives none."""
    c = Code("phi_functions", (*(f"ptr noalias %{x}" for x in "PRXS"), "i64 %n"))
    all_ = c.mul("%n", "%n")

    def scaled(x: str, factor: str) -> None:
        with c.loop(all_) as k:
            c.write(x, k, c.float("fmul", c.read(x, k, "double"), factor), "double")

    def add(out: str, A: str, B: str, factor: str) -> None:
        sizes = ", ".join(["i64 %n"] * 3)
        c.do(f"call void @add_product(ptr {out}, ptr {A}, ptr {B}, double {factor}, {sizes})")

    def one(x: str) -> None:
        cleared(x)
        with c.loop("%n") as i:
            c.write(x, c.mul(i, c.add("%n", 1)), "1.0", "double")

    def cleared(x: str) -> None:
        with c.loop(all_) as k:
            c.write(x, k, "0.0", "double")

    halvings = _halved(c)
    one("%R")
    with c.loop(_TERMS) as j:
        number = c.let(f"sitofp i64 {c.sub(str(_TERMS + 2), j)} to double")
        one("%S")
        add("%S", "%X", "%R", c.float("fdiv", "1.0", number))
        _copied(c, "%R", "%S", all_)
    scaled("%R", "0.5")
    one("%P")
    add("%P", "%X", "%R", "1.0")
    with c.loop(halvings):
        cleared("%S")
        add("%S", "%P", "%P", "1.0")
        with c.loop(all_) as k:
            twice = c.float("fmul", c.read("%R", k, "double"), "2.0")
            both = c.float("fadd", c.read("%S", k, "double"), twice)
            c.write("%R", k, c.float("fmul", both, "0.25"), "double")
        add("%P", "%X", "%S", "0.5")
        scaled("%X", "2.0")
    return c.text()


def _halved(c: Code) -> str:
    """X halved until its norm is small; how often."""
    largest, total = c.number(), c.number()
    with c.loop("%n") as i:
        c.write_number(total, "0.0")
        with c.loop("%n") as k:
            entry = c.read("%X", c.add(c.mul(i, "%n"), k), "double")
            size = c.let(f"call double @llvm.fabs.f64(double {entry})")
            c.accumulate(total, "fadd", size)
        larger = c.let(f"fcmp ugt double {c.read_number(total)}, {c.read_number(largest)}")
        with c.when(larger):
            c.write_number(largest, c.read_number(total))
    count = c.variable(0)
    with c.forever() as loop:
        small = c.let(f"fcmp ule double {c.read_number(largest)}, {_SMALL}")
        c.break_if(loop, c.let(f"or i1 {small}, {c.equal(c.get(count), _MOST)}"))
        c.write_number(largest, c.float("fmul", c.read_number(largest), "0.5"))
        c.set(count, c.add(c.get(count), 1))
        with c.loop(c.mul("%n", "%n")) as k:
            half = c.float("fmul", c.read("%X", k, "double"), "0.5")
            c.write("%X", k, half, "double")
    return c.get(count)


def _copied(c: Code, out: str, source: str, count: str) -> None:
    with c.loop(count) as k:
        c.write(out, k, c.read(source, k, "double"), "double")


def _take_off() -> str:
    c = Code("take_off", ("ptr noalias %y", "ptr noalias %x", "double %factor", "i64 %n"))
    with c.when(c.let("fcmp une double %factor, 0.0")), c.loop("%n") as k:
        product = c.float("fmul", "%factor", c.read("%x", k, "double"))
        c.write("%y", k, c.float("fsub", c.read("%y", k, "double"), product), "double")
    return c.text()


def _dot() -> str:
    """By four sums side by side: an addition waits for the one before it."""
    c = Code("dot", ("ptr noalias %out", "ptr %x", "ptr %y", "i64 %n"))
    sums = [c.number() for _ in range(4)]

    def term(k: str) -> str:
        return c.float("fmul", c.read("%x", k, "double"), c.read("%y", k, "double"))

    whole = c.let("and i64 %n, -4")
    with c.loop(whole, step=4) as k:
        for i, total in enumerate(sums):
            c.accumulate(total, "fadd", term(c.add(k, i)))
    with c.loop("%n", whole) as k:
        c.accumulate(sums[0], "fadd", term(k))
    one, two = (c.float("fadd", *(c.read_number(x) for x in pair)) for pair in (sums[:2], sums[2:]))
    c.write_number("%out", c.float("fadd", one, two))
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
