"""Rows with many results: columns are kept once and unpacked, memory is fetched ahead.

The numbers are checked against numpy: sums and products of small whole numbers are exact.  Mass
matrices of mechanisms: tests/functions/test_large_batches.py."""

import numpy as np
import pytest
from machine import Machine

from armillary.codegen import rows
from armillary.codegen.target import Lanes

LANES = [Lanes(2), Lanes(4), Lanes(8, "float")]


def many(size: int):
    """Zeros, constants, equal and different numbers; every seventh is used twice."""

    def numbers(*x):
        found = []
        for k in range(size):
            if k % 5 == 3:
                found.append(0.0)
            elif k % 11 == 6:
                found.append(float(k % 3))
            elif k % 7 == 2:
                found.append(x[0] * x[1])
            else:
                found.append(x[k % len(x)] + float(k))
        return found

    return numbers


def states(count: int, dtype) -> np.ndarray:
    """Small whole numbers: what is made of them is exact in both precisions."""
    return np.random.default_rng(count).integers(-99, 99, (count, 3)).astype(dtype)


def wanted(x: np.ndarray, size: int) -> np.ndarray:
    columns = many(size)(*x.T)
    return np.array([np.broadcast_to(c, len(x)) for c in columns], x.dtype).T


@pytest.mark.parametrize("lanes", LANES, ids=lambda lanes: lanes.suffix)
@pytest.mark.parametrize("size", [rows._MANY - 1, rows._MANY, rows._MANY + 3])
def test_numbers(lanes, size):
    """On both sides of the border; sizes that W divides and that it does not; odd rows."""
    code = Machine(many(size), 3, lanes)
    for count in (lanes.width, lanes.width + 1, 2 * lanes.width - 1, 45):
        x = states(count, code.dtype)
        np.testing.assert_array_equal(code(x), wanted(x, size))


@pytest.mark.parametrize("size", [rows._MANY - 1, rows._MANY + 1])
def test_nothing_else_is_written(size):
    """Results anywhere in memory, between other numbers."""
    lanes = Lanes(4)
    code = Machine(many(size), 3, lanes)
    x = states(9, np.float64)
    for start in range(9):
        around = np.full(9 * size + 80, 77.0)
        room = around[start + 32 : start + 32 + 9 * size]
        code.into(x, room)
        np.testing.assert_array_equal(room.reshape(9, size), wanted(x, size))
        assert (around[: start + 32] == 77.0).all()
        assert (around[start + 32 + 9 * size :] == 77.0).all()


def test_a_column_is_kept_once():
    """800 numbers, three of them different."""
    writer = Machine(lambda x: [x, 0.0, x * x, x] * 200, 1, Lanes(4))
    assert "alloca [3 x <4 x double>]" in writer.text
    x = np.arange(5.0)[:, None]
    np.testing.assert_array_equal(writer(x), np.hstack([x, 0 * x, x * x, x] * 200))


def test_memory_is_fetched_only_where_results_outgrow_the_inputs():
    few, lots = Machine(lambda x, y: [x, y], 2, Lanes(4)), Machine(many(40), 3, Lanes(4))
    assert "prefetch" not in few.text
    assert lots.text.count("call void @llvm.prefetch") == 4 * 40 * 8 // 64


def test_the_same_bits_without_unpacking_and_fetching(monkeypatch):
    size = rows._MANY

    def products(*x):
        turned = [value.sin() for value in x]
        return [x[k % 5] * turned[k % 3] + turned[k % 4] / x[k % 2] for k in range(size)]

    x = np.random.default_rng(3).normal(size=(29, 5))
    for lanes in (Lanes(4), Lanes(8, "float")):
        unpacked = Machine(products, 5, lanes)(x)
        with monkeypatch.context() as patch:
            patch.setattr(rows, "_MANY", 10**6)
            patch.setattr(rows.RowWriter, "_fetches", lambda self: [])
            plain = Machine(products, 5, lanes)
        assert "unpack" not in plain.text
        np.testing.assert_array_equal(plain(x), unpacked)
