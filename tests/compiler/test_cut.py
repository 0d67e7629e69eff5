"""Cutting a traced graph at the passes: what is kept, what is computed again, what is read."""

import random

import pytest
from machine import value_of

from armillary.codegen.abi import LASTING, PASSING
from armillary.errors import CompileError
from armillary.evaluate.body_code import Request, layout_of, trace_body
from armillary.graph.cut import CHEAP
from armillary.graph.cut import cut as cut_with
from armillary.graph.expr import Graph, Node, cone
from armillary.graph.function import Block, Store
from armillary.graph.ops import OPS

FIRST = 10  # where free slots begin in these tests


def cut(blocks: list[Block], first: int) -> tuple[list[Block], int]:
    return cut_with(blocks, first, LASTING, PASSING)


def kept(block: Block) -> dict[tuple, Node]:
    return {s.address: s.node for s in block.stores}


def loads(block: Block, where: str) -> set[int]:
    nodes = cone([s.node for s in block.stores])
    return {n.data[1] for n in nodes if n.op == "load" and n.data[0] == where}


def two_passes(first: list[Node], second: list[Node]) -> tuple[list[Block], int]:
    blocks = [
        Block("one", 0, [Store(("dof", 28, k), n) for k, n in enumerate(first)]),
        Block("two", 1, [Store(("dof", 29, k), n) for k, n in enumerate(second)]),
    ]
    return cut(blocks, FIRST)


@pytest.fixture
def graph() -> Graph:
    return Graph()


@pytest.fixture
def x(graph) -> Node:
    return graph.load("q", 20, 0)


def test_a_cheap_value_is_computed_again(graph, x):
    """Up to three operations on what stands in memory anyway."""
    y = x * x + x
    (one, two), end = two_passes([y], [y - 1.0])
    assert end == FIRST
    assert not loads(two, "own")
    assert len(one.stores) == 1


def test_an_expensive_value_is_kept(graph, x):
    y = x.sin()
    (one, two), end = two_passes([y], [y * 2.0])
    assert end == FIRST + 1
    assert kept(one)["own", FIRST].op == "sin"
    assert loads(two, "own") == {FIRST}
    assert not any(n.op == "sin" for n in cone([s.node for s in two.stores]))


@pytest.mark.parametrize("operations", range(1, 8))
def test_the_limit_counts_operations(graph, x, operations):
    y = x
    for k in range(operations):
        y = y * 2.0 if k % 2 else y + float(k + 1)
    count = sum(n.op not in ("load", "const") for n in cone([y]))
    # the pass that first needs it computes it; the second does it again or reads it
    (_, two), end = two_passes([y], [y.sqrt()])
    assert (end == FIRST) == (count <= CHEAP)
    assert bool(loads(two, "own")) == (count > CHEAP)


def test_a_root_of_a_value_read_from_a_slot_costs_only_itself(graph, x):
    """Once sin x has its slot, sin x + 1 is cheap again."""
    s = x.sin()
    (_, two), end = two_passes([s + 1.0], [s + 1.0, s * 3.0])
    assert end == FIRST + 1
    assert loads(two, "own") == {FIRST}


def test_what_the_parent_says_in_one_pass_is_not_read_in_another(graph):
    """A parent's number is valid in its own pass only: kept, however cheap the load is."""
    p = graph.load("parent", 3, 0)
    (one, two), end = two_passes([p.sin()], [p + 1.0])
    assert end == FIRST + 1
    assert kept(one)["own", FIRST].data == ("parent", 3, 0)
    assert loads(two, "own") == {FIRST}
    assert not loads(two, "parent")


def test_a_parent_number_needed_only_later_is_saved_in_its_own_pass(graph, x):
    """The second pass alone uses it, but only the first can read it."""
    p = graph.load("parent", 3, 0)
    (one, two), _ = two_passes([x.cos()], [p * x])
    assert kept(one)["own", FIRST].data == ("parent", 3, 0)
    assert not loads(two, "parent")


def test_a_value_before_its_time_is_refused(graph):
    """The first pass cannot use what the parent will say in the second."""
    late = graph.load("parent", 3, 1)
    with pytest.raises(CompileError, match="before it is computed"):
        two_passes([late + 1.0], [late.sin()])


def test_constants_are_never_kept(graph, x):
    y = graph.constant(3.0)
    (_, two), end = two_passes([y], [y])
    assert end == FIRST
    assert kept(two)["dof", 29, 0].op == "const"


def test_three_passes_share_one_slot(graph, x):
    s = x.sin()
    blocks = [Block(f"b{k}", k, [Store(("dof", 28, k), s + float(k))]) for k in range(3)]
    result, end = cut(blocks, FIRST)
    assert end == FIRST + 1
    assert [loads(b, "own") for b in result] == [set(), {FIRST}, {FIRST}]
    assert sum(address[0] == "own" for b in result for address in kept(b)) == 1


def test_a_slot_needed_by_a_slot_is_found(graph, x):
    """Pass 2 needs t(s(x)): t is kept by pass 1, which needs s of pass 0."""
    s = x.sin()
    t = (s * s + s).cos()
    u = (t * s).exp()
    blocks = [
        Block("b0", 0, [Store(("dof", 28, 0), s)]),
        Block("b1", 1, [Store(("dof", 28, 1), t)]),
        Block("b2", 2, [Store(("dof", 28, 2), u)]),
    ]
    result, _ = cut(blocks, FIRST)
    check_every_load_has_a_store(result, FIRST)
    assert [sum(n.op in ("sin", "cos", "exp") for n in cone([s.node for s in b.stores]))
            for b in result] == [1, 1, 1]  # fmt: skip


# ---------------------------------------------------------------- random graphs, by value

FLOATS = {name: op.value for name, op in OPS.items()} | {"const": float}


def check_every_load_has_a_store(blocks: list[Block], first: int) -> None:
    """Slots are written by an earlier pass than the one that reads them."""
    written: dict[int, int] = {}
    for block in blocks:
        for address in kept(block):
            if address[0] == "own" and address[1] >= first:
                written.setdefault(address[1], block.stage)
    for block in blocks:
        for slot in loads(block, "own"):
            if slot >= first:
                assert written[slot] < block.stage, f"{block.name} reads slot {slot} too early"


def random_blocks(seed: int) -> tuple[list[Block], int]:
    """Three or four passes over one graph; parents speak in each pass."""
    choose = random.Random(seed)
    graph = Graph()
    passes = choose.randint(2, 4)
    pool = [graph.load("q", 20, k) for k in range(2)]
    blocks = []
    for stage in range(passes):
        pool += [graph.load("parent", k, stage) for k in range(2)]
        for _ in range(choose.randint(2, 12)):
            a, b = choose.choice(pool), choose.choice(pool)
            made = choose.choice([lambda x, y: x + y, lambda x, y: x - y, lambda x, y: x * y,
                                  lambda x, y: x.sin(), lambda x, y: -x])(a, b)  # fmt: skip
            pool.append(graph.lift(made))
        roots = [choose.choice(pool) for _ in range(choose.randint(1, 4))]
        stores = [Store(("dof", 28, k), n) for k, n in enumerate(roots)]
        blocks.append(Block(f"b{stage}", stage, stores))
    return blocks, passes


@pytest.mark.parametrize("seed", range(60))
def test_the_pieces_compute_what_the_whole_did(seed):
    """Run pass after pass with a record, the parents changing their numbers in between."""
    blocks, _ = random_blocks(seed)
    result, end = cut(blocks, FIRST)
    check_every_load_has_a_store(result, FIRST)
    q = [0.7, -1.3]

    def parent(k: int, stage: int) -> float:
        return 0.3 + 0.11 * k - 0.7 * stage

    record: dict[int, float] = {}
    for whole, piece in zip(blocks, result, strict=True):
        assert whole.name == piece.name
        wanted = {s.address: run(s.node, q, parent, record, None) for s in whole.stores}
        found = {s.address: run(s.node, q, parent, record, piece.stage) for s in piece.stores}
        for address, value in found.items():
            if address[0] == "own":
                assert FIRST <= address[1] < end
                record[address[1]] = value
            else:
                assert value == wanted[address]


def run(node: Node, q, parent, record, stage) -> float:
    """Value of a node; `stage` None: parents answer for any pass, otherwise for that one only."""

    def load(address):
        if address[0] == "q":
            return q[address[2]]
        if address[0] == "own":
            return record[address[1]]
        assert stage is None or address[2] == stage, "a parent's number read in the wrong pass"
        return parent(address[1], address[2])

    leaves = {n.index: load(n.data) for n in cone([node]) if n.op == "load"}
    return value_of(node, leaves, FLOATS, leaf=lambda n, values: values[n.index])


# ---------------------------------------------------------------- real algorithms


def all_settings() -> list[Request]:
    from armillary.algorithms.tree import (
        coriolis,
        derivatives,
        energy,
        forward_dynamics,
        inverse_dynamics,
        kinematics,
        mass_matrix,
        operational,
    )
    from armillary.algorithms.tree.regressor import regressor

    found = [
        inverse_dynamics.inverse_dynamics, inverse_dynamics.body_forces,
        forward_dynamics.forward_dynamics, mass_matrix.mass_matrix, coriolis.coriolis_matrix,
        energy.energy, energy.momentum, energy.momentum_matrix, energy.center_of_mass,
        kinematics.poses, kinematics.frame_motion("world", "classical"),
        kinematics.jacobian_dot("world_aligned"), operational.operational_inertia("world"),
        derivatives.inverse_dynamics_derivatives, derivatives.forward_dynamics_derivatives,
        regressor,
    ]  # fmt: skip
    return [Request(algorithm, algorithm.reads, True) for algorithm in found]


@pytest.mark.parametrize("setting", all_settings(), ids=lambda s: s.algorithm.name)
@pytest.mark.parametrize("root", [False, True], ids=["inner", "root"])
def test_algorithms_are_cut_soundly(setting, root):
    """For the joints whose axes move in the body, and the plain one: loads follow stores, parents
    are read in their pass, and what is read again stands in memory always."""
    from armillary.model.lowering.tree import lower
    from samples import single

    for kind in ("revolute", "planar", "gimbal", "free"):
        body = lower(single(kind)).bodies[0]
        traced = trace_body(setting, body, root)
        layout = layout_of(setting)
        check_every_load_has_a_store(traced.blocks, layout.size)
        assert traced.record >= layout.size
        for block in traced.blocks:
            for node in cone([s.node for s in block.stores]):
                if node.op != "load":
                    continue
                where = node.data[0]
                assert where in LASTING | PASSING | {"own", "state"}
                if where in PASSING:
                    assert node.data[2] == block.stage
                if where == "own":
                    assert node.data[1] < traced.record
