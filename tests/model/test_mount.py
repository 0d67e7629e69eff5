"""One mechanism on another.  Laws: poses compose, forces are those of the parts alone in a turned
gravity, and a mount is the loop joint that would hold the two together."""

import numpy as np
import pytest

import armillary as am
from armillary.errors import ArmillaryError, FormatError, InputError, ModelError
from armillary.model import Builder, Frame, Passive, Pose
from armillary.model.mount import add_model
from samples import random_model, random_pose, random_state, structured_model, structured_pose

RIGHT = Pose((0.0, 0.0, 0.3), ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)))


def matrix(pose):
    """4x4 of a pose."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = pose.rotation, pose.position
    return T


def matrix_of(m, q, frame):
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = m.pose(q, frame)
    return T


def pair(seed, structured=False):
    make, place = (structured_model, structured_pose) if structured else (random_model, random_pose)
    rng = np.random.default_rng(seed)
    host, other = am.Mechanism(make(seed)), am.Mechanism(make(seed + 50))
    return host, other, place(rng)


@pytest.mark.parametrize("structured", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_poses_compose(seed, structured):
    host, other, at = pair(seed, structured)
    on = host.bodies[len(host.bodies) // 2]
    m = host.mount(other, on, at, "o/")
    q, *_ = random_state(m.model, seed)
    flies = [
        b.joint.name for b in other.model.bodies if b.joint.kind == "free" and b.parent == "world"
    ]
    q_other = dict(zip(m.q_labels, q, strict=True))
    own = []
    for body, slot in zip(other.model.bodies, other.model.slots, strict=True):
        names = other.q_labels[slot.q]
        start = (other.model.initial or other.model.neutral())[slot.q]
        own += [
            start[k] if body.joint.name in flies else q_other[f"o/{n}"] for k, n in enumerate(names)
        ]
    q_host = [q_other[name] for name in host.q_labels]
    base = matrix_of(host, q_host, on) @ matrix(at)
    for body in other.bodies:
        right = base @ matrix_of(other, np.array(own), body)
        np.testing.assert_allclose(matrix_of(m, q, f"o/{body}"), right, atol=1e-12)
    for body in host.bodies:
        np.testing.assert_allclose(matrix_of(m, q, body), matrix_of(host, q_host, body), atol=1e-14)


def sprung(name="finger"):
    """A four-bar with a spring to its world, and drag: all that knows the world."""
    b = Builder(name, gravity=(0, 0, -9.81))
    b.body(
        "crank",
        joint="revolute",
        axis="y",
        at=(0.1, 0, 0),
        mass=1.0,
        com=(0, 0.1, 0.2),
        inertia=(0.1, 0.2, 0.3, 0.01, 0.02, 0.03),
        passive=Passive(viscous=0.2, spring=3.0),
    )
    b.body(
        "coupler",
        "crank",
        "revolute",
        axis="y",
        at=(0, 0, 0.4),
        mass=0.5,
        com=(0.2, 0, 0),
        inertia=(0.1, 0.1, 0.1),
    )
    b.body(
        "rocker",
        "coupler",
        "revolute",
        axis="-y",
        at=(0.8, 0, 0),
        mass=0.7,
        com=(0, 0, -0.2),
        inertia=(0.2, 0.1, 0.1),
    )
    b.frame("tip", "rocker", (0, 0, -0.4))
    b.loop("pin", "tip", Frame("ground", "world", Pose((0.9, 0, 0))), "revolute", axis="y")
    b.spring(
        "spring",
        "coupler",
        Frame("anchor", "world", Pose((0.3, 0.2, 0.9))),
        stiffness=40.0,
        rest=0.3,
    )
    b.drag("air", "rocker", linear=0.7)
    return am.Mechanism(b.build())  # fmt: skip


def test_forces_are_those_in_a_turned_gravity():
    """A closed, sprung mechanism on a host at rest: the same forces as alone, gravity turned."""
    other = sprung()
    host = am.example("stanford")
    locked = host.lock(list(host.model.moving_joints))
    at = random_pose(np.random.default_rng(3))
    on = host.bodies[-1]
    m = locked.mount(other, on, at, prefix="o/")
    turned = matrix_of(locked, locked.initial, on)[:3, :3] @ np.array(at.rotation)
    alone = other.replace(gravity=tuple(turned.T @ np.array(locked.model.gravity)))
    q = other.assemble({"crank": 0.3}, hold=["crank"]).q
    q, v = other.project(q, [1.0, 0.3, 0.2])
    tau = np.array([0.4, -0.2, 0.1])
    mine, right = m.solve(q, v, tau), alone.solve(q, v, tau)
    np.testing.assert_allclose(mine.acceleration, right.acceleration, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(
        mine.constraint_forces["o/pin"], right.constraint_forces["pin"], atol=1e-10
    )
    for name in ("crank", "coupler", "rocker"):
        np.testing.assert_allclose(mine.reactions[f"o/{name}"], right.reactions[name], atol=1e-10)
    low, high = (x.energy(q, v) for x in (m, alone))
    np.testing.assert_allclose(low[0], high[0], rtol=1e-12)


@pytest.mark.parametrize("joint, options", [
    (None, {}), ("spherical", {}), ("revolute", {"axis": "x"}),
    ("universal", {"axes": ["x", "-z"]}),
])  # fmt: skip
@pytest.mark.parametrize("seed", [1, 4])
def test_a_mount_is_the_loop_that_holds_both_together(joint, options, seed):
    """The free flyer beside the host, closed by a loop joint: same accelerations of all bodies."""
    host, other = am.example("stanford"), _flyer(seed)
    rng = np.random.default_rng(seed)
    at = random_pose(rng)
    m = host.mount(other, host.bodies[2], at, "o/", by="eye", joint=joint, **options)
    q, v, _ = random_state(m.model, seed)
    tau = rng.normal(size=m.nv)
    if joint is not None:
        tau[[k for k, n in enumerate(m.v_labels) if n.startswith("o/mount")]] = 0.0
    a = m.forward_dynamics(q, v, tau)
    side = host.mount(other, "world", prefix="o/")
    assert side.nv == host.nv + other.nv  # it still flies
    b = Builder("closed", side.model.gravity)
    add_model(b, side.model)
    b.loop("hold", Frame("seat", host.bodies[2], at), "o/eye", joint or "fixed", **options)
    closed = am.Mechanism(b.build())
    Q, V, force = _spread(closed, m, q, v, tau, "o/" + other.bodies[0])
    A = closed.solve(Q, V, force).acceleration
    own = dict(zip(closed.v_labels, A, strict=True))
    for k, label in enumerate(m.v_labels):
        if not label.startswith("o/mount"):
            assert own[label] == pytest.approx(a[k], rel=1e-8, abs=1e-8 * np.abs(a).max())


def _flyer(seed):
    """A free body with a frame off its origin, and an arm on it."""
    rng = np.random.default_rng(seed)
    b = Builder("flyer")
    b.body(
        "hull", joint="free", mass=2.0, com=(0.1, 0.2, -0.1), inertia=(0.3, 0.2, 0.25, 0.02, 0, 0)
    )
    b.body(
        "arm",
        "hull",
        "revolute",
        axis=(0.6, 0, 0.8),
        at=random_pose(rng),
        mass=0.6,
        com=(0, 0.2, 0.1),
        inertia=(0.02, 0.03, 0.02),
        passive=Passive(viscous=0.1),
    )
    b.frame("eye", "hull", random_pose(rng))
    b.initial = {"hull": (0.8, 0.6, 0.0, 0.0, 0.3, -0.2, 0.5)}
    return am.Mechanism(b.build())  # fmt: skip


def _spread(closed, m, q, v, tau, root):
    """The state of the mounted mechanism in the coordinates of the closed one."""
    own_q, own_v, own_t = (dict(zip(x, y, strict=True)) for x, y in (
        (m.q_labels, q), (m.v_labels, v), (m.v_labels, tau)))  # fmt: skip
    R, p = m.pose(q, root)
    w = np.sqrt(max(0.0, 1.0 + np.trace(R))) / 2
    assert w > 1e-3
    quaternion = [
        w,
        *(np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (4 * w)),
    ]
    free = dict(
        zip(
            [x for x in closed.q_labels if x.startswith(root + ".")], [*quaternion, *p], strict=True
        )
    )
    twist = m.velocity(q, v, root)
    rates = dict(zip([x for x in closed.v_labels if x.startswith(root + ".")], twist, strict=True))
    Q = [free[x] if x in free else own_q[x] for x in closed.q_labels]
    V = [rates[x] if x in rates else own_v[x] for x in closed.v_labels]
    T = [0.0 if x in rates else own_t[x] for x in closed.v_labels]
    return np.array(Q), np.array(V), np.array(T)  # fmt: skip


def test_gears_limits_motors_locks_and_starts_go_along():
    b = Builder("geared")
    b.body("a", joint="revolute", axis="z", mass=1.0, inertia=(0.1, 0.1, 0.1))
    b.body("b", "a", "revolute", axis="z", at=(0.3, 0, 0), mass=1.0, inertia=(0.1, 0.1, 0.1))
    b.body("c", "b", "revolute", axis="z", at=(0.3, 0, 0), mass=1.0, inertia=(0.1, 0.1, 0.1))
    b.coupling(am.Coupling("gear", "b", "a", ratio=-2.0, offset=0.1))
    b.initial = {"a": 0.2, "b": -0.3, "c": 0.5}
    other = am.Mechanism(b.build())
    host = am.example("two-link")
    m = host.mount(other.lock({"c": 0.7}), host.bodies[-1], RIGHT, prefix="t_")
    assert m.model.couplings[0].source == "t_a" and m.model.couplings[0].offset == 0.1
    start = dict(zip(m.q_labels, m.initial, strict=True))
    assert (start["t_a"], start["t_b"]) == (0.2, -0.3)
    again = m.unlock(["t_c"])
    assert (
        again.nv == m.nv + 1 and dict(zip(again.q_labels, again.initial, strict=True))["t_c"] == 0.7
    )
    np.testing.assert_allclose(
        matrix_of(again, again.initial, "t_c"), matrix_of(m, m.initial, "t_c"), atol=1e-15
    )
    held = host.mount(other.lock({"a": 0.2}), host.bodies[-1], RIGHT, prefix="t_")
    assert not held.model.couplings and held.model.prescribed[0].joint == "t_b"
    freed = held.unlock(["t_a"])  # the root moves again, on the host and not on the world
    assert freed.model == host.mount(other, host.bodies[-1], RIGHT, prefix="t_").model
    twice = other.mount(other.lock({"a": 0.2}), "c", prefix="t_").unlock(["t_a"])
    assert [c.name for c in twice.model.couplings] == ["gear", "t_gear"]


def test_springs_between_coordinates_go_along():
    """An elastic gear has its potential, wherever it stands."""
    b = Builder("elastic", gravity=(0, 0, 0))
    b.body("a", joint="revolute", axis="z", mass=1.0, inertia=(0.1, 0.1, 0.1))
    b.body("b", "a", "revolute", axis="z", at=(0.3, 0, 0), mass=1.0, inertia=(0.1, 0.1, 0.1))
    b.coordinate_spring("gear", {"a": 1, "b": -2}, stiffness=5.0)
    host = am.example("two-link")
    m = host.mount(am.Mechanism(b.build()), host.bodies[-1], prefix="t_")
    assert m.model.elements[0].coordinates == ("t_a", "t_b")
    q = np.zeros(m.nq)
    q[m.q_labels.index("t_a")], q[m.q_labels.index("t_b")] = 0.4, 0.1
    weight = m.replace(gravity=(0, 0, 0))
    assert weight.energy(q, np.zeros(m.nv))[1] == pytest.approx(0.5 * 5.0 * (0.4 - 0.2) ** 2)


def test_trailers_in_a_row():
    """Wheels stay on the world's ground; every trailer brings one freedom."""
    b = Builder("trailer")
    b.body("frame", joint="free", mass=50.0, com=(-1.0, 0, 0.3), inertia=(5.0, 20.0, 20.0))
    for side, y in (("left", 0.8), ("right", -0.8)):
        b.body(
            f"{side}-wheel",
            "frame",
            "revolute",
            axis="y",
            at=(-2.0, y, 0.0),
            mass=5.0,
            inertia=(0.1, 0.2, 0.1),
        )
        b.wheel(
            am.Wheel(f"{side}-tyre", f"{side}-wheel", radius=0.4, rows=("longitudinal", "lateral"))
        )
    b.frame("hitch", "frame", (-3.0, 0, 0))
    b.initial = {"frame": (1, 0, 0, 0, 0, 0, 0.4)}
    trailer = am.Mechanism(b.build())
    t = Builder("tractor")
    t.body("cab", joint="planar", axis="z", at=(0, 0, 0.4), mass=300.0, inertia=(1.0, 1.0, 100.0))
    t.frame("hook", "cab", (-1.0, 0, 0))
    train = am.Mechanism(t.build())
    hook = "hook"
    for k in range(3):
        train = train.mount(trailer, hook, prefix=f"t{k}_", by="frame", joint="revolute", axis="z")
        hook = f"t{k}_hitch"
    assert len(train.constraints) == 6
    assert {w.ground for w in train.model.wheels} == {"world"}
    found = train.mobility(train.initial)
    # the cab in the plane (3), less one sideways row for each trailer, more one angle for each
    assert found.instantaneous == 3
    place = matrix_of(train, train.initial, "t2_left-wheel")[:3, 3]
    np.testing.assert_allclose(place, (-1 - 3 - 3 - 2, 0.8, 0.4), atol=1e-14)  # fmt: skip


def test_what_cannot_be_mounted_is_told():
    host, arm = am.example("two-link"), am.example("six-r")
    taken = r"both mechanisms have a part named 'joint1' and .* more.*prefix='tool_'"
    with pytest.raises(ModelError, match=taken):
        host.mount(am.example("two-link"), host.bodies[-1])
    host = am.example("double-pendulum")
    with pytest.raises(ArmillaryError, match="flange"):
        host.mount(arm, "flange")
    with pytest.raises(ModelError, match=r"moves with joint 'link3'.*lock that joint"):
        host.mount(arm, host.bodies[-1], by="link3")
    with pytest.raises(InputError, match="expected a mechanism, found str"):
        host.mount("six-r", host.bodies[-1])
    with pytest.raises(InputError, match="prefix: expected a text"):
        host.mount(arm, host.bodies[-1], prefix=3)
    with pytest.raises(ArmillaryError, match="ball"):
        host.mount(arm, host.bodies[-1], joint="ball")
    with pytest.raises(InputError, match="unknown arguments"):
        host.mount(arm, host.bodies[-1], joint="revolute", length=3)
    heavy = arm.replace(gravity=(0, 0, -1.6))
    notes = str(host.mount(heavy, host.bodies[-1]).report)
    assert "its own gravity (0.0, 0.0, -1.6)" in notes


TOOL = """
armillary: 1
bodies:
  palm: {parent: world, joint: {type: free}, mass: 0.4, inertia: {xx: 1e-3, yy: 1e-3, zz: 1e-3}}
  finger: {parent: palm, joint: {type: prismatic, axis: y}, at: {position: [0, 0, 0.1]}, mass: 0.1}
frames: {seat: {body: palm, position: [0, 0, -0.05]}}
"""
WHOLE = """
armillary: 1
name: arm with two tools
bodies:
  upper:
    {parent: world, joint: {type: revolute, axis: z}, mass: 2, inertia: {xx: .1, yy: .1, zz: .1}}
frames: {flange: {body: upper, position: [0.5, 0, 0]}}
include:
  left: {file: tool.yaml, on: flange, at: {position: [0, 0.1, 0]}, by: seat}
  right: {file: tool.yaml, on: left_seat, prefix: "r.", joint: {type: revolute, axis: x}}
couplings: {together: {joint: left_finger, source: r.finger}}
forces: {band: {type: spring, between: [left_finger, r.finger], stiffness: 20, rest: 0.01}}
initial: {left_finger: 0.02}
"""


def test_files_include_files(tmp_path):
    (tmp_path / "tool.yaml").write_text(TOOL)
    (tmp_path / "whole.yaml").write_text(WHOLE)
    m = am.load(tmp_path / "whole.yaml")
    tool = am.load(tmp_path / "tool.yaml")
    upper = Builder("arm with two tools")
    upper.body("upper", joint="revolute", axis="z", mass=2, inertia=(0.1, 0.1, 0.1))
    upper.frame("flange", "upper", (0.5, 0, 0))
    by_hand = am.Mechanism(upper.build()).mount(
        tool, "flange", Pose((0, 0.1, 0)), "left_", by="seat"
    )
    by_hand = by_hand.mount(tool, "left_seat", prefix="r.", joint="revolute", axis="x")
    assert m.q_labels == by_hand.q_labels == ("upper", "left_finger", "r.mount", "r.finger")
    q = np.array([0.1, 0.2, 0.3, 0.2])
    for body in m.bodies:
        np.testing.assert_array_equal(matrix_of(m, q, body), matrix_of(by_hand, q, body))
    np.testing.assert_array_equal(m.mass_matrix(q), by_hand.mass_matrix(q))
    np.testing.assert_allclose(matrix_of(m, q * 0, "left_palm")[:3, 3], (0.5, 0.1, 0.05))
    assert m.model.elements[0].name == "band" and len(m.constraints) == 1
    assert m.initial[1] == 0.02
    m.save(tmp_path / "flat.yaml")
    flat = am.load(tmp_path / "flat.yaml")
    assert flat.q_labels == m.q_labels
    np.testing.assert_allclose(flat.mass_matrix(q), m.mass_matrix(q), rtol=1e-14)


@pytest.mark.parametrize("entry, message", [
    ("{file: missing.yaml, on: flange}", "include 't': there is no file 'missing.yaml'"),
    ("{file: ../../tool.yaml, on: flange}", "is refused"),
    ("{file: whole.yaml, on: flange}", "a circle"),
    ("{file: tool.yaml, on: nothing}", "nothing"),
    ("{file: tool.yaml}", "'on'"),
    ("{file: tool.yaml, on: flange, prefix: '', by: finger}", "moves with joint 'finger'"),
    ("{file: tool.yaml, on: flange, joint: {type: bal}}", "unknown joint type 'bal'"),
    ("{file: tool.yaml, on: flange, wth: 3}", "wth"),
])  # fmt: skip
def test_faults_of_includes_have_their_line(tmp_path, entry, message):
    (tmp_path / "tool.yaml").write_text(TOOL)
    head, _ = WHOLE.split("include:")
    (tmp_path / "whole.yaml").write_text(f"{head}include:\n  t: {entry}\n")
    with pytest.raises(FormatError, match=message.replace("(", "\\(")) as fault:
        am.load(tmp_path / "whole.yaml", root=tmp_path)
    assert fault.value.line == 9


def test_meshes_are_found_from_both_folders(tmp_path):
    from armillary.formats.references import Bounds

    for name in ("host", "tool"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "part.stl").write_bytes(b"solid\nendsolid\n")
        (tmp_path / name / f"{name}.yaml").write_text(
            "armillary: 1\nbodies:\n  a: {parent: world, joint: {type: revolute, axis: z}, "
            "mass: 1, shapes: [{type: mesh, mesh: part.stl}]}\n"
        )
    host, tool = (am.load(tmp_path / x / f"{x}.yaml") for x in ("host", "tool"))
    m = host.mount(tool, "a", prefix="t_")
    bounds = Bounds.of(m.report.source, m.report.root or None)
    places = [bounds.locate(b.shapes[0].mesh) for b in m.model.bodies]
    assert [str(tmp_path / x / "part.stl") for x in ("host", "tool")] == places


@pytest.mark.parametrize("at", [(0, 0.1), "up", ("a", 0, 0), 3])
def test_a_place_is_a_pose_or_a_point(at):
    arm = am.example("double-pendulum")
    with pytest.raises(am.InputError, match="expected a point"):
        arm.mount(arm, on="world", at=at, prefix="b_")
