"""A Switch in a batch: every run has its own constraints, and moves as it does alone."""

import numpy as np
import pytest

import armillary as am
from armillary.errors import InputError

RUNS = 4
RECORD = ("q", "v", "a", "energy", "drift", "constraint_forces")


def ball(tied: bool) -> am.Mechanism:
    """In a vertical plane; tied: on a string of 1 m."""
    b = am.Builder("ball")
    b.body("ball", joint="planar", axis="y", mass=1.0, inertia=(0.01, 0.01, 0.01))
    if tied:
        b.distance("string", "world", "ball", 1.0)
        b.initial = {"ball": (0.0, 1.0, 0.0)}
    return b.build()


FREE, TIED = ball(False), ball(True)


def taut(t, q, v):
    return np.hypot(q[1], q[2]) - 1.0 if t < 0.75 else -1.0


def switches() -> list[am.Switch]:
    """Runs meet the end of the string one after the other; the string is cut at 0.8 s."""
    cut = am.Switch(lambda t, q, v: t - 0.8, "cut", direction=1, to=FREE)
    return [am.Switch(taut, "taut", direction=1, to=TIED), cut]


def starts() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    q = np.column_stack(
        [np.zeros(RUNS), rng.uniform(-0.4, 0.6, RUNS), rng.uniform(-0.3, 0.3, RUNS)]
    )
    v = np.column_stack([np.zeros(RUNS), rng.uniform(-1, 1, RUNS), rng.uniform(-1, 2, RUNS)])
    return q, v


def same(many: am.Run, k: int, one: am.Run, names, tolerance: float) -> None:
    for name in names:
        x, y = many[name][:, k], one[name]
        assert np.array_equal(np.isnan(x), np.isnan(y)), name
        assert np.nanmax(np.abs(x - y) / (1 + np.abs(y)), initial=0.0) < tolerance, name
    own = [(t, text) for t, text in many.events if text.startswith(f"run {k}: ")]
    assert [text for _, text in own] == [f"run {k}: {text}" for _, text in one.events]
    assert np.allclose([t for t, _ in own], [t for t, _ in one.events], rtol=0, atol=1e-8)


@pytest.mark.parametrize(
    ("method", "tolerance"),
    [("rk4", 1e-12), ("dopri5", 1e-8), ("implicit", 1e-12), ("semi-implicit", 1e-12),
     ("variational", 1e-10)],
)  # fmt: skip
def test_as_the_single_runs(method, tolerance):
    q, v = starts()
    push = np.random.default_rng(1).normal(scale=0.3, size=(RUNS, 3))
    options = {"duration": 1.0, "step": 1e-2, "record": RECORD, "method": method, "every": 4}
    many = am.simulate(FREE, q, v, events=switches(), inputs=push, **options)
    assert len(many.events) == 2 * RUNS
    for k in range(RUNS):
        one = am.simulate(FREE, q[k], v[k], events=switches(), inputs=push[k], **options)
        same(many, k, one, RECORD, tolerance)
    # after the impact the string holds: circles, and energy that only the push changes
    held = ~np.isnan(many.drift[..., 0])
    assert held.any(axis=0).all() and not held.all()
    assert np.abs(np.hypot(many.q[..., 1], many.q[..., 2])[held] - 1.0).max() < 1e-9


def test_an_impact_takes_what_pulls_at_the_string():
    """Energy lost at the switch: half the square of the velocity along the string."""
    q, v = starts()
    run = am.simulate(FREE, q, v, duration=0.7, step=1e-3, events=switches(),
                      record=("q", "v", "energy"))  # fmt: skip
    for k in range(RUNS):
        t = next(t for t, text in run.events if text.startswith(f"run {k}: taut"))
        place = q[k, 1:] + t * v[k, 1:]
        speed = v[k, 1:].copy()
        # planar about y: the plane's axes are z and x of the world, whichever falls is found here
        down = am.simulate(FREE, q[k], v[k], duration=1e-3, step=1e-3).v[-1, 1:] - speed
        fall = down / 1e-3
        place, speed = place + 0.5 * fall * t * t, speed + fall * t
        along = float(place @ speed) / float(np.hypot(*place))
        assert run.energy[0, k] - run.energy[-1, k] == pytest.approx(0.5 * along**2, rel=1e-6)


def test_with_drives_masses_and_ends_of_their_own():
    """A pendulum on a driven slide that is clamped; each run its own drive, mass and end."""

    def pendulum(clamped):
        b = am.Builder("pendulum")
        b.body("slide", joint="prismatic", axis="x", mass=1.0, inertia=(0.1, 0.1, 0.1))
        b.body("rod", "slide", "revolute", axis="y", mass=1.0, com=(0, 0, -0.5),
               inertia=(0.1, 0.1, 0.01))  # fmt: skip
        b.body("tip", "rod", "revolute", at=(0, 0, -1.0), axis="y", mass=0.5, com=(0, 0, -0.3),
               inertia=(0.02, 0.02, 0.01))  # fmt: skip
        if clamped:
            b.coupling(am.Coupling("clamp", "tip", "rod", 0.0, 0.0))
        return b.build()

    loose, clamped = pendulum(False), pendulum(True)
    q = np.array([[0.1, 0.4, 0.5], [0.2, -0.3, 0.8], [0.0, 0.6, -0.7]])
    v = np.zeros((3, 3))
    scales = np.array([[1.0], [2.0], [0.5]]) * loose.parameters
    places = [0.1, 0.2, 0.0]

    def options(k):
        clamp = am.Switch(lambda t, q, v: q[2], "clamp", to=clamped)
        end = am.Event(lambda t, q, v: q[1] + 0.1, "end", terminal=True, direction=-1)
        return {
            "events": [clamp, end],
            "prescribed": {"slide": np.array(places) if k is None else places[k]},
            "parameters": scales if k is None else scales[k],
            "duration": 0.6, "step": 5e-3, "record": ("q", "v", "drift"),
        }  # fmt: skip

    many = am.simulate(loose, q, v, **options(None))
    for k in range(3):
        one = am.simulate(loose, q[k], v[k], **options(k))
        whole = one.time[-1] >= 0.6 - 1e-12
        last = slice(None) if whole else slice(0, len(one) - 1)
        for name in ("q", "v"):
            assert np.allclose(many[name][: len(one)][last][:, k], one[name][last], atol=1e-10)
        if not whole:
            assert many.state["ended"][k] == pytest.approx(one.time[-1], abs=1e-9)
    assert any("clamp: now" in text for _, text in many.events)


def test_a_file_of_a_batch_after_a_switch_does_not_go_on(tmp_path):
    pytest.importorskip("h5netcdf")
    q, v = starts()
    path = tmp_path / "balls.nc"
    options = {"step": 1e-2, "record": ("q", "energy", "drift")}
    plain = am.simulate(FREE, q, v, duration=0.6, events=switches(), **options)
    options["out"] = path
    first = am.simulate(FREE, q, v, duration=0.6, events=switches(), **options)
    assert np.array_equal(first.drift, plain.drift, equal_nan=True)
    with pytest.raises(InputError, match="a Switch has put another mechanism in place"):
        am.simulate(FREE, q, v, duration=1.0, events=switches(), resume=True, **options)
