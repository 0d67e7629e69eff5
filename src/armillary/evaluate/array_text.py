"""Arrays with names as a person reads them: what they are, their shape, five digits."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from armillary.evaluate.inputs import Array

_MOST = 400  # numbers of an array that are printed; of larger ones the corners


def arrays_text(title: str, parts: Mapping[str, Array]) -> str:
    """A title, and every array under its name and shape."""
    lines = [title]
    for name, values in parts.items():
        lines.append(f"{name} {values.shape}")
        text = np.array2string(
            np.asarray(values, float),
            threshold=_MOST,
            max_line_width=120,
            formatter={"float_kind": lambda x: f"{x + 0.0:>11.5g}"},
        )
        lines += [f"  {line}" for line in text.splitlines()]
    return "\n".join(lines)
