"""The runs of the sources, by `simulate`, against the recorded motions in tests/data/seeds.

Four-link closed chain (10 s, exact and with the Euler scheme of the source), two links with a
load, the planar straight line, the free swing, the free-flying pair of arms; and a long run of the
four-bar against its one equation of motion.
"""

import time

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import armillary as am
from armillary.sim.loop.simulate import simulate
from armillary.sim.motion.schedules import Schedule
from seeds.cases import assert_rows, case, columns, serial, table
from seeds.test_planar_line import ARMS, LINE, end_errors, joint_motion
from seeds.test_planar_line import start as line_start

JOINTS = range(1, 5)

# -- four-link closed chain [VanDerMerwe1995, 5.5] -----------------------------------------------

FOUR = case("000_four_link_closed")


@pytest.mark.parametrize("method, step", [("rk4", 5e-4), ("dopri5", 0.1)])
def test_four_link_closed_chain(method, step):
    """10 s against the exact motion to 1e-6; the chain stays closed."""
    data = table("000_four_link_closed_reference")
    chain = am.example("four-link-closed")
    run = simulate(chain, duration=10.0, step=step, method=method, every=round(0.1 / step),
                   tolerance=1e-9, record=("q", "v", "energy", "drift"))  # fmt: skip
    np.testing.assert_allclose(run.time, data["t"], atol=1e-12)
    q, v = (columns(data, *(f"{x}{k}" for k in JOINTS)) for x in ("q", "qd"))
    np.testing.assert_allclose(run.q, q, rtol=0, atol=1e-6)
    np.testing.assert_allclose(run.v, v, rtol=0, atol=5e-6)
    np.testing.assert_allclose(run.energy, data["energy"], rtol=0, atol=2e-5)
    assert np.abs(run.drift).max() < 1e-12
    value = FOUR["final state t=10"]
    np.testing.assert_allclose(run.q[-1], value["q"], rtol=0, atol=1e-6)


def test_four_link_tip_force_peak():
    """The largest force of the pin: 234.53 N at 1.2945 s, in the plane and so determinate."""
    value = FOUR["peak values accurate"]
    chain = am.example("four-link-closed")
    run = simulate(chain, duration=1.4, step=5e-4, every=1)
    near = np.abs(run.time - value["t_norm"]) < 0.01
    solution = chain.solve(run.q[near], run.v[near], np.zeros(4))
    force = np.linalg.norm(solution.constraint_forces["pin"][:, [3, 5]], axis=1)
    k = int(np.argmax(force))
    assert run.time[near][k] == pytest.approx(value["t_norm"], abs=5e-4)
    assert force[k] == pytest.approx(value["norm"], rel=1e-4)
    assert all(state.of("pin")[[3, 5]].all() for state in solution.states)


class TipHold:
    """The source's way: the force at the tip that keeps it accelerating along the pin, and a pull
    back to it (5.75), as a controller of the open chain."""

    def __init__(self, chain, gains):
        self.chain, self.gains = chain, gains
        self.place = np.array(FOUR.problem["tip"]["position"], float)[[0, 2]]
        self.rows = []

    def __call__(self, t, q, v):
        chain, held = self.chain, [3, 5]
        J = chain.jacobian(q, "tip", "world_aligned")[held]
        bend = chain.acceleration(q, v, np.zeros(4), "tip", "world_aligned")[held]
        M, h = chain.mass_matrix(q), chain.bias_forces(q, v)
        free = np.linalg.solve(M, -h)
        f = np.linalg.solve(J @ np.linalg.solve(M, J.T), -(bend + J @ free))
        error = chain.pose(q, "tip")[1][[0, 2]] - self.place
        pull = -self.gains["kp"] * error - self.gains["kv"] * (J @ v)
        self.rows.append([*-f, *pull, *error])
        return J.T @ (f + pull)


def test_euler_scheme_of_the_source():
    """Explicit Euler with 1 ms over the full 10 s: the recorded rows of the first 1.5 s, the
    extremes, and the largest distance from the exact motion."""
    problem = FOUR.problem["simulation"]
    chain = serial("four-link", FOUR.problem)
    friction = am.Passive(viscous=problem["viscous_friction_per_joint"])
    chain = chain.replace(bodies={name: {"passive": friction} for name in chain.bodies})
    hold = TipHold(chain, problem["corrective_force"])
    run = simulate(chain, np.zeros(4), np.zeros(4), 10.0, problem["step"], "euler", controller=hold)
    data = table("000_four_link_closed_euler1ms")
    states = np.c_[run.q, run.v][:1501:100]
    assert_rows(states, columns(data, *(f"{x}{k}" for x in ("q", "qd") for k in JOINTS)))
    pairs = (f"{x}_{axis}" for x in ("f_env", "fcorr", "tip_err") for axis in "xz")
    rows = np.array(hold.rows)
    assert len(rows) == 10000
    assert_rows(rows[:1501:100], columns(data, *pairs))
    value = FOUR["Euler 1 ms replica of the document (corrective gains 60/40)"]["euler_exactJdot"]
    force, pull, error = np.abs(np.split(rows, 3, axis=1))
    exact = columns(table("000_four_link_closed_reference"), *(f"q{k}" for k in JOINTS))
    found = {
        "peak_tip_force_norm": np.hypot(*force.T).max(),
        "max_component_of_tip_position_error": error.max(),
        "max_component_of_corrective_force": pull.max(),
        "max_joint_error_vs_reference_rad": np.abs(run.q[::100] - exact).max(),
    }
    assert found == pytest.approx({key: value[key] for key in found}, rel=1e-8)


# -- two links with a load [VanDerMerwe1995, 6.5] ------------------------------------------------


def test_two_link_load():
    """Two swings: both links alike, the load without turning."""
    data = table("000_two_link_load_reference")
    machine = am.example("two-link-load")
    run = simulate(machine, duration=5.0, step=0.1, method="dopri5", tolerance=1e-9,
                   record=("q", "v", "energy", "drift"))  # fmt: skip
    rows = slice(0, 51)
    np.testing.assert_allclose(run.time, data["t"][rows], atol=1e-12)
    for link in ("link1", "link2"):
        np.testing.assert_allclose(run.column(link, "q"), data["q"][rows], rtol=0, atol=1e-6)
        np.testing.assert_allclose(run.column(link, "v"), data["qd"][rows], rtol=0, atol=2e-6)
    place = np.c_[run.column("load.px", "q"), run.column("load.pz", "q")]
    np.testing.assert_allclose(place, columns(data, "ref_x", "ref_z")[rows], rtol=0, atol=1e-6)
    np.testing.assert_allclose(run.energy, run.energy[0], rtol=0, atol=1e-5)
    assert np.abs(run.drift).max() < 1e-12


# -- the planar straight line [QuinnChang1991] ---------------------------------------------------


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("steps, digits", [(31, 1e-7), (63, 2e-6), (314, 1e-3)])
def test_planar_line(side, steps, digits):
    """The torques of the line put back in: errors of RK4 at t = pi, 2.4e-7, 1.5e-8, 2.6e-11."""
    arm = ARMS["g0"]

    def torques(t):
        q, v, a = (row[0] for row in joint_motion(t, side))
        return arm.inverse_dynamics(q, v, a)

    x = line_start(side)
    run = simulate(arm, x[:2], x[2:], np.pi, np.pi / steps, inputs=torques)
    errors = end_errors(np.concatenate([run.q[-1], run.v[-1]]), side)
    recorded = LINE["open-loop re-simulation error at t=pi (max |dq|, max |dqd|)"]
    np.testing.assert_allclose(
        errors, recorded[f"branch {side:+.0f}"][f"RK4 {steps} steps"], rtol=digits
    )


# -- the free swing [Lecture] --------------------------------------------------------------------


@pytest.mark.parametrize("method, step", [("rk4", 2e-4), ("dopri5", 0.1)])
def test_free_swing(method, step):
    """The motion is chaotic: errors grow a thousandfold over the 5 s."""
    data = table("003_two_link_free_swing")
    arm = am.example("two-link")
    run = simulate(arm, [0.3, 0.5], [0.0, 0.0], 5.0, step, method, every=round(0.1 / step),
                   tolerance=1e-12, record=("q", "v", "energy"))  # fmt: skip
    recorded = columns(data, "th1", "th2", "th1d", "th2d")
    np.testing.assert_allclose(np.c_[run.q, run.v], recorded, rtol=0, atol=1e-6)
    np.testing.assert_allclose(run.energy, run.energy[0], rtol=0, atol=1e-8)


# -- the free-flying pair of arms [Yesiloglu2007, 5.1] -------------------------------------------


def ramps() -> dict[str, Schedule]:
    """0.4 N m at 5 s on the two driven joints, then nothing."""
    ramp = case("002_dual_arm_free_flyer").problem["synthetic_data"]["ramp"]
    top, off = ramp["amplitude_at_5s"], ramp["zero_after"]
    return {
        joint: Schedule([0.0, off, off], [0.0, sign * top, 0.0], hold=True)
        for joint, sign in zip(("arm1-link2", "arm2-link3"), ramp["signs"], strict=True)
    }


def test_free_flyer_for_20_s():
    flyer = am.example("dual-arm-free-flyer")
    data = table("002_dual_arm_free_flyer_reference")
    run = simulate(flyer, duration=20.0, step=0.1, method="dopri5", tolerance=1e-11,
                   inputs=ramps(), record=("q", "v", "momentum", "drift"))  # fmt: skip
    arms = [f"a{i}{{}}{k}" for i in (1, 2) for k in (1, 2, 3)]
    q = columns(data, "base_th", "base_x", "base_y", *(a.format("q") for a in arms))
    v = columns(data, "w", "vx", "vy", *(a.format("qd") for a in arms))
    np.testing.assert_allclose(run.time, data["t"], atol=1e-12)
    np.testing.assert_allclose(run.q, q, rtol=0, atol=5e-8)
    np.testing.assert_allclose(run.v, v, rtol=0, atol=5e-8)
    assert np.abs(run.momentum).max() < 1e-9


def test_free_flyer_by_the_frozen_exponential_method():
    """(4.12-4.24) on the flexible joints: second order towards the recorded motion."""
    flyer = am.example("dual-arm-free-flyer")
    data = table("002_dual_arm_free_flyer_reference")
    recorded = columns(data, *(f"a{i}q{k}" for i in (1, 2) for k in (1, 2, 3)))[60]
    errors = []
    for step in (0.01, 0.005):
        run = simulate(flyer, duration=6.0, step=step, method="exponential", inputs=ramps())
        errors.append(np.abs(run.q[-1, 3:] - recorded).max())
    assert errors[1] < 1e-3
    assert 3.0 < errors[0] / errors[1] < 5.0


def test_free_flyer_for_200_s():
    """The momentum stays zero, the loop closed, and the energy only decreases after the ramps."""
    flyer = am.example("dual-arm-free-flyer")
    run = simulate(flyer, duration=200.0, step=0.02, inputs=ramps(), every=50,
                   record=("q", "v", "momentum", "energy", "drift"))  # fmt: skip
    assert run.complete
    assert np.abs(run.momentum).max() < 1e-6
    assert np.abs(run.drift).max() < 1e-11
    after = run.energy[run.time > 5.5]
    assert (np.diff(after) < 1e-7).all()


# -- the four-bar over 100 s ---------------------------------------------------------------------


class OneEquation:
    """The four-bar in its crank angle alone: closed-form closure, derivatives by hand.

    I(φ) φ'' + ½ I'(φ) φ'² + V'(φ) + D(φ) φ' = 0, with I, V, D from the bodies' own data, none of
    it by the library.  Angles count from x towards z."""

    CRANK, COUPLER, ROCKER, GROUND = 0.15, 0.55, 0.35, 0.60
    MASS = (0.36, 0.74, 0.58)
    COM = ((0.062, -0.004), (0.281, 0.031), (0.165, 0.006))  # along the bar, and beside it
    IYY = (9.6e-4, 0.0202, 6.4e-3)
    VISCOUS, G = 0.002, 9.81

    def angles(self, phi):
        """Absolute angles (crank, coupler, rocker) and their derivatives by φ, twice."""
        x, z = self.CRANK * np.cos(phi) - self.GROUND, self.CRANK * np.sin(phi)
        dx, dz = -z, self.CRANK * np.cos(phi)
        # |rocker| = |coupler + A - D|: the branch of the example has the rocker above
        r2 = x * x + z * z
        beta = np.arctan2(-z, -x)  # from the crank's end to the rocker's pivot
        cosine = (self.COUPLER**2 + r2 - self.ROCKER**2) / (2 * self.COUPLER * np.sqrt(r2))
        coupler = beta + np.arccos(cosine)
        end = (x + self.COUPLER * np.cos(coupler), z + self.COUPLER * np.sin(coupler))
        rocker = np.arctan2(end[1], end[0])
        # first derivatives: (dx, dz) + l_c c' n_c = l_r r' n_r
        nc = (-self.COUPLER * np.sin(coupler), self.COUPLER * np.cos(coupler))
        nr = (-self.ROCKER * np.sin(rocker), self.ROCKER * np.cos(rocker))
        det = -nc[0] * nr[1] + nr[0] * nc[1]

        def solve(bx, bz):
            """c nc - r nr = -b."""
            return (bx * nr[1] - bz * nr[0]) / det, (-nc[0] * bz + nc[1] * bx) / det

        c1, r1 = solve(dx, dz)
        bx = -dz - c1 * c1 * nc[1] + r1 * r1 * nr[1]
        bz = dx + c1 * c1 * nc[0] - r1 * r1 * nr[0]
        c2, r2 = solve(bx, bz)
        return (phi, coupler, rocker), (1.0, c1, r1), (0.0, c2, r2)

    def terms(self, phi):
        """I, I'/2, V, V', D."""
        a, a1, a2 = self.angles(phi)
        inertia = half = potential = slope = 0.0
        for k in range(3):
            c, s = np.cos(a[k]), np.sin(a[k])
            px, pz = self.COM[k]
            base = self.CRANK if k == 1 else 0.0
            turn = (px * c - pz * s, px * s + pz * c)
            j = (-turn[1] * a1[k] - base * np.sin(phi), turn[0] * a1[k] + base * np.cos(phi))
            dj = (-turn[0] * a1[k] ** 2 - turn[1] * a2[k] - base * np.cos(phi),
                  -turn[1] * a1[k] ** 2 + turn[0] * a2[k] - base * np.sin(phi))  # fmt: skip
            m = self.MASS[k]
            inertia += m * (j[0] ** 2 + j[1] ** 2) + self.IYY[k] * a1[k] ** 2
            half += m * (j[0] * dj[0] + j[1] * dj[1]) + self.IYY[k] * a1[k] * a2[k]
            potential += m * self.G * (turn[1] + base * np.sin(phi))
            slope += m * self.G * j[1]
        joints = (1.0, a1[1] - 1.0, a1[2])  # velocities in the joints
        return inertia, half, potential, slope, self.damping * sum(x * x for x in joints)

    def __init__(self, damping):
        self.damping = damping

    def rate(self, t, x):
        inertia, half, _, slope, damping = self.terms(x[0])
        return [x[1], -(half * x[1] ** 2 + slope + damping * x[1]) / inertia]

    def energy(self, phi, speed):
        inertia, _, potential, _, _ = self.terms(phi)
        return inertia * speed**2 / 2 + potential


@pytest.mark.parametrize("damped", [True, pytest.param(False, marks=pytest.mark.long)])
def test_four_bar_for_100_s(damped, record_property):
    """1 ms, RK4 with projection: drift below 1e-9 m, equal to the one equation to 1e-7."""
    four = am.example("four-bar")
    if not damped:
        four = four.replace(bodies={name: {"passive": am.Passive()} for name in four.bodies})
    one = OneEquation(0.002 if damped else 0.0)
    begin = time.perf_counter()
    run = simulate(four, duration=100.0, step=1e-3, every=100,
                   record=("q", "v", "drift", "energy"))  # fmt: skip
    record_property("seconds", float(time.perf_counter() - begin))
    assert run.complete and np.abs(run.drift).max() < 1e-9
    reference = solve_ivp(one.rate, (0.0, 100.0), [run.q[0, 0], 0.0], "DOP853", run.time,
                          rtol=1e-13, atol=1e-14)  # fmt: skip
    (_, coupler, rocker), _, _ = one.angles(run.q[0, 0])
    assert run.q[0] == pytest.approx([1.0, coupler - 1.0, rocker], abs=1e-12)
    error = np.abs(run.q[:, 0] - reference.y[0]).max()
    energy = np.array([one.energy(*x) for x in np.c_[run.q[:, 0], run.v[:, 0]]])
    np.testing.assert_allclose(run.energy, energy, rtol=0, atol=1e-9)
    record_property("largest error, rad", float(error))
    if damped:
        assert error < 1e-7
    else:
        drift = np.abs(run.energy - run.energy[0]).max()
        record_property("energy drift, J", float(drift))
        assert error < 1e-3 and drift < 1e-6
