"""Runs as xarray datasets and pandas frames: the same numbers, by name, with their units."""

import numpy as np
import pytest

import armillary as am

RECORD = ("q", "v", "energy")


@pytest.fixture(scope="module")
def single():
    return am.simulate(am.example("stanford"), duration=0.02, record=RECORD)


@pytest.fixture(scope="module")
def many():
    q0 = np.array([[0.1, 0.0], [0.4, -0.2], [1.0, 0.3]])
    return am.simulate(am.example("double-pendulum"), q0, duration=0.02, record=RECORD)


def test_xarray(single, many):
    data = single.to_xarray()
    slide = data["q"].sel(q_label="link2.dx")
    np.testing.assert_array_equal(slide, single.column("link2.dx"))
    assert data["q"].attrs["units"] == list(single.units["q"]) and "m" in single.units["q"]
    assert data["energy"].attrs["units"] == "J" and data["time"].attrs["units"] == "s"
    assert data.attrs["mechanism"] == "stanford" and data.attrs["complete"] == 1
    batch = many.to_xarray()
    np.testing.assert_array_equal(batch["v"].isel(run=2).sel(v_label="elbow"), many.v[:, 2, 1])
    assert batch["energy"].dims == ("time", "run")


def test_pandas(single, many):
    frame = single.to_pandas()
    assert frame.index.name == "time"
    np.testing.assert_array_equal(frame["q.link2.dx"], single.column("link2.dx"))
    np.testing.assert_array_equal(frame["energy"], single.energy)
    assert frame.attrs["units"]["q.link2.dx"] == "m" and frame.attrs["units"]["energy"] == "J"
    batch = many.to_pandas()
    np.testing.assert_array_equal(batch.xs(1, level="run")["q.elbow"], many.q[:, 1, 1])
    assert len(batch) == 3 * len(many.time)
