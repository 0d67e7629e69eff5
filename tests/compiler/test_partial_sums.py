"""Long sums as partial ones (graph/partial_sums.py)."""

import math
from fractions import Fraction

import numpy as np
import pytest

from armillary.graph.expr import Graph, cone
from armillary.graph.function import FunctionGraph
from armillary.graph.partial_sums import with_partial_sums


def made(function, count):
    """The graph of a function of `count` numbers."""
    graph = Graph()
    found = function(graph.inputs({"x": count})["x"])
    found = found if isinstance(found, list) else [found]
    return FunctionGraph({"x": count}, {"y": [graph.lift(y) for y in found]})


def signed(x):
    """Terms that are added, taken off, and products."""
    total = x[0]
    for k, (y, z) in enumerate(zip(x[1:], x[2:] + x[:1], strict=True)):
        total = total - y * z if k % 3 == 1 else y + total
    return total


def depth(graph):
    """Of the longest way through additions."""
    far = {}
    for node in cone(graph.roots()):
        own = node.op in ("add", "sub")
        far[node.index] = own + max((far[a.index] for a in node.args), default=0)
    return max(far.values())


def exactly(function, x):
    return float(function([Fraction(y) for y in x]))


@pytest.mark.parametrize("count", [2, 23, 24, 25, 26, 27, 28, 101])
def test_sums_keep_every_term(count):
    x = np.random.default_rng(count).normal(size=count).tolist()
    before = made(signed, count)
    after = with_partial_sums(before)
    assert after.values({"x": x})[0] == pytest.approx(exactly(signed, x), rel=1e-13)
    assert after.operations() - before.operations() in range(4)  # terms that are taken off first


def test_only_long_sums_become_shorter_ways():
    assert depth(with_partial_sums(made(sum, 100))) <= 100 / 4 + 3
    short = made(sum, 20)
    assert depth(with_partial_sums(short)) == depth(short)


def test_running_sums_that_others_need_stay_as_they_are():
    """Every partial total is a result: none may be taken apart."""

    def totals(x):
        found = [x[0]]
        for y in x[1:]:
            found.append(found[-1] + y)
        return found

    x = np.random.default_rng(1).normal(size=60).tolist()
    after = with_partial_sums(made(totals, 60))
    np.testing.assert_array_equal(after.values({"x": x}), np.cumsum(x))


def test_sums_of_sums_and_a_total_that_is_used_again():
    def nested(x):
        one, two = sum(x[:40]), sum(y * y for y in x[40:])
        return [(one + two) * one.graph.constant(2.0), two - one]

    x = np.random.default_rng(2).normal(size=90).tolist()
    one, two = math.fsum(x[:40]), math.fsum(y * y for y in x[40:])
    found = with_partial_sums(made(nested, 90)).values({"x": x})
    np.testing.assert_allclose(found, [2 * (one + two), two - one], rtol=1e-13)


def test_negative_terms_at_the_beginning():
    def less(x):
        total = x[0] - x[1] - x[2] - x[3]
        for y in x[4:]:
            total = total - y
        return total

    x = np.random.default_rng(3).normal(size=50).tolist()
    found = with_partial_sums(made(less, 50)).values({"x": x})[0]
    assert found == pytest.approx(exactly(less, x), rel=1e-13)
