"""A whole algorithm on one mechanism, run once: on nodes of a graph, symbols or many digits.

Traced, the zeros and ones of the mechanism vanish from the code; its other numbers fold into it, or
stand in a table behind it (structure.py).  A row with an input that is not a number must not lose
it through a vanished zero: the sum of 0 * input is added to the results.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from math import inf
from typing import Protocol, TypeVar

from armillary.algorithms.interpreter import Run
from armillary.algorithms.passes import Algorithm, Base
from armillary.evaluate.request import GLOBALS, Load, Request, input_sizes
from armillary.graph.expr import Graph, Leaf, Node
from armillary.graph.function import FunctionGraph
from armillary.model.lowering.tree import Tables
from armillary.scalar import Scalar
from armillary.spatial import Force, Matrix, Motion, Transform, Vector

Number = Callable[[Scalar], Scalar]  # how a constant of the mechanism becomes another scalar
Frame = tuple[int, Transform]  # the body that carries the asked frame, and X_FK
S = TypeVar("S", Matrix, Motion, Transform)


class Counted(Protocol):
    def operations(self) -> int: ...


T = TypeVar("T", bound=Counted)
_SMALL = 8000  # operations up to which other passes are tried
_SHORTER = 0.95  # how much shorter they have to be


def specialise(
    algorithm: Algorithm,
    tables: Tables,
    base: Base,
    inputs: Mapping[str, Sequence[Scalar]],
    frame: Frame | None = None,
    number: Number | None = None,
    loads: Sequence[Load] = (),
) -> Run:
    """Run an algorithm, with every constant of the mechanism turned by `number` first.

    Bodies that are inputs (`Tables.again`) are made of these.  loads: the frames of the wrenches
    that "external" holds, where it does not hold one for every body."""
    if tables.again is not None:
        tables = replace(tables.again(inputs), constraints=tables.constraints)
    if tables.gravity is not None:
        base = replace(base, gravity=Vector(*tables.gravity))
    if number is not None:
        algorithm = algorithm.turned(number)
        tables, base = tables.turned(number), _base(base, number)
        frame = frame and (frame[0], _numbers(frame[1], number))
    if loads:
        loads = loads if number is None else [load.turned(number) for load in loads]
        inputs = {**inputs, "external": _carried(loads, tables, inputs["external"])}
    return Run(algorithm, tables, base, inputs, frame)


def structural(graph: Graph) -> Number:
    """Exact 0, 1 and -1 as integers, which vanish from products, and all other numbers as nodes (a
    float times the integer 0 would be the float 0.0, which stays)."""

    def number(x: Scalar) -> Leaf:
        if isinstance(x, Node):
            return x
        return int(x) if x in (0, 1, -1) else graph.constant(x)

    return number


# -- a mechanism with other numbers ---------------------------------------------------------------


def _numbers(value: S, number: Number) -> S:
    return type(value).from_leaves([number(x) for x in value.leaves()])


def _base(base: Base, number: Number) -> Base:
    gravity = Vector(*map(number, base.gravity))
    opening = None if base.opening is None else number(base.opening)
    motion = (_numbers(base.velocity, number), _numbers(base.acceleration, number))
    return Base(gravity, *motion, opening)


def _carried(loads: Sequence[Load], tables: Tables, wrenches: Sequence[Scalar]) -> list[Scalar]:
    """Wrenches in frames as those on all bodies, each in its body frame."""
    total = [Force.zero() for _ in tables.bodies]
    for k, load in enumerate(loads):
        if load.body < 0:
            continue  # a force on the world moves nothing
        X_FK = Transform.from_leaves(load.X)
        wrench = X_FK.T @ Force.from_leaves(wrenches[6 * k : 6 * k + 6])
        own = tables.bodies[load.body].own
        total[load.body] = total[load.body] + Force(own @ wrench.angular, own @ wrench.linear)
    return [x for wrench in total for x in wrench.leaves()]


# -- graphs ----------------------------------------------------------------------------------------


def symbolic_base(graph: Graph, moving: bool, vertical_gravity: bool = False) -> Base:
    """Gravity, base motion and largest opening as loads.  vertical_gravity: gravity has no part
    along x and y."""
    numbers: list[Leaf] = [graph.load("global", k) for k in range(GLOBALS)]
    if vertical_gravity:
        numbers[:2] = 0, 0
    velocity, acceleration = Motion.zero(), Motion.zero()
    if moving:
        velocity = Motion.from_leaves(numbers[3:9])
        acceleration = Motion.from_leaves(numbers[9:15])
    return Base(Vector(*numbers[:3]), velocity, acceleration, numbers[15])


def traced(
    request: Request,
    tables: Tables,
    frame_body: int | None = None,
    most: float = inf,
    number: Callable[[Graph], Number] = structural,
) -> FunctionGraph:
    """What is asked as a graph.  Gravity ("global") and the placement of the frame ("frame") are
    inputs of it, beside those of the request.  most: as of `Graph`.  number: what numbers of the
    mechanism become in it."""
    graph = Graph(most)
    sizes = input_sizes(request, tables)
    inputs = graph.inputs(sizes)
    frame = None
    if frame_body is not None:
        frame = (frame_body, Transform.from_leaves([graph.load("frame", k) for k in range(12)]))
    base = symbolic_base(graph, request.moving_base, request.vertical_gravity)
    loads = request.loads
    run = specialise(request.algorithm, tables, base, inputs, frame, number(graph), loads)
    outputs = {name: run.result(name) for name in request.algorithm.writes}
    matrices = [name for name, kind in request.algorithm.writes.items() if kind == "matrix"]
    sizes |= {"global": GLOBALS} | ({} if frame is None else {"frame": 12})
    return FunctionGraph(sizes, marked(graph, inputs, outputs, matrices))


def shortest(request: Request, trace: Callable[[Request], T]) -> T:
    """What `trace` makes of a request, or of the same with the passes that make the shorter code
    of a small mechanism."""
    found, alternative = trace(request), request.algorithm.alternative
    if alternative is None or found.operations() > _SMALL:
        return found
    other = trace(replace(request, algorithm=alternative))
    return other if other.operations() < _SHORTER * found.operations() else found


def marked(
    graph: Graph,
    inputs: Mapping[str, Sequence[Node]],
    outputs: Mapping[str, object],
    matrices: Sequence[str] = (),
) -> dict[str, list[Node]]:
    """Flat results that are NaN where an input is not finite: 0 * input is added to them, in
    matrices, which have many entries, to the diagonal alone."""
    poison: Leaf = 0
    for x in chain.from_iterable(inputs.values()):
        poison = poison + x * 0.0
    made = {}
    for name, result in outputs.items():
        numbers = flat(result)
        if name in matrices:
            n = round(len(numbers) ** 0.5)
            numbers = [x + poison if k % (n + 1) == 0 else x for k, x in enumerate(numbers)]
        else:
            nothing = all(_zero(x) for x in numbers)  # then every zero has to tell
            numbers = [x if _zero(x) and not nothing else x + poison for x in numbers]
        made[name] = [graph.lift(x) for x in numbers]
    return made


def flat(values: Scalar) -> list[Leaf]:
    """The numbers of nested lists."""
    if isinstance(values, (list, tuple)):
        return [x for value in values for x in flat(value)]
    return [values]


def _zero(x: Leaf) -> bool:
    return type(x) is int and x == 0
