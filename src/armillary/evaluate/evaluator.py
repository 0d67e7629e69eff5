"""The evaluator of a mechanism: it checks inputs, has programs made and calls them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armillary.algorithms.passes import Algorithm, Base
from armillary.algorithms.tree.forward_dynamics import forward_dynamics
from armillary.codegen.target import native
from armillary.errors import InputError, ModelError
from armillary.evaluate.derivatives import offset_names, parameter_names
from armillary.evaluate.inputs import (
    Array,
    common_rows,
    refuse_not_finite,
    result_type,
    rows,
    wrenches,
)
from armillary.evaluate.memo import Memo
from armillary.evaluate.named_states import Inputs, completed_tree
from armillary.evaluate.places import Place, side_by_side
from armillary.evaluate.request import CompileOptions, Load, Request
from armillary.model.checks import NO_LENGTH
from armillary.model.elements.element import ForceElement
from armillary.model.lowering.constraint_table import ConstraintTable
from armillary.model.lowering.tree import PER_BODY, Tables, lower, minimal_inertias, parametric
from armillary.model.model import Model
from armillary.scalar import Scalar
from armillary.spatial import Motion, Vector

if TYPE_CHECKING:
    from armillary.algorithms.interpreter import Run
    from armillary.evaluate.program import Explanation, Program, Verify
    from armillary.evaluate.specialise import Number

_LOADS = 8  # sets of frames per algorithm whose wrenches get code of their own
External = Mapping[str, ArrayLike] | None


Completion = Callable[["Evaluator", Inputs], dict[str, ArrayLike]]


class Evaluator:
    """A frozen model with its compiled functions: the one way inside the package from an algorithm
    to numbers."""

    def __init__(
        self,
        model: Model,
        options: CompileOptions | None = None,
        complete: Completion | None = None,
    ):
        """complete: makes arrays of states by name; None: as of a tree."""
        self.model = model
        self.options = options or CompileOptions()
        self._complete = complete
        self._tables: dict[tuple[bool, bool, bool], Tables] = {}
        self._kernels: dict[tuple, Program] = {}
        self._loads: dict[Algorithm, list[tuple[Load, ...]]] = {}  # frames of wrenches
        self._places: dict[tuple[str, bool], Place] = {}
        self.memo = Memo()  # what upper rooms make once: loops over time, other prescribed motions
        self.inertia_checked = False

    # -- tables ----------------------------------------------------------------------------------

    def tables(self, fuse: bool = True, passive: bool = True, minimal: bool = False) -> Tables:
        key = (fuse, passive, minimal)
        if key not in self._tables:
            lowered = self.tables(fuse, passive) if minimal else lower(self.model, fuse, passive)
            self._tables[key] = minimal_inertias(lowered) if minimal else lowered
        return self._tables[key]

    @property
    def moving_base(self) -> bool:
        return any(self.model.base_velocity) or any(self.model.base_acceleration)

    @property
    def vertical_gravity(self) -> bool:
        """Gravity along z, and first joints with one axis: its zeros reach beyond them."""
        tables = self.tables()
        roots = [b for b, p in zip(tables.bodies, tables.parents, strict=True) if p < 0]
        return not any(self.model.gravity[:2]) and all(b.joint.nv == 1 for b in roots)

    def base(self) -> Base:
        """Gravity and base motion as plain floats; the given acceleration is the origin's."""
        velocity = Motion.from_leaves(self.model.base_velocity or (0.0,) * 6)
        acceleration = Motion.from_leaves(self.model.base_acceleration or (0.0,) * 6)
        if not self.moving_base:
            return Base(Vector(*self.model.gravity), Motion.zero(), Motion.zero())
        return Base(Vector(*self.model.gravity), velocity, acceleration.spatial(velocity))

    @cached_property
    def base_numbers(self) -> Array:
        """Gravity and base motion as the kernels read them; loops may be open."""
        base = self.base()
        numbers = (*base.gravity, *base.velocity.leaves(), *base.acceleration.leaves(), np.inf)
        return np.array([float(x) for x in numbers])

    @cached_property
    def closed_base_numbers(self) -> Array:
        """The same, for answers at closed positions only."""
        return np.array([*self.base_numbers[:-1], 1.0])

    def place(self, frame: str, fuse: bool = True) -> Place:
        """Where a named frame lives in the tables."""
        if not isinstance(frame, str):
            raise InputError(f"there is no frame {frame!r}; expected the name of a frame or body.")
        key = (frame, fuse)
        if key not in self._places:
            part = self.model.frame(frame)
            X_FB = part.pose.transform()
            number = self.model.index[part.body]
            if number < 0:
                self._places[key] = Place(-1, X_FB)
            else:
                carrier = self.tables(fuse).carriers[number]
                self._places[key] = Place(carrier.kernel, X_FB @ carrier.X_BK)
        return self._places[key]

    # -- calls -----------------------------------------------------------------------------------

    def run(
        self,
        algorithm: Algorithm,
        inputs: Inputs,
        external: External = None,
        *,
        frame: str | None = None,
        passive: bool = True,
        fuse: bool = True,
        out: Mapping[str, Array | None] | None = None,
        bodies: Mapping[str, ArrayLike | None] | None = None,
    ) -> dict[str, Array]:
        """Check the inputs, run the compiled algorithm, and drop the batch axis of single states.

        frame results of a frame on the world are not computed here: see `Place.kernel`.
        bodies: numbers instead of the model's, by the names of `PER_BODY`."""
        parts = self.checked(inputs)
        for name, value in (bodies or {}).items():
            if value is not None:
                parts[name] = rows(name, value, self.body_labels(name))
        given = wrenches(external)
        count, single = common_rows(parts | {f"external['{n}']": p for n, p in given.items()})
        arrays = {name: array for name, (array, _) in parts.items()}
        kernels, loaded = self.kernels_for(algorithm, arrays, fuse, passive, tuple(given))
        if loaded:
            arrays["external"] = side_by_side([array for array, _ in given.values()])
        elif given:
            arrays["external"] = self.external_rows(given, count, kernels.tables)
        spot = None
        if frame is not None:
            place = self.place(frame, kernels.tables.fused)
            spot = (place.kernel, place.numbers())
        dtype = result_type(*inputs.values())
        given_out = {name: array for name, array in (out or {}).items() if array is not None}
        results = kernels(arrays, count, self.base_numbers, spot, dtype, given_out, single)
        if not single:
            return results
        self.refuse_not_finite(arrays, *results.values())
        return {name: r[0] for name, r in results.items()}

    def undefined_elements(self, given: Mapping[str, Array]) -> list[ForceElement]:
        """Force elements whose force is undefined at one state: springs whose ends coincide."""
        from armillary.evaluate.needs import undefined_elements

        return undefined_elements(self.model, given, self.interpret)

    def refuse_not_finite(self, given: Mapping[str, Array], *results: Array) -> None:
        """See `refuse_not_finite`; force elements whose force is undefined there are named."""
        if all(np.isfinite(result).all() for result in results):
            return
        from armillary.evaluate.needs import refuse_locked, refuse_undefined_elements

        refuse_undefined_elements(self.undefined_elements(given))
        refuse_locked(self.model, given)
        rates = dict.fromkeys(given, self.model.v_labels)
        refuse_not_finite(given, rates | {"q": self.model.q_labels}, *results)

    def kernels_for(
        self,
        algorithm: Algorithm,
        given: Collection[str],
        fuse: bool,
        passive: bool,
        frames: tuple[str, ...] = (),
    ) -> tuple[Program, bool]:
        """A program that reads what is given, and wrenches in these frames; and whether it reads
        those as they are, side by side, instead of all bodies': in straight-line code, where it is
        short enough, for the first few sets of frames."""
        known = {*given, *(("external",) if frames else ())}
        reads = tuple(name for name in (*algorithm.reads, *PER_BODY) if name in known)
        if frames and not set(PER_BODY) & set(reads):
            places = [self.place(name, fuse) for name in frames]
            loads = tuple(Load(p.kernel, tuple(p.numbers().tolist())) for p in places)
            seen = self._loads.setdefault(algorithm, [])
            if loads not in seen and len(seen) < _LOADS and native():
                seen.append(loads)
            if loads in seen:
                kernels = self.kernels_of(algorithm, reads, fuse, passive, loads)
                if kernels.straight():
                    return kernels, True
        return self.kernels_of(algorithm, reads, fuse, passive), False

    def kernels_of(
        self,
        algorithm: Algorithm,
        reads: tuple[str, ...],
        fuse: bool,
        passive: bool,
        loads: tuple[Load, ...] = (),
    ) -> Program:
        key = (algorithm, reads, fuse, passive, loads)
        if key not in self._kernels:
            # the compiler is imported when the first question is asked
            from armillary.evaluate.program import Program

            request = Request(algorithm, reads, self.moving_base, self.vertical_gravity, loads)
            verify = self._verify(algorithm, passive)
            if set(PER_BODY) & set(reads):
                self._kernels[key] = self._of_given_bodies(request, fuse, passive, verify)
            else:
                tables = self.tables(fuse, passive, minimal=fuse and algorithm.joint_level())
                self._kernels[key] = Program(request, tables, self.options, verify)
        return self._kernels[key]

    def _verify(self, algorithm: Algorithm, passive: bool) -> Verify | None:
        """New code of forward dynamics is tried against the interpreter."""
        if algorithm is not forward_dynamics or (passive and self.model.load_dependent_joints):
            return None
        from armillary.evaluate.verify import of_tree

        return of_tree(self, passive)

    def _of_given_bodies(
        self, request: Request, fuse: bool, passive: bool, verify: Verify | None
    ) -> Program:
        """Program with bodies as inputs: straight-line code where it is short enough, else loops
        over every body of the model, welded ones too."""
        from armillary.evaluate.program import Program

        # code about a frame is made per frame, and its length not known beforehand
        fuse = fuse and "offsets" not in request.reads and not request.algorithm.needs_frame()
        if self.model.varied and "parameters" in request.reads:  # loops know bodies alone
            options = replace(self.options, tier=2)
            return Program(request, parametric(self.model, fuse, passive), options, verify)
        kernels = Program(request, parametric(self.model, fuse, passive), self.options, verify)
        if not fuse or kernels.straight():
            return kernels
        options = replace(self.options, tier=1)
        return Program(request, parametric(self.model, False, passive), options, verify)

    def body_labels(self, name: str) -> tuple[str, ...]:
        return {"parameters": parameter_names, "offsets": offset_names}[name](self.model)

    def explanations(self, algorithm: str | None = None) -> list[Explanation]:
        """What was compiled: of one algorithm by name, or everything."""
        return [
            entry
            for (asked, *_), kernels in self._kernels.items()
            if algorithm in (None, asked.name)
            for entry in kernels.explanations
        ]

    def refuse_massless(self) -> None:
        """Forward dynamics needs inertia behind every joint."""
        if not self.inertia_checked:
            from armillary.evaluate.needs import refuse_no_inertia

            refuse_no_inertia(self.model, self.tables(), self.interpret)
            self.inertia_checked = True

    def refuse_load_friction(self, what: str) -> None:
        """M a + h = tau, and nothing else, is what some questions are made of."""
        if self.model.load_dependent_joints:
            raise ModelError(
                f"{what}: friction of joint '{self.model.load_dependent_joints[0]}' depends on its "
                f"load (load_radial, load_axial, load_moment or load_drive), which is possible in "
                f"`forward_dynamics`, `solve`, `simulate` and the `inverse_dynamics` of a tree. "
                f"Give the joint `coulomb` friction instead, or pass passive=False (of "
                f"GravityCompensation: springs=False) where the question has it."
            )

    def complete(self, inputs: Inputs) -> dict[str, ArrayLike]:
        """The states of a question as arrays.  What is not named in a dictionary is, in a tree,
        where the mechanism starts or zero; in a closed mechanism it follows from what is."""
        if not any(isinstance(x, Mapping) for x in inputs.values()):
            return inputs  # type: ignore[return-value]
        if self._complete is None:
            return completed_tree(self.model, inputs)
        return self._complete(self, inputs)

    def checked(self, inputs: Inputs) -> dict[str, tuple[Array, bool]]:
        """The states of a question as rows, and which are single: `rows`."""
        return {name: self.check(name, x) for name, x in self.complete(inputs).items()}

    def check(self, name: str, value: ArrayLike) -> tuple[Array, bool]:
        if name == "q":
            q, single = rows(name, value, self.model.q_labels)
            if single:
                self._refuse_zero_quaternions(q[0])
            return q, single
        return rows(name, value, self.model.v_labels)

    def _refuse_zero_quaternions(self, q: Array) -> None:
        """A quaternion of any length is scaled, but one of length zero has no direction."""
        if not self.quaternions or (abs(q[self._quaternion_entries]) > NO_LENGTH).any(axis=1).all():
            return
        for k in self.quaternions:
            if not (abs(q[k : k + 4]) > NO_LENGTH).any():
                raise InputError(
                    f"q: the quaternion at entry {k} ('{self.model.q_labels[k]}', ...) is zero; "
                    f"(1, 0, 0, 0) is no turn."
                )

    @cached_property
    def quaternions(self) -> tuple[int, ...]:
        """Where quaternions start in q."""
        return tuple(
            slot.q.start
            for joint, slot in zip(self.model.joints, self.model.slots, strict=True)
            if joint.nq != joint.nv
        )

    @cached_property
    def _quaternion_entries(self) -> NDArray[np.intp]:
        """(quaternions, 4) entries of q."""
        return np.add.outer(np.array(self.quaternions, np.intp), np.arange(4))

    def external_rows(
        self, given: dict[str, tuple[Array, bool]], count: int, tables: Tables
    ) -> Array:
        """Wrenches by frame name, carried to the bodies of the tables: (count, 6 * bodies)."""
        total = np.zeros((count, len(tables.bodies), 6))
        for name, (wrench, _) in given.items():
            place = self.place(name, tables.fused)
            if place.kernel >= 0:  # a force on the ground moves nothing
                own = tables.bodies[place.kernel].own
                total[:, place.kernel] += place.carried(wrench, own)
        return total.reshape(count, 6 * len(tables.bodies))

    def interpret(
        self,
        algorithm: Algorithm,
        inputs: Mapping[str, Sequence[Scalar]],
        *,
        frame: str | None = None,
        passive: bool = True,
        fuse: bool = True,
        minimal: bool = False,
        constraints: ConstraintTable | None = None,
        number: Number | None = None,
    ) -> Run:
        """Run an algorithm in plain Python on any scalars: the oracle of the compiler, and the
        way to symbols.  Every intermediate quantity stands on `.bodies` afterwards.

        number: turns the constants of the mechanism into other scalars first (mpmath.mpf, nodes of
        a graph).  constraints: those that the algorithm is to keep."""
        from armillary.evaluate.specialise import specialise

        spot = None
        if frame is not None:
            place = self.place(frame, fuse)
            spot = (place.kernel, place.X)
        tables = replace(self.tables(fuse, passive, minimal), constraints=constraints)
        return specialise(algorithm, tables, self.base(), inputs, spot, number)

    def inlined(
        self,
        algorithm: Algorithm,
        inputs: Mapping[str, Sequence[Scalar]],
        *,
        frame: str | None = None,
        passive: bool = True,
        constraints: ConstraintTable | None = None,
    ) -> Run:
        """An algorithm as a part of something that is being traced, such as a controller: some
        inputs are nodes."""
        from armillary.evaluate.specialise import structural
        from armillary.graph.expr import Node

        graph = next(x.graph for numbers in inputs.values() for x in numbers if isinstance(x, Node))
        return self.interpret(
            algorithm,
            inputs,
            frame=frame,
            passive=passive,
            minimal=algorithm.joint_level(),
            constraints=constraints,
            number=structural(graph),
        )
