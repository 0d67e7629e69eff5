"""Vector products of derivatives without matrices: `jvp` and `vjp`.

Checked against closed forms, complex steps of the plain algorithm, differences on the manifold,
and products with the matrices, which come from other passes."""

from functools import cache

import numpy as np
import pytest

import armillary as am
from armillary.algorithms.autodiff.transforms import gradient, tangent
from armillary.algorithms.passes import Algorithm, Inward, Outward
from armillary.algorithms.tree.forward_dynamics import forward_dynamics
from armillary.algorithms.tree.inverse_dynamics import inverse_dynamics
from armillary.algorithms.tree.mass_matrix import mass_matrix
from armillary.errors import InputError
from armillary.evaluate.request import CompileOptions, Request
from armillary.evaluate.specialise import traced
from armillary.model import Builder, Passive, Rotor
from armillary.scalar import tanh, where
from compare import close, derivative
from robots import robot
from samples import MOVING, random_joint, random_mass, random_model, random_pose, random_state

QUESTIONS = ("inverse_dynamics", "forward_dynamics")


@cache
def tree(kind: str, tier: int) -> am.Mechanism:
    joints = (kind, "revolute") if kind != "revolute" else (kind,)
    model = random_model(80 + MOVING.index(kind), joints, 3, roots=0)
    return am.Mechanism(model, CompileOptions(tier=tier))


def vectors(arm: am.Mechanism, seed: int, count: int = 4) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(count, arm.nv))


def compare_with_matrices(arm: am.Mechanism, state, tolerance=1e-12, **options) -> None:
    """Relative to the largest number: accelerations of light bodies are large."""
    dq, dv, dx, weight = vectors(arm, 1)
    for name in QUESTIONS:
        question = getattr(arm, name)
        matrices = question.derivatives(*state, **options)
        want = matrices.jvp(dq, dv, dx)
        scale = np.abs(want).max()
        close(question.jvp(*state, dq, dv, dx, **options) / scale, want / scale, tolerance, name)
        found = question.vjp(*state, weight, **options)
        for g, want in zip(found, matrices.vjp(weight), strict=True):
            scale = np.abs(want).max()
            close(g / scale, want / scale, tolerance, name)


@pytest.mark.parametrize("kind,tier", [*((kind, 1) for kind in MOVING), ("universal", 2)])
def test_every_joint(kind, tier):
    arm = tree(kind, tier)
    state = random_state(arm.model, 3)[:3]
    compare_with_matrices(arm, state, 1e-11)
    entries = arm.evaluator.explanations()
    assert {entry.tier for entry in entries} == {tier}
    assert {"inverse_dynamics_tangent", "forward_dynamics_gradient"} <= {
        e.algorithm for e in entries
    }


@pytest.mark.parametrize("tier", [1, 2])
def test_a_pendulum_in_closed_form(tier):
    """tau = m l² a + m g l sin q + c v + k (q - q0)."""
    m, length, g, c, k = 1.3, 0.7, 9.81, 0.4, 2.0
    builder = am.Builder("pendulum", gravity=(0, 0, -g))
    builder.body("rod", joint="revolute", axis="y", mass=m, com=(0, 0, -length),
                 passive=Passive(viscous=c, spring=k, rest=0.2))  # fmt: skip
    rod = builder.build().compile(tier=tier)
    q, v, a, dq, dv, da, w = 0.6, 1.1, -2.0, 0.3, -0.5, 0.9, 1.7
    slopes = np.array([m * g * length * np.cos(q) + k, c, m * length**2])
    close(rod.inverse_dynamics.jvp(q, v, a, dq, dv, da), [slopes @ [dq, dv, da]], 1e-14)
    close(np.ravel(rod.inverse_dynamics.vjp(q, v, a, w)), w * slopes, 1e-14)
    tau = rod.inverse_dynamics(q, v, a)
    slopes = np.array([-slopes[0], -c, 1.0]) / (m * length**2)
    close(rod.forward_dynamics.jvp(q, v, tau, dq, dv, da), [slopes @ [dq, dv, da]], 1e-13)
    close(np.ravel(rod.forward_dynamics.vjp(q, v, tau, w)), w * slopes, 1e-13)


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "helical", "universal", "gimbal"])
def test_complex_steps(kind):
    """d f(x + i h d) / h: the plain steps on complex numbers, exact to rounding."""
    arm, h = tree(kind, 1), 1e-20
    changes = dict(zip("qvx", vectors(arm, 4), strict=False))
    cases = ((inverse_dynamics, "a", "tau"), (forward_dynamics, "tau", "a"))
    for algorithm, third, result in cases:
        state = dict(zip(("q", "v", third), random_state(arm.model, 7), strict=False))
        if len(state["q"]) != arm.nv:
            pytest.skip("quaternions are not moved by adding")
        moved = {
            name: [complex(x, h * d) for x, d in zip(values, changes[key], strict=True)]
            for (name, values), key in zip(state.items(), "qvx", strict=True)
        }
        slope = [x.imag / h for x in arm.evaluator.interpret(algorithm, moved).result(result)]
        question = getattr(arm, algorithm.name)
        close(question.jvp(*state.values(), *changes.values()), slope, 1e-11)


@pytest.mark.parametrize("tier", [1, 2])
def test_differences_on_the_manifold(tier):
    """Quaternions: weight · f along `integrate`."""
    arm = tree("spherical", tier)
    q, v, a = random_state(arm.model, 8)[:3]
    dq, dv, da, weight = vectors(arm, 5)
    for name in QUESTIONS:
        question = getattr(arm, name)

        def value(h, question=question):
            return weight @ question(arm.integrate(q, h * dq), v + h * dv, a + h * da)

        slope = derivative(value)
        close(weight @ question.jvp(q, v, a, dq, dv, da) / slope, 1.0, 1e-8)
        parts = question.vjp(q, v, a, weight)
        total = sum(g @ d for g, d in zip(parts, (dq, dv, da), strict=True))
        close(total / slope, 1.0, 1e-8)


def stop(x, v):
    """Quadratic drag, and a soft wall beyond 0.5."""
    return 0.3 * v * where(v < 0, -v, v) + where(x > 0.5, 5.0 * (x - 0.5), 0.0) + tanh(3.0 * x)


@pytest.mark.parametrize("tier,passive", [
    (1, Passive(viscous=0.1, coulomb=0.4, static=0.7, stribeck=0.5, smoothing=0.3)),
    (2, Passive(coulomb=0.5, spring=3.0, table=((-3, -1), (-0.5, -0.4), (0.5, 0.1), (4, 2)))),
    (2, Passive(law=stop)),
], ids=["smooth", "kinked", "own"])  # fmt: skip
def test_friction_rotors_wrenches_and_a_moving_base(passive, tier):
    rng = np.random.default_rng(5)
    builder = Builder("resisting")
    for k, kind in enumerate(("revolute", "prismatic")):
        builder.body(f"b{k}", f"b{k - 1}" if k else "world", kind, random_pose(rng),
                     mass=random_mass(rng), passive=passive, rotor=Rotor(0.01, 5.0),
                     **random_joint(kind, rng))  # fmt: skip
    arm = am.Mechanism(builder.build(), CompileOptions(tier=tier))
    arm = arm.replace(base_velocity=rng.normal(size=6), base_acceleration=rng.normal(size=6))
    state = random_state(arm.model, 2)[:3]
    compare_with_matrices(arm, state, external={"b1": rng.normal(size=6)})


def test_friction_of_loads():
    """Recorded through roots and kinks; forward by the matrices."""
    rng = np.random.default_rng(9)
    builder, worn = Builder("worn"), Passive(load_radial=0.02, load_moment=0.05, smoothing=0.1)
    for k in range(3):
        builder.body(f"b{k}", f"b{k - 1}" if k else "world", "revolute", random_pose(rng),
                     mass=random_mass(rng), axis="z", passive=worn)  # fmt: skip
    arm = am.Mechanism(builder.build())
    compare_with_matrices(arm, random_state(arm.model, 4)[:3])


def test_a_humanoid():
    arm = am.load(robot("talos"), base="free").tree.compile(tier=1)
    compare_with_matrices(arm, random_state(arm.model, 1)[:3], 1e-10)


def test_the_interpreter_runs_them_too():
    arm = tree("gimbal", 1)
    q, v, a = (list(map(float, x)) for x in random_state(arm.model, 3)[:3])
    dq, dv, da, weight = (list(map(float, x)) for x in vectors(arm, 2))
    inputs = {"q": q, "v": v, "a": a, "dq": dq, "dv": dv, "da": da}
    run = arm.evaluator.interpret(tangent(inverse_dynamics, "tau"), inputs)
    close(run.result("dtau"), arm.inverse_dynamics.jvp(q, v, a, dq, dv, da), 1e-12)
    inputs = {"q": q, "v": v, "tau": a, "weight": weight}
    run = arm.evaluator.interpret(gradient(forward_dynamics, "a"), inputs)
    wanted = arm.forward_dynamics.vjp(q, v, a, weight)
    for name, want in zip(("q", "v", "tau"), wanted, strict=True):
        close(run.result(f"gradient_{name}"), want, 1e-10)


@pytest.mark.parametrize("tier", [1, 2])
def test_a_batch_is_its_rows(tier):
    arm = tree("universal", tier)
    states = [random_state(arm.model, seed)[:3] for seed in range(9)]
    Q, V, A = (np.array(x) for x in zip(*states, strict=True))
    changes = np.random.default_rng(0).normal(size=(3, 9, arm.nv))
    weight = vectors(arm, 1)[0]
    for name in QUESTIONS:
        question = getattr(arm, name)
        along, against = question.jvp(Q, V, A, *changes), question.vjp(Q, V, A, weight)
        for k in (0, 8):
            row = question.jvp(Q[k], V[k], A[k], *changes[:, k])
            np.testing.assert_allclose(along[k], row, rtol=1e-12, atol=1e-12)
            for many, one in zip(against, question.vjp(Q[k], V[k], A[k], weight), strict=True):
                np.testing.assert_allclose(many[k], one, rtol=1e-12, atol=1e-12)


def test_directions_left_out_are_zero():
    arm = tree("revolute", 2)
    q, v, a = random_state(arm.model, 1)[:3]
    da = vectors(arm, 0)[0]
    close(arm.inverse_dynamics.jvp(q, v, a, da=da), arm.mass_matrix(q) @ da, 1e-12)
    np.testing.assert_array_equal(arm.forward_dynamics.jvp(q, v, a), np.zeros(arm.nv))
    rough = [x.astype(np.float32) for x in (q, v, a, da)]
    found = arm.inverse_dynamics.jvp(*rough[:3], da=rough[3])
    assert found.dtype == np.float32
    close(found, arm.mass_matrix(q) @ da, 1e-5)


@pytest.mark.parametrize(
    "algorithm,result,times", [(inverse_dynamics, "tau", 3.0), (forward_dynamics, "a", 4.0)]
)
def test_the_price_does_not_grow_with_the_degrees_of_freedom(algorithm, result, times):
    """Operations of straight-line code: a few times those of the question itself."""
    for links in (4, 16):
        builder = am.Builder(f"{links} links")
        rng = np.random.default_rng(links)
        for k in range(links):
            builder.body(f"b{k}", f"b{k - 1}" if k else "world", "revolute", random_pose(rng),
                         mass=random_mass(rng), axis="z")  # fmt: skip
        tables = builder.build().evaluator.tables(minimal=True)
        itself, *products = (
            traced(Request(a, tuple(n for n in a.reads if n != "external")), tables).operations()
            for a in (algorithm, tangent(algorithm, result), gradient(algorithm, result))
        )
        assert itself < min(products) <= max(products) < times * itself


def test_algorithms_without_a_mirror_are_refused():
    """A field that is added to and read, or written twice, would need two bars."""
    arm, one = tree("revolute", 1), [1.0] * tree("revolute", 1).nv

    def write(b, p, j):
        b.x = p.x + j.q[0]
        j.tau = (b.x,) * len(j.q)

    def add(b, p, j):
        p.x += b.x

    def algorithm(*passes):
        return Algorithm("odd", passes, lambda g: {"x": 0.0}, ("q",), {"tau": "dof"})

    cases = {"read in another": (Outward(write), Inward(add)), "two passes": (Outward(write),) * 2}
    for said, passes in cases.items():
        with pytest.raises(ValueError, match=said):
            arm.evaluator.interpret(
                gradient.__wrapped__(algorithm(*passes), "tau"), {"q": one, "weight": one}
            )
    with pytest.raises(ValueError, match="not made of walks"):
        tangent(mass_matrix, "M")
    plain = gradient.__wrapped__(algorithm(Outward(write)), "tau")
    found = arm.evaluator.interpret(plain, {"q": one, "weight": one}).result("gradient_q")
    parents = arm.evaluator.tables().parents
    below = [[k] for k in range(len(parents))]  # tau_k is the sum of q on the way to the root
    for k in reversed(range(len(parents))):
        if parents[k] >= 0:
            below[parents[k]] += below[k]
    assert found == [len(each) for each in below]


def test_wrong_vectors_are_named():
    arm = tree("revolute", 2)
    state = random_state(arm.model, 1)[:3]
    with pytest.raises(InputError, match=r"^dv: expected"):
        arm.inverse_dynamics.jvp(*state, dv=[1.0])
    with pytest.raises(InputError, match=r"^weight: expected"):
        arm.forward_dynamics.vjp(*state, np.zeros(arm.nv + 1))
    with pytest.raises(InputError, match=r"^weight: entry 0 .* finite"):
        arm.inverse_dynamics.vjp(*state, np.full(arm.nv, np.nan))
