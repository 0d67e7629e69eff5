"""Events at their edges: actions, limits, impacts with other inertias, runs of a batch that break.

Oracles: flight of a bouncing mass, conservation of momentum and energy, single runs.
"""

import numpy as np
import pytest

import armillary as am
from armillary.sim.loop.events import Event, JointLimits
from sim.event_machines import carts, lift

G = 9.81


def heavier(mechanism, times, body=0):
    """Parameters of the mechanism, those of one body multiplied."""
    numbers = np.array(mechanism.parameters).reshape(-1, 10)
    numbers[body] *= times
    return numbers.ravel()


@pytest.mark.parametrize("method", ["rk4", "dopri5", "semi-implicit"])
@pytest.mark.parametrize("direction", [0, -1])
def test_an_action_is_taken_once(method, direction):
    """A ball that bounces by a function of the user: flights last 0.8 of the one before."""
    bounce = Event(lambda t, q, v: q[0], "bounce", direction, action=lambda t, q, v: (q, -0.8 * v))
    run = am.simulate(lift(), [1.0], duration=2.0, step=1e-3, method=method, events=bounce)
    fall = np.sqrt(2.0 / G)
    wanted = fall * (1.0 + np.cumsum([0.0, 1.6, 1.28]))
    tolerance = 1e-2 if method == "semi-implicit" else 1e-8
    assert [t for t, _ in run.events] == pytest.approx(wanted, abs=tolerance)
    assert run.q.min() > -1e-9


def test_an_action_is_taken_once_in_every_run():
    bounce = Event(lambda t, q, v: q[0], "bounce", action=lambda t, q, v: (q, -0.8 * v))
    starts = np.array([[1.0], [0.5], [0.25]])
    run = am.simulate(lift(), starts, duration=1.0, step=1e-2, events=bounce)
    assert run.q.min() > -1e-9
    first = {text: t for t, text in reversed(run.events)}
    falls = [first[f"run {k}: bounce"] for k in range(3)]
    assert falls == pytest.approx(np.sqrt(2.0 * starts[:, 0] / G), abs=1e-9)


def test_a_start_beyond_a_limit_is_refused():
    cage = lift(limits=am.Limits(lower=0.0, upper=10.0))
    with pytest.raises(am.InputError, match=r"'cage' is -0\.5 m, beyond its lower limit 0 m"):
        am.simulate(cage, [-0.5], events=JointLimits())
    with pytest.raises(am.InputError, match="'cage' of run 1 is 11 m, beyond its upper limit"):
        am.simulate(cage, [[1.0], [11.0]], events=JointLimits())
    assert am.simulate(cage, [0.0], duration=0.1, events=JointLimits()).q[-1, 0] == 0.0


@pytest.mark.filterwarnings("error")
def test_a_drive_through_a_limit_ends_the_run():
    cage = lift(limits=am.Limits(lower=0.0, upper=10.0))
    down = {"cage": lambda t: (1.0 - 2.0 * t, -2.0, 0.0)}
    run = am.simulate(cage, [1.0], step=1e-2, events=JointLimits(0.5), prescribed=down)
    assert not run.complete and "'cage' is moved by prescribed motion" in run.message
    assert run.time[-1] == pytest.approx(0.49, abs=0.011)


def test_one_joint_may_be_named_for_stick_slip():
    """v = v0 - (F / m) t: at rest after m v0 / F."""
    b = am.Builder("sledge")
    b.body("block", joint="prismatic", axis="x", mass=2.0, passive=am.Passive(coulomb=4.0))
    run = am.simulate(b.build(), [0.0], [1.0], step=1e-2, events=am.StickSlip("block"))
    assert run.events[0][0] == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_runs_beside_a_broken_one_go_on(method):
    pendulum = am.example("double-pendulum")

    def broken(t, q, v):
        tau = -0.1 * v
        if q.ndim == 2 and t > 0.1:
            tau[1] = np.nan
        return tau

    starts = np.array([[1.2, 0.6], [1.0, 0.3], [0.2, 0.3]])
    options = {"step": 1e-2, "method": method, "tolerance": 1e-10, "controller": broken}
    run = am.simulate(pendulum, starts, **options)
    assert not run.complete and run.time[-1] == 1.0 and "run 1: not a number" in run.events[0][1]
    for k in (0, 2):
        alone = am.simulate(pendulum, starts[k], **options)
        assert np.abs(run.q[:, k] - alone.q).max() < 1e-7


def test_as_many_runs_as_joints_under_sampled_control():
    pendulum = am.example("double-pendulum")
    pid = am.PID(pendulum, {"shoulder": 0.0, "elbow": 0.0}, 5.0, kd=0.5, period=1e-2)
    passing = Event(lambda t, q, v: q[0] - 0.5, "half")
    starts = np.array([[1.2, 0.6], [1.0, 0.3]])
    options = {"duration": 0.3, "step": 5e-3, "controller": pid, "events": passing}
    run = am.simulate(pendulum, starts, **options)
    assert len(run.events) == 2
    for k, start in enumerate(starts):
        assert np.abs(run.q[:, k] - am.simulate(pendulum, start, **options).q).max() < 1e-12


def test_an_impact_with_other_inertias_keeps_momentum():
    free, tied = carts(False), carts(True)
    hit = am.Switch(lambda t, q, v: q[0] - q[1], "hit", to=tied)
    heavy = heavier(free, 3.0)
    run = am.simulate(free, [-0.5, 0.0], [1.0, 0.0], step=1e-2, events=hit, parameters=heavy)
    assert run.v[-1] == pytest.approx([0.75, 0.75], abs=1e-12)


def test_inconsistent_velocities_with_other_inertias_keep_momentum():
    tied = carts(True)
    rows = np.stack([heavier(tied, k) for k in (1.0, 3.0, 9.0)])
    start = {"parameters": rows, "project_start": True}
    run = am.simulate(tied, [0.0, 0.0], [1.0, 0.0], duration=0.1, **start)
    assert run.v[0] == pytest.approx(np.array([[0.5], [0.75], [0.9]]) * np.ones(2), abs=1e-12)


def test_an_elastic_limit_under_constraints_with_other_inertias_keeps_energy():
    """Three rods in a plane, the last two tied: two freedoms that move each other."""
    b = am.Builder("rods", gravity=(0.0, 0.0, 0.0))
    rod = {"axis": "y", "mass": 1.0, "com": (0.2, 0.0, 0.0), "inertia": (0.001, 0.02, 0.02)}
    b.body("upper", limits=am.Limits(lower=-10.0, upper=0.3), **rod)
    b.body("middle", "upper", "revolute", (0.4, 0.0, 0.0), **rod)
    b.body("lower", "middle", "revolute", (0.4, 0.0, 0.0), **rod)
    b.coupling(am.Coupling("tie", "lower", "middle", 1.0, 0.0))
    rods = b.build()
    heavy = heavier(rods, 5.0, body=2)
    start = {"q0": [0.0, 0.8, 0.8], "v0": [2.0, 0.5, 0.5], "parameters": heavy}
    run = am.simulate(rods, **start, duration=0.3, events=JointLimits(1.0))
    assert len(run.events) == 1 and "bounces" in run.events[0][1]
    M = rods.mass_matrix(run.q, parameters=heavy)
    kinetic = 0.5 * np.einsum("ti,tij,tj->t", run.v, M, run.v)
    assert np.ptp(kinetic) < 1e-6 * kinetic[0]


def hoist(**options):
    """Two masses of 1 and 2 kg that move up and down together."""
    b = am.Builder("hoist")
    b.body("first", joint="prismatic", axis="z", mass=1.0, **options)
    b.body("second", "world", "prismatic", axis="z", mass=2.0)
    b.coupling(am.Coupling("tie", "second", "first", 1.0, 0.0))
    return b.build()


FORCES = ("q", "a", "tau", "constraint_forces", "reactions")


def test_forces_of_constraints_while_a_joint_rests_at_its_limit():
    """The tie carries the second mass; in a run that flies nothing carries anything."""
    down = hoist(limits=am.Limits(lower=0.0, upper=9.0))
    starts = np.array([[0.0, 0.0], [2.0, 2.0]])
    run = am.simulate(down, starts, duration=0.1, events=JointLimits(), record=FORCES)
    assert run.a[-1] == pytest.approx(np.array([[0.0, 0.0], [-G, -G]]), abs=1e-9)
    assert run.constraint_forces[-1, :, 0] == pytest.approx([2.0 * G, 0.0], abs=1e-9)
    along = [run.labels["reactions"].index(f"{name}.fz") for name in ("first", "second")]
    weights = np.array([[G, 2.0 * G], [0.0, 0.0]])
    assert run.reactions[-1][:, along] == pytest.approx(weights, abs=1e-9)
    assert not run.tau.any()  # no part gives a force


def test_forces_of_constraints_while_a_joint_sticks_and_slides():
    held = hoist(passive=am.Passive(coulomb=35.0))
    pull = am.Schedule([0.0, 1.0], [[0.0, 0.0], [0.0, -40.0]])  # on the second one
    options = {"step": 1e-2, "events": am.StickSlip(), "record": FORCES}
    run = am.simulate(held, [0.0, 0.0], inputs=pull, **options)
    slips, what = run.events[0]
    assert what == "'first' slips"
    assert slips == pytest.approx((35.0 - 3.0 * G) / 40.0, abs=1e-9)
    wanted = 2.0 * (G + run.a[:, 1]) + 40.0 * run.time  # Newton for the second mass
    assert run.constraint_forces[:, 0] == pytest.approx(wanted, abs=1e-8)


@pytest.mark.parametrize("starts", [[1.0], [[1.0], [0.5]]], ids=["single", "batch"])
def test_a_file_that_an_event_ended_is_over(tmp_path, starts):
    ground = Event(lambda t, q, v: q[0], "ground", terminal=True)
    options = {"step": 1e-2, "out": tmp_path / "fall.nc"}
    first = am.simulate(lift(), starts, events=ground, **options)
    again = am.simulate(lift(), starts, events=ground, resume=True, duration=3.0, **options)
    assert again.complete and again.message == first.message and again.events == first.events
    assert again.time[-1] == pytest.approx(np.sqrt(2.0 / G), abs=1e-12)
    assert np.array_equal(again.q, first.q)
    if np.ndim(starts) == 1:  # without the event it falls on
        further = am.simulate(lift(), starts, resume=True, **options)
        assert further.q[-1, 0] == pytest.approx(1.0 - 0.5 * G, abs=1e-9)


def test_a_run_that_is_lost_in_events_is_not_complete():
    """At the top of its flight the cage is kicked again and again, by 1 nm/s."""
    kick = Event(lambda t, q, v: v[0], "kick", action=lambda t, q, v: (q, [1e-9]))
    run = am.simulate(lift(), [1.0], [1.0], step=1e-2, events=kick)
    assert not run.complete and "more than 200 events in one step" in run.message
    assert run.time[-1] == pytest.approx(1.0 / G, abs=0.01)


def test_messages_name_what_was_given():
    with pytest.raises(am.InputError, match="event 'hole': its function gave NaN at t = 0 s"):
        am.simulate(lift(), events=Event(lambda t, q, v: np.nan, "hole"))
    pendulum = am.example("double-pendulum")
    short = am.Schedule([0.0, 1.0], np.zeros((2, 6)))
    with pytest.raises(am.InputError, match="external: the schedule covers 0 to 1 s"):
        am.simulate(pendulum, duration=2.0, external={"tip": short})
    motion = am.trajectories.quintic([0.0, 0.0], [1.0, 1.0], 1.0)
    with pytest.raises(am.InputError, match=r"gave shape \(3, 2\); expected 2 numbers"):
        am.simulate(pendulum, inputs=motion)
    road = am.RoadProfile([0.0, 1.0, 2.0], [0.0, 0.1, 0.0])
    travels = road.under(lambda t: np.array([1.0, 2.0]) * t)
    with pytest.raises(am.InputError, match="travel: expected one place at t = 0 s"):
        am.simulate(lift(), prescribed={"cage": travels})
    b = am.Builder("ship")
    b.body("hull", joint="free", mass=10.0, inertia=(1.0, 1.0, 1.0))
    with pytest.raises(am.InputError, match="a joint with a quaternion"):
        am.simulate(b.build(), prescribed={"hull": [1, 0, 0, 0, 0, 0, 0]})


@pytest.mark.parametrize("restitution", [0.0, 0.4])
def test_an_impact_does_not_push_a_joint_through_the_stop_it_rests_at(restitution):
    """Two links with stops: one rests at its stop when the other hits its own.  No joint passes a
    limit, and no impact gives energy."""
    b = am.Builder("stops")
    solid = {"mass": 1.0, "com": (0.1, 0.05, -0.3), "inertia": (0.05, 0.06, 0.02)}
    b.body("upper", joint="revolute", axis="y", limits=am.Limits(0.3, 1.5), **solid)
    low = am.Limits(-0.3, 0.7)
    b.body("lower", "upper", "revolute", axis="y", at=(0, 0, -0.5), limits=low, **solid)
    stops = JointLimits(restitution)
    run = am.simulate(b.build(), [0.5, 0.6], None, 1.5, 1e-3, events=stops, record=("q", "energy"))
    hit = [text for _, text in run.events]
    assert any("'upper' comes to rest" in text for text in hit)
    assert any("'lower'" in text for text in hit)
    for k, (least, most) in enumerate(((0.3, 1.5), (-0.3, 0.7))):
        assert run.q[:, k].min() > least - 1e-9 and run.q[:, k].max() < most + 1e-9
    assert np.diff(run.energy).max() < 1e-9
