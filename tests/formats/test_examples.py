"""The built-in mechanisms reproduce the numbers of their sources."""

from pathlib import Path

import numpy as np
import pytest
import yaml
from chains import frame_pose, torques

from armillary.errors import ModelError
from armillary.formats.examples import example, example_info, example_names
from armillary.formats.native import read_native
from armillary.formats.native_write import write_native

DATA = Path(__file__).resolve().parent.parent / "data"


def case(name):
    return yaml.safe_load((DATA / name).read_text())


def test_the_first_four_are_there():
    assert example_names()[:4] == ("stanford", "double-pendulum", "two-link", "six-r")


@pytest.mark.parametrize("name", example_names())
def test_each_is_named_described_and_survives_a_file(name):
    model = example(name)
    info = example_info(name)
    assert model.name == name
    assert info.description and info.source and "\n" not in info.description
    assert read_native(text=write_native(model)) == model
    doubtful = [note.part for note in model.report.of("warning")]
    assert doubtful == (["body 'link1'", "body 'link3'"] if name == "puma560" else [])


def test_an_unknown_name_suggests_a_near_one():
    with pytest.raises(ModelError, match="Did you mean 'stanford'"):
        example("standford")


def test_stanford_gives_the_printed_torques():
    c = case("stanford_tables.yaml")
    model = example("stanford")
    assert torques(model, c["q"], c["qd"], c["qdd"]) == pytest.approx(c["tau"], abs=1e-13)
    assert torques(model, c["q"], [0] * 5, [0] * 5) == pytest.approx(c["tau_gravity"], abs=1e-13)
    assert model.initial == tuple(c["q"])
    T = frame_pose(model, c["tap_q"], "tip")
    assert T[:3, 3] == pytest.approx(c["tap_tip"], abs=1e-10)
    assert T[:3, 0] == pytest.approx(c["tap_axis"], abs=1e-10)


def test_six_r_gives_the_recomputed_torques():
    c = case("synthetic_6r.yaml")
    model = example("six-r")
    assert torques(model, c["q"], c["qd"], c["qdd"]) == pytest.approx(c["tau"], rel=2e-11)
    assert torques(model, c["q"], c["qd"], [0] * 6) == pytest.approx(c["bias"], rel=2e-11)
    motors = [(body.motor.resistance, body.motor.torque_constant) for body in model.bodies]
    assert motors == [(m["R"], m["Kt"]) for m in c["motors"]]


def test_two_link_is_the_closed_form():
    c = case("two_link_arm.yaml")
    model = example("two-link")
    zero = [0.0, 0.0]
    gravity = torques(model, c["q"], zero, zero)
    mass = np.array([torques(model, c["q"], zero, e) - gravity for e in np.eye(2)]).T
    assert mass == pytest.approx(np.array(c["M"]), rel=1e-10)
    assert torques(model, c["q"], c["qd"], zero) == pytest.approx(c["h"], rel=1e-10)
    step = 1e-6
    for k, unit in enumerate(np.eye(2)):
        ahead = frame_pose(model, c["q"] + step * unit, "tip")[:2, 3]
        behind = frame_pose(model, c["q"] - step * unit, "tip")[:2, 3]
        assert (ahead - behind) / (2 * step) == pytest.approx(np.array(c["J"])[:, k], abs=1e-8)


def test_double_pendulum_has_full_tensors():
    for body in example("double-pendulum").bodies:
        assert all(body.mass.tensor) and all(body.mass.com)
