"""Elements with states of their own in loops over bodies and elements: for long mechanisms.

Straight-line code of the same grows with the square of the joints between their ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from armillary.algorithms.forces.changing import Changing, changing_in_loops
from armillary.algorithms.forces.elements import MovingTree
from armillary.algorithms.forces.loops import MOST_BODIES, distinct
from armillary.codegen.target import native
from armillary.evaluate.evaluator import Evaluator
from armillary.evaluate.inputs import Array
from armillary.evaluate.program import Program
from armillary.evaluate.request import Request
from armillary.scalar import Scalar

_LONG_WAYS = 80  # joints between the ends of all changing elements: beyond these, loops serve


def served_by_loops(evaluator: Evaluator, changing: Changing) -> bool:
    """Do loops serve them?  They take no given numbers."""
    tables, tier = evaluator.tables(), evaluator.options.tier
    plain = not any(numbers for *_, numbers in changing)
    if not changing or not plain or tier == 2 or not native():
        return False
    own = [tables.elements[k] for k, *_ in changing]
    if any(len(distinct(element)) > MOST_BODIES for element in own):
        return False
    tree = MovingTree((), tables.parents, (), ())
    ways = [tree.path(body, -1) for element in own for body in element.reach if body >= 0]
    return tier == 1 or sum(map(len, ways)) > _LONG_WAYS


def input_rows(
    evaluator: Evaluator, changing: Changing, given: Sequence[Scalar]
) -> tuple[int, list[Scalar]]:
    """Inputs of all elements in rows of equal length, zeros where none are given: the length (0:
    nobody is given any), and the numbers.  given: those of the elements that have some."""
    if not any(count for _, _, count, _ in changing):
        return 0, []
    laws = [evaluator.tables().elements[k].law for k, *_ in changing]
    width, rest, found = max(law.input_count() for law in laws), list(given), list[Scalar]()
    for _, _, count, _ in changing:
        own, rest = rest[:count], rest[count:]
        found += [*own, *(0.0,) * (width - len(own))]
    return width, found


def loop_program(
    evaluator: Evaluator, changing: Changing, states: int, told: bool, fuse: bool
) -> Program:
    """(q, v, states, time, tau, inputs) -> tau and what is added, rates; told: and all else.
    inputs: `input_rows`; where there are none they are not read."""

    def make() -> Program:
        tables = evaluator.tables(fuse)
        own = tuple(tables.elements[k] for k, *_ in changing)
        none = [0.0] * sum(count for _, _, count, _ in changing)
        width, rows = input_rows(evaluator, changing, none)
        algorithm = changing_in_loops(states, len(own), told, width)
        request = Request(algorithm, algorithm.reads, evaluator.moving_base)
        extra = (("states", states), ("time", 1), ("inputs", len(rows)))
        tables = replace(tables, elements=own, extra=extra)
        return Program(request, tables, replace(evaluator.options, tier=1))

    return evaluator.memo.once(("element changes in loops", changing, told, fuse), make)


def numbers_of_loops(
    program: Program, base: Array, state: tuple[Array, Array, Array], inputs: Array
) -> dict[str, Array]:
    """Its results at S states (q, v, z), as those of straight-line code: energy of all elements
    together, readings in a row.  inputs: (S or 1, ·)."""
    q, v, z = state
    none = {"time": np.zeros((1, 1)), "tau": np.zeros((1, v.shape[1]))}
    given = {"inputs": inputs} if "inputs" in program.request.reads else {}
    found = dict(program({"q": q, "v": v, "states": z} | none | given, len(q), base))
    if "energy" in found:
        found["energy"] = found["energy"].sum(axis=1, keepdims=True)
    return found | {
        name: found[name].reshape(len(q), -1) for name in ("readings", "outputs") if name in found
    }
