"""What presses and would let go: contacts, surfaces and wheels hold both ways, and it is said where
they pull.

One rule for all.  A contact presses along the directions that its friction follows, or along the
only displacement that it holds.  Of several it is the normal of the environment: z of the first
frame, as of a surface's plane; where that frame is the world's, the axis along which gravity acts,
against it.
A surface presses along its normal (a sphere and a cylinder from inside outwards), a wheel along
that of its ground.  A force below zero there pulls.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armillary.constraints.nullspace import RANK_TOLERANCE
from armillary.evaluate.inputs import Array
from armillary.model.constraint_parts import NOUNS, Contact, Surface, Wheel, titled
from armillary.model.model import Model
from armillary.model.parts import WORLD, Pose
from armillary.units import row_force

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations, System

_ROUNDING = 1e-9  # of the largest force
_NORMALS = {"sphere": "towards its centre", "cylinder": "towards its axis"}


class PullNote(str):
    """That something pulls: the numbers are right, a part that only pushes has others."""


@dataclass(frozen=True)
class Pressed:
    """A row that presses: its part, and its place among all rows."""

    part: Contact | Surface | Wheel
    direction: str  # of a contact, "" of the others
    row: int
    sign: float = 1.0  # -1: a force above zero pulls

    def force(self, multipliers: Array) -> Array:
        """How it presses, N or N m, for λ (..., rows): below zero it pulls."""
        return np.asarray(self.sign * multipliers[..., self.row])

    @property
    def way(self) -> str:
        if self.direction:
            return f"along {self.direction}"
        return _NORMALS.get(getattr(self.part, "shape", ""), "along its normal")

    @property
    def both(self) -> str:
        """Why it can."""
        hollow = " (a hollow one pushes so)" if self.way in _NORMALS.values() else ""
        return f"{NOUNS[type(self.part)]}s hold both ways{hollow}"

    def note(self, force: float) -> PullNote:
        unit = row_force(self.direction or "d")
        return PullNote(f"{titled(self.part)} pulls {self.way}, {force:.3g} {unit}: {self.both}")

    def pulls(self, most: float) -> PullNote:
        """Of many states: the largest pull, N or N m."""
        unit = row_force(self.direction or "d")
        text = f"{titled(self.part)} pulls {self.way}, up to {most:.3g} {unit}"
        return PullNote(f"{text}: {self.both}")


def pressed(equations: Equations) -> tuple[Pressed, ...]:
    """All rows that press; rows without content have no force."""
    return equations.memo.once("pressed", lambda: _pressed(equations))


def _pressed(equations: Equations) -> tuple[Pressed, ...]:
    model, slices = equations.model, equations.constraints.slices
    found = []
    for contact in model.contacts:
        first = slices[contact.name].start
        for d, sign in _pressing_directions(contact, model):
            found.append(Pressed(contact, d, first + contact.constrained.index(d), sign))
    found += [Pressed(surface, "", slices[surface.name].start) for surface in model.surfaces]
    wheels = [wheel for wheel in model.wheels if "normal" in wheel.rows]
    found += [
        Pressed(wheel, "", slices[wheel.name].start + wheel.rows.index("normal"))
        for wheel in wheels
    ]
    return tuple(part for part in found if not equations.idle_rows[part.row])


def _pressing_directions(contact: Contact, model: Model) -> list[tuple[str, float]]:
    """Of its constrained directions those that press, and the sign of λ that presses."""
    if contact.normals:
        return [(d, 1.0) for d in contact.normals]
    normal, sign, first = "dz", 1.0, contact.first
    if first.body == WORLD and first.pose.rotation == Pose().rotation and any(model.gravity):
        k = int(np.argmax(np.abs(model.gravity)))
        normal, sign = "d" + "xyz"[k], -float(np.sign(model.gravity[k]))
    return [(normal, sign)] if normal in contact.constrained else []


def pulling(equations: Equations, force: Array, multipliers: Array) -> NDArray[np.bool_]:
    """(..., pressed rows) which of them pull, for λ (..., rows) beside joint forces (..., nv).

    Moments count over the size of the machine; what is small against all forces and the weight is
    none."""
    scaling, parts = equations.scaling, pressed(equations)
    sizes = multipliers / scaling.rows
    along = np.abs(force) * scaling.columns / scaling.length
    weight = sum(body.mass.mass for body in equations.model.bodies) * np.linalg.norm(
        equations.model.gravity
    )
    usual = np.abs(sizes).max(axis=-1, initial=weight)
    usual = np.maximum(usual, along.max(axis=-1, initial=0.0))
    pressing = [p.force(sizes) < -_ROUNDING * usual for p in parts]
    return np.stack(pressing, axis=-1)


def pull_notes(equations: Equations, force: Array, multipliers: Array) -> list[PullNote]:
    """What pulls at one state."""
    parts = pressed(equations)
    if not parts:
        return []
    found = zip(parts, pulling(equations, force, multipliers), strict=True)
    return [part.note(float(multipliers[part.row])) for part, pulls in found if pulls]


def smallest_forces(equations: Equations, system: System, a: Array) -> Array:
    """λ (B, rows), the smallest ones with G^T λ = M a - force, for accelerations (B, nv)."""
    missing = np.einsum("bij,bj->bi", system.M, a) - system.force
    scaling = equations.scaling
    scaled = scaling.rows[:, None] * system.terms.G * scaling.columns
    inverse = np.linalg.pinv(np.swapaxes(scaled, 1, 2), rcond=RANK_TOLERANCE)
    found = scaling.rows * np.einsum("bmn,bn->bm", inverse, scaling.columns * missing)
    return np.asarray(found)
