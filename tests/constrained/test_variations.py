"""Derivatives of constrained accelerations against differences along closed configurations."""

import numpy as np
import pytest

import armillary as am

STEP = 1e-5


@pytest.mark.parametrize(
    "name", ["four-bar", "stewart", "hslm", "bicycle", "bricard", "two-link-load", "rover"]
)
def test_along_admissible_variations(name):
    m = am.example(name)
    rng = np.random.default_rng(0)
    q, v = m.project(m.integrate(m.initial, rng.normal(size=m.nv) * 0.02), rng.normal(size=m.nv))
    tau, f = rng.normal(size=m.nv), m.forward_dynamics
    d = f.derivatives(q, v, tau)
    size = 1.0 + np.abs(f(q, v, tau)).max()
    for k, direction in enumerate(d.motions.T[:3]):
        ends = [m.project(m.integrate(q, s * STEP * direction))[0] for s in (1.0, -1.0)]
        slope = (f(ends[0], v, tau) - f(ends[1], v, tau)) / (2.0 * STEP)
        np.testing.assert_allclose(slope, d.dq[:, k], atol=2e-5 * size * (1 + np.abs(slope).max()))
    for k, direction in enumerate(d.velocities.T[:3]):
        slope = (f(q, v + STEP * direction, tau) - f(q, v - STEP * direction, tau)) / (2.0 * STEP)
        np.testing.assert_allclose(slope, d.dv[:, k], atol=1e-5 * size)
    for k in range(m.nv):  # linear in tau: differences are exact
        unit = np.eye(m.nv)[k]
        np.testing.assert_allclose(f(q, v, tau + unit) - f(q, v, tau), d.dtau[:, k],
                                   atol=1e-9 * size)  # fmt: skip


def test_dtau_is_symmetric_and_stays_in_the_free_motions():
    m = am.example("stewart")
    d = m.forward_dynamics.derivatives(m.initial, np.zeros(24), np.zeros(24))
    size = np.abs(d.dtau).max()
    np.testing.assert_allclose(d.dtau, d.dtau.T, atol=1e-12 * size)
    np.testing.assert_allclose(m.constraint_jacobian(m.initial) @ d.dtau, 0, atol=1e-11 * size)
