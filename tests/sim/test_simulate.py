"""Runs from start to end: conservation, inputs, controllers, events, batches, faults."""

import numpy as np
import pytest

import armillary as am
from armillary.errors import ArmillaryError, InputError, ModelError
from armillary.sim.loop.events import Event, JointLimits, Switch
from armillary.sim.loop.simulate import simulate
from armillary.sim.motion.schedules import Schedule
from sim.machines import damped_arm, flyer, start_of, top, undamped

CONSERVATIVE = {"top": top, "flyer": flyer, "double": lambda: am.example("double-pendulum")}


def pendulum(**options) -> am.Mechanism:
    b = am.Builder("pendulum")
    b.body("rod", joint="revolute", axis="y", mass=1.0, com=(0.0, 0.0, -0.5),
           inertia=(0.02, 0.02, 0.001), **options)  # fmt: skip
    return b.build()


def falling(limits: am.Limits, g: float = 10.0) -> am.Mechanism:
    """A mass that falls along z."""
    b = am.Builder("falling", (0.0, 0.0, -g))
    b.body("mass", joint="prismatic", axis="z", mass=2.0, limits=limits)
    return b.build()


# -- conservation --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CONSERVATIVE)
def test_energy_is_kept_to_the_order_of_the_method(name):
    mechanism = undamped(CONSERVATIVE[name]())
    q0, v0 = start_of(mechanism)
    errors = []
    for h in (0.008, 0.004):
        run = simulate(mechanism, q0, v0, 0.8, h, record=("q", "v", "energy"))
        errors.append(np.abs(run.energy - run.energy[0]).max())
    assert errors[1] < 1e-4
    assert np.log2(errors[0] / errors[1]) > 3.5  # RK4


def test_momentum_of_a_free_mechanism():
    mechanism = flyer().replace(gravity=(0.0, 0.0, 0.0))
    run = simulate(mechanism, *start_of(mechanism), 2.0, 0.005, record=("q", "v", "momentum"))
    linear = run.momentum[:, 3:]
    np.testing.assert_allclose(linear, np.tile(linear[0], (len(linear), 1)), atol=1e-8)


def test_quaternions_stay_unit():
    run = simulate(top(), *start_of(top()), 1.0, 0.01)
    np.testing.assert_allclose(np.linalg.norm(run.q[:, :4], axis=1), 1.0, rtol=0, atol=1e-15)


# -- the record ----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_grid_of_the_record(method):
    run = simulate(pendulum(), [0.3], [0.0], 1.05, 0.1, method, every=2)
    np.testing.assert_allclose(run.time, [0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.05], atol=1e-15)
    assert run.complete and not run.message


def test_accelerations_and_forces_of_the_record():
    arm = damped_arm()
    run = simulate(
        arm, *start_of(arm), 0.1, 0.01, inputs=[0.1, 0.2, 0.3], record=("q", "v", "a", "tau")
    )
    np.testing.assert_array_equal(run.tau, np.tile([0.1, 0.2, 0.3], (11, 1)))
    expected = arm.forward_dynamics(run.q, run.v, run.tau)
    np.testing.assert_allclose(run.a, expected, rtol=0, atol=1e-12)


# -- inputs --------------------------------------------------------------------------------------


def sliding() -> am.Mechanism:
    b = am.Builder("sliding", (0.0, 0.0, 0.0))
    b.body("mass", joint="prismatic", axis="x", mass=2.0)
    return b.build()


@pytest.mark.parametrize("method", ["heun", "rk4", "dopri5", "implicit"])
def test_jumps_of_a_schedule_cost_nothing(method):
    """A force ramps up to 0.37 s and breaks off there, between two steps: exact all the same."""
    force = Schedule([0.0, 0.37, 0.37, 1.0], [[0.0], [4.0], [0.0], [0.0]])
    run = simulate(
        sliding(), [0.0], [0.0], 1.0, 0.1, method, inputs={"mass": force}, tolerance=1e-9
    )
    v = 4.0 * 0.37 / 2 / 2.0
    assert run.v[-1, 0] == pytest.approx(v, rel=1e-12)
    x = 4.0 / 0.37 * 0.37**3 / 6 / 2.0 + v * 0.63
    assert run.q[-1, 0] == pytest.approx(x, rel=2e-2 if method == "heun" else 1e-11)


def test_schedule_that_holds():
    force = Schedule([0.0, 0.5], [2.0, -2.0], kind="hold", hold=True)
    run = simulate(sliding(), [0.0], [0.0], 1.0, 0.03, inputs={"mass": force})
    assert run.v[-1, 0] == pytest.approx(0.0, abs=1e-14)
    assert run.q[-1, 0] == pytest.approx(0.25, rel=1e-12)


def test_schedule_from_a_file(tmp_path):
    path = tmp_path / "forces.csv"
    path.write_text("# a remark\nt,mass\n0,0\n1,2\n")
    run = simulate(sliding(), [0.0], [0.0], 1.0, 0.1, inputs=Schedule.from_csv(path))
    assert run.v[-1, 0] == pytest.approx(0.5, rel=1e-12)


@pytest.mark.parametrize("data, text", [
    (b"t,mass,mass\n0,0,1\n1,2,3\n", "the column 'mass' is there twice"),
    (b"t\n0\n1\n", "no column beside the t"), (b"t,mass\n0,\xff\n", "no UTF-8 text"),
    (b"t,mass\n0," + b"1" * 200_000 + b"\n", "this is no CSV table"),
    (b't,"mass\n0,1\n', "this is no CSV table"), (None, "no such file"),
])  # fmt: skip
def test_tables_that_cannot_be(data, text, tmp_path):
    """Each was a raw error, or the last of two columns was taken."""
    path = tmp_path / "forces.csv"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(ArmillaryError, match=text):
        Schedule.from_csv(path)
    with pytest.raises(InputError, match="'mass' is there twice"):
        Schedule([0, 1], np.zeros((2, 2)), ["mass", "mass"])
    for name in (None, 3, "", tmp_path, "."):
        with pytest.raises(ArmillaryError):
            Schedule.from_csv(name)


def test_schedule_shorter_than_the_run():
    force = Schedule([0.0, 0.5], [1.0, 1.0])
    with pytest.raises(InputError, match=r"covers 0 to 0.5 s, the run goes from 0 to 1 s"):
        simulate(sliding(), duration=1.0, inputs={"mass": force})


@pytest.mark.parametrize(
    "inputs, text",
    [
        ({"mas": 1.0}, "mass"),
        ([1.0, 2.0], "expected 1 numbers"),
        ({"mass": lambda t: [1.0, 2.0]}, "gave shape"),
    ],
)
def test_wrong_inputs_are_named(inputs, text):
    with pytest.raises((InputError, ModelError), match=text):
        simulate(sliding(), duration=0.1, step=0.01, inputs=inputs)


def test_functions_of_time_and_wrenches():
    push = {"mass": lambda t: [0, 0, 0, np.cos(t), 0, 0]}
    run = simulate(sliding(), [0.0], [0.0], 1.0, 0.01, inputs=lambda t: [np.cos(t)], external=push)
    assert run.v[-1, 0] == pytest.approx(np.sin(1.0), abs=1e-10)
    table = Schedule([0.0, 1.0], np.array([[0, 0, 0, 2.0, 0, 0]] * 2))
    run = simulate(sliding(), [0.0], [0.0], 1.0, 0.01, external={"mass": table})
    assert run.v[-1, 0] == pytest.approx(1.0, abs=1e-12)


# -- controllers ---------------------------------------------------------------------------------


class Integral(am.Block):
    """A controller with one state: pulls back, and ever more."""

    states = ("sum",)
    period = None

    def start(self, mechanism, q=None, v=None):
        return [0.0]

    def force(self, t, q, v, z, u):
        return [u[0] - 40.0 * q[0] - 4.0 * v[0] - 30.0 * z[0]]

    def rate(self, t, q, v, z, u):
        return [q[0]]


def linear_end(t, force=3.0):
    """Mass, spring, damper, integral as one linear system, by its matrix exponential."""
    from scipy.linalg import expm

    A = np.zeros((4, 4))
    A[0, 1], A[2, 0] = 1.0, 1.0
    A[1] = np.array([-40.0, -4.0, -30.0, force]) / 2.0
    return (expm(A * t) @ [0.5, 0.0, 0.0, 1.0])[:2]


@pytest.mark.parametrize("method, bound", [("rk4", 1e-7), ("dopri5", 1e-8), ("implicit", 1e-5)])
def test_controller_with_a_state(method, bound):
    run = simulate(sliding(), [0.5], [0.0], 1.0, 0.01, method, controller=Integral(), inputs=[3.0],
                   tolerance=1e-10)  # fmt: skip
    np.testing.assert_allclose([run.q[-1, 0], run.v[-1, 0]], linear_end(1.0), atol=bound)
    assert run.state["z"].shape == (1,)


def test_function_as_a_controller_at_a_period():
    """f(t, q, v) is asked every 20 ms, and at no other time."""
    asked = []

    def f(t, q, v):
        asked.append(t)
        return [-10.0 * q[0]]

    simulate(sliding(), [0.5], [0.0], 0.1, 0.003, controller=f, period=0.02)
    np.testing.assert_allclose(asked, np.arange(6) * 0.02, atol=1e-12)


def test_sampled_force_is_held():
    """Deadbeat by hand: x'' = -k x_n between the samples, an exact recursion."""
    run = simulate(sliding(), [0.5], [0.0], 1.0, 0.05, controller=lambda t, q, v: -20.0 * q,
                   period=0.1)  # fmt: skip
    x, v = 0.5, 0.0
    for k in range(10):
        assert run.q[2 * k, 0] == pytest.approx(x, abs=1e-13)
        a = -10.0 * x
        x, v = x + 0.1 * v + 0.005 * a, v + 0.1 * a


def test_controller_that_raises():
    def f(t, q, v):
        if t > 0.5:
            raise RuntimeError("no signal")
        return [0.0]

    with pytest.raises(RuntimeError, match="no signal") as caught:
        simulate(sliding(), [0.0], [1.0], 1.0, 0.01, controller=f)
    run = caught.value.run
    assert not run.complete and "no signal" in run.message
    assert run.time[-1] == pytest.approx(0.5)
    assert "t = 0.5 s" in caught.value.__notes__[0]


# -- what ends a run early -----------------------------------------------------------------------


def test_not_a_number_names_time_and_joint():
    b = am.Builder("pair", (0.0, 0.0, 0.0))
    b.body("calm", joint="prismatic", axis="x", mass=1.0)
    b.body("wild", joint="prismatic", axis="y", mass=1e-3, passive=am.Passive(spring=1e9))
    run = simulate(b.build(), [0.0, 0.1], [1.0, 0.0], 100.0, 0.01)
    assert not run.complete
    assert "not a number at t =" in run.message and "'wild'" in run.message
    assert len(run) > 2 and np.isfinite(run.q).all()
    assert f"{run.time[-1] + 0.01:.6g} s" in run.message


def test_interrupt_keeps_the_run():
    count = iter(range(10**6))

    def f(t, q, v):
        if next(count) > 200:
            raise KeyboardInterrupt
        return [0.0]

    run = simulate(sliding(), [0.0], [1.0], 10.0, 0.01, controller=f)
    assert not run.complete and run.message.startswith("interrupted at t = 0.5 s")
    assert run.time[-1] == pytest.approx(0.5)


def test_progress_is_told():
    told = []
    simulate(sliding(), duration=0.1, step=0.01, progress=lambda t, end: told.append((t, end)))
    assert told[-1] == pytest.approx((0.1, 0.1))


# -- the start -----------------------------------------------------------------------------------


def test_inconsistent_velocities_are_projected_with_a_remark():
    four = am.example("four-bar")
    run = simulate(four, v0=[1.0, 0.0, 0.0], duration=0.01, record=("q", "v", "drift"),
                   project_start=True)  # fmt: skip
    assert run.complete
    assert any("v0 was not consistent" in text for _, text in run.events)
    assert np.abs(four.constraint_rate(run.q[0], run.v[0])).max() < 1e-12
    np.testing.assert_allclose(run.v[0], four.project(four.initial, [1.0, 0.0, 0.0])[1], atol=1e-12)


def test_inconsistent_velocities_are_refused_without_projection():
    four = am.example("four-bar")
    with pytest.raises(InputError, match=r"v0: the constraints do not allow it.*project"):
        simulate(four, v0=[1.0, 0.0, 0.0], duration=0.01, project=False)
    with pytest.raises(InputError, match=r"open by .*assemble"):
        simulate(four, [1.0, 1.0, 1.0], duration=0.01)


@pytest.mark.parametrize(
    "options, text",
    [
        ({"method": "rk5"}, "expected one of"),
        ({"duration": -1.0}, "duration"),
        ({"step": 0.0}, "step"),
        ({"q0": [1.0, 2.0]}, "q0: expected 1 numbers"),
        ({"v0": [np.nan]}, "'mass' is not a finite"),
        ({"every": 0}, "every"),
        ({"record": ("q", "energi")}, "energy"),
        ({"controller": 3}, "controller: expected"),
        ({"events": [3]}, "events: expected"),
        ({"external": {"hand": [0.0] * 6}}, "hand"),
    ],
)
def test_wrong_arguments_are_named(options, text):
    with pytest.raises((InputError, ModelError), match=text):
        simulate(sliding(), **{"duration": 0.1, "step": 0.01, **options})


# -- events --------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_events_are_located(method):
    """A mass falls from 1 m: it passes 0.3 m after sqrt(2 · 0.7 / g)."""
    run = simulate(falling(am.Limits()), [1.0], [0.0], 0.6, 0.05, method,
                   events=[Event(lambda t, q, v: q[0] - 0.3, "passes", -1)])  # fmt: skip
    ((t, text),) = run.events
    assert text == "passes" and t == pytest.approx(np.sqrt(0.14), abs=1e-13)
    assert run.q[-1, 0] == pytest.approx(1.0 - 5.0 * 0.36, abs=1e-12)


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_terminal_event(method):
    event = Event(lambda t, q, v: q[0], "ground", terminal=True)
    run = simulate(falling(am.Limits()), [1.0], [0.0], 2.0, 0.05, method, events=event)
    assert run.complete and "ground" in run.message
    assert run.time[-1] == pytest.approx(np.sqrt(0.2), abs=1e-12)
    assert run.q[-1, 0] == pytest.approx(0.0, abs=1e-12)


def test_action_of_an_event():
    event = Event(lambda t, q, v: q[0], "throw", -1, action=lambda t, q, v: (q, v + 5.0))
    run = simulate(falling(am.Limits()), [1.0], [0.0], 0.5, 0.05, events=[event])
    t = np.sqrt(0.2)
    v = -10.0 * t + 5.0
    rest = 0.5 - t
    assert run.q[-1, 0] == pytest.approx(v * rest - 5 * rest**2, abs=1e-12)


@pytest.mark.parametrize("method", ["rk4", "dopri5", "semi-implicit"])
def test_bounces(method):
    """Restitution 0.8: flights of sqrt(2h/g) (1, 2·0.8, 2·0.64, ...)."""
    mechanism = falling(am.Limits(lower=0.0))
    run = simulate(mechanism, [1.0], [0.0], 2.0, 0.01, method, events=JointLimits(0.8))
    first = np.sqrt(0.2)
    times = first * (1.0 + 2.0 * np.cumsum([0.0, 0.8, 0.64]))
    bound = 8e-2 if method == "semi-implicit" else 1e-12
    np.testing.assert_allclose([t for t, _ in run.events[:3]], times[times < 2.0][:3], atol=bound)
    assert run.q.min() > -1e-12


@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_rest_at_a_limit_and_lift_off(restitution):
    """The mass comes to rest on the ground; a force that grows lifts it off when it is as large
    as the weight."""
    mechanism = falling(am.Limits(lower=0.0))
    force = Schedule([0.0, 3.0, 4.0, 5.0], [0.0, 0.0, 40.0, 40.0])
    run = simulate(mechanism, [1.0], [0.0], 5.0, 0.01, events=JointLimits(restitution),
                   inputs={"mass": force})  # fmt: skip
    assert any("comes to rest" in text for _, text in run.events)
    still = (run.time > 2.0) & (run.time < 3.45)
    assert np.abs(run.q[still]).max() < 1e-9
    # from 3.5 s on: a = 20 (t - 3.5) for 0.5 s, then 10 for 1 s
    x, v = 20.0 * 0.125 / 6, 10.0 * 0.25
    assert run.q[-1, 0] == pytest.approx(x + v + 5.0, rel=2e-3)


def test_bounce_of_a_closed_chain_keeps_it_closed():
    four = am.example("four-bar")
    q0, v0 = four.project(four.initial, [4.0, 0.0, 0.0])
    rocker = float(q0[2])
    model = four.model
    from dataclasses import replace

    k = four.v_labels.index("rocker")
    body = model.bodies[k]
    bounded = replace(
        body, joint=replace(body.joint, limits=(am.Limits(lower=rocker - 0.2, upper=rocker + 0.2),))
    )
    bodies = tuple(bounded if b is body else b for b in model.bodies)
    four = am.Mechanism(replace(model, bodies=bodies))
    run = simulate(four, q0, v0, 0.5, 1e-3, events=JointLimits(1.0), record=("q", "v", "drift"))
    assert run.events and run.complete
    assert np.abs(run.q[:, k] - rocker).max() < 0.2 + 1e-9
    assert np.abs(run.drift).max() < 1e-11
    assert np.abs(four.constraint_rate(run.q, run.v)).max() < 1e-10


def test_switch_to_another_mechanism():
    """A free four-bar whose pin opens: the tree goes on, with the velocities it had."""
    four = am.example("four-bar")
    event = Switch(lambda t, q, v: t - 0.1234, "pin breaks", to=four.tree)
    run = simulate(four, duration=0.3, step=1e-3, events=[event])
    assert run.events[0][0] == pytest.approx(0.1234, abs=1e-12)
    closed = np.array([np.abs(four.constraint_residual(q)).max() for q in run.q])
    assert closed[run.time < 0.123].max() < 1e-12 and closed[-1] > 1e-2
    back = Switch(lambda t, q, v: t - 0.05, "pin closes", to=four)
    q, v = run.q[100], run.v[100] + [0.0, 0.0, 1.0]
    run = simulate(four.tree, q, v, 0.051, 1e-3, events=[back])
    assert not run.complete or np.abs(four.constraint_residual(run.q[-1])).max() < 1e-10


def test_other_tree_is_refused():
    with pytest.raises(InputError, match="another tree"):
        simulate(sliding(), events=[Switch(lambda t, q, v: t, to=pendulum())])


# -- batches -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "method", ["rk4", "semi-implicit", "implicit", "exponential", "variational"]
)
@pytest.mark.parametrize("make", [damped_arm, top, lambda: am.example("four-bar")])
def test_batch_equals_singles(make, method):
    mechanism = make()
    rng = np.random.default_rng(5)
    q0, v0 = start_of(mechanism)
    q = np.array([mechanism.integrate(q0, 0.05 * rng.normal(size=mechanism.nv)) for _ in range(3)])
    v = np.array([v0 + 0.1 * rng.normal(size=mechanism.nv) for _ in range(3)])
    if mechanism.constraints:
        q, v = mechanism.project(q, v)
    inputs = 0.1 * rng.normal(size=(3, mechanism.nv))
    together = simulate(mechanism, q, v, 0.05, 0.005, method, inputs=inputs)
    assert together.q.shape == (11, 3, mechanism.nq)
    for k in range(3):
        alone = simulate(mechanism, q[k], v[k], 0.05, 0.005, method, inputs=inputs[k])
        np.testing.assert_allclose(together.q[:, k], alone.q, rtol=0, atol=1e-11)
        np.testing.assert_allclose(together.v[:, k], alone.v, rtol=0, atol=1e-10)


def test_batch_with_controllers_and_bounces():
    mechanism = falling(am.Limits(lower=0.0))
    heights = np.array([[0.5], [1.0], [3.0]])

    def drag(t, q, v):
        return -0.3 * v

    together = simulate(mechanism, heights, duration=1.0, step=0.01, controller=drag,
                        events=JointLimits(0.7))  # fmt: skip
    assert {text.split(":")[0] for _, text in together.events} == {"run 0", "run 1", "run 2"}
    for k in range(3):
        alone = simulate(mechanism, heights[k], duration=1.0, step=0.01, controller=drag,
                         events=JointLimits(0.7))  # fmt: skip
        np.testing.assert_allclose(together.q[:, k], alone.q, rtol=0, atol=1e-12)


def test_one_run_of_a_batch_may_blow_up():
    b = am.Builder("spring", (0.0, 0.0, 0.0))
    b.body("mass", joint="prismatic", axis="x", mass=1.0,
           passive=am.Passive(law=lambda x, v: x * x * x))  # fmt: skip
    run = simulate(b.build(), [[0.1], [1e9], [0.2]], duration=1.0, step=0.1)
    assert not run.complete and "1 runs ended" in run.message and ": 1" in run.message
    assert np.isfinite(run.q[:, [0, 2]]).all()
    assert any(text.startswith("run 1: not a number") for _, text in run.events)


def test_batches_of_different_lengths_are_refused():
    with pytest.raises(InputError, match="q0: 2, v0: 3"):
        simulate(sliding(), np.zeros((2, 1)), np.zeros((3, 1)))


# -- to disk and on ------------------------------------------------------------------------------


def test_resume(tmp_path):
    pytest.importorskip("h5netcdf")
    arm = damped_arm()
    start = start_of(arm)
    whole = simulate(arm, *start, 0.4, 0.01)
    path = tmp_path / "run.nc"
    simulate(arm, *start, 0.2, 0.01, out=path)
    run = simulate(arm, *start, 0.4, 0.01, out=path, resume=True)
    np.testing.assert_allclose(run.time, whole.time, rtol=0, atol=1e-14)
    np.testing.assert_allclose(run.q, whole.q, rtol=0, atol=1e-13)
