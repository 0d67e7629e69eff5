"""Driven rods: their motion is their length, their force is recorded, errors name the place.
`solve` takes the names that `simulate` takes."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app
from armillary.errors import InputError, ModelError
from compare import close

G = 9.81


def crane(length=1.0, surface=""):
    """A load of 2 kg that swings on a rope."""
    b = am.Builder("crane", gravity=(0, 0, -G))
    b.body("swing", joint="revolute", axis="y", mass=0.0)
    b.body("load", "swing", "prismatic", axis=(0, 0, -1), mass=2.0)
    if surface:
        axis = am.Frame("axis", "world", am.Pose.from_rpy(rpy=(np.pi / 2, 0, 0)))  # of a cylinder
        b.surface("rope", axis, "load", surface, length)
    else:
        b.distance("rope", "world", "load", length)
    b.initial = {"load": length}
    return b.build()


def hoist(t):
    return 1.5 + 0.2 * t * t, 0.4 * t, 0.4


@pytest.mark.parametrize("surface", ["", "sphere", "cylinder"])
def test_the_motion_is_the_length(surface):
    """r(t) as given, and a tension of m (g - r''), which a round surface is told to pull with."""
    m = crane(1.5, surface)
    run = am.simulate(
        m, duration=0.5, step=0.01, prescribed={"rope": hoist}, record="q,v,prescribed_force,drift"
    )
    way = "centre" if surface == "sphere" else "axis"
    told = [f"surface 'rope' pulls towards its {way}, up to {2.0 * (G - 0.4):.3g} N: "
            "surfaces hold both ways (a hollow one pushes so)"]  # fmt: skip
    assert [text for _, text in run.events] == (told if surface else [])
    close(run.q[:, 1], 1.5 + 0.2 * run.time**2, 1e-12)
    assert run.labels["prescribed_force"] == ("rope",)
    close(run.prescribed_force[:, 0], np.full(len(run.time), -2.0 * (G - 0.4)), 1e-9)
    assert np.abs(run.drift).max() < 1e-12


def test_a_swinging_load_is_hoisted():
    """m (r'' - r φ'²) = m g cos φ - T;  (r² φ')' = -g r sin φ, by another integrator."""
    from scipy.integrate import solve_ivp

    m = crane(1.5)
    run = am.simulate(m, [0.4, 1.5], duration=1.0, step=2e-3, prescribed={"rope": hoist},
                      record="q,v,prescribed_force")  # fmt: skip

    def swing(t, y):
        r, rate, _ = hoist(t)
        return [y[1], (-G * np.sin(y[0]) - 2 * rate * y[1]) / r]

    other = solve_ivp(swing, (0, 1), [0.4, 0.0], "DOP853", run.time, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(run.q[:, 0], other.y[0], atol=1e-8)
    r = hoist(run.time)[0]
    pull = 2.0 * (G * np.cos(other.y[0]) + r * other.y[1] ** 2 - 0.4)
    np.testing.assert_allclose(-run.prescribed_force[:, 0], pull, atol=1e-6)


def test_a_start_somewhere_else_is_told():
    """The cure names the rod, where it is and where it is meant to be; following it works."""
    m = crane(1.5)
    with pytest.raises(InputError, match=r"'rope.f' is driven and begins at 0.2 m, and q0 has it"):
        am.simulate(m, prescribed={"rope": 0.2})
    assert am.simulate(m, prescribed={"rope": 1.5}, duration=0.01).complete
    assert am.simulate(m, [0.0, 0.2], prescribed={"rope": 0.2}, duration=0.01).complete


def test_joints_are_driven_in_solve():
    """J a = what is asked for; the force is that of the inverse dynamics of the other joints."""
    arm = am.example("double-pendulum")
    rng = np.random.default_rng(2)
    q, v, tau = rng.normal(size=(3, 2))
    solution = arm.solve(q, v, tau, prescribed={"shoulder": 1.7})
    assert solution.acceleration[0] == pytest.approx(1.7, rel=1e-12)
    needed = arm.inverse_dynamics(q, v, solution.acceleration)
    assert needed[1] == pytest.approx(tau[1], abs=1e-10)
    assert solution.constraint_forces["shoulder"] == pytest.approx(needed[0] - tau[0], rel=1e-9)
    bars = am.example("four-bar")
    q = np.array([bars.initial, bars.initial])
    still = np.zeros_like(q)
    a = bars.forward_dynamics(q, still, still, prescribed={"crank": [2.0, -1.0]})
    close(a[:, 0], np.array([2.0, -1.0]), 1e-10)
    close(bars.constraint_jacobian(q[0]) @ a[0], np.zeros(len(bars.constraint_rows)), 1e-9)
    close(bars.solve(q[0], still[0], still[0], prescribed={"crank": 2.0}).acceleration, a[0], 1e-9)
    q, still = np.tile(bars.initial, (3, 1)), np.zeros((3, bars.nv))
    q[1] = np.nan  # each row keeps its own, whichever of them are left
    a = bars.forward_dynamics(q, still, still, prescribed={"crank": [2.0, -1.0, 3.0]})
    close(a[[0, 2], 0], np.array([2.0, 3.0]), 1e-10)


def test_on_the_command_line():
    """A joint is driven there, too."""
    result = CliRunner().invoke(app, ["solve", "four-bar", "--prescribe", "crank=2", "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.output)["a"][0] == pytest.approx(2.0)


def test_the_same_names_as_in_a_run():
    """A joint of several coordinates, a single one, a drive of the model by its joint."""
    b = am.Builder("table")
    b.body("plate", joint="planar", axis="z", mass=2.0, com=(0.1, 0, 0), inertia=(0.1, 0.1, 0.1))
    m = b.build()
    q, v, wanted = np.zeros(3), np.array([0.3, 0.1, -0.2]), np.array([1.0, 2.0, 3.0])
    close(m.solve(q, v, 0 * q, prescribed={"plate": wanted}).acceleration, wanted, 1e-12)
    label = m.v_labels[1]
    assert m.solve(q, v, 0 * q, prescribed={label: 2.0}).acceleration[1] == pytest.approx(2.0)
    b.prescribe("motor", label, acceleration=0.5)
    driven = b.build()
    assert driven.solve(q, v, 0 * q, prescribed={label: 2.0}).acceleration[1] == pytest.approx(2.0)
    assert driven.solve(q, v, 0 * q).acceleration[1] == pytest.approx(0.5)
    other = driven.solve(q, v, 0 * q, prescribed={m.v_labels[2]: 3.0}).acceleration
    close(other[1:], np.array([0.5, 3.0]), 1e-12)  # the motor goes on
    with pytest.raises(InputError, match=r"motion of 'plate': expected 3 accelerations"):
        m.solve(q, v, 0 * q, prescribed={"plate": 1.0})
    with pytest.raises(ModelError, match="no constraint or joint named 'plait'"):
        m.solve(q, v, 0 * q, prescribed={"plait": 1.0})
