"""Force elements as inputs of linear models: a quarter car by hand; differences of accelerations
with the numbers of the element, of trees, closed and rolling mechanisms."""

from dataclasses import replace

import numpy as np
import pytest
from machines import tree

import armillary as am

WHEEL, CAR = 40.0, 300.0


def quarter_car():
    b = am.Builder("quarter car")
    b.body("wheel", joint="prismatic", axis="z", mass=WHEEL)
    b.body("car", joint="prismatic", axis="z", at=(0, 0, 0.5), mass=CAR)
    b.frame("road", "world", at=(0, 0, -0.3))
    b.spring("tyre", "road", "wheel", stiffness=2e5, preload=-(WHEEL + CAR) * 9.81)
    b.spring("strut", "wheel", "car", stiffness=2e4, damping=1500.0, preload=-CAR * 9.81)
    b.spring("stop", "wheel", "car", stiffness=1e5, rest=0.4, side="push")
    b.fixed_wrench("gust", "car", force=(0, 0, 1e-9), moment=(0, 0, 0))
    return b.build()


def test_a_quarter_car_with_an_actuator_in_its_strut():
    """m_w w'' = -k_t w + k (c - w) + d (c' - w') + u,   m_c c'' = -k (c - w) - d (c' - w') - u."""
    model = quarter_car().linearize(inputs=["strut", "gust.fz", "wheel"])
    k, d, t = 2e4, 1500.0, 2e5
    A = [
        [0, 0, 1, 0],
        [0, 0, 0, 1],
        [-(k + t) / WHEEL, k / WHEEL, -d / WHEEL, d / WHEEL],
        [k / CAR, -k / CAR, d / CAR, -d / CAR],
    ]
    B = [[0, 0, 0], [0, 0, 0], [1 / WHEEL, 0, 1 / WHEEL], [-1 / CAR, 1 / CAR, 0]]
    np.testing.assert_allclose(model.A, A, atol=1e-9)
    np.testing.assert_allclose(model.B, B, atol=1e-15)
    assert model.inputs == ("strut", "gust.fz", "wheel") and model.input_units == ("N",) * 3


def test_all_six_of_a_wrench_and_the_moment_of_a_shaft():
    m = quarter_car()
    model = m.linearize(inputs="gust", outputs=["a.car"])
    assert model.inputs == tuple(f"gust.{x}" for x in ("nx", "ny", "nz", "fx", "fy", "fz"))
    assert model.input_units == ("N m",) * 3 + ("N",) * 3
    np.testing.assert_allclose(model.D, [[0, 0, 0, 0, 0, 1 / CAR]], atol=1e-15)
    b = am.Builder("drive", gravity=(0, 0, 0))
    b.body("motor", axis="x", mass=1.0, inertia=(0.001,) * 3)
    b.body("load", axis="x", mass=1.0, inertia=(2.0,) * 3)
    b.coordinate_spring("shaft", {"motor": 1, "load": -50}, stiffness=10.0)
    shaft = b.build().linearize(inputs=["shaft"])
    np.testing.assert_allclose(shaft.B[2:], [[-1 / 0.001], [50 / 2.0]], rtol=1e-13)
    assert shaft.input_units == ("N m",)


def bar(b):
    """A strut and a wrench along the axes of a frame on another body, on a machine."""
    foot = am.Frame("foot", "world", am.Pose((0.2, 0.3, -1.9)))
    b.spring("jack", foot, "eye", stiffness=200.0, damping=2.0, force=3.0)
    b.fixed_wrench("gust", "eye", force=(1.0, 2.0, 3.0), moment=(0.1, -0.2, 0.3))


def open_machine():
    b = tree("nasty")
    bar(b)
    return b.build()


def closed_machine():
    b = am.Builder("four-bar", gravity=(0.5, 0, -9.81))
    size = {"mass": 1.3, "com": (0.1, 0.05, -0.4), "inertia": (0.1, 0.12, 0.03)}
    b.body("left", joint="revolute", axis="y", **size)
    b.body("coupler", "left", joint="revolute", axis="-y", at=(0, 0, -0.8), **size)
    b.body("right", joint="revolute", axis="y", at=(1.0, 0.1, 0), **size)
    first = am.Frame("one", "coupler", am.Pose((1.0, 0.1, 0.1)))
    second = am.Frame("two", "right", am.Pose((0, 0, -0.7)))
    b.loop("pin", first, second, "spherical")
    b.frame("eye", "coupler", at=(0.5, 0, -0.2))
    bar(b)
    return b.build()


def rolling_machine():
    """A disc that rolls; heading, lean and spin are coordinates of their own."""
    b = am.Builder("disc")
    b.body("place", joint="planar", axis="z", mass=0.5, inertia=(0.01,) * 3)
    b.body("lift", "place", "prismatic", axis="z", mass=0.1)
    b.body("lean", "lift", axis="x", mass=0.3, com=(0.01, 0.02, 0.1), inertia=(0.01,) * 3)
    b.body("disc", "lean", axis="y", mass=2.0, inertia=(0.1, 0.2, 0.1))
    b.wheel(am.Wheel("rim", "disc", 0.4, (0.0, 1.0, 0.0)))
    b.initial["lift"] = 0.4
    b.frame("eye", "lean", (0.1, 0.05, 0.1))
    bar(b)
    return b.build()


def changed(m, name, k, h):
    """The same machine with more force of the jack, or more of one component of the gust."""
    if name == "jack":
        return m.replace(elements={"jack": {"force": 3.0 + h}})
    moment, force = np.array([0.1, -0.2, 0.3]), np.array([1.0, 2.0, 3.0])
    (moment if k < 3 else force)[k % 3] += h
    return m.replace(elements={"gust": {"force": tuple(force), "moment": tuple(moment)}})


@pytest.mark.parametrize("make", [open_machine, closed_machine, rolling_machine])
def test_differences_of_accelerations(make):
    m = make()
    rng = np.random.default_rng(3)
    q = m.integrate(np.array(m.initial, float), 0.2 * rng.normal(size=m.nv))
    v = rng.normal(size=m.nv)
    if m.constraints:
        q, v = m.project(q, v)
    tau = rng.normal(size=m.nv)
    rates = [f"a.{label}" for label in m.v_labels]
    model = m.linearize(q, v, tau, inputs=["jack", "gust"], outputs=rates)
    h = 1e-2  # accelerations are linear in them
    wanted = np.zeros((m.nv, 7))
    for k, (name, entry) in enumerate([("jack", 0), *(("gust", i) for i in range(6))]):
        up, down = (changed(m, name, entry, s * h).forward_dynamics(q, v, tau) for s in (1, -1))
        wanted[:, k] = (up - down) / (2 * h)
    size = np.abs(wanted).max()
    assert size > 0.1
    np.testing.assert_allclose(model.D, wanted, atol=1e-9 * size)
    rows = [m.v_labels.index(x[2:]) for x in model.states if x.startswith("v.")]
    first = len(model.independent)
    np.testing.assert_allclose(model.B[first : first + len(rows)], wanted[rows], atol=1e-9 * size)
    assert not model.B[:first].any()


def wheel(model):
    b = am.Builder("wheel")
    b.body("sledge", joint="prismatic", axis="x", mass=1.0)
    b.body("hub", "sledge", "prismatic", (0, 0, 0.29), axis="z", mass=20.0, inertia=(1, 1, 1))
    b.body("rim", "hub", "revolute", axis="y", mass=5.0, inertia=(0.1, 0.2, 0.1))
    b.tyre("tread", "rim", radius=0.3, model=model)
    return b.build()


def test_the_road_under_a_tyre():
    """Height and rate of the road push through the radial spring and damper."""
    m = wheel(am.tyres.Linear(stiffness=1e5, damping=300.0, progressive=0.0))
    model = m.linearize(inputs="tread", outputs="a.hub")
    assert model.inputs == ("tread.height", "tread.rate") and model.input_units == ("m", "m/s")
    np.testing.assert_allclose(model.D, [[1e5 / 25.0, 300.0 / 25.0]], rtol=1e-9)


def test_the_road_under_a_tyre_with_states():
    """A locked wheel that slides, its carcass bent: the load has a part in the rate of that.  One
    step of Euler's method in a run gives the rates and accelerations."""
    m = wheel(am.tyres.SpringDamper(stiffness=1e5, damping=300.0))
    (part,) = m.model.elements
    bent = replace(part, law=replace(part.law, state=(-1e-3, 2e-3)))
    m = am.Mechanism(replace(m.model, elements=(bent,)))
    q, v, dt, h = np.zeros(3), np.array([30.0, 0.1, 0.0]), 1e-7, 1e-6
    model = m.linearize(q, v, inputs="tread")
    assert model.states[-2:] == ("tread.ux", "tread.uy")
    steps = {"duration": dt, "step": dt, "method": "euler", "record": "v,states"}
    wanted = np.zeros((5, 2))
    for k in range(2):
        ends = []
        for s in (1.0, -1.0):
            lift = [s * h * (k == 0), s * h * (k == 1)]
            run = am.simulate(m, q, v, inputs={"tread": lift}, **steps)
            ends.append(np.array([*(run.v[-1] - run.v[0]), *np.diff(run["states"], axis=0)[0]]))
        wanted[:, k] = (ends[0] - ends[1]) / (2 * h * dt)
    assert abs(wanted[3]).max() > 1.0  # of the carcass
    for ours, theirs in zip(model.B[3:], wanted, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-3 * max(1.0, abs(theirs).max()))


def test_what_is_refused():
    m = quarter_car()
    with pytest.raises(am.InputError, match="this spring takes none"):
        m.linearize(inputs="stop")
    with pytest.raises(am.ModelError, match="no joint or force element named 'strud'"):
        m.linearize(inputs="strud")
    with pytest.raises(am.ModelError, match="no input of an element named"):
        m.linearize(inputs="gust.fq")
    with pytest.raises(am.InputError, match="named twice"):
        m.linearize(inputs=["gust", "gust.fx"])
