"""Derivatives of mechanisms with more force elements than straight-line code can hold:
stiffness and damping of every element, carried to the joints (runtime/slopes_loop.py)."""

import numpy as np
import pytest

import armillary as am
from armillary.algorithms.tree.derivatives import (
    forward_dynamics_derivatives,
    inverse_dynamics_derivatives,
)
from armillary.evaluate.request import Request
from armillary.evaluate.straight_code import least_operations, straight_code
from armillary.model.lowering.tree import lower

JOINTS = ("revolute", "spherical", "universal", "revolute", "gimbal", "prismatic", "planar")
AXES = ("y", "z", "-y", "x")


def sprung(bodies: int, springs: int) -> am.Mechanism:
    """A branched tree with joints of all sorts; springs between any two bodies, and the world."""
    random = np.random.default_rng(5)
    b = am.Builder("sprung")
    names = ["world"]
    for k in range(bodies):
        joint = JOINTS[k % len(JOINTS)]
        axis = {"axis": AXES[k % 4]} if joint in ("revolute", "prismatic") else {}
        at = am.Pose.from_rpy((0.3, 0.1 * (k % 3), -0.2), (0.5 * (k % 3), np.pi / 2 * (k % 2), 0.0))
        b.body(f"b{k}", names[max(0, k - k % 3)], joint=joint, at=at, mass=1.0 + k % 4,
               com=(0.1, -0.05, 0), inertia=(0.03, 0.04, 0.05, 0.002, 0, 0), **axis)  # fmt: skip
        names.append(f"b{k}")
    for k in range(springs):
        one, two = random.choice(len(names), 2, replace=False)
        frame = am.Frame(f"f{k}", names[two], am.Pose(tuple(random.normal(size=3) * 0.2)))
        if k % 5 == 4:
            b.bushing(f"s{k}", names[one], frame, stiffness=[*[60.0] * 3, *[5.0] * 3],
                      damping=[*[2.0] * 3, *[0.3] * 3])  # fmt: skip
        else:
            b.spring(f"s{k}", names[one], frame, stiffness=50.0, damping=3.0, rest=0.2)
    b.coordinate_spring("gear", {"b0": 1.0, "b3": -2.0}, stiffness=40.0, damping=1.5)
    return b.build()


@pytest.fixture(scope="module")
def tree():
    return sprung(9, 12)


def near(found, wanted, tolerance):
    size = np.abs(wanted).max()
    np.testing.assert_allclose(found, wanted, rtol=0.0, atol=tolerance * size)


def differences(m, q, v, a, **more):
    h = 1e-6
    units = h * np.eye(m.nv)

    def tau(q, v):
        return m.inverse_dynamics(q, v, a, **more)

    dq = [(tau(m.integrate(q, d), v) - tau(m.integrate(q, -d), v)) / (2 * h) for d in units]
    dv = [(tau(q, v + d) - tau(q, v - d)) / (2 * h) for d in units]
    return np.array(dq).T, np.array(dv).T


def test_they_are_differences(tree):
    q, v, a = tree.random_state(3)
    found = tree.inverse_dynamics.derivatives(q, v, a)
    report = tree.inverse_dynamics.derivatives.compile_report()
    assert {x.tier for x in report} == {1}
    for got, wanted in zip(found, differences(tree, q, v, a), strict=False):
        near(got, wanted, 1e-7)
    tau = tree.inverse_dynamics(q, v, a)
    forward = tree.forward_dynamics.derivatives(q, v, tau)
    minus = -np.linalg.inv(tree.mass_matrix(q))
    near(forward.dq, minus @ found.dq, 1e-9)
    near(forward.dv, minus @ found.dv, 1e-9)


@pytest.mark.parametrize("rows", [1, 3, 40])
def test_a_batch_is_its_rows(tree, rows):
    Q, V, A = tree.random_state(4, rows)
    found = tree.inverse_dynamics.derivatives(Q, V, A)
    for k in {0, rows // 2, rows - 1}:
        for x, y in zip(found, tree.inverse_dynamics.derivatives(Q[k], V[k], A[k]), strict=True):
            near(x[k], y, 1e-12)
    Q[0, 0] = np.nan
    bad = tree.inverse_dynamics.derivatives(Q, V, A)
    assert np.isnan(bad.dq[0]).all()
    assert (bad.dq[1:] == found.dq[1:]).all()


def test_the_bound_of_the_length_is_one():
    """Code is never shorter than `least_operations`, on mechanisms with many zeros too."""
    for axes, joint, springs in (
        ("z", "revolute", 0), ("zy", "revolute", 0), ("z", "revolute", 8),
        ("x", "prismatic", 0), ("x", "prismatic", 8), ("xz", "spherical", 0),
    ):  # fmt: skip
        b = am.Builder("chain")
        for k in range(8):
            axis = {} if joint == "spherical" else {"axis": axes[k % len(axes)]}
            b.body(
                f"b{k}",
                f"b{k - 1}" if k else "world",
                joint=joint,
                at=(0.2, 0, 0),
                mass=1.5,
                inertia=(2, 3, 4),
                **axis,
            )
        for k in range(springs):
            b.spring(f"s{k}", f"b{k % 3}", f"b{7 - k % 4}", stiffness=1.0, rest=0.1)
        tables = lower(b.build().model, True, True)
        for algorithm in (inverse_dynamics_derivatives, forward_dynamics_derivatives):
            request = Request(algorithm, algorithm.reads[:3], vertical_gravity=True)
            found = straight_code(request, tables).operations
            assert least_operations(algorithm, tables) <= found


def test_other_numbers_of_elements_and_bodies(tree):
    """Parameters per row: each row has the slopes of the mechanism with its numbers."""
    Q, V, A = tree.random_state(5, 9)
    P = tree.parameters * np.random.default_rng(0).uniform(0.8, 1.2, (9, len(tree.parameters)))
    found = tree.inverse_dynamics.derivatives(Q, V, A, parameters=P)
    for got, wanted in zip(
        found, differences(tree, Q[8], V[8], A[8], parameters=P[8]), strict=False
    ):
        near(got[8], wanted, 1e-7)


def every_kind() -> am.Mechanism:
    """Few bodies on three branches, and elements of every kind and reach between them."""
    b = am.Builder("every kind")
    tree = {
        "base": ("world", "free"), "arm": ("base", "universal"), "hand": ("arm", "spherical"),
        "tip": ("hand", "cylindrical"), "leg": ("base", "gimbal"), "foot": ("leg", "prismatic"),
        "toe": ("foot", "revolute"), "stand": ("world", "planar"), "head": ("stand", "helical"),
    }  # fmt: skip
    for k, (name, (parent, joint)) in enumerate(tree.items()):
        more = {"axis": (0.2, 1.0, 0.3)} if joint in ("prismatic", "revolute") else {}
        more |= {"axis": "x", "pitch": 0.1} if joint == "helical" else {}
        at = am.Pose.from_rpy((0.3, -0.1 * k, 0.2), (0.4, 0.1 * k, -0.3))
        b.body(name, parent, joint=joint, at=at, mass=1.0 + k, com=(0.1, 0.02, -0.05),
               inertia=(0.3, 0.4, 0.5, 0.02, -0.03, 0.01), **more)  # fmt: skip

    def frame(name, body):
        k = sum(map(ord, name))
        at = am.Pose.from_rpy((0.1 * (k % 3), -0.2, 0.05 * (k % 5)), (0.1 * (k % 7), 0.3, -0.2))
        return am.Frame(name, body, at)

    full = np.random.default_rng(1).normal(size=(6, 6))
    mount = {"stiffness": full @ full.T, "damping": full.T @ full}
    ends = (("tip", "toe"), ("toe", "hand"), ("world", "foot"), ("head", "world"), ("arm", "tip"))
    for k, (one, two) in enumerate((*ends, ("head", "tip"), ("base", "toe"), ("stand", "leg"))):
        places = frame(f"p{k}", one), frame(f"q{k}", two)
        b.spring(f"s{k}", *places, stiffness=30.0, damping=4.0, rest=0.3, cubic=5.0, coulomb=0.7)
        b.bushing(f"m{k}", *places, **mount)
        b.torsion_spring(f"t{k}", *places, axis="y", stiffness=3.0, damping=0.2)
    over = [frame(f"c{k}", x) for k, x in enumerate(("hand", "foot", "hand", "head"))]
    b.cable("cable", over, stiffness=20.0, damping=2.0, rest=0.1)
    rope = [frame(f"r{k}", x) for k, x in enumerate(("world", "toe", "tip", "toe", "stand"))]
    b.cable("rope", rope, force=9.0)
    b.drag("drag", frame("d", "tip"), linear=1.0, quadratic=0.5, wind=(1.0, 0.5, -0.2))
    b.fixed_wrench("load", frame("w", "toe"), force=(1, 2, 3), moment=(0.5, 0, 1))
    b.fixed_wrench("thrust", frame("x", "toe"), force=(3, 2, 1), along=frame("y", "arm"))
    b.point_gravity("moon", frame("g", "head"), strength=2.0, center=frame("h", "foot"), mass=3.0)
    b.coordinate_spring("gear", {"foot": 1.0, "toe": -2.0}, stiffness=40.0, damping=1.5)
    b.backlash("play", {"toe": 1.0, "head": 0.5}, stiffness=30.0, gap=0.01, damping=0.4)
    b.coordinate_spring("knob", {"toe": 1.0}, stiffness=4.0, damping=0.5)
    return b.build()


@pytest.fixture(scope="module")
def of_every_kind():
    return every_kind().compile(tier=1)


@pytest.mark.parametrize(
    ("name", "algorithm"),
    [
        ("inverse_dynamics", inverse_dynamics_derivatives),
        ("forward_dynamics", forward_dynamics_derivatives),
    ],
)
def test_every_kind_of_element_as_the_interpreter_has_it(of_every_kind, name, algorithm):
    """Which takes the derivatives of the laws along the joints, without any blocks of bodies."""
    m = of_every_kind
    state = m.random_state(7)
    found = getattr(m, name).derivatives(*state)
    assert {x.tier for x in getattr(m, name).derivatives.compile_report()} == {1}
    inputs = dict(zip(algorithm.reads, map(list, state), strict=False))
    run = m.interpret(algorithm, inputs)
    for one, two in zip(found, (run.result("dq"), run.result("dv")), strict=False):
        near(one, np.array(two, float), 1e-12)


def test_rows_are_those_of_single_states_to_the_last_bit(of_every_kind):
    loops = of_every_kind
    Q, V, A = loops.random_state(8, 9)
    found = loops.inverse_dynamics.derivatives(Q, V, A)
    for k in range(9):
        one = loops.inverse_dynamics.derivatives(Q[k], V[k], A[k])
        assert (found.dq[k] == one.dq).all()
        assert (found.dv[k] == one.dv).all()


def test_single_precision(tree):
    for rows in (2, 33):
        state = tree.random_state(9, rows)
        wanted = tree.forward_dynamics.derivatives(*state)
        found = tree.forward_dynamics.derivatives(*(x.astype(np.float32) for x in state))
        assert found.dq.dtype == np.float32
        near(found.dq, wanted.dq, 1e-3)
        near(found.dv, wanted.dv, 1e-3)


def test_single_precision_of_every_kind(of_every_kind):
    """Dry friction that is smoothed, mounts and torsion springs near half a turn: every state as
    exact as single precision is (mounts of one of them were off by 4 % of the largest entry)."""
    state = of_every_kind.random_state(9, 33)
    for question in (of_every_kind.inverse_dynamics, of_every_kind.forward_dynamics):
        wanted = question.derivatives(*state)
        found = question.derivatives(*(x.astype(np.float32) for x in state))
        for k in range(33):
            near(found.dq[k], wanted.dq[k], 1e-5)
            near(found.dv[k], wanted.dv[k], 1e-5)


def test_single_precision_of_smoothed_friction():
    """dF/dv = -coulomb / smoothing / cosh²(v / smoothing), far out on the shoulder of tanh, where
    1 - tanh² has no digits left."""
    b = am.Builder("slide", gravity=(0, 0, 0))
    friction = am.Passive(coulomb=10.0, smoothing=1e-3)
    b.body("x", joint="prismatic", axis="x", mass=2.0, passive=friction)
    m = b.build()
    v = (1e-3 * np.linspace(-9.5, 9.5, 39)[:, None]).astype(np.float32)
    found = m.forward_dynamics.derivatives(0 * v, v, 0 * v).dv[:, 0, 0]
    wanted = -5e3 / np.cosh(v[:, 0].astype(float) / 1e-3) ** 2
    np.testing.assert_allclose(found, wanted, rtol=1e-3)


def test_mounts_and_springs_near_half_a_turn():
    """Rotation vector and twist of a rotation by hand, in both precisions: θ = (π - e) a."""
    b = am.Builder("mount", gravity=(0, 0, 0))
    b.body("block", joint="spherical", mass=1.0, inertia=(0.1, 0.2, 0.3))
    stiff = np.diag([3.0, 5.0, 7.0, 1.0, 1.0, 1.0])
    b.bushing("mount", "world", "block", stiffness=stiff)
    b.torsion_spring("spiral", "world", "block", axis="x", stiffness=2.0)
    m = b.build()
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    for e in (1e-2, 1e-3, 1e-4, 1e-6):
        half = 0.5 * (np.pi - e)
        q = np.array([np.sin(0.5 * e), *(np.sin(half) * axis)])
        twist = 2.0 * np.arctan2(axis[0] * np.sin(half), np.sin(0.5 * e))
        theta = (np.pi - e) * axis
        stored = 0.5 * theta @ np.diag([3.0, 5.0, 7.0]) @ theta + twist**2
        for kind, exact in ((float, 1e-12), (np.float32, 3e-6)):
            found = m.element_forces(q.astype(kind), np.zeros(3, kind))
            assert found.along[1, 1] == pytest.approx(twist, rel=exact)
            assert m.energy(q.astype(kind), np.zeros(3, kind))[1] == pytest.approx(
                stored, rel=exact
            )


def test_numbers_of_every_kind_per_row(of_every_kind):
    m = of_every_kind
    Q, V, A = m.random_state(10, 7)
    P = m.parameters * np.random.default_rng(3).uniform(0.9, 1.1, (7, len(m.parameters)))
    found = m.inverse_dynamics.derivatives(Q, V, A, parameters=P)
    wanted = differences(m, Q[6], V[6], A[6], parameters=P[6])
    near(found.dq[6], wanted[0], 1e-7)
    near(found.dv[6], wanted[1], 1e-7)


@pytest.mark.parametrize("shape", ["chain", "comb", "star"])
def test_springs_along_one_way_by_hand(shape):
    """Sliders along z with springs between them: dQ/dq = -Σ k d dᵀ, where d tells which degrees of
    freedom lengthen a spring."""
    n, random = 23, np.random.default_rng(2)
    parents = {"chain": range(-1, n - 1), "star": [-1] * n,
               "comb": [max(k - 1 - k % 3, -1) for k in range(n)]}[shape]  # fmt: skip
    b, moved = am.Builder(shape, gravity=(0, 0, 0)), [np.zeros(n)]
    for k, parent in enumerate(parents):
        b.body(f"b{k}", f"b{parent}" if parent >= 0 else "world", joint="prismatic", axis="z",
               mass=1.0)  # fmt: skip
        moved.append(moved[parent + 1] + np.eye(n)[k])
    wanted, fast = np.zeros((n, n)), np.zeros((n, n))
    for k in range(150):
        one, two = random.choice(n + 1, 2, replace=False)
        names = [f"b{x - 1}" if x else "world" for x in (one, two)]
        b.spring(f"s{k}", *names, stiffness=1.0 + k, damping=0.1 * k, rest=0.4)
        d = moved[two] - moved[one]
        wanted += (1.0 + k) * np.outer(d, d)
        fast += 0.1 * k * np.outer(d, d)
    m = b.build().compile(tier=1)
    q = random.permutation(n) * 1.0 + random.uniform(0.1, 0.2, n)
    found = m.inverse_dynamics.derivatives(q, random.normal(size=n), np.zeros(n))
    order = [int(x.removeprefix("b")) for x in m.joint_names]
    near(found.dq, wanted[np.ix_(order, order)], 1e-12)
    near(found.dv, fast[np.ix_(order, order)], 1e-12)
