"""The ladder of solvers: the fastest first, the safest last; which there are: table.py.

    straight      code of the mechanism: independent rows solved for dependent coordinates; where
                  there are none, the regularised system [M J^T; J -mu], refined with the residual
                  of the true one
    loops         the regularised system by sparse elimination, for mechanisms of any size
    null space    with the rank found there: in native code, or one state after the other

Each of them checks the residual of the true equations and says state by state whether it has
converged.  What one leaves unconverged is given to the next.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from armillary.constraints.equations import Equations, System
from armillary.constraints.moving import Prescribed, of_states
from armillary.constraints.notes import open_states
from armillary.constraints.states import finite_rows
from armillary.errors import InputError
from armillary.evaluate.functions import BODIES, FUNCTIONS, HANGS
from armillary.evaluate.inputs import Array, checked_out, common_rows, flag, rows, wrenches

if TYPE_CHECKING:
    from armillary.evaluate.evaluator import Evaluator, External
    from armillary.evaluate.native_call import NativeCall
    from armillary.evaluate.program import Explanation, Program
    from armillary.model.lowering.tree import Tables


# what there is to know of states that have an answer: their numbers (None: of one), and texts
Notes = tuple[tuple[int | None, str], ...]


@dataclass(frozen=True)
class Outcome:
    """What a solver found for B states, and which of them have converged."""

    values: Array  # (B, n)
    converged: NDArray[np.bool_]  # (B,)
    notes: Notes = ()

    @classmethod
    def of_kernel(cls, values: Array) -> Outcome:
        """Compiled code writes no status: it marks states that fail its residual check by NaN
        (algorithms/closed/residual.py).  This is where the mark is read."""
        if np.isfinite(values.sum()):
            return cls(values, np.ones(len(values), bool))
        return cls(values, finite_rows(values))


@dataclass(frozen=True)
class States:
    """B states with what is given for them."""

    arrays: Mapping[str, Array]  # (B, ·): q, v, and tau or a; `parameters` where they are given
    wrenches: Mapping[str, tuple[Array, bool]] = field(default_factory=dict)  # True: (1, 6) for all
    passive: bool = True
    prescribed: Prescribed = None
    numbers: NDArray[np.intp] | None = None  # of these states in the whole batch; None: of one

    @classmethod
    def checked(
        cls,
        evaluator: Evaluator,
        inputs: Mapping[str, ArrayLike],
        external: External,
        parameters: ArrayLike | None,
        passive: bool,
        prescribed: Prescribed = None,
    ) -> tuple[States, bool]:
        """From what a user gives; and whether it is a single state."""
        parts = evaluator.checked(inputs)
        if parameters is not None:
            labels = evaluator.body_labels("parameters")
            parts["parameters"] = rows("parameters", parameters, labels)
        given = wrenches(external)
        count, single = common_rows(parts | {f"external['{n}']": x for n, x in given.items()})
        arrays = {
            name: (x if len(x) == count else np.tile(x, (count, 1))).astype(np.float64, copy=False)
            for name, (x, _) in parts.items()
        }
        numbers = None if single else np.arange(count)
        return cls(arrays, given, flag("passive", passive), prescribed, numbers), single

    def __len__(self) -> int:
        return len(self.arrays["q"])

    @property
    def reads(self) -> tuple[str, ...]:
        """The inputs that a compiled solver of these states reads."""
        names = [name for name in self.arrays if name != "parameters"]
        names += ["external"] * bool(self.wrenches) + ["prescribed"] * bool(self.prescribed)
        return tuple(names + ["parameters"] * ("parameters" in self.arrays))

    def of(self, chosen: NDArray[np.intp]) -> States:
        """Some of the states, by number."""
        count = len(self)
        if len(chosen) == count:
            return self
        return replace(
            self,
            arrays={name: np.ascontiguousarray(x[chosen]) for name, x in self.arrays.items()},
            wrenches={
                name: (x if one else x[chosen], one) for name, (x, one) in self.wrenches.items()
            },
            prescribed=of_states(self.prescribed, chosen, count),
            numbers=chosen if self.numbers is None else self.numbers[chosen],
        )

    @property
    def external(self) -> dict[str, ArrayLike]:
        """Wrenches by frame name, as a user gives them."""
        return {name: x[0] if one else x for name, (x, one) in self.wrenches.items()}

    def inputs(self, equations: Equations, tables: Tables) -> dict[str, Array]:
        """What compiled code over these bodies reads, by name."""
        inputs, count = dict(self.arrays), len(self)
        if self.wrenches:
            wrenches = dict(self.wrenches)
            inputs["external"] = equations.evaluator.external_rows(wrenches, count, tables)
        if self.prescribed:
            inputs["prescribed"] = equations.prescribed_rows(self.prescribed, count)
        return inputs

    def system(self, equations: Equations) -> System:
        """Their equations of motion; without joint forces where none are given."""
        q, v = self.arrays["q"], self.arrays["v"]
        return equations.system(
            q,
            v,
            self.arrays.get("tau", np.zeros_like(v)),
            self.external,
            self.passive,
            self.prescribed,
            parameters=self.arrays.get("parameters"),
        )


_SINGLE_PRECISION = 1e-4  # of the size: what rounded angles open
Solver = Callable[[States], Outcome | None]


def solve_in_turn(states: States, *solvers: Solver) -> Outcome:
    """Every state by the first solver that converges for it; NaN where none does, and where the
    state itself is not finite.  A solver that does not apply gives None."""
    values = np.full(states.arrays["v"].shape, np.nan)
    converged = np.zeros(len(states), bool)
    open_ = finite_rows(*states.arrays.values())
    notes: Notes = ()
    for solve in solvers:
        chosen = np.flatnonzero(open_)
        found = solve(states.of(chosen)) if len(chosen) else None
        if found is None:
            continue
        if len(chosen) == len(states) and found.converged.all():
            return found
        done, notes = chosen[found.converged], notes + found.notes
        values[done], converged[done], open_[done] = found.values[found.converged], True, False
    return Outcome(values, converged, notes)


def compiled(
    equations: Equations, kernels: Program, states: States, result: str, closed: bool = False
) -> Outcome:
    """By compiled code that reads `states.reads`, in double precision: seven digits cannot pass a
    residual check.  closed: positions that are open do not converge."""
    return Outcome.of_kernel(results_of(equations, kernels, states, closed)[result])


def results_of(
    equations: Equations,
    kernels: Program,
    states: States,
    closed: bool = False,
    all_or_none: bool = False,
) -> dict[str, Array]:
    """All results (B, ...) of such code, by name.  all_or_none: nothing, where the code does not
    converge at the only state."""
    from armillary.evaluate.lean_call import OneOrMany

    evaluator, inputs = equations.evaluator, states.inputs(equations, kernels.tables)
    base = evaluator.closed_base_numbers if closed else evaluator.base_numbers
    ask = equations.memo.once(("one or many", kernels, closed), lambda: OneOrMany(kernels, base))
    return ask(inputs, len(states), all_or_none)


@dataclass(frozen=True)
class Asked:
    """Which question is asked, how many states of which numbers: what a warning needs."""

    question: str
    single: bool = False
    dtype: DTypeLike = np.float64

    def opened(self, equations: Equations, states: States) -> tuple[NDArray[np.bool_], str]:
        """Which states are open, and a warning."""
        numbers = None
        if not self.single:
            numbers = np.arange(len(states)) if states.numbers is None else states.numbers
        residual = equations.terms(states.arrays["q"]).residual
        least = 0.0 if self.dtype == np.float64 else _SINGLE_PRECISION
        return open_states(equations, residual, self.question, least, numbers)

    def noted(self, notes: Notes) -> str:
        """A warning of the first note; how many more states have one."""
        if not notes:
            return ""
        (number, text), more = notes[0], len(notes) - 1
        where = "" if number is None else f" in state {number}"
        return f"{self.question}{where}{f' (and in {more} more)' if more else ''}: {text}."


def where_closed(
    equations: Equations,
    asked: Asked,
    states: States,
    closed: Sequence[Solver],
    robust: Solver,
    anywhere: Sequence[Solver],
) -> tuple[Array, str]:
    """The answers, and a warning where positions are open: those are left by the first solvers
    (`compiled` for closed positions), and answered by the last ones; else what they noted."""
    found = solve_in_turn(states, *closed)
    values, rest = found.values, np.flatnonzero(~found.converged)
    if not len(rest):
        return values, ""
    some, notes = states.of(rest), found.notes
    open_, text = asked.opened(equations, some)
    for chosen, solvers in ((~open_, (robust,)), (open_, anywhere)):
        rows = np.flatnonzero(chosen)
        if len(rows):
            own = solve_in_turn(some.of(rows), *solvers)
            values[rest[rows]], notes = own.values, notes + own.notes
    return values, text or asked.noted(notes)


class LadderQuestion(ABC):
    """A question that the ladder answers: its compiled solvers, made once, and its native call."""

    name: ClassVar[str]  # as users know it
    result: ClassVar[str]
    closed = True  # are open positions told?

    def __init__(self, equations: Equations):
        self._evaluator, self._equations = equations.evaluator, equations
        self._made: dict[Hashable, Program | None] = {}
        self._fast: NativeCall | None = None  # the native call, where there is one
        self._served: Program | None = None  # what it runs for single states

    @abstractmethod
    def __call__(self, *given: Any, **named: Any) -> Array: ...

    def callable(self) -> Any:
        """The callable users get: native where the interpreter allows, this object elsewhere."""
        from armillary.evaluate import native_call

        if not native_call.available():
            return self
        signature = FUNCTIONS[self.name].signature
        names = {
            "__doc__": self.__doc__,
            "__name__": self.name,
            "__qualname__": self.name,
            "__signature__": signature,
            "question": self,
        }
        hanging = {name: getattr(self, name) for name in (*HANGS, "compile_report")}
        arguments = native_call.Arguments.of(
            signature, {}, BODIES, tuple(self._evaluator.model.frame_index)
        )
        self._fast = native_call.NativeCall(self.__call__, names | hanging, arguments)
        return self._fast.callable

    def forget_native_call(self) -> None:
        """A copy is asked in Python: the native call is the other's."""
        self._fast, self._served = None, None

    def _refuse_offsets(self, offsets: ArrayLike | None) -> None:
        if offsets is not None:
            model = self._evaluator.model.name
            raise InputError(
                f"{self.name}: `offsets` are known for trees only, and '{model}' is closed. Ask "
                f"mechanism.tree.{self.name}, or change the poses of its bodies in the model."
            )

    def _once(self, key: Hashable, make: Callable[[], Program | None]) -> Program | None:
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    def _handed_out(
        self, values: Array, single: bool, dtype: DTypeLike, out: Array | None
    ) -> Array:
        """The result of a call, in the caller's array where one is given."""
        result = (values[0] if single else values).astype(dtype, copy=False)
        if out is None:
            return result
        checked_out(out, result.shape, dtype)[...] = result
        return out

    def _serve(self, kernels: Program | None, like: Array) -> None:
        """Plain states natively from now on; unconverged ones (NaN) come back to Python."""
        from armillary.evaluate.native_call import Serving

        if self._fast is None or kernels is None or like.dtype != np.float64:
            return
        base = self._evaluator.closed_base_numbers
        if not self.closed:
            base = self._evaluator.base_numbers
        if like.ndim == 1 and self._served is not kernels:
            serving = Serving(kernels.kernel(False, "double"), base)
            (self._fast.renew if self._fast.ready() else self._fast.switch_on)(serving)
            self._served = kernels
        if like.ndim == 2 and not self._fast.ready(batch=True):
            kernel = kernels.of_plain_batches("float64")
            if kernel is not None:
                self._fast.switch_on_batch(Serving(kernel, base), checked=True)

    def compile_report(self) -> list[Explanation]:
        """Tier, operations, code size and compile time of every kernel made so far."""
        made = {id(x.explanations): x.explanations for x in self._made.values() if x is not None}
        return [entry for entries in made.values() for entry in entries]
