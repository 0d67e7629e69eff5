"""Compliance of axles on rubber: closed forms, the limit of stiff rubber, the Hessian of energy."""

from dataclasses import replace

import numpy as np
import pytest

import armillary as am
from armillary.errors import InputError
from armillary.vehicles.rig import Rig

V = am.vehicles
SLACK = V.Strut(stiffness=0.0, damping=1.0, bump=0.0, rebound=0.0, load=0.0)
INNER, OUTER, CENTER = (0.4, 0.3, 0.31), (0.4, 0.6, 0.31), (0.0, 0.75, 0.31)


def trailing(**changes):
    """A trailing arm with its pivots across the car, in the height of the wheel's centre."""
    return V.TrailingArm(
        pivot_inner=INNER, pivot_outer=OUTER, wheel_center=CENTER, strut=SLACK, **changes
    )


def test_an_arm_on_two_bushings_by_hand():
    """Springs at the pivots (axial along y, radial along x and z), the wheel's centre held in its
    height: yaw of the arm about the middle of its pivots is  M / (k_x d²/2 + 2 k_tilt)."""
    rubber = V.Bushing(radial=3e6, axial=8e5, tilting=900.0, turning=0.0)
    axle = V.Axle(trailing(bushing=rubber), name="rear")
    yaw = rubber.radial * 0.3**2 / 2 + 2 * rubber.tilting
    arm, across = 0.4, 0.75 - 0.45  # from the pivots' middle back and out to the wheel
    small = [-1e-2, 0.0, 1e-2]
    turned = V.compliance(axle, aligning=small)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        assert turned[f"{side} steer compliance"][1] == pytest.approx(1 / yaw, rel=1e-6)
        assert turned[f"{side} center y compliance"][1] == pytest.approx(-arm / yaw, rel=1e-6)
        assert turned[f"{side} center x compliance"][1] == pytest.approx(
            -sign * across / yaw, rel=1e-6
        )
    pulled = V.compliance(axle, drive=small)  # forward at the centre: both along and about
    along = 1 / (2 * rubber.radial) + across**2 / yaw
    assert pulled["left center x compliance"][1] == pytest.approx(along, rel=1e-6)
    assert pulled["left toe compliance"][1] == pytest.approx(across / yaw, rel=1e-6)
    assert pulled["right toe compliance"][1] == pytest.approx(across / yaw, rel=1e-6)
    pushed = V.compliance(axle, lateral=small)
    # at the contact it turns the arm about x as well; about the pivots nothing resists, so the
    # post at the wheel's centre has no force
    roll = rubber.radial * 0.3**2 / 2 + 2 * rubber.tilting
    sideways = 1 / (2 * rubber.axial) + arm**2 / yaw
    assert pushed["left center y compliance"][1] == pytest.approx(sideways, rel=1e-6)
    assert pushed["left steer compliance"][1] == pytest.approx(-arm / yaw, rel=1e-6)
    assert pushed["left camber compliance"][1] == pytest.approx(-0.31 / roll, rel=1e-6)


def test_another_rubber_in_one_pivot():
    """Axial forces share by the springs in a row beside each other; softer outer rubber lets the
    arm turn about the inner pivot."""
    inner, outer = V.Bushing(radial=4e6, axial=1e6, tilting=0.0, turning=0.0), 2.5e5
    axle = V.Axle(trailing(bushing=inner, outer_bushing=replace(inner, radial=outer)))
    found = V.compliance(axle, drive=[0.0])
    # forward force at y = 0.75 on springs along x at 0.3 and 0.6: by levers
    at_inner, at_outer = (0.6 - 0.75) / 0.3 / 4e6, (0.75 - 0.3) / 0.3 / outer
    slope = (at_outer - at_inner) / 0.3
    assert found["left center x compliance"][0] == pytest.approx(at_inner + slope * 0.45, rel=1e-6)
    assert found["left toe compliance"][0] == pytest.approx(slope, rel=1e-6)


@pytest.fixture(scope="module")
def wishbone():
    """Two kinds of rubber, a loaded strut, steered."""
    return V.Axle(
        V.DoubleWishbone(
            bushing=V.Bushing(),
            rear_bushing=V.Bushing(radial=2e6, axial=6e5),
            strut=V.Strut(stiffness=50e3, load=5200.0),
        ),
        V.Rack(),
    )


@pytest.fixture(scope="module")
def pushed(wishbone):
    return V.compliance(wishbone, lateral=[-1500.0, -1.0, 0.0, 1.0, 1500.0])


def test_compliance_is_the_inverse_of_the_energys_hessian(wishbone, pushed):
    """At rest without loads: changes of the energy over closed places nearby by second differences,
    the loads' work by differences; nothing of the solver for rest is used."""
    rig = Rig(wishbone)
    m = rig.mechanism
    J = m.constraint_jacobian(m.initial)[:, rig.free]
    N = np.linalg.svd(J)[2][np.linalg.matrix_rank(J) :].T
    k, h = N.shape[1], 1e-4
    pairs = [(i, j) for i in range(k) for j in range(i + 1)]
    y = np.zeros((len(pairs), 4, k))
    for row, (i, j) in enumerate(pairs):
        for n, (a, b) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1))):
            y[row, n, i] += a * h
            y[row, n, j] += b * h

    def closed(y):
        step = np.zeros((len(y), m.nv))
        step[:, rig.free] = y @ N.T
        guess = m.integrate(np.tile(m.initial, (len(y), 1)), step)
        return rig._closed(guess, np.zeros((len(y), 3)))

    q = closed(y.reshape(-1, k))
    energy = np.asarray(m.energy(q, np.zeros((len(q), m.nv))))[1].reshape(len(pairs), 4)
    H = np.zeros((k, k))
    for (i, j), e in zip(pairs, energy, strict=True):
        H[i, j] = H[j, i] = (e[0] - e[1] - e[2] + e[3]) / (4 * h * h)
    ends = [closed(s * h * np.eye(k)) for s in (1, -1)]

    def slopes(number):
        return (number(ends[0]) - number(ends[1])) / (2 * h)

    def contact_y(q, side):
        R, p = m.pose(q, f"front-{side}-wheel")
        R, p = np.asarray(R), np.asarray(p)
        down = R[:, 2:3, 1] * R[:, :, 1] - [0, 0, 1]
        return (p + 0.31 * down / np.linalg.norm(down, axis=1, keepdims=True))[:, 1]

    work = sum(slopes(lambda q, s=s: contact_y(q, s)) for s in ("left", "right"))
    # the energy that the wheels' own motion stores is none: their joints are held
    moved = np.linalg.solve(H, work)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        center = slopes(lambda q, s=side: np.asarray(m.pose(q, f"{s}-center")[1])[:, 1]) @ moved
        assert pushed[f"{side} center y compliance"][2] == pytest.approx(center, rel=2e-4)

        def steer(q, side=side):
            axis = np.asarray(m.pose(q, f"front-{side}-wheel")[0])[:, :, 1]
            return np.arctan2(-axis[:, 0], axis[:, 1])

        assert pushed[f"{side} toe compliance"][2] == pytest.approx(
            -sign * slopes(steer) @ moved, rel=2e-4
        )


def test_rates_are_differences_and_sides_mirror(pushed):
    over = pushed["lateral"]
    for name in ("steer", "camber", "toe"):
        rate = (pushed[f"left {name}"][3] - pushed[f"left {name}"][1]) / (over[3] - over[1])
        assert pushed[f"left {name} compliance"][2] == pytest.approx(rate, rel=1e-5)
        sign = -1.0 if name == "steer" else 1.0
        assert np.allclose(
            pushed[f"left {name}"], sign * pushed[f"right {name}"][::-1], rtol=1e-6, atol=1e-12
        )
    change = (pushed["left center y change"][3] - pushed["left center y change"][1]) / 2.0
    assert pushed["left center y compliance"][2] == pytest.approx(change, rel=1e-5)
    assert np.abs(pushed["left center z change"]).max() < 1e-12
    sae = pushed.sae()
    assert np.array_equal(sae["lateral"], -over)
    assert np.array_equal(sae["left toe compliance"], -pushed["left toe compliance"])
    assert np.array_equal(sae["left steer compliance"], pushed["left steer compliance"])
    assert len(pushed.plot().axes) == 6
    assert "[rad]" in str(pushed) and "half-track change" in str(pushed)


def test_stiff_rubber_is_an_ideal_hinge():
    """Curves over travel go to those of rigid links as one over the stiffness."""
    travel = [-0.03, 0.04]
    rigid = V.kinematics(V.Axle(V.TrailingArm()), travel=travel)
    off = []
    for stiff in (1e9, 1e10):
        rubber = V.Bushing(radial=stiff, axial=stiff, tilting=0.0, turning=0.0)
        found = V.kinematics(V.Axle(V.TrailingArm(bushing=rubber)), travel=travel)
        off.append(
            {
                name: np.abs(found[f"left {name}"] - rigid[f"left {name}"]).max()
                for name in ("camber", "toe", "motion ratio", "half-track change", "wheel rate")
            }
        )
    for name, last in off[1].items():
        size = np.abs(rigid[f"left {name}"]).max()
        assert last < 2e-5 * size
        assert off[0][name] == pytest.approx(10 * last, rel=0.05)


def test_a_car_on_rubber_rests_where_its_points_are():
    """Preloads of the rubber carry what hinges would: at rest, with loads by the lever rule."""
    rubber = V.Bushing()
    car = V.car(V.TrailingArm(bushing=rubber), V.SolidAxle(guide="leaf"))
    m = car.mechanism
    q, v = car.start()
    assert np.abs(m.forward_dynamics(q, v, np.zeros(m.nv))).max() < 1e-6
    loads = m.tyre_forces(q, v).column("Fz")
    weight, x = car.mass * 9.81, car.center_of_mass[0]
    assert loads.sum() == pytest.approx(weight, rel=1e-9)
    assert loads[2:].sum() == pytest.approx(-x / car.wheelbase * weight, rel=1e-9)


@pytest.mark.soak
def test_a_car_on_rubber_drives():
    """It turns a little otherwise than the one on hinges: its front wheels give way to the left."""
    soft = V.DoubleWishbone(bushing=V.Bushing(), rear_bushing=V.Bushing(radial=1.5e6))
    turn = V.step_steer(20.0, 0.02, duration=1.5)
    rates = []
    for front, step in ((soft, 5e-4), ("double wishbone", 2e-3)):
        found = V.drive(V.car(front), turn, step=step)
        assert found.run.complete and found.run.performance().native == 1.0
        rates.append(found.yaw_rate()[-1])
    assert 1.01 < rates[0] / rates[1] < 1.3


def test_an_arm_on_rubber_has_its_breadth():
    """Two bars as many small masses."""
    data = V.DoubleWishbone(bushing=V.Bushing())
    m = Rig(V.Axle(data)).mechanism
    mass = m.model.bodies[m.model.index["front-left-lower-arm"]].mass
    feet = [np.array(data.lower_front), np.array(data.lower_rear)]
    tip, s = np.array(data.lower_ball), (np.arange(4000) + 0.5)[:, None] / 4000
    points = np.concatenate([foot + s * (tip - foot) for foot in feet])
    center, dm = points.mean(axis=0), data.lower_mass / len(points)
    assert np.allclose(mass.com, center - (feet[0] + feet[1]) / 2, atol=1e-12)
    d = points - center
    I = dm * (np.sum(d * d) * np.eye(3) - d.T @ d)
    thick = np.array([[mass.tensor[k] for k in row] for row in ((0, 3, 4), (3, 1, 5), (4, 5, 2))])
    assert np.allclose(thick, I, atol=2e-2 * np.abs(I).max())  # bars are 2 cm thick


BAD = [
    (lambda: V.compliance("double wishbone"), "its links and hinges are rigid"),
    (lambda: V.DoubleWishbone(rear_bushing=V.Bushing()), "bushing is there and bushing is"),
    (lambda: V.TrailingArm(bushing="soft"), "bushing is a Bushing(...) or None, found 'soft'"),
    (lambda: V.Bushing(radial=0.0), "radial is more than 0"),
    (lambda: V.MacPherson(mount="soft"), "mount is a number, found 'soft'"),
    (lambda: V.MacPherson(mount=V.Bushing(turning=0.0)), "mount.turning is more than 0"),
    (
        lambda: V.compliance(V.Axle(trailing(bushing=V.Bushing())), lateral=[1.0], drive=[1.0]),
        "one of lateral, longitudinal, drive and aligning is a list; found lateral and drive",
    ),
    (
        lambda: V.compliance(V.Axle(trailing(bushing=V.Bushing())), travel=[0.0, 0.1]),
        "travel, roll and steer are single numbers here",
    ),
    (
        lambda: V.compliance(V.Axle(V.SolidAxle(guide="leaf", leaf_along=0.0))),
        "nothing holds some of its motion",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("wrong", "text"), BAD)
def test_wrong_rubber_is_named(wrong, text):
    with pytest.raises(InputError) as error:
        wrong()
    assert text in str(error.value)


def upright(kind, **given):
    """A vertical steering axis at y = 0.70: steering leaves arms and heights where they are."""
    points = {
        V.DoubleWishbone: {"lower_ball": (0.0, 0.70, 0.19), "upper_ball": (0.0, 0.70, 0.515)},
        V.MacPherson: {
            "lower_ball": (0.0, 0.70, 0.18),
            "strut_low": (0.0, 0.70, 0.42),
            "strut_top": (0.0, 0.70, 0.87),
        },
    }[kind]
    return V.Axle(kind(**points, **given))


@pytest.mark.parametrize("kind", [V.DoubleWishbone, V.MacPherson])
def test_an_elastic_tie_rod_by_hand(kind):
    """A moment M about the steering axis turns it by M / (k r²), r: the rod's arm about that axis;
    half the stiffness, twice the angle: springs in a row."""
    k = 4e6
    axle = upright(kind, tie_rod=k)
    made = axle.made
    inner, outer = np.array(made.tie_inner), np.array(made.tie_outer)
    along = (outer - inner) / np.linalg.norm(outer - inner)
    r = np.cross(outer - np.array([0.0, 0.70, outer[2]]), along)[2]
    found = V.compliance(axle, aligning=[0.0])["left steer compliance"][0]
    assert found == pytest.approx(1.0 / (k * r * r), rel=1e-6)
    softer = V.compliance(upright(kind, tie_rod=0.5 * k), aligning=[0.0])
    assert softer["left steer compliance"][0] == pytest.approx(2.0 * found, rel=1e-6)


def test_a_car_with_elastic_tie_rods_and_mounts_rests_where_its_points_are():
    """With oblique steering axes the rods carry something there, and mounts carry the car."""
    soft = V.Bushing(axial=4e5)
    car = V.car(V.DoubleWishbone(tie_rod=4e6), V.MacPherson(tie_rod=4e6, mount=soft))
    m = car.mechanism
    rods = [part.law for part in m.model.elements if part.name.endswith("tie-rod")]
    mounts = [part.law for part in m.model.elements if part.name.endswith("mount-bushing")]
    assert len(rods) == 4 and len(mounts) == 2
    assert all(abs(law.preload[5]) > 1000.0 for law in mounts)
    rest = m.forward_dynamics(*car.start(), np.zeros(m.nv))
    assert np.abs(rest).max() < 1e-7


def level(**given):
    """A MacPherson axle with a vertical strut over a level arm: at the design position it heaves
    straight up, and tilts about its lower ball."""
    points = {"lower_front": (0.2, 0.37, 0.18), "lower_rear": (-0.2, 0.37, 0.18)}
    points |= {"lower_ball": (0.0, 0.70, 0.18), "strut_low": (0.0, 0.70, 0.42)}
    points |= {"tie_inner": (-0.14, 0.37, 0.18), "tie_outer": (-0.15, 0.69, 0.18)}
    return V.Axle(V.MacPherson(strut_top=(0.0, 0.70, 0.87), **points, **given))


def test_an_elastic_mount_by_hand():
    """A force at the contact, h below the lower ball, tilts the upright by F h / (k L² + κ): k
    radial and κ tilting of the mount, L from the ball to it.  Along the strut mount and spring are
    in a row; the wheel's load beside the strut tilts it, too: 1/k = 1/k_strut + 1/k_axial +
    d² / (k L² + κ) at the wheel's centre, d from the strut."""
    rubber = V.Bushing(radial=8e5, axial=3e5, tilting=4e4, turning=50.0)
    slack = V.compliance(level(mount=rubber, strut=SLACK), lateral=[0.0])
    h, L = 0.18, 0.87 - 0.18
    tilting = rubber.radial * L**2 + rubber.tilting
    tilt = h / tilting
    assert slack["left camber compliance"][0] == pytest.approx(-tilt, rel=1e-6)
    assert slack["right camber compliance"][0] == pytest.approx(tilt, rel=1e-6)
    drawn = V.compliance(level(mount=rubber, strut=SLACK), drive=[0.0])  # at the wheel's centre
    along = (0.31 - h) ** 2 / tilting
    assert drawn["left center x compliance"][0] == pytest.approx(along, rel=1e-6)
    k = 25e3
    spring = V.Strut(stiffness=k, damping=1.0, bump=0.0, rebound=0.0, load=0.0)
    found = V.kinematics(level(mount=rubber, strut=spring), travel=[0.0])
    rate = 1 / (1 / k + 1 / rubber.axial + (0.76 - 0.70) ** 2 / tilting)
    assert found["left wheel rate"][0] == pytest.approx(rate, rel=1e-6)
    assert found["left motion ratio"][0] == pytest.approx(rate / k, rel=1e-6)
