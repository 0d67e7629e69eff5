"""Accelerations of constrained mechanisms: a traced kernel first, the robust one behind it.

The traced kernel marks states it is not sure of (next to singularities, contradictory rows) as
not a number; those go to the null-space solution one by one.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armillary.algorithms.constrained import constrained_dynamics
from armillary.algorithms.passes import Algorithm
from armillary.constraints.equations import Equations
from armillary.constraints.load_friction import ConstrainedLoadFriction
from armillary.constraints.moving import Prescribed, RowMotion, of_states, rows_of
from armillary.constraints.plan import plan_of
from armillary.constraints.prescribed import with_prescribed
from armillary.constraints.states import answerable, blanked, solvable
from armillary.errors import InputError
from armillary.evaluate.evaluator import Evaluator, External
from armillary.evaluate.inputs import Array, checked_out, result_type, wrench_rows
from armillary.evaluate.questions import Question
from armillary.model.model import Model

if TYPE_CHECKING:
    from armillary.constraints.derivatives import ConstrainedDerivatives
    from armillary.constraints.large import LargeSystem
    from armillary.evaluate.kernels import Explanation, Kernels


class ConstrainedForwardDynamics(Question):
    """Accelerations a (nv) for the joint forces tau; every constraint is kept.

    Rows may be redundant, the configuration singular: the motion is exact where it is unique.
    Rows that contradict each other give the least-squares motion (`solve` names them).
    prescribed: prescribed accelerations by name of a constraint or joint, or a `RowMotion`.
    baumgarte: rates (alpha, beta) in 1/s that pull rows back which drifted open; `project` does it
    without a trace in the forces."""

    algorithm = Algorithm("constrained_dynamics", (), lambda g: {})  # made with its plan
    result = "a"

    def __init__(self, equations: Equations):
        super().__init__(equations.evaluator)
        self._equations = equations
        self._made: dict[tuple[tuple[str, ...], bool], Kernels | None] = {}
        self._large: dict[bool, LargeSystem] = {}
        self._seconds: dict[bool, Kernels | None] = {}

    def __call__(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        external: External = None,
        passive: bool = True,
        out: Array | None = None,
        prescribed: Prescribed = None,
        baumgarte: tuple[float, float] | None = None,
        parameters: ArrayLike | None = None,
    ) -> Array:
        model, prescribed = with_prescribed(self._evaluator.model, prescribed)
        if model is not self._evaluator.model:
            given = (external, passive, out, prescribed, baumgarte, parameters)
            return self._of_driven(model)(q, v, tau, *given)
        equations = self._equations
        if passive and self._evaluator.model.load_dependent_joints:
            options = {"prescribed": prescribed, "baumgarte": baumgarte, "parameters": parameters}
            return self._by_load(equations, {"q": q, "v": v, "tau": tau}, external, out, options)
        if parameters is not None:
            return self._other(
                equations, (q, v, tau), external, passive, out, prescribed, parameters
            )
        dtype = result_type(q, v, tau)
        arrays, single = equations.check_states(q=q, v=v, tau=tau)
        if baumgarte is not None:
            prescribed = _pulled(equations, arrays, prescribed, baumgarte)
        a = self._traced(equations, arrays, external, passive, prescribed, dtype)
        doubtful: NDArray[np.bool_] | None = None
        if a is None:
            a, doubtful = self._played(equations, arrays, external, passive, prescribed)
            a = a.astype(dtype, copy=False)
        elif not np.isfinite(a.sum()):
            doubtful = np.asarray(~np.isfinite(a).all(axis=1), bool)
        if doubtful is not None and doubtful.any():
            self._resolve(equations, arrays, a, doubtful, external, passive, prescribed)
        if single:
            self._evaluator.refuse_not_finite(arrays, a)
        result = a[0] if single else a
        if self._fast is not None and dtype == np.float64:
            self._switch_on(("q", "v", "tau"), result)
        return self._given(result, out, dtype)

    def _of_driven(self, model: Model) -> ConstrainedForwardDynamics:
        """The same of a model with other prescribed motions, made once."""
        evaluator = self._evaluator

        def make() -> ConstrainedForwardDynamics:
            return ConstrainedForwardDynamics(Equations(Evaluator(model, evaluator.options)))

        return evaluator.memo.once(("driven forward dynamics", model.prescribed), make)

    @cached_property
    def load_friction(self) -> ConstrainedLoadFriction:
        return ConstrainedLoadFriction(self._evaluator)

    def _by_load(
        self, equations: Equations, state: dict[str, ArrayLike], external: External,
        out: Array | None, options: dict[str, Any],
    ) -> Array:  # fmt: skip
        """Friction is that of the loads it causes (loaded.py)."""
        arrays, single = equations.check_states(**state)
        numbers = options["parameters"]
        if np.ndim(numbers) == 2 and len(arrays["q"]) == 1:
            arrays = {name: np.tile(x, (len(numbers), 1)) for name, x in arrays.items()}
            single = False
        _, arrays, external, bad = solvable(
            equations,
            arrays,
            single,
            external,
            False,
            prescribed=options["prescribed"],
            parameters=numbers,
        )
        a = self.load_friction.friction_of(arrays, external, **options)[0]
        a = blanked(a, bad)
        if single:
            self._evaluator.refuse_not_finite(arrays, a)
        dtype = result_type(*state.values())
        return self._given((a[0] if single else a).astype(dtype, copy=False), out, dtype)

    def _other(
        self, equations: Equations, state: tuple[ArrayLike, ...], external: External, passive: bool,
        out: Array | None, prescribed: Prescribed, parameters: ArrayLike,
    ) -> Array:  # fmt: skip
        """With other inertias than the model's."""
        q, v, tau = state
        arrays, single = equations.check_states(q=q, v=v, tau=tau)
        numbers = np.asarray(parameters, float)
        single = single and numbers.ndim == 1
        if numbers.ndim == 2 and len(arrays["q"]) == 1:
            arrays = {name: np.tile(x, (len(numbers), 1)) for name, x in arrays.items()}
        q, v, tau = arrays["q"], arrays["v"], arrays["tau"]
        count = len(q)
        a = np.full(v.shape, np.nan)
        kernels = self.kernels(("q", "v", "tau", "parameters"), passive)
        if kernels is not None and not external and not prescribed:
            inputs = {**arrays, "parameters": np.atleast_2d(numbers)}
            a = kernels(inputs, count, self._evaluator.base_numbers)["a"]
        left = np.flatnonzero(~np.isfinite(a).all(axis=1))
        if len(left):
            system = equations.system(
                q, v, tau, external, passive, prescribed, parameters=parameters
            )
            for k in left[answerable(system)[left]]:
                a[k] = equations.answer(system, int(k)).a
        if single:
            self._evaluator.refuse_not_finite(arrays, a)
        return self._given(a[0] if single else a, out, np.float64)

    @staticmethod
    def _given(a: Array, out: Array | None, dtype: Any) -> Array:
        if out is None:
            return a
        checked_out(out, a.shape, dtype)[...] = a
        return out

    def _resolve(
        self, equations: Equations, arrays: dict[str, Array], a: Array, doubtful: NDArray[np.bool_],
        external: External, passive: bool, prescribed: Prescribed,
    ) -> None:  # fmt: skip
        """Doubtful states by the null-space solution; states that are not finite stay so."""
        for array in arrays.values():
            doubtful = doubtful & np.isfinite(array).all(axis=1)
        rows = self._second(equations, arrays, a, doubtful, external, passive, prescribed)
        if not len(rows):
            return
        some = {name: np.ascontiguousarray(array[rows]) for name, array in arrays.items()}
        count = len(doubtful)
        wrenches = {}
        for name, x in (external or {}).items():
            own, one = wrench_rows(name, x)
            wrenches[name] = own[0] if one else rows_of(own, rows, count)
        given = of_states(prescribed, rows, count)
        system = equations.system(some["q"], some["v"], some["tau"], wrenches, passive, given)
        for k in np.flatnonzero(answerable(system)):
            a[rows[k]] = equations.answer(system, int(k)).a

    def _second(
        self, equations: Equations, arrays: dict[str, Array], a: Array, doubtful: NDArray[np.bool_],
        external: External, passive: bool, prescribed: Prescribed,
    ) -> NDArray[np.intp]:  # fmt: skip
        """Plain doubtful states by the regularised kernel, which has no dependent coordinates that
        could go singular.  Gives those that are still in doubt."""
        from armillary.constraints.projection import may_be_traced

        rows = np.flatnonzero(doubtful)
        traced = equations.constraints.ideal and may_be_traced(equations)
        if external or prescribed or not len(rows) or not traced:
            return rows
        if plan_of(equations).pivots is None:
            return rows
        if passive not in self._seconds:
            from armillary.constraints.plan import make_plan
            from armillary.constraints.projection import traced_kernels

            plan = make_plan(equations, embed=False)
            self._seconds[passive] = traced_kernels(
                equations, constrained_dynamics(plan), ("q", "v", "tau"), passive, verified=True
            )
        kernels = self._seconds[passive]
        if kernels is None:
            return rows
        some = {name: np.ascontiguousarray(array[rows]) for name, array in arrays.items()}
        found = kernels(some, len(rows), self._evaluator.base_numbers)["a"]
        good = np.isfinite(found).all(axis=1)
        a[rows[good]] = found[good]
        return rows[~good]

    def _played(
        self, equations: Equations, arrays: dict[str, Array], external: External, passive: bool,
        prescribed: Prescribed,
    ) -> tuple[Array, NDArray[np.bool_]]:  # fmt: skip
        """Accelerations by sparse elimination, and which of them are in doubt."""
        if not equations.constraints.ideal:
            return np.full(arrays["v"].shape, np.nan), np.ones(len(arrays["q"]), bool)
        from armillary.constraints.large import LargeSystem

        if passive not in self._large:
            large = LargeSystem(equations, passive)
            if large.massless:  # is every free motion opposed by some inertia?  It raises if not
                q, v, tau = (arrays[name][:1] for name in ("q", "v", "tau"))
                equations.answer(equations.system(q, v, tau, passive=passive), 0)
            self._large[passive] = large
        drive = equations.prescribed_rows(prescribed, len(arrays["q"]))
        return self._large[passive].accelerations(**arrays, external=external, drive=drive)

    # -- the traced kernel -----------------------------------------------------------------------

    def _traced(
        self, equations: Equations, arrays: dict[str, Array], external: External, passive: bool,
        prescribed: Prescribed, dtype: Any,
    ) -> Array | None:  # fmt: skip
        """Accelerations of all states, or None where there is no traced kernel."""
        reads = (
            ("q", "v", "tau") + ("external",) * bool(external) + ("prescribed",) * bool(prescribed)
        )
        kernels = self.kernels(reads, passive)
        if kernels is None:
            return None
        evaluator, count = self._evaluator, len(arrays["q"])
        inputs = dict(arrays)
        if external:
            given = {name: wrench_rows(name, x) for name, x in external.items()}
            inputs["external"] = evaluator.external_rows(given, count, kernels.tables)
        if prescribed:
            inputs["prescribed"] = equations.prescribed_rows(prescribed, count)
        # in double precision: seven digits cannot prove an answer
        return kernels(inputs, count, evaluator.base_numbers)["a"].astype(dtype, copy=False)

    def kernels(self, reads: tuple[str, ...], passive: bool) -> Kernels | None:
        """Compiled solutions that read these inputs; None where there are none."""
        key = (reads, passive)
        if key not in self._made:
            self._made[key] = self._make(reads, passive)
        return self._made[key]

    def _make(self, reads: tuple[str, ...], passive: bool) -> Kernels | None:
        from armillary.constraints.projection import may_be_traced, traced_kernels

        equations = self._equations
        if not equations.constraints.ideal or not may_be_traced(equations):
            return None
        dynamics = constrained_dynamics(plan_of(equations))
        return traced_kernels(equations, dynamics, reads, passive, verified=True)

    def _switch_on(self, reads: tuple[str, ...], like: Array) -> None:
        """Serve states natively from now on; what the kernel doubts (NaN) comes back here."""
        kernels = self._made.get((reads, True))
        if kernels is None:
            return
        if like.ndim == 1 and not self._fast.ready:
            self._fast.switch_on(kernels.kernel(False, "double"), self._evaluator.base_numbers)
        if like.ndim == 2 and "float64" not in self._fast.batches:
            kernel = kernels.of_plain_batches(like)
            if kernel is not None:
                self._fast.switch_on_batch(kernel, self._evaluator.base_numbers, checked=True)

    def derivatives(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, external: External = None,
        passive: bool = True,
    ) -> ConstrainedDerivatives:  # fmt: skip
        """d a / d(q, v, tau): along the variations the constraints admit (`motions`,
        `velocities`), and as matrices (nv, nv) of the nearest admissible state (`full`)."""
        from armillary.constraints.derivatives import derivatives

        equations = self._equations
        arrays, single = equations.check_states(q=q, v=v, tau=tau)
        system, _, external, bad = solvable(equations, arrays, single, external, passive)
        return blanked(derivatives(equations, system, external, passive, single), bad)

    def jvp(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, dq: ArrayLike | None = None,
        dv: ArrayLike | None = None, dtau: ArrayLike | None = None, external: External = None,
        passive: bool = True,
    ) -> Array:  # fmt: skip
        """Change of a (nv) for small changes of q (tangent), v and tau, by `derivatives`."""
        changes = (0.0 if x is None else x for x in (dq, dv, dtau))
        return self.derivatives(q, v, tau, external, passive).jvp(*changes)

    def vjp(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, weight: ArrayLike,
        external: External = None, passive: bool = True,
    ) -> tuple[Array, Array, Array]:  # fmt: skip
        """Gradient of weight · a with respect to q (tangent), v and tau, by `derivatives`."""
        return self.derivatives(q, v, tau, external, passive).vjp(weight)

    def parameter_jacobian(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Array:
        """d a / d inertias (nv, 10 bodies) = -N (N^T M N)^-1 N^T Y; names:
        `mechanism.parameter_names`."""
        from armillary.constraints.derivatives import responses

        equations = self._equations
        arrays, single = equations.check_states(q=q, v=v, tau=tau)
        system, arrays, _, bad = solvable(equations, arrays, single)
        answers = [equations.answer(system, k) for k in range(len(arrays["q"]))]
        a = np.array([x.a for x in answers]).reshape(arrays["v"].shape)
        Y = equations.tree.regressor(arrays["q"], arrays["v"], a)
        found = [-responses(equations, system, k, x.factor) @ Y[k] for k, x in enumerate(answers)]
        return found[0] if single else blanked(np.array(found).reshape(Y.shape), bad)

    def offset_jacobian(self, *args: Any, **options: Any) -> Any:
        """Refused: moved joint frames open the loops."""
        raise InputError(
            f"forward_dynamics.offset_jacobian: '{self._evaluator.model.name}' is closed, and "
            f"joint frames that move open its constraints. Ask mechanism.tree.forward_dynamics."
            f"offset_jacobian(...) for its open tree."
        )

    def compile_report(self) -> list[Explanation]:
        """Tier, operations, code size and compile time of every kernel made so far."""
        made = [kernels for kernels in self._made.values() if kernels is not None]
        return [entry for kernels in made for entry in kernels.explanations]


def _pulled(
    equations: Equations,
    arrays: dict[str, Array],
    prescribed: Prescribed,
    baumgarte: tuple[float, float],
) -> dict[str, ArrayLike]:
    """Prescribed accelerations with Baumgarte's pull on top, by constraint name."""
    moving = prescribed if isinstance(prescribed, RowMotion) else None
    terms = equations.terms(arrays["q"], arrays["v"], moving)
    extra = equations.pull(terms, baumgarte) + equations.prescribed_rows(
        prescribed, len(arrays["q"])
    )
    result: dict[str, ArrayLike] = {}
    for constraint in equations.constraints.all:
        rows = extra[:, equations.constraints.slices[constraint.name]]
        result[constraint.name] = rows + getattr(constraint, "acceleration", 0.0)
    return result
