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
        model = super()._started(model)
        poses = start_poses(model)
        for part in model.elements:
            if isinstance(part.law, Tyre):
                self._check_touch(
                    part, part.law.radius, start_deflection(model, poses, part, part.law)
                )
        return model

    def _check_touch(self, part: ForceElement, radius: float, deflection: float) -> None:
        """A wheel in the air, or deep in the road, where the mechanism starts: told."""
        if deflection < 0.0:
            said = f"in the air in the initial configuration, {-deflection:.3g} m above the road"
            self.report.add("assumed", part.title, said)
        elif deflection > 0.5 * radius:
            said = (
                f"{deflection:.3g} m deep in the road in the initial configuration (its radius is "
                f"{radius:g} m): its force there is out of all proportion"
            )
            self.report.add("warning", part.title, said)
