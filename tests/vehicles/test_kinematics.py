"""Kinematics of suspensions against geometry by hand: instant centres, planar four-bars, turning
about an oblique axis, virtual work, differences."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq, fsolve

from armillary.errors import InputError
from armillary.vehicles.axle import Axle
from armillary.vehicles.axles import RoadWheel, Strut
from armillary.vehicles.kinematics import kinematics
from armillary.vehicles.rig import Rig
from armillary.vehicles.solid_axle import SolidAxle
from armillary.vehicles.steering import Rack, Trapezoid, ackermann_error, ackermann_outer
from armillary.vehicles.suspensions import DoubleWishbone, MacPherson, TrailingArm

TRAVEL = np.linspace(-0.06, 0.06, 7)


def planar_wishbone(**changes):
    """All pivots along x, everything that matters in the plane x = 0, the tie rod a copy of the
    lower arm: the upright turns about x alone."""
    lower, ball = (0.40, 0.22), (0.71, 0.18)
    points = {
        "lower_front": (0.15, *lower), "lower_rear": (-0.15, *lower), "lower_ball": (0.0, *ball),
        "upper_front": (0.12, 0.47, 0.50), "upper_rear": (-0.12, 0.47, 0.50),
        "upper_ball": (0.0, 0.67, 0.53),
        "tie_inner": (-0.14, *lower), "tie_outer": (-0.14, *ball),
        "wheel_center": (0.0, 0.77, 0.31),
        "strut_low": (0.0, 0.60, 0.19), "strut_top": (0.0, 0.49, 0.64),
    }  # fmt: skip
    return DoubleWishbone(**points | changes)


class FourBar:
    """The same linkage in the plane (y, z), by circles that meet."""

    def __init__(self, data):
        point = {name: np.array(p[1:]) for name, p in vars(data).items() if isinstance(p, tuple)}
        self.P, self.B = point["lower_front"], point["lower_ball"]
        self.Q, self.C = point["upper_front"], point["upper_ball"]
        self.W, self.S, self.T = point["wheel_center"], point["strut_low"], point["strut_top"]

    def at(self, angle):
        """With the lower arm turned: roll of the upright, and ball joints."""
        B = self.P + _turned(self.B - self.P, angle)
        a, b = np.linalg.norm(self.C - self.Q), np.linalg.norm(self.C - self.B)
        way = B - self.Q
        d = np.linalg.norm(way)
        x = (d * d + a * a - b * b) / (2 * d)
        h = math.sqrt(a * a - x * x)
        across = np.array([-way[1], way[0]]) / d
        feet = [self.Q + way / d * x + s * h * across for s in (1, -1)]
        C = min(feet, key=lambda p: np.linalg.norm(p - self.C))
        roll = _angle(C - B) - _angle(self.C - self.B)
        return roll, B, C

    def center(self, angle):
        roll, B, _ = self.at(angle)
        return B + _turned(self.W - self.B, roll)

    def travelled(self, travel):
        """Angle of the lower arm where the wheel's centre has risen by the travel."""
        return brentq(lambda x: self.center(x)[1] - self.W[1] - travel, -0.6, 0.6, xtol=1e-15)

    def instant_center(self, B, C):
        u, w = B - self.P, C - self.Q
        s = np.linalg.solve(np.stack([u, -w], axis=1), self.Q - self.P)
        return self.P + s[0] * u


def _turned(v, angle):
    c, s = math.cos(angle), math.sin(angle)
    return np.array([c * v[0] - s * v[1], s * v[0] + c * v[1]])


def _angle(v):
    return math.atan2(v[1], v[0])


def test_double_wishbone_is_a_planar_four_bar():
    """Camber, half-track, roll centre, motion ratio of a planar linkage by circles and instant
    centres, at finite travel; toe stays zero."""
    data = planar_wishbone()
    curves, bars = kinematics(Axle(data), travel=TRAVEL), FourBar(data)
    radius = 0.31
    for k, travel in enumerate(TRAVEL):
        angle = bars.travelled(travel)
        roll, B, C = bars.at(angle)
        W = bars.center(angle)
        # turning about x moves the top from z towards -y: inward, negative camber
        assert curves["left camber"][k] == pytest.approx(-roll, abs=1e-12)
        contact = W + _turned(np.array([0.0, -radius]), roll)
        assert curves["left half-track change"][k] == pytest.approx(contact[0] - 0.77, abs=1e-12)
        center = bars.instant_center(B, C)
        slope = (contact[1] - center[1]) / (contact[0] - center[0])
        assert curves["roll centre z"][k] == pytest.approx(
            contact[1] - slope * contact[0], rel=1e-9
        )
        assert curves["roll centre y"][k] == pytest.approx(0.0, abs=1e-12)
        # rates about the instant centre: upright 1, lower arm by the ball joint's speed
        rise = W[0] - center[0]
        arm = np.dot(B - center, B - bars.P) / np.dot(B - bars.P, B - bars.P)
        seat = bars.P + _turned(bars.S - bars.P, angle)
        u = (bars.T - seat) / np.linalg.norm(bars.T - seat)
        speed = arm * np.array([-(seat - bars.P)[1], (seat - bars.P)[0]])
        assert curves["left motion ratio"][k] == pytest.approx(u @ speed / rise, rel=1e-10)
    assert np.abs(curves["left toe"]).max() < 1e-12
    for name in ("camber", "half-track change", "motion ratio", "wheel rate", "toe"):
        assert np.allclose(curves[f"left {name}"], curves[f"right {name}"], rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("made", [DoubleWishbone, MacPherson, TrailingArm, SolidAxle])
def test_wheel_rate_is_virtual_work(made):
    """F = T dl/dz of the strut alone (stops out of reach), so dF/dz = k r² + T dr/dz for parallel
    travel; r(z) by differences of the strut's length."""
    k, load = 41.0e3, 3000.0
    strut = Strut(stiffness=k, damping=1e3, bump=0.0, rebound=0.0, load=load)
    axle = Axle(made(strut=strut))
    h, at = 1e-4, np.array([-0.03, 0.0, 0.04])
    curves = kinematics(axle, travel=at)
    rig = Rig(axle)
    for i, z in enumerate(at):
        places = np.array([[z + s, z + s, 0.0] for s in (-h, 0.0, h)])
        q = rig.places(places)
        m = rig.mechanism
        length = m.element_forces(q, np.zeros((3, m.nv))).along[:, 0, 1]
        r = (length[0] - length[2]) / (2 * h)
        bend = -(length[2] - 2 * length[1] + length[0]) / h**2
        design = m.element_forces(m.initial, np.zeros(m.nv)).along[0, 1]
        compression = load + k * (design - length[1])
        assert curves["left motion ratio"][i] == pytest.approx(r, rel=1e-6)
        assert curves["left load"][i] == pytest.approx(compression * r, rel=1e-6)
        assert curves["left wheel rate"][i] == pytest.approx(
            k * r * r + compression * bend, rel=1e-4
        )


def test_trailing_arm_turns_about_its_oblique_axis():
    data = TrailingArm(camber=-0.02, toe=0.004)
    curves = kinematics(Axle(data), travel=TRAVEL)
    a, b, w = (np.array(p) for p in (data.pivot_inner, data.pivot_outer, data.wheel_center))
    n = (b - a) / np.linalg.norm(b - a)

    def turned(v, angle):  # Rodrigues
        return (
            v * math.cos(angle)
            + np.cross(n, v) * math.sin(angle)
            + n * (n @ v) * (1 - math.cos(angle))
        )

    # a wheel's axis from its angles: Rz(-toe) Rx(-camber) y, left side
    camber, toe = data.camber, data.toe
    e0 = np.array(
        [math.sin(toe) * math.cos(camber), math.cos(toe) * math.cos(camber), -math.sin(camber)]
    )
    for k, travel in enumerate(TRAVEL):
        angle = brentq(lambda x, z=travel: (a + turned(w - a, x) - w)[2] - z, -0.5, 0.5, xtol=1e-15)
        e = turned(e0, angle)
        assert curves["left camber"][k] == pytest.approx(-math.asin(e[2]), abs=1e-12)
        assert curves["left toe"][k] == pytest.approx(math.atan2(e[0], e[1]), abs=1e-12)
        center = a + turned(w - a, angle)
        speed = np.cross(n, center - a)
        assert curves["left center slope"][k] == pytest.approx(speed[0] / speed[2], rel=1e-10)


def test_pitch_center_of_a_pure_trailing_arm():
    """The pivot is the instant centre in the view from the side: 0.4 m ahead and 0.3 m up."""
    data = TrailingArm(pivot_inner=(0.4, 0.3, 0.3), pivot_outer=(0.4, 0.6, 0.3))
    curves = kinematics(Axle(data, name="rear"), travel=[-0.01, 0.0, 0.01])
    assert curves["left contact slope"][1] == pytest.approx(-0.3 / 0.4, rel=1e-12)
    assert curves["left center slope"][1] == pytest.approx(-(0.3 - 0.31) / 0.4, rel=1e-12)
    # anti-lift under brakes, 40 % at the rear: tan(angle) L / h
    rear = curves.anti(wheelbase=2.7, height=0.54, share=0.4)
    assert -rear["left"][1] == pytest.approx(0.4 * (0.3 / 0.4) * 2.7 / 0.54, rel=1e-12)
    assert curves["roll centre z"][1] == pytest.approx(0.0, abs=1e-12)  # wheels move straight up


def test_four_link_axle_rolls_about_its_apex_line():
    """Pairs of links meet in the middle plane; the axis through both points is where a body rolls
    on a symmetric axle: its height over the wheels' centres' plane is the roll centre."""
    data = SolidAxle()
    curves = kinematics(Axle(data, name="rear"), travel=[0.0])

    def apex(body, axle):
        body, axle = np.array(body), np.array(axle)
        return body + (axle - body) * body[1] / (body[1] - axle[1])

    lower, upper = apex(data.lower_body, data.lower_axle), apex(data.upper_body, data.upper_axle)
    height = lower[2] + (upper[2] - lower[2]) * (0.0 - lower[0]) / (upper[0] - lower[0])
    assert curves["roll centre z"][0] == pytest.approx(height, rel=1e-9)


def test_the_steering_axis_goes_through_the_ball_joints():
    data = DoubleWishbone(camber=-0.01)
    curves = kinematics(Axle(data, Rack()), travel=[0.0])
    low, up = np.array(data.lower_ball), np.array(data.upper_ball)
    n = up - low
    ground = low - n * low[2] / n[2]
    assert curves["left caster"][0] == pytest.approx(math.atan2(-n[0], n[2]), rel=1e-10)
    assert curves["left kingpin"][0] == pytest.approx(math.atan2(-n[1], n[2]), rel=1e-10)
    z = 0.0  # of the contact: the disc leans and reaches the road
    y = 0.76 - 0.31 * math.tan(data.camber)
    ground = low + n * (z - low[2]) / n[2]
    assert curves["left trail"][0] == pytest.approx(ground[0], rel=1e-9)
    assert curves["left scrub"][0] == pytest.approx(y - ground[1], rel=1e-9)


def test_a_macpherson_mount_stays_on_the_strut():
    """At any travel and steering the mount lies on the upright's line, by the bodies' poses."""
    data = MacPherson()
    rig = Rig(Axle(data, Rack(at=(-0.14, 0.0, 0.235))))
    at = np.array([[-0.05, 0.03, 0.02], [0.06, 0.06, -0.05]])
    m = rig.mechanism
    for q in rig.places(at):
        for side, name in ((1.0, "front-left"), (-1.0, "front-right")):
            R, p = m.pose(q, f"{name}-upright")
            ball, low, top = (
                np.array([x, side * y, z])
                for x, y, z in (data.lower_ball, data.strut_low, data.strut_top)
            )
            foot, axis = p + R @ (low - ball), R @ (top - low)
            away = top - foot
            assert np.linalg.norm(np.cross(away, axis)) / np.linalg.norm(axis) < 1e-12
            assert np.linalg.norm(p - m.pose(q, f"{name}-lower-arm")[1]) > 0.1


@pytest.mark.parametrize("axle", [
    Axle(DoubleWishbone(camber=-0.015, toe=0.003), Rack()),
    Axle(MacPherson(), Rack(at=(-0.14, 0.0, 0.235))),
    Axle(SolidAxle(), Trapezoid()),
])  # fmt: skip
def test_rates_are_differences(axle):
    """Velocities by the constraint Jacobian against closed places a little apart."""
    rig, h = Rig(axle), 1e-6
    at = np.array([[0.02, -0.03, 0.02]])
    q = rig.places(at)
    v = rig.motions(q)
    for k in range(3):
        ends = [rig.places(at + s * h * np.eye(3)[k]) for s in (-1, 1)]
        change = rig.mechanism.difference(*ends)[0] / (2 * h)
        assert np.allclose(v[0, :, k], change, rtol=1e-7, atol=1e-8)


def test_trapezoid_of_the_mechanism_and_in_closed_form():
    trapezoid = Trapezoid(pins=1.28, arm=0.17, wheelbase=2.6)
    angles = np.linspace(-0.6, 0.6, 9)
    curves = kinematics(Axle(SolidAxle(), trapezoid), steer=angles)
    closed = [trapezoid.right_angle(x) for x in angles]
    assert np.allclose(curves["left steer"], angles, atol=1e-12)
    assert np.allclose(curves["right steer"], closed, atol=1e-11)
    # mirrored: steering right is steering left seen in a mirror
    assert trapezoid.right_angle(-closed[-1]) == pytest.approx(-angles[-1], rel=1e-10)


def test_ackermann():
    """Outer angles of the condition have one turning centre; the error of a trapezoid is small
    at small angles and that of parallel steering is what parallel steering lacks."""
    pins, wheelbase = 1.3, 2.7
    for inner in (0.1, -0.3, 0.6):
        outer = ackermann_outer(inner, pins, wheelbase)
        far = wheelbase / math.tan(abs(inner)) + pins  # from the outer kingpin to the centre
        assert math.tan(abs(outer)) == pytest.approx(wheelbase / far, rel=1e-12)
        assert ackermann_error(inner, inner, pins, wheelbase) == pytest.approx(
            abs(inner) - abs(outer)
        )
    trapezoid = Trapezoid(pins=pins, wheelbase=wheelbase)
    errors = [ackermann_error(x, trapezoid.right_angle(x), pins, wheelbase) for x in (0.05, 0.4)]
    parallel = ackermann_error(0.4, 0.4, pins, wheelbase)
    assert 0.0 < errors[0] < 1e-3 and 0.0 < errors[1] < 0.5 * parallel


def test_roll_steer_and_bars():
    """The bar works against opposed travel only, with k (dθ/dz)² both ways."""
    plain, barred = (Axle(planar_wishbone(), anti_roll=k) for k in (0.0, 900.0))
    with_bar, without = (kinematics(a, roll=[0.0, 0.02]) for a in (barred, plain))
    assert with_bar["left wheel rate"][0] == pytest.approx(without["left wheel rate"][0], rel=1e-6)
    bars = FourBar(planar_wishbone())
    h = 1e-5
    turn = (bars.travelled(h) - bars.travelled(-h)) / (2 * h)
    added = with_bar["left wheel roll rate"][0] - without["left wheel roll rate"][0]
    assert added == pytest.approx(2 * 900.0 * turn**2, rel=1e-5)
    # a body that rolls to the right (left side up) lets the left wheel down
    assert with_bar["left camber"][1] > 0.0 > with_bar["right camber"][1]


def test_sae_axes():
    curves = kinematics(Axle(DoubleWishbone(), Rack()), steer=[0.0, 0.02])
    sae = curves.sae()
    assert curves["left steer"][1] > 0.0 > sae["left steer"][1]
    assert np.array_equal(sae["left camber"], curves["left camber"])
    assert np.array_equal(sae["roll centre z"], -curves["roll centre z"])
    assert sae.sae() is sae and "SAE" in str(sae)


def test_tables_and_pictures():
    curves = kinematics("MacPherson", travel=TRAVEL)
    text = str(curves)
    assert "[rad]" in text and "motion ratio" in text and len(text.splitlines()) == 10
    figure = curves.plot("camber", "toe", "roll centre z")
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert labels == ["camber [rad]", "toe [rad]", "roll centre z [m]"]
    assert figure.axes[0].get_xlabel() == "travel [m]"
    assert curves.at(0.0)["left camber"] == pytest.approx(0.0, abs=1e-12)
    assert "left camber [rad]" in curves.to_dict()


BAD = [
    (lambda: DoubleWishbone(lower_ball=(0, -0.7, 0.2)), "y = -0.7 m. Points are those of the left"),
    (lambda: DoubleWishbone(upper_ball=(0.11, 0.45, 0.49)), "upper_ball lies on the line"),
    (lambda: DoubleWishbone(lower_front=(1, 2)), "lower_front is a point, three numbers"),
    (lambda: DoubleWishbone(tie_inner=(0, math.nan, 0)), "tie_inner has numbers"),
    (lambda: DoubleWishbone(lower_mass=0.0), "lower_mass is more than 0, found 0"),
    (lambda: Strut(stiffness=-1.0), "Strut: stiffness is 0 or more, found -1"),
    (lambda: Strut(stiffness="soft"), "Strut: stiffness is a number, found 'soft'"),
    (lambda: TrailingArm(pivot_inner=(0.4, 0.6, 0.3), pivot_outer=(0.4, 0.6, 0.3)), "same point"),
    (lambda: SolidAxle(guide="magic"), "guide is one of four-link, leaf, ideal"),
    (lambda: SolidAxle(upper_axle=(0.03, 0.45, 0.45)), "nothing holds the axle sideways"),
    (lambda: Axle("wishbone"), "there is no 'wishbone'; expected one of double wishbone"),
    (lambda: Axle("trailing arm", Rack()), "has no tie rods for a rack"),
    (lambda: Axle("MacPherson", Trapezoid()), "stands on a SolidAxle"),
    (lambda: Axle(wheel=RoadWheel(radius=0.25)), "begin in the air"),
    (lambda: Axle(wheel=RoadWheel(radius=0.35)), "begin in the ground"),
    (lambda: Trapezoid(arm=3.0), "leave"),
    (lambda: Trapezoid(arm=0.5, inward=0.6).right_angle(-1.4), "does not reach"),
    (lambda: kinematics(travel=[0.5]), "does not close at a travel of 0.5 m"),
    (lambda: kinematics(travel=[0.0, 0.1], roll=[0.0, 0.1]), "found travel and roll"),
    (lambda: kinematics("trailing arm", steer=[0.1]), "is not steered"),
    (lambda: kinematics(travel=["high"]), "travel: expected a number or a list"),
]  # fmt: skip


@pytest.mark.parametrize(("wrong", "text"), BAD)
def test_wrong_data_is_named(wrong, text):
    with pytest.raises(InputError) as error:
        wrong()
    assert text in str(error.value)


def test_double_wishbone_in_space_by_its_hard_points():
    """Three points of the upright, solved by another route: each stays at its distances from the
    pivots and from the other points; the wheel goes with them (scipy's fsolve, no frames)."""
    made = DoubleWishbone()
    axle = Axle(made)
    names = ("lower_ball", "upper_ball", "tie_outer")
    start = np.array([getattr(made, name) for name in names])
    pivots = {k: [np.array(getattr(made, f"{x}_{y}")) for y in ("front", "rear")]
              for k, x in enumerate(("lower", "upper"))}  # fmt: skip
    held = [(k, p) for k, own in pivots.items() for p in own] + [(2, np.array(made.tie_inner))]

    def rod_lengths(p):
        own = [np.linalg.norm(p[k] - point) for k, point in held]
        return np.array(own + [np.linalg.norm(p[a] - p[b]) for a, b in ((0, 1), (0, 2), (1, 2))])

    def frame(p):
        """Axes in which the upright's points rest."""
        e = (p[1] - p[0]) / np.linalg.norm(p[1] - p[0])
        n = np.cross(e, p[2] - p[0])
        n /= np.linalg.norm(n)
        return np.stack([e, n, np.cross(e, n)], axis=1)

    center, axis = (frame(start).T @ x for x in (np.array(made.wheel_center) - start[0], [0, 1, 0]))
    found = kinematics(axle, travel=TRAVEL)
    for number, travel in enumerate(TRAVEL):

        def open_by(x, travel=travel):
            p = x.reshape(3, 3)
            height = (p[0] + frame(p) @ center)[2] - made.wheel_center[2] - travel
            return [*(rod_lengths(p) - rod_lengths(start)), height]

        p = fsolve(open_by, start.ravel(), xtol=1e-13).reshape(3, 3)
        assert np.abs(open_by(p.ravel())).max() < 1e-12
        y = frame(p) @ axis
        assert found["left camber"][number] == pytest.approx(-math.asin(y[2]), abs=1e-9)
        assert found["left steer"][number] == pytest.approx(math.atan2(-y[0], y[1]), abs=1e-9)
        moved = p[0] + frame(p) @ center - made.wheel_center
        assert found["left wheelbase change"][number] == pytest.approx(
            moved[0] + contact(y)[0], abs=1e-9
        )


def contact(y, radius=0.31):
    """From the wheel's centre to the road, in the wheel's plane, less where it was."""
    down = np.array([0.0, 0.0, 1.0]) - y[2] * np.asarray(y)
    return -radius * down / np.linalg.norm(down) + [0.0, 0.0, radius]
