"""The shape of a mode as a run that can be drawn, plotted and animated."""

from __future__ import annotations

import numpy as np

from armillary.analysis.modes import Modes
from armillary.analysis.point import scales
from armillary.errors import InputError
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.loop.replay import replay
from armillary.sim.record.run import Run

POINTS = 60  # instants of one period


def run_of_mode(
    modes: Modes, k: int, mechanism: Mechanism, amplitude: float = 0.1, periods: float = 2.0
) -> Run:
    """The shape of mode k about its state, as a run: `modes.run(0, arm).animate()`.

    q = q0 ⊕ Re(shape e^(i w t)) with its largest entry at `amplitude` (rad, or sizes of the
    machine), closed where the mechanism is; w that of the mode, or one turn in a second where it
    does not oscillate.  Shapes are shown without growth or decay."""
    if not isinstance(mechanism, Mechanism):
        raise InputError(f"modes.run: expected the mechanism, found {mechanism!r:.60}.")
    if not isinstance(k, int | np.integer) or not 0 <= k < len(modes):
        raise InputError(f"modes.run: expected a number from 0 to {len(modes) - 1}, found {k!r}.")
    mode, point = modes[k], modes.model.point
    frequency = mode.frequency or 1.0
    t = np.linspace(0.0, periods / frequency, max(int(np.ceil(POINTS * periods)), 2) + 1)
    size = scales(mechanism)
    most = float(np.abs(mode.shape / size).max(initial=0.0)) or 1.0
    phase = np.exp(2j * np.pi * frequency * t)
    moved = amplitude / most * np.real(np.outer(phase, mode.shape))
    q = mechanism.integrate(np.tile(point.q, (len(t), 1)), moved)
    if mechanism.constraint_rows:
        q, _ = mechanism.project(q)
    return replay(mechanism, (t, q), record=("q", "v"))
