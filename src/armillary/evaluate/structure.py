"""What of a mechanism stands in its straight-line code, and what in a table behind it.

Structure is in the code: which bodies hang on which, types of joints, and of the numbers (masses,
lengths, tensors, springs, frames of loads) which are 0, 1 or -1 and which are equal.  The numbers
themselves are entries of a table.  What depends on them alone (a product of a mass and a length) is
worked out once for every mechanism, and is an entry, too.  So an edited mechanism runs the code
that is there, and one structure has one code, whichever mechanism came first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple, TypedDict

import numpy as np

from armillary.codegen.cache import key_of
from armillary.evaluate.fingerprint import identity
from armillary.evaluate.request import Request
from armillary.graph.ops import OPS
from armillary.model.lowering.tree import Tables
from armillary.scalar import Scalar

if TYPE_CHECKING:  # what is known of a structure is found again without a trace
    from armillary.evaluate.specialise import Number
    from armillary.graph.expr import Graph, Leaf, Node
    from armillary.graph.function import FunctionGraph

PLACE: Literal["number"] = "number"  # of the table, among the addresses of codegen/abi.py
_ROOT = 2.0**0.5


class Derivation(TypedDict):
    """How the table follows from the numbers: plain data, which is kept beside the code.

    steps: [operation, steps before it ...], ["load", number of the mechanism] or ["const", x].
    entries: the steps whose values are the table."""

    steps: list[list[str | int | float]]
    entries: list[int]


class Tabled(NamedTuple):
    """A function over a table, and how that follows from the numbers of a mechanism."""

    graph: FunctionGraph
    derivation: Derivation

    def operations(self) -> int:
        return self.graph.operations()


@dataclass(frozen=True)
class Structure:
    """identity: equal where the code is.  numbers: all that are not 0, 1 or -1, each once, in the
    order in which they are met."""

    identity: str
    numbers: dict[float, int]

    def tabled(
        self, request: Request, tables: Tables, frame_body: int | None, most: float
    ) -> Tabled:
        """What is asked, of any mechanism of this structure; the tables are those of one."""
        from armillary.evaluate.specialise import shortest, traced

        return shortest(
            request,
            lambda asked: with_table(traced(asked, tables, frame_body, most, self._leaf)),
        )

    def _leaf(self, graph: Graph) -> Number:
        """How a number of the mechanism stands in a trace."""
        from armillary.graph.expr import Node

        def number(x: Scalar) -> Leaf:
            if isinstance(x, Node):
                return x
            return int(x) if x in (0, 1, -1) else graph.load(PLACE, self.numbers[float(x)])

        return number

    def table(self, derivation: Derivation) -> np.ndarray:
        """All entries, for the numbers of this mechanism."""
        given, values = list(self.numbers), []
        for op, *args in derivation["steps"]:
            if op == "load":
                values.append(given[int(args[0])])
            elif op == "const":
                values.append(float(args[0]))
            else:
                values.append(OPS[str(op)].value(*(values[int(k)] for k in args)))
        return np.array([values[k] for k in derivation["entries"]] or [0.0])


def structure_of(request: Request, tables: Tables, *more: object) -> Structure | None:
    """None where numbers stay in the code: bodies are inputs, or nothing can be said of it.

    more: what else the code depends on."""
    if tables.again is not None:
        return None
    numbers: dict[float, int] = {}
    met: list[str] = []  # structure of all numbers, in their order

    def mark(x: Scalar) -> Scalar:
        if x in (0, 1, -1):
            met.append(str(int(x)))
            return int(x)
        k = numbers.setdefault(float(x), len(numbers))
        met.append(f"n{k}")
        return _ROOT + k

    plain = tables.turned(mark)
    if plain.gravity is not None:
        x, y, z = plain.gravity
        plain = replace(plain, gravity=(mark(x), mark(y), mark(z)))
    algorithm = request.algorithm.turned(mark)
    loads = tuple(load.turned(mark) for load in request.loads)
    request = replace(request, algorithm=algorithm, loads=loads)
    name = identity("straight", request, replace(plain, carriers=()), *more)
    return None if name is None else Structure(key_of([name, " ".join(met)]), numbers)


def with_table(graph: FunctionGraph) -> Tabled:
    """The function over a table, and how that follows from the numbers that are its loads now."""
    from armillary.graph.expr import Graph, cone
    from armillary.graph.function import FunctionGraph

    nodes = cone(graph.roots())
    known: set[int] = set()  # nodes that depend on numbers alone
    for node in nodes:
        if _derived(node, known):
            known.add(node.index)
    wanted: set[int] = {root.index for root in graph.roots()}
    for node in nodes:
        if node.index not in known:
            wanted.update(a.index for a in node.args)
    new, made = Graph(), {}
    steps: list[list[str | int | float]] = []
    step_of: dict[int, int] = {}
    entries: list[int] = []
    for node in nodes:
        if node.index in known:
            step_of[node.index] = len(steps)
            steps.append(_step(node, step_of))
        if node.op == "const":
            made[node.index] = new.constant(node.data[1])
        elif node.index in known and node.index in wanted:
            made[node.index] = new.load(PLACE, len(entries))
            entries.append(step_of[node.index])
        elif node.index not in known:
            args = tuple(made[a.index] for a in node.args)
            made[node.index] = new.node(node.op, args, node.data)
    inputs = {name: size for name, size in graph.inputs.items() if name != PLACE}
    outputs = {name: [made[x.index] for x in found] for name, found in graph.outputs.items()}
    return Tabled(FunctionGraph(inputs, outputs), {"steps": steps, "entries": entries})


def _derived(node: Node, known: set[int]) -> bool:
    if node.op == "load":
        return bool(node.data[0] == PLACE)
    if node.op == "const":
        return True
    plain = node.op != "lookup" and OPS[node.op].result == "number"
    return plain and all(a.index in known for a in node.args)


def _step(node: Node, step_of: dict[int, int]) -> list[str | int | float]:
    if node.op in ("load", "const"):
        return [node.op, node.data[1]]
    return [node.op, *(step_of[a.index] for a in node.args)]
