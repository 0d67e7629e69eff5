"""External forces from measured motion: closed forms, simulated contacts, refusals."""

import numpy as np
import pytest

import armillary as am
from samples import random_mass

GAIN = 20.0


def cart() -> am.Mechanism:
    """A cart with a pendulum that swings about: the force on the cart is external, all else not."""
    b = am.Builder("cart")
    b.body("cart", joint="prismatic", axis="x", mass=3.0, passive=am.Passive(viscous=0.4))
    b.body("bob", "cart", joint="revolute", axis="y", mass=0.5, com=(0.02, 0.0, -0.4),
           inertia=(0.01, 0.02, 0.01), passive=am.Passive(spring=0.3))  # fmt: skip
    return b.build()


def pushed(mechanism=None, record="q,v,tau,external_force", **options):
    mechanism = mechanism or cart()
    given = {"duration": 0.5, "step": 1e-3, "external": {"cart": (0, 0, 0, 2.0, 0, 0)}}
    observer = am.MomentumObserver(mechanism, GAIN)
    return am.simulate(mechanism, [0, 0.3], controller=observer, record=record, **(given | options))


def test_a_constant_force_appears_with_the_lag_of_first_order():
    """r = F (1 - exp(-K t)), whatever the mechanism does meanwhile."""
    run = pushed()
    expected = 2.0 * (1.0 - np.exp(-GAIN * run.time))
    seen = run["external_force"]
    np.testing.assert_allclose(seen[:, 0], expected, atol=1e-7)
    assert np.abs(seen[:, 1]).max() < 1e-8
    assert run.performance().native == 1.0  # compiled into the loop
    assert run.units["external_force"] == ("N", "N m")
    again = am.observe_forces(cart(), run, GAIN)
    np.testing.assert_allclose(again.column("cart"), expected, atol=1e-5)
    assert np.abs(again.column("bob")).max() < 1e-4


def test_steps_in_python_and_batches_say_the_same():
    """Scalars, columns of a batch and nodes of a graph walk the same lines."""
    native = pushed(duration=0.03)
    python = pushed(duration=0.03, method="dopri5", tolerance=1e-9)
    assert python.performance().native == 0.0
    np.testing.assert_allclose(python["external_force"], native["external_force"], atol=1e-6)
    many = am.simulate(
        cart(), [[0, 0.3], [0, 0.9]], duration=0.03, step=1e-3,
        controller=am.MomentumObserver(cart(), GAIN), external={"cart": (0, 0, 0, 2.0, 0, 0)},
        record="external_force",
    )  # fmt: skip
    np.testing.assert_allclose(
        many["external_force"][:, 1, 0], native["external_force"][:, 0], atol=1e-9
    )


def six() -> am.Mechanism:
    rng = np.random.default_rng(2)
    puma = am.example("puma560")
    bodies = {
        name: {"mass": random_mass(rng, 3.0, 0.1), "passive": am.Passive(viscous=0.5)}
        for name in puma.bodies
    }
    return puma.replace(bodies=bodies)


WRENCH = np.array([0.5, -0.3, 0.2, 10.0, -5.0, 8.0])


def test_a_wrench_at_the_hand_comes_back():
    """Six joints and a computed torque controller that moves them; the wrench is that which the
    simulation was given, along the world's axes and along the hand's own."""
    arm = six()
    goal = am.trajectories.point_to_point(
        arm, arm.initial, arm.initial + np.array([0.4, -0.5, 0.3, 0.6, 0.8, 0.2]), duration=1.0
    )
    control = [am.ComputedTorque(arm, goal, kp=100.0, kd=20.0), am.MomentumObserver(arm, 60.0)]
    run = am.simulate(
        arm, arm.initial, duration=1.0, step=2e-3, controller=control,
        external={"link6": WRENCH}, record="q,v,tau,external_force",
    )  # fmt: skip
    late = run.time > 0.3  # 18 lags: e^-18 is left of the start
    forces = np.einsum("tij,i->tj", arm.jacobian(run.q, "link6"), WRENCH)
    lagging = _lagged(run.time, forces, 60.0)
    scale = np.abs(forces).max()
    np.testing.assert_allclose(run["external_force"], lagging, atol=1e-4 * scale)
    seen = am.observe_forces(arm, run, 60.0)
    np.testing.assert_allclose(seen.forces, lagging, atol=1e-3 * scale)  # lines between instants
    still = run.time > 0.99  # the hand hardly moves any more: no lag is left
    own = seen.wrench("link6", coordinates="local")
    np.testing.assert_allclose(own[still], np.tile(WRENCH, (still.sum(), 1)), atol=0.2)
    R = arm.pose(run.q, "link6")[0]
    world = seen.wrench("link6", components=("fx", "fy", "fz", "nx", "ny", "nz"))
    np.testing.assert_allclose(
        world[late][:, :3], np.einsum("tij,tj->ti", R, own[:, 3:])[late], atol=1e-8
    )


def _lagged(t, x, gain):
    """dr/dt = K (x - r), r(0) = 0, x linear between instants; by a finer trapezoidal rule."""
    from scipy.signal import lsim

    fine = np.linspace(t[0], t[-1], 10 * (len(t) - 1) + 1)
    found = [lsim(([gain], [1.0, gain]), np.interp(fine, t, column), fine)[1] for column in x.T]
    return np.array(found).T[::10]


def test_what_joints_cannot_tell():
    run = pushed()
    seen = am.observe_forces(cart(), run, GAIN)
    with pytest.raises(am.InputError, match="do not tell nx, ny, nz, fx, fy, fz at 'cart' apart"):
        seen.wrench("cart")
    assert seen.wrench("cart", "fx")[-1, 0] == pytest.approx(2.0, abs=1e-3)
    with pytest.raises(am.ModelError, match="component of a wrench"):
        seen.wrench("cart", ("force",))
    assert "lag 50 ms" in str(seen) and "N m" in str(seen)


def test_positions_alone_and_noise():
    """v from q behind the filter: the force is seen in the middle of the log."""
    run = pushed(duration=2.0, record="q,v,tau")
    rng = np.random.default_rng(0)
    data = {"time": run.time, "q": run.q + 1e-6 * rng.normal(size=run.q.shape), "tau": run.tau}
    seen = am.observe_forces(cart(), data, GAIN, cutoff=20.0)
    middle = (run.time > 0.5) & (run.time < 1.8)
    assert np.abs(seen.column("cart")[middle] - 2.0).max() < 0.05


def test_refusals():
    with pytest.raises(am.InputError, match="gain"):
        am.MomentumObserver(cart(), 0.0)
    run = pushed(record="q,v,tau")
    log = {"time": run.time, "q": run.q, "v": run.v, "tau": {"cart": run.tau[:, 0]}}
    with pytest.raises(am.InputError, match=r"forces of all joints.*missing are bob"):
        am.observe_forces(cart(), log)
    with pytest.raises(am.InputError, match="was built for 'cart'"):
        am.simulate(six(), controller=am.MomentumObserver(cart(), 5.0))
