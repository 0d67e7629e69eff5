"""The planar two-link arm and the box of [Lecture], case 003_two_link_arm.

Every check is covered: the printed expressions as SymPy identities of the same passes that are
compiled (errata 3-1, 3-2, 3-5, 3-6, 3-8), the numeric instance, and the free swing.
"""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

import armillary as am
from armillary.algorithms.interpreter import Run
from armillary.algorithms.passes import Base
from armillary.algorithms.tree.energy import energy
from armillary.algorithms.tree.inverse_dynamics import inverse_dynamics
from armillary.algorithms.tree.kinematics import jacobian
from armillary.algorithms.tree.mass_matrix import mass_matrix
from armillary.spatial import Inertia, Motion, Symmetric, Transform, Vector
from seeds.cases import assert_rows, assert_value, case, columns, motion, table

TWO = case("003_two_link_arm")
DATA = TWO.problem["numeric_instance_not_from_seed"]
M1, M2, L1, L2, G = (DATA[name] for name in ("m1", "m2", "l1", "l2", "g"))
Q, V = np.array([0.3, 0.5]), np.array([0.7, -0.4])


@pytest.fixture(scope="module")
def arm() -> am.Mechanism:
    builder = am.Builder("two-link", (0.0, -G, 0.0))
    for name, parent, at, m, l in (("upper", "world", 0.0, M1, L1), ("lower", "upper", L1, M2, L2)):
        rod = m * l**2 / 12
        builder.body(name, parent, "revolute", (at, 0, 0), axis="z", mass=m, com=(l / 2, 0, 0),
                     inertia=(0.0, rod, rod))  # fmt: skip
    builder.frame("tip", "lower", (L2, 0, 0))
    return builder.build()


# -- closed form, derived and compared symbol by symbol ------------------------------------------

m1, m2, l1, l2, g = sp.symbols("m1 m2 l1 l2 g", positive=True)
th = sp.symbols("theta1 theta2", real=True)
thd = sp.symbols("omega1 omega2", real=True)
thdd = sp.symbols("alpha1 alpha2", real=True)
C1, C2, S2 = sp.cos(th[0]), sp.cos(th[1]), sp.sin(th[1])
C12 = sp.cos(th[0] + th[1])
I0, IC2 = m1 * l1**2 / 3, m2 * l2**2 / 12


def lagrange(K, P):
    """tau = d/dt dL/dv - dL/dq."""
    L = K - P
    tau = []
    for k in range(2):
        p = sp.diff(L, thd[k])
        rate = sum(sp.diff(p, th[i]) * thd[i] + sp.diff(p, thd[i]) * thdd[i] for i in range(2))
        tau.append(rate - sp.diff(L, th[k]))
    return tau


def energies():
    """Kinetic and potential energy from the places of the two centres of mass."""
    t12 = th[0] + th[1]
    x2 = l1 * C1 + l2 / 2 * sp.cos(t12)
    y1, y2 = l1 / 2 * sp.sin(th[0]), l1 * sp.sin(th[0]) + l2 / 2 * sp.sin(t12)
    speed2 = sum(sum(sp.diff(x, th[i]) * thd[i] for i in range(2)) ** 2 for x in (x2, y2))
    K = I0 * thd[0] ** 2 / 2 + m2 * speed2 / 2 + IC2 * (thd[0] + thd[1]) ** 2 / 2
    return speed2, K, m1 * g * y1 + m2 * g * y2


def zero(expression) -> bool:
    """Multiplied out over sines and cosines of the two angles, with sin² = 1 - cos²."""
    polynomial = sp.expand(sp.expand_trig(expression))
    for angle in th:
        s, c = sp.sin(angle), sp.cos(angle)
        polynomial = sp.rem(polynomial, s**2 + c**2 - 1, s) if polynomial.has(s) else polynomial
    return sp.expand(polynomial) == 0


@pytest.fixture(scope="module")
def symbolic(arm):
    """run(algorithm, inputs): the same two bodies with symbols for all lengths and masses."""

    def rod(m, l):
        across = m * l**2 / 12
        return Inertia.from_com(m, Vector(l / 2, 0, 0), Symmetric(0, across, across, 0, 0, 0))

    tables = arm.evaluator.tables()
    upper, lower = tables.bodies
    bodies = (
        replace(upper, inertia=rod(m1, l1), placement=Transform.identity()),
        replace(lower, inertia=rod(m2, l2), placement=Transform.translation(Vector(l1, 0, 0))),
    )
    base = Base(Vector(0, -g, 0), Motion.zero(), Motion.zero())
    tip = (1, Transform.translation(Vector(l2, 0, 0)))
    return lambda algorithm, **inputs: Run(
        algorithm, replace(tables, bodies=bodies), base, inputs, tip
    )


def test_energies_in_symbols(symbolic):
    """V_c2², K and P as printed (errata 3-2), and as the energy passes give them."""
    speed2, K, P = energies()
    w1, w12 = thd[0], thd[0] + thd[1]
    assert zero(speed2 - (l1**2 * w1**2 + l2**2 / 4 * w12**2 + w1 * w12 * l1 * l2 * C2))
    printed = (
        (I0 + m2 * l1**2) * w1**2 / 2
        + m2 * l1 * l2 * C2 * w1 * w12 / 2
        + (m2 * l2**2 / 8 + IC2 / 2) * w12**2
    )
    assert zero(K - printed)
    run = symbolic(energy, q=th, v=thd)
    assert zero(run.result("kinetic")[0] - printed)
    S1, S12 = sp.sin(th[0]), sp.sin(th[0] + th[1])
    printed = m1 * g * l1 / 2 * S1 + m2 * g * (l1 * S1 + l2 / 2 * S12)
    assert zero(P - printed)
    assert zero(run.result("potential")[0] - printed)


def test_partial_derivatives_in_symbols():
    """dL/dv and dL/dq as printed, without the factor g that slipped into dL/dtheta2 (3-1)."""
    _, K, P = energies()
    w1, w2 = thd
    arm2 = m2 * l2**2 / 4 + IC2
    printed = (
        (thd[0], (I0 + m2 * l1**2) * w1 + m2 * l1 * l2 * C2 * (w1 + w2 / 2) + arm2 * (w1 + w2)),
        (thd[1], m2 * l1 * l2 * C2 * w1 / 2 + arm2 * (w1 + w2)),
        (th[0], -m1 * g * l1 / 2 * C1 - m2 * g * (l1 * C1 + l2 / 2 * C12)),
        (th[1], -m2 * g * l2 / 2 * C12 - m2 * l1 * l2 * S2 * w1 * (w1 + w2) / 2),
    )
    for variable, expression in printed:
        assert zero(sp.diff(K - P, variable) - expression)
    with_g = printed[3][1] + (1 - g) * m2 * l1 * l2 * S2 * w1 * (w1 + w2) / 2
    assert not zero(sp.diff(K - P, th[1]) - with_g)


def final_equation():
    """M and h as printed in the last equation of the lecture."""
    both = m2 * l2**2 / 4 + IC2
    M = sp.Matrix([[I0 + m2 * l1**2 + both + m2 * l1 * l2 * C2, both + m2 * l1 * l2 * C2 / 2],
                   [both + m2 * l1 * l2 * C2 / 2, both]])  # fmt: skip
    weight = m2 * l2 * g * C12 / 2
    h = sp.Matrix([
        -m2 * l1 * l2 * S2 * (thd[0] + thd[1] / 2) * thd[1] + (m1 / 2 + m2) * l1 * g * C1 + weight,
        m2 * l1 * l2 * S2 * thd[0] ** 2 / 2 + weight,
    ])  # fmt: skip
    return M, h


def test_equations_of_motion_in_symbols(symbolic):
    """Lagrange's equations, the printed final rows, and Newton-Euler on symbols are the same."""
    _, K, P = energies()
    M, h = final_equation()
    rows = M * sp.Matrix(thdd) + h
    newton_euler = symbolic(inverse_dynamics, q=th, v=thd, a=thdd).result("tau")
    composite = symbolic(mass_matrix, q=th).result("M")
    for k, tau in enumerate(lagrange(K, P)):
        assert zero(tau - rows[k])
        assert zero(newton_euler[k] - rows[k])
        assert all(zero(composite[k][i] - M[k, i]) for i in range(2))


def test_closed_form_over_random_states(arm):
    """The compiled answers against the printed final equation at 200 states."""
    numbers = {m1: M1, m2: M2, l1: L1, l2: L2, g: G}
    M, h = final_equation()
    closed = sp.lambdify([th, thd], [M.subs(numbers), h.subs(numbers)])
    rng = np.random.default_rng(3)
    q, v, a = rng.uniform(-np.pi, np.pi, (200, 2)), *rng.normal(size=(2, 200, 2)) * 3
    tau = arm.inverse_dynamics(q, v, a)
    for k in range(200):
        M_k, h_k = closed(q[k], v[k])
        np.testing.assert_allclose(tau[k], M_k @ a[k] + h_k[:, 0], rtol=0, atol=1e-13 * G * 20)
    back = arm.forward_dynamics(q, v, tau)
    np.testing.assert_allclose(back, a, rtol=0, atol=1e-11)


# -- Jacobian, singularity, statics --------------------------------------------------------------


def test_determinant_of_the_jacobian_in_symbols(symbolic):
    """det J = l1 l2 sin(theta2), in the world's axes and in the tip's (errata 3-8)."""
    for coordinates in ("world_aligned", "local"):
        J = sp.Matrix(symbolic(jacobian(coordinates), q=th).matrices["J"])[3:5, :]
        assert zero(J.det() - l1 * l2 * S2)


def test_numeric_jacobian_and_statics(arm):
    value = TWO["Jacobian at q=(0.3,0.5), l=(0.8,0.6)"]
    J = arm.jacobian(Q, "tip", "world_aligned")[3:5]
    assert_value(J, value["J"])
    assert_value(np.linalg.det(J), value["det"])
    F = np.array([3.0, -2.0])
    assert_value(J.T @ F, value["tau=J^T F for F=(3,-2)"])
    floating = arm.replace(gravity=(0.0, 0.0, 0.0))
    R, _ = arm.pose(Q, "tip")
    on_tip = np.concatenate([np.zeros(3), -R.T @ [*F, 0.0]])  # the tip exerts F
    tau = floating.static_torques(Q, {"tip": on_tip})
    assert_value(tau, value["tau=J^T F for F=(3,-2)"])


def test_static_recursion_link_by_link(arm):
    """f_k = R f_k+1, n_k = R n_k+1 + p × f_k (errata 3-7); tau is n along the axis."""
    rng = np.random.default_rng(5)
    by_tip = rng.normal(size=6)
    floating = arm.replace(gravity=(0.0, 0.0, 0.0))
    at_rest = np.zeros(2)
    forces = floating.body_forces(Q, at_rest, at_rest, external={"tip": -by_tip})
    n, f = by_tip[:3], by_tip[3:]
    before = "tip"
    for k, body in reversed(list(enumerate(arm.bodies))):
        (R_A, p_A), (R_B, p_B) = arm.pose(Q, body), arm.pose(Q, before)
        R, p = R_A.T @ R_B, R_A.T @ (p_B - p_A)
        n, f = R @ n + np.cross(p, R @ f), R @ f
        np.testing.assert_allclose(forces.transmitted[k], [*n, *f], atol=1e-15)
        assert forces.tau[k] == pytest.approx(n[2], abs=1e-15)
        before = body


@pytest.mark.parametrize("theta2, rank", [(0.0, 1), (np.pi, 1), (0.5, 2), (1e-6, 2)])
def test_singular_when_stretched_or_folded(arm, theta2, rank):
    """One direction of motion is lost exactly at theta2 = 0 and 180 degrees."""
    J = arm.jacobian([0.3, theta2], "tip", "world_aligned")[3:5]
    assert np.linalg.matrix_rank(J, tol=1e-9) == rank
    assert np.linalg.det(J) == pytest.approx(L1 * L2 * np.sin(theta2), abs=1e-15)


@pytest.mark.parametrize("how", ["built", "example"])
def test_numeric_mass_matrix_and_bias(arm, how):
    arm = arm if how == "built" else am.example("two-link")
    value = TWO["numeric check: M(q), h(q,qd) at q=(0.3,0.5), qd=(0.7,-0.4)"]
    assert_value(arm.mass_matrix(Q), value["M"])
    assert_value(arm.bias_forces(Q, V), value["h"])


# -- the box about its corner --------------------------------------------------------------------


def test_box_about_its_corner():
    """m/3 (l² + h²), -m/4 w l, ...: by integration and by the parallel-axis rule (3-5, 3-6)."""
    w, l, h, m, x, y, z = sp.symbols("w l h m x y z", positive=True)
    centre = Inertia.from_com(
        m, Vector(w / 2, l / 2, h / 2),
        Symmetric(m * (l**2 + h**2) / 12, m * (w**2 + h**2) / 12, m * (w**2 + l**2) / 12, 0, 0, 0),
    )  # fmt: skip
    entries = {
        "xx": (y**2 + z**2, m / 3 * (l**2 + h**2)),
        "yy": (x**2 + z**2, m / 3 * (w**2 + h**2)),
        "zz": (x**2 + y**2, m / 3 * (l**2 + w**2)),
        "xy": (-x * y, -m / 4 * w * l),
        "xz": (-x * z, -m / 4 * h * w),
        "yz": (-y * z, -m / 4 * h * l),
    }
    for name, (integrand, printed) in entries.items():
        integral = sp.integrate(integrand * m / (w * l * h), (x, 0, w), (y, 0, l), (z, 0, h))
        assert sp.simplify(integral - printed) == 0
        assert sp.simplify(getattr(centre.tensor, name) - printed) == 0


# -- free swing ----------------------------------------------------------------------------------


def test_free_swing(arm):
    """5 s from rest against the recorded motion; the energy stays what it was."""
    data = table("003_two_link_free_swing")
    tau = np.zeros(2)

    def rate(t, x):
        return np.concatenate([x[2:], arm.forward_dynamics(x[:2], x[2:], tau)])

    states = motion(rate, [*DATA["q0"], *DATA["qd0"]], data["t"])
    assert_rows(states, columns(data, "th1", "th2", "th1d", "th2d"))
    kinetic, potential = arm.energy(states[:, :2], states[:, 2:])
    np.testing.assert_allclose(kinetic + potential, (kinetic + potential)[0], rtol=0, atol=1e-10)
