"""What the methods ask a mechanism for: single states, its separate trees, rigid members, axes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armillary.errors import InputError, ModelError
from armillary.evaluate.inputs import Array, as_floats, wrenches
from armillary.model.constraint_parts import DIRECTIONS
from armillary.model.parts import Mass
from armillary.textbook.linear import orthonormal, split

if TYPE_CHECKING:
    from armillary.evaluate.evaluator import External
    from armillary.mechanism.mechanism import Mechanism

Indices = NDArray[np.intp]
Directions = Sequence[str] | ArrayLike
OverTime = ArrayLike | Callable[[float], ArrayLike]


def tree_state(
    machine: Mechanism, moving_base: bool = False, **values: ArrayLike
) -> tuple[Array, ...]:
    """q, v, tau of a single state of a mechanism that is nothing but a tree, checked."""
    if machine.model.constraints:
        names = ", ".join(f"'{part.name}'" for part in machine.model.constraints[:3])
        more = ", ..." if len(machine.model.constraints) > 3 else ""
        raise ModelError(
            f"'{machine.model.name}': this method constrains a tree by itself and knows nothing of "
            f"the constraints that the mechanism has already ({names}{more}). Pass `machine.tree` "
            f"if the tips stand for all of them; use solve() or forward_dynamics() otherwise."
        )
    return state(machine, moving_base, **values)


def state(machine: Mechanism, moving_base: bool = False, **values: ArrayLike) -> tuple[Array, ...]:
    """q, v, tau of a single state, checked; the documents' ground is at rest."""
    if not moving_base and (machine.model.base_velocity or machine.model.base_acceleration):
        raise InputError(
            f"'{machine.model.name}': its base moves as prescribed, which this method does not "
            f"know. Use solve(), or gravity instead of an acceleration of the base."
        )
    machine.evaluator.refuse_load_friction(
        f"the methods of the documents on '{machine.model.name}'"
    )
    found = []
    for name, value in values.items():
        array, single = machine.evaluator.check(name, value)
        if not single:
            raise InputError(f"{name}: expected one state, found {len(array)}. Loop over states.")
        found.append(array[0].astype(float))
    return tuple(found)


def single_wrenches(external: External) -> dict[str, Array]:
    """External wrenches (6,) by frame, of one state."""
    found = {}
    for name, (rows, single) in wrenches(external).items():
        if not single:
            raise InputError(
                f"external['{name}']: expected one wrench of 6 numbers, found {len(rows)}. Loop "
                f"over states."
            )
        found[name] = rows[0].astype(float)
    return found


def skew(c: Array) -> Array:
    """skew(c) x = c × x."""
    x, y, z = c
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def directions(name: str, given: Directions, free: ArrayLike | None = None) -> tuple[Array, Array]:
    """(phi_c, phi): constrained directions as columns (6, n_c), and the free ones.

    given: names among rx, ry, rz, dx, dy, dz, or orthonormal columns.  free: phi, if its columns
    matter; the order of the unit vectors otherwise."""
    phi_c = _constrained(name, given)
    if free is not None:
        phi = as_floats("free", free).astype(float)
        together = np.hstack([phi_c, phi]) if phi.ndim == 2 and len(phi) == 6 else phi_c
        if together.shape != (6, 6) or not orthonormal(together):
            raise InputError(
                f"free: expected {6 - phi_c.shape[1]} orthonormal columns of 6 entries at right "
                f"angles to the constrained ones, found shape {phi.shape}."
            )
        return phi_c, phi
    if np.isin(phi_c, (0.0, 1.0)).all():  # unit vectors: the others keep their order too
        return phi_c, np.eye(6)[:, ~phi_c.any(axis=1)]
    return phi_c, split(phi_c)[1]


def direction_indices(name: str, given: Sequence[str]) -> Indices:
    """Which of rx, ry, rz, dx, dy, dz, in the order given: numbers that belong to them stand so."""
    if any(d not in DIRECTIONS for d in given) or len(set(given)) != len(given):
        raise InputError(
            f"{name}: expected different ones of {', '.join(DIRECTIONS)}, found {list(given)}."
        )
    return np.array([DIRECTIONS.index(d) for d in given], dtype=np.intp)


def _constrained(name: str, given: Directions) -> Array:
    if all(isinstance(d, str) for d in given):  # type: ignore[union-attr]
        named = [str(d) for d in given]  # type: ignore[union-attr]
        return np.eye(6)[:, direction_indices(name, named).tolist()]
    phi_c = as_floats(name, given).astype(float)
    if phi_c.ndim != 2 or len(phi_c) != 6 or not orthonormal(phi_c):
        raise InputError(
            f"{name}: expected orthonormal columns, shape (6, n), found shape {phi_c.shape}. "
            f"numpy.linalg.qr makes columns orthonormal."
        )
    return phi_c


def at_time(name: str, given: OverTime | None, t: float | None) -> ArrayLike | None:
    """A given value, or that of a function of time."""
    if not callable(given):
        return given
    if t is None:
        raise InputError(f"{name}: a function of time needs t=, the time in seconds.")
    return given(t)


def vector(name: str, given: ArrayLike | None, size: int) -> Array:
    """`size` numbers; zeros where nothing is given."""
    if given is None:
        return np.zeros(size)
    array = as_floats(name, given).astype(float)
    if array.shape != (size,) or not np.isfinite(array).all():
        raise InputError(f"{name}: expected {size} finite numbers, found shape {array.shape}.")
    return array


# -- separate trees ------------------------------------------------------------------------------


def tree_of(machine: Mechanism, frame: str) -> frozenset[str]:
    """The bodies of the tree, up to the world, that the frame belongs to."""
    model = machine.model
    root: dict[str, str] = {}
    for body in model.bodies:
        root[body.name] = root.get(body.parent, body.name)
    mine = model.frame(frame).body
    if mine not in root:
        raise InputError(f"frame '{frame}' stands on the ground; expected one on a moving body.")
    return frozenset(name for name, top in root.items() if top == root[mine])


def coordinates_of(machine: Mechanism, bodies: frozenset[str]) -> Indices:
    """Entries of v that belong to the joints of the bodies."""
    model = machine.model
    found = [
        range(slot.v.start, slot.v.stop)
        for body, slot in zip(model.bodies, model.slots, strict=True)
        if body.name in bodies
    ]
    return np.array([k for part in found for k in part], dtype=np.intp)


def loose_body(machine: Mechanism, name: str) -> Indices:
    """Coordinates of a body that hangs on nothing but its own joint to the world."""
    body = machine.model.body(name)
    mine = tree_of(machine, name)
    moving = [b for b in machine.model.bodies if b.name in mine and b.joint.kind != "fixed"]
    if body.parent != "world" or moving != [body]:
        raise ModelError(
            f"body '{name}': expected a body on its own, with a free joint to the world and "
            f"nothing that moves on it; found it in a tree with the joints "
            f"{', '.join(b.joint.name for b in moving)}."
        )
    return coordinates_of(machine, mine)


# -- rigid members -------------------------------------------------------------------------------


def motion_transform(machine: Mechanism, q: Array, to: str, of: str) -> Array:
    """X (6, 6): motions in coordinates of the frame `of` to those of the frame `to` (6.40)."""
    R_A, p_A = machine.pose(q, to)
    R_B, p_B = machine.pose(q, of)
    A = R_A.T @ R_B
    p = R_B.T @ (p_A - p_B)
    return np.block([[A, np.zeros((3, 3))], [A @ skew(p).T, A]])


def rigid_inertia(machine: Mechanism, q: Array, name: str) -> Array:
    """Spatial inertia (6, 6) of a loose body and all that is welded to it, in its body frame."""
    total = np.zeros((6, 6))
    for part in tree_of(machine, name):
        X = motion_transform(machine, q, part, name)
        total += X.T @ spatial_inertia(machine.model.body(part).mass) @ X
    return total


def spatial_inertia(mass: Mass) -> Array:
    """[I, m s~; -m s~, m]: about the body's origin."""
    xx, yy, zz, xy, xz, yz = mass.tensor
    m, s = mass.mass, skew(np.array(mass.com))
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return np.block([[tensor + m * s @ s.T, m * s], [m * s.T, m * np.eye(3)]])


def velocity_force(I: Array, w: Array) -> Array:
    """b = (ω × Ī ω; m ω × (ω × s)) of a member with the inertia I, all in its frame (6.6)."""
    turn = I[:3, :3] @ w
    push = I[3:, :3] @ w  # m s~^T ω = m ω × s
    return np.concatenate([np.cross(w, turn), np.cross(w, push)])


def external_on(machine: Mechanism, q: Array, external: External, name: str) -> Array:
    """Sum of the given wrenches on a loose body, in its body frame at its origin."""
    total, mine = np.zeros(6), tree_of(machine, name)
    for frame, wrench in single_wrenches(external).items():
        if machine.model.frame(frame).body in mine:
            total += motion_transform(machine, q, frame, name).T @ wrench
    return total


def only_on_arms(machine: Mechanism, external: External, name: str) -> Mapping[str, ArrayLike]:
    """The given wrenches that do not act on the loose body."""
    mine = tree_of(machine, name)
    return {f: w for f, w in (external or {}).items() if machine.model.frame(f).body not in mine}
