"""From a serial arm back to a Denavit-Hartenberg table.

Any chain of lines has one: x along the common normal of neighbouring axes.  What the table
cannot hold, the pose of frame 0 in the world, is given beside it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from armillary.errors import FormatError
from armillary.formats.dh_rows import MODIFIED, STANDARD, check_convention
from armillary.formats.losses import only_a_tree
from armillary.formats.tables import chain, inverse, moved_mass, rotated_x, rotated_z, shifted
from armillary.model import Body, Mass, Model, Pose
from armillary.model.lowering.tree import Carrier, KernelBody, lower
from armillary.model.parts import mass_of
from armillary.spatial import Matrix, Transform, Vector

PARALLEL = 1e-9  # sine of the angle below which two axes have no common normal of their own
SAME = 1e-9  # m or cosine: two positions that are meant to be one


@dataclass(frozen=True)
class DHTable:
    """`dh(table.rows, table.convention, base=table.base, tool=table.tool, ...)` is the arm."""

    rows: tuple[dict[str, object], ...]
    convention: str
    base: Pose  # frame 0 in the world
    tool: Pose | None  # the frame called "tool" in the last link frame, where there is one
    left_out: tuple[str, ...]  # frames and welded bodies that a table has no column for


@dataclass(frozen=True)
class _Line:
    """How a link leads from its own axis (z of K) to the next: angle, rise, a, alpha."""

    angle: float  # angle of the common normal about z, from x of K
    rise: float  # height of its foot
    a: float
    alpha: float

    def on_axis(self) -> Pose:
        """The foot on the own axis, x along the normal: the modified frame."""
        return chain(rotated_z(self.angle), shifted(z=self.rise))

    def far_end(self) -> Pose:
        """The foot on the next axis, z along it: the standard frame."""
        return chain(self.on_axis(), shifted(x=self.a), rotated_x(self.alpha))


def dh_table(model: Model, convention: str = STANDARD) -> DHTable:
    """The table of a serial chain of revolute and prismatic joints; welded bodies are fused.

    Frames called <body>_dh are kept as link frames where they fit the convention."""
    check_convention(convention)
    moving = _serial(model)
    tables = lower(model, fuse=True)
    kernel = tables.bodies
    hints = [_hint(model, body, k, tables.carriers) for k, body in enumerate(moving)]
    base, arrival = _first(kernel[0])
    rows = []
    before = _Line(0.0, 0.0, 0.0, 0.0)
    frame = Pose()
    for k, body in enumerate(moving):
        following = kernel[k + 1].placement if k + 1 < len(kernel) else None
        line = _line(arrival, following, hints[k], convention)
        near = before if convention == MODIFIED else line
        theta = math.remainder(line.angle - _angle_of(arrival), math.tau)
        d = line.rise - arrival.position[2]
        frame = line.on_axis() if convention == MODIFIED else line.far_end()
        geometry = {"a": near.a, "alpha": near.alpha, "d": d, "theta": theta}
        geometry = {key: x + 0.0 for key, x in geometry.items()}  # no -0.0
        welded = sum(carrier.kernel == k for carrier in tables.carriers) > 1
        mass = mass_of(kernel[k].inertia) if welded else _in_axes(body.mass, kernel[k].own.T)
        rows.append(_row(body, moved_mass(mass, inverse(frame)), geometry, model))
        if following is not None:
            arrival = Pose.from_transform(line.far_end().transform() @ following.inverse())
        before = line
    return DHTable(
        tuple(rows),
        convention,
        base,
        _tool(model, moving, tables.carriers, frame),
        _left_out(model, moving),
    )


def _serial(model: Model) -> list[Body]:
    """The bodies that move, if they hang one on the other by one axis each."""
    only_a_tree(model, "a Denavit-Hartenberg table")
    for what in ("base_velocity", "base_acceleration"):
        if getattr(model, what):
            raise FormatError(
                f"a Denavit-Hartenberg table has no {what}. Write the native file instead."
            )
    moving = [b for b, j in zip(model.bodies, model.joints, strict=True) if j.nv > 0]
    for body in moving:
        if body.joint.kind not in ("revolute", "prismatic"):
            raise FormatError(
                f"joint '{body.joint.name}' is {body.joint.kind}: a Denavit-Hartenberg row has "
                f"one revolute or prismatic axis. Write the native file instead."
            )
    if not moving:
        raise FormatError(f"mechanism '{model.name}' has no moving joint, so no table.")
    parents = lower(model).parents
    for k, parent in enumerate(parents):
        if parent != k - 1:
            raise FormatError(
                f"body '{moving[k].name}' starts a branch: a Denavit-Hartenberg table is one "
                f"chain. Take a `subtree`, or write the native file."
            )
    return moving


def _first(body: KernelBody) -> tuple[Pose, Pose]:
    """Frame 0 in the world and in the first joint: the world itself if its z is the axis."""
    joint = Pose.from_transform(body.placement)
    axis = Matrix(joint.rotation).column(2)
    x, y, _ = joint.position
    if math.hypot(x, y) < SAME and axis.z > 0 and math.hypot(axis.x, axis.y) < SAME:
        return Pose(), inverse(joint)
    return joint, Pose()


def _line(arrival: Pose, following: Transform | None, hint: Pose | None, convention: str) -> _Line:
    if following is None:
        return _last_line(hint, convention)
    p = Vector(*(float(x) for x in following.r))
    w = Vector(*(float(x) for x in following.E.rows[2]))  # next axis, in K
    wish = _horizontal(hint)
    sine = math.hypot(w.x, w.y)
    if sine > PARALLEL:
        nx, ny = -w.y / sine, w.x / sine
        a, alpha = p.x * nx + p.y * ny, math.atan2(sine, w.z)
        against = a < 0.0 if wish is None else nx * wish[0] + ny * wish[1] < 0.0
        if against:
            nx, ny, a, alpha = -nx, -ny, -a, -alpha
        rise = p.z - (p.x * w.x + p.y * w.y) / (sine * sine) * w.z
        return _Line(math.atan2(ny, nx), rise, a, alpha)
    a, alpha = math.hypot(p.x, p.y), 0.0 if w.z > 0 else math.pi
    if wish is not None and hint is not None:
        angle, rise = math.atan2(wish[1], wish[0]), hint.position[2]
        along = p.x * wish[0] + p.y * wish[1]
        if abs(abs(along) - a) < SAME * max(1.0, a):
            return _Line(angle, rise, along, alpha)
    angle = math.atan2(p.y, p.x) if a > SAME else _angle_of(arrival)
    return _Line(angle, arrival.position[2], a if a > SAME else 0.0, alpha)


def _last_line(hint: Pose | None, convention: str) -> _Line:
    """Beyond the last axis the frame is free: the one that is there, or the joint's own."""
    wish = _horizontal(hint)
    if hint is None or wish is None:
        return _Line(0.0, 0.0, 0.0, 0.0)
    angle, (x, y, rise) = math.atan2(wish[1], wish[0]), hint.position
    z = Matrix(hint.rotation).column(2)
    a = x * wish[0] + y * wish[1]
    fits = math.hypot(x - a * wish[0], y - a * wish[1]) < SAME
    if convention == MODIFIED:
        return _Line(angle, rise if fits and abs(a) < SAME else 0.0, 0.0, 0.0)
    if not fits:
        return _Line(0.0, 0.0, 0.0, 0.0)
    return _Line(angle, rise, a, math.atan2(z.x * wish[1] - z.y * wish[0], z.z))


def _horizontal(hint: Pose | None) -> tuple[float, float] | None:
    """Direction of the hint's x axis if it is square to the joint axis."""
    if hint is None:
        return None
    x = Matrix(hint.rotation).column(0)
    return (x.x, x.y) if abs(x.z) < SAME else None


def _angle_of(pose: Pose) -> float:
    """Angle of the x axis about z."""
    return math.atan2(pose.rotation[1][0], pose.rotation[0][0])


def _hint(model: Model, body: Body, kernel: int, carriers: Sequence[Carrier]) -> Pose | None:
    """The frame <body>_dh in the kernel frame of its body."""
    frame = model.frame_index.get(f"{body.name}_dh")
    return None if frame is None else _in_kernel(model, frame.name, kernel, carriers)


def _in_kernel(model: Model, frame: str, kernel: int, carriers: Sequence[Carrier]) -> Pose | None:
    fixed = model.frame(frame)
    number = model.index[fixed.body]
    if number < 0 or carriers[number].kernel != kernel:
        return None
    return Pose.from_transform(fixed.pose.transform() @ carriers[number].X_BK)


# -- rows ----------------------------------------------------------------------------------------


def _in_axes(mass: Mass, R_KB: Matrix) -> Mass:
    x, y, z = (tuple(float(v) for v in row) for row in R_KB.rows)
    return moved_mass(mass, Pose((0.0, 0.0, 0.0), (x, y, z)))  # type: ignore[arg-type]


def _row(body: Body, mass: Mass, geometry: dict[str, float], model: Model) -> dict[str, object]:
    spec = body.joint
    row: dict[str, object] = {"name": body.name}
    if spec.name != body.name:
        row["joint"] = spec.name
    row["type"] = "continuous" if spec.continuous else spec.kind
    row |= geometry
    row |= {"mass": mass.mass, "com": mass.com, "inertia": mass.tensor}
    parts = (("friction", spec.passive), ("limits", spec.limits), ("rotor", spec.rotors))
    row |= {key: value[0] for key, value in parts if value}
    if body.motor is not None:
        row["motor"] = body.motor
    if model.initial:
        row["initial"] = model.initial[model.slots[model.index[body.name]].q.start]
    return row


def _tool(
    model: Model, moving: list[Body], carriers: Sequence[Carrier], frame: Pose
) -> Pose | None:
    if "tool" not in model.frame_index:
        return None
    pose = _in_kernel(model, "tool", len(moving) - 1, carriers)
    return None if pose is None else inverse(frame).then(pose)


def _left_out(model: Model, moving: list[Body]) -> tuple[str, ...]:
    welded = [b.name for b in model.bodies if b.joint.kind == "fixed"]
    own = {f"{body.name}_dh" for body in moving} | {"tool"}
    frames = [f.name for f in model.frames if f.name not in own]
    return tuple([f"body '{n}', welded" for n in welded] + [f"frame '{n}'" for n in frames])
