"""Batches on several threads: the bits of one thread, whoever calls, forks or leaves meanwhile."""

import ctypes
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from functools import cache

import numpy as np
import pytest

import armillary as am
from armillary.compiler import crew
from armillary.compiler.crewcode import Crew
from armillary.compiler.jit import Library
from armillary.functions.kernel import Kernel
from samples import random_model, random_state

native = pytest.mark.skipif(not crew.possible(), reason="no native threads on this system")
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
def alone(tier: int | None = None) -> am.Mechanism:
    return am.Mechanism(model()).compile(tier=tier)


@pytest.fixture
def shared(monkeypatch):
    """Mechanisms whose batches always seem long enough to be shared by three."""
    paces: list[np.ndarray] = []
    share = Kernel.share

    def eager(self, who):
        share(self, who)
        paces.append(self._pace)

    monkeypatch.setattr(Kernel, "share", eager)
    monkeypatch.setattr(crew, "cores", lambda: 3)

    def ask(mechanism, name, *arguments, **more):
        getattr(mechanism, name)(*arguments)  # makes the kernel
        for pace in paces:
            pace[0] = 10**9  # ps for a row: a millisecond
        if not crew.possible():
            return getattr(mechanism, name)(*arguments, **more)
        crew.crew(3)._fields[Crew.REST] = 0
        before = sum(crew.crew(3).served)
        result = getattr(mechanism, name)(*arguments, **more)
        assert sum(crew.crew(3).served) > before  # there was a job
        return result

    return ask


def helped() -> int:
    """Pieces that others than the caller have done so far, in the crew of three."""
    return sum(crew.crew(3).served[1:])


# ---------------------------------------------------------------- the same bits


@pytest.mark.parametrize("rows", [16, 17, 31, 64, 257, 1003])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("tier", [1, 2])
def test_bits_of_one_thread(shared, tier, dtype, rows):
    """Whole blocks go to every thread, whatever the number of rows; two calls each, the second
    one natively."""
    three = alone(tier).compile(threads=3, tier=tier)
    for name in QUESTIONS:
        arguments = given(name, rows, dtype)
        wanted = getattr(alone(tier), name)(*arguments)
        assert wanted.dtype == dtype
        for _ in range(2):
            np.testing.assert_array_equal(shared(three, name, *arguments), wanted)
        out = np.full_like(wanted, np.nan)
        assert shared(three, name, *arguments, out=out) is out
        np.testing.assert_array_equal(out, wanted)


@pytest.mark.parametrize("tier", [1, 2])
def test_several_results(shared, tier):
    three = alone(tier).compile(threads=3, tier=tier)
    q, v, a = given("inverse_dynamics", 301)
    wanted = alone(tier).inverse_dynamics.derivatives(q, v, a)
    found = shared(three.inverse_dynamics, "derivatives", q, v, a)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)


def test_one_state_for_all_rows_and_bad_rows(shared):
    """An input that does not step from row to row, and a row that is not finite."""
    three = alone(1).compile(threads=3, tier=1)
    q, v, a = given("inverse_dynamics", 203)
    v = v.copy()
    v[150, 1] = np.nan
    wanted = alone(1).inverse_dynamics(q, v, a[3])
    found = shared(three, "inverse_dynamics", q, v, a[3])
    np.testing.assert_array_equal(found, wanted)
    assert np.isnan(found[150]).all()
    assert np.isfinite(np.delete(found, 150, axis=0)).all()


def test_where_there_are_only_threads_of_python(monkeypatch):
    monkeypatch.setattr(crew, "possible", lambda: False)
    monkeypatch.setattr(crew, "crew", lambda members: None)
    monkeypatch.setattr(crew, "cores", lambda: 3)
    three = alone().compile(threads=3)
    for name in QUESTIONS:
        arguments = given(name, 1003)
        wanted = getattr(alone(), name)(*arguments)
        for _ in range(2):
            np.testing.assert_array_equal(getattr(three, name)(*arguments), wanted)


# ---------------------------------------------------------------- the crew itself

TOUCH = """
define void @touch(ptr %p) {
entry:
  %was = atomicrmw add ptr %p, i64 1 seq_cst
  ret void
}
declare i32 @usleep(i32)
define void @linger(ptr %p) {
entry:
  %was = atomicrmw add ptr %p, i64 1 seq_cst
  %r = call i32 @usleep(i32 2000)
  ret void
}
"""


@cache
def touching() -> Library:
    return Library(TOUCH, ["touch", "linger"])


def counted(who: crew.Crew, count: int, how: str = "touch") -> list[int]:
    """How often each of so many pieces was done."""
    cells = (ctypes.c_int64 * max(count, 1))()
    first = ctypes.addressof(cells)
    who.each(touching().call(how), [first + 8 * k for k in range(count)])
    return list(cells)[:count]


def tasks() -> int:
    return len(os.listdir("/proc/self/task"))


@native
@pytest.mark.parametrize("members", [1, 2, 3, 16])
def test_every_piece_is_done_once(members):
    who = crew.Crew(members)
    try:
        for count in [0, 1, 2, 3, 5, 64, 1000] * 40:
            assert counted(who, count) == [1] * count
        assert counted(who, 3 * members, "linger") == [1] * (3 * members)
        assert len(who.served) == members
        assert all(who.served)  # while one lingers, the others go on
    finally:
        who.close()
    assert counted(who, 100) == [1] * 100  # by the caller alone


@native
@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="threads are counted in /proc")
def test_threads_come_when_they_are_needed_and_go():
    before = tasks()
    crews = [crew.Crew(members) for members in range(1, 9)]
    assert tasks() == before
    for _ in range(3):
        for who in crews:
            assert counted(who, 50) == [1] * 50
    assert tasks() == before + sum(range(8))
    for _ in range(500):
        counted(crews[1], 2)
    assert tasks() == before + sum(range(8))
    for who in crews:
        who.close()
        who.close()
    assert tasks() == before


@native
def test_sleepers_are_woken():
    who = crew.Crew(3)
    try:
        for _ in range(5):
            assert counted(who, 9, "linger") == [1] * 9
            served = sum(who.served)
            time.sleep(0.02)  # longer than anybody stays awake
            assert sum(who.served) == served
        assert served > 5
    finally:
        who.close()


@native
def test_idle_threads_use_no_time():
    who = crew.Crew(4)
    try:
        counted(who, 8, "linger")
        time.sleep(0.05)
        before = time.process_time()
        time.sleep(0.3)
        assert time.process_time() - before < 0.1
    finally:
        who.close()


@native
def test_callers_from_many_threads_share_one_crew():
    who = crew.Crew(3)
    bad: list[int] = []

    def call(k: int) -> None:
        for n in range(300):
            count = (7 * k + n) % 40
            if counted(who, count) != [1] * count:
                bad.append(n)

    try:
        threads = [threading.Thread(target=call, args=(k,)) for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        who.close()
    assert not bad


# ---------------------------------------------------------------- callers, forks, signals


def test_eight_callers(shared):
    """Each its own rows; one has the crew, the others go on alone."""
    three = alone().compile(threads=3)
    shared(three, "forward_dynamics", *given("forward_dynamics", 400))
    errors: list[BaseException] = []
    wanted = alone().forward_dynamics(*given("forward_dynamics", 2000))

    def call(k: int) -> None:
        try:
            for n in range(60):
                first = (37 * k + n) % 900
                rows = slice(first, first + 1000)
                arguments = [x[rows] for x in given("forward_dynamics", 2000)]
                np.testing.assert_array_equal(three.forward_dynamics(*arguments), wanted[rows])
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=call, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


@native
def test_a_long_batch_is_shared(monkeypatch):
    monkeypatch.setattr(crew, "cores", lambda: 3)
    three = alone().compile(threads=3)
    before = helped()
    for _ in range(200):
        three.forward_dynamics(*given("forward_dynamics", 20_000))
        if helped() > before:
            return
    pytest.fail("nobody helped")


@native
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@forks
def test_a_fork_in_the_middle(shared):
    """Other threads keep the crew busy; every child answers, with threads of its own."""
    three = alone().compile(threads=3)
    arguments = given("forward_dynamics", 1003)
    wanted = alone().forward_dynamics(*arguments)
    shared(three, "forward_dynamics", *arguments)
    stop = threading.Event()

    def call() -> None:
        while not stop.is_set():
            three.forward_dynamics(*given("forward_dynamics", 20_000))

    threads = [threading.Thread(target=call) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        codes = [_child(three, shared, arguments, wanted) for _ in range(10)]
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert codes == [0] * 10
    np.testing.assert_array_equal(shared(three, "forward_dynamics", *arguments), wanted)


def _child(three, shared, arguments, wanted) -> int:
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.alarm(20)
            fresh = len(crew.crew(3).served) == 1
            same = [np.array_equal(shared(three, "forward_dynamics", *arguments), wanted)
                    for _ in range(20)]  # fmt: skip
            code = 0 if fresh and all(same) and len(crew.crew(3).served) == 3 else 2
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


SCENE = """
    import os, signal, sys, threading, time
    import numpy as np
    import armillary as am
    from armillary.compiler import crew
    crew.cores = lambda: 3
    arm = am.example("double-pendulum").compile(threads=3)
    Q, V, T = np.random.default_rng(0).normal(size=(3, 40_000, 2))
    def call(): return arm.forward_dynamics(Q, V, T)
    def for_ever():
        while True: call()
"""
ENDS = {
    "at once": "call()",
    "asleep": "call(); time.sleep(0.02)",
    "in a call at exit": "import atexit; atexit.register(call); call()",
    "daemon": "threading.Thread(target=for_ever, daemon=True).start(); time.sleep(0.1)",
    "closed twice": "call(); crew.crew(3).close(); call()",
    "in a thread": "t = threading.Thread(target=call); t.start()",
    "forked": "call(); child = os.fork(); call(); "
              "sys.exit(0 if child == 0 else os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))",
    "Ctrl-C": """
    call()
    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        for_ever()
    except KeyboardInterrupt:
        sys.exit(0)
    """,
}  # fmt: skip


@native
@pytest.mark.parametrize("end", ENDS)
def test_processes_end(end):
    text = textwrap.dedent(SCENE) + textwrap.dedent(ENDS[end])
    command = [sys.executable, "-W", "ignore", "-c", text]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


@native
@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="threads are seen in /proc")
def test_signals_go_to_python():
    """A thread of the crew that took a signal would leave the main thread asleep."""
    known = set(os.listdir("/proc/self/task"))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    who = crew.Crew(3)
    try:
        counted(who, 2)
        assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == mask
        new = set(os.listdir("/proc/self/task")) - known
        assert len(new) == 2
        for task in new:
            with open(f"/proc/self/task/{task}/status") as status:
                blocked = next(line.split()[1] for line in status if line.startswith("SigBlk"))
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM, signal.SIGCHLD):
                assert int(blocked, 16) >> (number - 1) & 1
    finally:
        who.close()


def test_first_runs_of_two_threads():
    """The code of the loop over time is made once, or at least kept by who runs it."""
    text = textwrap.dedent(SCENE) + textwrap.dedent("""
    sys.setswitchinterval(1e-6)
    def run():
        for _ in range(5): am.simulate(arm, Q[:64], V[:64], 0.05)
    threads = [threading.Thread(target=run) for _ in range(4)]
    for t in threads: t.start()
    for t in threads: t.join()
    """)
    command = [sys.executable, "-c", text]
    assert subprocess.run(command, timeout=120, check=False).returncode == 0
