"""`study.report(path)`: what a study found, in one HTML file."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from armillary.studies.plotting import label, plot_study
from armillary.studies.results import Study
from armillary.viewer.report import mechanism_sections as of_mechanism
from armillary.viewer.report.markup import Section, facts, image, paragraph, table
from armillary.viewer.report.report import FilePath, all_warnings, write_report

_REASONS = 10  # of failures that are told


def report_study(
    study: Study,
    path: FilePath,
    *,
    limits: Mapping[str, Sequence[float] | float] | None = None,
    title: str | None = None,
    text: str = "",
    sections: Sequence[str] | None = None,
    overwrite: bool = False,
) -> Path:
    """Write a report of a study: one self-contained HTML file that also prints well.

    limits: {response: bounds}, drawn into its histogram.  sections: which ones, by name (default:
    all): summary, warnings, sketch, study, responses, failures, settings."""
    mechanism = study.work.experiment.mechanism
    found = [
        Section("summary", "Summary", of_mechanism.summary(mechanism)),
        of_mechanism.picture(mechanism),
        study_section(study),
        responses_section(study, limits or {}),
        failures_section(study),
        of_mechanism.settings(mechanism, {"processors": ", ".join(study.processors) or "this one"}),
    ]
    found.insert(1, all_warnings(found))
    return write_report(
        path, title or f"Study of {mechanism.name}", text, found, sections, overwrite
    )


def study_section(study: Study) -> Section:
    """Factors, design and how far it went."""
    work = study.work
    about = {
        "variants": f"{len(study)} of {len(work.design)}",
        "design": work.design.kind + (f", seed {work.design.seed}" if work.design.samples else ""),
        "chunks": f"of {work.chunk} variants",
    }
    rows = []
    for factor, source in zip(work.factors, work.design.sources, strict=True):
        ((kind, numbers),) = source.as_plain().items()
        told = numbers if isinstance(numbers, dict) else {"values": len(numbers)}
        words = ", ".join(f"{k} {x:g}" for k, x in told.items())
        rows.append((label(study, factor.name), ", ".join(factor.paths), f"{kind}: {words}"))
    warnings = () if study.complete else ("The study is not complete.",)
    return Section(
        "study",
        "The study",
        facts(about) + table(("factor", "path", "values"), rows),
        warnings=warnings,
    )


def responses_section(study: Study, limits: Mapping[str, Sequence[float] | float]) -> Section:
    """Range of every response, its histogram, and the factor it follows most."""
    rows: list[tuple[str, ...]] = []
    pictures = ""
    for name in study.responses:
        y = study[name]
        known = y[np.isfinite(y)]
        if not len(known):
            rows.append((label(study, name), *("none",) * 5))
            continue
        numbers = (known.min(), *np.percentile(known, (5, 50, 95)), known.max())
        rows.append((label(study, name), *(f"{x:.5g}" for x in numbers)))
        pictures += _figure(study, (name,), limits.get(name), f"{name}: how it is spread")
        factor = _strongest(study, name)
        if factor is not None:
            pictures += _figure(study, (name, factor), limits.get(name), f"{name} over {factor}")
    heads = ("response", "least", "5 %", "median", "95 %", "greatest")
    return Section("responses", "Responses", table(heads, rows) + pictures)


def failures_section(study: Study) -> Section | None:
    bad = [reason for reason in study.failed if reason]
    if not bad:
        return None
    rows = [(reason, str(count)) for reason, count in Counter(bad).most_common(_REASONS)]
    said = f"{len(bad)} of {len(study)} variants failed: see Failures."
    text = paragraph("Their rows hold no numbers.", "note")
    return Section(
        "failures", "Failures", text + table(("reason", "variants"), rows), warnings=(said,)
    )


def _strongest(study: Study, response: str) -> str | None:
    """The factor with the largest rank correlation."""
    from scipy.stats import rankdata

    y = study[response]
    known = np.isfinite(y)
    best, most = None, 0.1
    for name in study.factors:
        x = study[name][known]
        if len(x) < 3 or np.ptp(x) == 0.0 or np.ptp(y[known]) == 0.0:
            continue
        size = abs(float(np.corrcoef(rankdata(x), rankdata(y[known]))[0, 1]))
        if size > most:
            best, most = name, size
    return best


def _figure(
    study: Study, names: Sequence[str], limits: Sequence[float] | float | None, caption: str
) -> str:
    figure = plot_study(study, *names, limits=limits)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None})
    return image(buffer.getvalue(), "image/svg+xml", caption)
