"""Runs that go on: the same instants as in one go, and files of other runs refused untouched."""

import numpy as np
import pytest

import armillary as am
from armillary.errors import FormatError, InputError
from armillary.sim.loop.simulate import simulate
from armillary.sim.record import recorder as recording
from armillary.sim.record import stored_run
from armillary.sim.record.journal import journal_path
from armillary.sim.record.recorder import Recorder
from armillary.sim.record.stored_run import load_run

pytest.importorskip("h5netcdf")
START = [1.2, 0.6]


@pytest.fixture(scope="module")
def arm():
    return am.example("double-pendulum")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.nc"


def begun(arm, path, **options):
    return simulate(arm, START, duration=0.1, out=path, **options)


def assert_untouched(path, before):
    assert path.read_bytes() == before
    assert sorted(p.name for p in path.parent.iterdir()) == [path.name]


# -- refused -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"method": "euler"}, "method: expected 'rk4', found 'euler'"),
        ({"step": 2e-3}, "step: expected 0.001 s, found 0.002 s"),
        ({"every": 3}, "every: expected 1, found 3"),
        ({"record": ("q", "energy")}, "record: expected q, v, found energy, q"),
        ({"t0": 0.05}, r"t0: expected 0\.0, found 0\.05"),
        ({"q0": np.ones((3, 2))}, "q0: not what the first call was given"),
        ({"inputs": np.ones((3, 2))}, "inputs: not what the first call was given"),
    ],
)
def test_another_way_to_run_is_refused_by_name(arm, path, options, told):
    begun(arm, path)
    before = path.read_bytes()
    with pytest.raises(InputError, match=f"cannot go on.*{told}"):
        simulate(arm, **{"duration": 0.4, "out": path, "resume": True} | options)
    assert_untouched(path, before)


def others(arm):
    heavy = arm.replace(gravity=(0.0, 0.0, -1.6))
    assert heavy.name == arm.name
    return {"another name": am.example("two-link"), "another gravity": heavy}


@pytest.mark.parametrize("which", ["another name", "another gravity"])
def test_another_mechanism_is_refused_before_anything_is_written(arm, path, which):
    """What used to leave a file that ended at 0.1 s and called itself complete."""
    begun(arm, path)
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"cannot go on.*mechanism: "):
        simulate(others(arm)[which], duration=0.4, out=path, resume=True)
    assert_untouched(path, before)
    run = simulate(arm, duration=0.4, out=path, resume=True)
    whole = simulate(arm, START, duration=0.4)
    assert run.complete
    np.testing.assert_allclose(run.time, whole.time, atol=1e-12)
    np.testing.assert_allclose(run.q, whole.q, atol=1e-9)


def test_a_fault_of_the_call_leaves_a_finished_file_alone(arm, path):
    def options(duration):
        table = am.Schedule([0.0, 0.3], [0.0, 0.1])
        return {"duration": duration, "inputs": {"elbow": table}, "out": path}

    simulate(arm, START, **options(0.1))
    before = path.read_bytes()
    with pytest.raises(InputError, match="the schedule covers"):
        simulate(arm, START, **options(0.4), resume=True)
    assert_untouched(path, before)
    assert len(simulate(arm, START, **options(0.3), resume=True)) == 301


def test_a_refused_journal_is_let_go(arm, path, monkeypatch):
    """A second try in the same process is not locked out by the first."""
    monkeypatch.setattr(recording, "BLOCK_ROWS", 16)
    recorder = Recorder(arm, "q,v", out=path, method="rk4", step=1e-3)
    run = simulate(arm, START, duration=0.05)
    recorder.extend(run.time, run.q, run.v)
    recorder.close()
    assert journal_path(path).exists()
    with pytest.raises(InputError, match="t0: expected") as kept:
        simulate(arm, duration=0.1, out=path, t0=1.0, resume=True)
    assert len(simulate(arm, duration=0.1, out=path, resume=True)) == 101
    assert kept.value is not None


def test_other_parts_are_refused(arm, path):
    pid = am.PID(arm, {"elbow": 0.5}, kp=1.0, ki=1.0)
    begun(arm, path, controller=pid)
    with pytest.raises(InputError, match="controller: not what the first call was given"):
        simulate(arm, START, duration=0.2, out=path, resume=True)


def test_a_run_after_a_switch_is_refused(path):
    b = am.Builder("ball")
    b.body("ball", joint="planar", axis="y", mass=1.0, inertia=(0.01, 0.01, 0.01))
    free = b.build()
    b.distance("string", "world", "ball", 1.0)
    b.initial = {"ball": (0.0, 1.0, 0.0)}
    tied = b.build()

    def slack(t, q, v):
        return np.linalg.norm(free.pose(q, "ball")[1]) - 1.0

    def run(duration, **options):
        taut = am.Switch(slack, "taut", direction=1, to=tied)
        return simulate(free, [0, 0.5, 0], [0, 1.0, 0.5], duration, 1e-2, events=taut, **options)

    switched = run(1.0).events[0][0]
    early = path.with_name("early.nc")
    run(0.5 * switched, out=early)
    assert len(run(1.0, out=early, resume=True).events) == 1
    run(0.5 * (1.0 + switched), out=path)
    before = path.read_bytes()
    with pytest.raises(InputError, match="a Switch has put another mechanism in place"):
        run(1.0, out=path, resume=True)
    assert path.read_bytes() == before


def test_resume_needs_a_file(arm):
    with pytest.raises(InputError, match="resume: name the file that goes on with `out`"):
        simulate(arm, duration=0.1, resume=True)


def test_a_table_of_another_program_does_not_go_on(arm, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("time,x\n0,1\n1,2\n")
    with pytest.raises(InputError, match="no recorded run of armillary"):
        simulate(arm, duration=0.1, out=path, resume=True)


# -- the same instants ---------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
@pytest.mark.parametrize(
    ("every", "first"), [(7, 0.1), (7, 0.098), (1, 0.0505), (7, 0.0983), (3, 0.1)]
)
def test_a_finished_file_goes_on_with_its_instants(arm, path, method, every, first):
    """The end of the first part stays, as one instant more."""
    options = {"method": method, "every": every}
    one = simulate(arm, START, duration=0.2, **options)
    simulate(arm, START, duration=first, out=path, **options)
    run = simulate(arm, START, duration=0.2, out=path, resume=True, **options)
    extra = np.abs(run.time - first) < 1e-12
    on_grid = (np.abs(one.time - first) < 1e-12).any()
    kept = np.ones(len(run), bool) if on_grid else ~extra
    np.testing.assert_allclose(run.time[kept], one.time, atol=1e-12)
    np.testing.assert_allclose(run.q[kept], one.q, atol=1e-6)
    assert extra.sum() == 1
    assert (np.diff(run.time) > 0).all()


def test_an_end_before_the_next_instant(arm, path):
    begun(arm, path, every=7)
    run = simulate(arm, START, duration=0.103, every=7, out=path, resume=True)
    np.testing.assert_allclose(run.time[-3:], [0.098, 0.1, 0.103], atol=1e-12)


def test_a_batch_goes_on(arm, path):
    starts = np.array([START, [0.3, 0.2]])

    def push(t):
        return np.array([0.1, 0.2]) * t  # one number per run

    options = {"inputs": {"elbow": push}}
    one = simulate(arm, starts, duration=0.2, **options)
    simulate(arm, starts, duration=0.1, out=path, **options)
    run = simulate(arm, starts, duration=0.2, out=path, resume=True, **options)
    np.testing.assert_allclose(run.q, one.q, atol=1e-9)


@pytest.mark.parametrize("first", [0.1, 0.105])
@pytest.mark.parametrize("batch", [False, True])
def test_sampled_controllers_go_on_between_two_samples(arm, path, first, batch):
    starts = [START, [0.3, 0.2]] if batch else START

    def run(duration, **options):
        pid = am.PID(arm, {"elbow": 0.5}, kp=5.0, ki=20.0, kd=0.1, period=0.01)
        return simulate(arm, starts, duration=duration, controller=pid, **options)

    run(first, out=path)
    np.testing.assert_allclose(run(0.2, out=path, resume=True).q, run(0.2).q, atol=1e-9)


# -- handles of older runs -----------------------------------------------------------------------


def test_an_older_run_stays_what_it_was(arm, path):
    first = begun(arm, path)
    simulate(arm, START, duration=0.2, out=path, resume=True)
    assert first.state["t"] == pytest.approx(0.1)
    assert len(first) == len(first.q) == 101
    assert first.rows(slice(90, 200))["v"].shape == (11, 2)


def test_an_older_run_of_a_large_file_tells_that_it_changed(arm, path, monkeypatch):
    monkeypatch.setattr(stored_run, "SMALL", 0)
    first = begun(arm, path)
    assert first.q.shape == (101, 2)
    simulate(arm, START, duration=0.2, out=path, resume=True)
    assert first.q.shape == (101, 2)  # was read before
    with pytest.raises(FormatError, match=r"has changed since this run was read.*load_run"):
        _ = first.v
    assert load_run(path).v.shape == (201, 2)


@pytest.mark.parametrize("heights", [[0.7], [[1.0], [0.7], [0.3]]], ids=["single", "batch"])
def test_a_file_that_ends_at_a_bounce_does_not_bounce_twice(path, heights):
    """A ball that is thrown back by its own event: h = h0 - g t²/2 and its mirror image."""
    b = am.Builder("ball")
    b.body("ball", joint="prismatic", axis="z", mass=1.0, inertia=(0.1, 0.1, 0.1))
    ball = b.build()

    def options(duration):
        bounce = am.Event(lambda t, q, v: q[0], "floor", action=lambda t, q, v: (q, -v))
        return {"duration": duration, "step": 1e-2, "events": bounce}

    fall = np.sqrt(2 * 0.7 / 9.81)
    first = simulate(ball, heights, **options(1.0))
    met = next(t for t, text in first.events if abs(t - fall) < 1e-9)
    simulate(ball, heights, out=path, **options(met))
    whole = simulate(ball, heights, out=path, resume=True, **options(1.0))
    assert len(whole.events) == len(first.events)
    np.testing.assert_allclose(whole.q[-1], first.q[-1], atol=1e-11)
    own = whole.q[-1].ravel()[0 if np.ndim(heights) == 1 else 1]
    after = (1.0 - fall) % (2 * fall) - fall  # since the top of its flight
    assert own == pytest.approx(0.7 - 0.5 * 9.81 * after**2, abs=1e-9)
