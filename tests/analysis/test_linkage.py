"""Linkages and workspaces against closed forms: Freudenstein, Grashof, the coupler's sextic."""

import numpy as np
import pytest

import armillary as am

CRANK, COUPLER, ROCKER, GROUND = 0.15, 0.55, 0.35, 0.60


def bars(a, b, c, d, crank=1.0) -> am.Mechanism:
    """A planar four-bar in x-y with links a, b, c on a ground of d."""
    m = am.Builder("bars", gravity=(0, -9.81, 0))
    own = {"mass": 1.0, "com": (0.1, 0, 0), "inertia": (0.01, 0.01, 0.01)}
    m.body("crank", joint="revolute", axis="z", **own)
    m.body("coupler", "crank", "revolute", (a, 0, 0), axis="z", **own)
    m.body("rocker", "world", "revolute", (d, 0, 0), axis="z", **own)
    m.frame("end", "coupler", (b, 0, 0))
    m.frame("tip", "rocker", (c, 0, 0))
    m.loop("pin", "end", "tip", "revolute", axis="z")
    m.initial = {"crank": crank, "coupler": 0.5, "rocker": 1.5}
    return m.build()


@pytest.fixture(scope="module")
def four_bar():
    return am.example("four-bar").linkage()


def test_freudenstein_holds_along_the_circuit(four_bar):
    """K1 cos θ4 - K2 cos θ2 + K3 = cos(θ2 - θ4)."""
    crank, rocker = four_bar.q[:, 0], four_bar.q[:, 2]
    K1, K2 = GROUND / CRANK, GROUND / ROCKER
    K3 = (CRANK**2 - COUPLER**2 + ROCKER**2 + GROUND**2) / (2 * CRANK * ROCKER)
    left = K1 * np.cos(rocker) - K2 * np.cos(crank) + K3
    np.testing.assert_allclose(left, np.cos(crank - rocker), atol=1e-12)
    assert four_bar.complete and four_bar.turns("crank") and not four_bar.turns("rocker")
    assert np.ptp(crank) > 2 * np.pi - 0.05


def test_dead_points_of_the_rocker(four_bar):
    """Where crank and coupler lie in line (law of cosines)."""
    expected = sorted(
        np.pi - np.arccos((ROCKER**2 + GROUND**2 - s * s) / (2 * ROCKER * GROUND))
        for s in (COUPLER + CRANK, COUPLER - CRANK)
    )
    found = sorted(x.value for x in four_bar.dead_points("rocker"))
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert {x.kind for x in four_bar.dead_points("rocker")} == {"smallest", "largest"}


def test_transmission_angle(four_bar):
    """Between coupler and rocker: extreme where the crank lies along the ground."""
    angle = four_bar.transmission()
    far, near = (np.arccos((COUPLER**2 + ROCKER**2 - s * s) / (2 * COUPLER * ROCKER))
                 for s in (GROUND + CRANK, GROUND - CRANK))  # fmt: skip
    assert angle.min() == pytest.approx(min(near, np.pi - far), abs=1e-4)
    direct = np.arccos(np.clip((COUPLER**2 + ROCKER**2 - GROUND**2 - CRANK**2
                                + 2 * CRANK * GROUND * np.cos(four_bar.q[:, 0]))
                               / (2 * COUPLER * ROCKER), -1, 1))  # fmt: skip
    np.testing.assert_allclose(angle, np.minimum(direct, np.pi - direct), atol=1e-10)


def test_coupler_curve_lies_on_the_sextic(four_bar):
    """Samuel Roberts' curve of the sixth degree, U² + V² = W² (Beyer; Hunt)."""
    x0, z0 = 0.2, 0.13  # of the point on the coupler
    path = four_bar.curve("coupler", (x0, 0.0, z0))
    x, y = path[:, 0], path[:, 2]
    b = np.hypot(x0, z0)  # from the crank's pin
    a = np.hypot(COUPLER - x0, z0)  # from the rocker's pin
    gamma = np.arccos((a * a + b * b - COUPLER**2) / (2 * a * b))
    p, r, s = GROUND, CRANK, ROCKER

    def sextic(g):
        first, second = x**2 + y**2 + b**2 - r**2, (x - p) ** 2 + y**2 + a**2 - s**2
        U = a * ((x - p) * np.cos(g) + y * np.sin(g)) * first - b * x * second
        V = a * ((x - p) * np.sin(g) - y * np.cos(g)) * first + b * y * second
        W = 2 * a * b * np.sin(g) * (x * (x - p) + y**2 - p * y / np.tan(g))
        return (U**2 + V**2 - W**2) / np.max(U**2 + V**2)

    assert min(np.abs(sextic(gamma)).max(), np.abs(sextic(-gamma)).max()) < 1e-12
    turn = four_bar.curve("pin")
    centre = np.array([GROUND, turn[0, 1], 0.0])
    np.testing.assert_allclose(np.linalg.norm(turn - centre, axis=1), ROCKER, atol=1e-12)


def test_a_double_rocker_meets_both_assembly_modes_on_one_circuit():
    """0.5 + 0.2 > 0.35 + 0.3 (not Grashof): no joint turns on, the crank stops where coupler and
    rocker lie in line, and one circuit passes both ways to put it together."""
    a, b, c, d = 0.35, 0.2, 0.3, 0.5
    m = bars(a, b, c, d, crank=0.4)
    q = m.assemble({"crank": 0.4}).q
    found = m.linkage(q)
    assert found.complete
    assert not any(found.turns(joint) for joint in m.v_labels)
    stop = np.arccos((a * a + d * d - (b + c) ** 2) / (2 * a * d))
    values = sorted(x.value for x in found.dead_points("crank"))
    np.testing.assert_allclose([values[0], values[-1]], [-stop, stop], atol=1e-10)
    modes = m.assembly_modes(q, ["crank"], tries=30)
    assert len(modes) == 2
    for mode in modes.q:
        ends = m.pose(mode, "rocker")[0][:, 0]
        away = [np.abs(m.pose(x, "rocker")[0][:, 0] - ends).max()
                + np.abs(m.pose(x, "crank")[0] - m.pose(mode, "crank")[0]).max()
                for x in found.q]  # fmt: skip
        assert min(away) < 0.05


def test_assembly_modes_of_a_slider_crank():
    """Two: the rod leads to either side; closed form of the slider."""
    m = am.example("slider-crank")
    found = m.assembly_modes(hold=["crank"], tries=20)
    r, l, e, angle = 0.045, 0.150, 0.008, 0.9
    reach = np.sqrt(l * l - (e - r * np.sin(angle)) ** 2)
    expected = sorted([r * np.cos(angle) - reach, r * np.cos(angle) + reach])
    np.testing.assert_allclose(sorted(found.q[:, 2]), expected, atol=1e-12)
    assert sum(found.found) == found.tries


def test_slider_crank_dead_points():
    """Crank and rod in line: x² + e² = (l ± r)²."""
    found = am.example("slider-crank").linkage(step=0.05)
    values = sorted(x.value for x in found.dead_points("slider"))
    expected = [np.sqrt((0.150 + s * 0.045) ** 2 - 0.008**2) for s in (-1, 1)]
    np.testing.assert_allclose(values, expected, atol=1e-12)


def test_refusals():
    with pytest.raises(am.ModelError, match="is open"):
        am.example("two-link").linkage()
    with pytest.raises(am.ModelError, match="6 freedoms here, expected 1"):
        am.example("stewart").linkage()
    with pytest.raises(am.ModelError, match="everything closes"):
        am.example("two-link").assembly_modes()
    with pytest.raises(am.ModelError, match="no frame or loop named"):
        am.example("slider-crank").linkage(step=0.2).curve("pen")


def test_workspace_of_two_links_is_an_annulus():
    w = am.example("two-link").workspace(samples=20000)
    assert w["least reach"] == pytest.approx(0.2, abs=1e-6)
    assert w["largest reach"] == pytest.approx(1.4, abs=1e-9)
    assert w["largest x"] == pytest.approx(1.4, abs=1e-9)
    edge, area = w.outline("xy")
    assert area == pytest.approx(np.pi * (1.4**2 - 0.2**2), rel=0.1)
    radii = np.linalg.norm(edge, axis=1)
    assert (np.minimum(np.abs(radii - 1.4), np.abs(radii - 0.2)) < 0.12).mean() > 0.97


def test_workspace_keeps_joint_limits():
    """A slide from 0.1 to 0.4 m on a turn of a quarter: a sector, closed form of its extremes."""
    b = am.Builder("sector")
    own = {"mass": 1.0, "inertia": (0.01, 0.01, 0.01)}
    b.body("arm", joint="revolute", axis="z", limits=am.Limits(0.0, np.pi / 2), **own)
    b.body("slide", "arm", "prismatic", axis="x", limits=am.Limits(0.1, 0.4), **own)
    w = b.build().workspace("slide", samples=5000)
    assert w["least radius"] == pytest.approx(0.1) and w["largest radius"] == pytest.approx(0.4)
    assert w["least x"] == pytest.approx(0.0, abs=1e-9)
    _, area = w.outline("xy")
    assert area == pytest.approx(np.pi / 4 * (0.4**2 - 0.1**2), rel=0.15)
    endless = am.Builder("endless")
    endless.body("slide", joint="prismatic", **own)
    with pytest.raises(am.ModelError, match="'slide' has no limits"):
        endless.build().workspace()
    with pytest.raises(am.ModelError, match="closed"):
        am.example("four-bar").workspace()
