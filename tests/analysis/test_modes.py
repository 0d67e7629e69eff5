"""Modes: closed forms, the quadratic eigenvalue problem, exact zeros, spinning bodies, refusals."""

import numpy as np
import pytest

import armillary as am
from armillary.analysis.zero_modes import staircase
from armillary.errors import InputError
from samples import random_model

G = 9.81


def chain(masses, springs, dampers=(0.0, 0.0, 0.0), first=True):
    """Masses on a line with springs between neighbours; first: no spring to the world."""
    b, parent = am.Builder("chain", (0, 0, 0)), "world"
    for k, (mass, spring, damper) in enumerate(zip(masses, springs, dampers, strict=True)):
        own = am.Passive() if first and k == 0 else am.Passive(spring=spring, viscous=damper)
        b.body(f"m{k}", parent, "prismatic", axis="x", mass=mass, passive=own)
        parent = f"m{k}"
    return b.build()


def test_three_masses_on_two_springs():
    """Free at both ends: 0 (twice), √(k/m), √(3 k/m) / 2π; shapes (1, 0, -1), (1, -2, 1)."""
    m = chain((2.0, 2.0, 2.0), (0.0, 50.0, 50.0))
    found = m.modes()
    assert found.zeros == 2
    assert [mode.kind for mode in found] == ["zero", "oscillation", "oscillation"]
    expected = np.sqrt([25.0, 75.0]) / (2 * np.pi)
    np.testing.assert_allclose(found.frequencies[1:], expected, rtol=1e-12)
    np.testing.assert_array_equal(found.damping[1:], 0.0)
    for mode, line in zip(found, [(1, 1, 1), (1, 0, -1), (1, -2, 1)], strict=True):
        own = np.cumsum(mode.shape.real)  # places of the masses
        np.testing.assert_allclose(own / own[0], line, atol=1e-12)
    assert found.stable


def test_damping_ratio_and_time_constant():
    mass, k, c = 2.0, 50.0, 1.5
    (mode,) = chain((mass,), (k,), (c,), first=False).modes()
    assert mode.damping == pytest.approx(c / (2 * np.sqrt(k * mass)), rel=1e-13)
    assert mode.time_constant == pytest.approx(2 * mass / c, rel=1e-13)
    assert mode.natural_frequency == pytest.approx(np.sqrt(k / mass) / (2 * np.pi), rel=1e-13)
    assert mode["m0"] == 1.0
    slow, fast = sorted(chain((mass,), (k,), (60.0,), first=False).modes(),
                        key=lambda x: -x.time_constant)  # fmt: skip
    roots = np.sort(np.roots([mass, 60.0, k]))
    np.testing.assert_allclose([fast.eigenvalue, slow.eigenvalue], roots, rtol=1e-12)
    assert slow.kind == fast.kind == "decay"


@pytest.mark.parametrize("seed", range(3))
def test_the_quadratic_eigenvalue_problem_of_nasty_trees(seed):
    """(s² M + s D + K) x = 0 with K and D from differences of inverse dynamics."""
    m = am.Mechanism(random_model(seed, bodies=4))
    q = m.random_state(seed)[0]
    none = np.zeros(m.nv)
    found = m.modes(q, tau="hold")
    M, h = m.mass_matrix(q), 1e-6

    def slope(f):
        return np.array([(f(d) - f(-d)) / (2 * h) for d in h * np.eye(m.nv)]).T

    K = slope(lambda d: m.inverse_dynamics(m.integrate(q, d), none, none))
    D = slope(lambda d: m.inverse_dynamics(q, d, none))
    assert len(found.eigenvalues) == 2 * m.nv
    for mode in found:
        s, x = mode.eigenvalue, mode.shape
        parts = (s * s * M @ x, s * D @ x, K @ x)
        size = max(np.abs(part).max() for part in parts) + 1e-3 * np.abs(K).max()
        assert np.abs(sum(parts)).max() < 1e-5 * size


@pytest.mark.parametrize("seed", range(3))
def test_free_mechanisms_have_twelve_exact_zeros(seed):
    """In space, at rest: six places and six speeds, whatever hangs on springs inside."""
    rng = np.random.default_rng(seed)
    b = am.Builder("flyer", (0, 0, 0))
    b.body("hull", joint="free", mass=3.0, com=tuple(rng.normal(size=3) * 0.1),
           inertia=(0.5, 0.6, 0.7, 0.05, 0.02, -0.03))  # fmt: skip
    for k in range(3):
        axis = tuple(rng.normal(size=3))
        b.body(f"arm{k}", "hull" if k < 2 else "arm1", "revolute", tuple(rng.normal(size=3)),
               axis=axis, mass=10.0 ** rng.uniform(-1, 1), com=(0.1, 0.2, 0.3),
               inertia=(0.1, 0.12, 0.08),
               passive=am.Passive(spring=10.0 ** rng.uniform(0, 4)))  # fmt: skip
    found = b.build().modes()
    assert found.zeros == 12
    assert sum(mode.kind == "zero" for mode in found) == 6
    assert sum(mode.kind == "oscillation" for mode in found) == 3


def test_staircase_of_jordan_blocks():
    rng = np.random.default_rng(0)
    J = np.zeros((7, 7))
    J[0, 1] = J[1, 2] = J[3, 4] = 1.0  # blocks of 3 and 2, and two roots that are not zero
    J[5, 5], J[6, 6] = 2.0, -1e-3
    Q = np.linalg.qr(rng.normal(size=(7, 7)))[0]
    found = staircase(Q @ J @ Q.T, np.full((7, 7), 1e-11))
    assert (found.zeros, found.first) == (5, 2)
    roots, vectors = found.others()
    np.testing.assert_allclose(np.sort(roots), [-1e-3, 2.0], rtol=1e-10)
    np.testing.assert_allclose(Q @ J @ Q.T @ vectors, vectors * roots, atol=1e-12)
    assert staircase(np.zeros((0, 0)), np.zeros((0, 0))).zeros == 0


def spinning(tensor, spin):
    b = am.Builder("body", (0, 0, 0))
    b.body("body", joint="free", mass=2.0, inertia=tensor)
    return b.build().modes(v=[0, 0, spin, 0, 0, 0])


@pytest.mark.parametrize(("tensor", "stable"), [
    ((0.2, 0.3, 0.5), True), ((0.3, 0.5, 0.2), True), ((0.2, 0.5, 0.3), False),
])  # fmt: skip
def test_a_body_that_spins_about_a_principal_axis(tensor, stable):
    """s² = -W² (C - A)(C - B) / (A B): stable about the largest and the smallest moment."""
    A, B, C = tensor
    spin = 3.0
    found = spinning(tensor, spin)
    assert found.model.about == "steady motion"
    square = -(spin**2) * (C - A) * (C - B) / (A * B)
    roots = found.eigenvalues
    own = roots[np.argmin(np.abs(roots - np.sqrt(complex(square))))]
    assert own == pytest.approx(np.sqrt(complex(square)), rel=1e-10)
    assert found.stable == stable


@pytest.mark.parametrize("part", [0.9, 1.1])
def test_a_sleeping_top(part):
    """Stable above s² = 4 A m g l / C²."""
    A, C, mass, arm = 0.004, 0.0009, 0.8, 0.06
    b = am.Builder("top", (0, 0, -G))
    b.body("top", joint="spherical", mass=mass, com=(0, 0, arm),
           inertia=(A - mass * arm**2, A - mass * arm**2, C))  # fmt: skip
    spin = part * np.sqrt(4 * A * mass * G * arm) / C
    assert b.build().modes(v=[0, 0, spin]).stable == (part > 1)


def test_closed_mechanisms_and_their_dependent_coordinates():
    m = am.example("four-bar")
    rest = m.equilibrium({"crank": -1.4}, stable=True)
    found = m.modes(rest.q)
    (mode,) = found
    assert mode.kind == "oscillation"
    assert found.stable
    # the shape is a closed motion
    np.testing.assert_allclose(m.constraint_jacobian(rest.q) @ mode.shape, 0, atol=1e-9)
    # and its frequency is that of a small free swing
    q = m.project(m.integrate(rest.q, 1e-4 * mode.shape.real))[0]
    run = am.simulate(m, q, duration=3.0, step=1e-3)
    x = run["q"][:, 0] - rest.q[0]
    k = np.flatnonzero(np.diff(np.sign(x)))
    crossings = run.time[k] - x[k] * (run.time[k + 1] - run.time[k]) / (x[k + 1] - x[k])
    assert 0.5 / np.diff(crossings).mean() == pytest.approx(mode.frequency, rel=1e-3)


def test_the_bicycle_has_names_for_its_modes():
    m = am.example("bicycle")
    found = m.modes(v={"rear-frame.vx": 5.0})
    assert found.zeros == 6
    assert [mode.kind for mode in found][4:] == ["decay", "oscillation", "decay"]
    weave = found[5]
    assert weave.eigenvalue == pytest.approx(-0.77534188219585 + 4.46486771378823j, rel=1e-11)
    assert abs(weave["steer"].imag) > 0.1 * abs(weave["steer"])  # out of phase: complex


def test_text_and_refusals():
    found = chain((2.0, 2.0, 2.0), (0.0, 50.0, 50.0)).modes()
    text = str(found)
    for words in ("about rest", "2 zero eigenvalues", "oscillation", "0.795775", "m1 1"):
        assert words in text
    assert repr(found) == text
    with pytest.raises(InputError, match="equilibrium"):
        am.example("six-r").modes()
    with pytest.raises(InputError, match="expected one state"):
        am.example("six-r").modes(np.zeros((2, 6)))
    with pytest.raises(am.ModelError, match="no coordinate named"):
        found[0]["leg"]
