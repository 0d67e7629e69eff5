"""Arms without their contact bodies, at one state  [Yesiloglu2007, 5.30-5.44].

V_t = L_t J θ̇ + L_s V^s,   α_b = L_a (J θ̈ + J̇ θ̇) + L_b J θ̇ + L_c α^s + L_d V^s
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.model.constraint_parts import Loop, Wheel
from armillary.textbook.contact_arms import (
    ArmJoint,
    arms_of,
    closing_joint,
    places,
    shift,
    swing,
    tree_joint,
)
from armillary.textbook.formulations.tree_state import TreeState
from armillary.textbook.linear import solve
from armillary.textbook.stacked_arms import StackedArms

if TYPE_CHECKING:
    from armillary.mechanism.mechanism import Mechanism


def operators(machine: Mechanism, q: Array, v: Array, contacts: Sequence[str] = ()) -> Operators:
    """The operators of a mechanism of loops and wheels."""
    model, layout = machine.model, arms_of(machine.model, contacts)
    tree: Any = machine.tree
    s = TreeState(tree, q, v)
    where = places(s)
    closing: tuple[Loop | Wheel, ...] = (*model.loops, *model.wheels)
    parts = {part.name: part for part in closing}
    closures = {c.name: c.closure for c in machine.constraint_solver.equations.constraints.frames}
    joints: dict[tuple[str, bool], ArmJoint] = {}
    for edge in (step.edge for arm in layout.arms for step in arm.steps):
        if edge.body >= 0:
            joints[edge.key] = tree_joint(s, edge, where)
        else:
            joints[edge.key] = closing_joint(closures[edge.name], parts[edge.name], where)
    floating = {}
    for k in layout.floating:
        name = model.bodies[k].name
        floating[name] = (s.slots[k], np.kron(np.eye(2), where[name].R) @ s.S[k])
    masses = {body.name: I for body, I in zip(model.bodies, s.I, strict=True)}
    return Operators(layout, where, joints, floating, masses, s.gravity, machine.nv)


class Operators(StackedArms):
    """The matrices of 5.30-5.44: contact bodies eliminated; rates of matrices by their bodies."""

    # -- elimination of the contact bodies (5.30-5.38) -------------------------------------------

    @cached_property
    def A_plus(self) -> Array:
        """A_tc^+ (5.30)."""
        return solve(self.A_tc.T @ self.A_tc, self.A_tc.T)

    @cached_property
    def A_plus_rate(self) -> Array:
        A, dA, plus = self.A_tc, self.A_tc_rate, self.A_plus
        rest = np.eye(len(A)) - A @ plus
        return np.asarray(-plus @ dA @ plus + solve(A.T @ A, dA.T @ rest))

    @cached_property
    def phi_tb_rate(self) -> Array:
        """Of the shift from base to tip: both points move with their bodies."""
        found = np.zeros_like(self.phi_tb)
        for k, (arm, rows) in enumerate(zip(self.layout.arms, self.rows, strict=True)):
            tip = self.where[arm.tip].velocity(rows[-1].point)
            base = self._base(k)
            mine = slice(6 * k, 6 * k + 6)
            found[mine, mine] = shift(tip[3:] - base[3:]) - np.eye(6)
        return found

    def _base(self, arm: int) -> Array:
        """Velocity of the base of an arm: ground or contact body, and the road under a wheel."""
        rows = self.rows[arm]
        found = self.where[self.layout.arms[arm].base].velocity(rows[0].joint.p)
        if arm in self.wheel_arms:
            found = found + np.concatenate(
                [np.zeros(3), self.normal(arm) * self.V_s[self.wheel_arms.index(arm)]]
            )
        return found

    @cached_property
    def V_b(self) -> Array:
        return np.concatenate([self._base(k) for k in range(len(self.rows))])

    @cached_property
    def L_t(self) -> Array:
        """(1 - φ_tb A_0bc A_tc^+)^-1 (5.31)."""
        one = np.eye(len(self.A_tc))
        return solve(one - self.phi_tb @ self.A_0bc @ self.A_plus, one)

    @cached_property
    def L_s(self) -> Array:
        return self.L_t @ self.phi_tb @ self.A_bs0

    @cached_property
    def L_u(self) -> Array:
        """A_0bc d(A_tc^+)/dt + d(A_0bc)/dt A_tc^+ (5.37)."""
        return self.A_0bc @ self.A_plus_rate + self.A_0bc_rate @ self.A_plus

    @cached_property
    def L_t_rate(self) -> Array:
        inner = self.phi_tb_rate @ self.A_0bc @ self.A_plus + self.phi_tb @ self.L_u
        return np.asarray(self.L_t @ inner @ self.L_t)

    @cached_property
    def A_bs0_rate(self) -> Array:
        """Normals turn with the ground they belong to."""
        found = np.zeros_like(self.A_bs0)
        for k, arm in enumerate(self.wheel_arms):
            w = self.where[self.layout.arms[arm].base].V[:3]
            found[6 * arm + 3 : 6 * arm + 6, k] = np.cross(w, self.normal(arm))
        return found

    @cached_property
    def L_s_rate(self) -> Array:
        found = self.L_t_rate @ self.phi_tb @ self.A_bs0
        found = found + self.L_t @ self.phi_tb_rate @ self.A_bs0
        return np.asarray(found + self.L_t @ self.phi_tb @ self.A_bs0_rate)

    @cached_property
    def L_a(self) -> Array:
        return self.A_0bc @ self.A_plus @ self.L_t

    @cached_property
    def L_b(self) -> Array:
        return self.L_u @ self.L_t + self.A_0bc @ self.A_plus @ self.L_t_rate

    @cached_property
    def L_c(self) -> Array:
        return self.A_bs0 + self.A_0bc @ self.A_plus @ self.L_s

    @cached_property
    def L_d(self) -> Array:
        """With the turn of the normals, where the road is a body (5.38)."""
        found = self.L_u @ self.L_s + self.A_0bc @ self.A_plus @ self.L_s_rate
        return np.asarray(found + self.A_bs0_rate)

    # -- motion (5.33-5.44) ----------------------------------------------------------------------

    @cached_property
    def theta_d(self) -> Array:
        return np.concatenate([row.joint.rate for row in self.links])

    @cached_property
    def V_tips(self) -> Array:
        """V_t = L_t J θ̇ + L_s V^s (5.31)."""
        return self.L_t @ self.J @ self.theta_d + self.L_s @ self.V_s

    @cached_property
    def V_c(self) -> Array:
        """A_tc^+ V_t (5.35)."""
        return self.A_plus @ self.V_tips

    @cached_property
    def Jdot_qd(self) -> Array:
        """σ_t φ a less what the motion of the base adds to it."""
        return self.sigma_t @ self.phi @ self.a - self.phi_tb_rate @ self.V_b

    @cached_property
    def C_t(self) -> Array:
        """Ã (Ȧ_tc A_tc^+ L_t - L̇_t) J: factor of θ̇ in 5.43."""
        inner = self.A_tc_rate @ self.A_plus @ self.L_t - self.L_t_rate
        return np.asarray(self.annihilator @ inner @ self.J)

    @cached_property
    def V_t(self) -> Array:
        """Ã (L̇_s - Ȧ_tc A_tc^+ L_s): factor of V^s in 5.43."""
        inner = self.L_s_rate - self.A_tc_rate @ self.A_plus @ self.L_s
        return np.asarray(self.annihilator @ inner)

    def alpha_r(self, alpha_s: Array, V_s: Array) -> Array:
        """α^r (5.43)."""
        rest = self.annihilator @ (self.L_s @ alpha_s + self.L_t @ self.Jdot_qd)
        return np.asarray(-rest - self.V_t @ V_s)

    def accelerations(self, theta_dd: Array, alpha_s: Array) -> Array:
        """α of all links (5.48)."""
        base = self.L_a @ (self.J @ theta_dd + self.Jdot_qd) + self.L_b @ (self.J @ self.theta_d)
        base = base + self.L_c @ alpha_s + self.L_d @ self.V_s
        return np.asarray(self.phi @ (self.H @ theta_dd + self.a + self.sigma_b @ base))

    # -- forces at the bases (5.45) --------------------------------------------------------------

    @cached_property
    def own_base(self) -> Array:
        """What wheels do against the road, per θ̇: F_b of an arm on the road works on this."""
        found = np.zeros((6 * len(self.rows), self.size))
        for arm in self.wheel_arms:
            row = self.rows[arm][0]
            found[6 * arm : 6 * arm + 6, row.columns] = row.joint.S
        return found

    @cached_property
    def on_bases(self) -> Array:
        """F_b of all other arms acts on the contact body they start from."""
        keep = np.ones(6 * len(self.rows))
        for arm in self.wheel_arms:
            keep[6 * arm : 6 * arm + 6] = 0.0
        return np.diag(keep)

    # -- from and to the coordinates of the tree -------------------------------------------------

    def of_tree(self, values: Array) -> Array:
        """Numbers per entry of v as numbers per θ̇; zeros where a joint closes a chain."""
        found = np.zeros(self.size)
        for row in self.links:
            if row.joint.entries:
                found[row.columns] = values[list(row.joint.entries)]
        return found

    def from_tree(self, forces: Array) -> tuple[Array, Array]:
        """Joint forces as (forces per θ̇, forces on the links): what drives a floating joint
        pushes its body."""
        push = np.zeros(6 * len(self.links))
        for body, (slot, J) in self.floating.items():
            wrench = solve(J.T, forces[slot])
            for k, row in enumerate(self.links):
                if row.body == body:
                    back = shift(self.where[body].o - row.point)
                    push[6 * k : 6 * k + 6] += row.share * back.T @ wrench
        return self.of_tree(forces), push

    def to_tree(self, theta_dd: Array, alpha: Array) -> Array:
        """Accelerations of the joints of the tree; those that float from their body's."""
        found = np.zeros(self.nv)
        for row in self.links:
            if row.joint.entries:
                found[list(row.joint.entries)] = theta_dd[row.columns]
        for body, (slot, J) in self.floating.items():
            k = next(k for k, row in enumerate(self.links) if row.body == body)
            place, row = self.where[body], self.links[k]
            l = place.o - row.point
            own = shift(l) @ alpha[6 * k : 6 * k + 6] + swing(place.V[:3], l)
            found[slot] = solve(J, own - place.rest)
        return found
