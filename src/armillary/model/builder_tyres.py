"""The builder's tyres: what may be said about them, and what is told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from armillary.errors import ModelError
from armillary.model.builder_constraints import End
from armillary.model.builder_elements import ElementBuilder
from armillary.model.checks import number, unit_axis
from armillary.model.elements.element import ForceElement
from armillary.model.elements.start import start_deflection, start_poses
from armillary.model.elements.tyre import Tyre
from armillary.model.joints import Axis, named_axis
from armillary.model.model import Model
from armillary.model.parts import WORLD
from armillary.model.roads.road import Road
from armillary.model.tyres.tyre_model import TyreModel


class TyreBuilder(ElementBuilder):
    """Collects tyres."""

    def tyre(
        self,
        name: str,
        wheel: End,
        *,
        radius: float | None = None,
        axis: Axis = "y",
        model: TyreModel | None = None,
        road: Road | None = None,
        on: End = WORLD,
    ) -> None:
        """A tyre on a wheel: see `Tyre`.  radius: without load, m; a Magic Formula knows it.

        wheel: a frame (or body) at the centre of the wheel, on the body that spins; axis: that of
        the spin in it, to the left, so that the wheel rolls forward with a positive rate.  model:
        one of `armillary.tyres` (default: Linear()); road: one of `armillary.roads` (default:
        Plane()), in the frame `on`: the world's, or that of a body which takes the reaction."""
        part = f"tyre '{name}'"
        unit, _ = unit_axis(named_axis(axis), f"{part}, axis")
        given: dict[str, Any] = {"model": model, "road": road}
        if radius is None:
            radius = getattr(model, "unloaded_radius", None)
        if radius is None:
            raise ModelError(f"{part}: give its radius, m.")
        for note in getattr(model, "notes", ()):
            self.report.add("ignored", part, note)
        law = Tyre(number(radius, f"{part}, radius"), axis=unit)
        law = replace(law, **{k: x for k, x in given.items() if x is not None}).checked(part)
        self.element(name, (on, wheel), law)

    def _started(self, model: Model) -> Model:
        """Wheels in the air, or deep in the road, where the mechanism starts: told."""
        model = super()._started(model)
        poses = start_poses(model)
        tyres = [(part, part.law) for part in model.elements if isinstance(part.law, Tyre)]
        found = [(part, law, start_deflection(model, poses, part, law)) for part, law in tyres]
        for deep, level in ((False, "assumed"), (True, "warning" if model.initial else "assumed")):
            told = [
                (part, law.radius, x)
                for part, law, x in found
                if (x > 0.5 * law.radius if deep else x < 0.0)
            ]
            if told:
                self._tell(told, level, bool(model.initial))
        return model

    def _tell(self, told: list[tuple[ForceElement, float, float]], level: str, given: bool) -> None:
        """One note for all, each with its radius and deflection; where nobody gave a start, how to
        give one."""
        (part, radius, x), more = told[0], len(told) - 1
        where = (
            f"in the air, {-x:.3g} m above the road" if x < 0.0 else f"{x:.3g} m deep in the road"
        )
        there = "in the initial configuration" if given else "with all coordinates at zero"
        why = "" if x < 0.0 else f" (its radius is {radius:g} m: a force out of all proportion)"
        others = f"; {more} other{'s are' if more > 1 else ' is'} so, too" if more else ""
        cure = "" if given else ". Give a start: `initial:` of the model, or q0 of a run"
        said = f"{where} {there}{why}{others}{cure}"
        self.report.add(level, part.title, said, start=True)
