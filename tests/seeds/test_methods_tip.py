"""A chain with a constrained tip by the method of [VanDerMerwe1995, 5.7-5.30, 5.75].

Every printed number of the four-link chain (case 000_four_link_closed), its recorded motion and
the source's own Euler steps; then a spatial arm at random states against `solve` of the same arm
with a contact: class I with a given force and a moving environment, class II with friction,
redundant constraints.
"""

from fractions import Fraction

import numpy as np
import pytest

import armillary as am
from armillary.errors import InputError
from armillary.textbook import corrective_force, tip_constraint
from armillary.textbook.tip_constraint import SOLUTIONS
from seeds.cases import assert_rows, assert_value, case, columns, serial, table

FOUR = case("000_four_link_closed")
HELD = ("rx", "rz", "dx", "dy", "dz")
Q = V = TAU = np.zeros(4)


@pytest.fixture(scope="module")
def chain() -> am.Mechanism:
    return serial("four-link", FOUR.problem)


@pytest.fixture(scope="module")
def rubbing(chain) -> am.Mechanism:
    viscous = FOUR.problem["simulation"]["viscous_friction_per_joint"]
    friction = am.Passive(viscous=viscous)
    return chain.replace(bodies={name: {"passive": friction} for name in chain.bodies})


PRINTED = {
    "H": "H_4", "bias": "Gamma_bias", "J": "J_end", "Omega": "Omega",
    "Lambda_inverse": "Lambda^-1", "qdd_open": "qdd_open", "xdd_open": "xdd_open (6 components)",
    "A": "A", "b": "b", "h_c": "h^c", "qdd": "qdd closed",
}  # fmt: skip


@pytest.mark.parametrize("solution", ["leading", "smallest"])
@pytest.mark.parametrize("coordinates", ["world_aligned", "local"])
def test_printed_numbers(chain, solution, coordinates):
    """5.104-5.133 (errata 0-30, 0-31, 0-33)."""
    phi_c = np.array(FOUR.problem["tip"]["phi_constraint_columns"], float).T
    found = tip_constraint(chain, "tip", Q, V, TAU, phi_c, solution=solution,
                           coordinates=coordinates)  # fmt: skip
    for name, quantity in PRINTED.items():
        assert_value(getattr(found, name), FOUR[quantity])
    assert_value(np.linalg.inv(found.H), FOUR["H^-1"])
    assert_value(found.f[5], FOUR["f (6th component)"])
    np.testing.assert_array_equal(found.phi, np.array(FOUR.problem["tip"]["phi_free"]).T)
    assert (found.rank, found.f_on_tip[5]) == (2, -found.f[5])
    np.testing.assert_allclose(found.residual, 0, atol=1e-13)
    np.testing.assert_allclose(found.g, found.xdd[1:2], atol=1e-13)
    by_name = tip_constraint(chain, "tip", Q, V, TAU, HELD)
    np.testing.assert_allclose(by_name.qdd, found.qdd, rtol=0, atol=1e-13)


def test_it_prints_with_units(chain):
    text = str(tip_constraint(chain, "tip", Q, V, TAU, HELD))
    assert "f [N m, N]: force exerted by the tip (5.30)" in text
    assert "10.52632" in text and "-4.473684" in text


def test_recorded_motion(rubbing):
    """Accelerations and pin forces along 10 s."""
    data = table("000_four_link_closed_reference")
    q, v, a = (columns(data, *(f"{x}{k}" for k in range(1, 5))) for x in ("q", "qd", "qdd"))
    found = [tip_constraint(rubbing, "tip", *x, TAU, HELD) for x in zip(q, v, strict=True)]
    assert_rows([x.qdd for x in found], a)
    assert_rows([x.f[[3, 5]] for x in found], columns(data, "f_env_x", "f_env_z"))


def test_euler_steps_with_the_corrective_force(rubbing):
    """5.75 on the tip (errata 0-27): the recorded steps of 1 ms."""
    simulation = FOUR.problem["simulation"]
    step, gains = simulation["step"], simulation["corrective_force"]
    place = FOUR.problem["tip"]["position"]
    q, v, rows = np.zeros(4), np.zeros(4), []
    for _ in range(401):
        pull = corrective_force(rubbing, "tip", q, v, ("dx", "dz"), place, gains["kp"], gains["kv"])
        x = tip_constraint(rubbing, "tip", q, v, TAU, ("dx", "dz"), corrective=pull)
        error = rubbing.pose(q, "tip")[1] - place
        rows.append([*q, *v, *x.qdd, *x.f[[3, 5]], *pull[[3, 5]], *error[[0, 2]]])
        np.testing.assert_allclose(x.f_on_tip, pull - x.f, atol=1e-12)
        np.testing.assert_allclose(x.residual, 0, atol=1e-10)
        q, v = q + step * v, v + step * x.qdd
    data = table("000_four_link_closed_euler1ms")
    names = [f"{x}{k}" for x in ("q", "qd", "qdd") for k in range(1, 5)]
    names += [f"{x}_{axis}" for x in ("f_env", "fcorr", "tip_err") for axis in "xz"]
    recorded = columns(data, *names)
    scale = np.abs(recorded).max(axis=0)
    assert (np.abs(np.array(rows[::100]) - recorded[:5]) <= 5e-10 * scale).all()


# -- against the general solver ------------------------------------------------------------------


def arm(joints: int) -> am.Builder:
    rng = np.random.default_rng(5)
    builder = am.Builder("arm")
    parent, at = "world", (0.0, 0.0, 0.0)
    for k in range(joints):
        kind = "prismatic" if k == 3 else "revolute"
        builder.body(f"link{k}", parent, kind, at, axis=tuple(rng.normal(size=3)),
                     mass=rng.uniform(0.5, 2), com=tuple(rng.normal(size=3) * 0.1),
                     inertia=(0.06, 0.07, 0.08), passive=am.Passive(viscous=0.1))  # fmt: skip
        parent, at = f"link{k}", tuple(rng.uniform(-0.4, 0.5, 3))
    builder.frame("tip", parent, at)
    return builder


ARMS = {n: arm(n).build() for n in (4, 7)}


def states(joints: int, seed: int):
    rng = np.random.default_rng(seed)
    return rng.uniform(-1, 1, (3, joints)) * np.array([[1.2], [2.0], [5.0]])


NAMES = np.array(["rx", "ry", "rz", "dx", "dy", "dz"])


def touching(joints: int, q, held, **contact):
    """The arm, the same in contact where it is at q, and the axes of the environment: the tip's."""
    free = ARMS[joints]
    R, p = free.pose(q, "tip")
    builder = arm(joints)
    spot = am.Frame("spot", "world", am.Pose(tuple(p), tuple(map(tuple, R))))
    builder.contact("touch", spot, "tip", held, **contact)
    return free, builder.build(), np.kron(np.eye(2), R)


CONTACTS = [("dz",), ("dx", "dy", "dz"), ("rx", "ry", "dz"), tuple(NAMES)]


@pytest.mark.parametrize("held", CONTACTS, ids="-".join)
@pytest.mark.parametrize("seed", range(4))
def test_class_one(held, seed):
    """Given forces along free directions, given motion of the environment."""
    q, v, tau = states(7, seed)
    kept = np.isin(NAMES, held)
    rng = np.random.default_rng(seed)
    given = dict(zip(NAMES[~kept], rng.normal(size=(~kept).sum()), strict=True))
    motion = rng.normal(size=kept.sum())
    free, tied, axes = touching(7, q, held, force=given)
    by_tip = -np.array(list(given.values()))
    x = tip_constraint(free, "tip", q, v, tau, axes[:, kept], motion, by_tip, axes[:, ~kept])
    y = tied.solve(q, v, tau, prescribed={"touch": motion})
    np.testing.assert_allclose(x.qdd, y.acceleration, rtol=0, atol=1e-10)
    np.testing.assert_allclose(
        axes.T @ x.f_on_tip, y.constraint_forces["touch"], rtol=0, atol=1e-10
    )
    assert x.rank == y.rank == len(held)


@pytest.mark.parametrize("seed", range(4))
def test_class_two(seed):
    """Friction: the force along x and y follows the one along z."""
    q, v, tau = states(7, seed)
    laws = (("dx", "dz", 0.3), ("dy", "dz", -0.2))
    free, tied, axes = touching(7, q, ("dz",), friction=laws)
    mu = np.array([[0.0, 0.0, 0.0, 0.3, -0.2]]).T
    x = tip_constraint(free, "tip", q, v, tau, axes[:, 5:], free=axes[:, :5], friction=mu)
    y = tied.solve(q, v, tau)
    np.testing.assert_allclose(x.qdd, y.acceleration, rtol=0, atol=1e-10)
    np.testing.assert_allclose(
        axes.T @ x.f_on_tip, y.constraint_forces["touch"], rtol=0, atol=1e-10
    )


@pytest.mark.parametrize("solution", ["leading", "smallest"])
@pytest.mark.parametrize("seed", range(3))
def test_redundant_constraints(solution, seed):
    """Four joints, six constraints, asked for what it can do: the motion is that of the four."""
    q, v, tau = states(4, seed)
    rng = np.random.default_rng(seed)
    free, tied, axes = touching(4, q, tuple(NAMES))
    J = free.jacobian(q, "tip", "world_aligned")
    wanted = J @ rng.normal(size=4) + free.jacobian_dot(q, v, "tip", "world_aligned") @ v
    x = tip_constraint(free, "tip", q, v, tau, axes, g_c=axes.T @ wanted, solution=solution)
    y = tied.solve(q, v, tau, prescribed={"touch": axes.T @ wanted})
    np.testing.assert_allclose(x.qdd, y.acceleration, rtol=0, atol=1e-9)
    np.testing.assert_allclose(x.residual, 0, atol=1e-9)
    assert (x.rank, y.rank) == (4, 4)
    # what forces share: their action on the joints
    action = J.T @ x.f_on_tip, J.T @ axes @ y.constraint_forces["touch"]
    np.testing.assert_allclose(*action, rtol=0, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_which_solution_of_a_deficient_system(seed):
    """5.129: "leading" is the one whose free variables are zero.  By exact elimination with
    fractions, column by column, of a system with whole numbers; "smallest" by the definition
    x = A^T y.  Both solve it, and they are not the same."""
    rng = np.random.default_rng(seed)
    factors = rng.integers(-3, 4, (6, 3)), rng.integers(-3, 4, (3, 6))
    A = factors[0] @ factors[1]
    A[:, 2] = 2 * A[:, 0] - A[:, 1]  # a free variable before the last pivot
    b = A @ rng.integers(-3, 4, 6)
    columns = _pivots(A)
    assert 2 not in columns and len(columns) < 6
    x, y = (SOLUTIONS[name](A.astype(float), b.astype(float)) for name in ("leading", "smallest"))
    free = np.setdiff1d(np.arange(6), columns)
    assert (x[free] == 0.0).all()
    for found in (x, y):
        np.testing.assert_allclose(A @ found, b, rtol=0, atol=1e-11 * np.abs(b).max())
    along = np.linalg.lstsq(A.T.astype(float), y, rcond=None)[0]
    np.testing.assert_allclose(A.T @ along, y, rtol=0, atol=1e-11 * np.abs(y).max())
    assert np.linalg.norm(x) > 1.01 * np.linalg.norm(y)


def _pivots(A) -> list[int]:
    """Columns that do not depend on those before them, in exact arithmetic."""
    rows, columns = [[Fraction(int(x)) for x in row] for row in A], []
    for k in range(A.shape[1]):
        row = len(columns)
        pivot = next((i for i in range(row, len(rows)) if rows[i][k]), None)
        if pivot is None:
            continue
        rows[row], rows[pivot] = rows[pivot], rows[row]
        for i in range(row + 1, len(rows)):
            share = rows[i][k] / rows[row][k]
            rows[i] = [x - share * y for x, y in zip(rows[i], rows[row], strict=True)]
        columns.append(k)
    return columns


@pytest.mark.parametrize("solution", ["leading", "smallest"])
def test_the_solution_that_was_asked_for(solution):
    """A link in the plane held in all six directions: it can turn, and nothing else is felt.

    A revolute link of length l about z with its tip held in rz and dy (the torque on the joint is
    n + l f): the leading solution is a torque alone, the smallest shares (n, f) ~ (1, l)."""
    length, torque = 0.7, 3.0
    builder = am.Builder("link", (0.0, 0.0, 0.0))
    builder.body("link", joint="revolute", axis="z", mass=2.0, com=(0.3, 0, 0),
                 inertia=(0.1, 0.1, 0.1))  # fmt: skip
    builder.frame("tip", "link", (length, 0.0, 0.0))
    x = tip_constraint(builder.build(), "tip", [0.0], [0.0], [torque], NAMES, solution=solution)
    n, f = x.f[2], x.f[4]
    expected = {
        "leading": (torque, 0.0),
        "smallest": (torque / (1 + length**2), torque * length / (1 + length**2)),
    }
    np.testing.assert_allclose((n, f), expected[solution], rtol=0, atol=1e-12 * torque)
    np.testing.assert_allclose(x.qdd, 0.0, atol=1e-12 * torque)


@pytest.mark.parametrize("seed", range(3))
def test_constraints_that_turn_with_the_tip(seed):
    """Local coordinates: the velocity along the tip's own x and z keeps its rate."""
    q, v, tau = states(7, seed)
    chain = ARMS[7]
    x = tip_constraint(chain, "tip", q, v, tau, ("dx", "dz"), g_c=(0.2, -0.1), coordinates="local")
    rest = chain.inverse_dynamics(q, v, x.qdd, {"tip": x.f_on_tip}) - tau
    np.testing.assert_allclose(rest, 0, atol=1e-11)
    step = 1e-5
    later, sooner = (
        chain.velocity(q + s * v + s * s / 2 * x.qdd, v + s * x.qdd, "tip") for s in (step, -step)
    )
    rate = (later - sooner)[[3, 5]] / (2 * step)
    np.testing.assert_allclose(rate, [0.2, -0.1], rtol=0, atol=1e-6)


def test_it_pulls_back_a_turned_tip():
    """5.75 with a wanted orientation: the torque turns the tip towards it."""
    q = states(7, 1)[0]
    chain = ARMS[7]
    R, p = chain.pose(q, "tip")
    c, s, higher = np.cos(0.2), np.sin(0.2), p + np.array([0, 0, 0.1])
    wanted = np.array([[1, 0, 0], [0, c, -s], [0, s, c]]) @ R
    pull = corrective_force(chain, "tip", q, 0 * q, NAMES, higher, 10.0, 1.0, wanted)
    np.testing.assert_allclose(pull, [2.0, 0, 0, 0, 0, 1.0], rtol=0, atol=1e-12)
    local = corrective_force(chain, "tip", q, 0 * q, NAMES, higher, 10.0, 1.0, wanted,
                             coordinates="local")  # fmt: skip
    np.testing.assert_allclose(np.kron(np.eye(2), R) @ local, pull, rtol=0, atol=1e-12)


def test_bad_input(chain):
    with pytest.raises(InputError, match="expected different ones of rx"):
        tip_constraint(chain, "tip", Q, V, TAU, ("dx", "up"))
    with pytest.raises(InputError, match="orthonormal columns"):
        tip_constraint(chain, "tip", Q, V, TAU, 2 * np.eye(6))
    with pytest.raises(InputError, match="free: expected 3 orthonormal columns"):
        tip_constraint(chain, "tip", Q, V, TAU, ("dx", "dy", "dz"), free=np.eye(6)[:, 1:4])
    with pytest.raises(InputError, match=r"shape \(5, 1\)"):
        tip_constraint(chain, "tip", Q, V, TAU, ("dz",), friction=[[1.0]])
    with pytest.raises(InputError, match="expected one state"):
        tip_constraint(chain, "tip", np.zeros((2, 4)), V, TAU, ("dz",))
