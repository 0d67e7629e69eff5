"""Sensitivities with closed forms, pictures, reports, tables and the command line."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app
from studies.cars import BEARINGS, CAR, COMFORT, PRESS, bump_experiment, press_experiment

RUNNER = CliRunner()


@pytest.fixture(scope="module")
def weight():
    """A weight under a constant force: v(T) = v0 + (F/m + g) T, to rounding."""
    b = am.Builder("weight")
    b.body("w", joint="prismatic", axis="z", mass=2.0)
    experiment = am.Experiment(
        b.build(), {"v0": [1.0], "inputs": {"w": 3.0}, "duration": 0.5, "step": 0.05}
    )
    factors = {
        "v0.w": {"uniform": [0.0, 1.0]},
        "inputs.w": {"uniform": [-4.0, 4.0]},
        "gravity.z": {"uniform": [-11.0, -9.0]},
        "bodies.w.mass": {"uniform": [1.9, 2.1]},
    }
    responses = {"end": "end v.w", "peak": "max v.w"}
    return am.study(experiment, factors, responses, samples=64, seed=1)


def test_local_sensitivities_are_the_derivatives(weight):
    found = weight.sensitivities()
    m, force, T = 2.0, 3.0, 0.5
    right = {"v0.w": 1.0, "inputs.w": T / m, "gravity.z": T, "bodies.w.mass": -force * T / m**2}
    for path, value in right.items():
        assert found.loc[path, "end"] == pytest.approx(value, rel=1e-6)
    # it falls from the start: the peak is the start
    assert found.loc["v0.w", "peak"] == pytest.approx(1.0)
    assert found.loc["gravity.z", "peak"] == pytest.approx(0.0, abs=1e-9)
    relative = weight.sensitivities(variant=3, relative=True)
    x = weight.table[3]
    assert relative.loc["v0.w", "end"] == pytest.approx(x[0] / weight["end"][3], rel=1e-6)


def test_a_kink_has_no_derivative():
    """Where the weight floats, its greatest velocity is the first or the last one."""
    b = am.Builder("weight")
    b.body("w", joint="prismatic", axis="z", mass=1.0)
    experiment = am.Experiment(b.build(), {"inputs": {"w": 9.81}, "duration": 0.5, "step": 0.05})
    study = am.study(experiment, {"inputs.w": [9.0, 10.0]}, {"peak": "max v.w", "end": "end v.w"})
    found = study.sensitivities()
    assert np.isnan(found.loc["inputs.w", "peak"])
    assert found.loc["inputs.w", "end"] == pytest.approx(0.5)


def test_sobol_indices_of_a_linear_response_are_shares_of_variance(weight):
    """v0 + (F/m + g) T with m nearly constant: variances add up."""
    found = weight.sobol(512, seed=2)
    m, T = 2.0, 0.5
    spans = {"v0.w": 1.0, "inputs.w": 8.0 * T / m, "gravity.z": 2.0 * T, "bodies.w.mass": 0.0}
    variance = {name: x * x / 12.0 for name, x in spans.items()}
    for name, own in variance.items():
        share = own / sum(variance.values())
        for kind in ("first", "total"):
            index = float(found[kind].sel(factor=name, response="end"))
            spread = float(found[f"{kind}_error"].sel(factor=name, response="end"))
            assert abs(index - share) < max(5.0 * spread, 0.02), (name, kind)


def test_tables_pictures_and_reports(tmp_path):
    factors = {"elements.strut.damping": [1000.0, 2000.0, 3000.0], "actuators.speed": [4.0, 9.0]}
    study = am.study(bump_experiment(0.1), factors, COMFORT)
    frame, data = study.to_pandas(), study.to_xarray()
    assert frame.loc[4, "peak"] == study["peak"][4] and frame.index.name == "variant"
    assert (
        data["peak"].sel({"actuators.speed": 9.0, "elements.strut.damping": 2000.0})
        == (study["peak"][3])
    )
    assert data["comfort"].attrs["units"] == "m/s²"
    for names in (("peak",), ("peak", "actuators.speed"), ("peak", *factors)):
        axes = study.plot(*names, limits=7000.0, path=tmp_path / "x.png").axes[0]
        assert (tmp_path / "x.png").stat().st_size > 5000
        wanted = "peak [N]" if len(names) == 1 else f"{names[1]} [{study.units[names[1]]}]"
        assert axes.get_xlabel() == wanted
    study.report(tmp_path / "r.html", limits={"peak": 7000.0})
    text = (tmp_path / "r.html").read_text()
    assert "elements.strut.damping" in text and "Responses" in text and "% above" not in text[:500]
    study.view(1).save(tmp_path / "v.html")
    with pytest.raises(am.InputError, match="no column 'speed'"):
        study.plot("peak", "speed")
    with pytest.raises(am.InputError, match="expected 0 to 5"):
        study.run(6)


def test_sweep_from_the_command_line(tmp_path):
    bump_experiment(0.1).save(tmp_path / "bump.yaml")
    (tmp_path / "study.yaml").write_text(
        "study: 1\nexperiment: bump.yaml\nfactors:\n  speed: {path: actuators.speed, "
        "from: 4, to: 16, count: 5}\nresponses:\n  peak: max road_force.wheel\n"
    )
    words = ["sweep", str(tmp_path / "study.yaml"), "--out", str(tmp_path / "out")]
    more = ["--table", str(tmp_path / "t.csv"), "--report", str(tmp_path / "r.html")]
    result = RUNNER.invoke(app, [*words, *more])
    assert result.exit_code == 0 and "5 variants" in result.output, result.output
    direct = am.study(
        bump_experiment(0.1), {"actuators.speed": np.linspace(4, 16, 5)},
        {"peak": "max road_force.wheel"},
    )  # fmt: skip
    found = json.loads(RUNNER.invoke(app, ["sweep", str(tmp_path / "out"), "--json"]).output)
    assert found["columns"]["peak"] == direct["peak"].tolist() and found["units"]["peak"] == "N"
    assert (tmp_path / "t.csv").read_text().startswith("variant,speed,peak,failed\n")
    again = RUNNER.invoke(app, words)
    assert again.exit_code == 1 and "--resume" in again.output
    assert RUNNER.invoke(app, [*words, "--resume"]).exit_code == 0
    text = (tmp_path / "study.yaml").read_text()
    for old, new, said in (
        ("actuators.speed", "actuators.spede", "study.yaml:4"),
        ("max road_force", "max rode_force", "study.yaml:6"),
        ("count: 5", "count: 6", "factors.speed.values"),
        ("bump.yaml", "../bump.yaml", "not beside"),
    ):
        (tmp_path / "study.yaml").write_text(text.replace(old, new))
        result = RUNNER.invoke(app, [*words, "--resume"])
        assert result.exit_code == 1 and said in result.output, result.output


@pytest.mark.soak
def test_a_hundred_thousand_cars_and_a_thousand_presses():
    """Whatever the number of variants, the memory stays what it is."""
    import resource

    am.study(bump_experiment(2.0), CAR, COMFORT, samples=4096, seed=1, design="sobol")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    study = am.study(bump_experiment(2.0), CAR, COMFORT, samples=100_000, seed=1, design="sobol")
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert study.complete and not any(study.failed)
    assert grown < 100_000  # kB: the table itself is 6 MB
    presses = am.study(press_experiment(0.5), PRESS, BEARINGS, samples=1000, seed=1)
    assert presses.complete and not any(presses.failed) and presses.grouped == {}
