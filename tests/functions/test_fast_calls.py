"""The lean call path: same bits as the careful one, no leak, threads, fork, copies."""

import copy
import gc
import inspect
import os
import pickle
import sys
import threading
import time
import weakref
from functools import cache

import numpy as np
import pytest

import armillary as am
from armillary.evaluate import native_call as fast
from armillary.evaluate.program import Program
from armillary.evaluate.request import CompileOptions
from samples import random_model, random_state

native = pytest.mark.skipif(not fast.available(), reason="no native calls on this interpreter")


def new_arm(**options) -> am.Mechanism:
    """A fresh object: nothing compiled, no lean call switched on."""
    model = random_model(3, ("revolute", "prismatic"), 4, branching=0, roots=0, passive=True)
    return am.Mechanism(model, CompileOptions(**options))


@cache
def arm() -> am.Mechanism:
    return new_arm()


def inputs(seed: int = 0) -> dict[str, np.ndarray]:
    q, v, a = random_state(arm().model, seed)
    return {"q": q, "v": v, "a": a, "tau": a * 2.0}


QUESTIONS = {
    "inverse_dynamics": ("q", "v", "a"),
    "forward_dynamics": ("q", "v", "tau"),
    "bias_forces": ("q", "v"),
    "gravity_forces": ("q",),
    "mass_matrix": ("q",),
    "coriolis_matrix": ("q", "v"),
    "center_of_mass": ("q",),
    "momentum": ("q", "v"),
}


def both_ways(mechanism: am.Mechanism, name: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """(lean, careful): plain arrays by position, and lists by keyword."""
    given = {n: inputs(seed)[n] for n in QUESTIONS[name]}
    question = getattr(mechanism, name)
    careful = question(**{n: x.tolist() for n, x in given.items()})
    return question(*given.values()), careful


# ---------------------------------------------------------------- the same answer


@pytest.mark.parametrize("name", QUESTIONS)
def test_lean_and_careful_calls_give_the_same_bits(name):
    for seed in range(5):
        lean, careful = both_ways(arm(), name, seed)
        np.testing.assert_array_equal(lean, careful)
        assert lean.flags.c_contiguous
        assert lean.flags.owndata
        assert lean.flags.writeable


@native
@pytest.mark.parametrize("name", QUESTIONS)
def test_plain_calls_do_not_reach_python(name):
    """After the first answer, arrays by position go straight to the kernel."""
    mechanism, given = arm(), [inputs()[n] for n in QUESTIONS[name]]
    question = getattr(mechanism, name)
    question(*given)
    entered = []

    def watch(frame, event, argument):
        entered.append(frame.f_code.co_name)

    sys.setprofile(watch)
    try:
        question(*given)
    finally:
        sys.setprofile(None)
    assert "_answer" not in entered
    assert "__call__" not in entered


@pytest.mark.parametrize("tier", [1, 2])
@pytest.mark.parametrize("moving", [False, True])
def test_both_tiers_are_served(tier, moving):
    mechanism = new_arm(tier=tier)
    if moving:
        mechanism = mechanism.replace(base_velocity=(0.1, 0.2, -0.3, 0.5, 0, 0))
    for name in ("inverse_dynamics", "mass_matrix"):
        lean, careful = both_ways(mechanism, name, 1)
        np.testing.assert_array_equal(lean, careful)
    assert f"tier {tier}" in mechanism.compile_report()


def test_without_native_calls_the_answers_are_the_same(monkeypatch):
    monkeypatch.setattr(fast, "available", lambda: False)
    plain = new_arm()
    assert inspect.isfunction(plain.inverse_dynamics)
    for name in QUESTIONS:
        lean, careful = both_ways(plain, name, 2)
        np.testing.assert_array_equal(lean, careful)
        np.testing.assert_array_equal(lean, both_ways(arm(), name, 2)[0])
    q, v, a = (inputs()[n] for n in "qva")
    assert plain.inverse_dynamics.derivatives(q, v, a).dq.shape == (4, 4)
    out = np.empty(4)
    assert plain.inverse_dynamics(q, v, a, out=out) is out


def test_passive_and_external_are_not_forgotten_by_the_lean_call():
    """Options go the careful way; the plain call after them is still the plain one."""
    mechanism = new_arm()
    q, v, a = (inputs()[n] for n in "qva")
    bare = mechanism.inverse_dynamics(q, v, a, passive=False)  # first call of all
    plain = mechanism.inverse_dynamics(q, v, a)
    pushed = mechanism.inverse_dynamics(q, v, a, {"tip": np.ones(6)})
    np.testing.assert_array_equal(plain, arm().inverse_dynamics(q, v, a))
    assert (bare != plain).any()
    assert (pushed != plain).any()
    np.testing.assert_array_equal(mechanism.inverse_dynamics(q, v, a), plain)


def test_results_do_not_share_memory():
    q, v, a = (inputs()[n] for n in "qva")
    first = arm().inverse_dynamics(q, v, a)
    kept = first.copy()
    arm().inverse_dynamics(q, v, a + 1.0)
    np.testing.assert_array_equal(first, kept)


# ---------------------------------------------------------------- what hangs on the callable


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_says_what_it_is(name):
    question = getattr(arm(), name)
    assert question.__doc__
    assert question.__name__
    assert list(inspect.signature(question).parameters)[: len(QUESTIONS[name])] == list(
        QUESTIONS[name]
    )
    assert callable(question)


def test_explain_and_derivatives_hang_on_the_question():
    arm().inverse_dynamics(*(inputs()[n] for n in "qva"))
    (entry, *_) = arm().inverse_dynamics.compile_report()
    assert entry.algorithm == "inverse_dynamics"
    assert entry.tier == 2
    assert entry.code_size > 0
    assert "inverse_dynamics" in str(entry)
    assert callable(arm().inverse_dynamics.derivatives)
    assert callable(arm().forward_dynamics.derivatives)
    assert not hasattr(arm().mass_matrix, "derivatives")


@native
def test_the_callable_is_an_ordinary_object():
    question = arm().inverse_dynamics
    assert question is arm().inverse_dynamics
    assert repr(question)
    assert hash(question) == hash(question)
    question.note = "mine"
    assert question.note == "mine"
    del question.note
    with pytest.raises(AttributeError):
        _ = question.note
    with pytest.raises(TypeError):  # made without a kernel: refused at the latest when called
        type(question)()(*(inputs()[n] for n in "qva"))
    for way in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError):
            way(question)


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics"])
def test_lean_derivatives_give_the_same_bits(name):
    """Three matrices from one native call; lists and options go the careful way."""
    question = getattr(arm(), name)
    parts = ("dq", "dv", "da" if name == "inverse_dynamics" else "dtau")
    for seed in range(3):
        given = [inputs(seed)[n] for n in QUESTIONS[name]]
        lean = question.derivatives(*given)
        careful = question.derivatives(*(x.tolist() for x in given))
        for part in parts:
            np.testing.assert_array_equal(getattr(lean, part), getattr(careful, part))
            assert getattr(lean, part).flags.owndata or getattr(lean, part).base is not None
    kept = lean.dq.copy()
    question.derivatives(*(x + 0.1 for x in given))
    np.testing.assert_array_equal(lean.dq, kept)
    for k in range(3):
        wrong = list(given)
        wrong[k] = np.full(4, np.nan)
        with pytest.raises(am.InputError, match=QUESTIONS[name][k]):
            question.derivatives(*wrong)
        wrong[k] = np.zeros(3)
        with pytest.raises(am.InputError, match=QUESTIONS[name][k]):
            question.derivatives(*wrong)


# ---------------------------------------------------------------- memory


def references() -> list[int]:
    q, v, a, out = (*(inputs()[n] for n in "qva"), np.empty(4))
    things = (q, v, a, out, np.dtype(np.float64), np.ndarray, arm().inverse_dynamics, None)
    question, bad = arm().inverse_dynamics, np.full(4, np.nan)
    question(q, v, a)
    before = [sys.getrefcount(x) for x in things]
    for _ in range(1000):
        question(q, v, a)
        question(q, v, a, out=out)
        question(q, v, a=a)
        question.derivatives(q, v, a)
        for wrong in ((q, v), (bad, v, a), (q, v, "no")):
            try:
                question(*wrong)
            except (TypeError, am.InputError):
                continue
    gc.collect()
    after = [sys.getrefcount(x) for x in things]
    return [x - y for x, y in zip(after, before, strict=True)]


def test_reference_counts_stand_still():
    """A thousand calls of each kind leave no reference behind (a few of None may come and go)."""
    references()
    assert all(abs(change) < 50 for change in references())


def resident() -> int:
    """Memory of this process in bytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def calls_without_growth(count: int) -> None:
    q, v, a = (inputs()[n] for n in "qva")
    fresh = arm.__wrapped__()  # one that no other test has touched
    question, matrix, out = fresh.inverse_dynamics, fresh.mass_matrix, np.empty(4)
    question(q, v, a)
    matrix(q)
    for _ in range(10_000):  # pools fill
        question(q, v, a)
        question.derivatives(q, v, a)
    before = resident()
    for _ in range(count // 3):
        question(q, v, a)
        question(q, v, a, out=out)
        matrix(q)
    for _ in range(count // 50):
        question.derivatives(q, v, a)
    assert resident() - before < 2**20 + count // 3  # a third of a byte a call


on_linux = pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")


@on_linux
def test_a_million_calls_do_not_grow():
    calls_without_growth(1_000_000)


@pytest.mark.soak
@on_linux
def test_ten_million_calls_do_not_grow():
    calls_without_growth(10_000_000)


@on_linux
def test_batches_do_not_grow():
    q, v, a = (np.tile(inputs()[n], (1000, 1)) for n in "qva")
    for _ in range(50):
        arm().inverse_dynamics(q, v, a)
    before = resident()
    for _ in range(500):
        arm().inverse_dynamics(q, v, a)
    assert resident() - before < 4 * 2**20


@pytest.mark.parametrize("asked", [False, True])
def test_a_dropped_mechanism_is_freed(asked):
    """With its questions, though they know it and it knows them."""
    mechanism = new_arm()
    if asked:
        for name in QUESTIONS:
            both_ways(mechanism, name, 0)
    gone, evaluator = weakref.ref(mechanism), weakref.ref(mechanism.evaluator)
    question = mechanism.inverse_dynamics
    del mechanism
    gc.collect()
    assert gone() is None and evaluator() is not None  # the question still needs it
    given = [inputs()[n] for n in "qva"]
    np.testing.assert_array_equal(question(*given), arm().inverse_dynamics(*given))
    del question
    gc.collect()
    assert evaluator() is None


@on_linux
def test_making_and_dropping_mechanisms_does_not_grow():
    def once() -> None:
        both_ways(new_arm(), "inverse_dynamics", 0)

    for _ in range(5):
        once()
    gc.collect()
    before = resident()
    for _ in range(20):
        once()
    gc.collect()
    assert resident() - before < 8 * 2**20


# ---------------------------------------------------------------- threads and processes


def in_threads(work, count: int = 8) -> None:
    """All at once; the first error of any of them is raised here."""
    errors: list[BaseException] = []
    start = threading.Barrier(count)

    def run(k: int) -> None:
        try:
            start.wait()
            work(k)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_many_threads_ask_one_mechanism():
    """Single states and batches, each thread its own numbers, switching as often as Python can."""
    wanted = {k: [arm().inverse_dynamics(*(inputs(k)[n] for n in "qva")),
                  arm().mass_matrix(inputs(k)["q"]),
                  arm().inverse_dynamics.derivatives(*(inputs(k)[n] for n in "qva")).da]
              for k in range(8)}  # fmt: skip

    def work(k: int) -> None:
        q, v, a = (inputs(k)[n] for n in "qva")
        Q, V, A = (np.tile(x, (64, 1)) for x in (q, v, a))
        for _ in range(300):
            np.testing.assert_array_equal(arm().inverse_dynamics(q, v, a), wanted[k][0])
            np.testing.assert_array_equal(arm().mass_matrix(q), wanted[k][1])
            assert (arm().inverse_dynamics(Q, V, A) == wanted[k][0]).all()
            np.testing.assert_array_equal(
                arm().inverse_dynamics.derivatives(q, v, a).da, wanted[k][2]
            )

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        in_threads(work)
    finally:
        sys.setswitchinterval(interval)


@pytest.mark.parametrize("tier", [1, 2])
def test_the_first_call_may_come_from_several_threads(tier):
    """Nothing is compiled yet, and eight threads ask at the same moment."""
    wanted = arm().inverse_dynamics(*(inputs()[n] for n in "qva"))
    for _ in range(6):
        mechanism = new_arm(tier=tier)

        def work(k: int, mechanism=mechanism) -> None:
            given = [inputs()[n] for n in "qva"]
            for _ in range(20):
                np.testing.assert_allclose(mechanism.inverse_dynamics(*given), wanted, rtol=1e-12)

        in_threads(work)


@native
def test_threads_that_arrive_while_the_lean_call_is_switched_on(monkeypatch):
    """The same with the moment between answer and switch drawn out."""
    kernel = Program.kernel

    def slowly(self, *args):
        time.sleep(0.002 * (threading.get_ident() % 7))
        return kernel(self, *args)

    monkeypatch.setattr(Program, "kernel", slowly)
    for _ in range(5):
        mechanism = new_arm()
        in_threads(lambda k, m=mechanism: both_ways(m, "inverse_dynamics", k))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_after_fork_both_processes_answer():
    """The child uses what the parent compiled, compiles more, and the parent is not disturbed."""
    q, v, a = (inputs()[n] for n in "qva")
    wanted = arm().inverse_dynamics(q, v, a)
    fresh = new_arm(tier=1)
    tau = arm().forward_dynamics(q, v, a)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            same = np.array_equal(arm().inverse_dynamics(q, v, a), wanted)
            rows = arm().inverse_dynamics(*(np.tile(x, (64, 1)) for x in (q, v, a)))
            late = fresh.forward_dynamics(q, v, a)  # compiled in the child
            good = same and (rows == wanted).all() and np.allclose(late, tau, rtol=1e-10)
            code = 0 if good else 2
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    np.testing.assert_array_equal(arm().inverse_dynamics(q, v, a), wanted)


@pytest.mark.parametrize("how", [
    lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy, copy.copy,
], ids=["pickle", "deepcopy", "copy"])  # fmt: skip
def test_copies_answer_alike(how):
    arm().inverse_dynamics(*(inputs()[n] for n in "qva"))
    twin = how(arm())
    assert twin is not arm()
    assert twin.name == arm().name
    assert twin.options == arm().options
    for name in QUESTIONS:
        np.testing.assert_array_equal(both_ways(twin, name, 4)[0], both_ways(arm(), name, 4)[0])


def test_settings_survive_a_copy():
    assert pickle.loads(pickle.dumps(new_arm(tier=1, threads=2))).options == CompileOptions(
        tier=1, threads=2
    )


def test_a_pushed_batch_has_the_bits_of_its_rows():
    """External wrenches are carried to their bodies the same way for one state and for many."""
    rng = np.random.default_rng(3)
    wrench = rng.normal(size=(24, 6))
    rows = [[inputs(k)[n] for n in "qva"] for k in range(24)]
    Q, V, A = (np.array(x) for x in zip(*rows, strict=True))
    many = arm().inverse_dynamics(Q, V, A, {"tip": wrench})
    for k, row in enumerate(rows):
        np.testing.assert_array_equal(arm().inverse_dynamics(*row, {"tip": wrench[k]}), many[k])


def test_a_zero_quaternion_is_refused_by_lean_calls_too():
    """The kernel gives NaN, so the careful path is asked, and it names the quaternion."""
    b = am.Builder("ball")
    b.body("ball", joint="spherical", mass=1.0, com=(0, 0, 1), inertia=(1, 1, 1))
    ball = b.build()
    rest = np.zeros(3)
    for out in (None, np.empty(3)):
        ball.inverse_dynamics(np.array([1.0, 0, 0, 0]), rest, rest)  # switches the lean call on
        names = {} if out is None else {"out": out}
        with pytest.raises(am.InputError, match="the quaternion at entry 0"):
            ball.inverse_dynamics(np.zeros(4), rest, rest, **names)
