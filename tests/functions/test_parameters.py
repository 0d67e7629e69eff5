"""Inertias of the bodies as inputs: one row for all states, or one per state of a batch."""

import numpy as np
import pytest

import armillary as am
from armillary.errors import InputError
from robots import robot


def arms():
    return {
        "stanford": am.example("stanford"),
        "panda": am.load(robot("panda")).tree,
        "solo12": am.load(robot("solo12"), base="free"),
    }


@pytest.mark.parametrize("name", ["stanford", "panda", "solo12"])
def test_rows_of_a_batch_have_bodies_of_their_own(name):
    """tau = Y p + what friction and rotors take: the regressor knows nothing of the kernels."""
    arm = arms()[name]
    rng = np.random.default_rng(0)
    p = arm.parameters * (1.0 + 0.2 * rng.random((5, len(arm.parameters))))
    q, v, a = arm.random_state(1, 5)
    Y = arm.regressor(q, v, a)
    passive = arm.inverse_dynamics(q, v, a) - arm.inverse_dynamics(q, v, a, passive=False)
    expected = np.einsum("bij,bj->bi", Y, p) + passive
    tau = arm.inverse_dynamics(q, v, a, parameters=p)
    np.testing.assert_allclose(tau, expected, atol=1e-12 * np.abs(expected).max())
    np.testing.assert_allclose(arm.forward_dynamics(q, v, tau, parameters=p), a, atol=1e-9)
    M, h = arm.mass_matrix(q, parameters=p), arm.bias_forces(q, v, parameters=p)
    np.testing.assert_allclose(np.einsum("bij,bj->bi", M, a) + h, tau, atol=1e-10)
    single = arm.inverse_dynamics(q[2], v[2], a[2], parameters=p[2])
    np.testing.assert_allclose(single, tau[2], atol=1e-12 * np.abs(tau).max())


def test_the_models_own_parameters_change_nothing():
    arm = arms()["panda"]
    q, v, a = arm.random_state(2, 3)
    np.testing.assert_allclose(
        arm.inverse_dynamics(q, v, a, parameters=arm.parameters), arm.inverse_dynamics(q, v, a),
        atol=1e-11,
    )  # fmt: skip


def test_constrained():
    """The same as the mechanism with those bodies."""
    m = am.example("four-bar")
    q, v = m.project(m.initial, np.ones(3))
    heavier = m.replace(bodies={"coupler": {"mass": 3.0}})
    names, values = m.parameter_names, heavier.parameters
    assert len(names) == len(values)
    tau = np.array([1.0, 0.0, 0.5])
    both = np.stack([m.parameters, values])
    a = m.forward_dynamics(q, v, tau, parameters=both)
    np.testing.assert_allclose(a[0], m.forward_dynamics(q, v, tau), atol=1e-9)
    np.testing.assert_allclose(a[1], heavier.forward_dynamics(q, v, tau), atol=1e-9)


def test_wrong_shapes_are_named():
    arm = arms()["stanford"]
    q, v, a = arm.random_state(0)
    with pytest.raises(InputError, match="parameters: expected 40 numbers per state"):
        arm.inverse_dynamics(q, v, a, parameters=np.ones(7))
    with pytest.raises(InputError, match=r"parameters: .* must be finite"):
        arm.inverse_dynamics(q, v, a, parameters=np.full(40, np.nan))
