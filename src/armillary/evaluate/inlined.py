"""Algorithms as parts of something larger that is being traced, such as a controller."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from armillary.algorithms.interpreter import Run
from armillary.algorithms.passes import Algorithm, Base
from armillary.evaluate.evaluator import Evaluator
from armillary.evaluate.straight_line import nodes, structural_tables
from armillary.graph.expr import Node
from armillary.model.lowering.constraints import ConstraintTable
from armillary.spatial import Motion, Transform, Vector


def inlined(
    evaluator: Evaluator, algorithm: Algorithm, inputs: dict[str, list[Any]], passive: bool = True,
    frame: str | None = None, constraints: ConstraintTable | None = None,
) -> Run:  # fmt: skip
    """An algorithm of the tree, or over its constraints, as a part of something that is
    being traced: inputs are nodes."""
    graph = next(x.graph for numbers in inputs.values() for x in numbers if isinstance(x, Node))
    tables = replace(
        evaluator.tables(True, passive, algorithm.joint_level()), constraints=constraints
    )
    base = evaluator.base()
    gravity = Vector(*nodes(graph, base.gravity))
    velocity, acceleration = (
        Motion.from_leaves(nodes(graph, x.leaves())) for x in (base.velocity, base.acceleration)
    )
    here = Base(gravity, velocity, acceleration)
    spot = None
    if frame is not None:
        place = evaluator.place(frame)
        spot = (place.kernel, Transform.from_leaves(nodes(graph, place.X.leaves())))
    return Run(algorithm, structural_tables(graph, tables), here, inputs, spot)
