"""Odd arguments at the doors of the library: an error of its own, that names the argument.

The oracle is the hierarchy of errors: nothing else may come out, whatever goes in."""

import inspect

import numpy as np
import pytest

import armillary as am
from armillary.errors import ArmillaryError, InputError
from armillary.model.arguments import fits, name_arguments

ARM = am.example("two-link")
ODD = (
    None, float("nan"), 10**400, "x", b"x", [1, [2]], [[1, 2], [3]], {"x": 1}, object(),
    np.zeros((2, 3, 4)), np.array(["a"]), ["x", "x"], [None] * 3, {1}, 1j, am,
)  # fmt: skip
USUAL = {
    "mechanism": ARM, "q": ARM.initial, "target": 1.0, "kp": 1.0, "kd": 1.0, "frame": "tip",
    "period": 0.1, "joint": "joint1", "joints": "joint1", "duration": 0.01, "stiffness": 10.0,
    "inertia": 1.0, "gain": 1.0, "quantity": "q.joint1", "above": 1.0, "times": [0, 1],
    "values": [0, 1], "kind": "revolute", "name": "x", "density": 1.0, "limits": 1.0,
    "end": (1.0, 0.0, 0.0), "arguments": {}, "experiment": am.Experiment(ARM, {"duration": 0.01}),
    "factors": {"gravity.y": [-9.0]}, "responses": {"f": "max q.joint1"},
}  # fmt: skip
DOORS = (
    "IMU", "PID", "ComputedTorque", "DCMotor", "Encoder", "Experiment", "FlexibleTransmission",
    "ForceTorque", "GravityCompensation", "Ideal", "JointLimits", "Limit", "MomentumObserver",
    "OperationalSpace", "Sensor", "Schedule", "Chain", "Distribution", "Builder",
    "catalogue_motor", "check_setpoints", "equations", "example", "exciting_trajectory",
    "identify", "joint_spec", "line_trajectory", "masses_from_shapes", "motor_loads",
    "observe_forces", "read_parts", "simulate", "size_motors", "solid_inertia", "study",
    "time_constants", "volume_inertia", "winding_temperature",
)  # fmt: skip
HIDDEN = {"study": ("out", "executor", "processes", "chunk"), "simulate": ("out", "progress")}


@pytest.mark.parametrize("door", DOORS)
def test_no_raw_errors(door, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    function = getattr(am, door)
    known = [
        p for p in inspect.signature(function).parameters.values()
        if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
    ]  # fmt: skip
    usual = {p.name: USUAL.get(p.name, 1.0) for p in known if p.default is p.empty}
    if door == "simulate":
        usual |= {"duration": 0.002}
    for parameter in known:
        for value in () if parameter.name in HIDDEN.get(door, ()) else ODD:
            try:
                function(**usual | {parameter.name: value})
            except ArmillaryError as error:
                assert str(error)
            except Exception as error:
                pytest.fail(f"{door}({parameter.name}={value!r:.40}): {error!r}")


def test_what_is_named():
    with pytest.raises(InputError, match="PID: mechanism is a Mechanism, found None"):
        am.PID(None, 1.0, 1.0)
    with pytest.raises(InputError, match=r"IMU: noise is .*finite numbers.*, found"):
        am.IMU(ARM, "tip", period=0.1, noise=[1, [2]])
    with pytest.raises(InputError, match=r"every: expected a whole number.*found 1e\+308"):
        am.simulate(ARM, duration=0.01, every=1e308)
    with pytest.raises(InputError, match=r"quasi: expected a matrix \(2, 2\), found"):
        am.equations(ARM, quasi=[[1, 2], [3]])
    with pytest.raises(InputError, match="to_c: function is a text"):
        ARM.to_c([])


def test_faults_of_arguments_that_fit_stay_what_they_are():
    """An error of a function of the user is his; infinite bounds are bounds."""

    @name_arguments
    def asked(x: float, of: "am.nowhere.Unknown" = None) -> float:
        return 1.0 / x

    with pytest.raises(ZeroDivisionError):
        asked(0.0)
    assert asked(float("inf")) == 0.0
    with pytest.raises(TypeError):  # its hints cannot be read
        asked("a")

    @name_arguments
    def told(x: float, of: "Unknown" = None) -> float:  # noqa: F821
        return 1.0 / x

    with pytest.raises(InputError, match="told: x is a finite number, found 'a'"):
        told("a")
    with pytest.raises(TypeError, match="missing"):
        told()
    for value in (1, [1, 2], np.eye(2), [[1.0], [2.0]], np.float32(3), np.array(2.0), []):
        assert fits(value, np.typing.ArrayLike)
    for value in ([1, [2]], "x", {1}, [None], [1, float("nan")], np.array(["a"]), b"1"):
        assert not fits(value, np.typing.ArrayLike)
