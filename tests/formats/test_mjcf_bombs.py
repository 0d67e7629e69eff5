"""MJCF of a few words that asks MuJoCo for gigabytes: read without them, or refused."""

import subprocess
import sys

import numpy as np
import pytest

import armillary as am
from armillary.errors import FormatError

pytest.importorskip("mujoco")
resource = pytest.importorskip("resource")

BIG = 30_000_000
BODY = ('<body name="b"><joint name="j" axis="0 1 0"/><geom name="g" type="capsule" '
        'fromto="0 0 0 0 0 1" size=".1" {0}/><site name="s"/>{1}</body>')  # fmt: skip


def text(before: str = "", geom: str = "", inside: str = "", after: str = "") -> str:
    world = BODY.format(geom, inside)
    return f"<mujoco>{before}<worldbody>{world}</worldbody>{after}</mujoco>"


PARTS = ('<actuator><motor joint="j"/></actuator><sensor><jointpos joint="j"/></sensor>'
         '<tendon><fixed><joint joint="j" coef="1"/></fixed></tendon>')  # fmt: skip
READ = {
    **{f"nuser_{kind}": text(f'<size nuser_{kind}="{BIG}"/>', inside="<camera/>", after=PARTS)
       for kind in ("body", "jnt", "geom", "site", "cam", "tendon", "actuator", "sensor")},
    "nkey": text(f'<size nkey="{BIG}"/>'),
    "dim": text(after=f'<sensor><user objtype="body" objname="b" dim="{BIG}"/></sensor>'),
    "actdim": text(after=f'<actuator><general joint="j" dyntype="user" actdim="{BIG}"/>'
                         '</actuator>'),
    "num": text(after=f'<sensor><contact geom1="g" num="{BIG}"/></sensor>'),
    "resolution": text(inside='<camera name="c" resolution="9000 9000"/>',
                       after='<sensor><rangefinder camera="c"/></sensor>'),
    "texture": text('<asset><texture name="t" type="2d" builtin="flat" width="9000" height="9000"/>'
                    '<material name="m" texture="t"/></asset>', 'material="m"'),
    "skybox": text('<asset><texture name="t" type="skybox" builtin="flat" width="9000"/></asset>'),
    "hfield": text('<asset><hfield name="h" nrow="3500" ncol="3500" size="1 1 1 1"/></asset>'),
}  # fmt: skip

PROBE = """
import resource, sys
import mujoco, numpy
import armillary as am
with open("/proc/self/status") as status:
    size = next(int(line.split()[1]) for line in status if line.startswith("VmSize")) * 1024
resource.setrlimit(resource.RLIMIT_AS, (size + 300 * 2**20,) * 2)
for path in sys.argv[1:]:
    arm = am.load(path)
    print(arm.nv, arm.model.bodies[0].mass.mass)
"""


def test_what_is_not_read_takes_no_memory(tmp_path):
    """All of them in one process that may take 300 MB; one of them alone took gigabytes."""
    for name, content in READ.items():
        (tmp_path / f"{name}.xml").write_text(content)
    (tmp_path / "plain.xml").write_text(text())
    names = [str(tmp_path / f"{name}.xml") for name in ("plain", *READ)]
    found = subprocess.run(
        [sys.executable, "-c", PROBE, *names],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    lines = found.stdout.splitlines()
    assert len(lines) == len(names) and set(lines) == {lines[0]}


def test_sensors_and_keyframes_are_still_told(tmp_path):
    path = tmp_path / "arm.xml"
    keys = '<keyframe><key qpos="1"/><key qpos="2"/></keyframe>'
    path.write_text(text(after=PARTS + keys))
    report = str(am.load(path).report)
    assert "1 in the file" in report and "2 in the file" in report


MESHES = ('builtin="supersphere" params="3000 1 1"', 'builtin="supertorus" params="3000 .5 1 1"',
          'builtin="wedge" params="3000 3000 60 60 0"', 'builtin="plate" params="3000 3000"',
          'builtin="cone" params="10000000 .5"')  # fmt: skip


@pytest.mark.parametrize("mesh", MESHES)
def test_meshes_from_formulas_are_bounded(tmp_path, mesh):
    path = tmp_path / "arm.xml"
    path.write_text(text(f'<asset><mesh name="m" {mesh}/></asset>'))
    with pytest.raises(FormatError, match="<mesh> asks for"):
        am.load(path)


@pytest.mark.parametrize(
    ("part", "count"),
    [
        ('<texture name="t{}" type="2d" builtin="flat" width="6000" height="6000"/>', 3),
        ('<hfield name="h{}" nrow="3000" ncol="3000" size="1 1 1 1"/>', 3),
        ('<mesh name="m{}" builtin="plate" params="400 400"/>', 2),
    ],
)
def test_sums_over_the_file_are_bounded(tmp_path, part, count):
    """Each of them alone is allowed, all of them are not; nor across files."""
    parts = [part.format(k) for k in range(count)]
    path = tmp_path / "arm.xml"
    path.write_text(text(f"<asset>{''.join(parts)}</asset>"))
    with pytest.raises(FormatError, match="counted with what stands before"):
        am.load(path)
    for k, one in enumerate(parts):
        (tmp_path / f"part{k}.xml").write_text(f"<mujoco><asset>{one}</asset></mujoco>")
    path.write_text(text("".join(f'<include file="part{k}.xml"/>' for k in range(count))))
    with pytest.raises(FormatError, match="counted with what stands before"):
        am.load(path)


def test_a_model_that_multiplies_its_parts_is_tried_first(tmp_path, monkeypatch):
    """In a child that may take no memory it is refused; with the usual limits it is read."""
    from armillary.formats import mjcf_trial

    path = tmp_path / "many.xml"
    many = (
        '<replicate count="120" offset="1 0 0"><geom type="sphere" size=".1" mass="1"/></replicate>'
    )
    path.write_text(f"<mujoco><worldbody><body><freejoint/>{many}</body></worldbody></mujoco>")
    model = am.load(path).model
    assert model.bodies[0].mass.mass == pytest.approx(120.0)
    offsets = np.arange(120.0)
    assert model.bodies[0].mass.com[0] == pytest.approx(offsets.mean())

    plain = subprocess.run

    def starved(command, **options):
        code = f"import sys, {mjcf_trial.__name__} as t; t.MEMORY = 0; "
        code += "sys.exit(t._main(*sys.argv[1:]))"
        return plain([sys.executable, "-c", code, *command[3:]], **options)

    monkeypatch.setattr(mjcf_trial.subprocess, "run", starved)
    with pytest.raises(FormatError, match="takes more than"):
        am.load(path)


@pytest.mark.parametrize(
    ("part", "tried"),
    [
        ('<asset><mesh name="m" builtin="plate" params="4 4"/></asset>', True),
        ('<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>', False),
    ],
)
def test_meshes_from_formulas_are_tried_first(tmp_path, monkeypatch, part, tried):
    """Few words may make many points by a formula that the text does not tell."""
    from armillary.formats import mjcf

    asked = []
    monkeypatch.setattr(mjcf, "trial", lambda name, bounds: asked.append(name))
    path = tmp_path / "arm.xml"
    path.write_text(text(part))
    am.load(path)
    assert asked == ([str(path)] if tried else [])
