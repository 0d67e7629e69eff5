"""A six-joint arm from noisy data with known truth."""

from functools import cache

import numpy as np
import pinocchio as pin
import pytest
from measured import NOISE, arm, chi2, deviations, model, series, truth
from scipy.stats import chi2 as chi2_law

import armillary as am
from armillary.studies.identification.consistent import pseudo_inertia
from oracles.pinocchio_model import pin_from_model

TIMES = np.arange(0.0, 12.0, 0.015)
# Pinocchio: m, m c, I_xx, I_xy, I_yy, I_xz, I_yz, I_zz about the joint's origin
THEIR_ORDER = [0, 1, 2, 3, 4, 7, 5, 8, 9, 6]


@cache
def motion():
    return series(6, 11)(TIMES)


def log(seed: int) -> dict:
    q, v, a = motion()
    tau = arm().inverse_dynamics(q, v, a)
    noise = np.random.default_rng(seed).normal(size=tau.shape) * NOISE
    return {"time": TIMES, "q": q, "v": v, "a": a, "tau": tau + noise}


@cache
def found(seed: int):
    return am.identify(model(), log(seed))


def test_errors_are_within_three_standard_errors():
    assert np.abs(deviations(found(0), arm())).max() < 3.0
    assert len(found(0).base_estimates) == 36 + 12  # 36 of the inertias [test_regressor], friction


@pytest.mark.parametrize("seed", range(4))
def test_errors_are_those_of_the_covariance(seed):
    """e^T C^-1 e obeys the chi-squared law of as many freedoms: no seed beyond one of 10 000."""
    one = found(seed)
    low, high = chi2_law.ppf((1e-4, 1.0 - 1e-4), len(one.base_estimates))
    assert low < chi2(one, arm()) < high
    assert np.abs(deviations(one, arm())).max() < 4.5


def test_the_noise_is_found():
    """Its standard deviation is known to 1 / sqrt(2 n): five of these."""
    ratio = found(0).noise / NOISE
    assert np.abs(ratio - 1.0).max() < 5.0 / np.sqrt(2.0 * len(TIMES))


def test_every_body_can_exist_and_the_mechanism_has_the_combinations():
    """Pseudo-inertias of the new mechanism, made from its own masses, are positive definite; its
    forces are the true ones at states that were not measured."""
    one = found(1)
    assert one.faults == ()
    assert not [n for n in one.mechanism.report.notes if n.level == "warning"]
    parameters = one.mechanism.parameters.reshape(-1, 10)
    assert all(np.linalg.eigvalsh(pseudo_inertia(p)).min() > 0.0 for p in parameters)
    errors = one.base.matrix @ (truth(one, one.mechanism) - truth(one, arm()))
    assert np.abs(errors / one.standard_errors).max() < 3.5
    q, v, a = series(6, 12)(TIMES[::5])
    off = one.mechanism.inverse_dynamics(q, v, a) - arm().inverse_dynamics(q, v, a)
    assert (np.sqrt(np.mean(off**2, axis=0)) < 0.5 * NOISE).all()
    before = model().inverse_dynamics(q, v, a) - arm().inverse_dynamics(q, v, a)
    assert (np.sqrt(np.mean(before**2, axis=0)) > 10.0 * NOISE).all()


def test_columns_and_estimate_agree_with_pinocchio():
    """Its regressor, live: the same columns; and least squares made of them by hand have the same
    forces at other states."""
    theirs = pin_from_model(model().model)
    data, one = log(2), found(2)
    q, v, a = motion()
    Y = np.array(
        [
            np.array(
                pin.computeJointTorqueRegressor(
                    theirs.model, theirs.data, theirs.q(x), theirs.v(y), theirs.v(z)
                )
            )
            for x, y, z in zip(q, v, a, strict=True)
        ]
    )
    order = [10 * (k // 10) + THEIR_ORDER[k % 10] for k in range(60)]
    ours = one.equations.linearized(one.estimates)[1][:, :, :60]
    np.testing.assert_allclose(ours[:, :, order], Y, atol=1e-11 * np.abs(Y).max())
    friction = np.zeros((len(q), 6, 12))
    for k in range(6):
        friction[:, k, k], friction[:, k, 6 + k] = v[:, k], np.sign(v[:, k])
    X = np.concatenate([Y, friction], axis=2) / one.noise[None, :, None]
    y = data["tau"] / one.noise
    beta = np.linalg.lstsq(X.reshape(-1, 72), y.reshape(-1), rcond=1e-9)[0]
    predicted = np.concatenate([Y, friction], axis=2) @ beta
    mine = data["tau"] - one.residuals
    np.testing.assert_allclose(mine, predicted, atol=1e-6 * np.abs(mine).max())


@pytest.mark.parametrize("seed", [5, 6])
def test_positions_alone(seed):
    """q with the noise of an encoder (1e-4 rad), rates behind the zero-phase filter: errors obey
    their law; the largest of 48 exceeds 3.9 once in 200 logs."""
    t = np.arange(0.0, 24.0, 0.002)
    q, v, a = series(6, 11, period=24.0, size=0.5)(t)
    rng = np.random.default_rng(seed)
    tau = arm().inverse_dynamics(q, v, a) + rng.normal(size=q.shape) * NOISE
    data = {"time": t, "q": q + 1e-4 * rng.normal(size=q.shape), "tau": tau}
    one = am.identify(model(), data)
    assert 5 / 24 < one.equations.filters[0].cutoff < 5.0  # five harmonics of 1/24 Hz
    low, high = chi2_law.ppf((1e-4, 1.0 - 1e-4), len(one.base_estimates))
    assert low < chi2(one, arm()) < high
    assert np.abs(deviations(one, arm())).max() < 3.9
    assert one.faults == () and np.abs(one.autocorrelation).max() < 0.3


def test_cross_validation_is_the_noise_and_a_little_more():
    quality = found(0).quality
    assert (quality.errors > 0.95 * NOISE).all() and (quality.errors < 1.15 * NOISE).all()
    q, v, a = series(6, 21)(TIMES)
    other = {"time": TIMES, "q": q, "v": v, "a": a, "tau": arm().inverse_dynamics(q, v, a)}
    elsewhere = found(0).validate(other)
    assert (elsewhere.errors < 0.5 * NOISE).all()


def test_several_logs_are_one():
    """Two halves as a list: the same equations, the same answer."""
    data = log(0)
    halves = [{k: x[part] for k, x in data.items()} for part in (slice(0, 400), slice(400, None))]
    np.testing.assert_allclose(
        am.identify(model(), halves).base_estimates, found(0).base_estimates, rtol=1e-6, atol=1e-8
    )


def test_a_model_that_knows_no_masses():
    """Kinematics alone, as a table of Denavit and Hartenberg has it: the same combinations, and
    bodies that can exist all the same."""
    bare = model().replace(bodies={name: {"mass": am.Mass()} for name in model().bodies})
    one = am.identify(bare, log(0))
    assert one.faults == () and min(one.mechanism.parameters[::10]) > 0.0
    errors = one.base.matrix @ (truth(one, one.mechanism) - truth(one, arm()))
    assert np.abs(errors / one.standard_errors).max() < 4.0
    assert len(one.base_estimates) == len(found(0).base_estimates)


def test_the_puma_itself_with_rotors_and_friction_that_differs_each_way():
    """No body has its inertias of links 1 and 3: the combinations are found all the same."""
    puma = am.example("puma560")
    q, v, a = motion()
    noise = np.random.default_rng(8).normal(size=q.shape) * NOISE
    data = {"time": TIMES, "q": q, "v": v, "a": a, "tau": puma.inverse_dynamics(q, v, a) + noise}
    plain = puma.replace(bodies={name: {"passive": am.Passive()} for name in puma.bodies})
    one = am.identify(
        plain, data, friction=("viscous", "coulomb_each_way"), rotors=True, realizable=False
    )
    low, high = chi2_law.ppf((1e-4, 1.0 - 1e-4), len(one.base_estimates))
    assert low < chi2(one, puma) < high
    passive = one.mechanism.model.bodies[0].joint.passive[0]
    error = one.error_of("joint1.coulomb_forward")
    assert abs(passive.each_way()[0] - 0.395 * 62.6111) < 4.0 * error < 1.0
