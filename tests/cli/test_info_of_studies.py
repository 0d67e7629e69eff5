"""`armillary info` of studies: folders, files, and the tables that are made of them."""

import json

import pytest
from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app

FACTORS = {"bodies.lower.mass": [1.0, 2.0, 3.0], "v0.elbow": [0.0, 1e200]}  # half of them fail
RESPONSES = {"end": "end q.elbow", "pin": "max reactions.elbow.force"}


def told(*words, code=0):
    run = CliRunner().invoke(app, ["info", *map(str, words)])
    assert run.exit_code == code and "Traceback" not in run.output, run.output
    return run


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    pytest.importorskip("pyarrow")
    folder = tmp_path_factory.mktemp("study")
    experiment = am.Experiment(am.example("double-pendulum"), {"duration": 0.02})
    study = am.study(experiment, FACTORS, RESPONSES, recordings=["q.elbow"], out=folder / "results")
    study.to_xarray().to_netcdf(folder / "study.nc", engine="h5netcdf")
    study.recordings().to_netcdf(folder / "recordings.nc", engine="h5netcdf")
    study.to_pandas().to_csv(folder / "table.csv")
    study.to_pandas().to_parquet(folder / "table.parquet")
    experiment.save(folder / "swing.yaml")
    (folder / "study.yaml").write_text(
        "study: 1\nexperiment: swing.yaml\nfactors:\n"
        "  mass: {path: bodies.lower.mass, uniform: [1, 3]}\n"
        "responses:\n  peak: max q.elbow\n  settled: {settling: q.elbow, band: 0.1}\n"
        "design: latin\nsamples: 10\nrecordings: [q.elbow]\n"
    )
    return folder, study


def test_the_folder_of_a_study(made):
    folder, study = made
    text = told(folder / "results").output
    for part in (
        "6 variants",
        "3 failed",
        "bodies.lower.mass",
        "N",
        "q.elbow",
        "3 variants failed",
    ):
        assert part in text
    content = json.loads(told(folder / "results", "--json").stdout)
    assert content["variants"] == 6 and content["done"] == 6 and content["units"]["pin"] == "N"
    assert content["columns"]["end"][0] == study["end"][0]


def test_a_study_that_is_not_done_yet(made):
    folder, _ = made
    text = told(folder / "study.yaml").output
    for part in ("10 variants of 0.02 s", "latin", "uniform", "max q.elbow", "band 0.1", "kg"):
        assert part in text
    assert json.loads(told(folder / "study.yaml", "--json").stdout)["variants"] == 10


@pytest.mark.parametrize("name", ["study.nc", "recordings.nc", "table.csv", "table.parquet"])
def test_tables_of_a_study(made, name):
    folder, study = made
    content = json.loads(told(folder / name, "--json").stdout)
    if name != "recordings.nc":
        least, greatest = content["columns"]["pin"]
        assert least == pytest.approx(min(study["pin"][study["pin"] == study["pin"]]))
        assert greatest == pytest.approx(max(study["pin"][study["pin"] == study["pin"]]))
    assert "a table of a study" in told(folder / name).output


@pytest.mark.parametrize(("name", "said"), [
    ("results/manifest.json", "Name its folder"), ("swing.yaml", "this is no study"),
    (".", "no readable manifest"), ("nothing.nc", "no such file"), ("nothing", "no format of runs"),
])  # fmt: skip
def test_what_is_no_study(made, name, said):
    assert said in told(made[0] / name, code=1).output


def test_runs_are_told_as_before(tmp_path):
    am.simulate(am.example("double-pendulum"), duration=0.01).save(tmp_path / "run.nc")
    assert "run of 'double-pendulum'" in told(tmp_path / "run.nc").output
