"""Ctrl-C in runs that ask Python on the way: it always arrives, and what was computed is kept."""

import gc
import os
import signal
import sys
import threading
import time

import numpy as np
import pytest

import armillary as am
from armillary.codegen import jit
from armillary.runtime import threads as pool
from armillary.sim.loop import native, run_recorder, time_steps
from armillary.sim.record import recorder

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

    am.simulate(arm, start, duration=1e-2, **options)  # what is made once is there
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


@pytest.fixture
def unheard(monkeypatch):
    """Exceptions that Python dropped."""
    found = []
    monkeypatch.setattr(sys, "unraisablehook", found.append)
    return found


def test_between_the_last_answer_and_the_end_of_a_call(monkeypatch):
    """The function has answered for all steps of a native call, and then Ctrl-C comes."""
    steps, calls = time_steps.run_steps("explicit"), []

    def late(place: int) -> None:
        steps(place)
        calls.append(place)
        if len(calls) == 3:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(time_steps, "run_steps", lambda kind: late)
    run = am.simulate(ARM, (1.2, 0.6), duration=3.0, controller=law)
    assert len(calls) == 3 and "interrupted" in run.message and len(run) > 1


class Interrupting:
    """In the place of the lock of LLVM: whoever takes it is interrupted there."""

    def __enter__(self) -> None:
        signal.raise_signal(signal.SIGINT)

    def __exit__(self, *args: object) -> None:
        pass


SQUARE = "define void @f{k}(ptr %x) {{ ret void }}"


def test_machine_code_is_released_without_a_finalizer_in_python(unheard, monkeypatch):
    """A finalizer in Python would be the place where an exception is lost: none runs."""
    library, ran = jit.Library(SQUARE.format(k=1), ["f1"]), []
    ring = [library]
    ring.append(ring)
    del library
    gc.collect()

    def profile(frame, event, argument) -> None:
        if (
            event == "call" and "armillary" in frame.f_code.co_filename
        ):  # others watch the collector
            ran.append(frame.f_code.co_qualname)

    with monkeypatch.context() as patch:
        patch.setattr(jit, "LLVM_LOCK", Interrupting())
        del ring
        sys.setprofile(profile)
        try:
            gc.collect()
        finally:
            sys.setprofile(None)
    assert not ran and not unheard
    before = len(jit._engines)
    second = jit.Library(SQUARE.format(k=2), ["f2"])
    assert second.addresses and len(jit._engines) <= before and not jit._unused  # the first is gone


def test_ctrl_c_while_machine_code_is_made_or_freed(unheard, monkeypatch):
    first = jit.Library(SQUARE.format(k=3), ["f3"])
    del first
    monkeypatch.setattr(jit, "LLVM_LOCK", Interrupting())
    with pytest.raises(KeyboardInterrupt):
        jit.Library(SQUARE.format(k=4), ["f4"])
    assert not unheard and not jit._unused
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def _late_signal(monkeypatch, owner, name, call, before):
    """Ctrl-C comes just before, or just after, this call of a function (the last line of it)."""
    plain, count = getattr(owner, name), []

    def wrapped(*arguments, **options):
        count.append(0)
        if before and len(count) == call:
            signal.raise_signal(signal.SIGINT)
        found = plain(*arguments, **options)
        if not before and len(count) == call:
            signal.raise_signal(signal.SIGINT)
        return found

    monkeypatch.setattr(owner, name, wrapped)


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize(
    "place",
    [
        (native.NativeLoop, "advance"),
        (run_recorder.RunRecorder, "many"),
        (recorder.Recorder, "extend"),
        (recorder.Recorder, "_fill"),
        (recorder.Recorder, "_state_of"),
    ],
    ids=lambda place: place[1],
)
@pytest.mark.parametrize("every", [1, 7])
def test_the_message_names_the_last_recorded_instant(monkeypatch, place, before, every):
    """Wherever Ctrl-C comes, also in a stretch that native code has gone and nobody recorded."""
    monkeypatch.setattr(native, "_STEPS", 200)
    _late_signal(monkeypatch, *place, call=3, before=before)
    run = am.simulate(ARM, (1.2, 0.6), duration=3.0, every=every, record=("q", "v", "energy"))
    assert not run.complete and len(run) > 1 and len(run) < 3000 // every
    assert run.message == f"interrupted at t = {run.time[-1]:.6g} s"
    assert run.state["t"] == run.time[-1] and np.array_equal(run.state["q"], run.q[-1])
    assert np.allclose(np.diff(run.time), 1e-3 * every)
