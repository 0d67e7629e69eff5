"""The order of operations: legal, complete, and the same bits as any other order."""

import random

import numpy as np
import pytest
from machine import FOUR, Machine

from armillary.codegen import rows
from armillary.codegen.target import IN_ORDER
from armillary.graph import schedule
from armillary.graph.expr import Graph, cone

OPERATIONS = (
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: -a,
    lambda a, b: a * 0.5 + 1.25,
    lambda a, b: a.sin(),
    lambda a, b: (a < b).where(a, b),
)


def random_graph(seed: int, size: int = 300) -> tuple[list, list]:
    """(all nodes, roots) of a graph with every kind of operation, long chains among them."""
    rng, graph = random.Random(seed), Graph()
    values = [graph.load("x", k) for k in range(5)]
    for _ in range(size):
        a, b = (rng.choice(values[-12:] if rng.random() < 0.7 else values) for _ in range(2))
        values.append(graph.lift(rng.choice(OPERATIONS)(a, b)))
    roots = [values[-1], graph.lift(-values[-2]), *rng.sample(values, 5)]
    return cone(roots), roots


@pytest.mark.parametrize("seed", range(20))
def test_every_node_once_and_after_its_arguments(seed):
    nodes, roots = random_graph(seed)
    order = schedule.by_height(nodes, roots)
    assert sorted(n.index for n in order) == [n.index for n in nodes]
    seen = set()
    for node in order:
        assert all(a.index in seen for a in node.args)
        seen.add(node.index)


@pytest.mark.parametrize("registers", [2, 8, 14])
@pytest.mark.parametrize("seed", range(3))
def test_the_rule_applied_to_the_letter(seed, registers):
    """Every choice again from the places of all operations: of what is ready, that with the least
    growth where values are too many, then the most urgent."""
    nodes, roots = random_graph(seed)
    order = schedule._Scheduler(nodes, roots).order(registers)
    s = schedule._Scheduler(nodes, roots)
    done: dict[int, int] = {}  # operation -> cycle

    def growth(k):
        left = [s.readers[a] - sum(u in done for u in s.users[a]) for a in s.arguments[k]]
        return (1 if s.readers[k] else 0) - left.count(1)

    def first():
        return next(k for k in range(len(s.work) + 1) if k not in done)

    cycle = live = 0
    while len(done) < len(s.work):
        free, window = [2, 2], first() + 250
        while True:
            ready = [
                k for k in range(min(window + 1, len(s.work)))
                if k not in done and free[s.pipe[k]]
                and all(done.get(a, cycle) + s.latency[a] <= cycle for a in s.arguments[k])
            ]  # fmt: skip
            if not ready:
                break
            tight = live > registers
            least, _, k = min((growth(k) if tight else 0, k - s.heights[k], k) for k in ready)
            if least > 0 and free != [2, 2]:
                break
            assert order[len(done)] == k
            live += growth(k)
            free[s.pipe[k]] -= 1
            done[k] = cycle
        cycle += 1


def test_what_is_waited_for_longest_comes_first():
    """Of a long chain and a crowd of short sums, the chain starts at once."""
    graph = Graph()
    x, *others = (graph.load("x", k) for k in range(9))
    shorts = [a * 2.0 for a in others]
    chain = x
    for _ in range(30):
        chain = chain * x + 1.0
    roots = [*shorts, chain]
    order = [n.index for n in schedule.by_height(cone(roots), roots)]
    first = min(n.index for n in cone([chain]) if n.op == "mul")
    assert order.index(first) < min(order.index(s.index) for s in shorts)


def chain_and_bush(depth: int, width: int):
    def function(x, y):
        chain = x
        for _ in range(depth):
            chain = chain * y + x
        return [chain, *(x * float(k + 2) * y for k in range(width))]

    return function


def test_which_order():
    """Chains by height, a bush as LLVM likes, long code as it was traced; of one state short
    code by height."""
    for depth, width, single, expected in (
        (40, 5, False, "height"), (40, 5, True, "height"), (3, 100, False, "any"),
        (3, 100, True, "height"), (400, 5, True, "any"), (400, 5, False, "height"),
        (2600, 5, False, "traced"), (2600, 5, True, "traced"),
    ):  # fmt: skip
        graph = Graph()
        x, y = (graph.load("x", k) for k in range(2))
        nodes = cone(graph.lift(leaf) for leaf in chain_and_bush(depth, width)(x, y))
        assert schedule.straight_order(nodes, single) == expected


def test_order_does_not_change_a_bit(monkeypatch):
    x = np.random.default_rng(0).uniform(0.2, 0.9, (64, 2))
    ordered = Machine(chain_and_bush(40, 5), 2, FOUR)
    monkeypatch.setattr(rows, "straight_order", lambda nodes, single: "any")
    plain = Machine(chain_and_bush(40, 5), 2, FOUR)
    monkeypatch.setattr(rows, "straight_order", lambda nodes, single: "traced")
    traced = Machine(chain_and_bush(40, 5), 2, FOUR)
    assert IN_ORDER in ordered.text
    assert IN_ORDER not in plain.text
    np.testing.assert_array_equal(ordered(x), plain(x))
    np.testing.assert_array_equal(traced(x), plain(x))


def test_llvm_schedules_others_as_before(shipped_code):
    """Options of LLVM are global; they are set back after a module that keeps its order."""
    import llvmlite.binding as llvm

    from armillary.codegen import jit

    def code(text: str) -> str:
        machine = jit._target_machine(llvm, 1)
        return str(machine.emit_assembly(llvm.parse_assembly(text)))

    other = Machine(chain_and_bush(3, 60), 2, FOUR).text
    before = code(other)
    text = Machine(chain_and_bush(41, 5), 2, FOUR).text
    jit._compile(llvm, text, jit._target_machine(llvm, 1), 1)
    assert code(other) == before
    jit._set_order(llvm, kept=True)
    try:
        assert code(other) != before  # the comparison can tell
    finally:
        jit._set_order(llvm, kept=False)
    assert code(other) == before
