"""Build a model part by part; `build` checks it and freezes it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

from armillary.errors import ModelError, unknown_name
from armillary.model.arguments import name_arguments
from armillary.model.builder_tyres import TyreBuilder
from armillary.model.checks import (
    check_passives,
    check_pose,
    check_prescribed,
    check_shape,
    check_turns,
    inertia_fault,
    limits_fault,
    mass_fault,
    number,
    numbers,
    per_axis,
    tensor_entries,
    unit_axis,
)
from armillary.model.constraint_parts import FIELDS, Coupling, touches
from armillary.model.joints import (
    Axis,
    JointOptions,
    joint_spec,
    kernel_joint,
    massless_joints,
    named,
    named_axis,
)
from armillary.model.model import Model
from armillary.model.names import check_name
from armillary.model.parts import (
    WORLD,
    Body,
    Frame,
    JointSpec,
    Limits,
    Mass,
    Motor,
    Pose,
    Rotor,
    Shape,
)
from armillary.model.passive import Passive
from armillary.model.report import Report

# how forgiving the checks are: tensors and limits that cannot be are an error, or kept and reported
STRICT, REPORT = "strict", "report"


class Builder(TyreBuilder):
    """Collects bodies, frames and the rest in any order; `build()` gives the frozen `Model`.

    checks: "report" keeps inertias that no rigid body has (planar ones such as (0, 0, Izz), partly
    known ones) and crossed limits, with a warning in `report`; "strict" makes them errors.

    >>> b = Builder("pendulum")
    >>> b.body("rod", joint="revolute", axis="y", mass=1.0, com=(0, 0, -0.5))
    >>> b.build().nv
    1
    """

    @name_arguments
    def __init__(
        self,
        name: str = "mechanism",
        gravity: Sequence[float] = (0.0, 0.0, -9.81),
        checks: str = REPORT,
        report: Report | None = None,
    ):
        super().__init__()
        self.name = name
        self.gravity = numbers(gravity, 3, "gravity")
        if checks not in (STRICT, REPORT):
            raise ModelError(f"checks: expected '{STRICT}' or '{REPORT}', found {checks!r}.")
        self.checks = checks
        self.report = report if report is not None else Report()
        self._bodies: dict[str, Body] = {}
        self._no_inertia: set[str] = set()
        self._frames: dict[str, Frame] = {}
        self.base_velocity: tuple[float, ...] = ()
        self.base_acceleration: tuple[float, ...] = ()
        self.initial: dict[str, float | Sequence[float]] = {}  # coordinates by joint name

    def __repr__(self) -> str:
        return f"<Builder '{self.name}': {', '.join(self._bodies) or 'no bodies yet'}>"

    def body(
        self,
        name: str,
        parent: str = WORLD,
        joint: JointSpec | str = "revolute",
        at: Pose | Sequence[float] = Pose(),  # noqa: B008 - frozen, shared safely
        rpy: Sequence[float] = (0.0, 0.0, 0.0),
        *,
        mass: float | Mass | None = None,
        com: Sequence[float] = (0.0, 0.0, 0.0),
        inertia: Sequence[float] | Sequence[Sequence[float]] | Mapping[str, float] = (
            0.0,
            0.0,
            0.0,
        ),
        passive: Passive | Sequence[Passive] = (),
        rotor: Rotor | Sequence[Rotor] = (),
        limits: Limits | Sequence[Limits] = (),
        motor: Motor | None = None,
        shapes: Sequence[Shape] = (),
        **joint_options: Unpack[JointOptions],
    ) -> None:
        """Add a body.

        joint: a type name (with `axis=`, `axes=`, `pitch=`, `free=`, `joint_name=`) or a spec.
        at: pose of the joint frame in the parent's frame at q = 0, or its position with `rpy`.
        mass (kg), com (m) in the body frame, inertia (kg m²) about the centre of mass along body
        axes: (xx, yy, zz), (xx, yy, zz, xy, xz, yz), a symmetric 3x3 matrix or a mapping."""
        self._new_name(name)
        spec = self._joint(name, joint, joint_options)
        part, nv = f"joint '{spec.name}'", kernel_joint(spec).nv
        spec = replace(
            spec,
            passive=per_axis(part, "passive", passive, Passive, nv) or spec.passive,
            rotors=per_axis(part, "rotor", rotor, Rotor, nv) or spec.rotors,
            limits=per_axis(part, "limits", limits, Limits, nv) or spec.limits,
        )
        pose = _pose(f"body '{name}'", at, rpy)
        if mass is None:
            self._no_inertia.add(name)
        if not isinstance(shapes, Iterable):
            raise ModelError(f"body '{name}': shapes are a list of Shape(...), found {shapes!r}.")
        body = Body(
            name, parent, spec, pose, self._mass(name, mass, com, inertia), motor, tuple(shapes)
        )
        self._bodies[name] = body

    def geared_rotor(
        self,
        name: str,
        carrier: str,
        joint: str,
        *,
        gear: float,
        inertia: float,
        mass: float = 0.0,
        axis: Axis = "z",
        at: Pose | Sequence[float] = Pose(),  # noqa: B008 - frozen, shared safely
        rpy: Sequence[float] = (0.0, 0.0, 0.0),
        transverse: float | None = None,
    ) -> None:
        """A rotor on a moving carrier that turns at gear times the speed of a joint, about an axis
        of the carrier: with its gyroscopic moment, and with the inertia that couples it to
        the carrier, where `rotor=` of a joint has its reflected inertia alone.

        It is a body on a revolute joint of its own (`name`), held by the coupling `name`.gear.
        inertia: about its axis, kg m²; transverse: across it (default: half, a thin disc); mass:
        kg, centred at `at`; both are its own, not part of the carrier's.  joint: a joint, or
        joint.coordinate."""
        part = f"rotor '{name}'"
        own, ratio = number(inertia, f"{part}, inertia"), number(gear, f"{part}, gear")
        across = 0.5 * own if transverse is None else number(transverse, f"{part}, transverse")
        if not (own > 0.0 and across >= 0.5 * own and math.isfinite(own) and math.isfinite(across)):
            raise ModelError(
                f"{part}: its inertia about the axis is more than 0, and that across at least "
                f"half of it; found {own:g} and {across:g} kg m²."
            )
        if not (math.isfinite(ratio) and ratio):
            raise ModelError(f"{part}: its gear is {ratio:g}; expected turns per turn of a joint.")
        unit, _ = unit_axis(named_axis(axis), f"{part}, axis")
        tensor = [
            (across if i == k else 0.0) + (own - across) * unit[i] * unit[k]
            for i, k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
        ]
        self.body(name, carrier, "revolute", at, rpy, axis=unit, mass=mass, inertia=tensor)
        self.coupling(Coupling(f"{name}.gear", name, joint, ratio))

    def add(self, body: Body, has_inertia: bool = True) -> None:
        """Add a body that a reader has already put together."""
        self._new_name(body.name)
        self._bodies[body.name] = replace(body, joint=named(body.joint, body.name))
        if not has_inertia:
            self._no_inertia.add(body.name)

    def frame(
        self,
        name: str,
        body: str,
        at: Pose | Sequence[float] = Pose(),  # noqa: B008 - frozen, shared safely
        rpy: Sequence[float] = (0.0, 0.0, 0.0),
    ) -> None:
        """Add a named frame fixed in a body (a tool tip, a sensor)."""
        self._new_name(name)
        pose = _pose(f"frame '{name}'", at, rpy)
        self._frames[name] = Frame(name, body, pose)

    def build(self) -> Model:
        """Check everything and freeze it."""
        self._general_loops()
        bodies = self._depth_first()
        self._check_names(bodies)
        for body in bodies:
            self._check_body(body)
        self._check_massless(bodies)
        for vector, name in (
            (self.base_velocity, "base_velocity"),
            (self.base_acceleration, "base_acceleration"),
        ):
            if not isinstance(vector, Iterable) or tuple(vector):
                numbers(vector, 6, f"{name} (angular; linear)")
        if len(self.gravity) != 3 or not all(math.isfinite(x) for x in self.gravity):
            raise ModelError(f"gravity: expected 3 finite numbers, found {self.gravity}.")
        constraints: dict[str, Any] = {x: self._parts(kind) for kind, x in FIELDS.items()}
        model = Model(
            name=self.name,
            bodies=tuple(bodies),
            frames=tuple(self._frames.values()),
            gravity=self.gravity,
            base_velocity=tuple(self.base_velocity),
            base_acceleration=tuple(self.base_acceleration),
            **constraints,
            elements=tuple(self._elements.values()),
            initial=self._initial(bodies),
            report=self.report,
        )
        return self._started(model)

    # -- pieces of `body` ----------------------------------------------------------------------

    def _new_name(self, name: str) -> None:
        if not isinstance(name, str) or not name:
            raise ModelError(f"a part needs a name, found {name!r}.")
        if name == WORLD:
            raise ModelError("the name 'world' belongs to the fixed ground. Choose another.")
        if name in self._bodies or name in self._frames:
            kind = "body" if name in self._bodies else "frame"
            parent = self._bodies[name].parent if name in self._bodies else self._frames[name].body
            raise ModelError(
                f"{kind} '{name}' is already there (on '{parent}'). A name is used once and a "
                f"body has one parent; rename one, or close the chain with `loop(...)`."
            )

    def _joint(self, name: str, joint: JointSpec | str, given: JointOptions) -> JointSpec:
        options = given.copy()
        joint_name = options.pop("joint_name", "")
        if isinstance(joint, JointSpec):
            if options:
                raise ModelError(f"body '{name}': unknown arguments {sorted(options)}.")
            return named(joint, joint_name or name)
        try:
            spec = joint_spec(joint, name=joint_name or name, **options)
        except TypeError:
            raise ModelError(f"body '{name}': unknown arguments among {sorted(options)}.") from None
        one = options.get("axis")
        for axis in options.get("axes", ()) if one is None else (one,):
            length = 1.0 if isinstance(axis, str) else _length(axis)
            if abs(length - 1.0) > 1e-6:
                self.report.add(
                    "repaired",
                    f"joint '{spec.name}'",
                    f"axis {tuple(float(x) for x in axis)} had length {length:.6g}, scaled to 1",
                )
        return spec

    def _mass(
        self,
        name: str,
        mass: float | Mass | None,
        com: Sequence[float],
        inertia: Sequence[float] | Sequence[Sequence[float]] | Mapping[str, float],
    ) -> Mass:
        if isinstance(mass, Mass):
            return mass
        part = f"body '{name}'"
        return Mass(
            number(0.0 if mass is None else mass, f"{part}, mass"),
            numbers(com, 3, f"{part}, com"),  # type: ignore[arg-type]
            tensor_entries(inertia, part),  # type: ignore[arg-type]
        )

    # -- pieces of `build` ---------------------------------------------------------------------

    def _depth_first(self) -> list[Body]:
        children: dict[str, list[Body]] = {}
        for body in self._bodies.values():
            if body.parent != WORLD and body.parent not in self._bodies:
                check_name(f"body '{body.name}', parent", body.parent)
                raise ModelError(
                    f"body '{body.name}': its parent '{body.parent}' does not exist. "
                    f"Add that body, or use parent='world'."
                )
            children.setdefault(body.parent, []).append(body)
        order: list[Body] = []
        stack = list(reversed(children.get(WORLD, [])))
        while stack:
            body = stack.pop()
            order.append(body)
            stack.extend(reversed(children.get(body.name, [])))
        if len(order) < len(self._bodies):
            reached = {body.name for body in order}
            circle = sorted(name for name in self._bodies if name not in reached)
            raise ModelError(
                f"bodies {circle[:6]} hang on each other in a circle and never reach 'world'. "
                f"Give one of them parent='world' and close the chain with `loop(...)`."
            )
        if not order:
            raise ModelError(f"mechanism '{self.name}' has no body.")
        return order

    def _check_names(self, bodies: list[Body]) -> None:
        seen: dict[str, str] = {}
        for body in bodies:
            if body.joint.name in seen:
                raise ModelError(
                    f"joint name '{body.joint.name}' is used for bodies '{seen[body.joint.name]}' "
                    f"and '{body.name}'. Give each joint its own name."
                )
            seen[body.joint.name] = body.name
        for frame in self._frames.values():
            self._known_body(f"frame '{frame.name}'", frame.body)
            check_pose(f"frame '{frame.name}'", frame.pose)
        self._check_closing(bodies)
        self._check_elements(bodies)

    def _initial(self, bodies: list[Body]) -> tuple[float, ...]:
        """q of the given joints, neutral for the others; empty where nothing is given."""
        unknown = set(self.initial) - {body.joint.name for body in bodies}
        if unknown:
            raise unknown_name("joint", sorted(unknown)[0], (b.joint.name for b in bodies))
        q: list[float] = []
        for body in bodies:
            joint = kernel_joint(body.joint)
            given = self.initial.get(body.joint.name, joint.neutral())
            values = [*given] if isinstance(given, Iterable) else [given]
            try:
                q += numbers(values, joint.nq, "")
            except ModelError:
                raise ModelError(
                    f"joint '{body.joint.name}': its initial position is {joint.nq} finite "
                    f"numbers, found {values}."
                ) from None
            check_turns(f"joint '{body.joint.name}', initial", joint, q[-joint.nq :])
        return tuple(q) if self.initial else ()

    def _check_body(self, body: Body) -> None:
        joint = kernel_joint(body.joint)
        part = f"joint '{body.joint.name}'"
        check_pose(f"body '{body.name}'", body.at)
        for shape in body.shapes:
            check_shape(f"body '{body.name}'", shape)
        if not math.isfinite(body.joint.pitch):
            raise ModelError(f"{part}: its pitch must be a finite number (m/rad).")
        check_passives(body.joint, joint.nq == joint.nv)
        check_prescribed(body)
        for fault in map(limits_fault, body.joint.limits):
            self._complain(part, fault)
        cure = " Correct the mass, centre or tensor."
        if fault := mass_fault(body.mass):
            raise ModelError(f"body '{body.name}': {fault}.{cure}")
        self._complain(f"body '{body.name}'", inertia_fault(body.mass), cure)

    def _complain(self, part: str, fault: str | None, cure: str = "") -> None:
        """An error where the checks are strict, else a note."""
        if fault is None:
            return
        if self.checks == STRICT:
            raise ModelError(f"{part}: {fault}.{cure}")
        self.report.add("warning", part, fault + "; kept as it is")

    def _check_massless(self, bodies: list[Body]) -> None:
        """A moving joint must carry some mass, or its acceleration is undefined."""
        massless = massless_joints(bodies)
        for body in (body for body in bodies if body.joint.name in massless):
            text = (
                f"joint '{body.joint.name}' moves '{body.name}', but neither it nor anything "
                f"beyond it has mass: forward dynamics is undefined for it"
            )
            if body.name in self._no_inertia and self.checks == STRICT:
                raise ModelError(
                    f"body '{body.name}' has no inertia: {text}. Give it a mass, make its joint "
                    f"fixed, or write mass=0 if you mean it."
                )
            if constraints := self._tied_to(body, bodies):
                said = f"what it carries has no mass: its motion has to follow from {constraints}"
                self.report.add("assumed", f"joint '{body.joint.name}'", said)
                continue
            self.report.add("warning", f"body '{body.name}'", text)

    def _tied_to(self, body: Body, bodies: list[Body]) -> str:
        """Constraints on a body, on what it carries, or on their coordinates, which may determine
        how they move: their names, or empty."""
        carried, joints = {body.name}, {body.joint.name}
        for other in bodies:  # parents come first
            if other.parent in carried:
                carried.add(other.name)
                joints.add(other.joint.name)
        found = [part.name for part in self._closing.values() if touches(part, carried, joints)]
        return ", ".join(f"'{name}'" for name in found)


def _pose(part: str, at: Pose | Sequence[float], rpy: Sequence[float]) -> Pose:
    turned = numbers(rpy, 3, f"{part}, rpy")
    if isinstance(at, Pose):
        if not any(turned):
            return at
        if at.rotation != Pose().rotation:
            raise ModelError(f"{part}: its pose has a rotation already; leave `rpy` out.")
        at = at.position
    return Pose.from_rpy(numbers(at, 3, f"{part}, position"), turned)


def _length(axis: Sequence[float]) -> float:
    """Of an axis: of ω, or of v for a slide of a general joint."""
    parts = [float(x) for x in axis]
    head = parts[:3] if any(parts[:3]) else parts[3:]
    return math.sqrt(sum(x * x for x in head))
