"""`animate` and `view`: pages of runs and mechanisms, as files and in notebooks."""

from __future__ import annotations

import html
import os
from pathlib import Path
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from armillary.errors import InputError
from armillary.formats.files import named_path, write_text
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.record.run_data import RunData
from armillary.viewer.document import page
from armillary.viewer.motion import positions
from armillary.viewer.scene import mechanism_scene, run_scene
from armillary.viewer.schema import Scene
from armillary.viewer.sketch.movie import ENDINGS, film

if TYPE_CHECKING:
    from armillary.studies.results import Study

FilePath = str | os.PathLike[str]


def animate_run(
    run: RunData,
    path: FilePath,
    mechanism: Mechanism | None = None,
    *,
    title: str | None = None,
    member: int = 0,
    fps: float | None = None,
    faces: int = 20_000,
    play: bool = False,
    overwrite: bool = False,
) -> Path:
    """Write a run as one HTML file that plays in every browser, without a network; or as a film of
    sketches, .gif or (where ffmpeg is there) .mp4.

    mechanism: of which the run is (default: the one that was simulated).  member: which run of a
    batch.  fps: pictures per second to keep (default: up to 60, in films 20, fewer of very long
    runs).  faces: triangles of all meshes together.  play: begin at once.  Gives the path."""
    moved = mechanism or run.mechanism
    if named_path(path).suffix.lower() in ENDINGS:
        q = positions(moved, run, member)
        return film(moved, run.time, q, Path(path), fps=fps, overwrite=overwrite)
    place = html_path(path)
    scene = run_scene(moved, run, member, fps, faces)
    write_text(page(scene, title, play), place, overwrite)
    return place


def view_run(
    run: RunData,
    mechanism: Mechanism | None = None,
    *,
    member: int = 0,
    fps: float | None = None,
    faces: int = 20_000,
    height: int = 560,
) -> View:
    """The page of a run for a notebook cell; the arguments are those of `animate`."""
    return View(run_scene(mechanism or run.mechanism, run, member, fps, faces), height)


def view_variant(study: Study, variant: int, *, height: int = 560) -> View:
    """The page of one variant of a study, which is made again, for a notebook cell."""
    return view_run(study.run(variant, record=("q",)), height=height)


def view_mechanism(
    mechanism: Mechanism, q: ArrayLike | None = None, *, faces: int = 20_000, height: int = 480
) -> View:
    """The page of a mechanism at q (default: where it starts) for a notebook cell."""
    return View(mechanism_scene(mechanism, q, faces), height)


class View:
    """A page in a notebook cell: shown by itself, or written to a file with `save`."""

    def __init__(self, scene: Scene, height: int):
        self.scene, self.height = scene, height

    def save(self, path: FilePath, overwrite: bool = False) -> Path:
        """Write the page to an HTML file."""
        place = html_path(path)
        write_text(page(self.scene), place, overwrite)
        return place

    def _repr_html_(self) -> str:
        return self.markup

    @property
    def markup(self) -> str:
        """The page in a frame, over a picture: a notebook that is not trusted keeps the picture."""
        name = html.escape(self.scene.name, quote=True)
        height = int(self.height)
        picture = ""
        if self.scene.picture:
            picture = f'<img alt="{name}" src="{self.scene.picture}" style="max-height:{height}px">'
        content = html.escape(page(self.scene), quote=True)
        frame = (
            f'<iframe sandbox="allow-scripts" srcdoc="{content}" title="{name}" loading="lazy" '
            'style="position:absolute;inset:0;width:100%;height:100%;background:#fff;'
            'border:1px solid #dfe3e8;border-radius:6px"></iframe>'
        )
        return f'<div style="position:relative;height:{height}px">{picture}{frame}</div>'

    def __repr__(self) -> str:
        scene = self.scene
        count = scene.time.shape[0]
        return f"<View of '{scene.name}': {len(scene.bodies)} bodies, {count} instants>"


def html_path(path: FilePath) -> Path:
    place = named_path(path)
    if place.suffix.lower() not in (".html", ".htm"):
        raise InputError(
            f"'{os.fspath(path)}': a page is an .html file; found the ending '{place.suffix}'."
        )
    return place
