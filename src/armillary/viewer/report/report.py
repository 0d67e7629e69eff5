"""`mechanism.report_page(path)` and `run.report(path)`: everything about it in one HTML file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from html import escape
from pathlib import Path

import numpy as np

from armillary.errors import InputError
from armillary.formats.files import named_path, write_text
from armillary.mechanism import Mechanism
from armillary.sim.record.run_data import RunData
from armillary.viewer.document import POLICY
from armillary.viewer.motion import member_of, positions
from armillary.viewer.report import joint_sections as of_joints
from armillary.viewer.report import mechanism_sections as of_mechanism
from armillary.viewer.report import run_sections as of_run
from armillary.viewer.report.markup import STYLE, Section, paragraph, paragraphs

FilePath = str | os.PathLike[str]


def report_mechanism(
    mechanism: Mechanism,
    path: FilePath,
    *,
    title: str | None = None,
    text: str = "",
    sections: Sequence[str] | None = None,
    overwrite: bool = False,
) -> Path:
    """Write a report of a mechanism: one self-contained HTML file that also prints well.

    title, text: the user's own (empty lines part paragraphs).  sections: which ones, by name
    (default: all): summary, warnings, sketch, bodies, mobility, checks, reading, settings."""
    q, v, tau = np.asarray(mechanism.initial), np.zeros(mechanism.nv), np.zeros(mechanism.nv)
    found = [
        Section("summary", "Summary", of_mechanism.summary(mechanism)),
        of_mechanism.picture(mechanism),
        of_mechanism.bodies(mechanism),
        of_mechanism.mobility(mechanism),
        of_mechanism.check(mechanism, q, v, tau, "where it starts, at rest"),
        of_mechanism.notes(mechanism),
        of_mechanism.settings(mechanism, {}),
    ]
    found.insert(1, all_warnings(found))
    name = mechanism.name if title is None else str(title)
    return write_report(path, name, text, found, sections, overwrite)


def report_run(
    run: RunData,
    path: FilePath,
    mechanism: Mechanism | None = None,
    *,
    title: str | None = None,
    text: str = "",
    sections: Sequence[str] | None = None,
    member: int = 0,
    overwrite: bool = False,
) -> Path:
    """Write a report of a run: one self-contained HTML file that also prints well.

    mechanism: where the run does not hold it.  member: which run of a batch.  title, text: the
    user's own.  sections: which ones, by name (default: all): summary, warnings, sketch,
    playback, plots, loads, ranges, drives, motors, energy, mobility, checks, events, experiment,
    reading, settings."""
    moved = mechanism or run.mechanism
    q = positions(moved, run, member)
    none = np.zeros((len(q), moved.nv))
    v, tau = (member_of(run, run[n], member) if n in run else none for n in ("v", "tau"))
    last = int(np.flatnonzero(np.isfinite(q).all(axis=1))[-1]) if np.isfinite(q).any() else 0
    found = [
        Section("summary", "Summary", of_mechanism.summary(moved) + of_run.summary(run)),
        of_mechanism.picture(moved, q[0]),
        of_run.playback(run, moved, member),
        of_run.plots(run),
        of_run.loads(run, moved, member),
        of_joints.ranges(run, moved, member),
        of_joints.drives(run, moved, member),
        of_joints.motors(run, moved, member),
        of_run.energy(run, moved, member),
        of_mechanism.mobility(moved, q[0]),
        of_mechanism.check(moved, q[last], v[last], tau[last], f"at t = {run.time[last]:g} s"),
        of_run.events(run),
        of_run.experiment(run),
        of_mechanism.notes(moved, q[0]),
        of_mechanism.settings(moved, {"recorded by": f"{run.method}, step {run.step:g} s"}),
    ]
    found.insert(1, all_warnings(found, of_run.warnings(run)))
    return write_report(path, title or run.mechanism_name, text, found, sections, overwrite)


def all_warnings(parts: Sequence[Section | None], more: Sequence[str] = ()) -> Section:
    """Those of all sections, at the beginning."""
    found = [*more, *(text for part in parts if part is not None for text in part.warnings)]
    good = paragraph("None: no limit is passed, no number is missing, the checks agree.", "good")
    content = "".join(paragraph(text, "warning") for text in found) or good
    return Section("warnings", "Warnings", content)


def write_report(
    path: FilePath,
    title: str,
    text: str,
    found: Sequence[Section | None],
    wanted: Sequence[str] | None,
    overwrite: bool,
) -> Path:
    target = named_path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"report '{target}': expected a name that ends in .html.")
    parts = [part for part in found if part is not None]
    if wanted is not None:
        known = {part.word: part for part in parts}
        unknown = [word for word in wanted if word not in known]
        if unknown:
            raise InputError(
                f"sections: this report has no '{unknown[0]}'. It has: {', '.join(known)}."
            )
        parts = [known[word] for word in wanted]
    write_text(_page(title, text, parts), target, overwrite)
    return target


def _page(title: str, text: str, parts: Sequence[Section]) -> str:
    title = str(title)
    links = " ".join(f'<a href="#{part.word}">{escape(part.title)}</a>' for part in parts)
    playing = any(part.screen for part in parts)
    policy = POLICY if playing else POLICY.replace("script-src 'unsafe-inline'; ", "")
    body = "\n".join(part.markup for part in parts)
    lead = f"Made by Armillary on {datetime.now(UTC):%Y-%m-%d}. SI units; angles in rad."
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"><title>{escape(title)}</title><style>{STYLE}</style></head>
<body><h1>{escape(title)}</h1>
{paragraph(lead, "lead")}<nav>{links}</nav>
{paragraphs(text)}{body}
</body></html>
"""
