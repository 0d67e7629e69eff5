"""The motion of a closed mechanism from what is given of it: positions by continuity, then rates.

    residual(q) = x ,    J v = x' ,    J a = gamma(q, v) + x''

where x moves the coordinates that are given.  Velocities and accelerations are those nearest to
what was given, in units of the machine's size; no masses are needed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armillary.constraints.moving import RowMotion
from armillary.constraints.nullspace import Factor
from armillary.errors import InadmissibleError, InputError, ModelError
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.motion.driven import PrescribedMotions
from armillary.sim.motion.given_motion import GivenMotion, differentiated, plain_places
from armillary.sim.motion.rates import rates, slopes

_OPEN = 1e-4  # of the machine's size: what is open by more is no rounding of a file
_CLOSED = 1e-9
_ALLOWED = 1e-4  # of the velocities
_JUMP = 0.5  # rad, or sizes of the machine, beyond what the velocity leads to
_NEAR = 0.05  # the same, beyond a cubic curve
_STRIDE = 16
_RANK = 1e-9


def consistent(
    mechanism: Mechanism, moving: RowMotion | None, q: Array, v: Array, a: Array
) -> tuple[Array, Array]:
    """v and a (T, nv) that the rows allow, nearest to the given ones."""
    equations = mechanism.constraint_solver.equations
    s, J = equations.scaling, mechanism.constraint_jacobian(q)
    W = np.linalg.pinv(s.scaled(J), rcond=max(_RANK, mechanism.geometry_tolerance))

    def nearest(x: Array, target: Array) -> Array:
        miss = target - np.einsum("tmn,tn->tm", J, x)
        return x + s.columns * np.einsum("tnm,tm->tn", W, miss * s.rows / s.length)

    still = np.zeros((len(q), J.shape[1]))
    rate = equations.terms(q, np.zeros_like(v)).rate  # of rows that move by themselves
    wanted = (still if moving is None else moving.velocity) - rate
    v = nearest(nearest(v, wanted), wanted)
    gamma = equations.terms(q, v).gamma + (still if moving is None else moving.acceleration)
    return v, nearest(nearest(a, gamma), gamma)


def whole_motion(mechanism: Mechanism, given: GivenMotion) -> tuple[Array, Array, Array, list[str]]:
    """q, v, a of a closed mechanism whose q is given as a whole; and what was changed."""
    t, notes = given.t, list(given.notes)
    q = _closed(mechanism, t, given.x, notes)
    v, a = given.v, given.a
    if v is None or a is None:
        notes.append(differentiated(1 if v is None else 2))
    if v is None:
        v, a = rates(mechanism, t, q)
    elif a is None:
        a = slopes(t, v)[0]
    assert a is not None
    found = consistent(mechanism, None, q, v, a)
    if given.v is not None:
        _refuse_changed(mechanism, t, "v", given.v, found[0])
    if given.a is not None:
        _refuse_changed(mechanism, t, "a", given.a, found[1])
    return q, *found, notes


def _closed(mechanism: Mechanism, t: Array, q: Array, notes: list[str]) -> Array:
    """The positions, closed exactly where they are nearly."""
    s = mechanism.constraint_solver.equations.scaling
    opening = np.abs(mechanism.constraint_residual(q) * s.rows / s.length)
    worst = opening.max(axis=1, initial=0.0)
    limit = max(_OPEN, mechanism.geometry_tolerance)
    if worst.max() > limit:
        k = int(np.argmax(worst > limit))
        row = mechanism.constraint_rows[int(np.argmax(opening[k]))]
        raise InputError(
            f"replay: at t = {t[k]:g} s '{mechanism.name}' is open by {worst[k]:.2g} of its size, "
            f"most at '{row}': the constraints do not allow this motion. Give the independent "
            f"coordinates by name; the others follow."
        )
    if worst.max() <= _CLOSED:
        return q
    notes.append(f"q was open by up to {worst.max():.2g} of the machine's size; it was closed")
    return mechanism.project(q)[0]


def _refuse_changed(
    mechanism: Mechanism, t: Array, kind: str, given: Array, allowed: Array
) -> None:
    """Rates that were given and are not allowed."""
    size = mechanism.constraint_solver.equations.scaling.columns
    missed = np.abs((given - allowed) / size)
    if missed.max() <= _ALLOWED * np.abs(given / size).max():
        return
    k, j = np.unravel_index(int(np.argmax(missed)), missed.shape)
    raise InadmissibleError(
        f"replay: at t = {t[k]:g} s the constraints do not allow {kind} of "
        f"'{mechanism.v_labels[j]}', {given[k, j]:.6g}; the nearest is {allowed[k, j]:.6g}. Leave "
        f"{kind} out, or give the independent coordinates by name.",
        allowed[k],
        int(k),
    )


def led_motion(
    mechanism: Mechanism, given: GivenMotion, start: Array
) -> tuple[Array, Array, Array, list[str]]:
    """q, v, a of a closed mechanism led by the coordinates that are named; the others are
    assembled at the first instant, near `start`, and follow from there without jumps."""
    entries = given.entries or ()
    names = [mechanism.v_labels[k] for k in entries]
    leading = PrescribedMotions(mechanism, dict.fromkeys(names, 0.0), 1e-3)
    driven = leading.mechanism
    assert given.v is not None and given.a is not None
    moving = leading.row_motion(driven, np.array([given.x, given.v, given.a]))
    first = _first(mechanism, given, names, start)
    _refuse_free(driven, names, first, moving.of(0))
    way = _Way(driven, given.t, moving, names)
    try:
        q, v = way.between(*way.followed(first, way.coarse()))
    except InputError:  # too far apart for these instants alone
        q, v = way.followed(first, np.arange(len(given.t)))
    return q, *consistent(driven, moving, q, v, np.zeros_like(v)), list(given.notes)


class _Way:
    """Positions of a driven mechanism one after the other, each from the one before."""

    def __init__(self, driven: Mechanism, t: Array, moving: RowMotion, names: list[str]):
        self.driven, self.t, self.moving, self.names = driven, t, moving, names
        self.size = driven.constraint_solver.equations.scaling.columns
        self.project = driven.constraint_solver.projector.project

    def coarse(self) -> NDArray[np.intp]:
        """Every so many instants and the last: those between are found at once."""
        return np.unique(np.append(np.arange(0, len(self.t), _STRIDE), len(self.t) - 1))

    def followed(self, first: Array, chosen: NDArray[np.intp]) -> tuple[Array, Array]:
        """q and v at the chosen instants."""
        m, q, v = self.driven, [first], [np.zeros(self.driven.nv)]
        last = float(self.t[0])
        for k in chosen.tolist():
            t = float(self.t[k])
            guess = m.integrate(q[-1], v[-1] * (t - last))
            try:
                places, velocities = self.project(guess[None], v[-1][None], self.moving.of(k))
            except ModelError as fault:
                raise InputError(
                    f"replay: at t = {t:g} s '{m.name}' cannot follow {', '.join(self.names)}: "
                    f"{fault}"
                ) from None
            if k:
                self._refuse_jump(guess, places[0], last, t)
            q.append(places[0])
            v.append(velocities[0])
            last = t
        return np.array(q[1:]), np.array(v[1:])

    def _refuse_jump(self, guess: Array, q: Array, last: float, t: float) -> None:
        jump = np.abs(self.driven.difference(guess, q) / self.size)
        if jump.max() > _JUMP:
            label = self.driven.v_labels[int(np.argmax(jump))]
            raise InputError(
                f"replay: between t = {last:g} and {t:g} s '{label}' jumps by {jump.max():.2g} rad "
                f"or sizes of the machine: it changes its branch, or the instants are too far "
                f"apart. Give more instants, or keep away from the singular position."
            )

    def between(self, q: Array, v: Array) -> tuple[Array, Array]:
        """All instants at once, from cubic curves through the coarse ones."""
        m, knots = self.driven, self.t[self.coarse()]
        k = np.clip(np.searchsorted(knots, self.t, "right") - 1, 0, len(knots) - 2)
        span = np.diff(knots)[k][:, None]
        s = (self.t - knots[k])[:, None] / span
        along = m.difference(q[:-1], q[1:])[k]
        curve = (3 - 2 * s) * s**2 * along + span * s * (1 - s) * ((1 - s) * v[k] - s * v[k + 1])
        guess = m.integrate(q[k], curve)
        rate = (1 - s) * v[k] + s * v[k + 1]
        try:
            places, velocities = self.project(guess, rate, self.moving)
        except ModelError as fault:
            raise InputError(f"replay: {fault}") from None
        if np.abs(m.difference(guess, places) / self.size).max() > _NEAR:
            raise InputError("replay: the instants between are not near")
        return places, velocities


def _first(mechanism: Mechanism, given: GivenMotion, names: list[str], start: Array) -> Array:
    """The closed position of the first instant."""
    guess = start.copy()
    guess[plain_places(mechanism, given.entries or ())] = given.x[0]
    found = mechanism.assemble(guess, hold=names)
    if not found.closed:
        open_ = ", ".join(f"'{name}'" for name in list(found.open_rows)[:3])
        raise InputError(
            f"replay: at t = {given.t[0]:g} s '{mechanism.name}' cannot be closed with "
            f"{', '.join(names)} as given; {open_} stay open. Begin nearer, with start=."
        )
    return np.asarray(found.q)


def _refuse_free(driven: Mechanism, names: list[str], q: Array, moving: RowMotion) -> None:
    """The named coordinates must lead all others."""
    equations = driven.constraint_solver.equations
    terms = equations.terms(q[None], moving=moving)
    holonomic = np.array(equations.constraints.holonomic, bool)
    tolerance = equations.rank_tolerance(terms.residual[0])
    factor = Factor(terms.J[0][holonomic], equations.scaling.of_rows(holonomic), tolerance)
    if factor.rank == driven.nv:
        return
    free = np.abs(factor.free).max(axis=1)
    others = [driven.v_labels[k] for k in np.argsort(-free)[:4] if free[k] > 1e-6]
    whole = "" if holonomic.all() else " Where wheels roll, give the whole of q: (t, q)."
    raise InputError(
        f"replay: with {', '.join(names)} given, '{driven.name}' keeps "
        f"{driven.nv - factor.rank} freedoms ({', '.join(others)}). Name more coordinates.{whole}"
    )
