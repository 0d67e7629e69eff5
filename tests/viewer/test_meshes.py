"""Meshes of every format: corners in metres where the file says they are, and what is missing."""

import base64
import json
import struct

import numpy as np
import pytest
from pages import meshed_arm, stl_cube
from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app
from armillary.viewer.pack import unpacked
from armillary.viewer.scene import mechanism_scene, run_scene

pytest.importorskip("trimesh")

# a corner of a room with edges 1, 2, 3: nothing about it is symmetric
CORNERS = [(0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 3)]
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]


def obj(path):
    """Two objects of two colours, the second one aside by 10 along x and made of a quad."""
    path.with_suffix(".mtl").write_text("newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 1\n")
    lines = [f"mtllib {path.stem}.mtl", "o first", "usemtl red"]
    lines += [f"v {x} {y} {z}" for x, y, z in CORNERS]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in FACES]
    lines += [
        "o second",
        "usemtl blue",
        "v 10 0 0",
        "v 11 0 0",
        "v 11 2 0",
        "v 10 2 0",
        "f 5 6 7 8",
    ]
    path.write_text("\n".join(lines))


def collada(path, unit="meter", meter=1.0, up="Z_UP"):
    """One geometry in two nodes, one of them aside by 10 along x."""
    numbers = " ".join(f"{x}" for corner in CORNERS for x in corner)
    faces = " ".join(f"{k}" for face in FACES for k in face)
    params = "".join(f'<param name="{x}" type="float"/>' for x in "XYZ")
    path.write_text(f"""<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><created>2020-01-01T00:00:00</created><modified>2020-01-01T00:00:00</modified>
<unit name="{unit}" meter="{meter}"/><up_axis>{up}</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="12">{numbers}</float_array><technique_common>
<accessor source="#a" count="4" stride="3">{params}</accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>{faces}</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s">
<node id="n"><instance_geometry url="#g"/></node>
<node id="m"><matrix>1 0 0 10 0 1 0 0 0 0 1 0 0 0 0 1</matrix><instance_geometry url="#g"/></node>
</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>""")


def gltf(path):
    """One mesh in two nodes: as it stands, and turned by 90 degrees about z, twice as large."""
    points = struct.pack("<12f", *(float(x) for corner in CORNERS for x in corner))
    faces = struct.pack("<12H", *(k for face in FACES for k in face))
    data = points + faces
    half = np.sqrt(0.5)
    content = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0, 1]}],
        "nodes": [
            {"mesh": 0, "name": "plain"},
            {"mesh": 0, "name": "turned", "rotation": [0, 0, half, half], "scale": [2, 2, 2]},
        ],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "buffers": [{"byteLength": len(data)}],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": len(points)},
            {"buffer": 0, "byteOffset": len(points), "byteLength": len(faces)},
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3",
             "min": [0, 0, 0], "max": [1, 2, 3]},
            {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"},
        ],
    }  # fmt: skip
    if path.suffix == ".gltf":
        head = "data:application/octet-stream;base64,"
        content["buffers"][0]["uri"] = head + base64.b64encode(data).decode()
        path.write_text(json.dumps(content))
        return
    text = json.dumps(content).encode()
    text += b" " * (-len(text) % 4)
    data += bytes(-len(data) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    chunks += struct.pack("<I4s", len(data), b"BIN\0") + data
    path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)


def corners(scene, unit=1.0):
    """Of every part, the set of its corners, in a unit of so many metres."""
    found = []
    for shape in scene.shapes:
        if shape.kind == "mesh":
            part = scene.meshes[shape.mesh]
            places = np.array(part.low) + np.array(part.step) * unpacked(part.corners)
            found.append({tuple(np.round(c / unit, 3) + 0.0) for c in places})
    return found


def moved(turn=((1, 0, 0), (0, 1, 0), (0, 0, 1)), by=(0, 0, 0), scale=1.0):
    places = np.array(CORNERS) @ np.array(turn).T * scale + np.array(by)
    return {tuple(np.round(c, 3) + 0.0) for c in places}


def test_obj(tmp_path):
    obj(tmp_path / "part.obj")
    scene = mechanism_scene(meshed_arm(tmp_path, "part.obj"))
    first, second = sorted(corners(scene), key=max)
    assert first == moved()
    assert second == {(10, 0, 0), (11, 0, 0), (11, 2, 0), (10, 2, 0)}
    shapes = [s for s in scene.shapes if s.kind == "mesh"]
    assert {s.color[:3] for s in shapes} == {(1.0, 0.0, 0.0), (0.0, 0.0, 1.0)}  # its own
    assert all(s.size == (1.0, 1.0, 2.0) for s in shapes)  # the scale of the model
    assert sum(len(unpacked(scene.meshes[s.mesh].triangles)) for s in shapes) == 4 + 2


@pytest.mark.parametrize(
    ("unit", "meter"), [("meter", 1.0), ("millimeter", 1e-3), ("foot", 0.3048)]
)
def test_collada_is_in_the_unit_that_it_says(tmp_path, unit, meter):
    collada(tmp_path / "part.dae", unit, meter)
    scene = mechanism_scene(meshed_arm(tmp_path, "part.dae"))
    assert sorted(corners(scene, meter), key=max) == [moved(), moved(by=(10, 0, 0))]


def test_coordinates_stand_as_they_are_whatever_points_up(tmp_path):
    """As RViz does, and a note says so."""
    collada(tmp_path / "part.dae", up="Y_UP")
    scene = mechanism_scene(meshed_arm(tmp_path, "part.dae"))
    assert sorted(corners(scene), key=max) == [moved(), moved(by=(10, 0, 0))]
    assert any("Y_UP is not applied" in note for note in scene.notes)


@pytest.mark.parametrize("name", ["part.gltf", "part.glb"])
def test_gltf(tmp_path, name):
    gltf(tmp_path / name)
    scene = mechanism_scene(meshed_arm(tmp_path, name))
    turned = moved(((0, -1, 0), (1, 0, 0), (0, 0, 1)), scale=2.0)
    assert sorted(map(sorted, corners(scene))) == sorted(map(sorted, [moved(), turned]))
    assert not scene.notes


@pytest.mark.parametrize("name", ["part.obj", "part.dae", "part.gltf", "part.glb", "part.ply"])
@pytest.mark.parametrize("content", [b"", b"no mesh at all", bytes(range(256)) * 40])
def test_damaged_files_are_told(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    scene = mechanism_scene(meshed_arm(tmp_path, name))
    assert not scene.meshes
    assert [note for note in scene.notes if f"mesh '{name}' is not shown" in note]
    assert any(s.role == "link" for s in scene.shapes)


# -- runs from files -------------------------------------------------------------------------------


def has_mesh(scene):
    return any(shape.kind == "mesh" for shape in scene.shapes)


def scene_of(path):
    run = am.load_run(path)
    return run_scene(run.mechanism, run)


@pytest.mark.parametrize("ending", ["nc", "csv"])
def test_a_run_from_a_file_finds_its_meshes(tmp_path, monkeypatch, ending):
    """From any folder, without the model being named; streamed or saved."""
    (tmp_path / "robot").mkdir()
    (tmp_path / "runs").mkdir()
    monkeypatch.chdir(tmp_path / "robot")
    arm = meshed_arm(tmp_path / "robot")
    run = am.simulate(arm, [0.3], duration=0.02)
    run.save(tmp_path / "runs" / f"saved.{ending}")
    am.simulate(arm, [0.3], duration=0.02, out=tmp_path / "runs" / f"streamed.{ending}")
    monkeypatch.chdir(tmp_path / "runs")
    for name in ("saved", "streamed"):
        assert has_mesh(scene_of(f"{name}.{ending}"))
    # read and written again
    am.load_run(f"saved.{ending}").save(f"again.{ending}")
    assert has_mesh(scene_of(f"again.{ending}"))
    said = CliRunner().invoke(app, ["animate", f"saved.{ending}", "-o", "page.html"])
    assert said.exit_code == 0
    assert '"kind":"mesh"' in (tmp_path / "runs" / "page.html").read_text(encoding="utf-8")


def test_meshes_below_a_root_that_was_given(tmp_path):
    (tmp_path / "robot").mkdir()
    (tmp_path / "looks").mkdir()
    meshed_arm(tmp_path / "robot", "../looks/cube.stl")
    stl_cube(tmp_path / "looks" / "cube.stl")
    arm = am.load(tmp_path / "robot" / "arm.urdf", base="fixed", root=tmp_path)
    assert has_mesh(mechanism_scene(arm))
    am.simulate(arm, [0.3], duration=0.02).save(tmp_path / "run.nc")
    assert has_mesh(scene_of(tmp_path / "run.nc"))


def test_files_that_have_gone_leave_a_skeleton_and_a_note(tmp_path):
    (tmp_path / "robot").mkdir()
    am.simulate(meshed_arm(tmp_path / "robot"), [0.3], duration=0.02).save(tmp_path / "run.nc")
    (tmp_path / "robot" / "cube.stl").unlink()
    scene = scene_of(tmp_path / "run.nc")
    assert any("'cube.stl' is not shown: there is no such file" in note for note in scene.notes)
    assert any(s.role == "link" for s in scene.shapes)
    (tmp_path / "robot").rename(tmp_path / "gone")
    notes = scene_of(tmp_path / "run.nc").notes
    assert any("the model's file" in note and "is not here" in note for note in notes)
