"""Directions of constraints that turn with the tip: it is the first frame of a contact."""

import numpy as np

import armillary as am

PIN = np.array([0.9, 0.2, -0.3])


def test_a_slot_in_the_hand():
    """A pin of the world stays in the plane z = 0 of the tip while all joints move; no work."""
    b = am.Builder("slot")
    inertia = (0.1, 0.2, 0.3)
    b.body("arm", axis="y", mass=1.0, com=(0.2, 0, 0.05), inertia=inertia)
    b.body("fore", "arm", "revolute", (0.5, 0.1, 0), axis=(0, 0.8, 0.6), mass=1.0, com=(0.2, 0, 0),
           inertia=inertia)  # fmt: skip
    b.body("hand", "fore", "revolute", (0.4, 0, 0.1), axis="x", mass=0.5, inertia=inertia)
    b.frame("tip", "hand", (0.2, 0, 0))
    b.contact("slot", "tip", am.Frame("pin", "world", am.Pose(tuple(PIN))), ["dz"])
    m = b.build()

    def seen(q):
        R, p = m.pose(q, "tip")
        return R.T @ (PIN - p)

    q = np.array([0.3, -0.4, 0.7])
    assert np.allclose(m.constraint_residual(q), seen(q)[2], atol=1e-14)
    run = am.simulate(m, m.assemble(q).q, duration=0.3, record=("q", "energy"))
    places = np.array([seen(x) for x in run.q])
    assert np.abs(places[:, 2]).max() < 1e-12 and np.ptp(places[:, :2], axis=0).min() > 0.02
    assert np.ptp(run.energy) < 1e-9
