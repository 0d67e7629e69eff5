"""Batches with 2, 4, 8 and 16 lanes, whatever this processor has: the bits of single states."""

from functools import cache

import numpy as np
import pytest

import armillary as am
from armillary.errors import InputError
from samples import random_model, random_state

LANES = (2, 4, 8, 16)
wide = pytest.mark.parametrize("lanes", LANES)


@cache
def tree(tier: int, lanes: int | None, bodies: int = 4) -> am.Mechanism:
    model = random_model(5, ("revolute", "prismatic", "spherical"), bodies, passive=True)
    return am.Mechanism(model).compile(tier=tier, lanes=lanes)


def states(mechanism, count: int) -> list[np.ndarray]:
    made = [random_state(mechanism.model, seed) for seed in range(count)]
    return [np.array([s[k] for s in made]) for k in range(3)]


@wide
@pytest.mark.parametrize("tier", [1, 2])
def test_any_number_of_rows(tier, lanes):
    """Fewer than lanes, whole blocks, a last block that overlaps; called twice, as the second call
    takes the native way."""
    mechanism = tree(tier, lanes)
    q, v, a = states(mechanism, 2 * lanes + 1)
    single = tree(tier, None)
    tau = np.array([single.inverse_dynamics(*s) for s in zip(q, v, a, strict=True)])
    acc = np.array([single.forward_dynamics(*s) for s in zip(q, v, tau, strict=True)])
    M = np.array([single.mass_matrix(x) for x in q])
    for rows in {1, lanes - 1, lanes, lanes + 1, 2 * lanes, 2 * lanes + 1}:
        few = slice(0, rows)
        for _ in range(2):
            for found, wanted in (
                (mechanism.inverse_dynamics(q[few], v[few], a[few]), tau),
                (mechanism.forward_dynamics(q[few], v[few], tau[few]), acc),
                (mechanism.mass_matrix(q[few]), M),
            ):
                np.testing.assert_array_equal(found, wanted[few])
    assert f"{lanes} states at a time" in mechanism.compile_report()


@wide
def test_single_precision(lanes):
    mechanism = tree(2, lanes)
    q, v, a = (x.astype(np.float32) for x in states(mechanism, 2 * lanes + 3))
    found = mechanism.inverse_dynamics(q, v, a)
    assert found.dtype == np.float32
    wanted = tree(2, None).inverse_dynamics(*(x.astype(float) for x in (q, v, a)))
    np.testing.assert_allclose(found, wanted, atol=1e-4 * np.abs(wanted).max())


@wide
def test_derivatives_and_bad_rows(lanes):
    mechanism = tree(2, lanes, 2)
    q, v, tau = states(mechanism, lanes + 3)
    many = mechanism.forward_dynamics.derivatives(q, v, tau)
    one = tree(2, None, 2).forward_dynamics.derivatives(q[-1], v[-1], tau[-1])
    for x, y in zip(many, one, strict=True):
        np.testing.assert_array_equal(x[-1], y)
    v[1, 0] = np.nan
    found = mechanism.forward_dynamics(q, v, tau)
    assert np.isnan(found[1]).all()
    assert np.isfinite(np.delete(found, 1, axis=0)).all()


@wide
@pytest.mark.parametrize("name", ["four-bar", "stewart"])
def test_closed_mechanisms(name, lanes):
    plain = am.example(name)
    mechanism = plain.compile(lanes=lanes)
    rng, rows = np.random.default_rng(1), lanes + 2
    kicks = 0.02 * rng.normal(size=(rows, plain.nv))
    q, v = plain.project(plain.integrate(np.tile(plain.initial, (rows, 1)), kicks), 10 * kicks)
    tau = rng.normal(size=(rows, plain.nv))
    for _ in range(2):
        found = mechanism.forward_dynamics(q, v, tau)
    for k in range(rows):
        wanted = plain.solve(q[k], v[k], tau[k]).acceleration
        np.testing.assert_allclose(found[k], wanted, atol=1e-9 * np.abs(wanted).max())


@wide
def test_runs(lanes):
    """Batches of runs in the native loop: the bits of single runs."""
    arm = am.example("double-pendulum")
    start = np.array([[1.2, 0.6]]) * np.linspace(0.5, 1.0, lanes + 1)[:, None]
    many = am.simulate(arm.compile(lanes=lanes), start, duration=0.05)
    one = am.simulate(arm, start[-1], duration=0.05)
    np.testing.assert_array_equal(many.q[:, -1], one.q)


@pytest.mark.parametrize("lanes", [0, 1, 3, 32, 2.0, "4"])
def test_other_numbers_of_lanes_are_refused(lanes):
    with pytest.raises(InputError, match="lanes: expected 2, 4, 8, 16 or None"):
        am.example("double-pendulum").compile(lanes=lanes)
