"""Roads: slopes by differences, splines of another library, the spectrum of ISO 8608, friction by
place; tables in every kind of code; what is refused."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from wheels import near

import armillary as am
from armillary.graph.expr import Graph
from armillary.graph.function import evaluate
from armillary.scalar import Dual, Table, lookup

R = am.roads
UNEVEN = R.Profile.of([0.0, 1.0, 1.5, 4.0, 4.2, 7.0], [0.0, 0.1, -0.05, 0.2, 0.1, 0.0])
GRID_X, GRID_Y = np.linspace(-2, 8, 41), np.linspace(-3, 3, 31)


def hill(x, y):
    return 0.1 * np.sin(x) * np.cos(0.7 * y)


HILLS = R.HeightField.of(GRID_X, GRID_Y, [[hill(x, y) for x in GRID_X] for y in GRID_Y])
ROADS = {
    "plane": R.Plane(0.1, 0.2, -0.1),
    "uneven": UNEVEN,
    "random": R.random_profile("D", length=30, seed=3),
    "cosine": R.Bump(1.0, 2.0, 0.05),
    "half-sine": R.Bump(1.0, 2.0, -0.05, shape="half-sine"),
    "ramp": R.Bump(1.0, 2.0, 0.3, shape="ramp"),
    "hills": HILLS,
    "tracks": R.Tracks(UNEVEN, R.Plane(grade=0.1)),
}


@pytest.mark.parametrize("name", ROADS)
def test_slopes(name):
    """Are those of the heights, on the road and beyond its ends; duals say the same."""
    road, h = ROADS[name], 1e-6
    for x, y in np.random.default_rng(0).uniform((-3, -4), (9, 4), (100, 2)):
        ground = road.at(x, y)
        near(ground.slope_x, (road.at(x + h, y).z - road.at(x - h, y).z) / (2 * h), 1e-7, 1.0)
        near(ground.slope_y, (road.at(x, y + h).z - road.at(x, y - h).z) / (2 * h), 1e-7, 1.0)
        near(Dual.lift(road.at(Dual(x, 1.0), y).z).slope, ground.slope_x, 1e-9, 1.0)
        n = np.array(list(ground.normal), float)
        near(n @ n, 1.0, 1e-12)
        near(n, np.array([-ground.slope_x, -ground.slope_y, 1.0]) * n[2], 1e-12)


def test_profile_is_the_clamped_spline():
    x, z = np.array(UNEVEN.rows).T
    other = CubicSpline(x, z, bc_type="clamped")
    for s in np.linspace(0, 7, 200):
        near(UNEVEN.at(s, 0.3).z, other(s), 1e-12, 1.0)
    assert UNEVEN.at(-5.0, 0.0).z == z[0] and UNEVEN.at(50.0, 0.0).slope_x == 0.0
    level = R.Profile.of(np.arange(5) * 0.1, [0, 1, 0, 2, 0], height=3.0)
    near([level.at(0.1 * k, 0).z for k in range(5)], [3, 4, 3, 5, 3], 1e-12)


def test_height_field():
    """Exact at the nodes, close between them, with the square of the square of the spacing; level
    beyond the edges."""
    near([HILLS.at(x, GRID_Y[7]).z for x in GRID_X], hill(GRID_X, GRID_Y[7]), 1e-12, 0.1)
    places = np.random.default_rng(1).uniform((0, -1.5), (6, 1.5), (60, 2))
    worst = []
    for n in (21, 41, 81):
        x, y = np.linspace(-2, 8, n), np.linspace(-3, 3, n)
        field = R.HeightField.of(x, y, [[hill(a, b) for a in x] for b in y])
        worst.append(max(abs(field.at(*p).z - hill(*p)) for p in places))
    assert worst[1] < worst[0] / 10 and worst[2] < worst[1] / 10
    assert HILLS.at(-9.0, 0.0).z == HILLS.at(-2.0, 0.0).z and HILLS.at(99.0, 0.5).slope_x == 0.0


@pytest.mark.parametrize("grade", ["A", 2e-4])
def test_spectrum_of_random_roads(grade):
    """One-sided power spectral density of the heights, of a periodogram over bands as the standard
    smooths it, is G_d(n0) (n/n0)^-2; seeds are different roads of the same class."""
    level = 16e-6 if grade == "A" else grade  # ISO 8608:2016, table C.1, m³
    length, step, spectra = 250.0, 0.125, []
    for seed in range(3):
        rows = np.array(R.random_profile(grade, length=length, step=step, seed=seed).rows)
        z = rows[40:-40, 1] * np.hanning(len(rows) - 80)
        n = np.fft.rfftfreq(len(z), step)
        power = 2.0 * step * np.abs(np.fft.rfft(z)) ** 2 / np.sum(np.hanning(len(z)) ** 2)
        spectra.append(power)
    mean = np.mean(spectra, axis=0)
    for low in (0.05, 0.1, 0.3, 1.0):  # octaves
        band = (n >= low) & (n < 2 * low)
        ratio = np.mean(mean[band] / (level * (n[band] / 0.1) ** -2))
        assert 0.75 < ratio < 1.3, (low, ratio)
    again = R.random_profile(grade, length=40, seed=1)
    assert again == R.random_profile(grade, length=40, seed=1)
    assert again != R.random_profile(grade, length=40, seed=2)


def test_friction_by_place():
    split = R.Split(left=0.9, right=0.2, border=1.0, width=0.1)
    near([split.at(0, 1.2), split.at(0, 0.8), split.at(0, 1.0)], [0.9, 0.2, 0.55], 1e-12)
    patch = R.Patch(mu=0.1, around=split, x_from=2, x_to=4, y_from=-1, y_to=3)
    near([patch.at(3, 2), patch.at(3, 0.5), patch.at(1, 2), patch.at(3, 3.5)],
         [0.1, 0.1, 0.9, 0.9], 1e-12)  # fmt: skip
    grid = R.FrictionGrid(((0.5, 0.6, 0.6), (0.7, 0.8, 0.8)), (0, 0), (2.0, 1.0))
    near([grid.at(0, 0), grid.at(4, 1), grid.at(-9, 5)], [0.5, 0.8, 0.7], 1e-12)
    near(R.Plane(mu=split).at(0.0, 5.0).mu, 0.9, 1e-12)
    assert R.Plane(mu=split).number_names() == (
        "height", "mu.left", "mu.right", "mu.border", "mu.width")  # fmt: skip


def test_tables():
    """A number of the row at floor(x), the first or last beyond: floats, arrays, duals, graphs."""
    table = Table.of_rows([(1.0, 2.0), (3.0, 4.0), (5.0, 6.0)])
    places, wanted = [-1.0, 0.0, 0.99, 1.0, 2.7, 9.0, float("nan")], [2, 2, 2, 4, 6, 6, 6]
    assert [lookup(table, x, 1) for x in places] == wanted
    assert lookup(table, np.array(places), 1).tolist() == wanted
    assert lookup(table, Dual(1.5, 1.0), 0) == 3.0
    graph = Graph()
    node = graph.load("x", 0)
    found = lookup(table, node * 2.0, 1)
    for x in (-3.0, 0.7, 1.2):
        values = evaluate([found], lambda address, x=x: x, float)
        assert values[found.index] == table.at(2.0 * x, 1)
    with pytest.raises(TypeError, match="sympy"):
        import sympy

        lookup(table, sympy.Symbol("x"))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: R.Profile.of([0, 1, 1], [0, 0, 0.1]), "A step has no slope"),
        (lambda: R.Profile.of([0], [0]), "two rows or more"),
        (lambda: R.Profile.of([0, 1], [0]), "2 places x and 1 heights z"),
        (lambda: R.Profile.of([0, 1], [0, float("nan")]), "finite"),
        (lambda: R.Profile(rows=(1, 2)), "rows"),
        (lambda: R.Profile.of([0, 1e-7, 1e3], [0, 0, 0]).checked("road"), "cells"),
        (lambda: R.random_profile("K"), "class is one of A, B"),
        (lambda: R.random_profile(-1.0), "G_d"),
        (lambda: R.random_profile("A", step=1.0), "step of at most 0.2"),
        (lambda: R.HeightField(z=((0, 0), (0,))), "rows of one length|all rows of one"),
        (lambda: R.HeightField(z=((0, 0), (0, 0)), cell=(0, 1)), "spacing"),
        (lambda: R.HeightField.of([0, 1, 3], [0, 1], [[0] * 3] * 2), "evenly spaced"),
        (lambda: R.HeightField.of([0, 1, 2], [0, 1], [[0] * 2] * 2), "2 rows of 3; found 2 rows"),
        (lambda: R.Plane.with_normal((0, 1, 0)), "upwards"),
        (lambda: R.Plane(mu=-1.0).checked("road"), "mu is negative"),
        (lambda: R.Plane(mu=R.Split(left=-1.0)).checked("road"), "left is negative"),
        (lambda: R.Bump(length=0.0).checked("road"), "length is 0"),
        (lambda: R.Bump(shape="square").checked("road"), "shape is one of"),
        (lambda: R.Patch(x_from=3, x_to=2).checked("road"), "empty"),
        (lambda: R.Tracks(R.Plane(), 3).checked("road"), "right is a road"),
    ],
)
def test_refused(make, said):
    with pytest.raises(am.ModelError, match=said):
        make()


def test_one_profile_under_tyres_and_under_wheels_that_are_lifted():
    """The surface of a tyre's road and the motion under a wheel: two splines, one curve."""
    s, z = np.array([0.0, 0.4, 1.0, 1.3, 2.0]), np.array([0.0, 0.02, 0.05, -0.01, 0.03])
    for road in (am.RoadProfile(s, z), R.Profile.of(s, z)):
        assert type(road) is R.Profile and len(repr(road)) < 80
        motion = R.Profile.of(s, z, height=0.5).under(2.0, -0.1)
        for x in np.linspace(-0.2, 2.4, 27):
            ground, (height, slope, _) = road.at(x, 0.0), road(x)
            assert np.allclose([ground.z, ground.slope_x], [height, slope], atol=1e-12)
            place, rate, _ = motion((x + 0.1) / 2.0)
            assert np.allclose([place, rate], [height + 0.5, 2.0 * slope], atol=1e-12)
    far = R.Profile.of([0, 1e-7, 1e3], [0, 0, 0.1])  # too uneven for the table of a tyre's road
    assert far.under(1.0)(1e3)[0] == pytest.approx(0.1)
    for wrong in ("fast", None, np.nan, [1.0, 2.0]):
        with pytest.raises(am.InputError, match="travel: expected a speed"):
            far.under(wrong)
        with pytest.raises(am.InputError, match="offset: expected a distance"):
            far.under(1.0, wrong)


def test_plane_by_its_normal():
    plane = R.Plane.with_normal((-0.2, 0.1, 2.0), height=0.5)
    n = np.array([-0.2, 0.1, 2.0])
    near(list(plane.at(1.0, 1.0).normal), n / np.linalg.norm(n), 1e-12)
    near(plane.at(1.0, 1.0).z, 0.5 + 0.1 - 0.05, 1e-12)
