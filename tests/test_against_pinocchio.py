"""Live numbers of another engine: random trees of every joint type, and robots from their files.

Everything to 1e-10 of the largest number.  Pinocchio is an independent formulation with its own
reader; see oracles/pinocchio_model.py for the conversion of conventions.
"""

from functools import cache
from importlib.metadata import distribution
from pathlib import Path

import numpy as np
import pytest

import armillary as am
from armillary.evaluate.request import CompileOptions
from compare import close
from oracles.pinocchio_model import pin_from_model, pin_from_urdf
from samples import MOVING, random_model, random_state

COORDINATES = ("local", "world_aligned", "world")
# axes that stand still in the body: elsewhere Pinocchio's Jacobian rate is incomplete
STILL = ("fixed", "revolute", "prismatic", "helical", "cylindrical", "spherical", "free")


@cache
def tree(seed: int):
    """Every seventh tree has a free base, every fifth one joints of one type only.

    Loop kernels are compiled once for all trees; every fortieth gets straight-line code."""
    joints = (MOVING[seed % len(MOVING)],) if seed % 5 == 0 else None
    base = "free" if seed % 7 == 0 else None
    model = random_model(1000 + seed, joints, bodies=3 + seed % 8, base=base)
    options = CompileOptions(tier=2 if seed % 40 == 3 else 1)
    return am.Mechanism(model, options), pin_from_model(model)


def compare_forces(ours, theirs, q, v, a, wrench):
    tau = theirs.inverse_dynamics(q, v, a, wrench)
    close(ours.inverse_dynamics(q, v, a, wrench, passive=False), tau, what="inverse dynamics")
    close(ours.mass_matrix(q, passive=False), theirs.mass_matrix(q), what="mass matrix")
    close(ours.bias_forces(q, v, passive=False), theirs.bias_forces(q, v), what="bias forces")
    close(ours.gravity_forces(q), theirs.gravity_forces(q), what="gravity forces")
    # accelerations are as good as the mass matrix allows
    condition = np.linalg.cond(theirs.mass_matrix(q))
    close(
        ours.forward_dynamics(q, v, tau, wrench, passive=False),
        theirs.forward_dynamics(q, v, tau, wrench),
        max(1e-10, 1e-15 * condition),
        "forward dynamics",
    )


def compare_motion(ours, theirs, q, v, a, frame, coordinates):
    R, p = ours.pose(q, frame)
    H = theirs.pose(q, frame)
    close(R, H[:3, :3], what="rotation")
    close(p, H[:3, 3], what="origin")
    at = (frame, coordinates)
    close(ours.velocity(q, v, *at), theirs.velocity(q, v, *at), what="velocity")
    close(ours.jacobian(q, *at), theirs.jacobian(q, *at), what="jacobian")
    for kind in ("classical", "spatial"):
        found = ours.acceleration(q, v, a, *at, kind=kind)
        close(found, theirs.acceleration(q, v, a, *at, kind), what=f"{kind} acceleration")
    if {body.joint.kind for body in ours.model.bodies} <= set(STILL):
        close(ours.jacobian_dot(q, v, *at), theirs.jacobian_dot(q, v, *at), what="jacobian rate")


def compare_whole(ours, theirs, q, v):
    close(ours.center_of_mass(q), theirs.center_of_mass(q), what="centre of mass")
    close(ours.momentum(q, v), theirs.momentum(q, v), what="momentum")
    kinetic, potential = theirs.energy(q, v)
    found = ours.energy(q, v)
    close(found[0], kinetic, what="kinetic energy")
    close(found[1], potential, what="potential energy")


@pytest.mark.parametrize("seed", range(200))
def test_forces_of_random_trees(seed):
    ours, theirs = tree(seed)
    q, v, a = random_state(ours.model, seed)
    wrench = {"tip": np.random.default_rng(seed).normal(size=6)}
    compare_forces(ours, theirs, q, v, a, wrench)


@pytest.mark.parametrize("seed", range(0, 200, 5))
def test_motion_of_random_trees(seed):
    ours, theirs = tree(seed)
    q, v, a = random_state(ours.model, seed + 1)
    frames = ("tip", ours.bodies[len(ours.bodies) // 2], "world")
    compare_motion(ours, theirs, q, v, a, frames[seed % 3], COORDINATES[seed % 3])


@pytest.mark.parametrize("seed", range(1, 200, 5))
def test_whole_body_quantities_of_random_trees(seed):
    ours, theirs = tree(seed)
    q, v, _ = random_state(ours.model, seed + 2)
    compare_whole(ours, theirs, q, v)


# ---------------------------------------------------------------- robots

ROBOTS = {
    "ur5": ("ur_description/urdf/ur5_robot.urdf", "fixed", 6),
    "panda": ("panda_description/urdf/panda.urdf", "fixed", 9),
    "kinova": ("kinova_description/robots/kinova.urdf", "fixed", None),
    "solo12": ("solo_description/robots/solo12.urdf", "free", 18),
    "go2": ("go2_description/urdf/go2.urdf", "free", 18),
    "anymal": ("anymal_b_simple_description/robots/anymal.urdf", "free", 18),
    "talos": ("talos_data/robots/talos_reduced.urdf", "free", None),
    "g1": ("g1_description/urdf/g1_29dof_rev_1_0.urdf", "free", 35),
    "allegro": ("allegro_hand_description/urdf/allegro_right_hand.urdf", "fixed", 16),
}


@cache
def robot(name: str):
    file, base, nv = ROBOTS[name]
    folder = distribution("example-robot-data").locate_file(
        "cmeel.prefix/share/example-robot-data/robots"
    )
    path = Path(str(folder)) / file
    # straight-line code for two of them, loop kernels for the others
    options = CompileOptions() if name in ("panda", "solo12") else CompileOptions(tier=1)
    # Pinocchio reads mimic joints as free ones, so the open tree is compared
    ours = am.Mechanism(am.load(path, base=base).tree.model, options)
    if nv is not None:
        assert ours.nv == nv
    return ours, pin_from_urdf(path, base, ours.model)


robots = pytest.mark.parametrize("name", ROBOTS)


@robots
@pytest.mark.parametrize("seed", range(3))
def test_forces_of_robots(name, seed):
    ours, theirs = robot(name)
    assert ours.nv == theirs.nv
    q, v, a = random_state(ours.model, seed)
    last = ours.bodies[-1]
    compare_forces(ours, theirs, q, v, a, {last: np.arange(6.0) - 2.5})


@robots
def test_motion_of_robots(name):
    """Every fifth body, fixed ones included."""
    ours, theirs = robot(name)
    q, v, a = random_state(ours.model, 5)
    for k, body in enumerate(ours.bodies):
        if k % 5 == 0 and body in theirs.places:
            compare_motion(ours, theirs, q, v, a, body, COORDINATES[k % 3])


@robots
def test_whole_body_quantities_of_robots(name):
    ours, theirs = robot(name)
    q, v, _ = random_state(ours.model, 6)
    compare_whole(ours, theirs, q, v)


@robots
def test_at_rest_in_the_neutral_place(name):
    """Exact zeros and ones in q and v: nothing may hide behind generic numbers."""
    ours, theirs = robot(name)
    q, zero = ours.neutral(), np.zeros(ours.nv)
    compare_forces(ours, theirs, q, zero, zero, {})


def test_locked_fingers_are_rigid():
    """Panda with its fingers locked: rows and columns of the free one, poses of Pinocchio's."""
    ours, theirs = robot("panda")
    fingers = [name for name in ours.joint_names if "finger" in name]
    assert len(fingers) == 2
    locked = ours.lock(dict.fromkeys(fingers, 0.03))
    assert locked.nv == 7
    q, v, a = random_state(locked.model, 3)
    kept = [k for k, name in enumerate(ours.joint_names) if name not in fingers]
    full_q, full_v, full_a = np.full(9, 0.03), np.zeros(9), np.zeros(9)
    full_q[kept], full_v[kept], full_a[kept] = q, v, a
    tau = theirs.inverse_dynamics(full_q, full_v, full_a)
    close(locked.inverse_dynamics(q, v, a, passive=False), tau[kept])
    M = theirs.mass_matrix(full_q)
    close(locked.mass_matrix(q, passive=False), M[np.ix_(kept, kept)])
    finger = next(body for body in ours.bodies if "finger" in body)
    close(locked.pose(q, finger)[1], theirs.pose(full_q, finger)[:3, 3])


def test_a_batch_is_its_rows():
    """37 states of the humanoid at once, each against Pinocchio."""
    ours, theirs = robot("g1")
    states = [random_state(ours.model, seed) for seed in range(37)]
    Q, V, A = (np.array(x) for x in zip(*states, strict=True))
    tau = ours.inverse_dynamics(Q, V, A, passive=False)
    for k, (q, v, a) in enumerate(states):
        close(tau[k], theirs.inverse_dynamics(q, v, a), what=f"row {k}")
