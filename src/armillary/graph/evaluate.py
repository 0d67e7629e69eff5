"""Graphs evaluated over other scalars: symbols of another library, many digits, another graph."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

from armillary import scalar
from armillary.graph.expr import Graph, Leaf, Node, cone

_VALUES: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": operator.neg,
    "abs": abs,
    "lt": operator.lt,
    "le": operator.le,
    "eq": operator.eq,
    "select": scalar.where,
    "sin": scalar.sin,
    "cos": scalar.cos,
    "sqrt": scalar.sqrt,
    "exp": scalar.exp,
    "tanh": scalar.tanh,
    "atan2": scalar.atan2,
}


def evaluate(
    roots: Iterable[Node],
    load: Callable[[tuple[Any, ...]], Any],
    constant: Callable[[float], Any],
) -> dict[int, Any]:
    """Values of the roots and of all they depend on, by index.

    load gives the value of an address, constant that of a number in the graph."""
    values: dict[int, Any] = {}
    for node in cone(roots):
        if node.op == "load":
            values[node.index] = load(node.data)
        elif node.op == "const":
            values[node.index] = constant(node.data[1])
        else:
            values[node.index] = _VALUES[node.op](*(values[a.index] for a in node.args))
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
