"""States that constraints are asked at: which of them can be answered, and what the others get.

In a batch a state that is not finite, has a quaternion of zeros, an angle too large for a sine or
numbers whose products overflow gives NaN in its own row; a single one is refused by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armillary.constraints.drift import DrawnBack
from armillary.errors import InputError
from armillary.evaluate.inputs import Array, is_none, wrench_rows
from armillary.evaluate.named_states import State
from armillary.model.model import Model

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations, System
    from armillary.constraints.moving import Prescribed
    from armillary.constraints.rows import Terms
    from armillary.evaluate.evaluator import External

_Result = TypeVar("_Result")
_LONG = 4096  # numbers
_AT_ONCE = 2**16  # numbers of J that are worked on together: they stay in the cache
_ROUNDED = 1e-13  # of gravity and velocities, which cancel in the rows
_FULFILLED = 1e-9  # what a row may be off, as a part of its terms
_FAR = 1e15  # rad or m: native code has no sines beyond it
NO_NUMBER = "the state has no answer: its numbers are not finite, or too large"


def one_state(
    equations: Equations,
    question: str,
    cure: str = "Ask for one after the other.",
    **arrays: State,
) -> dict[str, Array]:
    """The entries of a single state by name; a batch is refused in the name of the question."""
    rows, single = equations.check_states(**arrays)
    if not single:
        count = len(next(iter(rows.values())))
        raise InputError(
            f"{question}: expected one state, found {count} ({', '.join(arrays)} with two axes). "
            f"{cure}"
        )
    return {name: x[0] for name, x in rows.items()}


def plain_state(equations: Equations, **arrays: object) -> dict[str, Array] | None:
    """(1, ·) arrays of a single state, not checked for numbers that are not finite; None where it
    is not given by plain arrays of doubles."""
    sizes, found = {"q": equations.model.nq}, {}
    for name, x in arrays.items():
        if type(x) is not np.ndarray or x.dtype != np.float64:
            return None
        if x.shape != (sizes.get(name, equations.model.nv),):
            return None
        found[name] = x[None]
    return found


def one_place(equations: Equations, question: str, q: State) -> Array:
    """q of a single state; it is checked where native code does not tell that its rows are
    somewhere."""
    plain = plain_state(equations, q=q)
    if plain is not None:
        found = equations.at_once(("residual",), plain["q"][0])
        if found is not None and isfinite(found.sum()):
            return plain["q"][0]
    return one_state(equations, question, q=q)["q"]


def finite_rows(*arrays: Array) -> NDArray[np.bool_]:
    """(B,) which rows of arrays (B, ...) hold nothing but finite numbers."""
    good = np.ones(len(arrays[0]), bool)
    if isfinite(sum(map(_total, arrays))):
        return good
    for array in arrays:
        good &= np.isfinite(array.reshape(len(array), array[:1].size)).all(axis=1)
    return good


def _total(array: Array) -> float:
    """A number that is finite only if all of them are.  Products of long arrays are left alone:
    threads are woken for them, and wait for each other where the machine is busy."""
    return float(np.vdot(array, array) if array.size < _LONG else array.sum())


def known_rows(terms: Terms) -> NDArray[np.bool_]:
    """(B,) where the rows of the constraints are known."""
    return finite_rows(terms.J, terms.G, terms.residual, terms.rate, terms.gamma)


def placed(equations: Equations, q: Array, v: Array) -> NDArray[np.bool_]:
    """(B,) where bodies and rows are somewhere, and move finitely.  Of one state it is enough that
    native code knows its rows and the inertia of its bodies."""
    if len(q) == 1:
        rows = equations.at_once(("residual", "rate"), q[0], v[0])
        if rows is not None and isfinite(sum(map(_total, rows))):
            return np.array([isfinite(_total(equations.tree.mass_matrix(q[0])))])
    bodies = equations.placed(q)
    known = known_rows(equations.terms(q, v)) & _near(q)
    return finite_rows(q, v, bodies.Y, bodies.S) & known


def answerable(system: System) -> NDArray[np.bool_]:
    """(B,) where the equations of motion can be solved."""
    known = known_rows(system.terms) & _near(system.q)
    return known & finite_rows(system.M, system.force, system.target)


def _near(q: Array) -> NDArray[np.bool_]:
    """(B,) where all code has sines of the coordinates, whoever made it."""
    return np.asarray(np.abs(q).max(axis=1, initial=0.0) < _FAR)


def fulfilled(
    equations: Equations, J: Array, target: Array, v: Array, a: Array
) -> NDArray[np.bool_]:
    """(B,) where accelerations a (B, n) keep all rows, J a = target, but for rounding."""
    s = equations.scaling
    weights = s.rows / s.length
    off, terms = np.empty_like(target), np.empty_like(target)
    step = max(1, _AT_ONCE // max(J[0:1].size, 1))
    for first in range(0, len(J), step):
        some = slice(first, first + step)
        each = J[some] * a[some, None]
        off[some] = weights * np.abs(each.sum(axis=2) - target[some])
        terms[some] = weights * (np.abs(each, out=each).sum(axis=2) + np.abs(target[some]))
    speeds = np.abs(v / s.columns).max(axis=1, initial=0.0)
    rounded = _ROUNDED * (speeds**2 + np.linalg.norm(equations.model.gravity) / s.length)
    return np.asarray((off <= _FULFILLED * terms + rounded[:, None]).all(axis=1))


def substituted(
    equations: Equations, arrays: Mapping[str, Array], external: External, bad: NDArray[np.bool_]
) -> tuple[dict[str, Array], External]:
    """The same states with harmless ones (initial, at rest, without forces) in the bad rows."""
    harmless = {"q": equations.tree.initial}
    mask = bad[:, None]
    states = {name: np.where(mask, harmless.get(name, 0.0), x) for name, x in arrays.items()}
    if external is None or is_none(external):
        return states, external
    wrenches: dict[str, ArrayLike] = {}
    for name, x in external.items():
        own, one = wrench_rows(name, x)
        wrenches[name] = own[0] if one else np.where(mask, 0.0, own)
    return states, wrenches


def solvable(
    equations: Equations,
    arrays: dict[str, Array],
    single: bool,
    external: External = None,
    passive: bool = True,
    prescribed: Prescribed = None,
    baumgarte: DrawnBack | None = None,
    parameters: ArrayLike | None = None,
) -> tuple[System, dict[str, Array], External, NDArray[np.bool_]]:
    """Equations of motion of all states, harmless ones in bad rows: (system, states, wrenches,
    which rows are bad).  A single bad state is refused."""

    def system_of_all() -> System:
        q, v, tau = arrays["q"], arrays["v"], arrays["tau"]
        return equations.system(q, v, tau, external, passive, prescribed, baumgarte, parameters)

    system = system_of_all()
    bad = ~answerable(system)
    if bad.any():
        if single:
            equations.evaluator.refuse_not_finite(arrays, np.full(1, np.nan))
        arrays, external = substituted(equations, arrays, external, bad)
        system = system_of_all()
    return system, arrays, external, bad


def blanked(result: _Result, bad: NDArray[np.bool_]) -> _Result:
    """A result of a batch with NaN in the bad rows of all its arrays of numbers."""
    if isinstance(result, np.ndarray):
        if result.dtype.kind != "f" or result.shape[:1] != bad.shape:
            return result
        return np.where(bad.reshape(-1, *[1] * (result.ndim - 1)), np.nan, result)  # type: ignore[return-value]
    if isinstance(result, tuple) and hasattr(result, "_fields"):
        return type(result)(*(blanked(x, bad) for x in result))
    if isinstance(result, dict):
        return {name: blanked(x, bad) for name, x in result.items()}  # type: ignore[return-value]
    if is_dataclass(result) and not isinstance(result, (type, Model)):
        parts: dict[str, Any] = {f.name: getattr(result, f.name) for f in fields(result)}
        return replace(result, **{name: blanked(x, bad) for name, x in parts.items()})
    return result
