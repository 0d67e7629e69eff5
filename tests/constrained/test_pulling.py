"""Contacts, surfaces and wheels hold both ways, and it is said where they pull: Newton's second law
of the body that is held tells when that is."""

import numpy as np
import pytest

import armillary as am
from armillary.constraints.pressing import PullNote
from armillary.viewer.scene import living_scene, run_scene

G = 9.81
SIX = ("rx", "ry", "rz", "dx", "dy", "dz")


def foot(held, gravity=(0.0, 0.0, -G), first="world"):
    b = am.Builder("foot", gravity=gravity)
    b.body("foot", joint="free", mass=2.0, inertia=(0.1, 0.2, 0.25))
    b.contact("sole", first, "foot", held)
    return b.build()


def table(shape="plane"):
    """A block of 0.5 kg on a table that is moved up and down."""
    b = am.Builder("table")
    b.body("table", joint="prismatic", axis="z", mass=1.0)
    b.body("block", joint="prismatic", axis="z", mass=0.5)
    b.surface("top", "table", "block", shape,
              profile=[(-1, 0), (1, 0)] if shape == "profile" else ())  # fmt: skip
    return b.build()


def notes(m, force=None, q=None, v=None):
    q, v = (m.initial if q is None else q), (np.zeros(m.nv) if v is None else v)
    external = {} if force is None else {m.bodies[-1]: [0, 0, 0, *force]}
    found = m.solve(q, v, np.zeros(m.nv), external)
    assert all(isinstance(text, PullNote) for text in found.messages)
    return found.messages


@pytest.mark.parametrize("held", [("dz",), ("rx", "dx", "dz"), ("dx", "dy", "dz"), SIX])
def test_a_foot_that_is_lifted(held):
    """m g - F < 0; sideways it is held both ways by right."""
    m = foot(held)
    assert notes(m) == notes(m, [0.0, 0.0, 1.0]) == ()
    assert notes(m, [0.0, 0.0, 2 * G * (1 + 1e-13)]) == ()  # weightless, but for rounding
    (text,) = notes(m, [0, 0, 30.0])
    assert text == f"contact 'sole' pulls along dz, {2 * G - 30:.3g} N: contacts hold both ways"
    if "dx" in held:
        assert notes(m, [50.0, 0, 0]) == notes(m, [-50.0, 0, 0]) == ()


def test_the_normal_of_the_environment():
    """Up where the environment is the world, else z of its frame; a pin in the plane has none."""
    up = foot(("dx", "dy", "dz"), (0.0, -G, 0.0))
    assert notes(up) == () and "along dy, -20" in notes(up, [0, 2 * G + 20.0, 0])[0]
    down = foot(SIX, (0.0, 0.0, G))  # a world whose z points down: the ground pushes along -z
    assert notes(down) == () and "along dz, 20 N" in notes(down, [0, 0, -2 * G - 20.0])[0]
    lifted = {"external": {"foot": [0, 0, 0, 0, 0, -2 * G - 20.0]}}
    ((_, text),) = am.simulate(down, duration=0.02, step=1e-2, **lifted).events
    assert "pulls along dz, up to 20 N" in text
    wall = am.Frame("wall", "world", am.Pose.from_rpy((0, 0, 0), (0, np.pi / 2, 0)))  # z is x
    hand = foot(("dx", "dy", "dz"), first=wall)
    assert "along dz, -7" in notes(hand, [7.0, 0, 0])[0] and notes(hand, [-7.0, 0, 0]) == ()
    assert notes(foot(("dx", "dy")), [-50.0, -50.0, 0]) == ()


@pytest.mark.parametrize("shape", ["plane", "profile"])
def test_a_surface_that_is_drawn_away(shape):
    m = table(shape)
    down = {"prescribed": {"table": -40.0}}
    m = am.simulate(m, prescribed={"table": lambda t: (0, 0, 0)}, duration=1e-3).simulated
    found = m.solve(m.initial, [0, 0], [0, 0], **down)
    (text,) = found.messages
    assert text == f"surface 'top' pulls along its normal, {0.5 * (G - 40):.3g} N: " \
                   "surfaces hold both ways"  # fmt: skip


def test_a_cam_with_a_round_disc():
    """z = e sin φ + √(R² - e² cos² φ);  above the shaft N = m (g - e ω² (1 + e/R))."""
    e, R, rate = 0.02, 0.05, 40.0
    b = am.Builder("cam")
    b.body("cam", axis="y", mass=1.0, inertia=(0.01, 0.01, 0.01))
    b.body("rod", joint="prismatic", axis="z", mass=0.5)
    middle = am.Frame("disc", "cam", am.Pose.from_rpy((e, 0, 0), (np.pi / 2, 0, 0)))
    b.surface("face", middle, "rod", "cylinder", R)
    b.prescribe("shaft", "cam", velocity=rate)
    m = b.build()
    q = np.array([-np.pi / 2, e + R])
    N = 0.5 * (G - e * rate**2 * (1 + e / R))
    assert f"'face' pulls towards its axis, {N:.3g} N" in notes(m, q=q, v=[rate, 0.0])[0]
    run = am.simulate(m, q, [rate, 0.0], duration=0.2, step=1e-3)
    ((t, text),) = run.events
    assert t == 0.0 and f"pulls towards its axis, up to {-N:.3g} N" in text
    all_forces = am.simulate(m, q, [rate, 0.0], duration=0.2, step=1e-3, record="constraint_forces")
    assert all_forces.events == run.events
    assert "pulls towards its axis" in run_scene(m, run).events[0].text
    assert "surface 'face'; this page does not tell" in living_scene(m, q[None]).notes[0]


def test_a_wheel_that_is_lifted():
    b = am.Builder("cart")
    b.body("cart", joint="prismatic", axis="z", mass=1.0)
    b.body("rim", "cart", axis="y", mass=1.0, inertia=(0.1, 0.1, 0.1))
    b.wheel(am.Wheel("tyre", "rim", 0.3, rows=("normal",)))
    b.initial = {"cart": 0.3}
    m = b.build()
    assert notes(m) == ()
    (text,) = notes(m, [0, 0, 50.0])
    assert text == f"wheel 'tyre' pulls along its normal, {2 * G - 50:.3g} N: wheels hold both ways"


def test_runs_of_a_batch_and_states_of_a_batch():
    """The run that is lifted is named; what rests presses."""
    m = foot(("dx", "dy", "dz"))
    force = np.zeros((3, 6))
    force[1, 5] = 30.0
    run = am.simulate(m, np.tile(m.initial, (3, 1)), duration=0.02, step=1e-2,
                      external={"foot": force})  # fmt: skip
    pull = f"contact 'sole' pulls along dz, up to {30 - 2 * G:.3g} N: contacts hold both ways"
    assert run.events == [(0.0, f"run 1: {pull}")]
    q, v = np.tile(m.initial, (3, 1)), np.zeros((3, 6))
    assert [text[:8] for text in m.solve(q, v, v, {"foot": force}).messages] == ["state 1:"]
