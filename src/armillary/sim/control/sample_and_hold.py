"""What sampled parts hold between two samples, as one row of numbers: nv per sampled part."""

from __future__ import annotations

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.sim.loop.stage import Stage, columns, rows
from armillary.sim.loop.system import System


def sampled(system: System) -> list[Stage]:
    """The parts with a period, in their order."""
    return [stage for stage in system.stages if stage.period is not None]


def held_numbers(system: System, v: Array) -> Array:
    """(..., n nv) for n sampled parts; v (..., nv) tells how many runs there are."""
    parts = [rows(stage.held, v) for stage in sampled(system)]
    return np.concatenate(parts, axis=-1) if parts else v[..., :0]


def hold(system: System, numbers: Array) -> None:
    """From now on the parts hold these."""
    n = system.nv
    for k, stage in enumerate(sampled(system)):
        stage.held = columns(numbers[..., k * n : (k + 1) * n])
