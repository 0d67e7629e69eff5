"""Straight-line code of one state: neighbouring inputs as vectors, rows one after the other."""

import itertools

import numpy as np
import pytest
from machine import FOUR, SCALAR, Machine

from armillary.codegen.abi import Struct, integer, pointer
from armillary.codegen.code import Code, all_finite, no_flags, scan
from armillary.codegen.jit import Library, native_call
from armillary.codegen.target import Lanes
from armillary.graph.expand import Expansion
from armillary.graph.expr import Graph


class Look(Struct):
    NUMBERS = pointer()
    COUNT = integer()
    FINITE = integer()


def marked(*x):
    """Two results with a mark of every input that is not finite, and one without."""
    mark = 0
    for a in x:
        mark = mark + a * 0.0
    return [x[0].sin() + mark, x[-1] * x[0] + mark, x[0] + 1.0]


@pytest.mark.parametrize("count", range(1, 11))
@pytest.mark.parametrize("lanes", [SCALAR, Lanes(1, fma=False), Lanes(1, "float")])
def test_marks_show_every_bad_input(count, lanes):
    function = Machine(marked, count, lanes)
    rows = np.random.default_rng(count).uniform(-2.0, 2.0, (1, count))
    expected = [np.sin(rows[0, 0]), rows[0, -1] * rows[0, 0], rows[0, 0] + 1.0]
    np.testing.assert_allclose(function(rows)[0], expected, rtol=1e-6)
    for k, bad in itertools.product(range(count), (np.nan, np.inf, -np.inf)):
        spoiled = rows.copy()
        spoiled[0, k] = bad
        found = function(spoiled)[0]
        assert np.isnan(found[:2]).all()
        assert np.isfinite(found[2]) == (k > 0)


def test_marks_of_some_inputs_only():
    """Neighbours of marked inputs do not spoil the result."""
    chosen = (0, 1, 2, 4, 5, 6, 7, 9)
    function = Machine(lambda *x: [sum(x[k] * 0.0 for k in chosen) + x[3], x[3] + 0.5], 10)
    for k in range(10):
        row = np.arange(1.0, 11.0)
        row[k] = np.inf
        first, second = function(row)[0]
        assert np.isfinite(first) == (k not in (*chosen, 3))
        assert np.isfinite(second) == (k != 3)


def test_a_mark_is_one_load():
    graph = Graph()
    x = [graph.load("x", k) for k in range(5)]
    total = x[0] * 0.0 + x[1] * 0.0 + x[4] * 0.0
    (root,) = Expansion(marked=("x",)).expand([graph.lift(total)])
    assert root.data == ("poison", (("x", 0), ("x", 1), ("x", 4)))
    (other,) = Expansion(marked=("x",)).expand([graph.lift(total + x[2])])
    assert other.op != "load"


@pytest.mark.parametrize("count", [1, 3, 4, 5, 7, 8, 9])
def test_rows_one_after_the_other(count):
    """Any number of rows, the same bits as four at a time; no row writes into another."""

    def function(*x):
        return [x[0].sin() * x[-1].cos(), *(a.cos() + x[0] for a in x)]

    rows = np.random.default_rng(count).uniform(-9.0, 9.0, (9, count))
    four, one = Machine(function, count, FOUR)(rows), Machine(function, count)
    for some in range(10):
        guarded = np.full((some + 1, count + 1), 7.0)
        one.into(rows[:some].copy(), guarded)
        np.testing.assert_array_equal(guarded[:some], four[:some])
        np.testing.assert_array_equal(guarded[some], 7.0)


def scanner():
    """[address, count, answer]: is every number finite?"""
    c = Code("look")
    flags = no_flags(c)
    scan(c, c.field(Look.NUMBERS), c.field(Look.COUNT), flags)
    c.set_field(Look.FINITE, c.let(f"zext i1 {all_finite(c, flags)} to i64"))
    library = Library(c.text(), ["look"], optimize=2)
    look = native_call(library.addresses["look"])

    def run(numbers):
        fields = np.array([numbers.ctypes.data, len(numbers), -1])
        look(fields.ctypes.data)
        return bool(fields[2])

    run.library = library
    return run


def test_scan_finds_what_is_not_finite_and_nothing_else():
    finite = scanner()
    rng = np.random.default_rng(0)
    for count in range(80):
        room = np.full(count + 12, np.nan)  # what lies around does not count
        numbers = room[6 : 6 + count]
        numbers[:] = rng.choice([0.0, -0.0, 5e-324, 1.7976931348623157e308, -3.5], count)
        assert finite(numbers)
        for k in range(count):
            before = numbers[k]
            numbers[k] = (np.nan, np.inf, -np.inf)[k % 3]
            assert not finite(numbers), (count, k)
            numbers[k] = before
