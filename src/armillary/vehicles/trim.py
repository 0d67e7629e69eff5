"""Static trim: springs that carry the vehicle at its design position.

An axle's wheel load follows from the masses by the lever rule; what its strut has to carry follows
from virtual work on the rig: load × rise of the contact + force of the strut × its shortening
= weight of the unsprung parts × their rise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from armillary.errors import InputError
from armillary.vehicles.axle import Axle
from armillary.vehicles.kinematics import design_ratios
from armillary.vehicles.rig import Rig


class Leverage:
    """Of the strut of an axle at its design position: motion ratio, rise of the contact point per
    rise of the wheel's centre, and unsprung weight at that centre, N."""

    def __init__(self, axle: Axle, gravity: float):
        rig = Rig(axle.rigid(), gravity)
        self.ratio, self.rise = design_ratios(rig)
        self.own = float(rig.loads(np.zeros((1, 3)))[0, 0])

    def strut_load(self, title: str, wheel_load: float) -> float:
        """Compression of a strut (N) with which the axle rests at the design position."""
        carried = wheel_load * self.rise - self.own
        if not carried > 0.0:
            raise InputError(
                f"{title}: its wheels carry {wheel_load:.5g} N each, less than its own unsprung "
                f"parts weigh ({self.own:.5g} N). Give a heavier body, or lighter wheels."
            )
        return carried / self.ratio


def with_loads(axles: Sequence[Axle], wheel_loads: Sequence[float], gravity: float) -> list[Axle]:
    """The axles with struts that carry their share, where no load was given.  Equal ones are put on
    the rig once."""
    known: list[tuple[Axle, Leverage]] = []
    found = []
    for axle, wheel_load in zip(axles, wheel_loads, strict=True):
        made: Any = axle.made
        strut = getattr(made, "strut", None)
        if strut is None or strut.load is not None:
            found.append(axle)
            continue
        free = replace(axle, suspension=replace(made, strut=replace(strut, load=0.0)))
        nameless = replace(free, name="")
        leverage = next((old for one, old in known if one == nameless), None)
        if leverage is None:
            leverage = Leverage(free, gravity)
            known.append((nameless, leverage))
        load = leverage.strut_load(axle.title, wheel_load)
        found.append(replace(axle, suspension=replace(made, strut=replace(strut, load=load))))
    return found
