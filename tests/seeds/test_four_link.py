"""The four-link chain of [VanDerMerwe1995, section 5.5], opened at its tip.

Case 000_four_link_closed: inertias, transforms, Jacobians, mass matrices, operational inertia and
open-chain accelerations come from the library; the closure (5.119-5.133) is solved densely here
from them, at the first instant, at every row of the recorded motion and over 10 s.

The source's own explicit Euler steps are in test_four_link_euler.py; every other recorded value is
asserted here.
"""

import numpy as np
import pytest

import armillary as am
from armillary.algorithms.tree.mass_matrix import mass_matrix
from armillary.model.parts import inertia_of
from dense import matrix_of_inertia
from seeds.cases import (
    assert_rows,
    assert_value,
    case,
    columns,
    in_frame_axes,
    motion,
    serial,
    table,
    transform,
)

FOUR = case("000_four_link_closed")
Q = V = np.zeros(4)
TAU = np.zeros(4)
CLOSED = np.array(FOUR.problem["tip"]["phi_constraint_columns"], float).T  # phi^c (6, 5)


@pytest.fixture(scope="module")
def chain() -> am.Mechanism:
    return serial("four-link", FOUR.problem)


# -- the open chain at the first instant ---------------------------------------------------------


@pytest.mark.parametrize("k", range(1, 5))
def test_spatial_inertias_and_transforms(chain, k):
    """5.77-5.82, 5.87-5.90 (errata 0-28, 0-29)."""
    body = chain.model.bodies[k - 1]
    I = matrix_of_inertia(inertia_of(body.mass))
    assert_value(I, FOUR[f"I_{k}"])
    if k == 1:
        assert_value(I[:3, :3], FOUR["Ibar_1"])
    frames = ("world", *chain.bodies)
    assert_value(transform(chain, Q, frames[k], frames[k - 1]), FOUR[f"{k}X{k - 1}"])


@pytest.mark.parametrize("k", range(1, 5))
def test_jacobians_and_mass_matrices_grow_link_by_link(chain, k):
    """5.92-5.106: J_k of link k, H_k of the chain cut after link k."""
    assert_value(chain.jacobian(Q, f"link{k}")[:, :k], FOUR[f"J_{k}"])
    assert not chain.jacobian(Q, f"link{k}")[:, k:].any()
    cut = serial("cut", FOUR.problem, k)
    assert_value(cut.mass_matrix(np.zeros(k)), FOUR[f"H_{k}"])
    plain = cut.interpret(mass_matrix, {"q": [0.0] * k})
    assert_value(plain.result("M"), FOUR[f"H_{k}"])


def test_bias_and_total_mass(chain):
    """5.85; Table 5.2 sums to five kilograms (errata 0-34)."""
    assert_value(chain.bias_forces(Q, V), FOUR["Gamma_bias"])
    assert_value(chain.gravity_forces(Q), FOUR["Gamma_bias"])
    assert sum(body.mass.mass for body in chain.model.bodies) == 5.0


def inverse_mass_matrix(chain, q) -> np.ndarray:
    """M^-1 column by column: accelerations of unit joint forces without gravity, in O(n) each."""
    n = len(q)
    weightless = chain.replace(gravity=(0.0, 0.0, 0.0))
    return weightless.forward_dynamics(q, np.zeros(n), np.eye(n)).T


def test_operational_inertia(chain):
    """5.106-5.113 (errata 0-30)."""
    J = chain.jacobian(Q, "tip")
    assert_value(J, FOUR["J_end"])
    inverse = inverse_mass_matrix(chain, Q)
    assert_value(inverse, FOUR["H^-1"])
    assert_value(np.linalg.inv(chain.mass_matrix(Q)), FOUR["H^-1"])
    assert_value(inverse @ J.T, FOUR["Omega"])
    W, rank = chain.operational_inertia(Q, "tip")
    assert_value(W, FOUR["Lambda^-1"])
    assert rank == 3
    assert np.linalg.det(chain.mass_matrix(Q)) == pytest.approx(
        FOUR["exact fractions"]["H_4 det"], rel=1e-12
    )


def test_open_chain_accelerations(chain):
    """5.114-5.117 (errata 0-31)."""
    a = chain.forward_dynamics(Q, V, TAU)
    assert_value(a, FOUR["qdd_open"])
    tip = chain.acceleration(Q, V, a, "tip")
    assert_value(tip, FOUR["xdd_open"])
    assert_value(tip, FOUR["xdd_open (6 components)"])


def test_closure_from_open_chain_quantities(chain):
    """5.120-5.133: the contact force from Lambda^-1 and the open chain, then the closed chain."""
    W, _ = chain.operational_inertia(Q, "tip")
    a_open = chain.forward_dynamics(Q, V, TAU)
    A = CLOSED.T @ W @ CLOSED
    b = CLOSED.T @ chain.acceleration(Q, V, a_open, "tip")
    assert_value(A, FOUR["A"])
    assert_value(b, FOUR["b"])
    h = np.linalg.lstsq(A, b, rcond=1e-11)[0]
    assert_value(h, FOUR["h^c"])
    f = CLOSED @ h  # exerted by the tip
    assert_value(f[5], FOUR["f (6th component)"])
    assert f[5] == pytest.approx(-85 / 19, rel=1e-14)
    a = chain.forward_dynamics(Q, V, TAU, external={"tip": -f})
    assert_value(a, FOUR["qdd closed"])
    np.testing.assert_allclose(a, np.array([0, 200, -200, -200]) / 19, rtol=0, atol=1e-13)
    np.testing.assert_allclose(chain.acceleration(Q, V, a, "tip")[3:], 0, atol=1e-13)


# -- the recorded motion: friction in the joints, tip held in x and z ----------------------------


@pytest.fixture(scope="module")
def rubbing(chain) -> am.Mechanism:
    viscous = FOUR.problem["simulation"]["viscous_friction_per_joint"]
    friction = am.Passive(viscous=viscous)
    return chain.replace(bodies={name: {"passive": friction} for name in chain.bodies})


@pytest.fixture(scope="module")
def recorded():
    data = table("000_four_link_closed_reference")
    q, v, a = (columns(data, *(f"{x}{k}" for k in range(1, 5))) for x in ("q", "qd", "qdd"))
    return data, q, v, a


def test_recorded_motion_keeps_the_tip_in_place(chain, recorded):
    _, q, v, a = recorded
    _, place = chain.pose(q, "tip")
    held = FOUR.problem["tip"]["position"]
    np.testing.assert_allclose(place, np.tile(held, (len(q), 1)), rtol=0, atol=1e-10)
    speed = chain.velocity(q, v, "tip", "world_aligned")[:, 3:]
    np.testing.assert_allclose(speed, 0, atol=1e-9)
    rate = chain.acceleration(q, v, a, "tip", "world_aligned")[:, 3:]
    np.testing.assert_allclose(rate, 0, atol=5e-10 * np.abs(a).max())


def test_recorded_energy(chain, recorded):
    data, q, v, _ = recorded
    kinetic, potential = chain.energy(q, v)
    assert_rows((kinetic + potential)[:, None], data["energy"][:, None])


def test_recorded_forces_balance_the_recorded_motion(rubbing, recorded):
    """The force of the pin as an external wrench: no joint force is left over."""
    data, q, v, a = recorded
    wrench = np.zeros((len(q), 6))
    wrench[:, 3], wrench[:, 5] = -data["f_env_x"], -data["f_env_z"]
    external = {"tip": in_frame_axes(rubbing, q, "tip", wrench)}
    tau = rubbing.inverse_dynamics(q, v, a, external)
    # 10 digits of the terms that cancel, summed without their signs
    M, J = rubbing.mass_matrix(q), rubbing.jacobian(q, "tip", "world_aligned")
    terms = np.einsum("bij,bj->bi", abs(M), abs(a)) + np.einsum("bij,bi->bj", abs(J), abs(wrench))
    assert (abs(tau) <= 5e-10 * terms).all()


def closed(rubbing, q, v):
    """(a, f) of a batch: M a + h = J^T f with J a + dJ v = 0, in x and z; f on the tip."""
    held = [3, 5]
    J = rubbing.jacobian(q, "tip", "world_aligned")[:, held]
    rate = rubbing.acceleration(q, v, np.zeros_like(v), "tip", "world_aligned")[:, held]
    K = np.zeros((len(q), 6, 6))
    K[:, :4, :4], K[:, :4, 4:], K[:, 4:, :4] = rubbing.mass_matrix(q), -np.swapaxes(J, 1, 2), J
    right = np.concatenate([-rubbing.bias_forces(q, v), -rate], axis=1)
    x = np.linalg.solve(K, right[..., None])[..., 0]
    return x[:, :4], x[:, 4:]


def test_closure_along_the_recorded_motion(rubbing, recorded):
    """Accelerations and pin forces at each recorded state, from M, h, J and dJ/dt."""
    data, q, v, a = recorded
    found, f = closed(rubbing, q, v)
    assert_rows(found, a)
    assert_rows(-f, columns(data, "f_env_x", "f_env_z"))


def test_ten_seconds(rubbing, recorded):
    """The recorded motion from rest, its end, and the largest forces in the pin (0-36)."""
    data, q, v, _ = recorded

    def rate(t, x):
        return np.concatenate([x[4:], closed(rubbing, x[None, :4], x[None, 4:])[0][0]])

    fine = np.linspace(0, 1.5, 3001)
    times = np.union1d(fine.round(10), data["t"])
    x = motion(rate, np.zeros(8), times, 1e-12)
    assert_rows(x[np.isin(times, data["t"])], np.hstack([q, v]))
    end = FOUR["final state t=10"]
    np.testing.assert_allclose(x[-1], end["q"] + end["qd"], rtol=0, atol=5e-11)
    _, f = closed(rubbing, x[:, :4], x[:, 4:])
    peak = FOUR["peak values accurate"]
    for name, size in (("norm", np.hypot(*f.T)), ("fx", abs(f[:, 0])), ("fz", abs(f[:, 1]))):
        assert times[size.argmax()] == pytest.approx(peak[f"t_{name}"], abs=1e-9)
        assert size.max() == pytest.approx(peak[name], rel=1e-10)
