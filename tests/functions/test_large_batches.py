"""Batches of matrices that are too large for the caches: their numbers, and the memory they use.

The code of one state writes its results one by one: it gives the same bits.  The matrix itself is
checked against the joint forces of unit accelerations, a pass of its own."""

from functools import cache

import numpy as np
import pytest

import armillary as am
from armillary.evaluate import native_call as fast
from samples import random_model, random_state

native = pytest.mark.skipif(not fast.available(), reason="no native calls on this interpreter")
JOINTS = 21  # 441 numbers in a matrix: they are unpacked in a loop


@cache
def tree(joints: int = JOINTS, tier: int = 2, threads: int = 1, lanes: int = 4) -> am.Mechanism:
    """lanes: the same on every processor, as batches of so many rows are native."""
    kinds = ("revolute", "prismatic")
    model = random_model(7, kinds, joints, branching=2, roots=1)
    return am.Mechanism(model).compile(tier=tier, threads=threads, lanes=lanes)


def positions(count: int, dtype=np.float64, joints: int = JOINTS) -> np.ndarray:
    states = [random_state(tree(joints).model, seed)[0] for seed in range(count)]
    return np.array(states, dtype)


# ---------------------------------------------------------------- the numbers


@pytest.mark.parametrize("count", [4, 5, 8, 11, 64, 67])
@pytest.mark.parametrize("lanes", [2, 4, 8, 16])
def test_the_bits_of_one_state(count, lanes):
    """Any number of rows, also where the last block of rows overlaps; anywhere in memory."""
    q, arm = positions(count), tree(lanes=lanes)
    singles = np.array([arm.mass_matrix(row) for row in q])
    for _ in range(3):  # the first call goes another way
        np.testing.assert_array_equal(arm.mass_matrix(q), singles)
    for start in range(1, 9):
        around = np.full(singles.size + 64, 77.0)
        out = around[start : start + singles.size].reshape(singles.shape)
        assert arm.mass_matrix(q, out=out) is out
        np.testing.assert_array_equal(out, singles)
        assert (around[:start] == 77.0).all()
        assert (around[start + singles.size :] == 77.0).all()


def test_forces_of_unit_accelerations():
    q, arm = positions(9), tree()
    still = np.zeros_like(q)
    bias = arm.inverse_dynamics(q, still, still)
    for k in range(JOINTS):
        column = arm.inverse_dynamics(q, still, np.tile(np.eye(JOINTS)[k], (9, 1))) - bias
        np.testing.assert_allclose(arm.mass_matrix(q)[:, :, k], column, atol=1e-10)


def test_single_precision_and_loops():
    q, arm = positions(19), tree()
    wanted = arm.mass_matrix(q)
    scale = np.abs(wanted).max()
    floats = arm.mass_matrix(q.astype(np.float32))
    assert floats.dtype == np.float32
    np.testing.assert_allclose(floats, wanted, atol=1e-4 * scale)
    np.testing.assert_allclose(tree(tier=1).mass_matrix(q), wanted, atol=1e-13 * scale)


def test_threads_give_the_same_bits():
    q = positions(301)
    np.testing.assert_array_equal(tree(threads=2).mass_matrix(q), tree().mass_matrix(q))


def test_a_result_over_an_input():
    q, arm = positions(8), tree()
    wanted = arm.mass_matrix(q)
    shared = np.zeros(wanted.size)
    given = shared[64 : 64 + q.size].reshape(q.shape)
    given[...] = q
    out = arm.mass_matrix(given, out=shared.reshape(wanted.shape))
    np.testing.assert_array_equal(out, wanted)


def test_a_state_that_is_no_number_marks_its_row_only():
    q, arm = positions(9), tree()
    wanted = arm.mass_matrix(q)
    q[4, 20] = np.nan
    found = arm.mass_matrix(q)
    others = np.arange(9) != 4
    np.testing.assert_array_equal(found[others], wanted[others])
    assert np.isnan(found[4].diagonal()).all()


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics"])
def test_derivatives(name):
    """Three results of 49 numbers each: their memory is fetched ahead."""
    arm = tree(7)
    states = [random_state(arm.model, seed) for seed in range(13)]
    q, v, a = (np.array([s[k] for s in states]) for k in range(3))
    many = getattr(arm, name).derivatives(q, v, a)
    for k, state in enumerate(zip(q, v, a, strict=True)):
        one = getattr(arm, name).derivatives(*state)
        np.testing.assert_array_equal(many.dq[k], one.dq)
        np.testing.assert_array_equal(many.dv[k], one.dv)


# ---------------------------------------------------------------- the memory


@native
def test_memory_that_nobody_holds_is_used_again():
    """Results of 34 MB: the native call leaves them to Python, which keeps the last ones; what is
    kept, and what is not, test_kept_results.py says."""
    q, arm = np.tile(positions(9), (1100, 1)), tree()
    wanted = arm.mass_matrix(q[:9])
    held = arm.mass_matrix(q)
    assert len({arm.mass_matrix(q).ctypes.data for _ in range(6)}) == 1
    seen = set()
    for _ in range(6):
        result = arm.mass_matrix(q)  # the last one is held until the name is bound anew
        seen.add(result.ctypes.data)
    assert len(seen) == 2
    assert held.ctypes.data not in seen
    for found in (held, result):
        np.testing.assert_array_equal(found[:9], wanted)
        np.testing.assert_array_equal(found[-9:], wanted)
    out = np.empty_like(held)
    assert arm.mass_matrix(q, out=out) is out
    np.testing.assert_array_equal(out, held)
