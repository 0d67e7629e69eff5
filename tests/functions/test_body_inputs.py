"""Bodies as data: inertias and joint frames that differ per state, in loop and straight-line code.

Each row is checked against the mechanism rebuilt with `replace`, which shares none of the data's
way into the kernels, and against Pinocchio's model of that mechanism."""

from functools import cache

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import armillary as am
from armillary.errors import InputError
from armillary.model import Mass, Pose
from compare import close
from oracles.pinocchio_model import pin_from_model
from robots import robot
from samples import random_mass, random_pose


@cache
def chain(count: int = 100) -> am.Mechanism:
    """Turning, sliding and welded bodies in a row, with a side branch every ten."""
    rng = np.random.default_rng(3)
    builder = am.Builder("long chain")
    parent = "world"
    for k in range(count):
        kind = ("revolute", "prismatic", "revolute", "fixed")[k % 4]
        axis = {} if kind == "fixed" else {"axis": tuple(rng.normal(size=3))}
        builder.body(f"b{k}", parent, kind, random_pose(rng, 0.1), mass=random_mass(rng), **axis)
        parent = f"b{k - 1}" if k % 10 == 9 else f"b{k}"
    builder.frame("grip", "b3", random_pose(rng))  # on a welded body
    return builder.build()


@cache
def small(name: str, tier: int) -> am.Mechanism:
    arm = am.load(robot(name), base="free" if name == "solo12" else None)
    return arm.tree.compile(tier=tier)


TENSOR = ((0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2))  # xx, yy, zz, xy, xz, yz


def spread(arm: am.Mechanism, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Inertias (the model's and some mass points) and displaced joint frames, row by row."""
    rng = np.random.default_rng(rows)
    count = len(arm.bodies)
    m, r = rng.uniform(0.1, 0.5, (rows, count, 4)), rng.normal(size=(rows, count, 4, 3))
    tensors = (r**2).sum(-1)[..., None, None] * np.eye(3) - r[..., None] * r[..., None, :]
    ten = np.concatenate([np.ones_like(m)[..., None], r, tensors[..., *TENSOR]], axis=-1)
    points = np.einsum("bnk,bnki->bni", m, ten).reshape(rows, -1)
    return arm.parameters + points, 0.3 * rng.normal(size=(rows, 6 * count))


def rebuilt(arm: am.Mechanism, parameters=None, offsets=None) -> am.Mechanism:
    """The mechanism of one row."""
    changes: dict = {name: {} for name in arm.bodies}
    for k, name in enumerate(arm.bodies):
        if parameters is not None:
            (m,), h, (xx, yy, zz, xy, xz, yz) = np.split(parameters[10 * k : 10 * k + 10], [1, 4])
            tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            tensor = tensor - (h @ h * np.eye(3) - np.outer(h, h)) / m
            changes[name]["mass"] = Mass(float(m), tuple(h / m), tuple(tensor[TENSOR]))
        if offsets is not None:
            turn, shift = np.split(offsets[6 * k : 6 * k + 6], 2)
            R = Rotation.from_rotvec(turn).as_matrix()
            moved = Pose(tuple(shift), tuple(map(tuple, R)))
            changes[name]["at"] = arm.model.body(name).at.then(moved)
    return arm.replace(bodies=changes)


GIVEN = ("parameters", "offsets", "both")


def given(which: str, parameters, offsets) -> dict:
    both = {"parameters": parameters, "offsets": offsets}
    return both if which == "both" else {which: both[which]}


def compare_rows(arm: am.Mechanism, which: str, rows: int, looked_at) -> None:
    q, v, a = arm.random_state(5, rows)
    numbers = given(which, *spread(arm, rows))
    tau = arm.inverse_dynamics(q, v, a, **numbers)
    h, M = arm.bias_forces(q, v, **numbers), arm.mass_matrix(q, **numbers)
    back = arm.forward_dynamics(q, v, tau, **numbers)
    for k in looked_at:
        row = {name: x[k] for name, x in numbers.items()}
        other = rebuilt(arm, **row).compile(tier=1)
        close(tau[k], other.inverse_dynamics(q[k], v[k], a[k]), 1e-13)
        close(h[k], other.bias_forces(q[k], v[k]), 1e-13)
        close(M[k], other.mass_matrix(q[k]), 1e-13)
        close(back[k], other.forward_dynamics(q[k], v[k], tau[k]), 1e-9)
        np.testing.assert_array_equal(tau[k], arm.inverse_dynamics(q[k], v[k], a[k], **row))


@pytest.mark.parametrize("which", GIVEN)
def test_a_hundred_bodies_that_differ_in_every_row(which):
    compare_rows(chain(), which, 64, (0, 33, 63))
    assert {e.tier for e in chain().inverse_dynamics.compile_report()} == {1}


@pytest.mark.parametrize("name,which,tier", [
    ("ur5", "parameters", 1), ("ur5", "parameters", 2), ("ur5", "both", 2), ("solo12", "both", 1),
])  # fmt: skip
def test_robots(name, which, tier):
    compare_rows(small(name, tier), which, 5, (0, 4))
    assert {e.tier for e in small(name, tier).inverse_dynamics.compile_report()} == {tier}


def test_against_pinocchio():
    """Its model of the mechanism of a row."""
    arm, rows = chain(), 8
    q, v, a = arm.random_state(6, rows)
    parameters, offsets = spread(arm, rows)
    wrench = np.random.default_rng(0).normal(size=(rows, 6))
    numbers = {"parameters": parameters, "offsets": offsets}
    tau = arm.inverse_dynamics(q, v, a, {"grip": wrench}, **numbers)
    found = arm.forward_dynamics(q, v, tau, {"grip": wrench}, **numbers)
    for k in (0, 7):
        theirs = pin_from_model(rebuilt(arm, parameters[k], offsets[k]).model)
        close(tau[k], theirs.inverse_dynamics(q[k], v[k], a[k], {"grip": wrench[k]}), 1e-12)
        close(found[k], theirs.forward_dynamics(q[k], v[k], tau[k], {"grip": wrench[k]}), 1e-8)


@pytest.mark.parametrize("tier", [1, 2])
def test_a_wrench_on_a_welded_body(tier):
    """The frame moves with the displaced weld."""
    arm = chain(5).compile(tier=tier)
    q, v, a = arm.random_state(1)
    parameters, offsets = (x[0] for x in spread(arm, 1))
    push = {"grip": np.arange(6.0)}
    for numbers in ({"parameters": parameters}, {"offsets": offsets}):
        other = rebuilt(arm, **numbers)
        found = arm.inverse_dynamics(q, v, a, push, **numbers)
        close(found, other.inverse_dynamics(q, v, a, push), 1e-13)


def test_single_precision():
    arm = chain()
    parameters, offsets = spread(arm, 9)
    q, v, a = (x.astype(np.float32) for x in arm.random_state(2, 9))
    numbers = {"parameters": parameters, "offsets": offsets}
    found = arm.inverse_dynamics(q, v, a, **numbers)
    exact = arm.inverse_dynamics(*(x.astype(float) for x in (q, v, a)), **numbers)
    assert found.dtype == np.float32
    close(found, exact, 1e-4)


@pytest.mark.parametrize("tier", [1, 2])
def test_one_row_of_bodies_for_all_states(tier):
    arm = chain(5).compile(tier=tier)
    q, v, a = arm.random_state(2, 7)
    parameters, offsets = (x[0] for x in spread(arm, 1))
    tau = arm.inverse_dynamics(q, v, a, parameters=parameters, offsets=offsets)
    np.testing.assert_allclose(
        arm.inverse_dynamics(q, v, a, parameters=arm.parameters, offsets=0 * offsets),
        arm.inverse_dynamics(q, v, a), atol=1e-12,
    )  # fmt: skip
    for k in range(7):
        row = arm.inverse_dynamics(q[k], v[k], a[k], parameters=parameters, offsets=offsets)
        np.testing.assert_array_equal(tau[k], row)
    fixed = arm.inverse_dynamics(q[0], v[0], a[0], parameters=np.tile(parameters, (3, 1)))
    assert fixed.shape == (3, arm.nv)


@pytest.mark.parametrize("tier", [1, 2])
def test_a_bad_row_of_bodies_stays_alone(tier):
    arm = chain(5).compile(tier=tier)
    q, v, a = arm.random_state(2, 6)
    parameters, offsets = spread(arm, 6)
    clean = arm.inverse_dynamics(q, v, a, parameters=parameters, offsets=offsets)
    offsets[4, 7] = np.nan
    found = arm.inverse_dynamics(q, v, a, parameters=parameters, offsets=offsets)
    assert np.isnan(found[4]).all()
    good = [0, 1, 2, 3, 5]
    np.testing.assert_array_equal(found[good], clean[good])


@pytest.mark.parametrize("tier", [1, 2])
def test_offsets_have_the_slopes_of_the_offset_jacobian(tier):
    arm = chain(5).compile(tier=tier)
    q, v, a = arm.random_state(4)
    tau, h = arm.inverse_dynamics(q, v, a), 1e-5
    D = arm.inverse_dynamics.offset_jacobian(q, v, a)
    F = arm.forward_dynamics.offset_jacobian(q, v, tau)
    steps = h * np.eye(len(arm.offset_names))
    up, down = (arm.inverse_dynamics(q, v, a, offsets=s * steps) for s in (1, -1))
    close((up - down).T / (2 * h), D, 1e-7)
    up, down = (arm.forward_dynamics(q, v, tau, offsets=s * steps) for s in (1, -1))
    close((up - down).T / (2 * h), F, 1e-6)


def test_a_run_of_a_long_chain_with_bodies_of_its_own():
    """The native loop over time takes the loop kernel with bodies as data."""
    arm = chain(72)
    parameters, _ = spread(arm, 8)
    run = am.simulate(arm, np.zeros((8, arm.nv)), duration=0.01, parameters=parameters)
    alone = am.simulate(rebuilt(arm, parameters[5]), np.zeros(arm.nv), duration=0.01)
    assert np.abs(alone.q[-1]).max() > 1e-5
    np.testing.assert_allclose(run.q[:, 5], alone.q, atol=1e-15)


def test_wrong_shapes_are_named():
    arm = chain(12)
    q, v, a = arm.random_state(0)
    with pytest.raises(InputError, match=r"offsets: expected 72 numbers per state \(b0.rx"):
        arm.inverse_dynamics(q, v, a, offsets=np.ones(7))
    with pytest.raises(InputError, match=r"offsets: entry 8 \('b1.rz'\) is inf"):
        arm.mass_matrix(q, offsets=np.where(np.arange(72) == 8, np.inf, 0.0))
    with pytest.raises(InputError, match="parameters: 2, offsets: 3"):
        arm.mass_matrix(q, parameters=np.ones((2, 120)), offsets=np.zeros((3, 72)))


@cache
def sprung(tier: int) -> am.Mechanism:
    """Two links with a spring to the world, a bushing between them, and a wheel on the road."""
    rng = np.random.default_rng(8)
    builder = am.Builder("sprung")
    builder.body("arm", "world", "revolute", random_pose(rng), axis="y", mass=random_mass(rng))
    builder.body("fore", "arm", "prismatic", random_pose(rng), axis="x", mass=random_mass(rng))
    top = am.Frame("top", "fore", random_pose(rng))
    builder.spring("strut", "world", top, stiffness=30.0, damping=2.0, rest=0.4)
    builder.bushing("mount", "arm", "fore", stiffness=[5.0] * 6, damping=[0.5] * 6)
    hub = am.Pose((0.0, 0.0, 0.3))
    builder.body("wheel", "world", "prismatic", hub, axis="z", mass=random_mass(rng))
    builder.tyre("tyre", "wheel", radius=0.31)
    return builder.build().compile(tier=tier)


@pytest.mark.parametrize("tier", [1, 2])
def test_forces_of_elements_on_displaced_joints(tier):
    """Readings of elements and tyres follow `offsets`, row by row, as in the mechanism rebuilt."""
    arm = sprung(tier)
    q, v, _ = arm.random_state(5, 5)
    q[:, 2], offsets = 0.01 * q[:, 2], 0.3 * np.random.default_rng(5).normal(size=(5, 18))
    offsets[:, 12:] *= 0.01  # the wheel stays on the road
    found, rolls = arm.element_forces(q, v, offsets=offsets), arm.tyre_forces(q, v, offsets=offsets)
    for k in range(5):
        other = rebuilt(arm, offsets=offsets[k])
        expected = other.element_forces(q[k], v[k])
        close(found.wrench[k], expected.wrench, 1e-12)
        close(found.power[k], expected.power, 1e-12)
        close(rolls.values[k], other.tyre_forces(q[k], v[k]).values, 1e-12)
    plain = arm.element_forces(q, v)
    assert np.abs(found.wrench - plain.wrench).max() > 1.0
    assert np.abs(rolls.column("Fz") - arm.tyre_forces(q, v).column("Fz")).max() > 1.0
