"""`identify` and `excite`: parameters from measured motion, and motions worth measuring."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from armillary.cli import models, screen
from armillary.cli.options import ClosedSource, Words
from armillary.errors import FormatError, InputError, Remedy
from armillary.mechanism.mechanism import Mechanism

if TYPE_CHECKING:
    from armillary.studies.identification.result import Identification


def identify(
    source: ClosedSource,
    data: Sequence[Path],
    friction: Words,
    body: Words,
    rotors: bool,
    spring: Words,
    no_inertias: bool,
    motor_constants: bool,
    cutoff: float | None,
    still: float,
    actuator: Words,
    independent: Words,
    robust: bool,
    any_body: bool,
    out: Path | None,
    plot: Path | None,
    overwrite: bool,
    json: bool,
) -> None:
    from armillary.studies.identification.identify import identify as identified

    for file in (out, plot):
        if file is not None and file.exists() and not overwrite:
            raise FormatError("the file exists.", str(file), remedy=Remedy("overwrite"))
    found = identified(
        models.find(source),
        list(data),
        inertias=not no_inertias,
        bodies=body,
        friction=_terms(friction),
        rotors=rotors,
        springs=spring or (),
        motor_constants=motor_constants,
        cutoff=cutoff,
        still=still,
        actuators=actuator,
        independent=independent,
        robust=robust,
        realizable=not any_body,
    )
    if json:
        screen.print_json(_as_json(found))
    else:
        screen.say(found)
    if out is not None:
        found.mechanism.save(out, overwrite=overwrite)
        screen.note(f"the identified mechanism is written to {out}")
    if plot is not None:
        found.plot(plot)
        screen.note(f"forces and residuals are drawn in {plot}")


def _as_json(found: Identification) -> dict[str, object]:
    rows = zip(
        found.base_names,
        found.base_units,
        found.base_of_model,
        found.base_estimates,
        found.standard_errors,
        strict=True,
    )
    return {
        "mechanism": found.original.name,
        "condition": found.condition,
        "combinations": [
            {"name": name, "unit": unit, "model": old, "found": new, "error": error}
            for name, unit, old, new, error in rows
        ],
        "parameters": dict(zip((p.name for p in found.parameters), found.estimates, strict=True)),
        "noise": dict(zip(found.equations.labels, found.noise, strict=True)),
        "notes": found.notes,
    }


def _terms(friction: Words) -> tuple[str, ...]:
    if friction is None:
        return ("viscous", "coulomb")
    return tuple(term for words in friction for term in words.split(",") if term != "none")


def excite(
    source: ClosedSource,
    limit: Words,
    joint: Words,
    period: float,
    harmonics: int,
    periods: int,
    velocity: float | None,
    acceleration: float | None,
    step: float,
    evaluations: int | None,
    seed: int,
    out: Path | None,
    overwrite: bool,
    json: bool,
) -> None:
    from armillary.sim.loop.replay import replay
    from armillary.studies.identification.excitation import exciting_trajectory

    mechanism = models.find(source)
    found = exciting_trajectory(
        mechanism,
        dict(_limit(text) for text in limit or ()),
        joints=joint,
        period=period,
        harmonics=harmonics,
        periods=periods,
        velocity=velocity,
        acceleration=acceleration,
        evaluations=evaluations,
        seed=seed,
    )
    if json:
        screen.print_json(
            {
                "condition": found.condition,
                "period": found.period,
                "joints": found.labels,
                "center": found.center,
                "sines": found.sines,
                "cosines": found.cosines,
            }
        )
    else:
        screen.say(found)
    if out is not None:
        times = np.arange(found.start, found.end + 0.5 * step, step)
        replay(
            mechanism,
            found.motions,
            times=times,
            out=out,
            overwrite=overwrite,
            actuators=_leading(mechanism, found.labels),
        )
        screen.note(f"the motion is written to {out}")


def _leading(mechanism: Mechanism, labels: tuple[str, ...]) -> list[str] | None:
    return list(labels) if mechanism.constraints else None


def _limit(text: str) -> tuple[str, tuple[float, ...]]:
    joint, sign, numbers = text.partition("=")
    try:
        values = tuple(float(x) for x in numbers.split(":"))
    except ValueError:
        values = ()
    if not sign or not 2 <= len(values) <= 4:
        raise InputError(
            f"--limit: expected JOINT=LOWER:UPPER[:VELOCITY[:ACCELERATION]], found '{text}'."
        )
    return joint, values
