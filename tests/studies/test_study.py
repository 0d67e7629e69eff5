"""Variants side by side against the same variants alone, each with a mechanism of its own."""

import numpy as np
import pytest

import armillary as am
from studies.cars import BEARINGS, CAR, COMFORT, PRESS, bump_experiment, integral, press_experiment


def test_variants_of_a_car_are_what_single_runs_give():
    """Springs, dampers, masses, tyre and speed: nothing is grouped, all in one native batch."""
    study = am.study(bump_experiment(), CAR, COMFORT, samples=40, seed=2)
    assert study.complete and study.grouped == {} and not any(study.failed)
    for variant in (0, 7, 39):
        run = study.run(variant, record=("a", "road_force"))
        a = run.column("a.car")
        alone = {
            "peak": run.column("road_force.wheel").max(),
            "comfort": np.sqrt(integral(run.time, a**2) / run.time[-1]),
        }
        for name, value in alone.items():
            assert study[name][variant] == pytest.approx(value, rel=1e-12)
        one = study.experiment(variant)
        assert one.mechanism.model.bodies[1].mass.mass == study["body"][variant]


def test_variants_of_a_press_are_what_single_runs_give():
    """A closed mechanism: masses, springs, friction, gravity, torque and start differ by row; the
    bearing loads come from the numbers of each variant."""
    study = am.study(press_experiment(), PRESS, BEARINGS, samples=24, seed=5)
    assert study.complete and study.grouped == {} and not any(study.failed)
    for variant in (0, 11, 23):
        run = study.run(variant, record=("reactions", "constraint_forces", "energy"))
        force = {}
        for name, part in (("reactions", "crank"), ("constraint_forces", "pin")):
            axes = [run.column(f"{part}.f{x}", name) for x in "xyz"]
            force[part] = np.linalg.norm(axes, axis=0)
        assert study["crank"][variant] == pytest.approx(force["crank"].max(), rel=1e-9)
        assert study["pin"][variant] == pytest.approx(force["pin"].max(), rel=1e-9)
        assert study["when"][variant] == run.time[force["pin"].argmax()]
        assert study["energy"][variant] == pytest.approx(run.energy[-1], rel=1e-9)
    assert np.ptp(study["pin"]) > 100.0  # N: the factors matter


def test_friction_gains_lengths_and_gravity_need_no_new_code():
    pendulum = am.example("double-pendulum")
    hold = am.PID(pendulum, {"shoulder": 0.5, "elbow": 0.1}, kp=40.0, ki=3.0, kd=4.0, limit=8.0)
    experiment = am.Experiment(pendulum, {"q0": [1.2, 0.6], "duration": 0.2, "controller": hold})
    factors = {
        "joints.elbow.viscous": [0.001, 0.05],
        "bodies.lower.at.z": [-0.3, -0.25],
        "bodies.upper.com.x": [0.004, -0.02],
        "bodies.upper.inertia.yy": [0.0067, 0.01],
        "gravity.x": [0.0, 1.0],
        "controller.kp": [40.0, 20.0],
        "controller.target.elbow": [0.1, -0.2],
        "controller.limit": [8.0, 2.0],
        "q0.elbow": [0.6, 0.1],
    }
    responses = {"end": "end q.elbow", "work": "integral |tau.shoulder|", "check": "check"}
    study = am.study(experiment, factors, responses, design="latin", samples=32, seed=1)
    assert study.grouped == {}
    assert study["check"].max() < 1e-9
    for variant in (0, 13, 31):
        run = study.run(variant, record=("q", "tau"))
        assert study["end"][variant] == pytest.approx(run.q[-1, 1], rel=1e-10, abs=1e-12)
        work = integral(run.time, np.abs(run.tau[:, 0]))
        assert study["work"][variant] == pytest.approx(work, rel=1e-10)


def test_numbers_that_change_the_code_make_groups():
    experiment = bump_experiment(0.1)
    study = am.study(experiment, {"step": [1e-3, 5e-4], "bodies.car.mass": [250.0, 300.0]}, COMFORT)
    assert set(study.grouped) == {"step"} and len(study) == 4
    for variant in range(4):
        run = study.run(variant, record=("road_force",))
        assert study["peak"][variant] == pytest.approx(run.column("road_force.wheel").max())


def test_no_code_is_compiled_within_a_study(monkeypatch):
    """After the first chunk nothing is traced or linked any more."""
    from armillary.codegen import jit

    made = []
    usual = jit.Library.__init__

    def counted(self, *args, **named):
        made.append(args)
        usual(self, *args, **named)

    monkeypatch.setattr(jit.Library, "__init__", counted)
    counts = []
    am.study(
        bump_experiment(0.05), CAR, COMFORT, samples=64, chunk=16,
        progress=lambda now: counts.append(len(made)),
    )  # fmt: skip
    assert len(counts) == 4 and counts[-1] == counts[0]


def test_the_size_of_chunks_and_batches_does_not_matter():
    """Many runs are summed up instant by instant, few in one call: to the same bits."""
    one = am.study(bump_experiment(), CAR, COMFORT, samples=72, chunk=72)
    other = am.study(bump_experiment(), CAR, COMFORT, samples=72, chunk=7)
    assert np.array_equal(one.table, other.table)


def test_responses_of_a_falling_weight_have_closed_forms():
    b = am.Builder("weight", gravity=(0, 0, -2.0))
    b.body("weight", joint="prismatic", axis="z", mass=3.0)
    experiment = am.Experiment(b.build(), {"v0": [1.0], "duration": 2.0, "step": 0.25})
    responses = {
        "highest": "max q.weight", "when": "time_of_max q.weight", "lowest": "min q.weight",
        "rise": "range q.weight", "end": "end v.weight", "start": "start v.weight",
        "mean": "mean v.weight", "rms": "rms a.weight", "path": "integral v.weight",
        "way": "integral |v.weight|", "energy": "end energy", "low": "time_of_min v.weight",
        "slow": {"settling": "v.weight", "to": 0.0, "band": 1.5},
    }  # fmt: skip
    study = am.study(experiment, {"v0.weight": [1.0, 2.0]}, responses)
    # v = v0 - 2 t, q = v0 t - t²
    wanted = {
        "highest": [0.25, 1.0], "when": [0.5, 1.0], "lowest": [-2.0, 0.0], "rise": [2.25, 1.0],
        "end": [-3.0, -2.0], "start": [1.0, 2.0], "mean": [-1.0, 0.0], "rms": [2.0, 2.0],
        "path": [-2.0, 0.0], "way": [2.5, 2.0], "energy": [1.5, 6.0], "low": [2.0, 2.0],
        "slow": [np.nan, np.nan],
    }  # fmt: skip
    for name, values in wanted.items():
        assert np.allclose(study[name], values, atol=1e-12, equal_nan=True), name
    assert study.units["way"] == "m/s s" and study.units["when"] == "s"


def test_settling_around_the_end_of_each_run():
    """x = exp(-t/τ): within b of its end from t with exp(-t/τ) - exp(-T/τ) = b on."""
    b = am.Builder("brake", gravity=(0, 0, 0))
    b.body("disc", joint="revolute", axis="z", mass=1.0, inertia=(1, 1, 1),
           passive=am.Passive(viscous=1.0))  # fmt: skip
    experiment = am.Experiment(b.build(), {"v0": [1.0], "duration": 5.0, "step": 1e-3})
    wanted = {"settled": {"settling": "v.disc", "band": 0.02}}
    study = am.study(experiment, {"joints.disc.viscous": [1.0, 2.0]}, wanted)
    assert study.grouped == {}
    for rate, found in zip((1.0, 2.0), study["settled"], strict=True):
        exact = -np.log(0.02 + np.exp(-5.0 * rate)) / rate
        assert exact <= found <= exact + 1.1e-3


def test_a_variant_that_breaks_down_is_a_row_with_a_reason():
    experiment = bump_experiment(0.5)
    factors = {"elements.strut.damping": [1500.0, 1e9, 2000.0]}
    study = am.study(experiment, factors, COMFORT)
    assert study.complete
    assert [bool(x) for x in study.failed] == [False, True, False]
    assert "not a number" in study.failed[1] and np.isnan(study["peak"][1])
    alone = am.study(experiment, {"elements.strut.damping": [1500.0, 2000.0]}, COMFORT)
    assert np.allclose(alone["peak"], study["peak"][[0, 2]], rtol=1e-12)


BAD = [
    ({"bodies.cart.mass": [1.0]}, COMFORT, {}, "cart.mass' names nothing: no body named 'cart'"),
    ({"mass": [1.0]}, COMFORT, {}, "path"),
    ({"bodies.car.mass": {"normal": {"mean": 1, "deviation": 1}}}, COMFORT, {"samples": 9},
     "'bodies.car.mass' has to be from 0 kg, and the factor reaches -inf"),
    ({"bodies.car.mass": [300.0, -1.0]}, COMFORT, {}, "reaches -1"),
    ({"step": [0.0]}, COMFORT, {}, "has to be above 0 s"),
    ({"a": {"path": "gravity.z", "values": [1.0]}, "gravity.z": [2.0]}, COMFORT, {},
     "factors 'a' and 'gravity.z' both set 'gravity.z'"),
    ({"gravity.z": [1.0, 2.0], "gravity.x": [1.0]}, COMFORT, {"design": "list"}, "as many of"),
    ({"gravity.z": {"uniform": [1, 2]}}, COMFORT, {"design": "grid"}, "takes values one by one"),
    ({"gravity.z": {"uniform": [1, 2]}}, COMFORT, {}, "give samples="),
    ({"gravity.z": {"uniform": [2, 1]}}, COMFORT, {"samples": 3}, "is not below"),
    ({"gravity.z": {"gauss": [2, 1]}}, COMFORT, {"samples": 3}, "gauss"),
    ({"gravity.z": "x"}, COMFORT, {}, "expected a list of finite numbers"),
    ({"gravity.z": [1.0]}, {"p": "max q.cart"}, {}, "response 'p': no column of 'q' named 'cart'"),
    ({"gravity.z": [1.0]}, {"p": "biggest q.car"}, {}, "biggest"),
    ({"gravity.z": [1.0]}, {"p": {"settling": "q.car"}}, {}, "needs a band"),
    ({"gravity.z": [1.0]}, {"gravity.z": "max q.car"}, {}, "names two columns"),
    ({"actuators.road.width": [1.0]}, COMFORT, {}, "width"),
    ({"actuators.2.speed": [1.0]}, COMFORT, {}, "no number 2"),
    ({"gravity.z": [1.0]}, COMFORT, {"executor": "cloud"}, "expected 'here'"),
]  # fmt: skip


@pytest.mark.parametrize(("factors", "responses", "options", "text"), BAD)
def test_bad_studies_are_refused_by_name(factors, responses, options, text):
    with pytest.raises(am.ArmillaryError) as fault:
        am.study(bump_experiment(0.01), factors, responses, **options)
    assert text in str(fault.value)


def test_a_body_named_without_its_word_is_told_the_path():
    m = am.example("double-pendulum")
    experiment = am.Experiment(m, {"duration": 0.1})
    with pytest.raises(am.InputError, match=r"Say 'bodies\.upper\.mass'"):
        am.study(experiment, {"upper.mass": [1.0, 2.0]}, {"x": "max |q.elbow|"})
