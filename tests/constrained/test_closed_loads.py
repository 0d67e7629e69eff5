"""Friction by load in closed mechanisms: the loads are reactions of the constraints, too."""

import numpy as np
import pytest
from scipy.optimize import brentq

import armillary as am
from armillary.errors import InadmissibleError, ModelError

G = 9.81
SMALL = (0.01, 0.01, 0.01)


def pulley(mu: float) -> am.Mechanism:
    """A block on a level rail, a weight on a plumb one, tied by a rope over a pulley."""
    b = am.Builder("pulley")
    rail = am.Passive(load_radial=mu)
    b.body("block", joint="prismatic", axis="x", mass=3.0, inertia=SMALL, passive=rail)
    b.body("weight", joint="prismatic", axis="z", mass=2.0, inertia=SMALL)
    b.coupling(am.Coupling("rope", "weight", "block", -1.0))
    return b.build()


def test_a_weight_that_pulls_a_block():
    """a = g (m2 - mu m1) / (m1 + m2) while it slides along, g (m2 + mu m1) / ... against."""
    m = pulley(0.3)
    for v in (1.5, -1.5):
        wanted = G * (2.0 - np.sign(v) * 0.3 * 3.0) / 5.0
        a = m.forward_dynamics([0.0, 0.0], [v, -v], [0.0, 0.0])
        assert a == pytest.approx([wanted, -wanted], rel=1e-12)
        s = m.solve([0.0, 0.0], [v, -v], [0.0, 0.0])
        assert s.balance.passive == pytest.approx(0.3 * 3.0 * G * 1.5, rel=1e-12)
        assert abs(s.balance.imbalance) < 1e-12
        assert s.constraint_forces["rope"] == pytest.approx(2.0 * (G - wanted), rel=1e-12)
    run = am.simulate(m, [0, 0], [1.0, -1.0], 0.5, record=("q", "energy"))
    wanted = G * (2.0 - 0.3 * 3.0) / 5.0
    assert run.q[-1, 0] == pytest.approx(0.5 + wanted * 0.125, rel=1e-9)
    way = run.q[-1, 0]
    assert run.energy[0] - run.energy[-1] == pytest.approx(0.3 * 3.0 * G * way, rel=1e-9)


def trammel(mu: float) -> am.Mechanism:
    """Two blocks on rails at right angles, held apart by a massless rod of 1 m."""
    b = am.Builder("trammel")
    rail = am.Passive(load_radial=mu)
    b.body("across", joint="prismatic", axis="x", mass=3.0, inertia=SMALL, passive=rail)
    b.body("down", joint="prismatic", axis="z", mass=2.0, inertia=SMALL, passive=rail)
    b.distance("rod", "across", "down", 1.0)
    return b.build()


@pytest.mark.parametrize("speed", [1.0, -0.6])
def test_a_rod_that_presses_blocks_on_their_rails(speed):
    """x = cos, z = sin of the rod's angle; the rod pushes with N along itself, and friction is
    mu |weight + N sin| on the level rail, mu |N cos| on the plumb one."""
    mu, angle = 0.2, 0.9
    c, s = np.cos(angle), np.sin(angle)
    v = speed * np.array([-s, c])

    def accelerations(N: float) -> np.ndarray:
        across = N * c - np.sign(v[0]) * mu * abs(3.0 * G + N * s)
        down = N * s - 2.0 * G - np.sign(v[1]) * mu * abs(N * c)
        return np.array([across / 3.0, down / 2.0])

    def opening(N: float) -> float:  # d²/dt² of (x² + z²) / 2
        return float(accelerations(N) @ [c, s] + v @ v)

    m = trammel(mu)
    N = brentq(opening, -200.0, 200.0, xtol=1e-13)
    found = m.forward_dynamics([c, s], v, [0.0, 0.0])
    assert found == pytest.approx(accelerations(N), rel=1e-9)


def bars(cut: str, law: am.Passive) -> am.Mechanism:
    """A four-bar with friction in crank and coupler, cut at the far pin or at the rocker's foot."""
    b = am.Builder("bars")
    b.body("crank", axis="y", mass=0.4, com=(0.1, 0, 0), inertia=(1e-4, 1e-3, 1e-3), passive=law)
    b.body("coupler", "crank", "revolute", (0.2, 0, 0), axis="y", mass=0.8, com=(0.25, 0, 0),
           inertia=(5e-4, 2e-2, 2e-2), passive=law)  # fmt: skip
    rocker = {"axis": "y", "mass": 0.6, "inertia": (4e-4, 8e-3, 8e-3)}
    if cut == "pin":
        b.body("rocker", at=(0.6, 0, 0), com=(0.2, 0, 0), **rocker)
        ends = [("end", "coupler", (0.5, 0, 0)), ("tip", "rocker", (0.4, 0, 0))]
        b.initial = {"crank": -1.0, "coupler": 0.5, "rocker": -1.5}
    else:
        b.body("rocker", "coupler", at=(0.5, 0, 0), com=(-0.2, 0, 0), **rocker)
        ends = [("ground", "world", (0.6, 0, 0)), ("foot", "rocker", (-0.4, 0, 0))]
        b.initial = {"crank": -1.0, "coupler": 0.5, "rocker": -2.0}
    first, second = (am.Frame(name, body, am.Pose(place)) for name, body, place in ends)
    b.loop("closing", first, second, "revolute", axis="y")
    return b.build()


def moving(m: am.Mechanism) -> tuple[np.ndarray, np.ndarray]:
    q = m.assemble(hold=["crank"]).q
    v = m.project(q, [2.0, 0.0, 0.0])[1]
    return q, v * (2.0 / v[0])


def test_where_the_chain_is_cut_does_not_matter():
    law = am.Passive(load_radial=0.02, load_drive=0.1, viscous=0.05)
    runs, loads = [], []
    for cut in ("pin", "foot"):
        m = bars(cut, law)
        q, v = moving(m)
        s = m.solve(q, v, [1.0, 0.0, 0.0])
        assert abs(s.balance.imbalance) < 1e-12
        # the law by hand, from the reactions of the answer
        radial = [np.hypot(*s.reactions[name][[3, 5]]) for name in ("crank", "coupler")]
        drive = [abs(s.reactions[name][1]) for name in ("crank", "coupler")]
        rates = np.abs(v[:2])
        taken = (0.02 * np.array(radial) + 0.1 * np.array(drive) + 0.05 * rates) @ rates
        assert s.balance.passive == pytest.approx(taken, rel=1e-11)
        assert s.forces.tau == pytest.approx([1.0, 0.0, 0.0], abs=1e-12)
        loads.append(radial)
        runs.append(am.simulate(m, q, v, duration=0.1, step=2e-3, every=10, record=("q", "energy")))
    assert loads[0] == pytest.approx(loads[1], rel=1e-10)
    assert np.abs(runs[0].q[:, :2] - runs[1].q[:, :2]).max() < 1e-8
    assert runs[0].energy == pytest.approx(runs[1].energy, rel=1e-8)


def test_batches_drives_and_other_masses():
    """Rows as single states; a driven crank; other inertias as in a model that has them."""
    law = am.Passive(load_radial=0.02)
    m = bars("pin", law)
    q, v = moving(m)
    tau = np.array([[1.0, 0, 0], [-0.5, 0, 0], [0.0, 0.2, 0]])
    v = np.array([v, -v, 0.5 * v])
    many = m.forward_dynamics(q, v, tau)
    for k in range(3):
        assert many[k] == pytest.approx(m.forward_dynamics(q, v[k], tau[k]), rel=1e-10)
    heavy = m.replace(bodies={"coupler": {"mass": 1.6}})
    other = m.forward_dynamics(q, v[0], tau[0], parameters=heavy.parameters)
    assert other == pytest.approx(heavy.forward_dynamics(q, v[0], tau[0]), rel=1e-10)
    push = {"coupler": (0.0, 0.0, 0.0, 3.0, 0.0, 4.0)}
    pushed = m.forward_dynamics(q, v, tau, push)
    assert np.abs(pushed - many).max() > 1.0
    drive = lambda t: q[0] + 2.0 * t  # noqa: E731
    run = am.simulate(m, q, prescribed={"crank": drive}, duration=0.05, step=5e-3,
                      record=("q", "prescribed_force", "energy", "constraint_power"))  # fmt: skip
    assert run.q[-1, 0] == pytest.approx(q[0] + 0.1, abs=1e-9) and run.complete


def test_loads_that_constraints_leave_open_are_refused():
    m = bars("pin", am.Passive(load_axial=0.02))
    q, v = moving(m)
    with pytest.raises(ModelError, match=r"'crank'.*redundant constraints.*Set redundant"):
        m.forward_dynamics(q, v, np.zeros(3))


@pytest.mark.parametrize("speed", [1.0, -0.6])
@pytest.mark.parametrize("driven", [0, 1])
def test_forces_that_drive_the_blocks(driven, speed):
    """The trammel with one driven block: the rod's force follows from the other one, by hand."""
    mu, angle, push = 0.2, 0.9, 1.7
    c, s = np.cos(angle), np.sin(angle)
    v = speed * np.array([-s, c])
    a = push * np.array([-s, c]) - speed**2 * np.array([c, s])

    def needed(N: float) -> np.ndarray:  # forces of both blocks, beside that of the rod
        across = 3.0 * a[0] - N * c + np.sign(v[0]) * mu * abs(3.0 * G + N * s)
        down = 2.0 * (a[1] + G) - N * s + np.sign(v[1]) * mu * abs(N * c)
        return np.array([across, down])

    N = brentq(lambda x: needed(x)[1 - driven], -300.0, 300.0, xtol=1e-13)
    expected = np.zeros(2)
    expected[driven] = needed(N)[driven]
    m, name = trammel(mu), ("across", "down")[driven]
    found = m.inverse_dynamics([c, s], v, a, actuators=[name])
    assert found == pytest.approx(expected, rel=1e-9)
    assert m.driving_forces([c, s], v, a, actuators=[name]) == pytest.approx(expected, rel=1e-9)
    assert m.actuator_forces([c, s], v, a, actuators=[name])[name] == pytest.approx(
        expected[driven]
    )
    # nothing rubs at rest
    still = m.holding_forces([c, s], [name])
    assert still.tau == pytest.approx(trammel(0.0).holding_forces([c, s], [name]).tau, rel=1e-12)


def test_forward_undoes_inverse():
    """Every choice of actuators; rows as single states; wrenches, other inertias, bad rows."""
    m = bars("foot", am.Passive(load_radial=0.02, load_drive=0.1, viscous=0.05))
    q, v = moving(m)
    v = np.array([v, -v, 0.3 * v])
    a = m.project_acceleration(np.tile(q, (3, 1)), v, [[3.0, 0, 0], [0.0, 1, 0], [-5.0, 0, 0]])
    push = {"coupler": (0.0, 0.0, 0.0, 3.0, 0.0, 4.0)}
    heavy = m.replace(bodies={"coupler": {"mass": 1.6}})
    for actuators in (None, ["crank"], ["rocker"], ["crank", "coupler"]):
        tau = m.inverse_dynamics(q, v, a, actuators=actuators)
        assert m.forward_dynamics(q, v, tau) == pytest.approx(a, rel=1e-9, abs=1e-9)
        assert m.driving_forces(q, v, a, actuators) == pytest.approx(tau, rel=1e-12)
        one = m.inverse_dynamics(q, v[1], a[1], push, actuators=actuators)
        assert m.forward_dynamics(q, v[1], one, push) == pytest.approx(a[1], rel=1e-9, abs=1e-9)
        other = m.inverse_dynamics(q, v[0], a[0], actuators=actuators, parameters=heavy.parameters)
        assert heavy.forward_dynamics(q, v[0], other) == pytest.approx(a[0], rel=1e-9, abs=1e-9)
    lost = a.copy()
    lost[1, 0] = np.nan
    found = m.inverse_dynamics(q, v, lost, actuators=["crank"])
    assert np.isnan(found[1]).all()
    assert found[[0, 2]] == pytest.approx(m.inverse_dynamics(q, v, a, actuators=["crank"])[[0, 2]])
    assert np.isnan(m.driving_forces(q, v, np.nan * a, ["crank"])).all()
    assert m.inverse_dynamics(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 3))).shape == (0, 3)
    with pytest.raises(InadmissibleError, match="do not allow these accelerations in state 0"):
        m.inverse_dynamics(q, v, a + 1.0, actuators=["crank"])
    plain = bars("foot", am.Passive(viscous=0.05))
    resisting = m.inverse_dynamics(q, v, a, actuators=["crank"]) - plain.inverse_dynamics(
        q, v, a, actuators=["crank"]
    )
    assert (resisting[:, 0] * v[:, 0] > 0.0).all()  # friction is paid for
