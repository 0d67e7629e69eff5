"""Limits on recorded quantities: against closed forms, natively and step by step."""

import numpy as np
import pytest

import armillary as am
from armillary.errors import ArmillaryError

G, M, L = 9.81, 2.0, 0.7


def bob():
    """A point mass on a massless rod: its tension is m (g cos θ + l ω²)."""
    b = am.Builder("bob")
    b.body("rod", "world", "revolute", axis="y", mass=M, com=[0, 0, -L], inertia=(1e-12,) * 3)
    return b.build()


def tension(q, v):
    return M * (G * np.cos(q) + L * v * v)


def test_the_tension_of_a_pendulum():
    m, bound = bob(), 1.7 * M * G
    run = am.simulate(m, [2.0], step=1e-3, duration=5.0, record=("q", "v", "reactions"),
                      events=am.Limit("reactions.rod.force", above=bound))  # fmt: skip
    force = np.linalg.norm(run["reactions"][:, 3:], axis=1)
    assert force[-1] == pytest.approx(bound, rel=1e-9)
    # along the rod; across it the bob falls freely
    assert tension(run["q"][-1, 0], run["v"][-1, 0]) == pytest.approx(bound, rel=1e-6)
    assert (force[:-1] < bound).all()
    assert "above 33.354 N" in run.message
    ((t, text),) = run.events
    assert t == run.time[-1] and text == "reactions.rod.force above 33.354 N"


def test_natively_and_step_by_step_are_the_same():
    """A function that asks Python at every step keeps the run out of native scans."""
    m = am.example("four-bar")
    whole = am.simulate(m, m.initial, step=1e-3, duration=0.5, record="constraint_forces")
    size = np.linalg.norm(whole["constraint_forces"][:, 3:], axis=1)
    bound = 0.5 * (size[0] + size.max())
    limit = am.Limit("constraint_forces:world_aligned.pin.force", above=bound)
    options = {"step": 1e-3, "duration": 0.5, "events": limit}
    native = am.simulate(m, m.initial, **options)
    plain = am.simulate(m, m.initial, controller=lambda t, q, v: np.zeros(3), **options)
    assert native.events[0][0] == pytest.approx(plain.events[0][0], abs=1e-9)
    s = m.solve(native["q"][-1], native["v"][-1], np.zeros(3))
    assert np.linalg.norm(s.constraint_forces["pin"][3:]) == pytest.approx(bound, rel=1e-9)


def test_free_fall_both_sides_and_a_run_that_goes_on():
    b = am.Builder("stone")
    b.body("stone", "world", "prismatic", axis="z", mass=1.0)
    m = b.build()
    run = am.simulate(m, [0.0], [1.0], step=1e-2, duration=1.0, events=[
        am.Limit("v.stone", below=-2.0, terminal=False),
        am.Limit("pose:stone.z", above=0.04, terminal=False),
        am.Limit("velocity:stone:world_aligned.speed", above=5.0),
    ])  # fmt: skip
    times = [t for t, _ in run.events]
    rise = (1.0 - np.sqrt(1.0 - 2 * G * 0.04)) / G
    np.testing.assert_allclose(times, [rise, 3.0 / G, 6.0 / G], rtol=1e-9)
    assert run.time[-1] == times[-1]


def test_runs_of_a_batch():
    b = am.Builder("stone")
    b.body("stone", "world", "prismatic", axis="z", mass=1.0)
    m = b.build()
    run = am.simulate(m, [[0.0], [0.0]], [[0.0], [-1.0]], step=1e-2, duration=0.4,
                      events=am.Limit("kinetic", above=2.0, terminal=False))  # fmt: skip
    np.testing.assert_allclose(sorted(t for t, _ in run.events), [1.0 / G, 2.0 / G], rtol=1e-8)
    one = am.simulate(m, [[0.0]], [[0.0]], step=1e-2, duration=0.4,
                      events=am.Limit("kinetic", above=2.0, terminal=False))  # fmt: skip
    assert one.events[0][0] == pytest.approx(2.0 / G, rel=1e-8)


def test_bad_limits():
    m = am.example("four-bar")

    def run(limit):
        am.simulate(m, m.initial, step=1e-3, duration=0.1, events=limit)

    with pytest.raises(ArmillaryError, match="give a bound"):
        am.Limit("energy")
    with pytest.raises(ArmillaryError, match=r"bound of Limit\('energy'\)"):
        am.Limit("energy", above=np.nan)
    for text, found in (
        ("reactions.crank.fq", "no column of 'reactions' named 'crank.fq'"),
        ("reactions", "'reactions' has 18 columns. Name one"),
        ("moon", "no quantity of a limit named 'moon'"),
        ("pose:moon.z", "no frame named 'moon'"),
    ):
        with pytest.raises(ArmillaryError, match=found):
            run(am.Limit(text, above=1.0))
    with pytest.raises(ArmillaryError, match="the start is beyond it already"):
        run(am.Limit("energy", above=-1e3))
