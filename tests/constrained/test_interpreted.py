"""Algorithms by hand, on any scalars: a closed mechanism keeps its constraints.

Oracles: the closed form of a pendulum that is held by a loop, d'Alembert with multipliers."""

import math
from dataclasses import replace

import mpmath
import numpy as np
import pytest
import sympy

import armillary as am
from armillary.algorithms.autodiff.transforms import gradient, tangent
from armillary.algorithms.closed.constrained import constrained_dynamics
from armillary.algorithms.tree.forward_dynamics import forward_dynamics
from armillary.algorithms.tree.inverse_dynamics import bias_forces, inverse_dynamics
from armillary.algorithms.tree.joint_space import joint_space_dynamics
from armillary.constraints.plan import make_plan
from armillary.mechanism.symbolic import interpret_with
from armillary.scalar import Dual

LENGTH, MASS, TENSOR = 0.5, 2.0, 0.25


def held_rod(**friction) -> am.Mechanism:
    """A rod that could move in the plane y = 0, pinned at its upper end by a loop: a pendulum."""
    b = am.Builder("held", gravity=(0.0, 0.0, -10.0))
    b.body("rod", joint="planar", axis="y", mass=MASS, com=(0, 0, -LENGTH),
           inertia=(TENSOR,) * 3)  # fmt: skip
    b.loop("pin", "world", "rod", "revolute", axis="y", passive=am.Passive(**friction))
    return b.build()


def swung(angle, tau):
    """θ̈ = (τ - m g l sin θ) / (I + m l²), one about y."""
    return (tau - MASS * 10.0 * LENGTH * math.sin(angle)) / (TENSOR + MASS * LENGTH**2)


def state(angle: float, tau: float) -> dict[str, list]:
    return {"q": [angle, 0.0, 0.0], "v": [0.0] * 3, "tau": [tau, 0.0, 0.0]}


@pytest.mark.parametrize("algorithm", [forward_dynamics, joint_space_dynamics])
def test_accelerations_obey_the_loop(algorithm):
    m = held_rod()
    asked = state(0.7, 0.3)
    a = m.interpret(algorithm, asked).result("a")
    expected = np.zeros(3)
    expected[0] = swung(0.7, 0.3)
    np.testing.assert_allclose(np.array(a, float), expected, atol=1e-9)
    free = np.array(m.tree.interpret(algorithm, asked).result("a"), float)
    assert np.abs(free - expected).max() > 1.0


def test_inverse_dynamics_is_that_of_the_actuators():
    m = am.example("four-bar")
    q, v = m.project(m.initial, [1.0, 0.0, 0.0])
    a = m.solve(q, v, [0.5, 0.0, 0.0]).acceleration
    given = {"q": q.tolist(), "v": v.tolist(), "a": a.tolist()}
    tau = np.array(m.interpret(inverse_dynamics, given).result("tau"), float)
    np.testing.assert_allclose(m.solve(q, v, tau).acceleration, a, rtol=1e-9)
    np.testing.assert_allclose(tau, m.inverse_dynamics(q, v, a), rtol=1e-9)


def test_casadi_differentiates_the_closed_mechanism():
    casadi = pytest.importorskip("casadi")
    m = held_rod()
    names = [casadi.SX.sym(name, 3) for name in ("q", "v", "tau")]
    given = dict(zip(("q", "v", "tau"), map(casadi.vertsplit, names), strict=True))
    a = casadi.vertcat(*m.interpret(forward_dynamics, given).result("a"))
    ask = casadi.Function("ask", names, [a, casadi.jacobian(a, names[0])])
    found, slope = (np.array(x) for x in ask(*state(0.7, 0.3).values()))
    np.testing.assert_allclose(found[0, 0], swung(0.7, 0.3), rtol=1e-9)
    rate = -MASS * 10.0 * LENGTH * math.cos(0.7) / (TENSOR + MASS * LENGTH**2)
    np.testing.assert_allclose(slope[0, 0], rate, rtol=1e-6)


def test_slopes_and_many_digits():
    m = held_rod()
    asked = state(0.7, 0.3)
    dual = {**asked, "tau": [Dual(x, float(i == 0)) for i, x in enumerate(asked["tau"])]}
    slope = m.interpret(forward_dynamics, dual).result("a")[0].slope
    assert slope == pytest.approx(1.0 / (TENSOR + MASS * LENGTH**2), rel=1e-9)
    with mpmath.workdps(40):
        many = {name: [mpmath.mpf(x) for x in row] for name, row in asked.items()}
        a = interpret_with(m, mpmath.mpf, forward_dynamics, many).result("a")[0]
        weight = MASS * 10 * LENGTH * mpmath.sin(mpmath.mpf(0.7))
        exact = (mpmath.mpf(0.3) - weight) / (TENSOR + MASS * LENGTH**2)
        assert abs(a - exact) < 1e-20  # rows are regularised, and refined


def test_a_closed_algorithm_by_hand_has_its_rows():
    m = am.example("four-bar")
    plan = make_plan(m.constraint_solver.equations)
    given = {"q": list(map(float, m.initial)), "v": [0.0] * 3, "tau": [0.5, 0.0, 0.0]}
    a = m.interpret(constrained_dynamics(plan), given).result("a")
    way = am.methods.formulation("multipliers")
    np.testing.assert_allclose(a, way(m, m.initial, [0, 0, 0], [0.5, 0, 0]), rtol=1e-9)


def test_questions_about_joints_stay_those_of_the_tree():
    m = am.example("four-bar")
    given = {"q": list(map(float, m.initial)), "v": [1.0, 0.0, 0.0]}
    found = m.interpret(bias_forces, given).result("tau")
    np.testing.assert_allclose(np.array(found, float), m.bias_forces(*given.values()), atol=1e-12)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("four-bar", {"q": sympy.symbols("q1:4")}, "sympy numbers cannot show"),
        ("four-bar", {"tau": [1j, 0.0, 0.0]}, "complex numbers cannot show"),
        ("four-bar", tangent(forward_dynamics, "a"), "accelerates the open tree alone"),
        ("four-bar", tangent(inverse_dynamics, "tau"), "drives the open tree alone"),
        ("four-bar", gradient(inverse_dynamics, "tau"), "drives the open tree alone"),
        ("four-bar", replace(inverse_dynamics, name="mine"), "drives the open tree alone"),
    ],
)
def test_what_cannot_keep_constraints_is_refused_and_the_tree_answers(name, change, message):
    m = am.example(name)
    given = {"q": list(map(float, m.initial)), "v": [0.0] * 3, "tau": [0.0] * 3}
    algorithm = forward_dynamics
    if isinstance(change, dict):
        given |= change
    else:
        algorithm = change
        given |= {f"{x}_slope": [0.0] * 3 for x in given}
    with pytest.raises(am.InputError, match=f"{message}.*mechanism.tree"):
        m.interpret(algorithm, given)


def test_constraints_that_rub_are_refused():
    b = am.Builder("rubbing")
    b.body("lid", joint="free", mass=1.0, inertia=(0.1, 0.1, 0.1))
    b.contact("edge", "world", "lid", ("dz",), friction=[("dx", "dz", 0.3)])
    m = b.build()
    with pytest.raises(am.InputError, match="contacts that rub"):
        m.interpret(forward_dynamics, {"q": m.initial, "v": [0.0] * m.nv, "tau": [0.0] * m.nv})


def test_friction_of_loops_is_left_out_on_request():
    m = held_rod(viscous=0.4)
    plan = make_plan(m.constraint_solver.equations)
    asked = {**state(0.7, 0.3), "v": [2.0, 0.0, 0.0]}
    for passive, torque in ((True, 0.3 - 0.4 * 2.0), (False, 0.3)):
        for algorithm in (forward_dynamics, constrained_dynamics(plan)):
            a = m.interpret(algorithm, asked, passive=passive).result("a")
            assert float(a[0]) == pytest.approx(swung(0.7, torque), rel=1e-9)


def test_welded_bodies_and_friction_by_load_are_refused_by_name():
    b = am.Builder("four", gravity=(0.0, 0.0, -10.0))
    b.body("rod", axis="y", mass=MASS, com=(0, 0, -LENGTH), inertia=(TENSOR,) * 3,
           passive=am.Passive(load_radial=0.1))  # fmt: skip
    b.body("clip", "rod", "fixed", (0, 0, -0.3), mass=0.2)
    b.body("wheel", axis="y", mass=1.0, inertia=(0.1, 0.1, 0.1))
    b.coupling(am.Coupling("gear", "wheel", "rod", -2.0))
    m = b.build()
    asked = {"q": [0.7, -1.4], "v": [0.0] * 2, "tau": [0.0] * 2}
    with pytest.raises(am.ArmillaryError, match=r"'rod'.*load"):
        m.interpret(forward_dynamics, asked)
    with pytest.raises(
        am.InputError, match=r"fuse: forward_dynamics .* knows welded bodies as one"
    ):
        m.interpret(forward_dynamics, asked, passive=False, fuse=False)
    a = m.interpret(forward_dynamics, asked, passive=False).result("a")
    weight = (MASS * LENGTH + 0.2 * 0.3) * 10.0 * math.sin(0.7)
    inertia = TENSOR + MASS * LENGTH**2 + 0.2 * 0.3**2 + 4.0 * 0.1
    np.testing.assert_allclose(np.array(a, float), [-weight / inertia, 2 * weight / inertia])
