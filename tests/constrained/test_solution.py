"""Accelerations of closed mechanisms against 60 digits from positions alone, and their laws."""

from dataclasses import replace

import numpy as np
import pytest
from closed_machines import allowed, closed_tree
from exact import Exact

import armillary as am
from armillary.algorithms.closed import joint_forces
from armillary.constraints.compiled_forces import force_plan
from armillary.constraints.pressing import PullNote
from armillary.evaluate.results import Reactions
from armillary.model.lowering.constraints import lower_constraints
from compare import close
from oracles.direct import Direct
from samples import random_mass

EXAMPLES = [name for name in am.example_names() if am.example(name).model.constraints]
# constraints, then options of the tree: few rows and many, free bases, other joints
NASTY = {
    "welds": (("fixed", "revolute"), {}),
    "slides": (("prismatic", "helical", "helical", "cylindrical"), {"base": "free"}),
    "planes": (("planar", "spherical", "universal", "plane"), {}),
    "gimbals": (("gimbal-rx-rz", "gimbal-ry-dx", "gimbal-dx-dz", "gimbal-rx-ry-rz"), {}),
    "long gimbals": (("gimbal-rx-rz-dy-dz", "gimbal-rx-ry-dx-dz", "gimbal-ry-rz", "sphere"), {}),
    "general": (("general", "cylinder"), {"base": "free"}),
    "rods and contacts": (("distance", "contact", "contact", "contact", "sphere"), {}),
    "wheels": (("disc", "ball", "knife", "disc-on-body"), {"base": "free"}),
    "gears and prescribed motions": (("coupling", "drive", "revolute", "distance", "coupling"), {}),
}


def nasty(name: str, seed: int = 1):
    ties, options = NASTY[name]
    m, q = closed_tree(seed, ties, bodies=8, **({"roots": 0.25} | options))
    return m.compile(tier=1), q


def agree(m, q, v, tau, tolerance=1e-10):
    """forward_dynamics and solve, both against the oracle, relative to the largest acceleration."""
    expected = Exact(m.model).accelerations(q, v, tau)
    size = np.abs(expected).max()
    for found in both(m, q, v, tau):
        assert np.abs(found - expected).max() <= tolerance * size


def both(m, q, v, tau):
    solution = m.solve(q, v, tau, passive=False)
    return solution.acceleration, m.forward_dynamics(q, v, tau, passive=False)


# -- against 60 digits -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", NASTY)
def test_nasty_mechanisms(name):
    m, q = nasty(name)
    v, tau = allowed(m, q), np.random.default_rng(2).normal(size=m.nv)
    agree(m, q, v, tau)


def example_state(name, seed=3):
    """Away from where it starts, moving."""
    m = am.example(name)
    rng = np.random.default_rng(seed)
    N = np.linalg.svd(m.constraint_jacobian(m.initial))[2]
    way = allowed(m, m.initial, seed)
    if name == "rover":  # steering at random is a contradiction
        held = [k for k, label in enumerate(m.v_labels) if label.endswith("steer")]
        J = np.concatenate([m.constraint_jacobian(m.initial), np.eye(m.nv)[held]])
        N = np.linalg.svd(J)[2][np.linalg.matrix_rank(J, tol=1e-9) :]
        way = N.T @ rng.normal(size=len(N))
        return m, m.initial, way, rng.normal(size=m.nv)
    q, _ = m.project(m.integrate(m.initial, 0.1 * way / np.abs(way).max()))
    return m, q, allowed(m, q, seed + 1), rng.normal(size=m.nv)


@pytest.mark.parametrize("angle", [1e-1, 1e-2, 1e-3, 1e-4, 1e-5])
def test_next_to_the_flat_ladder(angle):
    """Where all rods lie on the ground, n more motions are possible."""
    m = am.example("four-bar-ladder", n=2)
    lean = np.pi / 2 - angle
    q = np.array([lean if "rod" in name else -lean for name in m.joints])
    v = 0.7 * np.sign(q)
    agree(m, q, v, np.linspace(-1, 1, m.nv))


@pytest.mark.parametrize("angle", [0.0, 1e-8, 1e-6, 1e-3])
def test_next_to_the_cube_of_bricard_and_at_dead_centre(angle):
    m = am.example("slider-crank")
    q = m.assemble([angle, -angle, 0.19], hold=["crank"]).q
    agree(m, q, allowed(m, q), np.array([0.3, -0.2, 5.0]))
    m = am.example("bricard")
    N = np.linalg.svd(m.constraint_jacobian(m.initial))[2][-1]
    q, _ = m.project(m.integrate(m.initial, angle * N))
    agree(m, q, allowed(m, q), np.linspace(-1, 1, 5))


# -- equations of motion ---------------------------------------------------------------------------


def solved(name):
    if name in NASTY:
        m, q = nasty(name, 2)
        v, tau = allowed(m, q), np.random.default_rng(4).normal(size=m.nv)
    else:
        m, q, v, tau = example_state(name, 5)
    external = {m.bodies[-1]: np.array([0.3, -0.2, 0.1, 2.0, -1.0, 0.5])}
    return m, q, v, tau, external, m.solve(q, v, tau, external)


@pytest.mark.parametrize("name", [*NASTY, *EXAMPLES])
def test_laws(name):
    """All of them on one solution (compiling takes longer than asking); examples against the
    oracle too, away from where they start."""
    state = solved(name)
    if name in EXAMPLES:
        agree(*state[:4])
    for law in (rows_are_kept, multipliers_balance_the_equations_of_motion, power_balances,
                energy_rate_is_that_of_the_energy, every_body_obeys_newton_and_euler,
                joints_pass_only_what_they_can, batch_equals_single,
                forces_of_straight_line_code):  # fmt: skip
        law(*state)


def rows_are_kept(m, q, v, tau, external, s):
    gamma = m.constraint_solver.equations.terms(q[None], v[None]).gamma[0]
    close(m.constraint_jacobian(q) @ s.acceleration, gamma, 1e-11)
    assert all(isinstance(text, PullNote) for text in s.messages)


def multipliers_balance_the_equations_of_motion(m, q, v, tau, external, s):
    """M a + h = tau + J^T λ + given forces, M and h from 4x4 matrices."""
    direct = Direct(m.model, passive=True)
    needed = direct.inverse_dynamics(q, v, s.acceleration, external)
    given = m.constraint_solver.equations.terms(q[None], v[None]).given[0]
    close(m.constraint_jacobian(q).T @ s.multipliers + tau + given, needed, 1e-11)


def power_balances(m, q, v, tau, external, s):
    scale = max(1.0, abs(s.balance.actuators), abs(s.balance.energy_rate), abs(s.balance.passive))
    assert abs(s.balance.imbalance) < 1e-11 * scale


def energy_rate_is_that_of_the_energy(m, q, v, tau, external, s):
    """By differences of the energy of 4x4 matrices along the motion."""
    direct = Direct(m.model)
    h = 1e-4

    def energy(t):
        v_t = v + t * s.acceleration
        return sum(direct.energy(m.integrate(q, t * v + t * t / 2 * s.acceleration), v_t))

    found = (8 * (energy(h) - energy(-h)) - energy(2 * h) + energy(-2 * h)) / (12 * h)
    if not any(body.joint.rotors for body in m.model.bodies):
        assert found == pytest.approx(s.balance.energy_rate, rel=1e-6, abs=1e-6)


def every_body_obeys_newton_and_euler(m, q, v, tau, external, s):
    """Each body alone: what its joints, ties and given wrenches do is what its motion needs."""
    direct = Direct(m.model)
    jets, loads = direct.jets(q, v, s.acceleration), direct.loads(q, v, s.acceleration)
    poses = {**dict(zip(m.bodies, (j[0] for j in jets), strict=True)), "world": np.eye(4)}
    total = {name: np.zeros(6) for name in poses}
    reactions = s.reactions
    for body in m.model.bodies:
        wrench = carry(poses[body.name], reactions[body.joint.name])
        total[body.name] += wrench
        total[body.parent] -= wrench
    for name, wrench in constraint_wrenches(m, poses, s):
        one, two = name
        total[two] += wrench
        total[one] -= wrench
    for name, wrench in external.items():
        total[name] += carry(poses[name], wrench)
    for body, (H, _, _), load in zip(m.bodies, jets, loads, strict=True):
        A = (H @ load)[:, :3]
        moment = [A[1, 2] - A[2, 1], A[2, 0] - A[0, 2], A[0, 1] - A[1, 0]]
        close(total[body], np.r_[moment, A[3]], 1e-10, body)


def constraint_wrenches(m, poses, s):
    """((first body, second body), wrench on the second in the world) of every tie."""
    from oracles.direct import pose_matrix

    model = m.model
    for part in (*model.loops, *model.distances, *model.surfaces, *model.contacts):
        H = poses[part.second.body] @ pose_matrix(part.second.pose)
        yield (part.first.body, part.second.body), carry(H, s.constraint_forces[part.name])
    for wheel in model.wheels:
        H = poses[wheel.body].copy()
        H[:3, 3] = (H @ np.append(wheel.center, 1.0))[:3]
        yield (wheel.ground, wheel.body), carry(H, s.constraint_forces[wheel.name])


def carry(H, wrench) -> np.ndarray:
    n, f = H[:3, :3] @ wrench[:3], H[:3, :3] @ wrench[3:]
    return np.r_[n + np.cross(H[:3, 3], f), f]


def joints_pass_only_what_they_can(m, q, v, tau, external, s):
    """Along its free motions a joint gives tau less losses, and what couplings and motions add."""
    direct = Direct(m.model, passive=True)
    J = m.constraint_jacobian(q)
    start = len(J) - len(m.model.couplings) - len(m.model.prescribed)
    expected = tau - direct.resistance(q, v) - direct.armature() * s.acceleration
    expected = expected + J[start:].T @ s.multipliers[start:]
    found = np.concatenate([
        tangent.T @ s.reactions[body.joint.name]
        for body, tangent in zip(m.model.bodies, own_axes(direct, q), strict=True)
    ])  # fmt: skip
    close(found, expected, 1e-10)


def own_axes(direct, q):
    """(6, nv) per joint: its motions in the body's frame at the body's origin."""
    from oracles.direct import joint_pose, joint_tangents, twist_vector

    for spec, slot in zip(direct.specs, direct.q_slots, strict=True):
        H = np.linalg.inv(joint_pose(spec, q[slot]))
        twists = [twist_vector(H @ T) for T in joint_tangents(spec, q[slot])]
        yield np.array(twists).reshape(-1, 6).T


def batch_equals_single(m, q, v, tau, external, s):
    qs = np.array([q, m.integrate(q, 0.0 * v), q])
    vs, taus = np.array([v, 0.0 * v, v]), np.array([tau, tau, 0.0 * tau])
    batch = m.solve(qs, vs, taus, external)
    a = m.forward_dynamics(qs, vs, taus, external)
    for k in range(3):
        single = m.solve(qs[k], vs[k], taus[k], external)
        size = 1e-12 * max(1.0, np.abs(single.acceleration).max())
        np.testing.assert_allclose(a[k], single.acceleration, atol=100 * size, rtol=0)
        np.testing.assert_allclose(batch.acceleration[k], single.acceleration, atol=size, rtol=0)
        close(batch.multipliers[k], single.multipliers, 1e-11)
        close(batch.reactions.total[k], single.reactions.total, 1e-11)
    close(batch.acceleration[0], s.acceleration, 1e-12)


def forces_of_straight_line_code(m, q, v, tau, external, s):
    """Laws of the algorithm whose code is compiled; the smallest reactions as by the null space."""
    found = interpreted(m, q, v, tau, external, s)
    same(found, s)
    for law in (multipliers_balance_the_equations_of_motion, every_body_obeys_newton_and_euler,
                joints_pass_only_what_they_can):  # fmt: skip
        law(m, q, v, tau, external, found)


def interpreted(m, q, v, tau, external, s):
    """The solution with forces from the algorithm as it is written, on plain floats."""
    equations, evaluator = m.constraint_solver.equations, m.evaluator
    tables = evaluator.tables(False, True)
    given = {name: (np.asarray(x)[None], True) for name, x in external.items()}
    inputs = {"q": q, "v": v, "a": s.acceleration, "tau": tau}
    inputs["external"] = evaluator.external_rows(given, 1, tables)[0]
    constraints = lower_constraints(m.model, tables)
    run = evaluator.interpret(
        joint_forces.joint_forces(force_plan(equations)),
        {name: x.tolist() for name, x in inputs.items()},
        fuse=False,
        constraints=constraints,
    )
    found = {name: np.array(run.result(name), float) for name in run.algorithm.writes}
    frames = replace(
        s.constraint_forces,
        wrench=found["pushes"].reshape(-1, 6),
        axis=found["multipliers"][len(s.multipliers) - len(s.constraint_forces.axis) :],
    )
    wrenches = Reactions(m.model, found["wrench"], found["driving"])
    return replace(s, multipliers=found["multipliers"], wrenches=wrenches, constraint_forces=frames)


def same(found, expected, tolerance=1e-10):
    """Relative to the largest force."""
    size = tolerance * max(np.abs(expected.reactions.total).max(), 1e-6)
    for x, y in zip(forces_of(found), forces_of(expected), strict=True):
        np.testing.assert_allclose(x, y, atol=size, rtol=0)


def forces_of(s):
    r, c = s.reactions, s.constraint_forces
    return s.multipliers, r.total, r.driving, c.wrench, c.axis


# -- extreme models --------------------------------------------------------------------------------


@pytest.mark.parametrize("ratio", [1e-8, 1e8])
@pytest.mark.parametrize("name", ["planes", "long gimbals", "rods and contacts"])
def test_mass_ratios(name, ratio):
    """Every other body heavier or lighter by 1e8: as exact as the data in double numbers are."""
    m, q = nasty(name, 3)
    rng = np.random.default_rng(5)
    masses = {}
    for k, body in enumerate(m.bodies):
        mass = random_mass(rng, ratio if k % 2 else 1.0)
        masses[body] = {"mass": mass.mass, "com": mass.com, "inertia": mass.tensor}
    m = m.replace(bodies=masses)
    v, tau = allowed(m, q), rng.normal(size=m.nv)
    expected, rounding = Exact(m.model).with_rounding(q, v, tau)
    for found in both(m, q, v, tau):
        error = np.abs(found - expected).max()
        assert error <= 1e-10 * np.abs(expected).max() + 30 * rounding
