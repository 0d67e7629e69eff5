"""Static trim: springs that carry the vehicle at its design position.

An axle's wheel load follows from the masses by the lever rule; what its strut has to carry follows
from virtual work on the rig: load × rise of the contact + force of the strut × its shortening
= weight of the unsprung parts × their rise.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from armillary.errors import InputError
from armillary.vehicles.axle import Axle
from armillary.vehicles.kinematics import design_ratios
from armillary.vehicles.rig import Rig


def strut_load(axle: Axle, wheel_load: float, gravity: float) -> float:
    """Compression of a strut (N) with which the axle rests at the design position."""
    rig = Rig(axle.rigid(), gravity)
    ratio, rise = design_ratios(rig)
    own = float(rig.loads(np.zeros((1, 3)))[0, 0])  # unsprung weight at the wheel's centre
    carried = wheel_load * rise - own
    if not carried > 0.0:
        raise InputError(
            f"{axle.title}: its wheels carry {wheel_load:.5g} N each, less than its own unsprung "
            f"parts weigh ({own:.5g} N). Give a heavier body, or lighter wheels."
        )
    return carried / ratio


def with_loads(axle: Axle, wheel_load: float, gravity: float) -> Axle:
    """The axle with struts that carry their share, where no load was given."""
    strut = getattr(axle.made, "strut", None)
    if strut is None or strut.load is not None:
        return axle
    free = replace(axle, suspension=replace(axle.made, strut=replace(strut, load=0.0)))  # type: ignore[type-var]
    load = strut_load(free, wheel_load, gravity)
    carrying = replace(strut, load=load)
    return replace(axle, suspension=replace(axle.made, strut=carrying))  # type: ignore[type-var]
