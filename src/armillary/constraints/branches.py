"""Branches of a closed mechanism that no constraint touches: trailers behind a steering linkage,
wheels, arms.

They need no part in the elimination of the constrained system: as articulated bodies they give way
to what carries them (algorithms/closed/elimination_terms.py), at a cost that grows with their
number, where the mass matrix of a long chain has the square of it in entries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armillary.algorithms.passes import Record
from armillary.algorithms.tree.forward_dynamics import articulate
from armillary.evaluate.inputs import Array
from armillary.model.lowering.tree import KernelBody
from armillary.spatial import ForceDyad, MotionSpace

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations

# a joint gives way on its own where the body it moves has at least such a part of the inertia that
# its axes feel, and no direction of them has less than such a part of the others
_OWN_SHARE = 1e-4
_LEAST_AXIS = 1e-3


def core_dofs(equations: Equations) -> NDArray[np.intp]:
    """Degrees of freedom that take part in the equations of the constraints: those which rows act
    on, those of joints that cannot give way on their own, and all that carry them.  All of them
    where the others are too few to be worth it."""
    return equations.memo.once("core", lambda: _worth_it(equations, _core(equations)))


def _worth_it(equations: Equations, core: set[int]) -> NDArray[np.intp]:
    """All, unless the mass matrix of the core has less than half of the entries."""
    rows, every = equations.rows, range(equations.tables.nv)
    entries = [sum(k <= dof for k in rows.supports[int(rows.carriers[dof])]) for dof in every]
    fewer = 2 * sum(entries[dof] for dof in core) < sum(entries)
    return np.array(sorted(core) if core and fewer else every, np.intp)


def _core(equations: Equations) -> set[int]:
    rows, tables = equations.rows, equations.tables
    core = set(rows.links[1].tolist())
    core |= {v for axis in equations.constraints.axes for v, _, _ in axis.terms}
    q = equations.tree.initial.tolist()
    parts = (tables.bodies, tables.parents, tables.v_offsets, tables.q_offsets)
    columns = list(zip(*parts, strict=True))
    felt = [ForceDyad.from_inertia(body.inertia) for body in tables.bodies]
    for k in reversed(range(len(tables.bodies))):
        body, parent, v, first = columns[k]
        place = q[first : first + body.joint.nq]
        b = Record(S=body.joint.motion_space(place), I_A=felt[k], armature=body.armature)
        if core.intersection(range(v, v + body.joint.nv)) or not _gives_way(body, b):
            core |= rows.supports[k]
            b.I_a = b.I_A
        else:
            articulate(b)
        if parent >= 0:
            X = body.joint.transform(place) @ body.placement
            felt[parent] = felt[parent] + X.T @ b.I_a @ X
    return core


def _gives_way(body: KernelBody, b: Record) -> bool:
    """Does its own inertia alone oppose every motion of its joint?  Articulated inertias are never
    less.  Rotors are left out: they are not always asked for."""
    own, felt = _along(b.S, ForceDyad.from_inertia(body.inertia)), _along(b.S, b.I_A)
    enough = (np.diag(own) > _OWN_SHARE * np.diag(felt)).all()
    return bool(enough and _opposes(own) and _opposes(felt))


def _along(S: MotionSpace, inertia: ForceDyad) -> Array:
    """S^T I S, (nv, nv)."""
    found = [[float(s.dot(inertia @ t)) for t in S] for s in S]
    return np.array(found).reshape(len(found), len(found))


def _opposes(D: Array) -> bool:
    """Is every direction opposed, as a part of what each axis alone has?"""
    if not len(D):
        return True
    sizes = np.sqrt(np.diag(D))
    return bool(np.linalg.eigvalsh(D / np.outer(sizes, sizes))[0] > _LEAST_AXIS)
