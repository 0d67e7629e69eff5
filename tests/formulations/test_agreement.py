"""Every formulation against an oracle that shares nothing with it, on every kind of mechanism.

The oracle is `Direct` (tests/oracles): 4x4 matrices, d'Alembert's principle over points."""

import dataclasses

import numpy as np
import pytest

import armillary as am
import samples
from armillary.model import Builder, Passive, Rotor
from armillary.textbook.formulations.registry import QUANTITIES
from constrained.closed_machines import allowed, closed_tree
from oracles.direct import Direct

TREE = [f for f in am.methods.FORMULATIONS if f.quantity != "constrained dynamics"]
CLOSE = 1e-10  # of the forces in play


def known(m: am.Mechanism) -> list:
    return [f for f in TREE if not f.refusal(m.model)]


def answers(m: am.Mechanism, q, v, a, tau) -> dict[str, np.ndarray]:
    given = {"q": q, "v": v, "a": a, "tau": tau}
    return {f.name: f(m, *(given[x] for x in QUANTITIES[f.quantity][0])) for f in known(m)}


def assert_right(m: am.Mechanism, q, v, a, passive: bool = False) -> set[str]:
    """All that know the mechanism, each against the oracle; their names."""
    direct = Direct(m.model, passive)
    M, tau = direct.mass_matrix(q), direct.inverse_dynamics(q, v, a)
    still = dataclasses.replace(m.model, base_velocity=(), base_acceleration=())
    rest = Direct(still, passive).gravity_forces(q)
    size = np.sqrt(np.diag(M))
    forces = np.abs(tau) + np.abs(M @ a) + np.abs(tau - M @ a)
    forces = forces + 1e-3 * forces.max(initial=0.0)
    motion = np.abs(np.linalg.inv(M)) @ forces + np.abs(a)
    expected = {
        "mass matrix": (M, np.outer(size, size)),
        "statics": (rest, forces + np.abs(rest).max(initial=1e-9)),
        "inverse dynamics": (tau, forces),
        "forward dynamics": (a, motion),
    }
    found = answers(m, q, v, a, tau)
    for f in known(m):
        value, scale = expected[f.quantity]
        error = (np.abs(found[f.name] - value) / scale).max(initial=0.0)
        assert error < CLOSE, (f.name, m.name, error)
    return set(found)


@pytest.mark.parametrize("name", samples.mechanisms())
def test_all_agree_with_the_oracle(name):
    """Every joint type, full tensors, branches, right angles, heavy on light."""
    m = samples.mechanisms()[name]
    assert_right(m, *samples.random_state(m.model, 5))


@pytest.mark.parametrize("name", am.example_names())
def test_the_trees_of_all_built_in_mechanisms(name):
    m = am.example(name).tree
    q, v, a = samples.random_state(m.model, 6)
    if np.linalg.cond(m.mass_matrix(q, passive=True)) > 1e12:
        pytest.skip("bodies without inertia: the tree alone has no accelerations")
    check = m.check(q, v, m.inverse_dynamics(q, v, a))
    assert check.agreed and check.worst < CLOSE, check


@pytest.mark.parametrize("case", samples.near_singular_states(), ids=lambda c: c[0])
def test_close_to_singular_places(case):
    _, model, q, v, a = case
    m = am.Mechanism(model)
    check = m.check(q, v, m.inverse_dynamics(q, v, a))
    assert check.agreed, check


def turning_chain(base: str) -> am.Mechanism:
    """One, two and three turns per joint, offsets, full tensors: the chains of document 004."""
    b, rng = Builder("turning", gravity=(1.0, -2.0, -9.0)), np.random.default_rng(4)
    kinds = [base, "universal", "revolute", "gimbal", "fixed", "spherical", "revolute"]
    for k, kind in enumerate(kinds):
        options = {"free": ("rx", "ry", "rz")} if kind == "gimbal" else {}
        options = options or (samples.random_joint(kind, rng) if kind != "gimbal" else {})
        b.body(f"body{k}", f"body{k - 1}" if k else "world", kind, samples.random_pose(rng),
               mass=samples.random_mass(rng), **options)  # fmt: skip
    return am.Mechanism(b.build())


@pytest.mark.parametrize("base", ["revolute", "spherical", "free"])
def test_chains_of_turning_joints_with_fixed_and_translating_base(base):
    m = turning_chain(base)
    names = assert_right(m, *samples.random_state(m.model, 7))
    assert {"quasi-coordinates", "mixed form", "configuration inertia"} <= names


def test_a_structured_arm_is_known_to_all_revolute_formulations():
    m = am.Mechanism(samples.structured_model(1, ("revolute",), 1))
    names = assert_right(m, *samples.random_state(m.model, 1))
    assert {f.name for f in TREE} - names == {"sorted subspaces"}  # nothing is flexible


def test_every_formulation_is_met_somewhere():
    """No row of the table is outside its own tests."""
    machines = [*samples.mechanisms().values(), turning_chain("free"), arm_with_everything()]
    assert {f.name for m in machines for f in known(m)} == {f.name for f in TREE}
    closed = {f.name for name in CLOSED for f in am.methods.formulations(None, am.example(name))}
    assert closed >= {f.name for f in am.methods.formulations("constrained dynamics")}


def arm_with_everything(kinds=("revolute", "prismatic", "universal")) -> am.Mechanism:
    b, rng = Builder("resisted"), np.random.default_rng(9)
    for k, kind in enumerate(kinds):
        b.body(f"body{k}", f"body{k - 1}" if k else "world", kind, samples.random_pose(rng),
               mass=samples.random_mass(rng), rotor=Rotor(0.02 * (k + 1), 5.0),
               passive=Passive(viscous=0.3, coulomb=0.2, smoothing=0.1, spring=4.0, rest=0.2),
               **samples.random_joint(kind, rng))  # fmt: skip
    b.frame("tip", f"body{len(kinds) - 1}", samples.random_pose(rng))
    return am.Mechanism(b.build())


@pytest.mark.parametrize("kinds", [("revolute", "prismatic", "universal"), ("revolute",) * 3])
def test_friction_springs_and_rotors(kinds):
    m = arm_with_everything(kinds)
    assert_right(m, *samples.random_state(m.model, 2), passive=True)


def test_external_wrenches_enter_all():
    """M a + h - J^T f, with J of the oracle."""
    m, wrench = arm_with_everything(("revolute",) * 3), np.array([1.0, -2.0, 0.5, 3.0, 4.0, -1.0])
    q, v, a = samples.random_state(m.model, 3)
    tau = Direct(m.model, True).inverse_dynamics(q, v, a, {"tip": wrench})
    for f in am.methods.formulations("inverse dynamics", m):
        np.testing.assert_allclose(f(m, q, v, a, external={"tip": wrench}), tau, rtol=1e-11)
    for f in am.methods.formulations("forward dynamics", m):
        np.testing.assert_allclose(f(m, q, v, tau, external={"tip": wrench}), a, rtol=1e-9)
    assert m.check(q, v, tau, external={"tip": wrench}).agreed


def test_force_elements_enter_all():
    b = Builder("sprung")
    b.body("upper", axis="y", mass=2.0, com=(0.2, 0, 0.1), inertia=(0.1, 0.2, 0.3))
    b.body("lower", "upper", "revolute", (0.4, 0, 0), axis="y", mass=1.0, com=(0.1, 0.1, 0))
    b.frame("end", "lower", (0.3, 0, 0))
    b.spring("strut", "world", "end", stiffness=200.0, rest=0.3, damping=3.0)
    m = am.Mechanism(b.build())
    check = m.check([0.3, -0.8], [1.0, -2.0], [0.5, 0.1])
    assert check.agreed and len(check.agreements[3].answers) >= 6
    bare = am.methods.formulation("virtual power")(m, [0.3, -0.8], [1, -2], [0, 0], passive=False)
    assert np.abs(m.bias_forces([0.3, -0.8], [1.0, -2.0]) - bare).max() > 1.0


def test_a_base_that_moves_as_prescribed():
    model = samples.random_model(31, bodies=5)
    moving = am.Mechanism(model).replace(
        base_velocity=(0.3, -0.2, 0.5, 1.0, 2.0, -1.0), base_acceleration=(0.1, 0.4, -0.3, 2, 1, 3)
    )
    names = assert_right(moving, *samples.random_state(model, 8))
    assert {"operator form", "virtual power", "Cartesian tensors", "absolute coordinates"} <= names
    assert not names & {"Lagrange", "Boltzmann-Hamel", "Coriolis form"}
    reason = am.methods.formulation("Boltzmann-Hamel").refusal(moving.model)
    assert reason == "the base moves as prescribed, and it knows ground at rest"


def closed_state(m: am.Mechanism, seed: int = 3):
    _, v, tau = m.random_state(seed)
    return *m.project(m.assemble(m.initial).q, v), tau


CLOSED = [name for name in am.example_names() if am.example(name).constraints]


@pytest.mark.parametrize("name", [name for name in CLOSED if name != "rover"])
def test_closed_mechanisms(name):
    """All ways to the constrained motion; redundant rows, rolling, massless bodies."""
    m = am.example(name)
    check = m.check(*closed_state(m))
    assert check.agreed and check.worst < CLOSE, check
    ways = next(x for x in check.agreements if x.quantity == "constrained dynamics")
    asked = {f.name for f in am.methods.formulations("constrained dynamics", m)}
    massless = any("inertia" in why for why in ways.refused.values())
    assert (set(ways.answers) == asked and len(asked) >= 8) or massless


def test_rows_that_contradict_each_other_are_told():
    """A rover with one wheel steered: no motion obeys all rows, and nobody may pretend."""
    m = am.example("rover")
    check = m.check(*closed_state(m))
    assert not check.agreed
    assert "contradict each other" in str(check)
    with pytest.raises(am.DisagreementError, match="rows: given accelerations"):
        check.certify()


def asked_and_agreed(m: am.Mechanism, q, v, tau) -> set[str]:
    """Names of the ways to the constrained motion; all of them agree."""
    check = m.check(q, v, tau)
    assert check.agreed, check
    ways = next(x for x in check.agreements if x.quantity == "constrained dynamics")
    assert not [why for why in ways.refused.values() if "not at this state" in why], check
    return set(ways.answers)


# every joint type in the tree; loops of every type, wheels, couplings, rods
RANDOM = [
    ("gimbal-rx-rz", "planar"), ("disc", "spherical"), ("coupling", "distance"),
    *(pytest.param(kinds, marks=pytest.mark.soak) for kinds in (
        ("spherical", "revolute"), ("universal", "cylindrical"), ("prismatic", "helical"),
        ("fixed",), ("ball", "gimbal-ry-dx"), ("knife", "revolute"), ("disc-on-body",))),
]  # fmt: skip


@pytest.mark.parametrize("closing", RANDOM, ids="-".join)
def test_random_closed_trees(closing):
    """Branches, all joints, full tensors, in motion: arms between contact bodies know loops and
    wheels, all others know everything."""
    m, q = closed_tree(3, closing, bodies=10)
    rng = np.random.default_rng(2)
    names = asked_and_agreed(m, q, allowed(m, q), rng.normal(size=m.nv))
    known = not {"coupling", "distance"} & set(closing)
    assert ("arms between contact bodies" in names) == known
    assert {"pseudo joints", "null-space reduction", "multipliers"} <= names


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in (1, 2))]
)
def test_structured_closed_trees(seed):
    """Right angles, opposed axes, zeros: a structured tree closed by a ball and a hinge."""
    model = samples.structured_model(seed)
    q, _, _ = samples.random_state(model, seed)
    tree = am.Mechanism(model)
    b = am.Builder(model.name, gravity=model.gravity)
    for body in model.bodies:
        b.add(body)
    last = model.bodies[-1].name
    R, p = tree.pose(q, last)
    spot = am.Frame("spot", "world", am.Pose(tuple(p), tuple(map(tuple, R))))
    b.loop("ball", spot, am.Frame("end", last, am.Pose()), "spherical")
    m = b.build()
    names = asked_and_agreed(m, q, allowed(m, q), np.arange(1.0, m.nv + 1))
    assert "arms between contact bodies" in names
