"""Derivatives of mechanisms with more force elements than straight-line code can hold:
stiffness and damping of every element, carried to the joints (evaluate/sloped_code.py)."""

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
