"""A small engine for the tests of recordings: semi-implicit Euler, independent of armillary.sim."""

import numpy as np

import armillary as am


def instants(mechanism, count, step=1e-3, q=None, v=None, first=0):
    """(t, q, v, a, tau) of `count` steps from (q, v) at the time first * step."""
    q = np.array(mechanism.initial if q is None else q, float)
    v = np.zeros(mechanism.nv) if v is None else np.array(v, float)
    tau = np.zeros(mechanism.nv)
    for k in range(first, first + count):
        a = mechanism.forward_dynamics(q, v, tau)
        yield k * step, q, v, a, tau
        v = v + step * a
        q = mechanism.integrate(q, step * v)


def record(recorder, **options):
    for instant in instants(recorder.mechanism, **options):
        recorder.add(*instant)
    return recorder.finish()


def slider():
    """A cart on a rail with a pendulum: metres and radians in one array."""
    b = am.Builder("cart")
    b.body("cart", joint="prismatic", axis="x", mass=2.0, inertia=(1, 1, 1))
    b.body("rod", "cart", "revolute", axis="y", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
    return b.build().replace(gravity=(0.0, 0.0, -9.81))
