"""Accelerations by M a = tau - h against articulated bodies, and where either is taken."""

import numpy as np
import pytest

import armillary as am
from armillary.algorithms.interpreter import Run
from armillary.algorithms.tree.forward_dynamics import forward_dynamics
from armillary.algorithms.tree.joint_space import joint_space_dynamics
from armillary.evaluate.request import Request
from armillary.evaluate.specialise import shortest, traced
from samples import MOVING, random_model, random_state


@pytest.mark.parametrize("seed", range(12))
def test_both_ways_agree(seed):
    """Every joint type, branches, friction, wrenches, a moving base; in plain floats."""
    model = random_model(seed, MOVING, 7, branching=0.4, roots=2, passive=True)
    mechanism = am.Mechanism(model).replace(
        base_velocity=(0.1, 0.2, -0.3, 0.5, 0.1, 0.0), base_acceleration=(0.3, 0, 0.1, 1, 2, 3)
    )
    tables, base = mechanism.evaluator.tables(), mechanism.evaluator.base()
    q, v, tau = random_state(model, seed)
    wrench = np.random.default_rng(seed).normal(size=6 * len(tables.bodies))
    inputs = {n: x.tolist() for n, x in (("q", q), ("v", v), ("tau", tau), ("external", wrench))}
    one, two = (
        np.array(Run(algorithm, tables, base, inputs).result("a"))
        for algorithm in (forward_dynamics, joint_space_dynamics)
    )
    np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-9 * np.abs(two).max())


@pytest.mark.parametrize(("joints", "shorter"), [(4, True), (14, False)])
def test_the_shorter_code_is_taken(joints, shorter):
    """A few revolute joints: M is shorter; many: articulated bodies are."""
    builder = am.Builder("chain")
    for k in range(joints):
        parent = f"body{k - 1}" if k else "world"
        builder.body(
            f"body{k}", parent, "revolute", (0.1, 0.0, 0.2), (np.pi / 2, 0, 0), axis="z",
            mass=1.0 + k, com=(0.01, 0.02, 0.03), inertia=(0.01, 0.02, 0.03, 0, 0, 0),
        )  # fmt: skip
    mechanism = builder.build()
    tables = mechanism.evaluator.tables(minimal=True)
    request = Request(forward_dynamics, ("q", "v", "tau"), False)
    taken = shortest(request, lambda asked: traced(asked, tables)).operations()
    articulated = traced(request, tables).operations()
    joint_space = traced(
        Request(joint_space_dynamics, ("q", "v", "tau"), False), tables
    ).operations()
    assert taken == min(articulated, joint_space)
    assert (joint_space < articulated) is shorter
