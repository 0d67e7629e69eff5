"""Friction of contacts in runs: closed forms of sliding, turning round, sticking and breaking away,
Coulomb's law at every recorded instant, and contacts that pull."""

import numpy as np
import pytest

import armillary as am
from armillary.errors import InputError

G = 9.81


def sled(mu, slope=0.0, spring=0.0, sign=-1.0):
    """Slides along x and is held along z on a slope; mass 2 kg, moved by joints x and z."""
    b = am.Builder("sled", gravity=(-G * np.sin(slope), 0.0, -G * np.cos(slope)))
    passive = am.Passive(spring=spring)
    b.body("x", joint="prismatic", axis="x", mass=0.0, passive=passive)
    b.body("z", "x", "prismatic", axis="z", mass=2.0, inertia=(1e-3,) * 3)
    laws = [("dx", "dz", sign * mu)] if mu else []
    b.contact("floor", "world", "z", ("dz",), friction=laws)
    return b.build()


@pytest.mark.parametrize("mu", [0.2, 0.9])
@pytest.mark.parametrize("method", ["rk4", "dopri5", "heun", "semi-implicit", "implicit"])
def test_up_a_slope_and_back(mu, method):
    """Up with -g (sin + mu cos); then back with -g (sin - mu cos), or it stays: tan ≤ mu."""
    slope, speed, end = 0.5, 1.2, 0.5
    m = sled(mu, slope, sign=-1.0 if method == "rk4" else 1.0)  # a run takes the size alone
    run = am.simulate(
        m, v0=[speed, 0.0], duration=end, step=0.05, method=method, record="q,v,energy"
    )
    up = G * (np.sin(slope) + mu * np.cos(slope))
    down = max(G * (np.sin(slope) - mu * np.cos(slope)), 0.0)
    stop = speed / up
    ((t, text),) = run.events
    assert t == pytest.approx(stop, rel=1e-9)
    assert text == f"contact 'floor' {'slides back' if down else 'sticks'} along dx"
    late = run.time > stop
    expected = np.where(late, -down * (run.time - stop), speed - up * run.time)
    np.testing.assert_allclose(run.v[:, 0], expected, atol=1e-9)
    assert np.diff(run.energy).max() < 1e-9
    if method in ("rk4", "dopri5"):
        x = np.where(late, stop * speed / 2 - down * (run.time - stop) ** 2 / 2,
                     speed * run.time - up * run.time**2 / 2)  # fmt: skip
        np.testing.assert_allclose(run.q[:, 0], x, atol=1e-9)
    if not down:
        assert np.ptp(run.q[late, 0]) < 1e-15


def test_a_spring_that_dies_out():
    """Half swings of pi / w, each about ± mu m g / k: the amplitude falls by 2 mu m g / k, until
    the spring no longer moves it."""
    mu, k, mass = 0.1, 50.0, 2.0
    shift, half = mu * mass * G / k, np.pi / np.sqrt(k / mass)
    m = sled(mu, spring=k)
    run = am.simulate(m, q0=[0.2, 0.0], duration=2.2, step=0.02, record="q,v,energy")
    turns, amplitude = [], 0.2
    while amplitude > shift:
        amplitude -= 2 * shift
        turns.append(amplitude)
    times = [t for t, _ in run.events]
    np.testing.assert_allclose(times, half * np.arange(1, len(turns) + 1), rtol=1e-6)
    assert [text.split()[2] for _, text in run.events] == ["slides"] * (len(turns) - 1) + ["sticks"]
    assert abs(run.q[-1, 0]) == pytest.approx(abs(turns[-1]), rel=1e-5)
    assert np.diff(run.energy).max() < 1e-9 * run.energy[0]


@pytest.mark.parametrize("force", [am.Schedule([0, 2], [0, 8]), lambda t: 4 * t])
def test_it_breaks_away(force):
    """At rest until the force has come to mu m g; then a = (F - mu m g) / m."""
    mu, mass = 0.15, 2.0
    m = sled(mu)
    run = am.simulate(m, duration=1.5, step=0.05, inputs={"x": force})
    level = mu * mass * G
    slip = level / 4
    ((t, text),) = run.events
    assert (t, text) == (pytest.approx(slip, rel=1e-7), "contact 'floor' slips along dx")
    expected = np.where(run.time > slip, 2 * (run.time - slip) ** 2 / mass, 0.0)
    np.testing.assert_allclose(run.v[:, 0], expected, atol=1e-7)


def test_a_force_that_jumps():
    """It is torn off at the jump, whichever way."""
    m = sled(0.1)
    jump = am.Schedule([0.0, 0.2, 0.2, 1.0], [0.0, 0.0, -5.0, -5.0])
    run = am.simulate(m, duration=0.4, step=0.05, inputs={"x": jump})
    assert [text for _, text in run.events] == ["contact 'floor' slips along dx"]
    assert run.events[0][0] == pytest.approx(0.2, abs=1e-12)
    assert run.v[-1, 0] == pytest.approx(-(5.0 - 0.1 * 2.0 * G) / 2.0 * 0.2, rel=1e-9)


def test_in_exact_balance_it_stays():
    """tan(slope) = mu: rounding does not decide."""
    for slope in (0.05, 0.4, 1.2):
        m = sled(float(np.tan(slope)), float(slope))
        run = am.simulate(m, duration=0.1, step=0.05)
        assert run.events == [] and np.abs(run.v).max() < 1e-12


def test_a_contact_that_pulls():
    """λ = m g - F changes its sign where F = m g; friction goes on to oppose, with |λ|."""
    mu, mass = 0.2, 2.0
    m = sled(mu)
    weight = {"z": am.Schedule([0.0, 1.0], [0.0, 2 * mass * G])}
    run = am.simulate(m, v0=[3.0, 0.0], duration=1.0, step=0.05, inputs=weight,
                      record="v,energy,constraint_forces")  # fmt: skip
    ((t, text),) = run.events
    assert t == pytest.approx(0.5, rel=1e-6)
    assert text == "contact 'floor' begins to pull along dz: contacts hold both ways"
    lost = mu * G * np.where(run.time < 0.5, run.time - run.time**2,
                             0.5 - run.time + run.time**2)  # ∫ |1 - 2 t| dt  # fmt: skip
    np.testing.assert_allclose(run.v[:, 0], 3.0 - lost, atol=1e-9)
    normal = mass * G * (1 - 2 * run.time)
    np.testing.assert_allclose(run.constraint_forces[:, 5], normal, atol=1e-9)
    np.testing.assert_allclose(run.constraint_forces[:, 3], -mu * np.abs(normal), atol=1e-9)


@pytest.mark.parametrize("how", ["function", "schedule", "wrench", "constant", "batch", "python"])
def test_pulls_without_friction(how):
    """Told once, at its instant, in native runs and others; a push is no event."""
    m, options, start = sled(0.0), {}, 2.0 * G / 40.0
    if how == "function":
        options = {"inputs": {"z": lambda t: 40.0 * t}}
    elif how in ("schedule", "python"):
        options = {"inputs": {"z": am.Schedule([0, 1], [0, 40.0])}}
    elif how == "wrench":
        options = {"external": {"z": lambda t: (0, 0, 0, 0, 0, 40.0 * t)}}
    elif how == "constant":
        options, start = {"inputs": {"z": 20.0}}, 0.0
    else:
        options, start = {"inputs": {"z": [0.0, 20.0]}}, 0.0
    if how == "python":
        options["controller"] = lambda t, q, v: [0.0, 0.0]
    run = am.simulate(m, v0=[1.0, 0.0], duration=1.0, step=0.01, **options)
    ((t, text),) = run.events
    assert t == pytest.approx(start, rel=1e-6, abs=1e-12)
    prefix = "run 1: " if how == "batch" else ""
    assert text == f"{prefix}contact 'floor' begins to pull along dz: contacts hold both ways"
    assert am.simulate(m, v0=[1.0, 0.0], duration=1.0, step=0.01, inputs={"z": 19.0}).events == []


def finger(mu, seed=None, along=("dx", "dy")):
    """An arm of four joints in general position, whose tip slides on a tilted plane."""
    rng = np.random.default_rng(seed or 3)
    b = am.Builder("finger", gravity=(0.3, -0.2, -G))
    parent = "world"
    for k, axis in enumerate("zyyx"):
        body = f"link{k}"
        place = (0.0, 0.0, 0.2) if k == 0 else (0.25, 0.02 * k, 0.01)
        mass = {"mass": 1.0 + 0.3 * k, "com": (0.1, 0.01, 0.02), "inertia": (0.02, 0.03, 0.025)}
        b.body(body, parent, "revolute", place, axis=axis, **mass)
        parent = body
    b.frame("tip", parent, (0.25, 0.0, 0.0))
    q = np.array([0.2, 0.4, 0.7, 0.3]) + 0.1 * rng.normal(size=4)
    place = b.build().pose(q, "tip")[1]
    c, s = np.cos(0.3), np.sin(0.3)
    ground = am.Frame("ground", "world", am.Pose(tuple(place), ((c, 0, -s), (0, 1, 0), (s, 0, c))))
    b.contact("tip", ground, "tip", ("dz",), friction=[(d, "dz", mu) for d in along])
    return b.build(), q


def along_the_plane(m, run):
    """Velocity (T, 3) and force (T, 3) of the tip along the axes of the plane, from poses."""
    frame = m.model.contacts[0].first.pose
    R = np.array(frame.rotation)
    velocity = np.array(
        [m.velocity(q, v, "tip", "world_aligned")[3:] for q, v in zip(run.q, run.v, strict=True)]
    )
    turns = np.array([m.pose(q, "tip")[0] for q in run.q])
    force = np.einsum("tij,tj->ti", turns, run.constraint_forces[:, 3:6])
    return velocity @ R, force @ R


@pytest.mark.parametrize(("mu", "seed"), [(0.2, 1), (0.6, 2)])
def test_coulomb_at_every_instant(mu, seed):
    """|f| ≤ mu |λ| along each direction, f = -mu |λ| sign(v) where it slides, no motion where it
    is smaller; the energy never grows; every change of direction is an event."""
    m, q = finger(mu, seed)
    v = m.project(q, np.array([0.8, -0.3, 0.5, 0.2]))[1]
    run = am.simulate(m, q, v, duration=0.6, step=0.02, record="q,v,energy,constraint_forces,drift")
    assert run.complete and run.events
    velocity, force = along_the_plane(m, run)
    assert np.abs(velocity[:, 2]).max() < 1e-9
    level = mu * np.abs(force[:, 2])
    for k in range(2):
        slides = np.abs(velocity[:, k]) > 1e-9
        np.testing.assert_allclose(force[slides, k], (-level * np.sign(velocity[:, k]))[slides],
                                   rtol=1e-8, atol=1e-8)  # fmt: skip
        assert (np.abs(force[~slides, k]) <= level[~slides] * (1 + 1e-6) + 1e-7).all()
        turned = [t for t, text in run.events if f"along d{'xy'[k]}" in text]
        sides = np.where(slides, np.sign(velocity[:, k]), 0.0)
        for i in np.flatnonzero(np.diff(sides)):
            assert any(run.time[i] <= t <= run.time[i + 1] + 1e-9 for t in turned)
    assert np.diff(run.energy).max() < 1e-7 * np.abs(run.energy).max()


def test_a_batch_is_its_runs():
    """Each run has its own modes, recorded forces as well."""
    m = sled(0.3, 0.4)
    speeds = np.array([[1.0, 0.0], [0.0, 0.0], [-0.5, 0.0]])
    options = {"duration": 0.3, "step": 0.1, "record": "q,v,energy,constraint_forces,drift"}
    run = am.simulate(m, v0=speeds, **options)
    for k, v in enumerate(speeds):
        one = am.simulate(m, v0=v, **options)
        for name in ("q", "v", "energy", "constraint_forces"):
            np.testing.assert_allclose(run[name][:, k], one[name], atol=1e-10, err_msg=name)
        told = [(t, x.removeprefix(f"run {k}: ")) for t, x in run.events if f"run {k}:" in x]
        assert [x for _, x in told] == [x for _, x in one.events]
        np.testing.assert_allclose([t for t, _ in told], [t for t, _ in one.events], rtol=1e-12)


def test_it_goes_on_from_a_file(tmp_path):
    """Sticking or sliding, a resumed run is the whole one."""
    m = sled(0.9, 0.5)
    whole = am.simulate(m, v0=[1.2, 0.0], duration=0.4, step=0.05)
    for first in (0.05, 0.3):
        out = tmp_path / f"{first}.csv"
        am.simulate(m, v0=[1.2, 0.0], duration=first, step=0.05, out=out)
        run = am.simulate(m, v0=[1.2, 0.0], duration=0.4, step=0.05, out=out, resume=True)
        np.testing.assert_allclose(run.v, whole.v, atol=1e-12)
        assert [text for _, text in run.events] == [text for _, text in whole.events]


def test_a_switch_to_a_rougher_floor():
    """After the switch the other coefficient brakes; the switch acts once."""
    smooth, rough = sled(0.1), sled(0.5)
    switch = am.Switch(lambda t, q, v: q[0] - 0.3, "rough", to=rough)
    run = am.simulate(smooth, v0=[1.5, 0.0], duration=0.6, step=0.05, events=switch)
    speed = np.sqrt(1.5**2 - 2 * 0.1 * G * 0.3)
    reached = (1.5 - speed) / (0.1 * G)
    assert [t for t, _ in run.events] == [
        pytest.approx(reached, rel=1e-9), pytest.approx(reached + speed / (0.5 * G), rel=1e-9)
    ]  # fmt: skip
    assert run.events[1][1] == "contact 'floor' sticks along dx"
    assert run.q[-1, 0] == pytest.approx(0.3 + speed**2 / (2 * 0.5 * G), rel=1e-9)


def test_a_driven_contact_rubs():
    """The floor lifts the sled: λ = m (g + z'')."""
    m = sled(0.2)
    run = am.simulate(m, v0=[1.0, 0.0], duration=0.2, step=0.02,
                      prescribed={"floor.fz": lambda t: (1.5 * t * t, 3.0 * t, 3.0)})  # fmt: skip
    np.testing.assert_allclose(run.v[:, 0], 1.0 - 0.2 * (G + 3.0) * run.time, atol=1e-9)


def test_variational_knows_no_friction():
    with pytest.raises(InputError, match=r"'variational' knows no friction of contacts .floor."):
        am.simulate(sled(0.2), method="variational")


def test_one_state_tells_what_contacts_do():
    """A coefficient with the wrong sign drives, a lifted sled pulls; else there is no message."""
    m = sled(0.3, sign=1.0)
    (text,) = m.solve([0, 0], [1.0, 0], [0, 0]).messages
    assert text.startswith(f"friction of contact 'floor' drives the sliding ({0.3 * 2 * G:.3g} W)")
    assert m.solve([0, 0], [-1.0, 0], [0, 0]).messages == ()
    (text,) = sled(0.0).solve([0, 0], [1.0, 0], [0, 25.0]).messages
    assert text.startswith(f"contact 'floor' pulls along dz, {2 * G - 25:.3g} N")
    assert "held both ways" in str(m)
