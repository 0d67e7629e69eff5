"""Reading and writing by suffix, and what happens when the disk or the suffix is wrong."""

import os
import stat

import pytest

from armillary.errors import FormatError, InputError
from armillary.formats import read, write, xml_root
from armillary.formats.dh import dh, write_dh
from armillary.formats.examples import example
from armillary.formats.files import read_text, write_text
from armillary.formats.native_write import write_native
from armillary.model import Builder, Model

URDF = """<?xml version="1.0"?>
<!-- <mujoco> is not the root -->
<robot name="stick">
  <link name="base"/>
  <link name="rod"><inertial><mass value="1"/><origin xyz="0 0 -0.5"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/>
    <axis xyz="0 1 0"/></joint>
</robot>
"""
MJCF = """<mujoco model="stick"><worldbody><body name="rod">
  <joint name="hinge" axis="0 1 0"/><inertial pos="0 0 -0.5" mass="1" diaginertia="0.1 0.1 0.01"/>
</body></worldbody></mujoco>
"""


def test_the_suffix_tells_the_format(tmp_path):
    arm = example("two-link")
    files = {
        "arm.yaml": write_native(arm),
        "arm.YML": write_native(arm),
        "arm.csv": write_dh(arm),
        "stick.urdf": URDF,
        "stick.xml": URDF,
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
        model = read(tmp_path / name)
        assert isinstance(model, Model)
        assert model.nv == (2 if name.startswith("arm") else 1), name
    assert read(str(tmp_path / "arm.yaml")) == arm


def test_mjcf_is_known_by_its_root(tmp_path):
    pytest.importorskip("mujoco")
    (tmp_path / "stick.xml").write_text(MJCF)
    assert read(tmp_path / "stick.xml").nv == 1


def test_a_named_format_beats_the_suffix(tmp_path):
    path = tmp_path / "arm.txt"
    path.write_text(write_native(example("two-link")))
    assert read(path, format="native") == example("two-link")
    with pytest.raises(FormatError, match=r"suffix '.txt' tells no format. Known: .urdf"):
        read(path)
    with pytest.raises(FormatError, match=r"unknown format 'yaml'. Known: native"):
        read(path, format="yaml")


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(FormatError, match="there is no such file"):
        read(tmp_path / "nothing.yaml")
    with pytest.raises(FormatError, match="there is no such file"):
        read(tmp_path / "nothing.yaml", format="native")
    with pytest.raises(FormatError, match="this is a directory"):
        read(tmp_path)
    (tmp_path / "robot.xacro").write_text("")
    with pytest.raises(FormatError, match="Run xacro first"):
        read(tmp_path / "robot.xacro")
    (tmp_path / "page.xml").write_text("<!-- a page --><html/>")
    with pytest.raises(FormatError, match=r"expected <mujoco> or <robot>.*found <html>"):
        read(tmp_path / "page.xml")
    for nonsense in (None, 5, "", "a\0b"):
        with pytest.raises(InputError, match="path"):
            read(nonsense)


def test_no_pipes_and_no_giants(tmp_path):
    os.mkfifo(tmp_path / "pipe.yaml")
    with pytest.raises(FormatError, match="device or pipe"):
        read(tmp_path / "pipe.yaml")
    (tmp_path / "giant.yaml").write_bytes(b"#" * 2000)
    with pytest.raises(FormatError, match="larger than"):
        read_text(tmp_path / "giant.yaml", limit=1000)


def test_the_base_of_a_file_that_says_it(tmp_path):
    path = tmp_path / "cart.yaml"
    b = Builder()
    b.body("cart", joint="fixed", mass=1.0, inertia=(1, 1, 1))
    b.body("arm", "cart", mass=1.0)
    write(b.build(), path)
    assert read(path).nv == 1
    assert read(path, base="free").nv == 7
    write(dh([{"mass": 1.0}]), tmp_path / "arm.csv")
    with pytest.raises(FormatError, match="no root body has a fixed or free joint"):
        read(tmp_path / "arm.csv", base="free")
    with pytest.raises(InputError, match="expected 'fixed' or 'free'"):
        read(path, base="floating")


@pytest.mark.parametrize("name", ["arm.yaml", "arm.csv", "arm.urdf", "arm.xml"])
def test_what_is_written_can_be_read(tmp_path, name):
    if name.endswith("xml"):
        pytest.importorskip("mujoco")
    arm = dh([{"a": 0.5, "mass": 1.0, "inertia": (0.1, 0.1, 0.1)}] * 1, name="arm")
    write(arm, tmp_path / name)
    again = read(tmp_path / name)
    assert again.nv == 1
    assert sum(body.mass.mass for body in again.bodies) == pytest.approx(1.0)


def test_nothing_is_overwritten_unasked(tmp_path):
    path = tmp_path / "arm.yaml"
    write(example("two-link"), path)
    before = path.read_text()
    with pytest.raises(FormatError, match=r"exists already.*overwrite=True"):
        write(example("stanford"), path)
    assert path.read_text() == before
    path.chmod(0o640)
    write(example("stanford"), path, overwrite=True)
    assert read(path) == example("stanford")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["arm.yaml"]


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "arm.csv"
    write(dh([{"mass": 1.0}]), path)
    before = path.read_text()
    with pytest.raises(FormatError, match="gimbal"):
        write(example("stanford"), path, overwrite=True)
    with pytest.raises(FormatError, match="cannot be written"):
        write_text("\ud800", path, overwrite=True)
    assert path.read_text() == before
    assert os.listdir(tmp_path) == ["arm.csv"]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    target = tmp_path / "real" / "arm.yaml"
    write(example("two-link"), target)
    (tmp_path / "link.yaml").symlink_to(target)
    write(example("stanford"), tmp_path / "link.yaml", overwrite=True)
    assert (tmp_path / "link.yaml").is_symlink()
    assert read(target) == example("stanford")


def test_places_to_write_that_do_not_exist(tmp_path):
    arm = example("two-link")
    with pytest.raises(FormatError, match="no directory"):
        write(arm, tmp_path / "no" / "arm.yaml")
    with pytest.raises(FormatError, match="this is a directory"):
        write(arm, tmp_path, format="native")
    with pytest.raises(FormatError, match="tells no format"):
        write(arm, tmp_path / "arm.json")
    with pytest.raises(InputError, match="expected a Model, found str"):
        write("arm", tmp_path / "arm.yaml")


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ("", ""),
        ("no xml", ""),
        ("<robot name='a'>", "robot"),
        ("<?xml version='1.0'?>\n<!DOCTYPE x [<!ENTITY a 'b'>]>\n<mujoco>", "mujoco"),
        ("<!-- <robot> --><mujoco/>", "mujoco"),
        ("<!-- never closed <robot>", ""),
        ("<", ""),
    ],
)
def test_root_element(text, root):
    assert xml_root(text) == root
