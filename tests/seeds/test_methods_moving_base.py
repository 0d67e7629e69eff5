"""Constrained chains on ground that moves as prescribed, given forces and motions over time, bases
of free directions, squeeze forces by choice: against `solve` of the same machine.
"""

import numpy as np
import pytest

import armillary as am
from armillary.errors import InputError
from armillary.textbook import (
    cooperating,
    corrective_force,
    grasp,
    reduced_cooperation,
    reference_member,
    rolling,
    squeezed,
    tip_constraint,
)
from compare import close
from seeds.test_methods_cooperating import consistent, flyer, welded
from seeds.test_methods_member import JOINTS, PINS, at_rest, held_member
from seeds.test_methods_rolling import LEGS, RADIUS, cart
from seeds.test_methods_tip import ARMS, NAMES, arm, states

MOVING = {"base_velocity": (0.3, -0.8, 0.5, 1.0, 2.0, -1.0),
          "base_acceleration": (0.4, 0.9, -0.7, 2.0, 1.0, 3.0)}  # fmt: skip


# -- a moving base -------------------------------------------------------------------------------


HELD = [("dz",), ("dx", "dy", "dz"), ("rx", "ry", "dz"), tuple(NAMES)]


@pytest.mark.parametrize("held", HELD, ids="-".join)
@pytest.mark.parametrize("coordinates", ["world_aligned", "local"])
def test_a_tip_held_on_a_moving_base(held, coordinates):
    """The ground that carries the arm moves, and the tip is held to it: what it does relative to
    the ground is what the same arm does on ground at rest, whose Jacobian tells its rates."""
    q, v, tau = states(7, 3)
    chain, still = ARMS[7].replace(**MOVING), ARMS[7]
    x = tip_constraint(chain, "tip", q, v, tau, held, coordinates=coordinates)
    rows = np.isin(NAMES, held)
    rate = still.jacobian_dot(q, v, "tip", coordinates) @ v
    relative = still.jacobian(q, "tip", coordinates) @ x.qdd + rate
    np.testing.assert_allclose(relative[rows], 0, atol=1e-11 * np.abs(x.qdd).max())
    np.testing.assert_allclose(x.residual, 0, atol=1e-10)
    needed = chain.inverse_dynamics(q, v, x.qdd) + x.J.T @ x.f
    close(needed, tau, 1e-10)
    np.testing.assert_allclose(x.f[~rows], 0, atol=1e-12)


@pytest.mark.parametrize("held", [("dx", "dy", "dz"), tuple(NAMES)], ids="-".join)
def test_a_contact_with_a_moving_base(held):
    """The same by the general solver, whose contact stands on the base."""
    q, v, tau = states(7, 3)
    chain, builder = ARMS[7].replace(**MOVING), arm(7)
    R, p = chain.pose(q, "tip")
    spot = am.Frame("spot", "world", am.Pose(tuple(p), tuple(map(tuple, R))))
    builder.contact("touch", spot, "tip", held)
    tied = builder.build()
    J = tied.constraint_jacobian(q)
    v = v - np.linalg.pinv(J) @ (J @ v)
    x = tip_constraint(chain, "tip", q, v, tau, held)
    close(x.qdd, tied.replace(**MOVING).solve(q, v, tau).acceleration, 1e-10)


def test_given_motion_is_absolute():
    """g_c: the derivative of the tip's velocity itself, whatever the base does."""
    q, v, tau = states(7, 1)
    chain, wanted = ARMS[7].replace(**MOVING), np.array([0.5, -0.2, 1.0])
    x = tip_constraint(chain, "tip", q, v, tau, ("dx", "dy", "dz"), wanted)
    found = chain.acceleration(q, v, x.qdd, "tip", "world_aligned")
    close(found[3:], wanted, 1e-10)
    close(x.xdd, found, 1e-10)


def test_the_corrective_force_rests_where_the_ground_does():
    q, v, _ = states(7, 1)
    chain = ARMS[7].replace(**MOVING)
    _, p = chain.pose(q, "tip")
    still = corrective_force(chain, "tip", q, 0 * v, ("dx", "dy", "dz"), p, 100.0, 10.0)
    np.testing.assert_allclose(still, 0, atol=1e-12)


MACHINES = [((6, 5), joint) for joint in ("fixed", "revolute", "universal", "gimbal")]
MACHINES += [((5, 4, 5), "cylindrical"), ((3, 5), "spherical")]


@pytest.mark.parametrize("sizes, joint", MACHINES, ids=str)
def test_a_member_on_a_moving_base(sizes, joint):
    """Turning, accelerating ground under all chains; residuals are told by the method itself."""
    tree, tied, q, v, rng = held_member(sizes, joint, seed=sum(sizes))
    tree, tied = tree.replace(**MOVING), tied.replace(**MOVING)
    tau = rng.normal(size=tree.nv) * 5
    tips = {f"tip{k}": JOINTS[joint][1] for k in range(len(sizes))}
    x = reference_member(tree, "member", tips, q, v, tau)
    y = tied.solve(q, v, tau)
    close(x.acceleration, y.acceleration, 1e-10)
    size = np.abs(y.constraint_forces.wrench).max()
    for k, tip in enumerate(tips):
        np.testing.assert_allclose(x.f[tip], y.constraint_forces[f"hold{k}"], rtol=0,
                                   atol=1e-10 * size)  # fmt: skip
        np.testing.assert_allclose(x.residual[tip], 0, atol=1e-9 * np.abs(x.acceleration).max())
    np.testing.assert_allclose(x.balance, 0, atol=1e-10 * size)


def test_arms_with_a_load_on_a_moving_base():
    """2.53 with the base of the flyer's world in motion."""
    builder = flyer()
    tree = builder.build()
    q = tree.random_state(3)[0]
    rng = np.random.default_rng(2)
    tips = tuple(name for name in tree.frames if name.startswith("tip"))
    tied = welded(flyer(), tree, q, tips)
    v = consistent(tied, q, rng)
    tau = rng.normal(size=tree.nv)
    moved, held = tree.replace(**MOVING), tied.replace(**MOVING)
    x = cooperating(grasp(moved, "load", tips, q, v, tau))
    close(x.acceleration, held.solve(q, v, tau).acceleration, 1e-10)


# -- residuals, bases of free directions, functions of time --------------------------------------


def test_the_residual_tells_what_the_document_s_projection_breaks():
    """Errata 0-47: under a couple the motion space of 6.63 lets the load leave its tips."""
    load, couple = am.example("two-link-load"), {"load": [0, 1.0, 0, 0, 0, 0]}
    right = at_rest(load, "load", PINS, external=couple)
    wrong = at_rest(load, "load", PINS, external=couple, projection="document")
    assert max(np.abs(r).max() for r in right.residual.values()) < 1e-12
    assert max(np.abs(r).max() for r in wrong.residual.values()) > 1e-2
    assert np.abs(right.balance).max() < 1e-12 < 1e-2 < np.abs(wrong.balance).max()


def test_free_directions_of_a_member_in_a_basis_of_choice():
    """h counts along the columns given: turned ones take the turned force."""
    tree, _, q, v, rng = held_member((6, 6), "cylindrical", seed=3)
    tau = rng.normal(size=tree.nv)
    angle = 0.7
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    phi = np.eye(6)[:, [2, 5]]
    columns, h = np.eye(6)[:, [0, 1, 3, 4]], rng.normal(size=2)
    tips = dict.fromkeys(("tip0", "tip1"), columns)
    x = reference_member(tree, "member", tips, q, v, tau, h={"tip0": h})
    y = reference_member(tree, "member", tips, q, v, tau, h={"tip0": turn.T @ h},
                         free={"tip0": phi @ turn})  # fmt: skip
    close(y.acceleration, x.acceleration, 1e-12)
    close(y.f["tip0"], x.f["tip0"], 1e-12)
    with pytest.raises(InputError, match="2 orthonormal columns"):
        reference_member(tree, "member", tips, q, v, tau, free={"tip0": np.eye(6)[:, :2]})


def test_forces_and_motions_over_time():
    """Functions of t give what their values give."""
    tree, _, q, v, rng = held_member((6, 6), "spherical", seed=4)
    tau, tips = rng.normal(size=tree.nv), dict.fromkeys(("tip0", "tip1"), ("dx", "dy", "dz"))
    push, leave = rng.normal(size=3), rng.normal(size=3)
    x = reference_member(tree, "member", tips, q, v, tau, t=0.4,
                         h={"tip0": lambda t: np.sin(t) * push},
                         alpha_c={"tip1": lambda t: t * leave})  # fmt: skip
    y = reference_member(tree, "member", tips, q, v, tau, h={"tip0": np.sin(0.4) * push},
                         alpha_c={"tip1": 0.4 * leave})  # fmt: skip
    np.testing.assert_array_equal(x.acceleration, y.acceleration)
    with pytest.raises(InputError, match=r"h\['tip0'\]: a function of time needs t="):
        reference_member(tree, "member", tips, q, v, tau, h={"tip0": lambda t: push})
    q7, v7, tau7 = states(7, 1)
    x = tip_constraint(ARMS[7], "tip", q7, v7, tau7, ("dx",), lambda t: [t], t=2.0)
    y = tip_constraint(ARMS[7], "tip", q7, v7, tau7, ("dx",), [2.0])
    np.testing.assert_array_equal(x.qdd, y.qdd)


# -- squeeze forces (5.16) -----------------------------------------------------------------------


def test_joint_forces_with_a_chosen_squeeze():
    """The same motion, the forces between the arms as chosen: forward dynamics gives both back."""
    tree = flyer().build()
    q = tree.random_state(3)[0]
    rng = np.random.default_rng(2)
    tips = tuple(name for name in tree.frames if name.startswith("tip"))
    v = consistent(welded(flyer(), tree, q, tips), q, rng)
    tau = rng.normal(size=tree.nv)
    first = cooperating(grasp(tree, "load", tips, q, v, tau))
    eta = rng.normal(size=6) * 10.0
    x = squeezed(first.grasp, first.theta_dd, first.alpha_c, eta)
    np.testing.assert_allclose(x.residual, 0, atol=1e-10 * np.abs(first.theta_dd).max())
    np.testing.assert_allclose(first.grasp.A.T @ x.squeezing, 0, atol=1e-12)
    close((x.F_t - x.F_load).ravel(), x.squeezing @ eta, 1e-12)
    tau[first.grasp.arms] = x.T
    again = cooperating(grasp(tree, "load", tips, q, v, tau))
    close(again.theta_dd, first.theta_dd, 1e-9)
    close(again.F_t, x.F_t, 1e-9)
    none = squeezed(first.grasp, first.theta_dd, first.alpha_c)
    assert np.linalg.norm(none.F_t) < np.linalg.norm(x.F_t)
    np.testing.assert_allclose(none.F_t, none.F_load, rtol=1e-12)


def test_deficient_arms_may_be_squeezed():
    """Forces that the motion leaves open: a free choice that moves nothing."""
    m = am.example("two-link-load")
    q, tau = np.array(m.initial), np.zeros(8)
    g = grasp(m.tree, "load", ("tip1", "tip2"), q, np.zeros(8), tau)
    x = reduced_cooperation(g)
    assert x.self_stress > 0
    eta = np.arange(1.0, x.self_stress + 1)
    y = reduced_cooperation(g, squeeze=eta)
    np.testing.assert_allclose(y.F_t.ravel() - x.F_t.ravel(), x.squeezing @ eta, atol=1e-10)
    np.testing.assert_allclose(y.acceleration, x.acceleration, atol=1e-9)
    with pytest.raises(InputError, match="squeeze: expected"):
        reduced_cooperation(g, squeeze=[1.0] * (x.self_stress + 1))


def test_wheels_may_be_squeezed():
    """5.16: the cart's axle presses its wheels apart, and nothing moves differently."""
    machine, legs = cart(), LEGS
    q, v, tau = machine.neutral(), np.zeros(machine.nv), np.zeros(machine.nv)
    q[6], tau[6] = RADIUS, 3.0
    x = rolling(machine, legs, q, v, tau)
    eta = np.ones(x.annihilator.shape[1]) * 7.0
    y = rolling(machine, legs, q, v, tau, squeeze=eta)
    np.testing.assert_allclose(y.theta_dd, x.theta_dd, atol=1e-12)
    np.testing.assert_allclose((y.F_t - x.F_t).ravel(), x.annihilator @ eta, atol=1e-12)
    with pytest.raises(InputError, match="no free choice"):
        rolling(machine, legs, q, v, tau, annihilator="lateral", squeeze=[1.0, 0.0])
