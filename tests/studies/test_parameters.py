"""Further parameters of a mechanism, and blocks with numbers of their own per run."""

import numpy as np
import pytest

import armillary as am
from armillary.evaluate.compile_function import NotNative
from armillary.model.varied import applied
from armillary.studies.varied_block import varied_block


def nasty_arm():
    """Offsets, full tensors, all kinds of friction."""
    arm = am.example("double-pendulum")
    rub = am.Passive(viscous=0.01, coulomb=0.1, static=0.2, stribeck=0.3, smoothing=0.02,
                     spring=3.0, rest=0.2)  # fmt: skip
    return arm.replace(bodies={"lower": {"passive": rub, "rotor": am.Rotor(1e-4, 20.0)}})


PATHS = (
    "joints.elbow.viscous", "joints.elbow.coulomb", "joints.elbow.static", "joints.elbow.stribeck",
    "joints.elbow.smoothing", "joints.elbow.spring", "joints.elbow.rest", "joints.elbow.rotor",
    "joints.shoulder.viscous", "gravity.x", "gravity.z", "bodies.lower.at.x", "bodies.lower.at.z",
)  # fmt: skip


def test_each_row_is_a_mechanism_of_its_own():
    """Against mechanisms that have these numbers in their models."""
    arm = nasty_arm()
    wide = arm.varying(*PATHS)
    assert wide.parameter_names[-len(PATHS) :] == PATHS
    rng = np.random.default_rng(3)
    rows = np.tile(wide.parameters, (6, 1))
    rows[:, -len(PATHS) :] *= rng.uniform(0.5, 1.5, (6, len(PATHS)))
    rows[:, wide.parameter_names.index("gravity.x")] = rng.normal(size=6)
    rows[:, wide.parameter_names.index("bodies.lower.at.x")] = rng.normal(size=6)
    q, v, tau = rng.normal(size=(3, 6, 2))
    a = wide.forward_dynamics(q, v, tau, parameters=rows)
    kinetic, potential = wide.energy(q, v, parameters=rows)
    wrench = wide.reactions(q, v, a, parameters=rows).total
    for k in range(6):
        numbers = dict(zip(PATHS, rows[k, -len(PATHS) :].tolist(), strict=True))
        one = am.Mechanism(applied(arm.model, numbers))
        alone = one.forward_dynamics(q[k], v[k], tau[k])
        assert np.allclose(a[k], alone, rtol=1e-12)
        assert np.allclose((kinetic[k], potential[k]), one.energy(q[k], v[k]), rtol=1e-12)
        assert np.allclose(wrench[k], one.reactions(q[k], v[k], alone).total, rtol=1e-9, atol=1e-9)


def test_the_forces_of_a_closed_mechanism_with_other_numbers():
    bars = am.example("four-bar")
    wide = bars.varying("gravity.z", "joints.crank.viscous")
    start = am.simulate(bars, bars.assemble(hold=["crank"]).q, {"crank": 2.0}, duration=1e-3)
    q, v = start.q[0], start.v[0]
    rng = np.random.default_rng(0)
    rows = np.tile(wide.parameters, (120, 1)) * rng.uniform(0.8, 1.2, (120, 1))
    rows[:, -2:] *= rng.uniform(0.5, 2.0, (120, 2))
    given = [np.tile(x, (120, 1)) for x in (q, v, [0.5, 0.0, 0.0])]
    found = wide.solve(*given, parameters=rows)
    for k in (0, 50, 119):
        numbers = {"gravity.z": rows[k, -2], "joints.crank.viscous": rows[k, -1]}
        scale = rows[k, 0] / bars.parameters[0]
        bodies = {
            b.name: {"mass": am.Mass(scale * b.mass.mass, b.mass.com,
                                     tuple(scale * x for x in b.mass.tensor))}
            for b in bars.model.bodies
        }  # fmt: skip
        one = am.Mechanism(applied(bars.model, numbers)).replace(bodies=bodies)
        alone = one.solve(q, v, [0.5, 0.0, 0.0])
        assert np.allclose(found.acceleration[k], alone.acceleration, rtol=1e-9)
        assert np.allclose(found.reactions.total[k], alone.reactions.total, rtol=1e-8, atol=1e-8)
        assert found.kinetic[k] == pytest.approx(alone.kinetic)
        single = wide.solve(q, v, np.array([0.5, 0.0, 0.0]), parameters=rows[k])
        assert np.allclose(single.acceleration, alone.acceleration, rtol=1e-9)
        assert np.allclose(single.reactions.total, alone.reactions.total, rtol=1e-8, atol=1e-8)


REFUSED = [
    ("joints.elbow.coulomb", "zero in the model"),
    ("joints.knee.viscous", "knee"),
    ("gravity.w", "no number"),
    ("bodies.knee.at.x", "knee"),
]


@pytest.mark.parametrize(("path", "text"), REFUSED)
def test_numbers_that_cannot_vary_are_refused(path, text):
    with pytest.raises(am.ModelError, match=text):
        am.example("double-pendulum").varying(path)


def test_places_of_a_closed_mechanism_do_not_vary():
    with pytest.raises(am.ModelError, match="closed"):
        am.example("four-bar").varying("bodies.coupler.at.x")


def test_numbers_that_decide_what_a_block_is_cannot_differ():
    arm = am.example("double-pendulum")
    motor = am.Motor(resistance=1.1, torque_constant=0.07, gear=30.0)  # no inductance: no state
    drive = am.DCMotor(arm, {"elbow": motor})
    with pytest.raises(NotNative):
        varied_block(arm, drive, {"x": ("motors", "elbow", "inductance")})
    with pytest.raises(NotNative):
        varied_block(arm, am.ComputedTorque(arm, [0.0, 0.0], 1.0, 1.0), {"x": ("kp",)})


def test_motor_constants_differ_by_run_or_make_groups():
    """Whichever way: each variant is what it is alone."""
    arm = am.example("double-pendulum")
    motor = am.Motor(resistance=1.1, torque_constant=0.07, gear=30.0, inductance=1e-3)
    drive = am.DCMotor(arm, {"elbow": motor})
    experiment = am.Experiment(
        arm, {"duration": 0.05, "actuators": drive, "voltages": {"elbow": 3.0}}
    )
    factors = {
        "actuators.motors.elbow.torque_constant": [0.05, 0.09],
        "actuators.motors.elbow.resistance": [1.0, 2.0],
        "voltages.elbow": [1.0, 5.0],
    }
    study = am.study(experiment, factors, {"end": "end q.elbow", "most": "max current.elbow"})
    assert not any(study.failed)
    for variant in range(8):
        run = study.run(variant, record=("q", "current"))
        assert study["end"][variant] == pytest.approx(run.q[-1, 1], rel=1e-10)
        most = run.column("current.elbow").max()
        assert study["most"][variant] == pytest.approx(most, rel=1e-10)


UNITS = {
    "joints.shoulder.viscous": "N m s/rad", "joints.slide.viscous": "N s/m",
    "joints.shoulder.coulomb": "N m", "joints.slide.static": "N",
    "joints.slide.stribeck": "m/s", "joints.shoulder.smoothing": "rad/s",
    "joints.slide.spring": "N/m", "joints.shoulder.rest": "rad", "joints.shoulder.rotor": "kg m²",
    "joints.shoulder.gear": "", "inputs.shoulder": "N m", "inputs.slide": "N",
    "controller.kp.slide": "N/m", "controller.kp.shoulder": "N m/rad", "controller.kd": "N s/m",
    "controller.ki.1": "N m/rad/s", "controller.target.shoulder": "rad", "controller.limit": "N",
    "controller.2.kp": "1/s²", "controller.2.kd.1": "1/s", "actuators.limit.slide": "N",
    "actuators.2.stiffness": "N m/rad", "actuators.2.inertia": "N m s²/rad",
    "actuators.2.motors.motors.shoulder.resistance": "ohm",
    "actuators.2.motors.bandwidth": "rad/s", "step": "s", "tolerance": "", "q0.slide": "m",
}  # fmt: skip


def test_every_number_has_its_unit():
    """Of joints that turn and that slide: friction, gains, limits, drives."""
    from armillary.studies.paths import target_of

    rub = am.Passive(viscous=0.1, coulomb=0.1, static=0.2, stribeck=0.3, spring=3.0, rest=0.2)
    b = am.Builder("arm")
    b.body("slide", joint="prismatic", axis="x", mass=1.0, passive=rub)
    b.body("arm", "slide", "revolute", axis="y", mass=1.0, inertia=(1.0, 1.0, 1.0), passive=rub,
           joint_name="shoulder")  # fmt: skip
    arm = b.build()
    motor = am.Motor(resistance=1.0, torque_constant=0.1, inductance=1e-3)
    drive = am.DCMotor(arm, {"shoulder": motor}, command="current", bandwidth=300.0)
    blocks = {
        "controller": [
            am.PID(arm, {"slide": 0.1, "shoulder": 0.2}, {"slide": 1.0, "shoulder": 2.0},
                   [1.0, 2.0], 0.5, limit=8.0),
            am.ComputedTorque(arm, [0.0, 0.0], 4.0, [4.0, 3.0]),
        ],
        "actuators": [
            am.Ideal(arm, {"slide": 3.0, "shoulder": 2.0}),
            am.FlexibleTransmission(arm, "shoulder", stiffness=9.0, inertia=0.1, motors=drive),
        ],
    }  # fmt: skip
    experiment = am.Experiment(arm, blocks)
    geared = arm.replace(bodies={"arm": {"rotor": am.Rotor(1e-4, 20.0)}})
    other = am.Experiment(geared, {})
    mixed = {"controller.kd", "controller.limit"}  # one number for both joints: no one unit
    for path, unit in UNITS.items():
        of = other if path.rpartition(".")[2] in ("rotor", "gear") else experiment
        assert target_of(of, path).unit == ("" if path in mixed else unit), path
    along = am.Experiment(arm, {"controller": am.PID(arm, {"slide": 0.1}, 1.0, 0.0, 2.0, limit=3)})
    for path in mixed:
        assert target_of(along, path).unit == UNITS[path], path
