"""Linearly implicit steps of closed mechanisms and free bodies with force elements: in the native
loop, with slopes of the elements' forces by differences.

Oracles: the steps in Python, which take their slopes and inverses by numpy; rk4 with tiny steps;
the order of the method; energy that dampers alone take away.
"""

import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import armillary as am
from armillary.sim.loop import loop
from sim.machines import reference
from sim.native_runs import both
from sim.test_variational_native import moving

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from benchmarks import closed

OPTIONS = {"duration": 0.04, "step": 2e-3, "method": "implicit"}
DIFFERENCES = {"rounding": 1e-9}  # forces over 1e-6: nine digits of a Jacobian
ALL = {"record": ("q", "v", "a", "tau", "energy")}


def bars(stiffness=4e3, damping=20.0, rest=0.6, pin=None, held=True):
    """A four-bar in the x-z plane: a strut to its coupler, a mount between coupler and ground.
    pin: friction and spring of the joint that closes it."""
    b = am.Builder("bars")
    body = {"mass": 1.0, "com": (0.1, 0.02, 0.3), "inertia": (0.04, 0.05, 0.01)}
    b.body("crank", joint="revolute", axis="y", **body)
    b.body("coupler", "crank", "revolute", (0, 0, 0.5), axis="y", **body)
    b.body("rocker", joint="revolute", at=(0.9, 0, 0), axis="y", **body)
    b.frame("crank end", "coupler", (0.8, 0, 0.2))
    b.frame("rocker end", "rocker", (-0.1, 0, 0.7))
    b.frame("above", "world", (0.4, 0.1, 1.4))
    b.frame("beside", "coupler", (0.3, -0.05, 0.1))
    passive = () if pin is None else pin
    b.loop("pin", "crank end", "rocker end", "revolute", axis="y", passive=passive)
    if held:
        b.spring("strut", "above", "beside", stiffness=stiffness, damping=damping, rest=rest)
        mount = (30.0, 40.0, 50.0, 300.0, 200.0, 100.0)
        losses = tuple(0.01 * k for k in mount)
        b.bushing("mount", "world", "beside", stiffness=mount, damping=losses)
    return b.build()


def tied():
    """A free body on a strut and a mount, with a rod that turns on it."""
    b = am.Builder("tied", (0.0, 0.0, -1.0))
    b.body("hull", joint="free", mass=2.0, com=(0.05, 0.02, -0.03), inertia=(0.2, 0.25, 0.3))
    b.body("rod", "hull", "revolute", (0.2, 0.1, 0), axis="y", mass=0.5, com=(0.1, 0, 0.02),
           inertia=(0.01, 0.02, 0.02))  # fmt: skip
    b.frame("above", "world", (0.5, 0.2, 1.0))
    b.spring("strut", "above", "rod", stiffness=3e2, damping=3.0, rest=0.3)
    b.bushing("mount", "world", "hull", stiffness=(9.0, 8.0, 7.0, 60.0, 50.0, 40.0))
    return b.build()


@cache
def sprung_car():
    return am.Mechanism(with_strut(closed.car().model, "fl.upright"))


def with_strut(model, name):
    """A closed model with a strut from the world to one of its bodies, and a stiff mount between
    this and another one."""
    other = next(body.name for body in model.bodies if body.name != name)
    b = am.Builder("parts")
    for body in model.bodies:
        b.add(body)
    for closure in model.loops:
        b.constrain(closure)
    b.frame("above", "world", (0.3, 0.2, 1.5))
    b.spring("strut", "above", name, stiffness=2e4, damping=1e2, rest=1.0)
    b.bushing("mount", other, name, stiffness=(10.0,) * 3 + (1e3,) * 3)
    return b.build().model


@cache
def tied_example(name):
    """An example with the strut, whatever closes it."""
    model = am.example(name).model
    last = model.bodies[-1].name
    elements = with_strut(replace(model, wheels=(), loops=()), last).elements
    return am.Mechanism(replace(model, elements=elements))


MACHINES = {
    "four-bar": bars,
    "a spring in the loop": lambda: bars(held=False, pin=am.Passive(spring=60.0, viscous=0.3)),
    "both": lambda: bars(pin=am.Passive(spring=60.0, viscous=0.3)),
    "free body": tied,
    "slider-crank": lambda: am.Mechanism(with_strut(am.example("slider-crank").model, "rod")),
}


@pytest.mark.parametrize("name", MACHINES)
def test_the_steps_of_python(name):
    m = MACHINES[name]()
    _, taken = both(m, *moving(m), **OPTIONS, **ALL, **DIFFERENCES)
    assert taken == 20


@pytest.mark.parametrize("name", ["stewart", "car", "rover"])
def test_large_ones(name):
    """Ball joints, a free chassis, 24 and 50 coordinates; wheels that roll, and lock the rover in
    one step that is Python's."""
    m = sprung_car() if name == "car" else tied_example(name)
    options = OPTIONS | {"duration": 0.01}
    run, taken = both(m, *moving(m, 0.2), **options, **DIFFERENCES)
    assert taken == 5 if run.complete else name == "rover" and taken >= 3


@pytest.mark.parametrize("rows", [1, 9])
@pytest.mark.parametrize("make", [bars, tied])
def test_a_row_is_the_single_run(make, rows):
    """With inertias of its own."""
    m, rng = make(), np.random.default_rng(0)
    p = m.parameters * (1.0 + 0.2 * rng.random((rows, len(m.parameters))))
    q, v = moving(m)
    q, v = np.tile(q, (rows, 1)), np.linspace(0.2, 2.0, rows)[:, None] * v
    run, taken = both(m, q, v, **OPTIONS, **DIFFERENCES, parameters=p)
    one = am.simulate(m, q[-1], v[-1], **OPTIONS, parameters=p[-1])
    assert taken == 20
    np.testing.assert_allclose(run.q[:, -1], one.q, rtol=0, atol=1e-10)


def test_a_controller_an_event_and_a_limit():
    """Gains stiffer than the step; events are looked for after native steps."""
    m = bars()
    q, v = moving(m)
    given = {
        "controller": am.PID(m, {"crank": q[0]}, kp=2e4, ki=50.0, kd=200.0),
        "events": [am.Event(lambda t, q, v: q[0] - 0.01, terminal=False)],
    }
    _, taken = both(m, q, v, **OPTIONS, **DIFFERENCES, **given)
    assert taken >= 18
    stop = m.replace(bodies={"crank": {"limits": am.Limits(-0.02, 0.02)}})
    options = OPTIONS | {"duration": 0.1, "events": am.JointLimits(restitution=0.8)}
    native = am.simulate(stop, q, v, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop.Loop, "_native", lambda *_: None)
        plain = am.simulate(stop, q, v, **options)
    assert native.events and native.performance().native > 0.6
    assert [text for _, text in native.events] == [text for _, text in plain.events]
    np.testing.assert_allclose(native.q, plain.q, atol=1e-8, rtol=0)


# -- laws ----------------------------------------------------------------------------------------


def test_third_order():
    """Halving the step divides the error by eight.  The reference integrates the accelerations of
    the closed mechanism without chart and projection."""
    m = bars(pin=am.Passive(spring=60.0, viscous=0.3))
    q, v = moving(m)
    end = reference(m, q, v, 0.2)
    errors = []
    for h in (4e-3, 2e-3):
        run = am.simulate(m, q, v, 0.2, h, "implicit")
        assert run.performance().native == 1.0
        errors.append(np.abs(run.v[-1] - end[1]).max())
    assert 6.5 < errors[0] / errors[1] < 9.5


def test_a_strut_of_ten_million():
    """Its damper decays a hundred times within a step of 1 ms.  Explicit steps are torn apart; the
    implicit ones find what rk4 finds with steps of 1 µs."""
    m = bars(stiffness=1e7, damping=4e5, rest=None)
    q, v = m.initial, np.zeros(3)
    options = {"duration": 0.02, "record": ("q", "v", "energy")}
    run = am.simulate(m, q, v, step=1e-3, method="implicit", **options)
    assert run.complete and run.performance().native == 1.0
    assert (np.diff(run.energy) <= 1e-9 * run.energy[0]).all()
    fine = am.simulate(m, q, v, step=1e-6, every=1000, **options)
    assert fine.complete
    np.testing.assert_allclose(run.q[-1], fine.q[-1], atol=1e-5, rtol=0)
    torn = am.simulate(m, q, v, step=1e-3, **options)
    assert not torn.complete or not np.allclose(torn.q[-1], fine.q[-1], atol=0.1)
