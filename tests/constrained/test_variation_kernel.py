"""Derivatives of closed mechanisms in one native call, against the interpreter with numpy, and
against differences between states on the constraints."""

import numpy as np
import pytest
from closed_machines import Closing, closed_tree
from test_single_calls import states, steered

import armillary as am
from armillary.codegen.target import native
from armillary.constraints import derivatives, slopes, splitting
from armillary.constraints.ladder import States
from samples import random_model, random_state

pytestmark = pytest.mark.skipif(not native(), reason="needs llvmlite")
NAMES = ("stewart", "rover", "delta", "differential", "unicycle")


@pytest.fixture
def at_once(monkeypatch):
    """Code from the first state on, and none of it in a straight line."""
    monkeypatch.setattr(slopes, "_WORTH", 0)
    monkeypatch.setattr(splitting, "_WORTH_LONG", 0)
    monkeypatch.setattr(derivatives, "_straight_line", lambda *_: None)


def served(m):
    """The native calls that were made."""
    made = m.constraint_solver.equations.memo._made.items()
    return [x for key, x in made if isinstance(key, tuple) and key[0] == "variations" and x]


def plain(m, *state):
    """By the interpreter and numpy: a copy that was never asked before."""
    return m.compile().forward_dynamics.derivatives(*state)


def expect_same(found, own, tolerance=1e-9):
    """Bases may differ; what is said of them may not."""
    for name in ("dq", "dv", "dtau"):
        x, y = getattr(found.full, name), getattr(own.full, name)
        scale = max(np.abs(y).max(), np.abs(own.full.dtau).max())
        np.testing.assert_allclose(x, y, atol=tolerance * scale, err_msg=name)
    turn = np.linalg.lstsq(own.motions, found.motions, rcond=None)[0]
    for name in ("motions", "dq", "carried", "moved"):
        x, y = getattr(found, name), getattr(own, name) @ turn
        np.testing.assert_allclose(x, y, atol=tolerance * max(np.abs(y).max(), 1.0), err_msg=name)
    turn = np.linalg.lstsq(own.velocities, found.velocities, rcond=None)[0]
    for name in ("velocities", "dv"):
        x, y = getattr(found, name), getattr(own, name) @ turn
        np.testing.assert_allclose(x, y, atol=tolerance * max(np.abs(y).max(), 1.0), err_msg=name)


@pytest.mark.parametrize("name", NAMES)
def test_one_call_is_the_interpreter_and_numpy(name, at_once, monkeypatch):
    m = am.example(name)
    q, v, tau = (x[0] for x in states(m)) if name != "rover" else steered(m)
    found = m.forward_dynamics.derivatives(q, v, tau)
    assert len(served(m)) == 1
    monkeypatch.setattr(slopes, "_WORTH", 10**9)
    expect_same(found, plain(m, q, v, tau))


@pytest.mark.parametrize("name", ["stewart", "rover"])
def test_motions_are_orthonormal_in_units_of_the_machine(name, at_once):
    m = am.example(name)
    state = steered(m) if name == "rover" else [x[1] for x in states(m)]
    found = m.forward_dynamics.derivatives(*state)
    scale = m.constraint_solver.equations.scaling.columns[:, None]
    for x in (found.motions / scale, found.velocities / scale):
        np.testing.assert_allclose(x.T @ x, np.eye(x.shape[1]), atol=1e-14)
    J, holonomic = m.constraint_jacobian(state[0]), m.constraint_solver.equations.constraints
    np.testing.assert_allclose(J @ found.velocities, 0.0, atol=1e-12)
    kept = np.array(holonomic.holonomic, bool)
    np.testing.assert_allclose(J[kept] @ found.motions, 0.0, atol=1e-12)


@pytest.mark.parametrize("name", ["stewart", "rover"])
def test_batches_are_the_single_answers(name, at_once):
    m = am.example(name)
    q, v, tau = states(m) if name != "rover" else (np.tile(x, (5, 1)) for x in steered(m))
    v = v * np.linspace(0.3, 1.0, len(v))[:, None]
    many = m.forward_dynamics.derivatives(q, v, tau)
    for k in range(len(q)):
        one = m.forward_dynamics.derivatives(q[k], v[k], tau[k])
        for name_ in ("dtau", "motions", "dq", "carried", "moved", "velocities", "dv"):
            np.testing.assert_array_equal(getattr(many, name_)[k], getattr(one, name_))
        np.testing.assert_array_equal(many.full.dq[k], one.full.dq)
    assert len(served(m)) == 1


def test_changes_of_the_acceleration_are_differences(at_once):
    """Along closed states of a Stewart platform in motion: q moves, v is carried along."""
    m = am.example("stewart")
    q, v, tau = (x[2] for x in states(m))
    d = m.forward_dynamics.derivatives(q, v, tau)
    assert served(m)
    h = 1e-5
    for k in range(d.motions.shape[1]):
        way, speed = d.motions[:, k], d.carried[:, k]
        ends = []
        for t in (h, -h):
            near, fast = m.project(m.integrate(q, t * way), v + t * speed)
            ends.append(m.forward_dynamics(near, fast, tau))
        expected = (ends[0] - ends[1]) / (2 * h)
        np.testing.assert_allclose(d.moved[:, k], expected, atol=2e-6 * np.abs(expected).max())


@pytest.mark.parametrize(
    "closures",
    [
        ("spherical",),
        ("universal", "distance"),
        ("cylindrical", "contact"),
        ("gimbal-rx-ry-dx-dz", "coupling"),
        ("distance", "disc"),
        ("sphere", "knife"),
    ],
    ids="-".join,
)
def test_machines_closed_at_random(closures, at_once, monkeypatch):
    """Full tensors, offset frames, joints of all kinds, closed and rolling."""
    m, q = closed_tree(31, closures, bodies=7)
    rng = np.random.default_rng(5)
    q, v = m.project(q, rng.normal(size=m.nv))
    tau = rng.normal(size=m.nv)
    found = m.forward_dynamics.derivatives(q, v, tau)
    assert served(m)
    monkeypatch.setattr(slopes, "_WORTH", 10**9)
    expect_same(found, plain(m, q, v, tau), 1e-7)


def test_wrenches_and_friction_off_go_their_own_ways(at_once, monkeypatch):
    m = am.example("stewart")
    q, v, tau = (x[0] for x in states(m))
    body = m.model.bodies[-1].name
    external = {body: np.array([0.1, 0.2, -0.3, 4.0, -5.0, 6.0])}
    loaded = m.forward_dynamics.derivatives(q, v, tau, external=external)
    bare = m.forward_dynamics.derivatives(q, v, tau, passive=False)
    assert len(served(m)) == 1  # without wrenches alone
    monkeypatch.setattr(slopes, "_WORTH", 10**9)
    fresh = m.compile().forward_dynamics.derivatives
    expect_same(loaded, fresh(q, v, tau, external=external))
    expect_same(bare, fresh(q, v, tau, passive=False))


def test_what_it_does_not_know_is_left_to_others(at_once):
    """Open positions are told; a number that is none is an error."""
    m = am.example("stewart")
    q, v, tau = (x[0] for x in states(m))
    m.forward_dynamics.derivatives(q, v, tau)
    off = m.integrate(q, np.full(m.nv, 1e-3))
    with pytest.warns(am.ProjectionWarning, match="open"):
        m.forward_dynamics.derivatives(off, v, tau)
    with pytest.raises(am.InputError):
        m.forward_dynamics.derivatives(q, v, np.full(m.nv, np.nan))


@pytest.mark.parametrize(
    ("name", "limit", "value", "answered"),
    [
        ("stewart", "_SINGULAR", -1.0, False),  # no rates are small enough
        ("stewart", "_EVEN", 2.0, True),  # changes of q are those of v: no inertias are compared
        ("rover", "_EVEN", 2.0, False),
        ("rover", "_EVEN", 0.9, False),  # even inertias that are well apart from each other
        ("rover", "_SINGULAR", -1.0, False),
        ("rover", "_EVEN", 1e-3, True),
    ],
)
def test_limits_leave_states_to_others(name, limit, value, answered, at_once, monkeypatch):
    m = am.example(name)
    state = steered(m) if name == "rover" else [x[1] for x in states(m)]
    arrays = dict(zip(("q", "v", "tau"), (x[None] for x in state), strict=True))
    monkeypatch.setattr(derivatives, limit, value)
    native = derivatives._native(m.constraint_solver.equations, States(arrays), True)
    for single in (True, False):
        assert (native(States(arrays), single) is not None) == answered


@pytest.mark.parametrize(("even", "answered"), [(0.40, True), (0.44, False)])
def test_motions_that_hardly_differ_are_left_to_others(even, answered, at_once, monkeypatch):
    """Two bodies on one axis: each motion has inertia enough (roots of 0.46 to 1), but of the two
    together only a root of I1 / (I1 + I2), 0.41, is left."""
    light = 0.2
    model = random_model(34, bodies=3)
    q = random_state(model, 34)[0]
    closing = Closing(model, q, np.random.default_rng(7))
    closing.add("knife")
    turn = {"joint": "revolute", "axis": "z", "mass": 0.0}
    closing.builder.body("first", inertia=(light, light, light, 0, 0, 0), **turn)
    closing.builder.body("second", "first", inertia=(1, 1, 1, 0, 0, 0), **turn)
    m = closing.builder.build()
    places = closing.places | {
        b.joint.name: q[s.q] for b, s in zip(model.bodies, model.slots, strict=True)
    }
    q = np.concatenate([places.get(b.joint.name, [0.3]) for b in m.model.bodies])
    q, v = m.project(q, np.random.default_rng(8).normal(size=m.nv))
    arrays = {"q": q[None], "v": v[None], "tau": np.ones((1, m.nv))}
    monkeypatch.setattr(derivatives, "_EVEN", even)
    native = derivatives._native(m.constraint_solver.equations, States(arrays), True)
    for single in (True, False):
        assert (native(States(arrays), single) is not None) == answered
