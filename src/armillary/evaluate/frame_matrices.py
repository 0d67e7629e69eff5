"""Matrices of frames, bodies and joints, for one state or a batch.

6-vectors have the angular part first: motions (ω; v), wrenches (n; f).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armillary.errors import InputError
from armillary.evaluate.inputs import Array, as_floats, choice
from armillary.evaluate.named_states import State
from armillary.evaluate.table_face import TableFace
from armillary.model.parts import WORLD, inertia_of, own_rotation
from armillary.spatial import Motion

KINDS = ("motion", "force")


def transform(tree: TableFace, q: State, to: str, of: str = WORLD, kind: str = "motion") -> Array:
    """X (6, 6): coordinates in the frame `of` to those in the frame `to`, at its origin.

    kind: "motion" [E 0; -E r~ E] of velocities, or "force" [E -E r~; 0 E] of wrenches, its inverse
    transposed; r from `of` to `to` [VanDerMerwe1995, 2.5-2.8; errata 0-40].  Batch: (B, 6, 6)."""
    choice("kind", kind, KINDS)
    E, r = _seen(tree, q, to, of)
    X = np.zeros((*E.shape[:-2], 6, 6))
    X[..., :3, :3] = X[..., 3:, 3:] = E
    arm = -E @ _skew(r)
    if kind == "motion":
        X[..., 3:, :3] = arm
    else:
        X[..., :3, 3:] = arm
    return X


def homogeneous(tree: TableFace, q: State, frame: str, of: str = WORLD) -> Array:
    """T (4, 4): [R p; 0 1], the pose of a frame in another, points p_of = T p_frame; m."""
    E, r = _seen(tree, q, frame, of)
    T = np.zeros((*E.shape[:-2], 4, 4))
    T[..., :3, :3], T[..., :3, 3], T[..., 3, 3] = np.swapaxes(E, -1, -2), r, 1.0
    return T


def quaternion(tree: TableFace, q: State, frame: str, of: str = WORLD) -> Array:
    """(4,) w, x, y, z of the rotation of a frame in another, w not negative."""
    R = np.swapaxes(_seen(tree, q, frame, of)[0], -1, -2)
    # four times the products of two components; the row with the largest square is divided by it
    xx, yy, zz = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
    xy, xz, yz = (R[..., i, k] + R[..., k, i] for i, k in ((0, 1), (0, 2), (1, 2)))
    wx, wy, wz = (R[..., k, i] - R[..., i, k] for i, k in ((1, 2), (2, 0), (0, 1)))
    rows = np.stack(
        [
            np.stack([1.0 + xx + yy + zz, wx, wy, wz], axis=-1),
            np.stack([wx, 1.0 + xx - yy - zz, xy, xz], axis=-1),
            np.stack([wy, xy, 1.0 - xx + yy - zz, yz], axis=-1),
            np.stack([wz, xz, yz, 1.0 - xx - yy + zz], axis=-1),
        ],
        axis=-2,
    )
    best = np.argmax(np.diagonal(rows, axis1=-2, axis2=-1), axis=-1)
    found = np.take_along_axis(rows, best[..., None, None], axis=-2)[..., 0, :]
    found = found / np.linalg.norm(found, axis=-1, keepdims=True)
    return np.asarray(np.where(found[..., :1] < 0.0, -found, found))


def wrench_at(
    tree: TableFace, q: State, wrench: ArrayLike, frame: str, to: str, axes: str | None = None
) -> Array:
    """The same wrench (n; f), given in `frame` at its origin, about the origin of the frame `to`,
    along its axes or those of the frame `axes`; N m, N.  (6,), or (B, 6) of a batch."""
    given = as_floats("wrench", wrench).astype(float)
    if given.shape[-1:] != (6,) or given.ndim > 2:
        raise InputError(f"wrench: expected 6 numbers or rows of them, found shape {given.shape}.")
    moved = (transform(tree, q, to, frame, "force") @ given[..., None])[..., 0]
    if axes is None:
        return np.asarray(moved)
    E = _seen(tree, q, axes, to)[0]
    parts = moved.reshape(*moved.shape[:-1], 2, 3)
    return np.asarray((parts @ np.swapaxes(E, -1, -2)).reshape(moved.shape))


def spatial_inertia(tree: TableFace, body: str, q: State | None = None, frame: str = "") -> Array:
    """I (6, 6) of a body: [I_o, m s~; m s~^T, m], about its origin and along its axes, or of
    another frame, at q [VanDerMerwe1995, 4.1-4.4; errata 0-16]; kg m², kg m, kg."""
    own = inertia_of(tree.model.body(body).mass)
    columns = [(own @ Motion.from_leaves(e)).leaves() for e in np.eye(6).tolist()]
    I = np.array(columns, float).T
    if isinstance(frame, str) and not frame:
        return I
    if q is None:
        raise InputError(
            "spatial_inertia: expected q, where the inertia is asked in another frame."
        )
    X = transform(tree, q, body, frame)
    return np.asarray(np.swapaxes(X, -1, -2) @ I @ X)


@dataclass(frozen=True)
class JointSpace:
    """Spaces of one joint in the frame of its body [VanDerMerwe1995, 2.9-2.15].

    v_J = phi q̇;  f = psi τ + psi_c τ_c with  [psi psi_c]^T = [phi phi_c]^-1.  Columns (6, n), of a
    batch (B, 6, n)."""

    joint: str
    phi: Array  # free motions: axes of the joint
    phi_c: Array  # forbidden motions
    psi: Array  # wrenches that drive it
    psi_c: Array  # wrenches of constraint, that do no work on its motion


def joint_space(tree: TableFace, q: State, joint: str) -> JointSpace:
    """phi, phi^c, psi and psi^c of a joint, by its name."""
    model = tree.model
    k = model.joint_number(joint)
    values, single = tree.evaluator.checked({"q": q})["q"]
    kernel, slot = model.joints[k], model.slots[k].q
    turn = np.kron(np.eye(2), np.array(own_rotation(model.bodies[k].joint).rows, float))
    found: list[list[Array]] = []
    places = values if len(values) else np.array([model.start()])  # of none: the shapes
    for row in places.astype(float)[:, slot]:
        place = row.tolist()
        psi, phi_c = kernel.dual_bases(place)
        spaces = (kernel.motion_space(place), phi_c, psi, kernel.constraint_space(place))
        found.append([turn @ _columns(space) for space in spaces])
    parts = [np.array(part)[: len(values)] for part in zip(*found, strict=True)]
    return JointSpace(joint, *(part[0] if single else part for part in parts))


def _columns(space: Any) -> Array:
    return np.array([column.leaves() for column in space], float).reshape(-1, 6).T


def _seen(tree: TableFace, q: State, to: str, of: str) -> tuple[Array, Array]:
    """(E, r): axes and origin of the frame `to` in the frame `of`; E turns coordinates to it."""
    R_A, p_A = tree.pose(q, to)
    R_B, p_B = tree.pose(q, of)
    back = np.swapaxes(R_B, -1, -2)
    E = np.swapaxes(R_A, -1, -2) @ R_B
    r = (back @ (p_A - p_B)[..., None])[..., 0]
    shape = np.broadcast_shapes(E.shape[:-2], r.shape[:-1])
    return np.broadcast_to(E, (*shape, 3, 3)), np.broadcast_to(r, (*shape, 3))


def _skew(r: Array) -> Array:
    found = np.zeros((*r.shape[:-1], 3, 3))
    x, y, z = (r[..., k] for k in range(3))
    found[..., 2, 1], found[..., 0, 2], found[..., 1, 0] = x, y, z
    return np.asarray(found - np.swapaxes(found, -1, -2))
