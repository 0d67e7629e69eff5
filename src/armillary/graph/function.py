"""A function as a graph: what every printer starts from, as a block of code, and its values over
other scalars."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from armillary.graph.expr import Address, Graph, Leaf, Node, cone
from armillary.graph.ops import OPS
from armillary.scalar import Scalar, lookup


@dataclass(frozen=True)
class Store:
    """Put `node` at `address`."""

    address: Address
    node: Node


@dataclass
class Block:
    """One piece of straight-line code, run for one item in one pass."""

    name: str
    stage: int  # number of the pass
    stores: list[Store] = field(default_factory=list)
    early: list[Node] = field(default_factory=list)  # computed here, needed in later passes only


@dataclass(frozen=True)
class FunctionGraph:
    """Named lists of numbers in, named lists of numbers out.  Every load is (input name, number).

    inputs: how many numbers each has.  outputs: a node per number."""

    inputs: Mapping[str, int]
    outputs: Mapping[str, Sequence[Node]]

    def roots(self) -> list[Node]:
        """The nodes of all outputs, one output after the other."""
        return [node for nodes in self.outputs.values() for node in nodes]

    def operations(self) -> int:
        """How many, a sine or cosine counted as one."""
        return sum(node.op not in ("const", "load") for node in cone(self.roots()))

    def block(self, name: str = "straight") -> Block:
        """As one piece of code, whose stores are (output name, number)."""
        stores = [
            Store((output, k), node)
            for output, nodes in self.outputs.items()
            for k, node in enumerate(nodes)
        ]
        return Block(name, 0, stores)

    def values(self, given: Mapping[str, Sequence[float]]) -> list[float]:
        """All outputs, one after the other, for these inputs; those that are not given are 0."""
        found = evaluate(
            self.roots(), lambda at: float(given[at[0]][at[1]]) if at[0] in given else 0.0, float
        )
        return [found[node.index] for node in self.roots()]

    def bound(self, known: Mapping[str, Sequence[float]]) -> FunctionGraph:
        """The same function with constants in the place of some inputs."""
        graph = Graph()

        def load(address: Address) -> Node:
            name, k = address
            return graph.constant(known[name][k]) if name in known else graph.load(name, k)

        values = evaluate(self.roots(), load, graph.constant)
        outputs = {
            name: [graph.lift(values[node.index]) for node in nodes]
            for name, nodes in self.outputs.items()
        }
        inputs = {name: size for name, size in self.inputs.items() if name not in known}
        return FunctionGraph(inputs, outputs)


def evaluate(
    roots: Iterable[Node],
    load: Callable[[Address], Scalar],
    constant: Callable[[float], Scalar],
) -> dict[int, Scalar]:
    """Values of the roots and of all they depend on, by index: floats, symbols of another library,
    many digits, nodes of another graph.

    load gives the value of an address, constant that of a number in the graph."""
    values: dict[int, Scalar] = {}
    for node in cone(roots):
        if node.op == "load":
            values[node.index] = load(node.data)
        elif node.op == "const":
            values[node.index] = constant(node.data[1])
        elif node.op == "lookup":
            table, column = node.data
            values[node.index] = lookup(table, values[node.args[0].index], column)
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
