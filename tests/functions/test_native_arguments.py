"""Native calls of every question: arguments by place and by name, choices, wrenches, several
results and objects of them; the same answers and errors as without native calls; no leak."""

import copy
import gc
import inspect
import os
import sys
import threading
from functools import cache

import numpy as np
import pytest

import armillary as am
from armillary.errors import ArmillaryError
from armillary.evaluate import native_call
from armillary.evaluate.results import OperationalInertia, Reactions

native = pytest.mark.skipif(not native_call.available(), reason="no native calls here")
W = np.array([0.3, -0.2, 0.5, 4.0, -3.0, 2.0])


def make() -> am.Mechanism:
    """Turn, slide, ball; a branch; welded and world frames; friction, so that passive counts."""
    b = am.Builder("mixed", gravity=(0.5, -1.0, -9.0))
    body = {"mass": 1.3, "com": (0.1, -0.2, 0.3), "inertia": (0.2, 0.3, 0.25, 0.01, -0.02, 0.03)}
    loss = am.Passive(viscous=0.7)
    b.body("turn", joint="revolute", axis="z", passive=loss, **body)
    b.body("slide", "turn", joint="prismatic", axis="x", at=am.Pose((0.1, 0.2, 0.3)), **body)
    b.body("ball", "slide", joint="spherical", at=am.Pose((0.4, 0, 0)), **body)
    b.body("branch", "turn", joint="revolute", axis="y", at=am.Pose((0, 0.3, 0)), **body)
    b.frame("stand", "world", am.Pose((1.0, 2.0, 3.0)))
    b.frame("tip", "ball", am.Pose((0.2, -0.1, 0.4)))
    return b.build()


@cache
def machine() -> am.Mechanism:
    return make()


@cache
def without() -> am.Mechanism:
    """The same, its questions made as on an interpreter that has no native calls."""
    twin = make()
    kept, native_call.available = native_call.available, lambda: False
    try:
        for name in NAMES:
            getattr(twin, name)
    finally:
        native_call.available = kept
    return twin


NAMES = (
    "inverse_dynamics", "forward_dynamics", "bias_forces", "mass_matrix", "energy", "momentum",
    "pose", "poses", "velocity", "acceleration", "jacobian", "jacobian_dot", "reactions",
    "static_torques", "operational_inertia",
)  # fmt: skip


@cache
def states(count: int = 3) -> tuple[np.ndarray, ...]:
    return machine().random_state(5, count)


def calls(k: int) -> dict[str, tuple[str, tuple, dict]]:
    """(function, by place, by name) of one state."""
    q, v, a = (x[k] for x in states())
    p = machine().parameters * 1.1
    return {
        "plain": ("inverse_dynamics", (q, v, a), {}),
        "names": ("inverse_dynamics", (q,), {"a": a, "v": v}),
        "passive": ("inverse_dynamics", (q, v, a), {"passive": False}),
        "none": ("inverse_dynamics", (q, v, a, None, True), {"out": None, "parameters": None}),
        "parameters": ("inverse_dynamics", (q, v, a), {"parameters": p}),
        "both": ("inverse_dynamics", (q, v, a), {"passive": False, "parameters": p}),
        "wrench": ("inverse_dynamics", (q, v, a), {"external": {"tip": W}}),
        "wrenches": ("inverse_dynamics", (q, v, a, {"tip": W, "branch": 2 * W}), {}),
        "other order": ("inverse_dynamics", (q, v, a, {"branch": 2 * W, "tip": W}), {}),
        "on the ground": ("inverse_dynamics", (q, v, a, {"world": W}), {}),
        "no wrench": ("inverse_dynamics", (q, v, a, {}), {}),
        "pushed": ("forward_dynamics", (q, v, a), {"external": {"branch": W}}),
        "bias": ("bias_forces", (q, v), {"external": {"tip": W}, "passive": False}),
        "static": ("static_torques", (q,), {"external": {"tip": W}}),
        "matrix": ("mass_matrix", (q,), {"passive": False}),
        "energy": ("energy", (q,), {"v": v}),
        "pose": ("pose", (q, "tip"), {}),
        "pose by name": ("pose", (), {"frame": "tip", "q": q}),
        "world pose": ("pose", (q, "stand"), {}),
        "poses": ("poses", (q,), {}),
        "velocity": ("velocity", (q, v, "branch", "world"), {}),
        "world velocity": ("velocity", (q, v, "stand", "world"), {}),
        "acceleration": ("acceleration", (q, v, a, "tip"), {"kind": "spatial"}),
        "classical": ("acceleration", (q, v, a, "tip", "world_aligned", "classical"), {}),
        "jacobian": ("jacobian", (q, "tip"), {"coordinates": "world"}),
        "world jacobian": ("jacobian", (q, "world"), {}),
        "rate": ("jacobian_dot", (q, v), {"frame": "slide"}),
        "reactions": ("reactions", (q, v, a), {}),
        "pushed reactions": ("reactions", (q, v, a, {"tip": W}), {}),
        "inertia": ("operational_inertia", (q, "tip", "world_aligned"), {}),
    }


CALLS = list(calls(0))


def parts(answer) -> list[np.ndarray]:
    if isinstance(answer, Reactions):
        answer = (answer.total, answer.driving)
    if isinstance(answer, OperationalInertia):
        answer = answer.W
    return [np.asarray(x) for x in (answer if isinstance(answer, tuple) else (answer,))]


def ask(m: am.Mechanism, name: str, k: int):
    function, given, named = calls(k)[name]
    return getattr(m, function)(*given, **named)


def reaches_python(call) -> bool:
    entered = []
    sys.setprofile(lambda frame, event, _: entered.append(frame.f_globals.get("__name__", "")))
    try:
        call()
    finally:
        sys.setprofile(None)
    return any(name.startswith("armillary") for name in entered)


@pytest.mark.parametrize("name", CALLS)
def test_the_same_as_without_native_calls(name):
    for k in (0, 1, 2, 0):
        found, wanted = ask(machine(), name, k), ask(without(), name, k)
        assert type(found) is type(wanted)
        for x, y in zip(parts(found), parts(wanted), strict=True):
            np.testing.assert_array_equal(x, y)
            assert x.shape == y.shape


@native
@pytest.mark.parametrize("name", [name for name in CALLS if name != "inertia"])
def test_no_python_is_reached(name):
    ask(machine(), name, 0)
    function, given, named = calls(1)[name]
    question = getattr(machine(), function)
    assert not reaches_python(lambda: question(*given, **named))


BLOCKS = (4, 5, 127, 128, 129, 300)  # rows whose results are put in order go in blocks of 128


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    ("name", "more"),
    [("pose", ("tip",)), ("poses", ()), ("energy", ()), ("velocity", ("tip", "world")),
     ("acceleration", ("tip",)), ("reactions", ()), ("operational_inertia", ("tip",))],
)  # fmt: skip
def test_rows_of_batches(name, more, dtype):
    """Every number of rows: the bits of the first rows of another batch, and of single states."""
    m = machine()
    inputs = [n for n in inspect.signature(getattr(m, name)).parameters if n in "qva"]
    given = [x.astype(dtype) for x in states(300)[: len(inputs)]]
    question = getattr(m, name)
    whole = parts(getattr(without(), name)(*given, *more))
    for count in BLOCKS:
        for _ in range(2):
            found = parts(question(*(x[:count] for x in given), *more))
            for x, y in zip(found, whole, strict=True):
                assert x.dtype == dtype and x.shape == y[:count].shape
                np.testing.assert_array_equal(x, y[:count])
    one = parts(question(*(x[7] for x in given), *more))
    for x, y in zip(one, whole, strict=True):
        np.testing.assert_array_equal(x, y[7])


def test_a_bad_row_is_marked_alone():
    m, (q, v, _) = machine(), states(300)
    good = [x.copy() for x in (*m.pose(q, "tip"), *m.energy(q, v))]
    bad = q.copy()
    bad[200, 1] = np.nan
    keep = np.arange(300) != 200
    for x, y in zip((*m.pose(bad, "tip"), *m.energy(bad, v)), good, strict=True):
        assert np.isnan(x[200]).all()
        np.testing.assert_array_equal(x[keep], y[keep])


WRONG = {
    "missing": ("inverse_dynamics", lambda q, v, a: ((q, v), {})),
    "twice": ("inverse_dynamics", lambda q, v, a: ((q, v, a), {"q": q})),
    "unknown": ("inverse_dynamics", lambda q, v, a: ((q, v, a), {"force": a})),
    "too many": ("inverse_dynamics", lambda q, v, a: ((q, v, a, None, True, None, a), {})),
    "frame missing": ("jacobian", lambda q, v, a: ((q,), {})),
    "frame unknown": ("jacobian", lambda q, v, a: ((q, "nobody"), {})),
    "frame a list": ("jacobian", lambda q, v, a: ((q, ["tip"]), {})),
    "frame none": ("jacobian", lambda q, v, a: ((q, None), {})),
    "word": ("jacobian", lambda q, v, a: ((q, "tip", "there"), {})),
    "word none": ("jacobian", lambda q, v, a: ((q, "tip", None), {})),
    "short": ("pose", lambda q, v, a: ((q[:-1], "tip"), {})),
    "short on the world": ("pose", lambda q, v, a: ((q[:-1], "stand"), {})),
    "nan": ("energy", lambda q, v, a: ((q, v * np.nan), {})),
    "nan on the world": ("pose", lambda q, v, a: ((q * np.nan, "stand"), {})),
    "zero quaternion": ("pose", lambda q, v, a: ((q * 0.0, "tip"), {})),
    "overflow": ("reactions", lambda q, v, a: ((q, v * 1e200, a), {})),
    "wrench of five": ("inverse_dynamics", lambda q, v, a: ((q, v, a, {"tip": W[:5]}), {})),
    "wrench nan": ("inverse_dynamics", lambda q, v, a: ((q, v, a, {"tip": W * np.nan}), {})),
    "wrench nowhere": ("inverse_dynamics", lambda q, v, a: ((q, v, a, {"nobody": W}), {})),
    "wrench without name": ("inverse_dynamics", lambda q, v, a: ((q, v, a, {3: W}), {})),
    "parameters": ("inverse_dynamics", lambda q, v, a: ((q, v, a), {"parameters": q})),
    "text": ("pose", lambda q, v, a: (("q", "tip"), {})),
    "ragged": ("inverse_dynamics", lambda q, v, a: (([[1.0], [2.0, 3.0]], v, a), {})),
    "complex": ("energy", lambda q, v, a: ((q + 0j, v), {})),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_errors_are_those_of_the_python_function(name):
    function, spoil = WRONG[name]
    for call in CALLS:
        if calls(0)[call][0] == function:
            ask(machine(), call, 0)  # natively from now on
    given, named = spoil(*(x[0].copy() for x in states()))
    said = []
    for m in (machine(), without()):
        with pytest.raises((ArmillaryError, TypeError)) as error:
            getattr(m, function)(*given, **named)
        said.append((error.type, str(error.value)))
    assert said[0] == said[1]


def test_words_and_wrenches_of_other_types():
    """Equal names, names that are not interned, subclasses of str and dict, more wrenches than are
    read natively, lists, whole numbers, strided arrays: the same answers."""

    class Name(str):
        __slots__ = ()

    class Pushes(dict):
        pass

    m, (q, v, a) = machine(), (x[0] for x in states())
    wanted = m.jacobian(q, "tip", "world").copy()
    word = "".join(["coordi", "nates"])
    for frame in ("".join(["t", "ip"]), Name("tip")):
        np.testing.assert_array_equal(m.jacobian(q, frame, **{word: "world"}), wanted)
    pushes = {"tip": W, "branch": 2 * W, "turn": -W, "slide": 3 * W, "ball": W, "world": W}
    found = m.inverse_dynamics(q, v, a, pushes)
    free = m.inverse_dynamics(q, v, a)
    moved = sum(m.jacobian(q, name).T @ w for name, w in pushes.items())
    np.testing.assert_allclose(found, free - moved, atol=1e-12 * np.abs(moved).max())
    for _ in range(2):
        np.testing.assert_array_equal(m.inverse_dynamics(q, v, a, Pushes(pushes)), found)
        lists = {name: w.tolist() for name, w in pushes.items()}
        np.testing.assert_array_equal(m.inverse_dynamics(q.tolist(), tuple(v), a, lists), found)
    wide = np.repeat(q, 3)[::3]
    np.testing.assert_array_equal(m.jacobian(wide, "tip", "world"), wanted)
    whole = np.arange(m.nq)
    np.testing.assert_array_equal(m.jacobian(whole, "tip"), m.jacobian(whole.astype(float), "tip"))
    assert m.inverse_dynamics(*(x.astype(np.float32) for x in (q, v, a))).dtype == np.float32
    np.testing.assert_array_equal(m.jacobian(q.astype(">f8"), "tip", "world"), wanted)


def test_a_second_machine_is_not_the_first():
    m, (q, v, a) = machine(), (x[0] for x in states())
    other = m.replace(gravity=(0.0, 0.0, -1.62))
    for _ in range(3):
        assert (m.inverse_dynamics(q, v, a) != other.inverse_dynamics(q, v, a)).any()
        assert m.energy(q, v)[1] != other.energy(q, v)[1]
        np.testing.assert_array_equal(m.pose(q, "tip")[0], other.pose(q, "tip")[0])


# ---------------------------------------------------------------- objects and memory


@native
def test_objects_are_ordinary_ones():
    m, (q, v, a) = machine(), (x[0] for x in states())
    m.reactions(q, v, a), m.inverse_dynamics.derivatives(q, v, a)
    found, slopes = m.reactions(q, v, a), m.inverse_dynamics.derivatives(q, v, a)
    assert gc.is_tracked(found) and gc.is_tracked(slopes)
    assert found.model is m.model and len(found) == 4 and "tip" not in list(found)
    twin = copy.copy(found)
    np.testing.assert_array_equal(twin.constraint, found.constraint)
    assert str(found).startswith("reaction in each joint")
    assert slopes._fields == ("dq", "dv", "da") and slopes.da is slopes[2]
    assert type(slopes) is type(without().inverse_dynamics.derivatives(q, v, a))
    with pytest.raises(TypeError):
        hash(slopes)


@native
def test_a_finalizer_may_ask_the_same():
    """An object of results may start the garbage collector, and its finalizers may ask."""
    m, (q, v, a) = make(), states()
    wanted = [m.reactions(q[k], v[k], a[k]).total.copy() for k in range(2)]
    ask_again, asked = m.reactions, []

    class Last:
        def __init__(self):
            self.circle = self

        def __del__(self):
            asked.append(ask_again(q[1], v[1], a[1]).total.copy())

    thresholds = gc.get_threshold()
    gc.disable()
    gc.collect()
    gc.set_threshold(1, 1 << 30, 1 << 30)
    try:
        for _ in range(10):
            Last()
            gc.enable()
            found = ask_again(q[0], v[0], a[0])
            gc.disable()
            np.testing.assert_array_equal(found.total, wanted[0])
    finally:
        gc.set_threshold(*thresholds)
        gc.enable()
    gc.collect()
    assert len(asked) == 10
    for x in asked:
        np.testing.assert_array_equal(x, wanted[1])


def every_kind() -> None:
    """Calls with several results, objects, wrenches and errors."""
    m, (q, v, a) = machine(), (x[0] for x in states())
    Q, V, _ = states(300)
    for name in ("pose", "energy", "reactions", "wrenches", "parameters", "jacobian", "world pose"):
        ask(m, name, 0)
    m.inverse_dynamics.derivatives(q, v, a)
    m.pose(Q, "tip"), m.energy(Q[:5], V[:5])
    for function, given in (
        (m.pose, (q, "nobody")), (m.energy, (q, v * np.nan)), (m.reactions, (q, v * 1e200, a)),
        (m.inverse_dynamics, (q, v, a, {"nobody": W})), (m.jacobian, (q,)),
    ):  # fmt: skip
        try:
            function(*given)
        except (ArmillaryError, TypeError):
            continue
        raise AssertionError(function)


def held() -> list[int]:
    m = machine()
    things = [
        *states(300), *states(), W, "tip", "world", "nobody", np.ndarray, np.dtype(np.float64),
        Reactions, m.model, m.pose, m.energy, m.reactions, m.inverse_dynamics, True, None,
    ]  # fmt: skip
    return [sys.getrefcount(x) for x in things]


def test_a_refused_call_leaves_out_alone():
    m, (q, v, a) = machine(), (x[0] for x in states())
    out = np.full(m.nv, 7.0)
    m.inverse_dynamics(q, v, a)
    for k in range(3):
        given = [x * np.nan if n == k else x for n, x in enumerate((q, v, a))]
        with pytest.raises(am.InputError):
            m.inverse_dynamics(*given, out=out)
        np.testing.assert_array_equal(out, 7.0)


SHARED = {
    "parameters": lambda m: {"parameters": m.parameters * 1.1},
    "offsets": lambda m: {"offsets": np.linspace(-0.1, 0.1, 6 * len(m.bodies))},
    "external": lambda m: {"external": {"tip": W, "branch": -W}},
    "passive": lambda m: {"passive": False},
    "": lambda m: {},
}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("option", SHARED)
def test_given_once_for_a_batch_and_in_single_precision(option, dtype):
    """The native answers are those of the Python function to the bit: of one state and of a batch,
    for which a wrench, parameters or offsets are given once, like rows of them."""
    m, given = machine(), SHARED[option](machine())
    if option in ("parameters", "offsets"):
        given[option] = given[option].astype(dtype)
    rows = [x.astype(dtype) for x in states(300)]
    shared = [rows[0], rows[1][7], rows[2]]  # one v for all
    repeated = {n: np.tile(x, (300, 1)) if n in ("parameters", "offsets") else x
                for n, x in given.items()}  # fmt: skip
    for name, count in (("inverse_dynamics", 3), ("forward_dynamics", 3), ("energy", 2),
                        ("reactions", 3), ("mass_matrix", 1)):  # fmt: skip
        function = getattr(m, name)
        if not set(given) <= set(inspect.signature(function).parameters):
            continue
        many, one = rows[:count], [x[7] for x in rows[:count]]
        for state, options in ((one, given), (many, given), (many, repeated),
                               (shared[:count], given)):  # fmt: skip
            first = parts(function(*state, **options))
            again = parts(function(*state, **options))
            direct = parts(getattr(without(), name)(*state, **options))
            for x, y, z in zip(first, again, direct, strict=True):
                assert x.dtype == y.dtype == z.dtype == dtype
                np.testing.assert_array_equal(x, y)
                np.testing.assert_array_equal(y, z)


@native
def test_single_precision_is_served_natively():
    """And what is not finite is refused, at the entrance and where it overflows on the way."""
    m, (q, v, a) = make(), (x[0].astype(np.float32) for x in states())
    m.inverse_dynamics(q, v, a)
    assert not reaches_python(lambda: m.inverse_dynamics(q, v, a))
    m.inverse_dynamics(q, v, a, {"tip": W})
    assert not reaches_python(lambda: m.inverse_dynamics(q, v, a, {"tip": W}))
    tau, out = m.inverse_dynamics(q, v, a), np.empty(m.nv, np.float32)
    assert m.inverse_dynamics(q, v, a, out=out) is out
    np.testing.assert_array_equal(out, tau)
    with pytest.raises(am.InputError):
        m.inverse_dynamics(q, v * np.float32(np.nan), a, out=out)
    np.testing.assert_array_equal(out, tau)
    with pytest.raises(am.InputError, match="not a finite number"):
        m.inverse_dynamics(q, v * np.float32(1e30), a)


def test_out_by_name_alone():
    """The short way of `out=`: filled and given back, None is no array, one that is not interned
    is the same name; a question without it refuses it, and a name that is no parameter too."""
    m, (q, v, a) = machine(), (x[0] for x in states())
    wanted, out = m.inverse_dynamics(q, v, a).copy(), np.empty(m.nv)
    m.energy(q, v)
    for _ in range(2):
        assert m.inverse_dynamics(q, v, a, out=out) is out
        np.testing.assert_array_equal(out, wanted)
        np.testing.assert_array_equal(m.inverse_dynamics(q, v, a, out=None), wanted)
        assert m.inverse_dynamics(q, v, a, **{"".join(["o", "ut"]): out}) is out
        for function, given, name in (
            (m.energy, (q, v), "out"), (m.inverse_dynamics, (q, v, a), "nobody"),
            (m.inverse_dynamics, (q, v), "out"),
        ):  # fmt: skip
            with pytest.raises(TypeError):
                function(*given, **{name: out})


@native
def test_nothing_is_left_behind():
    """References stand still over a thousand rounds of 17 calls; some of None come and go."""
    for _ in range(50):
        every_kind()
    gc.collect()
    before = held()
    for _ in range(1000):
        every_kind()
    gc.collect()
    assert max(abs(x - y) for x, y in zip(held(), before, strict=True)) < 50


@native
@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_a_hundred_thousand_calls_do_not_grow():
    def resident() -> int:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    m, (q, v, a) = machine(), (x[0] for x in states())
    push, wrong = {"tip": W, "branch": W}, v * np.nan

    def some(count: int) -> None:
        for _ in range(count):
            m.pose(q, "tip")
            m.energy(q, v)
            m.reactions(q, v, a)
            m.inverse_dynamics(q, v, a, external=push)
            m.inverse_dynamics.derivatives(q, v, a)
        for _ in range(count // 50):
            with pytest.raises(am.InputError):
                m.energy(q, wrong)

    some(4000)
    gc.collect()
    before = resident()
    some(20_000)
    gc.collect()
    assert resident() - before < 2**20


def test_threads_ask_for_many_frames_at_once():
    """Each frame is new to some of them; nobody waits, and nobody gets another's answer."""
    m, (q, _, _) = make(), states()
    wanted = {name: [x.copy() for x in without().pose(q[0], name)] for name in m.frames}
    errors: list[BaseException] = []
    start = threading.Barrier(6)

    def work(k: int) -> None:
        try:
            start.wait()
            names = list(m.frames)
            for n in range(200):
                name = names[(n + k) % len(names)]
                for x, y in zip(m.pose(q[0], name), wanted[name], strict=True):
                    np.testing.assert_array_equal(x, y)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not errors, errors[0]


@pytest.mark.parametrize("tier", [1, 2])
def test_wrenches_in_more_frames_than_have_code_of_their_own(tier):
    """tau changes by -Jᵀ w, in loops as in straight lines: frames that are turned and set off."""
    rng, b = np.random.default_rng(4), am.Builder("arm")
    mass = {"mass": 1.0, "com": (0.1, 0.2, 0.3), "inertia": (0.2, 0.3, 0.25)}
    b.body("upper", joint="revolute", axis="y", at=am.Pose((0.1, 0.2, 0.3)), **mass)
    b.body("lower", "upper", joint="revolute", axis="x", at=am.Pose((0.5, 0.1, 0.0)), **mass)
    names = [f"f{k}" for k in range(10)]
    for k, name in enumerate(names):
        turned = am.Pose.from_rpy(rng.normal(size=3), rng.normal(size=3))
        b.frame(name, ("upper", "lower")[k % 2], turned)
    arm = b.build().compile(tier=tier)
    q, v, a = arm.random_state(seed=2)
    free = arm.inverse_dynamics(q, v, a)
    for name in names:
        w = rng.normal(size=6)
        expected = free - arm.jacobian(q, name).T @ w
        np.testing.assert_allclose(arm.inverse_dynamics(q, v, a, {name: w}), expected, atol=1e-12)
