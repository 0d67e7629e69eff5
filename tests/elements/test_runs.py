"""Force elements in time: every method, energy and power balance, parameters, recordings."""

from itertools import pairwise

import numpy as np
import pytest

import armillary as am
from armillary.sim.methods.choice import METHODS


def swing(damping: float = 0.0) -> am.Mechanism:
    """A floating body with a tail on two springs: quaternions, offsets, a branch."""
    b = am.Builder("swing")
    b.body("bob", joint="free", mass=1.2, com=(0.02, 0.01, 0), inertia=(0.01, 0.012, 0.013))
    b.body("tail", "bob", joint="revolute", axis="x", at=(0, 0, -0.1), mass=0.3,
           com=(0, 0, -0.1), inertia=(0.01, 0.012, 0.013))  # fmt: skip
    b.frame("pin", "bob", at=(0.05, 0, 0.02))
    hook, side = (am.Frame(n, "world", am.Pose(p)) for n, p in (("h", (0, 0, 1)), ("s", (0, 1, 1))))
    b.spring("hook", hook, "pin", stiffness=80, rest=0.6, damping=damping)
    b.spring("side", side, "tail", stiffness=20, damping=damping)
    return b.build()


def start(m):
    q, v, _ = m.random_state(4)
    q[4:7] = 0.3, 0.2, 0.1
    return q, v


def test_every_method_ends_at_the_same_place():
    """Errors after 0.3 s shrink as the order of the method says; energy is kept accordingly."""
    m = swing()
    q, v = start(m)
    exact = am.simulate(m, q, v, duration=0.3, step=2e-4, method="rk4")["q"][-1]
    for name in METHODS:
        run = am.simulate(m, q, v, duration=0.3, step=2e-3, method=name, record="q,energy")
        order = {"euler": 1, "semi-implicit": 1, "exponential-euler": 1}.get(name, 2)
        limit = {1: 0.03, 2: 3e-4}[order]
        assert np.abs(run["q"][-1] - exact).max() < limit, name
        assert np.abs(run["energy"] - run["energy"][0]).max() < 3 * limit * run["energy"][0], name


def test_power_balance():
    """dE/dt = power of the dampers; the recorded power of all elements is dT/dt + dV_gravity/dt."""
    m = swing(damping=2.0)
    q, v = start(m)
    run = am.simulate(m, q, v, duration=0.5, step=1e-3, record="q,v,kinetic,energy,element_forces")
    labels = run.labels["element_forces"]
    assert labels[:10] == tuple(f"hook.{x}" for x in (
        "nx", "ny", "nz", "fx", "fy", "fz", "force", "position", "rate", "power"))  # fmt: skip
    found = dict(zip(labels, run["element_forces"].T, strict=True))
    lost = 2.0 * (found["hook.rate"] ** 2 + found["side.rate"] ** 2)
    total = run["energy"] + _integral(lost, run.time)
    assert np.abs(total - total[0]).max() < 1e-7 * total[0]
    tension = 80 * (found["hook.position"] - 0.6) + 2.0 * found["hook.rate"]
    np.testing.assert_allclose(found["hook.force"], tension)
    np.testing.assert_allclose(found["hook.power"], -found["hook.force"] * found["hook.rate"])


def _integral(y, t):
    """Simpson's rule over pairs of steps, trapezoid at odd ones: fine enough at 1 ms."""
    from scipy.integrate import cumulative_simpson

    return np.concatenate([[0.0], cumulative_simpson(y, x=t)])


def test_many_springs_in_loops():
    """A chain of masses between walls, beyond straight-line code: waves of a discrete string."""
    n, k, m = 120, 50.0, 0.5
    b = am.Builder("string", gravity=(0, 0, 0))
    for i in range(n):
        b.body(f"m{i}", joint="prismatic", axis="x", at=(i + 1.0, 0, 0), mass=m)
    walls = [am.Frame(f"w{x}", "world", am.Pose((x, 0.0, 0.0))) for x in (0.0, n + 1.0)]
    ends = [walls[0], *(f"m{i}" for i in range(n)), walls[1]]
    for i, (one, two) in enumerate(pairwise(ends)):
        b.spring(f"s{i}", one, two, stiffness=k, rest=0.8)
    string = b.build()
    mode = np.sin(3 * np.pi * np.arange(1, n + 1) / (n + 1))
    a = string.forward_dynamics(1e-3 * mode, np.zeros(n), np.zeros(n))
    omega2 = 4 * k / m * np.sin(3 * np.pi / (2 * (n + 1))) ** 2
    np.testing.assert_allclose(a, -omega2 * 1e-3 * mode, atol=1e-12)
    assert {e.tier for e in string.forward_dynamics.compile_report()} == {1}
    run = am.simulate(string, 1e-3 * mode, np.zeros(n), duration=0.5, step=1e-2)
    np.testing.assert_allclose(run["q"][-1], 1e-3 * mode * np.cos(np.sqrt(omega2) * 0.5), atol=1e-9)


def test_parameters_of_elements_per_run():
    """A batch of runs, each with its own spring: as single mechanisms."""
    b = am.Builder("quarter car")
    b.body("wheel", joint="prismatic", axis="z", mass=40.0)
    b.body("car", joint="prismatic", axis="z", at=(0, 0, 0.5), mass=300.0)
    b.spring("tyre", am.Frame("road", "world", am.Pose((0, 0, -0.3))), "wheel", stiffness=2e5)
    b.spring("strut", "wheel", "car", stiffness=2e4, damping=1500.0, preload=-300 * 9.81)
    m = b.build()
    # the strut carries the car where it starts, the tyre nothing yet
    np.testing.assert_allclose(m.static_torques(np.zeros(2)), [340 * 9.81, 0.0], atol=1e-9)
    values = np.tile(m.parameters, (3, 1))
    stiff = m.parameter_names.index("strut.stiffness")
    values[:, stiff] = 1e4, 2e4, 3e4
    q, v = np.array([0.02, 0.0]), np.zeros(2)
    runs = am.simulate(m, np.tile(q, (3, 1)), v, duration=0.2, step=1e-3, parameters=values)
    for k, stiffness in enumerate(values[:, stiff]):
        one = m.replace(elements={"strut": {"stiffness": stiffness}})
        alone = am.simulate(one, q, v, duration=0.2, step=1e-3)
        np.testing.assert_allclose(runs["q"][:, k] if runs["q"].shape[1] == 3 else runs["q"][k],
                                   alone["q"], atol=1e-12)  # fmt: skip


def test_recording_needs_elements():
    with pytest.raises(am.InputError, match="force elements"):
        am.simulate(am.example("two-link"), duration=0.01, record="q,element_forces")


@pytest.mark.parametrize("kind", ["torsion", "bushing"])
@pytest.mark.parametrize("every", [1, 7])
def test_half_a_turn_is_told(kind, every):
    """The angle between frames is known up to whole turns: what a spring about it gives jumps by
    2 pi k at half a turn, by closed form 2 pi k rest in its energy, and the run says when."""
    b = am.Builder("spun", gravity=(0, 0, 0))
    b.body("disc", joint="revolute", axis="-y", at=(0, 0, 1), mass=1.0, inertia=(1, 1, 1))
    if kind == "torsion":
        b.torsion_spring("s", "world", "disc", axis="-y", stiffness=0.5, rest=1.0)
    else:
        rest = (0, -1.0, 0, 0, 0, 1.0)
        b.bushing("s", "world", "disc", stiffness=(0.5,) * 3 + (0,) * 3, rest=rest)
    m = b.build()
    given = {"duration": 1.2, "every": every, "record": "q,energy"}
    run = am.simulate(m, [0.0], [4.0], **given)
    k = np.argmax(run.q[:, 0] > np.pi)
    ((t, text),) = run.events
    assert t == run.time[k] and "'s' passed half a turn: its moment and energy jump" in text
    assert abs(run["energy"][k] - run["energy"][k - 1] - np.pi) < 0.02  # 2 pi 0.5 1
    batch = am.simulate(m, np.zeros((3, 1)), [[0.1], [0.2], [-4.0]], **given)
    assert len(batch.events) == 1 and "in run 2" in batch.events[0][1]
    assert not am.simulate(m, [0.0], [1.0], **given).events
