"""Questions about place and motion: poses, velocities, accelerations, Jacobians."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armillary.algorithms import kinematics as k
from armillary.evaluate.configurations import Configurations
from armillary.evaluate.inputs import Array, choice, common_rows
from armillary.spatial import Motion, Transform


class Kinematics(Configurations):
    """Methods on a single state (n,) or a batch (B, n); results get the same leading axis."""

    def pose(self, q: ArrayLike, frame: str) -> tuple[Array, Array]:
        """Rotation (3, 3) and origin (3,) of a frame in the world.

        The columns of the rotation are the frame's axes; origin in m."""
        if self.evaluator.place(frame).kernel < 0:
            X = self.evaluator.place(frame).X
            marks, single = self._marks({"q": q})
            numbers = np.array([float(x) for x in X.leaves()]) + marks[:, None]
            numbers = numbers[0] if single else numbers
        else:
            numbers = self.evaluator.run(k.frame_pose, {"q": q}, frame=frame)["pose"]
        return _rotation_and_origin(numbers)

    def poses(self, q: ArrayLike) -> tuple[Array, Array]:
        """Rotations (bodies, 3, 3) and origins (bodies, 3) of all bodies in the world."""
        return _rotation_and_origin(self.evaluator.run(k.poses, {"q": q}, fuse=False)["Y"])

    def velocity(self, q: ArrayLike, v: ArrayLike, frame: str, coordinates: str = "local") -> Array:
        """Velocity (ω; v) of a frame, rad/s and m/s.

        coordinates: "local" (the frame's own), "world_aligned" (at the frame's origin, along the
        world's axes) or "world" (of the point at the world's origin)."""
        choice("coordinates", coordinates, k.COORDINATES)
        if self.evaluator.place(frame).kernel < 0:
            return self._on_ground(frame, coordinates, {"q": q, "v": v})[0]
        algorithm = k.frame_velocity(coordinates)
        return self.evaluator.run(algorithm, {"q": q, "v": v}, frame=frame)["velocity"]

    def acceleration(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        frame: str,
        coordinates: str = "local",
        kind: str = "classical",
    ) -> Array:
        """Acceleration (α; a) of a frame, rad/s² and m/s², without gravity.

        kind: "classical" is what the origin does as a point; "spatial" is classical - (0; ω × v),
        the derivative of the velocity's components in "local" or "world" coordinates."""
        choice("coordinates", coordinates, k.COORDINATES)
        choice("kind", kind, ("classical", "spatial"))
        if self.evaluator.place(frame).kernel < 0:
            velocity, spatial = self._on_ground(frame, coordinates, {"q": q, "v": v, "a": a})
            if kind == "spatial":
                return spatial
            turn = np.cross(velocity[..., :3], velocity[..., 3:])
            return np.concatenate([spatial[..., :3], spatial[..., 3:] + turn], axis=-1)
        algorithm = k.frame_motion(coordinates, kind)
        return self.evaluator.run(algorithm, {"q": q, "v": v, "a": a}, frame=frame)["acceleration"]

    def jacobian(self, q: ArrayLike, frame: str, coordinates: str = "local") -> Array:
        """J (6, nv) with velocity = J v, in the chosen coordinates (see `velocity`).

        That of the tree: v of a closed mechanism must be one that its constraints allow."""
        choice("coordinates", coordinates, k.COORDINATES)
        if self.evaluator.place(frame).kernel < 0:
            return self._no_columns({"q": q})
        return self.evaluator.run(k.jacobian(coordinates), {"q": q}, frame=frame)["J"]

    def jacobian_dot(
        self, q: ArrayLike, v: ArrayLike, frame: str, coordinates: str = "local"
    ) -> Array:
        """dJ/dt (6, nv) along the motion v: the derivative of every component of `jacobian`."""
        choice("coordinates", coordinates, k.COORDINATES)
        if self.evaluator.place(frame).kernel < 0:
            return self._no_columns({"q": q, "v": v})
        return self.evaluator.run(k.jacobian_dot(coordinates), {"q": q, "v": v}, frame=frame)["dJ"]

    # -- frames that stand on the ground ---------------------------------------------------------

    def _marks(self, inputs: dict[str, ArrayLike]) -> tuple[Array, bool]:
        """(B,) 0, or NaN for a row of inputs that are not finite; whether the state is single."""
        parts = {n: self.evaluator.check(n, x) for n, x in inputs.items()}
        count, single = common_rows(parts)
        finite = np.ones(count, bool)
        for x, _ in parts.values():
            finite &= np.isfinite(x).all(axis=1)
        return np.where(finite, 0.0, np.nan), single

    def _no_columns(self, inputs: dict[str, ArrayLike]) -> Array:
        marks, single = self._marks(inputs)
        zeros = np.zeros((len(marks), 6, self.model.nv)) + marks[:, None, None]
        return zeros[0] if single else zeros

    def _on_ground(
        self, frame: str, coordinates: str, inputs: dict[str, ArrayLike]
    ) -> tuple[Array, Array]:
        """Velocity and spatial acceleration of a frame fixed in the (perhaps moving) world."""
        marks, single = self._marks(inputs)
        X, base = self.evaluator.place(frame).X, self.evaluator.base()
        if coordinates == "world":
            X = Transform.identity()
        elif coordinates == "world_aligned":
            X = Transform.translation(X.r)

        def tiled(motion: Motion) -> Array:
            numbers = np.array([float(x) for x in (X @ motion).leaves()]) + marks[:, None]
            return numbers[0] if single else numbers

        return tiled(base.velocity), tiled(base.acceleration)


def _rotation_and_origin(numbers: Array) -> tuple[Array, Array]:
    """From the 12 numbers of X_FW = (E, r) to R_WF = E^T and the origin r."""
    E = numbers[..., :9].reshape(*numbers.shape[:-1], 3, 3)
    return np.ascontiguousarray(np.swapaxes(E, -1, -2)), numbers[..., 9:].copy()
