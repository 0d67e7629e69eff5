"""Compiled maps from multipliers to reactions (algorithms/closed/force_map.py)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from armillary.algorithms.closed.force_map import force_map
from armillary.constraints.plan import small
from armillary.constraints.self_stress import ForceMap, force_map_of, of_axes
from armillary.constraints.table import STEPS, options_for
from armillary.evaluate.inputs import Array
from armillary.evaluate.request import Request
from armillary.model.lowering.constraints import lower_constraints

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations, System
    from armillary.evaluate.lean_call import OneOrMany


@dataclass(frozen=True)
class Reactions:
    """Of one state, for any multipliers (m)."""

    map: ForceMap
    tree: Array  # (bodies, 6): of the open tree, with known wrenches of constraints
    known: Array  # (constraints, 6): those wrenches
    axes: Array  # (nv, 6)
    drives: Array  # (nv, 6): wrenches that drive along the axes
    carriers: Array  # (bodies, nv): 1 where an axis moves the body

    def wrench(self, multipliers: Array) -> Array:
        """(bodies, 6): in every joint, by the parent on the body."""
        return self.tree + self.map.matrix[: len(self.tree)] @ multipliers

    def pushes(self, multipliers: Array) -> Array:
        """(constraints, 6): on the second bodies, in the second frames."""
        first = len(self.tree)
        return self.known + self.map.matrix[first : first + len(self.known)] @ multipliers

    def driving(self, wrench: Array) -> Array:
        """(bodies, 6): the part of wrenches in the joints that drives along the axes."""
        along = np.sum(self.axes * (self.carriers.T @ wrench), axis=1)
        return np.asarray(self.carriers @ (self.drives * along[:, None]))


def reactions_at(equations: Equations, q: Array, v: Array, a: Array) -> Reactions | None:
    """At one state (n each) without given wrenches; None where there is no code."""
    kernels = equations.memo.once("force map", lambda: _kernels(equations))
    found = None if kernels is None else kernels.one(q, v, a)
    if found is None:
        return None
    others, carriers = equations.memo.once("axes of reactions", lambda: _constant(equations))
    matrix = np.concatenate([found["of_bodies"], found["of_frames"], others])
    axes, drives = found["axes"]
    whole = ForceMap(equations, matrix)
    return Reactions(whole, found["tree"], found["known"], axes, drives, carriers)


def force_map_at(equations: Equations, system: System, k: int) -> ForceMap:
    """At state k, by compiled code where there is some: it does not depend on the forces."""
    found = reactions_at(equations, system.q[k], system.v[k], np.zeros_like(system.v[k]))
    return force_map_of(equations, system, k) if found is None else found.map


def _kernels(equations: Equations) -> OneOrMany | None:
    from armillary.evaluate.lean_call import OneOrMany
    from armillary.evaluate.program import Program

    unknown = bool(equations.model.load_dependent_joints)  # what their friction is
    if unknown or not equations.constraints.ideal or not small(equations):
        return None
    owner = equations.evaluator
    tables = owner.tables(False)
    tables = replace(tables, constraints=lower_constraints(equations.model, tables))
    request = Request(force_map, ("q", "v", "a"), owner.moving_base, owner.vertical_gravity)
    program = Program(request, tables, options_for(equations.evaluator.options, STEPS))
    return OneOrMany(program, owner.base_numbers) if program.straight() else None


def _constant(equations: Equations) -> tuple[Array, Array]:
    """The part of couplings and prescribed motions in the map; which axes move which body."""
    tables = equations.evaluator.tables(False)
    carriers = np.zeros((len(tables.bodies), tables.nv))
    for k, (body, v) in enumerate(zip(tables.bodies, tables.v_offsets, strict=True)):
        carriers[k, v : v + body.joint.nv] = 1.0
    return of_axes(equations), carriers
