"""Straight-line code rolled up: the same numbers as the graph it was made of."""

import math
from itertools import pairwise

import numpy as np
import pytest

from armillary.codegen.target import Lanes, native
from armillary.evaluate.kernel import Kernel
from armillary.evaluate.rolled_code import RolledCode
from armillary.evaluate.straight_code import StraightCode
from armillary.graph.expr import Graph
from armillary.graph.function import FunctionGraph, evaluate
from armillary.graph.rolling import FAR, NUMBER, OWN, ROOM, roll
from armillary.scalar import cos, sin, sqrt, where

SIZE = 40


def chain(x, uneven=False):
    """A recursion over pairs of inputs with numbers of its own in every step, a choice by a mask
    that is used far away, and sums over everything."""
    total, energy, before, kept = 0, 0, 1.0 + 0 * x[0], []
    for k in range(len(x) // 2):
        a, b = x[2 * k], x[2 * k + 1]
        turned = sin(a) * before - cos(a) * (0.3 + 0.01 * k)
        more = turned * turned + b * b
        if uneven and k % 3 == 1:
            more = more + sqrt(more)
        kept.append((a < b, more / (2.0 + more)))
        before = kept[-1][1] * 0.5 + turned * 0.25
        total = total + more * (0.0 if k % 2 else -0.0) + before
        energy = energy + turned * b
    chosen = [where(mask, value, -value) for mask, value in kept]
    return [*chosen, total, energy, x[3], x[3] * 0 + 2.5, total]


def pyramid(x):
    """Nothing repeats: every step has another length."""
    found, value = [], x[0]
    for k, a in enumerate(x):
        for n in range(k % 7):
            value = value * a + sin(value + n)
        value = value / (1.0 + value * value)
        found.append(value)
    return found


def two_numbers(x):
    """Steps that differ in numbers of two values, zeros of either sign among them."""
    found, value = [], x[0]
    for k, a in enumerate(x):
        value = sin(value) * (0.25 if k % 2 else 0.75) + cos(a) * a - value * value * 0.01
        value = value / (1.5 + value * value) + a * sin(a * a) - a * cos(value)
        found += [value, where(value * value < 100.0, 0.0 if k % 3 else -0.0, value)]
    return found


CASES = {
    "two numbers": two_numbers,
    "chain": chain,
    "uneven chain": lambda x: chain(x, True),
    "no repetition": pyramid,
    "one sum": lambda x: [sum(a * a for a in x)],
    "nothing to do": lambda x: [x[1], x[0], 4.0],
    "one operation": lambda x: [x[0] + x[1]],
    "zeros": lambda x: [y for a, b in pairwise(x) for y in (0.0, a * b + a, 0.0)] + [4.0],
}


def graph_of(function):
    graph = Graph()
    x = graph.inputs({"x": SIZE})["x"]
    return FunctionGraph({"x": SIZE}, {"y": [graph.lift(v) for v in function(x)]})


def played(rolled, outputs, x):
    """Templates call after call, on plain floats."""
    work, y = [math.nan] * rolled.room, [0.0 if rolled.zeros else math.nan] * outputs
    for kind, first, last in rolled.calls:
        template = rolled.templates[kind]
        for row in template.rows[first:last]:
            assert len(row) == template.columns
            source = {FAR: work, NUMBER: rolled.numbers, "x": x}
            values = evaluate(
                [s.node for s in template.block.stores],
                lambda at, s=source, r=row: s[at[0]][r[at[1]]],
                float,
            )
            for store in template.block.stores:
                where_, k = store.address
                target, place = (work, row[ROOM] + k) if where_ == OWN else (y, row[k])
                target[place] = values[store.node.index]
    return y


@pytest.mark.parametrize("name", CASES)
def test_templates_give_the_graphs_numbers(name):
    graph = graph_of(CASES[name])
    x = np.random.default_rng(1).normal(size=SIZE).tolist()
    expected = graph.values({"x": x})
    found = played(roll(graph), len(expected), x)
    assert found == expected
    assert [math.copysign(1.0, y) for y in found] == [math.copysign(1.0, y) for y in expected]


@pytest.mark.parametrize("name", ["chain", "uneven chain"])
def test_length_does_not_grow_with_the_number_of_parts(name):
    """Twice as many parts are twice the graph, and nearly the same code."""
    lengths = []
    for size in (80, 160):
        graph = Graph()
        x = graph.inputs({"x": size})["x"]
        y = [graph.lift(v) for v in CASES[name](x)]
        whole = FunctionGraph({"x": size}, {"y": y})
        lengths.append((whole.operations(), roll(whole).operations))
    assert lengths[1][0] > 1.9 * lengths[0][0]
    assert lengths[1][1] < 1.15 * lengths[0][1]
    assert lengths[1][1] < lengths[1][0] / 4


@pytest.mark.skipif(not native(), reason="needs llvmlite")
@pytest.mark.parametrize("lanes", [Lanes(1), Lanes(4), Lanes(8), Lanes(4, "float")], ids=str)
@pytest.mark.parametrize("name", CASES)
def test_machine_code(name, lanes):
    """Rows of a batch, also a number that is no multiple of the lanes."""
    graph, rows = graph_of(CASES[name]), 11
    dtype = np.float64 if lanes.element == "double" else np.float32
    x = np.random.default_rng(2).normal(size=(rows, SIZE)).astype(dtype)
    expected = np.array([graph.values({"x": row.astype(float).tolist()}) for row in x])
    code = RolledCode(StraightCode(lambda most: graph, None))
    outputs = {"y": (expected.shape[1],)}
    kernel = Kernel({"x": SIZE}, outputs, lanes, code)
    out = np.full(expected.shape, np.nan, dtype)
    kernel.call([x], [SIZE], [out], rows, np.zeros(16, dtype))
    tolerance = 1e-12 if lanes.element == "double" else 1e-3
    np.testing.assert_allclose(out, expected, rtol=tolerance, atol=tolerance)
