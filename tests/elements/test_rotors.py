"""Fast rotors on moving carriers: gyroscopic moments and coupled inertia, by closed forms."""

import numpy as np
import pytest

import armillary as am
from armillary.formats.native import read_native
from armillary.formats.native_write import write_native

J, N = 2e-3, 40.0  # kg m² about the axis, turns of the rotor per turn of the joint


def platform(axis, wheel_axis="x"):
    """A platform on a vertical hinge carries a wheel, and a rotor that turns N times as fast."""
    b = am.Builder("platform", gravity=(0, 0, 0))
    b.body("platform", joint="revolute", axis="z", mass=3.0, inertia=(0.4, 0.5, 0.6))
    b.body("wheel", "platform", joint="revolute", axis=wheel_axis, at=(0.2, 0, 0), mass=1.0,
           inertia=(0.02, 0.02, 0.02))  # fmt: skip
    b.geared_rotor("motor", "platform", "wheel", gear=N, inertia=J, mass=0.5, axis=axis,
                   at=(0.1, 0, 0))  # fmt: skip
    return b.build()


def state(m, platform, wheel):
    """Velocities or accelerations by label."""
    values = {"platform": platform, "wheel": wheel, "motor": N * wheel}
    return np.array([values[label] for label in m.v_labels])


@pytest.mark.parametrize("axis", ["x", "-y", (0.6, 0.8, 0)])
def test_gyroscopic_moment(axis):
    """A platform that yaws with Ω bends the rotor's angular momentum h = J N w u round: the moment
    Ω × h is held by the platform's bearing, and no drive feels it."""
    m = platform(axis)
    unit = {"x": (1, 0, 0), "-y": (0, -1, 0)}.get(axis, axis)
    v = state(m, 3.0, 5.0)
    solution = m.solve(np.zeros(m.nv), v, np.zeros(m.nv))
    np.testing.assert_allclose(solution.acceleration, 0.0, atol=1e-10)
    moment = solution.reactions["platform"][:3]
    h = J * N * 5.0 * np.array(unit) + 0.02 * 5.0 * np.array([1.0, 0, 0])
    np.testing.assert_allclose(moment[:2], np.cross([0, 0, 3.0], h)[:2], rtol=1e-9, atol=1e-9)


def test_coupled_inertia():
    """On the platform's own axis: M = [[I, n J], [n J, n² J + i]] over (platform, wheel)."""
    m = platform("z", "-z")
    b = m.mass_matrix(np.zeros(m.nv))
    N_ = np.stack([state(m, 1.0, 0.0), state(m, 0.0, 1.0)], axis=1)
    whole = 0.6 + 0.02 + 1.0 * 0.2**2 + J + 0.5 * 0.1**2
    wheel = -0.02  # turns the other way
    wanted = [[whole, N * J + wheel], [N * J + wheel, N * N * J + 0.02]]
    np.testing.assert_allclose(N_.T @ b @ N_, wanted, rtol=1e-12)
    tau = np.array([{"platform": 0.7, "wheel": -0.3}.get(x, 0.0) for x in m.v_labels])
    a = m.forward_dynamics(np.zeros(m.nv), np.zeros(m.nv), tau)
    free = np.linalg.solve(wanted, [0.7, -0.3])
    np.testing.assert_allclose(a, N_ @ free, rtol=1e-9)


def test_slow_precession_of_a_top():
    """A gyroscope on a ball joint, its wheel driven by a coaxial joint: steady precession
    Ω = m g l / h while the spin is fast; momentum about the vertical and energy are kept."""
    b = am.Builder("top")
    b.body("frame", joint="universal", axes=["z", "y"], mass=0.2, com=(0.3, 0, 0),
           inertia=(1e-4, 1e-4, 1e-4))  # fmt: skip
    b.body("crank", "frame", joint="revolute", axis="x", at=(0.3, 0, 0), mass=1e-3,
           inertia=(1e-6, 1e-6, 1e-6))  # fmt: skip
    b.geared_rotor("disc", "frame", "crank", gear=50.0, inertia=0.01, mass=1.0, axis="x",
                   at=(0.3, 0, 0))  # fmt: skip
    m, spin = b.build(), 400.0
    weight = (0.2 + 1e-3 + 1.0) * 9.81 * 0.3
    h = 0.01 * spin + 1e-6 * spin / 50
    slow = weight / h
    speeds = {"frame.first": slow, "frame.second": 0.0, "crank": spin / 50, "disc": spin}
    v = np.array([speeds[x] for x in m.v_labels])
    run = am.simulate(m, np.zeros(m.nv), v, duration=0.5, step=2e-4, record="q,v,energy")
    turned = run["q"][-1, m.q_labels.index("frame.first")]
    np.testing.assert_allclose(turned, slow * 0.5, rtol=2e-3)
    assert np.abs(run["q"][:, m.q_labels.index("frame.second")]).max() < 5e-3
    np.testing.assert_allclose(run["energy"], run["energy"][0], rtol=1e-8)


def test_files_and_faults():
    m = platform("x")
    assert read_native(text=write_native(m.model)) == m.model
    b = am.Builder("b")
    b.body("arm", mass=1.0, inertia=(1, 1, 1), axis="z")
    for numbers, match in (
        ({"inertia": 0.0}, "more than 0"),
        ({"inertia": 1.0, "transverse": 0.4}, "at least half"),
        ({"inertia": 1.0, "gear": 0.0}, "gear is 0"),
    ):
        with pytest.raises(am.ModelError, match=match):
            b.geared_rotor("r", "arm", "arm", **({"gear": 2.0} | numbers))
