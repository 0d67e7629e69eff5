"""A recording goes on with the physics it was begun with; anything else is refused by name.

What is refused and what is not is known from how each pair of calls was written; whether two runs
are one is known from a run in one go."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import armillary as am
from armillary.errors import InputError
from armillary.sim.control.block import Block
from armillary.sim.loop.physics import digest
from armillary.sim.record.journal import journal_path
from armillary.sim.record.stored_run import load_run

ARM = am.example("double-pendulum")
START = [1.2, 0.6]
TIP = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0])


def spring(gain):
    return lambda t, q, v: -gain * q


def ramp(slope):
    def force(t):
        return slope * t

    return force


class Law(Block):
    array_level = True

    def __init__(self, gain):
        self.gain = gain

    def force(self, t, q, v, z, u):
        return [x - self.gain * y for x, y in zip(u, v, strict=True)]


def kicked(by):
    return am.Event(lambda t, q, v: t - 0.015, "kick", action=lambda t, q, v: (q, v + by))


MOTOR = am.Motor(resistance=1.0, torque_constant=0.1)
# argument: what the first call has, the same written again, and another one
PARTS = {
    "inputs": (lambda k: {"inputs": [0.0, k]}, 1.0, 2.0),
    "inputs by name": (lambda k: {"inputs": {"elbow": k}}, 1.0, 2.0),
    "inputs by function": (lambda k: {"inputs": {"elbow": ramp(k)}}, 1.0, 2.0),
    "inputs by table": (lambda k: {"inputs": {"elbow": am.Schedule([0, 1], [0, k])}}, 1.0, 2.0),
    "inputs none": (lambda k: {"inputs": k}, None, [0.0, 1.0]),
    "controller": (lambda k: {"controller": spring(k)}, 1.0, 2.0),
    "controller none": (lambda k: {"controller": k}, None, spring(1.0)),
    "controller PID": (lambda k: {"controller": am.PID(ARM, [0, 0], k)}, 1.0, 2.0),
    "controller part": (lambda k: {"controller": Law(k)}, 1.0, 2.0),
    "controller list": (lambda k: {"controller": [Law(0.1), Law(k)]}, 1.0, 2.0),
    "controller of a motion": (
        lambda k: {"controller": am.FeedForward.along(
            ARM, am.trajectories.quintic([0, 0], [k, 1.0], 1.0))}, 1.0, 2.0),
    "period": (lambda k: {"controller": spring(1.0), "period": k}, 0.01, 0.02),
    "actuators": (
        lambda k: {"controller": Law(1.0), "actuators": am.Ideal(ARM, limit=k)}, 1.0, 2.0),
    "external": (lambda k: {"external": {"tip": k * TIP}}, 1.0, 2.0),
    "external by function": (lambda k: {"external": lambda t, q, v: {"tip": k * TIP}}, 1.0, 2.0),
    "prescribed": (lambda k: {"prescribed": {"shoulder": lambda t: k + 0.1 * t * t}}, 1.2, 1.3),
    "parameters": (lambda k: {"parameters": k * np.array(ARM.parameters)}, 1.0, 1.1),
    "q0": (lambda k: {"q0": [k, 0.6]}, 1.2, 1.3),
    "v0": (lambda k: {"v0": [k, 0.0]}, 0.0, 0.1),
    "events": (lambda k: {"events": kicked(k)}, 0.1, 0.2),
    "events limits": (lambda k: {"events": am.JointLimits(k, "slide")}, 0.1, 0.2),
    "project": (lambda k: {"project": k}, True, False),
    "tolerance": (lambda k: {"tolerance": k, "method": "dopri5"}, 1e-8, 1e-6),
}  # fmt: skip


def limited():
    b = am.Builder("limited")
    b.body("slide", joint="prismatic", axis="x", mass=1.0, limits=am.Limits(-1.0, 1.0))
    b.body("other", joint="prismatic", axis="y", mass=1.0)
    return b.build()


def call(name, options, **more):
    machine, start = (limited(), [0.0, 0.0]) if "limits" in name else (ARM, START)
    return am.simulate(machine, **{"q0": start, "step": 1e-2} | options | more)


@pytest.mark.parametrize("cut", [False, True], ids=["finished", "cut off"])
@pytest.mark.parametrize("name", PARTS)
def test_other_physics_are_refused_by_name(name, cut, tmp_path, monkeypatch):
    made, first, other = PARTS[name]
    path = tmp_path / "run.csv"
    if cut:
        monkeypatch.setattr(
            "armillary.sim.record.storage.from_journal", lambda journal, path: 1 / 0
        )
        with pytest.raises(ZeroDivisionError):
            call(name, made(first), duration=0.03, out=path)
        monkeypatch.undo()
        assert journal_path(path).exists()
    else:
        call(name, made(first), duration=0.03, out=path)
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    named = name.partition(" ")[0]
    with pytest.raises(InputError, match=rf"cannot go on, .*\({named}: not what the first call"):
        call(name, made(other), duration=0.06, out=path, resume=True)
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before
    run = call(name, made(first), duration=0.06, out=path, resume=True)
    whole = call(name, made(first), duration=0.06)
    np.testing.assert_allclose(run.q, whole.q, atol=1e-9)
    # ... and what went on still knows what it was made with
    with pytest.raises(InputError, match=rf"\({named}: not what the first call"):
        call(name, made(other), duration=0.09, out=path, resume=True)


@pytest.mark.parametrize("ending", [".nc", ".csv", ".parquet"])
def test_every_format_keeps_it(tmp_path, ending):
    path = tmp_path / f"run{ending}"
    am.simulate(ARM, START, duration=0.02, out=path, inputs=[0.0, 1.0])
    load_run(path).save(tmp_path / f"copy{ending}")
    for file in (path, tmp_path / f"copy{ending}"):
        with pytest.raises(InputError, match=r"\(inputs: not what the first call"):
            am.simulate(ARM, START, duration=0.03, out=file, inputs=[0.0, 2.0], resume=True)


def test_a_start_that_is_not_given_is_that_of_the_file(tmp_path):
    """Also where the first call said resume=True, with nothing there yet."""
    path = tmp_path / "run.csv"
    am.simulate(ARM, duration=0.02, out=path, resume=True)
    am.simulate(ARM, ARM.initial, [0, 0], duration=0.03, out=path, resume=True)
    assert len(am.simulate(ARM, duration=0.04, out=path, resume=True)) == 41
    for q0 in ([0.3, 0.2], np.add(ARM.initial, 1e-6)):
        with pytest.raises(InputError, match=r"\(q0: not what the first call"):
            am.simulate(ARM, q0, duration=0.05, out=path, resume=True)


def test_a_start_is_compared_to_ten_digits(tmp_path):
    """Twice as far is another one, the last bit is not."""
    path = tmp_path / "run.csv"
    am.simulate(ARM, START, duration=0.02, out=path)
    for q0 in (np.multiply(START, 2.0), [1.2 * (1.0 + 1e-8), 0.6]):
        with pytest.raises(InputError, match=r"\(q0: not what the first call"):
            am.simulate(ARM, q0, duration=0.05, out=path, resume=True)
    am.simulate(ARM, np.nextafter(START, 2.0), duration=0.05, out=path, resume=True)


def test_events_that_only_note_or_end_may_come_and_go(tmp_path):
    path = tmp_path / "run.csv"
    end = am.Event(lambda t, q, v: t - 0.0155, "end", terminal=True)
    assert am.simulate(ARM, START, duration=0.05, out=path, events=end).time[-1] < 0.02
    run = am.simulate(ARM, START, duration=0.05, out=path, resume=True)
    assert run.time[-1] == 0.05


def test_a_file_without_physics_goes_on(tmp_path):
    """As older versions have written them."""
    from armillary.sim.record.recorder import Recorder
    from sim.recorded import instants

    path = tmp_path / "run.csv"
    recorder = Recorder(ARM, "q,v", out=path, method="rk4", step=1e-3)
    for row in instants(ARM, 10, q=START):
        recorder.add(*row)
    recorder.finish()
    assert load_run(path).physics == {}
    assert len(am.simulate(ARM, duration=0.02, out=path, resume=True, inputs=[0, 1])) == 21


# -- what tells functions apart ------------------------------------------------------------------

GAIN, TABLE = 2.0, {"kp": 1.0}


def uses_module(t, q, v):
    return -GAIN * helper(q)


def helper(q):
    return q * TABLE["kp"]


def test_names_of_the_module_count(monkeypatch):
    before = digest(uses_module)
    assert digest(uses_module) == before
    monkeypatch.setitem(TABLE, "kp", 3.0)  # read by a function that is called
    inner = digest(uses_module)
    monkeypatch.setitem(globals(), "GAIN", 3.0)
    assert len({before, inner, digest(uses_module)}) == 3


def test_the_same_numbers_are_the_same():
    assert digest([1, 2]) == digest(np.array([1.0, 2.0])) == digest((1.0, 2))
    assert digest({"a": 1, "b": (2, 3)}) == digest({"b": [2.0, 3.0], "a": 1.0})
    assert digest([1, 2]) != digest([2, 1])
    assert digest([[1, 2]]) != digest([1, 2])
    assert digest("1") != digest(1)
    assert digest(None) != digest(0.0)
    assert digest([None, 1.0]) != digest([1.0, None])


def test_code_defaults_closures_and_attributes_count():
    def one(t, q, v, k=1.0):
        return k * q

    def two(t, q, v, k=2.0):
        return k * q

    def three(t, q, v, k=1.0):
        return k * v

    found = [digest(f) for f in (one, two, three, spring(1.0), spring(2.0), Law(1.0), Law(2.0))]
    assert len(set(found)) == len(found)
    assert digest(spring(1.0)) == digest(spring(1.0))
    assert digest(Law(1.0)) == digest(Law(1.0))
    loop = Law(1.0)
    loop.friend = loop
    assert digest(loop) == digest(loop)


def test_an_attribute_speaks_for_a_function(tmp_path):
    """A function that counts its calls is another one after them, unless it says what counts."""
    path, calls = tmp_path / "run.csv", []

    def law(t, q, v):
        calls.append(t)
        return -q

    am.simulate(ARM, START, duration=0.02, controller=law, out=path)
    with pytest.raises(InputError, match=r"\(controller: not what"):
        am.simulate(ARM, START, duration=0.03, controller=law, out=path, resume=True)
    law.fingerprint = "spring 1.0"
    am.simulate(ARM, START, duration=0.02, controller=law, out=path, overwrite=True)
    run = am.simulate(ARM, START, duration=0.03, controller=law, out=path, resume=True)
    assert len(run) == 31
    law.fingerprint = "spring 2.0"
    with pytest.raises(InputError, match=r"\(controller: not what"):
        am.simulate(ARM, START, duration=0.04, controller=law, out=path, resume=True)


def test_another_process_finds_the_same(tmp_path):
    """Order of sets and places in memory differ there."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from sim import test_resume_physics as t\n"
        "from armillary.sim.loop.physics import digest\n"
        "print(digest(t.told()))"
    )
    tests = str(Path(__file__).parent.parent)
    found = {
        subprocess.run([sys.executable, "-c", code, tests], capture_output=True, text=True,
                       check=True, env=environment(seed)).stdout.strip()
        for seed in ("1", "2")
    }  # fmt: skip
    assert found == {digest(told())}


def environment(seed):
    import os

    return {**os.environ, "PYTHONHASHSEED": seed, "PYTHONDONTWRITEBYTECODE": "1"}


def told():
    """Everything at once; functions of a module that pytest rewrites would differ."""
    return [ARM, am.PID(ARM, [0, 0], 1.0), {"b", "a", "c"}, am.Schedule([0, 1], [0, 1]), MOTOR,
            am.RoadProfile([0, 1, 2], [0, 0.1, 0]).under(2.0), kicked(1.0)]  # fmt: skip
