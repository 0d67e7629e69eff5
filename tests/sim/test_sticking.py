"""Dry friction that sticks and slips: closed forms, and nothing creeps."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import armillary as am
from armillary.errors import InputError
from compare import close

G = 9.81


def block(angle: float = 0.0, mass: float = 2.0, **friction) -> am.Mechanism:
    """A block on a slope that climbs along +x by `angle`."""
    b = am.Builder("block")
    b.body("block", joint="prismatic", rpy=(0.0, -angle, 0.0), axis="x", mass=mass,
           passive=am.Passive(**friction))  # fmt: skip
    return b.build()


@pytest.mark.parametrize("method", ["rk4", "dopri5", "heun"])
def test_a_block_comes_to_rest_on_a_slope_and_stays(method):
    """μ > tan(angle): it stops after v²/2a, and from then on not one bit of q moves."""
    angle, mu, v0 = 0.3, 0.5, 1.5
    run = am.simulate(block(angle, load_radial=mu), [0.0], [v0], 1.0, 1e-2, method=method,
                      events=am.StickSlip())  # fmt: skip
    brake = G * (np.sin(angle) + mu * np.cos(angle))
    stopped = run.time > v0 / brake
    assert 0.5 < stopped.mean() < 0.95
    assert np.unique(run.q[stopped]).size == 1
    assert not run.v[stopped].any()
    close(run.q[-1], [v0**2 / (2 * brake)], 1e-12)


def test_semi_implicit_steps_stick_too():
    run = am.simulate(block(0.3, coulomb=12.0), [0.0], [0.5], 0.2, 1e-3, method="semi-implicit",
                      events=am.StickSlip())  # fmt: skip
    still = run.time > run.events[0][0]
    assert np.unique(run.q[still]).size == 1
    assert run.q[-1, 0] == pytest.approx(0.5**2 / (2 * (6.0 + G * np.sin(0.3))), rel=0.05)


def test_a_block_slides_back_on_a_steep_slope():
    """μ < tan(angle): up with sin + μ cos, down with sin - μ cos."""
    angle, mu, v0 = 0.6, 0.3, 1.5
    run = am.simulate(block(angle, load_radial=mu), [0.0], [v0], 1.0, 1e-2, events=am.StickSlip())
    up, down = (G * (np.sin(angle) + s * mu * np.cos(angle)) for s in (1.0, -1.0))
    left = 1.0 - v0 / up
    close(run.v[-1], [-down * left], 1e-12)
    close(run.q[-1], [v0**2 / (2 * up) - 0.5 * down * left**2], 1e-12)


def test_an_oscillator_with_dry_friction():
    """Turning points x0 - 2 n F/k every half period, until one lies within F/k: there it stays."""
    k, mass, force, x0 = 80.0, 2.0, 6.0, 0.5
    m = block(mass=mass, coulomb=force, spring=k)
    run = am.simulate(m, [x0], [0.0], 3.0, 5e-3, events=am.StickSlip(["block"]))
    half = np.pi * np.sqrt(mass / k)
    count = int(np.ceil((x0 - force / k) / (2 * force / k)))
    last = (-1) ** count * (x0 - 2 * count * force / k)
    still = run.time > count * half
    assert count == 3
    assert np.unique(run.q[still]).size == 1
    close(run.q[-1], [last], 1e-8)
    stops = [t for t, text in run.events if "stops" in text]
    close(stops, half * np.arange(1, count + 1), 1e-8)


def test_a_ramp_breaks_it_loose():
    """Sticks while the force is below the level, then m x'' = rate (t - t_s)."""
    force, rate, mass = 4.0, 8.0, 2.0
    run = am.simulate(block(mass=mass, coulomb=force), duration=1.0, step=2e-2,
                      inputs={"block": lambda t: rate * t}, events=am.StickSlip())  # fmt: skip
    start = force / rate
    late = np.clip(run.time - start, 0.0, None)
    close(run.q[:, 0], rate * late**3 / (6 * mass), 1e-12)
    assert not run.v[run.time < start].any()


def test_a_force_that_jumps():
    """Sampled forces change between two steps; the joint slips at that very instant."""
    run = am.simulate(block(mass=2.0, coulomb=4.0), duration=0.6, step=1e-2, period=0.1,
                      controller=lambda t, q, v: [10.0 if t > 0.25 else 3.0],
                      events=am.StickSlip())  # fmt: skip
    late = np.clip(run.time - 0.3, 0.0, None)
    close(run.q[:, 0], 0.5 * 3.0 * late**2, 1e-12)


def pulled(t0, x0, v0, sticks, end):
    """Piecewise, by SciPy: a block of 1 kg pulled through a spring of 40 N/m at 0.1 m/s."""
    level = lambda v: 2.0 + 1.5 * np.exp(-((v / 0.05) ** 2))  # noqa: E731
    pull = lambda t, x: 40.0 * (0.1 * t - x)  # noqa: E731
    while t0 < end:
        if sticks:
            t1 = (3.5 / 40.0 + x0) / 0.1
            if t1 >= end:
                return x0, 0.0
            t0, sticks = t1, False
        rest = lambda t, x: x[1] + 1e-15 * (t == t0)  # noqa: B023, E731
        rest.terminal, rest.direction = True, -1
        rate = lambda t, x: [x[1], pull(t, x[0]) - level(x[1])]  # noqa: E731
        # a nudge: at the instant of breaking away nothing moves yet
        s = solve_ivp(rate, (t0, end), [x0, max(v0, 1e-12)], rtol=1e-11, atol=1e-14, events=rest)
        t0, (x0, v0) = s.t[-1], s.y[:, -1]
        sticks, v0 = (True, 0.0) if t0 < end else (False, v0)
    return x0, v0


def test_stick_slip_of_a_pulled_block():
    """Static friction above Coulomb friction: it sticks and slips over and over."""
    m = block(mass=1.0, coulomb=2.0, static=3.5, stribeck=0.05)
    run = am.simulate(m, duration=4.5, step=4e-3, events=am.StickSlip(),
                      controller=lambda t, q, v: 40.0 * (0.1 * t - q))  # fmt: skip
    texts = [text for _, text in run.events]
    assert texts[:4] == ["'block' slips", "'block' stops"] * 2
    assert len(texts) >= 5
    x, v = pulled(0.0, 0.0, 0.0, True, 4.5)
    close([run.q[-1, 0], run.v[-1, 0]], [x, v], 2e-5)
    assert (run.v >= 0.0).all()


def stack() -> am.Mechanism:
    """A block on a block on the ground; friction by the weights above."""
    b = am.Builder("stack")
    b.body("lower", joint="prismatic", axis="x", mass=3.0, passive=am.Passive(load_radial=0.2))
    b.body("upper", "lower", "prismatic", (0, 0, 0.1), axis="x", mass=1.0,
           passive=am.Passive(load_radial=0.4))  # fmt: skip
    return b.build()


@pytest.mark.parametrize(
    ("force", "lower", "upper"),
    [
        (7.0, 0.0, 0.0),  # below 0.2 · 4 · 9.81
        (20.0, (20.0 - 0.8 * G) / 4.0, 0.0),  # together
        (40.0, (40.0 - 0.8 * G - 0.4 * G) / 3.0, None),  # the upper one is left behind
    ],
)
def test_two_blocks(force, lower, upper):
    run = am.simulate(stack(), duration=0.2, step=1e-2, inputs={"lower": force},
                      events=am.StickSlip(), record=("q", "v", "a"))  # fmt: skip
    relative = 0.0 if upper is not None else 0.4 * G - lower
    close(run.a[1:], np.tile([lower, relative], (len(run.time) - 1, 1)), 1e-11)
    close(run.q[-1], 0.5 * 0.2**2 * np.array([lower, relative]), 1e-12)


def test_a_batch_runs_as_its_rows():
    m, v0 = stack(), np.array([[1.0, -0.5], [0.3, 0.8], [0.0, 0.0]])
    both = am.simulate(m, np.zeros((3, 2)), v0, 0.8, 4e-2, events=am.StickSlip())
    for row in range(3):
        alone = am.simulate(m, np.zeros(2), v0[row], 0.8, 4e-2, events=am.StickSlip())
        close(both.q[:, row], alone.q, 1e-12)
        assert not both.v[-1, row].any()
    assert not both.q[:, 2].any()


def test_a_motor_with_states_breaks_loose():
    """The current of a motor is a state of its own; it rises until the joint slips."""
    b = am.Builder("drive")
    b.body("rotor", joint="revolute", axis="z", mass=1.0, inertia=(0.02, 0.02, 0.03),
           passive=am.Passive(coulomb=0.6),
           motor=am.Motor(resistance=2.0, torque_constant=0.5, inductance=0.1))  # fmt: skip
    m = b.build()
    run = am.simulate(m, duration=0.3, step=1e-3, controller=lambda t, q, v: [4.0],
                      actuators=am.DCMotor(m), events=am.StickSlip())  # fmt: skip
    current = 0.6 / 0.5
    slip = -0.1 / 2.0 * np.log(1.0 - current * 2.0 / 4.0)  # i = U/R (1 - exp(-t R/L))
    assert run.events[0][0] == pytest.approx(slip, abs=1e-7)
    assert not run.v[run.time < slip].any()
    assert (run.v[run.time > slip + 1e-3] > 0.0).all()


def test_a_closed_mechanism_comes_to_rest():
    m = am.example("four-bar")
    name = m.bodies[0]
    rough = m.replace(bodies={name: {"passive": am.Passive(coulomb=0.3)}})
    run = am.simulate(rough, duration=2.0, step=4e-3, events=am.StickSlip(),
                      record=("q", "v", "energy"))  # fmt: skip
    assert np.diff(run.energy).max() < 1e-6
    stops = [t for t, text in run.events if "stops" in text]
    later = run.time > stops[-1] + 4e-3
    assert later.sum() > 10
    assert np.ptp(run.q[later], axis=0).max() < 1e-12


def test_a_limit_and_friction():
    """Against a stop at 0.1 m it does not bounce; pushed on, it stays; pulled back, it slips."""
    b = am.Builder("stop")
    b.body("block", joint="prismatic", axis="x", mass=2.0, limits=am.Limits(-1.0, 0.1),
           passive=am.Passive(coulomb=4.0))  # fmt: skip
    push = lambda t: 8.0 if t < 0.5 else -8.0  # noqa: E731
    run = am.simulate(b.build(), duration=0.8, step=1e-2, inputs={"block": push},
                      events=[am.JointLimits(), am.StickSlip()])  # fmt: skip
    rested = (run.time > 0.33) & (run.time < 0.49)
    close(run.q[rested], np.full((rested.sum(), 1), 0.1), 1e-12)
    close(run.q[-1], [0.1 - 0.5 * 2.0 * 0.3**2], 2e-2)


def test_what_is_refused():
    m = block(coulomb=1.0)
    with pytest.raises(InputError, match="explicit method"):
        am.simulate(m, duration=0.1, method="implicit", events=am.StickSlip())
    with pytest.raises(InputError, match=r"'block' is smooth.*Set smoothing to 0"):
        am.simulate(block(coulomb=1.0, smoothing=0.1), duration=0.1, events=am.StickSlip())
    with pytest.raises(InputError, match="no joint of 'block' has dry friction"):
        am.simulate(block(viscous=1.0), duration=0.1, events=am.StickSlip())
    with pytest.raises(InputError, match="'block' has no dry friction"):
        am.simulate(block(viscous=1.0), duration=0.1, events=am.StickSlip(["block"]))
    with pytest.raises(InputError, match="one StickSlip is enough"):
        am.simulate(m, duration=0.1, events=[am.StickSlip(), am.StickSlip()])
