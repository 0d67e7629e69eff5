"""The recorder: what it computes, when, for whom; blocks, batches, every n-th instant."""

from dataclasses import replace

import numpy as np
import pytest

import armillary as am
from armillary.errors import InputError, ModelError
from armillary.sim.loop.simulate import simulate
from armillary.sim.record import recorder as recording
from armillary.sim.record.quantities import NAMES, QUANTITIES
from armillary.sim.record.recorder import Recorder
from armillary.sim.record.run import Run
from sim.recorded import instants, record, slider

STEP = 1e-3


@pytest.fixture(scope="module")
def bars():
    return am.example("four-bar")


@pytest.fixture(scope="module")
def cart():
    return slider()


def moving(mechanism, count, seed=1):
    """Random states near the start."""
    rng = np.random.default_rng(seed)
    q = mechanism.integrate(
        np.array(mechanism.initial), rng.normal(size=(count, mechanism.nv)) * 0.1
    )
    return q, rng.normal(size=(count, mechanism.nv)), rng.normal(size=(count, mechanism.nv))


# -- what is computed ----------------------------------------------------------------------------


def test_every_quantity_is_that_of_the_mechanism_state_by_state(bars):
    """Blocks are computed as batches; the oracle asks for one state at a time."""
    motor = am.PrescribedMotion("motor", "crank", acceleration=0.3)
    bars = am.Mechanism(replace(bars.model, prescribed=(motor,)))
    # test_recorded_frames.py, elements/test_runs.py, tyres of their own, test_recorded_check.py,
    # test_recorded_wrenches.py
    others = ("wheel_forces", "element_forces", "tyres", "check", "external")
    names = [name for name in QUANTITIES if name not in others]
    recorder = Recorder(bars, names)
    q, v, tau = moving(bars, 7)
    q, v = bars.project(q, v)
    for k in range(7):
        recorder.add(k * STEP, q[k], v[k], None, tau[k])
    run = recorder.finish()
    for k in range(7):
        kinetic, potential = bars.energy(q[k], v[k])
        found = bars.solve(q[k], v[k], tau[k])
        forces = found.constraint_forces
        expected = {
            "q": q[k], "v": v[k], "tau": tau[k], "a": bars.forward_dynamics(q[k], v[k], tau[k]),
            "kinetic": kinetic, "potential": potential, "energy": kinetic + potential,
            "momentum": bars.momentum(q[k], v[k]), "drift": bars.constraint_residual(q[k]),
            "condition": bars.conditions(q[k]), "reactions": found.reactions.total.ravel(),
            "constraint_forces": np.concatenate([forces.wrench.ravel(), forces.axis]),
            "corrective_force": np.zeros(7),  # nothing is drawn back: test_baumgarte.py
            "prescribed_force": found.constraint_forces["motor"],
            "constraint_power": [0.0, found.constraint_forces["motor"] * v[k, 0]],
            "body_velocity": np.concatenate([bars.velocity(q[k], v[k], b) for b in bars.bodies]),
        }  # fmt: skip
        assert set(expected) == set(names)
        for name, value in expected.items():
            np.testing.assert_allclose(run[name][k], value, rtol=1e-9, atol=1e-9, err_msg=name)


def test_reactions_of_a_tree_contain_the_external_wrench(cart):
    q, v, tau = moving(cart, 3)
    wrench = np.array([0.1, 0.2, 0.3, 4.0, 5.0, 6.0])
    recorder = Recorder(cart, "reactions,a")
    for k in range(3):
        recorder.add(k, q[k], v[k], None, tau[k], {"external": {"rod": wrench * k}})
    run = recorder.finish()
    a = cart.forward_dynamics(q[2], v[2], tau[2], {"rod": 2 * wrench})
    expected = cart.reactions(q[2], v[2], a, {"rod": 2 * wrench}).total.ravel()
    np.testing.assert_allclose(run.a[2], a, rtol=1e-12)
    np.testing.assert_allclose(run.reactions[2], expected, rtol=1e-12, atol=1e-12)


def test_labels_and_units(cart, bars):
    q, v, _ = moving(cart, 1)
    known = [name for name, x in QUANTITIES.items() if not (x.of_constraints or x.needs)]
    recorder = Recorder(cart, known)
    recorder.add(0.0, q[0], v[0])
    run = recorder.finish()
    assert run.labels["q"] == cart.q_labels
    assert run.units["q"] == ("m", "rad")
    assert run.units["v"] == ("m/s", "rad/s")
    assert run.units["a"] == ("m/s²", "rad/s²")
    assert run.units["tau"] == ("N", "N m")
    assert run.units["energy"] == ("J",)
    assert run.labels["energy"] == ()
    assert run.energy.shape == (1,)
    assert run.labels["reactions"][:2] == ("cart.nx", "cart.ny")
    assert run.labels["body_velocity"][6] == "rod.wx"
    recorder = Recorder(bars, "drift")
    recorder.add(0.0, bars.initial, np.zeros(3))
    run = recorder.finish()
    assert run.labels["drift"] == bars.constraint_rows
    assert set(run.units["drift"]) <= {"rad", "m"}


def test_quaternions_have_no_unit():
    b = am.Builder("ball")
    b.body("ball", joint="free", mass=1.0, inertia=(1, 2, 3))
    ball = b.build()
    recorder = Recorder(ball, "q")
    recorder.add(0.0, ball.initial, np.zeros(6))
    units = recorder.finish().units["q"]
    assert sorted(set(units)) == ["1", "m"]
    assert units.count("1") == 4


# -- when ----------------------------------------------------------------------------------------


def test_blocks_join_without_seam(cart, monkeypatch):
    whole = record(Recorder(cart, "q,energy"), count=100)
    monkeypatch.setattr(recording, "BLOCK_ROWS", 16)
    parts = record(Recorder(cart, "q,energy"), count=100)
    np.testing.assert_array_equal(whole.time, parts.time)
    np.testing.assert_array_equal(whole.q, parts.q)
    np.testing.assert_allclose(whole.energy, parts.energy, rtol=1e-12)


@pytest.mark.parametrize("every", [1, 3, 7, 100])
@pytest.mark.parametrize("chunk", [1, 5, 50])
def test_extend_is_add_many_times(cart, every, chunk, monkeypatch):
    monkeypatch.setattr(recording, "BLOCK_ROWS", 16)
    rows = list(instants(cart, 50))
    one, many = Recorder(cart, "q,v,a", every), Recorder(cart, "q,v,a", every)
    for row in rows:
        one.add(*row)
    for k in range(0, 50, chunk):
        many.extend(*(np.array(x) for x in zip(*rows[k : k + chunk], strict=True)))
    left, right = one.finish(), many.finish()
    np.testing.assert_array_equal(left.time, np.arange(0, 50, every) * STEP)
    for name in ("time", "q", "v", "a"):
        np.testing.assert_array_equal(left[name], right[name])
    assert left.state["t"] == right.state["t"] == 49 * STEP
    assert left.state["count"] == right.state["count"] == 50


def test_the_state_is_the_last_one_even_if_it_is_not_recorded(cart):
    recorder = Recorder(cart, "energy", every=10)
    *_, (t, q, v, _, _) = instants(cart, 15)
    record_of = record(recorder, count=15)
    assert len(record_of) == 2
    assert record_of.state["t"] == t
    np.testing.assert_array_equal(record_of.state["q"], q)
    np.testing.assert_array_equal(record_of.state["v"], v)


def test_arrays_of_the_engine_may_be_reused(cart):
    recorder = Recorder(cart, "q")
    q, v = np.zeros(2), np.zeros(2)
    for k in range(3):
        q[:] = k
        recorder.add(k, q, v)
    q[:] = 99
    run = recorder.finish()
    np.testing.assert_array_equal(run.q[:, 0], [0, 1, 2])
    np.testing.assert_array_equal(run.state["q"], [2, 2])


# -- for whom ------------------------------------------------------------------------------------


def test_a_batch_has_an_axis_of_runs(cart):
    q, v, tau = moving(cart, 5)
    recorder = Recorder(cart, "q,a,energy,reactions")
    for k in range(4):
        recorder.add(k, q + k, v, None, tau)
    run = recorder.finish()
    assert run.batch == 5
    assert run.q.shape == (4, 5, 2)
    assert run.energy.shape == (4, 5)
    assert run.reactions.shape == (4, 5, 12)
    single = Recorder(cart, "q,a,energy,reactions")
    single.add(3, q[2] + 3, v[2], None, tau[2])
    for name, values in single.finish().arrays.items():
        np.testing.assert_allclose(run[name][3, 2], values[0], rtol=1e-10, err_msg=name)


def test_a_run_of_a_batch_that_blew_up_leaves_the_others_alone(bars):
    q = np.tile(bars.initial, (3, 1))
    q[1] = np.nan
    recorder = Recorder(bars, "energy,reactions,condition,drift")
    recorder.add(0.0, q, np.zeros((3, 3)))
    run = recorder.finish()
    for name in run.names:
        assert np.isnan(run[name][0, 1]).all(), name
        assert np.isfinite(run[name][0, [0, 2]]).all(), name


def test_another_mechanism_takes_over(bars):
    """A loop that opens: its force columns are there, and empty while it is open."""
    recorder = Recorder(bars, "constraint_forces,energy", others=[bars.tree])
    recorder.add(0.0, bars.initial, np.zeros(3))
    recorder.switch(bars.tree)
    recorder.event(0.0, "the loop opens")
    recorder.add(0.1, bars.initial, np.zeros(3))
    run = recorder.finish()
    assert np.isfinite(run.constraint_forces[0]).all()
    assert np.isnan(run.constraint_forces[1]).all()
    assert np.isfinite(run.energy).all()
    assert run.events == [(0.0, "the loop opens")]


def test_extras_of_the_engine(cart):
    columns = {"flux": (("motor",), ("Wb",))}
    recorder = Recorder(cart, "q,voltage,flux", extras=columns)
    recorder.add(0.0, np.zeros(2), np.zeros(2), extras={"voltage": [1, 2], "flux": [3], "z": [4]})
    run = recorder.finish()
    np.testing.assert_array_equal(run.voltage, [[1, 2]])
    np.testing.assert_array_equal(run.column("motor", "flux"), [3])
    assert run.units["voltage"] == ("V", "V")
    assert run.units["flux"] == ("Wb",)
    np.testing.assert_array_equal(run.state["z"], [4])


def test_signals_of_parts_are_recorded_by_name(cart):
    """The known ones with their units, those of a part of one's own without."""

    class Warm(am.DCMotor):
        def signals(self, t, q, v, z, u):
            heat = [0.5 * x for x in self.currents(v, z, u).values()]
            return {**super().signals(t, q, v, z, u), "warmth": heat}

    arm = am.example("two-link")
    model = {name: am.Motor(resistance=0.5, torque_constant=0.05, gear=10.0) for name in arm.joints}
    motors = Warm(arm, motors=model)
    record = ("q", "voltage", "current", "electrical_power", "warmth")
    run = simulate(arm, duration=0.02, actuators=motors, record=record,
                   controller=lambda t, q, v: np.array([1.0, 2.0]))  # fmt: skip
    np.testing.assert_allclose(run.electrical_power, run.voltage * run.current, atol=1e-12)
    np.testing.assert_allclose(run.warmth, 0.5 * run.current)
    assert run.units["electrical_power"] == ("W", "W")
    assert run.labels["warmth"] == arm.v_labels
    with pytest.raises(ModelError, match="'warmth'") as fault:
        simulate(arm, duration=0.02, record="q,warmth")
    assert str(fault.value).count("'") == 2 * (1 + len(NAMES))
    with pytest.raises(InputError, match="no 'current'"):
        simulate(arm, duration=0.02, record="q,current")


def test_an_unknown_quantity_is_answered_with_all_known_ones(cart):
    assert "correction" not in NAMES
    with pytest.raises(ModelError) as fault:
        Recorder(cart, "zzzzz")
    assert all(f"'{name}'" in str(fault.value) for name in NAMES)
    assert "..." not in str(fault.value)


# -- what is refused -----------------------------------------------------------------------------


def test_faults_are_told_before_the_run(cart):
    with pytest.raises(ModelError, match=r"'enrgy'.*Did you mean 'energy'"):
        Recorder(cart, "q,enrgy")
    with pytest.raises(InputError, match="'drift' is about constraints, and 'cart' has none"):
        Recorder(cart, "drift")
    with pytest.raises(InputError, match="nothing is named"):
        Recorder(cart, "")
    for every in (0, -1, 1.5, True):
        with pytest.raises(InputError, match="every"):
            Recorder(cart, "q", every)
    recorder = Recorder(cart, "voltage")
    with pytest.raises(InputError, match="no 'voltage'"):
        recorder.add(0.0, np.zeros(2), np.zeros(2))


def test_an_empty_run(cart):
    run = Recorder(cart, "q,energy").finish("nothing happened", complete=False)
    assert len(run) == 0
    assert run.q.shape == (0, 2)
    assert run.message == "nothing happened"
    assert "nothing recorded" in str(run)


# -- Run -----------------------------------------------------------------------------------------


def test_access_by_name_and_label(cart):
    run = record(Recorder(cart, "q,v,energy"), count=3)
    assert run.q is run["q"]
    np.testing.assert_array_equal(run.column("rod"), run.q[:, 1])
    np.testing.assert_array_equal(run.column("rod", "v"), run.v[:, 1])
    np.testing.assert_array_equal(run.column("v.rod"), run.v[:, 1])
    np.testing.assert_array_equal(run.column("energy"), run.energy)
    assert "q" in run
    assert "tau" not in run
    assert run.names == ("q", "v", "energy")
    with pytest.raises(AttributeError, match="recorded are: q, v, energy"):
        _ = run.tau
    with pytest.raises(ModelError, match="no recorded quantity named 'tau'"):
        run["tau"]
    with pytest.raises(ModelError, match=r"no column named 'rd'.*'rod'"):
        run.column("rd")
    assert "3 instants" in repr(run)
    assert "rad" in str(run)


def test_a_run_checks_its_shapes():
    with pytest.raises(InputError, match="'q': expected 2 rows"):
        Run("m", [0, 1], {"q": np.zeros((3, 1))}, {"q": ("a",)}, {"q": ("rad",)})
    with pytest.raises(InputError, match="2 labels for an array of shape"):
        Run("m", [0], {"q": np.zeros((1, 1))}, {"q": ("a", "b")}, {})
    with pytest.raises(InputError, match="expected 1 units, found 2"):
        Run("m", [0], {"q": np.zeros((1, 1))}, {"q": ("a",)}, {"q": ("rad", "m")})
    plain = Run("m", [0.0], {"q": [[1.0, 2.0]]})
    assert plain.labels["q"] == ("0", "1")
    assert plain.state["t"] == 0.0


def test_every_name_has_a_text():
    assert all((QUANTITIES | recording.EXTRAS)[name].text for name in NAMES)
