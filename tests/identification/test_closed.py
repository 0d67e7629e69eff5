"""Closed mechanisms: equations along the motions that constraints allow."""

from functools import cache

import numpy as np
import pytest
from measured import chi2, deviations
from scipy.stats import chi2 as chi2_law

import armillary as am
from armillary.studies.identification.admissible import closed_motion
from armillary.studies.identification.design import Design
from armillary.studies.identification.filtering import Motion
from armillary.studies.identification.parameters import Asked, parameters_of
from samples import random_mass

TIMES = np.arange(0.0, 8.0, 0.01)


@cache
def bars() -> am.Mechanism:
    """The four-bar linkage with friction at its crank and a heavier rocker off its line."""
    four = am.example("four-bar")
    return four.replace(
        bodies={
            "crank": {"passive": am.Passive(viscous=0.05, coulomb=0.1)},
            "rocker": {"mass": 0.9, "com": (0.15, 0.0, 0.06)},
        }
    )


@cache
def swing():
    x = 1.2 + 0.9 * np.sin(2.3 * TIMES) + 0.4 * np.sin(5.9 * TIMES + 1.0)
    return am.replay(bars(), (TIMES, {"crank": x}), record="q,v,a,tau")


def log(seed: int, noise: float = 0.01) -> dict:
    run = swing()
    tau = run.tau[:, 0] + noise * np.random.default_rng(seed).normal(size=len(TIMES))
    return {"time": TIMES, "q": run.q, "v": run.v, "a": run.a, "tau": {"crank": tau}}


def believed() -> am.Mechanism:
    return bars().replace(
        bodies={
            "crank": {"mass": 1.0, "passive": am.Passive()},
            "coupler": {"mass": 1.0},
            "rocker": {"mass": 0.5},
        }
    )


def test_the_projected_columns_are_the_forces_of_the_crank():
    """N^T Y π of other masses is what inverse dynamics of the closed mechanism gives for them."""
    run = swing()
    plain = bars()
    asked = parameters_of(plain, Asked(friction=()), [0], "tau")
    motion = Motion(run.time, run.q, run.v, run.a)
    moved, rows = closed_motion(plain, motion, [0], None)
    np.testing.assert_allclose(moved.a, run.a, atol=1e-7 * np.abs(run.a).max())
    assert rows.entries == (0,)
    columns = rows.of(Design(plain, asked).linear(moved))[:, 0]
    for scale in (1.0, np.linspace(0.5, 2.0, 30)):
        parameters = plain.parameters * scale
        tau = plain.inverse_dynamics(
            run.q, run.v, run.a, None, False, parameters=parameters, actuators=["crank"]
        )
        np.testing.assert_allclose(columns @ parameters, tau[:, 0], atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_four_bar(seed):
    found = am.identify(believed(), log(seed))
    low, high = chi2_law.ppf((1e-4, 1.0 - 1e-4), len(found.base_estimates))
    assert low < chi2(found, bars()) < high
    assert np.abs(deviations(found, bars())).max() < 3.0
    assert found.equations.labels == ("crank",) and found.faults == ()
    assert {"crank.viscous", "crank.coulomb"} <= set(found.base_names)
    assert "coupler.yz" in found.unseen  # it moves in its plane
    assert found.mechanism.constraints == ("pin",)
    x = 0.4 + 0.5 * np.cos(3.0 * TIMES)
    other = am.replay(bars(), (TIMES, {"crank": x}), record="q,v,a,tau")
    assert found.validate(other).errors[0] < 0.005


def test_noisy_positions_are_brought_onto_the_constraints():
    data = log(4)
    data["q"] = data["q"] + 1e-6 * np.random.default_rng(9).normal(size=(len(TIMES), 3))
    found = am.identify(believed(), data)
    assert len(found.base_estimates) == len(am.identify(believed(), log(4)).base_estimates)
    assert np.abs(deviations(found, bars())).max() < 3.5


def test_other_coordinates_may_lead():
    """The same crank force, seen along the coupler's angle: the same numbers (exact data).  The
    rocker turns back within the motion, and cannot lead."""
    first = am.identify(believed(), log(0, 0.0))
    other = am.identify(believed(), log(0, 0.0), independent=["coupler"])
    assert other.equations.labels == ("coupler",)
    for one in (first, other):
        truth = one.base_estimates - deviations(one, bars()) * one.standard_errors
        np.testing.assert_allclose(one.base_estimates, truth, atol=1e-4)
    with pytest.raises(am.InputError, match=r"rocker do not determine the motion.*dead centre"):
        am.identify(believed(), log(0), independent=["rocker"])


def test_what_cannot_be():
    with pytest.raises(am.InputError, match="1 freedoms, 2 coordinates are named"):
        am.identify(believed(), log(0), independent=["crank", "rocker"])
    data = log(0)
    data["q"] = data["q"] + np.array([0.0, 0.8, -0.4])
    with pytest.raises(am.InputError, match=r"miss the constraints of 'four-bar': '.*' is off by"):
        am.identify(believed(), data)
    loops = am.Builder("sprung")
    loops.body("bob", joint="free", mass=1.0, inertia=(1.0, 1.0, 1.0))
    spec = am.JointSpec("hinge", "revolute", ((0.0, 1.0, 0.0),), passive=(am.Passive(viscous=1.0),))
    loops.loop("hinge", "bob", "world", spec)
    closed = loops.build()
    q = np.tile(closed.initial, (20, 1))
    rest = {"time": np.arange(20.0), "q": q, "v": np.zeros((20, 6)), "a": np.zeros((20, 6))}
    with pytest.raises(am.InputError, match="'hinge' has friction or springs"):
        am.identify(closed, rest | {"tau": np.zeros((20, 6))})


@cache
def toggle() -> am.Mechanism:
    """A toggle press: two loops over one freedom, ten rows of which six are redundant, full tensors
    and centres off every plane, a ram on a slide; friction in joints that nobody measures."""
    rng = np.random.default_rng(3)
    b = am.Builder("toggle press")
    b.body("crank", joint="revolute", axis="y", mass=random_mass(rng, 12.0, 0.06),
           passive=am.Passive(viscous=0.8, coulomb=1.5))  # fmt: skip
    b.body("rod", "crank", "revolute", (0, 0, 0.12), axis="y", mass=random_mass(rng, 5.0, 0.2))
    b.body("upper", joint="revolute", axis="y", at=(0.5, 0, 0.5), mass=random_mass(rng, 6.0, 0.15))
    b.body("lower", "upper", "revolute", (0, 0, -0.3), axis="y", mass=random_mass(rng, 7.0, 0.15))
    b.body("ram", joint="prismatic", axis="z", at=(0.5, 0, -0.1), mass=random_mass(rng, 40.0, 0.1),
           passive=am.Passive(viscous=300.0))  # fmt: skip
    ends = {"rod": 0.5, "upper": -0.3, "lower": -0.3, "ram": 0.0}
    tips = {name: am.Frame(f"{name}-end", name, am.Pose((0, 0, z))) for name, z in ends.items()}
    b.loop("knee", tips["rod"], tips["upper"], "revolute", axis="y")
    b.loop("foot", tips["lower"], tips["ram"], "revolute", axis="y")
    b.initial = {"crank": 0.2, "rod": 1.0, "upper": 0.3, "lower": -0.5, "ram": 0.0}
    return b.build()


@cache
def stroke():
    t = np.arange(0.0, 10.0, 0.01)
    x = 0.2 + 0.6 * np.sin(3.1 * t) + 0.35 * np.sin(7.7 * t + 1.0) + 0.15 * np.sin(13.3 * t)
    return am.replay(toggle(), (t, {"crank": x}), record="q,v,a,tau")


@pytest.mark.parametrize("seed", range(2))
def test_a_toggle_press_with_friction_at_its_ram(seed):
    """One torque is measured; the friction of the ram is felt there."""
    run, press = stroke(), toggle()
    noise = 0.02 * np.random.default_rng(seed).normal(size=len(run.time))
    log = {"time": run.time, "q": run.q, "v": run.v, "a": run.a}
    log["tau"] = {"crank": run.tau[:, 0] + noise}
    guess = press.replace(
        bodies={
            "crank": {"mass": 20.0, "passive": am.Passive()},
            "upper": {"mass": 4.0},
            "ram": {"mass": 60.0, "passive": am.Passive()},
        }
    )
    friction = {"crank": ("viscous", "coulomb"), "ram": "viscous"}
    found = am.identify(guess, log, friction=friction)
    low, high = chi2_law.ppf((1e-4, 1.0 - 1e-4), len(found.base_estimates))
    assert low < chi2(found, press) < high and np.abs(deviations(found, press)).max() < 3.5
    assert "ram.viscous" in found.base_names
    assert abs(found["ram.viscous"] - 300.0) < 4.0 * found.error_of("ram.viscous") < 60.0
    assert found.faults == () and found.mechanism.constraints == ("knee", "foot")
    assert found.mechanism.model.bodies[4].joint.passive[0].viscous == found["ram.viscous"]


def test_friction_of_an_unmeasured_joint_of_a_tree_is_refused():
    arm = am.example("double-pendulum")
    zero = np.zeros((20, 2))
    data = {"time": np.arange(20.0), "q": zero, "v": zero, "a": zero, "tau": {"elbow": zero[:, 0]}}
    with pytest.raises(am.InputError, match="force of 'shoulder' was not measured"):
        am.identify(arm, data, friction={"shoulder": "viscous"})
