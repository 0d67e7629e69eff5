"""States of a recording, and what follows from them: found once for all quantities of a block."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from armillary.constraints.axes import constraint_forces_in
from armillary.constraints.drift import DrawnBack
from armillary.constraints.mobility import condition_numbers
from armillary.constraints.moving import RowMotion
from armillary.constraints.notes import nearness
from armillary.constraints.null_space_forces import merged, on_bodies
from armillary.constraints.nullspace import RANK_TOLERANCE
from armillary.constraints.pressing import Pressed, pressed, pulling, smallest_forces
from armillary.constraints.solution import ConstrainedSolution, ConstraintForces
from armillary.evaluate.arrays import turned as rotated_wrench
from armillary.evaluate.axes import Axes, Places, element_forces_in, moved_joints, reactions_in
from armillary.evaluate.inputs import Array, Keywords
from armillary.evaluate.results import ElementForces
from armillary.mechanism.mechanism import Mechanism
from armillary.model.constraint_parts import Contact
from armillary.sim.motion.step_dynamics import step_dynamics

_LOOKED_AT = 64  # states of a block, where their forces were not asked for
_MANY = 60  # degrees of freedom: beyond it forces come from the solvers


@dataclass
class States:
    """S states of one mechanism, with what was known when they were met."""

    mechanism: Mechanism
    q: Array  # (S, nq)
    v: Array  # (S, nv)
    tau: Array  # (S, nv)
    given_a: Array | None = None
    external: Mapping[str, Array] = field(default_factory=dict)  # (S, 6) by frame
    moving: RowMotion | None = None  # prescribed motion of constraint rows
    baumgarte: DrawnBack | None = None  # rates that draw constraints back, 1/s
    turned: Array | float = 0.0  # (S,) J, that turns of springs in loops add to their energy
    turn_wrenches: Array | None = None  # (S, 6 c) that they add to forces, see LoopTurns.added
    time: Array | None = None  # (S,) s
    remarks: list[tuple[int, str]] = field(default_factory=list)  # on single states
    parameters: Array | None = None  # (S, n): other numbers of bodies and elements
    # of elements with states or inputs of their own, in the place of the model's
    element_readings: Array | None = None  # (S, elements, 10)
    tyre_outputs: Array | None = None  # (S, elements, 15)
    # of controllers, actuators and elements, in the order of the run's chain
    block_states: Array = field(default_factory=lambda: np.zeros((0, 0)))  # (S, states)
    signals: Mapping[str, Array] = field(default_factory=dict)  # (S, nv) by name

    @cached_property
    def a(self) -> Array:
        if self.given_a is not None:
            return self.given_a
        options: Keywords = dict(self.bodies)
        if self.moving is not None:
            options["prescribed"] = self.moving
        if self.baumgarte is not None and self.mechanism.constraints:
            options["baumgarte"] = self.baumgarte
        dynamics = step_dynamics(self.mechanism)
        return np.asarray(dynamics(self.q, self.v, self.tau, self.loads, **options))

    @property
    def bodies(self) -> Keywords:
        """Numbers of bodies and elements that are not the model's, as questions take them."""
        return {} if self.parameters is None else {"parameters": self.parameters}

    @cached_property
    def places(self) -> Keywords:
        """Places of joints that are not the model's, as questions of frames take them: offsets
        along the axes of the joint frames."""
        offsets = moved_joints(self.mechanism.model, self.parameters)
        return {} if offsets is None else {"offsets": offsets}

    @cached_property
    def _where(self) -> Places:
        return Places(self.mechanism, self.q, parameters=self.parameters)

    @cached_property
    def _pushes(self) -> Array:
        """(S, c, 6) that turns of springs add to the wrenches of constraints between frames on
        their second bodies, along the world's axes."""
        assert self.turn_wrenches is not None
        return self.turn_wrenches.reshape(len(self.q), -1, 6)

    @cached_property
    def loads(self) -> Mapping[str, Array]:
        """Wrenches by frame, with those of turns of springs."""
        if self.turn_wrenches is None:
            return self.external
        equations = self.mechanism.constraint_solver.equations
        own = on_bodies(equations, self.q, equations.terms(self.q).origin, self._pushes)
        return merged(self.external, own)

    @cached_property
    def energies(self) -> tuple[Array, Array]:
        kinetic, potential = self.mechanism.energy(self.q, self.v, **self.bodies)
        return kinetic, potential + self.turned

    @cached_property
    def solution(self) -> ConstrainedSolution:
        """All forces of a mechanism with constraints."""
        return self._solved(self.baumgarte)

    def worst_closure(self) -> list[tuple[int, str]]:
        """The state with the largest condition number and a remark, where the forces of closures
        were asked for and one of them is nearly singular; else empty."""
        if "solution" not in vars(self) or not self.mechanism.constraints:
            return []
        rows = np.flatnonzero(self.solution.suspect)
        if not len(rows):
            return []
        equations = self.mechanism.constraint_solver.equations
        terms = equations.terms(self.q[rows])
        k = int(rows[np.argmax(condition_numbers(equations, terms, np.ones(len(rows), bool)))])
        text = nearness(equations, equations.factor(equations.terms(self.q[k : k + 1])))
        return [(k, text)] if text else []

    def pulls(self) -> list[tuple[str, int, str]]:
        """What pulls (part, first state, text).  Of contacts whose friction or only displacement
        tells the direction the loop finds the instant (sim/loop/contact_friction.py).

        All states are looked at where the forces of constraints were asked for, else some of them,
        evenly."""
        if self.given_a is None or not may_pull(self.mechanism):
            return []
        equations = self.mechanism.constraint_solver.equations
        parts = [(k, p) for k, p in enumerate(pressed(equations)) if not _watched(p)]
        known = "solution" in vars(self)
        some = np.arange(len(self.q), dtype=np.intp)
        some = some if known else some[:: 1 + len(some) // _LOOKED_AT]
        forces = self.solution.multipliers if known else self._some(some).forces_of_rows
        found = pulling(equations, self.tau[some], forces)
        return [
            (f"{p.part.name} pulls", int(some[np.argmax(found[:, k])]), p.pulls(most))
            for k, p in parts
            if found[:, k].any() and (most := -float(p.force(forces).min()))
        ]

    @property
    def forces_of_rows(self) -> Array:
        """λ (S, rows)."""
        equations = self.mechanism.constraint_solver.equations
        if self.mechanism.model.load_dependent_joints or self.a.shape[1] > _MANY:
            return self.solution.multipliers
        given = (self.q, self.v, self.tau, self.loads, True, self.moving, self.baumgarte)
        return smallest_forces(equations, equations.system(*given, **self.bodies), self.a)

    def _some(self, k: NDArray[np.intp]) -> States:
        """Some of the states."""
        arrays = ("q", "v", "tau", "given_a", "turn_wrenches", "parameters")
        own = {name: x[k] for name in arrays if (x := getattr(self, name)) is not None}
        loads = {name: x[k] for name, x in self.external.items()}
        moving = self.moving and self.moving.of(k)
        return replace(self, **own, external=loads, moving=moving)

    def _solved(self, baumgarte: DrawnBack | None) -> ConstrainedSolution:
        given = (self.q, self.v, self.tau, self.loads)
        found = self.mechanism.announced().solve(
            *given, prescribed=self.moving, baumgarte=baumgarte, **self.bodies
        )
        assert isinstance(found, ConstrainedSolution)
        if self.turn_wrenches is None:
            return found
        frame = self.mechanism.constraint_solver.equations.terms(self.q).frame
        own = found.constraint_forces
        wrench = own.wrench + rotated_wrench(frame, self._pushes)
        return replace(found, constraint_forces=replace(own, wrench=wrench))

    def reactions(self, axes: Axes) -> Array:
        """(S, bodies, 6)."""
        if self.mechanism.constraints:
            found = self.solution.reactions
        else:
            found = self.mechanism.reactions(
                self.q, self.v, self.a, external=self.external, **self.bodies
            )
        return (reactions_in(found, self._where, axes) if axes else found).total

    def constraint_forces(self, axes: Axes) -> Array:
        """(S, columns): wrenches, then forces along coordinates."""
        found = self.solution.constraint_forces
        return flat_forces(constraint_forces_in(found, self._where, axes) if axes else found)

    def elements(self, axes: Axes) -> Array:
        """(S, elements, 10): wrench, readings along the element's coordinate, power."""
        known = self.element_readings
        if known is None:
            found: ElementForces = self.mechanism.element_forces(self.q, self.v, **self.bodies)
        else:
            found = ElementForces(
                self.mechanism.model, known[..., :6], known[..., 6:9], known[..., 9]
            )
        found = element_forces_in(found, self._where, axes) if axes else found
        return np.concatenate([found.wrench, found.along, found.power[..., None]], axis=-1)

    @property
    def wheel_forces(self) -> Array:
        """(S, rows of all wheels)."""
        rows, wheels = self.mechanism.constraint_rows, self.mechanism.model.wheels
        own = [rows.index(f"{wheel.name}.{row}") for wheel in wheels for row in wheel.rows]
        return np.asarray(self.solution.multipliers[:, own])

    def frame_condition(self, frame: str) -> Array:
        """(S,) condition number of the Jacobian of a frame over the motions the constraints allow,
        lengths over the size of the machine; infinite where a direction is lost."""
        equations = self.mechanism.constraint_solver.equations
        s = equations.scaling
        J = self.mechanism.jacobian(self.q, frame, **self.places) * s.columns
        J[:, 3:] /= s.length
        free = np.full(len(J), J.shape[2])
        if self.mechanism.constraints:
            rows = s.scaled(self.mechanism.constraint_jacobian(self.q))
            _, sizes, V = np.linalg.svd(rows, full_matrices=False)
            held = sizes > max(RANK_TOLERANCE, equations.geometry_tolerance)
            J = J - (J @ np.swapaxes(V * held[..., None], 1, 2)) @ V
            free = free - held.sum(axis=1)
        values = np.linalg.svd(J, compute_uv=False)
        last = np.clip(np.minimum(free, 6) - 1, 0, values.shape[1] - 1)
        least = values[np.arange(len(J)), last]
        lost = least <= RANK_TOLERANCE * values[:, 0]
        return np.where(lost, np.inf, values[:, 0] / np.where(lost, 1.0, least))

    @property
    def corrective_forces(self) -> Array:
        """What the drawing back of open constraints adds to their forces."""
        return flat_forces(self.solution.constraint_forces) - flat_forces(
            self._solved(None).constraint_forces
        )

    @property
    def prescribed_forces(self) -> Array:
        rows = self.mechanism.constraint_rows
        driven = [rows.index(name) for name in prescribed_rows(self.mechanism)]
        return np.asarray(self.solution.multipliers[:, driven])

    @property
    def constraint_power(self) -> Array:
        """λ · J v of every constraint (S, constraints): not zero where motion is prescribed."""
        rate = np.einsum("smn,sn->sm", self.mechanism.constraint_jacobian(self.q), self.v)
        rows = self.solution.multipliers * rate
        constraints = self.mechanism.constraint_solver.equations.constraints
        own = [rows[:, constraints.slices[c.name]].sum(axis=1) for c in constraints.all]
        return np.stack(own, axis=1)

    @property
    def condition(self) -> Array:
        if self.mechanism.constraints:
            return self.mechanism.conditions(self.q, self.moving)
        return np.linalg.cond(self.mechanism.mass_matrix(self.q, **self.bodies))


def flat_forces(forces: ConstraintForces) -> Array:
    """(S, columns): wrenches of constraints between frames, then forces along coordinates."""
    wrench = forces.wrench.reshape(len(forces.wrench), -1)
    return np.concatenate([wrench, forces.axis], axis=1)


def prescribed_rows(m: Mechanism) -> tuple[str, ...]:
    return (*(d.name for d in m.model.prescribed), *m.model.moved)


def may_pull(mechanism: Mechanism) -> bool:
    """Are there parts that `States.pulls` looks at?"""
    if not mechanism.constraints:
        return False
    return not all(map(_watched, pressed(mechanism.constraint_solver.equations)))


def _watched(part: Pressed) -> bool:
    """Is it an event that the loop looks for?"""
    return isinstance(part.part, Contact) and part.direction in part.part.normals
