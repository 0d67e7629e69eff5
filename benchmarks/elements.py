"""Force elements: what many of them cost, and how many designs of a quarter car run per minute."""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm

import armillary as am
from benchmarks import targets
from benchmarks.clock import race, statement
from benchmarks.growth import exponent
from benchmarks.mechanisms import Array
from benchmarks.setting import Setting
from benchmarks.table import Row, Score, error

SPRINGS = (100, 300, 1000, 3000)
LONG = 1000  # springs whose derivatives are too long for straight-line code
CARTS, SPACING = 20, 1.0  # on one rail, m apart
STIFFNESS = 40.0  # N/m
MASSES, TYRE, STRUT, DAMPING = (40.0, 300.0), 2e5, 2e4, 1500.0  # kg, N/m, N/m, N s/m
DESIGNS, STEPS, STEP = 4096, 500, 1e-3  # sets of a batch; of a run, s
MINUTE = 60.0
NOTES = (
    "springs: forward dynamics of 20 carts on one rail between which they hang; error against the "
    "sum of their tensions; slopes: derivatives of it, by q against the matrix by hand.",
    "quarter car: runs of 500 steps (rk4, 1 ms) with stiffness and damping of their own, by "
    "batches of 4096 on one core; error against the matrix exponential of each.",
)


def rows(setting: Setting) -> list[Row]:
    growing = [springs_row(n, setting) for n in SPRINGS]
    times = [float(row.times["ours"]) for row in growing]
    score = Score(exponent(list(SPRINGS), times), targets.EXPONENT, low=True)
    fit = Row(f"{SPRINGS[0]}..{SPRINGS[-1]} springs", "growth", {}, {"exponent": score})
    slopes = [slopes_row(n, setting) for n in SPRINGS]
    return [*growing, fit, *slopes, slopes_fit(slopes), quarter_car_row(setting)]


def slopes_fit(found: list[Row]) -> Row:
    """Growth of derivatives beyond straight-line code."""
    counts = [n for n in SPRINGS if n >= LONG]
    times = [float(row.times["ours"]) for row in found[-len(counts) :]]
    score = Score(exponent(counts, times), targets.EXPONENT, low=True)
    return Row(f"{counts[0]}..{counts[-1]} springs, slopes", "growth", {}, {"exponent": score})


def carts(springs: int) -> tuple[am.Mechanism, Array]:
    """Carts along x, and the pairs (springs, 2) between which springs hang."""
    rng = np.random.default_rng(5)
    b = am.Builder("carts", gravity=(0, 0, 0))
    for k in range(CARTS):
        b.body(f"cart{k}", joint="prismatic", axis="x", at=(k * SPACING, 0, 0), mass=1.0 + k)
    pairs = np.array([rng.choice(CARTS, 2, replace=False) for _ in range(springs)])
    for k, (one, two) in enumerate(pairs):
        b.spring(f"s{k}", f"cart{one}", f"cart{two}", stiffness=STIFFNESS, rest=SPACING)
    return b.build(), pairs


def springs_row(count: int, setting: Setting) -> Row:
    arm, pairs = carts(count)
    x = np.random.default_rng(6).uniform(-0.2, 0.2, CARTS)
    rest = np.zeros(CARTS)
    names = {"arm": arm, "q": x, "v": rest, "x": rest}
    times = race({"ours": statement("arm.forward_dynamics(q, v, x)", names)}, setting.effort)
    place = x + SPACING * np.arange(CARTS)
    way = place[pairs[:, 1]] - place[pairs[:, 0]]
    pull = STIFFNESS * (np.abs(way) - SPACING) * np.sign(way)
    force = np.zeros(CARTS)
    np.add.at(force, pairs[:, 0], pull)
    np.add.at(force, pairs[:, 1], -pull)
    expected = force / (1.0 + np.arange(CARTS))
    off = np.abs(arm.forward_dynamics(x, rest, rest) - expected).max() / np.abs(expected).max()
    return Row(f"{count} springs", "single", dict(times), {"error": error(float(off), 1e-12)})


def slopes_row(count: int, setting: Setting) -> Row:
    """Derivatives: along one rail the tensions are linear in x, da/dq = -M^-1 Σ k (e_i - e_j)²."""
    arm, pairs = carts(count)
    x = np.random.default_rng(6).uniform(-0.2, 0.2, CARTS)
    rest = np.zeros(CARTS)
    names = {"arm": arm, "q": x, "v": rest, "x": rest}
    asked = statement("arm.forward_dynamics.derivatives(q, v, x)", names)
    times = race({"ours": asked}, setting.effort)
    apart = np.eye(CARTS)[pairs[:, 0]] - np.eye(CARTS)[pairs[:, 1]]
    expected = -STIFFNESS * apart.T @ apart / (1.0 + np.arange(CARTS))[:, None]
    found = arm.forward_dynamics.derivatives(x, rest, rest).dq
    off = np.abs(found - expected).max() / np.abs(expected).max()
    return Row(
        f"{count} springs, slopes", "single", dict(times), {"error": error(float(off), 1e-12)}
    )


def quarter_car() -> am.Mechanism:
    """Wheel and car above a road; heights count from their rest."""
    b = am.Builder("quarter car", gravity=(0, 0, 0))
    b.body("wheel", joint="prismatic", axis="z", mass=MASSES[0])
    b.body("car", joint="prismatic", axis="z", at=(0, 0, 0.5), mass=MASSES[1])
    b.frame("road", "world", at=(0, 0, -0.3))
    b.spring("tyre", "road", "wheel", stiffness=TYRE, rest=0.3)
    b.spring("strut", "wheel", "car", stiffness=STRUT, damping=DAMPING, rest=0.5)
    return b.build()


def designs(arm: am.Mechanism, count: int) -> Array:
    """(count, parameters): struts that differ by 20 %."""
    names, rng = arm.parameter_names, np.random.default_rng(8)
    found = np.tile(arm.parameters, (count, 1))
    for name in ("strut.stiffness", "strut.damping"):
        found[:, names.index(name)] *= rng.uniform(0.8, 1.2, count)
    return found


def quarter_car_row(setting: Setting) -> Row:
    arm, start = quarter_car(), np.array([0.0, 0.05])
    names = {"am": am, "arm": arm, "q": np.tile(start, (DESIGNS, 1)), "p": designs(arm, DESIGNS)}
    names |= {"T": STEPS * STEP, "h": STEP, "every": STEPS}
    call = "am.simulate(arm, q, duration=T, step=h, method='rk4', parameters=p, every=every)"
    per_set = race({"ours": statement(call, names)}, setting.effort)["ours"] / DESIGNS
    per_minute = Score(MINUTE / per_set / 1e6, targets.DESIGNS, form="{:.2f} million")
    some = designs(arm, 8)
    run = am.simulate(
        arm, np.tile(start, (8, 1)), duration=STEPS * STEP, step=STEP, method="rk4",
        parameters=some, every=STEPS,
    )  # fmt: skip
    ends = np.array([expm(_rates(arm, p) * STEPS * STEP) @ [*start, 0, 0] for p in some])
    off = np.abs(np.asarray(run.q)[-1] - ends[:, :2]).max() / np.abs(ends[:, :2]).max()
    scores = {"designs per minute": per_minute, "error": error(float(off), 1e-6)}
    return Row("quarter car", f"run of {STEPS} steps", {"ours": per_set}, scores)


def _rates(arm: am.Mechanism, parameters: Array) -> Array:
    """x' = A x of heights and velocities."""
    k, c = (parameters[arm.parameter_names.index(f"strut.{n}")] for n in ("stiffness", "damping"))
    K = np.array([[TYRE + k, -k], [-k, k]]) / np.array(MASSES)[:, None]
    C = np.array([[c, -c], [-c, c]]) / np.array(MASSES)[:, None]
    return np.block([[np.zeros((2, 2)), np.eye(2)], [-K, -C]])
