"""Robots that stand in exact balance stick: rounding is measured against the forces in play."""

import numpy as np
import pytest

import armillary as am


def pole(turn=0.0, passive=None, gravity=9.81):
    """An inverted pendulum on a cart, standing straight up, about a turned axis."""
    passive = passive or am.Passive(coulomb=0.5)
    b = am.Builder("pole", gravity=(0, 0, -gravity))
    b.body("cart", joint="prismatic", axis=(np.cos(turn), np.sin(turn), 0), mass=1.0,
           inertia=(0.1, 0.1, 0.1), passive=passive)  # fmt: skip
    b.body("pole", "cart", "revolute", axis=(-np.sin(turn), np.cos(turn), 0), mass=0.7,
           com=(0, 0, 0.6), inertia=(0.05, 0.05, 0.01), passive=passive)  # fmt: skip
    return b.build()


@pytest.mark.parametrize("turn", [0.0, 0.3, 1.1])
@pytest.mark.parametrize("upright", [0.0, np.pi])
def test_straight_up_it_stays(turn, upright):
    """Gravity has no arm but rounding: it neither moves nor is refused."""
    run = am.simulate(pole(turn), [0.0, upright], events=am.StickSlip(), duration=0.05, step=0.01)
    assert run.complete and run.events == []
    np.testing.assert_array_equal(run.v, 0.0)


@pytest.mark.parametrize("seed", range(4))
def test_forces_that_balance_the_weight(seed):
    """tau = gravity's forces, to rounding: nothing is left to hold."""
    rng = np.random.default_rng(seed)
    b = am.Builder("arm")
    parent = "world"
    for k, axis in enumerate(("z", (0.2, 1.0, 0.1), "y")):
        b.body(f"l{k}", parent, "revolute", (0.1, 0.2, 0.3), axis=axis, mass=1.0 + k,
               com=tuple(rng.normal(size=3) * 0.1), inertia=(0.02, 0.03, 0.025),
               passive=am.Passive(coulomb=1e-3))  # fmt: skip
        parent = f"l{k}"
    m = b.build()
    q = rng.normal(size=3)
    tau = m.inverse_dynamics(q, np.zeros(3), np.zeros(3))
    run = am.simulate(m, q, inputs=tau, events=am.StickSlip(), duration=0.03, step=0.01)
    assert run.complete and run.events == []
    np.testing.assert_array_equal(run.v, 0.0)


def test_it_still_breaks_away():
    """A force above the level moves it: the tolerance hides nothing."""
    m = pole(passive=am.Passive(coulomb=0.5))
    run = am.simulate(m, [0.0, np.pi], inputs={"cart": am.Schedule([0, 1], [0, 2.0])},
                      events=am.StickSlip(), duration=0.5, step=0.01)  # fmt: skip
    assert run.events[0][0] == pytest.approx(0.25, rel=1e-9)
