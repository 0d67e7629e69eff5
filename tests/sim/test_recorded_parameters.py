"""Runs with numbers of their own record all that other runs record.  The oracle: one run of a
mechanism that was built with those numbers."""

import numpy as np
import pytest

import armillary as am

STIFF, MASSES = (400.0, 700.0, 250.0), (1.0, 2.5, 0.6)


def arm(stiffness, mass):
    b = am.Builder("arm")
    b.body("upper", axis="y", mass=mass, com=(0.1, 0.02, -0.3), inertia=(0.04, 0.05, 0.01))
    b.body("lower", "upper", axis="x", at=(0, 0, -0.6), mass=0.7, com=(0, 0.1, -0.2),
           inertia=(0.02, 0.02, 0.01))  # fmt: skip
    b.frame("tool", "lower", (0.1, 0, -0.4))
    b.frame("hook", "world", (0.5, 0.2, 0.1))
    b.spring("strut", "hook", "tool", stiffness=stiffness, damping=3.0, rest=0.5)
    return b.build()


def bars(stiffness, mass):
    b = am.Builder("bars")
    body = {"com": (0.1, 0.02, 0.3), "inertia": (0.04, 0.05, 0.01)}
    b.body("crank", axis="y", mass=mass, **body)
    b.body("coupler", "crank", "revolute", (0, 0, 0.5), axis="y", mass=1.0, **body)
    b.body("rocker", at=(0.9, 0, 0), axis="y", mass=1.0, **body)
    b.frame("crank end", "coupler", (0.8, 0, 0.2))
    b.frame("tool", "rocker", (-0.1, 0, 0.7))
    b.frame("above", "world", (0.4, 0.1, 1.4))
    b.frame("beside", "coupler", (0.3, -0.05, 0.1))
    b.loop("pin", "crank end", "tool", "revolute", axis="y")
    b.spring("strut", "above", "beside", stiffness=stiffness, damping=3.0, rest=0.6)
    return b.build()


def numbers(make):
    """(3, n): those of the first one, with other stiffnesses and masses."""
    m = make(STIFF[0], MASSES[0])
    rows = np.tile(m.parameters, (3, 1))
    names = list(m.parameter_names)
    first = m.bodies[0]
    own = {"stiffness": names.index("strut.stiffness")}
    for row, stiffness, mass in zip(rows, STIFF, MASSES, strict=True):
        row[own["stiffness"]] = stiffness
        of_body = slice(0, 10)
        row[of_body] = make(stiffness, mass).parameters[of_body]
    assert names[0].startswith(first)
    return m, rows


FRAME = ("pose:tool", "velocity:tool", "acceleration:tool", "condition:tool")
FORCES = ("reactions", "reactions:world_aligned", "element_forces")
TREE = ("q", "a", "energy", "kinetic", "momentum", "condition", *FRAME, *FORCES)
CLOSED = (*TREE, "constraint_forces", "constraint_forces:world", "drift", "constraint_power")


@pytest.mark.parametrize("make, names", [(arm, TREE), (bars, CLOSED)])
def test_rows_are_runs_of_their_own(make, names):
    m, rows = numbers(make)
    q0 = m.assemble(m.initial).q if m.constraints else np.array([0.4, -0.3])
    options = {"duration": 0.2, "step": 1e-3, "record": names, "every": 20}
    together = am.simulate(m, np.tile(q0, (3, 1)), parameters=rows, **options)
    assert together.performance().native == 1.0
    for k, own in enumerate(zip(STIFF, MASSES, strict=True)):
        alone = am.simulate(make(*own), q0, **options)
        single = am.simulate(m, q0, parameters=rows[k], **options)
        for name in names:
            size = max(np.abs(alone[name]).max(), 1.0)
            np.testing.assert_allclose(together[name][:, k], alone[name], atol=3e-10 * size)
            np.testing.assert_allclose(single[name], alone[name], atol=3e-10 * size)


@pytest.mark.parametrize("make", [arm, bars])
def test_limits_on_what_depends_on_them(make):
    """A limit on the force of the strut and on the energy: met when and where the run of a
    mechanism with those numbers meets it."""
    m, rows = numbers(make)
    q0 = m.assemble(m.initial).q if m.constraints else np.array([0.4, -0.3])
    free = am.simulate(make(STIFF[1], MASSES[1]), q0, duration=0.2, record=("element_forces",))
    force = free.column("strut.force")
    bound = (
        0.5 * (force[0] + force.max()) if force.max() > force[0] else 0.5 * (force[0] + force.min())
    )
    side = {"above": bound} if force.max() > force[0] else {"below": bound}
    options = {"duration": 0.2, "events": am.Limit("element_forces.strut.force", **side)}
    own = am.simulate(m, q0, parameters=rows[1], **options)
    built = am.simulate(make(STIFF[1], MASSES[1]), q0, **options)
    assert not own.complete or own.events
    assert [text for _, text in own.events] == [text for _, text in built.events]
    np.testing.assert_allclose([t for t, _ in own.events], [t for t, _ in built.events], rtol=1e-9)
    plain = am.simulate(m, q0, **options)
    assert [t for t, _ in plain.events] != pytest.approx([t for t, _ in own.events], rel=1e-3)


def test_checks_know_the_models_numbers_alone():
    m, rows = numbers(arm)
    with pytest.raises(am.InputError, match="knows the model's own numbers"):
        am.simulate(m, [0.4, -0.3], duration=0.01, parameters=rows[0], record="check")
