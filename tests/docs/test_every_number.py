"""Every recorded number of tests/data/seeds: where it is shown to a reader, and that it is right.

A place is `explain METHOD`, a script of examples/sources, or, where the number is the end of a long
simulation or of an experiment with the source's own faults, the test that makes it.
"""

import contextlib
import io
import runpy
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import armillary as am
from formulations.test_explain import A, Q, V, stanford_symbol
from seeds.cases import DATA, case
from seeds.test_methods_cooperating import flyer
from seeds.test_methods_member import PRINTED as MEMBER
from seeds.test_methods_tip import PRINTED as TIP

ROOT = Path(__file__).resolve().parents[2]
CASES = sorted(path.stem for path in DATA.glob("*.yaml"))


@cache
def script(name: str) -> dict:
    """What a script of examples/sources leaves in its names."""
    with contextlib.redirect_stdout(io.StringIO()):
        return runpy.run_path(str(ROOT / "examples" / "sources" / f"{name}.py"))


def shown(name: str, value):
    """A number of a script: of its names."""
    return f"examples/sources/{name}.py", lambda: value(script(name))


def made(test: str):
    """A number that a test makes."""
    return f"tests/seeds/{test}.py", None


# -- [VanDerMerwe1995] ---------------------------------------------------------------------------


def stanford(quantity: str):
    def value():
        arm = am.example("stanford")
        if quantity.startswith("H"):
            return arm.explain("structural growth", Q)["H_4"]
        if quantity == "tau velocity part":
            arm = arm.replace(gravity=(0.0, 0.0, 0.0))
        v = 0 * V if quantity == "tau gravity part" else V
        work = arm.explain("Newton-Euler", Q, v, A, frames_at_joints=True)
        found = work[stanford_symbol(quantity)]
        return found[:3, :3] if quantity == "Ibar_1" else found

    return "explain Newton-Euler", value


def four_links(quantity: str):
    growing = {"Ibar_1": ("I_1", np.s_[:3, :3])}
    growing |= {f"{s}_{k}": (f"{s}_{k}", np.s_[:]) for s in "IJH" for k in range(1, 5)}
    growing |= {f"{k}X{k - 1}": (f"X_{k}", np.s_[:]) for k in range(1, 5)}
    if quantity in growing:
        symbol, part = growing[quantity]
        return shown("four_links", lambda n: n["growth"][symbol][part])
    fields = {recorded: field for field, recorded in TIP.items()} | {"xdd_open": "xdd_open"}
    if quantity in fields:
        return shown("four_links", lambda n: getattr(n["tip"], fields[quantity]))
    if quantity == "H^-1":
        return shown("four_links", lambda n: np.linalg.inv(n["tip"].H))
    if quantity == "f (6th component)":
        return shown("four_links", lambda n: n["tip"].f[5])
    if quantity == "exact fractions":
        return shown("four_links", lambda n: {
            "H_4 det": np.linalg.det(n["tip"].H), "qdd closed": 19 * n["tip"].qdd,
            "f_z": 19 * n["tip"].f[5]})  # fmt: skip
    return made("test_four_link_euler" if quantity.startswith("Euler") else "test_four_link")


def load(quantity: str):
    """Two links and a load: the chains are alike, `member` is the whole."""
    fields = {recorded: field for field, recorded in MEMBER.items()}
    of_member = {"I_r": "I_r", "sum X^T R": "I_reflected", "I_eff": "I_eff", "rhs": "force",
                 "a_r": "a_r"}  # fmt: skip
    chain = {
        "J_k,1": lambda n: n["machine"].tree.explain("Newton-Euler", n["q"], n["rest"], n["rest"])[
            "phi_2"],
        "base of M_k^-1": lambda n: np.abs(np.linalg.svd(chain_of(n).M_inverse)[0][:, 0]),
        "x": lambda n: np.diag(chain_of(n).M),
        "1A_r": lambda n: n["member"].chains["tip1"].X[:3, :3],
        "2A_r": lambda n: n["member"].chains["tip2"].X[:3, :3],
        "1X_r": lambda n: n["member"].chains["tip1"].X,
        "2X_r": lambda n: n["member"].chains["tip2"].X,
        "R_1": lambda n: n["member"].chains["tip1"].R,
        "R_2": lambda n: n["member"].chains["tip2"].R,
        "projector b b^T from base 6.134": lambda n: space(n) @ space(n).T,
        "f'": lambda n: space(n) @ space(n).T @ n["member"].force,
        "f_k": lambda n: n["member"].f_motion["tip1"],
        "qdd_k": lambda n: n["member"].qdd["tip1"],
        "a_k,tip": lambda n: chain_of(n).J @ n["member"].qdd["tip1"],
        "a_1 = 1X_r a_r (6th comp.)": lambda n: (chain_of(n).X @ n["member"].a_r)[5],
        "M_y static": lambda n: n["static"][6],
        "qdd_open static": lambda n: n["still"].chains["tip1"].qdd_open,
        "xdd_open static": lambda n: n["still"].chains["tip1"].xdd_open,
        "a_r static": lambda n: n["still"].a_r,
        "qdd static": lambda n: n["still"].qdd["tip1"],
        "true tip forces on the reference member (tip frame, minimum norm)":
            lambda n: list(n["member"].f.values()),
        "defect test of 6.63-6.65: extra couple 1 N m about y on the reference member":
            lambda n: {"a_r exact": n["turned"]["intersection"].a_r,
                       "a_r by document algorithm": n["turned"]["document"].a_r},
    }  # fmt: skip
    if quantity in ("Ibar_k1", "I_k1"):
        part = np.s_[:3, :3] if quantity == "Ibar_k1" else np.s_[:]
        return shown("two_links_with_load", lambda n: n["machine"].tree.explain(
            "Newton-Euler", n["q"], n["rest"], n["rest"])["I_2"][part])  # fmt: skip
    if quantity in fields:
        return shown("two_links_with_load", lambda n: getattr(chain_of(n), fields[quantity]))
    if quantity in of_member:
        return shown("two_links_with_load", lambda n: getattr(n["member"], of_member[quantity]))
    if quantity in chain:
        return shown("two_links_with_load", chain[quantity])
    return made("test_suspended_load")


def chain_of(names: dict):
    return names["member"].chains["tip1"]


def space(names: dict) -> np.ndarray:
    """The motion space as 6.63 has it."""
    return names["turned"]["document"].motion_space


def legs(quantity: str):
    places = {
        "reference member downward acceleration, no joint forces": lambda n: -n["fall"].a_r[4],
        "joint accelerations, no joint forces": lambda n: n["fall"].qdd["tip1"],
        "downward force of each chain on the reference member": lambda n: -n["push"],
        "static equilibrium joint forces": lambda n: n["leg"],
        "acceleration with forces 8.8": lambda n: abs(n["nearly"].a_r[4]),
        "geometry recovered": lambda n: {
            "base triangle side": np.linalg.norm(n["feet"][0] - n["feet"][1]),
            "base circumradius": np.hypot(*n["feet"][0, [0, 2]]),
            "height gimbal plane above platform": n["feet"][0, 1],
            "theta_z=-atan2(1,R)": -n["lean"],
            "L0=sqrt(R^2+1)": n["q"][n["machine"].q_labels.index("rod1.dx")],
            "platform circumradius": np.linalg.norm(n["grips"][0]),
        },
        "mobility": lambda n: {"degrees of freedom": n["mobility"].instantaneous},
    }
    if quantity in places:
        return shown("three_legs", places[quantity])
    return made("test_hslm")


def tap(quantity: str):
    places = {
        "q at tap (solution used)": lambda n: n["q_tap"],
        "q after turning": lambda n: n["q_end"],
        "tau at t=0": lambda n: next(iter(n["tau"].values())),
        "tau just before/after engaging (t=1-,1+)": lambda n: list(n["tau"].values())[1:3],
        "tau at t=1.5": lambda n: list(n["tau"].values())[3],
    }
    return shown("tap_closing", places[quantity])


# -- the other documents -------------------------------------------------------------------------


def six_joints(quantity: str):
    places = {
        "inverse arm: q,qd,qdd -> tau": lambda n: {"tau": n["tau"], "voltage (11)": n["voltage"]},
        "bias vector B (14) at q,qd": lambda n: n["bias"],
        "H (16-26) at q": lambda n: n["H"],
        "forward arm: tau=0 -> qdd": lambda n: n["forward"],
        "hand load: f_{N+1}=(1,2,-3), n_{N+1}=(.1,-.2,.3) added (exerted BY the hand)":
            lambda n: n["loaded"],
    }  # fmt: skip
    return shown("six_joints", places[quantity]) if quantity in places else made("test_six_r")


def free_flyer(quantity: str):
    if quantity == "invariants":
        return shown("free_flyer", lambda n: {"total linear and angular momentum": n["momentum"]})
    return made("test_free_flyer")


def operators(quantity: str):
    def value():
        m = flyer().build()
        arms = np.arange(13)  # without the load
        work = m.explain("operator factors", m.neutral(), passive=False)
        if quantity.startswith("generalized"):
            product = m.explain("operator product", m.neutral(), passive=False)
            return product.answer[np.ix_(arms, arms)]
        if quantity == "D: base 6x6 block":
            return work["D"][:6, :6]
        if quantity.startswith("D: scalars"):
            return np.diag(work["D"])[6:13]
        L = np.linalg.inv(work["L"])  # 1 - K Ψ H (3.35)
        return (L @ np.linalg.inv(work["D"]) @ L.T)[0, :13]

    return "explain operator factors", value


def wheels(quantity: str):
    if quantity == "synthetic cart accelerations at rest":
        return shown("cart", lambda n: {
            drive: {"analytic": found[:2], "axle_pitch_acceleration": found[2]}
            for drive, found in n["found"].items()})  # fmt: skip
    if quantity == "dof table":
        return shown("rover", lambda n: {
            name: {"redundant": found[0], "dof": found[1]} for name, found in n["found"].items()
        })  # fmt: skip
    return made("test_methods_rolling")


def two_link_arm(quantity: str):
    places = {
        "numeric check: M(q), h(q,qd) at q=(0.3,0.5), qd=(0.7,-0.4)":
            lambda n: {"M": n["M"], "h": n["h"]},
        "Jacobian at q=(0.3,0.5), l=(0.8,0.6)":
            lambda n: {"J": n["J"], "det": np.linalg.det(n["J"]),
                       "tau=J^T F for F=(3,-2)": n["J"].T @ n["F"]},
    }  # fmt: skip
    return shown("two_link_arm", places[quantity])


def straight_line(quantity: str):
    def state(k: int):
        return lambda n: {"q": n["q"][k], "qd": n["v"][k], "qdd": n["a"][k], "tau_g0": n["tau"][k]}

    places = {
        "joint state at t=0 (branch q2>0)": state(0),
        "joint state at t=pi (branch q2>0)": state(-1),
        "peak |tau| (branch q2>0, no gravity, 101 samples)":
            lambda n: np.abs(n["tau"]).max(axis=0),
    }  # fmt: skip
    if quantity in places:
        return shown("straight_line", places[quantity])
    return made("test_planar_line")


WHERE = {
    "000_stanford_inverse_dynamics": stanford, "000_tap_closing": tap,
    "000_four_link_closed": four_links, "000_two_link_suspended_load": load, "000_hslm": legs,
    "001_synthetic_6r": six_joints, "002_dual_arm_free_flyer": free_flyer,
    "002_soa_identities": operators, "002_wheeled_systems": wheels,
    "003_two_link_arm": two_link_arm, "004_planar_two_link": straight_line,
}  # fmt: skip
NUMBERS = [(name, quantity) for name in CASES for quantity in case(name).values]
# what is rounding beside larger numbers, and numbers made of a table with 12 digits
ROUNDING = {"001_synthetic_6r": 5e-11, "002_soa_identities": 2e-12, "000_hslm": 1e-12}
NOTHING = 1e-12  # smaller is rounding in the recorded numbers, too


def test_every_case_has_its_place():
    assert set(WHERE) == set(CASES)
    assert len(NUMBERS) > 140


@pytest.mark.parametrize(("name", "quantity"), NUMBERS)
def test_where_a_number_is_reproduced(name, quantity):
    place, value = WHERE[name](quantity)
    if value is None:
        text = (ROOT / place).read_text(encoding="utf-8")
        assert quantity in text or quantity.split(" (")[0] in text, f"{place} does not name it"
        return
    assert_same(value(), case(name)[quantity], ROUNDING.get(name, 1e-13), place)


def assert_same(found, recorded, rounding: float, place: str) -> None:
    """Of a table of numbers: what the place shows, which is something."""
    if isinstance(found, dict):
        assert found, place
        for key, value in found.items():
            assert_same(value, recorded[key], rounding, f"{place}: {key}")
    elif isinstance(recorded, str) and recorded.startswith("zero"):
        np.testing.assert_allclose(found, 0, atol=1e-8, err_msg=place)
    elif isinstance(recorded, str):  # "0, 200/19, -200/19, -200/19"
        whole = [float(x.split("/")[0]) for x in recorded.split(",")]
        np.testing.assert_allclose(np.ravel(found), whole, rtol=0, atol=1e-11, err_msg=place)
    else:
        expected = np.asarray(recorded, float)
        scale = np.abs(expected).max(initial=0.0)
        noise = max(rounding * scale, 1e-14) if scale > NOTHING else NOTHING
        np.testing.assert_allclose(np.asarray(found, float), expected, rtol=5.5e-12,
                                   atol=noise, err_msg=place)  # fmt: skip


def test_most_numbers_are_shown_to_readers():
    """Numbers with an equation of their source are all shown by `explain` or a script."""
    import yaml

    for name in CASES:
        content = yaml.safe_load((DATA / f"{name}.yaml").read_text())
        for check in content["checks"]:
            place, value = WHERE[name](check["quantity"])
            if check.get("eq"):
                assert value is not None, (name, check["quantity"], place)
    hidden = [number for number in NUMBERS if WHERE[number[0]](number[1])[1] is None]
    assert len(hidden) <= 15, hidden


def test_a_wrong_number_is_noticed():
    recorded = case("000_four_link_closed")["H_4"]
    with pytest.raises(AssertionError):
        assert_same(recorded + 1e-9, recorded, 1e-13, "here")
    with pytest.raises(AssertionError):
        assert_same({}, {"a": 1.0}, 1e-13, "here")
