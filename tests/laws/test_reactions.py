"""Every body by itself obeys Newton's and Euler's law under its joint reactions, weight and loads.

The accelerations of its points come from differences of poses, so the whole chain of recursions
stands against plain mechanics of one body at a time.
"""

import numpy as np
import pytest

import armillary as am
from armillary.evaluate.request import CompileOptions
from compare import close
from oracles.direct import Direct, carry_wrench
from samples import mechanisms, random_model, random_state

LOOPS = CompileOptions(tier=1)
MECHANISMS = mechanisms()
everyone = pytest.mark.parametrize("name", MECHANISMS)


def needed_wrench(direct, jets, k) -> np.ndarray:
    """Rate of momentum less weight of body k, world axes, about the world's origin."""
    H, _, H2 = jets[k]
    total = H @ direct.masses[k] @ (H2 - direct.gravity).T
    A = total[:3, :3]
    moment = np.array([A[1, 2] - A[2, 1], A[2, 0] - A[0, 2], A[0, 1] - A[1, 0]])
    return np.r_[moment, total[3, :3]]


@everyone
def test_newtons_law_of_every_body(name):
    """Reaction from the parent, minus reactions of the children, plus loads = m a - m g."""
    mechanism = MECHANISMS[name]
    model, direct = mechanism.model, Direct(mechanism.model)
    q, v, a = random_state(model, 1)
    load = np.array([3.0, -1.0, 2.0, 5.0, 0.0, -4.0])
    reactions = mechanism.reactions(q, v, a, external={"tip": load})
    jets = direct.jets(q, v, a)
    in_world = [carry_wrench(jets[k][0], w) for k, w in enumerate(reactions.total)]
    tip_body, _ = direct.frame("tip")
    scale = max(np.abs(w).max() for w in in_world)
    for k in range(len(model.bodies)):
        received = in_world[k].copy()
        for child, parent in enumerate(model.parents):
            if parent == k:
                received -= in_world[child]
        if k == tip_body:
            received += carry_wrench(direct.pose(q, "tip"), load)
        close(received / scale, needed_wrench(direct, jets, k) / scale, 1e-12)


@everyone
def test_reactions_are_the_sums_of_all_beyond(name):
    """Against one sum over all points beyond the joint."""
    mechanism = MECHANISMS[name]
    q, v, a = random_state(mechanism.model, 2)
    ours, theirs = mechanism.reactions(q, v, a), Direct(mechanism.model).reactions(q, v, a)
    for body, joint in zip(mechanism.bodies, mechanism.joints, strict=True):
        close(ours[joint], theirs[body], 1e-11)


@everyone
def test_the_drive_supplies_what_lies_along_the_axes(name):
    """S^T total = S^T driving = tau, and the constraint part does no work: S^T constraint = 0."""
    mechanism = MECHANISMS[name]
    model, direct = mechanism.model, Direct(mechanism.model)
    q, v, a = random_state(model, 3)
    tau, reactions = mechanism.inverse_dynamics(q, v, a), mechanism.reactions(q, v, a)
    scale = np.abs(reactions.total).max()
    for k, (body, slot) in enumerate(zip(model.bodies, model.slots, strict=True)):
        S = direct.jacobian(q, body.name)[:, slot.v]
        close(S.T @ reactions.total[k] / scale, tau[slot.v] / scale, 1e-11)
        close(S.T @ reactions.driving[k] / scale, tau[slot.v] / scale, 1e-11)
        close(S.T @ reactions.constraint[k] / scale, np.zeros(S.shape[1]), 1e-11)


@pytest.mark.parametrize("seed", range(3))
def test_friction_and_rotors_do_not_load_the_bearings(seed):
    """Reactions are those of the bodies' motion; friction and rotors only cost the drive."""
    mechanism = am.Mechanism(random_model(seed, bodies=5, passive=True), LOOPS)
    q, v, a = random_state(mechanism.model, seed)
    with_friction = mechanism.reactions(q, v, a, passive=True).total
    without = mechanism.reactions(q, v, a, passive=False).total
    close(with_friction, without, 1e-14)


def test_a_hanging_chain_carries_its_weight():
    """At rest, each joint carries the weight of everything below it."""
    builder = am.Builder("chain", gravity=(0, 0, -10))
    for k in range(4):
        parent = "world" if k == 0 else f"link{k - 1}"
        at = (0, 0, 0) if k == 0 else (0, 0, -1.0)
        builder.body(f"link{k}", parent, "revolute", at, axis="y", mass=1.0 + k, com=(0, 0, -0.5),
                     inertia=(0.1, 0.1, 0.01))  # fmt: skip
    chain = builder.build()
    zero = np.zeros(4)
    reactions = chain.reactions(zero, zero, zero)
    weights = [sum(10.0 * (1.0 + j) for j in range(k, 4)) for k in range(4)]
    for k in range(4):
        close(reactions[f"link{k}"], [0, 0, 0, 0, 0, weights[k]], 1e-14)
