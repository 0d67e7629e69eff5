"""Motors and gears that can be bought, beside the catalogue of materials.

Numbers of the makers' sheets in SI units, as they are transcribed in public designs; `source` names
the part and the edition's place, and says what is derived or estimated.  Sheets change: check the
present one before an order, and give the numbers that count as a `Motor` of your own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import tau

from armillary.errors import InputError, unknown_name
from armillary.model.arguments import name_arguments
from armillary.model.parts import Motor

_RPM = tau / 60.0  # rad/s


@dataclass(frozen=True)
class CatalogueMotor:
    """data: without a gear; its voltage limit is the nominal voltage."""

    data: Motor
    rotor_inertia: float  # kg m²
    mass: float | None  # kg; None: not known
    source: str


@dataclass(frozen=True)
class CatalogueGear:
    """Torques at the output, the inertia at the input."""

    ratio: float  # motor turns per joint turn
    efficiency: float
    rated_torque: float  # N m, of the root mean square
    peak_torque: float  # N m, again and again
    inertia: float  # kg m²
    speed_limit: float  # rad/s, of the input
    mass: float  # kg
    source: str


def _motor(
    volts: float, resistance: float, constant: float, continuous: float, rpm: float, **more: float
) -> Motor:
    """Peak current: what the nominal voltage drives through the standing motor."""
    return Motor(
        resistance=resistance,
        torque_constant=constant,
        voltage_limit=volts,
        current_limit=volts / resistance,
        continuous_current=continuous,
        speed_limit=rpm * _RPM,
        **more,
    )


_MEKA = "sheet as transcribed in the Meka robots' published configuration (2010)"
_SPEED = "speed limit: the no-load speed"
MOTORS: dict[str, CatalogueMotor] = {
    "maxon-re40-24v": CatalogueMotor(
        _motor(24.0, 0.299, 0.0302, 6.0, 12000.0, thermal_resistance=1.93 + 4.65,
               thermal_time_constant=42.8, temperature_limit=155.0),
        142e-7, 0.48, "maxon order number 148867: RE 40, 150 W, graphite brushes; sheet of 2026 "
        "(earlier editions give 0.317 ohm)"),
    "maxon-re50-24v": CatalogueMotor(
        _motor(24.0, 0.113, 0.0396, 9.04, 5778.0, inductance=0.094e-3,
               thermal_resistance=3.81 + 2.27, thermal_time_constant=137.0,
               temperature_limit=125.0),
        584e-7, None,
        f"maxon order number 370354: RE 50, 200 W, graphite brushes; {_MEKA}; {_SPEED}"),
    "maxon-ec45flat-24v": CatalogueMotor(
        _motor(24.0, 3.38, 0.0475, 1.32, 4700.0, inductance=1.15e-3,
               thermal_resistance=4.25 + 4.5, thermal_time_constant=16.6, temperature_limit=125.0),
        135e-7, None, f"maxon order number 339286: EC 45 flat, 50 W, brushless; {_MEKA}; {_SPEED}"),
    "maxon-ec32flat-24v": CatalogueMotor(
        _motor(24.0, 13.7, 0.049, 0.49, 4390.0, inductance=7.73e-3),
        35e-7, None, f"maxon order number 267121: EC 32 flat, 15 W, brushless; {_MEKA}; {_SPEED}"),
    "maxon-eci40-48v": CatalogueMotor(
        _motor(48.0, 2.1, 0.091, 2.46, 5000.0, thermal_resistance=1.35 + 7.17),
        44e-7, 0.39, "maxon order number 488607: EC-i 40, 100 W, brushless; sheet of 2026; "
        "resistance and continuous current derived from stall torque 2.08 N m and nominal torque "
        f"0.224 N m; {_SPEED}"),
    "puma560-large": CatalogueMotor(
        Motor(2.1, 0.23, current_limit=19.0, voltage_limit=40.0), 200e-6, None,
        "[CorkeArmstrong1994], joints 1 to 3: reported are 0.189 ... 0.258 N m/A and 1.6 ... "
        "2.1 ohm, rounded from 0.223 ... 0.240 and 2.1; current limit: voltage over resistance; "
        "mass and continuous current not published"),
}  # fmt: skip


def _harmonic(
    size: int, ratio: int, rated: float, peak: float, inertia: float, mass: float, more: str = ""
) -> CatalogueGear:
    """Limit of speed: of the mean input speed, for all sizes here 3500 turns per minute."""
    source = (
        f"Harmonic Drive CSF-{size}-{ratio}-2UH, product page{more}; efficiency estimated "
        "(the sheet has curves; lower when cold or lightly loaded)"
    )
    return CatalogueGear(float(ratio), 0.75, rated, peak, inertia, 3500 * _RPM, mass, source)


def _apex(name: str, ratio: float, rated: float, mass: float) -> CatalogueGear:
    """Peak: torque of acceleration, 60 % of the emergency torque, 3 times the rated one."""
    source = f"Apex Dynamics {name}, two stages, catalogue of the AF series; peak: acceleration"
    return CatalogueGear(ratio, 0.94, rated, 1.8 * rated, 3e-6, 5000 * _RPM, mass, source)


_TABLE = " and rating table of the series (2026)"
GEARS: dict[str, CatalogueGear] = {
    "direct": CatalogueGear(1.0, 1.0, float("inf"), float("inf"), 0.0, float("inf"), 0.0,
                            "no gear at all"),
    "maxon-gp42c-12": CatalogueGear(
        12.25, 0.81, 7.5, 1.5 * 7.5, 15e-7, 8000 * _RPM, 0.36,
        "maxon order number 203115: GP 42 C, ceramic, two stages; sheet of 2026; peak torque and "
        "inertia estimated"),
    "apex-af042-20": _apex("AF042", 20.0, 19.0, 0.8),
    "apex-af042-50": _apex("AF042", 50.0, 22.0, 0.8),
    "apex-af060-50": _apex("AF060", 50.0, 60.0, 1.5),
    "harmonic-csf17-50": _harmonic(17, 50, 16.0, 34.0, 0.079e-4, 0.68, _TABLE),
    "harmonic-csf17-100": _harmonic(17, 100, 24.0, 54.0, 0.079e-4, 0.68, _TABLE),
    "harmonic-csf25-50": _harmonic(25, 50, 39.0, 98.0, 0.413e-4, 1.5, _TABLE),
    "harmonic-csf32-100": _harmonic(32, 100, 137.0, 333.0, 1.69e-4, 3.2, "; inertia estimated"),
}  # fmt: skip


@name_arguments
def catalogue_motor(name: str, gear: str | float = 1.0) -> Motor:
    """A motor of the catalogue as a joint carries it; gear: of the catalogue, or a ratio."""
    if name not in MOTORS:
        raise InputError(str(unknown_name("motor of the catalogue", name, MOTORS)))
    if not isinstance(gear, str):
        return replace(MOTORS[name].data, gear=float(gear))
    if gear not in GEARS:
        raise InputError(str(unknown_name("gear of the catalogue", gear, GEARS)))
    found = GEARS[gear]
    return replace(MOTORS[name].data, gear=found.ratio, efficiency=found.efficiency)
