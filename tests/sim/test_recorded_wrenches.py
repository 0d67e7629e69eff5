"""`record="external"`: the wrenches that act on frames, in runs and replays, as they were given."""

import numpy as np
import pytest

import armillary as am

ARM = am.example("two-link")
PUSH = [0.0, 0.0, 0.1, 1.0, 2.0, 3.0]


def wind(t):
    return [0.0, 0.0, 0.0, 3.0 * np.sin(t), -2.0, 0.0]


def table(times):
    return np.array([wind(t) for t in times])


def test_the_gripper_force_of_a_replay():
    """By frame, in the order given; and tau takes it up: -J^T w more than without."""
    t = np.linspace(0.0, 1.0, 11)
    q = np.stack([np.sin(t), np.cos(t)], axis=1)
    external = {"tip": wind, "link1": PUSH}
    run = am.replay(ARM, (t, q), record="q,tau,external", external=external)
    np.testing.assert_array_equal(run["external"], np.hstack([table(t), np.tile(PUSH, (11, 1))]))
    assert run.labels["external"][3] == "tip.fx" and run.labels["external"][8] == "link1.nz"
    assert run.units["external"][:4] == ("N m", "N m", "N m", "N")
    free = am.replay(ARM, (t, q), record="tau")["tau"]
    work = [ARM.jacobian(x, "tip").T @ wind(s) + ARM.jacobian(x, "link1").T @ PUSH
            for s, x in zip(t, q, strict=True)]  # fmt: skip
    np.testing.assert_allclose(run.tau, free - work, atol=1e-12)


def test_a_replay_needs_no_masses_for_it():
    b = am.Builder("light")
    b.body("link", axis="y")
    b.frame("hand", "link", (1.0, 0, 0))
    t = np.linspace(0.0, 1.0, 5)
    run = am.replay(b.build(), (t, t[:, None]), record="external", external={"hand": wind})
    np.testing.assert_array_equal(run["external"], table(t))


@pytest.mark.parametrize(
    "given",
    [
        {"tip": wind},
        {"tip": am.Schedule(np.linspace(0, 0.2, 201), table(np.linspace(0, 0.2, 201)))},
    ],
)
def test_wrenches_of_a_run(given, tmp_path):
    out = tmp_path / "run.nc"
    options = {"duration": 0.1, "step": 1e-2, "external": given}
    run = am.simulate(ARM, record="q,external", **options)
    np.testing.assert_allclose(run["external"], table(run.time), atol=1e-6)
    am.simulate(ARM, record="external", out=out, **options)
    np.testing.assert_array_equal(am.load_run(out)["external"], run["external"])


def test_wrenches_of_the_state_and_of_many_runs():
    def held(t, q, v):
        return {"tip": [0, 0, 0, t, q[0], 0]}

    run = am.simulate(ARM, duration=0.1, step=1e-2, external=held, record="q,external")
    k = run.labels["external"].index("tip.nx")
    np.testing.assert_allclose(run["external"][:, k + 3], run.time, atol=1e-15)
    np.testing.assert_allclose(run["external"][:, k + 4], run.q[:, 0], atol=1e-15)
    assert not np.delete(run["external"], [k + 3, k + 4], axis=1).any()
    many = {"tip": np.outer([1.0, 2.0, 3.0], PUSH)}
    batch = am.simulate(ARM, np.zeros((3, 2)), duration=0.02, step=1e-2, external=many,
                        record="external")  # fmt: skip
    np.testing.assert_array_equal(batch["external"][1], many["tip"])


def test_where_nothing_acts_it_is_refused():
    t = np.linspace(0.0, 1.0, 5)
    for ask in (
        lambda: am.simulate(ARM, duration=0.1, record="external"),
        lambda: am.replay(ARM, (t, np.zeros((5, 2))), record="external"),
    ):
        with pytest.raises(am.InputError, match=r"'external' is about wrenches.*external=\{'hand'"):
            ask()
