"""Read MJCF, the model format of MuJoCo.

MuJoCo itself compiles the file (defaults, includes, inertias from geometry), so its meaning is
MuJoCo's; here the compiled model is translated.  Our q holds the numbers of MuJoCo's qpos, joint by
joint (a free joint: quaternion first); v of a free joint is in the body frame, MuJoCo's is mixed.
"""

from __future__ import annotations

import os

from armillary.errors import FormatError, ModelError
from armillary.formats.mjcf_bodies import add_bodies
from armillary.formats.mjcf_compile import compiled_model
from armillary.formats.mjcf_equality import add_equalities, coupled_joints
from armillary.formats.mjcf_scan import lines_of, scan
from armillary.formats.mjcf_source import HINGE, SLIDE, Source
from armillary.formats.mjcf_tendons import add_tendons, tendon_joints
from armillary.formats.mjcf_trial import trial
from armillary.formats.xml import path_text, shortened
from armillary.model import Builder, Model, Report
from armillary.model.builder import REPORT, STRICT

# count in the compiled model -> what it counts and why that is not read
_IGNORED = {
    "nu": ("actuators", "their forces are inputs here"),
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
    element, bounds, unusual = scan(name, root)
    if unusual:
        trial(name, bounds)
    spec, compiled, assets, remarks = compiled_model(name, bounds)
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
        add_bodies(source, builder, coupled_joints(source) | tendon_joints(source))
        add_equalities(source, builder)
        add_tendons(source, builder)
        _note_ignored(source, assets.taken_out)
        source.notes.write(report)
        model = builder.build()
    except FormatError:
        raise
    except ModelError as fault:
        raise FormatError(fault.message, name) from fault
    mass = sum(body.mass.mass for body in model.bodies)
    count = f"{compiled.nbody - 1} bodies, {compiled.njnt} joints"
    report.add("read", f"model '{model.name}'", f"{count}, nv = {model.nv}, {mass:.6g} kg")
    return model


def _unread_of_actuators(source: Source) -> list[str]:
    """What actuators add to the mechanism itself: read along hinges and slides, told elsewhere."""
    m = source.m
    axes = [j for j in range(m.njnt) if int(m.jnt_type[j]) in (HINGE, SLIDE)]
    read = {k for j in axes for k in source.actuators_on(j)}
    texts = []
    for field in ("armature", "damping"):
        table = getattr(m, f"actuator_{field}", ())
        if any(table[k].any() for k in range(len(table)) if k not in read):
            texts.append(f"their {field} is read on hinges and slides only")
    if (table := getattr(m, "actuator_dampingpoly", None)) is not None and table.any():
        texts.append("only the linear term of their damping is read")
    return texts


def _note_ignored(source: Source, taken_out: dict[str, int]) -> None:
    m, notes = source.m, source.notes
    for field, (what, why) in _IGNORED.items():
        count = taken_out.get(field, getattr(m, field, 0))
        if count:
            notes.add("ignored", what, "", f"{count} in the file: {why}")
    if m.ngeom and (m.geom_contype.any() or m.geom_conaffinity.any()):
        notes.add("ignored", "contacts", "", "geoms do not touch here; add wheels or loops")
    for text in _unread_of_actuators(source):
        notes.add("warning", "actuators", "", text)
    if m.opt.density or m.opt.viscosity:
        notes.add("warning", "option", "", "forces of the surrounding fluid are not read")
    for i in range(1, m.nbody):
        if m.body_gravcomp[i]:
            notes.add("warning", "body", source.body_name(i), "gravity compensation is not read")
        if m.body_mocapid[i] >= 0:
            text = "a mocap body: taken as welded to the world"
            notes.add("assumed", "body", source.body_name(i), text)
