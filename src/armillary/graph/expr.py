"""Expression graphs: nodes that stand in for scalars while an algorithm runs once.

A node is made only once for the same operation on the same arguments (hash-consing), so common
subexpressions are shared from the start.  The Python integers 0, 1 and -1 are structural and fold
away; floats do not, because 0.0 * x is not zero when x is infinite.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from math import inf
from typing import Any, TypeAlias

from armillary.errors import CompileError
from armillary.graph.ops import OPS
from armillary.scalar import Around, Table

Leaf: TypeAlias = "Node | float"  # or a structural integer
Address: TypeAlias = tuple[Any, ...]  # of a load: (where, which number, ...), of any kind


class TooLong(Exception):  # noqa: N818 - no error: there is another way
    """A graph has more operations than it may have."""


class Graph:
    """The home of a family of nodes.  most: operations that it may have, those that no result needs
    among them; with one more it raises `TooLong`."""

    def __init__(self, most: float = inf) -> None:
        self._known: dict[tuple[str, tuple[Node, ...], Address], Node] = {}
        self.nodes: list[Node] = []
        self._left = most

    def node(self, op: str, args: tuple[Node, ...] = (), data: Address = ()) -> Node:
        key = (op, args, data)
        found = self._known.get(key)
        if found is None:
            found = Node(self, op, args, data, len(self.nodes))
            self._known[key] = found
            self.nodes.append(found)
            if args:
                self._left -= 1
                if self._left < 0:
                    raise TooLong
        return found

    def constant(self, value: float) -> Node:
        value = float(value)
        # -0.0 and 0.0 are different constants: known by their text
        return self.node("const", (), (repr(value), value))

    def load(self, *address: object) -> Node:
        """A number that stands in memory when the kernel runs."""
        return self.node("load", (), address)

    def inputs(self, sizes: Mapping[str, int]) -> dict[str, list[Node]]:
        """Named lists of numbers: the loads (name, number)."""
        return {name: [self.load(name, k) for k in range(n)] for name, n in sizes.items()}

    def lift(self, x: Leaf) -> Node:
        if isinstance(x, Node):
            return x
        if isinstance(x, (int, float)):
            return self.constant(x)
        raise CompileError(f"cannot use {x!r} ({type(x).__name__}) in a traced expression.")

    def apply(self, op: str, *args: Leaf) -> Node:
        lifted = tuple([a if isinstance(a, Node) else self.lift(a) for a in args])
        for a in lifted:
            if a.op != "const":
                return self.node(op, lifted)
        if OPS[op].result != "number":
            return self.node(op, lifted)
        return self.constant(OPS[op].value(*(a.data[1] for a in lifted)))

    def commuting(self, op: str, a: Node, b: Node) -> Node:
        """Commuting operands in one order, so that x + y and y + x are one node."""
        args = (b, a) if a.index > b.index else (a, b)
        return self.apply(op, *args) if a.op == b.op == "const" else self.node(op, args)


class Node:
    """One value of the graph; arithmetic on it makes new nodes."""

    __slots__ = ("args", "data", "graph", "index", "op")

    def __init__(self, graph: Graph, op: str, args: tuple[Node, ...], data: Address, index: int):
        self.graph, self.op, self.args, self.index = graph, op, args, index
        self.data = (
            data  # of a load its address, of a constant (text, number), of a lookup (table, column)
        )

    # Structural rules: what may be folded without knowing any value.

    def __add__(self, o: Leaf) -> Leaf:
        if type(o) is not Node:
            if isinstance(o, Around):  # a dual of nodes, say
                return NotImplemented
            return self if _is(o, 0) else self.graph.apply("add", self, o)
        if o.op == "neg":
            return self - o.args[0]
        if self.op == "neg":
            return o - self.args[0]
        return self.graph.commuting("add", self, o)

    __radd__ = __add__

    def __sub__(self, o: Leaf) -> Leaf:
        if isinstance(o, Around):  # a dual of nodes, say
            return NotImplemented
        if _is(o, 0):
            return self
        if o is self:
            return 0
        if isinstance(o, Node) and o.op == "neg":
            return self + o.args[0]
        return self.graph.apply("sub", self, o)

    def __rsub__(self, o: Leaf) -> Leaf:
        if isinstance(o, Around):  # a dual of nodes, say
            return NotImplemented
        return -self if _is(o, 0) else self.graph.apply("sub", o, self)

    def __mul__(self, o: Leaf) -> Leaf:
        if type(o) is not Node:
            return self._times(o)
        if o.op == "neg":
            return -(self * o.args[0])
        if self.op == "neg":
            return -(self.args[0] * o)
        if _reciprocal(self, o) or _reciprocal(o, self):
            return 1
        return self.graph.commuting("mul", self, o)

    def _times(self, o: Leaf) -> Leaf:
        """Times a number, or what stands around nodes."""
        if isinstance(o, Around):  # a dual of nodes, say
            return NotImplemented
        if _is(o, 0):
            return 0
        if _is(o, 1):
            return self
        return -self if _is(o, -1) else self.graph.apply("mul", self, o)

    __rmul__ = __mul__

    def __truediv__(self, o: Leaf) -> Leaf:
        if isinstance(o, Around):  # a dual of nodes, say
            return NotImplemented
        if _is(o, 1):
            return self
        if o is self and self.op != "const":
            return 1
        return self.graph.apply("div", self, o)

    def __rtruediv__(self, o: Leaf) -> Leaf:
        if isinstance(o, Around):  # a dual of nodes, say
            return NotImplemented
        return 0 if _is(o, 0) else self.graph.apply("div", o, self)

    def __neg__(self) -> Leaf:
        if self.op == "neg":
            return self.args[0]
        if self.op == "sub":
            return self.args[1] - self.args[0]
        return self.graph.apply("neg", self)

    def __pos__(self) -> Node:
        return self

    def __abs__(self) -> Node:
        return self.graph.apply("abs", self)

    def __pow__(self, n: Leaf) -> Leaf:
        """Whole and half powers, by products and a root."""
        if isinstance(n, Node | Around) or 2 * n != int(2 * n):
            raise CompileError(
                f"a traced step asked for the power {n!r} of a value that is only known when the "
                f"kernel runs. Whole and half powers can be compiled; armillary.scalar has exp."
            )
        whole, half = divmod(int(2 * abs(n)), 2)
        found: Leaf = 1
        for bit in f"{whole:b}":  # x^13 = ((x² x)²)² x
            found = found * found * (self if bit == "1" else 1)
        found = found * self.sqrt() if half else found
        return found if n >= 0 else 1.0 / found

    def __float__(self) -> float:
        raise CompileError(
            "a traced step asked for the number of a value that is only known when the kernel "
            "runs (float, math.sqrt, ...). Use armillary.scalar: sqrt, sin, where, ..."
        )

    def __lt__(self, o: Leaf) -> Node:
        return self.graph.apply("lt", self, o) if not isinstance(o, Around) else NotImplemented

    def __le__(self, o: Leaf) -> Node:
        return self.graph.apply("le", self, o) if not isinstance(o, Around) else NotImplemented

    def __gt__(self, o: Leaf) -> Node:
        return self.graph.apply("lt", o, self) if not isinstance(o, Around) else NotImplemented

    def __ge__(self, o: Leaf) -> Node:
        return self.graph.apply("le", o, self) if not isinstance(o, Around) else NotImplemented

    def __bool__(self) -> bool:
        raise CompileError(
            "a traced step asked `if` of a value that is only known when the kernel runs. "
            "Use armillary.scalar.where(condition, yes, no)."
        )

    def where(self, yes: Leaf, no: Leaf) -> Leaf:
        if yes is no:
            return yes
        return self.graph.apply("select", self, yes, no)

    def sin(self) -> Node:
        return self.graph.apply("sin", self)

    def cos(self) -> Node:
        return self.graph.apply("cos", self)

    def sqrt(self) -> Node:
        return self.graph.apply("sqrt", self)

    def exp(self) -> Node:
        return self.graph.apply("exp", self)

    def tanh(self) -> Node:
        return self.graph.apply("tanh", self)

    def lookup(self, table: Table, column: int) -> Node:
        if self.op == "const":
            return self.graph.constant(table.at(self.data[1], column))
        return self.graph.node("lookup", (self,), (table, column))

    @staticmethod
    def atan2(y: Leaf, x: Leaf) -> Node:
        graph = next(z.graph for z in (y, x) if isinstance(z, Node))
        return graph.apply("atan2", y, x)

    def __repr__(self) -> str:
        if self.op == "const":
            return f"{self.data[1]:g}"
        if self.op == "load":
            return "/".join(str(d) for d in self.data)
        return f"{self.op}#{self.index}"


def _is(x: Leaf, value: int) -> bool:
    """A structural integer: the int itself, never a float that happens to equal it."""
    return type(x) is int and x == value


def _reciprocal(x: Node, y: Node) -> bool:
    """Is y the node 1 / x?  (x * (1/x) -> 1 lets rows of an elimination vanish.)"""
    return y.op == "div" and y.args[1] is x and y.args[0].op == "const" and y.args[0].data[1] == 1.0


def cone(roots: Iterable[Node]) -> list[Node]:
    """All nodes the roots depend on, arguments before users (order of creation)."""
    seen: set[int] = set()
    found: list[Node] = []
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node.index not in seen:
            seen.add(node.index)
            found.append(node)
            stack.extend(node.args)
    return sorted(found, key=lambda n: n.index)


@contextmanager
def growing() -> Iterator[None]:
    """While a graph grows there is nothing to collect: its nodes hold each other.  Python's
    collector would look for it all the same, in everything that lives; that took a seventh of all
    compilation."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
