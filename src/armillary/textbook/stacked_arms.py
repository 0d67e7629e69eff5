"""Arms between contact bodies at one state, in stacked matrices  [Yesiloglu2007, 5.24-5.29].

    V = φ (H θ̇ + σ_b V_b),   V_t = σ_t V = J θ̇ + φ_tb V_b
    V_b = A_bs0 V^s + A_0bc V^c,   V_t = A_tc V^c

Every arm has a row of six per joint: the link after it, at the origin of its body; the last one is
the contact body at the place of the last joint, with its share of that body's inertia.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.model.parts import WORLD
from armillary.textbook.contact_arms import Arm, ArmJoint, Arms, Place, shift, swing
from armillary.textbook.linear import null_space
from armillary.textbook.parts import velocity_force


@dataclass(frozen=True)
class Row:
    """One joint of an arm: the link after it at a point, with what it carries."""

    joint: ArmJoint
    sign: float
    body: str
    point: Array
    share: float  # of the body's inertia
    columns: slice  # of θ̇


@dataclass(frozen=True)
class StackedArms:
    """H, φ, σ_b, σ_t, M, a, b of all arms, and how they meet: A_bs0, A_0bc, A_tc."""

    layout: Arms
    where: Mapping[str, Place]
    joints: Mapping[tuple[str, bool], ArmJoint]
    floating: Mapping[str, tuple[slice, Array]]  # body -> entries of v, their Jacobian
    masses: Mapping[str, Array]
    gravity: Array
    nv: int
    rows: list[list[Row]] = field(init=False)

    def __post_init__(self) -> None:
        ends = [arm.tip for arm in self.layout.arms]
        rows, start = [], 0
        for arm in self.layout.arms:
            mine = []
            for n, step in enumerate(arm.steps):
                joint = self.joint(arm, n)
                last = n == len(arm.steps) - 1
                point = joint.p if last else self.where[step.link].o
                share = 1.0 / ends.count(step.link) if last else 1.0
                columns = slice(start, start + joint.S.shape[1])
                sign = -1.0 if step.backward else 1.0
                mine.append(Row(joint, sign, step.link, point, share, columns))
                start = columns.stop
            rows.append(mine)
        object.__setattr__(self, "rows", rows)

    def joint(self, arm: Arm, n: int) -> ArmJoint:
        return self.joints[arm.steps[n].edge.key]

    # -- names and sizes -------------------------------------------------------------------------

    @property
    def arms(self) -> tuple[str, ...]:
        return tuple(arm.name for arm in self.layout.arms)

    @property
    def contacts(self) -> tuple[str, ...]:
        return self.layout.contacts

    @cached_property
    def labels(self) -> tuple[str, ...]:
        return tuple(label for row in self.links for label in row.joint.labels)

    @cached_property
    def wheel_arms(self) -> tuple[int, ...]:
        """Numbers of the arms that start on a road."""
        return tuple(
            k
            for k, rows in enumerate(self.rows)
            if rows[0].joint.normal is not None and rows[0].sign > 0
        )

    @cached_property
    def wheels(self) -> tuple[str, ...]:
        return tuple(self.layout.arms[k].steps[0].edge.name for k in self.wheel_arms)

    @cached_property
    def links(self) -> list[Row]:
        return [row for rows in self.rows for row in rows]

    @cached_property
    def size(self) -> int:
        return self.links[-1].columns.stop

    # -- operators (5.28, 5.29) ------------------------------------------------------------------

    def _starts(self) -> list[int]:
        return np.cumsum([0, *(6 * len(rows) for rows in self.rows)]).tolist()

    @cached_property
    def H(self) -> Array:
        found = np.zeros((6 * len(self.links), self.size))
        for k, row in enumerate(self.links):
            found[6 * k : 6 * k + 6, row.columns] = (
                row.sign * shift(row.point - row.joint.p) @ row.joint.S
            )
        return found

    @cached_property
    def phi(self) -> Array:
        found = np.eye(6 * len(self.links))
        for start, rows in zip(self._starts(), self.rows, strict=False):
            for i, to in enumerate(rows):
                for j, of in enumerate(rows[:i]):
                    at, here = start + 6 * i, start + 6 * j
                    found[at : at + 6, here : here + 6] = shift(to.point - of.point)
        return found

    @cached_property
    def sigma_b(self) -> Array:
        """From the base of each arm to its first link."""
        found = np.zeros((6 * len(self.links), 6 * len(self.rows)))
        for k, (start, rows) in enumerate(zip(self._starts(), self.rows, strict=False)):
            first = shift(rows[0].point - rows[0].joint.p)
            found[start : start + 6, 6 * k : 6 * k + 6] = first
        return found

    @cached_property
    def sigma_t(self) -> Array:
        """The last row of each arm."""
        found = np.zeros((6 * len(self.rows), 6 * len(self.links)))
        for k, stop in enumerate(self._starts()[1:]):
            found[6 * k : 6 * k + 6, stop - 6 : stop] = np.eye(6)
        return found

    @cached_property
    def J(self) -> Array:
        return self.sigma_t @ self.phi @ self.H

    @cached_property
    def phi_tb(self) -> Array:
        return self.sigma_t @ self.phi @ self.sigma_b

    @cached_property
    def M(self) -> Array:
        """Inertias of the links about their points."""
        found = np.zeros((6 * len(self.links), 6 * len(self.links)))
        for k, row in enumerate(self.links):
            found[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] = self._inertia(row)
        return found

    def _inertia(self, row: Row) -> Array:
        place = self.where[row.body]
        turn = np.kron(np.eye(2), place.R)
        back = shift(place.o - row.point)
        return np.asarray(row.share * back.T @ turn @ self.masses[row.body] @ turn.T @ back)

    @cached_property
    def b(self) -> Array:
        """Velocity forces of the links, and their weight with the other sign."""
        found = []
        for row in self.links:
            I = self._inertia(row)
            found.append(velocity_force(I, self.where[row.body].V[:3]) - I[:, 3:] @ self.gravity)
        return np.concatenate(found)

    @cached_property
    def a(self) -> Array:
        """Bias accelerations of the links, from the body before to the body after each joint."""
        found = []
        for arm, rows in zip(self.layout.arms, self.rows, strict=True):
            before, at = arm.base, rows[0].joint.p
            for row in rows:
                p, w = row.joint.p, self.where[before].V[:3]
                there = swing(w, p - at) + row.sign * row.joint.bias
                own = swing(self.where[row.body].V[:3], row.point - p)
                found.append(shift(row.point - p) @ there + own)
                before, at = row.body, row.point
        return np.concatenate(found)

    # -- contact bodies (5.24-5.27) --------------------------------------------------------------

    def _at_contact(self, body: str, point: Array, rate: bool) -> Array:
        """Columns of V^c: velocity of the body's point; or the rate of this matrix."""
        found = np.zeros((6, 6 * len(self.contacts)))
        if body != WORLD:
            k, place = self.contacts.index(body), self.where[body]
            l = point - place.o
            block = shift(np.cross(place.V[:3], l)) - np.eye(6) if rate else shift(l)
            found[:, 6 * k : 6 * k + 6] = block
        return found

    def _stacked(self, tips: bool, rate: bool) -> Array:
        found = []
        for arm, rows in zip(self.layout.arms, self.rows, strict=True):
            body, point = (arm.tip, rows[-1].point) if tips else (arm.base, rows[0].joint.p)
            found.append(self._at_contact(body, point, rate))
        return np.concatenate(found)

    @cached_property
    def A_tc(self) -> Array:
        return self._stacked(tips=True, rate=False)

    @cached_property
    def A_tc_rate(self) -> Array:
        return self._stacked(tips=True, rate=True)

    @cached_property
    def A_0bc(self) -> Array:
        return self._stacked(tips=False, rate=False)

    @cached_property
    def A_0bc_rate(self) -> Array:
        return self._stacked(tips=False, rate=True)

    @cached_property
    def A_bs0(self) -> Array:
        """The road lifts the base of an arm along its normal."""
        found = np.zeros((6 * len(self.rows), len(self.wheel_arms)))
        for k, arm in enumerate(self.wheel_arms):
            found[6 * arm + 3 : 6 * arm + 6, k] = self.normal(arm)
        return found

    def normal(self, arm: int) -> Array:
        normal = self.rows[arm][0].joint.normal
        assert normal is not None
        return normal

    @cached_property
    def V_s(self) -> Array:
        """Speed of the road: what the wheels' points at the contacts do along its normal."""
        found = []
        for arm in self.wheel_arms:
            row, base = self.rows[arm][0], self.layout.arms[arm].base
            p = row.joint.p
            V = self.where[row.body].velocity(p) - self.where[base].velocity(p)
            found.append(self.normal(arm) @ V[3:])
        return np.array(found)

    @cached_property
    def annihilator(self) -> Array:
        """Ã, rows: Ã A_tc = 0."""
        return null_space(self.A_tc.T).T
