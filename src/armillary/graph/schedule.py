"""The order of operations in straight-line code, for processors that look a few hundred ahead.

LLVM orders for few registers.  Where the longest chain of operations, not their number, sets the
time (one arm: every joint waits for the one before), it is better to start long chains early and
to bear some values in memory: list scheduling by height on a small model of the machine.  It makes
batches of arms about 15 % faster, and forward dynamics in loops over bodies.  One state gains as
much where its code is short; longer code comes from a slower cache, and more instructions in a
better order are no gain.  Long code is best left in the order of the bodies, as it was traced: 5 to
10 % faster than LLVM's order, and compiled in two thirds of the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from armillary.graph.expr import Node

# left to LLVM; as it was traced, root by root or all in a row; by heights
Order: TypeAlias = Literal["any", "traced", "row", "height"]

# cycles until a result is there
_LATENCY = {"mul": 3, "add": 3, "sub": 3, "fma": 4, "div": 13, "sqrt": 20, "select": 2, "abs": 1,
            "lt": 3, "le": 3, "eq": 3, "quadrant_sin": 4, "quadrant_cos": 4,
            "const": 0, "load": 0, "neg": 0}  # fmt: skip
_LIBRARY = 40  # exp, tanh, atan2
_FREE = ("const", "load", "neg")  # part of the operation that uses them
_MULTIPLIES = ("mul", "fma", "div", "sqrt")
_PER_CYCLE = 2  # multiplications, and as many other operations
REGISTERS = 14  # values in flight from which on fewer of them are wanted
LOOP_REGISTERS = 8  # the same where numbers of the body need registers, too
_WINDOW = 250  # operations past the first one that is not placed yet
_NEARNESS = 1.0  # cycles of height that one place in the traced order is worth
_LONGEST = 2500  # operations: longer code stays in the order of the bodies
_SHORT_ONE, _LONG_ONE = 600, 2300  # operations: short and long code of one state
_LONG_STEP = 200  # operations: LLVM does well with shorter steps
_BINDS = 0.45  # share of the time that the number of operations needs


def _latency(node: Node) -> int:
    return _LATENCY.get(node.op, _LIBRARY)


def straight_order(nodes: Sequence[Node], single: bool) -> Order:
    """How straight-line code of one or of several states is ordered."""
    work = sum(n.op not in _FREE for n in nodes)
    if work > (_LONG_ONE if single else _LONGEST):
        return "traced"
    return "height" if (work <= _SHORT_ONE if single else latency_bound(nodes)) else "any"


def latency_bound(nodes: Sequence[Node]) -> bool:
    """Does the longest chain take about as long as all multiplications side by side?"""
    work = [n for n in nodes if n.op not in _FREE]
    if not work:
        return False
    done: dict[int, int] = {}
    for node in nodes:
        done[node.index] = _latency(node) + max((done[a.index] for a in node.args), default=0)
    multiplies = sum(n.op in _MULTIPLIES for n in work)
    return max(done.values()) > _BINDS * multiplies / _PER_CYCLE


def worth_ordering(nodes: Sequence[Node]) -> bool:
    """For the step of one body in a loop: long, and each body waits for the one before."""
    work = sum(n.op not in _FREE for n in nodes)
    return _LONG_STEP <= work <= _LONGEST and latency_bound(nodes)


class _Scheduler:
    """Values and their users by place in the traced order; signs and numbers count as nothing."""

    def __init__(self, nodes: Sequence[Node], roots: Sequence[Node]):
        self.work = [n for n in nodes if n.op not in _FREE]
        place = {n.index: k for k, n in enumerate(self.work)}
        self.arguments = [
            sorted({place[a.index] for a in map(_bare, n.args) if a.index in place})
            for n in self.work
        ]
        self.users: list[list[int]] = [[] for _ in self.work]
        for k, arguments in enumerate(self.arguments):
            for a in arguments:
                self.users[a].append(k)
        self.latency = [_latency(n) for n in self.work]
        self.pipe = [0 if n.op in _MULTIPLIES else 1 for n in self.work]
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
                tight = live > registers
                growth, _, k = min((self._growth(k) if tight else 0, urgency[k], k) for k in ready)
                if growth > 0 and sum(free) < 2 * _PER_CYCLE:
                    break
                waiting.remove(k)
                within.remove(k)
                order.append(k)
                placed[k] = True
                free[self.pipe[k]] -= 1
                live += self._growth(k)
                for a in self.arguments[k]:
                    self.readers[a] -= 1
                for u in self.users[k]:
                    ready_at[u] = max(ready_at[u], cycle + self.latency[k])
                    missing[u] -= 1
                    if missing[u] == 0:
                        waiting.append(u)
            cycle += 1
        return order

    def _growth(self, k: int) -> int:
        """Values in flight after operation k, less those before it."""
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
