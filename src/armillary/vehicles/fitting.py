"""Springs and rubber fitted at the design position: what they bear there is a preload, so that the
machine rests where its hard points are.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.model import Frame, Passive
from armillary.model.elements.line import LineForce
from armillary.model.elements.turning import Bushing
from armillary.model.parts import WORLD
from armillary.vehicles.assembling import TIE_ROD

_RANK = 1e-10


def fitted(
    mechanism: Mechanism, hold: Sequence[str] = (), slack: Collection[str] = ()
) -> Mechanism:
    """With springs of joints wound, and bushings preloaded, so that nothing moves at the start;
    hold: entries of v that are driven, and stay; slack: entries whose springs bear nothing there.

    Along every free motion N their forces x balance what the tree needs, N^T bias = N^T S x (S: the
    generalised force of each x); of the many x the one that stores least, Σ x² / stiffness."""
    m, q = mechanism, mechanism.initial
    wound, rubber, rods = _joint_springs(m, slack), _bushings(m), _rods(m)
    stiffness = [law.spring for _, _, law, _ in wound] + [k for _, _, k in rubber]
    stiffness += [law.stiffness for _, law in rods]
    if not stiffness:
        return m
    needed = np.asarray(m.bias_forces(q, np.zeros(m.nv)))
    N = np.asarray(m.mobility(q).motions) if m.constraint_rows else np.eye(m.nv)
    held = N[[m.v_labels.index(name) for name in hold]]
    if hold:
        _, sizes, axes = np.linalg.svd(held)
        N = N @ axes[np.count_nonzero(sizes > 1e-9 * sizes.max(initial=0.0)) :].T
    needed_along = N.T @ needed
    if np.abs(needed_along).max(initial=0.0) == 0.0:
        return m
    joints = np.eye(m.nv)[[k for *_, k in wound]]
    S = np.concatenate([joints, _preloads(m, rubber), _tensions(m, rods)]).T
    root = np.sqrt(stiffness)
    x = root * (np.linalg.pinv(N.T @ S * root, rcond=_RANK) @ needed_along)
    bodies: dict[str, dict[str, list[Passive]]] = {}
    for (name, axis, law, _), force in zip(wound, x, strict=False):
        body = m.model.bodies[m.model.index[name]]
        own = bodies.setdefault(name, {"passive": list(body.joint.passive)})["passive"]
        own[axis] = replace(law, rest=law.rest + float(force) / law.spring)
    elements: dict[str, dict[str, Any]] = {}
    of_rubber, of_rods = np.split(x[len(wound) :], [len(rubber)])
    for (name, rod), tension in zip(rods, of_rods, strict=True):
        elements[name] = {"rest": rod.rest - float(tension) / rod.stiffness}
    for (name, axis, _), force in zip(rubber, of_rubber, strict=True):
        own_preload = elements.setdefault(name, {"preload": list(_law(m, name).preload)})
        own_preload["preload"][axis] += float(force)
    return m.replace(bodies=bodies, elements=elements)


def _joint_springs(m: Mechanism, slack: Collection[str]) -> list[tuple[str, int, Passive, int]]:
    """(body, axis of its joint, law, entry of v) of those that are not slack."""
    return [
        (body.name, axis, law, slot.v.start + axis)
        for body, slot in zip(m.model.bodies, m.model.slots, strict=True)
        for axis, law in enumerate(body.joint.passive)
        if law.spring and m.v_labels[slot.v.start + axis] not in slack
    ]


def _bushings(m: Mechanism) -> list[tuple[str, int, float]]:
    """(element, axis, stiffness) of every direction in which rubber holds."""
    laws = [(part.name, part.law) for part in m.model.elements if isinstance(part.law, Bushing)]
    found = [(n, k, float(law.stiffness[k][k])) for n, law in laws for k in range(6)]
    return [row for row in found if row[2] > 0.0]


def _rods(m: Mechanism) -> list[tuple[str, LineForce]]:
    """Elastic tie rods."""
    return [
        (part.name, part.law)
        for part in m.model.elements
        if isinstance(part.law, LineForce) and part.name.endswith(TIE_ROD)
    ]


def _tensions(m: Mechanism, rods: list[tuple[str, LineForce]]) -> Array:
    """Generalised forces (n, nv) of 1 N of tension in each rod, at the start."""
    rows = []
    ends = {part.name: part.ends for part in m.model.elements}
    for name, _ in rods:
        first, second = (_point(m, end) for end in ends[name])
        along = (second - first) / np.linalg.norm(second - first)
        wrench = np.concatenate([np.zeros(3), along])
        rows.append(_generalised(m, ends[name][0], wrench) - _generalised(m, ends[name][1], wrench))
    return np.array(rows).reshape(len(rods), m.nv)


def _point(m: Mechanism, end: Frame) -> Array:
    """Where an end is at the start."""
    R, r = m.pose(m.initial, end.body)
    return np.asarray(r) + np.asarray(R) @ np.asarray(end.pose.position)


def _generalised(m: Mechanism, end: Frame, wrench: Array) -> Array:
    """Of a wrench (moment; force, along the world's axes) on a body at an end, at the start."""
    if end.body == WORLD:
        return np.zeros(m.nv)
    arm = np.asarray(m.pose(m.initial, end.body)[0]) @ np.asarray(end.pose.position)
    at_origin = np.concatenate([wrench[:3] + np.cross(arm, wrench[3:]), wrench[3:]])
    J = m.jacobian(m.initial, end.body, coordinates="world_aligned")
    return np.asarray(J).T @ at_origin


def _law(m: Mechanism, name: str) -> Any:
    return next(part.law for part in m.model.elements if part.name == name)


def _preloads(m: Mechanism, rubber: list[tuple[str, int, float]]) -> Array:
    """Generalised forces (n, nv) of 1 N or 1 N m of preload each, at the start, where both ends of
    a bushing are one frame: of a unit wrench on the second body and its reaction on the first."""
    rows = []
    ends = {part.name: part.ends for part in m.model.elements}
    for name, axis, _ in rubber:
        total = np.zeros(m.nv)
        first = ends[name][0]
        along = np.asarray(m.pose(m.initial, first.body)[0]) @ np.asarray(first.pose.rotation)
        wrench = np.zeros(6)
        wrench[axis - axis % 3 : axis - axis % 3 + 3] = along[:, axis % 3]
        for end, sign in zip(ends[name], (-1.0, 1.0), strict=True):
            total += sign * _generalised(m, end, wrench)
        rows.append(total)
    return np.array(rows).reshape(len(rubber), m.nv)
