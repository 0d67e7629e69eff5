"""The arms of examples/arms: parts files with shapes, the manipulator files made of them."""

from pathlib import Path

import numpy as np
import pytest

import armillary as am
from armillary.formats.generated import write_manipulator
from armillary.formats.parts import read_parts
from seeds.cases import assert_value, case

ROOT = Path(__file__).resolve().parents[2]
ARMS = ROOT / "examples" / "arms"
NAMES = ("direct-drive", "stanford", "puma560")
STANFORD = case("000_stanford_inverse_dynamics")


@pytest.mark.parametrize("name", NAMES)
def test_the_manipulator_file_is_the_one_of_its_parts(name, tmp_path):
    """Made anew it is the same text; it is not stale, and says so when its parts change."""
    parts, made = ARMS / f"{name}.parts.yaml", ARMS / f"{name}.yaml"
    again = tmp_path / f"{name}.yaml"
    copy = tmp_path / f"{name}.parts.yaml"
    copy.write_bytes(parts.read_bytes())
    write_manipulator(read_parts(copy), copy, again)
    assert again.read_text() == made.read_text()
    arm, other = am.load(made), am.load(parts)
    assert not [note for note in arm.report.notes if note.part == "generated"]
    q, v, a = arm.random_state(seed=4)
    np.testing.assert_allclose(
        arm.inverse_dynamics(q, v, a), other.inverse_dynamics(q, v, a), rtol=1e-12, atol=1e-12
    )
    assert all(body.shapes for body in arm.model.bodies)
    copy.write_text(copy.read_text().replace("mass: ", "mass:  ", 1))
    assert any("out of date" in note.text for note in am.load(again).report.notes)


@pytest.mark.parametrize("name", NAMES)
def test_every_link_is_a_body_that_can_exist(name):
    for body in am.load(ARMS / f"{name}.yaml").model.bodies:
        xx, yy, zz, xy, xz, yz = body.mass.tensor
        moments = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        assert body.mass.mass > 0 and moments[0] > 0
        assert moments[2] <= (moments[0] + moments[1]) * (1 + 1e-9)


def test_the_sample_arm_is_the_built_in_one():
    data = ROOT / "src" / "armillary" / "data" / "direct-drive.parts.yaml"
    assert (ARMS / "direct-drive.parts.yaml").read_text() == data.read_text()
    assert "invented" in data.read_text()


@pytest.mark.parametrize("file", ["stanford.parts.yaml", "stanford.yaml", "stanford.six.csv"])
def test_the_stanford_arm_gives_the_numbers_of_the_document(file):
    arm, p = am.load(ARMS / file), STANFORD.problem
    assert_value(arm.inverse_dynamics(p["q"], p["qd"], p["qdd"]), STANFORD["tau"])
    masses = [link["mass"] for link in p["links"]]
    np.testing.assert_allclose([body.mass.mass for body in arm.model.bodies], masses)


def test_the_puma_of_parts_moves_like_the_one_of_the_table():
    """Another tensor in links 1 to 3, the same torques: what was moved no joint can tell."""
    parts, table = am.load(ARMS / "puma560.yaml"), am.example("puma560")
    q, v, a = table.random_state(7, 20)
    for passive in (True, False):
        np.testing.assert_allclose(
            parts.inverse_dynamics(q, v, a, passive=passive),
            table.inverse_dynamics(q, v, a, passive=passive),
            rtol=1e-10, atol=1e-10,
        )  # fmt: skip
    np.testing.assert_allclose(parts.mass_matrix(q), table.mass_matrix(q), rtol=1e-10, atol=1e-12)
    for one, two in zip(parts.model.bodies, table.model.bodies, strict=True):
        assert one.joint.name == two.joint.name
        for own, other in zip(one.joint.limits, two.joint.limits, strict=True):
            assert (own.lower, own.upper) == pytest.approx((other.lower, other.upper))


@pytest.mark.parametrize("name", NAMES)
def test_the_arms_are_drawn(name, tmp_path):
    am.load(ARMS / f"{name}.yaml").draw().save(tmp_path / "arm.png")
    assert (tmp_path / "arm.png").stat().st_size > 5000
