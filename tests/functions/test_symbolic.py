"""The same steps on SymPy, CasADi and mpmath scalars, and what is printed of them."""

import math
import re
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy as sp

import armillary as am
import samples
from armillary.algorithms.tree.forward_dynamics import forward_dynamics
from armillary.algorithms.tree.inverse_dynamics import inverse_dynamics
from armillary.algorithms.tree.kinematics import frame_pose
from armillary.algorithms.tree.mass_matrix import mass_matrix
from armillary.errors import InputError, ModelError
from armillary.mechanism.function_graph import FUNCTIONS
from armillary.mechanism.symbolic import (
    equations,
    exact,
    interpret_with,
    listing,
    symbols,
    tidy,
)
from compare import close

m1, m2, l1, l2, g = sp.symbols("m1 m2 l1 l2 g", positive=True)
q1, q2, v1, v2, a1, a2 = sp.symbols("q1 q2 v1 v2 a1 a2", real=True)
S2, C1, C2, C12 = sp.sin(q2), sp.cos(q1), sp.cos(q2), sp.cos(q1 + q2)


@pytest.fixture(scope="module")
def arm():
    return am.example("two-link")


def rod(m, l):
    return {"mass": m, "com": (l / 2, 0, 0), "inertia": (0, m * l**2 / 12, m * l**2 / 12)}


# symbols for the constants of the arm, as [Lecture] has them
BODIES = {"link1": rod(m1, l1), "link2": rod(m2, l2) | {"position": (l1, 0, 0)}}
LETTERS = {"bodies": BODIES, "gravity": (0, -g, 0)}
NUMBERS = {m1: 2, m2: sp.Rational(3, 2), l1: sp.Rational(4, 5), l2: sp.Rational(3, 5),
           g: sp.Rational(981, 100)}  # fmt: skip


def lecture():
    """M, the velocity forces and the gravity forces of [Lecture], last equation (errata 3-1)."""
    I0, both = m1 * l1**2 / 3, m2 * l2**2 / 3
    M = sp.Matrix([[I0 + m2 * l1**2 + both + m2 * l1 * l2 * C2, both + m2 * l1 * l2 * C2 / 2],
                   [both + m2 * l1 * l2 * C2 / 2, both]])  # fmt: skip
    velocity = sp.Matrix([-m2 * l1 * l2 * S2 * (v1 + v2 / 2) * v2, m2 * l1 * l2 * S2 * v1**2 / 2])
    weight = m2 * l2 * g * C12 / 2
    return M, velocity, sp.Matrix([(m1 / 2 + m2) * l1 * g * C1 + weight, weight])


def same(x, y):
    """Equal as expressions in sines and cosines."""
    difference = sp.Matrix(x) - sp.Matrix(y)
    return difference.applyfunc(lambda e: sp.simplify(sp.expand_trig(e))).is_zero_matrix


# -- closed forms ----------------------------------------------------------------------------------


def test_the_equations_of_the_lecture_in_letters(arm):
    M, velocity, weight = lecture()
    assert same(equations(arm, "mass_matrix", **LETTERS), M)
    assert same(equations(arm, "gravity_forces", **LETTERS), weight)
    C = equations(arm, "coriolis_matrix", **LETTERS)
    assert same(C * sp.Matrix([v1, v2]), velocity)
    tau = equations(arm, "inverse_dynamics", **LETTERS)
    assert same(tau, M * sp.Matrix([a1, a2]) + velocity + weight)
    kinetic, potential = equations(arm, "energy", **LETTERS)
    v = sp.Matrix([v1, v2])
    assert same([[kinetic]], (v.T * M * v) / 2)
    assert same([potential.diff(q1), potential.diff(q2)], weight)


def test_the_equations_of_the_lecture_in_numbers(arm):
    """The floats of the file became the fractions that were meant: 0.8 is 4/5, m l²/12 is 8/75."""
    M, velocity, weight = (part.subs(NUMBERS) for part in lecture())
    found = equations(arm, "mass_matrix")
    assert not found.atoms(sp.Float)
    assert same(found, M)
    assert same(equations(arm, "bias_forces"), velocity + weight)


def test_forward_dynamics_undoes_inverse_dynamics(arm):
    tau, forces = equations(arm, "inverse_dynamics"), symbols(arm)["tau"]
    a = equations(arm, "forward_dynamics").subs(dict(zip(forces, tau, strict=True)))
    assert same(a, [a1, a2])


def test_dm_minus_two_c_is_skew_in_symbols(arm):
    M, C = (equations(arm, f, **LETTERS) for f in ("mass_matrix", "coriolis_matrix"))
    N = M.diff(q1) * v1 + M.diff(q2) * v2 - 2 * C
    assert same(N, -N.T)


def test_kinematics_of_the_tip_in_symbols(arm):
    R, p = equations(arm, "pose", "tip")
    x = [sp.Rational(4, 5) * C1 + sp.Rational(3, 5) * C12,
         sp.Rational(4, 5) * sp.sin(q1) + sp.Rational(3, 5) * sp.sin(q1 + q2), 0]  # fmt: skip
    assert same(p, x)
    assert same(R.T * R, sp.eye(3))
    J = equations(arm, "jacobian", "tip", coordinates="world_aligned")
    assert same(J[3:, :], sp.Matrix(x).jacobian([q1, q2]))


def test_own_symbols_and_simplification(arm):
    alpha, beta = sp.symbols("alpha beta", real=True)
    M = equations(arm, "mass_matrix", q=(alpha, beta))
    assert M.free_symbols == {beta}
    raw = equations(arm, "gravity_forces", simplify=lambda e: e)
    assert same(raw, equations(arm, "gravity_forces"))
    assert raw[1].count_ops() > tidy(raw[1]).count_ops()


TRIED = {
    "friction": (lambda: am.example("double-pendulum"), ("inverse_dynamics", "energy")),
    "stanford": (lambda: am.example("stanford"), ("mass_matrix",)),
    "ball": (lambda: am.Mechanism(samples.single("spherical")), ("bias_forces", "momentum")),
    "free": (lambda: am.Mechanism(samples.single("free")), ("center_of_mass",)),
    "gimbal": (lambda: am.Mechanism(samples.single("gimbal", 1, free=("rx", "rz", "dy"))),
               ("forward_dynamics",)),
}  # fmt: skip


@pytest.mark.parametrize("name", TRIED)
def test_equations_have_the_values_of_the_functions(name):
    make, functions = TRIED[name]
    m = make()
    q, v, a = samples.random_state(m.model, 4)
    state = {"q": q, "v": v, "a": a, "tau": a}
    s = symbols(m)
    for f in functions:
        found = equations(m, f, simplify=lambda e: e)
        numbers = {x: y for n in state for x, y in zip(s[n], state[n], strict=True)}
        parts = found if isinstance(found, tuple) else (found,)
        values = [float(e.subs(numbers)) for part in parts for e in sp.Matrix([part])]
        given = [state[n] for n in FUNCTIONS[f].algorithm("").reads if n != "external"]
        expected = getattr(m, f)(*given)
        close(values, np.ravel(expected), 1e-11, f"{name} {f}")


def test_steps_of_friction_become_pieces():
    b = am.Builder("pin")
    b.body("rod", joint="revolute", axis="y", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1),
           passive=am.Passive(coulomb=0.3, viscous=0.1))  # fmt: skip
    tau = equations(b.build(), "bias_forces")[0]
    assert tau.has(sp.Piecewise)
    s = sp.Symbol("q1", real=True), sp.Symbol("v1", real=True)
    values = [tau.subs({s[0]: 0, s[1]: v}) for v in (-2, 0, 2)]
    assert values == [sp.Rational(-1, 2), 0, sp.Rational(1, 2)]


def test_symbols_for_some_constants_of_a_turned_tree():
    """Off-axis joints, welds and a numeric position kept: symbols set to the model's own numbers
    give back its equations."""
    m = am.Mechanism(samples.random_model(3, ("revolute", "fixed"), 4, branching=0, roots=0))
    last = m.model.bodies[-1]
    mass, x, y, z, xx = sp.symbols("mass x y z xx", real=True)
    bodies = {last.name: {"mass": mass, "inertia": (xx, *last.mass.tensor[1:]),
                          "position": (x, y, z)}}  # fmt: skip
    found = equations(m, "mass_matrix", bodies=bodies, simplify=lambda e: e)
    assert mass in found.free_symbols
    q = samples.random_state(m.model, 2)[0]
    numbers = dict(zip(symbols(m)["q"], q, strict=True))
    numbers |= dict(zip((x, y, z), last.at.position, strict=True))
    numbers |= {mass: last.mass.mass, xx: last.mass.tensor[0]}
    close(np.array(found.subs(numbers).tolist(), float), m.mass_matrix(q), 1e-12)


def test_exact_numbers():
    assert exact(0.1) == sp.Rational(1, 10)
    assert exact(0.10666666666666667) == sp.Rational(8, 75)
    assert exact(-math.sqrt(0.5)) == -sp.sqrt(2) / 2
    assert exact(math.cos(math.pi / 6)) == sp.sqrt(3) / 2
    assert exact(6.1e-17) == 0
    assert exact(3e-8) == sp.Rational(3, 10**8)
    assert exact(0.82 * -0.152) == sp.Rational(-12464, 100000)
    assert exact(0.1234567890123456) == sp.Rational("0.1234567890123456")
    assert exact(m1) is m1
    for x in np.random.default_rng(0).normal(size=200):
        assert abs(float(exact(float(x))) - x) <= 1e-14 * abs(x)


def test_bad_questions(arm):
    with pytest.raises(ModelError, match="no function named 'mass'"):
        equations(arm, "mass")
    with pytest.raises(InputError, match="q: expected 2 symbols, found 3"):
        equations(arm, "mass_matrix", q=sp.symbols("x y z"))
    with pytest.raises(InputError, match="no input 'u'; it has q"):
        equations(arm, "mass_matrix", u=sp.symbols("x y"))
    with pytest.raises(InputError, match=r"body 'link1': expected mass, com.*found 'weight'"):
        equations(arm, "mass_matrix", bodies={"link1": {"weight": m1}})
    with pytest.raises(ModelError, match="no body named 'link9'"):
        equations(arm, "mass_matrix", bodies={"link9": {"mass": m1}})
    with pytest.raises(InputError, match="name one with frame="):
        listing(arm, "pose")


# -- listings --------------------------------------------------------------------------------------


def run_listing(text, state, labels):
    """Values of a listing, line by line, as a reader with a calculator would find them."""
    values = {f"{n}[{label}]": float(x)
              for n in state for label, x in zip(labels[n], state[n], strict=True)}  # fmt: skip
    tools = {name: getattr(math, name) for name in ("sin", "cos", "sqrt", "exp", "tanh", "nan")}
    results = {}
    for line in text.splitlines()[1:]:
        name, _, expression = line.partition(" = ")
        words = r"[\w.]+\[[^\]]*\]|[A-Za-z_][\w.]*"
        known = re.sub(words, lambda w: f"V[{w.group()!r}]" if w.group() in values else w.group(),
                       expression)  # fmt: skip
        results[name] = values[name] = eval(known, tools | {"V": values})
    return results


LISTED = [
    ("two-link", "inverse_dynamics", None),
    ("double-pendulum", "forward_dynamics", None),
    ("stanford", "coriolis_matrix", None),
    ("six-r", "inverse_dynamics", None),
    ("stanford", "jacobian", "link4"),
    ("two-link", "velocity", "world"),
]


@pytest.mark.parametrize(("name", "function", "frame"), LISTED)
def test_a_listing_can_be_computed_by_hand(name, function, frame):
    m = am.example(name)
    q, v, a = samples.random_state(m.model, 3)
    state = {"q": q, "v": v, "a": a, "tau": a}
    labels = {n: m.q_labels if n == "q" else m.v_labels for n in state}
    text = listing(m, function, frame, digits=17)
    values = run_listing(text, state, labels)
    given = [state[n] for n in FUNCTIONS[function].algorithm("local").reads if n != "external"]
    expected = np.ravel(getattr(m, function)(*given, *([frame] if frame else [])))
    close(list(values.values())[-len(expected) :], expected, 1e-12)
    assert len(values) == len(text.splitlines()) - 1  # no name twice


def test_a_listing_of_a_closed_mechanism_keeps_its_constraints():
    """By hand the accelerations of `solve`, which solves in the null space of the constraints."""
    m = am.example("four-bar")
    q, v = m.project(m.initial, {"crank": 5.0})
    state = {"q": q, "v": v, "tau": np.array([0.3, -0.2, 0.1])}
    values = run_listing(listing(m, "forward_dynamics", digits=17), state,
                         dict.fromkeys(state, m.v_labels))  # fmt: skip
    close(list(values.values())[-3:], m.solve(*state.values()).acceleration, 1e-12)


def test_a_listing_names_the_quantities_of_the_bodies(arm):
    text = listing(arm, "inverse_dynamics")
    assert "\nlink2.f.nz = " in text
    assert "\ntau[joint1] = " in text
    assert "M[1, 2] = " in listing(arm, "mass_matrix")
    assert "\nkinetic = " in listing(arm, "energy")


# -- other scalars through the interpreter ---------------------------------------------------------


def test_interpreted_symbols(arm):
    """As the documentation does it: floats in, nsimplify makes them exact."""
    M = sp.Matrix(arm.evaluator.interpret(mass_matrix, {"q": (q1, q2)}).result("M"))
    assert same(sp.nsimplify(M.applyfunc(sp.expand), rational=True), lecture()[0].subs(NUMBERS))


def through_casadi(m, algorithm, result):
    """The algorithm on SX symbols, with q moved along its tangent by `step` (0 in the calls)."""
    ca = pytest.importorskip("casadi")
    s = {n: ca.SX.sym(n, m.nq if n == "q" else m.nv) for n in ("q", "v", "a", "tau", "step")}
    q, step = ca.vertsplit(s["q"]), ca.vertsplit(s["step"])
    moved = []
    for joint, slot in zip(m.model.joints, m.model.slots, strict=True):
        moved += joint.integrate(q[slot.q], step[slot.v])
    inputs = {n: ca.vertsplit(s[n]) for n in ("v", "a", "tau")} | {"q": moved}
    y = ca.vertcat(*m.evaluator.interpret(algorithm, inputs).result(result))
    slopes = [ca.jacobian(y, s[n]) for n in ("step", "v", "a", "tau")]
    return ca.Function("f", list(s.values()), [y, *slopes])


CASADI = {
    "stanford": lambda: am.example("stanford"),
    "friction": lambda: am.example("double-pendulum"),
    "laws": lambda: am.Mechanism(samples.random_model(30, ("revolute",), 4, passive=True)),
    "flyer": lambda: am.Mechanism(samples.random_model(5, ("revolute",), 3, base="free", roots=0)),
    "ball": lambda: am.Mechanism(samples.random_model(3, ("spherical", "universal"), 3)),
}


@pytest.mark.parametrize("name", CASADI)
def test_casadi_values_and_derivatives_are_ours(name):
    """CasADi differentiates the expressions of our steps; ours are formulas of their own."""
    m = CASADI[name]()
    q, v, a = samples.random_state(m.model, 6)
    tau = m.inverse_dynamics(q, v, a)
    inverse = through_casadi(m, inverse_dynamics, "tau")
    forward = through_casadi(m, forward_dynamics, "a")
    still = np.zeros(m.nv)
    y, dq, dv, da, _ = (np.array(x) for x in inverse(q, v, a, tau, still))
    d = m.inverse_dynamics.derivatives(q, v, a)
    close(y.ravel(), tau, 1e-13)
    for found, ours in ((dq, d.dq), (dv, d.dv), (da, d.da)):
        close(found, ours, 1e-11, name)
    y, dq, dv, _, dtau = (np.array(x) for x in forward(q, v, a, tau, still))
    d = m.forward_dynamics.derivatives(q, v, tau)
    close(y.ravel(), a, 1e-10)
    for found, ours in ((dq, d.dq), (dv, d.dv), (dtau, d.dtau)):
        close(found, ours, 1e-9, name)


MANY = {
    "stanford": lambda: am.example("stanford"),
    "laws": lambda: am.Mechanism(samples.random_model(30, ("revolute",), 4, passive=True)),
    "flyer": lambda: am.Mechanism(samples.random_model(5, ("revolute",), 3, base="free", roots=0)),
}


@pytest.mark.parametrize("name", MANY)
def test_floats_are_right_to_fourteen_digits(name):
    m = MANY[name]()
    state = samples.random_state(m.model, 7)
    with mpmath.workdps(50):
        q, v, a = ([mpmath.mpf(float(x)) for x in row] for row in state)
        inputs = {"q": q, "v": v, "a": a}
        tau = m.evaluator.interpret(inverse_dynamics, inputs).result("tau")
        more = interpret_with(m, mpmath.mpf, inverse_dynamics, inputs).result("tau")
    close(m.inverse_dynamics(*state), [float(x) for x in tau], 1e-14)
    close(m.inverse_dynamics(*state), [float(x) for x in more], 1e-14)


def test_fifty_digits():
    """Forward dynamics undoes inverse dynamics; the model's rotations are right angles, exact."""
    m = am.example("stanford")
    with mpmath.workdps(50):
        q, v, a = ([mpmath.mpf(float(x)) for x in row] for row in samples.random_state(m.model, 7))
        run = interpret_with(m, mpmath.mpf, inverse_dynamics, {"q": q, "v": v, "a": a})
        inputs = {"q": q, "v": v, "tau": run.result("tau")}
        again = interpret_with(m, mpmath.mpf, forward_dynamics, inputs).result("a")
        assert max(abs(x - y) for x, y in zip(a, again, strict=True)) < mpmath.mpf(10) ** -45


def test_fractions_through_a_frame():
    """Slides need no sine: the pose of a crane's hook in exact fractions."""
    b = am.Builder("gantry")
    b.body("bridge", joint="prismatic", axis="x", mass=2.0)
    b.body("hoist", "bridge", "prismatic", (0, 0, 0.25), axis="z", mass=1.0)
    b.frame("hook", "hoist", (0.5, 0, 0))
    q = (Fraction(1, 3), Fraction(1, 7))
    run = interpret_with(b.build(), Fraction, frame_pose, {"q": q}, frame="hook")
    assert run.result("pose")[9:] == [q[0] + Fraction(1, 2), 0, q[1] + Fraction(1, 4)]
