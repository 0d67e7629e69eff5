"""Scenes against the library's own answers, laws and closed forms."""

from dataclasses import replace

import numpy as np
import pytest
from pages import EVERYTHING, chain, prescribed_run, run_of
from scipy.spatial.transform import Rotation

import armillary as am
from armillary.errors import InputError
from armillary.viewer.looks import ellipsoids
from armillary.viewer.pack import unpacked
from armillary.viewer.places import continuous, quaternions
from armillary.viewer.scene import living_scene, mechanism_scene, run_scene

NAMES = ["stanford", "four-bar", "stewart", "rover", "delta", "bicycle", "dual-arm-free-flyer"]


@pytest.mark.parametrize("name", NAMES)
def test_poses_are_those_of_the_library(name):
    run = run_of(name)
    scene = run_scene(run.mechanism, run)
    poses, time = unpacked(scene.poses), unpacked(scene.time)
    assert poses.shape == (len(time), len(scene.bodies), 7)
    for t in (0, len(time) // 2, len(time) - 1):
        row = int(np.argmin(np.abs(run.time - time[t])))
        assert run.time[row] == time[t]
        for k, body in enumerate(scene.bodies):
            R, p = run.mechanism.pose(run.q[row], body.name)
            assert poses[t, k, :3] == pytest.approx(p, abs=2e-6)
            assert Rotation.from_quat(poses[t, k, 3:]).as_matrix() == pytest.approx(R, abs=2e-6)


@pytest.mark.parametrize("name", am.example_names())
def test_every_built_in_mechanism_has_a_scene(name):
    mechanism = am.example(name)
    scene = mechanism_scene(mechanism)
    assert [b.name for b in scene.bodies] == list(mechanism.bodies)
    drawn = {s.body for s in scene.shapes if s.role in ("shape", "link")}
    assert drawn == set(range(len(scene.bodies)))
    assert scene.camera.radius > 0 and scene.size > 0
    assert scene.picture.startswith("data:image/svg+xml;base64,")


def test_quaternions_of_structured_and_random_turns():
    turns = [Rotation.from_euler("xyz", e, degrees=True) for e in
             [(0, 0, 0), (180, 0, 0), (0, 180, 0), (0, 0, 180), (90, 0, 0), (0, -90, 0),
              (180, 90, 0), (90, 90, 90), (179.999, 0, 0)]]  # fmt: skip
    turns += list(Rotation.random(50, random_state=3))
    R = np.array([turn.as_matrix() for turn in turns])
    found = quaternions(R)
    assert np.linalg.norm(found, axis=1) == pytest.approx(1.0)
    assert Rotation.from_quat(found).as_matrix() == pytest.approx(R, abs=1e-12)


def test_quaternions_do_not_jump_while_a_body_turns():
    angles = np.linspace(0.0, 12.0, 400)
    R = Rotation.from_rotvec(angles[:, None] * np.array([[0.0, 0.0, 1.0]])).as_matrix()
    steps = np.linalg.norm(np.diff(continuous(quaternions(R)), axis=0), axis=1)
    assert steps.max() < 0.02
    raw = quaternions(R)
    assert np.linalg.norm(np.diff(raw, axis=0), axis=1).max() > 1.0  # or there is nothing to test


@pytest.mark.parametrize("seed", range(5))
def test_the_ellipsoid_has_the_inertia_of_the_body(seed):
    """I = m/5 (b² + c²) about each axis, turned into the body's frame."""
    rng = np.random.default_rng(seed)
    half, turn = rng.uniform(0.1, 2.0, 3), Rotation.random(random_state=seed).as_matrix()
    mass = 3.7
    moments = mass / 5.0 * (np.sum(half**2) - half**2)
    T = turn @ np.diag(moments) @ turn.T
    tensor = (T[0, 0], T[1, 1], T[2, 2], T[0, 1], T[0, 2], T[1, 2])
    light = am.Mass(0.1, (0.0, 0.0, 0.0), (0.2, 0.3, 0.4, 0.0, 0.0, 0.0))  # another one beside it
    halves, turns = ellipsoids([light, am.Mass(mass, (0.0, 0.0, 0.0), tensor)])
    found, R = halves[1], Rotation.from_quat(turns[1]).as_matrix()
    assert np.sort(found) == pytest.approx(np.sort(half))
    assert np.linalg.det(R) == pytest.approx(1.0)
    again = R @ np.diag(mass / 5.0 * (np.sum(found**2) - found**2)) @ R.T
    assert again == pytest.approx(T)


def arrows(scene, kind, group):
    """(name, components (T, 3)) of the arrows of a kind and group."""
    values = unpacked(scene.forces)
    return [
        (arrow, values[:, k])
        for k, arrow in enumerate(scene.arrows)
        if arrow.kind == kind and arrow.group == group
    ]


def test_the_ground_carries_the_rover():
    """At rest the forces of the ground on the wheels add up to the weight, at height 0."""
    mechanism = am.example("rover")
    names = (*EVERYTHING, "constraint_forces")
    run = am.simulate(mechanism, duration=0.01, step=0.001, record=names)
    scene = run_scene(mechanism, run)
    wheels = arrows(scene, "force", "wheel")
    assert len(wheels) == 4
    weight = 9.81 * sum(body.mass.mass for body in mechanism.model.bodies)
    total = sum(values[0] for _, values in wheels)
    assert total[2] == pytest.approx(weight, rel=1e-3)
    tracks = unpacked(scene.tracks)
    assert tracks[..., 2] == pytest.approx(0.0, abs=1e-6)
    axles = [mechanism.pose(run.q[0], w.body)[1] for w in mechanism.model.wheels]
    assert tracks[0, :, :2] == pytest.approx(np.array(axles)[:, :2], abs=1e-6)


def test_arrows_of_joints_hold_each_body_of_a_chain():
    """Newton for the last body: force of the joint = m (acceleration of its centre - g), with the
    acceleration from differences of the drawn poses."""
    run = am.simulate(am.example("double-pendulum"), [0.4, -1.1], [1.0, -2.0], 0.2, 1e-3,
                      record=EVERYTHING)  # fmt: skip
    scene = run_scene(run.mechanism, run, fps=1000.0)
    poses = unpacked(scene.poses).astype(float)
    k = len(scene.bodies) - 1
    body = run.mechanism.model.bodies[k]
    center = poses[:, k, :3] + Rotation.from_quat(poses[:, k, 3:]).apply(body.mass.com)
    wide = 20  # instants of 1 ms: differences of single precision
    mid = np.arange(wide, len(center) - wide, 25)
    a = (center[mid + wide] - 2 * center[mid] + center[mid - wide]) / (wide * 1e-3) ** 2
    wanted = body.mass.mass * (a - np.array(run.mechanism.gravity))
    found = {x.body: v for x, v in arrows(scene, "force", "joint")}[k][mid]
    assert found == pytest.approx(wanted, abs=0.02 * np.abs(wanted).max())


def test_numbers_of_the_series_are_those_of_the_run():
    run = run_of("four-bar")
    scene = run_scene(run.mechanism, run)
    rows = [int(np.flatnonzero(run.time == t)[0]) for t in unpacked(scene.time)]
    series = {s.name: s for s in scene.series}
    assert np.array_equal(unpacked(series["q"].values), run.q[rows])
    assert np.array_equal(unpacked(series["energy"].values)[:, 0], run.energy[rows])
    sizes = unpacked(series["|reactions force|"].values)
    first = run["reactions"][:, :6][rows]
    assert sizes[:, 0] == pytest.approx(np.linalg.norm(first[:, 3:], axis=1))
    assert series["v"].greatest == pytest.approx(tuple(run.v.max(axis=0)))


def test_long_runs_keep_60_pictures_a_second_and_say_so():
    mechanism = chain(3)
    run = prescribed_run(mechanism, 10_001)
    scene = run_scene(mechanism, run)
    assert 590 <= scene.time.shape[0] <= 602
    assert any("of 10001 recorded instants" in note for note in scene.notes)
    assert run_scene(mechanism, run, fps=1e6).time.shape == (10_001,)
    kept = unpacked(scene.time)
    assert kept[0] == run.time[0] and kept[-1] == run.time[-1]


def test_a_thousand_bodies_make_a_scene():
    mechanism = chain(1000)
    scene = mechanism_scene(mechanism, 0.01 * np.ones(1000))
    assert len(scene.bodies) == 1000


def test_members_of_a_batch():
    mechanism = am.example("double-pendulum")
    q0 = np.array([[0.1, 0.2], [0.5, -0.3]])
    run = am.simulate(mechanism, q0, duration=0.1, step=0.01)
    second = run_scene(mechanism, run, member=1)
    assert np.array_equal(unpacked(second.series[0].values)[0], q0[1])
    with pytest.raises(InputError, match="0 to 1"):
        run_scene(mechanism, run, member=2)


def faulty(run, **arrays):
    other = am.Run(run.mechanism_name, run.time, {**{n: run[n] for n in run.names}, **arrays},
                   run.labels, run.units)  # fmt: skip
    other.simulated = run.mechanism
    return other


def test_instants_without_numbers_are_left_out_and_told():
    run = run_of("double-pendulum")
    q = run.q.copy()
    q[60:] = np.nan
    scene = run_scene(run.mechanism, faulty(run, q=q))
    assert unpacked(scene.time)[-1] <= run.time[59]
    assert any("left out" in note for note in scene.notes)
    assert np.isfinite(unpacked(scene.poses)).all()
    with pytest.raises(InputError, match="no instant of the run has finite positions"):
        run_scene(run.mechanism, faulty(run, q=np.full_like(q, np.nan)))


def test_bodies_far_away_are_left_out_and_told():
    mechanism = am.example("dual-arm-free-flyer")
    run = run_of("dual-arm-free-flyer")
    q = run.q.copy()
    q[-3:, list(mechanism.q_units).index("m")] = 1e30
    assert any("too far away" in note for note in run_scene(mechanism, faulty(run, q=q)).notes)


def test_what_is_missing_is_said():
    run = run_of("double-pendulum")
    empty = am.Run("x", [], {"q": np.empty((0, 2))})
    with pytest.raises(InputError, match="holds no instant"):
        run_scene(run.mechanism, empty)
    with pytest.raises(InputError, match="no positions"):
        run_scene(run.mechanism, am.Run("x", [0.0], {"v": [[0.0, 0.0]]}))
    with pytest.raises(InputError, match="not one of 'four-bar'"):
        run_scene(am.example("four-bar"), run)
    with pytest.raises(InputError, match="fps"):
        run_scene(run.mechanism, run, fps=0.0)
    with pytest.raises(InputError, match="must be finite"):
        mechanism_scene(run.mechanism, [np.nan, 0.0])
    short = am.simulate(run.mechanism, duration=0.01, step=0.005)
    assert any("Record them" in note for note in run_scene(run.mechanism, short).notes)


def seen(mechanism, q, camera, body, place):
    """Whether a point of a body is within the sphere that the camera looks at, at every q."""
    far = 0.0
    for state in q:
        R, p = mechanism.pose(state, body)
        center = camera.center
        if camera.follow >= 0:
            center = mechanism.pose(state, mechanism.bodies[camera.follow])[1]
        far = max(far, np.linalg.norm(p + R @ np.array(place) - center))
    return far <= camera.radius


@pytest.mark.parametrize("alive", [False, True])
def test_legs_that_grow_stay_in_the_picture(alive):
    """The platform of hslm falls by more than its size; its rods are long and above it."""
    mechanism = am.example("hslm")
    run = am.simulate(mechanism, duration=0.5, step=5e-3)
    scene = living_scene(mechanism, run.q) if alive else run_scene(mechanism, run)
    length = 2.0 * abs(mechanism.model.bodies[1].shapes[0].pose.position[0])
    assert length > 0.5
    for rod in ("rod1", "rod2", "rod3"):
        assert seen(mechanism, run.q[::5], scene.camera, rod, (-length, 0.0, 0.0))
    assert seen(mechanism, run.q[::5], scene.camera, "platform", (0.0, 0.0, 0.0))


def test_what_moves_far_is_followed():
    mechanism = am.example("dual-arm-free-flyer")
    run = run_of("dual-arm-free-flyer")
    q = run.q.copy()
    place = list(mechanism.q_units).index("m")
    q[:, place] += np.linspace(0.0, 100.0, len(q))
    scene = run_scene(mechanism, faulty(run, q=q))
    assert scene.camera.follow >= 0
    assert scene.camera.radius < 20.0
    assert run_scene(mechanism, run).camera.follow == -1
    for body in mechanism.bodies:
        assert seen(mechanism, q[::20], scene.camera, body, (0.0, 0.0, 0.0))
    swings = chain(40)  # its middle moves far, its first joint does not
    assert run_scene(swings, prescribed_run(swings, 200)).camera.follow == -1


def test_gravity_says_what_is_up():
    mechanism = am.example("bricard")
    assert mechanism_scene(mechanism).up == (0.0, 1.0, 0.0)
    bare = am.Mechanism(replace(mechanism.model, gravity=(0.0, 0.0, 0.0)))
    assert mechanism_scene(bare).up == (0.0, 0.0, 1.0)
