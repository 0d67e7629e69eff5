"""Rows that the tree fulfils already: what they ask for is rounding, and they have no say.

The oracle is the same tree without them, or Newton's law of a cart."""

import math

import numpy as np
import pytest

import armillary as am

TURN = (0.3, -0.7, 1.1)  # roll, pitch, yaw of everything: zeros become rounding


def cart(rows, tilt=0.0, kind="disc"):
    """A cart of 1 kg on a slide along the ground, which falls by `tilt`; a wheel of 1 kg."""
    b = am.Builder("cart")
    c, s = math.cos(tilt), math.sin(tilt)
    b.body("body", joint="prismatic", axis=(c, 0, -s), mass=1.0, inertia=(0.1, 0.1, 0.1))
    b.body("wheel", "body", "revolute", axis="y", mass=1.0, inertia=(0.0025, 0.005, 0.0025))
    radius = 0.0 if kind == "knife" else 0.1
    b.wheel(am.Wheel("tyre", "wheel", radius, normal=(s, 0, c), height=-radius, rows=rows,
                     kind=kind))  # fmt: skip
    return b.build()


def told(run):
    return [text for _, text in run.events if "moves no joint" in text or "move no joint" in text]


@pytest.mark.parametrize("tilt", [0.0, 0.3, -1.2])
@pytest.mark.parametrize("kind", ["disc", "sphere"])
def test_a_cart_on_a_slide(tilt, kind):
    """(m + M + I/r²) a = torque/r + (m + M) g sin(tilt)."""
    m = cart(("normal", "longitudinal"), tilt, kind)
    run = am.simulate(m, duration=1.0, step=1e-2, inputs=[0.0, 0.3])
    g = float(np.linalg.norm(m.model.gravity))
    a = (0.3 / 0.1 + 2.0 * g * math.sin(tilt)) / (2.0 + 0.005 / 0.01)
    np.testing.assert_allclose(run.v[-1], [a, a / 0.1], rtol=1e-9)
    np.testing.assert_allclose(run.q[-1], [a / 2, a / 0.2], rtol=1e-9)
    assert run.complete and len(run.events) == len(told(run)) == 1
    assert "'tyre.normal'" in told(run)[0]


@pytest.mark.parametrize("kind, rows", [("disc", ("normal",)), ("sphere", ("normal",)),
                                        ("knife", ("normal",)), ("knife", ("lateral",)),
                                        ("disc", ("normal", "lateral"))])  # fmt: skip
def test_a_wheel_without_content_leaves_its_cart_alone(kind, rows):
    m = cart(rows, 0.3, kind)
    run = am.simulate(m, duration=1.0, step=1e-2, inputs=[0.0, 0.3])
    g = float(np.linalg.norm(m.model.gravity))
    np.testing.assert_allclose(run.v[-1], [g * math.sin(0.3), 60.0], rtol=1e-9)
    assert run.complete and len(run.events) == len(told(run)) == 1
    assert all(f"'tyre.{row}'" in told(run)[0] for row in rows)


def arm(kind):
    """Two links that turn about z of a turned frame, and a slide across them; something that they
    keep of themselves."""
    b = am.Builder(f"arm with {kind}")
    rod = {"mass": 1.0, "com": (0.2, 0.05, 0.0), "inertia": (0.01, 0.02, 0.03)}
    b.body("one", "world", "revolute", (0.1, -0.2, 0.3), TURN, axis="z", **rod)
    b.body("two", "one", "revolute", (0.4, 0.1, 0.0), axis="z", **rod)
    b.body("pen", "two", "prismatic", (0.3, 0.0, 0.0), axis="x", **rod)
    b.frame("root", "world", (0.1, -0.2, 0.3), TURN)
    b.frame("tip", "one", (0.4, 0.1, 0.0))
    b.frame("end", "pen", (0.1, 0.0, 0.0))
    if kind == "distance":
        b.distance("tie", "root", "tip", math.hypot(0.4, 0.1))
    elif kind in ("sphere", "cylinder"):
        b.surface("tie", "root", "tip", kind, math.hypot(0.4, 0.1))
    elif kind == "plane":
        b.surface("tie", "root", "end", "plane")
    elif kind == "contact":
        b.contact("tie", "root", "end", ("rx", "ry", "dz"))
    elif kind == "loop":
        b.loop("tie", "root", "end", "planar")
    return b


IDLE = ("distance", "sphere", "cylinder", "plane", "contact", "loop")


@pytest.mark.parametrize("kind", IDLE)
def test_every_constraint_type(kind):
    """Runs, single states, batches, corrections and assembly are those of the tree."""
    m, tree = arm(kind).build(), arm("nothing").build()
    q0, v0, tau = np.array([0.3, -0.8, 0.05]), np.array([1.0, -2.0, 0.3]), [0.1, -0.2, 0.3]
    options = {"duration": 0.3, "step": 1e-2, "inputs": tau}
    free = am.simulate(tree, q0, v0, **options)
    run = am.simulate(m, q0, v0, **options)
    np.testing.assert_allclose(run.q, free.q, atol=1e-12)
    assert run.complete and len(run.events) == len(told(run)) == 1
    several = am.simulate(m, np.tile(q0, (3, 1)), np.tile(v0, (3, 1)), **options)
    np.testing.assert_allclose(several.q[:, 2], free.q, atol=1e-12)
    np.testing.assert_allclose(
        m.forward_dynamics(q0, v0, tau), tree.forward_dynamics(q0, v0, tau), rtol=1e-11
    )
    for one in (m, m.compile(tier=1)):
        q, v = one.project(q0, v0)
        np.testing.assert_allclose([*q, *v], [*q0, *v0], atol=1e-14)
    found = m.assemble(q0)
    assert found.closed
    np.testing.assert_array_equal(found.q, q0)
    assert m.mobility(q0).instantaneous == 3


def test_corrections_of_real_rows_stay():
    """A rod that keeps nothing of itself, beside one without content: only the first corrects, and
    the length is kept."""
    b = arm("distance")
    b.distance("rod", "root", "end", 0.7)
    m = b.build()
    q = m.assemble([0.3, -0.8, 0.05]).q
    off = q + np.array([1e-4, -2e-4, 3e-4])
    for one in (m, m.compile(tier=1)):
        back, _ = one.project(off)
        root, end = m.pose(back, "root")[1], m.pose(back, "end")[1]
        assert np.linalg.norm(end - root) == pytest.approx(0.7, abs=1e-12)
        assert np.abs(back - off).max() < 1e-3
