"""Rows of the table of functions: served natively or through the evaluator, the answer is one."""

import inspect

import numpy as np
import pytest

import armillary as am
from armillary.errors import ArmillaryError, InputError
from armillary.evaluate.functions import FUNCTIONS
from armillary.evaluate.results import OperationalInertia, Reactions

WORDS = ("local", "world_aligned", "world")
# function -> inputs
FRAMED = {
    "pose": "q", "velocity": "qv", "acceleration": "qva", "jacobian": "q", "jacobian_dot": "qv",
    "operational_inertia": "q",
}  # fmt: skip


def floating() -> am.Mechanism:
    """Quaternion, slide, turn and welded bodies; full tensors, offset frames, a moving base."""
    b = am.Builder("floating", gravity=(0.3, -9.0, 2.0))
    body = {"mass": 1.3, "com": (0.1, -0.2, 0.3), "inertia": (0.2, 0.3, 0.25, 0.01, -0.02, 0.03)}
    b.body("base", joint="free", **body)
    b.body("slide", "base", joint="prismatic", axis="x", at=am.Pose((0.1, 0.2, 0.3)), **body)
    b.body("arm", "slide", joint="revolute", axis=(0.6, 0.0, 0.8), at=am.Pose((0.4, 0, 0)), **body)
    b.body("tool", "arm", joint="fixed", at=am.Pose((0.0, 0.1, 0.5)), **body)
    b.frame("stand", "world", am.Pose((1.0, 2.0, 3.0)))
    b.frame("tip", "tool", am.Pose((0.2, -0.1, 0.4)))
    return b.build()


MACHINES = {
    "puma560": lambda: am.example("puma560"),
    "floating": floating,
    "loops over bodies": lambda: floating().compile(tier=1),
    "closed": lambda: am.example("four-bar"),
}


def state(m: am.Mechanism, count: int) -> dict[str, np.ndarray]:
    return dict(zip("qva", m.random_state(3, count), strict=True))


def numbers(answer) -> np.ndarray:
    parts = answer if isinstance(answer, (tuple, OperationalInertia)) else (answer,)
    if isinstance(answer, Reactions):
        parts = answer.total, answer.driving
    return np.concatenate([np.ravel(np.asarray(part, float)) for part in parts])


@pytest.mark.parametrize("kind", MACHINES)
@pytest.mark.parametrize("name", FRAMED)
def test_native_calls_are_rows_of_batches(name, kind):
    """First call, native call, keywords and lists: the row of a batch, to the bit."""
    m = MACHINES[kind]()
    s, function = state(m, 3), getattr(m, name)
    for frame in (m.frames[-1], m.bodies[0]):
        for word in WORDS if name != "pose" else ("",):
            words = (word,) if word else ()
            named = {"coordinates": word} if word else {}
            whole = function(*(s[x] for x in FRAMED[name]), frame, *words)
            for k in range(3):
                given = [s[x][k] for x in FRAMED[name]]
                if isinstance(whole, np.ndarray):
                    wanted = whole[k].ravel()
                else:
                    wanted = np.concatenate(
                        [np.ravel(np.asarray(part[k], float)) for part in whole]
                    )
                for _ in range(2):
                    np.testing.assert_array_equal(numbers(function(*given, frame, *words)), wanted)
                    found = function(*given, frame=frame, **named)
                    np.testing.assert_array_equal(numbers(found), wanted)
                lists = [x.tolist() for x in given]
                np.testing.assert_array_equal(numbers(function(*lists, frame, *words)), wanted)


def test_results_stay_as_they_are_given_out():
    """Memory of results is used again only when nobody holds them."""
    m = am.example("puma560")
    s, frame = state(m, 50), m.frames[-1]
    kept = [m.pose(q, frame) for q in s["q"]] + [m.pose(q, frame) for q in s["q"]]
    R, p = m.pose(s["q"], frame)
    for k, (rotation, origin) in enumerate(kept):
        np.testing.assert_array_equal(rotation, R[k % 50])
        np.testing.assert_array_equal(origin, p[k % 50])


def test_more_frames_than_have_code_of_their_own():
    """The derivative of the pose, by differences, in every frame of a long arm."""
    b = am.Builder("long")
    for k in range(12):
        b.body(f"b{k}", f"b{k - 1}" if k else "world", joint="revolute", axis="xyz"[k % 3],
               at=am.Pose((0.1, 0.2, 0.05)), mass=1.0, inertia=(0.1, 0.1, 0.1))  # fmt: skip
    m, h = b.build(), 1e-6
    q, v, _ = m.random_state(1)
    for frame in m.bodies * 2:
        rate = (m.pose(q + h * v, frame)[1] - m.pose(q - h * v, frame)[1]) / (2 * h)
        np.testing.assert_allclose(m.velocity(q, v, frame, "world_aligned")[3:], rate, atol=1e-8)


@pytest.mark.parametrize("kind", ["puma560", "floating", "loops over bodies"])
def test_wrenches_by_frame(kind):
    """tau falls by J^T w; accelerations rise by M^-1 J^T w: single, native and in a batch."""
    m = MACHINES[kind]()
    rng, s = np.random.default_rng(8), state(m, 4)
    tau = rng.normal(size=(4, m.nv))
    for frames in ((m.frames[-1],), (m.bodies[0], m.frames[-1]), ("world",), (m.frames[-1],)):
        w = rng.normal(size=(len(frames), 4, 6))
        push = sum(np.einsum("bij,bi->bj", m.jacobian(s["q"], f), w[k]) if f != "world" else 0.0
                   for k, f in enumerate(frames))  # fmt: skip
        forces = m.inverse_dynamics(s["q"], s["v"], s["a"]) - push
        free = m.forward_dynamics(s["q"], s["v"], tau + push)
        many = {f: w[k] for k, f in enumerate(frames)}
        scale = np.abs(forces).max() + np.abs(w).max()
        q, v, a = s["q"], s["v"], s["a"]
        found = m.inverse_dynamics(q, v, a, external=many)
        np.testing.assert_allclose(found, forces, rtol=0, atol=1e-13 * scale)
        moved = m.forward_dynamics(q, v, tau, external=many)
        np.testing.assert_allclose(moved, free, rtol=0, atol=1e-10 * np.abs(free).max())
        for k in [0, 1, 2, 3, 0]:
            one = {f: w[n, k] for n, f in enumerate(frames)}
            single = m.inverse_dynamics(q[k], v[k], a[k], external=one)
            np.testing.assert_array_equal(single, found[k])
            single = m.forward_dynamics(q[k], v[k], tau[k], one)
            np.testing.assert_array_equal(single, moved[k])


def test_many_sets_of_frames():
    """More than have code of their own: the answers do not care."""
    m = am.example("puma560")
    q, v, a = m.random_state(2)
    w = np.arange(1.0, 7.0)
    plain = m.inverse_dynamics(q, v, a)
    for first in m.bodies:
        for second in m.bodies:
            push = m.jacobian(q, first).T @ w + (m.jacobian(q, second).T @ w) * (first != second)
            for _ in range(2):
                found = m.inverse_dynamics(q, v, a, external=dict.fromkeys((first, second), w))
                np.testing.assert_allclose(
                    found, plain - push, rtol=0, atol=1e-12 * np.abs(push).max()
                )


@pytest.mark.parametrize("kind", ["puma560", "floating", "loops over bodies", "closed"])
def test_reactions_are_those_of_all_quantities(kind):
    m = MACHINES[kind]()
    s = state(m, 3)
    wanted = m.body_forces(s["q"], s["v"], s["a"]).reactions()
    for k in (0, 1, 2, 0):
        found = m.reactions(*(s[x][k] for x in "qva"))
        np.testing.assert_allclose(found.total, wanted.total[k], rtol=1e-12, atol=1e-11)
        np.testing.assert_allclose(found.constraint, wanted.constraint[k], rtol=1e-12, atol=1e-11)


def test_energies_are_numbers():
    m = am.example("double-pendulum")
    q, v, _ = m.random_state(1)
    for _ in range(3):
        kinetic, potential = m.energy(q, v)
        assert isinstance(kinetic, float) and isinstance(potential, float)
    assert kinetic == pytest.approx(0.5 * v @ m.mass_matrix(q) @ v, rel=1e-13)


def test_the_rank_is_that_of_the_state_asked_for():
    """Though it is found later, when the caller has changed his array."""
    m = am.example("puma560")
    q = m.random_state(4)[0]
    found = m.operational_inertia(q, m.frames[-1])
    q[:] = 0.0
    assert int(found.rank) == 6 and len(found) == 2
    W, rank = found
    assert W is found.W is found[0] and rank is found.rank


@pytest.mark.parametrize("name", sorted(FRAMED))
def test_words_that_are_none(name):
    m = am.example("two-link")
    given = [state(m, 1)[x][0] for x in FRAMED[name]]
    getattr(m, name)(*given, m.bodies[-1])
    for bad in ("nobody", None, 3, ["link1"], {"a": 1}):
        with pytest.raises(ArmillaryError):
            getattr(m, name)(*given, bad)
    if name != "pose":
        with pytest.raises(InputError, match="coordinates: expected one of"):
            getattr(m, name)(*given, m.bodies[-1], "nowhere")
    with pytest.raises(TypeError):
        getattr(m, name)(*given)
    with pytest.raises(InputError, match="must be finite"):
        getattr(m, name)(given[0] * np.nan, *given[1:], m.bodies[-1])


def test_every_row_has_a_signature_and_words():
    m = am.example("two-link")
    for name, row in FUNCTIONS.items():
        assert row.title.endswith("."), name
        if hasattr(m, name) and name not in ("inverse_dynamics", "forward_dynamics"):
            function = getattr(m, name)
            parameters = list(inspect.signature(function).parameters)
            assert parameters[: len(row.inputs)] == list(row.inputs), name
            assert function.__doc__, name
