"""Joint trajectories: derivatives belong together, ends are met, the tap task of
[VanDerMerwe1995, 4.6] comes out as recorded."""

import numpy as np
import pytest

import armillary as am
from armillary.errors import InputError
from armillary.scalar import Dual
from armillary.sim.motion.profiles import PROFILES, trapezoid
from armillary.sim.motion.trajectories import (
    Constant,
    cubic,
    point_to_point,
    quintic,
    segments,
    sequence,
    spline,
)
from seeds.cases import assert_rows, assert_value, case, columns, gravity, table

A, B = np.array([0.2, -1.0, 3.0]), np.array([1.0, 0.5, -2.0])
POINTS = np.array([[0.0, 1.0], [0.5, -0.3], [1.4, 0.2], [0.9, 0.9], [0.1, 0.4]])
TIMES = np.array([0.0, 0.4, 1.1, 1.5, 2.2])


def assert_derivatives(trajectory, times, tolerance=1e-7, h=1e-5):
    """v and a against central differences; at least h away from jumps of the acceleration."""
    there, here, back = (trajectory(times + k * h) for k in (1, 0, -1))
    np.testing.assert_allclose(here.v, (there.q - back.q) / (2 * h), atol=tolerance)
    np.testing.assert_allclose(here.a, (there.v - back.v) / (2 * h), atol=tolerance)


# -- polynomials ---------------------------------------------------------------------------------


def test_cubic_meets_its_ends():
    motion = cubic(A, B, 0.8, v0=[1, 2, 3], v1=[-1, 0, 1], start=2.0)
    first, last = motion(2.0), motion(2.8)
    np.testing.assert_allclose(first.q, A)
    np.testing.assert_allclose(last.q, B, atol=1e-14)
    np.testing.assert_allclose(first.v, [1, 2, 3])
    np.testing.assert_allclose(last.v, [-1, 0, 1], atol=1e-13)
    assert_derivatives(motion, np.linspace(2.1, 2.7, 7))


def test_quintic_meets_its_ends():
    ends = {"v0": [1, 2, 3], "v1": [-1, 0, 1], "a0": [0, 5, -4], "a1": [2, 2, -7]}
    motion = quintic(A, B, 0.8, **ends)
    first, last = motion(0.0), motion(0.8)
    np.testing.assert_allclose([first.q, last.q], [A, B], atol=1e-13)
    np.testing.assert_allclose([first.v, last.v], [ends["v0"], ends["v1"]], atol=1e-12)
    np.testing.assert_allclose([first.a, last.a], [ends["a0"], ends["a1"]], atol=1e-11)
    assert_derivatives(motion, np.linspace(0.1, 0.7, 7))


@pytest.mark.parametrize("make", [cubic, quintic])
def test_it_stands_still_before_and_after(make):
    motion = make(A, B, 2.0, start=1.0)
    for t, place in ((0.0, A), (5.0, B)):
        np.testing.assert_allclose(motion(t).q, place, atol=1e-13)
        assert not motion(t).v.any() and not motion(t).a.any()
    many = motion(np.array([0.0, 1.7, 5.0]))
    np.testing.assert_array_equal(many.q[1], motion(1.7).q)
    assert many.a.shape == (3, 3)


def test_segments_rest_in_every_point():
    for kind in ("cubic", "quintic"):
        motion = segments(POINTS, np.diff(TIMES), kind)
        np.testing.assert_allclose(motion(TIMES).q, POINTS, atol=1e-13)
        np.testing.assert_allclose(motion(TIMES).v, 0, atol=1e-12)
        assert_derivatives(motion, TIMES[:-1] + 0.2, 1e-6)
    rates = np.linspace(-1, 1, 10).reshape(5, 2)
    through = segments(POINTS, np.diff(TIMES), velocities=rates)
    np.testing.assert_allclose(through(TIMES).v, rates, atol=1e-12)


def test_the_side_of_a_jump_can_be_chosen():
    motion = segments([[0.0], [1.0], [1.0]], [1.0, 1.0])
    assert motion(1.0).a[0] == pytest.approx(0.0)
    assert motion(1.0, side="left").a[0] == pytest.approx(-6.0)


@pytest.mark.parametrize("kind, smooth", [("cubic", 2), ("quintic", 4)])
@pytest.mark.parametrize("ends", ["rest", "natural"])
def test_spline_is_smooth_through_its_points(kind, smooth, ends):
    motion = spline(POINTS, TIMES, kind, ends)
    np.testing.assert_allclose(motion(TIMES).q, POINTS, atol=1e-12)
    for t in TIMES[1:-1]:
        left, right = motion(t, side="left"), motion(t)
        np.testing.assert_allclose(left.v, right.v, atol=1e-10)
        np.testing.assert_allclose(left.a, right.a, atol=1e-9)
    assert_derivatives(motion, np.linspace(0.05, 2.16, 9), 1e-6)
    first = motion(TIMES[[0, -1]])
    if ends == "rest":
        np.testing.assert_allclose(first.v, 0, atol=1e-11)
    if (ends == "rest") == (kind == "quintic"):
        np.testing.assert_allclose(first.a, 0, atol=1e-10)
    # the coefficient of the highest continuous derivative does not jump
    c, h = motion.coefficients, np.diff(TIMES)[:-1]
    k = smooth
    reached = c[:-1, k] + (k + 1) * h[:, None] * c[:-1, k + 1]
    np.testing.assert_allclose(reached, c[1:, k], atol=1e-7 * np.abs(c[:, k]).max())


def test_cubic_spline_is_scipys():
    from scipy.interpolate import CubicSpline

    t = np.linspace(0, 2.2, 50)
    other = CubicSpline(TIMES, POINTS, bc_type="clamped")
    np.testing.assert_allclose(spline(POINTS, TIMES)(t).q, other(t), atol=1e-13)


def test_polynomials_over_other_scalars():
    """A dual time gives the derivative of every answer; columns and floats agree."""
    motion = spline(POINTS, TIMES)
    q, v, _ = motion.scalars(Dual(1.3, 1.0))
    here = motion(1.3)
    np.testing.assert_allclose([x.value for x in q], here.q, atol=1e-14)
    np.testing.assert_allclose([x.slope for x in q], here.v, atol=1e-13)
    np.testing.assert_allclose([x.slope for x in v], here.a, atol=1e-12)
    t = np.linspace(-0.5, 3.0, 23)
    for mine, other in zip(motion.scalars(t), motion(t), strict=True):
        np.testing.assert_allclose(np.stack(mine, axis=-1), other, atol=1e-12)
    np.testing.assert_allclose(motion.scalars(0.7)[2], motion(0.7).a, atol=1e-12)
    assert Constant([1.0, 2.0]).scalars(Dual(0.0))[0] == [1.0, 2.0]


# -- profiles ------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [*PROFILES.values(), trapezoid(0.5), trapezoid(0.1)])
def test_profiles(shape):
    """From 0 to 1 at rest, and the table's largest slopes are what the duration needs."""
    T = 1.7
    s, first, second = shape(np.array([0.0, T]), T)
    np.testing.assert_allclose(s, [0, 1], atol=1e-15)
    np.testing.assert_allclose(first, 0, atol=1e-14)
    x = np.linspace(0, T, 20001)
    s, first, second = shape(x, T)
    assert np.abs(first).max() * T == pytest.approx(shape.fastest, rel=1e-6)
    assert np.abs(second).max() * T**2 == pytest.approx(shape.hardest, rel=1e-6)
    h = x[1] - x[0]
    off = np.min(np.abs(x[:, None] / T - np.array([0, 1, *shape.corners])), axis=1) > 1e-3
    np.testing.assert_allclose(np.gradient(s, h)[off], first[off], atol=1e-6)
    np.testing.assert_allclose(np.gradient(first, h)[off], second[off], atol=1e-4)
    assert not np.any(np.array(shape(np.array([-1.0, 9.0]), T)[1:]))


def test_shortest_duration_keeps_both_limits():
    for shape in PROFILES.values():
        T = shape.duration(2.0, velocity=0.7, acceleration=1.3)
        _, first, second = shape(np.linspace(0, T, 5001), T)
        peak = np.array([np.abs(2.0 * first).max() / 0.7, np.abs(2.0 * second).max() / 1.3])
        assert peak.max() == pytest.approx(1.0, rel=1e-5)
        assert (peak < 1 + 1e-9).all()
    with pytest.raises(InputError, match="positive limit"):
        PROFILES["cubic"].duration(1.0, velocity=0.0)


@pytest.mark.parametrize("joint", ["revolute", "spherical", "free"])
def test_point_to_point_on_the_manifold(joint):
    """The velocity moves q as `integrate` does; the ends are met as orientations."""
    b = am.Builder("one")
    b.body("body", joint=joint, mass=1.0, inertia=(1, 1, 1))
    one = b.build()
    q0, q1 = one.random_state(3)[0], one.random_state(4)[0]
    motion = point_to_point(one, q0, q1, 0.9, "quintic")
    np.testing.assert_allclose(one.difference(motion(0.0).q, q0), 0, atol=1e-12)
    np.testing.assert_allclose(one.difference(motion(0.9).q, q1), 0, atol=1e-12)
    h = 1e-5
    for t in (0.2, 0.5, 0.8):
        step = one.difference(motion(t - h).q, motion(t + h).q) / (2 * h)
        np.testing.assert_allclose(motion(t).v, step, atol=1e-8)
        rate = (motion(t + h).v - motion(t - h).v) / (2 * h)
        np.testing.assert_allclose(motion(t).a, rate, atol=1e-7)
    timed = point_to_point(one, q0, q1, velocity=2.0, profile="trapezoid")
    assert np.abs(timed(np.linspace(0, timed.end, 999)).v).max() == pytest.approx(2.0)


def test_sequence_of_different_kinds():
    parts = cubic([0.0], [1.0], 1.0), quintic([1.0], [-1.0], 2.0)
    whole = sequence(*parts, start=0.5)
    assert (whole.start, whole.end) == (0.5, 3.5)
    np.testing.assert_allclose(whole(1.0).q, parts[0](0.5).q)
    np.testing.assert_allclose(whole(np.array([2.0, 1.0])).v[0], parts[1](0.5).v)
    with pytest.raises(InputError, match="from where the next begins"):
        sequence(parts[0], parts[0])


# -- the tap, [VanDerMerwe1995, 4.6] -------------------------------------------------------------

TAP = case("000_tap_closing")


def tap_places(arm):
    """Start, at the tap by inverse kinematics (tip on it, gripper axis down), half a turn on."""
    guess = [-1.5, -0.3, 0.6, -1.0, np.pi / 2]
    found = arm.inverse_kinematics("tip", ([0, -1, 0], [0, 0, 0.5]), guess, axis=[1, 0, 0])
    assert found.converged
    return np.array([arm.initial, found.q, found.q + np.array([0, 0, 0, 0, np.pi])]), found


def test_place_at_the_tap():
    places, found = tap_places(am.example("stanford"))
    assert_value(places[1], TAP["q at tap (solution used)"])
    assert_value(places[2], TAP["q after turning"])
    # four joints hold tip and axis; the gripper turns freely about its axis
    assert (found.rank, found.redundancy) == (4, 1)
    assert "joints left over" in str(found)


def test_torques_of_the_tap_task():
    """Cubic pieces of 1 s and 0.5 s; 5 N m on the tap while it turns: all 153 recorded rows."""
    arm = am.example("stanford")
    assert arm.gravity == gravity(TAP.problem)
    data = table("000_tap_closing_reference")
    engaged = data["tip_moment_x_on_tap"] > 0
    motion = segments(tap_places(arm)[0], [1.0, 0.5])
    parts = [motion(data["t"][~engaged], side="left"), motion(data["t"][engaged])]
    q, v, a = (np.concatenate(x) for x in zip(*parts, strict=True))
    for name, values in (("q", q), ("qd", v), ("qdd", a)):
        assert_rows(values, columns(data, *(f"{name}{k}" for k in range(1, 6))), 1e-11)
    wrench = np.zeros((len(q), 6))
    wrench[engaged, 0] = -5.0
    tau = arm.inverse_dynamics(q, v, a, external={"tip": wrench})
    assert_rows(tau, columns(data, *(f"tau{k}" for k in range(1, 6))), 2e-11)
    assert_value(tau[0], TAP["tau at t=0"], 1e-12)
    assert_value(tau[-1], TAP["tau at t=1.5"], 1e-12)


def test_faults_have_a_text():
    with pytest.raises(InputError, match="positive time"):
        cubic([0.0], [1.0], -1.0)
    with pytest.raises(InputError, match="durations"):
        segments(POINTS, [1.0])
