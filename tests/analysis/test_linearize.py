"""Linear models: closed forms, published roots, differences along the manifold, names, refusals."""

import numpy as np
import pytest
from scipy import signal

import armillary as am
from accuracy.published import EIGENVALUES
from analysis.small_motion import Manifold
from armillary.errors import InputError, ModelError
from samples import random_model, random_state

G = 9.81


def pendulum(damping=0.0):
    b = am.Builder("pendulum", (0, 0, -G))
    b.body("bar", axis="y", mass=1.3, com=(0, 0, -0.4), inertia=(0.07, 0.07, 0.01),
           passive=am.Passive(viscous=damping))  # fmt: skip
    b.frame("tip", "bar", (0, 0, -0.8))
    return b.build()


def check(model, m, tolerance=2e-6):
    """All four matrices against differences, relative to the largest entry of each."""
    found = (model.A, model.B, model.C, model.D)
    for ours, theirs in zip(found, Manifold(m, model).matrices(model), strict=True):
        size = 1.0 + np.abs(theirs).max(initial=0.0)
        np.testing.assert_allclose(ours, theirs, atol=tolerance * size)


# -- closed forms ------------------------------------------------------------------------------


@pytest.mark.parametrize("down", [True, False])
def test_a_pendulum(down):
    m = pendulum(0.2)
    model = m.linearize([0.0 if down else np.pi], outputs=["bar", "tip.position", "tip.velocity"])
    moment, weight = 0.07 + 1.3 * 0.16, 1.3 * G * 0.4
    sign = -1 if down else 1
    np.testing.assert_allclose(
        model.A, [[0, 1], [sign * weight / moment, -0.2 / moment]], atol=1e-12
    )
    np.testing.assert_allclose(model.B, [[0], [1 / moment]], rtol=1e-13)
    assert model.about == "rest"
    rows = dict(zip(model.outputs, model.C, strict=True))
    np.testing.assert_allclose(rows["tip.position.x"], [sign * 0.8, 0], atol=1e-12)
    np.testing.assert_allclose(rows["tip.velocity.vx"], [0, sign * 0.8], atol=1e-12)
    np.testing.assert_allclose(rows["tip.velocity.wy"], [0, 1], atol=1e-12)


def test_a_double_pendulum_of_points():
    """Equal masses and lengths: w² = (2 ± √2) g / l."""
    b = am.Builder("double", (0, 0, -G))
    b.body("one", axis="y", mass=2.0, com=(0, 0, -0.7))
    b.body("two", "one", at=(0, 0, -0.7), axis="y", mass=2.0, com=(0, 0, -0.7))
    model = b.build().linearize()
    expected = np.sqrt((2 + np.array([1, -1]) * np.sqrt(2)) * G / 0.7)
    found = np.sort(np.abs(model.eigenvalues.imag))[::2]
    np.testing.assert_allclose(found, np.sort(expected), rtol=1e-10)


def test_a_cart_with_a_pole():
    """x'' = (u - m g θ) / M, θ'' = ((M + m) g θ - u) / (M l)  of a massless pole, upright."""
    M, mass, arm = 3.0, 0.5, 0.6
    b = am.Builder("cart", (0, 0, -G))
    b.body("cart", joint="prismatic", axis="x", mass=M)
    b.body("pole", "cart", axis="y", mass=mass, com=(0, 0, arm))
    model = b.build().linearize(inputs="cart")
    A = np.zeros((4, 4))
    A[0, 2] = A[1, 3] = 1.0
    A[2, 1], A[3, 1] = -mass * G / M, (M + mass) * G / (M * arm)
    np.testing.assert_allclose(model.A, A, atol=1e-12)
    np.testing.assert_allclose(model.B[:, 0], [0, 0, 1 / M, -1 / (M * arm)], atol=1e-13)


def test_a_parallelogram_of_equal_bars_is_a_pendulum():
    """Four-bar about rest: cranks of length l and mass m, coupler of mass M that does not turn:
    w² = (m + M) g / ((2 m / 3 + M) l)."""
    m_crank, m_coupler, length = 0.8, 1.7, 0.5
    b = am.Builder("swing", (0, 0, -G))
    bar = {"mass": m_crank, "com": (0, 0, -length / 2), "inertia": (m_crank * length**2 / 12,) * 3}
    b.body("left", axis="y", **bar)
    b.body("coupler", "left", at=(0, 0, -length), axis="y", mass=m_coupler, com=(0.4, 0, 0.0),
           inertia=(0.01, 0.09, 0.09))  # fmt: skip
    b.body("right", at=(0.8, 0, 0), axis="y", **bar)
    b.frame("end", "coupler", (0.8, 0, 0))
    b.frame("tip", "right", (0, 0, -length))
    b.loop("pin", "end", "tip", "revolute", axis="y")
    swing = b.build()
    model = swing.linearize(independent=["left"])
    assert model.states == ("left", "v.left")
    square = (m_crank + m_coupler) * G / ((2 * m_crank / 3 + m_coupler) * length)
    np.testing.assert_allclose(model.A, [[0, 1], [-square, 0]], rtol=1e-9, atol=1e-12)
    # the coupler turns back against the left crank, the right one with it
    np.testing.assert_allclose(model.coordinates(np.array([1.0, 0.0]))[0], [1, -1, 1], atol=1e-12)


def ridden(speed):
    m = am.example("bicycle")
    v = {"rear-frame.vx": speed, "rear-wheel": speed / 0.3, "front-wheel": speed / 0.35}
    return m.linearize(m.initial, v if speed else None)


@pytest.mark.parametrize("speed", EIGENVALUES)
def test_the_benchmark_bicycle(speed):
    """Weave, capsize and castering [Meijaard et al. 2007, table 2], 14 digits, beside six zeros:
    place, heading, two wheel angles and the speed."""
    model = ridden(speed)
    assert model.about == ("steady motion" if speed else "rest")
    assert len(model.variations.positions) == 7
    assert len(model.variations.velocities) == 3
    roots = model.eigenvalues[np.argsort(-np.abs(model.eigenvalues))]
    np.testing.assert_allclose(np.sort_complex(roots[:4]), np.sort_complex(EIGENVALUES[speed]),
                               rtol=1e-11)  # fmt: skip
    assert np.abs(roots[4:]).max() < 1e-6


def wheel_on_a_fork(radius=0.4, mass=2.0, across=0.05, along=0.11):
    """A disc whose heading, lean and spin are coordinates of their own; carriers without mass."""
    b = am.Builder("disc", (0, 0, -G))
    b.body("place", joint="planar", axis="z", mass=0.0)
    b.body("lift", "place", "prismatic", axis="z", mass=0.0)
    b.body("lean", "lift", axis="x", mass=0.0)
    b.body("disc", "lean", axis="y", mass=mass, inertia=(across, along, across))
    b.wheel(am.Wheel("rim", "disc", radius, (0.0, 1.0, 0.0)))
    b.initial["lift"] = radius
    return b.build()


@pytest.mark.parametrize("part", [0.5, 0.999, 1.001, 2.0])
def test_an_upright_rolling_disc_is_stable_above_its_critical_speed(part):
    """λ² = (m g r - (C + m r²) C Ω² / A) / (A + m r²)."""
    r, mass, across, along = 0.4, 2.0, 0.05, 0.11
    critical = np.sqrt(mass * G * r * across / (along * (along + mass * r**2)))
    spin = part * critical
    m = wheel_on_a_fork(r, mass, across, along)
    model = m.linearize(m.initial, {"place.x": r * spin, "disc": spin})
    assert model.about == "steady motion"
    square = (mass * G * r - (along + mass * r**2) * along * spin**2 / across) / (
        across + mass * r**2
    )
    expected = np.sqrt(complex(square))
    roots = model.eigenvalues[np.argsort(-np.abs(model.eigenvalues))][:2]
    np.testing.assert_allclose(np.sort_complex(roots), np.sort_complex([expected, -expected]),
                               rtol=1e-7, atol=1e-8)  # fmt: skip
    assert (roots.real.max() > 1e-3) == (part < 1)


def circling(m, lean=0.3, yaw=1.1, radius=0.4):
    """Steady circles of the disc: the spin at which the lean does not accelerate, by secants."""
    q = np.array(m.initial)
    q[m.q_labels.index("lean")], q[m.q_labels.index("lift")] = lean, radius * np.cos(lean)
    spin = 5.0
    for _ in range(20):
        rates = []
        for s in (spin, spin + 1e-5):
            _, v = m.project(q, {"place.angle": yaw, "lean": 0.0, "disc": s})
            rates.append(m.forward_dynamics(q, v, np.zeros(m.nv))[m.v_labels.index("lean")])
        spin -= rates[0] * 1e-5 / (rates[1] - rates[0])
    return q, m.project(q, {"place.angle": yaw, "lean": 0.0, "disc": spin})[1]


def test_a_disc_in_steady_circles():
    """Its place accelerates, its independent velocities do not; A is that of differences."""
    m = wheel_on_a_fork()
    q, v = circling(m)
    model = m.linearize(q, v, outputs=["lean", "v.place.x", "disc.position", "disc.velocity"])
    assert model.about == "steady motion"
    assert set(model.states[-3:]) == {"v.place.angle", "v.lean", "v.disc"}
    check(model, m)


def test_modes_of_the_disc_in_circles_are_those_of_a_run():
    """It wobbles at the frequency of its one oscillation; on a free joint its axes turn with it."""
    m = wheel_on_a_fork()
    q, v = circling(m)
    found = m.modes(q, v)
    (wobble,) = (x for x in found if x.kind == "oscillation")
    k = m.v_labels.index("lean")
    free = [m.v_labels[n] for n in found.model.variations.velocities]
    pushed = m.project(q, {n: v[m.v_labels.index(n)] + 1e-3 * (n == "lean") for n in free})[1]
    run = am.simulate(m, q, pushed, duration=2.0, step=2e-3)
    lean = run["q"][:, m.q_labels.index("lean")] - q[m.q_labels.index("lean")]
    i = np.flatnonzero(np.diff(np.sign(lean[1:]))) + 1
    crossings = run.time[i] - lean[i] * (run.time[i + 1] - run.time[i]) / (lean[i + 1] - lean[i])
    assert abs(wobble.shape[k]) > 0.1
    assert 0.5 / np.diff(crossings).mean() == pytest.approx(wobble.frequency, rel=1e-2)

    disc = am.example("rolling-disc")
    start = np.array(disc.initial)
    moving = disc.project(start, [0.0, 6.0, 0.0, 0, 0, 0])[1]
    with pytest.raises(am.InputError, match="along the body's own axes, which turn with it"):
        disc.modes(start, moving)


def test_a_spinning_rotor_in_lopsided_bearings_is_no_steady_motion():
    """Its axis stands still all the time, yet A changes with the angle."""
    b = am.Builder("rotor", (0, 0, 0))
    b.body(
        "yoke",
        joint="universal",
        mass=0.0,
        passive=[am.Passive(spring=30.0), am.Passive(spring=90.0)],
    )
    b.body("rotor", "yoke", axis="z", mass=1.0, inertia=(0.2, 0.05, 0.1))
    m = b.build()
    assert m.linearize([0, 0, 0.3], [0, 0, 40.0]).about == "passing state"
    # and so beside a bearing of 5 kHz, by whose rate those of the yoke are nothing
    b.body("seat", joint="prismatic", axis="z", mass=1.0, passive=am.Passive(spring=1e9))
    assert b.build().linearize([0, 0, 0.3, 0], [0, 0, 40.0, 0]).about == "passing state"
    b = am.Builder("round", (0, 0, 0))
    b.body(
        "yoke",
        joint="universal",
        mass=0.0,
        passive=[am.Passive(spring=30.0), am.Passive(spring=90.0)],
    )
    b.body("rotor", "yoke", axis="z", mass=1.0, inertia=(0.1, 0.1, 0.1))
    assert b.build().linearize([0, 0, 0.3], [0, 0, 40.0]).about == "steady motion"
    b.body("seat", joint="prismatic", axis="z", mass=1.0, passive=am.Passive(spring=1e9))
    assert b.build().linearize([0, 0, 0.3, 0], [0, 0, 40.0, 0]).about == "steady motion"


# -- differences along the manifold ---------------------------------------------------------------


@pytest.mark.parametrize("seed", range(2))
def test_nasty_trees_in_motion(seed):
    """All joint types, full tensors, springs and dampers; quaternions that turn."""
    model = random_model(seed, bodies=4)
    m = am.Mechanism(model)
    q, v, tau, *_ = random_state(model, seed)
    frame = m.bodies[-1]
    found = m.linearize(q, v, tau, outputs=[m.v_labels[0], f"a.{m.v_labels[-1]}",
                        f"{frame}.position", f"{frame}.rotation", f"{frame}.velocity"],
                        wrenches=[frame], inputs=m.v_labels[:2])  # fmt: skip
    assert found.about == "passing state"
    check(found, m, 2e-5)


def test_free_bodies_that_tumble():
    """K: brackets of twists of a free body and of a ball."""
    b = am.Builder("tumbling", (0, 0, -3.0))
    b.body(
        "box",
        joint="free",
        mass=2.0,
        com=(0.1, -0.2, 0.05),
        inertia=(0.2, 0.3, 0.4, 0.02, 0.01, 0.03),
    )
    b.body("ball", "box", "spherical", (0.3, 0.1, 0.2), mass=1.0, com=(0, 0, 0.3),
           inertia=(0.02, 0.03, 0.04))  # fmt: skip
    m = b.build()
    q, v, _ = m.random_state(3)
    check(m.linearize(q, 2 * v, outputs=["ball.velocity", "box.rotation"]), m)


@pytest.mark.parametrize("name", [
    "four-bar", "bicycle", *(pytest.param(x, marks=pytest.mark.soak) for x in (
        "slider-crank", "stewart", "hslm", "rover", "two-link-load"))])  # fmt: skip
def test_closed_and_rolling_mechanisms_in_motion(name):
    m, rng = am.example(name), np.random.default_rng(1)
    size = m.constraint_solver.equations.scaling.columns
    kick = 0.02 * rng.normal(size=m.nv) * size
    q, v = m.project(m.integrate(m.initial, kick), rng.normal(size=m.nv) * size)
    model = m.linearize(q, v, 0.1 * rng.normal(size=m.nv), inputs=m.v_labels[:2],
                        outputs=[f"{m.bodies[-1]}.velocity", f"a.{m.v_labels[-1]}"])  # fmt: skip
    check(model, m, 3e-4 if name == "rover" else 2e-5)


# -- the face -------------------------------------------------------------------------------------


def test_scipy_takes_it():
    model = pendulum(0.3).linearize(outputs=["bar"])
    system = model.to_scipy()
    assert isinstance(system, signal.StateSpace)
    assert isinstance(system, signal.lti)
    t, response = signal.step(system, N=200)
    # of x'' + 2 d x' + w² x = u / I from rest
    w2, d = -model.A[1, 0], -model.A[1, 1] / 2
    f = np.sqrt(w2 - d * d)
    swing = np.exp(-d * t) * (np.cos(f * t) + d / f * np.sin(f * t))
    np.testing.assert_allclose(response, model.B[1, 0] / w2 * (1 - swing), atol=1e-9)


def test_text_names_states_inputs_and_units():
    model = pendulum().linearize()
    text = str(model)
    assert repr(model) == text
    for words in ("about rest", "bar [rad]", "v.bar [rad/s]", "bar [N m]"):
        assert words in text
    assert model._repr_html_().startswith("<pre")


def test_what_is_refused():
    m, bars = pendulum(), am.example("four-bar")
    for bad, error, words in (
        (lambda: m.linearize(np.zeros((3, 1))), InputError, "expected one state"),
        (lambda: m.linearize(outputs=["tip.place"]), ModelError, "no output named 'tip.place'"),
        (lambda: m.linearize(inputs=["leg"]), ModelError, "no joint named 'leg'"),
        (lambda: m.linearize(tau="keep"), InputError, "'hold'"),
        (lambda: m.linearize(independent=["bar"]), InputError, "has no constraints"),
        (lambda: bars.linearize(bars.initial + 0.1), ModelError, "is open at q"),
        (lambda: bars.linearize(bars.initial, [1.0, 1.0, 1.0]), InputError, "do not allow v"),
        (lambda: bars.linearize(independent=["crank", "rocker"]), InputError, "'rocker' depends"),
        (lambda: m.linearize(inputs=["bar", "bar"]), InputError, "named twice"),
    ):
        with pytest.raises(error, match=words):
            bad()


def test_held_states_rest_and_others_say_that_they_pass():
    arm = am.example("six-r")
    q = arm.random_state(2)[0]
    assert arm.linearize(q, tau="hold").about == "rest"
    loose = arm.linearize(q)
    assert loose.about == "passing state"
    assert "accelerates" in loose.notes[0]
    assert any("dry friction of" in text for text in _rough().linearize().notes)


def _rough():
    b = am.Builder("rough")
    b.body("bar", axis="y", mass=1.0, com=(0, 0, -0.4), passive=am.Passive(coulomb=0.2))
    return b.build()
