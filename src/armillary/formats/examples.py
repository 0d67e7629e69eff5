"""Built-in mechanisms: the ones of the source documents and a few to play with."""

from __future__ import annotations

from dataclasses import replace
from importlib import resources
from typing import TYPE_CHECKING

from armillary.errors import InputError, unknown_name
from armillary.formats.examples_closed import CLOSED
from armillary.formats.examples_motions import motion
from armillary.formats.examples_parallel import PARALLEL
from armillary.formats.examples_parts import Example
from armillary.formats.examples_puma import PUMA
from armillary.formats.examples_seeds import SEEDS
from armillary.formats.examples_wheels import WHEELS
from armillary.model import Model, Report

if TYPE_CHECKING:
    from armillary.formats.parts import PartsDatabase


def example(name: str, **options: object) -> Model:
    """A built-in mechanism by name; `example_names()` lists them.

    >>> example("four-bar-ladder", n=40).nv
    81
    """
    info = example_info(name)
    for option in options:
        if option not in info.options:
            known = f"it knows {', '.join(info.options)}" if info.options else "it has none"
            raise InputError(f"example '{name}': unknown option '{option}'; {known}.")
    return info.build(name, **options)


def example_names() -> tuple[str, ...]:
    return tuple(EXAMPLES)


def example_info(name: str) -> Example:
    """Description and source of a built-in mechanism, and a motion of it worth seeing."""
    if name not in EXAMPLES:
        raise unknown_name("example", name, EXAMPLES)
    return EXAMPLES[name]


def _data(file: str) -> str:
    return (resources.files("armillary") / "data" / file).read_text(encoding="utf-8")


def _native(name: str) -> Model:
    from armillary.formats.native import read_native

    return read_native(f"{name}.yaml", text=_data(f"{name}.yaml"))


BUILT_IN_PARTS = ("direct-drive",)  # those with a parts file


def built_in_parts(name: str) -> PartsDatabase:
    """The parts of a built-in arm."""
    from armillary.formats.parts import read_parts

    file = f"{name}.parts.yaml"
    return read_parts(file, text=_data(file))


def _parts(name: str) -> Model:
    return built_in_parts(name).model()


def _dh(name: str) -> Model:
    from armillary.formats.dh_csv import read_dh

    return read_dh(f"{name}.csv", text=_data(f"{name}.csv"))


# Tables 4.1 and 4.2 of [VanDerMerwe1995] as they stand, y up; link 1: eqs 4.33-4.35.
_STANFORD = (
    {"name": "link1", "gamma": (0, 0, 0, 0, 0.5, -0.15), "free": ("ry",),
     "mass": 2, "com": (0, 0.3, -0.07), "inertia": (0.1, 0.02, 0.1)},
    {"name": "link2", "gamma": (0, 0, 0, 0.8, 0, 0), "free": ("rz", "dx"),
     "mass": 2, "com": (0.3, 0, 0), "inertia": (0.002, 0.25, 0.25)},
    {"name": "link3", "gamma": (0, 0, 0, 0.2, 0, 0), "free": ("rz",),
     "mass": 0.8, "com": (0.12, 0, 0), "inertia": (0.002, 0.008, 0.008)},
    {"name": "link4", "gamma": (0, 0, 0, 0.05, 0, 0), "free": ("rx",),
     "mass": 0.5, "com": (0.05, 0, 0), "inertia": (0.001, 0.004, 0.004)},
)  # fmt: skip


# 2.30-2.37: joint 3 turns about x and z (errata 0-3); lengths and masses are those of table 4.1
_STANFORD_SIX = tuple(
    link | ({"free": ("rx", "rz")} if link["name"] == "link3" else {}) for link in _STANFORD
)


def _stanford(name: str) -> Model:
    from armillary.formats.sixparameter import sixparameter

    six = name == "stanford-six"
    source = "section 2.6.3, 2.30-2.37" if six else "tables 4.1 and 4.2"
    report = Report(source=f"[VanDerMerwe1995], {source}")
    links = _STANFORD_SIX if six else _STANFORD
    return sixparameter(links, name=name, gravity=(0.0, -9.81, 0.0), report=report)


_BUILT = {
    "stanford": Example(
        "Stanford-type arm: 5 degrees of freedom, one joint that rotates and translates",
        "[VanDerMerwe1995], tables 4.1 and 4.2",
        _stanford,
    ),
    "double-pendulum": Example(
        "two rods on pins with friction, full inertia tensors",
        "made up for Armillary",
        _native,
    ),
    "two-link": Example(
        "planar arm of two uniform links, equations of motion in closed form",
        "[Lecture], with numbers of our own",
        _native,
    ),
    "six-r": Example(
        "six revolute joints in standard Denavit-Hartenberg notation, with motors",
        "[Swartz1982], with synthetic numbers",
        _dh,
    ),
    "direct-drive": Example(
        "six joints driven directly by their motors, made of parts: tubes, plates, motors",
        "in the style of [Swartz1982], which prints no dimensions: all numbers are invented",
        _parts,
    ),
    "stanford-six": Example(
        "Stanford-type arm whose wrist turns about two axes: 6 degrees of freedom",
        "[VanDerMerwe1995], 2.30-2.37, with the lengths and masses of tables 4.1 and 4.2",
        _stanford,
    ),
    **PUMA,
    **SEEDS,
    **CLOSED,
    **PARALLEL,
    **WHEELS,
}
EXAMPLES = {name: replace(info, motion=motion(name)) for name, info in _BUILT.items()}

__all__ = [
    "BUILT_IN_PARTS",
    "Example",
    "built_in_parts",
    "example",
    "example_info",
    "example_names",
]
