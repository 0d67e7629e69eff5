"""What a reader should know of contacts at one state: those that pull, friction that drives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.units import row_force

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations, System

_ROUNDING = 1e-9  # of the largest force


def contact_notes(
    equations: Equations, system: System, k: int, multipliers: Array
) -> tuple[str, ...]:
    """Of state k with its forces of all rows."""
    texts = []
    terms, v = system.terms, system.v[k]
    arms = equations.scaling.rows  # m for moments
    small = _ROUNDING * float(np.abs(multipliers / arms).max(initial=0.0))
    # power of what acts beside the rows: (G - J) v is the sliding, times the coefficients
    extra = (terms.G[k] - terms.J[k]) @ v * multipliers
    slow = small * float(np.abs(terms.G[k] * v).sum(axis=1).max(initial=0.0))
    for contact in equations.model.contacts:
        span = equations.constraints.slices[contact.name]
        forces = dict(zip(contact.constrained, multipliers[span], strict=False))
        for d in contact.normals:
            arm = equations.length if d[0] == "r" else 1.0
            if forces[d] < -small * arm:
                texts.append(
                    f"contact '{contact.name}' pulls along {d}, {forces[d]:.3g} {row_force(d)}: "
                    f"contacts hold both ways"
                )
        if extra[span].sum() > slow:
            texts.append(
                f"friction of contact '{contact.name}' drives the sliding ({extra[span].sum():.3g} "
                f"W): one state takes the coefficient with its sign, and this one goes with the "
                f"opposite velocity; `simulate` lets friction oppose the sliding"
            )
    return tuple(texts)
