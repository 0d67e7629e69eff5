"""How tests compare: relative to the largest number of the expected answer."""

import numpy as np


def close(found, expected, tolerance: float = 1e-10, what: str = "") -> None:
    """max |found - expected| <= tolerance * max(1, max |expected|)."""
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    assert found.shape == expected.shape, f"{what}: shape {found.shape}, not {expected.shape}"
    scale = max(1.0, np.abs(expected).max(initial=0.0))
    error = np.abs(found - expected).max(initial=0.0) / scale
    assert error <= tolerance, f"{what} off by {error:.2e} relative\n{found}\n{expected}"


def derivative(f, h: float = 1e-3):
    """df/dt at t = 0 by central differences of sixth order (error about h^6 and rounding / h)."""
    d1, d2, d3 = (np.asarray(f(k * h)) - np.asarray(f(-k * h)) for k in (1, 2, 3))
    return (45 * d1 - 9 * d2 + d3) / (60 * h)
