"""Graphs evaluated over other scalars: symbols of another library, many digits, another graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from armillary.graph.expr import Address, Graph, Leaf, Node, cone
from armillary.graph.ops import OPS
from armillary.scalar import Scalar


def evaluate(
    roots: Iterable[Node],
    load: Callable[[Address], Scalar],
    constant: Callable[[float], Scalar],
) -> dict[int, Scalar]:
    """Values of the roots and of all they depend on, by index.

    load gives the value of an address, constant that of a number in the graph."""
    values: dict[int, Scalar] = {}
    for node in cone(roots):
        if node.op == "load":
            values[node.index] = load(node.data)
        elif node.op == "const":
            values[node.index] = constant(node.data[1])
        else:
            values[node.index] = OPS[node.op].value(*(values[a.index] for a in node.args))
    return values


def fold_zeros(roots: Iterable[Node]) -> dict[int, Node]:
    """The same in a new graph where numbers equal to 0, 1 and -1 vanish from products and sums.

    0 * x becomes 0 even for an x that is not finite: for finite inputs only."""
    graph = Graph()
    whole = {0.0: 0, 1.0: 1, -1.0: -1}

    def constant(x: float) -> Leaf:
        return whole[x] if x in whole else graph.constant(x)

    values = evaluate(roots, lambda address: graph.load(*address), constant)
    return {index: graph.lift(value) for index, value in values.items()}
