"""External forces on closed mechanisms from measured motion: simulations with known wrenches.

What is to be seen follows from the wrench of the simulation alone: the part of J^T w that moves the
mechanism, behind the lag; Q here from a basis of free motions, Q = B (B^T B)^-1 B^T."""

from functools import cache

import numpy as np
import pytest

import armillary as am
from studies.test_check import sprung

GAIN = 30.0


def both(x):
    """A gain at the two motors."""
    return {"left": x, "right": x}


@cache
def five_bars() -> am.Mechanism:
    """Two freedoms in a plane, centres off their lines, friction and springs in the joints."""
    b = am.Builder("five bars")
    oil = am.Passive(viscous=0.05, spring=0.4)
    b.body("left", joint="revolute", axis="y", mass=1.1, com=(0.02, 0.01, 0.12),
           inertia=(0.02, 0.03, 0.01, 0.001, -0.002, 0.003), passive=oil)  # fmt: skip
    b.body("left-rod", "left", "revolute", (0, 0, 0.3), axis="y", mass=0.8, com=(0.1, 0, 0.13),
           inertia=(0.02, 0.02, 0.01), passive=oil)  # fmt: skip
    b.body("right", joint="revolute", axis="-y", at=(0.4, 0, 0), mass=0.9, com=(0, 0, 0.1),
           inertia=(0.03, 0.02, 0.01))  # fmt: skip
    b.body("right-rod", "right", "revolute", (0, 0, 0.3), axis="y", mass=0.7, com=(-0.1, 0, 0.1),
           inertia=(0.01, 0.02, 0.02), passive=oil)  # fmt: skip
    tips = [am.Frame(f"{x}-tip", f"{x}-rod", am.Pose((0, 0, 0.5))) for x in ("left", "right")]
    b.loop("pin", *tips, "revolute", axis="y")
    b.frame("tip", "left-rod", at=(0, 0, 0.5))
    b.initial = {"left": -0.5, "left-rod": 1.26, "right": -0.5, "right-rod": -1.26}
    return b.build()


def seen_of(mechanism, run, frame, wrench):
    """Q J^T w behind the lag, exact for straight lines between instants."""
    from scipy.linalg import null_space

    size = mechanism.constraint_solver.equations.scaling.columns  # rad, or sizes of the machine
    g = np.einsum("tiv,i->tv", mechanism.jacobian(run.q, frame), np.asarray(wrench))
    for k, J in enumerate(mechanism.constraint_jacobian(run.q)):
        B = null_space(J * size, rcond=1e-9)
        g[k] = B @ np.linalg.solve(B.T @ B, B.T @ (g[k] * size)) / size
    r = np.zeros_like(g)
    for k, h in enumerate(np.diff(run.time)):
        E = np.exp(-GAIN * h)
        mean = (1.0 - E) / (GAIN * h)
        r[k + 1] = E * r[k] + (mean - E) * g[k] + (1.0 - mean) * g[k + 1]
    return r


def watched(mechanism, q0, v0, frame, wrench, before=(), **options):
    observer = am.MomentumObserver(mechanism, GAIN)
    given = {"duration": 0.4, "step": 1e-3, "record": "q,v,tau,external_force"} | options
    return am.simulate(
        mechanism, q0, v0, controller=[*before, observer], external={frame: wrench}, **given
    )


BENT = {"left": -0.5, "right": -0.5}


def test_a_sprung_loop_and_five_bars():
    """A spring and friction in the hinge that closes the loop; two freedoms with a controller whose
    forces are heard.  The block and the call see the same, and neither anything else."""
    five = five_bars()
    hold = am.PID(five, {"left": -0.4, "right": -0.3}, kp=both(12.0), kd=both(0.6))
    cases = [
        (sprung().mechanism, {"crank": 0.3}, {"crank": 3.0}, "rod", (0.3, 0.5, 0, 3, 1, -4), []),
        (five, BENT, {"left": 6.0}, "right-rod", (0, 0.4, 0.2, 4, 1, -6), [hold]),
    ]  # fmt: skip
    for m, q0, v0, frame, wrench, before in cases:
        run = watched(m, q0, v0, frame, wrench, before)
        r = seen_of(m, run, frame, wrench)
        scale = np.abs(r).max()
        assert scale > 0.3 and np.ptp(run.q, axis=0).max() > 0.3
        np.testing.assert_allclose(run["external_force"], r, atol=2e-5 * scale)
        assert run.performance().native == 1.0
        call = am.observe_forces(m, run, GAIN)
        np.testing.assert_allclose(call.forces, r, atol=2e-3 * scale)


def test_without_a_wrench_nothing_is_seen():
    """Inertia, velocity and passive forces of the model explain it all, through a dead centre of
    two joints that could lead."""
    m = five_bars()
    run = watched(m, BENT, {"left": 4.0, "right": -5.0}, "left", np.zeros(6))
    free = np.linalg.svd(m.constraint_jacobian(run.q))[2][:, 2:]
    led = np.abs(np.linalg.det(free[:, :, [0, 3]]))
    assert led.min() < 0.01 < 0.3 < led.max()
    force = np.abs(m.mass_matrix(run.q) @ run.v[..., None]).max() * GAIN
    assert force > 1.0  # it had something to explain
    assert np.abs(run["external_force"]).max() < 1e-4 * force


def test_forces_at_joints_that_lead_have_the_same_power():
    """At one joint of a crank mechanism: the torque of the crank that balances the wrench."""
    m = sprung().mechanism
    wrench = np.array([0, 0.5, 0, 3.0, 0, -4.0])
    run = watched(m, {"crank": 0.3}, {"crank": 0.2}, "rod", wrench, duration=0.2)
    seen = am.observe_forces(m, run, 400.0)
    late = run.time > 0.05  # the lag is 2.5 ms
    _, _, V = np.linalg.svd(m.constraint_jacobian(run.q))
    N = V[:, -1] / V[:, -1, :1]
    torque = np.einsum("tv,tiv,i->t", N, m.jacobian(run.q, "rod"), wrench)
    np.testing.assert_allclose(seen.at("crank")[late, 0], torque[late], atol=0.02)
    with pytest.raises(am.InputError, match="has 1 freedoms, 2 coordinates are named"):
        seen.at(["crank", "rod"])


def test_forces_that_the_constraints_carry_are_not_seen():
    """Across the plane of the bars, and about the axes in it."""
    m = five_bars()
    run = watched(m, BENT, {"left": 2.0}, "left", (3, 0, 5, 0, 40, 0))
    assert np.abs(run["external_force"]).max() < 1e-4
    seen = am.observe_forces(m, run, GAIN)
    with pytest.raises(am.InputError, match="of 'five bars' do not tell fx, fz, ny"):
        seen.wrench("left-rod", ("fx", "fz", "ny"))


def test_a_wrench_at_the_pin_comes_back():
    m = five_bars()
    hold = am.PID(m, BENT, kp=both(80.0), kd=both(8.0))
    run = watched(m, BENT, None, "tip", (0, 0, 0, 4.0, 0, -6.0), [hold])
    found = am.observe_forces(m, run, GAIN).wrench("tip", ("fx", "fz"), "local")[-1]
    np.testing.assert_allclose(found, [4.0, -6.0], atol=0.05)


def test_python_steps_batches_and_wheels():
    """Scalars, columns and nodes walk the same lines; rows of wheels are no positions."""
    m, push = five_bars(), (0, 0.4, 0, 4, 0, -6)
    given = (m, BENT, {"left": 2.0}, "left-rod", push)
    native = watched(*given, duration=0.02)
    python = watched(*given, duration=0.02, method="dopri5", tolerance=1e-9)
    assert python.performance().native == 0.0
    scale = np.abs(native["external_force"]).max()
    np.testing.assert_allclose(
        python["external_force"], native["external_force"], atol=1e-5 * scale
    )
    cart = am.example("unicycle")
    push = (0.2, 0.1, -0.3, 2.0, 1.0, 0.5)
    run = watched(cart, None, None, cart.bodies[0], push, duration=0.1)
    r = seen_of(cart, run, cart.bodies[0], push)
    np.testing.assert_allclose(run["external_force"], r, atol=1e-4 * np.abs(r).max())


def test_many_constraints_are_asked_in_python(monkeypatch):
    """The way of machines with many constraints: arrays, on one that both ways can take."""
    from armillary.studies.identification import closed_momentum

    given = (five_bars(), BENT, {"left": 2.0}, "left-rod", (0, 0.4, 0, 4, 0, -6))
    native = watched(*given, duration=0.03)
    monkeypatch.setattr(closed_momentum, "_LONG", 1)
    assert am.MomentumObserver(five_bars(), GAIN).array_level
    arrays = watched(*given, duration=0.03)
    scale = np.abs(native["external_force"]).max()
    np.testing.assert_allclose(
        arrays["external_force"], native["external_force"], atol=1e-7 * scale
    )


@pytest.mark.soak
def test_a_delta_robot_with_a_load_at_its_platform():
    m = am.example("delta")
    wrench = (0, 0, 0, 2.0, -1.0, -3.0)
    place = m.bodies[-1]
    run = watched(m, None, None, place, wrench, duration=0.1)
    r = seen_of(m, run, place, wrench)
    np.testing.assert_allclose(run["external_force"], r, atol=1e-4 * np.abs(r).max())


def test_what_is_refused():
    with pytest.raises(am.InputError, match=r"one rate .* for all"):
        am.MomentumObserver(five_bars(), {x: 2.0 + len(x) for x in five_bars().v_labels})
    with pytest.raises(am.InputError, match="expected positive rates"):
        am.MomentumObserver(five_bars(), {"left": 5.0})
    b = am.Builder("driven")
    b.body("one", joint="revolute", axis="y", mass=1.0, inertia=(1, 1, 1))
    b.prescribe("led", "one")
    with pytest.raises(am.InputError, match="motion of 'led' is prescribed"):
        am.MomentumObserver(b.build(), GAIN)
