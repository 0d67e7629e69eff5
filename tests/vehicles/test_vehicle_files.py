"""Vehicles as files: those in examples/vehicles are the ones that the calls make."""

from pathlib import Path

import numpy as np
import pytest

import armillary as am

FILES = Path(__file__).resolve().parents[2] / "examples" / "vehicles"
MADE = {
    "car": am.vehicles.car,
    "truck": am.vehicles.truck,
    "rover": am.vehicles.rover,
    "bicycle": am.vehicles.bicycle,
    "differential-drive": am.vehicles.differential_drive,
    "yesiloglu-car": am.vehicles.yesiloglu_car,
}


def test_every_file_has_its_vehicle():
    assert {path.stem for path in FILES.glob("*.yaml")} == set(MADE)


@pytest.mark.parametrize("name", MADE)
def test_a_file_is_the_vehicle(name):
    """Same parts, same places, same numbers (`vehicle.save(path)` writes it anew)."""
    read, made = am.load(FILES / f"{name}.yaml"), MADE[name]().mechanism
    assert read.bodies == made.bodies and read.v_labels == made.v_labels
    assert read.constraint_rows == made.constraint_rows
    assert read.parameter_names == made.parameter_names
    np.testing.assert_allclose(read.initial, made.initial, atol=1e-12)
    np.testing.assert_allclose(read.parameters, made.parameters, rtol=1e-9, atol=1e-9)
    poses = [m.tree.poses(made.initial) for m in (read, made)]
    np.testing.assert_allclose(poses[0][1], poses[1][1], atol=1e-12)


def test_a_mounted_arm_is_carried():
    rover = am.vehicles.rover()
    bare = am.vehicles.rover(arm=None)
    assert rover.mechanism.nv == bare.mechanism.nv + 6
    m = rover.mechanism
    tool = m.bodies[-1]
    q = m.initial.copy()
    q[m.q_labels.index("chassis.px")] += 1.0
    moved = m.pose(q, tool)[1] - m.pose(m.initial, tool)[1]
    assert np.allclose(moved, [1, 0, 0])
    car = am.vehicles.car().mount(am.example("six-r"), at=(-1.2, 0.0, 1.2))
    arm = am.example("double-pendulum")
    for place in ((0.1, 0.0, 0.2), am.Pose((0.1, 0.0, 0.2))):  # alike in both, a point or a pose
        other = bare.mount(arm, on="front-left-wheel", at=place, joint="revolute", axis="z")
        same = bare.mechanism.mount(
            arm, on="front-left-wheel", at=place, prefix="arm_", joint="revolute", axis="z"
        )
        assert other.mechanism.v_labels == same.v_labels
        assert other.held == ("arm_mount", "arm_shoulder", "arm_elbow")
        hub, tip = (
            np.asarray(same.pose(same.initial, x)[1]) for x in ("front-left-wheel", "arm_mount")
        )
        assert np.allclose(tip - hub, (0.1, 0.0, 0.2))
        assert np.allclose(other.mechanism.pose(same.initial, "arm_mount")[1], tip)
    for wrong in ("up", (1.0, 2.0), 3.0, (None, 0.0, 0.0)):
        with pytest.raises(am.InputError, match="mount, at: expected a point"):
            bare.mount(arm, at=wrong)
    with pytest.raises(am.ModelError, match="no frame"):
        bare.mount(arm, on="deck")
    assert "arm_link6" in car.mechanism.v_labels and car.steering == "rack"
