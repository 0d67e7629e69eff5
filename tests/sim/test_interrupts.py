"""Ctrl-C in runs that ask Python on the way: it always arrives, and what was computed is kept."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import armillary as am
from armillary.runtime import threads as pool

ARM = am.example("double-pendulum")


@pytest.fixture(autouse=True)
def listening():
    """Interrupts arrive, also where this process was started with them switched off."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupted(arm=ARM, start=(1.2, 0.6), **options) -> tuple[am.Run, float]:
    """A run of an hour, interrupted after a while; and the seconds it took from then on."""
    sent = []

    def send() -> None:
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.4, send)
    timer.start()
    try:
        run = am.simulate(arm, start, duration=3600.0, every=1000, **options)
    finally:
        timer.cancel()
    return run, time.monotonic() - sent[0]


def law(t, q, v):
    return -0.1 * v


@pytest.mark.parametrize("times", range(3))
@pytest.mark.parametrize("options", [{}, {"period": 1e-2}, {"method": "semi-implicit"}], ids=str)
def test_a_function_without_end(options, times):
    run, took = interrupted(controller=law, **options)
    assert not run.complete
    assert "interrupted" in run.message
    assert len(run) >= 1
    assert took < 5.0
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("threads", [1, 3])
def test_a_batch_without_end(threads, monkeypatch):
    """Rows on threads; how far they are is told all the time."""
    monkeypatch.setattr(pool, "cores", lambda: 3)
    told = []
    start = np.tile([1.2, 0.6], (100, 1))
    run, took = interrupted(ARM.compile(threads=threads), start, progress=lambda *x: told.append(x))
    assert "interrupted" in run.message
    assert len(run) >= 1
    assert len(told) >= 1
    assert took < 5.0


def test_the_users_own_handler_is_asked():
    """... and where it says nothing, the run goes on."""
    calls = []
    before = signal.signal(signal.SIGINT, lambda number, frame: calls.append(number))
    timer = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    try:
        run = am.simulate(ARM, [1.2, 0.6], duration=20.0, every=1000, controller=law)
    finally:
        timer.cancel()
        timer.join()
        signal.signal(signal.SIGINT, before)
    assert run.complete
    assert calls == [signal.SIGINT]


def test_runs_in_other_threads_leave_signals_alone():
    found = []

    def work() -> None:
        found.append(am.simulate(ARM, [1.2, 0.6], duration=0.2, controller=law).complete)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [True]
