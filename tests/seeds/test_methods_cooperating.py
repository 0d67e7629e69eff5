"""Arms with a common load by the methods of [Yesiloglu2007]: 2.44-2.53 and 4.25-4.31, null-space
reduction (4.32-4.35) and pseudo joints (4.36-4.38).

The recorded flight of case 002_dual_arm_free_flyer, the base and arms of 002_soa_identities with
a load, the three legs of 000_hslm and a plane four-bar in space; each against `solve` of the same
machine with welds.
"""

import numpy as np
import pytest

import armillary as am
from armillary.errors import InputError, ModelError
from armillary.textbook import (
    augment,
    carried,
    cooperating,
    grasp,
    pseudo_joints,
    reduced_cooperation,
)
from compare import close
from seeds.cases import assert_rows, case, columns, table
from seeds.test_free_flyer import build, drive_torques, with_load
from seeds.test_operator_identities import SOA, about_com, unit

TIPS = ("tip1", "tip2")
PLANE = ("rz", "dx", "dy")
HSLM = case("000_hslm")


def welded(builder: am.Builder, tree: am.Mechanism, q, tips, load: str = "load") -> am.Mechanism:
    """The machine of the builder with its load welded to the tips where it is at q."""
    R_c, c = tree.pose(q, load)
    for tip in tips:
        R, p = tree.pose(q, tip)
        grip = am.Pose(tuple(R_c.T @ (p - c)), tuple(map(tuple, R_c.T @ R)))
        builder.loop(f"weld-{tip}", tip, am.Frame(f"grip-{tip}", load, grip), "fixed")
    return builder.build()


def consistent(tied, q, rng) -> np.ndarray:
    """A velocity that keeps all welds."""
    _, s, Vt = np.linalg.svd(tied.constraint_jacobian(q))
    free = Vt[np.sum(s > 1e-9) :]
    return free.T @ rng.normal(size=len(free)) * 2


def on_load(tied, y, q, tips) -> np.ndarray:
    """The force of each weld on the load, along inertial axes at the tip."""
    found = []
    for tip in tips:
        R, _ = tied.pose(q, tip)
        found.append(np.kron(np.eye(2), R) @ y.constraint_forces[f"weld-{tip}"])
    return np.array(found)


# -- the recorded flight -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def flight():
    """(machine with the load apart, recorded table, states with the load, torques)."""
    machine, data = build("apart"), table("002_dual_arm_free_flyer_reference")
    arms = [f"a{i}{{}}{k}" for i in (1, 2) for k in (1, 2, 3)]
    q = columns(data, "base_th", "base_x", "base_y", *(a.format("q") for a in arms))
    v = columns(data, "w", "vx", "vy", *(a.format("qd") for a in arms))
    states = [with_load(machine, *x) for x in zip(q, v, strict=True)]
    return machine, data, states, np.hstack([drive_torques(data["t"]), np.zeros((len(q), 3))])


def test_recorded_tip_forces(flight):
    """2.53, 4.29: at the recorded states, to the digits that their 10 decimals leave."""
    machine, data, states, tau = flight
    found = []
    for (q, v), T in zip(states[::5], tau[::5], strict=True):
        x = cooperating(grasp(machine, "load", TIPS, q, v, T, rows=PLANE))
        g = x.grasp
        found.append(x.F_t.ravel())
        both = x.D @ g.T_bar + x.E
        np.testing.assert_allclose(both, x.theta_dd, rtol=0, atol=1e-12 * np.abs(x.free).max())
        np.testing.assert_allclose(x.free + x.correction, x.theta_dd, rtol=0, atol=1e-14)
        # the hands move with the load (2.48)
        hands = g.J @ x.theta_dd + g.Jdot_qd
        np.testing.assert_allclose(hands, g.A @ x.alpha_c + g.a_c, rtol=0, atol=1e-11)
    names = [f"F{i}_{x}" for i in (1, 2) for x in ("torque", "x", "y")]
    assert_rows(found, columns(data, *names)[::5], 1e-8)


def test_flight_by_the_general_solver(flight):
    """am.example("dual-arm-free-flyer"): the load belongs to the first hand there."""
    machine, data, states, tau = flight
    example = am.example("dual-arm-free-flyer")
    names = [f"F{i}_{x}" for i in (1, 2) for x in ("torque", "x", "y")]
    recorded = columns(data, *names)
    rows = []
    for (q, v), T in zip(states[::20], tau[::20], strict=True):
        arms = example.project(q[:9], v[:9])  # the 10 digits of the rows leave 1e-9 m open
        x = cooperating(grasp(machine, "load", TIPS, *with_load(machine, *arms), T, rows=PLANE))
        y = example.solve(*arms, T[:9])
        np.testing.assert_allclose(y.acceleration, x.theta_dd, rtol=0, atol=1e-10)
        R, _ = example.pose(arms[0], "grip")
        f = np.kron(np.eye(2), R) @ y.constraint_forces["grasp"]  # by the second hand, on the load
        np.testing.assert_allclose(f[[2, 3, 4]], x.F_t[1], rtol=0, atol=1e-10)
        assert y.rank == 3
        rows.append(f[[2, 3, 4]])
    assert_rows(rows, recorded[::20, 3:], 1e-8)


# -- a free base with two arms in space ----------------------------------------------------------


def flyer(load: bool = True) -> am.Builder:
    """002_soa_identities: seven joints on a free base; a load on its own."""
    builder = am.Builder("flyer", gravity=(1.0, -2.0, -9.0))
    base = SOA.problem["base"]
    tensor = about_com(base["inertia_about_origin"], base["mass"], base["com"])
    builder.body("base", joint="free", mass=base["mass"], com=base["com"], inertia=tensor)
    for i, arm in enumerate(SOA.problem["arms"], 1):
        parent = "base"
        for k, link in enumerate(arm, 1):
            name = f"arm{i}_link{k}"
            tensor = about_com(link["inertia_about_link_origin"], link["mass"], link["com"])
            builder.body(name, parent, link["type"], link["link_vector_from_previous"],
                         axis=unit(link["axis"]), mass=link["mass"], com=link["com"],
                         inertia=tensor, passive=am.Passive(viscous=0.2))  # fmt: skip
            parent = name
        builder.frame(f"tip{i}", parent, (0.1, -0.2, 0.3))
    builder.body("load", joint="free", mass=1.3, com=(0.05, -0.1, 0.02),
                 inertia=(0.3, 0.2, 0.25, 0.01, -0.02, 0.03))  # fmt: skip
    return builder


@pytest.fixture(scope="module")
def loaded():
    """(tree, welded, q, v, tau, external) of the flyer with a load, in motion."""
    rng = np.random.default_rng(8)
    tree = flyer().build()
    turn = np.array([0.9, 0.2, -0.3, 0.1])
    q = np.concatenate([turn, rng.normal(size=3), rng.uniform(-1, 1, 7), turn, rng.normal(size=3)])
    tied = welded(flyer(), tree, q, TIPS)
    external = {"load": rng.normal(size=6), "tip1": rng.normal(size=6), "base": rng.normal(size=6)}
    return tree, tied, q, consistent(tied, q, rng), rng.normal(size=tree.nv) * 3, external


def same(x, y, tied, q, tips=TIPS, atol=1e-10):
    np.testing.assert_allclose(x.acceleration, y.acceleration, rtol=0, atol=atol)
    np.testing.assert_allclose(x.F_t, on_load(tied, y, q, tips), rtol=0, atol=atol)


def test_arms_in_space(loaded):
    """4.29, 2.53 against the general solver; the printed signs of 2.51 are far off (2-9)."""
    tree, tied, q, v, tau, external = loaded
    x = cooperating(grasp(tree, "load", TIPS, q, v, tau, external=external))
    y = tied.solve(q, v, tau, external=external)
    assert y.determinacy.static_indeterminacy == 0
    same(x, y, tied, q)
    g = x.grasp
    printed = g.J @ x.free - g.A @ np.linalg.solve(g.M_c, g.b_c) + g.a_c - g.Jdot_qd
    wrong = np.linalg.solve(x.Omega, printed)
    assert np.abs(wrong - x.F_t.ravel()).max() > 1.0
    assert "arm cooperation matrix (2.52)" in str(x)


def test_reduction_changes_nothing_where_omega_is_regular(loaded):
    """4.32-4.35: with a free base J reaches everything, N is empty."""
    tree, _, q, v, tau, external = loaded
    x = cooperating(grasp(tree, "load", TIPS, q, v, tau, external=external))
    y = reduced_cooperation(grasp(tree, "load", TIPS, q, v, tau, external=external))
    assert y.N.shape == (0, 12)
    np.testing.assert_allclose(y.R @ y.R.T, np.eye(12), atol=1e-13)
    np.testing.assert_allclose(y.R.T @ y.J_r, y.grasp.J, rtol=0, atol=1e-12)  # 4.34
    np.testing.assert_allclose(y.acceleration, x.acceleration, rtol=0, atol=1e-10)
    np.testing.assert_allclose(y.F_t, x.F_t, rtol=0, atol=1e-10)


@pytest.mark.parametrize("name, part", [("arm2_link3", slice(3)), ("arm1_link2", slice(3, 6))])
def test_a_pseudo_joint_is_a_locked_joint(loaded, name, part):
    """4.38: the same as the machine with a rigid joint (a turn, a slide); the stress is its
    reaction."""
    tree, tied, q, _, tau, external = loaded
    rng = np.random.default_rng(2)
    k, m = tree.v_labels.index(name), tree.q_labels.index(name)
    rigid, q_r = tied.lock({name: q[m]}), np.delete(q, m)
    v_r = consistent(rigid, q_r, rng)
    v = np.insert(v_r, k, 0.0)
    x = pseudo_joints(grasp(tree, "load", TIPS, q, v, tau, external=external), (name,))
    y = rigid.solve(q_r, v_r, np.delete(tau, k), external=external)
    assert x.dependent == y.determinacy.static_indeterminacy == 0
    close(np.delete(x.acceleration, k), y.acceleration, 1e-10)
    close(x.F_t, on_load(rigid, y, q_r, TIPS), 1e-10)
    axis = np.array(tree.model.body(name).joint.axes[0])
    wrench = y.reactions[name][part]
    assert x.stress[0] == pytest.approx(axis @ wrench, abs=1e-10 * np.abs(wrench).max())
    assert x.acceleration[k] == 0.0


def test_too_many_pseudo_joints(loaded):
    """Seven joints in the loop: with two of them rigid one force is open, the motion is not."""
    tree, tied, q, v, tau, external = loaded
    names = ("arm2_link3", "arm1_link2")
    out = [tree.v_labels.index(name) for name in names]
    out_q = [tree.q_labels.index(name) for name in names]
    rigid = tied.lock({name: q[k] for name, k in zip(names, out_q, strict=True)})
    q_r, v_r = np.delete(q, out_q), np.zeros(17)
    x = pseudo_joints(grasp(tree, "load", TIPS, q, 0 * v, tau, external=external), names)
    y = rigid.solve(q_r, v_r, np.delete(tau, out), external=external)
    assert x.dependent == y.determinacy.static_indeterminacy == 1
    np.testing.assert_allclose(np.delete(x.acceleration, out), y.acceleration, rtol=0, atol=1e-10)


# -- three legs with five freedoms each ----------------------------------------------------------

LEGS = ("tip1", "tip2", "tip3")


@pytest.fixture(scope="module")
def hslm():
    example = am.example("hslm")
    return example, example.tree, np.array(example.initial), np.zeros(21)


PUSHES = {"weight": None, "side load": [0, 0, 0, 10.0, 0, 0], "couple": [0, 1.0, 0, 0, 0, 0]}


@pytest.mark.parametrize("push", PUSHES.values(), ids=PUSHES)
def test_legs(hslm, push):
    """cooperating and its reduction give the motion of 8.7 and of the loads of errata 0-47."""
    example, tree, q, rest = hslm
    external = None if push is None else {"platform": push}
    y = example.solve(q, rest, rest, external=external)
    forces = []
    for k in (1, 2, 3):
        R, _ = example.pose(q, f"tip{k}")
        forces.append(np.kron(np.eye(2), R) @ y.constraint_forces[f"weld{k}"])
    for method in (cooperating, reduced_cooperation):
        x = method(grasp(tree, "platform", LEGS, q, rest, rest, external=external))
        np.testing.assert_allclose(x.acceleration, y.acceleration, rtol=0, atol=1e-9)
        np.testing.assert_allclose(x.F_t, forces, rtol=0, atol=1e-9)
    if push is None:
        down = HSLM["reference member downward acceleration, no joint forces"]
        np.testing.assert_allclose(x.alpha_c, [0, 0, 0, 0, -down, 0], rtol=5e-12, atol=1e-10)
        recorded = HSLM["joint accelerations, no joint forces"]
        np.testing.assert_allclose(x.theta_dd.reshape(3, 5), [recorded] * 3, atol=1e-10)


def test_what_the_printed_reduction_drops(hslm):
    """4.33, 4.35 as printed: the legs no longer keep the platform from turning."""
    _, tree, q, rest = hslm
    couple = {"platform": [0, 1.0, 0, 0, 0, 0]}
    x = reduced_cooperation(grasp(tree, "platform", LEGS, q, rest, rest, external=couple))
    printed = reduced_cooperation(
        grasp(tree, "platform", LEGS, q, rest, rest, external=couple), keep=False
    )
    assert x.N.shape == printed.N.shape == (3, 18)
    assert x.self_stress == 0
    assert abs(x.alpha_c[1]) < 1e-10
    assert printed.alpha_c[1] == pytest.approx(1.945, abs=5.1e-4)  # as the 0-47 of the other source
    fall = reduced_cooperation(grasp(tree, "platform", LEGS, q, rest, rest), keep=False)
    assert fall.alpha_c[4] == pytest.approx(-10.0286429411, abs=1e-10)  # right by symmetry


def test_pseudo_joints_of_the_legs(hslm):
    """A turn about each foot's own x makes six freedoms of five; its stress is the reaction."""
    example, tree, q, rest = hslm
    names = ("twist1", "twist2", "twist3")
    wide = augment(tree, {name: (f"foot{k}", "rx") for k, name in enumerate(names, start=1)})
    assert wide.nv == tree.nv + 3
    assert wide.lock(names).nv == tree.nv
    big = carried(tree, wide, q, "q"), carried(tree, wide, rest), carried(tree, wide, rest)
    np.testing.assert_array_equal(wide.initial, big[0])
    couple = {"platform": [0.3, 1.0, 0.2, 4.0, 0, 0]}
    x = pseudo_joints(grasp(wide, "platform", LEGS, *big, external=couple), names)
    y = example.solve(q, rest, rest, external=couple)
    keep = [wide.v_labels.index(label) for label in tree.v_labels]
    np.testing.assert_allclose(x.acceleration[keep], y.acceleration, rtol=0, atol=1e-9)
    stress = [y.reactions[f"foot{k}"][0] for k in (1, 2, 3)]
    np.testing.assert_allclose(x.stress, stress, rtol=0, atol=1e-9)
    assert np.abs(x.stress).max() > 0.05
    assert np.linalg.matrix_rank(x.augmented.grasp.J) == 18
    assert "force that keeps each pseudo joint from moving" in str(x)


# -- a plane four-bar in space: what its plane carries is not determinate ------------------------


def four_bar() -> am.Builder:
    """Two plane arms of two joints hold the middle of the coupler (4.4)."""
    builder = am.Builder("four-bar", gravity=(0.0, -9.81, 0.0))
    for i, x in enumerate((0.0, 1.2), start=1):
        parent, at = "world", (x, 0.0, 0.0)
        for k, length in enumerate((0.8, 0.4), start=1):
            builder.body(f"arm{i}_link{k}", parent, "revolute", at, axis="z", mass=1.0 / k,
                         com=(length / 2, 0, 0), inertia=(0.01, 0.05, 0.05))  # fmt: skip
            parent, at = f"arm{i}_link{k}", (length, 0.0, 0.0)
        builder.frame(f"tip{i}", parent, at)
    builder.body("load", joint="free", mass=0.7, com=(0, 0.02, 0), inertia=(0.02, 0.03, 0.04))
    return builder


@pytest.fixture(scope="module")
def bars():
    rng = np.random.default_rng(0)
    tree = four_bar().build()
    q = np.array([1.1, -0.9, 2.2, 0.8, 1.0, 0, 0, 0, 0.6, 0.9, 0.0])
    tied = welded(four_bar(), tree, q, TIPS)
    v = consistent(tied, q, rng)
    return tree, tied, q, v, np.concatenate([rng.normal(size=4), np.zeros(6)])


def test_a_deficient_omega_is_refused(bars):
    tree, _, q, v, tau = bars
    with pytest.raises(ModelError, match="Ω has rank 9 of 12"):
        cooperating(grasp(tree, "load", TIPS, q, v, tau))
    with pytest.raises(ModelError, match="its joint has 6 axes but 3 rows count"):
        cooperating(grasp(tree, "load", TIPS, q, v, tau, rows=PLANE))


def test_reduction_of_the_four_bar(bars):
    """Eight directions that the arms cannot move, three of them twice; a push along z too."""
    tree, tied, q, v, tau = bars
    external = {"load": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]}
    x = reduced_cooperation(grasp(tree, "load", TIPS, q, v, tau, external=external))
    y = tied.solve(q, v, tau, external=external)
    assert x.N.shape == (8, 12)
    assert x.self_stress == y.determinacy.static_indeterminacy == 3
    np.testing.assert_allclose(x.acceleration, y.acceleration, rtol=0, atol=1e-10)
    plane = [2, 3, 4]  # determinate
    np.testing.assert_allclose(x.F_t[:, plane], on_load(tied, y, q, TIPS)[:, plane], atol=1e-10)
    # both sets of forces carry the push
    A = x.grasp.A.reshape(2, 6, 6)
    sums = [
        sum(a.T @ f for a, f in zip(A, F, strict=True)) for F in (x.F_t, on_load(tied, y, q, TIPS))
    ]
    np.testing.assert_allclose(*sums, rtol=0, atol=1e-10)


def test_pseudo_joints_of_the_four_bar(bars):
    """Three of them give Ω full rank and every force; the closed chain keeps them from moving."""
    tree, tied, q, v, tau = bars
    names = {
        "bend": ("arm2_link2", "rx"),
        "tilt": ("arm2_link2", "ry"),
        "slip": ("arm2_link2", "dz"),
    }
    wide = augment(tree, names)
    big = carried(tree, wide, q, "q"), carried(tree, wide, v), carried(tree, wide, tau)
    x = pseudo_joints(grasp(wide, "load", TIPS, *big), tuple(names))
    y = tied.solve(q, v, tau)
    keep = [wide.v_labels.index(label) for label in tree.v_labels]
    np.testing.assert_allclose(x.acceleration[keep], y.acceleration, rtol=0, atol=1e-10)
    plane = [2, 3, 4]
    np.testing.assert_allclose(x.F_t[:, plane], on_load(tied, y, q, TIPS)[:, plane], atol=1e-10)
    assert x.dependent == 3  # d4 = 0
    np.testing.assert_allclose(x.stress, 0, atol=1e-10)


def test_dependent_pseudo_joints(bars):
    """To hold one joint of the four-bar holds all: d4 of two loses rank (after 4.38)."""
    tree, _, q, _, tau = bars
    wide = augment(
        tree, {"a": ("arm2_link2", "rx"), "b": ("arm2_link2", "ry"), "c": ("arm2_link2", "dz")}
    )
    big = carried(tree, wide, q, "q"), np.zeros(13), carried(tree, wide, tau)
    x = pseudo_joints(grasp(wide, "load", TIPS, *big), ("arm1_link2", "arm2_link1"))
    assert x.dependent == 1
    np.testing.assert_allclose(x.acceleration, 0, atol=1e-10)
    with pytest.raises(InputError, match="at rest"):
        moving = big[1].copy()
        moving[1] = 1.0
        pseudo_joints(grasp(wide, "load", TIPS, big[0], moving, big[2]), ("arm1_link2",))
    with pytest.raises(ModelError, match="arm1_link2"):
        pseudo_joints(grasp(wide, "load", TIPS, *big), ("arm1_link",))
    with pytest.raises(InputError, match="expected one of rx"):
        augment(tree, {"a": ("arm2_link2", "x")})
