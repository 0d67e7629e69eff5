"""Wheels on the road: tyres that slip, or wheels that roll without slip."""

from __future__ import annotations

import math
from collections.abc import Sequence

from armillary.errors import InputError
from armillary.mechanism.making import Builder
from armillary.model import Wheel
from armillary.model.roads.plane import Plane
from armillary.model.roads.road import Road
from armillary.model.tyres.tyre_model import TyreModel
from armillary.scalar import Scalar

ROLLING = "rolling"
Tyres = TyreModel | str
_Y = (0.0, 1.0, 0.0)


def check_tyres(tyre: Tyres, road: Road | None) -> None:
    """Refuse what is no tyre, before anything is built."""
    if isinstance(tyre, str):
        if tyre != ROLLING:
            raise InputError(
                f"tyre: expected '{ROLLING}' (wheels that roll without slip) or a model of "
                f"armillary.tyres, found '{tyre}'."
            )
        if road is not None and not isinstance(road, Plane):
            raise InputError(
                "tyre: wheels that roll without slip stand on the plane z = 0. Take a tyre model "
                "for other roads."
            )
    elif not isinstance(tyre, TyreModel):
        raise InputError(
            f"tyre: expected '{ROLLING}' or a model of armillary.tyres, such as Linear(), found "
            f"{tyre!r:.60}."
        )


def unloaded_radius(model: TyreModel, loaded: float, load: float, part: str) -> float:
    """The radius of a tyre that carries a load (N) at its loaded radius (m), by halving."""

    def force(deflection: float) -> Scalar:
        return model.radial(deflection, 0.0, loaded + deflection)

    low, high = 0.0, 0.5 * loaded
    if not force(high) > load:
        raise InputError(
            f"{part}: {load:.5g} N press its tyre together by more than {high:.3g} m. Give a "
            f"stiffer tyre, or a lighter vehicle."
        )
    for _ in range(200):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        low, high = (middle, high) if force(middle) < load else (low, middle)
    return loaded + high


def put_tyres(
    b: Builder,
    wheels: Sequence[str],
    height: float,
    load: float,
    tyre: Tyres,
    road: Road | None,
    camber: float = 0.0,
) -> tuple[str, ...]:
    """Tyres of the two wheels of an axle, each with a static load (N); their names.

    height: of the wheels' centres, m; camber: rad (a wheel that leans has its load along the
    leaning radius, and reaches further).

    Of wheels that roll without slip the left one is held across its track, so that both agree
    wherever they are steered."""
    names = []
    for k, wheel in enumerate(wheels):
        name = f"{wheel.removesuffix('-wheel')}-tyre"
        if isinstance(tyre, str):
            rows = ("normal", "longitudinal", *(("lateral",) if k == 0 else ()))
            b.wheel(Wheel(name, wheel, height / math.cos(camber), _Y, rows=rows))
        else:
            lean = math.cos(camber)
            free = unloaded_radius(tyre, height / lean, load * lean, f"tyre '{name}'")
            b.tyre(name, wheel, radius=free, axis="y", model=tyre, road=road)
        names.append(name)
    return tuple(names)
