"""What tracing folds away on structured geometry, against first principles.

Straight-line code is traced with exact zeros and ones as structure.  The traced graph is evaluated
on plain floats here, so that many mechanisms can be tried; a few are compiled, too."""

import numpy as np
import pytest

import armillary as am
from armillary.algorithms.tree.coriolis import coriolis_matrix
from armillary.algorithms.tree.derivatives import forward_dynamics_derivatives
from armillary.algorithms.tree.forward_dynamics import forward_dynamics
from armillary.algorithms.tree.inverse_dynamics import inverse_dynamics
from armillary.algorithms.tree.joint_space import joint_space_dynamics
from armillary.algorithms.tree.mass_matrix import mass_matrix
from armillary.evaluate.request import Request
from armillary.evaluate.specialise import traced as graph_of
from armillary.graph.function import evaluate
from compare import close
from oracles.direct import Direct
from samples import opposed_axes, random_state, structured_model

ARMS = [(seed, ("revolute",), 4) for seed in range(100, 130)]
MIXED = [(seed, ("revolute", "prismatic", "fixed"), 5) for seed in range(130, 145)]
EVERY = [
    (seed, ("helical", "cylindrical", "universal", "planar", "spherical", "free", "general"), 3)
    for seed in range(145, 160)
]


def traced(mechanism, algorithm, **inputs) -> dict[str, np.ndarray]:
    """Results of the straight-line graph of an algorithm, evaluated on floats."""
    request = Request(algorithm, tuple(inputs), False, mechanism.evaluator.vertical_gravity)
    tables = mechanism.evaluator.tables(minimal=algorithm.joint_level())
    graph = graph_of(request, tables)
    numbers = {**inputs, "global": (*mechanism.model.gravity, *(0.0,) * 12)}

    def load(address):
        name, k = address
        return float(numbers[name][k])

    values = evaluate(graph.roots(), load, float)
    found = {}
    for name, kind in algorithm.writes.items():
        flat = np.array([values[node.index] for node in graph.outputs[name]])
        found[name] = flat.reshape(mechanism.nv, -1) if kind == "matrix" else flat
    return found


@pytest.mark.parametrize(("seed", "joints", "bodies"), [*ARMS, *MIXED, *EVERY])
def test_graphs_of_structured_trees(seed, joints, bodies):
    mechanism = am.Mechanism(structured_model(seed, joints, bodies))
    if not mechanism.nv:
        pytest.skip("everything is welded")
    direct = Direct(mechanism.model)
    q, v, a = random_state(mechanism.model, seed)
    tau, M = direct.inverse_dynamics(q, v, a), direct.mass_matrix(q)
    close(traced(mechanism, inverse_dynamics, q=q, v=v, a=a)["tau"], tau, 1e-12)
    close(traced(mechanism, mass_matrix, q=q)["M"], M, 1e-12)
    C = traced(mechanism, coriolis_matrix, q=q, v=v)["C"]
    close(C @ v + direct.gravity_forces(q), direct.bias_forces(q, v), 1e-11)
    tolerance = max(1e-11, 1e-13 * np.linalg.cond(M))
    for algorithm in (forward_dynamics, joint_space_dynamics):
        close(traced(mechanism, algorithm, q=q, v=v, tau=tau)["a"], a, tolerance)


@pytest.mark.parametrize(("seed", "joints", "bodies"), [ARMS[0], ARMS[1], MIXED[0], EVERY[0]])
def test_derivatives_of_structured_trees(seed, joints, bodies):
    """da/dtau = M^-1, da/dv by central differences of first principles."""
    mechanism = am.Mechanism(structured_model(seed, joints, bodies))
    direct = Direct(mechanism.model)
    q, v, tau = random_state(mechanism.model, seed)
    found = traced(mechanism, forward_dynamics_derivatives, q=q, v=v, tau=tau)
    inverse = np.linalg.inv(direct.mass_matrix(q))
    close(found["M"], inverse, 1e-9)  # solved in place: M^-1
    step = 1e-4  # a is quadratic in v: central differences are exact but for rounding
    slopes = [
        (direct.forward_dynamics(q, v + e, tau) - direct.forward_dynamics(q, v - e, tau))
        / (2 * step)
        for e in step * np.eye(mechanism.nv)
    ]
    close(found["dv"], np.transpose(slopes), 1e-7)


def test_opposed_axes_as_a_user_meets_them():
    """forward(inverse(a)) = a, and a run without friction keeps its energy."""
    arm = am.Mechanism(opposed_axes())
    q, v, a = np.array([0.2, 0.4, -0.3]), np.array([1.0, -2.0, 0.5]), np.ones(3)
    close(arm.forward_dynamics(q, v, arm.inverse_dynamics(q, v, a)), a, 1e-12)
    many = [np.tile(x, (9, 1)) for x in (q, v, arm.inverse_dynamics(q, v, a))]
    close(arm.forward_dynamics(*many), np.ones((9, 3)), 1e-12)
    run = am.simulate(arm, q, v, duration=1.0, step=1e-3, record=("q", "energy"))
    total = run.energy
    assert np.ptp(total) < 1e-8 * np.abs(total).max()
