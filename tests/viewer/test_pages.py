"""Pages as text: self-contained, closed to names that would be markup, small enough."""

import html
import json
from html.parser import HTMLParser

import numpy as np
import pytest
from pages import HOSTILE, chain, meshed_arm, prescribed_run, renamed, run_of
from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app
from armillary.errors import FormatError, InputError
from armillary.viewer import meshes
from armillary.viewer.document import POLICY
from armillary.viewer.pack import unpacked
from armillary.viewer.scene import mechanism_scene


class Tags(HTMLParser):
    """Every tag with its attributes, and the text of scripts by id."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.scripts, self._inside = [], {}, None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._inside = dict(attrs).get("id", "boot") if tag == "script" else None

    def handle_endtag(self, tag):
        self._inside = None

    def handle_data(self, data):
        if self._inside:
            self.scripts[self._inside] = self.scripts.get(self._inside, "") + data


def test_a_page_is_one_file_that_asks_for_nothing(tmp_path):
    path = run_of("four-bar").animate(tmp_path / "run.html")
    text = path.read_text(encoding="utf-8")
    page = Tags(text)
    assert "://" not in text
    addresses = [a for _, attrs in page.tags for n, a in attrs.items() if n in ("src", "href")]
    assert all(address.startswith("data:") for address in addresses)
    policy = [attrs["content"] for tag, attrs in page.tags if attrs.get("http-equiv")]
    assert policy == [POLICY]
    assert "default-src 'none'" in POLICY and "unsafe-eval" not in POLICY
    scene = json.loads(page.scripts["scene"])
    assert scene["format"] == "armillary.scene/1"
    assert scene["name"] == "four-bar"


def test_hostile_names_stay_text(tmp_path):
    mechanism = renamed(am.example("double-pendulum"), lambda name: f"{name} {HOSTILE}")
    run = am.simulate(mechanism, duration=0.05, step=0.01, record=("q", "reactions"))
    text = run.animate(tmp_path / "run.html").read_text(encoding="utf-8")
    page = Tags(text)
    assert len([tag for tag, _ in page.tags if tag == "script"]) == 3
    assert not [attrs for _, attrs in page.tags if "onerror" in attrs]
    scene = json.loads(page.scripts["scene"])
    assert scene["bodies"][0]["name"] == mechanism.bodies[0]
    frame = mechanism.view()._repr_html_()
    tags = Tags(frame).tags
    assert [tag for tag, _ in tags] == ["div", "img", "iframe"]
    inner = Tags(tags[2][1]["srcdoc"])
    assert json.loads(inner.scripts["scene"])["name"] == mechanism.name


def test_a_cell_of_a_notebook_has_a_picture_below_its_frame():
    view = am.example("four-bar").view(height=300)
    tags = Tags(view._repr_html_()).tags
    assert tags[1][0] == "img" and tags[1][1]["src"].startswith("data:image/svg+xml;base64,")
    frame = tags[2][1]
    assert frame["sandbox"] == "allow-scripts"
    assert "four-bar" in html.unescape(frame["srcdoc"])
    assert "four-bar" in repr(view)


def test_ten_seconds_of_an_arm_stay_small(tmp_path):
    """Seven joints, every force: below 3 MB."""
    mechanism = chain(7)
    run = am.simulate(mechanism, 0.3 * np.ones(7), duration=10.0, step=2e-3,
                      record=("q", "v", "energy", "reactions"))  # fmt: skip
    size = run.animate(tmp_path / "run.html").stat().st_size
    assert size < 3_000_000


def test_files_are_not_replaced_unasked(tmp_path):
    run = run_of("double-pendulum")
    path = run.animate(tmp_path / "run.html")
    with pytest.raises(FormatError, match="exists"):
        run.animate(path)
    assert run.animate(path, overwrite=True) == path
    with pytest.raises(InputError, match=r"\.html"):
        run.animate(tmp_path / "run.xyz")
    with pytest.raises(FormatError, match="directory"):
        run.animate(tmp_path / "no" / "run.html")


def test_the_command_writes_the_page_of_a_recorded_run(tmp_path):
    record = tmp_path / "run.nc"
    am.simulate(am.example("four-bar"), duration=0.1, step=0.01, out=record)
    done = CliRunner().invoke(app, ["animate", str(record), "-o", str(tmp_path / "p.html")])
    assert done.exit_code == 0, done.output
    text = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert json.loads(Tags(text).scripts["scene"])["name"] == "four-bar"
    again = CliRunner().invoke(app, ["animate", str(record), "-o", str(tmp_path / "p.html")])
    assert again.exit_code == 1
    other = CliRunner().invoke(app, ["animate", str(record), "--model", "stanford"])
    assert other.exit_code == 1
    assert "not one of" in other.output.replace("\n", " ")


# -- meshes ----------------------------------------------------------------------------------------


def test_a_mesh_keeps_its_corners_and_its_colour(tmp_path):
    pytest.importorskip("trimesh")
    scene = mechanism_scene(meshed_arm(tmp_path))
    (shape,) = [s for s in scene.shapes if s.kind == "mesh"]
    part = scene.meshes[shape.mesh]
    corners = np.array(part.low) + np.array(part.step) * unpacked(part.corners)
    wanted = {(x, y, z) for x in (-0.05, 0.05) for y in (-0.05, 0.05) for z in (-0.05, 0.05)}
    assert {tuple(np.round(c, 6)) for c in corners} == wanted
    assert unpacked(part.triangles).shape == (12, 3)
    assert shape.size == (1.0, 1.0, 2.0)
    assert shape.color == (0.8, 0.1, 0.1, 1.0)
    assert shape.at[:3] == (0.0, 0.0, 0.1)


def test_meshes_are_within_the_picture(tmp_path):
    """The camera looks at a sphere; all corners of the mesh, in the world, lie within it."""
    pytest.importorskip("trimesh")
    arm = meshed_arm(tmp_path)
    q = arm.neutral()
    scene = mechanism_scene(arm, q)
    (shape,) = [s for s in scene.shapes if s.kind == "mesh"]
    R, p = arm.pose(q, scene.bodies[shape.body].name)
    for x, y, z in np.ndindex(2, 2, 2):
        corner = np.array([x - 0.5, y - 0.5, 2.0 * (z - 0.5)]) * 0.1 + shape.at[:3]
        assert np.linalg.norm(p + R @ corner - scene.camera.center) <= scene.camera.radius + 1e-5


def test_meshes_are_thinned_to_the_wanted_number(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    arm = meshed_arm(tmp_path)
    ball = trimesh.creation.icosphere(subdivisions=4, radius=0.1)
    ball.export(tmp_path / "cube.stl")
    scene = mechanism_scene(arm, faces=800)
    (part,) = scene.meshes.values()
    assert 400 <= part.triangles.shape[0] <= 820 < len(ball.faces)
    corners = np.array(part.low) + np.array(part.step) * unpacked(part.corners)
    assert np.linalg.norm(corners, axis=1) == pytest.approx(0.1, abs=0.004)


@pytest.mark.parametrize("damage", ["missing", "empty", "noise", "kind"])
def test_a_mesh_that_cannot_be_read_is_told_and_the_skeleton_drawn(tmp_path, damage):
    pytest.importorskip("trimesh")
    arm = meshed_arm(tmp_path, "cube.xyz" if damage == "kind" else "cube.stl")
    file = tmp_path / "cube.stl"
    match damage:
        case "missing":
            file.unlink()
        case "empty":
            file.write_bytes(b"")
        case "noise":
            file.write_bytes(bytes(range(256)) * 9)
        case "kind":
            file.rename(tmp_path / "cube.xyz")
    scene = mechanism_scene(arm)
    assert not scene.meshes
    assert any("is not shown" in note for note in scene.notes), scene.notes
    assert any(s.role == "link" for s in scene.shapes)


def test_without_the_extra_a_note_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setattr(meshes, "LIBRARIES", ("trimesh_of_nowhere",))
    scene = mechanism_scene(meshed_arm(tmp_path))
    assert any("[mesh]" in note for note in scene.notes)
    assert any(s.role == "link" for s in scene.shapes)


def test_a_huge_run_is_thinned_out():
    mechanism = chain(60)
    run = prescribed_run(mechanism, 60_000, seconds=3600.0)
    scene = run.view().scene
    assert scene.time.shape[0] <= 20_001
    assert any("recorded instants" in note for note in scene.notes)
