"""Lean calls that are entered again: by finalizers in the middle of a call, by several threads."""

import ctypes
import gc
import sys
import threading

import numpy as np
import pytest

import armillary as am
from armillary.evaluate import native_call as fast
from armillary.runtime.call_code import Answer, Data, Result
from armillary.runtime.callable_type import _address
from samples import random_model, random_state

pytestmark = pytest.mark.skipif(not fast.available(), reason="no native calls here")


def new_arm() -> am.Mechanism:
    return am.Mechanism(random_model(3, ("revolute",), 4, branching=0, roots=0))


def test_a_finalizer_may_ask_the_same():
    """The tuple of the results may start the garbage collector, and its finalizers may ask."""
    arm = new_arm()
    (q, v, a), other = random_state(arm.model, 0), random_state(arm.model, 1)
    wanted = [x.copy() for x in arm.inverse_dynamics.derivatives(q, v, a)]
    ask = arm.inverse_dynamics.derivatives
    asked = []

    class Last:
        def __init__(self):
            self.circle = self

        def __del__(self):
            asked.append(ask(*other))

    thresholds = gc.get_threshold()
    gc.disable()
    gc.collect()
    gc.set_threshold(1, 1 << 30, 1 << 30)
    try:
        for _ in range(10):
            triples = [(k, k, k) for k in range(4000)]  # Python keeps no free ones
            Last()
            gc.enable()
            found = ask(q, v, a)  # no other tuple is made on the way
            gc.disable()
            del triples
            np.testing.assert_array_equal(found, wanted)
    finally:
        gc.set_threshold(*thresholds)
        gc.enable()
    gc.collect()
    assert len(asked) == 10


@pytest.mark.parametrize("batch", [False, True])
def test_what_calls_stand_on_stays_where_it_is(batch):
    """A thread that saw no native call switches it on once more, while others are using it."""
    arm = new_arm()
    given = [np.tile(x, (64, 1)) if batch else x for x in random_state(arm.model, 0)]
    arm.inverse_dynamics(*given)
    call = arm.inverse_dynamics._owner
    (served,) = call.served.values()
    before = call.data.copy(), call.answers.copy(), served.data.copy()
    held = (served.batches if batch else served.singles)["float64"]
    kernel = held[0]
    again = threading.Thread(
        target=call.switch_on_batch if batch else call.switch_on,
        args=(fast.Serving(kernel, arm.evaluator.base_numbers, ("q", "v", "a")),),
    )
    again.start()
    again.join()
    for memory, then in zip((call.data, call.answers, served.data), before, strict=True):
        np.testing.assert_array_equal(memory, then)
    assert call.served[0] is served
    assert (served.batches if batch else served.singles)["float64"] is held
    assert served.data[Answer.INPUTS] == 3


@pytest.mark.parametrize("kept", [0, 1, 2])
def test_memory_that_runs_out_half_way(kept):
    """So many of three results find a place; then there is none left for the next."""
    arm = new_arm()
    q, v, a = random_state(arm.model, 0)
    arm.inverse_dynamics.derivatives(q, v, a)
    ask = arm.inverse_dynamics.derivatives
    call = ask._owner
    (served,) = call.served.values()
    before, answer = call.data.copy(), served.data.copy()
    arrays = [x for x in served.kept if isinstance(x, np.ndarray)]
    for r in range(3):
        served.data[Answer.RESULT + r * Result.SIZE + Result.KEPT_COUNT] = 4 * (r < kept)
    call.data[Data.NEW_ARRAY] = _address(ctypes.pythonapi.PyErr_NoMemory)  # what it does then
    try:
        holders = [sys.getrefcount(array) for array in arrays]
        for _ in range(20):
            with pytest.raises(MemoryError):
                ask(q, v, a)
        assert [sys.getrefcount(array) for array in arrays] == holders
    finally:
        call.data[:], served.data[:] = before, answer
    np.testing.assert_allclose(ask(q, v, a)[2], arm.mass_matrix(q), rtol=1e-12, atol=1e-14)
