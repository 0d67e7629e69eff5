"""Motions from which parameters can be told well: Fourier series of the least condition number.

Every joint moves by a finite Fourier series that begins and ends at rest and fills its limits of
position, velocity or acceleration, whichever binds first.  The shapes are found by an evolution
strategy with one parent and one child (1 + 1), which needs no slopes and is the same for a seed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from armillary.errors import ArmillaryError, InputError, Remedy
from armillary.evaluate.derivatives import combinations
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.model.arguments import name_arguments
from armillary.model.parts import Limits
from armillary.shown import shown
from armillary.sim.motion.coordinates import coordinates, freedoms
from armillary.sim.motion.fourier import Fourier
from armillary.studies.identification.admissible import Rows, closed_motion
from armillary.studies.identification.design import Design
from armillary.studies.identification.estimate import triangle
from armillary.studies.identification.filtering import Motion
from armillary.studies.identification.parameters import Asked, joint_of, parameters_of

Bounds = Limits | Sequence[float]
_INSIDE = 0.98  # of a limit that is filled: instants between samples go a little beyond them
_PER_HARMONIC = 24  # instants per period of the highest harmonic, for extremes
_WORST = 1e12


@shown
class ExcitingTrajectory(Fourier):
    """A `Fourier` trajectory of the named coordinates.  condition: of the columns of all parameters
    that can be told, each of length one; at_first: that of the best random motion."""

    labels: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    condition: float = inf
    at_first: float = inf

    @property
    def motions(self) -> dict[str, Fourier]:
        """One trajectory by coordinate, as closed mechanisms take them (`replay`, `prescribed`)."""
        return {label: self.column(k) for k, label in enumerate(self.labels)}

    def __str__(self) -> str:
        t = np.linspace(self.start, self.end, 40 * self.harmonics * self.periods + 1)
        sample = self(t)
        lines = [
            f"exciting trajectory: {self.harmonics} harmonics of {1.0 / self.period:.4g} Hz, "
            f"{self.end - self.start:g} s; condition number {self.condition:.4g}, of the best "
            f"random motion {self.at_first:.4g}",
            f"{'coordinate':16s} {'from':>9s} {'to':>9s} {'velocity':>9s} {'accel.':>9s}  unit",
        ]
        for k, (label, unit) in enumerate(zip(self.labels, self.units, strict=True)):
            q, v, a = (x[:, k] for x in sample)
            lines.append(
                f"{label:16s} {q.min():9.4f} {q.max():9.4f} {np.abs(v).max():9.4f} "
                f"{np.abs(a).max():9.4f}  {unit}, /s, /s²"
            )
        return "\n".join(lines)


@name_arguments
def exciting_trajectory(
    mechanism: Mechanism,
    limits: Mapping[str, Bounds] | None = None,
    *,
    joints: Sequence[str] | None = None,
    period: float = 10.0,
    harmonics: int = 5,
    periods: int = 1,
    velocity: float | None = None,
    acceleration: float | None = None,
    begin: Mapping[str, float] | None = None,
    friction: Sequence[str] = ("viscous", "coulomb"),
    rotors: bool = False,
    evaluations: int | None = None,
    seed: int = 0,
) -> ExcitingTrajectory:
    """A motion from which `identify` tells the parameters well, at rest where it begins and ends.

    limits: {joint: am.Limits(lower, upper, velocity) or (lower, upper[, velocity[,
    acceleration]])}, rad or m, instead of those of the model; velocity, acceleration: of all
    joints that have none.  joints: that move (default: all; of a closed mechanism independent
    ones).  begin: positions at the start (default: free).  friction, rotors: parameters that are
    to be told beside the inertias.  evaluations: of the condition number (default: 600, of a closed
    mechanism 60)."""
    entries = _moved(mechanism, joints)
    labels = tuple(mechanism.v_labels[k] for k in entries)
    ranges = _ranges(mechanism, entries, limits or {}, velocity, acceleration)
    if period <= 0.0 or harmonics < 3:
        raise InputError(
            f"exciting_trajectory: expected a positive period and at least 3 harmonics (two of "
            f"them bring it to rest), found {period} s and {harmonics}."
        )
    shapes = Shapes(ranges, harmonics, period, _begun(mechanism, entries, begin))
    asked = Asked(friction=tuple(friction), rotors=rotors)
    measured = entries if mechanism.constraints else list(range(mechanism.nv))
    design = Design(mechanism, parameters_of(mechanism, asked, measured, "tau"))
    judge = _Judge(design, entries, period, harmonics)
    count = evaluations or (60 if mechanism.constraints else 600)
    best, first = _evolved(shapes, judge, count, np.random.default_rng(seed))
    if judge(Fourier(*shapes.series(best))) >= _WORST:
        raise InputError(
            f"exciting_trajectory: no motion of {', '.join(labels)} "
            "within these limits was found that the mechanism can follow. Narrow the limits of the "
            "moved joints."
        )
    series = shapes.series(best, periods)
    found = ExcitingTrajectory(*series)
    found.labels = labels
    found.units = tuple(mechanism.v_units[k] for k in entries)
    conditions = (judge.by_itself(Fourier(*shapes.series(x))) for x in (best, first))
    found.condition, found.at_first = conditions
    return found


def _moved(mechanism: Mechanism, joints: Sequence[str] | None) -> list[int]:
    """Entries of v that move; of a closed mechanism as many as it has freedoms."""
    if not mechanism.constraints:
        entries = freedoms(mechanism, joints)
        coordinates(mechanism, entries)  # refuses quaternions
        return entries
    if joints is None:
        motors = [b.joint.name for b in mechanism.model.bodies if b.motor]
        if not motors:
            raise InputError(
                f"exciting_trajectory: '{mechanism.name}' is closed, and has no motors.",
                Remedy("leading joints", {"joint": mechanism.v_labels[0]}),
            )
        joints = motors
    return freedoms(mechanism, joints)


@dataclass(frozen=True)
class Range:
    """Bounds of one coordinate."""

    lower: float
    upper: float
    velocity: float
    acceleration: float


def _ranges(
    mechanism: Mechanism,
    entries: Sequence[int],
    given: Mapping[str, Bounds],
    velocity: float | None,
    acceleration: float | None,
) -> list[Range]:
    named = {k: name for name in given for k in freedoms(mechanism, [name])}
    found, missing = [], []
    for entry in entries:
        body, axis = joint_of(mechanism, entry)
        joint = mechanism.model.bodies[body].joint
        own = joint.limits[axis] if joint.limits else Limits()
        most = acceleration
        if entry in named:
            bounds = given[named[entry]]
            if isinstance(bounds, Limits):
                own = bounds
            else:
                lower, upper, *rest = (float(x) for x in bounds)
                own = Limits(lower, upper, rest[0] if rest else own.velocity)
                most = rest[1] if len(rest) > 1 else most
        if own.lower is None or own.upper is None:
            missing.append(mechanism.v_labels[entry])
            continue
        if not own.lower < own.upper:
            raise InputError(
                f"limits of '{mechanism.v_labels[entry]}': expected lower < upper, found "
                f"{own.lower} and {own.upper}."
            )
        fast = own.velocity if own.velocity is not None else velocity
        found.append(Range(own.lower, own.upper, fast or inf, most or inf))
    if missing:
        raise InputError(
            f"exciting_trajectory: {', '.join(missing)}: no limits of position in the model.",
            Remedy("range of a joint", {"joint": missing[0]}),
        )
    return found


def _begun(
    mechanism: Mechanism, entries: Sequence[int], begin: Mapping[str, float] | None
) -> list[float | None]:
    named = {freedoms(mechanism, [name])[0]: float(x) for name, x in (begin or {}).items()}
    return [named.get(entry) for entry in entries]


def _across(w: Array) -> Array:
    """(K - 1, K) orthonormal vectors at right angles to w (K), by Householder's reflection: the
    same on every processor, which a decomposition of LAPACK is not."""
    u = w / np.linalg.norm(w)
    u[0] += 1.0
    return np.eye(len(w))[1:] - np.outer(u[1:], u) * (2.0 / (u @ u))


class Shapes:
    """Fourier series within limits, as plain numbers: per coordinate the free coefficients of its
    shape, and where in its range it stays if it does not fill it."""

    def __init__(
        self, ranges: Sequence[Range], harmonics: int, period: float, begin: Sequence[float | None]
    ):
        self.ranges, self.harmonics, self.period, self.begin = ranges, harmonics, period, begin
        still = _across(np.ones(harmonics))  # Σ a_k = 0: v = 0 at both ends
        steady = _across(np.arange(1.0, harmonics + 1.0))  # Σ k b_k = 0: a = 0 there
        self.basis = np.zeros((2 * harmonics - 2, 2 * harmonics))
        self.basis[: harmonics - 1, :harmonics] = still
        self.basis[harmonics - 1 :, harmonics:] = steady
        k = 2.0 * np.pi / period * np.arange(1, harmonics + 1)
        t = np.linspace(0.0, period, _PER_HARMONIC * harmonics + 1)
        s, c = np.sin(np.outer(t, k)), np.cos(np.outer(t, k))
        self.at = (
            np.hstack([s / k, -c / k]) @ self.basis.T,
            np.hstack([c, s]) @ self.basis.T,
            np.hstack([-s * k, c * k]) @ self.basis.T,
        )
        self.each = 2 * harmonics - 1  # numbers per coordinate
        self.size = self.each * len(ranges)

    def series(self, x: Array, periods: int = 1) -> tuple[Array, Array, Array, float, int]:
        """center, sines, cosines, period, periods."""
        center = np.zeros(len(self.ranges))
        numbers = np.zeros((len(self.ranges), 2 * self.harmonics))
        for j, (own, begin) in enumerate(zip(self.ranges, self.begin, strict=True)):
            part = x[self.each * j : self.each * (j + 1)]
            center[j], scale = self._fitted(part, own, begin)
            numbers[j] = scale * (part[:-1] @ self.basis)
        sines, cosines = numbers[:, : self.harmonics].T, numbers[:, self.harmonics :].T
        return center, sines, cosines, self.period, periods

    def _fitted(self, part: Array, own: Range, begin: float | None) -> tuple[float, float]:
        """Centre and size of a shape that fills its limits."""
        q, v, a = (x @ part[:-1] for x in self.at)
        tiny = 1e-12
        most = min(
            own.velocity / max(np.abs(v).max(), tiny), own.acceleration / max(np.abs(a).max(), tiny)
        )
        if begin is not None:  # q = begin + scale (shape - its start)
            up, down = q.max() - q[0], q[0] - q.min()
            room = min((own.upper - begin) / max(up, tiny), (begin - own.lower) / max(down, tiny))
            scale = _INSIDE * max(min(most, room), 0.0)
            return begin - scale * float(q[0]), scale
        scale = _INSIDE * min(most, (own.upper - own.lower) / max(float(np.ptp(q)), tiny))
        low, high = own.lower - scale * q.min(), own.upper - scale * q.max()
        share = 1.0 / (1.0 + np.exp(-part[-1]))
        return float(low + share * (high - low)), float(scale)


class _Judge:
    """The condition number of a motion."""

    def __init__(self, design: Design, entries: Sequence[int], period: float, harmonics: int):
        self.design, self.entries = design, list(entries)
        self.mechanism = design.mechanism
        self.t = np.linspace(0.0, period, 16 * harmonics + 1)[:-1]
        self.columns: list[int] | None = None

    def by_itself(self, series: Fourier) -> float:
        """Of the base parameters that are told from this motion, as `identify` finds them."""
        self.columns = None
        return self(series)

    def __call__(self, series: Fourier) -> float:
        """Of those told from the first motion that was judged."""
        try:
            motion, rows = self._motion(series)
        except ArmillaryError:
            return _WORST
        X = rows.of(self.design.linear(motion))
        X = X.reshape(-1, X.shape[2])
        if self.columns is None:
            names = tuple(p.name for p in self.design.parameters)
            tolerance = 1e-6 if self.mechanism.constraints else 1e-9
            self.columns = list(combinations(triangle(X), names, tolerance).columns)
        X = X[:, self.columns]
        length = np.linalg.norm(X, axis=0)
        if not length.all():
            return _WORST
        X = X / length
        values = np.linalg.eigvalsh(X.T @ X)
        return float(np.sqrt(values[-1] / max(values[0], values[-1] * 1e-24)))

    def _motion(self, series: Fourier) -> tuple[Motion, Rows]:
        m = self.mechanism
        if m.constraints:
            from armillary.sim.loop.replay import replay

            names = [m.v_labels[k] for k in self.entries]
            own = dict(zip(names, (series.column(k) for k in range(len(names))), strict=True))
            run = replay(m, own, times=self.t, record=("q", "v", "a"))
            if any("beyond its limits" in text for _, text in run.events):
                raise InputError("beyond limits")
            motion = Motion(run.time, run.q, run.v, run.a)
            return closed_motion(m, motion, self.entries, names)
        sample = series(self.t)
        q = np.tile(m.initial, (len(self.t), 1))
        v, a = np.zeros((2, len(self.t), m.nv))
        q[:, coordinates(m, self.entries)] = sample.q
        v[:, self.entries], a[:, self.entries] = sample.v, sample.a
        return Motion(self.t, q, v, a), Rows(tuple(range(m.nv)))


def _evolved(
    shapes: Shapes, judge: _Judge, count: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """The best numbers, and the best random ones."""
    best, value, spread = np.zeros(shapes.size), inf, 0.5
    random = max(count // 6, 5)
    for _ in range(random):
        x = rng.normal(size=shapes.size)
        if (own := judge(Fourier(*shapes.series(x)))) < value:
            best, value = x, own
    first = best
    for _ in range(count - random):
        chosen = rng.random(shapes.size) < 0.3
        x = best + spread * rng.normal(size=shapes.size) * chosen
        own = judge(Fourier(*shapes.series(x)))
        better = own < value
        spread = min(max(spread * (1.22 if better else 0.95), 0.02), 2.0)  # one of five succeeds
        if better:
            best, value = x, own
    return best, first
