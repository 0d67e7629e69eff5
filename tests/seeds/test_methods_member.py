"""Chains with a common reference member by the method of [VanDerMerwe1995, 6.1-6.65].

Every printed number of the two links with a load (case 000_two_link_suspended_load) and of the
three legs with a platform (000_hslm), the loads for which the source's own motion space fails
(errata 0-47); then members held by random chains in random motion, against `solve` of the same
machine with loops.
"""

from itertools import pairwise

import numpy as np
import pytest
from scipy.linalg import expm

import armillary as am
from armillary.errors import ModelError
from armillary.model.constraint_parts import DIRECTIONS
from armillary.textbook import next_place, reference_member
from seeds.cases import assert_rows, assert_value, case, columns, table

LOAD, HSLM = case("000_two_link_suspended_load"), case("000_hslm")
PINS = dict.fromkeys(("tip1", "tip2"), ("rx", "rz", "dx", "dy", "dz"))
WELDS = dict.fromkeys(("tip1", "tip2", "tip3"), ("rx", "ry", "rz", "dx", "dy", "dz"))


@pytest.fixture(scope="module")
def load() -> am.Mechanism:
    return am.example("two-link-load")


@pytest.fixture(scope="module")
def hslm() -> am.Mechanism:
    return am.example("hslm")


def at_rest(machine, member, tips, tau=None, **options):
    q = np.array(machine.initial)
    tau = np.zeros(machine.nv) if tau is None else tau
    return reference_member(machine.tree, member, tips, q, np.zeros(machine.nv), tau, **options)


# -- two links and a load ------------------------------------------------------------------------

PRINTED = {
    "H": "H_k", "J": "J_k,tip", "Omega": "Omega_k", "Lambda_inverse": "Lambda_k^-1",
    "bias": "bias", "qdd_open": "qdd_open", "xdd_open": "xdd_open", "S": "S_k",
    "M_inverse": "M_k^-1", "M": "M_k", "P": "P_k",
}  # fmt: skip


@pytest.mark.parametrize("projection", ["intersection", "document"])
def test_printed_numbers_of_the_load(load, projection):
    """6.91-6.146 (errata 0-38, 0-45, 0-48, 0-49, 0-50)."""
    x = at_rest(load, "load", PINS, projection=projection)
    for k, chain in enumerate(x.chains.values(), start=1):
        for name, quantity in PRINTED.items():
            assert_value(getattr(chain, name), LOAD[quantity])
        assert_value(chain.X, LOAD[f"{k}X_r"])
        assert_value(chain.R, LOAD[f"R_{k}"])
        assert chain.rank == 1
        assert not chain.zeta.any()
    assert_value(x.I_r, LOAD["I_r"])
    assert_value(x.I_reflected, LOAD["sum X^T R"])
    assert_value(x.I_eff, LOAD["I_eff"])
    assert_value(x.force, LOAD["rhs"])
    np.testing.assert_allclose(x.a_r, LOAD["a_r"], rtol=5e-12, atol=1e-13)
    for tip, f in x.f_motion.items():
        np.testing.assert_allclose(f, LOAD["f_k"], rtol=5e-12, atol=1e-12)
        assert_value(x.qdd[tip], LOAD["qdd_k"])
        a_tip = x.chains[tip].J @ x.qdd[tip]
        np.testing.assert_allclose(a_tip, LOAD["a_k,tip"], rtol=5e-12, atol=1e-13)
    assert_value((x.chains["tip1"].X @ x.a_r)[5], LOAD["a_1 = 1X_r a_r (6th comp.)"])
    if projection == "document":
        assert_value(x.motion_space @ x.motion_space.T, LOAD["projector b b^T from base 6.134"])
        assert_value(x.force_projected, LOAD["f'"])


def test_true_tip_forces_of_the_load(load):
    """Errata 0-52: what the links exert where they cannot move."""
    x = at_rest(load, "load", PINS)
    name = "true tip forces on the reference member (tip frame, minimum norm)"
    for f, recorded in zip(x.f.values(), LOAD[name], strict=True):
        np.testing.assert_allclose(f, recorded, rtol=5e-12, atol=1e-12)
    assert x.self_stress == 3
    assert x.motion_space.shape == (6, 1)
    assert "true force by each tip" in str(x)


def test_static_load(load):
    """6.148-6.152."""
    tau = np.zeros(8)
    tau[6:] = LOAD["M_y static"]
    x = at_rest(load, "load", PINS, tau)
    for tip in PINS:
        assert_value(x.chains[tip].qdd_open, LOAD["qdd_open static"])
        np.testing.assert_allclose(x.chains[tip].xdd_open, LOAD["xdd_open static"], rtol=5e-12)
        np.testing.assert_allclose(x.qdd[tip], LOAD["qdd static"], atol=1e-11)
    np.testing.assert_allclose(x.a_r, 0, atol=1e-11)


def test_a_couple_cannot_turn_the_load(load):
    """Errata 0-47: the motion space of 6.63 lets it."""
    couple = {"load": [0, 1.0, 0, 0, 0, 0]}
    value = LOAD["defect test of 6.63-6.65: extra couple 1 N m about y on the reference member"]
    x = at_rest(load, "load", PINS, external=couple)
    np.testing.assert_allclose(x.a_r, value["a_r exact"], rtol=5e-12, atol=1e-12)
    y = load.solve(load.initial, np.zeros(8), np.zeros(8), external=couple)
    np.testing.assert_allclose(x.acceleration, y.acceleration, rtol=0, atol=1e-11)
    wrong = at_rest(load, "load", PINS, external=couple, projection="document")
    np.testing.assert_allclose(
        wrong.a_r, value["a_r by document algorithm"], rtol=5e-12, atol=1e-12
    )


def test_recorded_swing(load):
    """Accelerations and tip forces at every recorded row."""
    data, tree = table("000_two_link_load_reference"), load.tree
    found = []
    for angle, speed in zip(data["q"], data["qd"], strict=True):
        c, s = np.cos(angle), np.sin(angle)
        place = [0.4 + 1.5 * c, 0, -1.5 * s]
        q = np.array([1.0, 0, 0, 0, *place, angle, angle])
        v = np.array([0, 0, 0, -1.5 * s * speed, 0, -1.5 * c * speed, speed, speed])
        x = reference_member(tree, "load", PINS, q, v, np.zeros(8))
        turn = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
        f = [turn @ x.f[tip][3:] for tip in PINS]
        found.append([*x.acceleration[6:], *f[0][[0, 2]], *f[1][[0, 2]]])
    found = np.array(found)
    assert_rows(found[:, :2], columns(data, "qdd", "qdd"))
    forces = columns(data, *(f"tip{k}_f{x}_on_ref" for k in (1, 2) for x in "xz"))
    np.testing.assert_allclose(found[:, 2:], forces, rtol=0, atol=5.1e-8)  # 7 decimals


# -- three legs and a platform -------------------------------------------------------------------


def test_free_fall_of_the_platform(hslm):
    """8.2.1, 8.7: the source is right here, by symmetry."""
    for projection in ("intersection", "document"):
        x = at_rest(hslm, "platform", WELDS, projection=projection)
        down = HSLM["reference member downward acceleration, no joint forces"]
        np.testing.assert_allclose(x.a_r, [0, 0, 0, 0, -down, 0], rtol=5e-12, atol=1e-11)
        for tip, chain in x.chains.items():
            recorded = HSLM["joint accelerations, no joint forces"]
            np.testing.assert_allclose(x.qdd[tip], recorded, rtol=5e-12, atol=1e-11)
            assert chain.rank == 5
            if projection == "intersection":
                push = (chain.X.T @ x.f[tip])[4]
                expected = -HSLM["downward force of each chain on the reference member"]
                assert push == pytest.approx(expected, abs=2e-12)
    assert x.motion_space.shape == (6, 6)  # the source projects nothing here
    assert at_rest(hslm, "platform", WELDS).motion_space.shape == (6, 3)


def test_static_forces(hslm):
    """8.8 (errata 0-58)."""
    tau = np.concatenate([np.zeros(6), *[HSLM["static equilibrium joint forces"]] * 3])
    x = at_rest(hslm, "platform", WELDS, tau)
    np.testing.assert_allclose(x.acceleration, 0, atol=1e-10)
    printed = [0, 6.3164555, -41.113563, 0, 0.25]
    x = at_rest(hslm, "platform", WELDS, np.concatenate([np.zeros(6), *[printed] * 3]))
    assert abs(x.a_r[4]) == pytest.approx(HSLM["acceleration with forces 8.8"], abs=1e-12)


PUSHES = [
    ([0, 0, 0, 10.0, 0, 0], 3, 1.355, 0.907),
    ([0, 1.0, 0, 0, 0, 0], 1, 1.945, 0.0),
]


@pytest.mark.parametrize("push, axis, document, exact", PUSHES, ids=["side load", "couple"])
def test_loads_without_symmetry(hslm, push, axis, document, exact):
    """Errata 0-47: 10 N along x, 1 N m about y; the source's answers and the right ones."""
    external = {"platform": push}
    wrong = at_rest(hslm, "platform", WELDS, external=external, projection="document")
    assert wrong.a_r[axis] == pytest.approx(document, abs=5.1e-4)
    x = at_rest(hslm, "platform", WELDS, external=external)
    assert x.a_r[axis] == pytest.approx(exact, abs=5.1e-4)
    if axis == 3:
        assert x.a_r[2] == pytest.approx(-4.97, abs=5.1e-3)
    y = hslm.solve(hslm.initial, np.zeros(21), np.zeros(21), external=external)
    np.testing.assert_allclose(x.acceleration, y.acceleration, rtol=0, atol=1e-10)
    for k in (1, 2, 3):
        np.testing.assert_allclose(
            x.f[f"tip{k}"], y.constraint_forces[f"weld{k}"], rtol=0, atol=1e-10
        )


# -- random members in random motion, against the general solver ---------------------------------

TURNS, ALL = ("rx", "ry", "rz"), ("rx", "ry", "rz", "dx", "dy", "dz")
JOINTS = {  # joint of the tips -> its axis, constrained directions
    "fixed": ({}, ALL),
    "revolute": ({"axis": "y"}, ("rx", "rz", "dx", "dy", "dz")),
    "prismatic": ({"axis": "x"}, (*TURNS, "dy", "dz")),
    "cylindrical": ({"axis": "z"}, ("rx", "ry", "dx", "dy")),
    "spherical": ({}, ("dx", "dy", "dz")),
    "planar": ({"axis": "z"}, ("rx", "ry", "dz")),
    "universal": ({"axes": ("x", "y")}, ("rz", "dx", "dy", "dz")),
    "gimbal": ({"free": ("rx", "rz", "dy")}, ("ry", "dx", "dz")),
}


def held_member(sizes, joint: str, seed: int):
    """(tree, with loops, q, consistent v): chains of random joints, closed where they are."""
    rng = np.random.default_rng(seed)
    q = [np.array([0.9, 0.3, -0.2, 0.25, 0.1, 0.2, -0.3])]

    def chains() -> am.Builder:
        rng = np.random.default_rng(seed)
        builder = am.Builder("held", (0.5, -9.0, 2.0))
        builder.body("member", joint="free", mass=3.0, com=(0.1, 0.05, -0.02),
                     inertia=(0.2, 0.3, 0.25, 0.01, 0.02, -0.03))  # fmt: skip
        builder.body("knob", "member", "fixed", (0.1, 0.2, 0.0), mass=0.4, com=(0, 0, 0.1),
                     inertia=(0.01, 0.01, 0.02))  # fmt: skip
        for k, size in enumerate(sizes):
            parent, at = "world", tuple(rng.uniform(-1, 1, 3))
            for n in range(size):
                kind = "prismatic" if n == 2 else "revolute"
                builder.body(f"c{k}l{n}", parent, kind, at, axis=tuple(rng.normal(size=3)),
                             mass=rng.uniform(0.5, 2), com=tuple(rng.normal(size=3) * 0.1),
                             inertia=(0.06, 0.07, 0.08))  # fmt: skip
                parent, at = f"c{k}l{n}", tuple(rng.uniform(-0.4, 0.5, 3))
            builder.frame(f"tip{k}", parent, at)
        return builder

    tree = chains().build()
    q = np.concatenate([*q, rng.uniform(-1, 1, tree.nq - 7)])
    builder, options = chains(), JOINTS[joint][0]
    R_r, p_r = tree.pose(q, "member")
    for k in range(len(sizes)):
        R, p = tree.pose(q, f"tip{k}")
        grip = am.Pose(tuple(R_r.T @ (p - p_r)), tuple(map(tuple, R_r.T @ R)))
        builder.loop(f"hold{k}", f"tip{k}", am.Frame(f"grip{k}", "member", grip), joint, **options)
    tied = builder.build()
    J = tied.constraint_jacobian(q)
    _, s, Vt = np.linalg.svd(J)
    free = Vt[np.sum(s > 1e-9) :]
    v = free.T @ (rng.normal(size=len(free)) * 2)
    return tree, tied, q, v, rng


MACHINES = [((6, 5), joint) for joint in JOINTS]
MACHINES += [((3, 4, 2), "planar"), ((5, 4, 5), "cylindrical"), ((3, 5), "spherical")]
MACHINES += [((5, 4, 5), "universal"), ((3, 5), "gimbal")]


@pytest.mark.parametrize("sizes, joint", MACHINES, ids=str)
def test_random_machines(sizes, joint):
    """Accelerations and tip forces in motion: ζ, the relative terms (errata 0-60), gravity in
    frame r (0-59), deficient chains."""
    tree, tied, q, v, rng = held_member(sizes, joint, seed=sum(sizes))
    tau = rng.normal(size=tree.nv) * 5
    tau[:6] = 0.0
    tips = {f"tip{k}": JOINTS[joint][1] for k in range(len(sizes))}
    external = {
        "member": rng.normal(size=6),
        "knob": rng.normal(size=6),
        "tip0": rng.normal(size=6),
    }
    x = reference_member(tree, "member", tips, q, v, tau, external=external)
    y = tied.solve(q, v, tau, external=external)
    scale = max(1.0, np.abs(y.acceleration).max())
    np.testing.assert_allclose(x.acceleration, y.acceleration, rtol=0, atol=1e-10 * scale)
    assert x.self_stress == y.determinacy.static_indeterminacy == 0
    size = max(1.0, np.abs(y.constraint_forces.wrench).max())
    for k, tip in enumerate(tips):
        np.testing.assert_allclose(
            x.f[tip], y.constraint_forces[f"hold{k}"], rtol=0, atol=1e-10 * size
        )


def test_drives_at_the_member():
    """Type 1: the given forces h act between tip and member, along the free directions."""
    tree, tied, q, v, rng = held_member((6, 6), "cylindrical", seed=3)
    tau = rng.normal(size=tree.nv)
    h = {"tip0": rng.normal(size=2), "tip1": rng.normal(size=2)}
    tips = dict.fromkeys(h, JOINTS["cylindrical"][1])
    x = reference_member(tree, "member", tips, q, v, tau, h=h)
    external = {}
    for tip, force in h.items():
        wrench = np.array([0, 0, force[0], 0, 0, force[1]])  # on the member, in the tip's frame
        external[tip] = -wrench
        X = x.chains[tip].X
        external["member"] = external.get("member", 0.0) + X.T @ wrench
    y = tied.solve(q, v, tau, external=external)
    np.testing.assert_allclose(x.acceleration, y.acceleration, rtol=0, atol=1e-10)
    for k, tip in enumerate(h):
        wrench = y.constraint_forces[f"hold{k}"] - external[tip]
        np.testing.assert_allclose(x.f[tip], wrench, rtol=0, atol=1e-10)


def test_given_relative_accelerations():
    """alpha_c: the member leaves the tips as prescribed."""
    tree, tied, q, v, rng = held_member((6, 6), "spherical", seed=4)
    tau = rng.normal(size=tree.nv)
    given = {"tip0": rng.normal(size=3), "tip1": rng.normal(size=3)}
    x = reference_member(tree, "member", dict.fromkeys(given, ("dx", "dy", "dz")), q, v, tau,
                         alpha_c=given)  # fmt: skip
    y = tied.solve(q, v, tau, prescribed={f"hold{k}": a for k, a in enumerate(given.values())})
    np.testing.assert_allclose(x.acceleration, y.acceleration, rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    "names",
    [("dz", "dx", "dy"), ("ry", "dy", "dx", "dz"), ("dz", "rz", "dx", "dy"), ("rz", "ry", "rx")],
    ids=str,
)
def test_accelerations_belong_to_the_directions_as_they_are_named(names):
    """At rest: acceleration of the member's point less that of the tip, along the tip's axes."""
    tree, _, q, v, rng = held_member((6, 6), "spherical", seed=4)
    given = {tip: rng.normal(size=len(names)) for tip in ("tip0", "tip1")}
    x = reference_member(tree, "member", dict.fromkeys(given, names), q, 0.0 * v,
                         rng.normal(size=tree.nv), alpha_c=given)  # fmt: skip
    for tip, alpha in given.items():
        member, end = (
            tree.acceleration(q, 0.0 * v, x.acceleration, frame, "world_aligned")
            for frame in ("member", tip)
        )
        (R, p), (_, p_r) = tree.pose(q, tip), tree.pose(q, "member")
        turn, move = member[:3] - end[:3], member[3:] + np.cross(member[:3], p - p_r) - end[3:]
        along = dict(zip(DIRECTIONS, [*R.T @ turn, *R.T @ move], strict=True))
        np.testing.assert_allclose([along[name] for name in names], alpha, atol=1e-10)


def test_next_place():
    """6.41-6.54 (errata 0-42 to 0-44): a steady turn and a standstill."""
    w, step = np.array([0.3, -0.5, 0.7]), 0.01
    R, p = np.eye(3), np.zeros(3)
    for _ in range(100):
        R, p = next_place(R, p, [*w, 0, 0, 0], [*w, 0, 0, 0], step)
    np.testing.assert_allclose(R @ w, w, atol=1e-13)
    angle = np.arccos((np.trace(R) - 1) / 2)
    assert angle == pytest.approx(np.linalg.norm(w), rel=1e-12)
    np.testing.assert_allclose(R - R.T, 2 * np.sin(angle) * skew(w / np.linalg.norm(w)), atol=1e-12)
    R, p = next_place(R, [1.0, 2, 3], [0] * 6, [0, 0, 0, 2.0, 0, 0], 0.5)
    np.testing.assert_allclose(p, np.array([1.0, 2, 3]) + 0.5 * R[:, 0], atol=1e-15)


def test_next_place_is_of_second_order():
    """A member on a helix at changing speed that rolls as it goes, known in closed form: half the
    step leaves a quarter of the error in place and orientation."""
    end = _rolling_on_a_helix(1.0)
    errors = []
    for n in (40, 80, 160):
        R, p, _ = _rolling_on_a_helix(0.0)
        for k in range(n):
            speeds = (_rolling_on_a_helix(j / n)[2] for j in (k, k + 1))
            R, p = next_place(R, p, *speeds, 1.0 / n)
        errors.append([np.linalg.norm(R - end[0]), np.linalg.norm(p - end[1])])
    for one, two in pairwise(np.array(errors)):
        np.testing.assert_allclose(one / two, 4.0, rtol=0.1)
    steady = np.array([0.3, -0.5, 0.7, 1.0, 0.2, -0.4])  # a steady twist is exact in one step
    X = np.zeros((4, 4))
    X[:3, :3], X[:3, 3] = skew(steady[:3]), steady[3:]
    R, p = next_place(np.eye(3), np.zeros(3), steady, steady, 2.0)
    np.testing.assert_allclose(np.column_stack([R, p]), expm(2.0 * X)[:3], atol=1e-14)


def _rolling_on_a_helix(t: float):
    """(R, p, v_r): heading s = t + t²/2, roll b = sin 2t about the member's x."""
    s, rate, b, rolling = t + t * t / 2, 1 + t, np.sin(2 * t), 2 * np.cos(2 * t)
    heading = np.array([[np.cos(s), -np.sin(s), 0], [np.sin(s), np.cos(s), 0], [0, 0, 1.0]])
    roll = np.array([[1.0, 0, 0], [0, np.cos(b), -np.sin(b)], [0, np.sin(b), np.cos(b)]])
    R = heading @ roll
    p = np.array([2 * np.cos(s), 2 * np.sin(s), 0.5 * s * s])
    velocity = np.array([-2 * np.sin(s), 2 * np.cos(s), s]) * rate
    w = roll.T @ [0, 0, rate] + [rolling, 0, 0]
    return R, p, np.concatenate([w, R.T @ velocity])


def skew(c):
    return np.array([[0, -c[2], c[1]], [c[2], 0, -c[0]], [-c[1], c[0], 0]])


def test_bad_machines(load):
    with pytest.raises(ModelError, match="same tree as tip 'tip1'"):
        at_rest(load, "load", {"tip1": ("dx",), "link1": ("dx",)})
    with pytest.raises(ModelError, match="same tree as body 'load'"):
        at_rest(load, "load", {"grip1": ("dx",)})
    with pytest.raises(ModelError, match="its joint to the world must be free"):
        at_rest(load, "link1", PINS)
