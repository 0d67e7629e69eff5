"""Inverse dynamics of mechanisms with constraints: a traced kernel first, the robust way behind it.

The traced kernel (algorithms/actuation.py) marks as not a number what it doubts: states next to
singularities, motions that the rows do not allow, and motions that the actuators cannot give.
Those go to the robust way one by one, which answers or says what is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from armillary.algorithms.passes import Algorithm
from armillary.constraints.actuation import (
    actuation,
    actuation_law,
    actuator_indices,
)
from armillary.constraints.admissible import refuse_disallowed, strictness
from armillary.constraints.equations import Equations
from armillary.constraints.states import answerable
from armillary.errors import InputError, Remedy
from armillary.evaluate.inputs import (
    Array,
    checked_out,
    common_rows,
    result_type,
    rows,
    wrenches,
)
from armillary.evaluate.questions import Question

if TYPE_CHECKING:
    from armillary.evaluate.evaluator import External
    from armillary.evaluate.kernels import Explanation, Kernels

Actuators = Sequence[str] | str | None


class ConstrainedInverseDynamics(Question):
    """Forces tau (nv) of the actuators for a motion (q, v, a) that the constraints allow.

        N^T tau = N^T (M a + h),    N: the motions that the constraints leave free

    actuators: joints or entries of v that give forces; by default the joints with motors, without
    any motor all joints.  Other entries of tau are zero.  Of more actuators than freedoms the
    smallest forces; moments count as forces at a lever of the machine's size.  Accelerations that
    the constraints do not allow are refused (`InadmissibleError`, which has the nearest ones), and
    so are motions that the actuators cannot give.  external, passive, parameters: as for trees.
    `mechanism.tree.inverse_dynamics(q, v, a)` gives the forces in all joints of the open tree."""

    algorithm = Algorithm("constrained_inverse_dynamics", (), lambda g: {})  # made with its plan
    result = "tau"

    def __init__(self, equations: Equations):
        super().__init__(equations.evaluator)
        self._equations = equations
        self._made: dict[tuple[Any, ...], Kernels | None] = {}

    def __call__(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        actuators: Actuators = None,
        external: External = None,
        passive: bool = True,
        out: Array | None = None,
        *,
        parameters: ArrayLike | None = None,
    ) -> Array:
        if isinstance(actuators, Mapping):
            raise InputError(
                "inverse_dynamics: the fourth argument of a closed mechanism are its actuators, "
                "names of joints; found a mapping. Give wrenches as external={...}."
            )
        if passive:
            self._evaluator.refuse_load_friction("inverse dynamics of a closed mechanism")
        equations = self._equations
        arrays, given, single = self._checked(q, v, a, external, parameters)
        dtype = result_type(q, v, a)
        chosen = self._chosen(equations, actuators)
        tau = self._traced(equations, arrays, given, chosen, passive, dtype)
        self._resolve(equations, arrays, given, tau, chosen, passive, dtype, single)
        result = (tau[0] if single else tau).astype(dtype, copy=False)
        if self._fast is not None and dtype == np.float64 and chosen == self.actuators(equations):
            self._switch_on(("q", "v", "a"), result)
        if out is None:
            return result
        checked_out(out, result.shape, dtype)[...] = result
        return out

    def _checked(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, external: External,
        parameters: ArrayLike | None,
    ) -> tuple[dict[str, Array], dict[str, tuple[Array, bool]], bool]:  # fmt: skip
        """Rows (B, ·) of all numbers, wrenches by frame, and whether it is a single state."""
        evaluator = self._evaluator
        parts = {name: evaluator.check(name, x) for name, x in (("q", q), ("v", v), ("a", a))}
        if parameters is not None:
            parts["parameters"] = rows(
                "parameters", parameters, evaluator.body_labels("parameters")
            )
        given = wrenches(external)
        count, single = common_rows(parts | {f"external['{n}']": x for n, x in given.items()})
        arrays = {
            name: np.array(np.broadcast_to(x, (count, x.shape[1])), float)
            for name, (x, _) in parts.items()
        }
        return arrays, given, single

    def actuators(self, equations: Equations) -> tuple[int, ...]:
        """Entries of v of the joints with motors; all where there is no motor."""
        model = equations.model
        pairs = zip(model.bodies, model.slots, strict=True)
        found = [k for body, slot in pairs if body.motor for k in range(model.nv)[slot.v]]
        return tuple(found or range(model.nv))

    def _chosen(self, equations: Equations, actuators: Actuators) -> tuple[int, ...]:
        if actuators is None:
            return self.actuators(equations)
        return tuple(actuator_indices(equations, actuators))

    def _traced(
        self, equations: Equations, arrays: dict[str, Array], given: dict[str, tuple[Array, bool]],
        chosen: tuple[int, ...], passive: bool, dtype: Any,
    ) -> Array:  # fmt: skip
        """tau (B, nv); not a number where there is no kernel, or where it is in doubt."""
        count = len(arrays["q"])
        reads = ("q", "v", "a", *(("external",) if given else ()))
        reads += ("parameters",) if "parameters" in arrays else ()
        kernels = self._kernels(equations, chosen, reads, passive, dtype)
        if kernels is None:
            return np.full((count, equations.tables.nv), np.nan)
        inputs = dict(arrays)
        if given:
            inputs["external"] = self._evaluator.external_rows(given, count, kernels.tables)
        return kernels(inputs, count, self._evaluator.base_numbers)["tau"]

    def _kernels(
        self, equations: Equations, chosen: tuple[int, ...], reads: tuple[str, ...], passive: bool,
        dtype: Any = np.float64,
    ) -> Kernels | None:  # fmt: skip
        from armillary.constraints.projection import may_be_traced, traced_kernels

        key = (chosen, reads, passive, dtype)
        if key not in self._made:
            law = self.law(equations, chosen, dtype) if may_be_traced(equations) else None
            made = None if law is None else traced_kernels(equations, law, reads, passive)
            self._made[key] = made
        return self._made[key]

    def law(
        self, equations: Equations, chosen: tuple[int, ...] | None = None, dtype: Any = np.float64
    ) -> Algorithm | None:
        """(q, v, a) -> tau as an algorithm; None where there is none."""
        labels = equations.model.v_labels
        names = [labels[k] for k in (self.actuators(equations) if chosen is None else chosen)]
        return actuation_law(equations, names, strictness(equations, dtype))

    def _resolve(
        self, equations: Equations, arrays: dict[str, Array], given: dict[str, tuple[Array, bool]],
        tau: Array, chosen: tuple[int, ...], passive: bool, dtype: Any, single: bool,
    ) -> None:  # fmt: skip
        """What is in doubt by the robust way; states that are not finite stay not a number."""
        finite = np.all([np.isfinite(x).all(axis=1) for x in arrays.values()], axis=0)
        for x, one in given.values():
            finite = finite & (one or np.isfinite(x).all(axis=1))
        tau[~finite] = np.nan
        names = [equations.model.v_labels[k] for k in chosen]
        strict = strictness(equations, dtype)
        for k in np.flatnonzero(finite & ~np.isfinite(tau).all(axis=1)):
            state = {name: x[k : k + 1] for name, x in arrays.items()}
            wrench = {name: x[0 if one else k] for name, (x, one) in given.items()}
            system = equations.system(
                state["q"], state["v"], np.zeros_like(state["v"]), wrench, passive,
                parameters=state.get("parameters"),
            )  # fmt: skip
            if not answerable(system).all():
                if single:
                    equations.evaluator.refuse_not_finite(state, tau)
                continue
            row = None if single else int(k)
            refuse_disallowed(equations, system, state["a"][0], strict, row)
            found = actuation(equations, system, state["a"][0], names, None, False)
            size = max(float(np.abs(found.tau).max(initial=0.0)), found.needed)
            missing = float(np.abs(found.unreachable).max(initial=0.0))
            if missing > strict.tolerance * size:
                raise _unreachable(names, missing, row)
            tau[k] = found.tau

    def _switch_on(self, reads: tuple[str, ...], like: Array) -> None:
        """Serve states natively from now on; what the kernel doubts (NaN) comes back here."""
        equations = self._equations
        kernels = self._made.get((self.actuators(equations), reads, True, np.float64))
        if kernels is None:
            return
        if like.ndim == 1 and not self._fast.ready:
            self._fast.switch_on(kernels.kernel(False, "double"), self._evaluator.base_numbers)
        if like.ndim == 2 and "float64" not in self._fast.batches:
            kernel = kernels.of_plain_batches(like)
            if kernel is not None:
                self._fast.switch_on_batch(kernel, self._evaluator.base_numbers, checked=True)

    # -- what only a tree has --------------------------------------------------------------------

    def derivatives(self, *args: Any, **options: Any) -> Any:
        """Refused: forces of chosen actuators have no derivatives here; those of the tree have."""
        raise self._of_trees("derivatives")

    def jvp(self, *args: Any, **options: Any) -> Any:
        """Refused, as `derivatives`."""
        raise self._of_trees("jvp")

    def vjp(self, *args: Any, **options: Any) -> Any:
        """Refused, as `derivatives`."""
        raise self._of_trees("vjp")

    def parameter_jacobian(self, *args: Any, **options: Any) -> Any:
        """Refused, as `derivatives`."""
        raise self._of_trees("parameter_jacobian")

    def offset_jacobian(self, *args: Any, **options: Any) -> Any:
        """Refused, as `derivatives`."""
        raise self._of_trees("offset_jacobian")

    def _of_trees(self, name: str) -> InputError:
        return InputError(
            f"inverse_dynamics.{name}: '{self._evaluator.model.name}' is closed, and this is known "
            f"for open trees only. Ask mechanism.tree.inverse_dynamics.{name}(...) for the forces "
            f"in all joints of its tree, or take differences along motions that are allowed."
        )

    def compile_report(self) -> list[Explanation]:
        """Tier, operations, code size and compile time of every kernel made so far."""
        made = [kernels for kernels in self._made.values() if kernels is not None]
        return [entry for kernels in made for entry in kernels.explanations]


def _unreachable(names: list[str], missing: float, row: int | None) -> InputError:
    where = "" if row is None else f" of state {row}"
    shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
    return InputError(
        f"inverse_dynamics: the actuators ({shown or 'none'}) cannot give the motion{where}; joint "
        f"forces up to {missing:.6g} N m or N are missing.",
        Remedy("more actuators"),
    )
