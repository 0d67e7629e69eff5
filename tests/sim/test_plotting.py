"""Figures: every axis has its unit, every column its line, and the picture shows them."""

import matplotlib
import numpy as np
import pytest
from matplotlib.image import imread

from armillary.errors import ArmillaryError, FormatError, InputError, ModelError
from armillary.sim.record.plot_lines import thinned
from armillary.sim.record.run import Run


@pytest.fixture(autouse=True)
def no_window():
    matplotlib.use("Agg")


def swing(batch=None, count=200):
    """A cart in metres and a pendulum in radians."""
    time = np.linspace(0.0, 4.0, count)
    q = np.stack([np.sin(time), 3.0 * np.cos(2.0 * time)], axis=1)
    energy = np.sin(time) ** 2
    if batch is not None:
        scale = np.linspace(0.5, 1.0, batch)
        q, energy = q[:, None] * scale[:, None], energy[:, None] * scale
    labels = {"q": ("cart", "rod"), "v": ("cart", "rod"), "energy": ()}
    units = {"q": ("m", "rad"), "v": ("rad/s", "rad/s"), "energy": ("J",)}
    arrays = {"q": q, "v": 2 * q, "energy": energy}
    return Run("cart", time, arrays, labels, units, "rk4", 0.02, events=[(1.0, "bounce")])


def drawn(axis):
    """Lines over the whole time, without the marks of events."""
    return [line for line in axis.lines if len(line.get_xdata()) > 2]


def legend(axis):
    return [text.get_text() for text in axis.get_legend().get_texts()]


def test_every_axis_has_its_unit():
    figure = swing().plot()
    assert [axis.get_ylabel() for axis in figure.axes] == [
        "q.cart [m]", "q.rod [rad]", "v [rad/s]", "energy [J]",
    ]  # fmt: skip
    assert figure.axes[-1].get_xlabel() == "time [s]"
    assert "cart" in figure.get_suptitle()


def test_lines_are_the_columns():
    run = swing()
    cart, rod = run.plot("q").axes
    for axis, k, label in ((cart, 0, "cart"), (rod, 1, "rod")):
        (line,) = drawn(axis)
        assert legend(axis) == [label]
        np.testing.assert_array_equal(line.get_xdata(), run.time)
        np.testing.assert_array_equal(line.get_ydata(), run.q[:, k])
    (axis,) = run.plot("v", columns=["rod"]).axes
    (line,) = drawn(axis)
    np.testing.assert_array_equal(line.get_ydata(), run.v[:, 1])


def test_a_batch_draws_all_runs():
    run = swing(batch=7)
    (axis,) = run.plot("energy").axes
    assert len(drawn(axis)) == 7
    assert "7 runs" in run.plot("energy").get_suptitle()
    many = swing(batch=60)
    figure = many.plot("energy")
    assert "60 runs, median and range" in figure.get_suptitle()
    (median,), (band,) = drawn(figure.axes[0]), figure.axes[0].collections
    np.testing.assert_allclose(median.get_ydata(), np.median(many.energy, axis=1), rtol=1e-12)
    corners = band.get_paths()[0].vertices[:, 1]
    assert (corners.min(), corners.max()) == (many.energy.min(), many.energy.max())
    (axis,) = many.plot("v.rod", x="rod").axes
    assert len(drawn(axis)) == 50
    np.testing.assert_array_equal(drawn(axis)[3].get_xdata(), many.q[:, 3, 1])
    np.testing.assert_array_equal(drawn(axis)[3].get_ydata(), many.v[:, 3, 1])


def test_long_runs_keep_their_peaks():
    time = np.arange(1_000_000.0)
    values = np.sin(time / 1e5)
    values[777_777] = 9.0
    values[5] = np.nan
    few_time, few = thinned(time, values)
    assert len(few) < 10_000
    assert np.nanmax(few) == 9.0
    assert (few_time[0], few_time[-1]) == (time[0], time[-1])
    assert (np.diff(few_time) > 0).all()


@pytest.mark.parametrize("ending", ["png", "pdf", "svg"])
def test_pictures(tmp_path, ending):
    path = tmp_path / f"run.{ending}"
    swing().plot("q", "energy", path=path)
    assert path.stat().st_size > 5000


def test_the_picture_has_content(tmp_path):
    """Coloured lines on white, in every panel."""
    swing().plot(path=tmp_path / "run.png")
    image = imread(tmp_path / "run.png")[..., :3]
    coloured = (image.max(axis=-1) - image.min(axis=-1)) > 0.3
    for panel in np.array_split(coloured, 4, axis=0):
        assert panel.sum() > 300


def test_no_window_opens_and_no_state_is_left():
    from matplotlib import pyplot

    before = pyplot.get_fignums()
    swing().plot()
    assert pyplot.get_fignums() == before


def test_faults(tmp_path):
    with pytest.raises(ModelError, match="no recorded quantity named 'enrgy'"):
        swing().plot("enrgy")
    with pytest.raises(ModelError, match="no column named 'rd'"):
        swing().plot(columns=["rd"])
    with pytest.raises(InputError, match="nothing to draw"):
        swing(count=0).plot()
    with pytest.raises(FormatError, match=r"plot\.xyz"):
        swing().plot(path=tmp_path / "plot.xyz")
    with pytest.raises(FormatError, match="there is no directory"):
        swing().plot(path=tmp_path / "nowhere" / "plot.png")
    for given, options, words in (
        ((3,), {}, "no recorded quantity named '?3"),
        (("q",), {"beside": 3}, "expected a run or runs, found 3"),
        (("q",), {"columns": 3}, "columns are labels, found 3"),
        (("q",), {"path": 3}, "path is the name of a file, found 3"),
    ):
        with pytest.raises(ArmillaryError, match=words):
            swing().plot(*given, **options)
