"""`drive`: a vehicle through a manoeuvre."""

from __future__ import annotations

import inspect
from pathlib import Path

from armillary import vehicles
from armillary.cli import screen
from armillary.errors import FormatError, InputError, Remedy, unknown_name
from armillary.vehicles.manoeuvres import Manoeuvre

_VEHICLES = ("car", "truck")
_MANOEUVRES = {
    name.replace("_", "-"): getattr(vehicles, name)
    for name in (
        "step_steer",
        "ramp_steer",
        "sine_steer",
        "double_lane_change",
        "slalom",
        "constant_radius",
        "straight_braking",
        "bump_crossing",
    )
}


def drive(
    vehicle: str,
    manoeuvre: str,
    trailers: int,
    step: float,
    out: Path | None,
    picture: Path | None,
    overwrite: bool,
    json: bool,
    **given: float | None,
) -> bool:
    """Whether the run is complete."""
    if vehicle not in _VEHICLES:
        raise unknown_name("vehicle", vehicle, _VEHICLES)
    for file in (out, picture):
        if file is not None and file.exists() and not overwrite:
            raise FormatError("the file exists.", str(file), remedy=Remedy("overwrite"))
    wanted = _manoeuvre(manoeuvre, given)
    made = vehicles.truck(trailers) if vehicle == "truck" else vehicles.car()
    found = vehicles.drive(made, wanted, step=step)
    if out is not None:
        found.run.save(out, overwrite=overwrite)
    if picture is not None:
        found.plot().savefig(picture)
    if json:
        rows = {name: {"value": number, "unit": unit} for name, number, unit in found.rows()}
        warned, lifted = found.roll_over_warning()
        screen.print_json(
            {"vehicle": made.name, "manoeuvre": found.title, "complete": found.run.complete}
            | {"greatest": rows, "roll_over_warning": warned, "side_lifts": lifted}
        )
    else:
        screen.say(str(found))
        for file in (out, picture):
            if file is not None:
                screen.say(f"written to {file}")
    return bool(found.run.complete)


def _manoeuvre(name: str, given: dict[str, float | None]) -> Manoeuvre:
    if name not in _MANOEUVRES:
        raise unknown_name("manoeuvre", name, _MANOEUVRES)
    function = _MANOEUVRES[name]
    known = inspect.signature(function).parameters
    chosen = {word: number for word, number in given.items() if number is not None}
    for word in chosen:
        if word not in known:
            names = ", ".join(f"--{'for' if x == 'duration' else x}" for x in given if x in known)
            raise InputError(f"{name} has no --{word}. It takes {names}.")
    made: Manoeuvre = function(**chosen)
    return made
