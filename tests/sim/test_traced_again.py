"""Equal controllers share their native code; changed ones do not."""

from types import MethodType

import numpy as np
import pytest

import armillary as am
from armillary.evaluate.fingerprint import memo_key
from armillary.sim.loop import control_kernels

ARM = am.example("double-pendulum")
START = np.array([0.4, -0.3])


@pytest.fixture
def made(monkeypatch):
    """Names of the kernels that are traced."""
    names, make = [], control_kernels.compile_function

    def counted(function, inputs, *rest):
        names.append("sample" if "due" in inputs else "control")
        return make(function, inputs, *rest)

    monkeypatch.setattr(control_kernels, "compile_function", counted)
    return names


def parts():
    hand, path = (
        ARM.pose(START, "tip")[1],
        am.trajectories.point_to_point(ARM, START, START + 0.2, 0.05, "trapezoid"),
    )
    return [
        am.PID(ARM, {"shoulder": 0.3, "elbow": -0.2}, 6.0, 4.0, 0.4),
        am.PID(ARM, path, 6.0, period=2e-3),
        am.ComputedTorque(ARM, START + 0.1, 60.0, 9.0, 2.0),
        am.GravityCompensation(ARM),
        am.OperationalSpace(ARM, "tip", hand, 60.0, 9.0, rows=("x", "z")),
    ]


@pytest.mark.parametrize("k", range(5))
def test_equal_parts_are_traced_once(made, k):
    ARM.evaluator.memo._made.clear()
    runs = [am.simulate(ARM, START, duration=0.05, controller=parts()[k]) for _ in range(3)]
    once = [name for name in made if name in ("control", "sample")]
    assert len(once) == len(set(once)) >= 1
    assert np.array_equal(runs[0].q, runs[1].q) and np.array_equal(runs[0].q, runs[2].q)


def test_changed_gains_change_the_run(made):
    """Also where the user writes into the part itself; against a part built that way."""
    part = am.ComputedTorque(ARM, START + 0.1, 60.0, 9.0)
    first = am.simulate(ARM, START, duration=0.1, controller=part)
    part.kp[1] = 150.0
    second = am.simulate(ARM, START, duration=0.1, controller=part)
    assert made.count("control") == 2
    assert np.abs(first.q[-1] - second.q[-1]).max() > 1e-3
    ARM.evaluator.memo._made.clear()
    other = am.ComputedTorque(ARM, START + 0.1, [60.0, 150.0], 9.0)
    assert np.array_equal(am.simulate(ARM, START, duration=0.1, controller=other).q, second.q)


def twin(g):
    b = am.Builder("twin", gravity=(0, 0, -g))
    for name, parent in (("upper", "world"), ("lower", "upper")):
        b.body(name, parent, "revolute", (0, 0, -0.5), axis="y", mass=1.0, com=(0, 0, -0.2),
               inertia=(0.01, 0.01, 0.01))  # fmt: skip
    return b.build()


def test_a_part_of_another_mechanism_with_the_same_joints():
    """Its model is another one, and so are its forces; also where models come and go."""
    arm = twin(5.0)
    ends = []
    for g in (5.0, 9.81, 5.0, 1.62):
        part = am.GravityCompensation(twin(g))
        ends.append(am.simulate(arm, START, duration=0.05, controller=part).q[-1])
    np.testing.assert_allclose(ends[0], START, atol=1e-14)
    assert np.array_equal(ends[0], ends[2])
    assert np.abs(ends[1] - START).max() > 1e-3 < np.abs(ends[3] - START).max()


def test_only_a_few_are_kept(made):
    for gain in np.linspace(1.0, 2.0, 40):
        am.simulate(ARM, START, duration=0.002, controller=am.PID(ARM, START, gain))
    kept = [key for key in ARM.evaluator.memo._made if key[:1] == ("control",)]
    assert len(kept) <= control_kernels.RECENT and made.count("control") == 40


def test_what_has_no_fingerprint():
    for x in (lambda t: t, object(), np.array([object()]), ARM):
        assert memo_key([x]) is None
    assert memo_key([ARM], am.Mechanism) == memo_key([ARM], am.Mechanism) is not None
    assert memo_key([ARM], am.Mechanism) != memo_key([am.example("two-link")], am.Mechanism)
    assert memo_key([0.0]) != memo_key([-0.0]) != memo_key([0])
    assert memo_key(np.zeros(2)) != memo_key(np.zeros(2, np.float32))
    assert memo_key([np.nan]) == memo_key([float("nan")])


def test_methods_that_are_made_of_functions_of_the_user():
    """The same object and name, but another function."""
    hand, path = ARM.pose(START, "tip")[1], am.trajectories.point_to_point(ARM, START, START, 1.0)

    def goal(k):
        still = np.zeros(6)
        place = lambda self, t: (np.eye(3), hand + np.array([k, 0, 0]), still, still)  # noqa: E731
        return MethodType(place, path)

    ends = []
    for k in (0.01, 0.2):
        law = am.OperationalSpace(ARM, "tip", goal(k), 60.0, 9.0, rows=("x", "z"))
        ends.append(am.simulate(ARM, START, duration=0.1, controller=law).q[-1])
    assert np.abs(ends[0] - ends[1]).max() > 1e-2
