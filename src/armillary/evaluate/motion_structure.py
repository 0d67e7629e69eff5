"""What is the same for all bodies of a mechanism in every state: numbers of their places and
motions that are 0, 1 or -1, and directions along which none of them moves.

Carts on a rail neither turn nor leave it, bodies of a planar mechanism stay in their plane; code
that knows need not work with zeros.  Seen in a trace of algorithms/forces/end_motions.py, in which
structural zeros and ones stay whole numbers (graph/expr.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from armillary.algorithms.forces.end_motions import end_motions
from armillary.algorithms.interpreter import leaves
from armillary.evaluate.request import Request, input_sizes
from armillary.model.lowering.tree import Tables
from armillary.runtime.slopes_tables import ALONG, MOVING
from armillary.scalar import Scalar

Pattern = tuple[int | None, ...]  # of numbers: 0, 1 or -1 where they are always that
_MOST_BODIES = 60  # that are traced
_WHOLE = (0, 1, -1)


@dataclass(frozen=True)
class MotionStructure:
    """numbers: of a body, (E, r) = X_KW and (turning; moving).  axes: those of the six of the world
    (turns first) along which bodies move, or change their velocity."""

    numbers: Pattern = (None,) * sum(MOVING.values())
    axes: tuple[int, ...] = tuple(range(6))

    @property
    def leaves(self) -> tuple[int, ...]:
        """The numbers that differ."""
        return varying(self.numbers)


def varying(pattern: Pattern) -> tuple[int, ...]:
    return tuple(k for k, x in enumerate(pattern) if x is None)


def filled(pattern: Pattern, given: Sequence[Scalar]) -> list[Scalar]:
    """All numbers, from those that differ."""
    rest = iter(given)
    return [next(rest) if x is None else x for x in pattern]


def pattern_of(rows: np.ndarray) -> Pattern:
    """Of the columns of a table."""
    same = (rows == rows[:1]).all(axis=0)
    return tuple(
        int(x) if one and x in _WHOLE else None for x, one in zip(rows[0], same, strict=True)
    )


def motion_structure(request: Request, tables: Tables) -> MotionStructure:
    """request: for which inputs."""
    if "offsets" in request.reads or len(tables.bodies) > _MOST_BODIES:
        return MotionStructure()
    from armillary.evaluate.specialise import specialise, structural, symbolic_base
    from armillary.graph.expr import Graph, growing

    graph = Graph()
    asked = Request(end_motions, end_motions.reads)
    plain = replace(tables, again=None, elements=())
    with growing():
        inputs = graph.inputs(input_sizes(asked, plain))
        base = symbolic_base(graph, False)
        run = specialise(end_motions, plain, base, inputs, number=structural(graph))
    found = [[x for name in MOVING for x in leaves(getattr(body, name))] for body in run.bodies]
    ways = [leaves(way) for joint in run.joints for name in ALONG for way in getattr(joint, name)]
    axes = tuple(k for k in range(6) if any(_whole(way[k]) != 0 for way in ways))
    columns = [{_whole(x) for x in column} for column in zip(*found, strict=True)]
    numbers = tuple(column.pop() if len(column) == 1 else None for column in columns)
    return MotionStructure(numbers, axes)


def _whole(x: Scalar) -> int | None:
    return x if type(x) is int and x in _WHOLE else None
