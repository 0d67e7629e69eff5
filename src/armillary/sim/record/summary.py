"""A run in words: what was recorded, over which time, how it ended."""

from __future__ import annotations

import numpy as np

from armillary.sim.record.quantities import EXTRAS, quantity_of
from armillary.sim.record.run_data import RunData

_MOST = 8  # events that are shown


def describe(run: RunData) -> str:
    """Some lines for people."""
    lines = [f"{title(run)}: {span(run)}"]
    if run.method:
        step = f", step {run.step:g} s" if run.step else ""
        lines.append(f"method {run.method}{step}")
    if run.mechanism_name:
        lines.append("complete" if run.complete else "incomplete")
        if run.message:
            lines[-1] += f": {run.message}"
    if run.note:
        lines.append(run.note)
    if run.error_estimate is not None:
        lines.append(str(run.error_estimate))
    found = rows(run)
    width = max(14, *(len(units) + 2 for _, _, units, _ in found)) if found else 14
    lines += [f"  {row[0]:<18}{row[1]:>8}  {row[2]:<{width}}{row[3]}" for row in found]
    lines += [f"  t = {t:.6g} s: {text}" for t, text in run.events[:_MOST]]
    if len(run.events) > _MOST:
        lines.append(f"  and {len(run.events) - _MOST} more events")
    return "\n".join(lines)


def title(run: RunData) -> str:
    """Whose run; a table of another program has no mechanism."""
    if not run.mechanism_name:
        return "a table over time, not a run recorded by armillary"
    return f"run of '{run.mechanism_name}'"


def span(run: RunData) -> str:
    if not len(run):
        return "nothing recorded"
    batch = f" of {run.batch} runs" if run.batch is not None else ""
    return f"{len(run)} instants{batch}, t = {run.time[0]:g} to {run.time[-1]:g} s"


def rows(run: RunData) -> list[tuple[str, str, str, str]]:
    """Name, number of columns, units and meaning of every quantity."""
    found = []
    for name in run.names:
        units = ", ".join(dict.fromkeys(unit for unit in run.units[name] if unit))
        known = quantity_of(name) or EXTRAS.get(name)
        count = str(max(len(run.labels[name]), 1))
        found.append((name, count, units, known.text if known else ""))
    return found


def extremes(run: RunData, name: str) -> tuple[float, float]:
    """Least and greatest finite number of a quantity; NaN where there is none."""
    values = run[name]
    values = values[np.isfinite(values)]
    return (float(values.min()), float(values.max())) if values.size else (np.nan, np.nan)
