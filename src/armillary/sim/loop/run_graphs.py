"""The functions of a run as graphs, by role: what a loop over time in another language is made of.

The roles are those of the native loop (runtime/time_context.py); when a corrected step is taken,
`Policy` there says in numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from armillary.algorithms.passes import Algorithm
from armillary.algorithms.tree import centre, chart
from armillary.algorithms.tree.forward_dynamics import forward_dynamics
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
from armillary.sim.loop.native import constant_command
from armillary.sim.methods.system import System


def graphs_of_run(
    mechanism: Mechanism,
    controller: Any = None,
    actuators: Any = None,
    *,
    external: bool = False,
    targets: bool = False,
) -> dict[str, FunctionGraph]:
    """{role: graph} of a mechanism with its controllers and actuators, as `simulate` takes them.

    Inputs and outputs have names; gravity and the motion of the base are constants in the graphs.
    A role that is not there has nothing to do: see `ROLES`.  external: the dynamics read a wrench
    for every body of `evaluator.tables()` too.  targets: the control reads the set-points of
    `OpenTargets`.  Raises `NotNative` where there is no graph."""
    numbers = {"global": mechanism.evaluator.base_numbers.tolist()}
    programs = {**_dynamics(mechanism, external), **_manifold(mechanism), **_rows(mechanism)}
    found = {role: program.graph().bound(numbers) for role, program in programs.items()}
    opened = OpenTargets(mechanism, controller) if targets else None
    used = controller if opened is None else opened.controller
    for f in _functions(System(mechanism, used, actuators)):
        if opened is not None and f.role == "control":
            f = _with_targets(f, opened)
        found[f.role] = function_graph(f.function, f.inputs, f.outputs)
    return found


def _dynamics(mechanism: Mechanism, external: bool) -> dict[str, Program]:
    evaluator, model = mechanism.evaluator, mechanism.model
    if model.load_dependent_joints:
        raise NotNative("friction that depends on loads")
    reads = ("q", "v", "tau", *(("external",) if external else ()))
    if not model.constraints:
        evaluator.refuse_massless()
        return {"dynamics": evaluator.kernels_of(forward_dynamics, reads, True, True)}
    made = mechanism.constraint_solver.forward.kernels(reads, True)
    if made is None:
        raise NotNative("no traced dynamics of the constraints")
    return {"dynamics": made}


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


def _rows(mechanism: Mechanism) -> dict[str, Program]:
    """Newton's steps back onto the constraints."""
    found: dict[str, Program] = {}
    if not mechanism.model.constraints:
        return found
    projector = mechanism.constraint_solver.projector
    for role, level in (("position", "residual"), ("velocity", "rate")):
        if projector.rows(level).any():
            made = projector.kernels(level)
            if made is None:
                raise NotNative(f"no traced correction of the {role}")
            found[role] = made
    return found


def _functions(system: System) -> Iterator[FunctionOfRun]:
    """Controllers and actuators, and what sampled ones of them do."""
    if not system.chain.stages:
        return
    traced, count = TracedChain(system.chain, constant_command(system)), len(system.chain.sampled)
    traced.check(between_samples=True)
    evaluator, nz = system.mechanism.evaluator, system.nz + count * system.nv
    yield control_function(evaluator, traced.control, nz)
    if count:
        traced.check(between_samples=False)
        yield sample_function(evaluator, traced.sample, count, nz)


def _with_targets(f: FunctionOfRun, opened: OpenTargets) -> FunctionOfRun:
    """The same function with the set-points as one input more."""

    def function(*lists: Numbers) -> Sequence[Sequence[Scalar]]:
        opened.now = lists[-1]
        return f.function(*lists[:-1])

    return replace(f, function=function, inputs=f.inputs | {"target": len(opened.points)})
