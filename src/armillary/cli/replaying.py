"""`replay`: a motion out of a file as a run, on the screen or into a file."""

from __future__ import annotations

from pathlib import Path

from armillary.cli import models, screen
from armillary.cli.options import ClosedSource, Words
from armillary.cli.runs import as_json, print_run
from armillary.cli.states import from_wrenches


def replay(
    source: ClosedSource,
    motion: Path,
    record: str | None,
    external: Words,
    actuator: Words,
    out: Path | None,
    overwrite: bool,
    json: bool,
) -> None:
    from armillary.sim.loop.replay import replay as run_of
    from armillary.sim.record.stored_run import load_run

    mechanism = models.find(source)
    run = run_of(
        mechanism,
        load_run(motion),
        record=record,
        actuators=actuator,
        out=out,
        external=dict(from_wrenches(mechanism, external or ())),
        overwrite=overwrite,
    )
    if json:
        screen.print_json(as_json(run) | ({} if out is None else {"file": str(out)}))
    elif out is None:
        print_run(run)
    else:
        screen.say(f"{len(run)} instants, until t = {run.time[-1]:g} s, written to {out}")
        for t, text in run.events:
            screen.note(f"t = {t:.6g} s: {text}")
