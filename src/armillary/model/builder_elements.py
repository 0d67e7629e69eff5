"""The builder's force elements: what may be said about them, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from armillary.errors import ModelError
from armillary.model.builder_constraints import (
    ClosingBuilder,
    End,
    coordinate_labels,
)
from armillary.model.checks import number, numbers, unit_axis
from armillary.model.element_numbers import (
    Matrix6,
    between_coordinates,
    ends_of,
    matrix_of,
    named_numbers,
    refuse_not_finite,
    rows_of,
    six_of,
    weights_of,
)
from armillary.model.elements.along import AlongForce
from armillary.model.elements.backlash import Backlash
from armillary.model.elements.element import ElementLaw, ForceElement
from armillary.model.elements.line import SMOOTHING, LineForce
from armillary.model.elements.maxwell import Maxwell
from armillary.model.elements.start import coincide_always, start_length, start_poses
from armillary.model.elements.turning import Bushing, TorsionSpring
from armillary.model.elements.user import UserForce
from armillary.model.elements.world import Drag, FixedWrench, PointGravity
from armillary.model.joints import Axis, named_axis
from armillary.model.model import Model
from armillary.model.parts import WORLD, Body
from armillary.scalar import Scalar

_AGREES = 1e-6  # of the tensions: rest length and preload say the same


class ElementBuilder(ClosingBuilder):
    """Collects springs, dampers, cables and other forces between bodies."""

    def __init__(self) -> None:
        super().__init__()
        self._elements: dict[str, ForceElement] = {}
        # lines whose rest length follows from the initial configuration, and their tension there
        self._preloads: dict[str, float | None] = {}
        self._rests: set[str] = set()  # lines whose rest length was given

    def element(
        self,
        name: str,
        ends: Sequence[End],
        law: ElementLaw,
        coordinates: Sequence[str] = (),
    ) -> None:
        """A force element by its law.

        ends: frames (`Frame`, or the name of a frame or body), at least two of them on different
        bodies; or none, and coordinates: joints with one coordinate, or joint.coordinate."""
        if not isinstance(name, str) or not name:
            raise ModelError(f"a force element needs a name, found {name!r}.")
        if name in self._elements:
            raise ModelError(
                f"the name '{name}' belongs to a {self._elements[name].law.kind} already. Name "
                f"each force element once."
            )
        if not isinstance(law, ElementLaw):
            raise ModelError(
                f"force element '{name}': expected a law such as LineForce(stiffness=1e4), found "
                f"{law!r:.60}."
            )
        if isinstance(ends, str) or not isinstance(ends, Iterable):
            raise ModelError(
                f"{law.kind} '{name}': expected frames, or () and coordinates; found {ends!r:.60}."
            )
        frames = tuple(self._end(end, f"{law.kind} '{name}', an end") for end in ends)
        part = ForceElement(name, frames, law, tuple(coordinates))
        for field, value in ((n, getattr(law, n)) for n in law.numbers):
            refuse_not_finite(f"{part.title}, {field}", value)
        law.check(part.title)
        self._elements[name] = part

    def spring(
        self,
        name: str,
        first: End,
        second: End,
        *,
        stiffness: float = 0.0,
        damping: float = 0.0,
        rest: float | None = None,
        preload: float | None = None,
        force: float = 0.0,
        cubic: float = 0.0,
        coulomb: float = 0.0,
        smoothing: float = SMOOTHING,
        table: Iterable[Sequence[float]] = (),
        damper_table: Iterable[Sequence[float]] = (),
        side: str = "both",
    ) -> None:
        """A spring and damper between the origins of two frames: see `LineForce`.

        stiffness N/m, damping N s/m, rest: its free length, m.  preload: its tension (N) in the
        initial configuration instead, from which the free length follows.  With neither, it is
        free of force there.  force: a constant tension, N.  coulomb: dry friction, N, which changes
        its sign smoothly over the rate `smoothing`, m/s.  side: "pull" (a cable), "push" (a bump
        stop) or "both"."""
        given = {
            "stiffness": stiffness, "damping": damping, "force": force, "cubic": cubic,
            "coulomb": coulomb, "smoothing": smoothing,
        }  # fmt: skip
        self._line(name, (first, second), given, rest, preload, table, damper_table, side)

    def cable(
        self,
        name: str,
        points: Sequence[End],
        *,
        stiffness: float = 0.0,
        damping: float = 0.0,
        rest: float | None = None,
        preload: float | None = None,
        force: float = 0.0,
        side: str = "pull",
    ) -> None:
        """A cable that runs over the origins of two or more frames without friction, with one
        tension.  Numbers as of `spring`; with a constant `force` it has side="both"."""
        given = {"stiffness": stiffness, "damping": damping, "force": force}
        if force and side == "pull" and not (stiffness or damping):
            side = "both"
        ends = ends_of(f"cable '{name}'", points)
        self._line(name, ends, given, rest, preload, (), (), side)

    def coordinate_spring(
        self,
        name: str,
        coordinates: Mapping[str, float],
        *,
        stiffness: float = 0.0,
        damping: float = 0.0,
        rest: float = 0.0,
        force: float = 0.0,
        cubic: float = 0.0,
        coulomb: float = 0.0,
        smoothing: float = SMOOTHING,
        table: Iterable[Sequence[float]] = (),
        damper_table: Iterable[Sequence[float]] = (),
        side: str = "both",
    ) -> None:
        """A spring, damper and dry friction between coordinates of joints: see `LineForce`.

        coordinates: {"motor": 1, "load": -50} makes x = motor - 50 load - rest, an elastic gear; a
        joint with several coordinates by joint.coordinate.  Units are those of the first one."""
        part = f"spring '{name}'"
        given = {
            "stiffness": stiffness, "damping": damping, "rest": rest, "force": force,
            "cubic": cubic, "coulomb": coulomb, "smoothing": smoothing,
        }  # fmt: skip
        values: dict[str, Any] = {n: number(x, f"{part}, {n}") for n, x in given.items()}
        law = LineForce(
            **values,
            weights=weights_of(part, coordinates),
            table=rows_of(part, "table", table),
            damper_table=rows_of(part, "damper_table", damper_table),
            side=side,
        )
        self.element(name, (), law, tuple(coordinates))

    def backlash(
        self,
        name: str,
        coordinates: Mapping[str, float],
        *,
        stiffness: float,
        gap: float,
        damping: float = 0.0,
        rest: float = 0.0,
    ) -> None:
        """A gap between coordinates of joints, with a spring and damper on either side of it: see
        `Backlash`.  coordinates as of `coordinate_spring`."""
        part = f"backlash '{name}'"
        given = {"stiffness": stiffness, "damping": damping, "gap": gap, "rest": rest}
        values: dict[str, Any] = {n: number(x, f"{part}, {n}") for n, x in given.items()}
        law = Backlash(**values, weights=weights_of(part, coordinates))
        self.element(name, (), law, tuple(coordinates))

    def maxwell(
        self,
        name: str,
        between: Sequence[End] | Mapping[str, float],
        *,
        stiffness: float,
        damping: float,
        tension: float = 0.0,
    ) -> None:
        """A spring (N/m) and a damper (N s/m) in series: see `Maxwell`.

        between: two frames or more, or coordinates as of `coordinate_spring` (N m/rad, N m s/rad).
        tension: its own state where nothing else is given, N or N m; 0: relaxed."""
        part = f"Maxwell element '{name}'"
        given = {"stiffness": stiffness, "damping": damping}
        values: dict[str, Any] = {n: number(x, f"{part}, {n}") for n, x in given.items()}
        values["state"] = (number(tension, f"{part}, tension"),)
        if isinstance(between, Mapping):
            law = Maxwell(**values, weights=weights_of(part, between))
            self.element(name, (), law, tuple(between))
        else:
            self.element(name, ends_of(part, between), Maxwell(**values))

    def torsion_spring(
        self,
        name: str,
        first: End,
        second: End,
        *,
        axis: Axis = "z",
        stiffness: float = 0.0,
        damping: float = 0.0,
        rest: float = 0.0,
    ) -> None:
        """A spring (N m/rad) and damper (N m s/rad) against the rotation of the second frame about
        an axis of the first: see `TorsionSpring`.  rest: the angle without moment, rad."""
        part = f"torsion spring '{name}'"
        unit, _ = unit_axis(named_axis(axis, f"{part}, axis"), f"{part}, axis")
        given = {"stiffness": stiffness, "damping": damping, "rest": rest}
        values = {n: number(x, f"{part}, {n}") for n, x in given.items()}
        self.element(name, (first, second), TorsionSpring(**values, axis=unit))

    def bushing(
        self,
        name: str,
        first: End,
        second: End,
        *,
        stiffness: Matrix6 = (),
        damping: Matrix6 = (),
        rest: Sequence[float] = (0.0,) * 6,
        preload: Sequence[float] = (0.0,) * 6,
    ) -> None:
        """An elastic mount: see `Bushing`.

        stiffness, damping: 6x6, or the 6 numbers of a diagonal: rotations about x, y, z of the
        first frame, then displacements along them.  rest: pose without force (rotation vector rad,
        displacement m); preload: (n; f) on the second body there."""
        part = f"bushing '{name}'"
        self.element(
            name,
            (first, second),
            Bushing(
                matrix_of(f"{part}, stiffness", stiffness),
                matrix_of(f"{part}, damping", damping),
                six_of(f"{part}, rest", rest),
                six_of(f"{part}, preload", preload),
            ),
        )

    def fixed_wrench(
        self,
        name: str,
        frame: End,
        *,
        force: Sequence[float] = (0.0, 0.0, 0.0),
        moment: Sequence[float] = (0.0, 0.0, 0.0),
        along: End = WORLD,
    ) -> None:
        """A constant force (N) and moment (N m) on a frame's body at its origin, along the axes of
        the world (or of another frame, whose body takes the reaction)."""
        part = f"fixed wrench '{name}'"
        f, n = (numbers(x, 3, part) for x in (force, moment))
        self.element(name, (along, frame), FixedWrench(f, n))  # type: ignore[arg-type]

    def drag(
        self,
        name: str,
        frame: End,
        *,
        linear: float = 0.0,
        quadratic: float = 0.0,
        wind: Sequence[float] = (0.0, 0.0, 0.0),
    ) -> None:
        """Resistance of air or water at a frame's origin: see `Drag`."""
        part = f"drag '{name}'"
        values = (number(linear, f"{part}, linear"), number(quadratic, f"{part}, quadratic"))
        law = Drag(*values, numbers(wind, 3, f"{part}, wind"))  # type: ignore[arg-type]
        self.element(name, (WORLD, frame), law)

    def point_gravity(
        self, name: str, frame: End, *, strength: float, center: End = WORLD, mass: float
    ) -> None:
        """A mass (kg) at a frame is attracted by a point: see `PointGravity`.

        frame: usually at the centre of mass of a body.  strength: G M of the point, m³/s²."""
        part = f"point gravity '{name}'"
        law = PointGravity(number(strength, f"{part}, strength"), number(mass, f"{part}, mass"))
        self.element(name, (center, frame), law)

    def force(
        self,
        name: str,
        between: Sequence[End],
        law: Callable[..., Sequence[Scalar]],
        potential: Callable[..., Scalar] | None = None,
        parameters: Mapping[str, float] | None = None,
        *,
        states: Mapping[str, float] | None = None,
        rate: Callable[..., Sequence[Scalar]] | None = None,
        steady: bool = False,
    ) -> None:
        """A law of your own between two frames: see `UserForce`.

        law(r, R, w, u, **parameters) gives the force on the second body, potential(r, R,
        **parameters) what it stores.  states: own states with their values at the start; all
        functions get them behind the others, as z, and rate(r, R, w, u, z, **parameters) gives
        dz/dt.  steady: runs begin where that is zero instead.  Files cannot hold it."""
        ends = ends_of(f"force '{name}'", between)
        if len(ends) != 2:
            raise ModelError(f"force '{name}': expected two frames, found {len(ends)}.")
        values = named_numbers(f"force '{name}', parameter", parameters)
        begin = named_numbers(f"force '{name}', state", states)
        own = UserForce(
            law, potential, tuple(values), tuple(values.values()),
            rate, tuple(begin), tuple(begin.values()), steady,
        )  # fmt: skip
        self.element(name, ends, own)

    def _line(
        self,
        name: str,
        ends: Sequence[End],
        given: dict[str, float],
        rest: float | None,
        preload: float | None,
        table: Iterable[Sequence[float]],
        damper_table: Iterable[Sequence[float]],
        side: str,
    ) -> None:
        part = f"spring '{name}'"
        values: dict[str, Any] = {n: number(x, f"{part}, {n}") for n, x in given.items()}
        if rest is not None:
            values["rest"] = number(rest, f"{part}, rest")
        law = LineForce(
            **values,
            table=rows_of(part, "table", table),
            damper_table=rows_of(part, "damper_table", damper_table),
            side=side,
        )
        if preload is not None:
            self._check_preload(part, law, number(preload, f"{part}, preload"))
        self.element(name, ends, law)
        springs = law.stiffness or law.cubic or law.table
        if preload is not None:
            self._preloads[name] = float(preload)
        elif rest is None and (springs or side != "both"):
            self._preloads[name] = None
        if rest is not None:
            self._rests.add(name)

    @staticmethod
    def _check_preload(part: str, law: LineForce, preload: float) -> None:
        if not math.isfinite(preload):
            raise ModelError(f"{part}: its preload must be a finite number (N).")
        if not law.stiffness:
            raise ModelError(
                f"{part}: a preload of {preload:g} N needs a stiffness, from which its free length "
                f"follows. Give a `stiffness`, or the constant `force` instead."
            )
        if law.cubic or law.table or law.force:
            raise ModelError(
                f"{part}: a preload goes with a plain stiffness alone. Give its `rest` length."
            )
        if (law.side == "pull" and preload < 0.0) or (law.side == "push" and preload > 0.0):
            raise ModelError(
                f"{part}: a preload of {preload:g} N contradicts side='{law.side}': tension is "
                f"positive, and it can only {law.side}. Change the sign or the side."
            )

    # -- checks of `build` -----------------------------------------------------------------------

    def _check_elements(self, bodies: list[Body]) -> None:
        """Every element names parts that exist; names of frames become frames."""
        labels = coordinate_labels(bodies)
        for name, part in self._elements.items():
            if part.coordinates:
                self._elements[name] = between_coordinates(part, labels, bodies)
                continue
            ends = tuple(self._resolved(part.title, end) for end in part.ends)
            if len(ends) < 2:
                raise ModelError(f"{part.title}: it needs two ends or more, found {len(ends)}.")
            if len({end.body for end in ends}) < 2:
                raise ModelError(
                    f"{part.title}: all its ends are on '{ends[0].body}'; a force between bodies "
                    f"needs two of them (or 'world')."
                )
            self._elements[name] = replace(part, ends=ends)

    def _started(self, model: Model) -> Model:
        """Free lengths that follow from the initial configuration."""
        elements, poses = list(model.elements), start_poses(model)
        for k, part in enumerate(elements):
            along = isinstance(part.law, AlongForce) and not part.law.of_coordinates
            if not (along or isinstance(part.law, PointGravity)):
                continue
            length = start_length(model, poses, part)
            if part.name in self._preloads and isinstance(part.law, LineForce):
                elements[k] = self._with_rest(part, part.law, self._preloads[part.name], length)
            if not length:
                self._check_direction(model, elements[k])
        return replace(model, elements=tuple(elements))

    def _check_direction(self, model: Model, part: ForceElement) -> None:
        """A line whose points coincide has no direction: an error where it carries a preload there,
        or where they stay together, else a warning."""
        law = part.law
        if preload := self._preloads.get(part.name):
            raise ModelError(
                f"{part.title}: a preload of {preload:g} N has no direction, for its ends coincide "
                f"in the initial configuration. Move an end, or give its `rest` length."
            )
        if not isinstance(law, LineForce) or law.directed:
            if coincide_always(model, part):
                raise ModelError(
                    f"{part.title}: its ends coincide in every configuration, so its force never "
                    f"has a direction. Move an end, or leave it out."
                )
            said = "its ends coincide in the initial configuration, where its force is undefined"
            self.report.add("warning", part.title, said, start=True)

    def _with_rest(
        self, part: ForceElement, law: LineForce, preload: float | None, length: float
    ) -> ForceElement:
        tension = 0.0 if preload is None else preload
        rest = length - tension / law.stiffness if tension else length
        if part.name in self._rests:
            there = law.stiffness * (length - law.rest)
            if abs(there - tension) > _AGREES * max(abs(tension), law.stiffness * length):
                raise ModelError(
                    f"{part.title}: its rest length of {law.rest:g} m and its preload of "
                    f"{tension:g} N contradict each other: in the initial configuration it is "
                    f"{length:.6g} m long, so its tension would be {there:.6g} N. Give one of them."
                )
            return part
        if rest < 0.0:
            raise ModelError(
                f"{part.title}: a preload of {tension:g} N would need a free length of "
                f"{rest:.4g} m (it is {length:.4g} m long in the initial configuration). Raise the "
                f"stiffness or give a constant `force`."
            )
        if preload is None:
            said = f"free of force in the initial configuration, so its rest length is {rest:.6g} m"
            self.report.add("assumed", part.title, said)
        return replace(part, law=replace(law, rest=rest))
