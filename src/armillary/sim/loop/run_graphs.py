"""The functions of a run as graphs, by role: what a loop over time in another language is made of.

The roles are those of the native loop (runtime/time_context.py); when a corrected step is taken,
`Policy` there says in numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from armillary.algorithms.closed.constrained import constrained_dynamics, correction
from armillary.algorithms.passes import Algorithm
from armillary.algorithms.tree import centre, chart
from armillary.algorithms.tree.forward_dynamics import forward_dynamics
from armillary.constraints.compiled import compiled_kernels
from armillary.constraints.constraint_solver import ConstraintSolver
from armillary.constraints.plan import make_plan, plan_of
from armillary.evaluate.compile_function import NotNative, function_graph
from armillary.evaluate.program import Program
from armillary.graph.function import FunctionGraph
from armillary.mechanism.mechanism import Mechanism
from armillary.scalar import Scalar
from armillary.sim.control.open_targets import OpenTargets
from armillary.sim.control.tracing import TracedChain
from armillary.sim.loop.control_kernels import (
    FunctionOfRun,
    Numbers,
    control_function,
    sample_function,
)
from armillary.sim.loop.loads import fed
from armillary.sim.methods.system import System

REGULARISED = "regularised_"  # before the role of a second solver


def graphs_of_run(
    mechanism: Mechanism,
    controller: object = None,
    actuators: object = None,
    *,
    external: bool = False,
    targets: bool = False,
    ladder: bool = False,
    moving: bool = False,
    voltages: Mapping[str, float] | None = None,
    period: float | None = None,
) -> dict[str, FunctionGraph]:
    """{role: graph} of a mechanism with its controllers and actuators, as `simulate` takes them.

    Inputs and outputs have names; gravity and the motion of the base are constants in the graphs.
    A role that is not there has nothing to do: see `ROLES`.  external: the dynamics read a wrench
    for every body of `evaluator.tables()` too.  targets: the control reads the set-points and
    voltages of `OpenTargets`.  ladder: what dependent coordinates solve is there a second time,
    `REGULARISED` before its role, for states where those fail (constraints/ladder.py).  moving:
    dynamics and corrections read the motion of the constraint rows.  Raises `NotNative` where
    there is no graph."""
    if any(part.law.state_names() for part in mechanism.model.elements):
        raise NotNative("force elements with states of their own")
    numbers = {"global": mechanism.evaluator.base_numbers.tolist()}
    programs = _dynamics(mechanism, external, ladder, moving)
    programs |= _manifold(mechanism) | _rows(mechanism, ladder, moving)
    found = {role: program.graph().bound(numbers) for role, program in programs.items()}
    opened = OpenTargets(mechanism, controller, voltages)
    used = opened.controller if targets else controller
    system = System(mechanism, used, fed(mechanism, actuators, voltages), period=period)
    for f in _functions(system, opened):
        f = _with_targets(f, opened) if targets else f
        found[f.role] = function_graph(f.function, f.inputs, f.outputs)
    return found


def _dynamics(
    mechanism: Mechanism, external: bool, ladder: bool, moving: bool
) -> dict[str, Program]:
    evaluator, model = mechanism.evaluator, mechanism.model
    if model.load_dependent_joints:
        raise NotNative("friction that depends on loads")
    reads = ("q", "v", "tau", *("external",) * external, *("prescribed",) * moving)
    if not model.constraints:
        evaluator.refuse_massless()
        return {"dynamics": evaluator.kernels_of(forward_dynamics, reads, True, True)}
    solver = mechanism.constraint_solver
    made = solver.forward.kernels(reads, True)
    if made is None or not made.straight():
        raise NotNative("no traced dynamics of the constraints")
    found = {"dynamics": made}
    if ladder and plan_of(solver.equations).pivots is not None:
        found |= _second("dynamics", _regularised(solver, "", reads))
    return found


def _regularised(solver: ConstraintSolver, level: str, reads: tuple[str, ...]) -> Program | None:
    """Straight-line code of the regularised equations: accelerations (level ""), or a correction
    of the position ("residual") or velocity ("rate")."""
    equations, projector = solver.equations, solver.projector
    plan = make_plan(equations, projector.rows(level) if level else None, embed=False)
    if not level:
        return compiled_kernels(equations, constrained_dynamics(plan), reads, verified=True)
    weights: list[float] = []
    if level == "residual":
        s = equations.scaling
        nearly = projector.closer.nearly_closed
        weights = (s.rows / s.length / nearly)[list(plan.kept)].tolist()
    return compiled_kernels(equations, correction(plan, level, weights), reads)


def _second(role: str, program: Program | None) -> dict[str, Program]:
    return {} if program is None or not program.straight() else {REGULARISED + role: program}


def _manifold(mechanism: Mechanism) -> dict[str, Program]:
    """Steps on the manifolds of the joints, where coordinates do not just add up."""
    if mechanism.additive:
        return {}
    algorithms: dict[str, Algorithm] = {
        "integrate": chart.move, "advance": chart.step, "rate": chart.slope,
    }  # fmt: skip
    if any(centre.is_free(joint) for joint in mechanism.model.joints):
        algorithms |= {
            "to_center": centre.to_center, "from_center": centre.from_center,
            "carried": centre.carried, "center_rate": centre.rate,
        }  # fmt: skip
    of = mechanism.evaluator.kernels_of
    return {role: of(a, a.reads, True, True) for role, a in algorithms.items()}


def _rows(mechanism: Mechanism, ladder: bool, moving: bool) -> dict[str, Program]:
    """Newton's steps back onto the constraints."""
    found: dict[str, Program] = {}
    if not mechanism.model.constraints:
        return found
    projector = mechanism.constraint_solver.projector
    for role, level in (("position", "residual"), ("velocity", "rate")):
        if projector.rows(level).any():
            made = projector.kernels(level, given=("prescribed",) * moving)
            if made is None or not made.straight():
                raise NotNative(f"no traced correction of the {role}")
            found[role] = made
            if ladder and projector.embeds(level):
                reads = ("q", *("v",) * (level == "rate"), *("prescribed",) * moving)
                solver = mechanism.constraint_solver
                found |= _second(role, _regularised(solver, level, reads))
    return found


def _functions(system: System, opened: OpenTargets) -> Iterator[FunctionOfRun]:
    """Controllers and actuators, and what sampled ones of them do."""
    chain, count = system.chain, len(system.chain.sampled)
    if not chain.stages:
        return

    def now() -> TracedChain:
        return TracedChain(chain, opened.command())

    def control(
        t: Scalar, q: Numbers, v: Numbers, z: Numbers, tau: Numbers
    ) -> tuple[Numbers, Numbers]:
        return now().control(t, q, v, z, tau)

    def sample(
        t: Scalar, q: Numbers, v: Numbers, z: Numbers, due: Numbers, given: Numbers
    ) -> Numbers:
        return now().sample(t, q, v, z, due)

    now().check(between_samples=True)
    evaluator, nz = system.mechanism.evaluator, system.nz + count * system.nv
    yield control_function(evaluator, control, nz)
    if count:
        now().check(between_samples=False)
        yield sample_function(evaluator, sample, count, nz)


def _with_targets(f: FunctionOfRun, opened: OpenTargets) -> FunctionOfRun:
    """The same function with the set-points as one input more."""

    def function(*lists: Numbers) -> Sequence[Sequence[Scalar]]:
        given, opened.now = opened.now, lists[-1]
        try:
            return f.function(*lists[:-1])
        finally:
            opened.now = given

    return replace(f, function=function, inputs=f.inputs | {"target": len(opened.points)})
