"""Everything against 4x4 matrices and d'Alembert's principle (oracles/direct.py), also where

other engines have no answer: friction, rotors, moving bases, singular places.
"""

import numpy as np
import pytest

import armillary as am
from armillary.evaluate.request import CompileOptions
from compare import close
from oracles.direct import Direct
from samples import mechanisms, near_singular_states, random_model, random_state

LOOPS = CompileOptions(tier=1)
MECHANISMS = mechanisms()
everyone = pytest.mark.parametrize("name", MECHANISMS)


@everyone
def test_forces(name):
    mechanism = MECHANISMS[name]
    direct = Direct(mechanism.model)
    q, v, a = random_state(mechanism.model, 11)
    wrenches = {"tip": np.arange(1.0, 7.0), mechanism.bodies[0]: -np.arange(6.0)}
    close(
        mechanism.inverse_dynamics(q, v, a, wrenches),
        direct.inverse_dynamics(q, v, a, wrenches),
        1e-12,
    )
    close(mechanism.mass_matrix(q), direct.mass_matrix(q), 1e-12)
    close(mechanism.bias_forces(q, v), direct.bias_forces(q, v), 1e-12)
    close(mechanism.gravity_forces(q), direct.gravity_forces(q), 1e-12)


@pytest.mark.parametrize("name", [name for name in MECHANISMS if MECHANISMS[name].nv <= 8])
def test_forces_by_straight_line_code(name):
    """The same answers from tier 2, whose code is another."""
    mechanism = mechanisms(tier=2)[name]
    direct = Direct(mechanism.model)
    q, v, a = random_state(mechanism.model, 13)
    tau = direct.inverse_dynamics(q, v, a)
    close(mechanism.inverse_dynamics(q, v, a), tau, 1e-12)
    close(mechanism.mass_matrix(q), direct.mass_matrix(q), 1e-12)
    condition = np.linalg.cond(direct.mass_matrix(q))
    close(mechanism.forward_dynamics(q, v, tau), a, max(1e-11, 1e-14 * condition))


@everyone
def test_whole_body_quantities(name):
    mechanism = MECHANISMS[name]
    model, direct = mechanism.model, Direct(mechanism.model)
    q, v, _ = random_state(model, 12)
    close(mechanism.energy(q, v)[0], direct.energy(q, v)[0], 1e-12)
    close(mechanism.momentum(q, v)[3:], direct.momentum(q, v)[3:], 1e-12)
    on_ground = [
        b for b in model.bodies if not direct.mask(direct.number[b.name]).any() and b.mass.mass
    ]
    if not on_ground:  # bodies welded to the world count there and not here
        close(mechanism.momentum(q, v), direct.momentum(q, v), 1e-12)
        close(mechanism.center_of_mass(q), direct.center_of_mass(q), 1e-12)
        close(mechanism.energy(q, v)[1], direct.energy(q, v)[1], 1e-12)


@pytest.mark.parametrize("case", near_singular_states(), ids=lambda case: case[0])
def test_hard_places(case):
    name, model, q, v, a = case
    mechanism, direct = am.Mechanism(model, LOOPS), Direct(model)
    tolerance = 1e-9 if name == "many turns" else 1e-12
    tau = direct.inverse_dynamics(q, v, a)
    close(mechanism.inverse_dynamics(q, v, a), tau, tolerance)
    close(mechanism.mass_matrix(q), direct.mass_matrix(q), tolerance)
    condition = np.linalg.cond(direct.mass_matrix(q))
    close(mechanism.forward_dynamics(q, v, tau), a, max(tolerance, 1e-14 * condition))


@pytest.mark.parametrize("seed", range(6))
def test_friction_and_rotors(seed):
    model = random_model(seed, bodies=5, passive=True)
    mechanism, direct = am.Mechanism(model, LOOPS), Direct(model, passive=True)
    q, v, a = random_state(model, seed)
    tau = direct.inverse_dynamics(q, v, a)
    close(mechanism.inverse_dynamics(q, v, a), tau, 1e-12)
    close(mechanism.mass_matrix(q), direct.mass_matrix(q), 1e-12)
    close(mechanism.forward_dynamics(q, v, tau), a, 1e-9)
    close(mechanism.energy(q, v)[0], direct.energy(q, v)[0], 1e-12)
    bare = Direct(model)
    close(mechanism.inverse_dynamics(q, v, a, passive=False), bare.inverse_dynamics(q, v, a), 1e-12)
    close(mechanism.mass_matrix(q, passive=False), bare.mass_matrix(q), 1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_a_moving_world(seed):
    """Base velocity and acceleration of the world's origin, turning included (A20)."""
    rng = np.random.default_rng(seed)
    still = am.Mechanism(random_model(seed, bodies=5), LOOPS)
    moving = still.replace(base_velocity=rng.normal(size=6), base_acceleration=rng.normal(size=6))
    direct = Direct(moving.model)
    q, v, a = random_state(moving.model, seed)
    tau = direct.inverse_dynamics(q, v, a)
    close(moving.inverse_dynamics(q, v, a), tau, 1e-12)
    close(moving.forward_dynamics(q, v, tau), a, 1e-9)
    close(moving.velocity(q, v, "tip"), direct.velocity(q, v, "tip"), 1e-12)
    close(moving.energy(q, v)[0], direct.energy(q, v)[0], 1e-12)
    for kind in ("classical", "spatial"):
        close(
            moving.acceleration(q, v, a, "tip", kind=kind),
            direct.acceleration(q, v, a, "tip", "local", kind),
            1e-12,
        )


@everyone
def test_batches_are_their_rows(name):
    """Seven states at once: SIMD lanes, a remainder, and the same numbers to the last bits."""
    mechanism = MECHANISMS[name]
    states = [random_state(mechanism.model, seed) for seed in range(7)]
    Q, V, A = (np.array(x) for x in zip(*states, strict=True))
    tau = mechanism.inverse_dynamics(Q, V, A)
    for row, (q, v, a) in zip(tau, states, strict=True):
        close(row, mechanism.inverse_dynamics(q, v, a), 1e-14)
