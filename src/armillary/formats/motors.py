"""Motors and gears that can be bought, beside the catalogue of materials.

Numbers as their makers publish them, in SI units and rounded to three digits or so; what is derived
or typical and not printed on a sheet is said in `source`.  Makers change their sheets: read the
present one before something is ordered, and give the numbers that count as a `Motor` of your own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import tau

from armillary.errors import InputError, unknown_name
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
        **more,  # type: ignore[arg-type]
    )


_MAXON = "maxon catalogue, order number"
MOTORS: dict[str, CatalogueMotor] = {
    "maxon-re30-24v": CatalogueMotor(
        _motor(24.0, 0.611, 0.0259, 3.44, 12000.0, inductance=0.119e-3, thermal_resistance=7.7,
               thermal_time_constant=16.0, temperature_limit=155.0),
        33.5e-7, 0.26, f"{_MAXON} 310007: RE 30, 60 W, graphite brushes"),
    "maxon-re40-24v": CatalogueMotor(
        _motor(24.0, 0.299, 0.0302, 6.0, 12000.0, inductance=0.082e-3, thermal_resistance=6.6,
               thermal_time_constant=42.0, temperature_limit=155.0),
        142e-7, 0.48, f"{_MAXON} 148867: RE 40, 150 W, graphite brushes"),
    "maxon-re50-24v": CatalogueMotor(
        _motor(24.0, 0.103, 0.0385, 10.8, 9500.0, inductance=0.072e-3, thermal_resistance=5.0,
               thermal_time_constant=72.0, temperature_limit=125.0),
        542e-7, 1.1, f"{_MAXON} 370354: RE 50, 200 W, graphite brushes"),
    "maxon-eci40-48v": CatalogueMotor(
        _motor(48.0, 2.1, 0.091, 2.46, 8000.0, thermal_resistance=8.5, temperature_limit=155.0),
        44e-7, 0.39, f"{_MAXON} 488607: EC-i 40, 100 W, brushless; resistance and continuous "
        "current derived from stall torque 2.08 N m and nominal torque 0.224 N m; speed and "
        "temperature limits typical"),
    "puma560-large": CatalogueMotor(
        Motor(2.1, 0.23, current_limit=19.0, voltage_limit=40.0), 200e-6, None,
        "[CorkeArmstrong1994], joints 1 to 3: constant rounded from 0.223 ... 0.240; current "
        "limit: voltage over resistance; mass and continuous current not published"),
    "puma560-small": CatalogueMotor(
        Motor(6.7, 0.069, current_limit=6.0, voltage_limit=40.0), 33e-6, None,
        "[CorkeArmstrong1994], joints 4 to 6: constant rounded from 0.066 ... 0.072; current "
        "limit: voltage over resistance; mass and continuous current not published"),
}  # fmt: skip


def _harmonic(
    size: int, rated: float, peak: float, inertia: float, rpm: float, mass: float, ratio: int = 100
) -> CatalogueGear:
    source = (
        f"Harmonic Drive catalogue, CSF-{size}-{ratio}-2UH; efficiency typical at rated torque, "
        "lower when cold or lightly loaded"
    )
    return CatalogueGear(float(ratio), 0.75, rated, peak, inertia, rpm * _RPM, mass, source)


def _gp42(ratio: float, efficiency: float, rated: float, mass: float) -> CatalogueGear:
    source = "maxon catalogue, planetary gearhead GP 42 C; peak torque 1.5 times the continuous one"
    return CatalogueGear(ratio, efficiency, rated, 1.5 * rated, 15e-7, 8000 * _RPM, mass, source)


def _apex(name: str, ratio: float, rated: float, mass: float) -> CatalogueGear:
    source = f"Apex Dynamics catalogue, {name}, two stages; peak: acceleration torque of the sheet"
    return CatalogueGear(ratio, 0.94, rated, 1.8 * rated, 3e-6, 5000 * _RPM, mass, source)


GEARS: dict[str, CatalogueGear] = {
    "direct": CatalogueGear(1.0, 1.0, float("inf"), float("inf"), 0.0, float("inf"), 0.0,
                            "no gear at all"),
    "maxon-gp42c-12": _gp42(12.25, 0.81, 7.5, 0.36),
    "maxon-gp42c-43": _gp42(42.875, 0.72, 15.0, 0.46),
    "maxon-gp42c-81": _gp42(81.0, 0.72, 15.0, 0.46),
    "apex-af042-20": _apex("AF042", 20.0, 19.0, 0.8),
    "apex-af042-50": _apex("AF042", 50.0, 22.0, 0.8),
    "apex-af060-50": _apex("AF060", 50.0, 60.0, 1.5),
    "harmonic-csf14-100": _harmonic(14, 7.8, 28.0, 0.033e-4, 8500.0, 0.52),
    "harmonic-csf17-100": _harmonic(17, 24.0, 54.0, 0.079e-4, 7300.0, 0.68),
    "harmonic-csf20-100": _harmonic(20, 40.0, 82.0, 0.193e-4, 6500.0, 0.98),
    "harmonic-csf25-100": _harmonic(25, 67.0, 157.0, 0.413e-4, 5600.0, 1.5),
    "harmonic-csf25-50": _harmonic(25, 39.0, 98.0, 0.413e-4, 5600.0, 1.5, 50),
    "harmonic-csf32-100": _harmonic(32, 137.0, 333.0, 1.69e-4, 4800.0, 3.2),
}  # fmt: skip


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
