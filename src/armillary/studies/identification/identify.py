"""`identify`: the numbers of a mechanism from measured motion and forces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from armillary.errors import InputError, Remedy
from armillary.evaluate.derivatives import BaseParameters, combinations
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.model.arguments import name_arguments
from armillary.sim.motion.coordinates import freedoms
from armillary.studies.identification.consistent import SPREAD, consistent, made_realizable
from armillary.studies.identification.design import Design
from armillary.studies.identification.equations import Equations, equations_of
from armillary.studies.identification.estimate import (
    Fit,
    fit,
    folds,
    root_mean_squares,
    sizes,
    triangle,
)
from armillary.studies.identification.logs import Data, Log, read_logs
from armillary.studies.identification.parameters import (
    Asked,
    Parameter,
    parameters_of,
    values_of,
)
from armillary.studies.identification.result import Identification

_STEPS = 40  # of Gauss-Newton, where forces are not linear in the parameters
_CLOSE = 1e-3  # standard errors
_ROUNDING = 1e-10  # of a number, where data are exact
_SEEN = 3.0  # standard errors: less is nothing
_DIGITS = 1e-9  # of columns that depend on each other
_FROM_NOISE = 1e-6  # likewise, of closed mechanisms


@name_arguments
def identify(
    mechanism: Mechanism,
    data: Data | Sequence[Data],
    *,
    inertias: bool = True,
    bodies: Sequence[str] | str | None = None,
    friction: Sequence[str] | str | Mapping[str, Sequence[str] | str] = ("viscous", "coulomb"),
    rotors: bool = False,
    springs: Sequence[str] | str = (),
    motor_constants: bool = False,
    cutoff: float | None = None,
    noise: Mapping[str, float] | None = None,
    robust: bool = False,
    realizable: bool = True,
    spread: float = SPREAD,
    still: float = 0.0,
    parts: int = 5,
    actuators: Sequence[str] | None = None,
    independent: Sequence[str] | None = None,
) -> Identification:
    """Masses, friction, springs and motor constants from a log of motion and forces.

    data: a `Run`, a file (.csv, .parquet, .nc), arrays by name {"time", "q", "tau" or "current",
    perhaps "v", "a"}, or a list of these.  Rates that are not given are found from the positions
    behind a zero-phase filter; cutoff: its frequency, Hz (default: found from the motion).

    What is identified: inertias (ten numbers per body; bodies: of these alone), friction of the
    measured joints ("viscous", "coulomb", "coulomb_each_way", "stribeck", "offset"; by joint, in a
    closed mechanism of any one: {"crank": ("viscous", "coulomb"), "ram": "viscous"}), rotors
    (reflected inertia), springs (labels of joints, "strut.stiffness" of elements), motor_constants
    (from currents).  All else stays as the model has it.

    noise: standard deviations of measured forces by joint (default: found from the residuals).
    robust: Huber's estimate, against outliers.  realizable: every body of `result.mechanism` is
    one that can exist; spread: how freely it may differ from the model where the data do not tell.
    still: velocities (rad/s or m/s) up to which a joint with dry friction counts as standing; such
    rows are left out.  parts: of cross-validation.

    Closed mechanisms: actuators are the joints that give forces (default: the measured ones, all
    others give none); independent: coordinates that determine the motion."""
    own = None if bodies is None else _names(bodies)
    terms = friction if isinstance(friction, Mapping) else _names(friction)
    asked = Asked(inertias, own, terms, rotors, _names(springs), motor_constants)
    logs = read_logs(mechanism, data)
    entries = _driven(mechanism, logs[0], actuators)
    design = Design(mechanism, parameters_of(mechanism, asked, entries, logs[0].kind))
    equations = equations_of(design, logs, entries, independent, cutoff, still)
    known = None if noise is None else _noise(noise, equations.labels)
    found = _solved(design, equations, _start(design, equations), known, robust)
    _refuse_blind(found, design.parameters)
    whole, chi2 = _whole(design, found, spread) if realizable else (found.theta, 0.0)
    check = _validated(found, equations, parts)
    return _result(equations, found, (whole, chi2), check, cutoff=cutoff, realizable=realizable)


def _names(given: Sequence[str] | str) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _result(
    equations: Equations,
    found: Solved,
    estimates: tuple[Array, float],
    cross_validation: Array,
    *,
    cutoff: float | None,
    realizable: bool,
) -> Identification:
    whole, chi2 = estimates
    return Identification(
        equations=equations,
        estimates=whole,
        base=found.base,
        base_estimates=found.beta,
        covariance=found.fit.covariance,
        residuals=found.residuals,
        noise=found.fit.noise,
        condition=found.condition,
        chi2=chi2,
        cross_validation=cross_validation,
        cutoff=cutoff,
        realizable=realizable,
    )


def _whole(design: Design, found: Solved, spread: float) -> tuple[Array, float]:
    """Numbers of bodies that can exist, and their distance from what was measured."""
    start = _realizable_start(design.mechanism, design.parameters, found)
    own = consistent(
        design.parameters, start, found.base.matrix, found.beta, found.fit.covariance, spread
    )
    return own.theta, own.chi2


def _driven(mechanism: Mechanism, log: Log, actuators: Sequence[str] | None) -> tuple[int, ...]:
    if actuators is None:
        return log.entries
    found = tuple(freedoms(mechanism, actuators))
    for k in found:
        if k not in log.entries:
            raise InputError(
                f"actuators: there is no column {log.kind}.{mechanism.v_labels[k]} in {log.name}."
            )
    return tuple(sorted(found))


def _noise(given: Mapping[str, float], labels: Sequence[str]) -> Array:
    missing = [label for label in labels if not given.get(label, 0.0) > 0.0]
    if missing or set(given) - set(labels):
        raise InputError(
            f"noise: expected a positive deviation for each of {', '.join(labels)}, found "
            f"{dict(given)}."
        )
    return np.array([float(given[label]) for label in labels])


@dataclass(frozen=True)
class Solved:
    """The end of Gauss-Newton."""

    theta: Array
    base: BaseParameters
    beta: Array
    fit: Fit
    residuals: Array  # (instants, rows), NaN where a row is left out
    X: Array  # of the base columns, rows that count
    condition: float


def _solved(
    design: Design, equations: Equations, theta: Array, noise: Array | None, robust: bool
) -> Solved:
    """β and its covariance; linear problems in one step."""
    tolerance = _FROM_NOISE if design.mechanism.constraints else _DIGITS
    names, count = tuple(p.name for p in design.parameters), len(equations.labels)
    if not equations.counted.any():
        raise _nothing(names)
    for _ in range(_STEPS):
        f, X, y = equations.linearized(theta)
        X, r, group = equations.flat(X), equations.flat(y - f), equations.groups
        sized = X / sizes(equations.flat(y), group, count)[group][:, None]
        base = combinations(triangle(sized), names, tolerance)
        columns = list(base.columns)
        if not columns:
            raise _nothing(names)
        _refuse_short(X, columns)
        _refuse_scaled(base, design.parameters)
        step = fit(X[:, columns], r, group, noise=noise, robust=robust, count=count)
        theta = theta.copy()
        theta[columns] += _damped(design, theta[columns], step.beta, columns)
        small = _CLOSE * step.standard_errors + _ROUNDING * np.abs(theta[columns])
        if design.linear_only or (np.abs(step.beta) < small).all():
            break
    else:
        raise InputError(
            "identify: the numbers that forces are not linear in (Stribeck velocities, elements, "
            f"motor constants) did not settle in {_STEPS} steps. The data may not show them: ask "
            "for fewer, or begin with numbers nearer to the truth in the model."
        )
    f, _, y = equations.linearized(theta)
    weighted = X[:, columns] / step.noise[group][:, None]
    weighted = weighted / np.linalg.norm(weighted, axis=0)
    condition = float(np.linalg.cond(weighted))
    left = np.where(equations.counted, y - f, np.nan)
    return Solved(theta, base, base.matrix @ theta, step, left, X[:, columns], condition)


def _damped(design: Design, now: Array, step: Array, columns: Sequence[int]) -> Array:
    """Positive numbers that forces are not linear in change by a factor of two at most."""
    step = step.copy()
    for i, k in enumerate(columns):
        p = design.parameters[k]
        if p.kind in ("stribeck", "motor", "element") and p.positive:
            most = 0.5 * abs(now[i])
            step[i] = np.clip(step[i], -most, 2.0 * most)
    return step


def _refuse_short(X: Array, columns: Sequence[int]) -> None:
    if len(X) <= 2 * len(columns):
        raise InputError(
            f"identify: {len(X)} equations are too few for {len(columns)} unknown combinations of "
            "parameters.",
            Remedy("fewer parameters"),
        )


def _refuse_scaled(base: BaseParameters, parameters: Sequence[Parameter]) -> None:
    """Currents alone tell ratios: something must be known in N m."""
    for k, p in enumerate(parameters):
        rows = base.matrix[base.matrix[:, k] != 0.0]
        if p.kind == "motor" and np.count_nonzero(rows) != 1:
            raise InputError(
                f"motor_constants: '{p.name}' cannot be told apart from the masses and friction "
                "that its current moves: twice of all is the same.",
                Remedy("known masses"),
            )


def _nothing(names: Sequence[str]) -> InputError:
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return InputError(
        f"identify: the data say nothing about what is asked for. Not seen: {shown}.",
        Remedy("excite"),
    )


def _refuse_blind(found: Solved, parameters: Sequence[Parameter]) -> None:
    if (np.abs(found.beta) < _SEEN * found.fit.standard_errors).all():
        raise _nothing([p.name for p in parameters])


def _start(design: Design, equations: Equations) -> Array:
    """The model's numbers; where it has none, some to begin with."""
    theta = values_of(design.parameters)
    for k, p in enumerate(design.parameters):
        if p.kind == "stribeck" and not p.value > 0.0:
            theta[k] = equations.slow(p.entry)
        if p.kind == "motor":
            theta[k] = 1.0
        if p.kind == "element" and p.positive and p.value == 0.0:
            theta[k] = 1.0
    for k, p in enumerate(design.parameters):
        if p.kind == "static_rise" and not p.value > 0.0:  # a rise of zero has no velocity
            theta[k] = 0.1 * equations.size_of(p.entry)
    unknown = [k for k, p in enumerate(design.parameters) if p.kind == "motor"]
    if unknown:  # forces of the model over measured currents
        f, _, y = equations.linearized(theta)
        for k in unknown:
            row = equations.entries.index(design.parameters[k].entry)
            ratio = abs(float(f[:, row] @ y[:, row])) / max(float(y[:, row] @ y[:, row]), 1e-300)
            theta[k] = design.parameters[k].value if design.parameters[k].value > 0.0 else ratio
            theta[k] = theta[k] or 1.0
    return theta


def _realizable_start(
    mechanism: Mechanism, parameters: Sequence[Parameter], found: Solved
) -> Array:
    """What the data leave open stays near the model; other numbers begin where they were found."""
    start = values_of(parameters)
    inertial = [k for k, p in enumerate(parameters) if p.kind == "inertia"]
    masses = [start[k] for k in inertial[::10] if start[k] > 0.0]
    mass = 1e-3 * max(masses, default=1000.0)
    reach = [np.linalg.norm(body.at.position) for body in mechanism.model.bodies]
    size = max(0.5 * float(max(reach, default=0.0)), 0.05)
    for k in range(0, len(inertial), 10):
        own = inertial[k : k + 10]
        start[own] = made_realizable(start[own], mass, size)
    errors = dict(zip(found.base.columns, found.fit.standard_errors, strict=True))
    for k, p in enumerate(parameters):
        if p.kind == "inertia":
            continue
        if k in errors:  # else: the model's, as the data cannot tell
            least = 0.1 * errors[k] if p.positive else errors[k]
            start[k] = found.theta[k] if abs(found.theta[k]) > least else least
            if p.positive:
                start[k] = max(start[k], least)
        elif p.positive:
            start[k] = max(start[k], 1e-6)
        elif not start[k]:
            start[k] = 1e-6
    return start


def _validated(found: Solved, equations: Equations, parts: int) -> Array:
    """(rows,) root mean square of the errors at instants that the estimate had not seen."""
    columns = list(found.base.columns)
    target = equations.flat(found.residuals) + found.X @ found.theta[columns]
    instants = equations.instants
    errors = np.full(len(target), np.nan)
    weight = np.sqrt(found.fit.weights) / found.fit.noise[equations.groups]
    scale = np.linalg.norm(found.X, axis=0)
    X, y = found.X / scale * weight[:, None], target * weight
    square, side = X.T @ X, X.T @ y
    for part in folds(len(equations.time), max(2, parts)):
        out = np.isin(instants, part)
        own, count = X[out], int((~out).sum())
        if not out.any() or count <= X.shape[1]:
            continue
        beta = np.linalg.lstsq(square - own.T @ own, side - own.T @ y[out], rcond=1e-14)[0]
        errors[out] = target[out] - (found.X / scale)[out] @ beta
    return root_mean_squares(errors, equations.groups, len(equations.labels))
