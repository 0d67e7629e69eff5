"""Mechanisms and references of the tests of time."""

from functools import cache

import numpy as np
from scipy.integrate import solve_ivp

import armillary as am


def damped_arm() -> am.Mechanism:
    """Three turning joints, full tensors, dampers and one spring."""
    b = am.Builder("damped-arm")
    parent, at = "world", (0.0, 0.0, 0.0)
    for k, axis in enumerate(("z", "y", "x"), start=1):
        b.body(f"link{k}", parent, "revolute", at, axis=axis, mass=2.0 / k,
               com=(0.2, 0.02 * k, -0.03), inertia=(0.03, 0.05, 0.04, 0.002, -0.003, 0.001),
               passive=am.Passive(viscous=0.4 / k, spring=3.0 if k == 2 else 0.0,
                                  rest=0.1))  # fmt: skip
        parent, at = f"link{k}", (0.4, 0.0, 0.05)
    return b.build()


def top() -> am.Mechanism:
    """A top on a ball joint, with a rod that turns on it; nothing is lost."""
    b = am.Builder("top")
    b.body("top", joint="spherical", mass=1.3, com=(0.02, -0.01, 0.25),
           inertia=(0.02, 0.025, 0.012, 0.001, 0.002, -0.001))  # fmt: skip
    b.body("rod", "top", "revolute", (0.0, 0.05, 0.3), axis=(0.0, 0.6, 0.8), mass=0.4,
           com=(0.1, 0.02, 0.0), inertia=(0.001, 0.003, 0.003, 0.0, 0.0, 0.0002))  # fmt: skip
    return b.build()


def flyer() -> am.Mechanism:
    """A free body with an arm."""
    b = am.Builder("flyer", (0.0, 0.0, -1.0))
    b.body("hull", joint="free", mass=2.0, com=(0.05, 0.02, -0.03),
           inertia=(0.2, 0.25, 0.3, 0.01, -0.02, 0.015))  # fmt: skip
    b.body("arm", "hull", "revolute", (0.2, 0.0, 0.1), axis="y", mass=0.7, com=(0.2, 0.0, 0.01),
           inertia=(0.01, 0.03, 0.03, 0.001, 0.0, 0.0))  # fmt: skip
    return b.build()


# of the shaking pivot
AMPLITUDE, FREQUENCY = 0.05, 12.0  # m, rad/s
MASS, ARM, TENSOR = 1.0, 0.4, 0.02  # of the rod


def sine(t):
    return (
        AMPLITUDE * np.sin(FREQUENCY * t),
        AMPLITUDE * FREQUENCY * np.cos(FREQUENCY * t),
        -AMPLITUDE * FREQUENCY**2 * np.sin(FREQUENCY * t),
    )


@cache
def shaken(axis="z", mass=0.7):
    """A pendulum on a pivot that slides; both with masses and a com off the axis of the slide."""
    b = am.Builder("shaken")
    inertia = (0.1, 0.1, 0.1) if mass else (0.0, 0.0, 0.0)
    b.body("pivot", joint="prismatic", axis=axis, mass=mass, inertia=inertia)
    b.body("rod", "pivot", "revolute", axis="y", mass=MASS, com=(0, 0, -ARM),
           inertia=(TENSOR, TENSOR, 1e-3))  # fmt: skip
    return b.build()


def undamped(mechanism: am.Mechanism) -> am.Mechanism:
    """The same without friction and springs."""
    return mechanism.replace(bodies={name: {"passive": am.Passive()} for name in mechanism.bodies})


def start_of(mechanism: am.Mechanism):
    """A lively state, on the constraints."""
    if mechanism.constraints:
        q = mechanism.project(mechanism.initial)[0]
        return mechanism.project(q, np.linspace(-1.0, 1.0, mechanism.nv))
    q, v, _ = mechanism.random_state(3)
    return q, 1.5 * v


def reference(mechanism, q0, v0, duration, tau=None):
    """q, v at the end by DOP853, over coordinates q themselves (dq/dt by the joints' own rates):
    no chart, no projection; quaternions are normalised at the end."""
    nq = mechanism.nq
    tau = np.zeros(mechanism.nv) if tau is None else np.asarray(tau, float)
    model = mechanism.model

    def rate(t, x):
        q, v = x[:nq], x[nq:]
        dq = [r for joint, slot in zip(model.joints, model.slots, strict=True)
              for r in joint.rate(q[slot.q].tolist(), v[slot.v].tolist())]  # fmt: skip
        return np.concatenate([dq, mechanism.forward_dynamics(q.copy(), v.copy(), tau)])

    run = solve_ivp(rate, (0.0, duration), np.concatenate([q0, v0]), "DOP853", rtol=1e-13,
                    atol=1e-14)  # fmt: skip
    assert run.success
    end = run.y[:, -1]
    return mechanism.integrate(end[:nq], np.zeros(mechanism.nv)), end[nq:]


def distance(mechanism, state, other) -> float:
    """Largest difference of two states, along the joints."""
    apart = mechanism.difference(other[0], state[0])
    return float(max(np.abs(apart).max(), np.abs(state[1] - other[1]).max()))
