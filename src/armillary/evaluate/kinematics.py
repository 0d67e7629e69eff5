"""Questions about place and motion: poses, velocities, accelerations, Jacobians."""

from __future__ import annotations

from functools import cached_property

from armillary.evaluate.compiled_function import CompiledFunction
from armillary.evaluate.configurations import Configurations


class Kinematics(Configurations):
    """Methods on a single state (n,) or a batch (B, n); results get the same leading axis."""

    @cached_property
    def pose(self) -> CompiledFunction:
        """Rotation (3, 3) and origin (3,) of a frame in the world."""
        return CompiledFunction(self.evaluator, "pose")

    @cached_property
    def poses(self) -> CompiledFunction:
        """Rotations (bodies, 3, 3) and origins (bodies, 3) of all bodies in the world."""
        return CompiledFunction(self.evaluator, "poses")

    @cached_property
    def velocity(self) -> CompiledFunction:
        """Velocity (ω; v) of a frame, rad/s and m/s."""
        return CompiledFunction(self.evaluator, "velocity")

    @cached_property
    def acceleration(self) -> CompiledFunction:
        """Acceleration (α; a) of a frame, rad/s² and m/s², without gravity."""
        return CompiledFunction(self.evaluator, "acceleration")

    @cached_property
    def jacobian(self) -> CompiledFunction:
        """J (6, nv) of a frame with velocity = J v."""
        return CompiledFunction(self.evaluator, "jacobian")

    @cached_property
    def jacobian_dot(self) -> CompiledFunction:
        """dJ/dt (6, nv) of a frame along the motion v."""
        return CompiledFunction(self.evaluator, "jacobian_dot")
