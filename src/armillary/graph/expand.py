"""Rewrites a graph for the machine: sums of products to fused multiply-adds, sin, cos and tanh to
arithmetic.

Sums: a tree of additions whose inner values nobody else needs is one sum of terms; it becomes a
chain of multiply-adds that starts from the terms that are no products, what is ready first: fewer
operations, and the last to come is waited for once.  Sums in which something cancels stay as they
are written: their rounding is what they are for, as in (x + c) - c or in a compensated sum.
sin and cos: reduce the angle by multiples of pi/2 (Cody and Waite), then the minimax polynomials
of the classic kernels on [-pi/4, pi/4].  With fused multiply-adds the absolute error is below 3e-16
up to |x| = 1e9 (without them up to 1e6, and 6e-8 at 1e9); beyond 1e15 the answer is NaN.
tanh: y / (y + 2) of y = exp(2|x|) - 1 = 2^k (exp(r) - 1) + (2^k - 1), where r, the rest of 2|x|
after multiples of ln 2, is small enough for a series; the relative error is below 5e-16.
Scalar and SIMD code give the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from functools import cache

from armillary.errors import CompileError
from armillary.graph.expr import Address, Graph, Node, cone
from armillary.graph.ops import latency

_TWO_OVER_PI = 0.6366197723675814
# Adding 1.5 * 2^52 (2^23 for float) rounds to an integer and leaves it in the lowest bits.
ROUNDING = {"double": 6755399441055744.0, "float": 12582912.0}
# pi/2 as a sum: full numbers where a fused multiply-add makes the product exact, otherwise
# parts of few bits whose products with small multiples are exact by themselves
_PIO2 = {
    ("double", True): (1.5707963267948966, 6.123233995736766e-17),
    ("double", False): (
        1.57079632673412561417,
        6.07710050630396597660e-11,
        2.02226624871116645580e-21,
        8.47842766036889956997e-32,
    ),
    ("float", True): (1.57079637050628662109375, -4.371139000186241e-08),
    ("float", False): (1.5703125, 4.837512969970703e-4, 7.549533604e-08, 2.5579538487363607e-12),
}
# minimax coefficients of sin(x)/x - 1 and cos(x) - 1 + x²/2 on [-pi/4, pi/4]
_SIN = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
_COS = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)
_ONE_OVER_LN2 = 1.4426950408889634
_LN2 = {  # as _PIO2
    ("double", True): (0.6931471805599453, 2.3190468138462996e-17),
    ("double", False): (6.93147180369123816490e-01, 1.90821492927058770002e-10),
    ("float", True): (0.693147182464599609375, -1.904654299957768e-09),
    ("float", False): (0.693359375, -2.12194440054690583e-04),
}
# exp(r) - 1 - r over r², |r| <= ln 2 / 2: the next term is 2e-17 of the sum, for floats 2e-8
_EXP = {
    "double": tuple(1.0 / math.factorial(n) for n in range(2, 14)),
    "float": tuple(1.0 / math.factorial(n) for n in range(2, 8)),
}
_FLAT = {"double": 20.0, "float": 10.0}  # from here on tanh is 1
_LARGEST_ANGLE = {"double": 1e15, "float": 4e6}  # beyond, sine and cosine have no meaning
_LEAST = 4  # cycles of any operation, as sums see it: their order is part of their bits
_COMPENSATED = 2  # sums inside each other in which a compensated sum finds its terms again
_FLOAT_TERMS = 4  # of those polynomials are enough for single precision


class Expansion:
    """Copies nodes from a traced graph to a machine graph.

    sincos: inputs (name, k) whose sine and cosine the printer makes itself, several at a time; they
    become loads ("sincos", name, k, "sin" or "cos").
    called: functions that the printer calls by their names, and are left as they are.
    marked: names of inputs; sums of 0 * input, marks of bad ones, become loads, too: ("poison",
    inputs).  What the machine has (fma) is the printer's to say."""

    def __init__(
        self,
        fma: bool = True,
        element: str = "double",
        sincos: Collection[Address] = (),
        marked: Collection[str] = (),
        called: Collection[str] = (),
    ):
        self.graph = Graph()
        self.fma, self.element, self.sincos, self.marked = fma, element, sincos, marked
        self.called = called
        self._new: dict[int, Node] = {}
        self._trig: dict[int, tuple[Node, Node]] = {}
        self._depth: dict[int, int] = {}

    def expand(self, roots: Sequence[Node]) -> list[Node]:
        """The machine nodes of the roots."""
        nodes = cone(roots)
        users = _users(nodes, roots)
        inner = {n.index for n in nodes if _is_sum(n) and _inside_a_sum(users[n.index])}
        inner -= _written_for_rounding(nodes, inner)
        fused = {n.index for n in nodes if n.op == "mul" and _inside_a_sum(users[n.index])}
        skipped = inner | fused if self.fma else inner
        for node in nodes:
            if node.index not in skipped:
                self._new[node.index] = self._copy(node, inner)
        return [self._new[root.index] for root in roots]

    def _copy(self, node: Node, inner: set[int]) -> Node:
        if _is_sum(node):
            terms = _terms(node, inner)
            inputs = tuple(self._marked_input(t) for _, t in terms)
            if None not in inputs:
                return self.graph.load("poison", inputs)
            return self._sum(terms)
        args = tuple(self._new[a.index] for a in node.args)
        if node.op in ("sin", "cos"):
            if args[0].op == "load" and args[0].data in self.sincos:
                value = self.graph.load("sincos", *args[0].data, node.op)
                self._depth[value.index] = _sincos_depths(self.fma, self.element)[node.op]
                return value
            return self.sine_cosine(args[0])[0 if node.op == "sin" else 1]
        if node.op == "tanh" and "tanh" not in self.called:
            return self.hyperbolic_tangent(args[0])
        return self.graph.node(node.op, args, node.data)

    # -- sums ------------------------------------------------------------------------------------

    def _marked_input(self, node: Node) -> Address | None:
        """The input of the product 0 * input."""
        if node.op != "mul" or not self.marked:
            return None
        number, other = sorted(node.args, key=lambda a: a.op != "const")
        if number.op != "const" or number.data[1] != 0.0:
            return None
        return other.data if other.op == "load" and other.data[0] in self.marked else None

    def _sum(self, terms: list[tuple[int, Node]]) -> Node:
        """± a*b ± c ... as a chain of multiply-adds, what is ready first comes first.

        A plain term that comes last is added last, behind the products."""
        g = self.graph
        plain = [(sign, self._new[t.index]) for sign, t in terms if t.index in self._new]
        products = []
        for sign, t in terms:
            if t.index not in self._new:
                x, y = (self._new[a.index] for a in t.args)
                products.append((sign, x, y, max(self.ready(x), self.ready(y))))
        products.sort(key=lambda product: product[3])
        late = []
        if len(products) > 1:
            late = [t for t in plain if self.ready(t[1]) > products[-1][3]]
            plain = [t for t in plain if t not in late]
        total = self._add_up(plain) if plain else None
        for sign, x, y, _ in products:
            if sign < 0:
                x = g.node("neg", (x,))
            total = g.node("mul", (x, y)) if total is None else g.node("fma", (x, y, total))
        if late and total is not None:
            total = self._add_up([(1, total), *late])
        if total is None:
            raise CompileError("a sum without terms")
        return total

    def ready(self, node: Node) -> int:
        """Cycles until a value is there, counted from the inputs."""
        known = self._depth.get(node.index)
        if known is not None:
            return known
        stack = [node]
        while stack:
            top = stack[-1]
            if top.index in self._depth:
                stack.pop()
                continue
            missing = [a for a in top.args if a.index not in self._depth]
            if missing:
                stack.extend(missing)
                continue
            longest = max((self._depth[a.index] for a in top.args), default=0)
            own = latency(top.op)
            self._depth[top.index] = longest + (max(own, _LEAST) if own else 0)
            stack.pop()
        return self._depth[node.index]

    def _add_up(self, plain: list[tuple[int, Node]]) -> Node:
        """Sum of signed values, the early ones first; it starts with a positive one if it can."""
        g = self.graph
        plain = sorted(plain, key=lambda term: self.ready(term[1]))
        first = next((k for k, (sign, _) in enumerate(plain) if sign > 0), 0)
        sign, total = plain.pop(first)
        if sign < 0:
            total = g.node("neg", (total,))
        for sign, value in plain:
            total = g.node("add" if sign > 0 else "sub", (total, value))
        return total

    # -- sine and cosine -------------------------------------------------------------------------

    def _madd(self, a: Node, b: Node | float, c: Node | float) -> Node:
        g = self.graph
        if self.fma:
            return g.node("fma", (a, g.lift(b), g.lift(c)))
        return g.node("add", (g.node("mul", (a, g.lift(b))), g.lift(c)))

    def sine_cosine(self, x: Node) -> tuple[Node, Node]:
        """Both of an angle."""
        if x.index in self._trig:
            return self._trig[x.index]
        g = self.graph
        magic = g.constant(ROUNDING[self.element])
        bits = self._madd(x, _TWO_OVER_PI, magic)  # the multiple stands in the lowest bits
        k = g.node("sub", (bits, magic))
        r = self._within_reach(x)
        for part in _PIO2[self.element, self.fma]:
            r = self._madd(k, -part, r)
        r2 = g.node("mul", (r, r))
        sine = self._madd(g.node("mul", (r2, r)), self._polynomial(self._few(_SIN), r2), r)
        half = self._madd(r2, -0.5, 1.0)
        cosine = self._madd(g.node("mul", (r2, r2)), self._polynomial(self._few(_COS), r2), half)
        result = (
            g.node("quadrant_sin", (bits, sine, cosine)),
            g.node("quadrant_cos", (bits, sine, cosine)),
        )
        self._trig[x.index] = result
        return result

    def _within_reach(self, x: Node) -> Node:
        """NaN for angles so large that neighbouring numbers are turns apart."""
        g = self.graph
        limit = g.constant(_LARGEST_ANGLE[self.element])
        inside = g.node("lt", (g.node("abs", (x,)), limit))
        return g.node("select", (inside, x, g.constant(math.nan)))

    def _few(self, coefficients: Sequence[float]) -> Sequence[float]:
        return coefficients[:_FLOAT_TERMS] if self.element == "float" else coefficients

    # -- hyperbolic tangent ----------------------------------------------------------------------

    def hyperbolic_tangent(self, x: Node) -> Node:
        """NaN stays NaN."""
        g, one, zero = self.graph, self.graph.constant(1.0), self.graph.constant(0.0)
        size, flat = g.node("abs", (x,)), g.constant(_FLAT[self.element])
        size = g.node("select", (g.node("lt", (flat, size)), flat, size))
        twice = g.node("add", (size, size))
        magic = g.constant(ROUNDING[self.element])
        bits = self._madd(twice, _ONE_OVER_LN2, magic)  # k stands in the lowest bits
        k, r = g.node("sub", (bits, magic)), twice
        for part in _LN2[self.element, self.fma]:
            r = self._madd(k, -part, r)
        series = self._polynomial(_EXP[self.element], r)
        p = self._madd(g.node("mul", (r, r)), series, r)  # exp(r) - 1
        power = g.node("power_of_two", (bits,))
        y = self._madd(power, p, g.node("sub", (power, one)))
        ratio = g.node("div", (y, g.node("add", (y, g.constant(2.0)))))
        return g.node("select", (g.node("lt", (x, zero)), g.node("neg", (ratio,)), ratio))

    def _polynomial(self, coefficients: Sequence[float], x: Node) -> Node:
        total = self.graph.constant(coefficients[-1])
        for c in reversed(coefficients[:-1]):
            total = self._madd(total, x, c)
        return total


@cache
def _sincos_depths(fma: bool, element: str) -> dict[str, int]:
    """When sine and cosine of an input are ready: sums take them in the same order, whoever makes
    them."""
    expansion = Expansion(fma, element)
    pair = expansion.sine_cosine(expansion.graph.load("angle"))
    return {name: expansion.ready(node) for name, node in zip(("sin", "cos"), pair, strict=True)}


def _is_sum(node: Node) -> bool:
    return node.op in ("add", "sub", "neg")


def _users(nodes: Sequence[Node], roots: Sequence[Node]) -> dict[int, list[Node | None]]:
    users: dict[int, list[Node | None]] = {n.index: [] for n in nodes}
    for node in nodes:
        for arg in node.args:
            users[arg.index].append(node)
    for root in roots:
        users[root.index].append(None)
    return users


def _inside_a_sum(users: list[Node | None]) -> bool:
    """Needed only once, and that by another sum."""
    return len(users) == 1 and users[0] is not None and _is_sum(users[0])


def _written_for_rounding(nodes: Sequence[Node], inner: set[int]) -> set[int]:
    """Inner values of sums in which something cancels."""
    found: set[int] = set()
    for node in nodes:
        if _is_sum(node) and node.index not in inner:
            tree = _tree(node, inner)
            if len(tree) > 1 and _cancels(_terms(node, inner)):
                found.update(tree)
    return found


def _tree(node: Node, inner: set[int]) -> list[int]:
    """A sum, and the inner values that are merged into it."""
    found, stack = [node.index], list(node.args)
    while stack:
        n = stack.pop()
        if n.index in inner:
            found.append(n.index)
            stack.extend(n.args)
    return found


def _cancels(terms: list[tuple[int, Node]]) -> bool:
    """Do constants of both signs meet, or is something in one term that another takes away?"""
    constants = [sign * t.data[1] for sign, t in terms if t.op == "const"]
    if min(constants, default=0.0) < 0.0 < max(constants, default=0.0):
        return True
    seen: set[tuple[int, int]] = set()
    for sign, term in terms:
        own = _summands(sign, term)
        if any((-s, k) in seen for s, k in own):
            return True
        seen |= own
    return False


def _summands(sign: int, term: Node) -> set[tuple[int, int]]:
    """A term and what it is the sum of, as signed nodes, down to two sums inside each other."""
    found, level = {(sign, term.index)}, [(sign, term)]
    for _ in range(_COMPENSATED):
        level = [
            (-s if n.op == "neg" or (n.op == "sub" and k) else s, a)
            for s, n in level
            if _is_sum(n)
            for k, a in enumerate(n.args)
        ]
        found |= {(s, n.index) for s, n in level}
    return found


def _terms(node: Node, inner: set[int]) -> list[tuple[int, Node]]:
    """Signed terms of a tree of additions, in the order they are written."""
    terms: list[tuple[int, Node]] = []
    stack = [(1, node)]
    while stack:  # sums of thousands of terms are deeper than Python's own stack
        sign, n = stack.pop()
        if n is not node and n.index not in inner:
            terms.append((sign, n))
        elif n.op == "neg":
            stack.append((-sign, n.args[0]))
        else:
            stack.append((-sign if n.op == "sub" else sign, n.args[1]))
            stack.append((sign, n.args[0]))
    return terms
