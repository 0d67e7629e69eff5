"""Dictionaries of names for q, v, a, tau: the same numbers as arrays filled by hand."""

import inspect
import re

import numpy as np
import pytest
from every_question import ELEMENTS_ONLY, ONE_STATE, STATES, arrays_of, asked

import armillary as am
from armillary.errors import ArmillaryError, InputError, ModelError
from oracles.direct import Direct


def machine() -> am.Mechanism:
    """A free body, a ball, a slide, a turn, a weld: quaternions, several coordinates, a start."""
    b = am.Builder("creature", gravity=(0.5, -1.0, -9.0))
    body = {"mass": 1.3, "com": (0.1, -0.2, 0.3), "inertia": (0.2, 0.3, 0.25, 0.01, -0.02, 0.03)}
    b.body("trunk", joint="free", joint_name="base", **body)
    b.body(
        "upper", "trunk", joint="spherical", joint_name="hip", at=am.Pose((0.1, 0.2, 0.3)), **body
    )
    b.body("lower", "upper", joint="prismatic", axis=(0.0, -0.6, 0.8), joint_name="slide", **body)
    b.body(
        "foot",
        "lower",
        joint="revolute",
        axis="y",
        joint_name="ankle",
        at=am.Pose((0.4, 0, 0)),
        **body,
    )
    b.body("shoe", "foot", joint="fixed", joint_name="laces", at=am.Pose((0.0, 0.1, 0.0)), **body)
    return b.build()


TREE = machine()
PLACE = {label: k for k, label in enumerate(TREE.q_labels)}


def by_hand(name: str) -> tuple[dict, np.ndarray]:
    """A dictionary and the array it stands for."""
    if name in ("q", "q1"):
        given = {"ankle": 0.7, "hip": [0.8, 0.0, 0.6, 0.0], "base.px": 2.0, "slide": -0.2}
        whole = TREE.initial
        whole[PLACE["ankle"]], whole[PLACE["base.px"]], whole[PLACE["slide"]] = 0.7, 2.0, -0.2
        whole[PLACE["hip.w"] : PLACE["hip.w"] + 4] = given["hip"]
        return given, whole
    given = {"base": [0.1, -0.2, 0.3, 1.0, 2.0, -3.0], "hip.wy": 0.5, "slide": -1.5}
    whole = np.zeros(TREE.nv)
    whole[[TREE.v_labels.index(f"base.{x}") for x in ("wx", "wy", "wz", "vx", "vy", "vz")]] = given[
        "base"
    ]
    whole[TREE.v_labels.index("hip.wy")], whole[TREE.v_labels.index("slide")] = 0.5, -1.5
    return given, whole


EVERY = {name: how for name, how in STATES.items() if name not in ELEMENTS_ONLY}
EVERY |= {name: (inputs, {}) for name, inputs in ONE_STATE.items()}
# what has no answer here says so in the same words for names
REFUSES = ("equilibrium", "modes", "linkage")


def extras(m: am.Mechanism, name: str) -> dict:
    """What a question needs beside its state: the last frame, limits of effort in N m or N."""
    more = {key: m.frames[-1] if x == "last" else x for key, x in EVERY[name][1].items()}
    if name in ("force_limits", "payload"):
        more["effort"] = dict.fromkeys(m.v_labels, 50.0)
    return more


@pytest.mark.parametrize("name", sorted(EVERY))
def test_names_are_numbers_in_their_places(name):
    """Every question of a tree, all inputs by name: the bits of the arrays, single and twice."""
    inputs, more = EVERY[name][0], extras(TREE, name)
    function = asked(TREE, name)
    names = list(inspect.signature(function).parameters)[: len(inputs)]
    pairs = [by_hand(kind) for kind in inputs]
    try:
        wanted = arrays_of(function(*(whole for _, whole in pairs), **more))
    except ArmillaryError as fault:  # then for names neither
        assert name in REFUSES, fault
        with pytest.raises(type(fault), match=re.escape(str(fault))):
            function(*(given for given, _ in pairs), **more)
        return
    found = arrays_of(function(*(given for given, _ in pairs), **more))
    assert wanted.keys() == found.keys()
    for key, x in wanted.items():
        np.testing.assert_array_equal(found[key], x)
    keywords = dict(zip(names, (given for given, _ in pairs), strict=True))
    for key, x in arrays_of(function(**keywords, **more)).items():
        np.testing.assert_array_equal(x, wanted[key])


def test_values_of_a_batch():
    """One number per state, one row per state of a joint with several, single ones for all."""
    turns = np.linspace(-1.0, 1.0, 3)
    rates = np.arange(9.0).reshape(3, 3)
    tau = TREE.inverse_dynamics({"ankle": turns}, {"hip": rates, "slide": 0.5}, {})
    assert tau.shape == (3, TREE.nv)
    for k in range(3):
        one = TREE.inverse_dynamics({"ankle": turns[k]}, {"hip": rates[k], "slide": 0.5}, {})
        np.testing.assert_array_equal(tau[k], one)
    rates[1, 0] = np.nan
    tau = TREE.inverse_dynamics({"ankle": turns}, {"hip": rates}, {})
    assert np.isnan(tau[1]).any() and np.isfinite(tau[[0, 2]]).all()


def test_lengths_of_a_free_body_by_their_rates():
    """`base.px` is along the world's axis, whatever the attitude: differences of poses are."""
    q, v, _ = TREE.random_state(3)
    rate = TREE.velocity(q, {"base.px": 2.0, "base.pz": -1.0}, "trunk", "world_aligned")
    np.testing.assert_allclose(rate, [0, 0, 0, 2.0, 0.0, -1.0], atol=1e-14)
    wanted = {"base.px": 2.0, "base.py": 0.3, "base.pz": -1.0}
    second = TREE.acceleration(q, v, wanted, "trunk", "world_aligned")
    np.testing.assert_allclose(second[3:], [2.0, 0.3, -1.0], atol=1e-13)


@pytest.mark.parametrize("given, text", [
    ({"ankel": 1.0}, r"q: no joint named 'ankel'.*'ankle'"),
    ({"laces": 1.0}, "joint 'laces' does not move"),
    ({"hip": 1.0}, "'hip' has several entries; name hip.w, hip.x, hip.y, hip.z, or give 4"),
    ({"hip": [1.0, 2.0]}, r"q\['hip'\]: expected 4 numbers per state .* found shape \(2,\)"),
    ({"hip": [1.0, 0, 0, 0], "hip.x": 0.1}, "the same entry is named twice in hip, hip.x"),
    ({"ankle": [1.0, 2.0], "slide": [1.0, 2.0, 3.0]}, r"batches of different lengths \[2, 3\]"),
    ({"ankle": "far"}, r"q\['ankle'\]: expected real numbers"),
    ({"ankle": np.nan}, r"q\['ankle'\]: expected a finite number"),
    ({"hip": [0.0, 0, 0, 0]}, "the quaternion at entry"),
])  # fmt: skip
def test_what_is_wrong_is_named(given, text):
    for function in (TREE.mass_matrix, TREE.poses, TREE.constraint_residual):
        with pytest.raises(InputError, match=text):
            function(given)


def test_forces_have_no_lengths():
    with pytest.raises(InputError, match=r"tau: no joint named 'base\.px'"):
        TREE.forward_dynamics({}, {}, {"base.px": 1.0})


# ---------------------------------------------------------------- closed mechanisms


CLOSED = am.example("four-bar")


def test_a_closed_mechanism_follows():
    """Held exactly, closed, and with velocities and accelerations of the closed form of its rate:
    all are multiples of the crank's, a by differences of v along the motion."""
    m, h = CLOSED, 1e-5
    q = m.assemble({"crank": 0.4}).q
    assert q[0] == pytest.approx(0.4, abs=1e-14)
    assert np.abs(m.constraint_residual({"crank": 0.4})).max() < 1e-12
    velocity = m.evaluator.complete({"q": {"crank": 0.4}, "v": {"crank": 3.0}})["v"]
    assert velocity[0] == pytest.approx(3.0, abs=1e-13)
    assert np.abs(m.constraint_rate(q, velocity)).max() < 1e-12
    places = [m.assemble({"crank": 0.4 + s * h}).q for s in (-1, 1)]
    np.testing.assert_allclose((places[1] - places[0]) / (2 * h) * 3.0, velocity, rtol=1e-8)
    state = {"q": {"crank": 0.4}, "v": {"crank": 3.0}, "a": {"crank": -2.0}}
    a = m.evaluator.complete(state)["a"]
    second = (places[1] + places[0] - 2 * q) / h**2 * 9.0 + velocity / 3.0 * -2.0
    np.testing.assert_allclose(a, second, rtol=2e-4)


def test_forces_of_a_closed_motion_do_its_work():
    """tau · v is the rate of the energy: with the numbers of another formulation (4x4 matrices)."""
    m, h = CLOSED, 1e-4
    state = ({"crank": 0.4}, {"crank": 3.0}, {"crank": -2.0})
    tau = m.inverse_dynamics(*state, actuators=["crank"], passive=False)
    direct = Direct(m.model, passive=False)

    def energy(t):
        angle, rate = 0.4 + 3.0 * t - t * t, 3.0 - 2.0 * t
        q = m.assemble({"crank": angle}).q
        v = m.evaluator.complete({"q": q, "v": {"crank": rate}})["v"]
        return 0.5 * v @ direct.mass_matrix(q) @ v + m.energy(q, np.zeros(3))[1]

    assert tau[0] * 3.0 == pytest.approx((energy(h) - energy(-h)) / (2 * h), rel=1e-6)
    assert not tau[1:].any()


@pytest.mark.parametrize("name", sorted(EVERY))
def test_every_question_of_a_closed_mechanism(name):
    """Names give what the completed arrays give; a batch of two has the single states in rows."""
    m = CLOSED
    inputs, more = EVERY[name][0], extras(m, name)
    given = {"q": {"crank": 0.4}, "v": {"crank": 3.0}, "a": {"crank": -2.0},
             "tau": {"crank": 0.7}}  # fmt: skip
    whole = m.evaluator.complete(given)
    other = {"q1": {"crank": 0.5}}
    full = whole | {"q1": m.assemble({"crank": 0.5}).q}
    full |= {kind: np.array([0.1, 0.0, 0.0]) for kind in ("dq", "dv", "da", "dtau", "weight")}
    other |= {kind: {"crank": 0.1} for kind in ("dq", "dv", "da", "dtau", "weight")}
    named = given | other
    function = asked(m, name)
    try:
        wanted = arrays_of(function(*(full[x] for x in inputs), **more))
    except InputError as fault:
        if "is closed" in str(fault):  # known for trees alone
            return
        if name == "modes":  # the state moves: so it does by name, in the same words
            with pytest.raises(InputError, match=re.escape(str(fault))):
                function(*(named[x] for x in inputs), **more)
            return
        raise
    if name == "assemble":
        with pytest.raises(ModelError):
            function({"crank": 0.4, "rocker": 0.0}, hold=["no joint"])
    for key, x in arrays_of(function(*(named[x] for x in inputs), **more)).items():
        np.testing.assert_allclose(x, wanted[key], rtol=1e-9, atol=1e-9 * np.abs(x).max(initial=1))


def test_a_batch_of_closed_states_is_its_single_states():
    m, turns = CLOSED, np.array([0.4, np.nan, -2.0])
    a = m.forward_dynamics({"crank": turns}, {"crank": [1.0, 2.0, 3.0]}, {"crank": 0.5})
    for k in (0, 2):
        one = m.forward_dynamics({"crank": turns[k]}, {"crank": k + 1.0}, {"crank": 0.5})
        np.testing.assert_array_equal(a[k], one)
    assert np.isnan(a[1]).all()


def test_a_guess_by_name_is_held_unless_said():
    m = CLOSED
    assert m.assemble({"crank": 0.4}).q[0] == pytest.approx(0.4, abs=1e-14)
    loose = m.assemble({"crank": 0.4, "rocker": 1.2}, hold=["rocker"]).q
    assert loose[2] == pytest.approx(1.2, abs=1e-13) and abs(loose[0] - 0.4) > 1e-3
    with pytest.raises(ModelError, match=r"could not be closed with crank = 0.4, rocker = 9.*open"):
        m.pose({"crank": 0.4, "rocker": 9.0}, "rocker")
    with pytest.raises(ArmillaryError, match="do not allow these velocities"):
        m.energy({"crank": 0.4}, {"crank": 1.0, "rocker": 50.0})


def test_the_start_of_a_run_by_name():
    run = am.simulate(CLOSED, {"crank": 0.4}, {"crank": 3.0}, duration=2e-3)
    assert run.q[0, 0] == pytest.approx(0.4, abs=1e-13)
    assert run.v[0, 0] == pytest.approx(3.0, abs=1e-12)
    tree = am.simulate(TREE, {"ankle": [0.4, 0.5]}, {"ankle": 1.0}, duration=2e-3)
    assert tree.q.shape[1] == 2 and tree.q[0, 1, PLACE["ankle"]] == 0.5


def test_free_bodies_that_are_closed():
    """Lengths and turns of a floating frame stay where they are named."""
    m = am.example("bicycle")
    q = m.evaluator.complete({"q": {"rear-frame.px": 1.5, "steer": 0.2}})["q"]
    assert q[m.q_labels.index("rear-frame.px")] == 1.5 and q[m.q_labels.index("steer")] == 0.2
    assert np.abs(m.constraint_residual(q)).max() < 1e-10
