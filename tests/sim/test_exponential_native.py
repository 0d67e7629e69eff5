"""Exponential methods in the native loop: the steps of the loop in Python, to rounding.

The Python loop has e^X of numpy's products and inverts the mass matrix; the native one has φ₁ and
φ₂ by doubling.  Laws of the method stand in test_integrators.py.
"""

import numpy as np
import pytest
from scipy.linalg import expm

import armillary as am
import samples
from sim.machines import damped_arm, flyer, top
from sim.native_runs import both
from sim.test_integrators import stiff_arm
from sim.test_variational_native import moving, table

METHODS = ("exponential", "exponential-euler")
OPTIONS = {"duration": 0.04, "step": 2e-3}
ALL = {"record": ("q", "v", "a", "tau", "energy")}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("make", [damped_arm, top, flyer, stiff_arm])
def test_trees(make, method):
    m = make()
    _, taken = both(m, *moving(m), **OPTIONS, **ALL, method=method)
    assert taken == 20


@pytest.mark.parametrize("root", ["revolute", "free"])
def test_every_kind_of_joint(root):
    kinds = (root, "universal", "spherical", "planar", "cylindrical", "helical", "prismatic")
    m = am.Mechanism(samples.random_model(0, kinds, bodies=6))
    q, v, _ = samples.random_state(m.model, 0, 0.5)
    _, taken = both(m, q, v, **OPTIONS, method="exponential")
    assert taken == 20


@pytest.mark.parametrize("name", ["four-bar", "dual-arm-free-flyer"])
def test_closed_mechanisms(name):
    m = am.example(name)
    _, taken = both(m, *moving(m), **OPTIONS, **ALL, method="exponential")
    assert taken == 20


@pytest.mark.parametrize("rows", [3, 17])
@pytest.mark.parametrize("make", [stiff_arm, flyer])
def test_a_row_is_the_single_run(make, rows):
    m = make()
    q, v = moving(m)
    speeds = np.linspace(0.2, 2.0, rows)[:, None]
    options = OPTIONS | {"method": "exponential"}
    run, taken = both(m, np.tile(q, (rows, 1)), speeds * v, **options)
    one = am.simulate(m, q, speeds[-1] * v, **options)
    assert taken == 20
    np.testing.assert_allclose(run.v[:, -1], one.v, rtol=0, atol=1e-13 * (1 + abs(one.v).max()))


def test_what_is_given():
    """Forces and wrenches over time, a controller with a state of its own, other masses."""
    m = stiff_arm()
    joint, last = m.joint_names[0], m.bodies[-1]
    given = (
        {"inputs": {joint: table(0.0, 2.0, -1.0, 1.0)}},
        {"external": {last: lambda t: [0, 1.0, 0, 50 * t, 0, np.sin(90 * t)]}},
        {"controller": am.PID(m, {joint: 0.1}, kp=5.0, ki=20.0, kd=0.1)},
        {"controller": am.PID(m, {joint: 0.1}, kp=5.0, ki=20.0), "period": 4e-3},
        {"parameters": 1.3 * m.parameters},
    )
    for options in given:
        for method in METHODS:
            _, taken = both(m, *moving(m), **OPTIONS, **options, method=method)
            assert taken == 20, options


@pytest.mark.parametrize("stiffness", [0.0, 1e2, 1e8])
def test_a_spring_of_any_stiffness_is_exact(stiffness):
    """One slide: m x'' = -k x - c x' + F, solved exactly whatever the step."""
    b = am.Builder("slide", gravity=(0, 0, 0))
    size, damping = 2.0, 3.0
    b.body("bob", joint="prismatic", axis="x", mass=size,
           passive=am.Passive(spring=stiffness, viscous=damping))  # fmt: skip
    run = am.simulate(b.build(), [0.1], [0.5], duration=1.0, step=0.25, method="exponential",
                      inputs={"bob": 7.0})  # fmt: skip
    A = np.array([[0, 1, 0], [-stiffness / size, -damping / size, 7.0 / size], [0, 0, 0]])
    wanted = np.array([(expm(A * t) @ [0.1, 0.5, 1.0])[:2] for t in run.time])
    scale = np.array([1.0, max(1.0, np.sqrt(stiffness / size))])
    rounding = 1e-13 * (1.0 + stiffness**0.5)  # of the phase: 2^-53 of √(k/m) t
    np.testing.assert_allclose(np.c_[run.q, run.v] / scale, wanted / scale, atol=rounding)
