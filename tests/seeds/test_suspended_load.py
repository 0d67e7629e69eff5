"""Two links that carry a load, [VanDerMerwe1995, section 6.5], case 000_two_link_suspended_load.

Each link is an open chain of the library; the effective inertia of the reference member
(6.8-6.34, errata 0-38 to 0-41) is put together here from the chains' own quantities.

Every recorded value is asserted.  n_c,k (6.80) is printed as 1; its five columns are used here
(errata 0-48).
"""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import armillary as am
from armillary.model.parts import inertia_of
from dense import matrix_of_inertia
from seeds.cases import (
    add_chain,
    assert_rows,
    assert_value,
    case,
    columns,
    constrained,
    gravity,
    in_frame_axes,
    motion,
    table,
    transform,
)

LOAD = case("000_two_link_suspended_load")
PROBLEM = LOAD.problem
Q, REST = np.array([np.pi / 4]), np.zeros(1)
FREE = np.array([[0.0, 1, 0, 0, 0, 0]]).T  # phi: the tip may turn about y
CLOSED = np.delete(np.eye(6), 1, axis=1)  # phi^c
LENGTH = 1.5


def build(chain: dict) -> am.Mechanism:
    """One link, with its tip and the reference member's frame r at the first instant."""
    builder = am.Builder(chain["name"], gravity(PROBLEM))
    add_chain(builder, [{"name": "link", **chain["links"][0]}], chain["base_position"])
    point = np.array(chain["interaction_point_in_r"])
    tip = np.array(chain["base_position"]) + LENGTH * np.array([np.cos(Q[0]), 0, -np.sin(Q[0])])
    builder.frame("r", "world", tuple(tip - point))
    return builder.build()


CHAINS = [build(chain) for chain in PROBLEM["chains"]]


@pytest.fixture(params=[0, 1], ids=["chain 1", "chain 2"])
def chain(request) -> am.Mechanism:
    return CHAINS[request.param]


def reference_inertia() -> np.ndarray:
    member = PROBLEM["reference_member"]
    builder = am.Builder("member")
    diagonal = np.diag(member["inertia_com"])
    builder.body("r", joint="free", mass=member["mass"], com=member["com"], inertia=diagonal)
    return matrix_of_inertia(inertia_of(builder.build().model.bodies[0].mass))


# -- the open chains -----------------------------------------------------------------------------


def test_inertias(chain):
    """6.74, 6.75, 6.79."""
    I = matrix_of_inertia(inertia_of(chain.model.bodies[0].mass))
    assert_value(I, LOAD["I_k1"])
    assert_value(I[:3, :3], LOAD["Ibar_k1"])
    assert_value(reference_inertia(), LOAD["I_r"])


def test_jacobians_and_operational_inertia(chain):
    """6.88-6.95 (errata 0-49)."""
    J, M = chain.jacobian(Q, "tip"), chain.mass_matrix(Q)
    assert_value(chain.jacobian(Q, "link"), LOAD["J_k,1"])
    assert_value(J, LOAD["J_k,tip"])
    assert_value(M, LOAD["H_k"])
    W, rank = chain.operational_inertia(Q, "tip")
    assert_value(W, LOAD["Lambda_k^-1"])
    assert rank == 1
    assert_value(np.linalg.solve(M, J.T), LOAD["Omega_k"])


def test_open_chain_accelerations(chain):
    """6.96-6.100 (errata 0-50)."""
    assert_value(chain.bias_forces(Q, REST), LOAD["bias"])
    a = chain.forward_dynamics(Q, REST, REST)
    assert_value(a, LOAD["qdd_open"])
    assert_value(chain.acceleration(Q, REST, a, "tip"), LOAD["xdd_open"])


@pytest.mark.parametrize("k", [0, 1])
def test_transforms_to_the_reference_member(k):
    """6.111-6.117."""
    X_kr = transform(CHAINS[k], Q, "tip", "r")
    assert_value(X_kr[:3, :3], LOAD[f"{k + 1}A_r"])
    assert_value(X_kr, LOAD[f"{k + 1}X_r"])


# -- the closure, from the chains' quantities ----------------------------------------------------


@dataclass
class Coupled:
    """Section 6.3 for one chain: how it loads the reference member, f_k = P - R a_r."""

    S: np.ndarray
    M: np.ndarray
    inverse_M: np.ndarray
    X: np.ndarray
    P: np.ndarray
    R: np.ndarray
    Omega: np.ndarray
    a_open: np.ndarray


def coupled(chain, tau) -> Coupled:
    """At rest, with no force in the free direction of the tip's joint."""
    W, _ = chain.operational_inertia(Q, "tip")
    a_open = chain.forward_dynamics(Q, REST, tau)
    S = CLOSED.T @ chain.acceleration(Q, REST, a_open, "tip")
    inverse_M = CLOSED.T @ W @ CLOSED
    M = np.linalg.pinv(inverse_M, rcond=1e-11)
    X_kr = transform(chain, Q, "tip", "r")
    Omega = np.linalg.solve(chain.mass_matrix(Q), chain.jacobian(Q, "tip").T)
    P, R = CLOSED @ M @ S, CLOSED @ M @ CLOSED.T @ X_kr
    return Coupled(S, M, inverse_M, X_kr, P, R, Omega, a_open)


def reference_acceleration(parts):
    """(I_eff, right side, projector, a_r) of 6.128-6.138."""
    inertia = sum(p.X.T @ p.R for p in parts)
    I_eff = reference_inertia() + inertia
    weight = np.array(PROBLEM["gravity"]["g_r"], float)
    rhs = weight + sum(p.X.T @ p.P for p in parts)
    values, vectors = np.linalg.eigh(inertia)
    basis = vectors[:, values > 1e-9]
    projector = basis @ basis.T
    return I_eff, rhs, projector, np.linalg.solve(I_eff, projector @ rhs)


def test_coupling_of_a_chain(chain):
    """6.102-6.119: the pseudo-inverse of a matrix of rank one."""
    part = coupled(chain, REST)
    assert_value(part.S, LOAD["S_k"])
    assert_value(part.inverse_M, LOAD["M_k^-1"])
    assert_value(part.M, LOAD["M_k"])
    _, vectors = np.linalg.eigh(part.inverse_M)
    base = np.abs(vectors[:, -1])
    assert_value(base, LOAD["base of M_k^-1"])
    assert_value(part.M @ base, LOAD["x"])
    assert_value(part.P, LOAD["P_k"])


def test_effective_inertia_and_motion():
    """6.121-6.146; the accelerations also by the mechanism as a whole (errata 0-47)."""
    parts = [coupled(chain, REST) for chain in CHAINS]
    assert_value(parts[0].R, LOAD["R_1"])
    assert_value(parts[1].R, LOAD["R_2"])
    assert_value(sum(p.X.T @ p.R for p in parts), LOAD["sum X^T R"])
    I_eff, rhs, projector, a_r = reference_acceleration(parts)
    assert_value(I_eff, LOAD["I_eff"])
    assert_value(rhs, LOAD["rhs"])
    assert_value(projector, LOAD["projector b b^T from base 6.134"])
    assert_value(projector @ rhs, LOAD["f'"])
    assert_value(a_r, LOAD["a_r"])
    for chain, part in zip(CHAINS, parts, strict=True):
        f = part.P - part.R @ a_r
        assert_value(f, LOAD["f_k"])
        a = part.a_open - part.Omega @ f
        assert_value(a, LOAD["qdd_k"])
        assert_value(chain.forward_dynamics(Q, REST, REST, external={"tip": -f}), LOAD["qdd_k"])
        assert_value(chain.acceleration(Q, REST, a, "tip"), LOAD["a_k,tip"])
        assert_value((part.X @ a_r)[5], LOAD["a_1 = 1X_r a_r (6th comp.)"])


def test_static_equilibrium():
    """6.148-6.152: each link carries half the load."""
    half = np.array(PROBLEM["gravity"]["g_r"], float) / 2
    moments = []
    for chain in CHAINS:
        external = {"tip": in_frame_axes(chain, Q, "tip", half)}
        tau = chain.static_torques(Q, external)
        moments.append(tau)
        assert_value(tau[0], LOAD["M_y static"])
        a = chain.forward_dynamics(Q, REST, tau)
        assert_value(a, LOAD["qdd_open static"])
        assert_value(chain.acceleration(Q, REST, a, "tip"), LOAD["xdd_open static"])
        held = chain.forward_dynamics(Q, REST, tau, external)
        np.testing.assert_allclose(held, LOAD["qdd static"], atol=1e-13)
    parts = [coupled(chain, tau) for chain, tau in zip(CHAINS, moments, strict=True)]
    *_, a_r = reference_acceleration(parts)
    np.testing.assert_allclose(a_r, LOAD["a_r static"], atol=1e-13)


# -- the whole machine as one tree with several roots --------------------------------------------


@pytest.fixture(scope="module")
def machine() -> am.Mechanism:
    """Both links and the load as a free body; its grips carry the axes of the tips' joints."""
    builder = am.Builder("machine", gravity(PROBLEM))
    member = PROBLEM["reference_member"]
    builder.body("r", joint="free", mass=member["mass"], inertia=np.diag(member["inertia_com"]))
    for chain in PROBLEM["chains"]:
        link = {"name": "link", **chain["links"][0]}
        add_chain(builder, [link], chain["base_position"], chain["name"])
        builder.frame(chain["name"] + "grip", "r", chain["interaction_point_in_r"])
    return builder.build()


def closure(machine, q, v):
    """(J, dJ v) of the two pins in the world's axes: 5 rows each, turning about y is free."""
    rows = [0, 2, 3, 4, 5]
    J, rate = [], []
    for name in ("chain1", "chain2"):
        for sign, frame in ((1, name + "grip"), (-1, name + "tip")):
            J.append(sign * machine.jacobian(q, frame, "world_aligned")[rows])
            rest = machine.acceleration(q, v, np.zeros(len(v)), frame, "world_aligned")
            rate.append(sign * rest[rows])
    return (
        np.concatenate([J[0] + J[1], J[2] + J[3]]),
        np.concatenate([rate[0] + rate[1], rate[2] + rate[3]]),
    )


def state(x: float, z: float, angle: float) -> np.ndarray:
    return np.array([1.0, 0, 0, 0, x, 0, z, angle, angle])


def first_place() -> np.ndarray:
    _, r = CHAINS[0].pose(Q, "r")
    return state(r[0], r[2], Q[0])


def test_true_tip_forces(machine):
    """Errata 0-52: minimum norm, in the tips' axes; rank 7 of 10 rows leaves one freedom."""
    q, v = first_place(), np.zeros(8)
    J, rate = closure(machine, q, v)
    assert np.linalg.matrix_rank(J, tol=1e-9) == 7
    a, f = constrained(machine.mass_matrix(q), -machine.bias_forces(q, v), J, rate)
    assert_value(a[:6], LOAD["a_r"])
    name = "true tip forces on the reference member (tip frame, minimum norm)"
    for k in range(2):
        wrench = np.insert(f[5 * k : 5 * k + 5], 1, 0.0)
        tip = in_frame_axes(machine, q, f"chain{k + 1}tip", wrench)
        np.testing.assert_allclose(tip, LOAD[name][k], rtol=5e-12, atol=1e-12)


def test_a_couple_cannot_turn_the_load(machine):
    """Errata 0-47: 1 N m about y; the projection of the source lets the load turn."""
    q, v = first_place(), np.zeros(8)
    J, rate = closure(machine, q, v)
    couple = np.zeros(8)
    couple[1] = 1.0
    a, _ = constrained(machine.mass_matrix(q), couple - machine.bias_forces(q, v), J, rate)
    value = LOAD["defect test of 6.63-6.65: extra couple 1 N m about y on the reference member"]
    np.testing.assert_allclose(a[:6], value["a_r exact"], rtol=5e-12, atol=1e-12)
    parts = [coupled(chain, REST) for chain in CHAINS]
    I_eff, rhs, projector, _ = reference_acceleration(parts)
    wrong = np.linalg.solve(I_eff, projector @ (rhs + couple[:6]))
    assert_value(wrong, value["a_r by document algorithm"])


def test_closure_along_the_recorded_motion(machine):
    """Places, velocities, accelerations and tip forces at every recorded row."""
    data = table("000_two_link_load_reference")
    angle, speed = data["q"], data["qd"]
    found = []
    for k in range(len(angle)):
        _, tip = CHAINS[0].pose([angle[k]], "tip")
        twist = CHAINS[0].velocity([angle[k]], [speed[k]], "tip", "world_aligned")
        place = tip + np.array([0.4, 0, 0])
        q = state(place[0], place[2], angle[k])
        v = np.array([0, 0, 0, *twist[3:], speed[k], speed[k]])
        J, rate = closure(machine, q, v)
        np.testing.assert_allclose(J @ v, 0, atol=1e-13)
        a, f = constrained(machine.mass_matrix(q), -machine.bias_forces(q, v), J, rate)
        found.append([a[6], a[7], place[0], place[2], twist[3], twist[5], *f[[2, 4, 7, 9]]])
    found = np.array(found)
    moving = ("qdd", "qdd", "ref_x", "ref_z", "ref_vx", "ref_vz")
    assert_rows(found[:, :6], columns(data, *moving))
    forces = columns(data, *(f"tip{k}_f{x}_on_ref" for k in (1, 2) for x in "xz"))
    np.testing.assert_allclose(found[:, 6:], forces, rtol=0, atol=5.1e-8)  # 7 decimals


# -- one link with half the load: the load only translates, as both tips do ----------------------


@pytest.fixture(scope="module")
def loaded() -> am.Mechanism:
    return CHAINS[0].attach("link", PROBLEM["reference_member"]["mass"] / 2, (LENGTH, 0.0, 0.0))


def swing(loaded):
    def rate(t, x):
        return np.array([x[1], loaded.forward_dynamics(x[:1], x[1:], REST)[0]])

    return rate


def test_swing(loaded):
    """10 s of the whole machine, row by row, by the one freedom it has."""
    data = table("000_two_link_load_reference")
    states = motion(swing(loaded), [Q[0], 0.0], data["t"])
    assert_rows(states, columns(data, "q", "qd"))
    a = loaded.forward_dynamics(states[:, :1], states[:, 1:], 0 * states[:, :1])
    assert_rows(a, columns(data, "qdd"))
    assert_value(a[0], LOAD["qdd_k"])


def test_period(loaded):
    """Recorded from the elliptic integral; here the time to the second standstill."""

    def speed(t, x):
        return x[1]

    speed.direction = 1  # the second of two standstills: from moving back to moving forth
    run = solve_ivp(swing(loaded), (1e-3, 3.0), motion(swing(loaded), [Q[0], 0.0], [0, 1e-3])[-1],
                    "DOP853", events=speed, rtol=1e-13, atol=1e-14)  # fmt: skip
    recorded = LOAD["period of oscillation (closed form, elliptic integral)"]
    assert run.t_events[0][0] == pytest.approx(recorded, rel=1e-11)
