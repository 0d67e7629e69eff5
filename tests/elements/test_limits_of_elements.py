"""Limits on forces, energies and own states beside elements with states or inputs of their own:
every run of a batch ends where a single run of a mechanism that is built with its numbers ends."""

import numpy as np
import pytest

import armillary as am
from armillary.studies.batches import Batches

STIFF, RUBBER, MASSES = (300.0, 500.0, 700.0), (100.0, 50.0, 200.0), (1.0, 1.4, 0.8)


def mount(stiffness=STIFF[0], rubber=RUBBER[0], mass=MASSES[0]):
    """Askew, so that its bearing has forces."""
    b = am.Builder("mount")
    b.body("rod", axis="y", mass=mass, com=(0.3, 0.05, 0), inertia=(0.1, 0.2, 0.1))
    b.frame("hook", "world", (0.4, 0.3, 0.8))
    b.frame("tip", "rod", (0.6, 0, 0))
    b.maxwell("relaxing", ("hook", "tip"), stiffness=stiffness, damping=8.0, tension=20.0)
    b.spring("rubber", "hook", "tip", stiffness=rubber, damping=2.0, rest=0.5)
    return b.build()


def bars(stiffness=STIFF[0], rubber=RUBBER[0], mass=MASSES[0]):
    b = am.Builder("bars")
    body = {"com": (0.1, 0.02, 0.3), "inertia": (0.04, 0.05, 0.01)}
    b.body("crank", axis="y", mass=mass, **body)
    b.body("coupler", "crank", "revolute", (0, 0, 0.5), axis="y", mass=1.0, **body)
    b.body("rocker", at=(0.9, 0, 0), axis="y", mass=1.0, **body)
    b.frame("end", "coupler", (0.8, 0, 0.2))
    b.frame("tool", "rocker", (-0.1, 0, 0.7))
    b.frame("above", "world", (0.4, 0.1, 1.4))
    b.frame("beside", "coupler", (0.3, -0.05, 0.1))
    b.loop("pin", "end", "tool", "revolute", axis="y")
    b.maxwell("relaxing", ("above", "beside"), stiffness=stiffness, damping=8.0, tension=20.0)
    b.spring("rubber", "above", "beside", stiffness=rubber, damping=2.0, rest=0.6)
    return b.build()


def numbers(make):
    """(3, n) parameters: those of three mechanisms."""
    return np.array([make(*own).parameters for own in zip(STIFF, RUBBER, MASSES, strict=True)])


FORCES = (
    "element_forces.relaxing.force",
    "element_forces.rubber.force",
    "energy",
    "potential",
    "states.relaxing.tension",
)
LIMITS = [
    *[(mount, text) for text in (*FORCES, "reactions.rod.force", "reactions.rod.nx")],
    *[(bars, text) for text in (*FORCES, "constraint_forces.pin.force", "reactions.crank.force")],
]


def column(run, text):
    name, _, rest = text.partition(".")
    if not rest:
        return run[name]
    owner, _, part = rest.rpartition(".")
    sizes = {"force": ("fx", "fy", "fz")}
    labels = run.labels[name]
    if rest in labels:
        return run[name][..., labels.index(rest)]
    return np.linalg.norm([run.column(f"{owner}.{x}", name) for x in sizes[part]], axis=0)


def side_of(values):
    """A bound half way to where the values go, and its side."""
    start, far = values[0], values[int(np.argmax(abs(values - values[0])))]
    return {"above" if far > start else "below": 0.5 * (start + far)}


@pytest.mark.parametrize("make, text", LIMITS)
def test_rows_end_where_single_runs_end(make, text):
    m, rows = make(), numbers(make)
    q0 = m.assemble(m.initial).q if m.constraints else np.array([0.3])
    v0 = np.zeros(m.nv) if m.constraints else np.array([0.5])
    options = {"duration": 0.3, "step": 1e-3}
    free = am.simulate(make(STIFF[1], RUBBER[1], MASSES[1]), q0, v0, record=text.split(".")[0],
                       **options)  # fmt: skip
    limit = am.Limit(text, **side_of(column(free, text)))
    built = []
    for own in zip(STIFF, RUBBER, MASSES, strict=True):
        try:
            built.append(am.simulate(make(*own), q0, v0, events=limit, **options).time[-1])
        except am.InputError as error:
            assert "beyond it already" in str(error)
            built.append(None)
    kept = [k for k, end in enumerate(built) if end is not None]
    assert 1 in kept and built[1] < 0.3
    for k in kept:
        alone = am.simulate(m, q0, v0, parameters=rows[k], events=limit, **options)
        assert alone.time[-1] == pytest.approx(built[k], abs=1e-9)
    many = am.simulate(m, np.tile(q0, (len(kept), 1)), v0, parameters=rows[kept], events=limit,
                       **options)  # fmt: skip
    assert many.performance().native > 0.85
    ends = {text.split(":")[0]: t for t, text in many.events if "ended by" in text}
    for row, k in enumerate(kept):
        assert ends.get(f"run {row}", 0.3) == pytest.approx(built[k], abs=1e-9)


@pytest.mark.parametrize("make", [mount, bars])
def test_recorded_rows_are_runs_of_their_own(make):
    """Elements beside one with states of its own are recorded with the numbers of the run."""
    m, rows = make(), numbers(make)
    q0 = m.assemble(m.initial).q if m.constraints else np.array([0.3])
    names = ("q", "energy", "element_forces", "reactions")
    options = {"duration": 0.1, "step": 1e-3, "every": 10, "record": names}
    many = am.simulate(m, np.tile(q0, (3, 1)), parameters=rows, **options)
    for k, own in enumerate(zip(STIFF, RUBBER, MASSES, strict=True)):
        alone = am.simulate(make(*own), q0, **options)
        for name in names:
            size = max(1.0, np.abs(alone[name]).max())
            np.testing.assert_allclose(many[name][:, k], alone[name], atol=1e-9 * size)


def test_responses_of_studies():
    """The largest force of the element, the energy at the end and the check of both ends of a
    study are those of single runs."""
    experiment = am.Experiment(mount(), {"q0": [0.3], "v0": [0.5], "duration": 0.1})
    most = {"most": "max element_forces.relaxing.force"}
    wanted = most | {"left": "end energy", "tau": "end tau.rod", "check": "check"}
    masses = [0.8, 1.4]
    study = am.study(experiment, {"bodies.rod.mass": masses}, wanted)
    for k, mass in enumerate(masses):
        m = mount().replace(bodies={"rod": {"mass": mass}})
        run = am.simulate(m, [0.3], [0.5], duration=0.1, record="element_forces,energy,tau")
        force = run.column("relaxing.force", "element_forces")
        assert study["most"][k] == pytest.approx(force.max(), rel=1e-9)
        assert study["left"][k] == pytest.approx(run.energy[-1], rel=1e-9)
        assert study["tau"][k] == pytest.approx(run.tau[-1, 0], abs=1e-9)
        assert study["check"][k] < 1e-12


def test_places_of_joints_in_studies():
    """Elements with own states know the places of the model: each place has its own batch."""
    given = {"q0": [0.3], "v0": [0.5], "duration": 0.1}
    places = [0.0, 0.05]
    experiment = am.Experiment(mount(), given)
    assert (
        "know the places"
        in Batches(experiment, ("bodies.rod.at.x",), ()).grouped["bodies.rod.at.x"]
    )
    study = am.study(experiment, {"bodies.rod.at.x": places}, {"x": "end q.rod"})
    for x, found in zip(places, study["x"], strict=True):
        placed = mount().replace(bodies={"rod": {"at": (x, 0, 0)}})
        alone = am.simulate(placed, [0.3], [0.5], duration=0.1)
        assert found == pytest.approx(alone.q[-1, 0], abs=1e-9)
    assert abs(np.diff(study["x"])[0]) > 1e-6


def test_starts_of_a_batch_without_parameters():
    m = mount()
    q0 = np.array([[0.3], [0.25], [0.1]])
    limit = am.Limit("states.relaxing.tension", below=5.0)
    many = am.simulate(m, q0, duration=0.3, events=limit)
    ends = {text.split(":")[0]: t for t, text in many.events}
    assert len(ends) == 3
    for k, start in enumerate(q0):
        alone = am.simulate(m, start, duration=0.3, events=limit, record="states")
        assert alone["states"][-1, 0] == pytest.approx(5.0, abs=1e-9)
        assert ends[f"run {k}"] == pytest.approx(alone.time[-1], abs=1e-9)
    assert "states.relaxing.tension below 5 N" in many.events[0][1]


def test_a_tension_that_relaxes_as_the_closed_form():
    """Both ends held: s = s0 exp(-k t / c) passes half of its start at t = c ln 2 / k."""
    b = am.Builder("held", gravity=(0, 0, 0))
    b.body("block", joint="prismatic", axis="x", at=(1, 0, 0), mass=1e9)
    b.maxwell("relaxing", ("world", "block"), stiffness=300.0, damping=4.0, tension=6.0)
    m = b.build()
    limit = am.Limit("states.relaxing.tension", below=3.0)
    run = am.simulate(m, duration=0.1, step=2e-4, events=limit)
    half = 4.0 / 300.0 * np.log(2.0)
    assert run.time[-1] == pytest.approx(half, rel=1e-6)
    rows = np.tile(m.parameters, (2, 1))
    rows[1, m.parameter_names.index("relaxing.stiffness")] = 600.0
    both = am.simulate(m, parameters=rows, duration=0.1, step=2e-4, events=limit)
    assert [t for t, _ in sorted(both.events)] == pytest.approx([0.5 * half, half], rel=1e-6)


def test_a_jack_over_time_in_a_batch():
    """The force of an actuator strut, a ramp: met when the ramp says so, in every run."""
    b = am.Builder("lift")
    b.body("boom", axis="y", mass=5.0, com=(0.5, 0, 0), inertia=(0.1, 0.4, 0.4))
    b.frame("eye", "boom", (0.8, 0, 0))
    b.spring("jack", am.Frame("foot", "world", am.Pose((0.3, 0, -0.6))), "eye", force=-40.0)
    m = b.build()
    ramp = am.Schedule([0.0, 1.0], [0.0, -20.0])
    limit = am.Limit("element_forces.jack.force", below=-45.0)
    options = {"inputs": {"jack": ramp}, "duration": 0.5, "events": limit}
    alone = am.simulate(m, **options)
    assert alone.time[-1] == pytest.approx(0.25, abs=1e-9)
    many = am.simulate(m, [[0.0], [0.1]], **options)
    assert [t for t, _ in many.events] == pytest.approx([0.25, 0.25], abs=1e-9)


def test_forces_that_jump_over_a_limit():
    """A schedule with a jump, and a controller that is sampled: the limit is passed there."""
    b = am.Builder("cart", gravity=(0, 0, 0))
    b.body("cart", joint="prismatic", axis="x", mass=2.0)
    m = b.build()
    limit = am.Limit("a.cart", above=1.0)
    jump = am.Schedule([0.0, 0.2, 0.2, 1.0], [1.0, 1.0, 4.0, 4.0])
    pushed = am.simulate(m, inputs={"cart": jump}, events=limit)
    assert pushed.time[-1] == pytest.approx(0.2, abs=1e-12)

    class Steps(am.Block):
        def force(self, t, q, v, z, u):
            return [3.0 * t]

    for q0 in ([0.0], [[0.0], [1.0]]):
        run = am.simulate(m, q0, controller=Steps(), period=0.04, events=limit)
        ends = [t for t, _ in run.events]  # 3 t / 2 > 1 from the sample at 0.68 s on
        assert ends == pytest.approx([0.68] * len(ends), abs=1e-12) and len(ends) == len(q0)
        seen = am.simulate(m, q0, controller=Steps(), period=0.04, events=am.Limit(
            "a.cart", above=1.0, terminal=False), record="a")  # fmt: skip
        assert [t for t, _ in seen.events] == pytest.approx(ends, abs=1e-12)


def test_currents_of_motors():
    """A signal of an actuator: a stalled motor with inductance, i = U/R (1 - exp(-R t / L))."""
    motor = am.Motor(resistance=2.0, torque_constant=1e-9, inductance=0.1)
    b = am.Builder("motor", gravity=(0, 0, 0))
    b.body("shaft", axis="z", mass=1.0, inertia=(1, 1, 1), motor=motor)
    m = b.build()
    limit = am.Limit("current.shaft", above=3.0)
    run = am.simulate(m, voltages={"shaft": 12.0}, duration=0.2, step=1e-3, events=limit)
    assert run.time[-1] == pytest.approx(0.05 * np.log(2.0), rel=1e-6)
    assert run.performance().native > 0.9


def test_words():
    m = mount()
    with pytest.raises(am.ModelError, match="no column of 'states' named"):
        am.simulate(m, [0.3], events=am.Limit("states.relaxing.moon", above=1.0))
    with pytest.raises(am.InputError, match=r"Limit\('states.x'\): this run has no 'states'"):
        am.simulate(am.example("four-bar"), events=am.Limit("states.x", above=1.0))
    with pytest.raises(am.InputError, match=r"Limit\('current.rod'\): this run has no 'current'"):
        am.simulate(m, [0.3], events=am.Limit("current.rod", above=1.0))
    placed = m.varying("bodies.rod.at.x")
    with pytest.raises(am.InputError, match="joints of 'mount' are placed elsewhere"):
        am.simulate(
            placed, [0.3], parameters=placed.parameters + np.eye(len(placed.parameters))[-1]
        )
