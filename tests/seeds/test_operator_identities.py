"""Spatial operators of [Yesiloglu2007, chapters 2, 3] on a free base with two arms.

Case 002_soa_identities.  The operators Phi, H, M, I_AB, D, K, Psi are assembled from what the
interpreter leaves on each body after the articulated-body passes; the identities then tie those
passes to the mass matrix, its factors and its inverse (errata 2-6, 2-11, 2-13 to 2-15).

Not covered: (4.17), the exponential solution for flexible joints (a simulation).  (2.53), (4.29)
are in test_free_flyer.py, where there is a common load; the planar link matrix (5.1) too.
"""

import numpy as np
import pytest

import armillary as am
from armillary.algorithms.tree.forward_dynamics import forward_dynamics
from armillary.spatial import Motion
from dense import columns, matrix_of_inertia, motion_matrix
from seeds.cases import assert_value, case, six_numbers

SOA = case("002_soa_identities")


def about_com(tensor, mass: float, com) -> tuple[float, ...]:
    """From a tensor about the link's origin to one about its centre of mass."""
    c = np.array(com)
    return six_numbers(np.array(tensor) - mass * (c @ c * np.eye(3) - np.outer(c, c)))


def unit(axis) -> tuple[float, ...]:
    """The recorded axes have 12 digits."""
    return tuple(np.array(axis) / np.linalg.norm(axis))


@pytest.fixture(scope="module")
def flyer() -> am.Mechanism:
    builder = am.Builder("flyer", gravity=(0.0, 0.0, 0.0))
    base = SOA.problem["base"]
    tensor = about_com(base["inertia_about_origin"], base["mass"], base["com"])
    builder.body("base", joint="free", mass=base["mass"], com=base["com"], inertia=tensor)
    for i, arm in enumerate(SOA.problem["arms"], 1):
        parent = "base"
        for k, link in enumerate(arm, 1):
            name = f"arm{i}_link{k}"
            tensor = about_com(link["inertia_about_link_origin"], link["mass"], link["com"])
            builder.body(name, parent, link["type"], link["link_vector_from_previous"],
                         axis=unit(link["axis"]), mass=link["mass"], com=link["com"],
                         inertia=tensor)  # fmt: skip
            parent = name
        builder.frame(f"tip{i}", parent, (0.1, -0.2, 0.3))
    return builder.build()


def block_matrix(dyad) -> np.ndarray:
    """The 6x6 matrix that an articulated inertia *does*."""
    return np.array([(dyad @ Motion.from_leaves(e)).leaves() for e in np.eye(6)]).T


class Operators:
    """The stacked operators of a state, in the frames of the interpreter."""

    def __init__(self, flyer: am.Mechanism, q):
        n = flyer.nv
        run = flyer.interpret(forward_dynamics, {"q": q, "v": [0.0] * n, "tau": [0.0] * n})
        parents, offsets = run.tables.parents, run.tables.v_offsets
        size = 6 * len(run.bodies)
        self.M, self.I_AB, self.E_phi, self.E_psi = (np.zeros((size, size)) for _ in range(4))
        self.H, self.D = np.zeros((size, n)), np.zeros((n, n))
        for k, b in enumerate(run.bodies):
            here, dofs = slice(6 * k, 6 * k + 6), slice(offsets[k], offsets[k] + b.joint.nv)
            S, U = columns(b.S), columns(b.U)
            self.H[here, dofs] = S
            self.M[here, here] = matrix_of_inertia(b.inertia)
            self.I_AB[here, here] = block_matrix(b.I_A)
            inverse_D = np.array([b.D.solve(e) for e in np.eye(b.joint.nv)])
            self.D[dofs, dofs] = np.linalg.inv(inverse_D)
            if parents[k] >= 0:
                there = slice(6 * parents[k], 6 * parents[k] + 6)
                X = np.array([(b.X @ Motion.from_leaves(e)).leaves() for e in np.eye(6)]).T
                self.E_phi[here, there] = X
                self.E_psi[here, there] = (np.eye(6) - S @ inverse_D @ U.T) @ X
        one = np.eye(size)
        self.one = one
        self.Phi = np.linalg.inv(one - self.E_phi)
        self.Psi = np.linalg.inv(one - self.E_psi)
        self.K = np.linalg.solve(self.D, self.H.T @ self.I_AB @ self.E_phi)

    def identities(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Left and right sides by equation number."""
        H, D, K, M, I, one = self.H, self.D, self.K, self.M, self.I_AB, self.one
        Phi, Psi, E_phi, E_psi = self.Phi, self.Psi, self.E_phi, self.E_psi
        tilde, unit = Psi - one, np.eye(len(D))
        power = np.linalg.matrix_power
        mass = H.T @ Phi.T @ M @ Phi @ H
        low = unit + K @ Phi @ H
        return {
            "3.10": (Phi, one + sum(power(E_phi, k) for k in range(1, 6))),
            "3.11": (Phi @ (one - E_phi), one),
            "3.14": (D, H.T @ I @ H),
            "3.17": (I, M + E_psi.T @ I @ E_psi),
            "3.18": (E_psi, (one - H @ np.linalg.solve(D, H.T @ I)) @ E_phi),
            "3.22": (np.concatenate([Psi @ E_psi, E_psi @ Psi]), np.concatenate([tilde, tilde])),
            "3.23": (Psi.T @ M @ Psi, I + tilde.T @ I + I @ tilde),
            "3.24": (np.linalg.solve(Psi, Phi), one + H @ K @ Phi),
            "3.25": (Phi @ np.linalg.inv(Psi), one + Phi @ H @ K),
            "3.26": (H.T @ I @ E_psi, np.zeros_like(H.T)),
            "3.27": (H.T @ Psi.T @ M @ Psi @ H, D),
            "3.34": (mass, low.T @ D @ low),
            "3.35": (np.linalg.inv(low), unit - K @ Psi @ H),
            "3.37": (np.linalg.inv(low), unit - K @ Phi @ np.linalg.inv(one + H @ K @ Phi) @ H),
            "3.38": (
                np.linalg.inv(mass),
                (unit - K @ Psi @ H) @ np.linalg.inv(D) @ (unit - K @ Psi @ H).T,
            ),
        }


def states(flyer) -> dict[str, np.ndarray]:
    return {"neutral": flyer.neutral(), "anywhere": flyer.random_state(7)[0]}


@pytest.fixture(scope="module", params=["neutral", "anywhere"])
def operators(flyer, request):
    q = states(flyer)[request.param]
    return q, Operators(flyer, q.tolist())


def test_identities(operators):
    _, ops = operators
    for number, (left, right) in ops.identities().items():
        np.testing.assert_allclose(left, right, rtol=0, atol=5e-14, err_msg=f"identity {number}")


def test_operators_are_those_of_the_compiled_functions(flyer, operators):
    """Mass matrix (2.33) by composite bodies; its inverse (3.38) by unit joint forces."""
    q, ops = operators
    left, right = ops.identities()["3.34"]
    M = flyer.mass_matrix(q)
    np.testing.assert_allclose(left, M, rtol=0, atol=2e-14)
    np.testing.assert_allclose(right, M, rtol=0, atol=2e-14)
    n = flyer.nv
    inverse = flyer.forward_dynamics(q, np.zeros(n), np.eye(n)).T
    np.testing.assert_allclose(ops.identities()["3.38"][1], inverse, rtol=0, atol=2e-13)


def test_jacobian_and_operational_inertia(flyer, operators):
    """J = Phi_t Phi H (2.37), and J M^-1 J^T from the factors of M^-1."""
    q, ops = operators
    for i, last in ((1, 3), (2, 7)):
        own = flyer.evaluator.tables().bodies[last].own
        R = np.array(own.rows, float)
        place = flyer.model.frame(f"tip{i}").pose.position
        X_tip = motion_matrix(np.eye(3), place) @ np.kron(np.eye(2), R)
        Phi_t = np.zeros((6, len(ops.Phi)))
        Phi_t[:, 6 * last : 6 * last + 6] = X_tip
        J = Phi_t @ ops.Phi @ ops.H
        np.testing.assert_allclose(J, flyer.jacobian(q, f"tip{i}"), rtol=0, atol=1e-14)
        W, rank = flyer.operational_inertia(q, f"tip{i}")
        np.testing.assert_allclose(W, J @ ops.identities()["3.38"][1] @ J.T, rtol=0, atol=1e-13)
        assert rank == 6


def test_recorded_mass_matrix_and_factors(flyer):
    """(2.33), D and a row of M^-1 at the recorded configuration, in inertial axes."""
    q = flyer.neutral()
    M = flyer.mass_matrix(q)
    assert_value(M, SOA["generalized mass matrix (2.33)"])
    ops = Operators(flyer, q.tolist())
    # differences of larger numbers, made of masses and tensors with 12 digits
    assert_value(ops.D[:6, :6], SOA["D: base 6x6 block"], rounding=1e-12)
    assert_value(np.diag(ops.D)[6:], SOA["D: scalars of joints (arm1 j1..3, arm2 j1..4)"])
    push = np.eye(13)[0]
    row = flyer.forward_dynamics(q, np.zeros(13), push)
    assert_value(row, SOA["M^-1 (first row)"], rounding=2e-12)
    assert_value(np.linalg.inv(M)[0], SOA["M^-1 (first row)"], rounding=2e-12)


def test_base_block_needs_the_links_inertias(flyer):
    """(2.34) with the block-diagonal inertias of the links (errata 2-6)."""
    ops = Operators(flyer, flyer.neutral().tolist())
    to_base = ops.Phi[:, :6]  # Phi of every link, times Phi_b
    np.testing.assert_allclose(
        to_base.T @ ops.M @ to_base, flyer.mass_matrix(flyer.neutral())[:6, :6], rtol=0, atol=1e-14
    )


def test_inversion_lemma():
    """(3.36) with X instead of X^-1 on the left (errata 2-13)."""
    rng = np.random.default_rng(36)
    X, Y, Q, Z = (rng.normal(size=s) + 3 * np.eye(*s) for s in ((5, 5), (5, 3), (3, 3), (3, 5)))
    inv = np.linalg.inv
    right = inv(X) + inv(X) @ Y @ inv(Q - Z @ inv(X) @ Y) @ Z @ inv(X)
    np.testing.assert_allclose(inv(X - Y @ inv(Q) @ Z), right, rtol=0, atol=1e-12)


def test_locked_joint(flyer):
    """(4.38): a joint without motion leaves the dynamics of the mechanism with it welded."""
    q, v, tau = flyer.random_state(8)
    k, name = 9, "arm2_link1"
    v[k] = 0.0
    M, h = flyer.mass_matrix(q), flyer.bias_forces(q, v)
    inverse = np.linalg.inv(M)
    free = inverse @ (tau - h)
    kept = free - inverse[:, k] * free[k] / inverse[k, k]
    welded = flyer.lock({name: float(q[k + 1])})
    found = welded.forward_dynamics(np.delete(q, k + 1), np.delete(v, k), np.delete(tau, k))
    np.testing.assert_allclose(found, np.delete(kept, k), rtol=1e-11, atol=1e-12)
