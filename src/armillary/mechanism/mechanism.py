"""The public face: `Mechanism`, and the ways to get one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from armillary.algorithms.interpreter import Run
from armillary.algorithms.passes import Algorithm
from armillary.constraints.named_states import completed
from armillary.doors import MechanismDoors
from armillary.errors import InputError
from armillary.evaluate.evaluator import Evaluator
from armillary.evaluate.options import CompileOptions
from armillary.mechanism.closed import Constrained
from armillary.model import builder as model_builder
from armillary.model import edit
from armillary.model.describe import counted, describe
from armillary.model.model import Model
from armillary.model.parts import Mass, Pose
from armillary.model.report import Report


class Mechanism(Constrained, MechanismDoors):
    """A mechanism that answers questions.  It never changes: edits give a new one.

    Every method takes a single state, arrays (n,), or a batch, arrays (B, n)."""

    def __init__(self, model: Model, options: CompileOptions | None = None):
        super().__init__(Evaluator(model, options, completed))

    @classmethod
    def with_model(cls, model: Model, options: CompileOptions) -> Mechanism:
        return cls(model, options)

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

    # -- new mechanisms from this one ------------------------------------------------------------

    def lock(self, places: Mapping[str, Any] | Sequence[str]) -> Mechanism:
        """Joints made rigid: {"joint": coordinate(s)}, or names (at their neutral place)."""
        return Mechanism(edit.lock(self.model, places), self.options)

    def unlock(self, names: Sequence[str]) -> Mechanism:
        """Locked joints free again."""
        return Mechanism(edit.unlock(self.model, names), self.options)

    def replace(
        self, bodies: Mapping[str, Mapping[str, Any]] | None = None, **changes: Any
    ) -> Mechanism:
        """Other gravity, base motion or name; other mass, com, inertia, friction of bodies.

        arm.replace(gravity=(0, 0, -1.62), bodies={"hand": {"mass": 1.2}})"""
        return Mechanism(edit.replace_parameters(self.model, bodies, **changes), self.options)

    def subtree(self, root: str, base: str = "fixed") -> Mechanism:
        """The named body and everything beyond it, on a "fixed" or "free" base."""
        return Mechanism(edit.subtree(self.model, root, base), self.options)

    def with_base(self, base: str) -> Mechanism:
        """The same on a "fixed" or "free" base."""
        return Mechanism(edit.with_base(self.model, base), self.options)

    def attach(
        self,
        body: str,
        mass: float,
        com: Sequence[float] = (0.0, 0.0, 0.0),
        inertia: Sequence[float] = (0.0,) * 6,
        at: Pose | None = None,
    ) -> Mechanism:
        """A payload welded to a body: mass, centre, tensor about the centre, in the frame `at`."""
        if len(inertia) not in (3, 6) or len(com) != 3:
            raise InputError(
                f"payload: expected com of 3 and inertia of 3 or 6 numbers, found {len(com)} and "
                f"{len(inertia)}."
            )
        tensor = [float(x) for x in inertia] + [0.0] * (6 - len(inertia))
        x, y, z = (float(c) for c in com)
        payload = Mass(float(mass), (x, y, z), tuple(tensor))  # type: ignore[arg-type]
        return Mechanism(edit.attach(self.model, body, payload, at), self.options)

    @property
    def tree(self) -> Mechanism:
        """The open tree: the same without its loops, couplings, wheels and other constraints.

        A mechanism without constraints is its own tree."""
        open_ = not self.model.constraints and not self.model.set_aside
        return self if open_ else self._open_tree

    @cached_property
    def _open_tree(self) -> Mechanism:
        return Mechanism(edit.open_tree(self.model), self.options)

    def compile(self, **options: Any) -> Mechanism:
        """The same mechanism with other settings: tier=1 or 2, threads=n, budget=operations.

        Nothing is compiled before it is asked for; `compile_report` tells what was."""
        return Mechanism(self.model, replace(self.options, **options))

    def compile_report(self) -> str:
        """Every kernel made so far: tier, lanes, operations, code size, compile time."""
        entries = self.evaluator.explanations()
        if self.model.constraints:
            entries += self.constraint_solver.inverse.compile_report()
            entries += self.constraint_solver.forward.compile_report()
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
        way to symbols.  Every intermediate quantity stands on `.bodies` afterwards."""
        return self.evaluator.interpret(algorithm, inputs, frame=frame, passive=passive, fuse=fuse)

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
        """C99 source of one question about this mechanism: self-contained, no allocation.

        The text says what its arguments are; see docs/symbolic.md."""
        from armillary.mechanism.export import to_c

        return to_c(self, function, name, frame, element, coordinates=coordinates, passive=passive)

    def __reduce__(self) -> tuple:
        return (Mechanism, (self.model, self.options))

    def save(
        self, path: str | os.PathLike[str], overwrite: bool = False, lossy: bool = False
    ) -> Report:
        """Write to a file; the ending chooses the format (.yaml, .urdf, .xml, .csv).

        lossy: leave out what URDF or MJCF cannot express, instead of an error.  Gives a report of
        what the file does not hold, such as the start or meshes that are not found."""
        from armillary import formats

        return formats.write(self.model, path, overwrite=overwrite, lossy=lossy)

    def __repr__(self) -> str:
        bodies = counted(len(self.bodies), "body", "bodies")
        return f"<Mechanism '{self.name}': {bodies}, {self.counts}>"

    def __str__(self) -> str:
        return describe(self.model, str(self.counts))


class Builder(model_builder.Builder):
    """Builds a mechanism part by part; `build()` checks it and gives a `Mechanism`."""

    def build(self) -> Mechanism:  # type: ignore[override]
        return Mechanism(super().build())


def load(
    path: str | os.PathLike[str],
    *,
    base: str | None = None,
    strict: bool = False,
    root: str | os.PathLike[str] | None = None,
    geometry_tolerance: float | None = None,
) -> Mechanism:
    """Read a mechanism from a file: .urdf, .xml (MJCF or URDF), .yaml, .csv (DH table).

    base: "fixed" or "free" (URDF).  strict: refuse what would otherwise be reported.
    root: the folder that the files it names must lie in (default: the package or repository).
    geometry_tolerance: accuracy of its lengths as a part of the machine's size, for loops
    (default: by the digits in the file)."""
    from armillary import formats

    model = formats.read(path, base=base, strict=strict, root=root)
    return Mechanism(model, CompileOptions(geometry_tolerance=geometry_tolerance))


def example(name: str, **options: Any) -> Mechanism:
    """A built-in mechanism by name; `armillary.example_names()` lists them.

    options: what an example lets you choose, as in example("four-bar-ladder", n=40)."""
    from armillary.formats import examples

    return Mechanism(examples.example(name, **options))


def example_names() -> tuple[str, ...]:
    from armillary.formats import examples

    return tuple(examples.example_names())


def dh(rows: Sequence[Mapping[str, Any]], **options: Any) -> Mechanism:
    """A serial arm from Denavit-Hartenberg rows; see `armillary.formats.dh.dh`."""
    from armillary.formats.dh import dh as read

    return Mechanism(read(rows, **options))


def sixparameter(links: Sequence[Mapping[str, Any]], **options: Any) -> Mechanism:
    """A serial chain from six-parameter rows; see `armillary.formats.sixparameter`."""
    from armillary.formats.sixparameter import sixparameter as read

    return Mechanism(read(links, **options))
