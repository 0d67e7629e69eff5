"""Compiled forward dynamics, tried once against equations that no compiler has touched.

Where the code of a mechanism's forward dynamics is new, it is run at one random state, and the
interpreter's inverse dynamics must give back the joint forces; of a closed mechanism see
constraints/verify.py.  The outcome is remembered in the cache beside the code.  Loop code does not
depend on the number of bodies or force elements: of more than 200 the first ones of every kind are
tried.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

import numpy as np

from armillary.algorithms.interpreter import Run
from armillary.algorithms.passes import Base
from armillary.algorithms.tree.forward_dynamics import forward_dynamics
from armillary.algorithms.tree.inverse_dynamics import inverse_dynamics
from armillary.codegen.cache import remembered
from armillary.errors import CompileError
from armillary.evaluate.derivatives import parameter_values
from armillary.evaluate.element_code import ElementKind, kind_of
from armillary.evaluate.fingerprint import identity
from armillary.evaluate.inputs import Array
from armillary.evaluate.kernel import Kernel
from armillary.evaluate.program import Program, Verify
from armillary.evaluate.request import input_sizes
from armillary.model.lowering.elements import KernelElement
from armillary.model.lowering.tree import PER_BODY, Tables, minimal_inertias
from armillary.model.model import Model

_MOST = 200  # bodies, and force elements
TOLERANCE = 1e-6  # of the forces in play
_CLOSE = 100.0  # times the interpreter's own residual is rounding, not another formula


class Tree(Protocol):
    """What is verified: an evaluator, as far as that asks of it."""

    model: Model

    @property
    def base_numbers(self) -> Array: ...

    def tables(self, fuse: bool = ..., passive: bool = ..., minimal: bool = ...) -> Tables: ...

    def base(self) -> Base: ...


def of_tree(evaluator: Tree, passive: bool) -> Verify:
    """Checks every new kernel of forward dynamics of an open tree."""

    def verify(kernels: Program, kernel: Kernel) -> None:
        whole = evaluator.tables(passive=passive)
        plain = _few(whole) if kernel.code.kind == "loop" else whole
        if plain is not whole:
            if kernels.tables.again is not None:
                return  # the code of the same tree with its own numbers stands for it
            minimal = kernels.request.algorithm.joint_level()
            kernels = kernels.of_other_bodies(minimal_inertias(plain) if minimal else plain)
            kernel = kernels.kernel(kernel.lanes.width > 1, kernel.lanes.element)
        refuse(
            evaluator, kernels, kernel, lambda: _tree_residual(evaluator, kernels, kernel, plain)
        )

    return verify


def refuse(evaluator: Tree, kernels: Program, kernel: Kernel, find: Callable[[], float]) -> None:
    """Raise CompileError where the residual is more than rounding."""
    name = identity("forward dynamics verified", kernels.request, kernels.tables, kernel.lanes)
    residual = float(remembered(name, "residual", find))
    if residual > TOLERANCE:
        raise CompileError(
            f"'{evaluator.model.name}': compiled forward dynamics ({kernel.lanes.width} states "
            f"at a time) contradicts the interpreter: at a random state joint forces differ by "
            f"{residual:.2g} of the forces in play, expected at most {TOLERANCE:g}. No number of "
            f"this code can be trusted. Take the loop code, Mechanism(model, "
            f"CompileOptions(tier=1)), and report the mechanism together with the output of "
            f"`armillary validate`."
        )


# -- open trees ----------------------------------------------------------------------------------


def _few(tables: Tables) -> Tables:
    """The tree of the first bodies and elements, where there are many."""
    if len(tables.bodies) > _MOST:
        tables = _first_bodies(tables, _MOST)
    if len(tables.elements) <= _MOST:
        return tables
    kinds: dict[ElementKind, list[KernelElement]] = {}
    for element in tables.elements:
        kinds.setdefault(kind_of(element), []).append(element)
    each = max(1, _MOST // len(kinds))
    return replace(tables, elements=tuple(x for alike in kinds.values() for x in alike[:each]))


def _first_bodies(tables: Tables, n: int) -> Tables:
    """The tree of the first bodies: parents stand before their children."""
    return replace(
        tables,
        bodies=tables.bodies[:n],
        parents=tables.parents[:n],
        q_offsets=tables.q_offsets[:n],
        v_offsets=tables.v_offsets[:n],
        carriers=(),
        nq=tables.q_offsets[n],
        nv=tables.v_offsets[n],
        elements=tuple(x for x in tables.elements if max(x.reach) < n),
    )


def _tree_residual(evaluator: Tree, kernels: Program, kernel: Kernel, plain: Tables) -> float:
    """Largest difference of the joint forces, each relative to the forces in play there."""
    rng = np.random.default_rng(7)
    q = _random_position(plain, rng)
    v, a = rng.normal(size=(2, plain.nv))
    base = evaluator.base()
    tau, h = (joint_forces(plain, base, q, v, x) for x in (a, 0.0 * a))

    def residual(a: Array) -> float:
        return share(joint_forces(plain, base, q, v, a) - tau, np.abs(tau) + np.abs(h))

    given = {"q": q, "v": v, "tau": tau} | numbers_of_bodies(evaluator, kernels)
    a = compiled(evaluator, kernels, kernel, given)
    if not np.isfinite(a).all():
        return 0.0  # inertias that no one can divide by: the call says so
    found = residual(a)
    if found <= TOLERANCE:
        return found
    inputs = {name: x.tolist() for name, x in (("q", q), ("v", v), ("tau", tau))}
    own = np.array(Run(forward_dynamics, plain, base, inputs).result("a"), float)
    return found if not found <= _CLOSE * residual(own) else 0.0


def _random_position(tables: Tables, rng: np.random.Generator) -> Array:
    q = np.empty(tables.nq)
    for body, start in zip(tables.bodies, tables.q_offsets, strict=True):
        here = rng.uniform(-1.2, 1.2, body.joint.nq)
        if body.joint.nq > body.joint.nv:  # a quaternion comes first
            here[:4] /= np.linalg.norm(here[:4])
        q[start : start + body.joint.nq] = here
    return q


def joint_forces(tables: Tables, base: Base, q: Array, v: Array, a: Array) -> Array:
    """Newton-Euler in the interpreter."""
    inputs = {"q": q.tolist(), "v": v.tolist(), "a": a.tolist()}
    return np.array(Run(inverse_dynamics, tables, base, inputs).result("tau"), float)


def numbers_of_bodies(evaluator: Tree, kernels: Program) -> dict[str, Array]:
    """The model's own numbers where the kernel takes them as inputs; no wrenches."""
    bodies = len(evaluator.model.bodies)
    sizes = input_sizes(kernels.request, kernels.tables)
    known = {
        "external": np.zeros(sizes.get("external", 0)),
        "parameters": parameter_values(evaluator.model),
        "offsets": np.zeros(PER_BODY["offsets"] * bodies),
    }
    return {name: x for name, x in known.items() if name in kernels.request.reads}


def compiled(evaluator: Tree, kernels: Program, kernel: Kernel, given: dict[str, Array]) -> Array:
    """Accelerations by the kernel, the same state in all lanes."""
    rows = kernel.lanes.width
    inputs = [np.tile(given[name], (rows, 1)) for name in kernels.request.reads]
    out = np.empty((rows, kernels.tables.nv))
    kernel.call(inputs, [x.shape[1] for x in inputs], [out], rows, evaluator.base_numbers)
    return out[rows - 1]


def share(off: Array, in_play: Array) -> float:
    """Largest part of what is in play; what is rounding of the others counts as nothing."""
    scale = in_play + 1e-6 * in_play.max(initial=0.0)
    return float((np.abs(off) / np.where(scale > 0.0, scale, 1.0)).max(initial=0.0))
