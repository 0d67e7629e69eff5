"""What tyres say of themselves at a state, by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from armillary.errors import unknown_name
from armillary.evaluate.inputs import Array
from armillary.model.elements.element import OUTPUTS
from armillary.model.elements.tyre import Tyre
from armillary.model.model import Model
from armillary.shown import shown

NAMES = tuple(name for name, _ in OUTPUTS)
# components that change sign from ISO 8855 (y left, z up) to SAE J670 (y right, z down)
SAE_FLIPS = ("slip_angle", "Fy", "Fz", "My", "Mz")
_PRINTED = NAMES[:10]


def tyre_names(model: Model) -> tuple[str, ...]:
    return tuple(part.name for part in model.elements if isinstance(part.law, Tyre))


@shown
@dataclass(slots=True)
class TyreForces:
    """Slips, deflection, forces and moments of every tyre, in its axes at the point of contact.

    outputs (..., elements, 15): those of all force elements; `values` (..., tyres, 15) those of the
    tyres, see `armillary.model.elements.element.OUTPUTS`.  Axes of ISO 8855: x forward in the plane
    of the wheel, y to the left, z the road's normal; `sae()` gives SAE's (y right, z down).
    `f["front_left"]["Fz"]` is one number, or one per state."""

    model: Model
    outputs: Array
    axes: str = "ISO 8855"

    @property
    def values(self) -> Array:
        chosen = [k for k, part in enumerate(self.model.elements) if isinstance(part.law, Tyre)]
        return self.outputs[..., chosen, :]

    @property
    def names(self) -> tuple[str, ...]:
        return tyre_names(self.model)

    def __getitem__(self, name: str) -> dict[str, Array]:
        if name not in self.names:
            raise unknown_name("tyre", name, self.names)
        row = self.values[..., self.names.index(name), :]
        return {quantity: row[..., k] for k, quantity in enumerate(NAMES)}

    def column(self, quantity: str) -> Array:
        """One quantity of all tyres (..., tyres)."""
        if quantity not in NAMES:
            raise unknown_name("quantity of tyres", quantity, NAMES)
        return self.values[..., NAMES.index(quantity)]

    def sae(self) -> TyreForces:
        """The same along SAE's axes; x, y, z of the point of contact stay."""
        signs = np.array([-1.0 if name in SAE_FLIPS else 1.0 for name in NAMES])
        other = "SAE J670" if self.axes == "ISO 8855" else "ISO 8855"
        return TyreForces(self.model, self.outputs * signs, other)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __str__(self) -> str:
        if self.values.ndim != 2:
            return f"forces of {len(self)} tyres, {len(self.values)} states"
        heads = "".join(f"{f'{name} [{unit}]':>17}" for name, unit in OUTPUTS if name in _PRINTED)
        lines = [f"forces of the road on each tyre, in its axes ({self.axes})"]
        lines.append(f"{'tyre':<16}{heads}")
        for name, row in zip(self.names, self.values, strict=True):
            lines.append(f"{name:<16}" + "".join(f"{x + 0.0:>17.6g}" for x in row[:10]))
        return "\n".join(lines)
