"""Accelerations within a step of time."""

from __future__ import annotations

from typing import Any

from armillary.mechanism.mechanism import Mechanism


def step_dynamics(mechanism: Mechanism) -> Any:
    """`forward_dynamics` without a word about open positions: a step leaves the constraints and is
    brought back onto them."""
    if mechanism.constraints:
        return mechanism.constraint_solver.step_dynamics
    return mechanism.forward_dynamics
