"""Read the native YAML file, version 1."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from armillary.errors import FormatError, ModelError
from armillary.formats.faults import part_faults
from armillary.formats.files import read_text
from armillary.formats.native_schema import (
    BodyEntry,
    EndEntry,
    JointEntry,
    NativeFile,
    PoseEntry,
    ShapeEntry,
    shown,
)
from armillary.formats.tables import twist
from armillary.formats.yaml_tree import Node, load_tree
from armillary.model import (
    Builder,
    Coupling,
    Frame,
    JointSpec,
    Limits,
    Model,
    Motor,
    Passive,
    Pose,
    Report,
    Rotor,
    Shape,
    Wheel,
    joint_spec,
)
from armillary.model.joints import kernel_joint, named_axis

_SECTIONS = {"bodies": "body", "frames": "frame", "loops": "loop", "couplings": "coupling",
             "wheels": "wheel", "initial": "joint"}  # fmt: skip
_SUBJECT = re.compile(r"(body |joint |frame |loop |coupling |wheel |)'(.*?)'", re.DOTALL)


def read_native(
    path: str | os.PathLike[str] | None = None, *, text: str | None = None, strict: bool = False
) -> Model:
    """The mechanism of a native file, or of `text` (then `path` only names it).

    Impossible masses are an error unless the file says `checks: report`; strict=True ignores
    that line."""
    if text is None:
        if path is None:
            raise FormatError("give a path or a text.")
        text = read_text(path)
    source = str(path) if path is not None else "<text>"
    tree = load_tree(text, source)
    name = Path(path).stem if path is not None else "mechanism"
    return _Reader(_validated(tree, source), tree, source, name, strict).model()


# -- faults, with part and line ------------------------------------------------------------------


def _validated(tree: Node, path: str) -> NativeFile:
    content = tree.plain()
    if not isinstance(content, dict) or "armillary" not in content:
        raise FormatError(
            "this is no mechanism of Armillary: expected `armillary: 1` and `bodies:` at the top.",
            path,
            tree.line,
        )
    try:
        return NativeFile.model_validate(content)
    except ValidationError as faults:
        fault = faults.errors(include_url=False)[0]
        loc = tuple(fault["loc"])
        text = fault["msg"]
        if fault["type"] != "armillary":
            text = text.replace("Input should be", "expected") + f", found {shown(fault['input'])}."
        key = fault.get("ctx", {}).get("key")
        line = tree.line_of(loc if key is None else (*loc, key))
        raise FormatError(_part(loc) + text, path, line) from None


def _part(loc: tuple[Any, ...]) -> str:
    """('bodies', 'arm', 'joint', 'axis') -> "body 'arm', joint.axis: "."""
    steps = [s for s in loc if s not in ("one", "each", "frame", "name", "[key]")]
    head = ""
    if len(steps) >= 2 and steps[0] in _SECTIONS:
        head = f"{_SECTIONS[steps[0]]} '{steps[1]}'"
        steps = steps[2:]
    tail = "".join(f"[{s + 1}]" if isinstance(s, int) else f".{s}" for s in steps).lstrip(".")
    whole = ", ".join(t for t in (head, tail) if t)
    return f"{whole}: " if whole else ""


@dataclass
class _Reader:
    """From checked entries to a model; `here` is the place in the file that is being read."""

    file: NativeFile
    tree: Node
    path: str
    name: str  # where the file gives none
    strict: bool

    def __post_init__(self) -> None:
        self.here: tuple[Any, ...] = ()
        self.report = Report(source=self.path)
        self.lenient = self.file.checks == "report" and not self.strict

    def model(self) -> Model:
        try:
            return self._model()
        except FormatError:
            raise
        except ModelError as fault:
            raise FormatError(str(fault), self.path, self._line(str(fault))) from None

    def _line(self, text: str) -> int:
        """Line of the entry that is being read; once all are read, of a part the message names."""
        if self.here:
            joint = ("joint",) if text.startswith("joint ") else ()
            return self.tree.line_of((*self.here, *joint))
        for kind, name in _SUBJECT.findall(text):
            word = kind.strip()
            for body, entry in self.file.bodies.items():
                if word == "joint" and name == (entry.joint.name or body):
                    return self.tree.line_of(("bodies", body, "joint"))
            section = next((key for key, noun in _SECTIONS.items() if noun == word), "bodies")
            if name in getattr(self.file, section):
                return self.tree.line_of((section, name))
        return self.tree.line

    def _model(self) -> Model:
        file = self.file
        name = file.name or self.name or "mechanism"
        if file.gravity is None:
            self.report.add("assumed", "gravity", "(0, 0, -9.81) m/s², the file gives none")
        builder = Builder(
            name,
            gravity=file.gravity or (0.0, 0.0, -9.81),
            checks="report" if self.lenient else "strict",
            report=self.report,
        )
        builder.base_velocity = file.base_velocity or ()
        builder.base_acceleration = file.base_acceleration or ()
        for key, body in file.bodies.items():
            self.here = ("bodies", key)
            self._body(builder, key, body)
        frames: dict[str, Frame] = {key: Frame(key, key) for key in file.bodies}
        frames["world"] = Frame("world", "world")
        for key, entry in file.frames.items():
            self.here = ("frames", key)
            pose = self._pose(entry, f"frame '{key}'")
            builder.frame(key, entry.body, pose)
            frames[key] = Frame(key, entry.body, pose)
        self._constraints(builder, frames)
        builder.initial = dict(file.initial)
        self.here = ()
        model = builder.build()
        for part, text in part_faults(model):
            if not self.lenient:
                raise ModelError(f"{part}: {text}.")
            self.report.add("warning", part, text + "; kept as it is")
        return model

    def _constraints(self, builder: Builder, frames: dict[str, Frame]) -> None:
        for key, loop in self.file.loops.items():
            self.here = ("loops", key)
            first, second = (
                self._end(key, side, end, frames)
                for side, end in zip(("first", "second"), loop.between, strict=True)
            )
            builder.loop(key, first, second, self._joint(key, loop.joint, f"loop '{key}'"))
        for key, c in self.file.couplings.items():
            self.here = ("couplings", key)
            builder.coupling(Coupling(key, c.joint, c.source, c.ratio, c.offset))
        for key, w in self.file.wheels.items():
            self.here = ("wheels", key)
            axis = _triple(named_axis(w.axis), f"wheel '{key}'")
            normal, height = w.ground.normal, w.ground.height
            builder.wheel(Wheel(key, w.body, w.radius, axis, w.center, normal, height))

    def _end(self, loop: str, side: str, end: str | EndEntry, frames: dict[str, Frame]) -> Frame:
        if isinstance(end, str):
            if end not in frames:
                raise ModelError(
                    f"loop '{loop}': no frame or body named '{end}'. Name one, or write "
                    f"{{body: ..., position: [...]}}."
                )
            return frames[end]
        name = end.name or f"{loop}.{side}"
        return Frame(name, end.body, self._pose(end, f"loop '{loop}'"))

    # -- one body --------------------------------------------------------------------------------

    def _body(self, builder: Builder, name: str, entry: BodyEntry) -> None:
        if entry.mass is None and (entry.com is not None or entry.inertia is not None):
            raise ModelError(f"body '{name}': found com or inertia without mass. Give the mass.")
        spec = self._joint(name, entry.joint, f"joint '{entry.joint.name or name}'")
        builder.body(
            name,
            entry.parent,
            spec,
            self._pose(entry.at, f"body '{name}'"),
            mass=entry.mass,
            com=entry.com or (0.0, 0.0, 0.0),
            inertia=entry.inertia.model_dump() if entry.inertia else (0.0, 0.0, 0.0),
            motor=Motor(**entry.motor.model_dump()) if entry.motor else None,
            shapes=[self._shape(shape, f"body '{name}'") for shape in entry.shapes],
        )

    def _joint(self, name: str, entry: JointEntry, part: str) -> JointSpec:
        continuous = entry.type == "continuous"
        kind = "revolute" if continuous else entry.type
        if (entry.pitch is not None) != (kind == "helical"):
            raise ModelError(f"{part}: `pitch` belongs to a helical joint, and it needs one.")
        spec = joint_spec(
            kind,
            name=entry.name or name,
            axis=entry.axis,
            axes=entry.axes or (),
            pitch=entry.pitch or 0.0,
            free=entry.free or (),
            continuous=continuous,
        )
        self._note_scaled(spec, [entry.axis] if entry.axis else entry.axes or [], part)
        nv = kernel_joint(spec).nv
        friction = _each(entry.friction, nv, part, "friction")
        spring = _each(entry.spring, nv, part, "spring")
        passive: tuple[Passive, ...] = ()
        if friction or spring:
            passive = tuple(
                _passive(f, s)
                for f, s in zip(friction or [None] * nv, spring or [None] * nv, strict=True)
            )
        rotors = tuple(Rotor(r.inertia, r.gear) for r in _each(entry.rotor, nv, part, "rotor"))
        limits = tuple(
            Limits(x.lower, x.upper, x.velocity, x.effort)
            for x in _each(entry.limits, nv, part, "limits")
        )
        return JointSpec(spec.name, spec.kind, spec.axes, spec.pitch, spec.free, passive, rotors,
                         limits, continuous)  # fmt: skip

    def _note_scaled(self, spec: JointSpec, given: Sequence[Any], part: str) -> None:
        for axis, unit in zip(given, spec.axes, strict=False):
            if not isinstance(axis, str) and math.dist(axis, unit[: len(axis)]) > 1e-6:
                self.report.add("repaired", part, f"axis {axis} scaled to unit length {unit}")

    def _pose(self, entry: PoseEntry, part: str) -> Pose:
        if entry.rpy is not None:
            return Pose.from_rpy(entry.position, entry.rpy)
        if entry.quaternion is not None:
            norm = math.hypot(*entry.quaternion)
            if norm < 1e-9:
                raise ModelError(f"{part}: the quaternion is zero. Give (w, x, y, z) of length 1.")
            if abs(norm - 1.0) > 1e-6:
                self.report.add("repaired", part, f"quaternion of length {norm:.6g} scaled to 1")
            return Pose.from_quaternion(entry.position, [x / norm for x in entry.quaternion])
        if entry.matrix is None:
            return Pose(entry.position)
        pose = Pose(entry.position, entry.matrix)
        if twist(entry.matrix) > 1e-6:
            raise ModelError(
                f"{part}: the matrix is no rotation: its rows must be orthonormal and "
                f"right-handed. Write more digits, or use rpy."
            )
        return pose

    def _shape(self, entry: ShapeEntry, part: str) -> Shape:
        return Shape(
            kind=entry.type,
            size=tuple(entry.size),
            pose=self._pose(entry.at, part),
            mesh=entry.mesh,
            scale=entry.scale,
            color=entry.color,
            role=entry.role,
        )


def _each(entry: Any, nv: int, part: str, what: str) -> list[Any]:
    """One entry per degree of freedom: a single mapping serves all of them."""
    if entry is None:
        return []
    if nv == 0:
        raise ModelError(f"{part}: a fixed joint has no {what}. Remove it.")
    entries = entry if isinstance(entry, list) else [entry] * nv
    if len(entries) != nv:
        raise ModelError(
            f"{part}: `{what}` needs one entry per degree of freedom ({nv}), found {len(entries)}. "
            f"Write one mapping to use it for all."
        )
    return entries


def _passive(friction: Any, spring: Any) -> Passive:
    numbers = friction.model_dump() if friction else {}
    table = tuple(numbers.pop("table", ()))
    springs = {"spring": spring.stiffness, "rest": spring.rest} if spring else {}
    return Passive(**numbers, **springs, table=table)


def _triple(axis: Sequence[float], part: str) -> tuple[float, float, float]:
    if len(axis) != 3:
        raise ModelError(f"{part}: an axis is three numbers, found {len(axis)}.")
    return (axis[0], axis[1], axis[2])


__all__ = ["read_native"]
