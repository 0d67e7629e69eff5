"""A corner of a car against Exudyn: see oracles/exudyn_corner.py."""

import numpy as np

from oracles.exudyn_corner import EXUDYN, fallen_corner


def test_a_falling_corner():
    found = fallen_corner()
    np.testing.assert_allclose(found[:, 0], EXUDYN[:, 0], atol=1e-12)
    np.testing.assert_allclose(found[:, 1:4], EXUDYN[:, 1:4], rtol=0.0, atol=5e-9)
    np.testing.assert_allclose(found[:, 4:], EXUDYN[:, 4:], rtol=0.0, atol=5e-7)
    assert np.ptp(found[:, 3]) > 0.02 and np.abs(found[:, 6]).max() > 1.0  # it falls, and steers
