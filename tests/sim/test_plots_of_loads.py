"""Plots over any column, lengths of vectors, peaks, several runs, and loads of bearings."""

from itertools import pairwise

import numpy as np
import pytest

import armillary as am
from armillary.errors import InputError, ModelError
from armillary.sim.record.panels import panels
from armillary.sim.record.run import Run

TIME = np.linspace(0.0, 2.0, 401)


def press(count=1, noise=1e-15, scale=1.0):
    """A crank that turns once in 2 s, with a force of size 5 (1 + (t - 0.5)...) along (3, 4, 0)."""
    size = scale * (2.0 - (TIME - 0.5) ** 2)
    parts = [f"pin{k}" for k in range(count)]
    wrench = np.zeros((len(TIME), 6 * count))
    for k in range(count):
        wrench[:, 6 * k + 2] = -7.0 * (k + 1) * size
        wrench[:, 6 * k + 3] = 3.0 * (k + 1) * size
        wrench[:, 6 * k + 4] = 4.0 * (k + 1) * size
        wrench[:, 6 * k + 5] = noise * np.sin(99.0 * TIME)
    words = [f"{p}.{x}" for p in parts for x in ("nx", "ny", "nz", "fx", "fy", "fz")]
    units = ("N m", "N m", "N m", "N", "N", "N") * count
    return Run(
        "press",
        TIME,
        {"q": np.pi * TIME[:, None], "reactions": wrench, "drift": 1e-14 * wrench[:, 2:3]},
        {"q": ("crank",), "reactions": tuple(words), "drift": ("pin0.fx",)},
        {"q": ("rad",), "reactions": units, "drift": ("m",)},
        "rk4",
        5e-3,
    )


def curves(axis):
    return [line for line in axis.lines if len(line.get_xdata()) > 2]


def legend(axis):
    return [text.get_text() for text in axis.get_legend().get_texts()]


def remarks(figure):
    return figure.get_supxlabel()


def test_any_column_may_stand_below():
    run = press()
    *_, axis = run.plot("reactions", x="crank").axes
    assert axis.get_xlabel() == "crank [rad]"
    assert legend(axis) == ["pin0.fx", "pin0.fy"]
    np.testing.assert_array_equal(curves(axis)[1].get_xdata(), run.q[:, 0])
    np.testing.assert_array_equal(curves(axis)[1].get_ydata(), run.reactions[:, 4])
    (axis,) = run.plot("crank", x="reactions.pin0.fx").axes
    assert axis.get_xlabel() == "reactions.pin0.fx [N]"
    with pytest.raises(ModelError, match=r"no column named 'crnk'.*'crank'"):
        run.plot("q", x="crnk")


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_turns_over_each_other(way):
    """A crank that turns three and a half times: y = sin(angle) is one curve, x never leaves its
    turn, and the line reaches both edges and breaks between them."""
    time = np.linspace(0.0, 1.0, 400)
    angle = way * 7.0 * np.pi * time + 0.3
    run = am.Run("x", time, {"q": np.stack([angle, np.sin(angle)], axis=1)},
                 {"q": ("crank", "y")}, {"q": ("rad", "rad")})  # fmt: skip
    figure = run.plot("q", x="crank", modulo=2.0 * np.pi, columns="y", peaks=True)
    x, y = (np.asarray(a, float) for a in figure.axes[0].lines[0].get_data())
    inside = np.isfinite(x)
    assert x[inside].min() >= 0.0 and x[inside].max() <= 2.0 * np.pi
    assert np.abs(y[inside] - np.sin(x[inside])).max() < 1e-3  # chords between samples
    breaks = np.flatnonzero(~inside)
    assert len(breaks) == len(set(np.floor(angle / (2.0 * np.pi)))) - 1
    edges = (2.0 * np.pi, 0.0) if way > 0 else (0.0, 2.0 * np.pi)
    for k in breaks:
        assert (x[k - 1], x[k + 1]) == edges
    steps = np.diff(x)
    assert np.nanmax(np.abs(steps)) < 0.1  # no line across the picture
    with pytest.raises(InputError, match="modulo"):
        run.plot("q", modulo=2.0 * np.pi)
    with pytest.raises(InputError, match="modulo"):
        run.plot("q", x="crank", modulo=0.0)


def test_magnitudes_are_lengths():
    moment, force = press().plot("reactions", magnitude=True).axes
    assert force.get_ylabel() == "|force|, reactions [N]"
    assert "[N m]" in moment.get_ylabel()
    size = 2.0 - (TIME - 0.5) ** 2
    np.testing.assert_allclose(curves(force)[0].get_ydata(), 5.0 * np.abs(size), rtol=1e-14)
    np.testing.assert_allclose(curves(moment)[0].get_ydata(), 7.0 * np.abs(size), rtol=1e-14)
    assert legend(force) == ["pin0"]
    with pytest.raises(InputError, match="q have no vectors"):
        press().plot("q", magnitude=True)


def test_velocities_and_free_bodies_have_magnitudes_too():
    rover = am.example("rover")
    run = am.simulate(rover, duration=0.01, step=1e-3, record=("v", "body_velocity"))
    found = {(p.name, p.vector): p for p in panels(run, magnitude=True)}
    assert found["v", "velocity"].labels == ("chassis",)
    assert found["body_velocity", "angular velocity"].labels == rover.bodies


def test_peaks_are_marked_with_value_and_time():
    moment, force = press(2).plot("reactions", magnitude=True, peaks=True).axes
    assert legend(force) == ["pin0: peak 10 at 0.5 s", "pin1: peak 20 at 0.5 s"]
    marks = [line.get_xydata()[0] for line in force.lines if line.get_marker() == "o"]
    np.testing.assert_allclose(marks, [(0.5, 10.0), (0.5, 20.0)])
    *_, axis = press().plot("reactions", x="crank", peaks=True).axes
    assert legend(axis)[0] == "pin0.fx: peak 6 at 0.5 s"
    marks = [line.get_xydata()[0] for line in axis.lines if line.get_marker() == "o"]
    np.testing.assert_allclose(marks[0], (0.5 * np.pi, 6.0))
    assert legend(moment)[0] == "pin0: peak 14 at 0.5 s"


def test_a_peak_may_be_below_zero_and_beside_what_is_no_number():
    y = np.array([0.0, np.nan, -3.0, np.inf, 2.0])
    (axis,) = Run("x", np.arange(5.0), {"signal": y}).plot(peaks=True).axes
    assert legend(axis) == ["peak -3 at 2 s"]


def test_several_runs_are_told_apart():
    one, other = press(), press(scale=2.0)
    *_, axis = am.plot({"soft": one, "stiff": other}, "reactions", columns="pin0.fx").axes
    assert legend(axis) == ["soft", "stiff"]
    assert axis.get_ylabel() == "reactions.pin0.fx [N]"
    assert len({line.get_color() for line in curves(axis)}) == 2
    np.testing.assert_array_equal(curves(axis)[1].get_ydata(), other.reactions[:, 3])
    *_, axis = one.plot("reactions", beside=other).axes
    assert legend(axis) == ["pin0.fx, run 1", "pin0.fy, run 1", "pin0.fx, run 2", "pin0.fy, run 2"]
    first, _, second, _ = curves(axis)
    assert first.get_color() == second.get_color()
    assert first.get_linestyle() != second.get_linestyle()
    with pytest.raises(InputError, match="expected a run, a list of runs"):
        am.plot([])
    with pytest.raises(InputError, match="two runs have one name"):
        am.plot({"a": one}, "q", beside={"a": other})


def test_a_window_of_time():
    (axis,) = press().plot("q", window=(0.5, 1.0)).axes
    x = curves(axis)[0].get_xdata()
    assert (x[0], x[-1], len(x)) == (0.5, 1.0, 101)
    with pytest.raises(InputError, match="no instant lies in the window 3 to 4 s; the run has 0"):
        press().plot("q", window=(3.0, 4.0))
    with pytest.raises(InputError, match="window is"):
        press().plot("q", window=3.0)


def test_rounding_is_said_and_not_drawn():
    figure = press(noise=1e-14).plot()
    assert [axis.get_ylabel() for axis in figure.axes][-1] == "reactions [N]"  # no drift
    assert "drift [m]: zero up to rounding (at most 1e-13)" in remarks(figure)
    assert "reactions [N], pin0.fz: zero up to rounding (at most 1e-14)" in remarks(figure)
    assert "reactions [N m], pin0.nx, pin0.ny: zero" in remarks(figure)
    drawn = press(noise=1e-14).plot(rounding=True)
    assert "drift.pin0.fx [m]" in [axis.get_ylabel() for axis in drawn.axes]
    assert remarks(drawn) == ""


def test_what_is_small_but_real_is_drawn():
    *_, axis = press(noise=1e-6).plot("reactions").axes
    assert legend(axis) == ["pin0.fx", "pin0.fy", "pin0.fz"]
    lone = Run("x", TIME, {"signal": 1e-15 * TIME})  # nothing larger of its kind
    assert len(lone.plot().axes) == 1
    broken = Run("x", TIME, {"signal": np.full(len(TIME), np.nan)})
    assert len(broken.plot().axes) == 1


def test_nothing_but_rounding_is_a_figure_of_words(tmp_path):
    figure = press().plot("drift", path=tmp_path / "words.png")
    assert figure.axes == []
    assert "drift" in remarks(figure)


def test_rounding_of_a_constant_does_not_fill_its_axis():
    level = 5.0 + 1e-15 * np.sin(50.0 * TIME)
    (axis,) = Run("x", TIME, {"energy": level}, units={"energy": ("J",)}).plot().axes
    low, high = axis.get_ylim()
    assert low < 4.9
    assert high > 5.1


def test_names_at_the_ends_do_not_cover_each_other():
    figure = press(9).plot("reactions", columns=[f"pin{k}.f" + x for k in range(9) for x in "xy"])
    (axis,) = figure.axes
    assert axis.get_legend() is None
    figure.canvas.draw()
    assert len(axis.texts) == 18
    height = axis.get_window_extent().height
    places = sorted(text.xyann[1] * height for text in axis.texts)
    letter = axis.texts[0].get_fontsize() * figure.dpi / 72.0
    assert min(y - x for x, y in pairwise(places)) > letter
    assert all(text.get_window_extent().x1 <= figure.bbox.x1 for text in axis.texts)


def test_very_many_lines_get_a_bar_of_colours():
    run = press(40)
    figure = run.plot("reactions", magnitude=True, columns=[f"pin{k}" for k in range(40)])
    moment, force, *bars = figure.axes
    assert force.get_legend() is None
    assert not force.texts
    assert [len(curves(axis)) for axis in (moment, force)] == [40, 40]
    named = [tick.get_text() for tick in bars[1].get_yticklabels()]
    assert (named[0], named[-1]) == ("pin0", "pin39")
    assert len({line.get_color() for line in curves(force)}) == 40


def test_notebooks_show_the_figure():
    data, size = press().plot("q")._repr_png_()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert size["width"] == 648


# -- loads of bearings ---------------------------------------------------------------------------


def swinging(axis, com):
    """A pendulum on the world, with a full tensor, its joint about any axis."""
    b = am.Builder("pendulum")
    inertia = (0.3, 0.4, 0.5, 0.02, -0.01, 0.03)
    b.body("arm", axis=axis, mass=2.0, com=com, inertia=inertia, at=am.Pose((0.1, -0.2, 0.3)))
    return b.build()


def moved(arm, batch=None):
    """A run along a motion that is told."""
    time = np.linspace(0.0, 1.0, 101)
    phase = time[:, None] if batch is None else time[:, None, None] + np.arange(batch)[:, None]
    q, v, a = np.sin(3.0 * phase), 3.0 * np.cos(3.0 * phase), -9.0 * np.sin(3.0 * phase)
    forces = arm.reactions(*(x.reshape(-1, 1) for x in (q, v, a))).total.reshape(*q.shape[:-1], 6)
    names = tuple(f"arm.{x}" for x in ("nx", "ny", "nz", "fx", "fy", "fz"))
    units = {"q": ("rad",), "reactions": ("N m",) * 3 + ("N",) * 3}
    run = Run("pendulum", time, {"q": q, "reactions": forces},
              {"q": ("arm",), "reactions": names}, units)  # fmt: skip
    run.simulated = arm
    return run


@pytest.mark.parametrize("axis", [(0, 0, 1), (0, -1, 0), (1, 0, 0), (0, 1, 0), (-1, 0, 0),
                                  (0.6, 0.0, 0.8), (0.48, 0.6, -0.64)])  # fmt: skip
def test_the_housing_sees_what_the_world_sees(axis):
    """On the parent's side stands the force in the world, turned by the pose of the body."""
    arm = swinging(axis, (0.3, 0.2, 0.4))
    run = moved(arm)
    left, right = run.plot("reactions", polar=True).axes
    body, parent = curves(left)[:2]
    R, _ = arm.poses(run.q)
    force = np.einsum("tij,tj->ti", R[:, 0], run.reactions[:, 3:])
    u = np.array(axis) / np.linalg.norm(axis)
    across = force - np.outer(force @ u, u)
    sizes = np.linalg.norm(across, axis=1)
    locus = parent.get_xydata()
    np.testing.assert_allclose(np.linalg.norm(locus, axis=1), sizes, rtol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(body.get_xydata(), axis=1), sizes, rtol=1e-12)
    # angles between instants, counter-clockwise about the axis
    turn = np.einsum("ti,i->t", np.cross(across[:-1], across[1:]), u)
    seen = locus[:-1, 0] * locus[1:, 1] - locus[:-1, 1] * locus[1:, 0]
    np.testing.assert_allclose(seen, turn, atol=1e-12 * sizes.max() ** 2)
    theta, radius = curves(right)[0].get_xydata().T
    np.testing.assert_array_equal(theta, run.q[:, 0])
    np.testing.assert_allclose(radius, sizes, rtol=1e-12)
    if sum(map(bool, axis)) == 1:  # axes of the picture are axes of the body, by name
        for text, column in zip(
            (left.get_xlabel(), left.get_ylabel()), body.get_data(), strict=True
        ):
            letter = "xyz".index(text[1])
            np.testing.assert_allclose(column, run.reactions[:, 3 + letter], atol=1e-12)


def test_the_peak_of_a_load():
    run = moved(swinging((0, -1, 0), (0.5, 0.0, 0.0)))
    _, right = run.plot("reactions", polar=True).axes
    load = np.hypot(run.reactions[:, 3], run.reactions[:, 5])
    at = run.time[load.argmax()]
    assert [text.get_text() for text in right.texts] == [f"peak {load.max():.4g} N at {at:.4g} s"]


def test_loops_and_batches_have_polar_plots():
    bars = am.example("four-bar")
    record = ("q", "reactions", "constraint_forces")
    run = am.simulate(bars, v0={"crank": 5.0}, duration=0.1, step=1e-3, record=record)
    figure = run.plot("constraint_forces", polar=True)
    assert "a loop has no angle of its own" in remarks(figure)
    assert len(figure.axes) == 1
    assert len(run.plot("constraint_forces", polar=True, x="crank").axes) == 2
    assert len(run.plot(polar=True, columns=["rocker"]).axes) == 2
    batch = moved(swinging((0, 1, 0), (0.5, 0.0, 0.0)), batch=3)
    _, right = batch.plot(polar=True).axes
    assert len(curves(right)) == 3
    np.testing.assert_array_equal(curves(right)[2].get_xdata(), batch.q[:, 2, 0])


def test_faults_of_polar_plots():
    bars = am.example("four-bar")
    run = am.simulate(bars, duration=0.01, step=1e-3, record=("q", "v", "reactions"))
    with pytest.raises(ModelError, match="no joint that turns about an axis named 'crnk'"):
        run.plot(polar=True, columns=["crnk"])
    with pytest.raises(InputError, match=r"x is an angle in rad; 'v.crank' is in rad/s"):
        run.plot(polar=True, x="v.crank")
    plain = am.simulate(bars, duration=0.01, step=1e-3, record=("q",))
    with pytest.raises(InputError, match="Record them"):
        plain.plot(polar=True)
