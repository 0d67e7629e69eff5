"""Mechanics is the same in a frame that drifts or is turned, and so is every method of `simulate`.

A free base with some motion, and the same one with a uniform velocity on top: place and velocity
differ by the drift alone.  In a turned world (base, gravity and drift turned together) the run is
the turned run.  Without forces the linear momentum, summed up from the bodies' own velocities, is
that of the start.
"""

from functools import cache

import numpy as np
import pytest

import armillary as am
from armillary.sim.loop import loop
from armillary.sim.methods.choice import METHODS
from sim.machines import flyer

DURATION, STEP = 0.032, 4e-3
DRIFT = np.array([30.0, -70.0, 50.0])  # m/s
GRAVITY = np.array([0.4, -0.7, -1.1])
TURN = np.array([0.5, 0.1, -0.7, 0.5])  # of the world


def tensor(scale=1.0):
    return tuple(scale * x for x in (0.2, 0.25, 0.3, 0.01, -0.02, 0.015))


def spinner(com=(0.1, 0.05, -0.03)) -> am.Mechanism:
    """A single body."""
    b = am.Builder("spinner", tuple(GRAVITY))
    b.body("body", joint="free", mass=2.0, com=com, inertia=tensor())
    return b.build()


def upright() -> am.Mechanism:
    """Axes along and against x, y, z, centres on the joints."""
    b = am.Builder("upright", tuple(GRAVITY))
    b.body("hull", joint="free", mass=2.0, inertia=(0.2, 0.25, 0.3))
    b.body("one", "hull", "revolute", axis=(0, -1, 0), mass=0.5, inertia=(0.01, 0.02, 0.03),
           passive=am.Passive(viscous=0.3, spring=2.0))  # fmt: skip
    b.body("two", "one", "prismatic", axis=(0, 0, -1), mass=0.5, com=(0.1, 0, 0))
    return b.build()


def tree(post=True) -> am.Mechanism:
    """Branches with many types of joints, a base that is turned in the world, and beside it an arm
    on the ground."""
    b = am.Builder("tree", tuple(GRAVITY))
    b.body("hull", "world", "free", (0.3, 0.1, -0.2), (0.4, -0.3, 0.8), mass=2.0,
           com=(0.05, 0.02, -0.03), inertia=tensor())  # fmt: skip
    b.body("ball", "hull", "spherical", (0.2, 0.0, 0.1), mass=0.5, com=(0.1, 0.0, 0.02),
           inertia=tensor(0.05))  # fmt: skip
    b.body("cross", "hull", "universal", (-0.2, 0.1, 0.0), mass=0.4, com=(0.0, 0.1, 0.1),
           inertia=tensor(0.05))  # fmt: skip
    b.body("slide", "cross", "cylindrical", (0.0, 0.2, 0.0), axis=(0.6, 0.0, 0.8), mass=0.3,
           com=(0.05, 0.0, 0.0), inertia=tensor(0.02))  # fmt: skip
    if post:
        b.body("post", joint="revolute", axis="y", mass=1.0, com=(0.3, 0.0, 0.0),
               inertia=tensor(0.1))  # fmt: skip
    return b.build()


def swing() -> am.Mechanism:
    """A four-bar on a free hull."""
    b = am.Builder("swing", tuple(GRAVITY))
    b.body("hull", joint="free", mass=2.0, com=(0.05, 0.02, -0.03), inertia=tensor())
    b.body("crank", "hull", "revolute", (-0.2, 0.0, 0.1), axis="y", mass=0.3, com=(0, 0.01, 0.15),
           inertia=tensor(0.02))  # fmt: skip
    b.body("rod", "crank", "revolute", (0.0, 0.0, 0.3), axis="y", mass=0.4, com=(0.2, 0.0, 0.02),
           inertia=tensor(0.02))  # fmt: skip
    b.body("rocker", "hull", "revolute", (0.2, 0.0, 0.1), axis="y", mass=0.3, com=(0, 0.0, 0.2),
           inertia=tensor(0.02))  # fmt: skip
    b.frame("rod-end", "rod", (0.4, 0.0, 0.0))
    b.frame("rocker-end", "rocker", (0.0, 0.0, 0.4))
    b.loop("pin", "rod-end", "rocker-end", "revolute", axis="y")
    return b.build()


def held() -> am.Mechanism:
    """Two free bodies with a ball between them: no tree has a base for both."""
    b = am.Builder("held", tuple(GRAVITY))
    b.body("one", joint="free", mass=2.0, com=(0.05, 0.02, -0.03), inertia=tensor())
    b.body("two", joint="free", mass=0.7, com=(0.1, 0.0, 0.01), inertia=tensor(0.1))
    b.frame("right", "one", (0.3, 0.0, 0.0))
    b.frame("left", "two", (-0.2, 0.1, 0.0))
    b.loop("ball", "right", "left", "spherical")
    return b.build()


MACHINES = {
    "spinner": spinner, "upright": upright, "tree": tree,
    "turned": lambda: tree(post=False), "flyer": flyer, "swing": swing, "held": held,
}  # fmt: skip


@cache
def machine(name):
    """With a lively start; closed ones start on their rows."""
    m = MACHINES[name]()
    q, v, _ = m.random_state(4)
    if m.constraints:
        q = m.assemble(m.integrate(m.neutral(), 0.1 * v)).q
    v = v.copy()
    v[bases(m)[0][1].start :][:3] *= 5.0
    return (m, *(m.project(q, v) if m.constraints else (q, v)))


@cache
def with_gravity(name, gravity):
    return machine(name)[0].replace(gravity=gravity)


def bases(m):
    """Places in q and v of the free joints."""
    pairs = zip(m.model.joints, m.model.slots, strict=True)
    return [(slot.q, slot.v) for joint, slot in pairs if joint.kind == "free"]


def matrix(quaternion):
    """Body to world, by Rodrigues' formula; quaternions (..., 4) of length 1."""
    w, u = quaternion[..., 0, None, None], quaternion[..., 1:]
    U = np.zeros((*u.shape, 3))
    for k, (i, j) in enumerate(((1, 2), (2, 0), (0, 1))):
        U[..., j, i], U[..., i, j] = u[..., k], -u[..., k]
    return np.eye(3) + 2.0 * (w * U + U @ U)


def mounting(m):
    """Rotation from the joint frame of every free base to the world."""
    return [m.pose(m.neutral(), name)[0] for name in free_bodies(m)]


def free_bodies(m):
    return [b.name for b, joint in zip(m.model.bodies, m.model.joints, strict=True)
            if joint.kind == "free"]  # fmt: skip


def drifting(m, q, v, drift, time=0.0):
    """q and v (..., n) with a velocity of the world's axes on top, after some time."""
    q, v = q.copy(), v.copy()
    for (at, speed), mount in zip(bases(m), mounting(m), strict=True):
        along = mount.T @ drift
        q[..., at.start + 4 : at.stop] += np.multiply.outer(time, along)
        R = matrix(q[..., at.start : at.start + 4])
        v[..., speed.start + 3 : speed.stop] += np.einsum("...ji,j->...i", R, along)
    return q, v


def run(m, q, v, method, way):
    options = {"duration": DURATION, "step": STEP, "method": method, "record": ("q", "v")}
    if way == "batch":
        q, v = (np.tile(x, (9, 1)) for x in (q, v))
    with pytest.MonkeyPatch.context() as patch:
        if way == "python":
            patch.setattr(loop.Loop, "_native", lambda *_: None)
        found = am.simulate(m, q, v, **options)
    assert found.complete
    return found.time, *((x[:, 1] if way == "batch" else x) for x in (found.q, found.v))


def same(m, found, wanted, size):
    """Of motions: quaternions may differ by their sign.  size: of the numbers in play."""
    for a, b in zip(found[0], wanted[0], strict=True):
        assert np.abs(m.difference(a, b)).max() < 1e-12 * size
    np.testing.assert_allclose(found[1], wanted[1], rtol=0, atol=1e-11 * size)


LOOPED = ("euler", "semi-implicit", "heun", "rk3", "rk4")  # by the native loop, where it may
WAYS = [
    *((name, method, "native") for name in MACHINES for method in METHODS),
    *((name, method, "python") for name in ("tree", "swing") for method in LOOPED),
    *((name, method, "batch") for name in ("tree", "swing") for method in METHODS),
]


@pytest.mark.parametrize("name, method, way", WAYS)
def test_a_drift_changes_nothing(name, method, way):
    m, q, v = machine(name)
    time, *still = run(m, q, v, method, way)
    _, *moving = run(m, *drifting(m, q, v, DRIFT), method, way)
    same(m, moving, drifting(m, *still, DRIFT, time), np.linalg.norm(DRIFT))


@pytest.mark.parametrize("name", ["spinner", "turned", "swing", "held"])
@pytest.mark.parametrize("method", METHODS)
def test_in_a_turned_world(name, method):
    m, q, v = machine(name)
    _, *plain = run(m, q, v, method, "native")
    other = with_gravity(name, tuple(matrix(TURN) @ m.model.gravity))
    _, *turned = run(other, world_turned(m, q, TURN), v, method, "native")
    same(m, turned, (world_turned(m, plain[0], TURN), plain[1]), 1.0 + np.abs(v).max())


def world_turned(m, q, turn):
    """Places (..., nq) of all free bases turned about the world's origin."""
    q, Q = q.copy(), matrix(turn)
    for (at, _), name, mount in zip(bases(m), free_bodies(m), mounting(m), strict=True):
        origin = m.pose(m.neutral(), name)[1]
        place = origin + q[..., at.start + 4 : at.stop] @ mount.T
        q[..., at.start + 4 : at.stop] = (place @ Q.T - origin) @ mount
        inside = product(product(conjugate(quaternion_of(mount)), turn), quaternion_of(mount))
        q[..., at.start : at.start + 4] = product(inside, q[..., at.start : at.start + 4])
    return q


def quaternion_of(R):
    from scipy.spatial.transform import Rotation

    return np.roll(Rotation.from_matrix(R).as_quat(), 1)


def conjugate(x):
    return x * np.array([1.0, -1.0, -1.0, -1.0])


def product(x, y):
    w, u, s, t = x[..., :1], x[..., 1:], y[..., :1], y[..., 1:]
    scalar = w * s - (u * t).sum(axis=-1, keepdims=True)
    return np.concatenate([scalar, w * t + s * u + np.cross(u, t)], axis=-1)


def momentum(m, q, v):
    """Σ m v of the centres of all bodies that a free base carries (6 numbers of each velocity)."""
    total = np.zeros(3)
    for name, mass in zip(m.bodies, m.parameters.reshape(-1, 10), strict=True):
        if name == "post":
            continue
        w, u = np.split(m.velocity(q, v, name), 2)
        total += m.pose(q, name)[0] @ (mass[0] * u + np.cross(w, mass[1:4]))
    return total


@pytest.mark.parametrize("name, method, way", WAYS)
def test_linear_momentum_is_kept(name, method, way):
    m, q, v = machine(name)
    m = with_gravity(name, (0.0, 0.0, 0.0))
    _, qs, vs = run(m, *drifting(m, q, v, np.array([1.0, 2.0, -1.0])), method, way)
    first = momentum(m, qs[0], vs[0])
    for k in (1, len(qs) // 2, -1):
        size = np.abs(vs[k]).max() * m.parameters[::10].sum()
        np.testing.assert_allclose(momentum(m, qs[k], vs[k]), first, rtol=0, atol=1e-13 * size)


def test_a_spinning_body_drifts_straight_on():
    """20 rad/s and 1 m/s, without any force: after 0.1 s it has gone 0.1 m and drifts at 1 m/s."""
    m = spinner((0.0, 0.0, 0.0)).replace(gravity=(0.0, 0.0, 0.0))
    for method in METHODS:
        found = am.simulate(m, m.neutral(), [0.0, 0.0, 20.0, 1.0, 0.0, 0.0], 0.1, 1e-3, method)
        np.testing.assert_allclose(found.q[-1, 4:], (0.1, 0.0, 0.0), atol=1e-12)
        assert np.linalg.norm(found.v[-1, 3:]) == pytest.approx(1.0, abs=1e-12)
