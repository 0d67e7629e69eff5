"""Steps and differences of whole mechanisms by native code, against the joints' own formulas on
floats."""

import numpy as np
import pytest

import armillary as am
from armillary.evaluate import charts
from armillary.evaluate.native_call import available
from armillary.scalar import Scalar

PART = {"mass": 1.0, "com": (0.1, 0.2, 0.3), "inertia": (0.1, 0.2, 0.25)}

PLAIN = ("revolute", "prismatic", "universal", "planar", "cylindrical")


def chain(tier=None):
    """A joint of every type, some of those that turn, and a fixed one between."""
    b = am.Builder("every joint")
    parent = ""
    balls = ("spherical",) * 6
    for k, kind in enumerate(("free", *PLAIN, "spherical", "fixed", *balls, "revolute")):
        b.body(f"b{k}", *([parent] if parent else []), joint=kind, **PART)
        parent = f"b{k}"
    return b.build().compile(tier=tier)


def by_joint(m, method: str, x, y) -> np.ndarray:
    found: list[Scalar] = []
    for joint, slot in zip(m.model.joints, m.model.slots, strict=True):
        second = slot.v if method == "integrate" else slot.q
        found += getattr(joint, method)(x[slot.q].tolist(), y[second].tolist())
    return np.array(found)


def places(m) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of places: anywhere; the same; the same with quaternions of opposite sign; a little
    apart; nearly half a turn apart."""
    q, v, _ = m.random_state(5, count=40)
    to, *_ = m.random_state(6, count=40)
    to[0] = q[0]
    to[1] = m.integrate(q[1], 1e-9 * v[1])
    to[2] = m.integrate(q[2], 1e-5 * v[2])
    for k in m.evaluator.quaternions:
        at = slice(k, k + 4)
        to[3, at] = -q[3, at]
        to[4, at] = -to[2, at]
        to[5, at] *= 3.0  # a quaternion of any length is scaled
        for row, angle in ((6, np.pi - 1e-6), (7, np.pi - 1e-12)):
            w, x, y, z = q[row, at]
            c, s = np.cos(angle / 2), np.sin(angle / 2)
            to[row, at] = c * w - s * x, c * x + s * w, c * y + s * z, c * z - s * y
    return q, to


@pytest.mark.parametrize("tier", [None, 1])
def test_differences(tier):
    m = chain(tier)
    q, to = places(m)
    expected = np.array([by_joint(m, "difference", *pair) for pair in zip(q, to, strict=True)])
    np.testing.assert_allclose(m.difference(q, to), expected, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(m.difference(q[0], to)[9], by_joint(m, "difference", q[0], to[9]))
    assert np.abs(expected[0]).max() < 1e-15
    turn = m.model.slots[0].v
    assert np.linalg.norm(expected[7, turn][:3]) == pytest.approx(np.pi, abs=1e-11)
    for one, other, way in zip(q, to, expected, strict=True):
        np.testing.assert_allclose(m.difference(one, other), way, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("tier", [None, 1])
def test_single_states(tier):
    """Code of the whole mechanism for single states: the digits of code joint by joint; not where
    loops were asked for."""
    m = chain(tier)
    q, to = places(m)
    v = m.random_state(7, count=len(q))[1]
    v[0], v[1] = 0.0, 1e-9 * v[1]
    before = [m.integrate(x[None], y[None])[0] for x, y in zip(q, v, strict=True)]
    ways = [m.difference(x[None], y[None])[0] for x, y in zip(q, to, strict=True)]
    m.integrate(q[0], v[0]), m.difference(q[0], to[0])
    for chart, other in ((charts.moves(m.evaluator), v[0]), (charts.ways(m.evaluator), to[0])):
        assert (chart.one(q[0], other) is not None) == (tier is None and available())
    for k, (place, way) in enumerate(zip(before, ways, strict=True)):
        np.testing.assert_array_equal(m.integrate(q[k], v[k]), place)
        np.testing.assert_array_equal(m.difference(q[k], to[k]), way)


@pytest.mark.parametrize("name", ["four-bar", "stewart"])
def test_what_native_code_cannot_take(name):
    """Lists, batches, numbers of other types, and errors: as before."""
    m = am.example(name)
    q, v, _ = m.random_state(3, count=2)
    moved, ways = m.integrate(q, v), m.difference(q, q[::-1])
    for _ in range(2):
        np.testing.assert_allclose(m.integrate(q[0].tolist(), v[0]), moved[0], atol=1e-15)
        np.testing.assert_allclose(m.difference(q[0], q[1].tolist()), ways[0], atol=1e-15)
        np.testing.assert_allclose(m.integrate(q[0], v)[1], m.integrate(q[0], v[1]), atol=1e-15)
        single = m.integrate(*(x[0].astype(np.float32) for x in (q, v)))
        np.testing.assert_allclose(single, moved[0], atol=1e-5)
        for bad, error in ((np.full(m.nv, np.nan), am.InputError), (np.zeros(1), am.InputError)):
            with pytest.raises(error):
                m.integrate(q[0], bad)
        if m.evaluator.quaternions:
            with pytest.raises(am.InputError, match="quaternion"):
                m.difference(q[0], np.zeros(m.nq))
    far = np.full((2, m.nv), 1e-3)
    far[1, 0] = np.nan
    assert m.integrate(q[:0], v[:0]).shape == q[:0].shape
    assert m.difference(q[:0], q[:0]).shape == v[:0].shape
    batch = m.integrate(q, far)
    assert np.isfinite(batch[0]).all() and np.isnan(batch[1]).any()
