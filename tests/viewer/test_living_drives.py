"""What drives a living page and what stops it: its loop in Node against `simulate`."""

import inspect
from pathlib import Path

import numpy as np
import pytest
from living_node import STEP, carried, in_node

import armillary as am
from armillary.errors import InputError
from armillary.sim.loop.simulate import simulate
from armillary.viewer.experiment import NEEDLESS, REFUSED
from armillary.viewer.living import page_mechanism


def pendulum(low=-0.4, high=0.5):
    """Two links with limits, full tensors, offset centres."""
    b = am.Builder("stops")
    solid = {"mass": 1.0, "com": (0.1, 0.05, -0.3), "inertia": (0.05, 0.06, 0.02)}
    first = am.Limits(low, high)
    b.body("upper", joint="revolute", axis="y", limits=first, **solid)
    second = am.Limits(-0.3, 0.7)
    b.body("lower", "upper", "revolute", axis="y", at=(0, 0, -0.5), limits=second, **solid)
    return b.build()


def same(found, run, atol=1e-10):
    assert found["fault"] == "" and found["stop"] == "", found
    np.testing.assert_allclose(found["q"], run.q[-1], rtol=0, atol=atol)
    scale = max(1.0, abs(run.v).max())
    np.testing.assert_allclose(found["v"], run.v[-1], rtol=0, atol=100 * atol * scale)


@pytest.mark.parametrize("restitution", [0.0, 0.6, 1.0])
def test_limits_stop_joints_as_in_simulate(restitution, tmp_path):
    """Bounces and rests of both joints; at the end both hang at their stops or still bounce."""
    mechanism, q0, v0 = pendulum(), [0.4, -0.2], [3.0, -5.0]
    limits = am.JointLimits(restitution)
    data = carried(mechanism, q0, v0, events=limits)
    assert len(data["limits"]) == 4
    found = in_node(tmp_path, data, 2500)
    run = am.simulate(mechanism, q0, v0, 2.5, STEP, events=limits)
    said = [text for _, text in run.events]
    assert len(said) >= 2 and len(found["notes"]) == len(said)
    assert all(ours in theirs for ours, theirs in zip(found["notes"], said, strict=True))
    same(found, run, 1e-9)


def test_a_joint_that_is_pressed_against_its_stop_stays_there(tmp_path):
    """Gravity holds the upper link at its limit while the lower one swings; a torque that changes
    with time acts within the steps of the bounces too."""
    mechanism, q0 = pendulum(0.3, 1.5), [0.5, 0.6]
    shake = am.FeedForward(lambda t: [0.0, 3.0 * np.sin(40.0 * t)])
    for restitution, options in ((0.0, {}), (0.5, {"controller": shake})):
        limits = am.JointLimits(restitution)
        found = in_node(tmp_path, carried(mechanism, q0, events=limits, **options), 1200)
        run = am.simulate(mechanism, q0, None, 1.2, STEP, events=limits, **options)
        assert any("comes to rest" in text for _, text in run.events)
        assert run.q[:, 0].min() > 0.3 - 1e-9
        if not options:
            assert abs(run.q[800:, 0] - 0.3).max() < 1e-9 < abs(run.v[800:, 1]).max()
        same(found, run, 1e-9)


@pytest.mark.parametrize("restitution", [0.0, 0.4])
def test_an_impact_does_not_push_a_joint_through_the_stop_it_rests_at(restitution, tmp_path):
    """The upper link rests at its lower stop when the lower one hits its own and would push it
    through; a third link feels what the resting stop gives."""
    solid = {"mass": 1.0, "com": (0.1, 0.05, -0.3), "inertia": (0.05, 0.06, 0.02)}
    b = am.Builder("stops")
    b.body("upper", joint="revolute", axis="y", limits=am.Limits(0.3, 1.5), **solid)
    low = am.Limits(-0.3, 0.7)
    b.body("lower", "upper", "revolute", axis="y", at=(0, 0, -0.5), limits=low, **solid)
    b.body("free", "lower", "revolute", axis="y", at=(0, 0, -0.4), **solid)
    mechanism, q0, v0 = b.build(), [0.32, 0.6, 0.5], [-1.0, -4.0, 1.0]
    options = {"events": am.JointLimits(restitution), "inputs": {"upper": -30.0}}
    found = in_node(tmp_path, carried(mechanism, q0, v0, **options), 400)
    run = am.simulate(mechanism, q0, v0, 0.4, STEP, **options)
    said = [text for _, text in run.events]
    hit = next(k for k, text in enumerate(said) if "'lower'" in text and "lower limit" in text)
    assert any("'upper' comes to rest" in text for text in said[:hit])
    assert run.q[:, 0].min() > 0.3 - 1e-9
    same(found, run, 1e-9)


def test_a_closed_mechanism_rests_at_a_stop(tmp_path):
    b = am.Builder("scissors")
    rod = {"mass": 1.0, "com": (0.25, 0, 0), "inertia": (0.01, 0.02, 0.03)}
    b.body("crank", joint="revolute", axis="y", limits=am.Limits(-0.2, 3.0), **rod)
    b.body("coupler", "crank", "revolute", axis="y", at=(0.5, 0, 0), **rod)
    b.body("rocker", joint="revolute", axis="y", at=(0.8, 0, 0), **rod)
    b.frame("coupler end", "coupler", at=(0.9, 0, 0))
    b.frame("rocker end", "rocker", at=(0.6, 0, 0))
    b.loop("pin", "coupler end", "rocker end", "revolute", axis="y")
    mechanism = b.build()
    q0 = mechanism.assemble([0.5, 0.3, 1.2]).q
    limits = am.JointLimits(0.3, joints="crank")
    data = carried(mechanism, q0, events=limits)
    found = in_node(tmp_path, data, 2000)
    run = am.simulate(mechanism, q0, None, 2.0, STEP, events=limits)
    assert run.events
    same(found, run, 1e-9)


def test_events_note_act_and_end(tmp_path):
    arm = am.example("double-pendulum")
    kicked = am.Event(
        lambda t, q, v: q[0] - 0.2, "kick", -1, action=lambda t, q, v: (q, v + np.array([0.0, 2.0]))
    )
    passed = am.Event(lambda t, q, v: np.sin(q[1]) - 0.5, "passed")
    q0 = np.full(arm.nq, 1.0)
    events = [kicked, passed]
    found = in_node(tmp_path, carried(arm, q0, events=events), 1500)
    run = am.simulate(arm, q0, None, 1.5, STEP, events=events)
    assert [text for _, text in run.events] == found["notes"] and "kick" in found["notes"]
    same(found, run, 1e-9)
    over = am.Event(lambda t, q, v: t - 0.75, "over", terminal=True)
    found = in_node(tmp_path, carried(arm, q0, events=over), 1500)
    assert found["stop"].startswith("Ended by 'over' at t = 0.750")


DRIVES = {
    "sampled": lambda m: {"controller": am.PID(m, [0.3, -0.2], 20.0, 5.0, 2.0, period=0.008)},
    "period": lambda m: {"controller": am.ComputedTorque(m, [0.3, 0.1], 20.0, 5.0), "period": 0.01},
    "inputs": lambda m: {"inputs": {m.v_labels[1]: 1.5}},
    "inputs over time": lambda m: {
        "inputs": {m.v_labels[0]: 0.5, m.v_labels[1]: lambda t: 2.0 * np.sin(9.0 * t) + t}
    },
    "all inputs": lambda m: {"inputs": lambda t: [np.cos(3.0 * t), -t]},
    "table": lambda m: {
        "inputs": am.Schedule(
            [0.05, 0.1, 0.1, 0.22], [[1, 2], [3, -2], [-9, 5], [4, 4.0]], m.v_labels, hold=True
        )
    },
    "steps": lambda m: {
        "inputs": {
            m.v_labels[0]: am.Schedule([0.0, 0.083, 0.2], [4, -6, 9.0], kind="hold", hold=True)
        },
        "controller": am.PID(m, [0.3, -0.2], 20.0, 0.0, 2.0),
        "beside": True,
    },
    "loads": lambda m: {"external": {m.bodies[1]: [0.1, 0.5, -0.3, 2.0, 1.0, -3.0]}},
    "function": lambda m: {
        "controller": lambda t, q, v: -np.array([[9.0, 1.0], [1.0, 6.0]]) @ (q - np.sin(t)) - v
    },
    "moving target": lambda m: {
        "controller": am.PID(
            m, am.trajectories.quintic(m.initial, m.initial + 0.4, 0.25), 20.0, 0.0, 2.0
        )
    },
    "feed forward": lambda m: {"controller": am.FeedForward(lambda t: [2.0 * t, 1.0])},
    "place": lambda m: {
        "controller": am.OperationalSpace(m, m.bodies[1], [0.2, 0.0, 0.3], 20.0, 9.0, rows=["x"])
    },
    "gravity": lambda m: {"controller": [am.GravityCompensation(m), am.PID(m, [0.1, 0.2], 5.0)]},
    "encoder": lambda m: {
        "controller": [
            am.Encoder(m, 0.002, resolution=1e-3, noise=1e-3, delay=1),
            am.PID(m, [0.3, -0.2], 20.0, 0.0, 2.0, period=0.002),
        ]
    },
    "flexible": lambda m: {
        "actuators": am.FlexibleTransmission(m, m.v_labels[0], stiffness=80.0, inertia=0.5),
        "controller": am.PID(m, [0.3, -0.2], 20.0, 0.0, 2.0),
    },
    "motors": lambda m: {
        "controller": am.PID(m, [0.3, -0.2], 20.0, 0.0, 2.0),
        "actuators": am.DCMotor(m, motors={n: am.Motor(1.2, 0.9, 5.0) for n in m.v_labels}),
    },
}


@pytest.mark.parametrize("name", DRIVES)
def test_drives_are_those_of_simulate(name, tmp_path):
    mechanism = am.example("two-link")
    options = DRIVES[name](mechanism)
    found = in_node(tmp_path, carried(mechanism, **options), 400)
    run = am.simulate(mechanism, None, None, 0.4, STEP, **options)
    free = am.simulate(mechanism, None, None, 0.4, STEP)
    assert abs(run.q[-1] - free.q[-1]).max() > 1e-3
    same(found, run)


PRESCRIBED = {
    "speed": lambda t: 0.4 + 2.0 * t,  # its rates are differences
    "rates": lambda t: (0.4 + np.sin(t), np.cos(t), -np.sin(t)),
    "still": 0.4,
}


@pytest.mark.parametrize("law", PRESCRIBED)
@pytest.mark.parametrize("name", ["four-bar", "two-link"])
def test_prescribed_motion_is_that_of_simulate(name, law, tmp_path):
    mechanism = am.example(name)
    options = {"prescribed": {mechanism.v_labels[0]: PRESCRIBED[law]}}
    start = {"q": mechanism.initial.copy()}
    if name == "four-bar":
        start["q"] = mechanism.assemble(
            {mechanism.q_labels[0]: 0.4}, hold=[mechanism.q_labels[0]]
        ).q
    start["q"][0] = 0.4
    q0 = start["q"]
    v0 = {mechanism.v_labels[0]: {"speed": 2.0, "rates": 1.0, "still": 0.0}[law]}
    data = carried(mechanism, q0, v0, **options)
    found = in_node(tmp_path, data, 600)
    run = am.simulate(mechanism, q0, v0, 0.6, STEP, **options)
    same(found, run, 1e-9)
    wanted = PRESCRIBED[law](0.6) if callable(PRESCRIBED[law]) else 0.4
    assert found["q"][0] == pytest.approx(np.ravel(wanted)[0], abs=1e-9)


def motorised():
    b = am.Builder("cart")
    motor = am.Motor(resistance=1.2, torque_constant=0.3, gear=5.0, voltage_limit=24.0)
    solid = {"mass": 1.0, "com": (0.1, 0, 0.2), "inertia": (0.1, 0.1, 0.1)}
    b.body("wheel", joint="revolute", axis="x", motor=motor, **solid)
    return b.build()


def test_voltages_get_sliders(tmp_path):
    mechanism = motorised()
    data = carried(mechanism, voltages={"wheel": 6.0})
    [slider] = data["sliders"]
    assert (slider["kind"], slider["unit"], slider["value"]) == ("voltage", "V", 6.0)
    assert (slider["least"], slider["greatest"]) == (-24.0, 24.0)
    same(
        in_node(tmp_path, data, 300), am.simulate(mechanism, duration=0.3, voltages={"wheel": 6.0})
    )
    moved = am.simulate(mechanism, duration=0.3, voltages={"wheel": -3.0})
    same(in_node(tmp_path, data, 300, [-3.0]), moved)


def test_sliders_of_forces_move_them(tmp_path):
    mechanism = am.example("two-link")
    name = mechanism.v_labels[0]
    data = carried(mechanism, inputs={name: 0.0})
    assert data["sliders"][0]["kind"] == "force" and data["sliders"][0]["unit"] == "N m"
    found = in_node(tmp_path, data, 300, [2.0])
    same(found, am.simulate(mechanism, duration=0.3, inputs={name: 2.0}))


def test_a_frame_is_led_by_sliders(tmp_path):
    mechanism = am.example("two-link")

    def held(x):
        return am.OperationalSpace(mechanism, mechanism.bodies[1], [x, 0, 0], 20.0, 9.0, rows=["x"])

    data = carried(mechanism, controller=held(0.2))
    assert [s["label"] for s in data["sliders"]] == [f"{mechanism.bodies[1]} {a}" for a in "xyz"]
    found = in_node(tmp_path, data, 300, [0.3])
    same(found, am.simulate(mechanism, duration=0.3, controller=held(0.3)))


def test_functions_with_chance_or_memory_are_refused(tmp_path):
    arm, rng = am.example("two-link"), np.random.default_rng(1)
    calls = []

    def remembers(t, q, v):
        calls.append(t)
        return [0.1 * len(calls), 0.0]

    for function in (lambda t, q, v: rng.normal(size=2), remembers):
        with pytest.raises(InputError, match="the same forces for the same state"):
            arm.page(tmp_path / "no.html", controller=function)


def test_what_drives_no_page(tmp_path):
    arm, file = am.example("double-pendulum"), tmp_path / "no.html"
    first = arm.v_labels[0]
    table = am.Schedule([0.0, 1.0], [0.0, 1.0], hold=True)
    motor = am.DCMotor(arm, {name: am.Motor(1.0, 0.1) for name in arm.v_labels})
    for options, match in (
        ({"inputs": {first: am.Schedule([0, 1], [0, 1])}}, f"'{first}' by a table that ends at 1"),
        ({"inputs": {first: am.Schedule([0, 0.0105], [0, 1], hold=True)}}, "row at 0.0105 s"),
        ({"inputs": {first: am.Schedule([0, 1, 2], [0, 1, 0], kind="spline")}}, "spline"),
        ({"inputs": {first: am.Schedule(np.arange(501), np.zeros(501), hold=True)}}, "501 rows"),
        ({"inputs": {first: lambda t: 0.0 if t < 1.0 else t}}, "inputs over time"),
        ({"inputs": {first: lambda t: np.random.default_rng().normal()}}, "not the same"),
        ({"actuators": motor, "voltages": {first: np.sin}}, "voltages over time"),
        ({"external": {arm.bodies[0]: lambda t: [t] * 6}}, "external wrenches over time"),
        ({"external": lambda t, q, v: {}}, "external wrenches over time"),
        ({"prescribed": {first: table}}, "by a table or a trajectory"),
        ({"prescribed": {first: lambda t: 0.0 if t < 1.0 else t}}, "prescribed motion"),
        ({"controller": am.IMU(arm, arm.bodies[1], 0.01)}, "controllers over scalars"),
        ({"controller": am.ForceTorque(arm, arm.v_labels[1], 0.01)}, "controllers over scalars"),
        ({"events": am.StickSlip()}, "StickSlip"),
        ({"events": am.Switch(lambda t, q, v: q[0], to=arm)}, "Switch"),
        ({"events": am.Event(lambda t, q, v: 1.0 if q[0] > 0 else -1.0, "branch")}, "'branch'"),
    ):
        with pytest.raises(InputError, match=match):
            arm.page(file, **options)
    with pytest.raises(InputError, match="beyond its upper limit"):
        pendulum().page(file, [0.9, 0.0], events=am.JointLimits())
    assert not file.exists()


def test_every_argument_of_simulate_has_its_place():
    """It is one of a page, or refused by name, or says how a run is kept."""
    asked = set(inspect.signature(simulate).parameters) - {"mechanism"}
    taken = set(inspect.signature(page_mechanism).parameters) & asked - set(NEEDLESS)
    assert asked == taken | set(REFUSED) | set(NEEDLESS)
    assert not taken & set(REFUSED)
    docs = Path(__file__).parents[2] / "docs" / "pages.md"
    table = docs.read_text(encoding="utf-8").split("| `simulate` takes | a page |")[1]
    rows = table.split("\n\n")[0].splitlines()
    for name in taken:
        assert any(f"`{name}`" in row.split("|")[1] for row in rows[2:]), name
    assert all(f"`{name}`" in rows[-1] for name in REFUSED) and "refused" in rows[-1]


def test_the_page_of_a_run_is_its_experiment(tmp_path):
    """The same data as the page that is written with the same arguments."""
    mechanism = am.example("two-link")
    options = {
        "controller": am.PID(mechanism, [0.3, -0.2], 20.0, 0.0, 2.0, period=0.005),
        "events": am.JointLimits(0.2)
        if any(b.joint.limits for b in mechanism.model.bodies)
        else (),
        "external": {mechanism.bodies[1]: [0, 0, 0, 0, 0, -1.0]},
    }
    q0, v0 = [0.1, 0.2], [0.0, 0.3]
    run = am.simulate(mechanism, q0, v0, 0.1, 5e-4, "heun", record=("q", "energy"), **options)
    written = run.page(tmp_path / "run.html")
    asked = mechanism.page(tmp_path / "asked.html", q0, v0, method="heun", step=5e-4, **options)
    assert written.read_bytes() == asked.read_bytes()
    other = run.page(tmp_path / "other.html", method="rk4", step=1e-3)
    assert '"step":0.001' in other.read_text(encoding="utf-8")


def test_runs_that_know_no_experiment_or_another_one(tmp_path):
    mechanism = am.example("two-link")
    file = tmp_path / "no.html"
    run = am.simulate(mechanism, duration=0.05)
    run.save(tmp_path / "run.nc")
    with pytest.raises(InputError, match="read from a file"):
        am.load_run(tmp_path / "run.nc").page(file)
    with pytest.raises(InputError, match="batch of 3"):
        am.simulate(mechanism, np.zeros((3, 2)), duration=0.05).page(file)
    with pytest.raises(InputError, match=r"t0=1.0 asks for another start"):
        am.simulate(mechanism, duration=0.05, t0=1.0).page(file)
    with pytest.raises(InputError, match="parameters="):
        am.simulate(mechanism, duration=0.05, parameters=mechanism.parameters).page(file)
    adaptive = am.simulate(mechanism, duration=0.05, method="dopri5")
    with pytest.raises(InputError, match="method: a page steps with"):
        adaptive.page(file)
    assert adaptive.page(file, method="rk4").exists()


def test_a_page_says_that_dry_friction_does_not_stick(tmp_path):
    """It computes what the library does without sticking, and the same page without friction has
    nothing to say."""
    for coulomb, said in ((0.5, 2), (0.0, 0)):
        b = am.Builder("block", gravity=(0, 0, 0))
        b.body("block", joint="prismatic", axis="x", mass=1.0, passive=am.Passive(coulomb=coulomb))
        m = b.build()
        run = am.simulate(m, v0=[0.3], duration=0.1)
        pages = [m.page(tmp_path / f"own{said}.html"), run.page(tmp_path / f"run{said}.html")]
        words = "Dry friction of 'block' does not stick here"
        assert sum(words in page.read_text(encoding="utf-8") for page in pages) == said
