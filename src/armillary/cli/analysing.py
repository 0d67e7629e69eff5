"""`classify`, `dexterity`, `strength`, `task-dynamics`, `force-sources`, `linkage`, `workspace`,
`operations` on the command line."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from armillary import Mechanism, __version__
from armillary.analysis.dexterity import Ellipsoid
from armillary.analysis.task import GROUPS
from armillary.cli import models, screen
from armillary.cli.closing import follow
from armillary.cli.options import ClosedSource, Source, State, Words
from armillary.cli.states import Array, from_options
from armillary.errors import FormatError, InputError
from armillary.formats.files import save_picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _q(mechanism: Mechanism, words: Words) -> Array:
    return from_options(mechanism, {"q": words}, None).values["q"]


def _rows(text: str) -> str | list[str]:
    return text if text in GROUPS else text.split(",")


def _print(
    command: str, mechanism: Mechanism, text: object, json: bool, content: dict[str, object]
) -> None:
    if not json:
        screen.say(text)
        return
    head = {"armillary": __version__, "command": command, "mechanism": mechanism.name}
    screen.print_json(head | content)


def classify(
    source: ClosedSource,
    q: Words,
    frame: str | None,
    rows: str,
    actuator: Words,
    matrix: bool,
    json: bool,
) -> None:
    mechanism = models.find(source)
    task = GROUPS[rows] if rows in GROUPS else rows.split(",")
    found = mechanism.classify(_q(mechanism, q), frame, actuators=actuator, task=task)
    S = found.interconnection
    text = f"{found}\n\n{S}" if matrix else found
    content: dict[str, object] = {
        "structure": found.chain,
        "actuation": found.actuation,
        "dexterity": found.dexterity,
        "holonomic": found.holonomic,
        "freedoms": found.freedoms,
        "drives": found.drives,
        "rank": found.rank,
        "reachable": found.reachable,
        "words": found.words(),
        "bodies": S.bodies,
        "hinges": [asdict(hinge) for hinge in S.hinges],
        "S": S.S,
        "T": S.T,
    }
    _print("classify", mechanism, text, json, content)


def dexterity(
    source: ClosedSource, q: Words, frame: str | None, rows: str, actuator: Words, json: bool
) -> None:
    mechanism = models.find(source)
    found = mechanism.dexterity(_q(mechanism, q), frame, _rows(rows), actuators=actuator)
    content: dict[str, object] = {
        "frame": found.task.frame,
        "rows": found.task.rows,
        "manipulability": found.manipulability,
        "condition": found.condition,
        "rank": found.rank,
        "reachable": found.reachable,
        "singular": found.singular,
        "lost": found.lost_words(),
        "linear": _ellipsoid(found.linear),
        "angular": _ellipsoid(found.angular),
        "linear_of_forces": _ellipsoid(found.linear_of_forces),
        "angular_of_forces": _ellipsoid(found.angular_of_forces),
    }
    _print("dexterity", mechanism, found, json, content)


def _ellipsoid(part: Ellipsoid | None) -> object:
    return None if part is None else asdict(part)


def strength(
    source: ClosedSource,
    q: Words,
    frame: str | None,
    effort: Words,
    actuator: Words,
    json: bool,
) -> None:
    mechanism = models.find(source)
    efforts = _efforts(effort)
    at = _q(mechanism, q)
    limits = mechanism.force_limits(at, frame, effort=efforts, actuators=actuator)
    load = mechanism.payload(at, frame, effort=efforts, actuators=actuator)
    content: dict[str, object] = {
        "frame": limits.frame,
        "limits": {push.name: push.size for push in limits.pushes},
        "limited_by": {push.name: push.limiting for push in limits.pushes},
        "weakest": {"direction": limits.weakest.direction, "size": limits.weakest.size},
        "payload": load.mass,
        "payload_limited_by": load.limiting,
    }
    _print("strength", mechanism, f"{limits}\n\n{load}", json, content)


def _efforts(words: Words) -> dict[str, float] | None:
    found = {}
    for pair in [pair for word in words or () for pair in word.split(",")]:
        name, equals, number = pair.partition("=")
        try:
            found[name] = float(number)
        except ValueError:
            raise InputError(f"--effort: expected joint=number, found '{pair}'.") from None
        if not equals:
            raise InputError(f"--effort: expected joint=number, found '{pair}'.")
    return found or None


def task_dynamics(
    source: ClosedSource, state: State, frame: str | None, rows: str, json: bool
) -> None:
    mechanism = models.find(source)
    given = from_options(mechanism, {"q": state.q, "v": state.v}, state.external)
    values = follow(mechanism, given).values
    found = mechanism.task_dynamics(values["q"], values["v"], frame, _rows(rows))
    content: dict[str, object] = {
        "frame": found.frame,
        "rows": found.rows,
        "rank": found.rank,
        "inertia": found.inertia,
        "velocity_force": found.velocity_force,
        "gravity_force": found.gravity_force,
    }
    _print("task-dynamics", mechanism, found, json, content)


def force_sources(
    source: ClosedSource,
    q: Words,
    v: Words,
    a: Words,
    external: Words,
    actuator: Words,
    json: bool,
) -> None:
    mechanism = models.find(source)
    given = from_options(mechanism, {"q": q, "v": v, "a": a}, external)
    values = follow(mechanism, given).values
    if mechanism.constraints and not a:
        values["a"] = mechanism.project_acceleration(values["q"], values["v"])
    found = mechanism.force_sources(
        values["q"], values["v"], values["a"], given.external or None, actuators=actuator
    )
    content: dict[str, object] = {
        "labels": found.labels,
        "units": found.units,
        "parts": found.parts,
        "tau": found.tau,
        "remainder": found.remainder,
    }
    _print("force-sources", mechanism, found, json, content)


def linkage(
    source: ClosedSource,
    q: Words,
    frame: Words,
    hold: Words,
    out: Path | None,
    overwrite: bool,
    json: bool,
) -> None:
    mechanism = models.find(source)
    at = _q(mechanism, q)
    found = mechanism.linkage(at)
    text = str(found)
    content: dict[str, object] = {
        "q": found.q,
        "labels": mechanism.q_labels,
        "complete": found.complete,
        "dead_points": [
            {"joint": x.joint, "value": x.value, "kind": x.kind, "q": x.q} for x in found.extremes
        ],
        "curves": {name: found.curve(name) for name in frame or ()},
    }
    if len(mechanism.model.loops) == 1:
        angle = np.rad2deg(found.transmission())
        content["transmission_degrees"] = angle
        text += f"\ntransmission angle {angle.min():.4g}° to {angle.max():.4g}°"
    if hold:
        modes = mechanism.assembly_modes(at, hold)
        content["assembly_modes"] = modes.q
        text += f"\n\n{modes}"
    _print("linkage", mechanism, text, json, content)
    if out is not None:
        _save(found.plot(frame or ()), out, overwrite)


def workspace(
    source: Source,
    frame: str | None,
    plane: str,
    samples: int,
    seed: int,
    out: Path | None,
    overwrite: bool,
    json: bool,
) -> None:
    mechanism = models.find(source)
    found = mechanism.workspace(frame, samples=samples, seed=seed)
    edge, area = found.outline(plane)
    content: dict[str, object] = {
        "frame": found.frame,
        "extremes": {name: value for name, (value, _) in found.extremes.items()},
        "at": {name: q for name, (_, q) in found.extremes.items()},
        "plane": plane,
        "outline": edge,
        "area": area,
    }
    text = f"{found}\nsection {plane}: about {area:.3g} m²"
    _print("workspace", mechanism, text, json, content)
    if out is not None:
        _save(found.plot(plane), out, overwrite)


def operations(source: Source, json: bool) -> None:
    mechanism = models.find(source)
    found = mechanism.operation_counts()
    content: dict[str, object] = {
        "freedoms": found.freedoms,
        "formulations": [asdict(row) for row in found.rows],
        "refused": found.refused,
        "printed": found.printed,
    }
    _print("operations", mechanism, found, json, content)


def _save(figure: Figure, out: Path, overwrite: bool) -> None:
    if out.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise FormatError(f"'{out}': expected .png, .svg or .pdf.")
    save_picture(figure, out, overwrite, dpi=150)
    screen.note(f"wrote {out}")
