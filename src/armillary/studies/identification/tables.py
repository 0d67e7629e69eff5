"""The table of an identification, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from armillary.studies.identification.result import Identification

_WIDE = 44  # characters of a name


def text_of(found: Identification) -> str:
    """What was measured, every combination with its standard error, forces, remarks."""
    e = found.equations
    filters = "; ".join(dict.fromkeys(str(f) for f in e.filters))
    used = int(e.counted.sum())
    lines = [
        f"identification of '{found.original.name}': {len(found.base_estimates)} combinations of "
        f"{len(found.parameters)} parameters",
        f"{used} equations at {len(e.time)} instants, {filters}; condition number "
        f"{found.condition:.3g}",
        "",
        f"{'combination':{_WIDE}s} {'model':>11s} {'found':>11s} {'std error':>10s}  unit",
    ]
    rows = zip(
        found.base_names,
        found.base_of_model,
        found.base_estimates,
        found.standard_errors,
        found.base_units,
        strict=True,
    )
    for name, model, value, error, unit in rows:
        lines.append(
            f"{_cut(name):{_WIDE}s} {model:11.5g} {value:11.5g} {error:10.2g}  {unit}".rstrip()
        )
    lines += ["", _forces(found)]
    if found.notes:
        lines += ["", *(f"note: {text}" for text in found.notes)]
    return "\n".join(lines)


def _cut(name: str) -> str:
    return name if len(name) <= _WIDE else name[: _WIDE - 4].rsplit(" ", 1)[0] + " ..."


def _forces(found: Identification) -> str:
    quality = found.quality
    heads = f"{'force':16s} {'RMS':>9s} {'noise':>9s} {'not used':>9s} {'share':>8s}  unit"
    lines = [heads]
    rows = zip(
        quality.labels,
        quality.measured,
        found.noise,
        quality.errors,
        quality.share,
        quality.units,
        strict=True,
    )
    for label, size, noise, error, share, unit in rows:
        shown = "-" if not np.isfinite(error) else f"{error:.3g}"
        part = "-" if not np.isfinite(share) else f"{share:.2%}"
        lines.append(f"{label:16s} {size:9.4g} {noise:9.3g} {shown:>9s} {part:>8s}  {unit}")
    return "\n".join(lines)
