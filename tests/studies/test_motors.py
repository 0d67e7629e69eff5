"""Motors of the model as factors: numbers of compiled code, and each variant what it is alone."""

import numpy as np
import pytest

import armillary as am


def geared_arm():
    """Two motors: one with inductance, limits and a lossy gear, one without; both with rotors."""
    quick = am.Motor(
        resistance=1.1, torque_constant=0.07, gear=30.0, inductance=2e-3, voltage_limit=20.0,
        current_limit=6.0, efficiency=0.8,
    )  # fmt: skip
    plain = am.Motor(resistance=2.0, torque_constant=0.05, gear=-20.0)
    return am.example("double-pendulum").replace(
        bodies={
            "upper": {"motor": quick, "rotor": am.Rotor(3e-5, 30.0)},
            "lower": {"motor": plain, "rotor": am.Rotor(1e-5, 20.0)},
        }
    )


FACTORS = {
    "motors.shoulder.resistance": {"uniform": [0.8, 2.0]},
    "motors.shoulder.torque_constant": {"uniform": [0.05, 0.09]},
    "motors.shoulder.gear": {"uniform": [20.0, 60.0]},
    "motors.shoulder.inductance": {"loguniform": [1e-3, 1e-2]},
    "motors.shoulder.voltage_limit": {"uniform": [4.0, 24.0]},
    "motors.shoulder.current_limit": {"uniform": [1.0, 9.0]},
    "motors.shoulder.efficiency": {"uniform": [0.6, 1.0]},
    "motors.elbow.gear": {"uniform": [-40.0, -10.0]},
    "motors.elbow.torque_constant": {"uniform": [0.03, 0.08]},
    "joints.elbow.rotor": {"uniform": [1e-5, 1e-4]},
    "bodies.lower.mass": {"uniform": [0.5, 2.0]},
}
RESPONSES = {
    "end": "end q.elbow", "swing": "max |v.shoulder|", "most": "max current.shoulder",
    "power": "max electrical_power.elbow", "check": "check",
}  # fmt: skip
FEEDS = {
    "voltages": {"voltages": {"shoulder": 12.0, "elbow": 3.0}},
    "a block": {"actuators": "motors", "voltages": {"shoulder": 12.0, "elbow": 3.0}},
    "forces": {"controller": "pid", "actuators": "force"},
    "currents": {"controller": "soft", "actuators": "current"},
}


def driven(feed, arm=None, duration=0.1):
    arm = arm or geared_arm()
    made = {
        "motors": lambda: am.DCMotor(arm, smoothing=0.01),
        "force": lambda: am.DCMotor(arm, command="force", smoothing=0.01),
        "current": lambda: am.DCMotor(arm, command="current", bandwidth=500.0, steady_start=True),
        "pid": lambda: am.PID(arm, {"shoulder": 0.8, "elbow": 0.3}, kp=30.0, kd=2.0),
        "soft": lambda: am.PID(arm, {"shoulder": 0.8, "elbow": 0.3}, kp=2.0, kd=0.1),
    }
    given = {
        k: made[x]() if k in ("controller", "actuators") else x for k, x in FEEDS[feed].items()
    }
    return am.Experiment(arm, {"duration": duration, "step": 5e-4, "method": "rk4", **given})


@pytest.mark.parametrize("feed", FEEDS)
def test_each_variant_is_the_run_with_that_motor(feed):
    """The model is built with the numbers of the row, and simulated alone."""
    study = am.study(driven(feed), FACTORS, RESPONSES, samples=12, seed=3)
    assert study.grouped == {} and not any(study.failed)
    assert study["check"].max() < 1e-9
    assert np.ptp(study["end"]) > 0.01 and np.ptp(study["most"]) > 0.1
    for variant in (0, 11):
        row = dict(zip(study.factors, study.table[variant], strict=False))
        bodies = {}
        for body, joint in (("upper", "shoulder"), ("lower", "elbow")):
            own = study.work.experiment.mechanism.model.body(body)
            head = f"motors.{joint}."
            motor = {k.removeprefix(head): x for k, x in row.items() if k.startswith(head)}
            inertia = row.get(f"joints.{joint}.rotor", own.joint.rotors[0].inertia)
            bodies[body] = {
                "motor": am.Motor(**{**vars(own.motor), **motor}),
                "rotor": am.Rotor(inertia, motor["gear"]),
            }
        bodies["lower"]["mass"] = row["bodies.lower.mass"]
        arm = geared_arm().replace(bodies=bodies)
        run = driven(feed, arm).replace(record=("q", "v", "current", "electrical_power")).run()
        wanted = {
            "end": run.q[-1, 1], "swing": np.abs(run.v[:, 0]).max(),
            "most": run.column("current.shoulder").max(),
            "power": run.column("electrical_power.elbow").max(),
        }  # fmt: skip
        for name, value in wanted.items():
            assert study[name][variant] == pytest.approx(value, rel=1e-9, abs=1e-12), name
    again = study.run(11, record=("q",))
    assert np.allclose(again.q, run.q, rtol=0, atol=1e-12)


def test_the_steady_speed_of_a_free_motor_has_a_closed_form():
    """V = n K v + R d v / (n K): back EMF and friction, whatever the rotor."""
    b = am.Builder("fan", gravity=(0, 0, 0))
    b.body(
        "fan", joint="revolute", axis="z", mass=0.1, inertia=(1e-4, 1e-4, 1e-4),
        passive=am.Passive(viscous=2e-3), rotor=am.Rotor(1e-6, 4.0),
        motor=am.Motor(resistance=1.0, torque_constant=0.02, gear=4.0),
    )  # fmt: skip
    experiment = am.Experiment(b.build(), {"voltages": {"fan": 6.0}, "duration": 1.0})
    factors = {
        "K": {"path": "motors.fan.torque_constant", "uniform": [0.01, 0.05]},
        "R": {"path": "motors.fan.resistance", "uniform": [0.5, 3.0]},
        "n": {"path": "motors.fan.gear", "uniform": [3.0, 9.0]},
        "V": {"path": "voltages.fan", "uniform": [3.0, 12.0]},
    }
    responses = {"speed": "end v.fan", "current": "end current.fan"}
    study = am.study(experiment, factors, responses, samples=64)
    K, R, n, V = (study[x] for x in "KRnV")
    v = V / (n * K + R * 2e-3 / (n * K))
    assert np.allclose(study["speed"], v, rtol=1e-6)
    assert np.allclose(study["current"], 2e-3 * v / (n * K), rtol=1e-6)
    assert study.units == {
        "K": "N m/A", "R": "ohm", "n": "", "V": "V", "speed": "rad/s", "current": "A",
    }  # fmt: skip


def test_a_gear_turns_the_rotor_with_it():
    """At the first instant a = n K V / R / (I + n² J)."""
    b = am.Builder("wheel", gravity=(0, 0, 0))
    b.body(
        "wheel", joint="revolute", axis="z", mass=0.1, inertia=(1e-3, 1e-3, 1e-3),
        rotor=am.Rotor(4e-5, 6.0), motor=am.Motor(resistance=2.0, torque_constant=0.02, gear=6.0),
    )  # fmt: skip
    experiment = am.Experiment(
        b.build(), {"voltages": {"wheel": 10.0}, "duration": 1e-3, "step": 1e-3}
    )
    gears = [3.0, 6.0, 12.0]
    study = am.study(experiment, {"motors.wheel.gear": gears}, {"a": "start a.wheel"})
    n = np.array(gears)
    assert study.grouped == {}
    assert np.allclose(study["a"], n * 0.02 * 10.0 / 2.0 / (1e-3 + n**2 * 4e-5), rtol=1e-12)


def test_motors_need_no_new_code(monkeypatch):
    """No more libraries for thirty motors than for one."""
    from armillary.codegen import jit

    made = []
    usual = jit.Library.__init__

    def counted(self, *args, **named):
        made.append(args)
        usual(self, *args, **named)

    monkeypatch.setattr(jit.Library, "__init__", counted)
    counts = []
    # whole chunks, for rests may run one by one; the first one makes what every process makes once
    for k, samples in enumerate((4, 4, 32)):
        arm = geared_arm().replace(gravity=(0.1 * k, 0.0, -9.7))  # no code of the first one helps
        experiment = driven("voltages", arm, 0.01)
        made.clear()
        study = am.study(experiment, FACTORS, RESPONSES, samples=samples, chunk=4)
        assert study.grouped == {} and not any(study.failed)
        counts.append(len(made))
    assert 0 < counts[2] <= counts[1]  # code of the second may be there still


def test_motors_inside_other_blocks():
    """A flexible transmission hands its motors on; those in a chain make groups."""
    arm = geared_arm().replace(bodies={"upper": {"rotors": ()}, "lower": {"rotors": ()}})
    soft = am.FlexibleTransmission(
        arm, ["shoulder", "elbow"], stiffness=300.0, inertia=0.03, damping=0.5,
        motors=am.DCMotor(arm),
    )  # fmt: skip
    factors = {
        "motors.shoulder.resistance": [0.9, 2.0], "motors.elbow.gear": [-20.0, -35.0],
    }  # fmt: skip
    given = {"voltages": {"shoulder": 9.0, "elbow": 3.0}, "duration": 0.05}
    ends = {}
    for blocks in (soft, am.Chain(soft)):
        experiment = am.Experiment(arm, {"actuators": blocks, **given})
        study = am.study(experiment, factors, {"end": "end q.elbow"})
        grouped = isinstance(blocks, am.Chain)
        assert set(study.grouped) == (set(factors) if grouped else set())
        for variant in (0, 3):
            run = study.run(variant, record=("q",))
            assert study["end"][variant] == pytest.approx(run.q[-1, 1], rel=1e-10)
        ends[grouped] = study["end"]
    assert np.allclose(ends[True], ends[False], rtol=1e-10) and np.ptp(ends[True]) > 1e-3


BAD = [
    ({"motors.knee.gear": [1.0]}, "no joint with a motor named 'knee'"),
    ({"motors.elbow.gearing": [1.0]}, "no number of a motor named 'gearing'"),
    ({"motors.elbow.inductance": [-1e-3, 1e-3]}, "has to be from 0 H"),
    ({"motors.shoulder.resistance": [0.0, 1.0]}, "has to be above 0 ohm"),
    ({"motors.shoulder.efficiency": {"normal": [0.8, 0.1]}}, "has to be above 0"),
    ({"motors.shoulder.efficiency": [0.8, 1.1]}, "has to be at most 1, and the factor reaches 1.1"),
    ({"motors.shoulder.gear": [-2.0, 2.0]}, "has to be above 0"),
    ({"motors.elbow.gear": [-2.0, 2.0]}, "has to be at most 0"),
    ({"motors.elbow.gear": [-9.0], "joints.elbow.gear": [5.0]}, "both set 'joints.elbow.gear'"),
    ({"x": {"paths": ["motors.elbow.gear"] * 2, "values": [-9.0]}}, "'motors.elbow.gear' twice"),
]


@pytest.mark.parametrize(("factors", "text"), BAD)
def test_motors_that_cannot_be_are_refused(factors, text):
    with pytest.raises(am.InputError) as fault:
        am.study(driven("voltages"), factors, {"end": "end q.elbow"})
    assert text in str(fault.value)


def test_motors_that_drive_nothing_are_refused():
    experiment = am.Experiment(geared_arm(), {"duration": 0.1})
    with pytest.raises(am.InputError, match=r"no block of the experiment.*voltages"):
        am.study(experiment, {"motors.elbow.gear": [-9.0]}, {"end": "end q.elbow"})
