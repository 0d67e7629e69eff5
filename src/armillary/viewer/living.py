"""`page`: a mechanism as an HTML file that simulates itself in the browser of its reader."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from armillary.evaluate.named_states import State
from armillary.formats.files import write_text
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.motion.prescribed import Given
from armillary.sim.motion.schedules import External, Inputs
from armillary.sim.record.run import Run
from armillary.viewer.document import page
from armillary.viewer.experiment import Experiment, experiment_of
from armillary.viewer.living_data import Living
from armillary.viewer.pages import FilePath, html_path
from armillary.viewer.scene import living_scene


def page_mechanism(
    mechanism: Mechanism,
    path: FilePath,
    q0: State | None = None,
    v0: State | None = None,
    *,
    controller: object = None,
    actuators: object = None,
    inputs: Inputs = None,
    voltages: Inputs = None,
    beside: bool = False,
    external: External = None,
    prescribed: Mapping[str, Given] | None = None,
    events: object = (),
    period: float | None = None,
    method: str = "rk4",
    step: float = 1e-3,
    title: str | None = None,
    faces: int = 20_000,
    overwrite: bool = False,
) -> Path:
    """Write a page that carries the compiled dynamics: its reader drags and pushes bodies, moves
    set-points, voltages and joint forces, pauses and begins anew, offline.

    q0, v0, controller, actuators, inputs, voltages, beside, external, prescribed, events, period,
    step (s): as `simulate` takes them; voltages and wrenches are constants, prescribed motion is
    one or a function of t, inputs are either or tables.  Constant targets, voltages and inputs get
    sliders.  events: `JointLimits`, and `Event` of functions over scalars.  period: whole steps.
    method: euler, heun, rk3, rk4 or semi-implicit.  faces: triangles of all meshes together.  The
    page holds states of the library and checks itself when it is opened.  What cannot go into it
    (functions over arrays, contacts that open or rub, friction that depends on loads, tables with
    rows within steps, the null-space method) is refused.  Gives the path."""
    place = html_path(path)
    experiment = Experiment(
        given=mechanism,
        q0=q0,
        v0=v0,
        controller=controller,
        actuators=actuators,
        inputs=inputs,
        voltages=voltages,
        beside=beside,
        external=external,
        prescribed=prescribed,
        events=events,
        period=period,
        method=method,
        step=step,
    )
    return write_page(experiment, place, title, faces, overwrite)


def page_run(
    run: Run,
    path: FilePath,
    *,
    method: str | None = None,
    step: float | None = None,
    title: str | None = None,
    faces: int = 20_000,
    overwrite: bool = False,
) -> Path:
    """Write a living page of what was simulated: the same mechanism, start, controllers, inputs,
    events, method and step (s), as far as a page takes them (see `mechanism.page`).

    method, step: others than those of the run.  A run that was read from a file does not know what
    drove it.  Gives the path."""
    place = html_path(path)
    return write_page(experiment_of(run, method, step), place, title, faces, overwrite)


def write_page(
    experiment: Experiment, place: Path, title: str | None, faces: int, overwrite: bool
) -> Path:
    data = Living(experiment).data()
    scene = living_scene(experiment.given, experiment.preview(), faces, experiment.notes)
    write_text(page(scene, title, living=data), place, overwrite)
    return place
