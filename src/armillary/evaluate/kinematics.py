"""Questions about place and motion: poses, velocities, accelerations, Jacobians."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from armillary.evaluate.compiled_function import CompiledFunction
from armillary.evaluate.configurations import Configurations


class Kinematics(Configurations):
    """Methods on a single state (n,) or a batch (B, n); results get the same leading axis."""

    @cached_property
    def pose(self) -> Callable[..., Any]:
        """Rotation (3, 3) and origin (3,) of a frame in the world."""
        return CompiledFunction(self.evaluator, "pose").callable()

    @cached_property
    def poses(self) -> Callable[..., Any]:
        """Rotations (bodies, 3, 3) and origins (bodies, 3) of all bodies in the world."""
        return CompiledFunction(self.evaluator, "poses").callable()

    @cached_property
    def velocity(self) -> Callable[..., Any]:
        """Velocity (ω; v) of a frame, rad/s and m/s."""
        return CompiledFunction(self.evaluator, "velocity").callable()

    @cached_property
    def acceleration(self) -> Callable[..., Any]:
        """Acceleration (α; a) of a frame, rad/s² and m/s², without gravity."""
        return CompiledFunction(self.evaluator, "acceleration").callable()

    @cached_property
    def jacobian(self) -> Callable[..., Any]:
        """J (6, nv) of a frame with velocity = J v."""
        return CompiledFunction(self.evaluator, "jacobian").callable()

    @cached_property
    def jacobian_dot(self) -> Callable[..., Any]:
        """dJ/dt (6, nv) of a frame along the motion v."""
        return CompiledFunction(self.evaluator, "jacobian_dot").callable()
