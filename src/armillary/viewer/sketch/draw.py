"""The kinematic sketch of a mechanism: `mechanism.draw()`, `run.draw(at=...)`.

Links first, by depth, then all symbols on top, so that crossings read as over and under and joints
stay whole.  Sizes of symbols are in pixels, whatever the size of the mechanism.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from armillary.errors import InputError
from armillary.evaluate.inputs import Array, as_floats, flag, mapping
from armillary.evaluate.named_states import State, names_of
from armillary.mechanism import Mechanism
from armillary.sim.record.run_data import RunData
from armillary.viewer.sketch import symbols
from armillary.viewer.sketch.arrows import arrow_marks
from armillary.viewer.sketch.camera import view_of
from armillary.viewer.sketch.canvas import MARGIN, Canvas
from armillary.viewer.sketch.display import (
    INK,
    PAPER,
    Disc,
    Line,
    Mark,
    Picture,
    Text,
    faded,
    side_by_side,
)
from armillary.viewer.sketch.elements import element_marks
from armillary.viewer.sketch.furniture import (
    axes_marks,
    center_mark,
    hull,
    main_direction,
    pixels,
    scale_bar,
    triad,
)
from armillary.viewer.sketch.labels import place_labels
from armillary.viewer.sketch.skeleton import Joint, Link, Skeleton, rim_points, skeleton

# Okabe and Ito's colours, told apart by the colour-blind, less yellow and black
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#5b5b5b")
_LABELS = ("auto", "bodies", "joints", "none")
_MANY = 30  # bodies above which names would hide the picture

Forces = Mapping[str, ArrayLike]


def draw_mechanism(
    mechanism: Mechanism,
    q: State | None = None,
    *,
    view: str | Sequence[float] | None = None,
    labels: str = "auto",
    frames: bool | Iterable[str] = False,
    centers: bool = False,
    forces: Forces | None = None,
    size: tuple[float, float] = (640.0, 480.0),
    title: str | None = None,
) -> Picture:
    """A kinematic sketch at q (default: the initial configuration).

    view: "front", "back", "left", "right", "top", "bottom", "oblique", or the direction to the
    viewer (3 numbers in the world); by default along the axes of a planar mechanism, else from a
    side that keeps the joints apart.  labels: "bodies", "joints", "none", or "auto" (bodies, up to
    30).  frames: True for the model's extra frames, or names of frames and bodies.
    centers: mark the centres of mass.  forces: wrenches (6,) by the name of a joint, body,
    constraint or force element, on the body in its frame at its origin: N m and N, as `reactions`,
    `solve(...).reactions` and `element_forces` give them.  size: of the picture in pixels."""
    flag("centers", centers)
    shown = skeleton(mechanism, q)
    sketch = Sketch([shown], view, labels, size)
    marks = sketch.marks(shown, frames=frames, centers=centers)
    marks += arrow_marks(sketch.canvas, shown, mapping("forces", forces, "{name: wrench (6,)}"))
    return sketch.picture(marks, mechanism.name if title is None else str(title))


def draw_states(
    mechanism: Mechanism,
    states: ArrayLike,
    captions: Sequence[str] = (),
    *,
    overlay: bool = False,
    view: str | Sequence[float] | None = None,
    labels: str = "auto",
    size: tuple[float, float] | None = None,
    title: str | None = None,
) -> Picture:
    """Several configurations (n, nq) in one view and scale: side by side, or overlaid, the last
    one in full colour."""
    rows = np.atleast_2d(as_floats("states", states))
    if not len(rows):
        raise InputError("draw: expected at least one configuration, found none.")
    shown = [skeleton(mechanism, row) for row in rows]
    name = mechanism.name if title is None else str(title)
    captions = tuple(captions) or tuple(f"{k + 1}" for k in range(len(rows)))
    if overlay:
        sketch = Sketch(shown, view, labels, size or (640.0, 480.0))
        marks: list[Mark] = []
        for k, one in enumerate(shown[:-1]):
            strength = 0.25 + 0.4 * k / max(len(shown) - 1, 1)
            marks += faded(sketch.marks(one, plain=True), strength)
        marks += sketch.marks(shown[-1])
        marks.append(_caption(", ".join(captions), sketch.canvas))
        return sketch.picture(marks, name)
    sketch = Sketch(shown, view, labels, size or (360.0, 300.0))
    pictures = []
    for one, caption in zip(shown, captions, strict=True):
        own = [*sketch.marks(one), _caption(caption, sketch.canvas)]
        pictures.append(sketch.picture(own, name))
    return side_by_side(pictures, name)


def draw_run(
    run: RunData,
    at: float | Sequence[float] | None = None,
    *,
    mechanism: Mechanism | None = None,
    member: int = 0,
    overlay: bool = False,
    view: str | Sequence[float] | None = None,
    labels: str = "auto",
    size: tuple[float, float] | None = None,
    title: str | None = None,
) -> Picture:
    """Sketches of a run at instants `at` (s; default: five from start to end), all in one view and
    scale, side by side or overlaid.  The nearest recorded instants are drawn.

    mechanism: where the run does not hold it.  member: which run of a batch."""
    moved = mechanism or run.mechanism
    q = run.arrays.get("q") if "q" in run else None
    if q is None or not len(q):
        raise InputError("draw: the run has no positions. Record them: record=('q', ...).")
    if q.ndim == 3:
        if not 0 <= member < q.shape[1]:
            raise InputError(f"member: expected 0 to {q.shape[1] - 1}, found {member}.")
        q = q[:, member]
    time = run.time
    wanted = np.linspace(time[0], time[-1], 5 if len(time) > 4 else len(time)) if at is None else at
    instants = np.atleast_1d(as_floats("at", wanted))
    slack = 1e-9 * max(1.0, float(np.abs(time).max()))
    if (
        not np.isfinite(instants).all()
        or not len(instants)
        or ((instants < time[0] - slack) | (instants > time[-1] + slack)).any()
    ):
        raise InputError(
            f"at: expected instants from {time[0]:g} to {time[-1]:g} s, found {wanted!r}."
        )
    rows = [int(np.argmin(np.abs(time - t))) for t in instants]
    captions = [f"t = {time[k]:.4g} s" for k in rows]
    return draw_states(
        moved, q[rows], captions, overlay=overlay, view=view, labels=labels, size=size, title=title
    )


def _width_and_height(size: object) -> tuple[float, float]:
    """Not a number where it is no pair of them."""
    try:
        width, height = (float(x) for x in size)  # type: ignore[attr-defined]
    except (TypeError, ValueError, OverflowError):
        return np.nan, np.nan
    return width, height


def _caption(text: str, canvas: Canvas) -> Text:
    return Text((canvas.width / 2.0, 14.0), text, INK, 12.0, "caption")


class Sketch:
    """Draws skeletons of one mechanism, all in one view and scale."""

    def __init__(
        self,
        shown: Sequence[Skeleton],
        view: str | Sequence[float] | None,
        labels: str,
        size: tuple[float, float],
    ):
        if not isinstance(labels, str) or labels not in _LABELS:
            raise InputError(f"labels: expected one of {', '.join(_LABELS)}, found '{labels}'.")
        width, height = _width_and_height(size)
        if not (2 * MARGIN < width < 2e4 and 2 * MARGIN < height < 2e4):
            raise InputError(
                f"size: expected width and height between {2 * MARGIN:.0f} and 20000 pixels, "
                f"found {size!r:.60}."
            )
        points = np.concatenate([one.points for one in shown])
        self.labels = labels
        if labels == "auto":
            self.labels = "bodies" if len(shown[0].links) <= _MANY else "none"
        self.canvas = Canvas(view_of(shown, view), points, width, height)
        self.colors = {link.body: COLORS[k % len(COLORS)] for k, link in enumerate(shown[0].links)}

    def picture(self, marks: Sequence[Mark], title: str) -> Picture:
        canvas = self.canvas
        return Picture(
            canvas.width,
            canvas.height,
            (*marks, *triad(canvas), *scale_bar(canvas)),
            title,
            (f"{title}: {canvas.view.plane}",),
        )

    def marks(
        self,
        shown: Skeleton,
        *,
        frames: bool | Iterable[str] = False,
        centers: bool = False,
        plain: bool = False,
    ) -> list[Mark]:
        """All marks of one configuration; plain: without ground and names."""
        marks: list[Mark] = []
        if not plain:
            marks += self._ground(shown)
        for rim in shown.rims:
            points = pixels(self.canvas.at(rim_points(rim)))
            color = self.colors[rim.body]
            marks.append(Line(points, color, 2.5, True, color, 0.18, role="wheel", name=rim.name))
        depth = self.canvas.view.depth
        for link in sorted(shown.links, key=lambda link: float(depth(link.points).mean())):
            marks += self._link(link)
        for rod in shown.rods:
            ends = pixels(self.canvas.at(np.array([rod.start, rod.end])))
            if rod.normal is None:
                marks.append(Line(ends, INK, 1.6, dash="6 4", role="rod", name=rod.name))
            marks += [Disc(end, 3.0, INK, 1.2, PAPER, "rod", rod.name) for end in ends]
        for part in shown.elements:
            marks += element_marks(self.canvas, part, plain)
        for joint in sorted(shown.joints, key=lambda joint: not len(joint.slides)):  # pins on top
            marks += self._joint(joint)
        if centers:
            for link in shown.links:
                marks += center_mark(self.canvas.at(link.center), link.body)
        marks += self._frames(shown, frames)
        if self.labels != "none" and not plain:
            marks += place_labels(self._names(shown), marks, self.canvas.width, self.canvas.height)
        return marks

    def _link(self, link: Link) -> list[Mark]:
        color, points = self.colors[link.body], self.canvas.at(link.points)
        if len(points) < 2:
            return []
        if len(points) > 2:
            outline = hull(points)
            if outline is not None:
                return [
                    Line(
                        pixels(outline), color, 3.0, True, color, 0.15, role="link", name=link.body
                    )
                ]
            points = points[np.argsort(points @ main_direction(points))]
        marks: list[Mark] = []
        for start, end in pairwise(points):
            length = float(np.linalg.norm(end - start))
            if length > 30.0:
                inset = 13.0 * (end - start) / length
                casing = pixels(np.array([start + inset, end - inset]))
                marks.append(Line(casing, PAPER, 10.0, role="casing", name=link.body))
        return [*marks, Line(pixels(points), color, 4.0, role="link", name=link.body)]

    def _joint(self, joint: Joint) -> list[Mark]:
        if joint.floats:
            return []
        canvas, color = self.canvas, self.colors.get(joint.body, INK)
        inboard, outboard = canvas.at(joint.inboard), canvas.at(joint.outboard)
        marks: list[Mark] = []
        symbol = joint.symbol
        if len(joint.slides):
            grounded = joint.parent == "world" and symbol == "slide"
            spot = outboard if grounded else (inboard + outboard) / 2.0
            if not grounded and np.linalg.norm(outboard - inboard) > 1.0:
                halves = (
                    (inboard, spot, self.colors.get(joint.parent, INK)),
                    (spot, outboard, color),
                )
                marks += [
                    Line(pixels(np.array([start, end])), own, 4.0, role="stroke", name=joint.name)
                    for start, end, own in halves
                ]
            if symbol not in ("cylindrical", "screw"):
                marks += symbols.slide(spot, canvas.along(joint.slides)[0], color, joint.name)
        if symbol == "slide":
            return marks
        if symbol == "other" and len(joint.turns):
            symbol = {1: "pin", 2: "universal"}.get(len(joint.turns), "ball")
        turns = canvas.along(joint.turns)
        spot = outboard if joint.closes or not len(joint.slides) else inboard
        return marks + symbols.marks_of(symbol, spot, turns, color, joint.name)

    def _ground(self, shown: Skeleton) -> list[Mark]:
        """What stands on the world, hatched on the side away from the mechanism."""
        canvas, marks = self.canvas, []
        center = canvas.at(shown.points.mean(axis=0))
        for joint in shown.joints:
            if "world" not in (joint.parent, joint.body) or joint.floats:
                continue
            spot = canvas.at(joint.inboard if joint.parent == "world" else joint.outboard)
            down = -1.0 if center[1] > spot[1] + 30.0 else 1.0
            if joint.symbol == "slide":
                spot = canvas.at(joint.outboard)
                axis = canvas.along(joint.slides)[0]
                marks += symbols.rail(spot, axis, 46.0, down, joint.name)
            elif joint.symbol == "pin" and np.linalg.norm(canvas.along(joint.turns)[0]) < 0.35:
                marks += symbols.pin_ground(spot, down, joint.name)
            else:
                marks += symbols.block_ground(spot, down, joint.name)
        for rim in shown.rims:
            track = canvas.along(np.cross(rim.normal, rim.axis)[None])[0]
            marks += self._ground_at(rim.contact, rim.normal, track, rim.name)
        for rod in shown.rods:
            if rod.normal is not None:
                away = canvas.along(rod.normal[None])[0]
                track = np.array([-away[1], away[0]])
                marks += self._ground_at(rod.end, rod.normal, track, rod.name)
        return marks

    def _ground_at(self, place: Array, normal: Array, track: Array, name: str) -> list[Mark]:
        """A hatched piece of a surface under a point that touches it, along its track (pixels)."""
        spot, away = self.canvas.at(place), -self.canvas.along(normal[None])[0]
        if np.linalg.norm(track) < 0.2:
            track = np.array([1.0, 0.0])
        return symbols.hatched(np.array([spot - 26.0 * track, spot + 26.0 * track]), away, name)

    def _frames(self, shown: Skeleton, wanted: bool | Iterable[str]) -> list[Mark]:
        if wanted is False:
            return []
        bodies = {link.body: (link.origin, link.axes) for link in shown.links}
        known = bodies | shown.frames
        names = tuple(shown.frames) if wanted is True else names_of("frames", wanted)
        marks: list[Mark] = []
        for name in names:
            if name not in known:
                raise InputError(
                    f"frames: there is no frame or body '{name}'. Known: {', '.join(known)}."
                )
            origin, axes = known[name]
            marks += axes_marks(self.canvas.at(origin), self.canvas.along(axes.T), 26.0, name)
        return marks

    def _names(self, shown: Skeleton) -> list[tuple[Array, str, str]]:
        """(where, text, colour) of the names to place."""
        canvas = self.canvas
        if self.labels == "joints":
            found = [
                (canvas.at(j.outboard), j.name, self.colors.get(j.body, INK))
                for j in shown.joints
                if not j.floats and j.symbol != "weld"
            ]
            middles = [(canvas.at(p.points).mean(axis=0), p.name, INK) for p in shown.elements]
            return found + middles
        return [
            (canvas.at(link.points).mean(axis=0), link.body, self.colors[link.body])
            for link in shown.links
        ]
