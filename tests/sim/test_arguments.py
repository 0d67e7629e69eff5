"""Every argument of `simulate`, of a wrong type: an error that names it, never a raw one."""

import inspect
from pathlib import Path

import numpy as np
import pytest

import armillary as am
from armillary.errors import ArmillaryError, InputError

WRONG = [
    None, "2", "x", b"2", object(), {"a": 1}, {1: 2}, [1, "a"], [[1, 2], [3]], (1, 2, 3), True, 1j,
    float("nan"), float("inf"), -1, 0, lambda: 0, lambda a, b, c, d: 0, int, am.example, set(),
    am.Schedule([0, 5], [0, 0]), np.array("x"), np.array([1j]), Path("/nowhere/x.nc"), [None],
]  # fmt: skip
ARGUMENTS = list(inspect.signature(am.simulate).parameters)


@pytest.mark.parametrize("name", ARGUMENTS)
def test_wrong_types(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for value in WRONG:
        given = {"mechanism": am.example("double-pendulum"), "duration": 0.01, "step": 0.005}
        try:
            run = am.simulate(**{**given, name: value})
        except ArmillaryError as error:
            assert len(str(error)) > 20
        else:  # it was a value that may be
            assert len(run) > 0


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"duration": "2"}, "duration: expected a number of seconds, found '2'. Give"),
        ({"step": None}, "step: expected a number of seconds, found NoneType. Give"),
        ({"controller": am.Schedule([0, 1], [0, 0])}, "joint forces are inputs=Schedule"),
        ({"external": am.Schedule([0, 1], [0, 0])}, "external={'hand': Schedule"),
        (
            {"controller": lambda t: 0},
            r"controller: expected a function .t, q, v., found <lambda>.t.",
        ),
        ({"inputs": lambda t, q: 0}, r"inputs: expected a function .t., found <lambda>.t, q."),
        ({"events": lambda t: 0}, r"events: expected a function .t, q, v."),
        ({"events": lambda t, q, v: None}, "event .* found None, it returns nothing"),
        ({"record": 3}, "record: expected names such as"),
        ({"inputs": {"shoulder": np.nan}}, r"inputs\['shoulder'\]: expected finite numbers"),
        ({"every": 1.5}, "every: expected a whole number from 1 on, found 1.5"),
        ({"resume": "yes"}, "resume: expected True or False, found 'yes'"),
        ({"period": "1"}, "period: expected a positive time in seconds or None, found '1'"),
    ],
)
def test_what_the_error_says(given, text):
    with pytest.raises(InputError, match=text):
        am.simulate(am.example("double-pendulum"), **given)


def test_numbers_of_numpy_are_numbers():
    m = am.example("double-pendulum")
    run = am.simulate(m, duration=np.float32(0.5), step=np.array(0.25), every=np.int64(2), t0=1)
    np.testing.assert_allclose(run.time, [1.0, 1.5])
