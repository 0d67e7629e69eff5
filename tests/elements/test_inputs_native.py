"""Inputs of force elements over time, in the native loop.

Oracles: the same steps in Python, closed forms, the same force along a joint, single runs.
"""

from itertools import pairwise

import numpy as np
import pytest

import armillary as am
from armillary.sim.loop import control_kernels, loop, native

TIMES = [0.0, 0.05, 0.1, 0.16, 0.25, 1.0]
NATIVE = "in the native loop"


def bent(t):
    """Nothing that can be traced."""
    return 3.0 if t < 0.1 else float(np.cos(8.0 * t))


def signals(kind, *size):
    """Of one number, or of (size,) in different proportions."""
    scale = np.ones(size) if not size else 1.0 + 0.3 * np.arange(size[0])
    values = np.multiply.outer([1.0, 4.0, -3.0, 2.0, 5.0, 1.0], scale)
    if kind == "function":
        return (lambda t: bent(t) * scale) if size else bent
    if kind == "jump":
        return am.Schedule([0, 0.1, 0.1, 0.15, 0.15, 1.0], values)
    return am.Schedule(TIMES, values, kind=kind)


KINDS = ["linear", "hold", "jump", "spline", "function"]


def in_python(*arguments, **options):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop.Loop, "_native", lambda *_: None)
        return am.simulate(*arguments, **options)


def twice(*arguments, tolerance=1e-11, **options):
    """The native run, compared with the one in Python."""
    fast, plain = am.simulate(*arguments, **options), in_python(*arguments, **options)
    assert fast.performance().native > 0.9, fast.performance()
    assert all("asks" not in how for how in fast.performance().steps), fast.performance()
    for name in fast.labels:
        size = 1.0 + np.abs(plain[name]).max()
        np.testing.assert_allclose(fast[name], plain[name], atol=tolerance * size, rtol=0)
    return fast


def cart(mass=2.0):
    b = am.Builder("cart")
    b.body("cart", joint="prismatic", axis="x", mass=mass)
    b.frame("wall", "world", at=(3.0, 0, 0))
    b.spring("jack", "cart", "wall", force=1e-30)
    b.fixed_wrench("gust", "cart", force=(0, 0, 1e-9))
    return b.build()


def crane(links=2, maxwell=False, **options):
    """A chain of links in space, with a jack, a wrench and possibly a Maxwell element."""
    b = am.Builder("crane")
    parent = "world"
    for k in range(links):
        axis = ("y", (0.6, 0.8, 0), "z")[k % 3]
        b.body(f"l{k}", parent, axis=axis, at=(0.3 * (k > 0), 0.02, 0.0), mass=1.0 + 0.1 * k,
               com=(0.15, 0.01, 0.02), inertia=(0.02, 0.03, 0.04))  # fmt: skip
        parent = f"l{k}"
    b.frame("tip", parent, at=(0.3, 0, 0.05))
    b.frame("wall", "world", at=(0.5, 0.4, 1.0))
    b.spring("jack", "tip", "wall", stiffness=20.0, damping=0.5, rest=0.8)
    b.fixed_wrench("gust", "tip", force=(0.1, 0, 0))
    if maxwell:
        b.maxwell("slow", ("l0", "wall"), stiffness=30.0, damping=2.0)
    return b.build(**options)


def slider_crank():
    b = am.Builder("slider-crank")
    b.body("crank", axis="y", mass=1.0, com=(0.1, 0, 0.02), inertia=(0.01, 0.02, 0.03))
    b.body("rod", "crank", axis="y", at=(0.2, 0, 0), mass=1.5, com=(0.3, 0, 0),
           inertia=(0.01, 0.05, 0.05))  # fmt: skip
    b.body("slide", joint="prismatic", axis="x", at=(0.8, 0, 0), mass=2.0)
    b.frame("end", "rod", at=(0.6, 0, 0))
    b.loop("pin", "end", "slide", joint="revolute", axis="y")
    b.frame("wall", "world", at=(2.0, 0, 0.3))
    b.spring("jack", "slide", "wall", stiffness=20.0, damping=1.0, rest=1.0)
    return b.build()


def test_a_cart_is_pushed_by_steps_of_force():
    """Piecewise constant acceleration: x and v by hand, rk4 is exact; a and the force recorded at
    the end of a row are those of the row that ends."""
    push = am.Schedule([0, 0.1, 0.25, 0.4], [4.0, -6.0, 1.0, 0.0], kind="hold", hold=True)
    record = ("q", "v", "a", "element_forces")
    run = am.simulate(cart(), inputs={"jack": push}, duration=0.5, step=5e-3, record=record)
    assert list(run.performance().steps) == [NATIVE]
    x = v = 0.0
    for (t0, t1), force in zip(pairwise([0, 0.1, 0.25, 0.4, 0.5]), [4.0, -6.0, 1, 0], strict=True):
        own = (run.time > t0 + 1e-9) & (run.time < t1 + 1e-9)
        t, a = run.time[own] - t0, force / 2.0
        np.testing.assert_allclose(run.v[own, 0], v + a * t, atol=1e-13)
        np.testing.assert_allclose(run.q[own, 0], x + v * t + a * t * t / 2, atol=1e-13)
        np.testing.assert_allclose(run["a"][own, 0], a, atol=1e-12)
        k = run.labels["element_forces"].index("jack.force")
        np.testing.assert_allclose(run["element_forces"][own, k], force, atol=1e-12)
        h = t1 - t0
        x, v = x + v * h + a * h * h / 2, v + a * h


@pytest.mark.parametrize("kind", KINDS)
def test_a_jack_pushes_as_a_drive_in_the_joint(kind):
    options = {"duration": 0.3, "step": 2e-3, "record": ("q", "v", "a")}
    jack = am.simulate(cart(), inputs={"jack": signals(kind)}, **options)
    drive = am.simulate(cart(), inputs={"cart": signals(kind)}, **options)
    for name in ("q", "v", "a"):
        np.testing.assert_allclose(jack[name], drive[name], atol=1e-12)


RECORD = ("q", "v", "a", "tau", "energy", "element_forces", "reactions")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("maxwell", [False, True])
def test_native_steps_are_those_in_python(kind, maxwell):
    given = {"gust": signals(kind, 6), "jack": signals(kind)}
    twice(crane(maxwell=maxwell), inputs=given, duration=0.3, step=2e-3, record=RECORD)


@pytest.mark.parametrize("kind", KINDS)
def test_in_closed_mechanisms(kind):
    record = ("q", "v", "a", "energy", "constraint_forces")
    options = {"duration": 0.3, "step": 2e-3, "record": record, "tolerance": 1e-9}
    twice(slider_crank(), {"crank": 0.4}, inputs={"jack": signals(kind)}, **options)


@pytest.mark.parametrize("method", ["semi-implicit", "implicit", "exponential", "variational"])
@pytest.mark.parametrize("kind", ["hold", "function"])
def test_with_every_method(method, kind):
    options = {"duration": 0.3, "step": 2e-3, "record": ("q", "v", "a"), "tolerance": 1e-8}
    twice(crane(maxwell=True), inputs={"jack": signals(kind)}, method=method, **options)


@pytest.mark.parametrize("kind", KINDS)
def test_in_loops_over_elements(kind):
    """A chain so long that loops serve its elements, beside a constant and a function over
    scalars."""
    m = crane(links=6, maxwell=True).compile(tier=1)
    given = {"jack": signals(kind), "gust": lambda t: [t, 0, 0, 0.5 * t, 1.0, 0]}
    twice(m, inputs=given, duration=0.3, step=2e-3, record=("q", "v", "a"))


@pytest.mark.parametrize("period", [None, 0.01])
def test_beside_a_controller_and_joint_forces(period):
    m = crane(maxwell=True)
    pid = am.PID(m, kp=20.0, kd=2.0, ki=5.0, target=[0.3, -0.2], period=period)
    given = {"jack": signals("jump"), "gust": signals("function", 6), "l1": signals("linear")}
    twice(m, inputs=given, controller=pid, duration=0.3, step=2e-3, record=RECORD)


@pytest.mark.parametrize("volts", [4.0, am.Schedule(TIMES, [1.0, 4, -3, 2, 5, 1], kind="hold")])
@pytest.mark.parametrize("dac", [None, am.DAC(14, -10.0, 10.0, period=1e-2)])
def test_beside_motors_that_are_fed(volts, dac, monkeypatch):
    """Voltages stand before the inputs of elements; a converter also looks at them where a call of
    the native loop ends."""
    monkeypatch.setattr(native, "_STEPS", 5)
    b = am.Builder("fed")
    motor = am.Motor(resistance=0.8, torque_constant=0.05, gear=20.0, inductance=2e-3)
    b.body("a", axis="z", mass=2.0, com=(0.1, -0.05, 0.2), inertia=(0.2, 0.3, 0.4), motor=motor)
    b.body("b", "a", axis="x", at=(0.1, 0.2, 0), mass=1.0, com=(0, 0.1, 0), inertia=(0.1,) * 3)
    b.frame("wall", "world", at=(1.0, 0.4, 1.0))
    b.spring("jack", "b", "wall", stiffness=5.0, rest=1.0)
    m = b.build()
    motors = None if dac is None else am.DCMotor(m, dac=dac)
    record = ("q", "v", "a", "voltage", "current", "element_forces")
    options = {"actuators": motors, "duration": 0.3, "step": 2e-3, "record": record}
    twice(m, voltages={"a": volts}, inputs={"jack": signals("hold")}, **options)


@pytest.mark.parametrize("kind", ["hold", "function"])
def test_a_road_under_a_tyre(kind):
    """Height and rate of the road, two numbers."""
    b = am.Builder("posts")
    b.body("hub", joint="prismatic", axis="z", at=(0, 0, 0.29), mass=320.0)
    b.tyre("t", "hub", radius=0.3)
    low = signals(kind, 2)
    if kind == "function":
        road = lambda t: 1e-3 * low(t)  # noqa: E731
    else:
        road = am.Schedule(low.times, 1e-3 * low.values, kind=kind)
    options = {"duration": 0.2, "step": 1e-3, "record": ("q", "v", "tyres"), "tolerance": 1e-9}
    twice(b.build(), inputs={"t": road}, **options)


def test_batches_are_single_runs():
    m, q = crane(maxwell=True), np.array([[0.1, 0.2], [0.3, -0.4], [-0.5, 0.6]])
    given = {"jack": signals("hold"), "gust": signals("function", 6)}
    options = {"inputs": given, "duration": 0.3, "step": 2e-3, "record": ("q", "a", "energy")}
    run = twice(m, q, **options)
    for k, q0 in enumerate(q):
        alone = am.simulate(m, q0, **options)
        np.testing.assert_allclose(run.q[:, k], alone.q, atol=1e-11)
        np.testing.assert_allclose(run["a"][:, k], alone["a"], atol=1e-9)


def test_functions_are_asked_once_in_the_order_of_time():
    asked = []

    def push(t):
        asked.append(float(t))  # no node is a float
        return 1.0

    am.simulate(cart(), inputs={"jack": push}, duration=0.1, step=1e-2, record="q,v")
    assert 20 <= len(asked) <= 31 and min(np.diff(asked)) > -1e-12


def test_a_function_that_fails_stops_the_run_where_it_does():
    def push(t):
        return 1.0 / (0.0 if t > 0.05 else float(t >= 0.0))

    with pytest.raises(ZeroDivisionError):
        am.simulate(cart(), inputs={"jack": push}, duration=0.1, step=1e-2)
    with pytest.raises(am.InputError, match=r"inputs\['jack'\]: expected 1 numbers"):
        am.simulate(cart(), inputs={"jack": lambda t: np.zeros(2) + float(t)}, duration=0.1)


def test_code_is_used_again_for_other_numbers(monkeypatch):
    """What is handed over is no part of the code."""
    made, m = [], cart()
    compile_ = control_kernels.compile_function
    monkeypatch.setattr(
        control_kernels, "compile_function", lambda *x: made.append(x) or compile_(*x)
    )
    for values in ([1.0, 2.0], [3.0, -1.0]):
        push = am.Schedule([0.0, 0.5], values, kind="hold", hold=True)
        am.simulate(m, inputs={"jack": push}, duration=0.1)
    am.simulate(m, inputs={"jack": bent}, duration=0.1)
    assert len(made) == 1
