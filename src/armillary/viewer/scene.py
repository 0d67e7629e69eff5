"""From a mechanism or a run to the scene that pages show."""

from __future__ import annotations

import base64
from collections.abc import Sequence

import numpy as np

from armillary.constraints.pressing import pressed
from armillary.evaluate.named_states import State
from armillary.mechanism.mechanism import Mechanism
from armillary.model.constraint_parts import titled
from armillary.model.model import Model
from armillary.sim.record.run_data import RunData
from armillary.viewer import element_looks, looks, motion, symbols
from armillary.viewer.arrows import Arrows, arrows_at, arrows_of
from armillary.viewer.camera import bounds, camera_of, ground_of, held, seen_from, up_of
from armillary.viewer.looks import Measure
from armillary.viewer.meshes import Meshes
from armillary.viewer.motion import Motion
from armillary.viewer.pack import packed
from armillary.viewer.places import ORIGIN, Array, place_at, place_of
from armillary.viewer.schema import (
    BodyPart,
    EventPart,
    FramePart,
    Scene,
    SeriesPart,
    ShapePart,
    TrailPart,
)
from armillary.viewer.series import series_of
from armillary.viewer.sketch.draw import draw_mechanism
from armillary.viewer.sketch.skeleton import one_configuration

_NEAR = 2.0  # of its reach at the start: farther places need not be in the picture
_MOST_EVENTS = 500
_MOST_SKETCHED = 60  # bodies
_MOST_TRAILS = 4  # drawn from the beginning


def mechanism_scene(mechanism: Mechanism, q: State | None = None, faces: int = 20_000) -> Scene:
    """The mechanism at q (nq); default: where it starts."""
    state = one_configuration(mechanism, q)
    subtitle = f"{len(mechanism.bodies)} bodies, {mechanism.counts}"
    still = motion.of_state(mechanism, state)
    arrows = arrows_at(mechanism, state, still)
    return _scene(mechanism, state, still, arrows, (), (), [], subtitle, faces)


def living_scene(
    mechanism: Mechanism, q: Array, faces: int = 20_000, notes: Sequence[str] = ()
) -> Scene:
    """The mechanism at q[0], seen from where all of q (T, nq) is in the picture; what floats is
    followed.  It has no trails: the page has no past to draw."""
    R, p = motion.poses(mechanism, q)
    still = bounds(
        mechanism.model, motion.of_state(mechanism, q[0]), looks.attached(mechanism.model)
    )
    far = np.linalg.norm(p - (still.low + still.high) / 2.0, axis=2).max(axis=1, initial=0.0)
    near = far <= _NEAR * still.reach  # what falls far away would make all the rest small
    near[0] = True
    q, R, p = q[near], R[near], p[near]
    moving = Motion(np.arange(len(q), dtype=float), np.arange(len(q)), R, p)
    subtitle = f"{len(mechanism.bodies)} bodies, {mechanism.counts}"
    told = [*_both_ways(mechanism), *notes]
    scene = _scene(mechanism, q[0], moving, Arrows(), (), (), told, subtitle, faces)
    first = motion.of_state(mechanism, q[0])
    camera = scene.camera.model_copy(update={"follow": -1})
    if mechanism.model.bodies[0].joint.kind == "free" and not held(mechanism.model):
        around = bounds(mechanism.model, moving, looks.attached(mechanism.model))
        radius = max(camera.radius, seen_from(0, moving, around))
        update = {"follow": 0, "radius": radius}
        camera = scene.camera.model_copy(update=update)
    return scene.model_copy(
        update={
            "time": packed(first.time, "f8"),
            "poses": packed(first.columns()),
            "trails": (),
            "camera": camera,
        }
    )


def _both_ways(mechanism: Mechanism) -> list[str]:
    """That the page does not tell of pulls, as `solve` and runs do: it has no forces of rows."""
    if not mechanism.constraints:
        return []
    parts = dict.fromkeys(p.part for p in pressed(mechanism.constraint_solver.equations))
    few = ", ".join(titled(part) for part in list(parts)[:4]) + (", ..." if len(parts) > 4 else "")
    text = f"Held both ways: {few}; this page does not tell where they pull, `solve` and runs do."
    return [text] if parts else []


def run_scene(
    mechanism: Mechanism,
    run: RunData,
    member: int = 0,
    fps: float | None = None,
    faces: int = 20_000,
) -> Scene:
    """A run of the mechanism; member: which one of a batch; fps: pictures per second to keep."""
    moving, notes = motion.of_run(mechanism, run, member, fps)
    arrows = arrows_of(mechanism, run, member, moving)
    if not run.complete:
        notes.insert(0, f"The run is incomplete: {run.message or 'it ended before its time'}.")
    if "reactions" not in run:
        notes.append(_no_forces(mechanism, "element_forces" in run))
    if run.batch is not None:
        notes.insert(0, f"Run {member} of {run.batch} of a batch.")
    events = tuple(EventPart(time=t, text=text) for t, text in run.events[:_MOST_EVENTS])
    if len(run.events) > _MOST_EVENTS:
        notes.append(f"{_MOST_EVENTS} of {len(run.events)} events are listed.")
    how = f"{run.method}, step {run.step:g} s" if run.method else "recorded run"
    span = f"t = {moving.time[0]:g} to {moving.time[-1]:g} s"
    series = series_of(run, member, moving)
    first = motion.positions(mechanism, run, member)[moving.rows[0]]
    return _scene(mechanism, first, moving, arrows, series, events, notes, f"{span}, {how}", faces)


def _no_forces(mechanism: Mechanism, elements: bool) -> str:
    """What a run lacks, and how to record it; elements: it has forces of elements alone."""
    wanted = ["q", "v", "reactions"]
    wanted += ["constraint_forces"] if mechanism.constraints else []
    wanted += ["element_forces"] if mechanism.model.elements else []
    record = ", ".join(f"'{name}'" for name in wanted)
    lacks = "No forces of joints are drawn" if elements else "No forces are drawn"
    return f"{lacks}: the run has none. Record them: simulate(..., record=({record}))."


def _scene(
    mechanism: Mechanism,
    q: Array,
    moving: Motion,
    arrows: Arrows,
    series: tuple[SeriesPart, ...],
    events: tuple[EventPart, ...],
    notes: list[str],
    subtitle: str,
    faces: int,
) -> Scene:
    model = mechanism.model
    places = looks.attached(model)
    meshes = Meshes(model, faces)
    around = bounds(model, moving, places, meshes.corners(model))
    measure = Measure.of(around.size, looks.typical_length(model, places) or around.size)
    shapes = _shapes(model, places, measure, meshes)
    return Scene(
        name=mechanism.name,
        subtitle=subtitle,
        size=around.size,
        up=up_of(model),
        bodies=_bodies(model),
        shapes=tuple(shapes),
        ties=(*looks.ties(model, measure), *element_looks.ties(model, moving, measure)),
        frames=_frames(model),
        axes=tuple(symbols.joint_axes(model)),
        trails=_trails(model),
        ground=ground_of(model, around),
        meshes=meshes.parts,
        camera=camera_of(model, moving, around),
        time=packed(moving.time, "f8"),
        poses=packed(moving.columns()),
        tracks=packed(np.stack(arrows.tracks, axis=1)) if arrows.tracks else None,
        arrows=tuple(arrows.parts),
        forces=packed(np.stack(arrows.values, axis=1)) if arrows.parts else None,
        scale=arrows.scale(),
        series=series,
        events=events,
        notes=(*notes, *meshes.notes),
        picture=_picture(mechanism, q),
    )


def _picture(mechanism: Mechanism, q: Array) -> str:
    """A sketch of the beginning, for readers without scripts; none of very many bodies."""
    if not 0 < len(mechanism.bodies) <= _MOST_SKETCHED:
        return ""
    text = draw_mechanism(mechanism, q).svg.encode()
    return f"data:image/svg+xml;base64,{base64.b64encode(text).decode('ascii')}"


def _shapes(
    model: Model,
    places: dict[int, list[tuple[float, float, float]]],
    measure: Measure,
    meshes: Meshes,
) -> list[ShapePart]:
    found: list[ShapePart] = []
    for k, body in enumerate(model.bodies):
        solid = looks.solid_shapes(body, k, meshes.find)
        found += solid
        found += looks.skeleton(model, k, places[k], measure, "skeleton" if solid else "link")
    found += symbols.joint_symbols(model, measure)
    found += element_looks.solids(model, measure)
    found += looks.masses(model, measure)
    return found


def _bodies(model: Model) -> tuple[BodyPart, ...]:
    return tuple(
        BodyPart(
            name=body.name,
            parent=model.index[body.parent],
            joint=body.joint.name,
            kind="continuous" if body.joint.continuous else body.joint.kind,
            mass=body.mass.mass,
            com=body.mass.com,
        )
        for body in model.bodies
    )


def _frames(model: Model) -> tuple[FramePart, ...]:
    own = [
        FramePart(name=body.name, body=k, at=place_at(ORIGIN), own=True)
        for k, body in enumerate(model.bodies)
    ]
    extra = [
        FramePart(name=f.name, body=model.index[f.body], at=place_of(f.pose), own=False)
        for f in model.frames
    ]
    return (*own, *extra)


def _trails(model: Model) -> tuple[TrailPart, ...]:
    """Frames and centres of mass; at first those of frames, else of the bodies at the ends."""
    parents = set(model.parents)
    named = [f for f in model.frames if model.index[f.body] >= 0]
    ends = [k for k in range(len(model.bodies)) if k not in parents]
    few = set(ends if not named else ())
    drawn = few if len(few) <= _MOST_TRAILS else set()
    found = [
        TrailPart(
            name=f"frame {f.name}",
            body=model.index[f.body],
            point=f.pose.position,
            shown=len(named) <= _MOST_TRAILS,
        )
        for f in named
    ]
    found += [
        TrailPart(name=f"centre of mass of {b.name}", body=k, point=b.mass.com, shown=k in drawn)
        for k, b in enumerate(model.bodies)
        if b.mass.mass > 0.0
    ]
    return tuple(found)
