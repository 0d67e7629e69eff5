"""What is found does not depend on the rounding of a processor."""

import numpy as np
import pytest

import armillary as am
from armillary.evaluate.derivatives import combinations
from armillary.studies.identification import excitation


@pytest.mark.parametrize("seed", range(8))
def test_base_parameters_are_chosen_alike(seed):
    """Columns that stand for each other equally well, each off by rounding of its own."""
    rng = np.random.default_rng(0)
    x, y = np.linalg.qr(rng.normal(size=(40, 2)))[0].T
    stacked = np.stack([x, 2.0 * x, -x, y, 0.5 * y, x], axis=1)
    noise = 1.0 + 1e-15 * np.random.default_rng(seed).normal(size=stacked.shape)
    found = combinations(stacked * noise, tuple("abcdef"))
    assert found.columns == (0, 3)
    np.testing.assert_allclose(found.matrix, [[1, 2, -1, 0, 0, 1], [0, 0, 0, 1, 0.5, 0]], atol=1e-9)
    values = np.linalg.svd(stacked / np.linalg.norm(stacked, axis=0), compute_uv=False)
    np.testing.assert_allclose(found.singular_values, values, rtol=1e-9, atol=1e-12)


def test_rest_has_no_direction():
    """An exciting motion begins at rest up to rounding: its dry friction there is none, whichever
    way the rounding points."""
    arm = am.example("double-pendulum")
    t = np.linspace(0.0, 1.0, 400)
    q = np.stack([np.sin(6.0 * t), np.cos(5.0 * t)], axis=1)
    v = np.stack([6.0 * np.cos(6.0 * t), -5.0 * np.sin(5.0 * t)], axis=1)
    a = -q * [36.0, 25.0]
    found = []
    for rounding in (1e-17, -1e-17):
        v[::50] = rounding
        data = {"time": t, "q": q, "v": v, "a": a, "tau": arm.inverse_dynamics(q, v, a)}
        found.append(am.identify(arm, data, still=-1).condition)
    assert found[0] == pytest.approx(found[1], rel=1e-9)


def test_shapes_begin_and_end_at_rest():
    for w in (np.ones(5), np.arange(1.0, 6.0)):
        across = excitation._across(w)
        np.testing.assert_allclose(across @ w, 0.0, atol=1e-14)
        np.testing.assert_allclose(across @ across.T, np.eye(4), atol=1e-14)
