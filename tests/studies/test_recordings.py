"""Whole recordings of the variants of a study: equal to the bit wherever they are made, kept chunk
by chunk, and what single runs of the same rows record."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app
from armillary.studies.study import work_for
from studies.cars import CAR, COMFORT, PRESS, bump_experiment, press_experiment

WANTED = ["q", "v.car", "road_force.wheel", "element_forces.strut.force", "energy"]
HERE = {"samples": 20, "seed": 4, "chunk": 8, "recordings": {"of": WANTED, "every": 5}}


def car_study(**options):
    return am.study(bump_experiment(0.053), CAR, COMFORT, **{**HERE, **options})


@pytest.fixture(scope="module")
def whole():
    return car_study()


def same(one, other):
    assert one.identical(other), (one, other)


def test_recordings_are_the_runs_of_the_rows(whole):
    """Against single runs with a mechanism of their own, whose code rounds in other places."""
    data = whole.recordings()
    assert dict(data.sizes) == {"variant": 20, "time": 11}
    assert list(data) == ["q.wheel", "q.car", *WANTED[1:]]
    assert data["road_force.wheel"].attrs["units"] == whole.units["peak"]
    for variant in (0, 7, 19):
        run = whole.run(variant, record=("q", "v", "road_force", "energy", "element_forces"))
        one = whole.recording(variant)
        assert one.attrs == {"mechanism": "quarter car", "variant": variant}
        rows = slice(0, 51, 5)
        assert np.array_equal(one["time"], run.time[rows])
        wanted = {
            "q.wheel": run.q[rows, 0], "q.car": run.q[rows, 1], "v.car": run.v[rows, 1],
            "road_force.wheel": run.column("road_force.wheel")[rows], "energy": run.energy[rows],
            "element_forces.strut.force": run.column("strut.force", "element_forces")[rows],
        }  # fmt: skip
        for name, values in wanted.items():
            scale = np.abs(values).max()
            assert np.allclose(one[name], values, rtol=0, atol=1e-11 * scale), name
            assert np.array_equal(data[name][variant], one[name])


def test_equal_to_the_bit_to_the_row_alone(whole):
    """Whatever runs beside it: chunks of one; and study.run(i) where no number of the model
    differs, so that both are the same code."""
    alone = car_study(chunk=1, samples=20)
    same(alone.recordings(), whole.recordings())
    starts = {"q0.crank": {"uniform": [0.3, 0.5]}, "v0.crank": {"uniform": [2.0, 6.0]}}
    experiment = press_experiment(0.02).replace(
        q0={"crank": 0.4}, actuators=[], record=("q", "v", "a", "constraint_forces")
    )
    names = ["q", "v", "a", "constraint_forces"]
    study = am.study(experiment, starts, recordings=names, samples=9)
    for variant in (0, 4, 8):
        run, one = study.run(variant), study.recording(variant)
        for name in names:
            for k, label in enumerate(run.labels[name]):
                assert np.array_equal(one[f"{name}.{label}"], run[name][:, k]), (name, label)


def test_what_a_process_has_done_before_does_not_matter():
    """Cranks that turn all the way round, through the places where other coordinates have to lead:
    chunks in any order give the same bits, with the forces in the loop."""
    bars = am.example("four-bar")
    experiment = am.Experiment(bars, {"q0": {"crank": 0.3}, "duration": 0.4, "step": 2e-3})
    factors = {
        "bodies.rocker.mass": {"uniform": [0.3, 1.5]}, "q0.crank": {"uniform": [0.1, 1.0]},
        "v0.crank": {"uniform": [20.0, 30.0]},
    }  # fmt: skip
    responses = {"pin": "max constraint_forces.pin.force", "check": "check", "turn": "end q.crank"}
    given = (experiment, factors, responses, None, 24, 1, 8, ["constraint_forces", "reactions"])
    one, other = (work_for(*given) for _ in range(2))
    forth, back = [one.do(k) for k in (0, 1, 2)], [other.do(k) for k in (2, 1, 0)][::-1]
    for a, b in zip(forth, back, strict=True):
        assert np.array_equal(a.responses, b.responses)
        assert np.array_equal(a.kept.values, b.kept.values)
        assert a.responses[:, 1].max() < 1e-12 and a.responses[:, 2].min() > 2 * np.pi


def test_bearing_loads_of_a_closed_mechanism_over_time():
    """A press whose masses, springs and friction differ: the load of its pin over time."""
    wanted = ["constraint_forces.pin.force", "q.ram"]
    responses = {"pin": "max constraint_forces.pin.force"}
    study = am.study(press_experiment(0.05), PRESS, responses, samples=16, recordings=wanted)
    pin = study.recordings()["constraint_forces.pin.force"]
    assert np.array_equal(pin.max("time"), study["pin"])
    run = study.run(5, record=("constraint_forces", "q"))
    force = np.linalg.norm([run.column(f"pin.f{x}", "constraint_forces") for x in "xyz"], axis=0)
    assert np.allclose(pin[5], force, rtol=1e-9)


def test_instants_by_time(whole):
    study = car_study(recordings={"of": ["q.car"], "at": [0.0, 0.01, 0.0205, 0.053]})
    data = study.recordings()
    assert np.allclose(data["time"], [0.0, 0.01, 0.021, 0.053], atol=1e-12)
    every = car_study(recordings="q.car").recordings()
    assert every.sizes["time"] == 54
    same(data["q.car"], every["q.car"].isel(time=[0, 10, 21, 53]))


def test_variants_with_other_steps_have_times_of_their_own():
    factors = {"step": [1e-3, 5e-4], "bodies.car.mass": [250.0, 300.0]}
    study = am.study(bump_experiment(0.01), factors, recordings=["q.car"])
    data = study.recordings()
    assert data["q.car"].dims == ("variant", "instant") and data["time"].shape == (4, 21)
    assert np.isnan(data["q.car"][1, 11:]).all() and np.isfinite(data["q.car"][3]).all()
    assert study.recordings([2, 3])["q.car"].dims == ("variant", "time")


def test_processes_and_folders_give_the_same_bits(tmp_path, whole):
    study = car_study(processes=2, out=tmp_path / "s")
    same(study.recordings(), whole.recordings())
    again = am.load_study(tmp_path / "s")
    same(again.recording(11), whole.recording(11))
    assert [len(f) for f in again.frames()] == [8, 8, 4]
    assert np.array_equal(again.table, whole.table)
    lines = [json.loads(x) for x in (tmp_path / "s/chunks.jsonl").read_text().splitlines()]
    assert sum(x["recordings"]["rows"] for x in lines) == 20 * 11


def test_recordings_that_are_damaged_or_lost_are_made_again(tmp_path, whole):
    folder = tmp_path / "s"
    car_study(out=folder)
    one = folder / "recordings-000001.parquet"
    data = bytearray(one.read_bytes())
    data[len(data) // 2] ^= 1
    one.write_bytes(bytes(data))
    (folder / "recordings-000002.parquet").unlink()
    broken = am.load_study(folder)
    assert len(broken) == 16 and not broken.complete
    with pytest.raises(am.FormatError, match=r"recordings-000001\.parquet' is damaged.*resume"):
        broken.recording(9)
    seen = []
    study = car_study(out=folder, resume=True, progress=lambda now: seen.append(now.done))
    assert len(seen) == 2
    same(study.recordings(), whole.recordings())
    with pytest.raises(am.InputError, match=r"recordings\.every: expected 5, found 4"):
        car_study(out=folder, resume=True, recordings={"of": WANTED, "every": 4})


def test_a_variant_that_fails_has_no_recording():
    factors = {"elements.strut.damping": [1500.0, 1e9, 2000.0]}
    study = am.study(bump_experiment(0.5), factors, recordings={"of": ["q.car"], "every": 100})
    assert [bool(x) for x in study.failed] == [False, True, False]
    data = study.recordings()
    assert np.isnan(data["q.car"][1]).all() and np.isfinite(data["q.car"][[0, 2]]).all()
    assert study.recording(1).sizes["time"] == 0


def test_chunks_are_smaller_where_recordings_are_long(monkeypatch):
    from armillary.studies import study as made

    given = (bump_experiment(10.0), CAR, {}, "random", 100_000, 0, None)
    few = made.work_for(*given, ["q.car"])
    assert few.chunk * 2 * 8 * 10_000 <= made.KEPT and few.chunk > 100
    assert made.work_for(*given, {"of": ["q.car"], "at": [1.0]}).chunk == made.CHUNK
    with pytest.raises(am.InputError, match=r"about 16 GB, too much for memory. Name a folder"):
        am.study(bump_experiment(10.0), CAR, samples=100_000, recordings=["q.car"])


BAD = [
    ([], "give at least one factor, and one response or recordings"),
    (["q.cart"], "recordings: no column of 'q' named 'cart'"),
    (["rode_force"], "rode_force"),
    ({"of": ["q"], "each": 2}, "each"),
    ({"of": ["q"], "every": 0}, "every: expected a whole number"),
    ({"of": ["q"], "every": 2, "at": [0.0]}, "not both"),
    ({"of": ["q"], "at": [0.2, 0.1]}, "rising times"),
    ({"of": ["q"], "at": [0.5]}, "lasts from 0 to 0.01 s"),
    ([3], "expected names"),
    (["check:0.5"], "looks at every recorded instant. Name 'check.worst'"),
]


@pytest.mark.parametrize(("recordings", "text"), BAD)
def test_bad_recordings_are_refused_by_name(recordings, text):
    with pytest.raises(am.ArmillaryError) as fault:
        am.study(bump_experiment(0.01), {"gravity.z": [1.0]}, recordings=recordings)
    assert text in str(fault.value)


def test_a_study_without_recordings_says_so():
    study = am.study(bump_experiment(0.01), {"gravity.z": [-9.0]}, COMFORT)
    with pytest.raises(am.InputError, match=r"it has no recordings.*study\.run"):
        study.recording(0)


def test_recordings_from_the_command_line(tmp_path):
    bump_experiment(0.02).save(tmp_path / "bump.yaml")
    text = (
        "study: 1\nexperiment: bump.yaml\nfactors:\n  actuators.speed: [4, 16]\n"
        "recordings: {of: [q.car], every: 10}\n"
    )
    (tmp_path / "study.yaml").write_text(text)
    words = ["sweep", str(tmp_path / "study.yaml"), "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0 and "q.car" in result.output, result.output
    assert am.load_study(tmp_path / "out").recordings()["q.car"].shape == (2, 3)
    (tmp_path / "study.yaml").write_text(text.replace("q.car", "q.cart"))
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 1 and "study.yaml:5" in result.output, result.output
