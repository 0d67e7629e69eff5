"""Laws between the answers about a constrained state, solved in independent ways."""

from __future__ import annotations

import contextlib
from dataclasses import replace

import numpy as np

from armillary.algorithms.closed.constrained import constrained_dynamics
from armillary.algorithms.closed.joint_forces import joint_forces
from armillary.algorithms.interpreter import Run
from armillary.constraints.compiled import eliminating_kernels
from armillary.constraints.compiled_forces import force_plan
from armillary.constraints.constraint_solver import ConstraintSolver
from armillary.constraints.equations import Equations
from armillary.constraints.ladder import Outcome, States, compiled
from armillary.constraints.plan import make_plan
from armillary.constraints.solution import ConstrainedSolution
from armillary.evaluate.forces_in_play import forces_in_play
from armillary.evaluate.inputs import Array
from armillary.evaluate.results import Identities, Solution
from armillary.model.lowering.constraints import lower_constraints


def closed_identities(
    closed: ConstraintSolver, solution: ConstrainedSolution, q: Array, v: Array, tau: Array
) -> Identities:
    """Single state; solution: that of the null space.  Null space, compiled kernel, the same steps
    interpreted, sparse elimination, least squares on the system, the balance of all forces."""
    equations = closed.equations
    a = solution.acceleration
    system = equations.system(q[None], v[None], tau[None])
    M, J, force, target = system.M[0], system.terms.J[0], system.force[0], system.target[0]
    whole: Solution = solution
    forces = whole.forces
    dense, needed = _dense(M, J, force, target), forces.tau
    given = tau + _axis_forces(equations, solution.multipliers)
    pairs = {
        "accelerations: null space, and as compiled": (a, closed.forward_dynamics(q, v, tau)),
        "accelerations: null space, and least squares on all equations": (a, dense),
        "rows: given accelerations, and J a": (target, J @ a),
        "joint forces: given, and Newton-Euler with all constraint forces": (given, needed),
    }
    if equations.constraints.ideal:
        pairs |= _ideal(equations, q, v, tau, a)
        pairs |= _reactions(equations, q, v, tau, solution)
    least = forces_in_play(equations.tree, q, v, a)
    pushes = np.column_stack([np.abs(force), np.diag(least)])
    moved = np.abs(np.linalg.lstsq(M, pushes, rcond=None)[0])
    motion = np.maximum(np.abs(a), moved[:, 1:].sum(axis=1))
    scale = max(float(moved[:, 0].max(initial=0.0)), float(motion.max(initial=0.0)))
    load = max(float(np.abs(x).max(initial=0.0)) for x in (M @ a, force, least))
    terms = np.abs(J) @ motion
    rows = max(float(np.abs(target).max(initial=0.0)), float(terms.max(initial=0.0)))
    wrenches = (solution.reactions.total, solution.constraint_forces.wrench)
    largest = max(float(np.abs(x).max(initial=0.0)) for x in wrenches)
    kinds = {
        "rows": rows,
        "joint forces": load,
        "accelerations": scale,
        "reactions": max(largest, float(least.max(initial=0.0))),
    }
    scales = {name: np.array(kinds[name.partition(":")[0]]) for name in pairs}
    return Identities(pairs, scales)


def _ideal(
    equations: Equations, q: Array, v: Array, tau: Array, a: Array
) -> dict[str, tuple[Array, Array]]:
    """The traced steps in plain Python, and sparse elimination."""
    evaluator = equations.evaluator
    found = {}
    states = States({"q": q[None], "v": v[None], "tau": tau[None]})
    loops = eliminating_kernels(equations, "gamma", states.reads)
    large = loops and compiled(equations, loops, states, "a")
    if large and large.converged[0]:
        found["accelerations: null space, and sparse elimination"] = (a, large.values[0])
    if equations.tables.nv + equations.constraints.count <= 90:
        plan = make_plan(equations)
        tables = replace(evaluator.tables(), constraints=equations.constraints)
        inputs = {"q": q.tolist(), "v": v.tolist(), "tau": tau.tolist()}
        with contextlib.suppress(ArithmeticError):  # a pivot that is zero: left to others
            run = Run(constrained_dynamics(plan), tables, evaluator.base(), inputs)
            plain = Outcome.of_kernel(np.array([run.result("a")], float))
            if plain.converged[0]:
                name = "accelerations: null space, and interpreted step by step"
                found[name] = (a, plain.values[0])
    return found


def _reactions(
    equations: Equations, q: Array, v: Array, tau: Array, solution: ConstrainedSolution
) -> dict[str, tuple[Array, Array]]:
    """Those of straight-line code, step by step; none where it leaves the state to others."""
    plan, evaluator = force_plan(equations), equations.evaluator
    if plan is None or equations.tables.nv + equations.constraints.count > 90:
        return {}
    tables = evaluator.tables(False)
    tables = replace(tables, constraints=lower_constraints(equations.model, tables))
    inputs = {"q": q, "v": v, "a": solution.acceleration, "tau": tau}
    numbers = {name: x.tolist() for name, x in inputs.items()}
    try:
        run = Run(joint_forces(plan), tables, evaluator.base(), numbers)
    except ArithmeticError:  # a pivot that is zero
        return {}
    found = np.array(run.result("wrench"), float)
    if not np.isfinite(found).all():
        return {}
    return {"reactions: null space, and straight-line code": (solution.reactions.total, found)}


def _dense(M: Array, J: Array, force: Array, target: Array) -> Array:
    """The whole system [M J^T; J 0] by least squares."""
    n, m, heavy = len(M), len(J), np.abs(M).max(initial=0.0) or 1.0  # the same at any mass
    K = np.block([[M / heavy, J.T], [J, np.zeros((m, m))]])
    largest = np.abs(K).max(axis=1)  # rows that move no joint are not scaled up
    size = np.sqrt(np.where(largest > 1e-14 * largest.max(), largest, 1.0))
    right = np.concatenate([force / heavy, target]) / size
    x = np.linalg.lstsq(K / np.outer(size, size), right, 1e-11)[0]
    return np.asarray((x / size)[:n])


def _axis_forces(equations: Equations, multipliers: Array) -> Array:
    """Joint forces of couplings and prescribed motions."""
    total = np.zeros(equations.tables.nv)
    for constraint in equations.constraints.axes:
        row = equations.constraints.slices[constraint.name].start
        for v, _, coefficient in constraint.terms:
            total[v] += coefficient * multipliers[row]
    return total
