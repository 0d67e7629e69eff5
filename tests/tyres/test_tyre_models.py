"""Linear, brush and Fiala tyres against closed forms, bristles added up one by one, each other."""

import numpy as np
import pytest
from wheels import MODELS, near, slip

import armillary as am

SLOPES = {"longitudinal": 9e4, "cornering": 7e4, "camber_stiffness": 0.0, "mu": 0.8}


def bristles(model, kappa, alpha, fz, mu=1.0, count=20001):
    """Force and moment of bristles along a patch of half length a: each is drawn out by the slip
    from the leading edge on, until the parabolic pressure lets it slide."""
    a = 3.0 * model.trail
    stiffness = model.cornering / (2.0 * a * a)  # of both directions, per length²
    sigma = np.array([kappa, -np.tan(alpha)]) / (1.0 + kappa)
    x = np.linspace(-a, a, count)
    pressure = 3.0 * fz / (4.0 * a) * (1.0 - (x / a) ** 2)
    drawn = stiffness * sigma[:, None] * (a - x)
    size = np.hypot(*drawn)
    held = np.minimum(1.0, model.mu * mu * pressure / np.maximum(size, 1e-300))
    q = drawn * held
    return (*np.trapezoid(q, x), np.trapezoid(q[1] * x, x))


@pytest.mark.parametrize("kappa", [0.0, -0.02, 0.15])
@pytest.mark.parametrize("alpha", [0.0, 0.01, -0.06, 0.4])
def test_brush_is_a_row_of_bristles(kappa, alpha):
    """Pacejka, ch. 3: with equal stiffness of the bristles both ways."""
    tyre = am.tyres.Brush(longitudinal=7e4, cornering=7e4, camber_stiffness=0.0, mu=0.8, trail=0.03)
    s = slip(kappa / (1 + kappa), np.arctan(np.tan(alpha) / (1 + kappa)), fz=3000.0)
    fx, fy = tyre.steady(s)
    mz = tyre.moments(s, fx, fy)[2]
    near((fx, fy), bristles(tyre, kappa, alpha, 3000.0)[:2], 1e-6, 3000.0)
    near(mz, bristles(tyre, kappa, alpha, 3000.0)[2], 1e-6, 3000.0 * 0.03)


def test_fiala_in_closed_form():
    """Fiala's own lateral curve, and the longitudinal one, as printed; both bounded together."""
    tyre = am.tyres.Fiala(**SLOPES, mu_sliding=0.6, width=0.12)
    fz = 3500.0
    for alpha in (-0.3, -0.03, 0.002, 0.08, 1.0):
        t = np.tan(alpha)
        friction = 0.8 - 0.2 * min(abs(t), 1.0)
        H = max(1.0 - 7e4 * abs(t) / (3.0 * friction * fz), 0.0)
        s = slip(0.0, alpha, fz=fz)
        fx, fy = tyre.steady(s)
        near(fy, -friction * fz * (1.0 - H**3) * np.sign(alpha), 1e-12)
        mz = friction * fz * 0.12 * (1.0 - H) * H**3 * np.sign(alpha)
        near(tyre.moments(s, fx, fy)[2], mz, 1e-12, fz)
    for kappa in (-0.5, -0.004, 0.01, 0.03, 0.9):
        limit = (0.8 - 0.2 * abs(kappa)) * fz
        beyond = np.sign(kappa) * (limit - limit**2 / (4.0 * abs(kappa) * 9e4))
        wanted = 9e4 * kappa if abs(kappa) < limit / (2 * 9e4) else beyond
        near(tyre.steady(slip(kappa, fz=fz))[0], wanted, 1e-12)
    assert np.hypot(*tyre.steady(slip(0.3, 0.3, fz=fz))) <= 0.8 * fz


@pytest.mark.parametrize("kind", [am.tyres.Linear, am.tyres.Brush, am.tyres.Fiala])
def test_small_slips_are_linear(kind):
    more = {"mu_sliding": 0.8} if kind is am.tyres.Fiala else {}
    tyre = kind(**SLOPES | {"camber_stiffness": 2e3}, **more)
    k, a, g, fz = 1e-6, -2e-6, 3e-6, 4000.0
    fx, fy = tyre.steady(slip(k, a, g, fz))
    near(fx, 9e4 * k, 1e-4)
    near(fy, -7e4 * a - 2e3 * g, 1e-4)


def test_linear_up_to_the_circle():
    tyre = am.tyres.Linear(**SLOPES)
    near(tyre.steady(slip(0.01, 0.02, fz=4000.0)), (900.0, -7e4 * np.tan(0.02)), 1e-12)
    fx, fy = tyre.steady(slip(0.5, 0.5, fz=4000.0, mu=0.5))
    near(np.hypot(fx, fy), 0.8 * 0.5 * 4000.0, 1e-9)
    near(fx / fy, -9e4 * 0.5 / (7e4 * np.tan(0.5)), 1e-12)


@pytest.mark.parametrize("name", MODELS)
def test_every_model(name):
    """No load or friction, no force; slopes and grip as they say; friction of the road scales the
    largest force; everything odd in the slips but for the offsets of the Magic Formula."""
    tyre = MODELS[name]
    for s in (slip(0.2, 0.1, 0.02, 0.0), slip(0.2, 0.1, 0.02, 4000.0, 0.0)):
        assert np.abs(tyre.steady(s)).max() < 1e-6
    rng = np.random.default_rng(1)
    for kappa, alpha in rng.uniform(-1, 1, (50, 2)):
        for mu in (0.3, 1.0):
            force = np.hypot(*tyre.steady(slip(kappa, alpha, 0.0, 4000.0, mu)))
            assert force <= 1.3 * tyre.grip(4000.0, mu)
    if "magic" not in name:
        one, two = tyre.steady(slip(0.1, 0.2)), tyre.steady(slip(-0.1, -0.2))
        near(one, -np.array(two), 1e-12)


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ({"stiffness": 0.0}, "stiffness is 0 N/m"),
        ({"stiffness": -1.0}, "stiffness is -1 N/m"),
        ({"damping": -2.0}, "damping is negative: -2 N s/m"),
        ({"mu": -0.1}, "mu is negative"),
        ({"cornering": 0.0}, "cornering is 0"),
        ({"relaxation_x": 0.0}, "relaxation lengths belong together"),
        ({"rolling_share": 2.0}, "rolling_share is at most 1"),
        ({"mu": float("nan")}, "mu: expected a finite number"),
        ({"mu": "high"}, "mu: expected a finite number"),
    ],
)
def test_wrong_numbers(numbers, said):
    b = am.Builder("w")
    b.body("hub", joint="free", mass=1.0, inertia=(1.0, 1.0, 1.0))
    with pytest.raises(am.ModelError, match=said):
        b.tyre("t", "hub", radius=0.3, model=am.tyres.Linear(**numbers))


def test_wrong_tyres():
    b = am.Builder("w")
    b.body("hub", joint="free", mass=1.0, inertia=(1.0, 1.0, 1.0))
    for options, said in (
        ({}, "give its radius"),
        ({"radius": -0.3}, "radius is -0.3"),
        ({"radius": 0.3, "model": "soft"}, "model is one of armillary.tyres"),
        ({"radius": 0.3, "road": 3}, "road is one of armillary.roads"),
        ({"radius": 0.3, "axis": (0, 0, 0)}, "axis"),
        ({"radius": 0.3, "model": am.tyres.Fiala(mu=0.5)}, "mu_sliding is 0.9, more than mu"),
    ):
        with pytest.raises(am.ModelError, match=said):
            b.tyre("t", "hub", **options)
    b.tyre("t", "hub", radius=0.3, on="hub")
    with pytest.raises(am.ModelError, match="all its ends are on 'hub'"):
        b.build()
