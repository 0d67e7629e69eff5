"""Runs that carry the cross-check."""

import dataclasses

import numpy as np
import pytest

import armillary as am
from armillary.textbook import checking

ROWS = {f.name: f for f in am.methods.FORMULATIONS}
EVERY = "check:0.1"


def plant(monkeypatch, name: str, wrong) -> None:
    table = tuple(dataclasses.replace(f, function=wrong) if f.name == name else f
                  for f in ROWS.values())  # fmt: skip
    monkeypatch.setattr(checking, "FORMULATIONS", table)


@pytest.fixture(scope="module")
def swing() -> am.Run:
    return am.simulate(am.example("double-pendulum"), [1.2, 0.6], duration=0.3, step=1e-2,
                       record=("q", "v", "tau", EVERY))  # fmt: skip


def test_chosen_instants_are_checked(swing):
    values, labels = swing[EVERY], swing.labels[EVERY]
    asked = np.isfinite(values[:, 0])
    np.testing.assert_allclose(swing.time[asked], [0.0, 0.1, 0.2, 0.3], atol=1e-12)
    assert labels[:2] == ("worst", "contradicting") and "Newton-Euler" in labels
    assert "multipliers" not in labels and set(swing.units[EVERY]) == {"1"}
    assert (values[asked, 1] == 0.0).all() and values[asked, 0].max() < 1e-10
    m = am.example("double-pendulum")
    for k in np.flatnonzero(asked):
        check = m.check(swing.q[k], swing.v[k], swing.tau[k])
        assert check.worst == values[k, 0]
        for part in check.agreements:
            for name, difference in part.differences().items():
                assert values[k, labels.index(name)] == difference
    assert not swing.events and np.isnan(values[~asked]).all()


@pytest.mark.parametrize("ending", ["nc", "csv"])
def test_files_keep_it(swing, tmp_path, ending):
    path = tmp_path / f"swing.{ending}"
    swing.save(path)
    found = am.load_run(path)
    np.testing.assert_array_equal(found[EVERY], swing[EVERY])
    assert found.labels[EVERY] == swing.labels[EVERY]


def test_streamed_in_small_blocks_it_is_the_same(swing, tmp_path, monkeypatch):
    from armillary.sim.record import recorder

    monkeypatch.setattr(recorder, "BLOCK_ROWS", 16)
    again = am.simulate(am.example("double-pendulum"), [1.2, 0.6], duration=0.3, step=1e-2,
                        record=("q", "v", "tau", EVERY), out=tmp_path / "run.nc")  # fmt: skip
    np.testing.assert_array_equal(np.isnan(again[EVERY]), np.isnan(swing[EVERY]))


def test_a_contradiction_is_recorded_and_told(monkeypatch):
    row = ROWS["virtual power"]
    plant(monkeypatch, row.name, lambda s, a: -row.function(s, a))
    run = am.simulate(am.example("double-pendulum"), [1.2, 0.6], duration=0.02, step=1e-2,
                      record=("q", "check"))  # fmt: skip
    values = run["check"]
    assert (values[:, 1] == 1.0).all() and values[:, 0].min() > 1e-3
    assert values[0, run.labels["check"].index("virtual power")] == values[0, 0]
    assert run.events == [(0.0, "check: against the others stand virtual power")]


def test_closed_mechanisms_and_batches():
    bars = am.example("four-bar")
    run = am.simulate(bars, duration=0.02, step=1e-2, inputs={"crank": 0.3}, record=("q", "check"))
    labels = run.labels["check"]
    assert "pseudo joints" in labels and "articulated bodies" not in labels
    assert run["check"][:, 0].max() < 1e-10
    q = np.tile(bars.initial, (2, 1))
    both = am.simulate(bars, q, duration=0.01, step=1e-2, record=("q", "check"))
    assert both["check"].shape == (2, 2, len(labels)) and np.isfinite(both["check"][..., 0]).all()


def test_names_that_cannot_be_read():
    m = am.example("double-pendulum")
    for name in ("check:often", "check:-1", "check:"):
        with pytest.raises(am.InputError, match="check:"):
            am.simulate(m, duration=0.01, record=name)
