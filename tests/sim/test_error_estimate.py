"""The error estimate of fixed steps against true errors: closed forms and very fine runs."""

import json

import numpy as np
import pytest
from scipy.special import ellipj, ellipk
from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app
from armillary.errors import InputError
from armillary.sim.loop.halved_step import ORDERS
from armillary.sim.methods.choice import METHODS

KINDS = "q,v,a,energy,reactions"


def truth(run, fine, name):
    """Largest error over the largest number, unit by unit, against a finer run."""
    mine, theirs = run[name], fine[name]
    if not run.labels[name]:
        mine, theirs = mine[:, None], theirs[:, None]
    units = np.array(run.units[name])
    found = 0.0
    for unit in set(units.tolist()):
        own = units == unit
        size = np.abs(theirs[:, own]).max()
        found = max(found, np.abs(mine - theirs)[:, own].max() / size if size else 0.0)
    return found


def near(estimate, true, floor=1e-12):
    """Within a factor of three, or both rounding."""
    return (estimate < floor and true < floor) or true / 3 < estimate < 3 * true


def test_every_method_with_fixed_steps_is_known():
    assert set(ORDERS) == set(METHODS) - {"dopri5"}


@pytest.mark.parametrize("method", sorted(ORDERS))
def test_a_damped_double_pendulum(method):
    m = am.example("double-pendulum")
    start = {"q0": [1.0, 0.5], "duration": 0.5, "step": 4e-3, "record": KINDS}
    run = am.simulate(m, **start, method=method, estimate_error=True)
    fine = am.simulate(m, **start | {"step": 1e-4, "every": 40}, method="rk4")
    for name in run.names:
        assert near(run.error_estimate[name], truth(run, fine, name), 1e-10), (method, name)


def test_a_pendulum_against_its_closed_form():
    """θ = 2 asin(k sn(K - w t, k)); semi-implicit steps are far off, and say how far."""
    b = am.Builder("pendulum", (0, 0, -9.81))
    b.body("bar", axis="y", mass=1.3, com=(0, 0, -0.4), inertia=(0.07, 0.07, 0.01))
    w = np.sqrt(1.3 * 9.81 * 0.4 / (0.07 + 1.3 * 0.16))
    k2 = np.sin(1.0) ** 2
    for method, step in (("semi-implicit", 1e-3), ("rk4", 0.02), ("heun", 2e-3)):
        run = am.simulate(b.build(), [2.0], [0.0], 2.0, step, method, estimate_error=True)
        sn = ellipj(ellipk(k2) - w * run.time, k2)[0]
        error = np.abs(run["q"][:, 0] - 2 * np.arcsin(np.sqrt(k2) * sn)).max()
        assert near(run.error_estimate.absolute["q"], error), method


@pytest.mark.parametrize("method", ["rk4", "semi-implicit", "heun", "variational"])
def test_closed_mechanisms_with_their_forces(method):
    """A default run whose reactions are off says so."""
    m = am.example("four-bar")
    kinds = f"{KINDS},constraint_forces"
    start = {"v0": {"crank": 8.0}, "duration": 0.3, "step": 2e-3, "record": kinds}
    run = am.simulate(m, **start, method=method, estimate_error=True)
    fine = am.simulate(m, **start | {"step": 5e-5, "every": 40}, method="rk4")
    for name in run.names:
        assert near(run.error_estimate[name], truth(run, fine, name), 1e-9), (method, name)
    if method == "semi-implicit":
        assert run.error_estimate["reactions"] > 1e-3


def test_what_is_rounding_has_no_error():
    """A drift of 1e-16 differs by itself from one run to the next."""
    run = am.simulate(am.example("four-bar"), duration=0.1, record="q,drift", estimate_error=True)
    assert 0.0 < np.abs(run.drift).max() < 1e-14
    assert run.error_estimate["drift"] == 0.0 < run.error_estimate["q"]


def test_batches_take_the_worst_of_their_runs():
    m = am.example("double-pendulum")
    q0 = np.array([[0.1, 0.0], [1.0, 0.5], [2.5, 1.0]])
    many = am.simulate(m, q0, duration=0.3, step=5e-3, estimate_error=True)
    worst = [am.simulate(m, q, duration=0.3, step=5e-3, estimate_error=True) for q in q0]
    absolute = max(one.error_estimate.absolute["q"] for one in worst)
    assert many.error_estimate.absolute["q"] == pytest.approx(absolute, rel=1e-6)


def bouncing():
    b = am.Builder("ball", (0, 0, -9.81))
    b.body("ball", joint="prismatic", axis="z", mass=1.0, limits=am.Limits(0.0, 10.0))
    return b.build()


def test_an_event_ends_what_it_holds_for():
    """A ball falls 1 m: 0.4515 s until the first bounce; the estimate is for the time before."""
    run = am.simulate(bouncing(), [1.0], duration=1.0, step=5e-3, method="semi-implicit",
                      events=am.JointLimits(0.8), estimate_error=True)  # fmt: skip
    found = run.error_estimate
    hit = np.sqrt(2 / 9.81)
    assert found.until is not None
    assert hit - 0.011 < found.until < hit
    assert "event at t = 0.4" in found.notes[0]
    assert "until" in str(run)
    before = run.time <= found.until
    true = np.abs(run["q"][before, 0] - (1.0 - 0.5 * 9.81 * run.time[before] ** 2)).max()
    assert near(found.absolute["q"], true)


def test_sampled_controllers_and_inputs_are_those_of_the_run():
    arm = am.example("two-link")
    pid = am.PID(arm, [0.5, 0.3], 40.0, 0.0, 4.0, period=0.01)
    start = {"duration": 0.4, "step": 5e-3, "controller": pid, "record": "q,v,tau"}
    run = am.simulate(arm, **start, estimate_error=True)
    fine = am.simulate(arm, **start | {"step": 1.25e-4, "every": 40})
    for name in run.names:
        assert near(run.error_estimate[name], truth(run, fine, name), 1e-10), name


@pytest.mark.parametrize("ending", [".nc", ".csv", ".parquet"])
def test_files_keep_it(tmp_path, ending):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    m, out = am.example("double-pendulum"), tmp_path / f"run{ending}"
    run = am.simulate(m, [1.0, 0.5], duration=0.1, step=5e-3, out=out, estimate_error=True)
    loaded = am.load_run(out)
    assert loaded.error_estimate == run.error_estimate
    np.testing.assert_array_equal(loaded["q"], run["q"])
    loaded.save(tmp_path / "copy.nc")
    assert am.load_run(tmp_path / "copy.nc").error_estimate == run.error_estimate


def test_command_summary_info_and_report(tmp_path):
    out = tmp_path / "run.nc"
    words = ["simulate", "double-pendulum", "--q", "1,0.5", "--for", "0.1", "--estimate-error",
             "--out", str(out)]  # fmt: skip
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert "estimated error" in done.stdout
    assert "estimated error" in CliRunner().invoke(app, ["info", str(out)]).stdout
    told = json.loads(CliRunner().invoke(app, ["info", str(out), "--json"]).stdout)
    assert set(told["errors"]["relative"]) == {"q", "v"}
    run = am.load_run(out)
    assert "estimated error" in str(run)
    run.report(tmp_path / "report.html")
    assert "estimated error" in (tmp_path / "report.html").read_text()
    assert am.simulate(am.example("double-pendulum"), duration=0.01).error_estimate is None


def test_what_is_refused(tmp_path):
    m = am.example("double-pendulum")
    for options, words in (
        ({"method": "dopri5"}, "follow the tolerance"),
        ({"resume": True, "out": tmp_path / "run.nc"}, "goes on"),
    ):
        with pytest.raises(InputError, match=words):
            am.simulate(m, duration=0.01, estimate_error=True, **options)
    with pytest.raises(InputError, match="estimate_error"):
        am.simulate(m, duration=0.01, estimate_error=1e-3)
    with pytest.raises(InputError, match="method"):
        am.simulate(m, duration=0.01, estimate_error=True, method="rk5")
