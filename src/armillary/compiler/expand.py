"""Rewrites a graph for the machine: sin and cos to arithmetic, a*b + c to fused multiply-adds.

sin and cos: reduce the angle by multiples of pi/2 in three parts (Cody and Waite), then the
minimax polynomials of the classic kernels on [-pi/4, pi/4].  Absolute error below 3e-16 up to
|x| = 1e5 and slowly growing after that; scalar and SIMD code give the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence

from armillary.compiler.expr import Graph, Leaf, Node, cone

_TWO_OVER_PI = 0.6366197723675814
# pi/2 as a sum: full doubles where a fused multiply-add makes the product exact, otherwise
# parts of 33 bits whose products with small multiples are exact by themselves
_PIO2_FUSED = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33)
_PIO2_PLAIN = (1.57079632673412561417, 6.07710050630396597660e-11, 2.02226624871116645580e-21,
               8.47842766036889956997e-32)  # fmt: skip
# minimax coefficients of sin(x)/x - 1 and cos(x) - 1 + x²/2 on [-pi/4, pi/4]
_SIN = (-1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04,
        2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10)
_COS = (4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
        -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11)


class Expansion:
    """Copies nodes from a traced graph to a machine graph."""

    def __init__(self, fma: bool = True):
        self.graph = Graph()
        self.fma = fma
        self._new: dict[int, Node] = {}
        self._trig: dict[int, tuple[Node, Node]] = {}

    def expand(self, roots: Sequence[Node]) -> list[Node]:
        """The machine nodes of the roots."""
        nodes = cone(roots)
        uses: dict[int, int] = {}
        for node in nodes:
            for arg in node.args:
                uses[arg.index] = uses.get(arg.index, 0) + 1
        for root in roots:
            uses[root.index] = uses.get(root.index, 0) + 1
        for node in nodes:
            if node.index not in self._new:
                self._new[node.index] = self._copy(node, uses)
        return [self._new[root.index] for root in roots]

    def _copy(self, node: Node, uses: dict[int, int]) -> Node:
        args = tuple(self._new[a.index] for a in node.args)
        if node.op in ("sin", "cos"):
            return self._sine_cosine(args[0])[0 if node.op == "sin" else 1]
        if node.op in ("add", "sub") and self.fma:
            return self._fused(node, args, uses)
        return self.graph.node(node.op, args, node.data)

    def _fused(self, node: Node, args: tuple[Node, ...], uses: dict[int, int]) -> Node:
        """x*y + c, c - x*y, x*y - c as one operation where the product has no other use."""
        g = self.graph
        first, second = node.args
        once = [n.op == "mul" and uses[n.index] == 1 for n in (first, second)]
        if once[1]:
            x, y = (self._new[a.index] for a in second.args)
            if node.op == "sub":
                x = g.node("neg", (x,))
            return g.node("fma", (x, y, args[0]))
        if once[0]:
            x, y = (self._new[a.index] for a in first.args)
            c = args[1] if node.op == "add" else g.node("neg", (args[1],))
            return g.node("fma", (x, y, c))
        return g.node(node.op, args)

    def _madd(self, a: Node, b: Node | float, c: Node | float) -> Node:
        g = self.graph
        if self.fma:
            return g.node("fma", (a, g.lift(b), g.lift(c)))
        return g.node("add", (g.node("mul", (a, g.lift(b))), g.lift(c)))

    def _sine_cosine(self, x: Node) -> tuple[Node, Node]:
        if x.index in self._trig:
            return self._trig[x.index]
        g = self.graph
        k = g.node("round", (g.node("mul", (x, g.constant(_TWO_OVER_PI))),))
        r = x
        for part in _PIO2_FUSED if self.fma else _PIO2_PLAIN:
            r = self._madd(k, -part, r)
        r2 = g.node("mul", (r, r))
        s = self._polynomial(_SIN, r2)
        sine = self._madd(g.node("mul", (r2, r)), s, r)
        c = self._polynomial(_COS, r2)
        half = self._madd(r2, -0.5, 1.0)
        cosine = self._madd(g.node("mul", (r2, r2)), c, half)
        # quadrant k mod 4 = 0, 1, 2, 3 without integers: fractions of k/2 and k/4
        odd = self._fraction(k, 0.5)  # 0 or 0.5
        upper = self._fraction(self._madd(k, 1.0, 1.0), 0.25)  # of (k + 1)/4
        is_odd = g.node("lt", (g.constant(0.25), odd))
        sine_negative = g.node("lt", (g.constant(0.4), self._fraction(k, 0.25)))
        cosine_negative = g.node("lt", (g.constant(0.4), upper))
        raw_sine = g.node("select", (is_odd, cosine, sine))
        raw_cosine = g.node("select", (is_odd, sine, cosine))
        result = (
            g.node("select", (sine_negative, g.node("neg", (raw_sine,)), raw_sine)),
            g.node("select", (cosine_negative, g.node("neg", (raw_cosine,)), raw_cosine)),
        )
        self._trig[x.index] = result
        return result

    def _fraction(self, k: Node, scale: float) -> Node:
        g = self.graph
        scaled = g.node("mul", (k, g.constant(scale)))
        return g.node("sub", (scaled, g.node("floor", (scaled,))))

    def _polynomial(self, coefficients: Sequence[float], x: Node) -> Node:
        total: Leaf = self.graph.constant(coefficients[-1])
        for c in reversed(coefficients[:-1]):
            total = self._madd(total, x, c)  # type: ignore[arg-type]
        return total  # type: ignore[return-value]
