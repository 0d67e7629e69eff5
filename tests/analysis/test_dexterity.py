"""Manipulability, singular positions, strength and task dynamics: closed forms, other solvers."""

import numpy as np
import pytest
from scipy.optimize import brentq, linprog

import armillary as am
from armillary.analysis.classification import TASK_ROWS

L1, L2 = 0.8, 0.6  # of the two-link arm


def test_two_link_manipulability():
    """w = l1 l2 |sin q2|, det J of the lecture; no part of it depends on q1."""
    arm = am.example("two-link")
    for q in ([0.3, 0.9], [-1.0, -2.2], [2.0, 1e-3]):
        found = arm.dexterity(q, rows="linear")
        assert found.manipulability == pytest.approx(L1 * L2 * abs(np.sin(q[1])), rel=1e-12)
        assert found.linear.volume == pytest.approx(found.manipulability, rel=1e-12)
        assert not found.singular


def test_two_link_is_singular_on_its_boundaries():
    """Stretched and folded: both rims of the annulus; lost is the radial direction."""
    arm = am.example("two-link")
    for q1, q2 in ((0.3, 0.0), (-2.0, np.pi), (1.1, -np.pi)):
        found = arm.dexterity([q1, q2], rows="linear")
        assert found.singular == "boundary"
        radial = np.array([np.cos(q1), np.sin(q1)])
        assert abs(found.lost[:, 0] @ radial) == pytest.approx(1.0, abs=1e-9)


def test_three_links_in_a_plane_are_singular_inside():
    """Out, back and out again: the tip stands on a straight arm within its reach."""
    b = am.Builder("three")
    for k in range(3):
        parent, at = (f"l{k}", (0.5, 0, 0)) if k else ("world", (0, 0, 0))
        b.body(f"l{k + 1}", parent, "revolute", at, axis="z", mass=1, com=(0.2, 0, 0),
               inertia=(0.1, 0.1, 0.1))  # fmt: skip
    b.frame("tip", "l3", (0.5, 0, 0))
    arm = b.build()
    assert arm.dexterity([0.3, np.pi, np.pi], rows="linear").singular == "interior"
    assert arm.dexterity([0.3, np.pi, 0.0], rows="linear").singular in ("interior", "boundary")
    assert arm.dexterity([0.3, 0.0, 0.0], rows="linear").singular == "boundary"


def test_puma_singularities():
    """The wrist (q5 = 0) is singular inside.  The shoulder's offset of 0.15005 m keeps the wrist
    away from the first axis: where it comes nearest it stands on a boundary, the wall of the
    cylinder that it cannot enter; the stretched elbow is the outer one  (Craig, 5.8)."""
    puma = am.example("puma560")
    wrist = puma.dexterity([0.1, 0.2, 0.3, 0.4, 0.0, 0.6])
    assert (wrist.singular, wrist.rank, wrist.reachable) == ("interior", 5, 6)
    start = np.array([0.1, 0.4, 0.3, 0.4, 0.5, 0.6])

    def at(k, x):
        q = start.copy()
        q[k] = x
        return q

    def roots(k):
        x = np.linspace(-np.pi, np.pi, 721)
        dets = [np.linalg.det(puma.jacobian(at(k, y), "link6_dh")) for y in x]
        signs = zip(x, x[1:], dets, dets[1:], strict=False)
        pairs = [(a, b) for a, b, s, t in signs if s * t < 0]
        det = lambda y: np.linalg.det(puma.jacobian(at(k, y), "link6_dh"))  # noqa: E731
        return [brentq(det, a, b, xtol=1e-15) for a, b in pairs]

    shoulder = roots(1)
    assert shoulder
    for x in shoulder:
        away = np.linalg.norm(puma.pose(at(1, x), "link6_dh")[1][:2])
        assert away == pytest.approx(0.15005, rel=1e-9)
        assert puma.dexterity(at(1, x)).singular == "boundary"
    assert {puma.dexterity(at(2, x)).singular for x in roots(2)} == {"boundary"}


def test_stanford_shoulder_and_wrist_lose_a_direction():
    """The slide drawn in or the wrist straight: a rank of less than 5."""
    arm = am.example("stanford")
    regular = arm.dexterity([0.3, -0.4, 0.6, 0.5, 0.2])
    assert regular.reachable == 5 and regular.rank == 5
    assert arm.dexterity([0.3, 0.0, 0.6, 0.5, 0.0]).rank <= 5


def test_ellipsoids_hold_what_unit_rates_and_forces_do():
    """Every |v| = 1 gives a velocity on the ellipsoid's surface or inside; some reach its tips."""
    arm = am.example("six-r")
    q = np.array([0.4, 0.7, -0.5, 0.3, 0.9, 0.2])
    found = arm.dexterity(q)
    J = arm.jacobian(q, found.task.frame, coordinates="world_aligned")[3:]
    rng = np.random.default_rng(0)
    v = rng.normal(size=(6, 4000))
    v /= np.linalg.norm(v, axis=0)
    inside = found.linear.axes.T @ (J @ v) / found.linear.radii[:, None]
    size = np.linalg.norm(inside, axis=0)
    assert size.max() <= 1 + 1e-12 and size.max() > 0.97
    M = arm.mass_matrix(q)
    ends = found.linear_of_forces.axes.T @ (J @ np.linalg.solve(M, v))
    size = np.linalg.norm(ends / found.linear_of_forces.radii[:, None], axis=0)
    assert size.max() <= 1 + 1e-9 and size.max() > 0.9
    falls = arm.forward_dynamics(q, np.zeros(6), np.zeros(6))
    np.testing.assert_allclose(found.linear_of_forces.shift, J @ falls, rtol=1e-9)


def test_dexterity_of_a_four_bar_is_its_transmission_ratio():
    """One freedom: turn of the rocker per turn of the crank, by differences along the circuit."""
    bars = am.example("four-bar")
    q = bars.initial
    h = 1e-6
    ahead, behind = (bars.assemble({"crank": q[0] + s * h}).q for s in (1, -1))
    ratio = (ahead[2] - behind[2]) / (2 * h)
    found = bars.dexterity(q, "rocker", actuators=["crank"])
    assert found.manipulability == pytest.approx(abs(ratio), rel=1e-6)


# -- strength --------------------------------------------------------------------------------------

EFFORT = {"joint1": 60.0, "joint2": 20.0}


def test_force_limits_against_a_linear_programme():
    arm, q = am.example("two-link"), [0.3, 0.9]
    limits = np.array(list(EFFORT.values()))
    J = arm.jacobian(q, "tip", coordinates="world_aligned")
    g = arm.gravity_forces(q)
    rng = np.random.default_rng(1)
    directions = {f"d{k}": rng.normal(size=6) for k in range(20)}
    found = arm.force_limits(q, "tip", directions=directions, effort=EFFORT)
    for name, d in directions.items():
        rows = np.concatenate([[J.T @ d], [-J.T @ d]]).reshape(2, 2).T.ravel()
        A = np.array([[rows[0]], [rows[1]], [rows[2]], [rows[3]]])
        room = np.array([limits[0] - g[0], limits[0] + g[0], limits[1] - g[1], limits[1] + g[1]])
        best = linprog([-1.0], A_ub=A, b_ub=room, bounds=[(None, None)], method="highs")
        assert found[name] == pytest.approx(best.x[0], rel=1e-9)
    angles = np.linspace(0, 2 * np.pi, 20001)
    wheel = np.array([np.cos(angles), np.sin(angles)])
    c = J[3:5].T @ wheel
    with np.errstate(divide="ignore"):
        room = (limits[:, None] - np.sign(c) * g[:, None]) / np.abs(c)
    assert found.weakest.size == pytest.approx(room.min(), rel=1e-6)
    assert found.weakest.size <= room.min() * (1 + 1e-12)


def test_payload_brings_one_joint_to_its_limit():
    """Attached as a body, at rest and in motion: no joint beyond, one at its limit."""
    arm = am.example("two-link")
    for v, a in (([0, 0], [0, 0]), ([1.0, -2.0], [3.0, 1.0])):
        q = [0.3, 0.9]
        found = arm.payload(q, "tip", v=v, a=a, effort=EFFORT)
        loaded = arm.attach("link2", found.mass, com=(L2, 0, 0))
        share = np.abs(loaded.inverse_dynamics(q, v, a)) / np.array(list(EFFORT.values()))
        assert share.max() == pytest.approx(1.0, rel=1e-12)
        assert arm.v_labels[int(np.argmax(share))] == found.limiting


def test_force_limits_of_a_four_bar():
    """Virtual work: moment on the rocker times its turn = what the crank gives beyond holding."""
    bars = am.example("four-bar")
    found = bars.force_limits(frame="rocker", effort={"crank": 5.0}, actuators=["crank"])
    q = bars.initial
    hold = bars.holding_forces(q, ["crank"])
    held = np.asarray(hold.tau if hasattr(hold, "tau") else hold)[0]
    ratio = bars.dexterity(q, "rocker", actuators=["crank"]).manipulability
    both = sorted([(5.0 - held) / ratio, (5.0 + held) / ratio])
    assert sorted([found["+ny"], found["-ny"]]) == pytest.approx(both, rel=1e-9)
    assert found["+fx"] == np.inf


def test_strength_refusals():
    arm = am.example("two-link")
    with pytest.raises(am.ModelError, match=r"no effort limits.*effort="):
        arm.force_limits([0.1, 0.2])
    with pytest.raises(
        am.InputError, match=r"effort: 'joint1': expected N m .* from 0 to inf, found -1\.0"
    ):
        arm.payload([0.1, 0.2], effort={"joint1": -1.0})
    with pytest.raises(am.InputError, match="6 finite numbers"):
        arm.force_limits([0.1, 0.2], effort=EFFORT, directions={"d": (1, 2)})


# -- task dynamics ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["six-r", "two-link", "stanford"])
def test_task_dynamics_predict_the_acceleration(name):
    """Λ ẍ + μ + p = F for tau = J^T F, ẍ from forward dynamics and the frame's own acceleration."""
    arm = am.example(name)
    rng = np.random.default_rng(3)
    q = np.asarray(arm.initial) + 0.4 * rng.normal(size=arm.nq)
    v = rng.normal(size=arm.nv)
    rows = "linear" if name != "six-r" else "all"
    found = arm.task_dynamics(q, v, rows=rows)
    assert found.full
    F = rng.normal(size=len(found.rows))
    a = arm.forward_dynamics(q, v, found.J.T @ F)
    x = arm.acceleration(q, v, a, found.frame, coordinates="world_aligned")
    x = x[[TASK_ROWS.index(row) for row in found.rows]]
    parts = (found.inertia @ x, found.velocity_force, found.gravity_force)
    scale = max(np.abs(part).max() for part in parts)
    np.testing.assert_allclose(sum(parts), F, atol=1e-11 * scale)
    still = arm.forward_dynamics(
        q, v, found.J.T @ F + found.null_projector @ rng.normal(size=arm.nv)
    )
    y = arm.acceleration(q, v, still, found.frame, coordinates="world_aligned")
    y = y[[TASK_ROWS.index(row) for row in found.rows]]
    np.testing.assert_allclose(x, y, atol=1e-8 * max(1.0, np.abs(x).max()))


def test_task_dynamics_of_a_closed_mechanism():
    """The rocker of a four-bar: one row, F on it, all constraints kept."""
    bars = am.example("four-bar").replace(bodies={n: {"friction": am.Passive()} for n in
                                                  ("crank", "coupler", "rocker")})  # fmt: skip
    q, v = bars.project(bars.initial, {"crank": 3.0})
    found = bars.task_dynamics(q, v, "rocker", "angular")
    F = np.array([0.7])
    a = bars.forward_dynamics(q, v, found.J.T @ F)
    x = bars.acceleration(q, v, a, "rocker", coordinates="world_aligned")
    x = x[[TASK_ROWS.index(row) for row in found.rows]]
    total = found.inertia @ x + found.velocity_force + found.gravity_force
    np.testing.assert_allclose(total, F, rtol=1e-9)
