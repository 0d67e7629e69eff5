"""Logs: every form gives the same numbers; what is wrong with one is said by name."""

import numpy as np
import pytest

import armillary as am
from armillary.studies.identification.filtering import filter_for, highest_frequency, low_pass
from armillary.studies.identification.logs import Log, read_logs

T = np.arange(0.0, 6.0, 0.01)


def arm() -> am.Mechanism:
    return am.example("double-pendulum")


def run() -> am.Run:
    q = np.column_stack([0.8 * np.sin(1.3 * T) + 0.4 * np.sin(4.0 * T), 0.9 * np.cos(2.1 * T)])
    return am.replay(arm(), (T, q))


def arrays(**changes) -> dict:
    one = run()
    return {"time": T, "q": one.q, "v": one.v, "a": one.a, "tau": one.tau} | changes


@pytest.mark.parametrize("ending", [".csv", ".nc", ".parquet"])
def test_files_runs_and_arrays_are_the_same(tmp_path, ending):
    path = tmp_path / f"log{ending}"
    run().save(path)
    expected = am.identify(arm(), arrays()).base_estimates
    for data in (path, str(path), run()):
        np.testing.assert_array_equal(am.identify(arm(), data).base_estimates, expected)


def test_columns_by_name_in_any_order_and_unit(tmp_path):
    """A table of another program: degrees, N mm, the joints in another order."""
    one = run()
    heads = "time,tau.elbow [N mm],tau.shoulder [N m],q.elbow [deg],q.shoulder [rad]"
    rows = [T, 1e3 * one.tau[:, 1], one.tau[:, 0], np.degrees(one.q[:, 1]), one.q[:, 0]]
    path = tmp_path / "bench.csv"
    np.savetxt(path, np.column_stack(rows), delimiter=",", header=heads, comments="", fmt="%.17g")
    (log,) = read_logs(arm(), path)
    np.testing.assert_allclose(log.q, one.q, rtol=1e-14)
    np.testing.assert_allclose(log.effort, one.tau, rtol=1e-13)
    assert log.v is None and log.entries == (0, 1)
    by_name = arrays(tau={"elbow": one.tau[:, 1], "shoulder": one.tau[:, 0]})
    np.testing.assert_array_equal(read_logs(arm(), by_name)[0].effort, one.tau)


def broken(name: str, row: int, column: int, value: float) -> dict:
    data = {k: np.array(x) for k, x in arrays().items()}
    data[name][row, column] = value
    return data


UNEVEN = np.concatenate([T[:300], T[300:] + 0.007])
BAD = [
    (lambda: arrays() | {"tau": None}, "there are no joint forces.*tau.shoulder"),
    (lambda: {k: x for k, x in arrays().items() if k != "time"}, "no column 'time'"),
    (lambda: arrays(q={"shoulder": T}), "no column q.elbow. Found are q.shoulder"),
    (lambda: arrays(q=np.zeros((600, 3))), r"expected \(T, 2\).*found shape \(600, 3\)"),
    (lambda: arrays(tau={"wrist": T}), "joint .column tau.wrist of data."),
    (lambda: arrays(tau={"elbow [furlong]": T}), "the unit 'furlong' is not known.*N m"),
    (lambda: arrays(speed=T), "quantity of data"),
    (lambda: broken("q", 17, 1, np.nan), r"q.elbow: nan at t = 0.17 s \(row 17\); 1 rows"),
    (lambda: broken("tau", 3, 0, np.inf), "tau.shoulder: inf at t = 0.03 s"),
    (lambda: arrays(time=T[::-1]), "time must rise"),
    (lambda: {k: x[:5] for k, x in arrays().items()}, "5 instants is too short"),
    (lambda: {k: x[:9] for k, x in arrays().items()}, "18 equations are too few for"),
    (lambda: arrays(time=T[:-1]), "600 rows for 599 instants"),
    (lambda: arrays(time=UNEVEN, v=None, a=None), "equally spaced.*oddest at t = 2.99 s"),
    (lambda: 3.0, "expected a Run, a file"),
    (list, "found an empty list"),
]


@pytest.mark.parametrize(("data", "text"), BAD)
def test_what_is_wrong_is_said(data, text):
    with pytest.raises(am.ArmillaryError, match=text):
        am.identify(arm(), data())


def test_uneven_instants_are_fine_where_nothing_is_filtered():
    found = am.identify(arm(), arrays(time=UNEVEN))
    np.testing.assert_allclose(found.base_estimates, found.base_of_model, rtol=1e-6, atol=1e-8)


def test_questions_that_make_no_sense():
    with pytest.raises(am.ModelError, match="term of friction"):
        am.identify(arm(), arrays(), friction="sticky")
    with pytest.raises(am.ModelError, match="body"):
        am.identify(arm(), arrays(), bodies=["forearm"])
    with pytest.raises(am.ModelError, match="spring"):
        am.identify(arm(), arrays(), springs="strut")
    with pytest.raises(am.InputError, match="nothing is asked for"):
        am.identify(arm(), arrays(), inertias=False, friction=())
    with pytest.raises(am.InputError, match="between 0 and half the sampling rate, 50 Hz"):
        am.identify(arm(), arrays(), cutoff=70.0)
    with pytest.raises(am.InputError, match=r"600 instants over .* are too few for a filter"):
        am.identify(arm(), arrays(), cutoff=0.4)
    with pytest.raises(am.InputError, match="noise: expected a positive deviation"):
        am.identify(arm(), arrays(), noise={"shoulder": 0.1})
    with pytest.raises(am.InputError, match="one thing"):
        am.identify(arm(), arrays(), friction=("coulomb", "coulomb_each_way"))


def test_data_that_excite_nothing_name_what_is_not_seen():
    """Without gravity and motion nothing is seen; standing still under gravity, two moments."""
    still = {"time": T, "q": np.zeros((600, 2)), "v": np.zeros((600, 2)), "a": np.zeros((600, 2))}
    floating = arm().replace(gravity=(0, 0, 0))
    with pytest.raises(am.InputError, match=r"Not seen: upper.mass.*exciting_trajectory"):
        am.identify(floating, still | {"tau": np.zeros((600, 2))}, still=-1.0)
    noise = 0.01 * np.random.default_rng(0).normal(size=(600, 2))
    with pytest.raises(am.InputError, match=r"say nothing.*shoulder.viscous"):
        am.identify(floating, arrays(tau=noise), inertias=False)
    bent = still | {"q": np.tile([0.4, 0.9], (600, 1))}
    hang = am.identify(
        arm(), bent | {"tau": arm().static_torques(bent["q"]) + noise}, friction=(), still=-1.0
    )
    assert len(hang.base_estimates) <= 4 and "upper.yy" in hang.unseen
    assert "no measured force depends on" in str(hang)


def test_a_joint_that_never_moves_is_left_out():
    """Its dry friction could be anything: its equations do not count, and its friction is not
    seen; the others are found, without a warning."""
    one = run()
    q, v, a = (np.column_stack([x[:, 0], 0 * x[:, 1]]) for x in (one.q, one.v, one.a))
    rng = np.random.default_rng(0)
    tau = arm().inverse_dynamics(q, v, a) + 0.01 * rng.normal(size=q.shape)
    for robust in (False, True):
        found = am.identify(arm(), {"time": T, "q": q, "v": v, "a": a, "tau": tau}, robust=robust)
        assert {"elbow.viscous", "elbow.coulomb"} <= set(found.unseen)
        assert "shoulder.viscous" in found.base_names and np.isnan(found.cross_validation[1])
        assert found.noise.shape == (2,) and "elbow" in str(found)
        assert abs(found["shoulder.viscous"] - 0.002) < 4.0 * found.error_of("shoulder.viscous")


def test_filters_have_no_phase_and_keep_what_is_slow():
    t = np.arange(0.0, 20.0, 0.01)
    x = np.sin(2.0 * np.pi * 0.5 * t)
    noisy = x + 0.5 * np.sin(2.0 * np.pi * 30.0 * t)
    inside = slice(200, -200)
    np.testing.assert_allclose(low_pass(noisy, 5.0, 0.01)[inside], x[inside], atol=1e-5)
    gain = 1.0 / (1.0 + (4.0 / 5.0) ** 8)  # forwards and backwards, order four
    high = np.sin(2.0 * np.pi * 4.0 * t)
    np.testing.assert_allclose(low_pass(high, 5.0, 0.01)[inside], gain * high[inside], atol=0.01)
    rng = np.random.default_rng(0)
    data = np.column_stack([x, 0.3 * np.sin(2.0 * np.pi * 2.0 * t)]) + 1e-4 * rng.normal(
        size=(len(t), 2)
    )
    assert 2.0 <= highest_frequency(data, 0.01) < 2.6
    smooth = filter_for(Log(t, data, None, None, data, (0, 1)), None)
    assert 10.0 <= smooth.cutoff < 13.0
    assert len(smooth.thinned(t)) == len(smooth.forces(data))
