"""The scripts of examples/sources reproduce the worked examples of the documents.

What they leave in their names is compared with the recorded cases."""

import re
import runpy
from pathlib import Path

import numpy as np
import pytest

from seeds.cases import assert_value, case, columns, table
from seeds.test_methods_member import PRINTED as LOAD_PRINTED
from seeds.test_methods_tip import PRINTED as TIP_PRINTED

SCRIPTS = Path(__file__).resolve().parents[2] / "examples" / "sources"


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    """Names of a script after it ran; it printed something, and wrote no file."""

    def names_of(script: str) -> dict:
        monkeypatch.chdir(tmp_path)
        names = runpy.run_path(str(SCRIPTS / script), run_name="__main__")
        printed = capsys.readouterr()
        assert printed.out.strip() and not printed.err
        assert not re.search(r"\bnan\b", printed.out)
        assert not list(tmp_path.iterdir())
        return names

    return names_of


def test_every_script_is_asserted_here():
    named = set(re.findall(r'run\("(\w+\.py)"\)', Path(__file__).read_text()))
    assert named == {path.name for path in SCRIPTS.glob("*.py")}


def test_stanford_arm(run):
    names, recorded = run("stanford_arm.py"), case("000_stanford_inverse_dynamics")
    for symbol in (f"{x}_{k}" for x in ("v", "a", "F", "f") for k in range(1, 5)):
        assert_value(names["work"][symbol], recorded[symbol])
    assert_value(names["work"].answer, recorded["tau"])
    assert_value(names["gravity"], recorded["tau gravity part"])


def test_tap_closing(run):
    names, recorded = run("tap_closing.py"), case("000_tap_closing")
    assert_value(names["q_tap"], recorded["q at tap (solution used)"])
    assert_value(names["q_end"], recorded["q after turning"])
    start, before, after, end = names["tau"].values()
    assert_value(start, recorded["tau at t=0"])
    assert_value([before, after], recorded["tau just before/after engaging (t=1-,1+)"])
    assert_value(end, recorded["tau at t=1.5"])


def test_four_links(run):
    names, recorded = run("four_links.py"), case("000_four_link_closed")
    for k in range(1, 5):
        assert_value(names["growth"][f"H_{k}"], recorded[f"H_{k}"])
    for name, quantity in TIP_PRINTED.items():
        assert_value(getattr(names["tip"], name), recorded[quantity])
    assert_value(names["tip"].f[5], recorded["f (6th component)"])


def test_two_links_with_load(run):
    names, recorded = run("two_links_with_load.py"), case("000_two_link_suspended_load")
    for chain in names["member"].chains.values():
        for name, quantity in LOAD_PRINTED.items():
            assert_value(getattr(chain, name), recorded[quantity])
    np.testing.assert_allclose(names["member"].a_r, recorded["a_r"], rtol=5e-12, atol=1e-13)
    assert_value(names["links"], np.repeat(recorded["qdd_k"], 2))
    np.testing.assert_allclose(names["general"].acceleration[-2:], names["links"], rtol=1e-11)


def test_three_legs(run):
    names, recorded = run("three_legs.py"), case("000_hslm")
    assert_value(-names["fall"].a_r[4],
                 recorded["reference member downward acceleration, no joint forces"])  # fmt: skip
    assert_value(names["leg"], recorded["static equilibrium joint forces"])
    np.testing.assert_allclose(names["still"].acceleration, 0, atol=1e-10)


def test_six_joints(run):
    """The built-in arm has exact right angles, the case 12 digits of them."""
    names, recorded = run("six_joints.py"), case("001_synthetic_6r")
    inverse = recorded["inverse arm: q,qd,qdd -> tau"]
    assert_value(names["tau"], inverse["tau"], rounding=5e-12)
    assert_value(names["voltage"], inverse["voltage (11)"], rounding=5e-12)


def test_two_link_arm(run):
    names, recorded = run("two_link_arm.py"), case("003_two_link_arm")
    value = recorded["numeric check: M(q), h(q,qd) at q=(0.3,0.5), qd=(0.7,-0.4)"]
    for M, h in (
        (names["M"], names["h"]),
        (names["arm"].mass_matrix(names["q"]), names["work"].answer),
    ):
        assert_value(M, value["M"])
        assert_value(h, value["h"])
    statics = recorded["Jacobian at q=(0.3,0.5), l=(0.8,0.6)"]
    assert_value(names["J"], statics["J"])
    assert_value(names["J"].T @ names["F"], statics["tau=J^T F for F=(3,-2)"])


def test_straight_line(run):
    names, data = run("straight_line.py"), table("004_planar_example_reference")
    recorded = case("004_planar_two_link")
    assert_value(
        np.abs(names["tau"]).max(axis=0),
        recorded["peak |tau| (branch q2>0, no gravity, 101 samples)"],
    )
    for name, values in (("q", "q"), ("qd", "v"), ("qdd", "a")):
        expected = columns(data, f"{name}1_pos", f"{name}2_pos")
        np.testing.assert_allclose(names[values], expected, rtol=0, atol=1e-10)
    expected = columns(data, "tau1_g0_pos", "tau2_g0_pos")
    np.testing.assert_allclose(names["tau"], expected, rtol=0, atol=1e-10)


def test_free_flyer(run):
    """Fixed steps of 12.5 ms, order four, against the recorded motion: they are off by 2e-9."""
    names, data = run("free_flyer.py"), table("002_dual_arm_free_flyer_reference")
    arms = [f"a{i}{{}}{k}" for i in (1, 2) for k in (1, 2, 3)]
    q = columns(data, "base_th", "base_x", "base_y", *(x.format("q") for x in arms))
    v = columns(data, "w", "vx", "vy", *(x.format("qd") for x in arms))
    compared = 0
    for t, state in zip(names["times"], names["states"], strict=True):
        for k in np.flatnonzero(np.isclose(data["t"], t)):
            np.testing.assert_allclose(state, np.concatenate([q[k], v[k]]), rtol=0, atol=1e-8)
            compared += 1
    assert compared >= 3
    assert np.abs(names["momentum"]).max() < 1e-8


def test_cart(run):
    found, recorded = run("cart.py")["found"], case("002_wheeled_systems")
    for name, value in recorded["synthetic cart accelerations at rest"].items():
        expected = [*value["analytic"], value["axle_pitch_acceleration"]]
        np.testing.assert_allclose(found[name], expected, rtol=5e-12, atol=1e-10)


def test_rover(run):
    found, recorded = run("rover.py")["found"], case("002_wheeled_systems")["dof table"]
    for name, counts in found.items():
        assert counts == (recorded[name]["redundant"], recorded[name]["dof"])
