"""Lagrange's derivation in letters: the lecture's arm, the compiled functions, and identities."""

import numpy as np
import pytest
import sympy as sp
from typer.testing import CliRunner

import armillary as am
import samples
from armillary.cli.app import app

m1, m2, l1, l2, g = sp.symbols("m1 m2 l1 l2 g", positive=True)
I01, Ic2 = sp.symbols("I01 Ic2", positive=True)


def spatial_arm() -> am.Mechanism:
    b = am.Builder("spatial")
    b.body("base", axis="z", mass=2, com=(0, 0, 0.2), inertia=(0.1, 0.1, 0.05))
    b.body("upper", "base", "revolute", (0, 0, 0.4), axis="y", mass=1.5, com=(0.2, 0, 0),
           inertia=(0.01, 0.05, 0.05))  # fmt: skip
    b.body("fore", "upper", "revolute", (0.4, 0, 0), axis="y", mass=1, com=(0.15, 0, 0.02),
           inertia=(0.01, 0.03, 0.03, 0, 0.002, 0))  # fmt: skip
    b.frame("tip", "fore", (0.3, 0, 0))
    return b.build()


def slide_and_turn() -> am.Mechanism:
    """Two kinds of coordinates, a negative centre, two bodies on one."""
    b = am.Builder("cart")
    b.body("cart", joint="prismatic", axis="x", mass=3.0, com=(0, 0, -0.1))
    b.body("left", "cart", "revolute", (0, 0.3, 0), axis="y", mass=1.0, com=(0, 0, -0.4),
           inertia=(0.02, 0.03, 0.01))  # fmt: skip
    b.body("right", "cart", "revolute", (0.1, -0.3, 0), axis="-y", mass=2.0, com=(0.1, 0, -0.2),
           inertia=(0.02, 0.03, 0.01, 0.001, 0, 0))  # fmt: skip
    return b.build()


MACHINES = {"spatial": spatial_arm, "cart": slide_and_turn, "two": lambda: am.example("two-link")}


@pytest.fixture(scope="module", params=MACHINES)
def derived(request):
    m = MACHINES[request.param]()
    return m, am.equations(m, frame="tip" if "tip" in m.frames else None)


def numbers(e, q, v, a) -> dict:
    states = zip((*e.q, *e.v, *e.a), (*q, *v, *a), strict=True)
    return {**e.values, **dict(states)}


def test_the_lecture_s_final_equation():
    """[Lecture], last equation, letter by letter (errata 3-1: no g in the velocity term)."""
    bodies = {
        "link1": {"mass": m1, "com": (l1 / 2, 0, 0), "inertia": (0, 0, I01 - m1 * l1**2 / 4)},
        "link2": {"mass": m2, "com": (l2 / 2, 0, 0), "inertia": (0, 0, Ic2),
                  "position": (l1, 0, 0)},
    }  # fmt: skip
    e = am.equations(am.example("two-link"), bodies=bodies, gravity=(0, -g, 0))
    (q1, q2), (v1, v2) = e.q, e.v
    C1, C2, S2, C12 = sp.cos(q1), sp.cos(q2), sp.sin(q2), sp.cos(q1 + q2)
    outer = m2 * l2**2 / 4 + Ic2
    M = sp.Matrix([[I01 + m2 * l1**2 + outer + m2 * l1 * l2 * C2, outer + m2 * l1 * l2 * C2 / 2],
                   [outer + m2 * l1 * l2 * C2 / 2, outer]])  # fmt: skip
    velocity = sp.Matrix(
        [-m2 * l1 * l2 * S2 * (v1 * v2 + v2**2 / 2), m2 * l1 * l2 * S2 * v1**2 / 2]
    )
    weight = sp.Matrix([(m1 / 2 + m2) * g * l1 * C1 + m2 * g * l2 * C12 / 2,
                        m2 * g * l2 * C12 / 2])  # fmt: skip
    assert e.M == M  # as expressions, not only in value
    assert sp.expand(e.C * sp.Matrix(e.v) - velocity) == sp.zeros(2, 1)
    assert sp.expand(e.g - weight) == sp.zeros(2, 1)
    assert sp.expand(e.tau - M * sp.Matrix(e.a) - velocity - weight) == sp.zeros(2, 1)
    slope = -m2 * g * l2 * C12 / 2 - m2 * l1 * l2 * S2 * v1 * (v1 + v2) / 2  # errata 3-1
    assert sp.expand(e.slopes[1] - slope) == 0


def test_equal_to_the_compiled_functions(derived):
    m, e = derived
    for seed in range(3):
        q, v, a = m.random_state(seed)
        at = numbers(e, q, v, a)

        def value(x, at=at):
            return np.array(sp.Matrix(x).subs(at).evalf(20), float)

        expected = {
            "M": m.mass_matrix(q), "C": m.coriolis_matrix(q, v), "g": m.gravity_forces(q)[:, None],
            "tau": m.inverse_dynamics(q, v, a)[:, None],
        }  # fmt: skip
        for name, x in expected.items():
            found = value(getattr(e, name))
            assert np.abs(found - x).max() <= 1e-12 * max(1.0, np.abs(x).max()), name
        kinetic, potential = m.energy(q, v)
        assert float(e.T.subs(at)) == pytest.approx(float(kinetic), rel=1e-12)
        assert float(e.V.subs(at)) == pytest.approx(float(potential), rel=1e-12, abs=1e-12)
        if e.J is not None:
            J = m.jacobian(q, "tip", "world_aligned")
            assert np.abs(value(e.J) - J).max() < 1e-12


def test_lagrange_and_the_matrix_form_are_one(derived):
    """Two ways through the derivation: d/dt ∂L/∂q̇ - ∂L/∂q, and M a + C v + g."""
    m, e = derived
    other = e.M * sp.Matrix(e.a) + e.C * sp.Matrix(e.v) + e.g
    rate = sum((e.M.diff(q) * v for q, v in zip(e.q, e.v, strict=True)), sp.zeros(m.nv))
    skew = rate - 2 * e.C
    at = numbers(e, *m.random_state(7))
    assert np.abs(np.array((e.tau - other).subs(at).evalf(), float)).max() < 1e-13
    assert np.abs(np.array((skew + skew.T).subs(at).evalf(), float)).max() < 1e-13


def test_springs_and_rotors_are_in_it_and_friction_is_named():
    def arm(viscous):
        b = am.Builder("sprung")
        b.body(
            "a",
            axis="y",
            mass=2,
            com=(0.2, 0, 0.1),
            inertia=(0.1, 0.1, 0.05),
            passive=am.Passive(viscous=viscous, spring=4.0, rest=0.2),
        )
        b.body(
            "b",
            "a",
            "prismatic",
            (0.4, 0, 0),
            axis="x",
            mass=1,
            com=(0.1, 0, 0),
            inertia=(0.01, 0.02, 0.02),
            rotor=am.Rotor(0.01, 20.0),
        )
        return b.build()  # fmt: skip

    e, smooth = am.equations(arm(0.3)), arm(0.0)
    q, v, a = smooth.random_state(3)
    found = np.array(e.tau.subs(numbers(e, q, v, a)).evalf(20), float).ravel()
    np.testing.assert_allclose(found, smooth.inverse_dynamics(q, v, a), rtol=1e-12)
    names: dict = {}
    exec(e.to_python(), names)
    np.testing.assert_allclose(names["inverse_dynamics"](q, v, a), found, rtol=1e-12)
    still = smooth.inverse_dynamics(q, 0 * v, 0 * a)
    np.testing.assert_allclose(names["potential_forces"](q), still, rtol=1e-12)
    said = "Friction is left out; there is some in 'a'."
    assert all(said in text for text in (str(e), e.to_markdown(), e.to_python(), e.to_latex()))
    assert not am.equations(smooth).left_out and "left out" not in str(am.equations(smooth))


def test_determinants():
    """l1 l2 sin q2 of the lecture's arm; zero where the spatial arm is stretched or overhead."""
    e = am.equations(am.example("two-link"), frame="tip")
    assert e.det_J == l1 * l2 * sp.sin(e.q[1])  # as the lecture prints it
    e = am.equations(spatial_arm(), frame="tip")
    q1, q2, q3 = e.q
    assert sp.simplify(e.det_J.subs(q3, 0)) == 0
    at = {**e.values, q1: 0.3, q2: 0.5, q3: 0.9}
    J = spatial_arm().jacobian([0.3, 0.5, 0.9], "tip", "world_aligned")[3:]
    assert float(e.det_J.subs(at)) == pytest.approx(np.linalg.det(J), rel=1e-12)


def test_python_module(derived):
    m, e = derived
    names: dict = {}
    exec(e.to_python(), names)
    q, v, a = m.random_state(5)
    for found, x in (
        (names["mass_matrix"](q), m.mass_matrix(q)),
        (names["coriolis_matrix"](q, v), m.coriolis_matrix(q, v)),
        (names["gravity_forces"](q), m.gravity_forces(q)),
        (names["inverse_dynamics"](q, v, a), m.inverse_dynamics(q, v, a)),
    ):
        np.testing.assert_allclose(found, x, rtol=1e-12, atol=1e-12)


def test_pages():
    e = am.equations(am.example("two-link"), frame="tip")
    page = e.to_markdown()
    assert r"$$\det J = l_{1} l_{2} \sin{\left(q_{2} \right)}$$" in page
    assert r"\ddot{q}_{1}" in page and r"\Gamma_{211}" in page and "I_{2zz}" in page
    assert e.to_latex().startswith(r"\documentclass") and r"\end{document}" in e.to_latex()
    assert "EquationsOfMotion of 'two-link'" in repr(e)
    assert "M q̈ + C q̇ + g = τ" in str(e) and e._repr_markdown_() == page


def test_exact_numbers_and_single_functions():
    arm = am.example("two-link")
    e = am.equations(arm, letters=False)
    assert e.M[1, 1] == sp.Rational(9, 50) and not e.values
    M = am.equations(arm, "mass_matrix")
    assert {str(s) for s in M.free_symbols} >= {"m2", "l1", "c2", "q2"}


def test_what_has_no_derivation_is_refused():
    with pytest.raises(am.ModelError, match=r"is closed.*equations\(mechanism.tree\)"):
        am.equations(am.example("four-bar"))
    with pytest.raises(am.ModelError, match="its velocities are no rates"):
        am.equations(am.Mechanism(samples.single("free")))
    moving = am.example("two-link").replace(base_velocity=(0, 0, 0, 1.0, 0, 0))
    with pytest.raises(am.InputError, match="its base moves"):
        am.equations(moving)


def test_welded_bodies_share_the_letters_of_their_carriers():
    """On the ground, in the middle with joints beyond, and a tool: as files of robots have them."""
    b = am.Builder("welded")
    b.body("stand", "world", "fixed", (0.1, 0, 0.3), (0, 0, 0.4), mass=5.0)
    b.body("arm", "stand", "revolute", (0, 0, 0.1), axis="y", mass=1.0, com=(0.1, 0, 0))
    b.body(
        "box",
        "arm",
        "fixed",
        (0.2, 0, 0),
        (0.3, 0, 0),
        mass=2.0,
        com=(0, 0.1, 0),
        inertia=(0.1, 0.2, 0.25),
    )
    b.body("slide", "box", "prismatic", (0.1, 0, 0), axis="x", mass=1.0, com=(0, 0, 0.1))
    b.body("tool", "slide", "fixed", (0.2, 0, 0), mass=1.0)
    b.frame("tip", "tool", (0, 0, 0.1))  # fmt: skip
    m = b.build()
    q, v, a = m.random_state(1)
    for frame in ("tool", "tip"):
        e = am.equations(m, frame=frame)
        at = e.values | dict(zip((*e.q, *e.v, *e.a), (*q, *v, *a), strict=True))

        def number(x, at=at):
            return np.array(x.subs(at).evalf(20), float)

        np.testing.assert_allclose(number(e.M), m.mass_matrix(q), rtol=1e-12)
        np.testing.assert_allclose(number(e.tau).ravel(), m.inverse_dynamics(q, v, a), rtol=1e-12)
        J = m.jacobian(q, frame, "world_aligned")
        np.testing.assert_allclose(number(e.J), J, atol=1e-12)
    assert "m2" in map(str, e.values) and "m3" not in map(str, e.values)
    assert am.equations(m, letters=False).M.shape == (2, 2)


def test_names_are_no_commands():
    b = am.Builder(r"\input{secret}")
    b.body("arm", axis="y", mass=1.0, com=(0.1, 0, 0))
    text = am.equations(b.build()).to_latex()
    assert r"\input" not in text


def test_equations_command(tmp_path):
    def run(*words):
        return CliRunner().invoke(app, ["equations", "two-link", *words])

    assert "Lagrange's equations" in run().stdout
    assert "def inverse_dynamics(q, v, a):" in run("--format", "python").stdout
    file = tmp_path / "arm.md"
    assert run("--format", "markdown", "--frame", "tip", "-o", str(file)).exit_code == 0
    assert "Singular where its determinant vanishes" in file.read_text()
    assert run("--format", "word").exit_code == 1
    closed = CliRunner().invoke(app, ["equations", "four-bar"])
    assert closed.exit_code == 1 and "--tree derives" in closed.stderr
    opened = CliRunner().invoke(app, ["equations", "four-bar", "--tree", "--only", "mass_matrix"])
    assert "cos(q2)" in opened.stdout
