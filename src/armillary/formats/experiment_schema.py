"""The experiment file, version 1, as pydantic models: which keys there are and what they hold.

What blocks, tables and events hold is checked by their own constructors: `{pid: {kp: 40, ...}}`
takes what `am.PID` takes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import yaml
from pydantic import BeforeValidator, Field

from armillary.formats.native_fields import Entry, FileName, Name, Number, fault, shown
from armillary.formats.validation import validated
from armillary.formats.yaml_tree import Node, load_tree

VERSION = 1
SECTIONS = {
    "inputs": "input",
    "voltages": "voltage",
    "external": "wrench",
    "prescribed": "prescribed motion",
}
_WORDS = {"true": True, "false": False, "yes": True, "no": False}


def literal(value: object) -> Any:
    """Texts of a file as what they say: numbers, true and false, lists and mappings of them."""
    if isinstance(value, dict):
        return {str(key): literal(x) for key, x in value.items()}
    if isinstance(value, (list, tuple)):
        return [literal(x) for x in value]
    if not isinstance(value, str):
        return value
    if value.lower() in _WORDS:
        return _WORDS[value.lower()]
    try:
        number = float(value)
    except ValueError:
        return value
    if not math.isfinite(number):
        raise fault(f"expected a finite number, found {shown(value)}.")
    plain = value.strip().lstrip("+-").isdigit()
    return int(value) if plain else number


Free = Annotated[Any, BeforeValidator(literal)]


def _version(value: object) -> int:
    if str(value) != str(VERSION):
        raise fault(
            f"expected version {VERSION}, found {shown(value)}. This version of Armillary reads "
            f"`experiment: {VERSION}`."
        )
    return VERSION


def _parts(value: object) -> object:
    """One entry, or a list of them, each with one key: what it is."""
    found = literal(value)
    several = found if isinstance(found, list) else [found]
    for part in several:
        if isinstance(part, str):
            continue
        if not isinstance(part, dict) or len(part) != 1:
            raise fault(
                f"expected entries such as `pid: {{kp: 40, ...}}`, one key each, found "
                f"{shown(part)}."
            )
    return [{part: {}} if isinstance(part, str) else part for part in several]


def _names(value: object) -> object:
    found = value.split(",") if isinstance(value, str) else value
    if not isinstance(found, list) or not all(isinstance(x, str) for x in found):
        raise fault(f"expected names such as [q, v, energy], found {shown(value)}.")
    return [x.strip() for x in found]


Parts = Annotated[list[Any], BeforeValidator(_parts)]
Names = Annotated[list[str], BeforeValidator(_names)]
Whole = Annotated[int, BeforeValidator(literal)]


class MadeEntry(Entry):
    """What wrote the file; it is compared, never needed."""

    armillary: str = Field("", description="version of Armillary")
    python: str = Field("", description="version of Python")
    numpy: str = Field("", description="version of numpy")
    llvmlite: str = Field("", description="version of llvmlite; empty: the interpreter")
    processor: str = Field("", description="kind of processor")
    model: str = Field("", description="SHA-256 of the model's text")


class ExperimentFile(Entry):
    """One simulation: model, start, what drives it, what is recorded, by which method."""

    may_be_empty = frozenset(SECTIONS)

    experiment: Annotated[Literal[1], BeforeValidator(_version)] = Field(
        description="version of the format: 1"
    )
    model: FileName = Field(
        description="a file of a mechanism beside this one, the name of a built-in one, or the "
        "text of a native file"
    )
    q0: Free = Field(None, description="start, rad and m: by name, or all; default: the model's")
    v0: Free = Field(None, description="start, rad/s and m/s: by name, or all; default: at rest")
    duration: Number = Field(1.0, description="s")
    step: Number = Field(1e-3, description="s")
    method: Name = Field("rk4", description="rk4, dopri5, semi-implicit, implicit, ...")
    tolerance: Number = Field(1e-8, description="of methods that choose their steps")
    t0: Number = Field(0.0, description="time at the start, s")
    controller: Parts = Field([], description="blocks: pid, computed_torque, ...")
    actuators: Parts = Field([], description="blocks: dc_motor, ideal, flexible_transmission, ...")
    inputs: Free = Field(None, description="joint forces, N m or N: by name, constant or table")
    voltages: Free = Field(None, description="of the motors, V: by joint, constant or table")
    beside: Free = Field(False, description="inputs act beside actuators of the same joint")
    external: Free = Field(None, description="wrenches (n; f) by frame, N m and N")
    prescribed: Free = Field(None, description="motion by name: place, table, road, trajectory")
    events: Parts = Field([], description="joint_limits, limit, stick_slip")
    record: Names = Field(["q", "v"], description="names of quantities")
    every: Whole = Field(1, description="steps from one recorded instant to the next")
    project: Free = Field(True, description="back onto constraints: true, false, rates, penalty")
    period: Number | None = Field(None, description="sample and hold of controllers, s")
    parameters: Free = Field(None, description="other numbers of bodies and elements")
    project_start: Free = Field(False, description="begin with the nearest velocity allowed")
    balance: Free = Field(False, description="states of blocks begin so that nothing accelerates")
    geometry_tolerance: Number | None = Field(None, description="of loops, of the machine's size")
    estimate_error: Free = Field(False, description="a second run with half the step")
    stick: Free = Field(True, description="joints with dry friction stick where they come to rest")
    made: MadeEntry | None = Field(None, description="what wrote the file")
    missing: list[str] = Field([], description="what no file can hold: functions of the user")


def is_experiment(tree: Node) -> bool:
    return isinstance(tree.value, dict) and "experiment" in tree.value


def read_experiment(text: str, path: str) -> tuple[ExperimentFile, Node]:
    """The checked content of a file."""
    tree = load_tree(text, path)
    return validated(ExperimentFile, tree, path, SECTIONS), tree


class _Dumper(yaml.SafeDumper):
    """Texts of several lines as they are; numbers with all digits."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def write_experiment(content: Mapping[str, object]) -> str:
    """The text of a file."""
    text: str = yaml.dump(
        {"experiment": VERSION, **content},
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=96,
        default_flow_style=None,
    )
    return text
