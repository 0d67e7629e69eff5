"""Short closed forms: SymPy's own expansion as the oracle, compiled functions for six joints."""

import numpy as np
import pytest
import sympy as sp

import armillary as am
from armillary.mechanism.letters import letters_of
from armillary.mechanism.shortening import angle_sums
from armillary.mechanism.trigonometry import NotPolynomialError, TrigRing

a, b, c, m, k = sp.symbols("a b c m k", real=True)
POINT = {a: 0.3, b: -1.7, c: 2.1, m: 1.3, k: -0.4}
EXPRESSIONS = [
    sp.cos(a) * sp.cos(b) - sp.sin(a) * sp.sin(b),
    (m + k * sp.cos(a) * sp.sin(b + c)) ** 3 + sp.sqrt(6) * sp.sin(a) ** 3,
    m * sp.sin(2 * a - 3 * b) * sp.cos(c) ** 2 / 7 - sp.sqrt(2) * sp.sin(c) ** 4 / sp.sqrt(3),
    m * k - k * m + sp.sin(a) ** 2 + sp.cos(a) ** 2 - 1,
]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_both_forms_keep_the_value(expression):
    ring = TrigRing.of([expression])
    p = ring.polynomial(expression)
    value = complex(expression.subs(POINT).evalf(30))
    for form in (ring.products(p), ring.sums(p)):
        assert complex(form.subs(POINT).evalf(30)) == pytest.approx(value, abs=1e-14)
    assert not any(x.exp > 1 for x in ring.products(p).atoms(sp.Pow)
                   if isinstance(x.base, sp.sin))  # fmt: skip
    assert all(sum(isinstance(f, (sp.sin, sp.cos)) for f in term.atoms(sp.Function)) <= 1
               for term in sp.Add.make_args(ring.sums(p)))  # fmt: skip


@pytest.mark.parametrize("expression", [*EXPRESSIONS, a * sp.cos(a) + a**2 * m * sp.sin(a + b)])
def test_slopes_are_those_of_sympy(expression):
    """Along angles, letters, and what is both."""
    ring = TrigRing.of([expression])
    p = ring.polynomial(expression)
    for x in expression.free_symbols:
        rest = sp.diff(expression, x) - ring.products(ring.slope(p, x))
        assert abs(complex(rest.subs(POINT).evalf(30))) < 1e-14


def test_normal_forms_are_unique():
    assert angle_sums(EXPRESSIONS[0]) == sp.cos(a + b)
    assert angle_sums(EXPRESSIONS[3]) == 0
    assert angle_sums(sp.sin(a) * sp.cos(b) * m) == m * sp.sin(a) * sp.cos(b)
    left = sp.cos(a + b + c)
    assert angle_sums(sp.expand_trig(left)) == left


def test_what_is_no_polynomial_is_said():
    for other in (1 / m, sp.exp(a), sp.sin(a / 2), sp.sin(m * a)):
        with pytest.raises(NotPolynomialError):
            TrigRing.of([other]).polynomial(other)
    assert sp.simplify(angle_sums((sp.sin(a) ** 2 - 1) / m) + sp.cos(a) ** 2 / m) == 0


def evaluated(matrix, e_values, symbols, numbers):
    values = {**e_values, **dict(zip(symbols, numbers, strict=True))}
    function = sp.lambdify(list(values), matrix, "numpy")
    return np.array(function(*map(float, values.values())), float)


@pytest.mark.parametrize("name", ["puma560", "six-r"])
def test_the_mass_matrix_of_six_joints(name):
    """In letters, entry by entry with progress, equal to the compiled one to 1e-12."""
    arm, told = am.example(name), []
    e_letters = am.equations(arm, "mass_matrix", progress=told.append)
    assert told[0].startswith("mass_matrix: 1 of ") and len(told) in (20, 21)
    values = letters_of(arm).values
    rng = np.random.default_rng(0)
    for _ in range(3):
        q = rng.uniform(-3, 3, 6)
        M = arm.mass_matrix(q)
        found = evaluated(e_letters, values, sp.symbols("q1:7", real=True), q)
        np.testing.assert_allclose(found, M, rtol=1e-12, atol=1e-12 * np.abs(M).max())


@pytest.mark.parametrize("joints", [4, pytest.param(6, marks=pytest.mark.long)])
def test_the_coriolis_matrix_in_letters(joints):
    """Equal to the compiled one at random states, with progress on the way."""
    b = am.Builder("arm")
    for n in range(joints):
        b.body(f"b{n}", f"b{n - 1}" if n else "world", "prismatic" if n == 2 else "revolute",
               (0.3, 0, 0), axis="zyxyzx"[n], mass=1.0 + n, com=(0.1, 0, 0.2 if n == 1 else 0),
               inertia=(0.1, 0.2, 0.3))  # fmt: skip
    arm = b.build()
    told = []
    e = am.equations(arm, progress=told.append)
    C = sp.lambdify([e.q, e.v], e.C.subs(e.values), "numpy", cse=True)
    for seed in range(3):
        q, v, _ = arm.random_state(seed)
        expected = arm.coriolis_matrix(q, v)
        scale = np.abs(expected).max() + np.abs(arm.mass_matrix(q)).max()
        assert np.abs(np.array(C(q, v), float) - expected).max() < 1e-12 * scale
    count = joints * joints * (joints + 1) // 2
    assert told[-1] == f"Christoffel symbols: {count} of {count}"


def test_a_spatial_arm_of_three_joints_whole():
    """All steps of the first three joints of the Puma, with numbers to 1e-12."""
    arm = am.example("puma560").lock(["joint4", "joint5", "joint6"])
    e = am.equations(arm, letters=False)
    rng = np.random.default_rng(1)
    q, v, acc = rng.normal(size=(3, 3))
    symbols, numbers = (*e.q, *e.v, *e.a), (*q, *v, *acc)
    tau = evaluated(e.tau, {}, symbols, numbers).ravel()
    smooth = arm.replace(
        bodies={n: {"friction": am.Passive()} for n in ("link1", "link2", "link3")}
    )
    expected = smooth.inverse_dynamics(q, v, acc)
    np.testing.assert_allclose(tau, expected, rtol=1e-11, atol=1e-12 * np.abs(expected).max())
    form = e.M * sp.Matrix(e.a) + e.C * sp.Matrix(e.v) + e.g
    np.testing.assert_allclose(evaluated(form, {}, symbols, numbers).ravel(), tau, rtol=1e-11)


# -- letters of one's own ------------------------------------------------------------------------


def test_letters_of_one_s_own():
    arm = am.example("two-link")
    l1 = sp.Symbol("l1", positive=True)
    length = sp.Symbol("L", positive=True)
    letters = {"m1": "M", "c1": l1 / 2, "l2": length, "c2": length / 2}
    e = am.equations(arm, frame="tip", letters=letters)
    assert e.det_J == l1 * length * sp.sin(e.q[1])  # [Lecture]: l1 l2 sin θ2
    names = {symbol.name: value for symbol, value in e.values.items()}
    assert names["M"] == 2.0 and names["L"] == pytest.approx(0.6) and "c1" not in names
    q = [0.3, 0.8]
    np.testing.assert_allclose(evaluated(e.M, e.values, e.q, q), arm.mass_matrix(q), rtol=1e-13)
    J = evaluated(e.J, e.values, e.q, q)
    np.testing.assert_allclose(J, arm.jacobian(q, "tip", coordinates="world_aligned"), atol=1e-14)
    with pytest.raises(am.InputError, match=r"'c1' is 0\.4 in the model, and l1/3 is"):
        am.equations(arm, letters={"c1": l1 / 3})
    with pytest.raises(am.InputError, match=r"'M' would stand for 2 and, as 'm2', for 1\.5"):
        am.equations(arm, letters={"m1": "M", "m2": "M"})
    with pytest.raises(am.ModelError, match="no letter named 'm9'"):
        am.equations(arm, letters={"m9": "M"})


def test_a_frame_beside_the_next_joint_has_letters_of_its_own():
    """A frame on a link that carries another one, off the axes, with a name that is no word."""
    b = am.Builder("beside")
    b.body("one", joint="revolute", axis="z", mass=1.0, com=(0.1, 0, 0), inertia=(0, 0, 0.1))
    b.body("two", "one", "revolute", (0.4, 0, 0), axis="x", mass=1.0, com=(0.1, 0, 0.2),
           inertia=(0.1, 0.1, 0.1))  # fmt: skip
    b.frame("side-camera", "one", (0.3, 0, -0.05))
    b.frame("eye", "two", am.Pose.from_rpy((0.1, 0.2, 0.3), (0.3, -0.4, 0.5)))
    m = b.build()
    q = [0.3, -0.8]
    for frame in ("side-camera", "eye"):
        e = am.equations(m, frame=frame)
        J = evaluated(e.J, e.values, e.q, q)
        expected = m.jacobian(q, frame, coordinates="world_aligned")
        np.testing.assert_allclose(J, expected, atol=1e-13)


# -- Boltzmann-Hamel -----------------------------------------------------------------------------


def test_euler_s_equations_of_a_free_top():
    """One body on a ball joint, its centre there: τ = I ω̇ + ω × I ω, letter by letter."""
    builder = am.Builder("top", gravity=(0, 0, 0))
    builder.body("top", joint="spherical", mass=2.0, inertia=(0.3, 0.4, 0.6))
    e = am.equations(builder.build(), quasi="joints")
    I = sp.Matrix(3, 3, lambda i, j: sp.Symbol(f"I1{'xyz'[i] * 2}", positive=True) if i == j else 0)
    w, dw = sp.Matrix(e.w), sp.Matrix(e.dw)
    assert sp.expand(e.tau - I * dw - w.cross(I * w)) == sp.zeros(3, 1)
    assert e.coefficients[2, 0, 1] == 1 and e.coefficients[2, 1, 0] == -1
    assert "Boltzmann-Hamel equations of top" in e.to_markdown()
    assert "c^{3}_{12}" in e.to_latex()


def test_quaternions_and_joints_against_the_compiled_forces():
    builder = am.Builder("top")
    builder.body("top", joint="spherical", mass=2.0, com=(0.1, 0.2, 0.3),
                 inertia=(0.3, 0.4, 0.5, 0.01, 0.02, 0.03))  # fmt: skip
    builder.body("arm", "top", "revolute", (0.2, 0.1, 0), axis="y", mass=1.0, com=(0.3, 0, 0.1),
                 inertia=(0.1, 0.2, 0.25))  # fmt: skip
    top = builder.build()
    e = am.equations(top, quasi="joints")
    rng = np.random.default_rng(2)
    q = rng.normal(size=5)
    q[:4] /= np.linalg.norm(q[:4])
    w, dw = rng.normal(size=(2, 4))
    tau = top.inverse_dynamics(q, w, dw)
    symbols = (*e.q, *e.w, *e.dw)
    found = evaluated(e.tau, e.values, symbols, (*q, *w, *dw)).ravel()
    np.testing.assert_allclose(found, tau, atol=1e-12 * np.abs(tau).max())
    names: dict = {}
    exec(e.to_python(), names)
    np.testing.assert_allclose(names["inverse_dynamics"](q, w, dw), tau, rtol=1e-11)
    with pytest.raises(am.ModelError, match="quasi='joints'"):
        am.equations(top)


def test_inertial_velocities_of_a_planar_arm():
    """w1 = q̇1, w2 = q̇1 + q̇2 (inertial coordinates of [QuinnChang1991]): no Coriolis forces are
    left, only centrifugal ones, and the force along w is G^T tau."""
    arm = am.example("two-link")
    e = am.equations(arm, quasi=sp.Matrix([[1, 0], [1, 1]]))
    assert not e.coefficients
    assert all(sp.expand(x).coeff(e.w[0] * e.w[1]) == 0 for x in e.tau)
    q, v, acc = np.random.default_rng(3).normal(size=(3, 2))
    A = np.array([[1.0, 0], [1, 1]])
    found = evaluated(e.tau, e.values, (*e.q, *e.w, *e.dw), (*q, *A @ v, *A @ acc)).ravel()
    expected = np.linalg.inv(A).T @ arm.inverse_dynamics(q, v, acc)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_quasi_velocities_that_turn_with_q():
    """A(q) of two angles: Hamel coefficients that are no constants."""
    arm = am.example("two-link")
    q1, q2 = sp.symbols("q1 q2", real=True)
    A = sp.Matrix([[1, 0], [sp.sin(q2), 2 + sp.cos(q1)]])
    e = am.equations(arm, quasi=A)
    assert e.coefficients
    q, v, acc = np.random.default_rng(4).normal(size=(3, 2))
    at = dict(zip((q1, q2), q, strict=True))
    here = np.array(A.subs(at), float)
    rate = sum(np.array(A.diff(x).subs(at), float) * y for x, y in zip((q1, q2), v, strict=True))
    w, dw = here @ v, here @ acc + rate @ v
    found = evaluated(e.tau, e.values, (*e.q, *e.w, *e.dw), (*q, *w, *dw)).ravel()
    np.testing.assert_allclose(found, np.linalg.inv(here).T @ arm.inverse_dynamics(q, v, acc))
    with pytest.raises(am.InputError, match="no inverse"):
        am.equations(arm, quasi=sp.ones(2, 2))
    with pytest.raises(am.InputError, match="'joints' or a matrix"):
        am.equations(arm, quasi="bodies")


def test_the_command_line():
    """--only and --hamel, and what they do not go with."""
    from typer.testing import CliRunner

    from armillary.cli.app import app

    def run(*words):
        return CliRunner().invoke(app, ["equations", "two-link", *words])

    arm = am.example("two-link")
    assert run("--only", "mass_matrix").stdout.strip() == str(am.equations(arm, "mass_matrix"))
    assert "Boltzmann-Hamel equations of 'two-link'" in run("--hamel").stdout
    refused = run("--only", "mass_matrix", "--hamel")
    assert refused.exit_code == 1 and "without --hamel" in refused.stderr
