"""The order of operations in straight-line code, for processors that look a few hundred ahead.

LLVM orders for few registers.  Where the longest chain of operations, not their number, sets the
time (a recursion: every step waits for the one before), it is better to start long chains early and
to bear some values in memory: list scheduling by height on a small model of the machine.  It makes
batches of recursions about 15 % faster, as straight-line code and as loops.  One state gains as
much where its code is short; longer code comes from a slower cache, and more instructions in a
better order are no gain.  Long code is best left in the order in which it was traced: 5 to 10 %
faster than LLVM's order, and compiled in two thirds of the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from armillary.graph.expr import Node
from armillary.graph.ops import OPS, latency

# left to LLVM; as it was traced, root by root or all in a row; by heights
Order: TypeAlias = Literal["any", "traced", "row", "height"]

_PER_CYCLE = 2  # multiplications, and as many other operations
REGISTERS = 14  # values in flight from which on fewer of them are wanted
LOOP_REGISTERS = 8  # the same where numbers of the loop need registers, too
_WINDOW = 250  # operations past the first one that is not placed yet
_NEARNESS = 1.0  # cycles of height that one place in the traced order is worth
_LONGEST = 2500  # operations: longer code stays as it was traced
_SHORT_ONE, _LONG_ONE = 600, 2300  # operations: short and long code of one state
_LONG_STEP = 200  # operations: LLVM does well with shorter steps
_BINDS = 0.45  # share of the time that the number of operations needs


def _work(nodes: Sequence[Node]) -> list[Node]:
    """What takes time: not numbers, loads and signs, which go with the operation that uses them."""
    return [n for n in nodes if latency(n.op)]


def _multiplies(node: Node) -> bool:
    return OPS[node.op].multiplies


def straight_order(nodes: Sequence[Node], single: bool) -> Order:
    """How straight-line code of one or of several states is ordered."""
    work = len(_work(nodes))
    if work > (_LONG_ONE if single else _LONGEST):
        return "traced"
    return "height" if (work <= _SHORT_ONE if single else latency_bound(nodes)) else "any"


def latency_bound(nodes: Sequence[Node]) -> bool:
    """Does the longest chain take about as long as all multiplications side by side?"""
    work = _work(nodes)
    if not work:
        return False
    done: dict[int, int] = {}
    for node in nodes:
        done[node.index] = latency(node.op) + max((done[a.index] for a in node.args), default=0)
    multiplies = sum(map(_multiplies, work))
    return max(done.values()) > _BINDS * multiplies / _PER_CYCLE


def worth_ordering(nodes: Sequence[Node]) -> bool:
    """For one turn of a loop: long, and each turn waits for the one before."""
    work = len(_work(nodes))
    return _LONG_STEP <= work <= _LONGEST and latency_bound(nodes)


class _Scheduler:
    """Values and their users by place in the traced order; signs and numbers count as nothing."""

    def __init__(self, nodes: Sequence[Node], roots: Sequence[Node]):
        self.work = _work(nodes)
        place = {n.index: k for k, n in enumerate(self.work)}
        self.arguments = [
            sorted({place[a.index] for a in map(_bare, n.args) if a.index in place})
            for n in self.work
        ]
        self.users: list[list[int]] = [[] for _ in self.work]
        for k, arguments in enumerate(self.arguments):
            for a in arguments:
                self.users[a].append(k)
        self.latency = [latency(n.op) for n in self.work]
        self.pipe = [0 if _multiplies(n) else 1 for n in self.work]
        self.heights = [0] * len(self.work)
        for k in reversed(range(len(self.work))):
            above = max((self.heights[u] for u in self.users[k]), default=0)
            self.heights[k] = above + self.latency[k]
        stored = {place[r.index] for r in map(_bare, roots) if r.index in place}
        self.readers = [len(users) + (k in stored) for k, users in enumerate(self.users)]

    def order(self, registers: int) -> list[int]:
        """Cycle by cycle: of what is ready, the highest; fewer values first where they are many."""
        missing = [len(arguments) for arguments in self.arguments]
        ready_at = [0] * len(self.work)
        waiting = [k for k, count in enumerate(missing) if count == 0]
        urgency = [_NEARNESS * k - height for k, height in enumerate(self.heights)]
        rank = [0] * len(self.work)
        for place, k in enumerate(sorted(range(len(rank)), key=lambda k: (urgency[k], k))):
            rank[k] = place
        growth = [self._growth(k) for k in range(len(self.work))]
        order: list[int] = []
        placed = [False] * (len(self.work) + 1)
        cycle = live = first = 0
        while len(order) < len(self.work):
            free = [_PER_CYCLE, _PER_CYCLE]
            while placed[first]:
                first += 1
            within = [k for k in waiting if k <= first + _WINDOW and ready_at[k] <= cycle]
            while any(free):
                ready = [k for k in within if free[self.pipe[k]]]
                if not ready:
                    break
                k = min(ready, key=rank.__getitem__)
                if live > registers:
                    least = min([growth[k] for k in ready])
                    k = min([k for k in ready if growth[k] == least], key=rank.__getitem__)
                    if least > 0 and sum(free) < 2 * _PER_CYCLE:
                        break
                waiting.remove(k)
                within.remove(k)
                order.append(k)
                placed[k] = True
                free[self.pipe[k]] -= 1
                live += growth[k]
                for a in self.arguments[k]:
                    self.readers[a] -= 1
                    if self.readers[a] == 1:  # whoever is left ends it
                        for u in self.users[a]:
                            growth[u] -= 1
                for u in self.users[k]:
                    ready_at[u] = max(ready_at[u], cycle + self.latency[k])
                    missing[u] -= 1
                    if missing[u] == 0:
                        waiting.append(u)
            cycle += 1
        return order

    def _growth(self, k: int) -> int:
        """Values in flight after operation k, less those before it, as things stand."""
        ended = sum(self.readers[a] == 1 for a in self.arguments[k])
        return (1 if self.readers[k] else 0) - ended


def by_height(
    nodes: Sequence[Node], roots: Sequence[Node], registers: int = REGISTERS
) -> list[Node]:
    """All nodes in the order in which they should run, each after its arguments."""
    scheduler = _Scheduler(nodes, roots)
    placed: set[int] = set()
    result: list[Node] = []

    def place(node: Node) -> None:
        if node.index not in placed:
            for a in node.args:
                place(a)  # goes through signs and numbers only: the rest stands already
            placed.add(node.index)
            result.append(node)

    for k in scheduler.order(registers):
        place(scheduler.work[k])
    for root in roots:
        place(root)
    return result


def _bare(node: Node) -> Node:
    while node.op == "neg":
        node = node.args[0]
    return node
