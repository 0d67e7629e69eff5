"""Derivatives of closed mechanisms by code of split and slopes, against the interpreter with numpy,
and against differences between states on the constraints."""

from contextlib import contextmanager

import numpy as np
import pytest
from closed_machines import Closing, closed_tree
from test_single_calls import states, steered

import armillary as am
from armillary.codegen.target import native
from armillary.constraints import derivatives, slopes, splitting, table
from samples import random_model, random_state

pytestmark = pytest.mark.skipif(not native(), reason="needs llvmlite")
NAMES = ("four-bar", "stewart", "rover", "delta", "differential", "unicycle")
PARTS = ("dtau", "motions", "dq", "carried", "moved", "velocities", "dv")


@contextmanager
def code_alone():
    """Neither the interpreter nor numpy splits or gives slopes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delattr(slopes, "Run")
        patch.delattr(splitting, "split_of")
        patch.delattr(splitting, "_singular_split")
        yield


def plain(m, *state, **options):
    """By the interpreter and numpy: no budget, no code."""
    return m.compile(budget=0).forward_dynamics.derivatives(*state, **options)


def moving(m):
    q, v, tau = states(m) if m.name != "rover" else (np.tile(x, (3, 1)) for x in steered(m))
    return q, v * np.linspace(0.3, 1.0, len(v))[:, None], tau


def bits(d):
    return [getattr(d, name).tobytes() for name in PARTS] + [x.tobytes() for x in d.full]


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
def test_code_is_the_interpreter_and_numpy(name):
    """From the first question on, and in batches."""
    m = am.example(name)
    q, v, tau = moving(m)
    with code_alone():
        found = m.forward_dynamics.derivatives(q[1], v[1], tau[1])
        many = m.forward_dynamics.derivatives(q, v, tau)
    expect_same(found, plain(m, q[1], v[1], tau[1]))
    own = plain(m, q, v, tau)
    for x, y in zip(many.full, own.full, strict=True):
        np.testing.assert_allclose(x, y, atol=1e-9 * max(np.abs(y).max(), np.abs(own.dtau).max()))


@pytest.mark.parametrize("name", ["four-bar", "rover"])
def test_the_first_answer_is_the_thousandth(name):
    """Bit for bit, whatever else was asked for on the way."""
    m = am.example(name)
    q, v, tau = moving(m)
    one, f = (q[0], v[0], tau[0]), m.forward_dynamics
    asks = (f.derivatives, f.parameter_jacobian, m.project_acceleration, m.linearize)
    first = [ask(*one) for ask in asks]
    batch = bits(f.derivatives(q, v, tau))
    for k in range(1000):
        found = f.derivatives(*one)
        if k % 100 == 0:
            f.derivatives(*(np.resize(x, (130, x.shape[1])) for x in (q, v, tau)))
            asks[1](q, v, tau), asks[2](q, v, tau)
    assert bits(found) == bits(first[0])
    assert bits(f.derivatives(q, v, tau)) == batch
    for ask, own in zip(asks[1:3], first[1:3], strict=True):
        np.testing.assert_array_equal(ask(*one), own)
    np.testing.assert_array_equal(m.linearize(*one).A, first[3].A)


@pytest.mark.parametrize("name", ["stewart", "rover"])
def test_motions_are_orthonormal_in_units_of_the_machine(name):
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


@pytest.mark.parametrize("name", NAMES)
def test_batches_are_the_single_answers(name):
    """To rounding, more than are worked on together, and wherever in the batch they stand."""
    m = am.example(name)
    q, v, tau = moving(m)
    count = 170 if m.nv > 10 else 70
    with code_alone():
        many = m.forward_dynamics.derivatives(
            *(np.resize(x, (count, len(x[0]))) for x in (q, v, tau))
        )
        for k in (0, 1, 2, 64, count - 2, count - 1):
            one = m.forward_dynamics.derivatives(*(x[k % 3] for x in (q, v, tau)))
            pairs = [(getattr(many, part)[k], getattr(one, part)) for part in PARTS]
            pairs += [(x[k], y) for x, y in zip(many.full, one.full, strict=True)]
            for x, y in pairs:
                np.testing.assert_allclose(x, y, atol=1e-13 * max(1.0, np.abs(y).max()), rtol=0.0)


def test_long_code_is_for_many_states(monkeypatch):
    """Announced, or asked for at once; what is too long for a few is left to numpy."""
    monkeypatch.setitem(table.OPERATIONS, table.SLOPES, (1335, 30_000))  # Bricard's linkage: 1372
    few = am.example("bricard")
    announced = few.compile(states=100)
    q, v, tau = (np.resize(x, (65, x.shape[1])) for x in moving(few))
    with code_alone():
        one = announced.forward_dynamics.derivatives(q[0], v[0], tau[0])
        many = few.forward_dynamics.derivatives(q, v, tau)
        with pytest.raises(NameError):
            few.forward_dynamics.derivatives(q[0], v[0], tau[0])
    np.testing.assert_allclose(many.full.dq[0], one.full.dq, atol=1e-12)
    own = few.forward_dynamics.derivatives(q[0], v[0], tau[0])
    np.testing.assert_allclose(own.full.dq, one.full.dq, atol=1e-10)


def test_changes_of_the_acceleration_are_differences():
    """Along closed states of a Stewart platform in motion: q moves, v is carried along."""
    m = am.example("stewart")
    q, v, tau = (x[2] for x in states(m))
    d = m.forward_dynamics.derivatives(q, v, tau)
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
def test_machines_closed_at_random(closures):
    """Full tensors, offset frames, joints of all kinds, closed and rolling."""
    m, q = closed_tree(31, closures, bodies=7)
    rng = np.random.default_rng(5)
    q, v = m.project(q, rng.normal(size=m.nv))
    tau = rng.normal(size=m.nv)
    with code_alone():
        found = m.forward_dynamics.derivatives(q, v, tau)
    expect_same(found, plain(m, q, v, tau), 1e-7)


def test_wrenches_and_friction_off_have_code_of_their_own():
    m = am.example("stewart")
    q, v, tau = (x[0] for x in states(m))
    body = m.model.bodies[-1].name
    external = {body: np.array([0.1, 0.2, -0.3, 4.0, -5.0, 6.0])}
    with code_alone():
        loaded = m.forward_dynamics.derivatives(q, v, tau, external=external)
        bare = m.forward_dynamics.derivatives(q, v, tau, passive=False)
    expect_same(loaded, plain(m, q, v, tau, external=external))
    expect_same(bare, plain(m, q, v, tau, passive=False))


def test_what_it_does_not_know_is_left_to_others():
    """Open positions are told; a number that is none is an error."""
    m = am.example("stewart")
    q, v, tau = (x[0] for x in states(m))
    m.forward_dynamics.derivatives(q, v, tau)
    off = m.integrate(q, np.full(m.nv, 1e-3))
    with pytest.warns(am.ProjectionWarning, match="open"):
        m.forward_dynamics.derivatives(off, v, tau)
    with pytest.raises(am.InputError):
        m.forward_dynamics.derivatives(q, v, np.full(m.nv, np.nan))


@pytest.mark.parametrize("name", ["rover", "unicycle"])
def test_care_with_uneven_inertias_changes_nothing(name, monkeypatch):
    """What is nearest to a change of q, where motions are taken for uneven ones."""
    m = am.example(name)
    q, v, tau = moving(m)
    usual = m.forward_dynamics.derivatives(q, v, tau)
    one = m.forward_dynamics.derivatives(q[0], v[0], tau[0])
    monkeypatch.setattr(derivatives, "_EVEN", 2.0)
    careful = m.forward_dynamics.derivatives(q, v, tau)
    np.testing.assert_allclose(careful.full.dq, usual.full.dq, atol=1e-10 * np.abs(usual.dq).max())
    expect_same(m.forward_dynamics.derivatives(q[0], v[0], tau[0]), one)


@pytest.mark.parametrize("even", [0.40, 0.44])
def test_motions_that_hardly_differ(even, monkeypatch):
    """Two bodies on one axis: each motion has inertia enough (roots of 0.46 to 1), but of the two
    together only a root of I1 / (I1 + I2), 0.41, is left.  With care or without, answers agree."""
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
    own = plain(m, q, v, np.ones(m.nv))
    monkeypatch.setattr(derivatives, "_EVEN", even)
    with code_alone():
        expect_same(m.forward_dynamics.derivatives(q, v, np.ones(m.nv)), own)


def test_states_that_lead_nowhere_keep_their_numbers(monkeypatch):
    """In a batch that is worked on in parts: two states at a time here."""
    b = am.Builder("stretched")
    b.body("rod", axis="y", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    b.body("free", axis="y", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    b.frame("tip", "rod", (1, 0, 0))
    b.distance("string", am.Frame("wall", "world", am.Pose((3, 0, 0))), "tip", 2.0)
    m = b.build()
    monkeypatch.setattr(derivatives, "_AT_ONCE", 8)
    q, v = np.tile([0.0, 0.2], (5, 1)), np.tile([0.0, 0.5], (5, 1))
    v[3, 0] = 1.0
    with pytest.warns(am.ProjectionWarning, match="in a singular position in state 3, where a"):
        d = m.forward_dynamics.derivatives(q, v, np.zeros((5, 2)))
    assert np.isnan(d.full.dq[3]).all() and np.isfinite(d.full.dq[[0, 1, 2, 4], :, 1]).all()
