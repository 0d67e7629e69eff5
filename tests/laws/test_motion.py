"""Velocities are derivatives of poses, accelerations of velocities, Jacobian rates of Jacobians."""

import numpy as np
import pytest

from compare import close, derivative
from samples import mechanisms, random_state

MECHANISMS = mechanisms()
everyone = pytest.mark.parametrize("name", MECHANISMS)
all_coordinates = pytest.mark.parametrize("coordinates", ["local", "world_aligned", "world"])


def vee(W) -> np.ndarray:
    return np.array([W[2, 1], W[0, 2], W[1, 0]])


@everyone
def test_velocity_is_the_derivative_of_the_pose(name):
    """R' R^T = ω~ and p' of the frame's origin: the world-aligned velocity."""
    mechanism = MECHANISMS[name]
    q, v, _ = random_state(mechanism.model, 1)
    R, p = mechanism.pose(q, "tip")
    R_dot = derivative(lambda t: mechanism.pose(mechanism.integrate(q, t * v), "tip")[0])
    p_dot = derivative(lambda t: mechanism.pose(mechanism.integrate(q, t * v), "tip")[1])
    w = vee(R_dot @ R.T)
    close(mechanism.velocity(q, v, "tip", "world_aligned"), np.r_[w, p_dot], 1e-9)
    close(mechanism.velocity(q, v, "tip"), np.r_[R.T @ w, R.T @ p_dot], 1e-9)
    close(mechanism.velocity(q, v, "tip", "world"), np.r_[w, p_dot - np.cross(w, p)], 1e-9)


@everyone
@all_coordinates
def test_velocity_is_the_jacobian_times_v(name, coordinates):
    mechanism = MECHANISMS[name]
    q, v, _ = random_state(mechanism.model, 2)
    J = mechanism.jacobian(q, "tip", coordinates)
    close(J @ v, mechanism.velocity(q, v, "tip", coordinates), 1e-13)


@everyone
@all_coordinates
def test_acceleration_is_the_derivative_of_the_velocity(name, coordinates):
    """Components of the velocity: spatial in local and world coordinates, classical in aligned."""
    mechanism = MECHANISMS[name]
    q, v, a = random_state(mechanism.model, 3)
    rate = derivative(
        lambda t: mechanism.velocity(mechanism.integrate(q, t * v), v + t * a, "tip", coordinates)
    )
    kind = "classical" if coordinates == "world_aligned" else "spatial"
    found = mechanism.acceleration(q, v, a, "tip", coordinates, kind=kind)
    close(found, rate, 1e-9)


@everyone
@all_coordinates
def test_classical_and_spatial_differ_by_the_turning_velocity(name, coordinates):
    mechanism = MECHANISMS[name]
    q, v, a = random_state(mechanism.model, 4)
    V = mechanism.velocity(q, v, "tip", coordinates)
    classical = mechanism.acceleration(q, v, a, "tip", coordinates)
    spatial = mechanism.acceleration(q, v, a, "tip", coordinates, kind="spatial")
    close(classical - spatial, np.r_[np.zeros(3), np.cross(V[:3], V[3:])], 1e-12)


@everyone
@all_coordinates
def test_jacobian_rate(name, coordinates):
    mechanism = MECHANISMS[name]
    q, v, _ = random_state(mechanism.model, 5)
    rate = derivative(
        lambda t: mechanism.jacobian(mechanism.integrate(q, t * v), "tip", coordinates)
    )
    close(mechanism.jacobian_dot(q, v, "tip", coordinates), rate, 1e-9)


@everyone
def test_poses_of_all_bodies(name):
    """All at once and one by one, fixed bodies included; rotations are rotations."""
    mechanism = MECHANISMS[name]
    q, _, _ = random_state(mechanism.model, 6)
    R, p = mechanism.poses(q)
    for k, body in enumerate(mechanism.bodies):
        one_R, one_p = mechanism.pose(q, body)
        close(R[k], one_R, 1e-14)
        close(p[k], one_p, 1e-14)
    close(np.swapaxes(R, 1, 2) @ R, np.broadcast_to(np.eye(3), R.shape), 1e-13)


@everyone
def test_difference_undoes_integrate(name):
    mechanism = MECHANISMS[name]
    q, v, _ = random_state(mechanism.model, 7)
    step = 0.5 * v
    close(mechanism.difference(q, mechanism.integrate(q, step)), step, 1e-12)
    q2, _, _ = random_state(mechanism.model, 8)
    there = mechanism.integrate(q, mechanism.difference(q, q2))
    for ours, theirs in zip(mechanism.poses(there), mechanism.poses(q2), strict=True):
        close(ours, theirs, 1e-11)
