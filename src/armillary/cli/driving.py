"""`drive`: a vehicle through a manoeuvre."""

from __future__ import annotations

import inspect
from dataclasses import fields
from pathlib import Path

from armillary import load, roads, tyres, vehicles
from armillary.cli import screen
from armillary.cli.models import is_file_name
from armillary.cli.options import Ordered
from armillary.errors import FormatError, InputError, Remedy, unknown_name
from armillary.evaluate.inputs import Keywords
from armillary.formats.files import save_picture
from armillary.model.roads.road import Road
from armillary.model.tyres.tyre_model import TyreModel
from armillary.vehicles.manoeuvres import Manoeuvre
from armillary.vehicles.vehicle import Vehicle

_VEHICLES = ("car", "truck", "rover", "bicycle", "differential-drive")
_TYRES = {"linear": tyres.Linear, "brush": tyres.Brush, "fiala": tyres.Fiala}
_BUMP = 0.04  # m, of bump-crossing where no height is given


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
    ordered: Ordered,
    step: float,
    out: Path | None,
    picture: Path | None,
    overwrite: bool,
    json: bool,
    **given: float | None,
) -> bool:
    """Whether the run is complete."""
    for file in (out, picture):
        if file is not None and file.exists() and not overwrite:
            raise FormatError("the file exists.", str(file), remedy=Remedy("overwrite"))
    wanted = _manoeuvre(manoeuvre, given)
    made = _vehicle(vehicle, manoeuvre, ordered)
    if is_file_name(vehicle) and not json:
        screen.say(f"{made}\n")
    found = vehicles.drive(made, wanted, step=step)
    if out is not None:
        found.run.save(out, overwrite=overwrite)
    if picture is not None:
        save_picture(found.plot(), picture, overwrite)
    if json:
        rows = {name: {"value": number, "unit": unit} for name, number, unit in found.rows()}
        warned, lifted = (None, None) if made.rolling else found.roll_over_warning()
        screen.print_json(
            {"vehicle": made.name, "manoeuvre": found.title, "complete": found.run.complete}
            | {"message": found.run.message, "events": found.run.events}
            | {"greatest": rows, "roll_over_warning": warned, "side_lifts": lifted}
        )
    else:
        screen.say(str(found))
        for file in (out, picture):
            if file is not None:
                screen.say(f"written to {file}")
    return bool(found.run.complete)


def _vehicle(name: str, manoeuvre: str, ordered: Ordered) -> Vehicle:
    """A vehicle by its word, or that of a file."""
    given = {word.name: getattr(ordered, word.name) for word in fields(ordered)}
    if is_file_name(name):
        of_file = ("units", "steering", "driven", "held")
        _refuse(given, of_file, "the file says it itself; edit it there")
        units = _names(ordered.units)
        return vehicles.from_mechanism(
            load(name),
            chassis=units[0] if units else "",
            steering=ordered.steering,
            driven=_names(ordered.driven) or None,
            units=units,
            held=_names(ordered.held),
        )
    if name not in _VEHICLES:
        hint = unknown_name("vehicle", name, _VEHICLES)
        raise FormatError(f"there is no file '{name}', and {hint}")
    taken = ("tyre", "mu", "mu_right", "bump", *(("trailers",) if name == "truck" else ()))
    _refuse(given, taken, f"it is not for '{name}'")
    road = _road(ordered, manoeuvre)
    options: Keywords = {} if road is None else {"road": road}
    tyre = _tyre(name, ordered.tyre)
    if tyre is not None:
        options["tyre"] = tyre
    if name == "truck":
        return vehicles.truck(ordered.trailers or 1, **options)
    if name == "rover":
        return vehicles.rover(None, **options)
    makers = {
        "car": vehicles.car,
        "bicycle": vehicles.bicycle,
        "differential-drive": vehicles.differential_drive,
    }
    return makers[name](**options)


def _names(listed: str | None) -> list[str]:
    return [x.strip() for x in listed.split(",")] if listed else []


def _refuse(given: dict[str, object], taken: tuple[str, ...], why: str) -> None:
    for word, value in given.items():
        if value is not None and word not in taken:
            raise InputError(f"--{word.replace('_', '-')}: {why}.")


def _road(ordered: Ordered, manoeuvre: str) -> Road | None:
    left = 1.0 if ordered.mu is None else ordered.mu
    mu = left if ordered.mu_right is None else roads.Split(left, ordered.mu_right)
    if manoeuvre == "bump-crossing" or ordered.bump is not None:
        height = _BUMP if ordered.bump is None else ordered.bump
        return roads.Bump(start=5.0, length=0.5, height=height, mu=mu)
    plain = ordered.mu is None and ordered.mu_right is None
    return None if plain else roads.Plane(mu=mu)


def _tyre(vehicle: str, word: str | None) -> TyreModel | str | None:
    """Of --tyre; None: what the vehicle has without it."""
    if word is None:
        return tyres.Linear() if vehicle == "rover" else None
    if word in _TYRES:
        return _TYRES[word]()
    if word.endswith(".tir"):
        return tyres.read_tir(word)
    if word != "rolling":
        known = ", ".join(("rolling", *_TYRES))
        raise InputError(f"--tyre is one of {known}, or a .tir file; found '{word}'.")
    return word


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
