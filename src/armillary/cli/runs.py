"""`plot`, `animate` and `info`: recorded runs as pictures, as pages and in words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from armillary import __version__
from armillary.cli import screen
from armillary.cli.options import Panels, Source, Words
from armillary.cli.words import pair, words
from armillary.errors import FormatError, Remedy

if TYPE_CHECKING:
    from armillary.evaluate.inputs import Array
    from armillary.sim.record.run import Run

_MOST = 20  # events on the screen
_ROUNDING = 1e-12  # of the largest value of a quantity: equal up to the last digits


def plot(
    run: Path, shown: Panels, what: Words, out: Path | None, overwrite: bool, show: bool
) -> None:
    """A picture beside the run, or where `out` says."""
    from armillary.sim.record.plotting import plot_run
    from armillary.sim.record.stored_run import load_run

    picture = out if out is not None else (None if show else run.with_suffix(".png"))
    if picture is not None and picture.exists() and not overwrite:
        raise FormatError("the file exists already.", str(picture), remedy=Remedy("overwrite"))
    paths = [run, *map(Path, words(shown.beside))]
    stems = [path.stem for path in paths]
    labels = stems if len(set(stems)) == len(stems) else [str(path) for path in paths]
    recorded = {label: load_run(path) for label, path in zip(labels, paths, strict=True)}
    names = words(what)
    plot_run(
        recorded,
        *names,
        x=shown.x,
        modulo=shown.modulo,
        columns=words(shown.column) or None,
        magnitude=shown.magnitude,
        peaks=shown.peaks,
        polar=shown.polar,
        window=None if shown.window is None else pair(shown.window, "--window"),
        rounding=shown.rounding,
        show=show,
        path=picture,
    )
    if picture is not None:
        every = next(iter(recorded.values())).names
        screen.say(f"{', '.join(names or every)} drawn in {picture}")


def animate(
    run: Path,
    out: Path | None,
    model: str | None,
    fps: float | None,
    member: int,
    play: bool,
    overwrite: bool,
) -> None:
    """A page beside the run, or where `out` says."""
    from armillary.cli.models import find
    from armillary.sim.record.stored_run import load_run

    recorded = load_run(run)
    mechanism = None if model is None else find(Source(model))
    path = out if out is not None else run.with_suffix(".html")
    recorded.animate(path, mechanism, fps=fps, member=member, play=play, overwrite=overwrite)
    screen.say(f"{path}: {path.stat().st_size / 1e6:.1f} MB, opens in a browser")


def info(run: Path, json: bool) -> None:
    from armillary.cli.studying import is_study, study_info
    from armillary.sim.record.stored_run import load_run

    if is_study(run):
        study_info(run, json)
        return
    recorded = load_run(run)
    if json:
        screen.print_json({**as_json(recorded), "file": str(run)})
    else:
        print_run(recorded)


def rerun(run: Path, out: Path | None, overwrite: bool, json: bool) -> bool:
    """A recorded run once more; whether the numbers are the same."""
    from armillary.sim.loop.experiment import differences
    from armillary.sim.record.stored_run import load_run

    first = load_run(run)
    experiment = first.experiment
    second = experiment.run(out=out, overwrite=overwrite)
    apart = {name: _apart(first[name], second[name]) for name in ("time", *first.names)}
    most = max(apart.values())
    others = differences(experiment)
    if json:
        told = {"equal": most == 0.0, "apart": apart, "others": others}
        screen.print_json(told)
        return most <= _ROUNDING
    for text in others:
        screen.note(text)
    if most == 0.0:
        screen.say(f"{len(second)} instants, equal to the bit")
    elif most <= _ROUNDING:
        screen.say(f"{len(second)} instants, equal to {most:.1e} of the largest values")
    else:
        rows = [[name, *screen.numbers([x])] for name, x in apart.items()]
        screen.table(["quantity", ">difference, of the largest value"], rows)
    if out is not None:
        screen.say(f"written to {out}")
    return most <= _ROUNDING


def _apart(one: Array, two: Array) -> float:
    """The largest difference as a part of the largest value; infinite where shapes differ."""
    import numpy as np

    if one.shape != two.shape:
        return float("inf")
    same = (one == two) | (np.isnan(one) & np.isnan(two))
    if same.all():
        return 0.0
    off = np.abs(np.where(same, 0.0, one - two)).max()
    return float(off / max(np.nanmax(np.abs(one)), 1e-300)) if np.isfinite(off) else float("inf")


def print_run(run: Run) -> None:
    from armillary.sim.record.summary import extremes, rows, span, title

    method = f", method {run.method}" if run.method else ""
    step = f", step {run.step:g} s" if run.step else ""
    screen.say(f"{title(run)}: {span(run)}{method}{step}", "bold")
    if run.mechanism_name:
        state = "complete" if run.complete else "incomplete"
        screen.say(f"{state}: {run.message}\n" if run.message else f"{state}\n")
    else:
        screen.say("")
    if run.error_estimate is not None:
        screen.say(f"{run.error_estimate}\n")
    lines = [
        [name, count, unit, *screen.numbers(extremes(run, name)), text]
        for name, count, unit, text in rows(run)
    ]
    heads = ["quantity", ">columns", "unit", ">least", ">greatest", "what it is"]
    screen.table(heads, lines)
    events = [[screen.number(t), text] for t, text in run.events[:_MOST]]
    if events:
        more = f" (the first {_MOST} of {len(run.events)})" if len(run.events) > _MOST else ""
        screen.table([">time [s]", "event"], events, f"events{more}")


def as_json(run: Run) -> dict[str, object]:
    from armillary.sim.record.summary import extremes

    quantities = {}
    for name in run.names:
        least, greatest = extremes(run, name)
        quantities[name] = {
            "labels": run.labels[name],
            "units": run.units[name],
            "least": least,
            "greatest": greatest,
        }
    return {
        "armillary": __version__,
        "mechanism": run.mechanism_name or None,
        "method": run.method,
        "step": run.step,
        "complete": run.complete,
        "message": run.message,
        "instants": len(run),
        "runs": run.batch or 1,
        "time": {"unit": "s", "first": run.time[0], "last": run.time[-1]} if len(run) else None,
        "quantities": quantities,
        "errors": None if run.error_estimate is None else run.error_estimate.as_json(),
        "events": [{"time": t, "text": text} for t, text in run.events],
        "state": run.state,
    }
