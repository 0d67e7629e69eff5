"""Joints that rest at limits or stick in closed mechanisms, in batches and with every method.

Oracles: a mechanism in which the joint is locked, the same steps in Python, the single runs of a
batch, statics.
"""

import numpy as np
import pytest

import armillary as am
from armillary.sim.loop import loop, native, native_choice
from armillary.sim.methods.resting import limit_pushes

METHODS = ["rk4", "semi-implicit", "implicit", "exponential", "variational"]


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    """Code of held joints is made after three steps."""
    monkeypatch.setattr(native_choice, "_LASTING", 3)


def in_python(*arguments, **options):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop.Loop, "_native", lambda *_: None)
        return am.simulate(*arguments, **options)


def twice(*arguments, least=0.8, tolerance=1e-10, **options):
    """The native run, compared with the one in Python."""
    fast, plain = am.simulate(*arguments, **options), in_python(*arguments, **options)
    assert fast.performance().native > least, fast.performance()
    assert [text for _, text in fast.events] == [text for _, text in plain.events]
    for name in fast.labels:
        size = 1.0 + np.abs(plain[name]).max()
        np.testing.assert_allclose(fast[name], plain[name], atol=tolerance * size, rtol=0)
    return fast


def press(**crank):
    """A slider-crank with a second arm on its slide: two freedoms, five rows of which three are
    redundant."""
    b = am.Builder("press")
    b.body("crank", axis="y", mass=1.0, com=(0.1, 0, 0.02), inertia=(0.01, 0.02, 0.03),
           limits=am.Limits(-0.6, 0.8), **crank)  # fmt: skip
    b.body("rod", "crank", axis="y", at=(0.2, 0, 0), mass=1.5, com=(0.3, 0, 0),
           inertia=(0.01, 0.05, 0.05))  # fmt: skip
    b.body("slide", joint="prismatic", axis="x", at=(0.8, 0, 0), mass=2.0, com=(0.01, 0, 0.1),
           inertia=(0.02, 0.02, 0.03))  # fmt: skip
    b.body("arm", "slide", axis="y", at=(0, 0.1, 0), mass=0.7, com=(0.2, 0, 0.05),
           inertia=(0.01, 0.02, 0.02), passive=am.Passive(viscous=0.02, spring=0.4))  # fmt: skip
    b.frame("tip", "rod", at=(0.6, 0, 0))
    b.loop("pin", "tip", "slide", joint="revolute", axis="y")
    return b.build()


def stop_arm():
    b = am.Builder("stop")
    b.body("a", axis="y", mass=2.0, com=(0.3, 0.05, 0.1), inertia=(0.2, 0.3, 0.4),
           limits=am.Limits(-1.0, 0.4), passive=am.Passive(spring=3.0, viscous=0.1))  # fmt: skip
    b.body("b", "a", "revolute", (0.5, 0.1, 0), axis=(0, 0.8, 0.6), mass=1.0, com=(0.2, 0.1, 0),
           inertia=(0.1, 0.1, 0.2), passive=am.Passive(viscous=0.2),
           limits=am.Limits(-2.0, 2.0))  # fmt: skip
    return b.build()


LIFT = am.Schedule([0, 0.5, 0.5, 0.65, 0.65, 1.0], [0, 0, -40.0, -40.0, 0, 0])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("make", [press, stop_arm])
def test_native_steps_are_those_in_python(method, make):
    """It falls onto its limit, rests there while another joint swings, is lifted and falls."""
    m = make()
    first = m.v_labels[0]
    start = {"crank": 0.5} if make is press else [0.3, 0.5]
    options = {"inputs": {first: LIFT}, "events": [am.JointLimits()], "method": method}
    names = ("q", "v", "a", "tau", "energy", "reactions")
    more = ("constraint_forces",) if make is press else ()
    run = twice(m, start, duration=1.0, step=2e-3, least=0.7, record=(*names, *more), **options)
    assert sum("comes to rest" in text for _, text in run.events) >= 2
    place = run.q[:, 0].max() if make is press else 0.4
    end = 0.8 if make is press else 0.4
    assert abs(place - end) < 1e-9 and run.q[:, 0].min() < end - 0.05


@pytest.mark.parametrize("method", METHODS)
def test_a_joint_at_rest_is_a_locked_one(method):
    """From the instant of rest on the motion is that of the mechanism with the joint locked."""
    m = press()
    run = am.simulate(
        m, {"crank": 0.7}, duration=0.6, step=1e-3, inputs={"crank": 20.0}, method=method,
        events=[am.JointLimits()],
    )  # fmt: skip
    assert len(run.events) == 1 and "comes to rest" in run.events[0][1]
    k = int(np.searchsorted(run.time, run.events[0][0])) + 1
    assert np.abs(run.q[k:, 0] - 0.8).max() < 1e-11 and np.abs(run.v[k:, 0]).max() < 1e-10
    locked = m.lock({"crank": 0.8})
    own = [m.q_labels.index(label) for label in locked.q_labels]
    alone = am.simulate(
        locked, run.q[k, own], run.v[k, own], duration=float(run.time[-1] - run.time[k]),
        step=1e-3, method=method,
    )  # fmt: skip
    np.testing.assert_allclose(run.q[k:, own], alone.q, atol=1e-9)


def test_the_force_of_a_limit_in_a_closed_mechanism():
    """Everything rests: what the limit takes is what statics ask of a drive in its joint, and the
    recorded forces in the loop are those with it."""
    m = press().lock({"arm": 0.3})
    run = am.simulate(
        m, {"crank": 0.79}, duration=0.3, step=1e-3, inputs={"crank": 20.0},
        events=[am.JointLimits()], record=("q", "v", "reactions", "constraint_forces"),
    )  # fmt: skip
    assert np.abs(run.v[-1]).max() < 1e-10 and run.performance().native > 0.9
    tau = m.inverse_dynamics(run.q[-1], 0 * run.v[-1], 0 * run.v[-1], actuators=["crank"])
    s = m.solve(run.q[-1], 0 * run.v[-1], tau)
    known = s.determinacy.of("pin")
    columns = ("nx", "ny", "nz", "fx", "fy", "fz")
    k = [run.labels["constraint_forces"].index(f"pin.{x}") for x in columns]
    found = run["constraint_forces"][-1][k]
    np.testing.assert_allclose(found[known], s.constraint_forces["pin"][known], atol=1e-8)


def test_a_driven_base_and_other_masses():
    """Prescribed motion of another joint, and numbers of a run: joints that rest beside them."""
    b = am.Builder("lift")
    b.body("car", joint="prismatic", axis="x", mass=3.0)
    b.body("a", "car", axis="y", mass=2.0, com=(0.3, 0.05, 0.1), inertia=(0.2, 0.3, 0.4),
           limits=am.Limits(-1.0, 0.4))  # fmt: skip
    b.body("b", "a", "revolute", (0.5, 0.1, 0), axis=(0, 0.8, 0.6), mass=1.0, com=(0.2, 0.1, 0),
           inertia=(0.1, 0.1, 0.2))  # fmt: skip
    m = b.build()
    moved = am.Schedule([0, 0.2, 0.4, 0.8], [0.0, 0.05, 0.05, 0.1], kind="spline")
    twice(m, [0, 0.3, 0.5], duration=0.8, step=2e-3, events=[am.JointLimits()],
          prescribed={"car": moved}, record=("q", "v", "reactions"))  # fmt: skip
    twice(stop_arm(), [0.3, 0.5], duration=0.8, step=2e-3, events=[am.JointLimits()],
          parameters=1.3 * stop_arm().parameters, record=("q", "v", "reactions"))  # fmt: skip


def rows_are_single_runs(m, q0, v0=None, least=0.6, tolerance=1e-11, parameters=None, **options):
    v0 = np.zeros((len(q0), m.nv)) if v0 is None else v0
    given = {} if parameters is None else {"parameters": parameters}
    many = am.simulate(m, q0, v0, **given, **options)
    assert many.performance().native > least, many.performance()
    texts = []
    for row in range(len(q0)):
        own = {} if parameters is None else {"parameters": parameters[row]}
        one = am.simulate(m, q0[row], v0[row], **own, **options)
        texts += [f"run {row}: {text}" for _, text in one.events]
        for name in one.labels:
            size = 1.0 + np.abs(one[name]).max()
            found = many[name][:, row]
            np.testing.assert_allclose(found, one[name], atol=tolerance * size, rtol=0)
    assert sorted(texts) == sorted(text for _, text in many.events)
    return many


@pytest.mark.parametrize("method", METHODS)
def test_batches_of_trees(method):
    """Runs that rest, run free, and are lifted at the same time: each as if it were alone."""
    m, q0 = stop_arm(), np.array([[0.3, 0.5], [-0.5, 1.0], [0.39, -0.4], [0.2, 1.9], [0.0, 0.0]])
    push = np.array([-40.0, 0.0, -35.0, 0.0, 0.0])[:, None]
    shape = np.array([0, 0, 1.0, 1.0, 0, 0])[:, None, None]
    times = [0, 0.4, 0.4, 0.5, 0.5, 0.8]
    options = {"duration": 0.8, "step": 2e-3, "method": method, "events": [am.JointLimits()]}
    many = am.simulate(m, q0, inputs={"a": am.Schedule(times, shape * push)}, **options)
    assert many.performance().native > 0.6, many.performance()
    for row in range(len(q0)):
        own = {"a": am.Schedule(times, shape[:, 0, 0] * push[row, 0])}
        one = am.simulate(m, q0[row], inputs=own, **options)
        np.testing.assert_allclose(many.q[:, row], one.q, atol=1e-10)


def test_batches_of_closed_mechanisms_with_their_own_masses():
    m = press()
    q0 = np.array([m.assemble({"crank": x}).q for x in (0.5, 0.7, 0.1)])
    parameters = np.array([1.0, 1.4, 0.7])[:, None] * m.parameters
    rows_are_single_runs(m, q0, parameters=parameters, duration=0.6, step=2e-3,
                         inputs={"crank": 12.0}, events=[am.JointLimits()],
                         record=("q", "v", "a", "reactions"), tolerance=1e-9)  # fmt: skip


def test_batches_that_stick():
    b = am.Builder("dry")
    b.body("a", axis="z", mass=2.0, com=(0.1, -0.05, 0.2), inertia=(0.2, 0.3, 0.4),
           passive=am.Passive(coulomb=0.4, viscous=0.05))  # fmt: skip
    b.body("b", "a", "revolute", (0.1, 0.2, 0), axis="y", mass=1.0, com=(0.2, 0.1, 0),
           inertia=(0.1, 0.1, 0.2),
           passive=am.Passive(coulomb=0.3, static=0.5, stribeck=0.05))  # fmt: skip
    v0 = np.array([[0.5, 0.0], [0.0, 1.0], [2.0, -1.0], [0.0, 0.0]])
    many = rows_are_single_runs(b.build(), np.array([[0.0, 0.3 * k] for k in range(4)]), v0,
                                duration=1.0, step=2e-3, events=[am.StickSlip()],
                                inputs={"a": 0.2}, record=("q", "v", "a", "energy"))  # fmt: skip
    assert any("stops" in text for _, text in many.events)


def test_closed_mechanisms_that_stick():
    m = press(passive=am.Passive(coulomb=4.0))
    push = am.Schedule([0, 0.4, 0.4, 0.8], [0.0, 1.0, 25.0, 25.0])
    run = twice(m, {"crank": 0.2}, duration=0.8, step=1e-3, events=[am.StickSlip()],
                inputs={"crank": push}, record=("q", "v", "constraint_forces"))  # fmt: skip
    assert any("slips" in text for _, text in run.events)


def test_batches_of_which_some_have_switched():
    """Those that have gone on with another mechanism run natively beside the others."""
    free = am.example("double-pendulum")
    stiff = free.replace(bodies={"lower": {"passive": am.Passive(spring=30.0, viscous=1.0)}})
    q0 = np.array([[1.2, 0.6], [0.5, 0.1], [-0.4, 0.2], [0.05, 0.0]])
    switch = am.Switch(lambda t, q, v: q[0] - 0.3, "caught", -1, to=stiff)
    many = rows_are_single_runs(free, q0, duration=1.5, step=2e-3, events=[switch], least=0.8)
    assert len(many.events) == 3


def test_batches_with_samples_that_part():
    """A sampled controller beside runs that rest, run free and are over."""
    m = stop_arm()
    hold = am.PID(m, {"a": 0.6, "b": 0.3}, kp=20.0, ki=5.0, kd=3.0, period=4e-3)
    q0 = np.array([[0.3, 0.5], [-0.5, 1.0], [0.39, -0.4], [-0.9, 1.9]])
    far = am.Event(lambda t, q, v: q[1] - 1.2, "far", terminal=True, direction=-1)
    options = {"duration": 0.8, "step": 2e-3, "controller": hold, "record": ("q", "v", "tau")}
    many = am.simulate(m, q0, events=[am.JointLimits(), far], **options)
    assert many.performance().native > 0.6, many.performance()
    assert sum("comes to rest" in text for _, text in many.events) >= 2
    for row in range(3):
        one = am.simulate(m, q0[row], events=[am.JointLimits()], **options)
        for name in one.labels:
            np.testing.assert_allclose(many[name][:, row], one[name], atol=1e-9)


@pytest.mark.parametrize("rows", [1, 3])
def test_limits_on_forces_beside_joints_at_rest(rows):
    """The stop takes all of a torque that grows to 300 N m, and the loop none of it: a limit on the
    force of the pin is not met; a lower one is, at the instant of the run in Python."""
    m = press()
    q0 = np.tile(m.assemble({"crank": 0.79}).q, (rows, 1))
    q0 = q0[0] if rows == 1 else q0
    torque = am.Schedule([0.0, 0.1, 0.6], [5.0, 5.0, 300.0])
    options = {"duration": 0.6, "step": 2e-3, "inputs": {"crank": torque}}
    quiet = [am.JointLimits(), am.Limit("constraint_forces.pin.force", above=30.0)]
    run = am.simulate(m, q0, events=quiet, **options)
    assert run.complete and run.time[-1] == 0.6 and run.performance().native > 0.8
    loud = [am.JointLimits(), am.Limit("constraint_forces.pin.force", above=9.5, terminal=False)]
    fast, plain = (f(m, q0, events=loud, **options) for f in (am.simulate, in_python))
    assert len(plain.events) > rows
    for (t, text), (when, words) in zip(fast.events, plain.events, strict=True):
        assert text == words and abs(t - when) < 1e-9


def test_a_joint_at_rest_does_not_creep():
    """A closed mechanism whose other freedom swings for long: the coordinate stays, to rounding."""
    m = press()
    run = am.simulate(m, {"crank": 0.79}, duration=5.0, step=1e-3, inputs={"crank": 40.0},
                      events=[am.JointLimits()], every=50)  # fmt: skip
    after = run.time > 0.5
    assert np.ptp(run.q[after, 3]) > 0.1
    assert np.abs(run.q[after, 0] - 0.8).max() < 1e-12 and np.abs(run.v[after, 0]).max() < 1e-14


def test_limits_on_energies_of_runs_that_have_switched():
    """Each run has the energy of its own mechanism: a spring stores it again and again."""
    free = am.example("double-pendulum")
    stiff = free.replace(bodies={"lower": {"passive": am.Passive(spring=30.0, viscous=0.02)}})
    q0 = np.array([[0.9, 1.5], [0.05, 0.1], [0.5, -1.2]])
    switch = am.Switch(lambda t, q, v: q[0] - 0.3, "caught", -1, to=stiff)
    events = [switch, am.Limit("potential", above=-1.0, terminal=False)]
    many = rows_are_single_runs(free, q0, duration=0.8, step=2e-3, events=events)
    assert sum("potential above" in text for _, text in many.events) >= 4


def wind(t, q, v):
    """On the outer arm, more where it is turned."""
    push = 0.0 * np.multiply.outer(q[..., 0], np.ones(6))
    push[..., 3], push[..., 4] = 3.0 * np.sin(q[..., 1]), 5.0 * t
    return {"b": push}


@pytest.mark.parametrize("method", ["implicit", "rk4"])
def test_wrenches_of_the_state_beside_runs_that_part(method):
    q0 = np.array([[0.3, 0.5], [-0.9, 1.0], [0.39, -0.4]])
    options = {"duration": 0.3, "step": 2e-3, "method": method, "events": [am.JointLimits()]}
    many = am.simulate(stop_arm(), q0, external=wind, **options)
    assert sum("comes to rest" in text for _, text in many.events) == 2
    for row in range(3):
        one = am.simulate(stop_arm(), q0[row], external=wind, **options)
        np.testing.assert_allclose(many.q[:, row], one.q, atol=1e-9)


def test_all_groups_go_as_far_as_the_slowest(monkeypatch):
    """A loop that takes few steps at a time holds the others back, and nothing is lost."""
    m, q0 = stop_arm(), np.array([[0.3, 0.5], [-0.9, 1.0], [0.39, -0.4]])
    options = {"duration": 0.4, "step": 2e-3, "events": [am.JointLimits()], "every": 3}
    usual = am.simulate(m, q0, **options)
    advance = native.NativeLoop.advance

    def short(self, state, taken, steps, h, every):
        return advance(self, state, taken, min(steps, 2 + self.rows), h, every)

    monkeypatch.setattr(native.NativeLoop, "advance", short)
    np.testing.assert_array_equal(am.simulate(m, q0, **options).q, usual.q)


def test_pushes_of_limits():
    """Complementarity by hand: one alone; two that help each other; one that cannot move."""
    Y = np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 0.0], [0.0, 0.0, 0.0]])
    a = np.array([[-4.0, 1.0, -7.0], [-4.0, -7.0, 0.0], [4.0, 2.0, 1.0], [-4.0, 3.0, 0.0]])
    sides = np.ones((4, 3))
    sides[3, 1] = -1.0
    push = limit_pushes(np.tile(Y, (4, 1, 1)), a, sides)
    np.testing.assert_allclose(push[0], [2.0, 0.0, 0.0])  # and 1 + 2 > 0 leaves
    np.testing.assert_allclose(push[1], [1.0, 2.0, 0.0], atol=1e-12)
    np.testing.assert_array_equal(push[2], 0.0)
    np.testing.assert_allclose(push[3], [3.0, 2.0, 0.0], atol=1e-12)
