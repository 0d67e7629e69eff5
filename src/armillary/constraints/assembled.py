"""What there is to say of an assembled configuration: joints beyond their limits, telescopes
inside out, and another branch than that of the guess or of the start.

A branch is told by the sign of det J_d, the rows of loops over the joints that follow: it changes
only where these lose their hold.  Joints with motors lead, then the first of the tree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armillary.evaluate.inputs import Array
from armillary.model.model import Model

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations

_CHAINS = ("loop", "coupling")
_ROUNDING = 1e-9  # of a limit: an assembled joint stands on it
_HEALTHY = 0.02  # smallest over largest singular value: nearer to a change of branch is no side
_LARGE = 200  # degrees of freedom: branches of larger mechanisms are not told


def remarks(equations: Equations, guess: Array, q: Array) -> tuple[str, ...]:
    """Of a closed q that was found from a guess."""
    model = equations.model
    branch = _inside_out(model, guess, q) or _other_branch(equations, guess, q)
    return (*beyond_limits(model, q[None]), *branch)


def beyond_limits(model: Model, q: Array) -> tuple[str, ...]:
    """In words, of configurations q (T, nq): which joints, where they are, and their limit."""
    found = []
    for body, joint, slot in zip(model.bodies, model.joints, model.slots, strict=True):
        for k, limit in enumerate(body.joint.limits if joint.nq == joint.nv else ()):
            place = slot.q.start + k
            least, most = float(q[:, place].min()), float(q[:, place].max())
            ends = (("lower", limit.lower, -1.0, least), ("upper", limit.upper, 1.0, most))
            passed = [
                f"{name} limit {x:.6g}"
                for name, x, sign, end in ends
                if x is not None and sign * (end - x) > _ROUNDING * (1.0 + abs(x))
            ]
            if passed:
                where = f"{least:.6g}" if least == most else f"{least:.6g} to {most:.6g}"
                unit, label = model.q_units[place], model.q_labels[place]
                which = " and ".join(passed)
                found.append(f"'{label}' is beyond its limits: {where} {unit}, {which} {unit}")
    return tuple(found)


def _inside_out(model: Model, guess: Array, q: Array) -> tuple[str, ...]:
    """A remark on every telescope (a slide on a joint that turns) whose guess is not negative and
    whose length is: the same leg, turned by half a turn, closes with the opposite sign."""
    found = []
    for body, joint, slot in zip(model.bodies, model.joints, model.slots, strict=True):
        parent = model.index[body.parent]
        turns = parent >= 0 and "rad" in model.joints[parent].units
        k = slot.q.start
        if joint.kind == "prismatic" and turns and guess[k] >= 0.0 > q[k]:
            found.append(
                f"'{body.joint.name}' is negative, {q[k]:.6g} m from a guess of {guess[k]:.6g} m: "
                f"the telescope is inside out. Guess '{model.bodies[parent].joint.name}' half a "
                f"turn away for the other branch"
            )
    return tuple(found)


def _other_branch(equations: Equations, guess: Array, q: Array) -> tuple[str, ...]:
    """A remark where the joints that follow stand the other way round than in the guess, or where
    the model starts."""
    rows = _chains(equations)
    if not rows.any() or equations.tables.nv > _LARGE:
        return ()
    J = _rows_of(equations, q)[rows]
    following = _following(equations, J)
    if following is None or not (side := _side(J[:, following])):
        return ()
    places = {"the guess": guess, "where the model starts": np.array(equations.model.start())}
    others = [
        name
        for name, x in places.items()
        if _side(_rows_of(equations, x)[rows][:, following]) == -side
    ]
    if not others:
        return ()
    labels = equations.model.v_labels
    names = ", ".join(f"'{labels[k]}'" for k in sorted(following)[:4])
    more = ", ..." if len(following) > 4 else ""
    return (
        f"it lies on another branch than {' and '.join(others)}: {names}{more} stand the other way "
        f"round. Guess them nearer to where they belong, or hold them",
    )


def _chains(equations: Equations) -> NDArray[np.bool_]:
    """(m,) rows of loops and gears: what rolls or touches changes its side as it moves."""
    found = np.zeros(equations.constraints.count, bool)
    for constraint in equations.constraints.all:
        found[equations.constraints.slices[constraint.name]] = constraint.kind in _CHAINS
    return found & ~equations.idle_rows


def _rows_of(equations: Equations, q: Array) -> Array:
    return equations.scaling.scaled(equations.place(q)[0])


def _following(equations: Equations, J: Array) -> list[int] | None:
    """As many degrees of freedom as there are rows (m, n) that these determine, the last ones
    first and those with motors at the end; None where the rows depend on each other."""
    model, left = equations.model, J.copy()
    driven = [
        k
        for body, slot in zip(model.bodies, model.slots, strict=True)
        if body.motor is not None
        for k in range(slot.v.start, slot.v.stop)
    ]
    order = [k for k in reversed(range(model.nv)) if k not in driven] + driven
    found: list[int] = []
    for k in order:
        size, whole = np.linalg.norm(left[:, k]), np.linalg.norm(J[:, k])
        if len(found) < len(J) and size > _HEALTHY * whole > 0.0:
            unit = left[:, k] / size
            left -= np.outer(unit, unit @ left)
            found.append(k)
    return found if len(found) == len(J) else None


def _side(J: Array) -> int:
    """Sign of det J (m, m); 0 where it is near to its change."""
    values = np.linalg.svd(J, compute_uv=False)
    if not np.isfinite(values).all() or values[-1] <= _HEALTHY * values[0]:
        return 0
    return int(np.linalg.slogdet(J)[0])
