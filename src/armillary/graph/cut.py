"""Cutting one traced graph into the blocks of a kernel.

A loop kernel visits its items several times.  All its passes over one kind of item are traced into
one graph; each pass needs some *roots* of it (values to store).  What a later pass needs of an
earlier one must be kept in the item's record in the work space, or be computed again when that is
cheaper.  This file decides which.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from armillary.errors import CompileError
from armillary.graph.expr import Graph, Node, cone
from armillary.graph.function import Block, Store
from armillary.graph.ops import OPS

CHEAP = 3  # operations that are rather done again than kept
RECORD = "own"  # loads and stores (RECORD, slot): in the item's record


def cut(
    blocks: Sequence[Block], first_slot: int, lasting: Collection[str], passing: Collection[str]
) -> tuple[list[Block], int]:
    """Blocks that stand alone: every value of an earlier pass replaced by a load from the record.

    `first_slot` is where free room begins in the record; the second result is where it ends.
    lasting: first words of addresses that are good in every pass, so that reading them again costs
    nothing; passing: in one pass only, whose number is the third word."""
    kept = _Kept(_homes(blocks, passing), first_slot, lasting)
    result: list[Block] = []
    for stage in sorted({b.stage for b in blocks}, reverse=True):
        here = [b for b in blocks if b.stage == stage]
        saved = kept.stores.get(stage, [])
        if saved:
            here = [Block(here[0].name, stage, here[0].stores + saved), *here[1:]]
        result += [_Copier(block, kept).copy() for block in here]
    order = {b.name: k for k, b in enumerate(blocks)}
    result.sort(key=lambda b: order[b.name])
    return result, first_slot + len(kept.slots)


def _homes(blocks: Sequence[Block], passing: Collection[str]) -> dict[int, int]:
    """The pass that computes each node: the first one that needs it, or wants it early."""
    home: dict[int, int] = {}
    for stage in sorted({b.stage for b in blocks}):
        here = [b for b in blocks if b.stage == stage]
        roots = [s.node for b in here for s in b.stores]
        for node in cone(roots + [node for b in here for node in b.early]):
            passes = node.op == "load" and node.data[0] in passing
            home.setdefault(node.index, node.data[2] if passes else stage)
    return home


class _Kept:
    """Values that are kept in the record for later passes."""

    def __init__(self, home: dict[int, int], first_slot: int, lasting: Collection[str]):
        self.home, self.first_slot, self.lasting = home, first_slot, lasting
        self.slots: dict[int, int] = {}  # by node
        self.stores: dict[int, list[Store]] = {}  # by pass

    def slot(self, node: Node, stage: int) -> int:
        """Where a later pass finds the value of a node."""
        if node.index not in self.slots:
            home = self.home[node.index]
            if home >= stage:
                raise CompileError(f"value {node!r} is needed before it is computed.")
            slot = self.first_slot + len(self.slots)
            self.slots[node.index] = slot
            self.stores.setdefault(home, []).append(Store((RECORD, slot), node))
        return self.slots[node.index]

    def worth_reading(self, node: Node, stage: int) -> bool:
        """Is it better to read the value than to compute it again in this pass?"""
        if self.home[node.index] == stage or node.op == "const":
            return False
        return node.index in self.slots or self._cost(node, CHEAP) > CHEAP

    def _cost(self, node: Node, limit: int) -> int:
        """Operations to compute the node again, counted up to the limit."""
        if node.op == "load":
            where = node.data[0]
            return 0 if where in self.lasting or where == RECORD else limit + 1
        if node.op == "const" or node.index in self.slots:
            return 0
        total = OPS[node.op].cost
        for arg in node.args:
            if total > limit:
                break
            total += self._cost(arg, limit - total)
        return total


class _Copier:
    """Copies one block into a graph of its own."""

    def __init__(self, block: Block, kept: _Kept):
        self.block, self.kept = block, kept
        self.graph = Graph()
        self.copies: dict[int, Node] = {}

    def copy(self) -> Block:
        roots = [s.node for s in self.block.stores]
        for node in self._needed(roots):
            if node.index not in self.copies:
                args = tuple(self.copies[a.index] for a in node.args)
                self.copies[node.index] = self.graph.node(node.op, args, node.data)
        stores = [Store(s.address, self.copies[s.node.index]) for s in self.block.stores]
        return Block(self.block.name, self.block.stage, stores)

    def _needed(self, roots: Sequence[Node]) -> list[Node]:
        """Nodes to compute here, arguments first; loads from slots are put in `copies`."""
        needed: dict[int, Node] = {}
        stack = list(roots)
        while stack:
            node = stack.pop()
            if node.index in needed or node.index in self.copies:
                continue
            if self.kept.worth_reading(node, self.block.stage):
                slot = self.kept.slot(node, self.block.stage)
                self.copies[node.index] = self.graph.load(RECORD, slot)
                continue
            needed[node.index] = node
            stack.extend(node.args)
        return sorted(needed.values(), key=lambda n: n.index)
