"""Large results of batches: memory that nobody holds is used again, and no other."""

import threading
import weakref

import numpy as np
import pytest

import armillary as am
from armillary.evaluate.kept_results import KeptResults
from samples import random_model, random_state

SHAPE = (64, 4)


def address(array: np.ndarray) -> int:
    return array.ctypes.data


@pytest.fixture
def kept() -> KeptResults:
    return KeptResults(least=1024, most=5 * 64 * 4 * 8)


def test_dropped_results_are_used_again(kept):
    first = kept.empty(SHAPE, np.float64)
    place = address(first)
    del first
    again = kept.empty(SHAPE, np.float64)
    assert address(again) == place
    assert (again.shape, again.dtype) == (SHAPE, np.float64)


def test_held_results_stay(kept):
    """Held by a name, a view, a slice of a view, a memoryview or a weak reference."""
    holders = [
        lambda x: x,
        lambda x: x.T,
        lambda x: x[3:][:, 1:2],
        memoryview,
        weakref.ref,
    ]
    for hold in holders:
        array = kept.empty(SHAPE, np.float64)
        array[...] = 7.0
        holder, place = hold(array), address(array)
        del array
        new = kept.empty(SHAPE, np.float64)
        assert address(new) != place
        del new, holder


def test_changed_and_other_arrays_are_not_given_out(kept):
    array = kept.empty(SHAPE, np.float64)
    array.setflags(write=False)
    place = address(array)
    del array
    assert address(kept.empty(SHAPE, np.float64)) != place
    single = kept.empty(SHAPE, np.float32)
    assert single.dtype == np.float32
    assert kept.empty((4, 64), np.float64).shape == (4, 64)


def test_limits(kept):
    """Small results are not kept, nor more than so many bytes, nor what is larger than that."""
    kept.empty((2, 4), np.float64)
    kept.empty((640, 4), np.float64)
    assert not kept._arrays
    held = [kept.empty(SHAPE, np.float64) for _ in range(9)]
    assert len(kept._arrays) == 5
    assert len({address(x) for x in held}) == 9


def test_a_watcher_may_ask_for_a_result_when_one_goes(kept):
    """Of an array that is kept no longer: it goes when the pool is free again."""
    asked = []
    watch = weakref.ref(
        kept.empty(SHAPE, np.float64), lambda _: asked.append(kept.empty(SHAPE, np.float64))
    )
    held = [kept.empty(SHAPE, np.float64) for _ in range(6)]
    assert watch() is None
    assert len(asked) == 1
    assert all(asked[0] is not array for array in held)


def test_threads_never_share(kept):
    """Each writes its own number into what it was given and finds it there afterwards."""
    wrong = []

    def work(number: float) -> None:
        for _ in range(300):
            array = kept.empty(SHAPE, np.float64)
            array[...] = number
            if not (array == number).all():
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(float(k),)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_results_of_a_mechanism_that_are_held():
    """Later calls leave earlier results alone; 1800 states of 6 joints are half a megabyte each."""
    mechanism = am.Mechanism(random_model(6, ("revolute",), 6, roots=0.0))
    q, v, tau = (np.tile(x, (1800, 1)) for x in random_state(mechanism.model, 1))
    first = mechanism.forward_dynamics.derivatives(q, v, tau)
    copies = [part.copy() for part in first]
    for factor in (2.0, 3.0, 4.0):
        mechanism.forward_dynamics.derivatives(q, factor * v, tau)
    for part, copy in zip(first, copies, strict=True):
        np.testing.assert_array_equal(part, copy)
