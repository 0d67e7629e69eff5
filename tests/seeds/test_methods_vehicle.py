"""Vehicles by the method of [Yesiloglu2007, 5.24-5.66], against `solve` of the same mechanism.

A car after section 5.4: sprung axles, knuckles with a trapezoid between them, tyres that give way
sideways, a road that moves under every wheel; the built-in rover, cart and bicycle; linkages.
"""

import numpy as np
import pytest

import armillary as am
import samples
from armillary.errors import InputError, ModelError
from armillary.model import Builder, Passive, Pose, Wheel
from armillary.textbook import augment, carried, suspended, vehicle

RADIUS = 0.31
TRAPEZOID = {"left-knuckle", "right-knuckle", "tie", "trapezoid"}


def sprung(k: float, d: float, rest: float = 0.0) -> Passive:
    return Passive(viscous=d, spring=k, rest=rest)


def axle(b: Builder, end: str, x: float, rng) -> str:
    """A beam that heaves and rolls against the chassis, on springs and dampers."""
    b.body(f"{end}-strut", "chassis", "prismatic", (x, 0.02, -0.1), axis="z",
           joint_name=f"{end}-heave", mass=samples.random_mass(rng, 4.0, 0.1),
           passive=sprung(3.0e4, 2.5e3, -0.2))  # fmt: skip
    b.body(f"{end}-beam", f"{end}-strut", "revolute", (0.03, 0.0, -0.05), axis="x",
           joint_name=f"{end}-roll", mass=samples.random_mass(rng, 30.0, 0.2),
           passive=sprung(9.0e3, 400.0))  # fmt: skip
    return f"{end}-beam"


def tyre(b: Builder, corner: str, carrier: str, y: float, rng) -> None:
    b.body(f"{corner}-hub", carrier, "prismatic", (0.0, y, 0.0), axis="y",
           joint_name=f"{corner}-tyre-side", mass=samples.random_mass(rng, 3.0, 0.05),
           passive=sprung(8.0e4, 900.0, 0.003))  # fmt: skip
    b.body(f"{corner}-wheel", f"{corner}-hub", "revolute", axis="y", joint_name=f"{corner}-drive",
           mass=samples.random_mass(rng, 15.0, 0.08), passive=Passive(viscous=0.4),
           rotor=am.Rotor(0.01, 4.0))  # fmt: skip
    b.wheel(Wheel(f"{corner}-road", f"{corner}-wheel", RADIUS, (0.0, 1.0, 0.0)))


def car() -> am.Mechanism:
    """21 coordinates: the knuckles and the tie rod between them close a plane trapezoid."""
    b, rng = Builder("car"), np.random.default_rng(54)
    b.body("chassis", joint="free", mass=samples.random_mass(rng, 900.0, 0.6))
    front, rear = axle(b, "front", 1.3, rng), axle(b, "rear", -1.2, rng)
    for side, y in (("left", 0.7), ("right", -0.7)):
        b.body(f"{side}-knuckle", front, "revolute", (0.0, y, 0.0), axis="z",
               mass=samples.random_mass(rng, 6.0, 0.05))  # fmt: skip
        tyre(b, f"front-{side}", f"{side}-knuckle", 0.1 * np.sign(y), rng)
        tyre(b, f"rear-{side}", rear, 0.8 * np.sign(y), rng)
    b.body("tie", "left-knuckle", "revolute", (-0.2, -0.1, 0.0), axis="z",
           mass=samples.random_mass(rng, 2.0, 0.2))  # fmt: skip
    b.frame("tie-end", "tie", (0.0, -1.2, 0.0))
    end = am.Frame("arm-end", "right-knuckle", Pose((-0.2, 0.1, 0.0)))
    b.loop("trapezoid", "tie-end", end, "revolute", axis="z")
    b.initial["chassis"] = [1.0, 0, 0, 0, 0.0, 0.0, RADIUS + 0.17]
    return am.Mechanism(b.build())


@pytest.fixture(scope="module")
def machine() -> am.Mechanism:
    return car()


def bent(m: am.Mechanism, seed: int = 1):
    """A state in which everything moves, the road too: (q, v, tau, its speeds, accelerations)."""
    rng = np.random.default_rng(seed)
    q = m.integrate(m.initial, 0.05 * rng.normal(size=m.nv))
    q = m.assemble(q).q
    J, wanted = m.constraint_jacobian(q), np.zeros(len(m.constraint_rows))
    lifted = {w.name: float(x) for w, x in zip(m.model.wheels, rng.normal(size=4), strict=False)}
    for name, speed in lifted.items():
        wanted[m.constraint_rows.index(f"{name}.normal")] = speed
    _, s, Vt = np.linalg.svd(J)
    free = Vt[int(np.sum(s > 1e-9 * s[0])) :]
    v = np.linalg.lstsq(J, wanted, rcond=1e-9)[0] + free.T @ rng.normal(size=len(free))
    assert np.abs(J @ v - wanted).max() < 1e-12
    road = {name: float(x) for name, x in zip(lifted, 5.0 * rng.normal(size=4), strict=False)}
    return q, v, 100.0 * rng.normal(size=m.nv), lifted, road


def close(x, y, digits: float = 1e-10) -> None:
    size = np.abs(y).max(initial=0.0)
    np.testing.assert_allclose(x, y, rtol=0, atol=digits * size)


# -- against the general solver ------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_a_car_on_a_moving_road(machine, seed):
    """Accelerations and the force of the road on every wheel."""
    q, v, tau, speed, road = bent(machine, seed)
    x = vehicle(machine, q, v, tau, road=road)
    y = machine.solve(q, v, tau, prescribed=road, coordinates="world_aligned")
    close(x.acceleration, y.acceleration)
    close(x.V_s, [speed[name] for name in x.wheels])
    assert (x.dof, x.redundant) == (machine.nv - y.rank, 3)
    for name, force in x.contact_forces.items():
        close(force, y.constraint_forces[name][3:], 1e-9)
    forces = np.abs(x.F_base).max()
    np.testing.assert_allclose(x.residual, 0, atol=1e-10 * forces)
    np.testing.assert_allclose(x.balance, 0, atol=1e-10 * forces)


def test_the_chassis_as_a_contact_body_changes_nothing(machine):
    q, v, tau, _, road = bent(machine)
    x, y = (vehicle(machine, q, v, tau, road=road, contacts=c) for c in ((), ("chassis",)))
    assert "chassis" in y.contacts and "chassis" not in x.contacts
    assert len(y.arms) == len(x.arms) + 1
    close(y.acceleration, x.acceleration)
    for wheel, force in y.contact_forces.items():
        close(force, x.contact_forces[wheel], 1e-9)
    for body, V in zip(y.contacts, y.V_c, strict=True):  # 5.35
        close(V, machine.velocity(q, v, body, "world_aligned"))


def test_redundant_rows_are_those_of_the_trapezoid(machine):
    """5.4: forces that no joint feels run through knuckles and tie rod alone."""
    q, v, tau, _, _ = bent(machine)
    x = vehicle(machine, q, v, tau)
    o = x.operators
    idle = np.linalg.svd(x.B_t.T)[2][x.rank :]
    tips = (o.annihilator @ o.L_t).T @ idle.T  # F_t of them
    inside = [k for k, arm in enumerate(o.layout.arms)
              if {step.edge.name for step in arm.steps} <= TRAPEZOID]  # fmt: skip
    outside = np.setdiff1d(np.arange(len(x.arms)), inside)
    rows = np.abs(tips.reshape(len(x.arms), 6, -1)).max(axis=(1, 2))
    assert len(inside) == 3 and rows[inside].min() > 1e-2 > 1e-9 > rows[outside].max()


BUILT_IN = (
    "rover", "two-wheeled-cart", "bicycle", "unicycle", "hslm", "stewart", "four-bar-ladder",
    "delta", "dual-arm-free-flyer",
)  # fmt: skip


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_mechanisms(name):
    m = am.example(name)
    _, v, tau = m.random_state(3)
    q, v = m.project(m.assemble(m.initial).q, v)
    if name == "rover":
        with pytest.raises(ModelError, match="no accelerations keep all wheels"):
            vehicle(m, q, v, tau)
        v = in_one_turn(m, q)
    x, y = vehicle(m, q, v, tau), m.solve(q, v, tau)
    close(x.acceleration, y.acceleration)
    assert x.dof == m.nv - y.rank


def in_one_turn(m: am.Mechanism, q) -> np.ndarray:
    """The rover with its steering at rest: then all axles keep one centre."""
    steering = np.eye(m.nv)[[k for k, x in enumerate(m.v_labels) if "steer" in x]]
    _, s, Vt = np.linalg.svd(np.vstack([m.constraint_jacobian(q), steering]))
    return 2.0 * Vt[int(np.sum(s > 1e-9)) :].sum(axis=0)


def test_external_wrenches_and_friction(machine):
    q, v, tau, _, road = bent(machine)
    wrench = {"chassis": [10.0, -20.0, 5.0, 300.0, 400.0, -100.0], "tie": [1, 2, 3, 40, 50, 60]}
    for passive in (True, False):
        x = vehicle(machine, q, v, tau, road=road, external=wrench, passive=passive)
        y = machine.solve(q, v, tau, wrench, passive, prescribed=road)
        close(x.acceleration, y.acceleration)


def test_rolling_resistance(machine):
    """5.45: a moment on the wheel at its contact; the same wrench by the general solver."""
    q, v, tau, _, road = bent(machine)
    moments = {"front-left-road": [3.0, -20.0, 1.0], "rear-right-road": [0.0, 15.0, 0.0]}
    x = vehicle(machine, q, v, tau, road=road, resistance=moments)
    push = {}
    for name, moment in moments.items():
        wheel = next(w.body for w in machine.model.wheels if w.name == name)
        R, _ = machine.pose(q, wheel)
        push[wheel] = [*(R.T @ moment), 0.0, 0.0, 0.0]
    y = machine.solve(q, v, tau, push, prescribed=road)
    close(x.acceleration, y.acceleration)
    free = vehicle(machine, q, v, tau, road=road)
    assert np.abs(free.acceleration - x.acceleration).max() > 1e-3 * np.abs(x.acceleration).max()
    np.testing.assert_allclose(x.residual, 0, atol=1e-9 * np.abs(x.F_base).max())


# -- the car of section 5.4 ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def printed_car():
    """By the reading of its joints in `am.vehicles`, in motion: (mechanism, q, v, tau)."""
    m = am.vehicles.yesiloglu_car("standing").mechanism
    rng = np.random.default_rng(1)
    q, v = m.project(m.assemble(m.initial).q, 0.3 * rng.normal(size=m.nv))
    return m, q, v, 10.0 * rng.normal(size=m.nv)


def test_counts_of_the_printed_car(printed_car):
    """5.4: nine arms meet at four bodies, 51 freedoms in all joints, 24 of them independent; all
    redundant rows lie in the trapezoid."""
    m, q, v, tau = printed_car
    x = vehicle(m, q, v, tau)
    assert (len(x.arms), len(x.contacts), len(x.labels), x.dof) == (9, 4, 51, 24)
    assert (len(x.B_t), x.redundant) == (30, 3)
    sizes = np.abs(x.operators.A_tc).max(axis=1).reshape(9, 6)  # every arm ends somewhere
    assert (sizes > 0).all()
    y = m.solve(q, v, tau)
    M, inverse = m.tree.mass_matrix(q), np.linalg.inv(m.tree.mass_matrix(q))
    forces = np.abs(tau) + np.abs(m.tree.bias_forces(q, v)) + np.abs(M @ y.acceleration)
    reach = np.abs(inverse) @ forces  # what the forces in play can do
    assert (np.abs(x.acceleration - y.acceleration) / reach.max()).max() < 1e-10
    s = x.sort()
    assert (len(s.independent), len(s.dependent), s.rank) == (24, 27, 27)


def test_rows_that_move_nothing_are_no_contradiction(printed_car):
    """The plane trapezoid has such rows; in motion their right sides are rounding, no zeros."""
    m, q, v, tau = printed_car
    right = m.forward_dynamics(q, v, tau)
    found = am.methods.formulation("multipliers")(m, q, v, tau)
    assert np.abs(found - right).max() < 1e-8 * np.abs(right).max()


# -- independent and dependent rates (5.39-5.44) -------------------------------------------------


CHOICE = ("front-heave", "front-roll", "left-knuckle", "front-left-tyre-side", "front-left-drive",
          "front-right-tyre-side", "rear-heave")  # fmt: skip


def test_rates_sorted_by_choice(machine):
    q, v, tau, _, road = bent(machine)
    x = vehicle(machine, q, v, tau, road=road)
    for names in (None, CHOICE):
        s = x.sort(names)
        assert s.rank == len(s.dependent) and len(s.independent) == x.dof
        held, free = np.split(s.S_a @ x.theta_d, [len(s.dependent)])
        close(s.rates(free), held, 1e-9)  # 5.40
        later, now = np.split(s.S_a @ x.theta_dd, [len(s.dependent)])
        close(s.accelerations(now, free), later, 1e-9)  # 5.44
    with pytest.raises(ModelError, match=r"E\^dep has rank \d+ of \d+, so left-knuckle"):
        x.sort(("left-knuckle", "right-knuckle", "tie", "front-heave", "rear-heave", "front-roll",
                "rear-roll"))  # fmt: skip
    with pytest.raises(InputError, match="expected 7 rates"):
        x.sort(("left-knuckle",))
    with pytest.raises(am.ModelError, match="front-heave"):
        x.sort(("front-heav",))


# -- the printed equations where they exist (5.57-5.60) ------------------------------------------


@pytest.mark.parametrize("name", ["bicycle", "hslm"])
def test_printed_matrices_of_a_regular_machine(name):
    """G and N as printed, with errata 2-30 and 2-31: M and B_t M^-1 B_t^T have inverses here."""
    m = am.example(name)
    _, v, tau = m.random_state(5)
    q, v = m.project(m.initial, v)
    x = vehicle(m, q, v, tau)
    o, Minv = x.operators, np.linalg.inv(x.M)
    Omega = np.linalg.inv(x.B_t @ Minv @ x.B_t.T)
    G_a = Omega @ x.B_t @ Minv
    G_b = -Omega @ x.B_t @ Minv @ x.B_b.T
    G_c = Omega @ (-o.C_t - x.B_t @ Minv @ x.C)
    G_d = Omega @ (o.annihilator @ o.L_s - x.B_t @ Minv @ x.L_a)
    G_e = Omega @ (o.V_t - x.B_t @ Minv @ x.L_b)
    G_f = Omega @ (o.annihilator @ o.L_t @ o.Jdot_qd - x.B_t @ Minv @ x.D)
    close(x.N_a, Minv @ (np.eye(len(x.M)) - x.B_t.T @ G_a), 1e-9)
    close(x.N_b, -Minv @ (x.B_b.T + x.B_t.T @ G_b), 1e-9)
    close(x.N_c, -Minv @ (x.C + x.B_t.T @ G_c), 1e-8)
    close(x.N_d, -Minv @ (x.L_a + x.B_t.T @ G_d), 1e-8)
    close(x.N_e, -Minv @ (x.L_b + x.B_t.T @ G_e), 1e-8)
    close(x.N_f, -Minv @ (x.D + x.B_t.T @ G_f), 1e-8)
    F_ta = G_a @ x.T + G_c @ x.theta_d + G_d @ x.alpha_s + G_e @ x.V_s + G_f
    close(x.F_ta, F_ta, 1e-8)


# -- suspension and pseudo joints (5.61-5.66) ----------------------------------------------------


def test_suspension_apart(machine):
    q, v, tau, _, road = bent(machine)
    x = vehicle(machine, q, v, tau, road=road)
    s = suspended(machine, x, q)
    assert set(s.suspension) >= {"front-heave", "rear-roll", "front-left-tyre-side"}
    close(s.theta_dd, x.theta_dd)
    close(s.acceleration, x.acceleration)
    nosusp = x.T + 0.0
    for name, d, k in zip(s.suspension, s.d, s.k, strict=True):
        at = x.labels.index(name)
        nosusp[at] += d * x.theta_d[at] + k * s.theta[at]
        assert abs(nosusp[at] - tau[machine.v_labels.index(name)]) < 1e-9  # only the drive is left
    whole = s.P_b @ x.theta_d + s.P_c @ s.theta + s.B + x.N_a @ nosusp
    close(whole, x.theta_dd)  # 5.63
    n = len(x.labels)
    rate = s.first_order @ np.concatenate([x.theta_d, s.theta])  # 5.66
    rate[:n] += s.Y_a @ nosusp + s.Y_d
    close(rate[:n], x.theta_dd)
    close(rate[n:], x.theta_d)
    assert "1/s²" in str(s)


def test_pseudo_joints_in_the_trapezoid(machine):
    """54 = 51 + 3: three pseudo joints leave no row redundant, and every force is unique."""
    names = {"lean": ("right-knuckle", "rx"), "nod": ("right-knuckle", "ry"),
             "lift": ("right-knuckle", "dz")}  # fmt: skip
    more = augment(machine, names)
    q, v, tau, _, road = bent(machine)
    state = (carried(machine, more, q, "q"), *(carried(machine, more, x) for x in (v, tau)))
    x = vehicle(more, *state, road=road)
    assert (x.redundant, x.dof) == (0, vehicle(machine, q, v, tau).dof)
    s = suspended(more, x, state[0], pseudo=tuple(names))
    assert set(s.pseudo) == set(names)
    y = machine.solve(q, v, tau, prescribed=road)
    close(s.acceleration, carried(machine, more, y.acceleration))
    with pytest.raises(InputError, match="a joint of the suspension moves"):
        suspended(more, x, state[0], pseudo=("front-heave",))


def test_a_pseudo_joint_that_could_move_is_held(machine):
    """A joint in the rear axle's beam that is not there: 5.65 keeps it from moving, and tells
    what that takes."""
    more = augment(machine, {"twist": ("rear-beam", "rz")})
    q, v, tau, _, road = bent(machine)
    state = (carried(machine, more, q, "q"), *(carried(machine, more, x) for x in (v, tau)))
    x = vehicle(more, *state, road=road)
    s = suspended(more, x, state[0], pseudo=("twist",))
    y = machine.solve(q, v, tau, prescribed=road)
    close(s.acceleration, carried(machine, more, y.acceleration))
    assert np.abs(x.acceleration - s.acceleration).max() > 1.0
    # the moment that the joint takes is the one that keeps it at rest in the general solver
    force = state[2].copy()
    force[more.v_labels.index("twist")] = s.T_pseudo[0]
    close(more.solve(*state[:2], force, prescribed=road).acceleration, s.acceleration, 1e-9)


# -- what it does not know -----------------------------------------------------------------------


def test_refusals(machine):
    m = am.example("differential")
    q, v, tau = m.random_state(1)
    with pytest.raises(ModelError, match="'final-drive' is neither a loop nor a wheel"):
        vehicle(m, q, v, tau)
    q, v, tau, _, _ = bent(machine)
    with pytest.raises(ModelError, match="no wheel named 'front'"):
        vehicle(machine, q, v, tau, road={"front": 1.0})
    with pytest.raises(ModelError, match="body"):
        vehicle(machine, q, v, tau, contacts=("axle",))
    assert "force on each arm at its base" in str(vehicle(machine, q, v, tau))
