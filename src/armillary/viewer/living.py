"""`page`: a mechanism as an HTML file that simulates itself in the browser of its reader."""

from __future__ import annotations

from pathlib import Path

from armillary.evaluate.named_states import State
from armillary.formats.files import write_text
from armillary.mechanism.mechanism import Mechanism
from armillary.viewer.document import page
from armillary.viewer.living_data import Living
from armillary.viewer.pages import FilePath, html_path
from armillary.viewer.scene import mechanism_scene


def page_mechanism(
    mechanism: Mechanism,
    path: FilePath,
    q0: State | None = None,
    v0: State | None = None,
    *,
    controller: object = None,
    actuators: object = None,
    method: str = "rk4",
    step: float = 1e-3,
    title: str | None = None,
    faces: int = 20_000,
    overwrite: bool = False,
) -> Path:
    """Write a page that carries the compiled dynamics: its reader drags and pushes bodies, moves
    the set-points of the controllers, pauses and begins anew, offline.

    q0, v0, controller, actuators, step (s): as `simulate` takes them.  method: euler, heun, rk3,
    rk4 or semi-implicit.  Controllers with constant targets get sliders.  faces: triangles of all
    meshes together.  The page holds states of the library and checks itself when it is opened.
    What cannot go into it (sampled controllers and functions over arrays, contacts that open or
    rub, friction that depends on loads, the null-space method) is refused.  Gives the path."""
    place = html_path(path)
    data, q = Living(mechanism, q0, v0, controller, actuators, method, step).data()
    scene = mechanism_scene(mechanism, q, faces)
    write_text(page(scene, title, living=data), place, overwrite)
    return place
