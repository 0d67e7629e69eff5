"""Designs against scipy's distributions, and by the properties that define them."""

import numpy as np
import pytest
from scipy import stats

import armillary as am
from armillary.studies.designs import Design, source_of

CASES = [
    ({"uniform": [2.0, 5.0]}, stats.uniform(2.0, 3.0)),
    ({"loguniform": [0.1, 10.0]}, stats.loguniform(0.1, 10.0)),
    ({"triangular": [1.0, 4.0, 2.0]}, stats.triang(1.0 / 3.0, 1.0, 3.0)),
    ({"normal": {"mean": 3.0, "deviation": 2.0}}, stats.norm(3.0, 2.0)),
    ({"normal": {"mean": 3.0, "deviation": 2.0, "low": 2.5, "high": 9.0}},
     stats.truncnorm(-0.25, 3.0, 3.0, 2.0)),
]  # fmt: skip


@pytest.mark.parametrize(("given", "right"), CASES)
def test_distributions_are_those_of_scipy(given, right):
    u = np.linspace(0.001, 0.999, 301)
    assert np.allclose(source_of("x", given).of(u), right.ppf(u), rtol=1e-9)


def test_a_lognormal_has_the_given_mean_and_deviation():
    found = source_of("x", {"lognormal": {"mean": 3.0, "deviation": 0.6}})
    s = np.sqrt(np.log1p(0.04))
    right = stats.lognorm(s, scale=3.0 * np.exp(-0.5 * s * s))
    assert right.mean() == pytest.approx(3.0) and right.std() == pytest.approx(0.6)
    u = np.linspace(0.01, 0.99, 99)
    assert np.allclose(found.of(u), right.ppf(u), rtol=1e-9)


@pytest.mark.parametrize("kind", ["latin", "sobol", "random"])
def test_parts_of_a_design_are_those_of_the_whole(kind):
    sources = tuple(source_of(str(k), {"uniform": [0, 1]}) for k in range(3))
    design = Design(kind, sources, 3000, seed=7)
    whole = design.rows(0, 3000)
    parts = [design.rows(k, min(k + 700, 3000)) for k in range(0, 3000, 700)]
    assert np.array_equal(np.concatenate(parts), whole)
    assert not np.array_equal(Design(kind, sources, 3000, seed=8).rows(0, 3000), whole)
    assert whole.min() >= 0.0 and whole.max() < 1.0


def test_every_slice_of_a_latin_hypercube_has_one_variant():
    sources = tuple(source_of(str(k), {"uniform": [0, 1]}) for k in range(4))
    rows = Design("latin", sources, 500, seed=1).rows(0, 500)
    for column in rows.T:
        assert sorted((column * 500).astype(int)) == list(range(500))


def test_a_sobol_sequence_fills_space_more_evenly_than_chance():
    sources = tuple(source_of(str(k), {"uniform": [0, 1]}) for k in range(2))
    sobol, chance = (Design(k, sources, 1024, 3).rows(0, 1024) for k in ("sobol", "random"))

    def error(u):
        return abs(np.mean(u[:, 0] * u[:, 1]) - 0.25)

    assert error(sobol) < 0.1 * max(error(chance), 5e-3)


def test_a_grid_has_all_combinations_the_last_factor_fastest():
    sources = (source_of("a", [1, 2]), source_of("b", {"from": 0, "to": 1, "count": 3}))
    design = Design("grid", sources)
    assert len(design) == 6
    wanted = [[a, b] for a in (1, 2) for b in (0.0, 0.5, 1.0)]
    assert np.array_equal(design.rows(0, 6), wanted)
    assert np.array_equal(design.rows(2, 5), wanted[2:5])
    log = source_of("c", {"from": 1, "to": 100, "count": 3, "log": True})
    assert np.allclose(log.values, [1, 10, 100])


def test_a_list_goes_side_by_side():
    design = Design("list", (source_of("a", [1, 2, 3]), source_of("b", [4, 5, 6])))
    assert np.array_equal(design.rows(1, 3), [[2, 5], [3, 6]])


def test_levels_are_drawn_alike():
    drawn = Design("random", (source_of("a", [1.0, 5.0]),), 4000, 0).rows(0, 4000)[:, 0]
    assert set(drawn) == {1.0, 5.0} and abs(np.mean(drawn == 5.0) - 0.5) < 0.03


def test_a_million_variants_are_drawn_without_being_held():
    sources = tuple(source_of(str(k), {"uniform": [0, 1]}) for k in range(6))
    for kind, count in (("sobol", 10**8), ("random", 10**9)):
        rows = Design(kind, sources, count, 0).rows(count - 5, count)
        assert rows.shape == (5, 6)


def test_contradictory_numbers_are_refused():
    for bad in ({"triangular": [0, 1, 2]}, {"normal": {"mean": 0, "deviation": -1}},
                {"loguniform": [0, 1]}, {"uniform": [1]}, {"from": 0, "to": 1, "count": 1},
                {"uniform": {"lo": 1}}, {"uniform": [0, 1], "normal": [0, 1]}, []):  # fmt: skip
        with pytest.raises(am.ArmillaryError):
            source_of("x", bad)
