"""Joint trajectories: q(t), v(t), a(t) for a time or an array of times.

Between start and end the motion is exact; before and after it stands still where it begins and
ends.  `trajectory(t)` gives a `Sample`; a row of it per time.  At an inner time where the
acceleration jumps the later piece counts, or the earlier one with side="left".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import factorial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armillary.errors import InputError
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.scalar import Scalar, where
from armillary.sim.motion.coordinates import freedoms, per_freedom
from armillary.sim.motion.profiles import Profile, profile_of, quickest_trapezoid

Limits = ArrayLike | Mapping[str, float] | None


class Sample(NamedTuple):
    """Position, velocity and acceleration: (n,) at one time, (T, n) at many."""

    q: Array
    v: Array
    a: Array


class Trajectory:
    """A motion over the times from `start` to `end` (s)."""

    start: float
    end: float

    @property
    def duration(self) -> float:
        return self.end - self.start

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: t = {self.start:g} to {self.end:g} s>"

    def __call__(self, t: ArrayLike, side: str = "right") -> Sample:
        """q, v, a at a time or at times (T,)."""
        times = np.asarray(t, float)
        if times.ndim > 1 or not np.isfinite(times).all():
            raise InputError(
                f"t: expected a finite time or a row of them, found shape {times.shape}."
            )
        sample = self._at(np.atleast_1d(times), side)
        return sample if times.ndim else Sample(*(rows[0] for rows in sample))

    def _at(self, t: Array, side: str) -> Sample:
        raise NotImplementedError


class Pieces(Trajectory):
    """Polynomials in a row: q = Σ c_k (t - t_i)^k on [t_i, t_i+1].

    times (P + 1), coefficients (P, degree + 1, n), lowest power first, in powers of seconds."""

    def __init__(self, times: ArrayLike, coefficients: ArrayLike):
        self.times = np.asarray(times, float)
        self.coefficients = np.asarray(coefficients, float)
        if not (np.diff(self.times) > 0.0).all():
            raise InputError(f"times: expected to rise, found {self.times.tolist()}.")
        self.start, self.end = float(self.times[0]), float(self.times[-1])

    def _at(self, t: Array, side: str) -> Sample:
        last = len(self.times) - 2
        k = np.clip(np.searchsorted(self.times, t, side) - 1, 0, last)  # type: ignore[call-overload]
        h = np.clip(t, self.start, self.end) - self.times[k]
        q, v, a = _horner(self.coefficients[k].transpose(1, 0, 2), h[:, None])
        moving = ((t >= self.start) & (t <= self.end))[:, None]
        return Sample(q, np.where(moving, v, 0.0), np.where(moving, a, 0.0))

    def scalars(self, t: Scalar) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
        """The same for a time of any scalar kind: lists of q, v, a."""
        before, after = t < self.start, t > self.end
        clock = where(before, self.start, where(after, self.end, t))
        q, v, a = self._piece(0, clock)
        for k in range(1, len(self.times) - 1):
            later = clock >= float(self.times[k])
            pairs = zip((q, v, a), self._piece(k, clock), strict=True)
            q, v, a = ([where(later, y, x) for x, y in zip(*p, strict=True)] for p in pairs)
        still = [[where(before, 0.0, where(after, 0.0, x)) for x in xs] for xs in (v, a)]
        return q, still[0], still[1]

    def _piece(self, k: int, t: Scalar) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
        h = t - float(self.times[k])
        rows = [_horner([float(c) for c in column], h) for column in self.coefficients[k].T]
        q, v, a = zip(*rows, strict=True)
        return list(q), list(v), list(a)


def _horner(c: Sequence[Scalar], h: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """Value and two derivatives of Σ c_k h^k."""
    p: Scalar = c[-1] + 0.0 * h
    first: Scalar = 0.0 * p
    second: Scalar = 0.0 * p
    for k in range(len(c) - 2, -1, -1):
        second = second * h + 2.0 * first
        first = first * h + p
        p = p * h + c[k]
    return p, first, second


class PointToPoint(Trajectory):
    """From one configuration to another with a profile, on the joints' manifolds:

    q = integrate(q0, s d),  v = s' d,  a = s'' d,  with d the difference of the two."""

    def __init__(
        self,
        mechanism: Mechanism,
        q0: Array,
        q1: Array,
        duration: float,
        profile: Profile,
        start: float,
    ):
        self.mechanism, self.q0, self.q1, self.profile = mechanism, q0, q1, profile
        self.step = mechanism.difference(q0, q1)
        self.start, self.end = start, start + duration

    def _at(self, t: Array, side: str) -> Sample:
        s, first, second = self.profile(t - self.start, self.duration)
        q = self.mechanism.integrate(np.tile(self.q0, (len(t), 1)), np.outer(s, self.step))
        return Sample(q, np.outer(first, self.step), np.outer(second, self.step))

    def scalars(self, t: Scalar) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
        """The same for a time of any scalar kind: lists of q, v, a."""
        s, first, second = self.profile(t - self.start, self.duration)
        d, model = [float(x) for x in self.step], self.mechanism.model
        q0 = [float(x) for x in self.q0]
        q: list[Scalar] = []
        for joint, slot in zip(model.joints, model.slots, strict=True):
            q += joint.integrate(tuple(q0[slot.q]), tuple(s * x for x in d[slot.v]))
        return q, [first * x for x in d], [second * x for x in d]


class Constant(Trajectory):
    """A set-point: q stands still.  v and a have nv entries, as many as q unless told."""

    def __init__(self, q: ArrayLike, nv: int | None = None):
        self.q = np.asarray(q, float)
        self.nv = len(self.q) if nv is None else nv
        self.start, self.end = 0.0, 0.0

    def _at(self, t: Array, side: str) -> Sample:
        rest = np.zeros((len(t), self.nv))
        return Sample(np.tile(self.q, (len(t), 1)), rest, rest.copy())

    def scalars(self, t: Scalar) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
        return [float(x) for x in self.q], [0.0] * self.nv, [0.0] * self.nv


class Succession(Trajectory):
    """Trajectories one after the other; each is moved in time to begin when the last one ends."""

    def __init__(self, parts: Sequence[Trajectory], start: float | None = None):
        if not parts:
            raise InputError("sequence: expected at least one trajectory.")
        self.parts = tuple(parts)
        self.start = parts[0].start if start is None else start
        self.begins = self.start + np.cumsum([0.0, *(p.duration for p in parts)])
        self.end = float(self.begins[-1])
        for one, two in pairwise(parts):
            gap = float(np.abs(one(one.end).q - two(two.start).q).max())
            if gap > 1e-9:
                raise InputError(
                    f"sequence: a trajectory ends {gap:.3g} rad or m from where the next begins."
                )

    def _at(self, t: Array, side: str) -> Sample:
        last = len(self.parts) - 1
        k = np.clip(np.searchsorted(self.begins, t, side) - 1, 0, last)  # type: ignore[call-overload]
        back = np.argsort(np.argsort(k, kind="stable"))
        pieces = [
            self.parts[i](t[k == i] - self.begins[i] + self.parts[i].start, side)
            for i in np.unique(k)
        ]
        return Sample(*(np.concatenate(parts)[back] for parts in zip(*pieces, strict=True)))


# -- making them ---------------------------------------------------------------------------------


def cubic(
    q0: ArrayLike,
    q1: ArrayLike,
    duration: float,
    v0: ArrayLike = 0.0,
    v1: ArrayLike = 0.0,
    start: float = 0.0,
) -> Pieces:
    """Third-order polynomial per joint between places and velocities [VanDerMerwe1995, 4.6]."""
    p, r, T = *_places(q0, q1), _time(duration)
    v, w = (np.broadcast_to(np.asarray(x, float), p.shape) for x in (v0, v1))
    d = (r - p) / T
    return Pieces([start, start + T], [[p, v, (3 * d - 2 * v - w) / T, (v + w - 2 * d) / T**2]])


def quintic(
    q0: ArrayLike,
    q1: ArrayLike,
    duration: float,
    v0: ArrayLike = 0.0,
    v1: ArrayLike = 0.0,
    a0: ArrayLike = 0.0,
    a1: ArrayLike = 0.0,
    start: float = 0.0,
) -> Pieces:
    """Fifth-order polynomial per joint between places, velocities and accelerations."""
    p, r, T = *_places(q0, q1), _time(duration)
    v, w, a, b = (np.broadcast_to(np.asarray(x, float), p.shape) for x in (v0, v1, a0, a1))
    # what is missing at the end after half the work is done by p, v, a
    e = (r - p - v * T - a * T * T / 2, (w - v - a * T) * T, (b - a) * T * T)
    c3 = (10 * e[0] - 4 * e[1] + e[2] / 2) / T**3
    c4 = (-15 * e[0] + 7 * e[1] - e[2]) / T**4
    c5 = (6 * e[0] - 3 * e[1] + e[2] / 2) / T**5
    return Pieces([start, start + T], [[p, v, a / 2, c3, c4, c5]])


def point_to_point(
    mechanism: Mechanism,
    q0: ArrayLike,
    q1: ArrayLike,
    duration: float | None = None,
    profile: str | Profile = "quintic",
    start: float = 0.0,
    velocity: Limits = None,
    acceleration: Limits = None,
) -> PointToPoint:
    """From rest to rest with a profile; joints with quaternions take the shortest rotation.

    Without a duration: the shortest one within `velocity` and `acceleration`, a number for all
    joints, one per degree of freedom, or {label: limit} (others have none).  All joints move
    together; the ramps of "trapezoid" are then as short as the limits allow, those of a
    `profiles.trapezoid(ramp)` stay."""
    shape = profile_of(profile)
    first, second = mechanism.integrate(q0, np.zeros(mechanism.nv)), np.asarray(q1, float)
    if duration is None:
        far = np.abs(mechanism.difference(first, second))
        if not far.any():
            raise InputError(
                "point_to_point: q0 and q1 are the same, and the shortest time "
                "is none. Give a duration."
            )
        # limits of the path coordinate s(t), from 0 to 1, that all joints share
        asked = (("velocity", velocity), ("acceleration", acceleration))
        limits = [_shared(mechanism, name, given, far) for name, given in asked]
        if profile == "trapezoid":
            shape = quickest_trapezoid(1.0, *limits)
        duration = shape.duration(1.0, *limits)
    return PointToPoint(mechanism, first, second, _time(duration), shape, start)


def _shared(mechanism: Mechanism, name: str, given: Limits, far: Array) -> float | None:
    """The limit of s, of which joint i covers far_i: the least limit_i / far_i; None: no limit."""
    if given is None:
        return None
    labels = mechanism.v_labels
    if isinstance(given, Mapping):
        entries = freedoms(mechanism, list(given))
        numbers: ArrayLike = [x for key, x in given.items() for _ in freedoms(mechanism, key)]
    else:
        entries, numbers = list(range(len(labels))), given
    each = per_freedom(name, numbers, len(entries), [labels[i] for i in entries])
    for i, limit in zip(entries, each, strict=True):
        if not limit > 0.0:
            raise InputError(f"{name} of '{labels[i]}': expected a positive limit, found {limit}.")
    shares = [limit / far[i] for i, limit in zip(entries, each, strict=True) if far[i] > 0.0]
    return min(shares, default=None)


def segments(
    points: ArrayLike,
    durations: Sequence[float],
    kind: str = "cubic",
    velocities: ArrayLike | None = None,
    start: float = 0.0,
) -> Pieces:
    """Polynomials through points (P + 1, n), one duration each; at rest in every point, unless
    velocities (P + 1, n) are given.  kind: "cubic" or "quintic" (no acceleration in the points)."""
    places = np.atleast_2d(np.asarray(points, float))
    if len(places) != len(durations) + 1:
        raise InputError(
            f"segments: {len(places)} points need {len(places) - 1} durations, "
            f"found {len(durations)}."
        )
    if kind not in ("cubic", "quintic"):
        raise InputError(f"kind: expected 'cubic' or 'quintic', found {kind!r}.")
    rates = np.zeros_like(places) if velocities is None else np.asarray(velocities, float)
    make = cubic if kind == "cubic" else quintic
    parts = [
        make(places[i], places[i + 1], T, rates[i], rates[i + 1]) for i, T in enumerate(durations)
    ]
    times = start + np.cumsum([0.0, *durations])
    return Pieces(times, np.concatenate([part.coefficients for part in parts]))


def spline(points: ArrayLike, times: ArrayLike, kind: str = "cubic", ends: str = "rest") -> Pieces:
    """A smooth curve through points (P, n) at given times (P,).

    kind: "cubic" (continuous acceleration) or "quintic" (continuous snap).  ends: "rest" (no
    velocity; quintic: no acceleration either) or "natural" (cubic: no acceleration at the ends;
    quintic: third and fourth derivatives vanish)."""
    from scipy.interpolate import make_interp_spline

    places, clock = np.asarray(points, float), np.asarray(times, float)
    if places.ndim != 2 or len(places) != len(clock) or len(clock) < 2:
        raise InputError(
            f"spline: expected points (P, n) and P >= 2 times, found shapes "
            f"{places.shape} and {clock.shape}."
        )
    if not (np.diff(clock) > 0.0).all():
        raise InputError(f"times: expected to rise, found {clock.tolist()}.")
    degree = {"cubic": 3, "quintic": 5}.get(kind)
    orders = {
        ("rest", 3): (1,),
        ("natural", 3): (2,),
        ("rest", 5): (1, 2),
        ("natural", 5): (3, 4),
    }.get((ends, degree or 0))
    if degree is None or orders is None:
        raise InputError(
            "spline: kind is 'cubic' or 'quintic', ends is 'rest' or 'natural'; "
            f"found {kind!r}, {ends!r}."
        )
    zero = np.zeros(places.shape[1])
    conditions = [(order, zero) for order in orders]
    curve = make_interp_spline(clock, places, k=degree, bc_type=(conditions, conditions))
    taylor = [curve(clock[:-1], nu=k) / factorial(k) for k in range(degree + 1)]
    return Pieces(clock, np.stack(taylor, axis=1))


def sequence(*parts: Trajectory, start: float | None = None) -> Succession:
    """Trajectories one after the other; each must begin where the last one ends."""
    return Succession(parts, start)


def _places(q0: ArrayLike, q1: ArrayLike) -> tuple[Array, Array]:
    p, r = np.atleast_1d(np.asarray(q0, float)), np.atleast_1d(np.asarray(q1, float))
    if p.shape != r.shape or p.ndim != 1:
        raise InputError(
            f"q0, q1: expected two configurations of one length, found {p.shape}, {r.shape}."
        )
    return p, r


def _time(duration: float) -> float:
    if not (np.isfinite(duration) and duration > 0.0):
        raise InputError(f"duration: expected a positive time in seconds, found {duration}.")
    return float(duration)
