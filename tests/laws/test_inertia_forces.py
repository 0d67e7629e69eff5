"""The terms of  M a + C v + g = tau, each by its own law."""

import numpy as np
import pytest

from compare import close, derivative
from samples import mechanisms, random_state

MECHANISMS = mechanisms()
everyone = pytest.mark.parametrize("name", MECHANISMS)


@everyone
def test_the_mass_matrix_is_symmetric_and_positive(name):
    mechanism = MECHANISMS[name]
    q, _, _ = random_state(mechanism.model, 1)
    M = mechanism.mass_matrix(q)
    close(M, M.T, 1e-14)
    assert np.linalg.eigvalsh(M)[0] > 0


@everyone
def test_kinetic_energy_is_the_mass_matrix(name):
    """½ v^T M v, against ½ v·I v summed over bodies."""
    mechanism = MECHANISMS[name]
    q, v, _ = random_state(mechanism.model, 2)
    close(0.5 * v @ mechanism.mass_matrix(q) @ v, mechanism.energy(q, v)[0], 1e-12)


@everyone
def test_inverse_dynamics_is_linear_in_the_acceleration(name):
    """tau(a) - tau(0) = M a: composite bodies against Newton-Euler, column by column [B8]."""
    mechanism = MECHANISMS[name]
    q, v, _ = random_state(mechanism.model, 3)
    h = mechanism.bias_forces(q, v)
    units = np.eye(mechanism.nv)
    columns = [mechanism.inverse_dynamics(q, v, e) - h for e in units]
    scale = np.abs(h).max() + 1.0
    close(np.array(columns).T / scale, mechanism.mass_matrix(q) / scale, 1e-12)


@everyone
def test_mass_rate_minus_twice_coriolis_is_skew(name):
    """x^T (dM/dt - 2 C) x = 0 for every x, dM/dt by differences along the motion."""
    mechanism = MECHANISMS[name]
    q, v, _ = random_state(mechanism.model, 4)
    M_dot = derivative(lambda t: mechanism.mass_matrix(mechanism.integrate(q, t * v)))
    N = M_dot - 2 * mechanism.coriolis_matrix(q, v)
    scale = np.abs(M_dot).max() + 1.0
    close(N / scale, -N.T / scale, 1e-9)


@everyone
def test_coriolis_and_gravity_are_the_bias(name):
    mechanism = MECHANISMS[name]
    q, v, _ = random_state(mechanism.model, 5)
    parts = mechanism.coriolis_matrix(q, v) @ v + mechanism.gravity_forces(q)
    close(parts, mechanism.bias_forces(q, v, passive=False), 1e-12)


@everyone
def test_gravity_is_the_gradient_of_the_potential(name):
    mechanism = MECHANISMS[name]
    q, _, _ = random_state(mechanism.model, 6)
    rest = np.zeros(mechanism.nv)
    gradient = [
        derivative(lambda t, e=e: mechanism.energy(mechanism.integrate(q, t * e), rest)[1])
        for e in np.eye(mechanism.nv)
    ]
    close(mechanism.gravity_forces(q), gradient, 1e-9)


@everyone
def test_forward_undoes_inverse(name):
    """a -> tau -> a, to the accuracy that the condition of M allows; with wrenches too."""
    mechanism = MECHANISMS[name]
    q, v, a = random_state(mechanism.model, 7)
    wrench = {"tip": np.array([1.0, -2.0, 3.0, -4.0, 5.0, -6.0])}
    tau = mechanism.inverse_dynamics(q, v, a, wrench)
    condition = np.linalg.cond(mechanism.mass_matrix(q))
    close(mechanism.forward_dynamics(q, v, tau, wrench), a, max(1e-11, 1e-14 * condition))


@everyone
def test_articulated_bodies_solve_the_mass_matrix(name):
    """O(n) forward dynamics against a dense solve of M a = tau - h."""
    mechanism = MECHANISMS[name]
    q, v, tau = random_state(mechanism.model, 8)
    M = mechanism.mass_matrix(q)
    dense = np.linalg.solve(M, tau - mechanism.bias_forces(q, v))
    close(mechanism.forward_dynamics(q, v, tau), dense, max(1e-11, 1e-14 * np.linalg.cond(M)))


@everyone
def test_operational_inertia(name):
    """J M^-1 J^T by a dense solve; its rank is that of J."""
    mechanism = MECHANISMS[name]
    q, _, _ = random_state(mechanism.model, 9)
    W, rank = mechanism.operational_inertia(q, "tip")
    J, M = mechanism.jacobian(q, "tip"), mechanism.mass_matrix(q)
    close(W, J @ np.linalg.solve(M, J.T), max(1e-10, 1e-14 * np.linalg.cond(M)))
    assert rank == np.linalg.matrix_rank(J, tol=1e-9)
