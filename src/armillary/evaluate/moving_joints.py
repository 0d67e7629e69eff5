"""Which joints may move for a task of a frame, and which constraints they have to keep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from armillary.evaluate.evaluator import Evaluator
from armillary.model.lowering.constraint_table import ConstraintTable, FrameConstraint
from armillary.model.lowering.tree import Tables


class Moving(NamedTuple):
    """free: degrees of freedom that may move.  kept: rows of the constraints among them.  held:
    names of joints that could move the frame and are not asked to."""

    free: tuple[int, ...]
    kept: tuple[int, ...]
    held: tuple[str, ...]


def way(parents: Sequence[int], body: int) -> list[int]:
    """The bodies of the tables from one to the root."""
    found = []
    while body >= 0:
        found.append(body)
        body = parents[body]
    return found


def moving_joints(
    evaluator: Evaluator,
    ends: tuple[int, int],
    constraints: ConstraintTable | None,
    rows: Sequence[int],
    joints: Sequence[str] | None,
) -> Moving:
    """Joints between the bodies `ends` of the tables, and all that constraints (rows: those that
    have to be kept) tie to them; a free base only where constraints hold it.  joints: these and
    no others."""
    model, tables = evaluator.model, evaluator.tables()
    chosen = None if joints is None else {model.joint_number(name) for name in joints}
    tied, kept = _tied(tables, _between(tables, *ends), constraints, rows)
    touched = {dof for k, dofs in _dofs_of_rows(tables, constraints) if k in kept for dof in dofs}
    free: list[int] = []
    held: list[str] = []
    for number, (joint, slot) in enumerate(zip(model.joints, model.slots, strict=True)):
        own = range(slot.v.start, slot.v.stop)
        if tied.isdisjoint(own):
            continue
        floating = joint.kind == "free" and model.parents[number] < 0 and touched.isdisjoint(own)
        if number in chosen if chosen is not None else not floating:
            free += own
        else:
            held.append(model.bodies[number].joint.name)
    return Moving(tuple(free), tuple(sorted(kept)), tuple(held))


def _between(tables: Tables, one: int, two: int) -> set[int]:
    """Degrees of freedom that move one body relative to another."""
    bodies = set(way(tables.parents, one)) ^ set(way(tables.parents, two))
    return {
        tables.v_offsets[body] + k for body in bodies for k in range(tables.bodies[body].joint.nv)
    }


def _dofs_of_rows(
    tables: Tables, constraints: ConstraintTable | None
) -> list[tuple[int, set[int]]]:
    """(row, degrees of freedom it reads) of all constraints."""
    found: list[tuple[int, set[int]]] = []
    for constraint in () if constraints is None else constraints.all:
        if isinstance(constraint, FrameConstraint):
            dofs = _between(tables, constraint.first, constraint.second)
        else:
            dofs = {dof for dof, _, _ in constraint.terms}
        found += [(len(found) + k, dofs) for k in range(constraint.count)]
    return found


def _tied(
    tables: Tables, dofs: set[int], constraints: ConstraintTable | None, rows: Sequence[int]
) -> tuple[set[int], set[int]]:
    """Everything that constraints tie to the degrees of freedom, and the rows that do."""
    left = [(k, own) for k, own in _dofs_of_rows(tables, constraints) if k in set(rows)]
    tied, kept = set(dofs), set[int]()
    while True:
        joined = [(k, own) for k, own in left if k not in kept and own & tied]
        if not joined:
            return tied, kept
        for k, own in joined:
            kept.add(k)
            tied |= own
