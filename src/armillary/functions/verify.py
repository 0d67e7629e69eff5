"""Compiled forward dynamics, tried once against equations that no compiler has touched.

Where the code of a mechanism's forward dynamics is new, it is run at one random state, and the
interpreter's inverse dynamics must give back the joint forces; of a closed mechanism, the motion
that is left free must be in balance and the rows of the constraints fulfilled.  The outcome is
remembered in the cache beside the code.  Of trees with more than 200 bodies, whose loop code does
not depend on their number, the first 200 are tried.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.algorithms.forward_dynamics import forward_dynamics
from armillary.algorithms.inverse_dynamics import inverse_dynamics
from armillary.algorithms.passes import Base
from armillary.algorithms.run import Run
from armillary.compiler.cache import remembered
from armillary.errors import CompileError
from armillary.functions.constrained.nullspace import Factor
from armillary.functions.identity import identity
from armillary.functions.inputs import Array
from armillary.model.lower import PER_BODY, Tables, regrouped

if TYPE_CHECKING:
    from armillary.functions.constrained.engine import Engine
    from armillary.functions.core import Core
    from armillary.functions.kernel import Kernel
    from armillary.functions.kernels import Kernels

_MOST_BODIES = 200
_TOLERANCE = 1e-6  # of the forces in play
_LOOSE = 30.0  # times what no motion can fulfil
_CLOSE = 100.0  # times the interpreter's own residual is rounding, not another formula

Verify = Callable[["Kernels", "Kernel"], None]


def of_tree(owner: Core, passive: bool) -> Verify:
    """Checks every new kernel of forward dynamics of an open tree."""

    def verify(kernels: Kernels, kernel: Kernel) -> None:
        plain = owner.tables(passive=passive)
        if len(plain.bodies) > _MOST_BODIES:
            if kernels.tables.again is not None:
                return  # the code of the same tree with its own numbers stands for it
            plain = _first_bodies(plain)
            regroup = kernels.setting.algorithm.joint_level()
            kernels = kernels.of_other_bodies(regrouped(plain) if regroup else plain)
            kernel = kernels.kernel(kernel.lanes.width > 1, kernel.lanes.element)
        _refuse(owner, kernels, kernel, lambda: _tree_residual(owner, kernels, kernel, plain))

    return verify


def of_closed(engine: Engine, passive: bool) -> Verify:
    """The same of a mechanism with constraints."""

    def verify(kernels: Kernels, kernel: Kernel) -> None:
        def residual() -> float:
            return _closed_residual(engine, kernels, kernel, passive)

        _refuse(engine.owner, kernels, kernel, residual)

    return verify


def _refuse(owner: Core, kernels: Kernels, kernel: Kernel, find: Callable[[], float]) -> None:
    """Raise CompileError where the residual is more than rounding."""
    name = identity("forward dynamics verified", kernels.setting, kernels.tables, kernel.lanes)
    residual = float(remembered(name, "residual", find))
    if residual > _TOLERANCE:
        raise CompileError(
            f"'{owner.model.name}': compiled forward dynamics ({kernel.lanes.width} states at a "
            f"time) contradicts the interpreter: at a random state joint forces differ by "
            f"{residual:.2g} of the forces in play, expected at most {_TOLERANCE:g}. No number of "
            f"this code can be trusted. Take the loop code, Mechanism(model, "
            f"CompileOptions(tier=1)), and report the mechanism together with the output of "
            f"`armillary validate`."
        )


# -- open trees ----------------------------------------------------------------------------------


def _first_bodies(tables: Tables) -> Tables:
    """The tree of the first bodies: parents stand before their children."""
    n = _MOST_BODIES
    return replace(
        tables, bodies=tables.bodies[:n], parents=tables.parents[:n],
        q_offsets=tables.q_offsets[:n], v_offsets=tables.v_offsets[:n], hosts=(),
        nq=tables.q_offsets[n], nv=tables.v_offsets[n],
    )  # fmt: skip


def _tree_residual(owner: Core, kernels: Kernels, kernel: Kernel, plain: Tables) -> float:
    """Largest difference of the joint forces, each relative to the forces in play there."""
    rng = np.random.default_rng(7)
    q = _random_position(plain, rng)
    v, a = rng.normal(size=(2, plain.nv))
    base = owner.base()
    tau, h = (_joint_forces(plain, base, q, v, x) for x in (a, 0.0 * a))

    def residual(a: Array) -> float:
        return _share(_joint_forces(plain, base, q, v, a) - tau, np.abs(tau) + np.abs(h))

    given = {"q": q, "v": v, "tau": tau} | _numbers_of_bodies(owner, kernels)
    a = _compiled(owner, kernels, kernel, given)
    if not np.isfinite(a).all():
        return 0.0  # inertias that no one can divide by: the call says so
    found = residual(a)
    if found <= _TOLERANCE:
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


def _joint_forces(tables: Tables, base: Base, q: Array, v: Array, a: Array) -> Array:
    """Newton-Euler in the interpreter."""
    inputs = {"q": q.tolist(), "v": v.tolist(), "a": a.tolist()}
    return np.array(Run(inverse_dynamics, tables, base, inputs).result("tau"), float)


def _numbers_of_bodies(owner: Core, kernels: Kernels) -> dict[str, Array]:
    """The model's own numbers where the kernel takes them as inputs; no wrenches."""
    mechanism: Any = owner
    bodies = len(owner.model.bodies)
    known = {
        "external": np.zeros(6 * len(kernels.tables.bodies)),
        "parameters": mechanism.parameters,
        "placements": np.zeros(PER_BODY["placements"] * bodies),
    }
    return {name: x for name, x in known.items() if name in kernels.setting.reads}


def _compiled(owner: Core, kernels: Kernels, kernel: Kernel, given: dict[str, Array]) -> Array:
    """Accelerations by the kernel, the same state in all lanes."""
    rows = kernel.lanes.width
    inputs = [np.tile(given[name], (rows, 1)) for name in kernels.setting.reads]
    out = np.empty((rows, kernels.tables.nv))
    kernel.call(inputs, [x.shape[1] for x in inputs], [out], rows, owner._globals())
    return out[rows - 1]


# -- closed mechanisms ---------------------------------------------------------------------------


def _closed_residual(engine: Engine, kernels: Kernels, kernel: Kernel, passive: bool) -> float:
    """What is left of  M a + h - tau - J^T λ  along the free motions, and of  J a - γ, both
    relative to their terms, at a closed configuration in motion."""
    samples = engine.samples
    if not len(samples):
        return 0.0  # nothing closed was found to try
    rng = np.random.default_rng(7)
    q, owner = samples[-1], engine.owner
    columns = engine.scaling.columns
    # by J alone: rows that are driven may be anywhere on their way
    tolerance = max(_TOLERANCE, engine.geometry_tolerance)
    factor = Factor(engine.terms(q[None]).J[0], engine.scaling, tolerance)
    free = factor.free
    v = free @ (free.T @ (rng.normal(size=len(columns)) * columns))
    plain, base = owner.tables(passive=passive), owner.base()
    h = _joint_forces(plain, base, q, v, 0.0 * v)
    tau = _joint_forces(plain, base, q, v, rng.normal(size=len(h)) * columns)
    given = {"q": q, "v": v, "tau": tau, "drive": np.zeros(engine.ties.count)}
    a = _compiled(owner, kernels, kernel, given | _numbers_of_bodies(owner, kernels))
    if not np.isfinite(a).all():
        return 0.0  # the kernel doubts this state itself
    terms = engine.rows.terms(engine.motion(q[None], v[None]), q[None], v[None], passive)
    needed = _joint_forces(plain, base, q, v, a) - terms.given[0]
    push = free.T @ (needed - tau)
    pushes = np.abs(free).T @ (np.abs(needed) + np.abs(tau) + np.abs(h))
    J, gamma, unit = terms.J[0], terms.gamma[0], engine.scaling.rows
    off = (J @ a - gamma) * unit
    speed = max(1.0, np.abs(v / columns).max(initial=0.0))  # even what is held fast could move
    # a row that moves something has size 1 in scaled units: what is far less is rounding
    usual = engine.length * (np.abs(a / columns).max(initial=0.0) + speed**2)
    rates = usual + (np.abs(J) @ np.abs(a) + np.abs(gamma)) * unit
    found = max(_share(push, pushes), _share(off, rates))
    # rows that contradict each other, or do but for the digits of a file, leave something open
    open_ = max(_share(factor.motion(gamma)[1] * unit, rates), engine.geometry_tolerance)
    return found if found > _LOOSE * open_ else 0.0


def _share(off: Array, in_play: Array) -> float:
    """Largest part of what is in play; what is rounding of the others counts as nothing."""
    scale = in_play + 1e-6 * in_play.max(initial=0.0)
    return float((np.abs(off) / np.where(scale > 0.0, scale, 1.0)).max(initial=0.0))
