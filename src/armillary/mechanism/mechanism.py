"""The public face: `Mechanism`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from armillary.algorithms.interpreter import Run
from armillary.algorithms.passes import Algorithm
from armillary.constraints import questions, solving
from armillary.constraints.counts import Counts, counts
from armillary.doors import MechanismDoors
from armillary.evaluate import configurations, derivatives, dynamics, frame_matrices
from armillary.evaluate.answers import energy_lacks, load_friction_of
from armillary.evaluate.charts import moves
from armillary.evaluate.inputs import Array
from armillary.evaluate.inverse_kinematics import InverseKinematics
from armillary.evaluate.load_friction import LoadFriction
from armillary.mechanism.edits import Edits
from armillary.model.describe import counted, describe
from armillary.model.report import Report


class Mechanism(Edits, MechanismDoors):
    """A mechanism that answers questions.  It never changes: edits give a new one.

    Every method takes a single state, arrays (n,), or a batch, arrays (B, n)."""

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def nq(self) -> int:
        """Number of position coordinates."""
        return self.model.nq

    @property
    def nv(self) -> int:
        """Number of degrees of freedom."""
        return self.model.nv

    @property
    def bodies(self) -> tuple[str, ...]:
        return tuple(body.name for body in self.model.bodies)

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of all joints, fixed ones included, in body order."""
        return tuple(body.joint.name for body in self.model.bodies)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints that move, in the order of v."""
        return self.model.moving_joints

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of all frames: world, bodies and extra ones."""
        return tuple(self.model.frame_index)

    @property
    def q_labels(self) -> tuple[str, ...]:
        return self.model.q_labels

    @property
    def v_labels(self) -> tuple[str, ...]:
        return self.model.v_labels

    @property
    def q_units(self) -> tuple[str, ...]:
        """Unit of each entry of q: "rad", "m" or "1" (of a quaternion)."""
        return self.model.q_units

    @property
    def v_units(self) -> tuple[str, ...]:
        """Unit of each entry of v, less "per second": "rad" or "m"."""
        return self.model.v_units

    @property
    def gravity(self) -> tuple[float, float, float]:
        return self.model.gravity

    @property
    def report(self) -> Report:
        """What was read, assumed, repaired and ignored."""
        return self.model.report

    @property
    def constraints(self) -> tuple[str, ...]:
        """Names of everything that constrains the mechanism beyond its tree."""
        return tuple(part.name for part in self.model.constraints)

    @property
    def constraint_rows(self) -> tuple[str, ...]:
        """One name per constraint row: constraint.row."""
        return self.constraint_solver.equations.constraints.labels if self.constraints else ()

    @property
    def geometry_tolerance(self) -> float:
        """Accuracy of the constraints' geometry, of the machine's size: given, or by its digits."""
        return self.constraint_solver.equations.geometry_tolerance if self.constraints else 0.0

    @cached_property
    def counts(self) -> Counts:
        """Degrees of freedom where it starts, coordinates of the tree and constraint rows."""
        return counts(self.model, lambda: self.constraint_solver)

    @property
    def parameters(self) -> Array:
        """Inertias (10 * bodies) in the order of the regressor, then numbers of force elements."""
        of = derivatives.parameter_values
        return self.evaluator.memo.once("parameters", lambda: of(self.model)).copy()

    @property
    def parameter_names(self) -> tuple[str, ...]:
        return derivatives.parameter_names(self.model)

    @property
    def offset_names(self) -> tuple[str, ...]:
        """Entries of `offsets=` and columns of `offset_jacobian`: body.rx .. body.dz of its joint
        frame: a turn vector (rad) about and a shift (m) along its own axes."""
        return derivatives.offset_names(self.model)

    @property
    def initial(self) -> Array:
        """q to start from: the one the source gives, else the neutral one."""
        return np.array(self.model.start())

    @property
    def additive(self) -> bool:
        """Do all joints move by plain addition?"""
        return moves(self.evaluator).flat

    def neutral(self) -> Array:
        """q (nq) with every joint closed and untwisted."""
        return np.array(self.model.neutral())

    @property
    def energy_lacks(self) -> str:
        """What `energy` does not know, in words; empty where it knows everything."""
        return energy_lacks(self.model)

    @property
    def load_friction(self) -> LoadFriction:
        """Friction of joints that depends on their loads."""
        if self.constraints:
            return self.constraint_solver.load_friction
        return load_friction_of(self.evaluator)

    # -- questions beside those of the table, one line each --------------------------------------

    transform = frame_matrices.transform
    homogeneous = frame_matrices.homogeneous
    quaternion = frame_matrices.quaternion
    wrench_at = frame_matrices.wrench_at
    spatial_inertia = frame_matrices.spatial_inertia
    joint_space = frame_matrices.joint_space
    random_state = configurations.random_state
    integrate = configurations.integrate
    difference = configurations.difference
    base_parameters = dynamics.base_parameters
    constraint_jacobian = questions.constraint_jacobian
    constraint_residual = questions.constraint_residual
    constraint_rate = questions.constraint_rate
    solve = solving.solve
    mobility = questions.mobility
    conditions = questions.conditions
    assemble = questions.assemble
    project = questions.project
    project_acceleration = questions.project_acceleration
    actuator_forces = questions.actuator_forces
    driving_forces = questions.driving_forces
    holding_forces = questions.holding_forces

    @cached_property
    def inverse_kinematics(self) -> InverseKinematics:
        """q that brings a frame to a pose; constraints are kept."""
        closing = self.constraint_solver.closing if self.constraints else None
        return InverseKinematics(self.evaluator, closing)

    def compile_report(self) -> str:
        """Every kernel made so far; of a closed mechanism also which code answers what."""
        closed = self.constraint_solver.compile_report() if self.model.constraints else ()
        entries = [*closed, *self.evaluator.explanations()]
        return "\n".join(map(str, entries)) or "nothing compiled yet"

    def interpret(
        self,
        algorithm: Algorithm,
        inputs: Mapping[str, Any],
        *,
        frame: str | None = None,
        passive: bool = True,
        fuse: bool = True,
    ) -> Run:
        """Run an algorithm in plain Python on any scalars: the oracle of the compiler, and the
        way to symbols.  Every intermediate quantity stands on `.bodies` afterwards.  Dynamics of
        a closed mechanism keep its constraints; the open tree is `mechanism.tree`."""
        from armillary.mechanism.symbolic import interpret

        return interpret(self, algorithm, inputs, frame=frame, passive=passive, fuse=fuse)

    def to_c(
        self,
        function: str = "inverse_dynamics",
        name: str | None = None,
        frame: str | None = None,
        element: str = "double",
        *,
        coordinates: str = "local",
        passive: bool = True,
    ) -> str:
        """C99 source of one question: self-contained, no allocation; see docs/symbolic.md."""
        from armillary.mechanism.export import to_c

        return to_c(self, function, name, frame, element, coordinates=coordinates, passive=passive)

    def __reduce__(self) -> tuple:
        return (Mechanism, (self.model, self.options))

    def save(
        self,
        path: str | os.PathLike[str],
        overwrite: bool = False,
        lossy: bool = False,
        format: str | None = None,
    ) -> Report:
        """Write to a file; the ending chooses the format (.yaml, .urdf, .xml, .csv), or `format`
        does: native, urdf, mjcf, dh, sixparameter (.csv or .yaml).

        lossy: leave out what URDF or MJCF cannot express, instead of an error.  Gives a report of
        what the file does not hold, such as the start or meshes that are not found."""
        from armillary import formats

        return formats.write(self.model, path, format, overwrite=overwrite, lossy=lossy)

    def __repr__(self) -> str:
        bodies = counted(len(self.bodies), "body", "bodies")
        return f"<Mechanism '{self.name}': {bodies}, {self.counts}>"

    def __str__(self) -> str:
        return describe(self.model, str(self.counts))
