"""Public functions by name as expression graphs: what C export and symbolic printing start from.

The table says for every function which algorithm answers it, from which inputs, and how the
numbers of the algorithm's results make the results of the function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from armillary.algorithms.interpreter import Run
from armillary.algorithms.passes import Algorithm, Base
from armillary.algorithms.tree import kinematics
from armillary.constraints.exported import CLOSED, closed_question
from armillary.constraints.questions import Constrained
from armillary.errors import InputError, unknown_name
from armillary.evaluate.compiled_function import refuse_lacks
from armillary.evaluate.functions import FUNCTIONS, Function, Result
from armillary.evaluate.inputs import choice
from armillary.evaluate.specialise import Number, specialise, structural
from armillary.graph.expr import Graph, Node
from armillary.graph.function import fold_zeros
from armillary.model.lowering.constraint_table import ConstraintTable
from armillary.model.lowering.tree import Tables
from armillary.spatial import Transform


@dataclass(frozen=True)
class Traced:
    """A function of one mechanism as a graph."""

    entry: Function
    inputs: dict[str, list[Node]]
    results: list[tuple[Result, tuple[int, ...], list[Node]]]  # with shape, flat numbers
    run: Run | None  # every intermediate quantity; None where the result is constant
    folded: dict[int, Node]  # what became of the nodes of the run

    def roots(self) -> list[Node]:
        return [node for _, _, nodes in self.results for node in nodes]


# with load-dependent friction these are no expressions: a loop is solved, or duals are used
LOOPED = ("forward_dynamics", "inverse_dynamics_derivatives", "forward_dynamics_derivatives")


def entry_of(
    mechanism: Constrained, function: str, frame: str | None, coordinates: str
) -> Function:
    """The row of the table, checked against the mechanism and the asked frame."""
    if function not in FUNCTIONS:
        raise unknown_name("function", function, FUNCTIONS)
    entry = FUNCTIONS[function]
    if entry.frame and frame is None:
        raise InputError(f"{function}: the question is about a frame; name one with frame=.")
    if not entry.frame and frame is not None:
        raise InputError(f"{function}: has no frame, found frame='{frame}'.")
    choice("coordinates", coordinates, kinematics.COORDINATES)
    closed = function in CLOSED and bool(mechanism.model.constraints)
    refuse_lacks(mechanism.evaluator, entry, inertia=not closed)
    return entry


def trace(
    mechanism: Constrained,
    function: str,
    frame: str | None = None,
    coordinates: str = "local",
    passive: bool = True,
    *,
    number: Callable[[Graph], Number] = structural,
    minimal: bool = False,
    tables: Tables | None = None,
    base: Base | None = None,
    spot: Transform | None = None,
) -> Traced:
    """Run the algorithm once on symbols; constants of the mechanism go through `number(graph)`.

    minimal: with mass moved across joints where no joint force can tell, which saves operations.
    tables (not fused), base, spot (of the frame on its body): instead of the mechanism's own.  Of
    closed mechanisms the question is that of Python: with the constraints, or of the tree
    (`closed_question`)."""
    entry, algorithm, own = _question(mechanism, function, frame, coordinates, passive)
    graph = Graph()
    model = mechanism.model
    reads = [name for name in algorithm.reads if name not in ("external", "prescribed")]
    inputs = graph.inputs({name: model.nq if name == "q" else model.nv for name in reads})
    sizes = {"nv": model.nv, "bodies": len(model.bodies), "10 bodies": 10 * len(model.bodies)}
    sizes["elements"] = len(model.elements)
    shapes = [
        tuple(n if isinstance(n, int) else sizes[n] for n in result.shape)
        for result in entry.results
    ]
    run = None
    if frame is not None and mechanism.evaluator.place(frame).kernel < 0:
        numbers = _on_the_ground(mechanism, function, frame, coordinates, list(inputs))
    else:
        fuse = entry.fuse and tables is None
        minimal = minimal and fuse and algorithm.joint_level()
        tables = tables or mechanism.evaluator.tables(fuse, passive and entry.passive, minimal)
        place = None if frame is None else mechanism.evaluator.place(frame, fuse)
        at = None if place is None else (place.kernel, spot or place.X)
        start = base or mechanism.evaluator.base()
        if own is not None:
            start = replace(start, opening=1.0)  # closed positions only
        tables = replace(tables, constraints=own)
        run = specialise(algorithm, tables, start, inputs, at, number(graph))
        numbers = [_ordered(run.result(r.source), r) for r in entry.results]
    lifted = [[graph.lift(x) for x in flat] for flat in numbers]
    every = [node for nodes in inputs.values() for node in nodes]
    folded = fold_zeros([*every, *(node for nodes in lifted for node in nodes)])
    results = [
        (result, shape, [folded[node.index] for node in nodes])
        for result, shape, nodes in zip(entry.results, shapes, lifted, strict=True)
    ]
    inputs = {name: [folded[node.index] for node in nodes] for name, nodes in inputs.items()}
    return Traced(entry, inputs, results, run, folded)


def _question(
    mechanism: Constrained, function: str, frame: str | None, coordinates: str, passive: bool
) -> tuple[Function, Algorithm, ConstraintTable | None]:
    """The row of the table, what answers it, and the constraints that are kept."""
    entry = entry_of(mechanism, function, frame, coordinates)
    if passive and function in LOOPED:
        mechanism.evaluator.refuse_load_friction(f"{function} as an expression")
    closed = None
    if mechanism.model.constraints:
        closed = closed_question(mechanism.constraint_solver, function, passive)
    if closed is None:
        return (
            entry,
            entry.algorithm(*(entry.choices | {"coordinates": coordinates}).values()),
            None,
        )
    return replace(entry, title=closed.title), closed.algorithm, closed.constraints


def _ordered(values: Any, result: Result) -> list[Any]:
    """Flat numbers of a result, in the order the function gives them."""
    order = result.order
    if values and isinstance(values[0], (list, tuple)):
        rows = [[row[k] for k in order] if order else row for row in values]
        rows = list(zip(*rows, strict=True)) if result.columns else rows
        return [x for row in rows for x in row]
    return [values[k] for k in order] if order else list(values)


def _on_the_ground(
    mechanism: Constrained, function: str, frame: str, coordinates: str, inputs: Sequence[str]
) -> list[list[float]]:
    """Frames that stand on the world give constants: those of the compiled function."""
    state = [
        mechanism.model.neutral() if n == "q" else np.zeros(mechanism.model.nv) for n in inputs
    ]
    options = {} if function == "pose" else {"coordinates": coordinates}
    answer = getattr(mechanism, function)(*state, frame=frame, **options)
    arrays = (answer,) if isinstance(answer, np.ndarray) else tuple(answer)
    count = len(FUNCTIONS[function].results)
    return [np.asarray(x, float).ravel().tolist() for x in arrays[:count]]
