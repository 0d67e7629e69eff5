"""The Ackermann error of a steered axle: numbers and a picture."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from armillary.errors import InputError
from armillary.evaluate.inputs import Array, as_floats
from armillary.formats.files import save_picture
from armillary.model.arguments import check_arguments
from armillary.shown import drawn, shown
from armillary.vehicles.axle import Axle
from armillary.vehicles.kinematics import kinematics
from armillary.vehicles.steering import Rack, Trapezoid, ackermann_error, ackermann_outer

if TYPE_CHECKING:
    from armillary.sim.record.plotting import RunFigure

_ANGLES = np.linspace(-0.6, 0.6, 25)


@shown
@dataclass(frozen=True)
class Ackermann:
    """Steering angles of both wheels (rad, to the left positive), and the error: by how much the
    outer wheel turns further than goes with the inner one.

    pins: distance of the kingpins at the ground or where they are given; wheelbase: m."""

    title: str
    left: Array
    right: Array
    error: Array
    pins: float
    wheelbase: float

    @property
    def largest(self) -> float:
        """rad, of the error's size."""
        return float(np.abs(self.error).max())

    def __str__(self) -> str:
        lines = [
            f"{self.title}: wheelbase {self.wheelbase:g} m, pins {self.pins:.4g} m apart",
            f"{'left [rad]':>12}{'right [rad]':>13}{'error [rad]':>13}",
        ]
        rows = zip(self.left, self.right, self.error, strict=True)
        step = max(1, len(self.left) // 12)
        picked = list(rows)[::step]
        lines += [f"{a:>12.5f}{b:>13.5f}{e:>13.6f}" for a, b, e in (np.add(x, 0.0) for x in picked)]
        return "\n".join(lines)

    def plot(self, path: str | os.PathLike[str] | None = None) -> RunFigure:
        """Outer over inner angle beside the condition, and the error."""
        from armillary.sim.record.plotting import RunFigure

        figure = RunFigure(figsize=(9.0, 3.6), layout="constrained")
        one, two = figure.subplots(1, 2)
        turned = self.left + self.right >= 0.0
        inner = np.where(turned, self.left, -self.right)
        outer = np.where(turned, self.right, -self.left)
        order = np.argsort(inner)
        wanted = [ackermann_outer(x, self.pins, self.wheelbase) for x in inner[order]]
        one.plot(inner[order], outer[order], label=drawn(self.title))
        one.plot(inner[order], wanted, "--", label="Ackermann")
        one.plot(inner[order], inner[order], ":", color="0.6", label="parallel")
        one.set_xlabel("inner wheel [rad]")
        one.set_ylabel("outer wheel [rad]")
        one.legend(fontsize="small")
        two.plot(inner[order], self.error[order])
        two.set_xlabel("inner wheel [rad]")
        two.set_ylabel("error of the outer wheel [rad]")
        for axes in (one, two):
            axes.grid(alpha=0.3)
        if path is not None:
            save_picture(figure, path)
        return figure


@check_arguments
def ackermann(
    steering: Trapezoid | Axle,
    *,
    wheelbase: float | None = None,
    steer: Sequence[float] | Array | None = None,
) -> Ackermann:
    """How far a steered axle is from the Ackermann condition.

    steering: a `Trapezoid` (closed form), or an `Axle` with a rack or trapezoid (its mechanism).
    wheelbase: m (a trapezoid knows its own).  steer: angles of the left kingpin, rad, or places of
    the rack, m."""
    trapezoid = steering if isinstance(steering, Trapezoid) else None
    length = wheelbase if wheelbase is not None else getattr(trapezoid, "wheelbase", None)
    if length is None or not 0.0 < length < float("inf"):
        raise InputError(f"ackermann: give the wheelbase, m; found {wheelbase!r}.")
    if trapezoid is not None:
        left = as_floats("steer", _ANGLES if steer is None else steer).reshape(-1)
        right = np.array([trapezoid.right_angle(float(x)) for x in left])
        pins, title = trapezoid.pins, "trapezoid"
    elif isinstance(steering, Axle) and steering.steering is not None:
        rack = steering.steering
        usual = 0.7 * rack.stop * np.linspace(-1, 1, 25) if isinstance(rack, Rack) else _ANGLES
        curves = kinematics(steering, steer=np.asarray(usual if steer is None else steer))
        left, right = curves["left steer"], curves["right steer"]
        pins, title = _pins(steering), steering.title
    else:
        raise InputError(
            f"ackermann: expected a Trapezoid or a steered Axle, found {steering!r:.60}."
        )
    pairs = zip(left.tolist(), right.tolist(), strict=True)
    error = np.array([ackermann_error(x, y, pins, length) for x, y in pairs])
    return Ackermann(title, left, right, error, pins, length)


def _pins(axle: Axle) -> float:
    """Distance of the steering axes at the ground, m: the track less both scrub radii."""
    at = kinematics(axle, travel=[0.0])
    return axle.track - float(at["left scrub"][0] + at["right scrub"][0])
