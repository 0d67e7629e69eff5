"""Questions of closed mechanisms as expressions: what C export, listings and runs on other
scalars are made of.

Forward and inverse dynamics obey the constraints where their equations are solved by straight-line
code; their results are NaN where it does not converge.  Questions about joints
(mass matrix, bias forces, Jacobians) are those of the tree, as in Python.  What is neither is
refused by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from armillary.algorithms.closed.constrained import constrained_dynamics
from armillary.algorithms.passes import Algorithm, GlobalStep
from armillary.constraints.constraint_solver import ConstraintSolver
from armillary.constraints.large import large_system
from armillary.constraints.plan import make_plan, samples_of, small
from armillary.errors import InputError
from armillary.evaluate.evaluator import Evaluator
from armillary.evaluate.functions import FUNCTIONS
from armillary.model.lowering.constraint_table import ConstraintTable
from armillary.scalar import Scalar

CLOSED = ("forward_dynamics", "inverse_dynamics")
_TREES = ("inverse_dynamics_derivatives", "forward_dynamics_derivatives")
_UNCONVERGED = (
    "NaN where the position is open, and next to singular ones, where `solve` in Python still "
    "answers."
)


@dataclass(frozen=True)
class ClosedQuestion:
    algorithm: Algorithm
    constraints: ConstraintTable
    title: str


def closed_question(
    closed: ConstraintSolver, function: str, passive: bool
) -> ClosedQuestion | None:
    """How a closed mechanism answers; None where the answer is that of its tree."""
    core = closed.evaluator
    if function in _TREES:
        raise _refused(core, function, "is known for open trees only")
    if function == "energy" and any(loop.joint.passive for loop in core.model.loops):
        raise _refused(core, function, "lacks the springs in the joints that close its loops")
    if function not in CLOSED:
        return None
    equations = closed.equations
    if not equations.constraints.ideal:
        raise _refused(core, function, "has contacts that rub, which are solved step by step")
    if not small(equations):
        raise _refused(core, function, "is solved by sparse elimination, not by one expression")
    constraints = equations.constraints if passive else equations.constraints.bare
    if function == "forward_dynamics":
        title = f"Accelerations under the joint forces; every constraint is kept. {_UNCONVERGED}"
        # nobody chooses other dependent coordinates on the way: the system that has none, unless
        # massless bodies leave it without pivots
        massless = bool(large_system(equations).massless)
        plan = make_plan(equations, embed=massless)
        return ClosedQuestion(constrained_dynamics(plan), constraints, title)
    if not _freedoms(closed):
        raise _refused(core, function, "has no freedom that actuators could drive")
    law = closed.inverse.law()
    if law is None:
        raise _refused(core, function, "has actuators without a law of one expression")
    labels = core.model.v_labels
    names = ", ".join(labels[k] for k in closed.inverse.actuators)
    title = (
        f"Forces of the actuators ({names}) for a motion that the constraints allow. Not a number "
        f"for other motions. {_UNCONVERGED}"
    )
    return ClosedQuestion(law, constraints, title)


def interpreted(
    closed: ConstraintSolver,
    algorithm: Algorithm,
    inputs: Mapping[str, Sequence[Scalar]],
    passive: bool,
    fuse: bool,
) -> tuple[Algorithm, ConstraintTable | None]:
    """What runs where an algorithm is asked of a closed mechanism by hand, on any scalars: that of
    the question with its constraints, as in Python, and refused where there is none."""
    core, name = closed.evaluator, algorithm.name
    question = next((x for x in (*CLOSED, *_TREES, "energy") if _answers(x, algorithm)), "")
    found = closed_question(closed, question, passive) if question else None
    if found is None:
        if any(isinstance(step, GlobalStep) for step in algorithm.passes):
            kept = closed.equations.constraints  # which only such a step reads
            return algorithm, kept if passive else kept.bare
        if "tau" in algorithm.reads:
            raise _refused(core, name, "accelerates the open tree alone")
        if {"q", "a"} <= {*algorithm.reads} and {*algorithm.writes.values()} == {"dof"}:
            raise _refused(core, name, "drives the open tree alone, every joint of it")
        return algorithm, None
    if passive:
        core.refuse_load_friction(name)
    if not fuse and len(core.tables(False).bodies) > len(core.tables(True).bodies):
        raise InputError(
            f"fuse: {name} of '{core.model.name}', a closed mechanism, knows welded bodies as one. "
            f"Leave fuse=False out, or ask its open tree, mechanism.tree."
        )
    for x in (x for numbers in inputs.values() for x in numbers):
        kind = "complex" if isinstance(x, complex) else type(x).__module__.partition(".")[0]
        if kind in ("complex", "sympy"):
            why = f"is the solution of a system, which {kind} numbers cannot show to have converged"
            raise _refused(core, name, why)
    return found.algorithm, found.constraints


def _answers(question: str, algorithm: Algorithm) -> bool:
    """Is this the tree's algorithm behind the question?"""
    own = FUNCTIONS[question].algorithm(coordinates="local")
    return algorithm in (own, own.alternative)


def _freedoms(closed: ConstraintSolver) -> int:
    """Motions that the constraints allow in some closed configuration about the initial one."""
    terms = closed.equations.terms(samples_of(closed.equations))
    return max(closed.equations.factor(terms, k).free.shape[1] for k in range(len(terms.J)))


def refuse_closed_form(core: Evaluator, function: str) -> None:
    """A closed form has no place for a solution that may not converge."""
    if core.model.constraints and function in CLOSED:
        raise _refused(core, function, "is the solution of a system, not a closed form")


def _refused(core: Evaluator, function: str, why: str) -> InputError:
    return InputError(
        f"{function} of '{core.model.name}', a closed mechanism, {why}. Ask its open tree, "
        f"mechanism.tree, or the compiled function in Python."
    )
