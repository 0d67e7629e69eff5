"""Compiled kernels against the interpreter: every algorithm, both tiers, one state and many.

The interpreter runs the same steps on Python floats; it shares no line with the compiler.  It is
checked itself against first principles (tests/laws) and another engine.
"""

import numpy as np
import pytest
from nasty import ALGORITHMS, FRAMED, Case, mechanism

from armillary.evaluate import program as program_
from armillary.runtime import threads

MAIN = [n for n in ALGORITHMS if n not in FRAMED or n.endswith("_local")]
BATCHES = (1, 2, 3, 4, 5, 7, 8, 9, 64)
# the solutions of equations are as good as their matrix
LOOSE = {"forward_dynamics": 1e-12, "forward_dynamics_derivatives": 1e-11}


def few(inputs: dict, start: int, stop: int) -> dict:
    return {name: array[start:stop] for name, array in inputs.items()}


def close(found: dict, expected: dict, tolerance: float) -> None:
    """Relative to the largest number of each result."""
    assert found.keys() == expected.keys()
    for name, want in expected.items():
        got = found[name].reshape(want.shape)
        error = np.abs(got - want).max(initial=0.0) / max(1.0, np.abs(want).max(initial=0.0))
        assert error <= tolerance, f"{name}: {error:.1e}"


def equal(found: dict, expected: dict) -> None:
    for name in expected:
        np.testing.assert_array_equal(found[name], expected[name], name)


def check(case: Case, tier: int, count: int = 9) -> None:
    """The interpreter's numbers from a batch; the same bits from one state at a time."""
    inputs = case.inputs(count)
    expected = case.interpreted(few(inputs, 0, 3))
    many = case.compiled(tier, inputs)
    close(few(many, 0, 3), expected, LOOSE.get(case.algorithm.name, 1e-13))
    for k in (0, 4, count - 1):
        equal(case.compiled(tier, few(inputs, k, k + 1)), few(many, k, k + 1))


@pytest.mark.parametrize("algorithm", MAIN)
def test_loops_over_bodies(algorithm):
    """Hinges, slides, screws, crosses and planes with friction, on a moving base."""
    check(Case("limbs", algorithm), tier=1)


@pytest.mark.parametrize("algorithm", [
    "inverse_dynamics", "forward_dynamics", "mass_matrix", "coriolis_matrix", "body_forces",
    "momentum", "momentum_matrix", "jacobian_dot_local", "inverse_dynamics_derivatives",
])  # fmt: skip
def test_loops_over_bodies_with_quaternions(algorithm):
    """A free base, a ball, gimbals, axes in any place."""
    check(Case("floater", algorithm), tier=1)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_straight_lines(algorithm):
    check(Case("wrist", algorithm), tier=2)


@pytest.mark.parametrize("algorithm", FRAMED)
def test_loops_in_all_coordinates(algorithm):
    check(Case("ball", algorithm), tier=1)


# ---------------------------------------------------------------- batches

SAMPLE = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "center_of_mass", "energy",
          "jacobian_local", "body_forces")  # fmt: skip


@pytest.mark.parametrize("algorithm", SAMPLE)
@pytest.mark.parametrize(("name", "tier"), [("limbs", 1), ("wrist", 2)])
def test_every_length_of_batch(name, tier, algorithm):
    """The last block of lanes overlaps the one before: no row may be missed or spoilt."""
    case = Case(name, algorithm)
    inputs = case.inputs(max(BATCHES))
    rows = [case.compiled(tier, few(inputs, k, k + 1)) for k in range(max(BATCHES))]
    expected = {name: np.concatenate([r[name] for r in rows]) for name in rows[0]}
    for count in BATCHES:
        equal(case.compiled(tier, few(inputs, 0, count)), few(expected, 0, count))


@pytest.mark.parametrize(("name", "tier"), [("limbs", 1), ("wrist", 2)])
def test_a_thousand_rows_on_threads(name, tier, monkeypatch):
    """1003 rows: in one go, and split over three threads."""
    monkeypatch.setattr(threads, "cores", lambda: 3)
    monkeypatch.setattr(program_, "_WORTH", 0.0)
    case = Case(name, "inverse_dynamics")
    inputs = {n: np.tile(x, (59, 1)) for n, x in case.inputs(17).items()}
    expected = np.tile(case.compiled(tier, case.inputs(17))["tau"], (59, 1))
    np.testing.assert_array_equal(case.compiled(tier, inputs)["tau"], expected)
    shared = mechanism(name, tier).compile(threads=3)
    kernels = shared.evaluator.kernels_of(case.algorithm, case.algorithm.reads, True, True)
    for _ in range(2):  # the first call finds out how long a row takes
        found = kernels(inputs, len(expected), shared.evaluator.base_numbers)
        np.testing.assert_array_equal(found["tau"], expected)
    assert len(kernels._parts(len(expected), kernels.kernel(True, "double"))) == 3


@pytest.mark.parametrize(("name", "tier"), [("limbs", 1), ("wrist", 2)])
@pytest.mark.parametrize("count", [2, 9])
@pytest.mark.parametrize("fixed", ["q", "v", "a", "external"])
def test_a_single_state_goes_with_every_row(name, tier, count, fixed):
    case = Case(name, "inverse_dynamics")
    inputs = case.inputs(count)
    inputs[fixed] = inputs[fixed][1:2]
    spread = inputs | {fixed: np.repeat(inputs[fixed], count, axis=0)}
    equal(case.compiled(tier, inputs, rows=count), case.compiled(tier, spread))


def test_no_rows():
    case = Case("limbs", "mass_matrix")
    nv = case.model.nv
    assert case.compiled(1, {"q": np.empty((0, case.model.nq))})["M"].shape == (0, nv, nv)


# ---------------------------------------------------------------- single precision

SINGLE = ("inverse_dynamics", "mass_matrix", "forward_dynamics", "jacobian_local", "energy")


@pytest.mark.parametrize("algorithm", SINGLE)
@pytest.mark.parametrize(("name", "tier"), [("ball", 1), ("wrist", 2)])
def test_single_precision(name, tier, algorithm):
    case = Case(name, algorithm)
    inputs = case.inputs(19)
    small = {n: x.astype(np.float32) for n, x in inputs.items()}
    exact = case.interpreted({n: x[:3].astype(float) for n, x in small.items()})
    found = case.compiled(tier, small, np.float32)
    for n, x in found.items():
        assert x.dtype == np.float32, n
    close(few(found, 0, 3), exact, 1e-4)
    for k in (0, 7, 18):
        one = case.compiled(tier, few(small, k, k + 1), np.float32)
        equal(one, few(found, k, k + 1))


# ---------------------------------------------------------------- what is not a number


def spoiled(case: Case, value: float) -> tuple[dict, dict]:
    """A batch in which every input number is spoilt in a row of its own, and the clean batch."""
    total = sum(x.shape[1] for n, x in case.inputs(1).items() if n != "external")
    clean = case.inputs(total + 2)
    dirty = {n: x.copy() for n, x in clean.items()}
    row = 1
    for n, x in dirty.items():
        for k in range(x.shape[1] if n != "external" else 0):
            x[row, k] = value
            row += 1
    return dirty, clean


@pytest.mark.parametrize("algorithm", MAIN)
@pytest.mark.parametrize(("name", "tier"), [("limbs", 1), ("wrist", 2)])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_bad_row_is_seen_and_stays_alone(name, tier, algorithm, value):
    """Every input that is not finite shows in its own row of the result and in no other, also
    where the result does not depend on it."""
    case = Case(name, algorithm)
    dirty, clean = spoiled(case, value)
    found, expected = case.compiled(tier, dirty), case.compiled(tier, clean)
    equal(few(found, 0, 1), few(expected, 0, 1))
    for n in expected:
        assert np.isfinite(found[n][[0, -1]]).all()
    rows = range(1, len(dirty["q"]) - 1)
    shown = {k for k in rows if any(not np.isfinite(x[k]).all() for x in found.values())}
    assert shown == set(rows)


@pytest.mark.parametrize(("name", "tier"), [("limbs", 1), ("wrist", 2)])
def test_neighbours_of_a_bad_row_keep_their_bits(name, tier):
    for algorithm in ("inverse_dynamics", "forward_dynamics", "mass_matrix"):
        case = Case(name, algorithm)
        clean = case.inputs(10)
        dirty = {n: x.copy() for n, x in clean.items()}
        dirty["q"][3, 0], dirty["q"][9, 1] = np.nan, np.inf
        found, expected = case.compiled(tier, dirty), case.compiled(tier, clean)
        good = [0, 1, 2, 4, 5, 6, 7, 8]
        for n in expected:
            np.testing.assert_array_equal(found[n][good], expected[n][good])
