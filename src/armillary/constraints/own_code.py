"""Code of one mechanism for its forward dynamics: in a row, or rolled up where it is long and
repeats itself; made when it is asked for, or in the background while loops answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from threading import Thread
from typing import TYPE_CHECKING

from armillary.algorithms.closed.constrained import Plan, constrained_dynamics
from armillary.constraints.compiled import compiled_kernels
from armillary.constraints.equations import Equations
from armillary.constraints.own_size import may_be_compiled, may_be_rolled
from armillary.constraints.plan import for_inputs, plan_of
from armillary.constraints.sparse_plan import sparse_plan
from armillary.evaluate.evaluator import Evaluator

if TYPE_CHECKING:
    from armillary.evaluate.program import Program

Key = tuple[tuple[str, ...], bool]  # inputs that are read; with friction and springs?


def own_plan(equations: Equations) -> Plan | None:
    """By which rows and coordinates a mechanism is solved; None where it is beyond code of its
    own."""
    if may_be_compiled(equations):
        return plan_of(equations)
    return sparse_plan(equations) if may_be_rolled(equations) else None


class OwnCode:
    """Programs by what they read, made once."""

    def __init__(self, equations: Equations, made_behind: Callable[[], None] = lambda: None):
        """made_behind: called by the thread that has made a program in the background."""
        self._equations, self._made_behind = equations, made_behind
        self._made: dict[Key, Program | None] = {}
        self._rolled: dict[Key, Program | None] = {}  # where the first ones were too long
        self._threads: dict[Key, Thread] = {}

    def program(self, reads: tuple[str, ...], passive: bool) -> Program | None:
        """What answers; None where there is none, or not yet."""
        key, place = (reads, passive), self._made
        if self._made.get(key, self) is None and may_be_rolled(self._equations):
            place = self._rolled  # so many states were asked for that it is tried again
        if key not in place:
            if self._equations.evaluator.options.background:
                self._begin(key, place)
                return None
            place[key] = self._make(*key)
        return place[key]

    def made(self, key: Key) -> Program | None:
        """What was made so far."""
        return self._made.get(key) or self._rolled.get(key)

    @property
    def programs(self) -> list[Program]:
        every = [*self._made.values(), *self._rolled.values()]
        return [program for program in every if program is not None]

    def wait(self) -> None:
        """Until all that is made in the background is there."""
        for thread in list(self._threads.values()):
            thread.join()

    def plan(self) -> Plan | None:
        """As `own_plan`; None, too, where forces do not act along their rows."""
        return own_plan(self._equations) if self._equations.constraints.ideal else None

    def _make(self, reads: tuple[str, ...], passive: bool) -> Program | None:
        plan, equations = self.plan(), self._equations
        if plan is None:
            return None
        dynamics = constrained_dynamics(for_inputs(plan, reads))
        rolled, verify = may_be_rolled(equations), None
        if not may_be_compiled(equations):
            from armillary.constraints.verify_rolled import by_elimination

            verify = by_elimination(equations, passive)
        return compiled_kernels(equations, dynamics, reads, passive, True, rolled, verify=verify)

    def _begin(self, key: Key, place: dict[Key, Program | None]) -> None:
        """Make a program in a thread, on equations of its own; Python waits for it before it ends:
        the compiler cannot be stopped."""
        if key in self._threads and self._threads[key].is_alive():
            return
        evaluator, asked = self._equations.evaluator, self._equations.asked
        options = replace(evaluator.options, background=False)

        def make() -> None:
            equations = Equations(Evaluator(evaluator.model, options))
            equations.asked = asked
            found = OwnCode(equations).program(*key)
            if found is not None:
                found.kernel(False, "double")
            place[key] = found
            self._made_behind()

        self._threads[key] = Thread(target=make, name="armillary: compilation")
        self._threads[key].start()
