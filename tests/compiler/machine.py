"""Traced functions of a few numbers as machine code, for arrays: rows in, rows out."""

from collections.abc import Callable, Sequence

import numpy as np

from armillary.codegen.abi import Arrays, Context
from armillary.codegen.jit import Library, native_call
from armillary.codegen.llvm import with_declarations
from armillary.codegen.one_state import straight_text
from armillary.codegen.target import Lanes
from armillary.graph.expr import Graph, Node
from armillary.graph.function import Block, Store

SCALAR, FOUR = Lanes(1), Lanes(4)


def block_of(function: Callable[..., Sequence], count: int) -> Block:
    """f(x0, x1, ...) -> list of results, traced."""
    graph = Graph()
    numbers = [graph.load("x", k) for k in range(count)]
    block = Block("straight", 0)
    for k, leaf in enumerate(function(*numbers)):
        block.stores.append(Store(("y", k), graph.lift(leaf)))
    return block


class Machine:
    """A compiled function: call it with an array (B, count), B at least the number of lanes."""

    def __init__(self, function: Callable[..., Sequence], count: int, lanes: Lanes = SCALAR):
        block = block_of(function, count)
        self.count, self.results = count, len(block.stores)
        self.dtype = np.float64 if lanes.element == "double" else np.float32
        arrays = Arrays({"x": count}, {"y": self.results})
        self.text = with_declarations(straight_text(lanes, block, arrays), lanes)
        self.library = Library(self.text, ["batch"])
        self._run = native_call(self.library.addresses["batch"])

    def __call__(self, rows) -> np.ndarray:
        rows = np.ascontiguousarray(rows, self.dtype).reshape(-1, self.count)
        out = np.full((len(rows), self.results), np.nan, self.dtype)
        self.into(rows, out)
        return out

    def into(self, rows: np.ndarray, out: np.ndarray) -> None:
        """rows, out: contiguous, of the type of the lanes."""
        context = np.zeros(Context.SIZE, dtype=np.int64)
        context[Context.ROWS] = len(rows)
        context[Context.INPUT_ROWS] = rows.ctypes.data
        context[Context.INPUT_STRIDES] = self.count
        context[Context.OUTPUT_ROWS] = out.ctypes.data
        context[Context.OUTPUT_SIZES] = self.results
        context[Context.INPUT_COUNT] = context[Context.OUTPUT_COUNT] = 1
        self._run(context.ctypes.data)


def input_leaf(node: Node, inputs):
    return inputs[node.data[1]]


def value_of(node: Node, inputs, ops: dict[str, Callable], leaf: Callable = input_leaf):
    """The value of a node with operations of the caller's choice (exact fractions, say)."""
    known: dict[int, object] = {}
    stack = [node]
    while stack:
        n = stack[-1]
        missing = [a for a in n.args if a.index not in known]
        if missing:
            stack += missing
            continue
        stack.pop()
        if n.op == "const":
            known[n.index] = ops["const"](n.data[1])
        elif n.op == "load":
            known[n.index] = leaf(n, inputs)
        else:
            known[n.index] = ops[n.op](*(known[a.index] for a in n.args))
    return known[node.index]
