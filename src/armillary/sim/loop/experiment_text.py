"""An experiment as text: the arguments of a call of `simulate` as plain data.

The model is not in it: a run keeps it beside.  What wrote the text is told: versions, processor.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from importlib import metadata
from typing import Any

import numpy as np

from armillary.codegen.target import machine
from armillary.formats.experiment_schema import write_experiment
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.loop.experiment_parts import PlainData
from armillary.sim.motion.user_functions import several
from armillary.sim.record.mechanism_text import model_text
from armillary.sim.record.quantities import listed

# arguments of `simulate` that say where a run goes, not what it is
PLACES = ("out", "progress", "resume", "overwrite")
STORED = "stored"  # the model of an experiment that a run keeps
_LONGEST = 8_000_000  # letters that a run keeps
Plain = tuple[dict[str, Any], tuple[str, ...]]


def made_here(text: str) -> dict[str, str]:
    """Versions, kind of processor, and the hash of a model's text."""
    try:
        compiler = metadata.version("llvmlite")
    except metadata.PackageNotFoundError:
        compiler = ""
    return {
        "armillary": metadata.version("armillary"),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "llvmlite": compiler,
        "processor": machine().name,
        "model": hashlib.sha256(text.encode()).hexdigest() if text else "",
    }


def plain_arguments(mechanism: Mechanism, arguments: Mapping[str, Any]) -> Plain:
    """Arguments as plain data, without the model, and what is missing from them, in words."""
    writer = PlainData(mechanism)
    content: dict[str, Any] = {}
    for name, value in arguments.items():
        if name in ("controller", "actuators", "events"):
            found = [writer.of(x, name) for x in several(value)]
            value = [x for x in found if x is not None] or None
        elif name == "record":
            value = list(listed(value))
        else:
            value = writer.of(value, name)
        if value is not None:
            content[name] = value
    return content, tuple(writer.missing)


def experiment_text(
    model: str, stored: bool, plain: Plain, lacks: tuple[str, ...] = (), maker: bool = True
) -> str:
    """model: its text; stored: it is kept elsewhere.  maker: with what wrote it."""
    content, missing = plain
    missing = (*lacks, *missing)
    if not model:
        missing = (*missing, "model: it has functions of the user, or is very large")
    made = {key: value for key, value in made_here(model).items() if value and maker}
    told: dict[str, Any] = {"model": STORED if stored or not model else model, **content}
    told |= {"made": made} if made else {}
    return write_experiment(told | ({"missing": list(missing)} if missing else {}))


def stored_text(given: Mapping[str, Any], defaults: Mapping[str, Any]) -> str:
    """What a run keeps of the call of `simulate` that made it; empty where it is huge."""
    mechanism, own = given["mechanism"], differing(given, defaults)
    text = experiment_text(model_text(mechanism.model), True, plain_arguments(mechanism, own))
    return text if len(text) <= _LONGEST else ""


def differing(given: Mapping[str, object], defaults: Mapping[str, object]) -> dict[str, Any]:
    """Arguments that are not what they usually are."""
    return {
        name: value
        for name, value in given.items()
        if name in defaults and name not in PLACES and not _same(value, defaults[name])
    }


def _same(value: object, default: object) -> bool:
    plain = (bool, int, float, str, tuple, type(None))
    return isinstance(value, plain) and type(value) is type(default) and value == default
