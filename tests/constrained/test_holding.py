"""Velocities by name, and joints and coordinates that are held: closed forms and bordered systems.

Oracle of the least kinetic energy: the bordered (KKT) system with inertias from 4x4 matrices."""

import numpy as np
import pytest
from closed_machines import closed_tree

import armillary as am
from armillary.errors import InputError, ModelError
from compare import close
from oracles.direct import Direct


def least(m, q, names, values):
    """min v^T M v / 2 with J v = 0 and the named entries given, by least squares on the border."""
    M, J = Direct(m.model, passive=True).mass_matrix(q), m.constraint_jacobian(q)
    H = np.zeros((len(names), m.nv))
    H[range(len(names)), [m.v_labels.index(x) for x in names]] = 1.0
    A = np.concatenate([J, H])
    K = np.block([[M, A.T], [A, np.zeros((len(A), len(A)))]])
    right = np.concatenate([np.zeros(m.nv + len(J)), values])
    return np.linalg.lstsq(K, right, rcond=1e-12)[0][: m.nv]


def test_the_four_bar_by_its_crank():
    """Loop closure by hand: the sum of the links' velocities is zero."""
    m = am.example("four-bar")
    q, v = m.project(m.initial, {"crank": 5.0})
    ends = [m.pose(q, frame)[1] for frame in ("crank", "coupler", "rocker")]
    pin = m.constraint_solver.equations.terms(q[None]).origin[0, 0]
    cross = [np.cross([0, 1, 0], pin - x)[[0, 2]] for x in ends]
    first = -np.array([cross[0] * 5.0]).T
    others = np.linalg.solve(np.array([cross[1], -cross[2]]).T, first)[:, 0]
    close(v, [5.0, *others], 1e-10)
    close(m.project(q, [5.0, 0, 0], hold=["crank"])[1], v, 1e-12)
    close(m.project(q, {"crank": [1.0, 2.0]})[1], np.array([v / 5, v / 2.5]), 1e-12)


@pytest.mark.parametrize("name, names", [
    ("stewart", ["piston1", "piston4"]), ("bicycle", ["rear-wheel", "steer"]),
    ("two-wheeled-cart", ["wheel1"]), ("nasty", None),
])  # fmt: skip
def test_the_others_have_the_least_energy(name, names):
    if name == "nasty":
        m, q = closed_tree(3, ("revolute", "distance", "coupling"), bodies=6, roots=0.3)
        q = np.asarray(q, float)
        names = [m.v_labels[int(np.argmax(np.abs(m.project(q, np.ones(m.nv))[1])))]]
    else:
        m = am.example(name)
        q = np.array(m.initial)
    values = np.linspace(1.0, -0.5, len(names))
    place, v = m.project(q, dict(zip(names, values, strict=True)))
    close(v, least(m, place, names, values), 1e-8)
    assert np.abs(m.constraint_rate(place, v)).max() < 1e-9 * np.abs(v).max()


def test_lengths_of_a_free_body_are_held():
    """`rear-frame.px` is a coordinate along the world's axis, whatever the body's attitude."""
    m = am.example("bicycle")
    rng = np.random.default_rng(0)
    guess = m.integrate(m.initial, 0.1 * rng.normal(size=m.nv))
    k = m.q_labels.index("rear-frame.px")
    for hold in (["rear-frame.px", "steer"], ["rear-frame.py", "rear-frame.px"]):
        found = m.assemble(guess, hold=hold)
        assert found.closed
        assert [found.q[m.q_labels.index(x)] for x in hold] == [
            guess[m.q_labels.index(x)] for x in hold
        ]
    q, v = m.project(found.q, 0.5 * rng.normal(size=m.nv), hold=["rear-frame.px"])
    assert q[k] == found.q[k]
    before = m.project(found.q, np.zeros(m.nv))[0]
    close(q, before, 1e-9)
    q, v = m.project(found.q, {"rear-frame.px": 2.0, "rear-frame.py": -1.0})
    world = m.velocity(q, v, "rear-frame", "world_aligned")
    close(world[3:5], [2.0, -1.0], 1e-10)


def test_positions_stay_while_projected():
    m = am.example("four-bar")
    rough = m.initial + np.array([0.05, 0.01, -0.02])
    q, v = m.project(rough, [1.0, 0, 0], hold=["crank"])
    assert q[0] == rough[0] and v[0] == 1.0
    assert np.abs(m.constraint_residual(q)).max() < 1e-12
    with pytest.raises(ModelError, match="with crank, rocker held"):
        m.project(rough, hold=["crank", "rocker"])


def test_what_cannot_be_is_named():
    m, bike = am.example("four-bar"), am.example("bicycle")
    with pytest.raises(ModelError, match="these velocities of crank, rocker; 'pin"):
        m.project(m.initial, {"crank": 5.0, "rocker": 7.0})
    with pytest.raises(InputError, match=r"'rear-frame\.w' is a part of a quaternion.*wx"):
        bike.assemble(hold=["rear-frame.w"])
    with pytest.raises(ModelError, match=r"no joint named 'cranck'.*'crank'"):
        m.assemble(hold=["cranck"])
    with pytest.raises(InputError, match="'rear-frame' has several entries"):
        bike.project(bike.initial, {"rear-frame": 1.0})
    with pytest.raises(InputError, match="expected a finite number"):
        m.project(m.initial, {"crank": np.nan})


def test_a_tree_has_nothing_that_follows():
    tree = am.example("four-bar").tree
    close(tree.project(tree.initial, {"coupler": 2.0})[1], np.array([0.0, 2.0, 0.0]), 0.0)
