"""The builder's constraints: what may be said about them, and what is refused."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar, Unpack

from armillary.errors import ModelError, unknown_name
from armillary.model.checks import (
    check_closing_joint,
    check_pose,
    number,
    numbers,
    per_axis,
    unit_axis,
)
from armillary.model.constraint_parts import (
    DIRECTIONS,
    NOUNS,
    SHAPES,
    WHEEL_ROWS,
    Constraint,
    Contact,
    Coupling,
    Distance,
    Loop,
    PrescribedMotion,
    Surface,
    Wheel,
    titled,
)
from armillary.model.joints import JointOptions, kernel_joint, named_axis
from armillary.model.model import velocity_names
from armillary.model.parts import WORLD, Body, Frame, JointSpec, Pose
from armillary.model.passive import Passive
from armillary.model.report import Report

End = Frame | str
P = TypeVar("P")
_LONGEST_PROFILE = 400  # rows: they are part of the code of the constraint


class ClosingBuilder(ABC):
    """Collects loops, couplings, wheels, rods, surfaces, contacts and prescribed motions."""

    report: Report
    _bodies: dict[str, Body]
    _frames: dict[str, Frame]

    def __init__(self) -> None:
        self._closing: dict[str, Constraint] = {}

    def _parts(self, kind: type[P]) -> tuple[P, ...]:
        return tuple(part for part in self._closing.values() if isinstance(part, kind))

    def constrain(self, part: Constraint) -> None:
        """A constraint that a model or a method below has already checked."""
        if not isinstance(part.name, str) or not part.name:
            raise ModelError(f"a constraint needs a name, found {part.name!r}.")
        if part.name in self._closing:
            kind = NOUNS[type(self._closing[part.name])]
            raise ModelError(
                f"the name '{part.name}' belongs to a {kind} already. Name each constraint once."
            )
        self._closing[part.name] = part

    @abstractmethod
    def _joint(self, name: str, joint: JointSpec | str, given: JointOptions) -> JointSpec:
        """The joint a person described; the builder of bodies knows how."""

    # -- what a person calls ---------------------------------------------------------------------

    def loop(
        self,
        name: str,
        first: End,
        second: End,
        joint: JointSpec | str,
        *,
        passive: Passive | Sequence[Passive] = (),
        **options: Unpack[JointOptions],
    ) -> None:
        """Close a chain by a joint between two frames (`Frame` or the name of a frame or body).

        passive: friction and springs of the joint, along the motion of `second` in `first`.  Where
        all joints round the loop rotate about parallel axes, the coordinates of the tree count
        the turns of a spring, from the initial configuration on, where it is in the turn nearest to
        its rest; else its angle is always the one nearest to its rest, which runs and solutions
        tell."""
        spec = self._joint(name, joint, options)
        part, nv = f"loop '{name}'", kernel_joint(spec).nv
        given = per_axis(part, "passive", passive or spec.passive, Passive, nv)
        spec = replace(spec, passive=given)
        self.constrain(Loop(name, self._end(first), self._end(second), spec))

    def _general_loop(self, name: str, first: Frame, second: Frame, spec: JointSpec) -> None:
        """A general joint has no closed form of its coordinates: it becomes a joint of the tree,
        with a massless body behind it that is welded to the second frame."""
        link = f"{name}.link"
        if link in self._bodies:
            raise ModelError(
                f"loop '{name}': its general joint needs a body '{link}', but there is one "
                f"already. Rename that body or the loop."
            )
        self._bodies[link] = Body(link, first.body, replace(spec, name=name), first.pose)
        self.report.add(
            "assumed",
            f"loop '{name}'",
            f"its general joint is a joint of the tree with the massless body '{link}', welded",
        )
        weld = JointSpec(f"{name}.weld", "fixed")
        self._closing[name] = Loop(name, Frame(f"{name}.outer", link), second, weld)

    def _general_loops(self) -> None:
        """Before the tree is put in order: general joints that close loops join it."""
        for loop in self._parts(Loop):
            if loop.joint.kind == "general":
                part = f"loop '{loop.name}'"
                first, second = (self._resolved(part, end) for end in (loop.first, loop.second))
                self._general_loop(loop.name, first, second, loop.joint)

    def coupling(self, coupling: Coupling) -> None:
        """q[joint] = ratio * q[source] + offset."""
        if not isinstance(coupling, Coupling):
            raise ModelError(
                f"coupling: expected Coupling(name, joint, source, ratio), found {coupling!r}."
            )
        _finite(f"coupling '{coupling.name}'", coupling.ratio, coupling.offset)
        self.constrain(coupling)

    def wheel(self, wheel: Wheel) -> None:
        """A wheel rolls on the ground."""
        if not isinstance(wheel, Wheel):
            raise ModelError(f"wheel: expected Wheel(name, body, radius, ...), found {wheel!r}.")
        part = f"wheel '{wheel.name}'"
        axis, _ = unit_axis(named_axis(wheel.axis, f"{part}, axis"), f"{part}, axis")
        normal, _ = unit_axis(named_axis(wheel.normal, f"{part}, normal"), f"{part}, normal")
        if wheel.kind not in ("disc", "sphere", "knife"):
            raise ModelError(f"{part}: kind is 'disc', 'sphere' or 'knife', found '{wheel.kind}'.")
        named = wheel.rows if isinstance(wheel.rows, tuple | list) else ()
        if not named or set(named) - set(WHEEL_ROWS) or len(set(named)) < len(named):
            raise ModelError(
                f"{part}: rows are among {', '.join(WHEEL_ROWS)}, each once; found {wheel.rows!r}."
            )
        rows = tuple(named)
        if wheel.kind == "knife" and rows == WHEEL_ROWS:  # as they are where nobody names any
            rows = ("normal", "lateral")
        elif wheel.kind == "knife" and "longitudinal" in rows:
            raise ModelError(
                f"{part}: a knife edge slides along its track; its rows are normal and lateral, "
                f"found {', '.join(rows)}. Leave longitudinal out."
            )
        _finite(part, wheel.radius, wheel.height)
        if wheel.kind != "knife" and not wheel.radius > 0.0:
            raise ModelError(f"{part}: the radius must be positive, found {wheel.radius}.")
        x, y, z = numbers(wheel.center, 3, f"{part}, center")
        self.constrain(replace(wheel, axis=axis, normal=normal, rows=rows, center=(x, y, z)))

    def distance(self, name: str, first: End, second: End, length: float) -> None:
        """The origins of two frames keep their distance."""
        value = number(length, f"distance '{name}', length")
        if not 0.0 < value < math.inf:
            raise ModelError(
                f"distance '{name}': the length must be positive, found {value:g} m. For a "
                f"length of zero use loop(..., joint='spherical')."
            )
        ends = self._end(first), self._end(second)
        self.constrain(Distance(name, *ends, value))

    def surface(
        self,
        name: str,
        first: End,
        second: End,
        shape: str = "plane",
        radius: float = 0.0,
        profile: Iterable[Sequence[float]] = (),
    ) -> None:
        """The origin of `second` stays on a plane, sphere, cylinder or profile fixed in `first`.

        profile: rows (x, z) in m, x rising: a road or cam, z = h(x)."""
        value = number(radius, f"surface '{name}', radius")
        if shape not in SHAPES:
            raise ModelError(f"surface '{name}': shape is one of {', '.join(SHAPES)}.")
        _finite(f"surface '{name}'", value)
        rows = _profile(f"surface '{name}'", shape, profile)
        if shape not in ("plane", "profile") and not 0.0 < value < math.inf:
            raise ModelError(f"surface '{name}': a {shape} needs a positive radius.")
        ends = self._end(first), self._end(second)
        self.constrain(Surface(name, *ends, shape, value, rows))

    def contact(
        self,
        name: str,
        first: End,
        second: End,
        constrained: Sequence[str],
        force: Mapping[str, float] | None = None,
        friction: Iterable[tuple[str, str, float]] = (),
    ) -> None:
        """The tip `second` follows the environment `first` in the constrained directions."""
        part = f"contact '{name}'"
        if not isinstance(force, Mapping | None):
            raise ModelError(f"{part}: force is {{direction: N or N m}}, found {force!r:.60}.")
        if not isinstance(constrained, Iterable):
            raise ModelError(f"{part}: expected constrained directions, found {constrained!r:.60}.")
        forces = tuple((d, number(x, f"{part}, force")) for d, x in (force or {}).items())
        try:
            triples = [(d, c, x) for d, c, x in friction]
        except (TypeError, ValueError):
            raise ModelError(
                f"{part}: friction is a list of (direction, constrained direction, coefficient), "
                f"such as [('dx', 'dz', 0.3)]; found {friction!r}."
            ) from None
        laws = tuple((d, c, number(x, f"{part}, friction")) for d, c, x in triples)
        _finite(part, *(x for _, x in forces), *(x for *_, x in laws))
        named = [*constrained, *(d for d, _ in forces), *(x for law in laws for x in law[:2])]
        for direction in named:
            if direction not in DIRECTIONS:
                raise ModelError(f"{part}: {unknown_name('direction', direction, DIRECTIONS)}")
        held = tuple(constrained)
        if not held:
            raise ModelError(f"{part}: name at least one constrained direction.")
        if len(set(held)) < len(held):
            raise ModelError(f"{part}: a constrained direction is named twice in {list(held)}.")
        for d in [d for d, _ in forces] + [d for d, _, _ in laws]:
            if d in held:
                raise ModelError(
                    f"{part}: '{d}' is constrained, so its force is a result and cannot be given."
                )
        for _, c, _ in laws:
            if c not in held:
                raise ModelError(f"{part}: friction follows a constrained direction, not '{c}'.")
        ends = self._end(first), self._end(second)
        self.constrain(Contact(name, *ends, held, forces, laws))

    def prescribe(
        self,
        name: str,
        joint: str,
        acceleration: float = 0.0,
        velocity: float | None = None,
        position: float | None = None,
    ) -> None:
        """A coordinate that moves as prescribed."""
        part = f"prescribed motion '{name}'"
        levels = (acceleration, velocity, position)
        values = [None if x is None else number(x, part) for x in levels]
        if not all(x is None or math.isfinite(x) for x in values):
            raise ModelError(f"{part}: expected finite numbers, found {values}.")
        self.constrain(PrescribedMotion(name, joint, values[0] or 0.0, values[1], values[2]))

    # -- checks of `build` -----------------------------------------------------------------------

    @staticmethod
    def _end(end: End, part: str = "an end") -> Frame:
        """A frame, or the name of one: resolved when the model is built."""
        if not isinstance(end, Frame | str):
            raise ModelError(f"{part}: expected a Frame, or the name of one, found {end!r:.60}.")
        return end if isinstance(end, Frame) else Frame(end, "")

    def _resolved(self, part: str, end: Frame) -> Frame:
        if end.body:
            self._known_body(part, end.body)
            check_pose(part, end.pose)
            return end
        if end.name in self._frames:
            return self._frames[end.name]
        if end.name == WORLD or end.name in self._bodies:
            return Frame(end.name, end.name, Pose())
        names = [WORLD, *self._bodies, *self._frames]
        raise ModelError(f"{part}: {unknown_name('frame or body', end.name, names)}")

    def _known_body(self, part: str, body: str) -> None:
        if body != WORLD and body not in self._bodies:
            raise ModelError(f"{part}: {unknown_name('body', body, self._bodies)}")

    def _check_closing(self, bodies: list[Body]) -> None:
        """Every constraint names parts that exist; names of frames become frames."""
        labels = coordinate_labels(bodies)
        for name, part in list(self._closing.items()):
            title = titled(part)
            if isinstance(part, (Coupling, PrescribedMotion)):
                ends = (part.joint, part.source) if isinstance(part, Coupling) else (part.joint,)
                for label in ends:
                    known_coordinate(title, label, labels, bodies)
                if isinstance(part, Coupling) and part.joint == part.source:
                    raise ModelError(f"{title}: '{part.joint}' cannot follow itself.")
            elif isinstance(part, Wheel):
                self._known_body(title, part.body)
                self._known_body(title, part.ground)
                if part.ground == part.body:
                    raise ModelError(f"{title}: it cannot roll on its own body.")
            else:
                first = self._resolved(title, part.first)
                second = self._resolved(title, part.second)
                if first.body == second.body:
                    raise ModelError(
                        f"{title}: both ends are on '{first.body}'; a constraint needs two bodies."
                    )
                self._closing[name] = replace(part, first=first, second=second)
                if isinstance(part, Loop):
                    self._check_loop(part)

    def _check_loop(self, loop: Loop) -> None:
        kernel = kernel_joint(loop.joint)
        check_closing_joint(loop.name, loop.joint, kernel.nq == kernel.nv)
        if any(x is not None for limit in loop.joint.limits for x in vars(limit).values()):
            self.report.add(
                "warning",
                f"loop '{loop.name}'",
                "limits of a joint that closes a chain are kept, but no run stops there",
            )


def _profile(
    part: str, shape: str, rows: Iterable[Sequence[float]]
) -> tuple[tuple[float, float], ...]:
    """Rows (x, z) of a profile, checked."""
    if not isinstance(rows, Iterable):
        raise ModelError(f"{part}, profile: expected rows (x, z), found {rows!r:.60}.")
    found = tuple(numbers(row, 2, f"{part}, profile") for row in rows)
    if (shape == "profile") != bool(found):
        raise ModelError(f"{part}: rows (x, z) belong to the shape 'profile', and it needs them.")
    if found and not 2 <= len(found) <= _LONGEST_PROFILE:
        raise ModelError(
            f"{part}: expected 2 to {_LONGEST_PROFILE} rows of its profile, found {len(found)}. "
            f"Cut it, or take fewer rows: the curve between them is smooth."
        )
    for k, (one, two) in enumerate(pairwise(found)):
        if not two[0] > one[0]:
            raise ModelError(
                f"{part}: x of its profile must rise; row {k + 2} has {two[0]:g} after {one[0]:g}."
            )
    return tuple((x, z) for x, z in found)


def _finite(part: str, *values: float) -> None:
    if not all(isinstance(x, (int, float)) and math.isfinite(x) for x in values):
        raise ModelError(f"{part}: expected finite numbers, found {values}.")


def coordinate_labels(bodies: list[Body]) -> dict[str, str]:
    """Labels of coordinates that a coupling or a prescribed motion may name -> joint name."""
    labels = {}
    for body in bodies:
        names = velocity_names(kernel_joint(body.joint))
        for n in names:
            label = body.joint.name if len(names) == 1 else f"{body.joint.name}.{n}"
            labels[label] = body.joint.name
    return labels


def known_coordinate(part: str, label: str, labels: dict[str, str], bodies: list[Body]) -> None:
    if not isinstance(label, str):
        raise ModelError(f"{part}: expected the name of a joint, found {label!r}.")
    if label in labels:
        return
    several = [name for name, joint in labels.items() if joint == label]
    if several:
        raise ModelError(
            f"{part}: joint '{label}' has several coordinates; name one: {', '.join(several)}."
        )
    if any(body.joint.name == label for body in bodies):
        raise ModelError(f"{part}: joint '{label}' is fixed and cannot move.")
    raise ModelError(f"{part}: {unknown_name('joint', label, labels)}")
