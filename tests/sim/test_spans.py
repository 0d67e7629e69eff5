"""Times of a run: origin + k step to the last bit, and spans that no run can have."""

from fractions import Fraction

import numpy as np
import pytest

import armillary as am
from armillary.errors import InputError
from armillary.sim.loop.grid import Grid

ARM = am.example("double-pendulum")


@pytest.mark.parametrize("method", ["rk4", "dopri5", "implicit"])
@pytest.mark.parametrize(
    ("step", "ends"),
    [(1e-3, (0.1, 0.2, 0.3)), (0.01, (0.07, 0.29, 0.3)), (0.007, (0.049, 0.14, 0.301)),
     (1 / 3e2, (0.1, 0.2, 0.7 / 3))],
)  # fmt: skip
def test_times_of_a_run_that_goes_on_are_those_of_one_go(tmp_path, method, step, ends):
    """The oracle is one rounded product for each instant, whatever the parts were."""
    path = tmp_path / "run.csv"
    for k, end in enumerate(ends):
        options = {"out": path, "resume": k > 0, "step": step, "method": method}
        run = am.simulate(ARM, [1.2, 0.6], duration=end, **options)
    whole = am.simulate(ARM, [1.2, 0.6], duration=ends[-1], step=step, method=method)
    np.testing.assert_array_equal(run.time, step * np.arange(len(run)))
    np.testing.assert_array_equal(whole.time, run.time)
    np.testing.assert_allclose(run.q, whole.q, atol=1e-7)


@pytest.mark.parametrize("every", [1, 7])
def test_a_file_that_ended_between_two_instants_comes_back_to_them(tmp_path, every):
    path = tmp_path / "run.csv"
    for k, end in enumerate((0.0983, 0.2)):
        run = am.simulate(
            ARM, [1.2, 0.6], duration=end, out=path, resume=k > 0, every=every, t0=0.25
        )
    on_grid = np.delete(run.time, np.flatnonzero(run.time == 0.25 + 0.0983))
    assert len(on_grid) == len(run.time) - 1
    numbers = np.rint((on_grid - 0.25) / 1e-3)
    np.testing.assert_array_equal(on_grid, 0.25 + 1e-3 * numbers)
    kept = numbers[:-1] if every > 1 else numbers  # the end is recorded, too
    np.testing.assert_array_equal(kept % every, 0)


def test_a_grid_holds_every_instant_once():
    """Against exact fractions: each multiple of the step in the span, and the end."""
    rng = np.random.default_rng(4)
    for _ in range(300):
        step = float(10.0 ** rng.uniform(-4, 0))
        origin, whole = float(rng.normal()), int(rng.integers(1, 3000))
        end = origin + whole * step + float(rng.choice([0.0, 0.4 * step]))
        start = origin + int(rng.integers(0, whole)) * step + float(rng.choice([0.0, 0.3 * step]))
        grid = Grid.of(start, origin, end, step, 1)
        times = [grid.time(k) for k in range(grid.first, grid.last + 1)]
        exact = [Fraction(origin) + k * Fraction(step) for k in range(whole + 2)]
        slack = Fraction(step) / 10**6
        wanted = [x for x in exact if Fraction(start) + slack < x <= Fraction(end) + slack]
        if Fraction(end) - wanted[-1] > slack:
            wanted.append(Fraction(end))
        assert len(times) == len(wanted)
        assert max(abs(Fraction(t) - x) for t, x in zip(times, wanted, strict=True)) < slack
        passed = max(x for x in exact if x <= Fraction(start) + slack)
        assert grid.short == (Fraction(start) - passed > slack)


@pytest.mark.parametrize("method", ["rk4", "dopri5", "implicit"])
@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"step": 1e-300}, r"duration: 1 s in steps of 1e-300 s are 1e\+300 steps.*step=1e-11"),
        ({"step": 5e-324}, r"duration: .* are inf steps"),
        ({"duration": 1e9}, r"duration: 1e\+09 s in steps of 0.001 s are 1e\+12 steps.*step=0.01 "),
        ({"duration": 1e308}, "duration: "),
        ({"t0": 1e17}, "t0: at 1e.17 s two neighbouring times are 16 s apart"),
        ({"t0": -1e17}, "t0: at -1e.17 s two neighbouring times are 16 s apart"),
        ({"t0": 1e12}, "t0: .*Count the time from 0"),
        ({"step": 1e-10, "duration": 1.0}, "record: 1e.10 instants with 5 numbers.*out='run.nc'"),
    ],
)
def test_spans_without_end_are_refused(options, told, method):
    with pytest.raises(InputError, match=told):
        am.simulate(ARM, [1.2, 0.6], method=method, **options)


def test_the_cures_work():
    """As the messages say: every=..., and seconds of a calendar are no trouble."""
    with pytest.raises(InputError, match="every=5 or more"):
        am.simulate(ARM, duration=1e4, step=1e-6)
    late = am.simulate(ARM, [1.2, 0.6], duration=0.1, t0=1.7e9)
    early = am.simulate(ARM, [1.2, 0.6], duration=0.1)
    np.testing.assert_allclose(late.q, early.q, rtol=1e-4)
