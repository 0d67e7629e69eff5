"""Wanted poses as they are given: positions, rotations, matrices, directions; one or a batch."""

from __future__ import annotations

from math import isfinite

import numpy as np
from numpy.typing import ArrayLike

from armillary.algorithms.inverse_kinematics import ROWS
from armillary.errors import InputError
from armillary.evaluate.inputs import Array, as_floats, common_rows
from armillary.spatial.rotation import from_quaternion

Pose = ArrayLike | tuple[ArrayLike | None, ArrayLike | None]
_ORTHOGONAL = 1e-6  # R Rᵀ may differ from 1 by so much


def direction(axis: ArrayLike) -> tuple[float, float, float]:
    """A direction in a frame, of length 1."""
    x = as_floats("axis", axis)
    size = float(np.linalg.norm(x))
    if x.shape != (3,) or not 0.0 < size < np.inf:
        raise InputError(f"axis: expected a direction (3) in the frame, found {axis!r}.")
    first, second, third = (x / size).tolist()
    return first, second, third


def read_pose(
    frame: str, pose: Pose, axis: tuple[float, float, float] | None
) -> tuple[Array, tuple[str, ...], bool]:
    """(B, 12): rotation row by row, or a direction, and origin; which rows are given; is it one?"""
    if axis is None and (goal := _plain(pose)) is not None:
        return goal, ROWS, True
    rotation, position = _parts(frame, pose)
    given = (() if rotation is None else ROWS[:3]) + (() if position is None else ROWS[3:])
    parts = {}
    if rotation is not None:
        parts["rotation"] = _rotations(frame, rotation, axis is not None)
    if position is not None:
        p = as_floats("position", position)
        if p.ndim not in (1, 2) or p.shape[-1] != 3:
            raise _fault(frame, f"expected a position (3,) or (B, 3), found shape {p.shape}.")
        parts["position"] = (p.reshape(-1, 3), p.ndim == 1)
    count, single = common_rows(parts)
    goals = np.zeros((count, 12))
    if rotation is not None:
        goals[:, : parts["rotation"][0].shape[1]] = parts["rotation"][0]
    elif axis is not None:
        goals[:, :3] = axis
    else:
        goals[:, :9:4] = 1.0
    if position is not None:
        goals[:, 9:] = parts["position"][0]
    if single and not np.isfinite(goals).all():
        raise _fault(frame, "the pose has entries that are not finite.")
    return goals, given, single


def _plain(pose: Pose) -> Array | None:
    """(1, 12) of one pose as `pose` gives it, without detours; None where it is anything else, or
    is to be refused."""
    if type(pose) is not tuple or len(pose) != 2:
        return None
    R, p = pose
    if not (isinstance(R, np.ndarray) and isinstance(p, np.ndarray)):
        return None
    if R.shape != (3, 3) or p.shape != (3,) or not R.dtype.kind == p.dtype.kind == "f":
        return None
    rotation, position = R.ravel().tolist(), p.tolist()
    if not (_deviation(*rotation) <= _ORTHOGONAL and isfinite(sum(position))):
        return None
    return np.array([rotation + position])


def _fault(frame: str, text: str) -> InputError:
    return InputError(f"inverse_kinematics of '{frame}': {text}")


def _parts(frame: str, pose: Pose) -> tuple[ArrayLike | None, ArrayLike | None]:
    """Rotation and position of whatever was given."""
    if isinstance(pose, tuple) and len(pose) == 2:
        rotation, position = pose
        if rotation is None and position is None:
            raise _fault(frame, "a rotation, a position or both are needed.")
        return rotation, position
    array = as_floats("pose", pose)
    if array.ndim in (2, 3) and array.shape[-2:] == (4, 4):
        return array[..., :3, :3], array[..., :3, 3]
    if array.ndim in (1, 2) and array.shape[-1] == 3:
        return None, array
    raise _fault(
        frame,
        "expected a pose as (rotation, position), as a position (3,) or as a matrix (4, 4), or a "
        f"batch of these; found shape {array.shape}.",
    )


def _rotations(frame: str, given: ArrayLike, pointing: bool) -> tuple[Array, bool]:
    """(B, 9) of matrices (3, 3) or quaternions (w, x, y, z); (B, 3) of directions."""
    R = as_floats("rotation", given)
    if pointing:
        if R.ndim not in (1, 2) or R.shape[-1] != 3:
            raise _fault(
                frame,
                "with `axis`, the rotation is the direction (3,) or (B, 3) where it is to point; "
                f"found shape {R.shape}.",
            )
        size = np.linalg.norm(R, axis=-1, keepdims=True)
        if not size.all():
            raise _fault(frame, "a direction in which the axis is to point is zero.")
        return (R / size).reshape(-1, 3), R.ndim == 1
    if R.ndim in (1, 2) and R.shape[-1] == 4:
        if not R.any(axis=-1).all():
            raise _fault(frame, "a quaternion is zero.")
        R = R.astype(np.float64)
        columns = from_quaternion([*np.moveaxis(R, -1, 0)]).T.leaves()
        return np.stack([np.asarray(x) for x in columns], axis=-1).reshape(-1, 9), R.ndim == 1
    if R.ndim not in (2, 3) or R.shape[-2:] != (3, 3):
        raise _fault(
            frame,
            "expected a rotation (3, 3) or a quaternion (w, x, y, z), or a batch of these; found "
            f"shape {R.shape}.",
        )
    flat = R.reshape(-1, 9)
    off = _deviation(*(flat[0].tolist() if len(flat) == 1 else flat.T))
    if np.any(off > _ORTHOGONAL):
        raise _fault(
            frame,
            "the rotation is not orthogonal and right-handed (its columns are the frame's axes); "
            f"it is off by {np.nanmax(off):.1e}.",
        )
    return flat, R.ndim == 2


def _deviation(a, b, c, d, e, f, g, h, i):
    """How far a matrix is from a rotation, over numbers or columns of them: first two rows of
    length 1 and at right angles, the third one their product."""
    return (
        abs(a * a + b * b + c * c - 1.0)
        + abs(d * d + e * e + f * f - 1.0)
        + abs(a * d + b * e + c * f)
        + abs(b * f - c * e - g)
        + abs(c * d - a * f - h)
        + abs(a * e - b * d - i)
    )
