"""Elements with states of their own in loops over bodies and elements: for long mechanisms.

Straight-line code of the same grows with the square of the joints between their ends."""

from __future__ import annotations

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

_LONG_WAYS = 80  # joints between the ends of all changing elements: beyond these, loops serve


def served_by_loops(evaluator: Evaluator, changing: Changing) -> bool:
    """Do loops serve them?  They take no inputs over time and no given numbers."""
    tables, tier = evaluator.tables(), evaluator.options.tier
    plain = not any(given or numbers for _, _, given, numbers in changing)
    if not changing or not plain or tier == 2 or not native():
        return False
    own = [tables.elements[k] for k, *_ in changing]
    if any(len(distinct(element)) > MOST_BODIES for element in own):
        return False
    tree = MovingTree((), tables.parents, (), ())
    ways = [tree.path(body, -1) for element in own for body in element.reach if body >= 0]
    return tier == 1 or sum(map(len, ways)) > _LONG_WAYS


def loop_program(
    evaluator: Evaluator, changing: Changing, states: int, told: bool, fuse: bool
) -> Program:
    """(q, v, states, time, tau) -> tau and what is added, rates; told: and all else."""

    def make() -> Program:
        tables = evaluator.tables(fuse)
        own = tuple(tables.elements[k] for k, *_ in changing)
        algorithm = changing_in_loops(states, len(own), told)
        request = Request(algorithm, algorithm.reads, evaluator.moving_base)
        tables = replace(tables, elements=own, extra=(("states", states), ("time", 1)))
        return Program(request, tables, replace(evaluator.options, tier=1))

    return evaluator.memo.once(("element changes in loops", changing, told, fuse), make)


def numbers_of_loops(
    program: Program, base: Array, q: Array, v: Array, z: Array
) -> dict[str, Array]:
    """Its results at S states, as those of straight-line code: energy of all elements together,
    readings in a row."""
    none = {"time": np.zeros((1, 1)), "tau": np.zeros((1, v.shape[1]))}
    found = dict(program({"q": q, "v": v, "states": z} | none, len(q), base))
    if "energy" in found:
        found["energy"] = found["energy"].sum(axis=1, keepdims=True)
    return found | {
        name: found[name].reshape(len(q), -1) for name in ("readings", "outputs") if name in found
    }
