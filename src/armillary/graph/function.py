"""A function as a graph: what every printer starts from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from armillary.graph.cut import Block, Store
from armillary.graph.evaluate import evaluate
from armillary.graph.expr import Address, Graph, Node, cone


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
