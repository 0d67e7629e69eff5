"""Cutting one traced graph into the blocks of a kernel.

An algorithm walks over the bodies several times.  All its passes for one kind of body are traced
into one graph; each pass needs some *roots* of it (values to store).  What a later pass needs of
an earlier one must be kept in the body's record in the work space, or be computed again when that
is cheaper.  This file decides which.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from armillary.errors import CompileError
from armillary.graph.expr import Graph, Node, cone
from armillary.graph.ops import OPS

# Loads that stand in memory during every pass: reading them again costs nothing.
ALWAYS = frozenset({"const", "global", "frame", "q", "dof", "body"})
PASSING = frozenset({"parent", "sum", "parent_sum"})  # loads that are valid in one pass only
CHEAP = 3  # operations that are rather done again than kept


@dataclass(frozen=True)
class Store:
    """Put `node` at `address` (see emit.py for the kinds of addresses)."""

    address: tuple[Any, ...]
    node: Node


@dataclass
class Block:
    """One piece of straight-line code, run for one body in one pass."""

    name: str
    stage: int  # number of the pass
    stores: list[Store] = field(default_factory=list)
    early: list[Node] = field(default_factory=list)  # computed here, needed in later passes only


def cut(blocks: Sequence[Block], first_slot: int) -> tuple[list[Block], int]:
    """Blocks that stand alone: every value of an earlier pass replaced by a load from the record.

    `first_slot` is where free room begins in the record; the second result is where it ends."""
    home = _homes(blocks)
    slots: dict[int, int] = {}
    extra: dict[int, list[Store]] = {}
    result: list[Block] = []
    for stage in sorted({b.stage for b in blocks}, reverse=True):
        here = [b for b in blocks if b.stage == stage]
        saved = extra.get(stage, [])
        if saved:
            here = [Block(here[0].name, stage, here[0].stores + saved), *here[1:]]
        for block in here:
            copier = _Copier(block, stage, home, slots, first_slot, extra)
            result.append(copier.copy())
    order = {b.name: k for k, b in enumerate(blocks)}
    result.sort(key=lambda b: order[b.name])
    return result, first_slot + len(slots)


def _homes(blocks: Sequence[Block]) -> dict[int, int]:
    """The pass that computes each node: the first one that needs it, or wants it early."""
    home: dict[int, int] = {}
    for stage in sorted({b.stage for b in blocks}):
        here = [b for b in blocks if b.stage == stage]
        roots = [s.node for b in here for s in b.stores]
        for node in cone(roots + [node for b in here for node in b.early]):
            born = _birth(node)
            home.setdefault(node.index, stage if born is None else born)
    return home


def _birth(node: Node) -> int | None:
    """The pass in which a load from another body's record is valid; None for everything else."""
    return node.data[2] if node.op == "load" and node.data[0] in PASSING else None


class _Copier:
    """Copies one block into a graph of its own."""

    def __init__(self, block, stage, home, slots, first_slot, extra):
        self.block, self.stage, self.home = block, stage, home
        self.slots, self.first_slot, self.extra = slots, first_slot, extra
        self.graph = Graph()
        self.copies: dict[int, Node] = {}

    def copy(self) -> Block:
        roots = [s.node for s in self.block.stores]
        for node in self._needed(roots):
            if node.index not in self.copies:
                args = tuple(self.copies[a.index] for a in node.args)
                self.copies[node.index] = self.graph.node(node.op, args, node.data)
        stores = [Store(s.address, self.copies[s.node.index]) for s in self.block.stores]
        return Block(self.block.name, self.stage, stores)

    def _needed(self, roots: Sequence[Node]) -> list[Node]:
        """Nodes to compute here, arguments first; loads from slots are put in `copies`."""
        needed: dict[int, Node] = {}
        stack = list(roots)
        while stack:
            node = stack.pop()
            if node.index in needed or node.index in self.copies:
                continue
            if self._from_record(node):
                slot = self._slot(node)
                self.copies[node.index] = self.graph.load("own", slot)
                continue
            needed[node.index] = node
            stack.extend(node.args)
        return sorted(needed.values(), key=lambda n: n.index)

    def _from_record(self, node: Node) -> bool:
        if self.home[node.index] == self.stage or node.op == "const":
            return False
        return node.index in self.slots or self._cost(node, CHEAP) > CHEAP

    def _cost(self, node: Node, limit: int) -> int:
        """Operations to compute the node again in this pass, counted up to the limit."""
        if node.op == "load":
            return 0 if node.data[0] in ALWAYS or node.data[0] == "own" else limit + 1
        if node.op == "const" or node.index in self.slots:
            return 0
        total = OPS[node.op].cost
        for arg in node.args:
            if total > limit:
                break
            total += self._cost(arg, limit - total)
        return total

    def _slot(self, node: Node) -> int:
        if node.index not in self.slots:
            stage = self.home[node.index]
            if stage >= self.stage:
                raise CompileError(f"value {node!r} is needed before it is computed.")
            slot = self.first_slot + len(self.slots)
            self.slots[node.index] = slot
            self.extra.setdefault(stage, []).append(Store(("own", slot), node))
        return self.slots[node.index]
