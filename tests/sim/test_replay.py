"""`replay`: a given motion against simulations, closed forms and single calls."""

import numpy as np
import pytest
from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app
from armillary.errors import InadmissibleError, InputError
from armillary.sim.motion.rates import rates, slopes

T = np.linspace(0.0, 1.2, 241)


def turning(t):
    """A crank: angle, rate, acceleration."""
    return 1.0 + 3.0 * t + 0.2 * np.sin(4 * t), 3.0 + 0.8 * np.cos(4 * t), -3.2 * np.sin(4 * t)


# -- rates ----------------------------------------------------------------------------------------


def test_slopes_are_exact_for_polynomials_at_uneven_instants():
    rng = np.random.default_rng(0)
    t = np.sort(rng.uniform(0, 2, 30)) + 0.02 * np.arange(30)
    p = np.polynomial.Polynomial(rng.normal(size=7))
    first, second = slopes(t, 1e3 + p(t)[:, None])
    np.testing.assert_allclose(first[:, 0], p.deriv()(t), atol=1e-5)
    np.testing.assert_allclose(second[:, 0], p.deriv(2)(t), atol=1e-2)


def test_rates_on_manifolds_are_those_of_a_tumbling_body():
    """Orientation of known angular velocity: q' = ½ q (0, w); the second derivative too."""
    b = am.Builder("body")
    b.body("body", joint="free", mass=1.0, inertia=(1, 1, 1))
    m = b.build()
    run = am.simulate(b.build().replace(gravity=(0, 0, 0), bodies={"body": {"inertia": (1, 2, 3)}}),
                      m.initial, [1.0, 2.0, 0.5, 0.3, 0.1, -0.2], 1.0, 5e-3,
                      record="q,v,a")  # fmt: skip
    v, a = rates(m, run.time, run["q"])
    np.testing.assert_allclose(v, run["v"], atol=1e-7)
    np.testing.assert_allclose(a, run["a"], atol=1e-4)


@pytest.mark.parametrize("count", [2, 3, 4])
def test_few_instants(count):
    t = np.linspace(0, 1, count)
    first, second = slopes(t, (2 * t + 1)[:, None])
    np.testing.assert_allclose(first, 2.0, atol=1e-12)
    np.testing.assert_allclose(second, 0.0, atol=1e-10)


# -- trees ----------------------------------------------------------------------------------------


def test_it_gives_back_the_forces_of_a_simulation():
    arm = am.example("six-r")
    pushes = {"link2": lambda t: 3 * np.sin(5 * t), "link5": 0.2}
    kinds = "q,v,a,tau,reactions,energy,momentum"
    wrench = [0.1, 0.2, 0.3, 1.0, 2.0, 3.0]
    run = am.simulate(arm, arm.random_state(1)[0], duration=0.3, step=1e-3, inputs=pushes,
                      external={"link6": wrench}, record=kinds)  # fmt: skip
    again = am.replay(arm, (run.time, run["q"], run["v"], run["a"]), record=kinds,
                      external={"link6": wrench})  # fmt: skip
    assert again.labels == run.labels
    assert again.units == run.units
    for name in run.names:
        size = 1.0 + np.abs(run[name]).max()
        np.testing.assert_allclose(again[name], run[name], atol=1e-10 * size)
    # the run itself, its accelerations by polynomials through velocities
    from_run = am.replay(arm, run, external={"link6": lambda t: wrench}, record="tau,a")
    np.testing.assert_allclose(from_run["tau"], run["tau"], atol=1e-5 * np.abs(run["tau"]).max())
    assert not from_run.events  # q, v and a are recorded there


def test_row_k_is_the_single_call():
    arm = am.example("stanford")
    way = am.trajectories.point_to_point(arm, arm.random_state(1)[0], arm.random_state(2)[0], 1.0)
    run = am.replay(arm, way, step=0.05, record="q,v,a,tau,kinetic,reactions")
    assert len(run) == 21
    for k in (0, 7, 20):
        sample = way(run.time[k])
        tau = arm.inverse_dynamics(*sample)
        np.testing.assert_allclose(run["tau"][k], tau, atol=1e-12 * np.abs(tau).max())
        expected = arm.reactions(*sample).total.ravel()
        np.testing.assert_allclose(run["reactions"][k], expected, atol=1e-11)


def test_motions_by_name_in_a_tree():
    arm = am.example("stanford")
    joint = arm.v_labels[0]
    run = am.replay(arm, {joint: turning}, duration=1.0, step=0.01)
    np.testing.assert_allclose(run["q"][:, 0], turning(run.time)[0], atol=1e-14)
    np.testing.assert_array_equal(run["q"][:, 1:], np.tile(arm.initial[1:], (101, 1)))
    np.testing.assert_allclose(run["a"][:, 0], turning(run.time)[2], atol=1e-14)
    by_array = am.replay(arm, (run.time, {joint: turning(run.time)[0]}))
    np.testing.assert_allclose(by_array["tau"], run["tau"], atol=1e-4 * np.abs(run["tau"]).max())
    assert "were not given" in by_array.events[0][1]


# -- closed mechanisms ----------------------------------------------------------------------------


def test_a_led_four_bar_against_a_driven_simulation():
    """The same motion prescribed in `simulate`: places, rates, forces of loop and crank."""
    m = am.example("four-bar")
    kinds = "q,v,a,energy,constraint_forces,drift"
    driven = am.simulate(m, m.assemble({"crank": 1.0}).q, {"crank": turning(0.0)[1]}, 1.2, 1e-3,
                         prescribed={"crank": turning}, record=f"{kinds},prescribed_force",
                         every=5)  # fmt: skip
    run = am.replay(m, {"crank": turning}, times=driven.time, record=f"{kinds},tau")
    for name in ("q", "v", "a", "energy", "constraint_forces"):
        mine = run[name]
        theirs = driven[name][..., : mine.shape[1]] if mine.ndim > 1 else driven[name]
        size = 1.0 + np.abs(theirs).max()
        np.testing.assert_allclose(mine, theirs, atol=2e-7 * size)
    np.testing.assert_allclose(run["tau"][:, 0], driven["prescribed_force"][:, 0], atol=1e-6)
    np.testing.assert_array_equal(run["tau"][:, 1:], 0.0)  # the crank alone is driven
    assert np.abs(run["drift"]).max() < 1e-12


def test_power_of_the_crank_is_the_rate_of_energy():
    m = am.example("slider-crank").replace()
    joint = m.v_labels[0]
    t = np.linspace(0, 1, 401)
    run = am.replay(m, (t, {joint: turning(t)[0]}, {joint: turning(t)[1]}, {joint: turning(t)[2]}),
                    record="q,v,a,tau,energy")  # fmt: skip
    power = np.einsum("tn,tn->t", run["tau"], run["v"])
    lost = np.array([
        (m.inverse_dynamics(q, v, a) - m.inverse_dynamics(q, v, a, passive=False)) @ v
        for q, v, a in zip(run["q"][::40], run["v"][::40], run["a"][::40], strict=True)
    ])  # fmt: skip
    rise = slopes(t, run["energy"][:, None])[0][:, 0]
    # springs are in the energy and in the passive forces: the example has none
    np.testing.assert_allclose((power - rise)[::40], lost, atol=1e-5 * np.abs(power).max())


def test_the_whole_q_of_closed_and_rolling_mechanisms():
    for name, seconds in (("stewart", 0.05), ("bicycle", 0.3)):
        m = am.example(name)
        v0 = {"rear-frame.vx": 4.0} if name == "bicycle" else None
        run = am.simulate(m, m.initial, v0, seconds, 1e-3, record="q,v,a,energy")
        again = am.replay(m, (run.time, run["q"], run["v"]), record="q,v,a,energy")
        size = 1.0 + np.abs(run["a"]).max()
        np.testing.assert_allclose(again["a"], run["a"], atol=1e-4 * size)
        np.testing.assert_allclose(again["q"], run["q"], atol=1e-9)
        residual = m.constraint_jacobian(again["q"]) @ again["v"][..., None]
        assert np.abs(residual).max() < 1e-9


def test_rounded_positions_are_closed_with_a_note():
    m = am.example("four-bar")
    exact = am.replay(m, {"crank": turning}, times=T)
    run = am.replay(m, (T, np.round(exact["q"], 6)), record="q,drift")
    assert any("it was closed" in text for _, text in run.events)
    assert np.abs(run["drift"]).max() < 1e-10


# -- without masses -------------------------------------------------------------------------------


def test_kinematics_alone_where_masses_are_unknown():
    b = am.Builder("bare", checks="report")
    b.body("one", axis="y")
    b.body("two", "one", at=(0.5, 0, 0), axis="y")
    m = b.build()
    run = am.replay(m, {"one": turning, "two": 0.3}, duration=0.2)
    assert run.names == ("q", "v", "a")
    with pytest.raises(InputError, match="tau, condition depend on masses"):
        am.replay(m, {"one": turning}, duration=0.2, record="q,pose:two,tau,condition")
    names = "pose:two,velocity:two:world_aligned,acceleration:two:world_aligned,condition:two"
    spin = {"one": lambda t: (2.0 * t, 2.0, 0.0)}
    run = am.replay(m, spin, duration=0.2, record=names)  # half a metre round, 2 rad/s
    x, y = 0.5 * np.cos(2 * run.time), -0.5 * np.sin(2 * run.time)
    np.testing.assert_allclose(run["pose:two"][:, [0, 2]], np.stack([x, y], 1), atol=1e-12)
    speed, acceleration = (run[name][:, 3:] for name in names.split(",")[1:3])
    np.testing.assert_allclose(speed[:, [0, 2]], np.stack([2 * y, -2 * x], 1), atol=1e-12)
    np.testing.assert_allclose(acceleration[:, [0, 2]], np.stack([-4 * x, -4 * y], 1), atol=1e-12)


# -- a run like any other -------------------------------------------------------------------------


def test_it_is_saved_loaded_plotted_and_animated(tmp_path):
    m = am.example("four-bar")
    run = am.replay(m, {"crank": turning}, times=T, record="q,v,tau,reactions",
                    out=tmp_path / "run.nc")  # fmt: skip
    loaded = am.load_run(tmp_path / "run.nc")
    for name in run.names:
        np.testing.assert_array_equal(loaded[name], run[name])
    assert loaded.method == "replay"
    run.plot("tau", path=tmp_path / "tau.png")
    run.animate(tmp_path / "run.html")
    run.report(tmp_path / "report.html")
    assert all((tmp_path / x).stat().st_size > 1000 for x in ("tau.png", "run.html", "report.html"))


def test_shapes_of_modes_are_runs(tmp_path):
    m = am.example("four-bar")
    rest = m.equilibrium({"crank": -1.4}, stable=True)
    modes = m.modes(rest.q)
    run = modes.run(0, m, amplitude=0.2)
    assert np.abs(m.constraint_residual(run["q"])).max() < 1e-9
    k = int(np.argmax(np.abs(modes[0].shape)))
    assert np.abs(run["q"][:, k] - rest.q[k]).max() == pytest.approx(0.2, rel=0.2)
    run.animate(tmp_path / "mode.html")
    with pytest.raises(InputError, match="from 0 to 0"):
        modes.run(3, m)


def test_beyond_limits_is_told():
    b = am.Builder("stopped")
    b.body("bar", axis="y", mass=1.0, inertia=(1, 1, 1), limits=am.Limits(-1.0, 1.0))
    run = am.replay(b.build(), {"bar": turning}, duration=0.5)
    assert "'bar' is beyond its limits: 1 to" in run.events[0][1]


# -- refusals -------------------------------------------------------------------------------------


def test_what_is_refused():
    m, arm = am.example("four-bar"), am.example("stanford")
    good = am.replay(m, {"crank": turning}, times=T)
    open_ = good["q"].copy()
    open_[50:, 1] += 0.1
    fast = good["v"].copy()
    fast[60, 2] += 0.5
    for bad, words in (
        (lambda: am.replay(m, (T, open_)), "at t = 0.25 s 'four-bar' is open"),
        (lambda: am.replay(m, (T, good["q"], fast)), "do not allow v"),
        (lambda: am.replay(m, {"rocker": lambda t: (2 * t, 2.0, 0.0)}, duration=4.0), "rocker"),
        (lambda: am.replay(arm, (T, np.zeros((3, arm.nq)))), "expected 241 rows"),
        (lambda: am.replay(arm, (T[::-1], np.zeros((241, arm.nq)))), "times that rise"),
        (lambda: am.replay(arm, (T,)), "found 1 parts"),
        (lambda: am.replay(arm, {arm.v_labels[0]: turning}), "how long"),
        (lambda: am.replay(arm, {arm.v_labels[0]: 0.0}, duration=1.0, step=-1.0), "step"),
        (lambda: am.replay(arm, {arm.v_labels[0]: 0.0}, duration=0.1, external={"link1": [1.0]}),
         "6 finite numbers"),
        (lambda: am.replay(arm, (T, np.full((241, arm.nq), np.nan))), "not a finite number at t"),
        (lambda: am.replay(arm, {arm.v_labels[0]: 0.0}, duration=1.0, step="a"), "step"),
        (lambda: am.replay(arm, {arm.v_labels[0]: 0.0}, duration=1.0, external=3), "by frame name"),
        (lambda: am.replay(arm, {arm.v_labels[0]: 0.0}, duration=1.0, record=3), "record: expect"),
        (lambda: am.replay(arm, {arm.v_labels[0]: 0.0}, duration=1.0, start="a"), "real numbers"),
    ):  # fmt: skip
        with pytest.raises((InputError, InadmissibleError, am.ModelError), match=words):
            bad()


def test_too_few_named_coordinates_of_a_parallel_machine():
    m = am.example("stewart")
    label = m.v_labels[-1]
    place = m.initial[-1]
    with pytest.raises(InputError, match=r"keeps 5 freedoms"):
        am.replay(m, {label: place}, duration=0.1)


# -- the command line -----------------------------------------------------------------------------


def test_the_command_reads_tables_and_runs(tmp_path):
    m = am.example("four-bar")
    table = tmp_path / "motion.csv"
    np.savetxt(table, np.c_[T, turning(T)[0]], delimiter=",", header="time,crank", comments="")
    out = tmp_path / "run.nc"
    words = ["replay", "four-bar", str(table), "-o", str(out), "--record", "q,v,tau,reactions"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert "were not given" in done.stderr
    run = am.load_run(out)
    expected = am.replay(m, (T, {"crank": turning(T)[0]}), record="q,v,tau,reactions")
    for name in expected.names:
        np.testing.assert_allclose(run[name], expected[name], atol=1e-9)
    again = CliRunner().invoke(app, ["replay", "four-bar", str(out), "--json"])
    assert again.exit_code == 0, again.output
    refused = CliRunner().invoke(app, ["replay", "six-r", str(table)])
    assert refused.exit_code == 1
    assert "none of them is a coordinate" in refused.stderr


@pytest.mark.parametrize("given", [None, 3.0, "motion.csv", np.array(3.0)])
def test_no_motion_at_all(given):
    with pytest.raises(am.InputError, match="expected a trajectory"):
        am.replay(am.example("double-pendulum"), given)
