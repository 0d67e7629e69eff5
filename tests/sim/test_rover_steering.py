"""The four-wheel-drive, four-wheel-steer rover while its steering moves [Yesiloglu2007, 5.3, C.1].

Four wheels that are steered one by one agree on a centre of turning in single places only; tie rods
(couplings) keep them there.  Oracles: rigid kinematics of the plane, and power = dE/dt.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import simpson

import armillary as am
from armillary.mechanism.mechanism import Mechanism
from armillary.model.constraint_parts import Coupling

ROVER = am.example("rover")
CORNERS = ("front-left", "front-right", "rear-left", "rear-right")
RADIUS, HALF_BASE, HALF_TRACK = 0.16, 0.5, 0.4


def tied(ratios, scrubbing=()):
    """All steering follows the front left one; scrubbing wheels may slip sideways."""
    rods = [Coupling(f"{c}-rod", f"{c}-steer", "front-left-steer", ratio)
            for c, ratio in zip(CORNERS[1:], ratios, strict=True)]  # fmt: skip
    wheels = [replace(w, rows=("normal", "longitudinal")) if w.name.startswith(scrubbing) else w
              for w in ROVER.model.wheels]  # fmt: skip
    return Mechanism(replace(ROVER.model, wheels=tuple(wheels), couplings=tuple(rods)))


def placed(rover, angle, ratios):
    q = np.array(rover.initial)
    for corner, ratio in zip(CORNERS, (1.0, *ratios), strict=True):
        q[rover.q_labels.index(f"{corner}-steer")] = ratio * angle
    return q


def driven(rover, q, goal):
    """PID at one steering joint, constant torques at the wheels."""
    steering = am.PID(rover, {"front-left-steer": goal}, 40.0, 0.0, 12.0)
    torques = {f"{corner}-drive": 2.0 for corner in CORNERS}
    run = am.simulate(rover, q, duration=2.0, step=1e-3, controller=steering, inputs=torques,
                      record=("q", "v", "tau", "energy", "drift"))  # fmt: skip
    assert run.complete and not run.events
    assert np.ptp(run.column("q.front-left-steer")) > 0.25 and run.energy[-1] > 15.0
    return run


def check_power_and_rolling(rover, run):
    """Torques less friction feed the energy; no wheel slips or lifts where it must not."""
    friction = np.array([
        p.viscous for body in rover.model.bodies
        for p in (body.joint.passive or (am.Passive(),) * 6)
    ])  # fmt: skip
    power = np.sum(run.tau * run.v - friction * run.v**2, axis=1)
    fed = np.array([simpson(power[: k + 1], dx=1e-3) for k in range(0, len(run), 100)])
    gained = run.energy[::100] - run.energy[0]
    np.testing.assert_allclose(gained, fed, atol=1e-6 * gained[-1])
    slip = [rover.constraint_rate(q, v) for q, v in zip(run.q[::50], run.v[::50], strict=True)]
    assert np.abs(slip).max() < 1e-9 and np.abs(run.drift).max() < 1e-9


def heading(run):
    """Yaw of the chassis, from its quaternion (turns about z only)."""
    w, z = (run.column(f"q.chassis.{x}") for x in "wz")
    return 2.0 * np.arctan2(z, w)


def test_all_wheels_alike_on_the_move():
    """Crabwise: the chassis does not turn, it goes where the wheels point; the path is curved with
    the radius speed / steering rate."""
    ratios = (1.0, 1.0, 1.0)
    rover = tied(ratios)
    run = driven(rover, placed(rover, 0.0, ratios), 0.4)
    check_power_and_rolling(rover, run)
    np.testing.assert_allclose(heading(run), 0.4, atol=1e-9)
    steer, rate = run.column("q.front-left-steer"), run.column("v.front-left-steer")
    speed = RADIUS * run.column("v.front-left-drive")
    velocity = np.array([run.column(f"v.chassis.v{x}") for x in "xy"])
    np.testing.assert_allclose(velocity, speed * [np.cos(steer), np.sin(steer)], atol=1e-10)
    # curvature of the path from its points alone
    x, y = (run.column(f"q.chassis.p{x}") for x in "xy")
    k = np.arange(300, 1500, 100)
    d1, d2 = ([(p[k + 1] - p[k - 1]) / 2e-3 for p in (x, y)],
              [(p[k + 1] - 2 * p[k] + p[k - 1]) / 1e-6 for p in (x, y)])  # fmt: skip
    curvature = (d1[0] * d2[1] - d1[1] * d2[0]) / np.hypot(*d1) ** 3
    np.testing.assert_allclose(curvature, rate[k] / speed[k], rtol=1e-3)


def test_turning_while_the_steering_moves():
    """Rear wheels against front wheels: the centre of turning stands on the y axis of the chassis,
    half track + half base / tan(steer) to the left.  The right wheels scrub."""
    ratios = (1.0, -1.0, -1.0)
    rover = tied(ratios, scrubbing=("front-right", "rear-right"))
    run = driven(rover, placed(rover, 0.1, ratios), 0.4)
    check_power_and_rolling(rover, run)
    steer, yaw_rate = run.column("q.front-left-steer"), run.column("v.chassis.wz")
    radius = HALF_TRACK + HALF_BASE / np.tan(steer)
    np.testing.assert_allclose(run.column("v.chassis.vx"), yaw_rate * radius, atol=1e-9)
    np.testing.assert_allclose(run.column("v.chassis.vy"), 0.0, atol=1e-10)
    # the left wheels run on circles of their own about the same centre
    rolled = RADIUS * run.column("v.front-left-drive")
    np.testing.assert_allclose(rolled, yaw_rate * HALF_BASE / np.sin(steer), atol=1e-9)
    turned = heading(run) - 0.4
    assert turned[-1] > 0.3
    assert turned[-1] == pytest.approx(simpson(yaw_rate, dx=1e-3), rel=1e-8)


def test_steering_on_the_spot():
    """Torques at the steering alone [C.1.1]: legs and wheels turn about the vertical, each by
    itself:  I δ'' + c δ' = tau,  and the chassis stands."""
    bodies = {body.name: body for body in ROVER.model.bodies}
    torque = dict(zip((f"{c}-steer" for c in CORNERS), (0.8, -0.5, 0.3, 1.1), strict=True))
    run = am.simulate(ROVER, duration=0.5, step=1e-3, inputs=torque, record=("q", "v", "drift"))
    assert run.complete and not run.events and np.abs(run.drift).max() < 1e-12
    for corner in CORNERS:
        leg, wheel = bodies[f"{corner}-leg"], bodies[f"{corner}-wheel"]
        assert leg.mass.com[:2] == (0.0, 0.0) and wheel.mass.com == (0.0, 0.0, 0.0)
        inertia = leg.mass.tensor[2] + wheel.mass.tensor[2] + 160.0**2 * 6.0e-6
        rate = 0.8 / inertia
        end = torque[f"{corner}-steer"] / 0.8
        velocity = end * (1.0 - np.exp(-rate * run.time))
        angle = end * (run.time - (1.0 - np.exp(-rate * run.time)) / rate)
        np.testing.assert_allclose(run.column(f"v.{corner}-steer"), velocity, atol=1e-8)
        moved = run.column(f"q.{corner}-steer") - run.column(f"q.{corner}-steer")[0]
        np.testing.assert_allclose(moved, angle, atol=1e-8)
    np.testing.assert_allclose(run.v[:, :6], 0.0, atol=1e-9)


@pytest.mark.parametrize("batch", [False, True])
def test_a_rover_that_locks_says_so(batch):
    """Driven in a turn with free steering, its legs lag behind and its rows disagree after a few
    steps: it stands, and tells."""
    q = np.array(ROVER.initial)
    for corner, x, y in zip(CORNERS, (0.5, 0.5, -0.5, -0.5), (0.4, -0.4, 0.4, -0.4), strict=True):
        q[ROVER.q_labels.index(f"{corner}-steer")] = np.arctan(x / (1.7 - y))
    q = np.tile(q, (3, 1)) if batch else q
    torques = {f"{corner}-drive": 0.8 for corner in CORNERS}
    run = am.simulate(ROVER, q, duration=0.1, step=1e-3, inputs=torques)
    assert np.abs(run.v[-1]).max() < 1e-4
    told = [text for _, text in run.events if "the constraints took velocity away" in text]
    assert len(told) == (3 if batch else 1)
    assert all("9 independent rows at the start, 10 now" in text for text in told)
    assert all("steering of wheels" in text for text in told)
    assert not run.complete and "locked since t = " in run.message


def test_a_rover_drives_on_from_where_it_starts():
    """Straight ahead, by equal torques: what they do is the kinetic energy and what the bearings
    take, along the line of its heading."""
    torques = {f"{corner}-drive": 2.0 for corner in CORNERS}
    run = am.simulate(ROVER, duration=2.0, step=4e-3, inputs=torques, record=("q", "v", "energy"))
    assert run.complete and not run.events
    turned = [run.column(f"{corner}-drive") for corner in CORNERS]
    rolled = RADIUS * (turned[0][-1] - turned[0][0])
    assert rolled > 0.4
    moved = [run.column(f"q.chassis.p{x}")[-1] - run.column(f"q.chassis.p{x}")[0] for x in "xy"]
    np.testing.assert_allclose(moved, rolled * np.array([np.cos(0.4), np.sin(0.4)]), rtol=1e-9)
    spin = np.array([run.column(f"v.{corner}-drive") for corner in CORNERS])
    lost = simpson(0.2 * np.sum(spin**2, axis=0), x=run.time)
    done = 2.0 * sum(x[-1] - x[0] for x in turned)
    assert run.energy[-1] - run.energy[0] == pytest.approx(done - lost, rel=1e-6)


def car():
    """Two wheels behind, two in front whose steering is free, on a chassis that stays level."""
    b = am.Builder("car")
    b.body("chassis", joint="planar", at=(0, 0, 0.3), mass=1000.0, inertia=(300, 1200, 1300))
    for name, x, y in (("rl", -1.2, 0.7), ("rr", -1.2, -0.7), ("fl", 1.2, 0.7), ("fr", 1.2, -0.7)):
        parent, at = "chassis", (x, y, 0)
        if x > 0:
            b.body(f"leg-{name}", "chassis", "revolute", at, joint_name=f"steer-{name}", axis="z",
                   mass=10.0, inertia=(0.3, 0.3, 0.3))  # fmt: skip
            parent, at = f"leg-{name}", (0, 0, 0)
        b.body(name, parent, "revolute", at, axis="y", mass=20.0, inertia=(0.5, 0.9, 0.5))
        b.wheel(am.Wheel(f"{name}-tyre", name, 0.3))
    return b.build()


@pytest.mark.parametrize("method", ["rk4", "semi-implicit", "dopri5"])
def test_a_car_that_locks_does_not_end_well(method):
    """Its front wheels are turned by different torques: by Ackermann no motion is left.  The run is
    not complete and says when; without torques it rolls on."""
    m = car()
    straight = dict.fromkeys(("rl", "rr", "fl", "fr"), 5.0 / 0.3) | {"chassis.x": 5.0}
    v = np.array([straight.get(label, 0.0) for label in m.v_labels])
    assert np.abs(m.constraint_rate(m.initial, v)).max() < 1e-12
    torques = {"steer-fl": 2.0, "steer-fr": 2.5}
    run = am.simulate(m, m.initial, v, duration=0.2, step=1e-3, inputs=torques, method=method,
                      record=("q", "v", "energy"))  # fmt: skip
    assert not run.complete and "locked since t = " in run.message
    assert run.energy.max() <= run.energy[0] * (1.0 + 1e-9)
    free = am.simulate(m, m.initial, v, duration=0.05, step=1e-3, method=method)
    assert free.complete
    np.testing.assert_allclose(free.column("v.chassis.x"), 5.0, rtol=1e-9)
