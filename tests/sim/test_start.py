"""The first velocity of a run: by name, in full, not given; batches; the command line's words."""

import numpy as np
import pytest

import armillary as am
from armillary.errors import InadmissibleError, InputError

BARS = am.example("four-bar")
SHORT = {"duration": 0.005, "step": 1e-3}


def crank_only(speed):
    """Closed positions either side of the start: the others' rates by differences."""
    q, h = np.array(BARS.initial), 1e-4
    ends = [BARS.assemble([q[0] + s * h, *q[1:]], hold=["crank"]).q for s in (1, -1)]
    return (ends[0] - ends[1]) / (2 * h) * speed


def test_named_velocities_are_held_and_the_others_follow():
    run = am.simulate(BARS, v0={"crank": 5}, **SHORT)
    assert run.complete and not run.events
    assert run.v[0, 0] == 5.0
    np.testing.assert_allclose(run.v[0], crank_only(5.0), rtol=1e-6)
    many = am.simulate(BARS, v0={"crank": [1.0, 5.0, -2.0]}, **SHORT)
    np.testing.assert_allclose(many.v[0], np.outer([0.2, 1.0, -0.4], run.v[0]), rtol=1e-12)


def test_a_full_velocity_must_be_allowed():
    with pytest.raises(InadmissibleError, match=r"v0=\{'crank': 5\}.*project_start=True") as e:
        am.simulate(BARS, v0=[5, 0, 0], **SHORT)
    nearest = e.value.nearest
    q, M = np.array(BARS.initial), BARS.mass_matrix(BARS.initial)
    way = crank_only(1.0)  # the nearest by kinetic energy, in closed form
    np.testing.assert_allclose(nearest, way * (way @ M @ [5, 0, 0]) / (way @ M @ way), rtol=1e-6)
    run = am.simulate(BARS, v0=nearest, **SHORT)
    assert run.complete and not run.events
    old = am.simulate(BARS, v0=[5, 0, 0], project_start=True, **SHORT)
    np.testing.assert_allclose(old.v[0], nearest, rtol=1e-12)
    assert "v0 was not consistent" in old.events[0][1]
    # six digits are enough, and the rest is told
    typed = am.simulate(BARS, q, np.array([f"{x:.8g}" for x in nearest], float), **SHORT)
    assert typed.complete
    np.testing.assert_allclose(typed.v[0], nearest, rtol=1e-7)


def test_names_that_cannot_be():
    with pytest.raises(InputError, match=r"v0: 'four-bar'.*crank, rocker"):
        am.simulate(BARS, v0={"crank": 5.0, "rocker": 5.0}, **SHORT)


def test_bad_rows_of_a_batch_end_with_their_reason(tmp_path):
    good = crank_only(1.0)
    good = BARS.project(BARS.initial, good)[1]
    v0 = np.array([good, [5.0, 0.0, 0.0], 2.0 * good])
    run = am.simulate(BARS, v0=v0, out=tmp_path / "run.nc", **SHORT)
    assert not run.complete and "1 of 3 runs did not begin: 1" in run.message
    told = [text for _, text in run.events]
    assert len(told) == 1 and told[0].startswith("run 1: v0: the constraints do not allow it")
    assert (run.v[:, 1] == v0[1]).all()
    for k in (0, 2):
        alone = am.simulate(BARS, v0=v0[k], **SHORT)
        np.testing.assert_allclose(run.v[:, k], alone.v, rtol=1e-9)
    on = am.simulate(BARS, v0=v0, out=tmp_path / "run.nc", resume=True, duration=0.01, step=1e-3)
    assert (on.v[:, 1] == v0[1]).all() and (on.v[-1, 0] != run.v[-1, 0]).all()
    assert not on.complete and "1 of 3 runs did not begin: 1" in on.message
    with pytest.raises(InadmissibleError):
        am.simulate(BARS, v0=v0[[1, 1]], **SHORT)


def test_velocities_that_were_not_given_follow_the_drives():
    run = am.simulate(BARS, prescribed={"crank": lambda t: (1.0 + 3.0 * t, 3.0, 0.0)}, **SHORT)
    np.testing.assert_allclose(run.v[0], crank_only(3.0), rtol=1e-6)
    rolling = am.example("rolling-disc")
    assert am.simulate(rolling, **SHORT).complete


def test_other_inertias_count_in_the_energy():
    """The least energy is that of the run's own bodies."""
    cart = am.example("two-wheeled-cart")
    heavy = cart.parameters.copy()
    heavy[4:10] *= 3.0  # the axle's tensor
    run = am.simulate(cart, v0={"wheel1": 2.0}, parameters=heavy, **SHORT)
    q, v = run.q[0], run.v[0]
    M, J = cart.mass_matrix(q, parameters=heavy), cart.constraint_jacobian(q)
    N = np.linalg.svd(J)[2][np.linalg.matrix_rank(J) :].T
    k = cart.v_labels.index("wheel1")
    still = N - np.outer(N @ N[k], N[k]) / (N[k] @ N[k])  # free motions that leave the wheel
    assert v[k] == pytest.approx(2.0, rel=1e-12)
    assert np.abs(J @ v).max() < 1e-12
    assert np.abs(still.T @ M @ v).max() < 1e-10


def test_a_tree_takes_names_too():
    run = am.simulate(am.example("double-pendulum"), v0={"elbow": 2.0}, **SHORT)
    np.testing.assert_array_equal(run.v[0], [0.0, 2.0])
