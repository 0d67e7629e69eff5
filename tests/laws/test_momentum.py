"""A free mechanism keeps its momentum, whatever its joints do; gravity changes it by m g."""

import numpy as np
import pytest

import armillary as am
from armillary.evaluate.request import CompileOptions
from compare import close, derivative
from samples import mechanisms, random_model, random_state

LOOPS = CompileOptions(tier=1)
FLOATING = {
    f"floating-{seed}": random_model(seed, ("revolute", "prismatic", "spherical", "universal"),
                                     bodies=5, base="free", roots=0)
    for seed in range(4)
}  # fmt: skip
floating = pytest.mark.parametrize("name", FLOATING)


def total_mass(model) -> float:
    return sum(body.mass.mass for body in model.bodies)


def momentum_rate(mechanism, q, v, a) -> np.ndarray:
    return derivative(lambda t: mechanism.momentum(mechanism.integrate(q, t * v), v + t * a))


@floating
def test_inner_forces_do_not_change_the_momentum(name):
    """No gravity, no force on the base, random joint forces: the six rates vanish."""
    mechanism = am.Mechanism(FLOATING[name], LOOPS).replace(gravity=(0, 0, 0))
    q, v, tau = random_state(mechanism.model, 1)
    tau[:6] = 0.0
    a = mechanism.forward_dynamics(q, v, 10 * tau)
    close(momentum_rate(mechanism, q, v, a), np.zeros(6), 1e-8)


@floating
def test_gravity_acts_at_the_centre_of_mass(name):
    """Linear rate m g; no moment about the centre."""
    mechanism = am.Mechanism(FLOATING[name], LOOPS)
    q, v, tau = random_state(mechanism.model, 2)
    tau[:6] = 0.0
    a = mechanism.forward_dynamics(q, v, tau)
    weight = total_mass(mechanism.model) * np.array(mechanism.model.gravity)
    close(momentum_rate(mechanism, q, v, a), np.r_[np.zeros(3), weight], 1e-8)


@floating
def test_an_external_wrench_changes_it_by_itself(name):
    """Carried to the centre of mass, along the world's axes."""
    mechanism = am.Mechanism(FLOATING[name], LOOPS).replace(gravity=(0, 0, 0))
    q, v, tau = random_state(mechanism.model, 3)
    tau[:6] = 0.0
    wrench = np.array([1.0, -2.0, 3.0, 4.0, -5.0, 6.0])
    a = mechanism.forward_dynamics(q, v, tau, external={"tip": wrench})
    R, p = mechanism.pose(q, "tip")
    f = R @ wrench[3:]
    n = R @ wrench[:3] + np.cross(p - mechanism.center_of_mass(q), f)
    close(momentum_rate(mechanism, q, v, a), np.r_[n, f], 1e-8)


@pytest.mark.parametrize("name", mechanisms())
def test_linear_momentum_is_mass_times_velocity_of_the_centre(name):
    mechanism = mechanisms()[name]
    q, v, _ = random_state(mechanism.model, 4)
    velocity = derivative(lambda t: mechanism.center_of_mass(mechanism.integrate(q, t * v)))
    J = mechanism.center_of_mass_jacobian(q)
    close(J @ v, velocity, 1e-9)
    momentum = mechanism.momentum(q, v)
    close(mechanism.momentum_matrix(q) @ v, momentum, 1e-12)
    moving = momentum[3:] @ velocity / (velocity @ velocity)  # the mass that moves
    close(momentum[3:], moving * velocity, 1e-9)
    assert moving <= total_mass(mechanism.model) * (1 + 1e-9)
