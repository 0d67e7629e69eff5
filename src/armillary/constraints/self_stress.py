"""Which forces are determinate, and a stated choice for those that are not.

The reactions of all joints are an affine map of the multipliers.  Multipliers that balance each
other (J^T Z = 0) change reactions without changing the motion: a component is determinate where
that map has no part in it.  The rest is a convention: the smallest reactions over *all* joints,
tree joints included, so the answer does not depend on which joint was cut.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armillary.constraints.nullspace import Factor
from armillary.errors import InputError, unknown_name
from armillary.evaluate.arrays import shifted, turned, turned_back
from armillary.evaluate.inputs import Array, as_floats, mapping
from armillary.shown import shown
from armillary.units import WRENCH

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations, System

_NO_STRESS = 1e-9  # of the largest self-stress: reactions that are none
_SEEN = 1e-7  # a smaller part of a unit self-stress does not count


def wrench_sizes(length: float) -> Array:
    """(6,) moments and forces that count the same: forces act at a lever of the machine's size."""
    return np.array([length] * 3 + [1.0] * 3)


class ForceMap:
    """Reactions of one state as a linear map of the multipliers, by joint and constraint name.

    Tree joints: by the parent on the body, in the body's frame.  Constraints: on the second body,
    in the second frame (wheels: axes of the wheel's frame at its centre).  Both (n; f).  Couplings
    and prescribed motions: their force along the axis stands at nz (turns) or fz (slides)."""

    def __init__(self, equations: Equations, matrix: Array):
        """matrix (names, 6, m)."""
        self.equations, self.matrix = equations, matrix

    @property
    def names(self) -> tuple[str, ...]:
        return self.equations.memo.once("names of reactions", self._find_names)

    def _find_names(self) -> tuple[str, ...]:
        joints = [body.joint.name for body in self.equations.model.bodies]
        own = set(joints)  # a general joint of a loop is a joint of the tree, and its weld
        names = [constraint.name for constraint in self.equations.constraints.all]
        return (*joints, *(f"{name}.weld" if name in own else name for name in names))

    def scaled(self) -> Array:
        """The map with moments divided by L: (6 * names, m)."""
        weights = 1.0 / wrench_sizes(self.equations.length)
        names, _, rows = self.matrix.shape
        return (self.matrix * weights[None, :, None]).reshape(6 * names, rows)


def force_map_of(equations: Equations, system: System, k: int) -> ForceMap:
    """At state k."""
    model, table = equations.model, equations.constraints
    R, origins = equations.tree.poses(system.q[k])
    W = system.terms.wrench_W[k]  # (m, 6)
    count = len(model.bodies)
    matrix = np.zeros((count + len(table.all), 6, table.count))
    below = _below(model.parents)
    for t, constraint in enumerate(table.frames):
        rows = table.slices[constraint.name]
        first, second = equations.ends[t]
        for body in range(count):
            sign = float(first in below[body]) - float(second in below[body])
            if sign:
                here = shifted(W[rows], system.terms.origin[k, t] - origins[body])
                matrix[body, :, rows] += sign * turned_back(R[body], here).T
        matrix[count + t, :, rows] = turned(system.terms.frame[k, t], W[rows]).T
    matrix[count + len(table.frames) :] = of_axes(equations)
    return ForceMap(equations, matrix)


def of_axes(equations: Equations) -> Array:
    """(couplings and prescribed motions, 6, m) their part of the map."""
    table = equations.constraints
    matrix = np.zeros((len(table.axes), 6, table.count))
    for t, axis in enumerate(table.axes):
        matrix[t, 2 if axis.unit == "rad" else 5, table.slices[axis.name].start] = 1.0
    return matrix


def _below(parents: tuple[int, ...]) -> list[set[int]]:
    """Bodies that hang on each body, itself included."""
    below: list[set[int]] = [{k} for k in range(len(parents))]
    for k in reversed(range(len(parents))):
        if parents[k] >= 0:
            below[parents[k]] |= below[k]
    return below


@shown
@dataclass(frozen=True)
class Determinacy:
    """What the constraints leave open in the forces of one state.

    basis: self-stresses, (static indeterminacy, names, 6): reactions that balance each other,
    moments over the size L of the machine and forces of unit norm together."""

    names: tuple[str, ...]
    basis: Array
    length: float
    multipliers: Array  # (m, self-stresses): the same as multipliers of the rows
    labels: tuple[str, ...]

    @property
    def static_indeterminacy(self) -> int:
        """Number of independent self-stresses: redundant rows that carry force."""
        return len(self.basis)

    @cached_property
    def determinate(self) -> Array:
        """(names, 6): which components have one true value."""
        weights = 1.0 / wrench_sizes(self.length)
        size = np.sqrt(np.sum((self.basis * weights) ** 2, axis=0))
        return np.asarray(size <= _SEEN * max(float(size.max(initial=0.0)), 1e-300)) | (size == 0)

    def of(self, name: str) -> Array:
        """(6,) flags of one joint or constraint."""
        if name not in self.names:
            raise unknown_name("joint or constraint", name, self.names)
        return self.determinate[self.names.index(name)]

    @property
    def indeterminate(self) -> tuple[str, ...]:
        """Components without a value of their own, as name.component."""
        return tuple(
            f"{name}.{c}"
            for name, flags in zip(self.names, self.determinate, strict=True)
            for c, known in zip(WRENCH, flags, strict=True)
            if not known
        )

    def proposals(self, preference: Mapping[str, float] | None = None) -> tuple[str, ...]:
        """Components to set free (pseudo joints) so that every reaction becomes determinate.

        One per self-stress, chosen by pivoted QR; `preference` weighs joints by name (default 1).
        [Yesiloglu2007, 4.36-4.38: where to place pseudo joints]"""
        from scipy.linalg import qr

        if not self.static_indeterminacy:
            return ()
        weights = 1.0 / wrench_sizes(self.length)
        table = self.basis * weights
        table = np.where(self.determinate, 0.0, table)
        for name, weight in (preference or {}).items():
            if name not in self.names:
                raise unknown_name("joint or constraint", name, self.names)
            table[:, self.names.index(name)] *= weight
        flat = table.reshape(self.static_indeterminacy, -1)
        _, R, P = qr(flat, pivoting=True, mode="economic")
        chosen = P[: int(np.sum(np.abs(np.diag(R)) > 1e-9 * abs(R[0, 0])))]
        return tuple(f"{self.names[c // 6]}.{WRENCH[c % 6]}" for c in sorted(chosen))

    def __str__(self) -> str:
        if not self.static_indeterminacy:
            return "every reaction is determinate"
        lines = [
            f"{self.static_indeterminacy} self-stresses: reactions with a part that has no value "
            f"of its own, + determinate, - not",
            f"{'joint':<24}" + "".join(f"{c:>5}" for c in WRENCH),
        ]
        for name, flags in zip(self.names, self.determinate, strict=True):
            lines.append(f"{name:<24}" + "".join(f"{'+' if x else '-':>5}" for x in flags))
        named = ", ".join(self.proposals())
        lines.append(f"with these set free every reaction is determinate: {named}")
        return "\n".join(lines)


def determinacy(forces: ForceMap, factor: Factor) -> Determinacy:
    """Self-stresses as reactions, made orthonormal in scaled units."""
    equations = forces.equations
    Z = factor.stress * factor.scaling.rows[:, None]  # (m, d), unscaled multipliers
    R = forces.scaled() @ Z  # (6 names, d)
    U, s, Vt = np.linalg.svd(R, full_matrices=False)
    kept = s > _NO_STRESS * max(float(s.max(initial=0.0)), 1e-300)
    weights = wrench_sizes(equations.length)
    basis = U[:, kept].T.reshape(-1, len(forces.names), 6) * weights
    multipliers = Z @ (Vt[kept].T / s[kept]) if kept.any() else np.zeros((len(Z), 0))
    return Determinacy(
        names=forces.names,
        basis=basis,
        length=equations.length,
        multipliers=multipliers,
        labels=equations.constraints.labels,
    )


def smallest_reactions(
    forces: ForceMap, factor: Factor, reactions: Array, multipliers: Array
) -> Array:
    """As `smallest`, where nothing else is asked for: min | moments over L, forces |."""
    Z = factor.stress * factor.scaling.rows[:, None]
    scaled = reactions / wrench_sizes(forces.equations.length)
    c = np.linalg.lstsq(forces.scaled() @ Z, -scaled.ravel(), rcond=_NO_STRESS)[0]
    return np.asarray(multipliers + Z @ c)


def smallest(
    forces: ForceMap,
    state: Determinacy,
    reactions: Array,
    multipliers: Array,
    compliance: Mapping[str, ArrayLike] | None = None,
) -> Array:
    """Multipliers with the least total reaction: (names, 6) `reactions` belong to `multipliers`.

    compliance: weights by joint name, a number or six (nx .. fz), of the squared reaction; joints
    that are not named count with 1 (moments over L)."""
    if not state.static_indeterminacy:
        return multipliers
    weights = np.tile(1.0 / wrench_sizes(state.length), (len(forces.names), 1))
    for name, value in mapping("compliance", compliance, "{joint: weight}").items():
        if name not in state.names:
            raise unknown_name("joint or constraint", name, state.names)
        given = as_floats(f"compliance['{name}']", value)
        if given.shape not in ((), (6,)) or not (np.isfinite(given).all() and (given >= 0).all()):
            raise InputError(
                f"compliance['{name}']: expected one number or six, none negative; found {value!r}."
            )
        k = state.names.index(name)
        weights[k] = weights[k] * np.sqrt(given) if given.ndim == 0 else np.sqrt(given)
    A = (state.basis * weights).reshape(state.static_indeterminacy, -1).T
    c = np.linalg.lstsq(A, -(reactions * weights).ravel(), rcond=None)[0]
    return multipliers + state.multipliers @ c
