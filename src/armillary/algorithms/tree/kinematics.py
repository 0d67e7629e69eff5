"""Where everything is and how it moves: poses, frame velocities, accelerations, Jacobians."""

from __future__ import annotations

from typing import Any

from armillary.algorithms.passes import Algorithm, FrameStep, Outward, PathToRoot, Record
from armillary.spatial import Motion, MotionSpace, Product, Transform

COORDINATES = ("local", "world_aligned", "world")


def place(b, p, j):
    """X_BP and the joint axes of a configuration."""
    b.X = Product(b.joint.transform(j.q), b.placement)
    b.S = b.joint.motion_space(j.q)


def pose(b, p, j):
    """X_BW as well: from world to body coordinates."""
    place(b, p, j)
    b.Y = b.X @ p.Y


def move(b, p, j):
    """Velocity and acceleration of the body, in its frame  [VanDerMerwe1995, 4.27, 4.28].

    The bias holds the joint's own terms (errata 0-12, 0-13); 0-14: the parent's part is added."""
    v_J = b.S @ j.v
    b.v = b.X @ p.v + v_J
    b.a = b.X @ p.a + b.S @ j.a + b.joint.bias(j.q, j.v) + b.v.cross(v_J)


def pose_and_velocity(b, p, j):
    pose(b, p, j)
    b.v = b.X @ p.v + b.S @ j.v
    b.dS = b.joint.motion_space_rate(j.q, j.v)


def pose_and_motion(b, p, j):
    pose(b, p, j)
    move(b, p, j)


def axes(b: Record, x: Record, coordinates: str) -> Transform:
    """X_CB: from body coordinates to the coordinates the user asked for."""
    if coordinates == "local":
        return x.frame
    if coordinates == "world":
        return b.Y.inverse()
    return Transform(b.Y.E.T, x.frame.r)  # at the frame's origin, along the world's axes


def axes_velocity(b: Record, x: Record, coordinates: str) -> Motion:
    """Velocity of those coordinates themselves, in themselves."""
    if coordinates == "world":
        return Motion.zero()
    v = axes(b, x, coordinates) @ b.v
    return v if coordinates == "local" else Motion(Motion.zero().angular, v.linear)


def _world_pose(g):
    return {"Y": Transform.identity()}


def _world_motion(g):
    return {"Y": Transform.identity(), "v": g.velocity, "a": g.acceleration}


poses = Algorithm("poses", (Outward(pose),), _world_pose, ("q",), {"Y": "body"}, {"Y": Transform})


def _frame_pose(b, x):
    x.pose = x.frame @ b.Y


frame_pose = Algorithm(
    "frame_pose",
    (Outward(pose), FrameStep(_frame_pose)),
    _world_pose,
    ("q",),
    {"pose": "frame"},
    {"pose": Transform},
)


def _frame_axes(b, x):
    """R_WF row by row (its columns are the frame's axes), and the origin."""
    X = x.frame @ b.Y
    x.pose = Transform(X.E.T, X.r)


frame_axes = Algorithm(
    "frame_axes",
    (Outward(pose), FrameStep(_frame_axes)),
    _world_pose,
    ("q",),
    {"pose": "frame"},
    {"pose": Transform},
)


def frame_motion(coordinates: str, kind: str) -> Algorithm:
    """Velocity and acceleration of a frame.  kind: "classical" (of the origin, as a point) or
    "spatial"."""

    def at(b, x):
        X = axes(b, x, coordinates)
        x.velocity = X @ b.v
        a = X @ b.a
        x.acceleration = a.classical(x.velocity) if kind == "classical" else a

    return Algorithm(
        f"frame_motion_{coordinates}_{kind}",
        (Outward(pose_and_motion), FrameStep(at)),
        _world_motion,
        ("q", "v", "a"),
        {"velocity": "frame", "acceleration": "frame"},
        {"velocity": Motion, "acceleration": Motion},
    )


def frame_velocity(coordinates: str) -> Algorithm:
    def at(b, x):
        x.velocity = axes(b, x, coordinates) @ b.v

    return Algorithm(
        f"frame_velocity_{coordinates}",
        (Outward(pose_and_velocity), FrameStep(at)),
        _world_motion,
        ("q", "v"),
        {"velocity": "frame"},
        {"velocity": Motion},
    )


def jacobian(coordinates: str) -> Algorithm:
    """J (6, nv): the frame's velocity is J v  [VanDerMerwe1995, 5.6, 5.8]."""
    return Algorithm(
        f"jacobian_{coordinates}",
        (
            Outward(pose),
            PathToRoot(
                start=lambda b, x: (axes(b, x, coordinates),),
                climb=lambda b, value: (value[0] @ b.X,),
                meet=lambda a, value: tuple(value[0] @ s for s in a.S),
                shape=(Transform,),
                writes="J",
            ),
        ),
        _world_pose,
        ("q",),
        {"J": "wide"},
    )


def jacobian_dot(coordinates: str) -> Algorithm:
    """dJ/dt (6, nv), without differentiation:  X (dS + v × S) - v_C × X S  (errata 0-24, 0-25)."""

    def meet(a, value):
        X, v_C = value
        rates = MotionSpace([ds + a.v.cross(s) for ds, s in zip(a.dS, a.S, strict=True)])
        return tuple(X @ r - v_C.cross(X @ s) for r, s in zip(rates, a.S, strict=True))

    return Algorithm(
        f"jacobian_dot_{coordinates}",
        (
            Outward(pose_and_velocity),
            PathToRoot(
                start=lambda b, x: (axes(b, x, coordinates), axes_velocity(b, x, coordinates)),
                climb=lambda b, value: (value[0] @ b.X, value[1]),
                meet=meet,
                shape=(Transform, Motion),
                writes="dJ",
            ),
        ),
        _world_motion,
        ("q", "v"),
        {"dJ": "wide"},
    )


def along_world(b: Record, x: Any) -> Any:
    """A motion or force of the body, still at its origin, along the world's axes."""
    back = b.Y.E.T
    return type(x)(back @ x.angular, back @ x.linear)
