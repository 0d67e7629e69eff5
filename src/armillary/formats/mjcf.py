"""Read MJCF, the model format of MuJoCo.

MuJoCo itself compiles the file (defaults, includes, inertias from geometry), so its meaning is
MuJoCo's; here the compiled model is translated.  Our q holds the numbers of MuJoCo's qpos, joint by
joint (a free joint: quaternion first); v of a free joint is in the body frame, MuJoCo's is mixed.
"""

from __future__ import annotations

import os
import re
import warnings
from typing import Any

from armillary.errors import FormatError, ModelError, how_to_install
from armillary.formats.mjcf_assets import Assets
from armillary.formats.mjcf_bodies import add_bodies
from armillary.formats.mjcf_equality import add_equalities, coupled_joints
from armillary.formats.mjcf_scan import lines_of, scan
from armillary.formats.mjcf_source import Source
from armillary.formats.references import Bounds
from armillary.formats.xml import path_text, shortened
from armillary.model import Builder, Model, Report
from armillary.model.builder import REPORT, STRICT

_LINE = re.compile(r"[Ll]ine(?: number)?[ =:]+(\d+)")
# count in the compiled model -> what it counts and why that is not read
_IGNORED = {
    "nu": ("actuators", "their forces are inputs here"),
    "ntendon": ("tendons", "their springs, dampers and limits are not read"),
    "nsensor": ("sensors", "not read"),
    "nkey": ("keyframes", "not read"),
    "npair": ("contact pairs", "contacts are not read"),
    "nexclude": ("contact exclusions", "contacts are not read"),
    "nflex": ("flexible bodies", "only their rigid parts are read"),
    "nskin": ("skins", "not read"),
    "nplugin": ("plugins", "not read"),
    "ncam": ("cameras", "not read"),
    "nlight": ("lights", "not read"),
}


def read_mjcf(
    path: str | os.PathLike, *, strict: bool = False, root: str | os.PathLike | None = None
) -> Model:
    """The mechanism of an MJCF file; `model.report` says what was read, assumed and ignored.

    strict: bodies that cannot exist are errors, not warnings.
    root: the folder that everything the model names must lie in (see `references.Bounds`)."""
    name = path_text(path)
    element, bounds = scan(name, root)
    spec, compiled, assets, remarks = _compile(name, bounds)
    report = Report(source=name)
    builder = Builder(
        spec.modelname.strip() or "mechanism",
        checks=STRICT if strict else REPORT,
        report=report,
    )
    source = Source(spec, compiled, name, lines_of(element), assets.meshes)
    for level, kind, part, text in assets.remarks:
        source.note(level, kind, part, text)
    for remark in remarks:
        source.notes.add("warning", "MuJoCo", "", shortened(remark, 300))
    builder.gravity = source.gravity()
    try:
        add_bodies(source, builder, coupled_joints(source))
        add_equalities(source, builder)
        _note_ignored(source)
        source.notes.write(report)
        model = builder.build()
    except FormatError:
        raise
    except ModelError as fault:
        raise FormatError(str(fault), name) from fault
    mass = sum(body.mass.mass for body in model.bodies)
    count = f"{compiled.nbody - 1} bodies, {compiled.njnt} joints"
    report.add("read", f"model '{model.name}'", f"{count}, nv = {model.nv}, {mass:.6g} kg")
    return model


def _compile(name: str, bounds: Bounds) -> tuple[Any, Any, Assets, list[str]]:
    """MuJoCo's specification, its compiled model with every body kept, what became of the files
    it names, and its remarks."""
    try:
        import mujoco
    except ImportError:
        raise FormatError(
            f"reading MJCF needs the package mujoco. {how_to_install('mjcf')}", name
        ) from None
    try:
        with warnings.catch_warnings(record=True) as remarks:
            warnings.simplefilter("always")
            spec = mujoco.MjSpec.from_file(name)
            spec.compiler.fusestatic = False
            assets = Assets(spec, bounds, name)
            # room for a simulation is not needed here, whatever the file asks for
            spec.memory = spec.njmax = spec.nconmax = spec.nstack = -1
            spec.nuserdata = 0
            compiled = spec.compile()
        words = [" ".join(str(remark.message).split()) for remark in remarks]
        return spec, compiled, assets, words
    except FormatError:
        raise
    except Exception as fault:
        text = " ".join(str(fault).split())
        line = _LINE.search(text)
        raise FormatError(
            f"MuJoCo refuses the model: {shortened(text, 300)}",
            name,
            int(line.group(1)) if line else None,
        ) from None


def _note_ignored(source: Source) -> None:
    m, notes = source.m, source.notes
    for field, (what, why) in _IGNORED.items():
        count = getattr(m, field, 0)
        if count:
            notes.add("ignored", what, "", f"{count} in the file: {why}")
    if m.ngeom and (m.geom_contype.any() or m.geom_conaffinity.any()):
        notes.add("ignored", "contacts", "", "geoms do not touch here; add wheels or loops")
    if m.opt.density or m.opt.viscosity:
        notes.add("warning", "option", "", "forces of the surrounding fluid are not read")
    for i in range(1, m.nbody):
        if m.body_gravcomp[i]:
            notes.add("warning", "body", source.body_name(i), "gravity compensation is not read")
        if m.body_mocapid[i] >= 0:
            text = "a mocap body: taken as welded to the world"
            notes.add("assumed", "body", source.body_name(i), text)
