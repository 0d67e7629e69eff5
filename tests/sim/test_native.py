"""The native loop over time takes the same steps as the loop in Python."""

import numpy as np
import pytest

import armillary as am
from armillary.runtime import threads
from armillary.sim.loop import loop, native
from armillary.sim.methods.run_view import RunView


def both(monkeypatch, *arguments, **options):
    """The run natively and in Python; at least one step must have been native."""
    taken = []
    advance = native.NativeLoop.advance

    def counted(self, *rest):
        stretch = advance(self, *rest)
        taken.append(stretch.done)
        return stretch

    monkeypatch.setattr(native.NativeLoop, "advance", counted)
    fast = am.simulate(*arguments, **options)
    assert sum(taken) > 0
    with monkeypatch.context() as patch:
        patch.setattr(loop.Loop, "_native", lambda *_: None)
        plain = am.simulate(*arguments, **options)
    assert np.array_equal(fast.time, plain.time)
    for name in ("q", "v"):
        size = 1.0 + np.abs(plain[name]).max()
        np.testing.assert_allclose(fast[name], plain[name], atol=1e-10 * size, rtol=0)
    return fast, sum(taken)


def four_bar():
    m = am.example("four-bar")
    return m, *m.project(m.initial, np.array([5.0, 0.0, 0.0]))


def disc():
    m = am.example("rolling-disc")
    return m, *m.project(m.initial, np.array([0.2, 0.1, 3.0, 0.0, 0.0, 0.0]))


def flyer():
    m = am.example("dual-arm-free-flyer")
    return m, *m.project(m.initial, np.full(m.nv, 0.1))


def pendulum():
    return am.example("double-pendulum"), np.array([0.3, 0.2]), np.array([0.0, 1.0])


@pytest.mark.parametrize("method", ["euler", "semi-implicit", "heun", "rk3", "rk4"])
@pytest.mark.parametrize("start", [four_bar, disc, flyer, pendulum])
def test_methods_and_mechanisms(monkeypatch, start, method):
    both(monkeypatch, *start(), duration=0.1, step=1e-3, method=method)


def test_uneven_ends_and_sparse_records(monkeypatch):
    run, _ = both(monkeypatch, *four_bar(), duration=0.1005, step=1e-3, every=7)
    assert run.time[-1] == pytest.approx(0.1005) and run.time[1] == pytest.approx(7e-3)


def test_forces(monkeypatch):
    m, q, v = four_bar()
    both(monkeypatch, m, q, v, duration=0.2, inputs={"crank": 2.0})
    table = am.Schedule([0.0, 0.1, 0.2], [0.0, 3.0, -1.0])
    both(monkeypatch, m, q, v, duration=0.2, inputs={"crank": table})


def test_controllers_run_inside(monkeypatch):
    m, q, v = pendulum()
    pid = am.PID(m, {m.joint_names[0]: 0.5}, kp=20.0, ki=5.0, kd=2.0)
    both(monkeypatch, m, q, v, duration=0.2, controller=pid)


def test_a_batch_in_blocks_and_threads(monkeypatch):
    m, q, v = disc()
    scale = np.linspace(0.9, 1.1, 300)[:, None]
    arguments = (np.tile(q, (300, 1)), v * scale)
    one, _ = both(monkeypatch, m, *arguments, duration=0.02, every=3)
    monkeypatch.setattr(threads, "cores", lambda: 3)
    for rows in (300, 70, 30):  # blocks for all, for two, for one
        few = tuple(x[:rows] for x in arguments)
        three = am.simulate(m.compile(threads=3), *few, duration=0.02, every=3)
        assert np.array_equal(one.q[:, :rows], three.q)
        assert np.array_equal(one.v[:, :rows], three.v)


def test_every_run_has_bodies_of_its_own(monkeypatch):
    m, q, v = pendulum()
    p = m.parameters * (1.0 + 0.2 * np.random.default_rng(0).random((20, len(m.parameters))))
    run, _ = both(monkeypatch, m, np.tile(q, (20, 1)), v, duration=0.1, parameters=p)
    heavy = am.simulate(m, q, v, duration=0.1, parameters=p[7])
    np.testing.assert_allclose(heavy.q, run.q[:, 7], atol=1e-12)
    recorded = am.simulate(m, q, v, duration=0.1, parameters=p, record=("q", "v", "energy"))
    energy = m.energy(recorded.q[-1], recorded.v[-1], parameters=p)
    np.testing.assert_allclose(recorded.energy[-1], np.add(*energy), rtol=1e-12)


def test_steps_the_kernel_doubts_are_made_in_python(monkeypatch):
    """A slider-crank through its dead centre: the fast kernel hands over and takes up again."""
    m = am.example("slider-crank")
    q, v = m.project(m.initial, np.array([10.0, 0.0, 0.0]))
    run, taken = both(monkeypatch, m, q, v, duration=2.0, step=1e-3)
    assert run.complete and np.abs(m.constraint_residual(run.q)).max() < 1e-12
    assert taken > 1900


def test_a_run_that_blows_up_names_the_joint():
    m, q, v = pendulum()
    run = am.simulate(m, q, v * 1e8, duration=1.0, step=0.05)
    assert not run.complete and "not a number" in run.message and "joint" in run.message


def test_what_fails_at_the_last_instant_leaves_those_before(monkeypatch):
    """The native loop has the forces of all other instants: they are kept."""
    m, q, v = pendulum()
    whole = am.simulate(m, q, v, 1e-2, record=("q", "a"))
    asked, dynamics = [], RunView.dynamics

    def failing(self, *state):
        asked.append(state)
        if len(asked) == 2:
            raise RuntimeError("once too often")
        return dynamics(self, *state)

    monkeypatch.setattr(RunView, "dynamics", failing)
    with pytest.raises(RuntimeError, match="once too often") as caught:
        am.simulate(m, q, v, 1e-2, record=("q", "a"))
    run = caught.value.run
    assert len(run) == 10 and not run.complete
    assert np.array_equal(run.a, whole.a[:10])
