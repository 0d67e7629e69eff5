"""Elements between bodies that something moving carries: the world is not the observer.

Actio and reactio cancel in the joints below the common carrier, their changes do not, for each is
seen in the frame of its own body."""

import numpy as np
import pytest

import armillary as am


def machine(kind: str) -> am.Mechanism:
    """A branched tree with joints of all sorts, and one element well away from the world."""
    random = np.random.default_rng(3)
    b = am.Builder("inner")
    joints = (
        ("b0", "world", "revolute", "-y"), ("b1", "b0", "spherical", None),
        ("b2", "b1", "prismatic", "x"), ("b3", "b2", "universal", None),
        ("b4", "b1", "revolute", "z"), ("b5", "b0", "revolute", "x"),
    )  # fmt: skip
    for k, (name, parent, joint, axis) in enumerate(joints):
        X = random.normal(size=(3, 6))
        J = np.trace(X @ X.T) * np.eye(3) - X @ X.T
        at = am.Pose.from_rpy((0.3 * (k % 2), 0.1 * k, -0.2), (0.5 * (k % 3), np.pi / 2, 0.0))
        b.body(
            name, parent, joint=joint, at=at, mass=1.0 + k, com=random.normal(size=3) * 0.1,
            inertia=(J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]),
            **({"axis": axis} if axis else {}),
        )  # fmt: skip
    S = random.normal(size=(6, 6))
    S = 20 * S @ S.T
    match kind:
        case "spring":  # from a body to one that hangs on it
            b.spring("e", "b0", "b3", stiffness=50, damping=3, rest=0.2, cubic=10)
        case "spring across":
            b.spring("e", "b4", "b3", stiffness=50, damping=3, rest=0.2)
        case "cable":
            b.cable("e", ["b0", "b2", "b4"], stiffness=200, damping=1, rest=0.1)
        case "torsion":
            b.torsion_spring("e", "b1", "b4", axis="x", stiffness=4, damping=0.3, rest=0.1)
        case "bushing":
            b.bushing("e", "b3", "b4", stiffness=S, damping=0.05 * S)
        case "law":
            b.force("e", ("b5", "b3"), lambda r, R, w, u: [3.0 * x - 0.4 * y for x, y in zip(
                r, u, strict=True)])  # fmt: skip
    return b.build()


KINDS = ("spring", "spring across", "cable", "torsion", "bushing", "law")


@pytest.mark.parametrize("tier", [1, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_derivatives_are_differences(kind, tier):
    m = machine(kind).compile(tier=tier)
    q, v, a = m.random_state(seed=5)
    d = m.inverse_dynamics.derivatives(q, v, a)
    h = 1e-5

    def slope(f):
        return np.stack([(f(h * e) - f(-h * e)) / (2 * h) for e in np.eye(m.nv)], axis=1)

    by_q = slope(lambda x: m.inverse_dynamics(m.integrate(q, x), v, a))
    by_v = slope(lambda x: m.inverse_dynamics(q, v + x, a))
    np.testing.assert_allclose(d.dq, by_q, rtol=0, atol=1e-7 * np.abs(by_q).max())
    np.testing.assert_allclose(d.dv, by_v, rtol=0, atol=1e-7 * np.abs(by_v).max())
    tau = m.inverse_dynamics(q, v, a)
    forward = m.forward_dynamics.derivatives(q, v, tau)
    by_q = slope(lambda x: m.forward_dynamics(m.integrate(q, x), v, tau))
    np.testing.assert_allclose(forward.dq, by_q, rtol=0, atol=1e-6 * np.abs(by_q).max())


@pytest.mark.parametrize("kind", KINDS)
def test_they_do_not_move_what_carries_them(kind):
    """An inner force does no work on a motion of the carrier: without gravity and velocities the
    joint force of the first joint is that of the tree without the element."""
    m = machine(kind).replace(gravity=(0.0, 0.0, 0.0))
    q, _, _ = m.random_state(seed=2)
    held = m.static_torques(q)
    assert abs(held[0]) <= 1e-11 * max(np.abs(held).max(), 1e-3)
    assert np.abs(held[1:]).max() > 1e-3
