"""Turn vectors (axis times angle, rad) of rotation matrices as arrays, and back."""

from __future__ import annotations

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.spatial import Matrix, Vector
from armillary.spatial.rotation import from_quaternion, quaternion_exp, rotation_log


def rotation_vector(R: Array) -> Array:
    """The turn (3), up to pi, that R (3, 3) is; its columns are the turned axes."""
    return np.array(rotation_log(Matrix(R.T.tolist())).leaves(), float)


def rotation_of(turn: Array) -> Array:
    """R (3, 3) of a turn (3)."""
    return np.array(from_quaternion(quaternion_exp(Vector(*turn.tolist()))).T.rows, float)
