"""Power is the rate of energy: tau · v = dE/dt, with E from body velocities, never from M.

The energies come from one algorithm, the joint forces from another, and the derivative of the
energy from differences along the motion: an error in any bias term breaks the balance.
"""

import numpy as np
import pytest

import armillary as am
from armillary.evaluate.request import CompileOptions
from compare import close, derivative
from samples import mechanisms, near_singular_states, random_model, random_state

LOOPS = CompileOptions(tier=1)
MECHANISMS = mechanisms()
everyone = pytest.mark.parametrize("name", MECHANISMS)


def energy_rate(mechanism, q, v, a) -> float:
    """dE/dt along q' = v, v' = a."""

    def total(t):
        return sum(mechanism.energy(mechanism.integrate(q, t * v), v + t * a))

    return float(derivative(total))


@everyone
def test_power_is_rate_of_energy(name):
    mechanism = MECHANISMS[name]
    q, v, a = random_state(mechanism.model, 1)
    tau = mechanism.inverse_dynamics(q, v, a)
    scale = np.abs(tau) @ np.abs(v)
    close(tau @ v / scale, energy_rate(mechanism, q, v, a) / scale, 1e-9)


@everyone
def test_external_wrenches_bring_their_power(name):
    """tau · v + w · V = dE/dt, V the velocity of the frame the wrench acts on."""
    mechanism = MECHANISMS[name]
    q, v, a = random_state(mechanism.model, 2)
    rng = np.random.default_rng(2)
    wrenches = {frame: 10 * rng.normal(size=6) for frame in ("tip", mechanism.bodies[0])}
    tau = mechanism.inverse_dynamics(q, v, a, external=wrenches)
    brought = sum(w @ mechanism.velocity(q, v, frame) for frame, w in wrenches.items())
    scale = np.abs(tau) @ np.abs(v) + abs(brought)
    close((tau @ v + brought) / scale, energy_rate(mechanism, q, v, a) / scale, 1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_friction_takes_what_the_drives_bring_more(seed):
    """With friction, springs and rotors: tau · v = dE/dt + power lost, which is positive."""
    mechanism = am.Mechanism(random_model(seed, bodies=5, passive=True), LOOPS)
    q, v, a = random_state(mechanism.model, seed)
    tau = mechanism.inverse_dynamics(q, v, a)
    lost = 0.0
    for body, slot in zip(mechanism.model.bodies, mechanism.model.slots, strict=True):
        for passive, speed in zip(body.joint.passive, v[slot.v], strict=False):
            level = passive.coulomb + (passive.static - passive.coulomb) * np.exp(
                -((speed / passive.stribeck) ** 2)
            )
            drag = passive.viscous * speed + level * np.tanh(speed / passive.smoothing)
            lost += drag * speed
    assert lost > 0
    scale = np.abs(tau) @ np.abs(v)
    close(tau @ v / scale, (energy_rate(mechanism, q, v, a) + lost) / scale, 1e-9)


def test_springs_store_energy():
    builder = am.Builder("spring")
    builder.body("cart", joint="prismatic", axis="x", mass=2.0,
                 passive=am.Passive(spring=30.0, rest=0.2))  # fmt: skip
    builder.body("rod", "cart", axis="y", mass=1.0, com=(0, 0, -0.3), inertia=(0.1, 0.1, 0.1),
                 passive=am.Passive(spring=5.0))  # fmt: skip
    mechanism = builder.build()
    q, v, a = random_state(mechanism.model, 3)
    tau = mechanism.inverse_dynamics(q, v, a)
    close(tau @ v, energy_rate(mechanism, q, v, a), 1e-9)
    bare = mechanism.inverse_dynamics(q, v, a, passive=False)
    close(tau - bare, [30.0 * (q[0] - 0.2), 5.0 * q[1]], 1e-12)


@pytest.mark.parametrize("case", near_singular_states(), ids=lambda case: case[0])
def test_power_in_hard_places(case):
    name, model, q, v, a = case
    mechanism = am.Mechanism(model, LOOPS)
    tau = mechanism.inverse_dynamics(q, v, a)
    scale = np.abs(tau) @ np.abs(v)
    tolerance = 1e-6 if name == "many turns" else 1e-9  # q + t v loses digits at a million turns
    close(tau @ v / scale, energy_rate(mechanism, q, v, a) / scale, tolerance)
