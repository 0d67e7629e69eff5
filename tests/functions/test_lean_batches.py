"""Batches that go straight to a kernel, rows of every length, and results that are used again."""

import gc
import sys
import threading
import weakref
from functools import cache

import numpy as np
import pytest

import armillary as am
from armillary.evaluate import native_call as fast
from samples import random_model, random_state

native = pytest.mark.skipif(not fast.available(), reason="no native calls on this interpreter")
ARGUMENTS = {
    "inverse_dynamics": ("q", "v", "a"),
    "forward_dynamics": ("q", "v", "tau"),
    "mass_matrix": ("q",),
}


@cache
def arm(joints: int) -> am.Mechanism:
    kinds = ("revolute", "prismatic")
    return am.Mechanism(random_model(5, kinds, joints, branching=0, roots=0, passive=True))


def rows_of(joints: int, count: int, dtype=np.float64) -> dict[str, np.ndarray]:
    states = [random_state(arm(joints).model, seed) for seed in range(count)]
    q, v, a = (np.array([s[k] for s in states], dtype) for k in range(3))
    return {"q": q, "v": v, "a": a, "tau": 2 * a}


def question_and_rows(name: str, joints: int, count: int, dtype=np.float64) -> tuple:
    given = rows_of(joints, count, dtype)
    return getattr(arm(joints), name), [given[n] for n in ARGUMENTS[name]]


def reaches_python(call) -> bool:
    entered = []
    sys.setprofile(lambda frame, event, argument: entered.append(frame.f_code.co_name))
    try:
        call()
    finally:
        sys.setprofile(None)
    return "_answer" in entered


# ---------------------------------------------------------------- the same answer


@pytest.mark.parametrize("name", ARGUMENTS)
@pytest.mark.parametrize("joints", range(1, 10))
def test_rows_of_every_length(name, joints):
    """1 to 9 numbers per row: shorter than a vector, one vector, and more; nothing is written
    beside the result."""
    question, given = question_and_rows(name, joints, 13)
    singles = np.array([question(*row) for row in zip(*given, strict=True)])
    question(*given)
    np.testing.assert_array_equal(question(*given), singles)
    frame = np.full((15, *singles.shape[1:]), 77.0)
    question(*given, out=frame[1:-1])
    np.testing.assert_array_equal(frame[1:-1], singles)
    assert (frame[[0, -1]] == 77.0).all()


@pytest.mark.parametrize("name", ARGUMENTS)
@pytest.mark.parametrize("joints", [1, 2, 3, 5, 7, 8, 9])
def test_rows_of_floats(name, joints):
    question, given = question_and_rows(name, joints, 21, np.float32)
    question(*given)
    found = question(*given)
    wanted = question(*(x.astype(float) for x in given))
    assert found.dtype == np.float32
    scale = np.abs(wanted).max()
    np.testing.assert_allclose(found, wanted, atol=2e-4 * scale)


@native
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", ARGUMENTS)
def test_plain_batches_do_not_reach_python(name, dtype):
    question, given = question_and_rows(name, 6, 32, dtype)
    out = question(*given)
    assert not reaches_python(lambda: question(*given))
    assert not reaches_python(lambda: question(*given, out=out))
    assert reaches_python(lambda: question(*(x[:2] for x in given)))  # fewer rows than lanes
    np.testing.assert_array_equal(question(*(x[::2] for x in given)), out[::2])  # made plain first


@pytest.mark.parametrize("count", [*range(9), 31])
def test_every_number_of_rows(count):
    question, given = question_and_rows("inverse_dynamics", 6, 31)
    whole = question(*given)
    np.testing.assert_array_equal(question(*(x[:count].copy() for x in given)), whole[:count])


def test_a_bad_row_stays_alone():
    question, given = question_and_rows("forward_dynamics", 6, 16)
    good = question(*given)
    given[1][5, 2] = np.nan
    found = question(*given)
    assert np.isnan(found[5]).all()
    keep = np.arange(16) != 5
    np.testing.assert_array_equal(found[keep], good[keep])


def test_what_is_not_plain_is_answered_or_refused():
    question, (q, v, a) = question_and_rows("inverse_dynamics", 6, 16)
    whole = question(q, v, a)
    np.testing.assert_array_equal(question(q, v[0], a)[0], whole[0])  # one row for all
    np.testing.assert_array_equal(question(np.asfortranarray(q), v, a), whole)
    np.testing.assert_array_equal(question(q.astype(">f8"), v, a), whole)
    np.testing.assert_array_equal(question(q[::-1], v[::-1], a[::-1]), whole[::-1])
    np.testing.assert_allclose(question(q.astype(np.float32), v, a), whole, rtol=1e-4, atol=1e-3)
    for wrong in ((q[:, :5], v, a), (q, v[:9], a), (q, v), (q[None], v, a), (q, v, a > 0, a, a)):
        with pytest.raises((am.InputError, TypeError)):
            question(*wrong)


def test_out_of_a_batch():
    question, (q, v, a) = question_and_rows("inverse_dynamics", 6, 16)
    whole, out = question(q, v, a), np.empty((16, 6))
    assert question(q, v, a, out=out) is out
    np.testing.assert_array_equal(out, whole)
    both = a.copy()
    assert question(q, v, both, out=both) is both  # it reads what it writes
    np.testing.assert_array_equal(both, whole)
    locked = np.empty((16, 6))
    locked.flags.writeable = False
    for wrong in (locked, np.empty((15, 6)), np.empty((16, 6), np.float32), np.empty(96), "no"):
        with pytest.raises(am.InputError, match="out"):
            question(q, v, a, out=wrong)


@native
def test_batches_leave_no_reference():
    question, given = question_and_rows("inverse_dynamics", 6, 16)
    out, dtype = question(*given), np.dtype(np.float64)
    things = [*given, out, dtype, question]
    before = [sys.getrefcount(x) for x in things]
    for _ in range(1000):
        question(*given)
        question(*given, out=out)
    after = [sys.getrefcount(x) for x in things]
    assert all(abs(x - y) < 20 for x, y in zip(before, after, strict=True))


@native
def test_other_threads_run_meanwhile():
    """The lock of the interpreter is free while a batch is computed."""
    question, given = question_and_rows("forward_dynamics", 9, 8)
    many = [np.ascontiguousarray(np.tile(x, (60_000, 1))) for x in given]
    question(*given)
    go, ran = threading.Event(), []

    def other() -> None:
        go.wait()
        ran.append(True)

    thread = threading.Thread(target=other)
    thread.start()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(10.0)  # nobody is asked to give the lock up
    try:
        go.set()
        before = list(ran)
        question(*many)
        during = list(ran)
    finally:
        sys.setswitchinterval(interval)
        thread.join()
    assert not before
    assert during


# ---------------------------------------------------------------- results that are used again


def one_state() -> tuple:
    question, given = question_and_rows("inverse_dynamics", 6, 3)
    states = [tuple(x[k].copy() for x in given) for k in range(3)]
    for state in states:
        question(*state)
    return question, states


@native
def test_a_result_nobody_holds_is_used_again():
    question, (state, *_) = one_state()
    seen = {id(question(*state)) for _ in range(100)}
    assert len(seen) <= 4


def test_held_results_are_left_alone():
    question, states = one_state()
    held = [question(*states[k % 3]) for k in range(30)]
    wanted = [question(*state).copy() for state in states]
    for k, result in enumerate(held):
        np.testing.assert_array_equal(result, wanted[k % 3])
    assert len({x.ctypes.data for x in held}) == 30


def test_views_and_buffers_hold_a_result():
    question, (state, other, _) = one_state()
    wanted = question(*state).copy()
    for hold in (lambda x: x[2:4], lambda x: memoryview(x)[2:4], lambda x: x.reshape(2, 3)[0, 2:]):
        part = hold(question(*state))
        before = np.array(part)
        for _ in range(20):
            question(*other)
        np.testing.assert_array_equal(np.array(part), before)
    np.testing.assert_array_equal(question(*state), wanted)


def test_changed_results_do_not_come_back():
    """Whatever is done to a result, the next ones are plain arrays of the right shape."""
    question, (state, *_) = one_state()
    wanted = question(*state).copy()

    def read_only(x):
        x.flags.writeable = False

    def other_shape(x):
        x.shape = (2, 3)

    for change in (read_only, other_shape):
        for _ in range(8):
            change(question(*state))
        for _ in range(8):
            found = question(*state)
            np.testing.assert_array_equal(found, wanted)
            assert found.flags.writeable
            assert found.shape == (6,)


@native
def test_a_result_that_is_watched_is_not_used_again():
    question, (state, other, _) = one_state()
    result = question(*state)
    wanted, watch = result.copy(), weakref.ref(result)
    del result
    for _ in range(10):
        question(*other)
    gc.collect()
    watched = watch()
    assert watched is None or np.array_equal(watched, wanted)
