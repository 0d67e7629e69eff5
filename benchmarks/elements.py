"""Force elements: what many of them cost, and how many designs of a quarter car run per minute."""

from __future__ import annotations

from itertools import pairwise

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
SLOPED = (100, 200, 300, 600, 1000, 3000)  # the first ones in straight-line code
CHAINED = (100, 300, 600, 1000, 3000)
ROWS = 256  # of a batch
CARTS, SPACING = 20, 1.0  # on one rail, m apart
LINKS = 20  # of a chain in space
STIFFNESS = 40.0  # N/m
MASSES, TYRE, STRUT, DAMPING = (40.0, 300.0), 2e5, 2e4, 1500.0  # kg, N/m, N/m, N s/m
DESIGNS, STEPS, STEP = 4096, 500, 1e-3  # sets of a batch; of a run, s
MINUTE = 60.0
_EXPONENTS = {"ours": targets.EXPONENT, "per row": None}
_JUMPS = {"ours": targets.ELEMENT_JUMP, "per row": None}
NOTES = (
    "springs: forward dynamics of 20 carts on one rail between which they hang; error against the "
    "sum of their tensions; slopes: derivatives of it where springs hang at random places, by q "
    "against the matrix by hand; of a chain of 20 bodies in space, against differences; jump: of "
    "the time per spring from one row to the next.",
    "quarter car: runs of 500 steps (rk4, 1 ms) with stiffness and damping of their own, by "
    "batches of 4096 on one core; error against the matrix exponential of each.",
)


def rows(setting: Setting) -> list[Row]:
    growing = [springs_row(n, setting) for n in SPRINGS]
    times = [float(row.times["ours"]) for row in growing]
    score = Score(exponent(list(SPRINGS), times), targets.EXPONENT, low=True)
    fit = Row(f"{SPRINGS[0]}..{SPRINGS[-1]} springs", "growth", {}, {"exponent": score})
    slopes = [slopes_row(n, setting) for n in SLOPED]
    links = [chain_row(n, setting) for n in CHAINED]
    return [
        *growing, fit,
        *slopes, *(slopes_fit("springs", kind, slopes, SLOPED) for kind in ("ours", "per row")),
        *links, slopes_fit("springs on a chain", "ours", links, CHAINED),
        quarter_car_row(setting),
    ]  # fmt: skip


def slopes_fit(what: str, kind: str, found: list[Row], counts: tuple[int, ...]) -> Row:
    """Growth of derivatives, across the change from straight-line code to loops."""
    times = [float(row.times[kind]) for row in found]
    each = [t / n for t, n in zip(times, counts, strict=True)]
    scores = {
        "exponent": Score(exponent(list(counts), times), _EXPONENTS[kind], low=True),
        "jump": Score(max(b / a for a, b in pairwise(each)), _JUMPS[kind], low=True),
    }
    where = "single" if kind == "ours" else f"batch {ROWS}"
    return Row(f"{counts[0]}..{counts[-1]} {what}, slopes", f"growth, {where}", {}, scores)


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


def hung(b: am.Builder, bodies: int, springs: int) -> tuple[Array, Array, Array]:
    """Springs at random places of random bodies b0, b1, ...: (springs, 2) their bodies, (springs,
    2, 3) the places, (springs) stiffness."""
    rng = np.random.default_rng(5)
    pairs = np.array([rng.choice(bodies, 2, replace=False) for _ in range(springs)])
    places, stiffness = rng.normal(size=(springs, 2, 3)) * 0.2, rng.uniform(20.0, 60.0, springs)
    for k, (pair, ends) in enumerate(zip(pairs, places, strict=True)):
        frames = [
            am.Frame(f"f{k}.{n}", f"b{body}", am.Pose(tuple(place)))
            for n, (body, place) in enumerate(zip(pair, ends, strict=True))
        ]
        b.spring(f"s{k}", *frames, stiffness=stiffness[k], damping=1.0 + 0.01 * k, rest=SPACING)
    return pairs, places, stiffness


def slopes_times(arm: am.Mechanism, setting: Setting) -> dict[str, float]:
    """Derivatives of forward dynamics: of one state, and per row of a batch."""
    call = "arm.forward_dynamics.derivatives(q, v, x)"
    one, many = (
        statement(call, dict(zip(("arm", "q", "v", "x"), (arm, *state), strict=True)))
        for state in (arm.random_state(6), arm.random_state(6, ROWS))
    )
    times = race({"ours": one, "per row": many}, setting.effort)
    return {"ours": times["ours"], "per row": times["per row"] / ROWS}


def slopes_row(count: int, setting: Setting) -> Row:
    """Derivatives at rest: with d between the ends of a spring, and its length l,
    da/dq = -M^-1 Σ k (1 - l0 / l + l0 d_x² / l³) (e_i - e_j)²."""
    b = am.Builder("carts", gravity=(0, 0, 0))
    for k in range(CARTS):
        b.body(f"b{k}", joint="prismatic", axis="x", at=(k * SPACING, 0, 0), mass=1.0 + k)
    pairs, places, stiffness = hung(b, CARTS, count)
    arm, rest = b.build(), np.zeros(CARTS)
    x = np.random.default_rng(6).uniform(-0.2, 0.2, CARTS)
    apart = np.eye(CARTS)[pairs[:, 1]] - np.eye(CARTS)[pairs[:, 0]]
    d = places[:, 1] - places[:, 0]
    d[:, 0] += apart @ (x + SPACING * np.arange(CARTS))
    length = np.linalg.norm(d, axis=1)
    slope = stiffness * (1.0 - SPACING / length + SPACING * d[:, 0] ** 2 / length**3)
    expected = -(apart.T * slope) @ apart / (1.0 + np.arange(CARTS))[:, None]
    found = arm.forward_dynamics.derivatives(x, rest, rest).dq
    off = np.abs(found - expected).max() / np.abs(expected).max()
    times = slopes_times(arm, setting)
    return Row(
        f"{count} springs, slopes", "single", dict(times), {"error": error(float(off), 1e-12)}
    )


def chain_row(count: int, setting: Setting) -> Row:
    """Derivatives of a chain in space, against differences of its accelerations."""
    b = am.Builder("links")
    for k in range(LINKS):
        b.body(
            f"b{k}", f"b{k - 1}" if k else "world", joint="revolute", axis="xyz"[k % 3],
            at=(0.3, 0.1, 0.05), mass=1.0 + k % 3, com=(0.1, -0.05, 0.02),
            inertia=(0.03, 0.04, 0.05, 0.002, 0, 0),
        )  # fmt: skip
    hung(b, LINKS, count)
    arm, h = b.build(), 1e-6
    q, v, tau = arm.random_state(6)
    found = arm.forward_dynamics.derivatives(q, v, tau).dq
    steps = h * np.eye(LINKS)
    ahead, behind = (
        arm.forward_dynamics(q + s * steps, np.tile(v, (LINKS, 1)), np.tile(tau, (LINKS, 1)))
        for s in (1, -1)
    )
    expected = (ahead - behind).T / (2 * h)
    off = np.abs(found - expected).max() / np.abs(expected).max()
    scores = {"error": error(float(off), 1e-6)}
    return Row(
        f"{count} springs on a chain, slopes", "single", dict(slopes_times(arm, setting)), scores
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
