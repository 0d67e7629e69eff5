"""Long sums as a few partial ones, side by side.

    ((t0 + t1) + t2) + ...      ->      (t0 + t4 + ...) + (t1 + t5 + ...) + ...

A sum over all parts of a machine waits for every addition before the next one.  In a row of code
other work is done meanwhile; a loop that does nothing else (rolling.py) runs several sums at once.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from armillary.graph.expr import Graph, Node, cone
from armillary.graph.function import FunctionGraph

_SUMS = 4  # a processor adds every cycle, and knows the result four cycles later
_LONG = 24  # terms


@dataclass
class _Sum:
    """One long sum while it is written down again."""

    additions: int
    done: int = 0
    parts: list[Node] = field(default_factory=list)

    def add(self, graph: Graph, term: Node, op: str) -> None:
        if len(self.parts) < _SUMS:
            self.parts.append(graph.node("neg", (term,)) if op == "sub" else term)
        else:
            k = (self.done + 1) % _SUMS
            self.parts[k] = graph.node(op, (self.parts[k], term))
        self.done += 1

    def total(self, graph: Graph) -> Node:
        parts = self.parts
        while len(parts) > 1:
            pairs = zip(parts[::2], parts[1::2], strict=False)
            parts = [graph.node("add", pair) for pair in pairs] + parts[len(parts) & ~1 :]
        return parts[0]


def with_partial_sums(graph: FunctionGraph) -> FunctionGraph:
    """The same function but for rounding."""
    nodes = cone(graph.roots())
    before = _running(nodes, graph)
    sums: dict[int, _Sum] = {}  # by each of their additions
    for node in reversed(nodes):
        if node.index in before and node.index not in sums:
            chain = [node]
            while chain[-1].index in before:
                chain.append(before[chain[-1].index])
            if len(chain) + 1 >= _LONG:
                whole = _Sum(len(chain))
                sums |= {one.index: whole for one in chain}
    new, made = Graph(), dict[int, Node]()
    for node in nodes:
        if node.index not in sums:
            made[node.index] = new.node(node.op, tuple(made[a.index] for a in node.args), node.data)
            continue
        own, last = sums[node.index], before.get(node.index)
        terms = [made[a.index] for a in node.args if a is not last]
        if last is None:
            own.parts.append(terms.pop(0))
        own.add(new, terms[0], node.op)
        if own.done == own.additions:
            made[node.index] = own.total(new)
    outputs = {name: [made[x.index] for x in found] for name, found in graph.outputs.items()}
    return FunctionGraph(graph.inputs, outputs)


def _running(nodes: list[Node], graph: FunctionGraph) -> dict[int, Node]:
    """Of additions, the sum that they go on with: the longer one of those that nothing else
    needs."""
    uses = Counter(a.index for node in nodes for a in node.args)
    uses.update(node.index for node in graph.roots())
    length: dict[int, int] = {}
    before: dict[int, Node] = {}
    for node in nodes:
        if node.op not in ("add", "sub"):
            continue
        may_be = node.args if node.op == "add" else node.args[:1]
        found = [a for a in may_be if a.index in length and uses[a.index] == 1]
        if found:
            before[node.index] = max(found, key=lambda a: length[a.index])
        length[node.index] = 1 + max((length[a.index] for a in found), default=0)
    return before
