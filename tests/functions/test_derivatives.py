"""Derivatives of inverse and forward dynamics against complex steps, differences and Pinocchio.

q moves on its tangent space: q (+) e_k h is `integrate`.  Complex steps run the interpreter on
complex numbers (exact to rounding); where a quaternion or a kink forbids them, differences of
sixth order on the manifold (about 1e-10) take over.
"""

from functools import cache

import numpy as np
import pinocchio as pin
import pytest

import armillary as am
from armillary.algorithms.tree.inverse_dynamics import inverse_dynamics
from armillary.evaluate.request import CompileOptions
from armillary.model import Builder, Passive, Rotor
from armillary.scalar import tanh, where
from compare import close, derivative
from oracles.pinocchio_model import pin_from_urdf
from robots import robot
from samples import MOVING, random_joint, random_mass, random_model, random_pose, random_state


@cache
def one_of(kind: str, tier: int) -> am.Mechanism:
    """Three joints of one kind (and a hinge) in a branched tree."""
    joints = (kind, "revolute") if kind != "revolute" else (kind,)
    model = random_model(40 + MOVING.index(kind), (kind,), 2, branching=0, roots=0)
    if kind not in ("free", "planar", "gimbal"):
        model = random_model(60 + MOVING.index(kind), joints, 4, base=kind, roots=0)
    return am.Mechanism(model, CompileOptions(tier=tier))


def stop(x, v):
    """Quadratic drag, and a soft wall beyond 0.5."""
    return 0.3 * v * where(v < 0, -v, v) + where(x > 0.5, 5.0 * (x - 0.5), 0.0) + tanh(3.0 * x)


PASSIVES = {
    "viscous": Passive(viscous=0.7),
    "stribeck": Passive(coulomb=0.5, static=0.9, stribeck=0.4),
    "smooth": Passive(viscous=0.1, coulomb=0.4, static=0.7, stribeck=0.5, smoothing=0.3),
    "table": Passive(table=((-3.0, -1.0), (-0.5, -0.4), (0.5, 0.1), (4.0, 2.0))),
    "spring": Passive(spring=7.0, rest=0.3),
    "own": Passive(viscous=0.1, law=stop),
}


@cache
def resisting(name: str, tier: int) -> am.Mechanism:
    rng = np.random.default_rng(5)
    builder = Builder(f"resisting-{name}")
    for k, kind in enumerate(("revolute", "universal", "prismatic")):
        builder.body(f"body{k}", f"body{k - 1}" if k else "world", kind, random_pose(rng),
                     mass=random_mass(rng), passive=PASSIVES[name],
                     rotor=Rotor(0.01, 5.0), **random_joint(kind, rng))  # fmt: skip
    builder.frame("tip", "body2", random_pose(rng))
    return am.Mechanism(builder.build(), CompileOptions(tier=tier))


def differences(mechanism: am.Mechanism, f, q, v, x) -> list[np.ndarray]:
    """d f(q, v, x) / d(q tangent, v, x) by differences of sixth order."""
    n = mechanism.nv
    unit = np.eye(n)
    blocks = (
        lambda k: lambda h: f(mechanism.integrate(q, h * unit[k]), v, x),
        lambda k: lambda h: f(q, v + h * unit[k], x),
        lambda k: lambda h: f(q, v, x + h * unit[k]),
    )
    return [np.stack([derivative(block(k)) for k in range(n)], axis=1) for block in blocks]


def complex_steps(mechanism: am.Mechanism, q, v, a, passive=True) -> list[np.ndarray]:
    """d tau / d(q, v, a) by the interpreter on complex numbers; coordinates are tangent here."""
    given = {"q": q, "v": v, "a": a}
    result = []
    for name, x in given.items():
        columns = []
        for k in range(len(x)):
            step = {n: y.astype(complex) for n, y in given.items()}
            step[name][k] += 1e-30j
            run = mechanism.evaluator.interpret(
                inverse_dynamics, {n: y.tolist() for n, y in step.items()}, passive=passive
            )
            columns.append(np.imag(np.array(run.result("tau"), complex)) / 1e-30)
        result.append(np.stack(columns, axis=1))
    return result


def check_inverse(mechanism, q, v, a, external=None, tolerance=3e-9) -> None:
    f = lambda q, v, a: mechanism.inverse_dynamics(q, v, a, external)  # noqa: E731
    found = mechanism.inverse_dynamics.derivatives(q, v, a, external)
    for name, want in zip(("dq", "dv", "da"), differences(mechanism, f, q, v, a), strict=True):
        close(getattr(found, name), want, tolerance, f"inverse {name}")
    close(found.da, mechanism.mass_matrix(q), 1e-12, "da is the mass matrix")


def check_forward(mechanism, q, v, tau, external=None, tolerance=3e-8) -> None:
    f = lambda q, v, tau: mechanism.forward_dynamics(q, v, tau, external)  # noqa: E731
    found = mechanism.forward_dynamics.derivatives(q, v, tau, external)
    for name, want in zip(("dq", "dv", "dtau"), differences(mechanism, f, q, v, tau), strict=True):
        close(getattr(found, name), want, tolerance, f"forward {name}")
    M = mechanism.mass_matrix(q)
    close(found.dtau @ M, np.eye(mechanism.nv), 1e-9, "dtau is the inverse mass matrix")


# ---------------------------------------------------------------- every joint type


@pytest.mark.parametrize("kind", MOVING)
def test_inverse_dynamics_by_loops(kind):
    mechanism = one_of(kind, 1)
    for seed in range(2):
        q, v, a = random_state(mechanism.model, seed)
        check_inverse(mechanism, q, v, a)


@pytest.mark.parametrize("kind", MOVING)
def test_forward_dynamics_by_loops(kind):
    mechanism = one_of(kind, 1)
    q, v, tau = random_state(mechanism.model, 3)
    check_forward(mechanism, q, v, tau)


@pytest.mark.parametrize("kind", ["planar", "gimbal"])
def test_straight_lines_and_loops_agree(kind):
    loops, straight = one_of(kind, 1), one_of(kind, 2)
    q, v, x = random_state(loops.model, 4)
    for name in ("inverse_dynamics", "forward_dynamics"):
        first = getattr(loops, name).derivatives(q, v, x)
        second = getattr(straight, name).derivatives(q, v, x)
        for part in ("dq", "dv", "da" if name == "inverse_dynamics" else "dtau"):
            close(getattr(second, part), getattr(first, part), 1e-10, f"{name} {part}")


@pytest.mark.parametrize("kind", [k for k in MOVING if k not in ("spherical", "free")])
def test_complex_steps(kind):
    """Exact to rounding: joints whose axes move in their own bodies above all."""
    mechanism = one_of(kind, 1)
    q, v, a = random_state(mechanism.model, 5)
    found = mechanism.inverse_dynamics.derivatives(q, v, a)
    for name, want in zip(("dq", "dv", "da"), complex_steps(mechanism, q, v, a), strict=True):
        close(getattr(found, name), want, 1e-12, name)


@pytest.mark.parametrize("seed", range(0, 12, 2))
def test_random_trees(seed):
    """All joint types in one tree, welds included."""
    model = random_model(300 + seed, None, 3 + seed % 4, base="free" if seed % 4 == 0 else None)
    mechanism = am.Mechanism(model, CompileOptions(tier=1))
    q, v, a = random_state(model, seed)
    check_inverse(mechanism, q, v, a, tolerance=1e-8)


# ---------------------------------------------------------------- what resists and pushes


@pytest.mark.parametrize("name", PASSIVES)
def test_friction_and_springs(name):
    mechanism = resisting(name, 2)
    q, v, a = random_state(mechanism.model, 6)
    check_inverse(mechanism, q, v, a)
    if name == "smooth":
        check_forward(mechanism, q, v, a)


@pytest.mark.parametrize("name", PASSIVES)
def test_friction_and_springs_by_loops(name):
    mechanism, other = resisting(name, 1), resisting(name, 2)
    q, v, a = random_state(mechanism.model, 6)
    found = mechanism.inverse_dynamics.derivatives(q, v, a)
    want = other.inverse_dynamics.derivatives(q, v, a)
    for part in ("dq", "dv", "da"):
        close(getattr(found, part), getattr(want, part), 1e-12, part)


@pytest.mark.parametrize("name", ["viscous", "spring"])
def test_friction_by_complex_steps(name):
    mechanism = resisting(name, 2)
    q, v, a = random_state(mechanism.model, 7)
    found = mechanism.inverse_dynamics.derivatives(q, v, a)
    for part, want in zip(("dq", "dv", "da"), complex_steps(mechanism, q, v, a), strict=True):
        close(getattr(found, part), want, 1e-12, part)


def test_without_passive_forces():
    mechanism = resisting("smooth", 2)
    q, v, a = random_state(mechanism.model, 7)
    found = mechanism.inverse_dynamics.derivatives(q, v, a, passive=False)
    wanted = complex_steps(mechanism, q, v, a, passive=False)
    for part, want in zip(("dq", "dv", "da"), wanted, strict=True):
        close(getattr(found, part), want, 1e-12, part)


@pytest.mark.parametrize("tier", [1, 2])
def test_a_moving_base(tier):
    mechanism = am.Mechanism(random_model(9, ("universal", "revolute"), 3), CompileOptions(tier))
    mechanism = mechanism.replace(
        base_velocity=(0.5, -0.3, 0.8, 0.2, 0.4, -0.6),
        base_acceleration=(0.2, 0.7, -0.4, 1.0, -2.0, 0.5),
    )
    q, v, a = random_state(mechanism.model, 8)
    check_inverse(mechanism, q, v, a)
    if tier == 1:
        check_forward(mechanism, q, v, a)


@pytest.mark.parametrize("kind", ["revolute", "planar", "free"])
def test_external_wrenches_that_go_with_their_bodies(kind):
    """A wrench fixed in its frame, on the tip and in the middle."""
    mechanism = one_of(kind, 1)
    q, v, a = random_state(mechanism.model, 9)
    rng = np.random.default_rng(1)
    external = {"tip": rng.normal(size=6) * 5, "body0": rng.normal(size=6) * 5}
    check_inverse(mechanism, q, v, a, external)
    if kind != "revolute":
        check_forward(mechanism, q, v, a, external)


# ---------------------------------------------------------------- another engine

ROBOTS = {"panda": "fixed", "solo12": "free", "talos": "free"}


@cache
def pair(name: str):
    ours = am.load(robot(name), base=ROBOTS[name]).tree.compile(tier=1)
    return ours, pin_from_urdf(robot(name), ROBOTS[name], ours.model)


def ours_from(theirs, matrix) -> np.ndarray:
    """Rows and columns in our order."""
    return theirs.back(theirs.back(np.array(matrix)).T).T


@pytest.mark.parametrize("name", ROBOTS)
def test_robots_against_pinocchio(name):
    """Its tangent space of a free base is ours: motion in the body's own axes."""
    ours, theirs = pair(name)
    q, v, a = random_state(ours.model, 2)
    model, data = theirs.model, theirs.data
    pq, pv, pa = theirs.q(q), theirs.v(v), theirs.v(a)
    pin.computeRNEADerivatives(model, data, pq, pv, pa)
    found = ours.inverse_dynamics.derivatives(q, v, a, passive=False)
    M = np.triu(data.M) + np.triu(data.M, 1).T
    for part, matrix in (("dq", data.dtau_dq), ("dv", data.dtau_dv), ("da", M)):
        close(getattr(found, part), ours_from(theirs, matrix), 1e-11, part)
    tau = ours.inverse_dynamics(q, v, a, passive=False)
    pin.computeABADerivatives(model, data, pq, pv, theirs.v(tau))
    back = ours.forward_dynamics.derivatives(q, v, tau, passive=False)
    inverse = np.triu(data.Minv) + np.triu(data.Minv, 1).T
    for part, matrix in (("dq", data.ddq_dq), ("dv", data.ddq_dv), ("dtau", inverse)):
        want = ours_from(theirs, matrix)
        close(getattr(back, part) / np.abs(want).max(), want / np.abs(want).max(), 1e-9, part)


# ---------------------------------------------------------------- using them


def test_products_along_and_against():
    """Directional derivatives and gradients are products with the same matrices."""
    mechanism = one_of("universal", 1)
    q, v, a = random_state(mechanism.model, 10)
    rng = np.random.default_rng(2)
    dq, dv, da, weight = rng.normal(size=(4, mechanism.nv))
    for d, third in (
        (mechanism.inverse_dynamics.derivatives(q, v, a), "a"),
        (mechanism.forward_dynamics.derivatives(q, v, a), "tau"),
    ):
        along = d.jvp(q=dq, v=dv, **{third: da})
        gradients = d.vjp(weight)
        assert weight @ along == pytest.approx(
            sum(g @ x for g, x in zip(gradients, (dq, dv, da), strict=True)), rel=1e-12
        )
        np.testing.assert_allclose(d.jvp(v=dv), d.dv @ dv, rtol=1e-13, atol=1e-13)
        np.testing.assert_array_equal(d.jvp(), 0.0)
    step = mechanism.inverse_dynamics.derivatives(q, v, a).jvp(q=dq, v=dv, a=da)
    moved = derivative(
        lambda h: mechanism.inverse_dynamics(mechanism.integrate(q, h * dq), v + h * dv, a + h * da)
    )
    close(step, moved, 1e-9)


@pytest.mark.parametrize("tier", [1, 2])
def test_a_batch_is_its_rows(tier):
    mechanism = one_of("gimbal" if tier == 2 else "spherical", tier)
    rows = [random_state(mechanism.model, seed) for seed in range(9)]
    Q, V, A = (np.array(x) for x in zip(*rows, strict=True))
    weights = np.random.default_rng(1).normal(size=(9, mechanism.nv))
    for name, parts in (("inverse_dynamics", "dq dv da"), ("forward_dynamics", "dq dv dtau")):
        question = getattr(mechanism, name)
        many = question.derivatives(Q, V, A)
        for k, row in enumerate(rows):
            single = question.derivatives(*row)
            for part in parts.split():
                np.testing.assert_array_equal(getattr(many, part)[k], getattr(single, part))
        for k in (0, 8):
            single = question.derivatives(*rows[k])
            close(many.jvp(q=weights)[k], single.jvp(q=weights[k]), 1e-12)
            close(many.vjp(weights)[0][k], single.vjp(weights[k])[0], 1e-12)


def test_single_precision():
    mechanism = one_of("revolute", 1)
    q, v, a = random_state(mechanism.model, 11)
    exact = mechanism.forward_dynamics.derivatives(q, v, a)
    rough = mechanism.forward_dynamics.derivatives(*(x.astype(np.float32) for x in (q, v, a)))
    assert rough.dq.dtype == np.float32
    scale = np.abs(exact.dq).max()
    assert np.abs(rough.dq - exact.dq).max() < 2e-3 * scale
