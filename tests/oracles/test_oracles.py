"""The oracles against each other: 4x4 matrices, Lagrange's equations and Pinocchio agree."""

import numpy as np
import pytest

from armillary.model import Builder
from compare import close
from oracles.direct import Direct
from oracles.pinocchio_model import pin_from_model
from samples import all_models, near_singular_states, random_model, random_state

MODELS = dict(all_models())
models = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
# joints whose motion space depends on q
TURNING_AXES = {"universal", "planar", "gimbal", "general"}
COORDINATES = ["local", "world_aligned", "world"]


@models
def test_kinematics(model):
    direct, other = Direct(model), pin_from_model(model)
    q, v, a = random_state(model, 1)
    for frame in ["tip", model.bodies[0].name, "world"]:
        close(direct.pose(q, frame), other.pose(q, frame), 1e-12)
        if frame == "world":
            continue
        for coordinates in COORDINATES:
            arguments = (frame, coordinates)
            close(direct.velocity(q, v, *arguments), other.velocity(q, v, *arguments), 1e-12)
            close(direct.jacobian(q, *arguments), other.jacobian(q, *arguments), 1e-12)
            for kind in ("classical", "spatial"):
                close(
                    direct.acceleration(q, v, a, *arguments, kind),
                    other.acceleration(q, v, a, *arguments, kind),
                    1e-11,
                )


@models
def test_dynamics(model):
    direct, other = Direct(model), pin_from_model(model)
    q, v, a = random_state(model, 2)
    rng = np.random.default_rng(2)
    wrench = {"tip": rng.normal(size=6)}
    tau = direct.inverse_dynamics(q, v, a, wrench)
    close(tau, other.inverse_dynamics(q, v, a, wrench), 1e-12)
    close(direct.mass_matrix(q), other.mass_matrix(q), 1e-12)
    close(direct.bias_forces(q, v), other.bias_forces(q, v), 1e-12)
    close(direct.gravity_forces(q), other.gravity_forces(q), 1e-12)
    close(direct.forward_dynamics(q, v, tau, wrench), a, 1e-6)
    close(other.forward_dynamics(q, v, tau, wrench), a, 1e-6)


@models
def test_whole_body_quantities(model):
    direct, other = Direct(model), pin_from_model(model)
    q, v, _ = random_state(model, 3)
    moving = [b.joint.kind != "fixed" or b.parent != "world" for b in model.bodies]
    if all(moving):  # Pinocchio leaves out what is welded to the world
        close(direct.center_of_mass(q), other.center_of_mass(q), 1e-12)
        close(direct.momentum(q, v), other.momentum(q, v), 1e-12)
        close(direct.energy(q, v), other.energy(q, v), 1e-12)


@models
def test_lagrange_and_dalembert(model):
    """h from derivatives of M and V equals h from accelerations of poses."""
    if any(joint.nq != joint.nv for joint in model.joints):
        pytest.skip("Lagrange's equations need coordinates, not quaternions")
    direct = Direct(model)
    q, v, _ = random_state(model, 4)
    close(direct.lagrange_bias(q, v), direct.bias_forces(q, v), 1e-12)


@models
def test_kinetic_energy_is_the_mass_matrix(model):
    direct = Direct(model)
    q, v, _ = random_state(model, 5)
    close(0.5 * v @ direct.mass_matrix(q) @ v, direct.energy(q, v)[0], 1e-13)


@models
def test_jacobian_dot(model):
    """J a + J' v is the acceleration; Pinocchio's J' agrees where joint axes stand still."""
    direct, other = Direct(model), pin_from_model(model)
    q, v, a = random_state(model, 6)
    for coordinates in COORDINATES:
        J, J_dot = (
            direct.jacobian(q, "tip", coordinates),
            direct.jacobian_dot(q, v, "tip", coordinates),
        )
        # only world-aligned rows follow the material point
        kind = "classical" if coordinates == "world_aligned" else "spatial"
        close(J @ a + J_dot @ v, direct.acceleration(q, v, a, "tip", coordinates, kind), 1e-11)
        if not {body.joint.kind for body in model.bodies} & TURNING_AXES:
            close(J_dot, other.jacobian_dot(q, v, "tip", coordinates), 1e-11)


@models
def test_reactions_carry_the_joint_forces(model):
    """S^T reaction = tau: the reaction's work on each unit joint velocity."""
    direct = Direct(model)
    q, v, a = random_state(model, 7)
    tau = direct.inverse_dynamics(q, v, a)
    reactions = direct.reactions(q, v, a)
    for body, slot in zip(model.bodies, direct.v_slots, strict=True):
        S = direct.jacobian(q, body.name)[:, slot]
        close(S.T @ reactions[body.name], tau[slot], 1e-11)


@pytest.mark.parametrize("case", near_singular_states(), ids=lambda case: case[0])
def test_hard_places(case):
    _, model, q, v, a = case
    direct, other = Direct(model), pin_from_model(model)
    close(direct.inverse_dynamics(q, v, a), other.inverse_dynamics(q, v, a), 1e-9)
    close(direct.mass_matrix(q), other.mass_matrix(q), 1e-9)


@pytest.mark.parametrize("seed", range(30))
def test_random_trees(seed):
    model = random_model(100 + seed)
    direct, other = Direct(model), pin_from_model(model)
    q, v, a = random_state(model, seed)
    close(direct.inverse_dynamics(q, v, a), other.inverse_dynamics(q, v, a), 1e-11)
    close(direct.mass_matrix(q), other.mass_matrix(q), 1e-11)


def pendulum() -> Builder:
    builder = Builder("pendulum", gravity=(0, 0, -10))
    builder.body("rod", axis="y", mass=2.0, com=(0, 0, -0.5), inertia=(0.1, 0.2, 0.1))
    return builder


def test_a_pendulum_in_closed_form():
    """(I + m l²) a + m g l sin q = tau."""
    direct = Direct(pendulum().build())
    tau = direct.inverse_dynamics(np.array([0.3]), np.array([5.0]), np.array([2.0]))
    assert tau == pytest.approx([(0.2 + 2.0 * 0.25) * 2.0 + 2.0 * 10 * 0.5 * np.sin(0.3)])


def test_a_pendulum_in_a_lift_and_on_a_turntable():
    """An accelerating world adds to gravity; a turning one adds the centrifugal moment."""
    lift = pendulum()
    lift.base_acceleration = (0, 0, 0, 0, 0, 3.0)
    q = np.array([0.3])
    tau = Direct(lift.build()).gravity_forces(q)
    assert tau == pytest.approx([2.0 * 13.0 * 0.5 * np.sin(0.3)])
    table = pendulum()
    table.base_velocity = (0, 0, 4.0, 0, 0, 0)
    tau = Direct(table.build()).gravity_forces(q)
    # gravity, minus Ω² sin cos (I_xx - I_zz + m l²) of the rod about its pivot
    expected = 2.0 * 10 * 0.5 * np.sin(0.3) - 16 * np.sin(0.3) * np.cos(0.3) * (0.1 + 0.5 - 0.1)
    assert tau == pytest.approx([expected])
