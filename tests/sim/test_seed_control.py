"""Controlled and driven runs of the documents, whole: the machine of chapter 8, cart and rover."""

import numpy as np
import pytest

import armillary as am
from seeds.cases import case, table

# -- HSLM under PID [VanDerMerwe1995, 8.2.2] -----------------------------------------------------

LEVEL = 1 / np.sqrt(3) - 0.15
GAINS = case("000_hslm").problem["controller"]


@pytest.mark.parametrize(
    "name, y, both",
    [("hold", 0.0, True), ("up025", 0.25, True), ("up025_slides_only", 0.25, False)],
)
def test_pid_runs_for_ten_seconds(name, y, both):
    """Platform, slides, forces and integrals of all recorded instants."""
    data = table(f"000_hslm_{name}_moving")
    machine = am.example("hslm")
    length, lean = np.hypot(LEVEL, 1 - y), np.arctan2(1 - y, LEVEL)
    wanted = {f"rod{k}.dx": length for k in (1, 2, 3)}
    wanted |= {f"foot{k}.rz": lean for k in (1, 2, 3)} if both else {}
    sums = [data["int_eL"][0]] * 3 + ([data["int_e2"][0]] * 3 if both else [])
    pid = am.PID(machine, wanted, GAINS["kp"], GAINS["ki"], GAINS["kd"], integral=sums)
    run = am.simulate(machine, duration=10.0, step=1e-3, every=100, controller=pid,
                      record=("q", "v", "tau", "drift"))  # fmt: skip
    assert run.complete, run.message
    np.testing.assert_allclose(run.time, data["t"], atol=1e-9)
    np.testing.assert_allclose(run.column("platform.py"), data["platform_y"], atol=2e-7)
    for k in (1, 2, 3):
        np.testing.assert_allclose(run.column(f"q.rod{k}.dx"), data["slide_L"], atol=2e-7)
        np.testing.assert_allclose(run.column(f"tau.rod{k}.dx"), data["F_slide"], atol=2e-3)
    assert np.abs(run.drift).max() < 1e-11


# -- the two-wheeled cart [Yesiloglu2007, 5.2] ---------------------------------------------------

CART = case("002_wheeled_systems")["synthetic cart accelerations at rest"]


@pytest.mark.parametrize("pattern", ["forward", "rotate", "off_center"])
def test_cart_for_two_seconds(pattern):
    """Constant torques: speed and yaw rate grow linearly, as the closed form says."""
    cart, value = am.example("two-wheeled-cart"), CART[pattern]
    wheels = [name for name in cart.joint_names if "wheel" in name]
    torques = dict(zip(wheels, value["torques"], strict=True))
    # the axle pitches freely with up to 200 rad/s: short steps
    run = am.simulate(cart, duration=2.0, step=2e-4, every=500, inputs=torques,
                      record=("q", "v", "drift"))  # fmt: skip
    assert run.complete and np.abs(run.drift).max() < 1e-12
    spin = np.array([cart.velocity(q, v, base_body(cart), "world_aligned")
                     for q, v in zip(run.q, run.v, strict=True)])  # fmt: skip
    np.testing.assert_allclose(spin[:, 2], value["yaw_acceleration"] * run.time, atol=2e-6)
    speed = np.hypot(spin[:, 3], spin[:, 4])
    forward = abs(value["acceleration_along_y (forward is -y)"]) * run.time
    np.testing.assert_allclose(speed, forward, atol=2e-6)


def base_body(mechanism) -> str:
    return next(b.name for b in mechanism.model.bodies if b.joint.kind == "free")


# -- the rover: steering held, driven [Yesiloglu2007, 5.3] ---------------------------------------


@pytest.mark.parametrize("steer", [0.0, 0.3])
def test_rover_drives_with_its_steering_held(steer):
    """All wheels turned alike (straight ahead, or crabwise): the chassis goes straight along them,
    and the work of the prescribed motions is its kinetic energy."""
    rover = am.example("rover")
    steering = [name for name in rover.joint_names if "steer" in name]
    held = rover.lock(dict.fromkeys(steering, steer))
    prescribed = [name for name in held.joint_names if "drive" in name or "wheel" in name]
    torque = 0.8
    record = ("q", "v", "kinetic", "drift")
    inputs = dict.fromkeys(prescribed, torque)
    run = am.simulate(held, duration=2.0, step=1e-3, every=5, inputs=inputs, record=record)
    assert run.complete and np.abs(run.drift).max() < 1e-11
    turned = sum(run.column(f"q.{name}") - run.column(f"q.{name}")[0] for name in prescribed)
    speeds = np.array([run.column(f"v.{name}") for name in prescribed])
    friction = held.model.bodies[held.model.joint_number(prescribed[0])].joint.passive[0].viscous
    power = friction * np.sum(speeds**2, axis=0)
    lost = np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(run.time))])
    gained = run.kinetic - run.kinetic[0]
    assert gained[-1] > 1.0
    np.testing.assert_allclose(gained, torque * turned - lost, atol=1e-4 * gained[-1])
    way = run.q[:, 4:6] - held.initial[4:6]
    direction = way[-1] / np.linalg.norm(way[-1])
    across = way @ np.array([-direction[1], direction[0]])
    np.testing.assert_allclose(across, 0.0, atol=1e-9)
