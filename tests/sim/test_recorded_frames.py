"""Frames, conditions and wrenches along chosen axes as recorded quantities."""

import numpy as np
import pytest

import armillary as am
from armillary.errors import ArmillaryError


def test_frames_as_they_are_asked_for():
    m = am.example("four-bar")
    names = ("pose:coupler", "velocity:coupler", "velocity:coupler:world",
             "acceleration:coupler:world_aligned", "condition:coupler")  # fmt: skip
    run = am.simulate(m, m.initial, {"crank": 1.0}, step=1e-2, duration=0.2,
                      record=("q", "v", "a", *names))  # fmt: skip
    q, v, a = run["q"], run["v"], run["a"]
    R, origin = m.pose(q, "coupler")
    np.testing.assert_array_equal(run["pose:coupler"], np.c_[origin, R.reshape(-1, 9)])
    np.testing.assert_array_equal(run["velocity:coupler"], m.velocity(q, v, "coupler"))
    np.testing.assert_array_equal(
        run["velocity:coupler:world"], m.velocity(q, v, "coupler", "world")
    )
    np.testing.assert_allclose(
        run["acceleration:coupler:world_aligned"],
        m.acceleration(q, v, a, "coupler", "world_aligned"),
        atol=1e-9,
    )
    assert run.labels["pose:coupler"][:4] == ("coupler.x", "coupler.y", "coupler.z", "coupler.Rxx")
    assert run.units["velocity:coupler"][3] == "m/s"
    np.testing.assert_allclose(run["condition:coupler"], 1.0)  # one freedom, one direction


def test_condition_of_an_arm_and_of_a_platform():
    """Singular values over what the constraints leave free, by another decomposition."""
    arm = am.example("six-r")
    q = arm.random_state(seed=3)[0]
    tip = arm.bodies[-1]
    run = am.simulate(arm, q, step=1e-3, duration=2e-3, record=("q", f"condition:{tip}"))
    L = arm.constraint_solver.equations.length
    J = arm.jacobian(run["q"][1], tip) / np.r_[np.ones(3), np.full(3, L)][:, None]
    assert run[f"condition:{tip}"][1] == pytest.approx(np.linalg.cond(J), rel=1e-9)
    m = am.example("stewart")
    run = am.simulate(m, m.initial, step=1e-3, duration=1e-3, record=("q", "condition:platform"))
    N = m.mobility(run["q"][0]).motions
    s = m.constraint_solver.equations.scaling
    basis = np.linalg.qr(N / s.columns[:, None])[0] * s.columns[:, None]
    J = m.jacobian(run["q"][0], "platform") / np.r_[np.ones(3), np.full(3, s.length)][:, None]
    assert run["condition:platform"][0] == pytest.approx(np.linalg.cond(J @ basis), rel=1e-8)


def test_wrenches_and_wheels(tmp_path):
    m = am.example("rover")
    names = ("reactions:world_aligned", "constraint_forces:world:chassis", "wheel_forces")
    out = tmp_path / "run.nc"
    run = am.simulate(m, m.initial, step=1e-3, duration=3e-3, record=("q", "v", *names), out=out)
    s = m.solve(run["q"][2], run["v"][2], np.zeros(m.nv), coordinates="world_aligned")
    np.testing.assert_allclose(
        run["reactions:world_aligned"][2], s.reactions.total.ravel(), atol=1e-8
    )
    s = m.solve(run["q"][2], run["v"][2], np.zeros(m.nv), coordinates="world", about="chassis")
    np.testing.assert_allclose(
        run["constraint_forces:world:chassis"][2], s.constraint_forces.wrench.ravel(), atol=1e-8
    )
    np.testing.assert_allclose(run["wheel_forces"][2], s.wheel_forces.force.ravel(), atol=1e-8)
    assert run.labels["wheel_forces"][0].endswith(".normal")
    again = am.load_run(out)
    for name in names:
        np.testing.assert_array_equal(again[name], run[name])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pose:moon", "no frame named 'moon'"),
        ("pose:", "cannot be read. Expected pose:FRAME"),
        ("condition:coupler:world", "cannot be read. Expected condition:FRAME"),
        ("velocity:coupler:moon", "no coordinates named 'moon'"),
        ("reactions:world:moon", "no frame named 'moon'"),
        ("pose:the tool", "without blanks"),
        ("posture:coupler", "no quantity to record named 'posture:coupler'"),
        ("wheel_forces", "is about wheels, and 'four-bar' has none"),
    ],
)
def test_bad_names_are_refused_before_the_run(name, text):
    m = am.example("four-bar")
    with pytest.raises(ArmillaryError, match=text):
        am.simulate(m, m.initial, duration=1.0, step=1e-3, record=("q", name))
