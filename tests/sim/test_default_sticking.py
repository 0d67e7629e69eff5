"""Dry friction sticks by default, at every entrance, and static friction that fades over a narrow
velocity is integrated with the order of the method."""

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app
from armillary.errors import InputError
from armillary.sim.loop import loop
from armillary.sim.loop.experiment import load_experiment
from compare import close


def block(mass=1.0, **friction):
    b = am.Builder("block", gravity=(0, 0, 0))
    b.body("block", joint="prismatic", axis="x", mass=mass, passive=am.Passive(**friction))
    return b.build()


def in_python(*arguments, **options):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop.Loop, "_native", lambda *_: None)
        return am.simulate(*arguments, **options)


# -- static friction above Coulomb friction --------------------------------------------------------

COULOMB, STATIC, RATE = 2.0, 3.0, 8.0
RAMP = am.Schedule([0.0, 1.0], [0.0, RATE])


def pushed(width, end):
    """v of 1 kg under a force of RATE t, from where it breaks away: SciPy, in u = v / width."""
    level = lambda u: COULOMB + (STATIC - COULOMB) * np.exp(-u * u)  # noqa: E731
    start = STATIC / RATE
    far = lambda t, u: u[0] - 7.0  # noqa: E731
    far.terminal = True
    rate = lambda t, u: [(RATE * (start + t) - level(u[0])) / width]  # noqa: E731
    near = solve_ivp(rate, (0.0, end - start), [1e-9], rtol=1e-11, atol=1e-12, events=far)
    t, v = start + near.t[-1], width * near.y[0, -1]
    return v + RATE * (end**2 - t**2) / 2.0 - COULOMB * (end - t)  # static friction has faded


@pytest.mark.parametrize("width", [1e-2, 1e-3, 1e-6])
@pytest.mark.parametrize(("method", "most"), [("rk4", 2e-6), ("rk3", 1e-5), ("heun", 1e-4)])
def test_a_break_away_does_not_lower_the_order(method, most, width):
    """A stage at rest would see the static level: an error of h (static - coulomb) / 6 and more,
    3e-3 at this step."""
    run = am.simulate(block(coulomb=COULOMB, static=STATIC, stribeck=width), duration=0.75,
                      step=1e-2, method=method, inputs={"block": RAMP})  # fmt: skip
    assert run.events[1][0] == pytest.approx(STATIC / RATE, abs=1e-11)
    assert run.v[-1, 0] == pytest.approx(pushed(width, 0.75), abs=most)


def test_the_order_of_methods_with_static_friction():
    """Of a block that a spring draws out of its rest: each halving of the step where the fall of
    the friction is resolved."""
    m = block(coulomb=COULOMB, static=STATIC, stribeck=0.5, spring=20.0)
    level = lambda v: COULOMB + (STATIC - COULOMB) * np.exp(-((v / 0.5) ** 2))  # noqa: E731
    rate = lambda t, x: [x[1], -20.0 * x[0] + level(x[1])]  # noqa: E731
    want = solve_ivp(rate, (0, 0.5), [0.4, 0.0], rtol=1e-12, atol=1e-14).y[:, -1]
    for method, order in (("heun", 2), ("rk3", 3), ("rk4", 4)):
        error = []
        for step in (0.00625, 0.003125):
            run = am.simulate(m, [0.4], duration=0.5, step=step, method=method)
            error.append(np.abs([run.q[-1, 0] - want[0], run.v[-1, 0] - want[1]]).max())
        assert np.log2(error[0] / error[1]) > order - 0.2


@pytest.mark.parametrize("width", [1e-3, 1e-7])
def test_a_stop_through_narrow_static_friction(width):
    """From 1 m/s: it stops when the impulse of the friction is used up."""
    x = np.linspace(0.0, 1.0, 200001) * 8.0
    rise = np.exp(-x * x)
    less = np.trapezoid(1.0 / COULOMB - 1.0 / (COULOMB + (STATIC - COULOMB) * rise), x) * width
    run = am.simulate(block(coulomb=COULOMB, static=STATIC, stribeck=width), v0=[1.0],
                      step=1e-2)  # fmt: skip
    assert run.events[1][1] == "'block' stops"
    assert run.events[1][0] == pytest.approx(1.0 / COULOMB - less, abs=1e-3 * width + 1e-12)


@pytest.mark.parametrize(("method", "most"), [("rk4", 1e-9), ("rk3", 2e-9), ("heun", 1e-6)])
def test_a_strong_force_through_wide_static_friction(method, most):
    """From 1.5 m/s against 100 N, back and on: a step passes ten Stribeck velocities."""
    level = lambda v: COULOMB + (STATIC - COULOMB) * np.exp(-((v / 0.1) ** 2))  # noqa: E731
    stop = quad(lambda v: 1.0 / (100.0 + level(v)), 0.0, 1.5, epsabs=1e-14, epsrel=1e-13)[0]
    back = solve_ivp(lambda t, v: [100.0 - level(v[0])], (stop, 0.04), [0.0], rtol=1e-12,
                     atol=1e-14, max_step=1e-4).y[0, -1]  # fmt: skip
    run = am.simulate(block(coulomb=COULOMB, static=STATIC, stribeck=0.1), v0=[1.5], step=1e-2,
                      duration=0.04, method=method, inputs={"block": -100.0})  # fmt: skip
    assert run.events[1][0] == pytest.approx(stop, abs=most)
    assert run.v[-1, 0] == pytest.approx(-back, abs=most)


def test_native_steps_and_batches_as_alone():
    """Runs that break away one after the other, in the native loop, in Python and alone."""
    m = block(coulomb=COULOMB, static=STATIC, stribeck=1e-4)
    q0 = np.zeros((3, 1))
    push = am.Schedule([0.0, 1.0], [[[0.0], [0.0], [0.0]], [[8.0], [6.0], [2.0]]])
    options = {"duration": 0.8, "step": 1e-2, "method": "rk4"}
    many = am.simulate(m, q0, inputs=push, **options)
    slow = in_python(m, q0, inputs=push, **options)
    close(many.v, slow.v, 1e-9)
    for row, end in enumerate((8.0, 6.0, 2.0)):
        alone = am.simulate(m, inputs=am.Schedule([0.0, 1.0], [[0.0], [end]]), **options)
        close(many.v[:, row], alone.v, 1e-9)
    assert not many.v[:, 2].any()
    wide = block(coulomb=COULOMB, static=STATIC, stribeck=0.02)  # where it fades within a few steps
    options = {"v0": [0.02], "duration": 0.05, "step": 2.5e-3, "inputs": {"block": 4.0}}
    close(am.simulate(wide, **options).v, in_python(wide, **options).v, 1e-13)


@pytest.mark.parametrize("method", ["euler", "semi-implicit", "rk4"])
def test_breaking_away_slowly_under_large_forces(method):
    """Rounding of the forces that carry an arm must not stop it again and again."""
    rng = np.random.default_rng(5)
    for _ in range(4):
        b = am.Builder("arm")
        places = iter(rng.uniform(-0.3, 0.3, (3, 3)))
        dry = am.Passive(coulomb=1.0, static=1.3, stribeck=1e-3)
        b.body("a", axis="y", mass=15.0, com=next(places), inertia=(0.2, 0.3, 0.4), passive=dry)
        b.body("b", "a", "revolute", next(places), axis=(0, 0.8, 0.6), mass=8.0, com=next(places),
               inertia=(0.1, 0.1, 0.2), passive=dry)  # fmt: skip
        m = b.build()
        carry = m.gravity_forces([0.0, 0.0])
        more = lambda t: np.array([0.0, 1.3 + 0.02 * (t - 0.005)])  # noqa: E731
        run = am.simulate(m, duration=0.01, step=1e-4, method=method,
                          controller=lambda t, q, v: carry + more(t))  # noqa: B023 # fmt: skip
        assert run.complete
        assert [text for _, text in run.events[1:]] == ["'b' slips"]


# -- by default ------------------------------------------------------------------------------------


def test_an_arm_at_rest_does_not_creep():
    m = am.example("puma560")
    run = am.simulate(m, duration=0.2, step=2e-3)
    names = ", ".join(f"'{label}'" for label in m.v_labels)
    assert run.events[0] == (0.0, f"dry friction: {names} stick")
    assert names in str(run)
    held = np.abs(m.gravity_forces(m.initial)) < 7.0  # below the friction of the first joints
    assert held.any() and np.unique(run.q[:, held], axis=0).shape[0] == 1


def test_stick_false_is_friction_by_its_sign_alone():
    m = block(coulomb=2.0)
    run = am.simulate(m, v0=[0.9973], duration=0.8, step=1e-2, stick=False)
    assert not run.events and run.v[-1, 0] != 0.0
    assert not am.simulate(m, v0=[0.9973], duration=0.8, step=1e-2).v[-1].any()


def test_named_joints_come_first():
    """With `stick=False` they alone; else the others do by default."""
    b = am.Builder("two", gravity=(0, 0, 0))
    for name in ("a", "b"):
        b.body(name, joint="prismatic", axis="x", mass=1.0, passive=am.Passive(coulomb=1.0))
    m = b.build()
    options = {"v0": [0.1003, 0.1003], "duration": 0.3, "step": 1e-2}
    some = am.simulate(m, **options, events=am.StickSlip("a"), stick=False)
    assert some.v[-1, 0] == 0.0 and some.v[-1, 1] != 0.0
    both = am.simulate(m, **options, events=am.StickSlip("a"))
    assert not both.v[-1].any() and both.events[0][1] == "dry friction: 'b' sticks"
    with pytest.raises(InputError, match=r"expected names of joints, found Mechanism.*'elbow'"):
        am.StickSlip(m)
    with pytest.raises(InputError, match="StickSlip: expected names of joints, found none"):
        am.simulate(m, **options, events=am.StickSlip([]))
    with pytest.raises(InputError, match="JointLimits: expected names of joints"):
        am.JointLimits(joints=m)


def test_what_cannot_stick_is_said():
    b = am.Builder("some", gravity=(0, 0, 0))
    b.body("a", joint="prismatic", axis="x", mass=1.0, passive=am.Passive(coulomb=1.0))
    b.body("b", joint="prismatic", axis="x", mass=1.0,
           passive=am.Passive(coulomb=1.0, smoothing=0.01))  # fmt: skip
    m = b.build()
    run = am.simulate(m, duration=0.02, step=1e-2)
    assert [text for _, text in run.events] == [
        "dry friction: 'a' sticks",
        "dry friction of 'b' creeps at rest: it is smooth",
    ]
    run = am.simulate(m, duration=0.02, step=1e-2, method="implicit")
    assert "dry friction of 'a' creeps at rest: the explicit" in " ".join(x for _, x in run.events)
    driven = am.simulate(m, duration=0.1, step=1e-2, prescribed={"a": lambda t: 0.01 * np.sin(t)})
    assert driven.complete and not any("'a' stick" in text for _, text in driven.events)
    assert not am.simulate(am.example("four-bar"), duration=0.01).events  # nothing rubs there


def test_friction_of_each_run_of_a_batch():
    """Levels that are parameters: 2 N against 1 N and 3 N."""
    m = block(coulomb=1.0).varying("joints.block.coulomb")
    numbers = np.tile(m.parameters, (2, 1))
    numbers[:, -1] = (1.0, 3.0)
    run = am.simulate(m, np.zeros((2, 1)), inputs={"block": 2.0}, parameters=numbers,
                      duration=0.5, step=1e-2)  # fmt: skip
    close(run.v[-1], [[0.5], [0.0]], 1e-12)


def test_joints_of_a_chain_stick_together():
    """All joints of a four-bar rub.  The crank breaks away where its torque passes what they hold
    together, the sum of |dq_k/dcrank| times their levels: virtual work."""
    m = am.example("four-bar").replace(gravity=(0, 0, 0))
    m = m.replace(bodies={body: {"passive": am.Passive(coulomb=c)}
                          for body, c in zip(m.bodies, (0.3, 0.2, 0.4), strict=True)})  # fmt: skip
    q = np.array(m.initial)
    _, v = m.project(q, np.array([1.0, 0.0, 0.0]))
    ratio = np.abs(v / v[0])
    level = float(ratio @ [0.3, 0.2, 0.4])
    push = am.Schedule([0.0, 1.0], [[0.0] * 3, [2.0 * level, 0.0, 0.0]])
    run = am.simulate(m, q, duration=0.6, step=1e-2, inputs=push)
    first = next(t for t, text in run.events if text.endswith("slips"))
    assert first == pytest.approx(0.5, abs=1e-6)
    assert np.ptp(run.q[run.time < 0.5], axis=0).max() < 1e-12
    assert run.v[-1, 0] > 1e-3 and len(run.events) <= 4


def test_a_dead_centre_is_no_rest():
    """The rocker of a four-bar with dry joints turns back while the crank goes on; the same motion
    as with a friction that rises over a narrow velocity, without sticking."""
    m = am.example("four-bar")
    dry = {body: {"passive": am.Passive(coulomb=0.02)} for body in m.bodies}
    smooth = {body: {"passive": am.Passive(coulomb=0.02, smoothing=1e-3)} for body in m.bodies}
    run = am.simulate(m.replace(bodies=dry), duration=1.3, step=2e-3)
    other = am.simulate(m.replace(bodies=smooth), duration=1.3, step=2e-4, every=10, stick=False)
    texts = [text for _, text in run.events[1:]]
    assert (
        run.complete
        and texts.count("'rocker' stops") >= 4
        and not any(text.endswith("slips") for text in texts)
    )
    close(run.v, other.v, 5e-4)


def test_a_torque_at_a_dead_centre():
    """A crank of 0.2 m and a rod of 0.5 m in line, at rest; the slider rubs.  No friction of the
    slider holds the crank there: its torque moves it at once,  tau theta = T + coulomb |dx|;  in
    a batch as alone, and to either side."""
    b = am.Builder("press", (0, 0, 0))
    b.body("crank", axis="y", mass=1.0, com=(0.1, 0, 0), inertia=(0.01, 0.01, 0.01))
    b.body("rod", "crank", "revolute", (0.2, 0, 0), axis="y", mass=0.5, com=(0.25, 0, 0),
           inertia=(0.01, 0.01, 0.01))  # fmt: skip
    b.body("slider", joint="prismatic", axis="x", mass=0.7, passive=am.Passive(coulomb=0.5))
    b.frame("end", "rod", at=(0.5, 0, 0))
    b.loop("pin", "end", "slider", "revolute", axis="y")
    m = b.build()
    q0 = np.array([0.0, 0.0, 0.7])
    for torque in (0.1, -0.1):
        run = am.simulate(m, q0, duration=0.4, step=1e-3, inputs={"crank": torque})
        (turn, bend, x), (w, bent, u) = run.q[-1], run.v[-1]
        rod = w + bent
        speed = (0.2 * w) ** 2 + (0.25 * rod) ** 2 + 2 * 0.2 * 0.25 * w * rod * np.cos(bend)
        energy = (0.02 * w**2 + 0.5 * speed + 0.01 * rod**2 + 0.7 * u**2) / 2
        assert torque * turn > 0.02
        assert energy + 0.5 * (0.7 - x) == pytest.approx(torque * turn, rel=1e-8)
    push = am.Schedule([0.0, 1.0], [[[0.1, 0, 0], [0.0, 0, 0], [-0.1, 0, 0]]] * 2)
    many = am.simulate(m, np.tile(q0, (3, 1)), duration=0.4, step=1e-3, inputs=push)
    close(many.q[-1, 2], run.q[-1], 1e-12)
    close(many.q[-1, 0, :2], -run.q[-1, :2], 1e-9)
    assert np.array_equal(many.q[-1, 1], q0)


def test_every_entrance(tmp_path):
    """Experiments, files that are repeated, the command line; a resumed run."""
    m = block(coulomb=2.0)
    out, part = tmp_path / "run.nc", tmp_path / "part.nc"
    given = {"v0": [0.9973], "step": 1e-2}
    whole = am.simulate(m, **given, duration=0.8, out=str(out))
    am.simulate(m, **given, duration=0.6, out=str(part))
    on = am.simulate(m, **given, duration=0.8, out=str(part), resume=True)
    close(on.q, whole.q, 1e-14)
    assert [text for _, text in on.events] == [text for _, text in whole.events]
    again = am.load_run(str(out)).experiment.run()
    assert np.array_equal(again.q, whole.q)
    creeping = am.simulate(m, **given, duration=0.8, stick=False)
    creeping.experiment.save(tmp_path / "again.yaml")
    assert "stick: false" in (tmp_path / "again.yaml").read_text()
    assert np.array_equal(load_experiment(tmp_path / "again.yaml").run().q, creeping.q)
    m.save(tmp_path / "block.yaml")
    typed = ["simulate", str(tmp_path / "block.yaml"), "--v", "0.9973", "--step", "0.01"]
    told = CliRunner().invoke(app, typed)
    assert told.exit_code == 0 and "dry friction: 'block' sticks" in told.output
    told = CliRunner().invoke(app, [*typed, "--no-stick"])
    assert told.exit_code == 0 and "friction" not in told.output


def test_studies_stick_at_the_friction_of_each_variant():
    """2 N against 1, 1.5 and 3 N: m v = (F - level) t, or rest; without sticking it trembles."""
    levels = [1.0, 1.5, 3.0]
    given = {"inputs": {"block": 2.0}, "duration": 0.5, "step": 1e-2}
    experiment = am.Experiment(block(coulomb=1.0), given)
    factors, responses = {"joints.block.coulomb": levels}, {"v": "end v.block"}
    study = am.study(experiment, factors, responses)
    assert study.grouped == {}
    np.testing.assert_allclose(study["v"], [0.5, 0.25, 0.0], atol=1e-12)
    assert study["v"][2] == 0.0
    creeping = am.study(experiment.replace(stick=False), factors, responses)
    assert creeping["v"][2] != 0.0
