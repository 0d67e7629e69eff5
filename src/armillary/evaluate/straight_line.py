"""Tier 2: a whole algorithm on one mechanism, traced into straight-line code.

The constants of the mechanism fold into the code, and its zeros and ones vanish.  A row with an
input that is not a number must not lose it through a vanished zero: the sum of 0 * input is added
to the results.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from armillary.algorithms.interpreter import Run
from armillary.algorithms.passes import Algorithm, Base
from armillary.evaluate.body_code import symbolic_base
from armillary.evaluate.request import Load, Setting, input_sizes
from armillary.graph.cut import Block, Store
from armillary.graph.expr import Graph, Node, cone
from armillary.model.lowering.constraint_table import ConstraintTable
from armillary.model.lowering.tree import KernelBody, Tables
from armillary.spatial import Force, Transform

_SMALL = 8000  # operations up to which other passes are tried
_SHORTER = 0.95  # how much shorter they have to be


def trace_straight(setting: Setting, tables: Tables, frame_body: int | None = None) -> Block:
    """One block: inputs to results.  The frame's placement stays a number in memory."""
    graph = Graph()
    sizes = input_sizes(tables, setting.loads)
    inputs: dict[str, list[Node]] = {}
    for name in setting.reads:
        inputs[name] = [graph.load(name, k) for k in range(sizes.get(name, tables.nv))]
    if tables.again is not None:
        tables = replace(tables.again(inputs), constraints=tables.constraints)
    frame = None
    if frame_body is not None:
        frame = (frame_body, Transform.from_leaves([graph.load("frame", k) for k in range(12)]))
    base: Base = symbolic_base(graph, setting.moving_base, setting.vertical_gravity)
    tables = structural_tables(graph, tables)
    given = inputs
    if setting.loads:
        given = inputs | {"external": _carried(graph, setting.loads, tables, inputs["external"])}
    run = Run(setting.algorithm, tables, base, given, frame)
    poison = _poison(inputs)
    block = Block("straight", 0)
    for name in setting.algorithm.writes:
        for k, leaf in enumerate(_poisoned(setting.algorithm, name, run.result(name), poison)):
            block.stores.append(Store((name, k), graph.lift(leaf)))
    return block


def _carried(
    graph: Graph, loads: tuple[Load, ...], tables: Tables, wrenches: list[Node]
) -> list[Any]:
    """Wrenches in frames as those on all bodies, each in its own frame."""
    total = [Force.zero() for _ in tables.bodies]
    for k, load in enumerate(loads):
        if load.body < 0:
            continue  # a force on the world moves nothing
        X_FK = Transform.from_leaves(nodes(graph, load.X))
        wrench = X_FK.T @ Force.from_leaves(wrenches[6 * k : 6 * k + 6])
        own = tables.bodies[load.body].own
        total[load.body] = total[load.body] + Force(own @ wrench.angular, own @ wrench.linear)
    return [x for wrench in total for x in wrench.leaves()]


def trace_shorter(setting: Setting, tables: Tables, frame_body: int | None = None) -> Block:
    """As `trace_straight`, with the passes that make the shorter code of a small mechanism."""
    block = trace_straight(setting, tables, frame_body)
    alternative = setting.algorithm.alternative
    if alternative is None or operations(block) > _SMALL:
        return block
    other = trace_straight(replace(setting, algorithm=alternative), tables, frame_body)
    return other if operations(other) < _SHORTER * operations(block) else block


def operations(block: Block) -> int:
    """Arithmetic operations of a block, sin and cos counted as one."""
    return sum(n.op not in ("const", "load") for n in cone(s.node for s in block.stores))


def _poison(inputs: dict[str, list[Node]]) -> Any:
    """Zero, or NaN if any input is not finite."""
    total: Any = 0
    for numbers in inputs.values():
        for x in numbers:
            total = total + x * 0.0
    return total


def _poisoned(algorithm: Algorithm, name: str, result: Any, poison: Any) -> list[Any]:
    """Flat results.  Of a matrix only the diagonal carries the mark: it has many entries."""
    if algorithm.writes[name] == "matrix":
        flat = []
        for r, row in enumerate(result):
            flat += [x + poison if r == c else x for c, x in enumerate(row)]
        return flat
    numbers = _flat(result)
    nothing = all(_zero(x) for x in numbers)  # then every zero has to tell
    return [x if _zero(x) and not nothing else x + poison for x in numbers]


def _flat(values: Any) -> list[Any]:
    if isinstance(values, (list, tuple)):
        return [x for value in values for x in _flat(value)]
    return [values]


def _zero(x: Any) -> bool:
    return type(x) is int and x == 0


def structural_tables(graph: Graph, tables: Tables) -> Tables:
    """The same tables with exact 0, 1 and -1 as integers, which vanish from products, and all
    other numbers as nodes (a float times the integer 0 would be the float 0.0, which stays)."""
    bodies = tuple(_structural(graph, body) for body in tables.bodies)
    constraints = (
        None if tables.constraints is None else structural_constraints(graph, tables.constraints)
    )
    return replace(tables, bodies=bodies, constraints=constraints)


def _structural(graph: Graph, body: KernelBody) -> KernelBody:
    return body.with_parameters(nodes(graph, body.parameters()))


def nodes(graph: Graph, numbers: Iterable[Any]) -> list[Any]:
    exact = {0.0: 0, 1.0: 1, -1.0: -1}
    return [
        x if isinstance(x, Node) else exact[x] if x in exact else graph.constant(float(x))
        for x in numbers
    ]


def structural_constraints(graph: Graph, constraints: ConstraintTable) -> ConstraintTable:
    """The same constraints with their numbers as `structural_tables` has them."""
    frames = tuple(
        replace(
            constraint,
            X_1A=Transform.from_leaves(nodes(graph, constraint.X_1A.leaves())),
            X_2B=Transform.from_leaves(nodes(graph, constraint.X_2B.leaves())),
            closure=constraint.closure.with_parameters(
                nodes(graph, constraint.closure.parameters())
            ),
            passive=tuple(
                p.with_parameters(nodes(graph, p.parameters())) for p in constraint.passive
            ),
        )
        for constraint in constraints.frames
    )
    axes = tuple(
        replace(
            constraint,
            terms=tuple((v, q, nodes(graph, [x])[0]) for v, q, x in constraint.terms),
            acceleration=nodes(graph, [constraint.acceleration])[0],
            velocity=None
            if constraint.velocity is None
            else nodes(graph, [constraint.velocity])[0],
            offset=None if constraint.offset is None else nodes(graph, [constraint.offset])[0],
        )
        for constraint in constraints.axes
    )
    return ConstraintTable(frames, axes)
