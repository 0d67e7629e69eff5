"""Batches on several threads: the bits of one thread, whoever calls, forks or leaves meanwhile."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
from functools import cache

import numpy as np
import pytest

import armillary as am
from armillary.evaluate import program
from armillary.runtime import threads
from samples import random_model, random_state

forks = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
QUESTIONS = {
    "inverse_dynamics": ("q", "v", "a"),
    "forward_dynamics": ("q", "v", "a"),
    "mass_matrix": ("q",),
}
KINDS = ("revolute", "prismatic", "spherical")


@cache
def model() -> am.Model:
    return random_model(11, KINDS, 7, passive=True)


@cache
def states(count: int) -> dict[str, np.ndarray]:
    made = [random_state(model(), seed) for seed in range(min(count, 50))]
    return {
        name: np.resize([s[k] for s in made], (count, len(made[0][k]))) + 0.0
        for k, name in enumerate("qva")
    }


def given(name: str, count: int, dtype: type = np.float64) -> list[np.ndarray]:
    return [states(count)[n].astype(dtype) for n in QUESTIONS[name]]


@cache
def alone(tier: int | None = None, lanes: int | None = None) -> am.Mechanism:
    return am.Mechanism(model()).compile(tier=tier, lanes=lanes)


@pytest.fixture
def shared(monkeypatch):
    """There are three processors, and every block of rows is worth a thread.  Asks twice, as the
    first call finds out how long a row takes, and tells into how many parts a batch was cut."""
    monkeypatch.setattr(threads, "cores", lambda: 3)
    monkeypatch.setattr(program, "_WORTH", 0.0)
    cut: list[int] = []
    each = threads.Threads.each

    def noted(self, function, arguments):
        cut.append(len(arguments))
        each(self, function, arguments)

    monkeypatch.setattr(threads.Threads, "each", noted)

    def ask(mechanism, name, *arguments, **more):
        getattr(mechanism, name)(*arguments)
        cut.clear()
        return getattr(mechanism, name)(*arguments, **more), sum(cut)

    return ask


# ---------------------------------------------------------------- the same bits


@pytest.mark.parametrize("rows", [16, 17, 31, 64, 257])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("lanes", [2, 4, 8, 16])
def test_bits_of_one_thread(shared, lanes, dtype, rows):
    """Whole blocks go to every thread, whatever the number of rows and of lanes."""
    three = alone(None, lanes).compile(threads=3)
    for name in QUESTIONS:
        arguments = given(name, rows, dtype)
        wanted = getattr(alone(None, lanes), name)(*arguments)
        assert wanted.dtype == dtype
        found, parts = shared(three, name, *arguments)
        np.testing.assert_array_equal(found, wanted)
        assert parts == (min(3, rows // lanes) if rows // lanes > 1 else 0)
        out = np.full_like(wanted, np.nan)
        assert shared(three, name, *arguments, out=out)[0] is out
        np.testing.assert_array_equal(out, wanted)


@pytest.mark.parametrize("tier", [1, 2])
def test_several_results(shared, tier):
    three = alone(tier).compile(threads=3, tier=tier)
    q, v, a = given("inverse_dynamics", 301)
    wanted = alone(tier).inverse_dynamics.derivatives(q, v, a)
    found, parts = shared(three.inverse_dynamics, "derivatives", q, v, a)
    assert parts == 3
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)


def test_one_state_for_all_rows_and_bad_rows(shared):
    """An input that does not step from row to row, and a row that is not finite."""
    three = alone(1).compile(threads=3, tier=1)
    q, v, a = given("inverse_dynamics", 203)
    v = v.copy()
    v[150, 1] = np.nan
    wanted = alone(1).inverse_dynamics(q, v, a[3])
    found, parts = shared(three, "inverse_dynamics", q, v, a[3])
    assert parts == 3
    np.testing.assert_array_equal(found, wanted)
    assert np.isnan(found[150]).all()
    assert np.isfinite(np.delete(found, 150, axis=0)).all()


def test_short_batches_stay_with_their_caller(shared, monkeypatch):
    monkeypatch.setattr(program, "_WORTH", 1e9)
    three = alone(2).compile(threads=3)
    assert shared(three, "mass_matrix", *given("mass_matrix", 257))[1] == 0


# ---------------------------------------------------------------- jobs


@pytest.mark.parametrize("members", [1, 2, 3, 16])
def test_every_piece_is_done_once(members):
    who = threads.Threads(members)
    for count in [0, 1, 2, 3, 5, 64, 1000]:
        done = np.zeros(count, int)

        def count_up(k, done=done):
            done[k] += 1

        who.each(count_up, range(count))
        assert (done == 1).all()


def test_threads_work_at_the_same_time():
    """Each of three pieces waits for the other two: one thread alone would wait for ever."""
    meeting = threading.Barrier(3, timeout=60.0)
    threads.Threads(3).each(lambda _: meeting.wait(), range(3))


def test_what_a_piece_raises_reaches_the_caller():
    """When all others are done."""
    done: list[int] = []

    def piece(k: int) -> None:
        if k == 5:
            raise RuntimeError("piece five")
        done.append(k)

    for members in (1, 2, 4):
        done.clear()
        with pytest.raises(RuntimeError, match="piece five"):
            threads.Threads(members).each(piece, range(6))
        assert sorted(done) == [0, 1, 2, 3, 4]


def test_eight_callers(shared):
    """Each its own rows, at the same time."""
    three = alone().compile(threads=3)
    shared(three, "forward_dynamics", *given("forward_dynamics", 400))
    errors: list[BaseException] = []
    wanted = alone().forward_dynamics(*given("forward_dynamics", 2000))

    def call(k: int) -> None:
        try:
            for n in range(20):
                first = (37 * k + n) % 900
                rows = slice(first, first + 1000)
                arguments = [x[rows] for x in given("forward_dynamics", 2000)]
                np.testing.assert_array_equal(three.forward_dynamics(*arguments), wanted[rows])
        except BaseException as error:
            errors.append(error)

    callers = [threading.Thread(target=call, args=(k,)) for k in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not errors


# ---------------------------------------------------------------- forks, ends, signals


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@forks
def test_a_fork_in_the_middle(shared):
    """Other threads keep the pool busy; every child answers, with threads of its own."""
    three = alone().compile(threads=3)
    arguments = given("forward_dynamics", 1003)
    wanted = alone().forward_dynamics(*arguments)
    shared(three, "forward_dynamics", *arguments)
    stop = threading.Event()

    def call() -> None:
        while not stop.is_set():
            three.forward_dynamics(*given("forward_dynamics", 20_000))

    given("forward_dynamics", 20_000)
    callers = [threading.Thread(target=call) for _ in range(2)]
    for caller in callers:
        caller.start()
    try:
        codes = [_child(three, shared, arguments, wanted) for _ in range(5)]
    finally:
        stop.set()
        for caller in callers:
            caller.join()
    assert codes == [0] * 5


def _child(three, shared, arguments, wanted) -> int:
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.alarm(300)  # a child that hangs ends
            found = [shared(three, "forward_dynamics", *arguments) for _ in range(5)]
            same = all(np.array_equal(x, wanted) and parts == 3 for x, parts in found)
            code = 0 if same else 2
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


SCENE = """
    import os, signal, sys, threading, time
    import numpy as np
    import armillary as am
    from armillary.runtime import threads
    from armillary.evaluate import program
    threads.cores, program._WORTH = (lambda: 3), 0.0
    arm = am.example("double-pendulum").compile(threads=3)
    Q, V, T = np.random.default_rng(0).normal(size=(3, 40_000, 2))
    def call(): return arm.forward_dynamics(Q, V, T)
    def for_ever():
        while True: call()
    call(); call()
"""
ENDS = {
    "at once": "call()",
    "in a call at exit": "import atexit; atexit.register(call); call()",
    "daemon": "threading.Thread(target=for_ever, daemon=True).start(); time.sleep(0.1)",
    "in a thread": "t = threading.Thread(target=call); t.start()",
    "forked": "call(); child = os.fork(); call(); "
              "sys.exit(0 if child == 0 else os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))",
    "Ctrl-C": """
    signal.signal(signal.SIGINT, signal.default_int_handler)  # who starts us may have it ignored
    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        for_ever()
    except KeyboardInterrupt:
        sys.exit(0)
    """,
}  # fmt: skip


def ends_well(text: str) -> None:
    command = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(SCENE) + textwrap.dedent(text)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("end", ENDS)
def test_processes_end(end):
    ends_well(ENDS[end])


def test_first_runs_of_two_threads():
    """The code of the loop over time is made once, or at least kept by who runs it."""
    ends_well("""
    sys.setswitchinterval(1e-6)
    def run():
        for _ in range(5): am.simulate(arm, Q[:64], V[:64], 0.05)
    callers = [threading.Thread(target=run) for _ in range(4)]
    for t in callers: t.start()
    for t in callers: t.join()
    """)
