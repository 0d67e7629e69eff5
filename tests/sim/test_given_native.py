"""Wrenches and prescribed motion in the native loop: tables of what is given over time."""

import numpy as np
import pytest

import armillary as am
from armillary.errors import InputError
from armillary.sim.loop import native
from armillary.sim.loop.input_tables import InputTables
from sim.machines import shaken, sine
from sim.native_runs import both

ARM = am.example("six-r")
HAND, ELBOW = ARM.frames[-1], ARM.frames[3]
START, SPEED = np.linspace(-0.4, 0.5, 6), np.linspace(0.3, -0.2, 6)
MANY = START + 0.1 * np.random.default_rng(0).normal(size=(21, 6))
PUSH = np.array([0.3, -0.2, 0.5, 4.0, -3.0, 2.0])
TABLE = am.Schedule([0.0, 0.02, 0.02, 0.06], np.outer([0.0, 1.0, -1.0, 0.5], PUSH))
WRENCHES = {
    "constant": {HAND: PUSH},
    "function": {HAND: lambda t: PUSH * np.sin(20 * t), "world": PUSH},
    "schedule": {HAND: TABLE, ELBOW: PUSH},
}


def spinner():
    """A disc about z with a nozzle at its rim: a frame turned by 0.4 rad about z."""
    b = am.Builder("spinner")
    b.body("disc", axis="z", mass=1.0, inertia=(0.3, 0.3, 0.5))
    b.frame("nozzle", "disc", (0.2, 0.1, 0.0), rpy=(0, 0, 0.4))
    return b.build()


# -- wrenches --------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["semi-implicit", "heun", "rk4"])
@pytest.mark.parametrize("q0", [START, MANY], ids=["one", "batch"])
@pytest.mark.parametrize("kind", WRENCHES)
def test_wrenches(kind, q0, method):
    _, taken = both(ARM, q0, SPEED, 0.06, 2e-3, method, external=WRENCHES[kind])
    assert taken == 30


@pytest.mark.parametrize("method", ["semi-implicit", "heun", "rk4"])
@pytest.mark.parametrize("q0", [START, MANY], ids=["one", "batch"])
def test_recorded_forces_at_a_jump_are_those_before_it(q0, method):
    """Joint forces that are held until 10 and 20 ms, and a wrench that jumps at 20 ms."""
    rows = np.outer([1.0, -2.0, 0.5], np.linspace(1.0, 2.0, 6))
    inputs = am.Schedule([0.0, 0.01, 0.02], rows, kind="hold", hold=True)
    run, taken = both(ARM, q0, SPEED, 0.06, 2e-3, method, inputs=inputs, external={HAND: TABLE},
                      record=("q", "v", "a", "tau"))  # fmt: skip
    assert taken == 30
    held = rows[[0] * 6 + [1] * 5 + [2] * 20]  # at 10 and 20 ms still the row before
    held = held if q0.ndim == 1 else held[:, None]
    np.testing.assert_array_equal(run.tau, np.broadcast_to(held, run.tau.shape))
    push = {HAND: TABLE.values[1]}  # at 20 ms
    a = ARM.forward_dynamics(run.q[10], run.v[10], np.broadcast_to(rows[1], run.v[10].shape), push)
    np.testing.assert_allclose(run.a[10], a, rtol=1e-11, atol=1e-11)


def test_a_wrench_turns_with_its_frame():
    """A force of the nozzle, along its own axes, is a constant torque about the disc's axis; with
    a jump at 0.1 s that no stage looks across."""
    c, s = np.cos(0.4), np.sin(0.4)
    arm = 0.2 * (s * 3.0 + c * 2.0) - 0.1 * (c * 3.0 - s * 2.0)  # of the force (3, 2) in its frame
    rows = np.outer([1.0, 1.0, -2.0, -2.0], [0, 0, 0.7, 3.0, 2.0, 9.0])
    table = am.Schedule([0.0, 0.1, 0.1, 0.3], rows)
    run, taken = both(spinner(), [0.0], duration=0.3, step=1e-2, external={"nozzle": table})
    rate = (0.7 + arm) / 0.5
    assert taken == 30 and run.v[10, 0] == pytest.approx(0.1 * rate, rel=1e-13)
    assert run.v[-1, 0] == pytest.approx(0.1 * rate - 0.4 * rate, rel=1e-12)


@pytest.mark.parametrize("external", [
    {HAND: np.outer(np.linspace(-1, 1, 21), PUSH)},
    {HAND: lambda t: np.outer(np.linspace(-1, 1, 21), PUSH) * t, ELBOW: PUSH},
], ids=["constants", "functions"])  # fmt: skip
def test_every_run_has_wrenches_of_its_own(external):
    run, _ = both(ARM, MANY, SPEED, 0.05, external=external)
    some = {k: (lambda t, f=f: f(t)[3]) if callable(f) else f[3] for k, f in external.items()}
    some = {HAND: some[HAND]} | ({ELBOW: PUSH} if ELBOW in external else {})
    alone = am.simulate(ARM, MANY[3], SPEED, 0.05, external=some)
    np.testing.assert_allclose(run.q[:, 3], alone.q, atol=1e-13)


def test_wrenches_beside_everything_else():
    """Controllers, inputs, recordings, bodies of its own for every run, blocks and threads."""
    pid = am.PID(ARM, START, 2.0, 1.0, 0.05, period=2e-3)
    record = ("q", "v", "a", "tau", "reactions")
    both(ARM, START, SPEED, 0.06, external=WRENCHES["schedule"], controller=pid, record=record,
         inputs={ARM.v_labels[1]: lambda t: 3.0 * t})  # fmt: skip
    both(ARM, START, SPEED, 0.02, external=WRENCHES["function"], inside=False,
         controller=lambda t, q, v: -v)  # fmt: skip
    p = ARM.parameters * np.linspace(0.8, 1.2, 21)[:, None]
    both(ARM, MANY, SPEED, 0.02, external=WRENCHES["schedule"], parameters=p)
    wide = np.tile(MANY, (26, 1))  # two blocks
    push = {HAND: np.outer(np.linspace(-1, 1, len(wide)), PUSH), ELBOW: PUSH}
    one, _ = both(ARM, wide, SPEED, 0.01, external=push)
    two = am.simulate(ARM.compile(threads=2), wide, SPEED, 0.01, external=push)
    np.testing.assert_array_equal(one.q, two.q)


@pytest.mark.parametrize("name", ["four-bar", "rolling-disc"])
def test_wrenches_on_closed_mechanisms(name):
    m = am.example(name)
    q, v = m.project(m.initial, np.full(m.nv, 0.2))
    body = m.frames[-1]
    push = {body: lambda t: [0.1, 0.2 * t, 0.0, 0.3, 0.1, -0.2]}
    for rows in (q, np.tile(q, (9, 1))):
        both(m, rows, v, 0.05, external=push, record=("q", "v", "a", "drift"))


def test_functions_that_raise_keep_what_was_computed():
    """The tables end there, and the step in Python tells."""

    def push(t):
        if t > 0.0201:
            raise RuntimeError("no air")
        return PUSH

    for given in ({"external": {HAND: push}}, {"inputs": push}):
        with pytest.raises(RuntimeError, match="no air") as caught:
            am.simulate(ARM, START, duration=0.1, **given)
        assert caught.value.run.time[-1] == pytest.approx(0.02)
    with pytest.raises(InputError, match="batches of different lengths"):
        am.simulate(ARM, MANY, duration=0.01, external={HAND: np.tile(PUSH, (4, 1))})
    with pytest.raises(InputError, match=r"expected 6 numbers at t = 0 s, found shape \(2,\)"):
        am.simulate(ARM, START, duration=0.01, external={HAND: lambda t: [1.0, 2.0]})


def test_tables_of_large_batches_stay_small(monkeypatch):
    """However few instants are recorded."""
    sizes, tables = [], InputTables._tables

    def seen(self, *rest):
        steps, given = tables(self, *rest)
        sizes.append(given.wrench.size)
        return steps, given

    monkeypatch.setattr(InputTables, "_tables", seen)
    monkeypatch.setattr(native, "_NUMBERS", 200_000)
    wide = np.tile(START, (300, 1))
    each = lambda t: np.outer(np.linspace(-1, 1, 300), PUSH) * t  # noqa: E731
    am.simulate(ARM, wide, duration=0.05, external={HAND: each}, every=50)
    assert len(sizes) > 10 and max(sizes) <= 200_000


# -- prescribed motion -----------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["euler", "semi-implicit", "rk4"])
@pytest.mark.parametrize(
    "q0", [[0, 0.6], np.linspace([0, -0.6], [0, 0.6], 9)], ids=["one", "batch"]
)
def test_a_shaking_pivot(q0, method):
    for motion in (sine, lambda t: sine(t)[0]):
        run, taken = both(
            shaken("x"), q0, duration=0.1, method=method, prescribed={"pivot": motion}
        )
        assert taken >= 98
        assert np.abs(run.q[..., 0].T - sine(run.time)[0]).max() < 1e-14


def test_a_driven_crank():
    bars = am.example("four-bar")
    q = bars.assemble(hold=["crank"]).q
    path = am.trajectories.quintic([q[0]], [q[0] + 0.5], 0.1, start=0.02)
    spline = am.Schedule(
        [0.0, 0.05, 0.1, 0.15], q[0] + np.array([0, 0.1, 0.3, 0.35]), kind="spline"
    )
    pid = am.PID(bars, {"rocker": 1.0}, 5.0, 1.0, 0.5, period=2e-3)
    record = ("q", "v", "a", "drift", "prescribed_force")
    for motion in (path, spline):
        push, inputs = {"coupler": [0, 0.2, 0, 1.0, 0, 0]}, {"rocker": lambda t: t}
        both(bars, q, duration=0.15, prescribed={"crank": motion}, record=record, controller=pid,
             external=push, inputs=inputs)  # fmt: skip
        both(bars, np.tile(q, (7, 1)), duration=0.05, prescribed={"crank": motion})


def test_every_run_is_led_to_a_place_of_its_own():
    places = np.linspace(-0.1, 0.2, 9)
    start = np.stack([places, np.full(9, 0.6)], axis=1)
    run, taken = both(shaken("x"), start, duration=0.05, prescribed={"pivot": places})
    assert taken == 50 and np.array_equal(run.q[-1, :, 0], places)


def test_drives_that_contradict_each_other_say_so():
    """Four wheels of a rigid rover on one road, then on two: the native loop stops before that."""
    rover = am.example("rover")
    rover = rover.lock({name: 0.0 for name in rover.joints if "steer" in name})

    def lift(t):
        return 0.02 * (1 - np.cos(5 * t)), 0.1 * np.sin(5 * t), 0.5 * np.cos(5 * t)

    def bump(t):
        late = max(t - 0.03, 0.0)
        return lift(t)[0] + late**3, lift(t)[1] + 3 * late**2, lift(t)[2] + 6 * late

    prescribed = dict.fromkeys(rover.constraints, lift)
    _, taken = both(rover, None, None, 0.05, 2e-3, prescribed=prescribed)
    assert taken > 20
    other = prescribed | {rover.constraints[0]: bump}
    run, taken = both(rover, None, None, 0.05, 2e-3, prescribed=other)
    assert taken > 10 and not run.complete and "contradict each other" in run.message
    assert 0.029 < run.time[-1] < 0.035
