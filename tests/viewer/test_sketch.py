"""Sketches show what is there: positions by the library's poses, symbols by what joints allow."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import armillary as am
import samples
from armillary.errors import ArmillaryError, InputError, ModelError
from armillary.viewer.sketch.camera import view_of
from armillary.viewer.sketch.canvas import Canvas
from armillary.viewer.sketch.display import Disc, Line, Picture
from armillary.viewer.sketch.draw import COLORS
from armillary.viewer.sketch.skeleton import skeleton

EXAMPLES = am.example_names()


def pixels(mechanism, point, q=None, view=None):
    """Where a sketch of 640 x 480 has a point of the world."""
    shown = skeleton(mechanism, q)
    canvas = Canvas(view_of([shown], view), shown.points, 640.0, 480.0)
    return canvas.at(np.asarray(point, float))


@pytest.mark.parametrize("name", EXAMPLES)
def test_skeleton_stands_where_the_library_says(name):
    """Body frames by `poses`, which the sketch does not use; loops meet where they are closed."""
    mechanism = am.example(name)
    rotations, origins = mechanism.poses(mechanism.initial)
    shown = skeleton(mechanism)
    for link, R, p in zip(shown.links, rotations, origins, strict=True):
        assert np.allclose(link.origin, p, atol=1e-12)
        assert np.allclose(link.axes, R, atol=1e-12)
    for joint in shown.joints:
        if joint.closes and not len(joint.slides):
            assert np.allclose(joint.inboard, joint.outboard, atol=1e-6 * shown.size)


@pytest.mark.parametrize("name", EXAMPLES)
def test_joint_directions_are_the_columns_of_the_jacobian(name):
    """What a joint allows, by differences of poses: turning directions and sliding directions."""
    mechanism = am.example(name)
    model, q = mechanism.model, np.asarray(mechanism.initial)
    shown = skeleton(mechanism)
    for k, joint in enumerate(shown.joints[: len(model.bodies)]):
        slot = model.slots[k]
        turns, slides = [], []
        for column in range(slot.v.start, slot.v.stop):
            dv = np.zeros(model.nv)
            dv[column] = 1e-6
            moved = [mechanism.poses(mechanism.integrate(q, s * dv)) for s in (-1.0, 1.0)]
            (R0, p0), (R1, p1) = ((R[k], p[k]) for R, p in moved)
            W = (R1 - R0) @ ((R0 + R1) / 2.0).T / 2e-6
            omega = np.array([W[2, 1], W[0, 2], W[1, 0]])
            if np.linalg.norm(omega) > 1e-6:
                turns.append(omega / np.linalg.norm(omega))
            else:
                slides.append((p1 - p0) / np.linalg.norm(p1 - p0))
        assert np.allclose(joint.turns, np.array(turns).reshape(-1, 3), atol=1e-6)
        assert np.allclose(joint.slides, np.array(slides).reshape(-1, 3), atol=1e-6)


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_body_and_joint_is_in_the_picture(name):
    mechanism = am.example(name)
    picture = mechanism.draw()
    root = ElementTree.fromstring(picture.svg)
    named = {e.get("data-name") for e in root.iter() if e.get("data-name")}
    model = mechanism.model
    for body in model.bodies:
        assert body.name in named or body.joint.name in named
    assert {loop.name for loop in model.loops} <= named
    assert {wheel.name for wheel in model.wheels} <= named
    for mark in picture.marks:  # inside the page
        for x, y in mark.points if isinstance(mark, Line) else (mark.center,):
            assert -60 < x < picture.width + 60
            assert -60 < y < picture.height + 60
    labels = [mark.text for mark in picture.of("label")]
    assert len(labels) == len(model.bodies)


def test_a_pin_is_drawn_where_it_is():
    bars = am.example("four-bar")
    _, p = bars.pose(bars.initial, "rocker")
    at = pixels(bars, p)
    marks = [m for m in bars.draw().of("pin") if m.name == "rocker"]
    assert np.allclose(marks[0].center, at, atol=1e-9)
    up = pixels(bars, np.add(p, (0, 0, 0.1)))
    right = pixels(bars, np.add(p, (0.1, 0, 0)))
    assert up[1] < at[1] - 5 and abs(up[0] - at[0]) < 1e-9  # z up, x to the right
    assert right[0] > at[0] + 5 and abs(right[1] - at[1]) < 1e-9


def arm(sign_x=1.0, sign_z=1.0, gravity=(0.0, 0.0, -9.81), axis="y"):
    """Two bars that bend to one side; signs mirror them."""
    b = am.Builder("arm", gravity=gravity)
    one = (0.5 * sign_x, 0, 0.1 * sign_z)
    half = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}
    b.body("one", joint="revolute", axis=axis, com=one, **half)
    b.body("two", parent="one", joint="revolute", axis=axis,
           at=am.Pose((1.0 * sign_x, 0, 0.3 * sign_z)), com=(0.1 * sign_x, 0, 0.4 * sign_z),
           **half)  # fmt: skip
    b.body("aside", parent="two", joint="revolute", axis="x",
           at=am.Pose((0.2 * sign_x, 0.1, 0.8 * sign_z)), com=(0.0, 0.3, 0.1 * sign_z),
           **half)  # fmt: skip
    return b.build()


def drawn(mechanism):
    return [(m.name, np.round(m.points, 3).tolist()) for m in mechanism.draw().of("link")]


@pytest.mark.parametrize("planar", [True, False])
def test_mirrored_and_upside_down_are_drawn_differently(planar):
    """Nothing in the choice of the view may undo a mirror, also not in space."""

    def made(**signs):
        mechanism = arm(**signs)
        return mechanism.lock(["aside"]) if planar else mechanism

    one = drawn(made())
    assert one != drawn(made(sign_x=-1.0))
    assert one != drawn(made(sign_z=-1.0))
    assert one == drawn(made())


def test_up_in_the_picture_is_against_gravity():
    hanging = arm(gravity=(0.0, 0.0, 9.81))
    standing = arm()
    p = [0.0, 0.0, 0.0], [0.0, 0.0, 0.3]
    assert pixels(standing, p[1])[1] < pixels(standing, p[0])[1]
    assert pixels(hanging, p[1])[1] > pixels(hanging, p[0])[1]


def test_ground_is_hatched_on_the_far_side():
    """Below what stands, above what hangs."""

    def bar(z):
        b = am.Builder("bar")
        b.body("bar", joint="revolute", axis="y", mass=1.0, com=(0.1, 0, z),
               inertia=(0.1, 0.1, 0.1))  # fmt: skip
        mechanism = b.build()
        pin = next(m for m in mechanism.draw().of("pin")).center[1]
        ground = max(m.points[1][1] for m in mechanism.draw().of("ground"))
        return ground - pin

    assert bar(1.0) > 10
    assert bar(-1.0) < -10


def test_floating_bases_have_no_ground_and_wheels_do():
    assert not am.example("dual-arm-free-flyer").draw().of("ground")
    rover = am.example("rover").draw()
    assert {m.name for m in rover.of("ground")} == {
        w.name for w in am.example("rover").model.wheels
    }


def test_a_sleeve_on_the_ground_is_at_the_slider():
    crank = am.example("slider-crank")
    _, p = crank.pose(crank.initial, "slider")
    (sleeve,) = [m for m in crank.draw().of("slide") if m.name == "slider"]
    assert np.allclose(np.mean(sleeve.points, axis=0), pixels(crank, p), atol=1e-6)


def test_symbols_of_all_joint_types():
    expected = {
        "revolute": "pin", "prismatic": "slide", "helical": "screw", "cylindrical": "cylindrical",
        "universal": "universal", "spherical": "ball", "fixed": "weld",
    }  # fmt: skip
    for kind, symbol in expected.items():
        b = am.Builder("one")
        b.body("part", joint=kind, **({"pitch": 0.1} if kind == "helical" else {}),
               at=am.Pose((0.1, 0.2, 0.3)), mass=1.0, com=(0.3, 0.1, 0.2),
               inertia=(0.1, 0.2, 0.25))  # fmt: skip
        marks = b.build().draw().of(symbol)
        assert marks and all(m.name == "part" for m in marks), kind


@pytest.mark.parametrize("name, model", samples.all_models()[::4])
def test_nasty_trees_can_be_drawn(name, model):
    mechanism = am.Mechanism(model)
    q, *_ = mechanism.random_state(seed=3)
    picture = mechanism.draw(q, frames=mechanism.bodies[:2], centers=True)
    ElementTree.fromstring(picture.svg)
    assert len(picture.of("center")) >= len(mechanism.bodies)


def test_forces_are_arrows_along_the_world():
    """The weight of a hanging body: its pin pulls up with m g, and the legend has the scale."""
    b = am.Builder("bob")
    turned = am.Pose.from_rpy((0.2, 0.0, 0.0), (0.0, 0.4, 0.0))
    b.body("bob", joint="revolute", axis="y", at=turned, mass=2.0, com=(0, 0, -0.5),
           inertia=(0.1, 0.1, 0.1))  # fmt: skip
    bob = b.build()
    q = [-0.4]
    wrench = bob.reactions(q, [0.0], [0.0])["bob"]
    picture = bob.draw(q, forces={"bob": wrench})
    shaft = next(m for m in picture.of("force") if not m.closed)
    (x0, y0), (x1, y1) = shaft.points
    assert abs(x1 - x0) < 1e-6 * abs(y1 - y0) and y1 < y0
    legend = next(m for m in picture.of("legend") if isinstance(m, Line) and not m.closed)
    text = next(m.text for m in picture.of("legend") if hasattr(m, "text"))
    per_newton = (legend.points[1][0] - legend.points[0][0] + 7.2) / float(text.split()[0])
    assert per_newton * 2.0 * 9.81 == pytest.approx(y0 - y1 + 7.2, rel=1e-6)


def test_wheel_force_points_up():
    disc = am.example("rolling-disc")
    q = np.array(disc.initial)
    s = disc.solve(q, np.zeros(6), np.zeros(6))
    shown = disc.draw(q, forces={"rim": s.constraint_forces["rim"]})
    R, _ = disc.pose(q, "disc")
    world = R @ s.constraint_forces["rim"][3:]
    shaft = next(m for m in shown.of("force") if not m.closed)
    direction = np.subtract(shaft.points[1], shaft.points[0])
    flat = pixels(disc, world) - pixels(disc, np.zeros(3))
    assert np.allclose(
        direction / np.linalg.norm(direction), flat / np.linalg.norm(flat), atol=1e-6
    )
    assert world[2] > 0


def test_hostile_names_stay_text():
    b = am.Builder("<script>alert(1)</script>")
    name = "a\"><script>x</script>&'&#7;]]>"
    bell = am.Builder("bell")
    bell.body("a\u0007", joint="revolute", axis="y", mass=1.0)
    with pytest.raises(ModelError, match=r"character 2 of its name cannot be seen \(U\+0007"):
        bell.build()
    b.body(name, joint="revolute", axis="y", joint_name="j<b>", mass=1.0, com=(0.3, 0, 0),
           inertia=(0.1, 0.1, 0.1))  # fmt: skip
    svg = b.build().draw(title="<script>\u0007</script>").svg
    assert "<script" not in svg and "\u0007" not in svg
    root = ElementTree.fromstring(svg)
    assert {e.tag.rpartition("}")[2] for e in root.iter()} <= {
        "svg", "title", "rect", "polyline", "polygon", "circle", "text",
    }  # fmt: skip
    assert not re.search(r"\b(href|src|on\w+)=", svg)


def test_files(tmp_path):
    bars = am.example("four-bar")
    picture = bars.draw()
    for ending, head in (("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF")):
        path = tmp_path / f"bars.{ending}"
        picture.save(path)
        assert path.read_bytes().startswith(head)
        with pytest.raises(ArmillaryError, match="exists"):
            picture.save(path)
    with pytest.raises(InputError, match=r"\.svg, \.png or \.pdf"):
        picture.save(tmp_path / "bars.bmp")
    assert picture._repr_svg_() == picture.svg


def test_a_state_by_name_is_the_assembled_one():
    bars = am.example("four-bar")
    q = bars.assemble({"crank": 0.3}).q
    assert bars.draw({"crank": 0.3}).svg == bars.draw(q).svg != bars.draw().svg
    assert bars.draw(title=3).title == "3"


def test_faults_are_told():
    bars = am.example("four-bar")
    for call, text in (
        (lambda: bars.draw([0.1]), "3 numbers"),
        (lambda: bars.draw([np.nan, 0, 0]), "crank"),
        (lambda: bars.draw(view="above"), "oblique"),
        (lambda: bars.draw(view=(0, 0, 0)), "not all zero"),
        (lambda: bars.draw(labels="some"), "joints"),
        (lambda: bars.draw(frames=["tip"]), "no frame or body 'tip'"),
        (lambda: bars.draw(forces={"crnk": np.ones(6)}), "crank"),
        (lambda: bars.draw(forces={"crank": np.ones(3)}), "6 finite numbers"),
        (lambda: bars.draw(size=(10, 10)), "size"),
        (lambda: bars.draw(size=300), "size: expected width and height .* found 300"),
        (lambda: bars.draw(size=("wide", 3)), "size: expected width and height"),
        (lambda: bars.draw(view=("a", "b", "c")), "view: expected real numbers"),
        (lambda: bars.draw(frames=3), "frames: expected names"),
        (lambda: bars.draw(frames="coupler-ned"), "no frame or body 'coupler-ned'"),
        (
            lambda: bars.draw(forces="reactions"),
            r"forces: expected \{name: wrench \(6,\)\}, found 'reactions'\.",
        ),
        (lambda: bars.draw("start"), "q: expected real numbers"),
        (lambda: bars.draw({"crnk": 1.0}), "no joint named 'crnk'"),
        (lambda: bars.draw().save(3), "path: expected the name of a file, found 3"),
        (lambda: bars.draw().save("/nowhere/at/all.svg"), "there is no directory '/nowhere/at'"),
    ):
        with pytest.raises(ArmillaryError, match=text):
            call()


def test_long_chains_have_no_names_but_all_links():
    b = am.Builder("chain")
    for k in range(300):
        b.body(f"b{k}", parent=f"b{k - 1}" if k else "world", joint="revolute", axis="y",
               at=am.Pose((0.1 if k else 0.0, 0, 0)), mass=1.0, com=(0.05, 0, 0),
               inertia=(0.1, 0.1, 0.1))  # fmt: skip
    picture = b.build().draw()
    assert not picture.of("label")
    assert len(picture.of("link")) == 300


@pytest.fixture(scope="module")
def run():
    return am.simulate(am.example("four-bar"), duration=0.5, inputs={"crank": 0.3})


class TestRuns:
    def test_snapshots_are_the_sketches_of_their_instants(self, run):
        bars = am.example("four-bar")
        picture = run.draw(at=[0.0, 0.25])
        assert picture.width == 2 * 360
        assert [m.text for m in picture.of("caption")] == ["t = 0 s", "t = 0.25 s"]
        k = int(np.argmin(abs(run.time - 0.25)))
        _, p = bars.pose(run.q[k], "coupler")
        pins = [m for m in picture.of("pin") if m.name == "coupler"]
        base = [m for m in picture.of("pin") if m.name == "crank"]
        got = np.subtract(pins[1].center, base[1].center)
        wide = np.subtract(pins[0].center, base[0].center)
        _, p0 = bars.pose(run.q[0], "coupler")
        scale = np.linalg.norm(wide) / np.hypot(p0[0], p0[2])
        assert np.allclose(got, scale * np.array([p[0], -p[2]]), atol=1e-6)

    def test_overlay_keeps_the_last_in_full_colour(self, run):
        picture = run.draw(at=[0.0, 0.2, 0.4], overlay=True)
        colors = [m.color for m in picture.of("link") if m.name == "crank"]
        assert len(set(colors)) == 3 and colors[-1] == COLORS[0]

    @pytest.mark.parametrize("ending", ["nc", "csv", "parquet"])
    def test_a_file_knows_its_mechanism(self, run, ending, tmp_path):
        run.save(tmp_path / f"run.{ending}")
        read = am.load_run(tmp_path / f"run.{ending}")
        assert read.mechanism.model == run.mechanism.model
        assert read.draw(at=0.3).svg == run.draw(at=0.3).svg

    def test_films(self, run, tmp_path, monkeypatch):
        """As many pictures as its time asks for, each another one."""
        from PIL import Image

        path = run.animate(tmp_path / "run.gif", fps=10)
        with Image.open(path) as film:
            assert film.n_frames == 6 and film.info["duration"] == 100
            first = film.convert("RGB").tobytes()
            film.seek(5)
            assert film.convert("RGB").tobytes() != first
        with pytest.raises(ArmillaryError, match="exists"):
            run.animate(path)
        with pytest.raises(InputError, match="fps"):
            run.animate(tmp_path / "b.gif", fps=-1.0)
        monkeypatch.setattr("shutil.which", lambda name: None)
        with pytest.raises(InputError, match="ffmpeg"):
            run.animate(tmp_path / "run.mp4")

    def test_recorded_to_disk(self, tmp_path):
        am.simulate(am.example("double-pendulum"), duration=0.1, out=tmp_path / "run.nc")
        assert am.load_run(tmp_path / "run.nc").mechanism.name == "double-pendulum"

    def test_faults(self, run):
        with pytest.raises(InputError, match=r"0 to 0\.5 s"):
            run.draw(at=2.0)
        only = am.simulate(am.example("double-pendulum"), duration=0.1, record=("energy",))
        with pytest.raises(InputError, match="no positions"):
            only.draw()
        foreign = am.Run("other", run.time, {"q": run.q})
        with pytest.raises(InputError, match="mechanism="):
            foreign.draw()
        assert isinstance(foreign.draw(mechanism=am.example("four-bar")), Picture)


def test_every_mark_is_told_apart():
    """Body colours of a page are of a palette that the colour-blind can tell apart."""
    picture = am.example("four-bar").draw()
    assert len({m.color for m in picture.of("link")}) == 3
    assert all(isinstance(m, (Line, Disc)) or m.text for m in picture.marks)


@pytest.mark.parametrize("shape, normal, radius", [
    ("plane", (0, 0, 1), 0.0), ("sphere", (1, 0, 0), 0.5), ("cylinder", (0.6, 0.8, 0), 0.5),
])  # fmt: skip
def test_points_on_surfaces_stand_on_their_ground(shape, normal, radius):
    """A hatched piece of the surface at the point, on the side away from the body; no rod."""
    normal = np.array(normal)
    b = am.Builder("caster")
    b.body("cart", joint="free", mass=1.0, inertia=(1.0, 1.0, 1.0))
    foot = am.Frame("", "cart", am.Pose(tuple(-0.2 * normal)))
    b.surface("foot", "world", foot, shape, radius)
    b.initial["cart"] = [1, 0, 0, 0, *((0.2 + radius) * normal)]
    mechanism = b.build()
    picture = mechanism.draw()
    assert not [m for m in picture.of("rod") if isinstance(m, Line)]
    strokes = [np.array(m.points) for m in picture.of("hatching") if m.name == "foot"]
    spot, body = (pixels(mechanism, x * normal) for x in (radius, 0.2 + radius))
    assert len(strokes) > 3
    away = np.mean([s.mean(axis=0) for s in strokes], axis=0) - spot
    assert away @ (body - spot) < -1.0  # pixels²
