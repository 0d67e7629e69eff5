"""Wheels that roll, by annihilators in both forms of [Yesiloglu2007, 4.39-4.66, 5.7-5.20].

Case 002_wheeled_systems: the unicycle with nine coordinates, the cart with fourteen and the
four-wheel robot with twenty-six, against `solve` of the built-in machines, whose wheels have no
legs.
"""

import numpy as np
import pytest

import armillary as am
from armillary.errors import InputError, ModelError
from armillary.textbook import rolling
from seeds.cases import assert_value, case, six_numbers

WHEELS = case("002_wheeled_systems")
CART = WHEELS.problem["synthetic_cart"]
RADIUS = CART["wheel"]["radius"]
TABLE = WHEELS["dof table"]
SPIN, ACROSS = CART["wheel"]["spin_inertia"], CART["wheel"]["diametral_inertia"]
FORMS = pytest.mark.parametrize("form", ["B", "H"])


def add_leg(builder, wheel: str, k, mass: float = 0.0) -> None:
    """x2 at the wheel's centre, y2 and z3 at the contact (5.7)."""
    inertia = (mass * 0.01,) * 3
    builder.body(f"leg{k}", wheel, "revolute", axis="x", mass=mass, inertia=inertia)
    builder.body(f"heel{k}", f"leg{k}", "revolute", (0, 0, -RADIUS), axis="y", mass=mass,
                 inertia=inertia)  # fmt: skip
    builder.body(f"foot{k}", f"heel{k}", "revolute", axis="z", mass=mass, inertia=inertia)
    builder.frame(f"tip{k}", f"foot{k}")


def unicycle(mass: float = 0.0) -> am.Mechanism:
    builder = am.Builder("unicycle")
    wheel = CART["wheel"]
    builder.body("wheel", joint="free", mass=wheel["mass"], inertia=(SPIN, ACROSS, ACROSS))
    add_leg(builder, "wheel", 1, mass)
    return builder.build()


def cart() -> am.Mechanism:
    builder = am.Builder("cart", tuple(CART["gravity"]))
    axle, wheel = CART["axle"], CART["wheel"]
    builder.body("axle", joint="free", mass=axle["mass"], inertia=six_numbers(axle["inertia"]))
    for k, x in enumerate(wheel["x_positions"], start=1):
        builder.body(f"wheel{k}", "axle", "revolute", (x, 0, 0), axis="x", mass=wheel["mass"],
                     inertia=(SPIN, ACROSS, ACROSS))  # fmt: skip
        add_leg(builder, f"wheel{k}", k)
    return builder.build()


LEG, LEGS = {"tip1": "leg1"}, {"tip1": "leg1", "tip2": "leg2"}


@pytest.fixture(scope="module")
def wheel():
    return unicycle(), am.example("unicycle")


@pytest.fixture(scope="module")
def carts():
    return cart(), am.example("two-wheeled-cart")


def place(heading, lean, roll, at) -> list[float]:
    """Quaternion of Rz Ry Rx and origin."""
    c, s = np.cos(np.array([heading, lean, roll]) / 2), np.sin(np.array([heading, lean, roll]) / 2)
    z, y, x = ([c[k], *np.roll([0, 0, s[k]], k_to)] for k, k_to in ((0, 0), (1, 2), (2, 1)))
    return [*times(times(z, y), x), *at]


def times(a, b):
    w, u, x, v = a[0], np.array(a[1:]), b[0], np.array(b[1:])
    return [w * x - u @ v, *(w * v + x * u + np.cross(u, v))]


def legs_follow(machine, legs, q, v):
    """The rates of the legs' joints that go with the motion of the wheels."""
    still = rolling(machine, legs, q, 0 * v, 0 * v)
    own = [k for k, name in enumerate(machine.v_labels) if name[:3] in ("leg", "hee", "foo")]
    v = v.copy()
    v[own] = np.linalg.lstsq(still.G[:, own], -still.G @ v, rcond=None)[0]
    np.testing.assert_allclose(still.G @ v, 0, atol=1e-11)
    return v


def unicycle_state(machine, example, seed: int):
    rng = np.random.default_rng(seed)
    heading, lean, roll = rng.uniform(-1, 1, 3) * [3, 0.6, 3]
    q = np.array(place(heading, lean, roll, [*rng.normal(size=2), RADIUS * np.cos(lean)]))
    _, s, Vt = np.linalg.svd(example.constraint_jacobian(q))
    v = Vt[len(s) :].T @ rng.normal(size=3) * 2
    # foot parallel to the world: R_wheel Rx(-roll) Ry(-lean) Rz(-heading) = 1
    q9, v9 = np.array([*q, -roll, -lean, -heading]), np.concatenate([v, np.zeros(3)])
    R, p = machine.pose(q9, "tip1")
    np.testing.assert_allclose(R, np.eye(3), atol=1e-14)
    assert abs(p[2]) < 1e-14
    return q, v, q9, legs_follow(machine, LEG, q9, v9), rng.normal(size=6)


def on_wheel(example, y, q, name: str, body: str) -> np.ndarray:
    """The ground's force on a wheel, along inertial axes."""
    return example.pose(q, body)[0] @ y.constraint_forces[name][3:]


# -- one wheel -----------------------------------------------------------------------------------


def test_freedoms_of_the_unicycle(wheel):
    """Three; two constraints at the contact would leave it to slip sideways (errata 2-23)."""
    machine, example = wheel
    q, v, q9, v9, _ = unicycle_state(*wheel, 0)
    value = TABLE["unicycle"]
    assert machine.nv == value["coordinates"]
    x = rolling(machine, LEG, q9, v9, np.zeros(9))
    assert (x.rank, x.dof, x.lost) == (value["rank_all_6"], value["dof"], 0)
    printed = rolling(unicycle(mass=0.1), LEG, q9, v9, np.zeros(9), annihilator="lateral")
    assert printed.rank == value["rank_after_A_premultiplication"]
    assert (printed.dof, printed.lost) == (value["dof_after"], 1)
    np.testing.assert_allclose(printed.A @ printed.annihilator, 0, atol=1e-14)
    np.testing.assert_allclose(printed.A @ printed.A.T, np.eye(5), atol=1e-14)
    y = example.solve(q, v, np.zeros(6))
    assert example.nv - int(y.rank) == value["dof"]


@FORMS
@pytest.mark.parametrize("seed", range(6))
def test_unicycle(wheel, seed, form):
    """Accelerations and contact force in any motion; the tip carries a pure force."""
    machine, example = wheel
    q, v, q9, v9, push = unicycle_state(*wheel, seed)
    external = {"wheel": push}
    x = rolling(machine, LEG, q9, v9, np.zeros(9), form=form, external=external)
    y = example.solve(q, v, np.zeros(6), external=external)
    scale = max(1.0, np.abs(y.acceleration).max())
    np.testing.assert_allclose(x.theta_dd[:6], y.acceleration, rtol=0, atol=1e-10 * scale)
    ground = on_wheel(example, y, q, "tyre", "wheel")
    size = max(1.0, np.abs(ground).max())
    np.testing.assert_allclose(x.force_on_wheel[0], ground, rtol=0, atol=1e-10 * size)
    np.testing.assert_allclose(x.F_t[0, :3], 0, atol=1e-10 * size)


@pytest.mark.parametrize("seed", range(3))
def test_with_a_regular_mass_matrix(seed):
    """4.65, 4.66 as they stand, where legs have mass: the same as by the null space (2-24)."""
    machine = unicycle(mass=0.1)
    _, _, q9, v9, _ = unicycle_state(machine, am.example("unicycle"), seed)
    tau = np.random.default_rng(seed).normal(size=9)
    x = rolling(machine, LEG, q9, v9, tau)
    J, W = x.J, x.A.T @ x.B
    rate = machine.acceleration(q9, v9, 0 * v9, "tip1", "world_aligned")
    step = 1e-6
    q_step = [machine.integrate(q9, s * v9) for s in (step, -step)]
    W_dot = [rolling(machine, LEG, q, v9, tau) for q in q_step]
    W_dot = (W_dot[0].A.T @ W_dot[0].B - W_dot[1].A.T @ W_dot[1].B) / (2 * step)
    F_c = np.linalg.solve(x.Omega, x.A @ rate + x.G @ np.linalg.solve(x.M, x.T_c)
                          - x.A @ W_dot @ v9)  # fmt: skip
    np.testing.assert_allclose(x.F_c, F_c, rtol=0, atol=1e-6 * np.abs(F_c).max())
    theta_dd = np.linalg.solve(x.M, x.T_c - x.G.T @ x.F_c)
    np.testing.assert_allclose(x.theta_dd, theta_dd, rtol=0, atol=1e-9 * np.abs(theta_dd).max())
    np.testing.assert_allclose(x.G @ theta_dd, x.A @ (W_dot @ v9 - rate), atol=1e-5)
    np.testing.assert_allclose(x.T_t, W.T @ x.F_t[0], atol=1e-9)
    np.testing.assert_allclose(J.T @ x.F_t[0] - x.T_t, x.G.T @ x.F_c, atol=1e-9)


def test_massless_legs_have_no_omega(wheel):
    _, _, q9, v9, _ = unicycle_state(*wheel, 1)
    x = rolling(wheel[0], LEG, q9, v9, np.zeros(9))
    with pytest.raises(ModelError, match="M has rank 6 of 9"):
        _ = x.Omega
    assert "force by each tip on the ground" in str(x)


# -- two wheels on an axle -----------------------------------------------------------------------


def cart_state(machine, example, seed: int | None):
    """At rest on the case's place (None), or somewhere in motion."""
    rng = np.random.default_rng(seed)
    heading, pitch, *turns = np.zeros(4) if seed is None else rng.uniform(-2, 2, 4)
    at = [0, 0, RADIUS] if seed is None else [*rng.normal(size=2), RADIUS]
    base = place(heading, 0, pitch, at)
    q = np.array([*base, *turns])
    _, s, Vt = np.linalg.svd(example.constraint_jacobian(q))
    v = Vt[np.sum(s > 1e-9) :].T @ (rng.normal(size=3) * (seed is not None))
    legs = [[turn, -pitch - turn, 0.0, -heading] for turn in turns]
    full = np.array([*base, *np.concatenate(legs)])
    for k in (1, 2):
        np.testing.assert_allclose(machine.pose(full, f"tip{k}")[0], np.eye(3), atol=1e-14)
    v14 = np.concatenate([v[:6], [v[6], 0, 0, 0], [v[7], 0, 0, 0]])
    return q, v, full, legs_follow(machine, LEGS, full, v14)


REAL = [*range(6), 6, 10]  # entries of the axle and the wheels among the fourteen


@FORMS
def test_freedoms_of_the_cart(carts, form):
    """Eight joint freedoms, eleven of twelve rows, three freedoms, underactuation one; the
    redundant combination is that of 5.10 (errata 2-27)."""
    machine, example = carts
    q, v, q14, v14 = cart_state(*carts, None)
    value = TABLE["cart"]
    x = rolling(machine, LEGS, q14, v14, np.zeros(14), form=form)
    assert (machine.nv, x.G.shape[0], x.rank, x.dof) == (
        value["coordinates"], value["rank"], value["rank"], value["dof"])  # fmt: skip
    assert x.dof - value["actuators"] == value["underactuation"]
    squeeze = np.array([0, 0, 0, 1.0, 0, 0, 0, 0, 0, -1.0, 0, 0])[:, None] / np.sqrt(2)
    np.testing.assert_allclose(x.annihilator @ x.annihilator.T, squeeze @ squeeze.T, atol=1e-13)
    given = rolling(machine, LEGS, q14, v14, np.zeros(14), form=form, annihilator=squeeze)
    assert given.lost == 0
    np.testing.assert_allclose(given.theta_dd, x.theta_dd, rtol=0, atol=1e-11)
    np.testing.assert_allclose(given.F_t, x.F_t, rtol=0, atol=1e-10)
    rank = WHEELS["rank of generalized mass matrix of the cart with massless contact links"]
    assert np.linalg.matrix_rank(x.M) == rank["rank"]
    assert len(x.M) == rank["size"]
    y = example.solve(q, v, np.zeros(8))
    assert example.nv - int(y.rank) == value["dof"]


@FORMS
@pytest.mark.parametrize("drive", ["forward", "rotate", "off_center"])
def test_cart_at_rest(carts, drive, form):
    """The recorded accelerations and contact forces, by the method and by the general solver."""
    machine, example = carts
    q, v, q14, v14 = cart_state(*carts, None)
    value = WHEELS["synthetic cart accelerations at rest"][drive]
    tau = np.zeros(14)
    tau[[6, 10]] = value["torques"]
    x = rolling(machine, LEGS, q14, v14, tau, form=form)
    y = example.solve(q, v, tau[REAL])
    for a in (x.theta_dd, y.acceleration):
        along = a[4], a[2], a[0]
        recorded = [
            value[name]
            for name in (
                "acceleration_along_y (forward is -y)",
                "yaw_acceleration",
                "axle_pitch_acceleration",
            )
        ]
        np.testing.assert_allclose(along, recorded, rtol=5e-12, atol=1e-10)
    for k in (1, 2):
        recorded = value[f"contact_force_on_wheel{k}"]
        np.testing.assert_allclose(x.force_on_wheel[k - 1], recorded, rtol=5e-12, atol=1e-10)
        ground = on_wheel(example, y, q, f"wheel{k}-tyre", f"wheel{k}")
        np.testing.assert_allclose(ground, recorded, rtol=5e-12, atol=1e-10)
    assert_value(value["analytic"], [x.theta_dd[4], x.theta_dd[2]], rounding=1e-11)


@FORMS
@pytest.mark.parametrize("seed", range(4))
def test_cart_in_motion(carts, seed, form):
    machine, example = carts
    q, v, q14, v14 = cart_state(*carts, seed)
    rng = np.random.default_rng(seed)
    tau = np.zeros(14)
    tau[REAL] = rng.normal(size=8)
    x = rolling(machine, LEGS, q14, v14, tau, form=form)
    y = example.solve(q, v, tau[REAL])
    scale = max(1.0, np.abs(y.acceleration).max())
    np.testing.assert_allclose(x.theta_dd[REAL], y.acceleration, rtol=0, atol=1e-10 * scale)
    across = np.array([np.cos(x0 := heading_of(machine, q14)), np.sin(x0), 0.0])
    total = np.zeros(3)
    for k in (1, 2):
        ground = on_wheel(example, y, q, f"wheel{k}-tyre", f"wheel{k}")
        gap = x.force_on_wheel[k - 1] - ground
        total += gap
        # determinate but for what squeezes the axle
        np.testing.assert_allclose(gap - across * (across @ gap), 0, atol=1e-10 * scale)
    np.testing.assert_allclose(total, 0, atol=1e-10 * scale)


def heading_of(machine, q) -> float:
    R, _ = machine.pose(q, "axle")
    return float(np.arctan2(R[1, 0], R[0, 0]))


# -- four wheels, driven and steered -------------------------------------------------------------


@pytest.fixture(scope="module")
def robot() -> am.Mechanism:
    """5.3: per arm steer, drive, x, y and z; 26 coordinates."""
    builder = am.Builder("robot")
    builder.body("chassis", joint="free", mass=40.0, inertia=(2.0, 3.0, 4.0))
    for k, (x, y) in enumerate(((-0.4, 0.5), (0.4, 0.5), (-0.4, -0.5), (0.4, -0.5)), start=1):
        builder.body(f"fork{k}", "chassis", "revolute", (x, y, 0), axis="z", mass=2.0,
                     inertia=(0.02, 0.02, 0.02))  # fmt: skip
        builder.body(f"wheel{k}", f"fork{k}", "revolute", axis="x", mass=1.5,
                     inertia=(SPIN, ACROSS, ACROSS))  # fmt: skip
        add_leg(builder, f"wheel{k}", k)
    return builder.build()


def turning(x, y, centre=3.0):
    """The axle, along x of the wheel, points to (centre, 0)."""
    return np.arctan2(-y, centre - x)


STEER = {
    "4ws straight": [0.0] * 4,
    "4ws parallel crab 20deg": [np.radians(20)] * 4,
    "4ws generic steer": [0.3, -0.2, 0.1, 0.25],
    "4ws ICR-consistent steer": [
        turning(*at) for at in ((-0.4, 0.5), (0.4, 0.5), (-0.4, -0.5), (0.4, -0.5))
    ],
}


@FORMS
@pytest.mark.parametrize("name", STEER)
def test_robot(robot, name, form):
    """24 rows of rank 21 or 22: three redundant ones only if the axles meet (errata 2-28)."""
    value = TABLE[name]
    q = np.concatenate([place(0, 0, 0, [0, 0, RADIUS]), *([s, 0, 0, 0, -s] for s in STEER[name])])
    legs = {f"tip{k}": f"leg{k}" for k in range(1, 5)}
    rest = np.zeros(26)
    x = rolling(robot, legs, q, rest, rest, form=form)
    assert (robot.nv, len(x.J), x.rank) == (value["coordinates"], value["equations"], value["rank"])
    assert (x.annihilator.shape[1], x.dof) == (value["redundant"], value["dof"])
    up = np.zeros(24)
    up[5::6] = 1, -1, -1, 1  # v1z - v2z - v3z + v4z = 0, not v3z = v4z (5.23)
    np.testing.assert_allclose(up @ x.A.T, 0, atol=1e-12)
    printed = np.zeros(24)
    printed[[17, 23]] = 1, -1
    assert np.abs(printed @ x.A.T).max() > 0.1
    if name == "4ws straight":
        across = np.zeros(24)
        across[[3, 9]] = 1, -1  # 5.21
        np.testing.assert_allclose(across @ x.A.T, 0, atol=1e-12)
    np.testing.assert_allclose(x.theta_dd, 0, atol=1e-10)
    weight = 9.81 * (40 + 4 * 3.5)
    assert x.force_on_wheel[:, 2].sum() == pytest.approx(weight, rel=1e-12)


def test_bad_legs(carts):
    machine, _ = carts
    q14 = cart_state(*carts, None)[2]
    rest = np.zeros(14)
    with pytest.raises(ModelError, match="expected a revolute joint"):
        rolling(machine, {"tip1": "axle"}, q14, rest, rest)
    with pytest.raises(ModelError, match="at right angles"):
        rolling(machine, {"tip2": "leg1"}, q14, rest, rest)
    with pytest.raises(InputError, match="columns of 12 entries"):
        rolling(machine, LEGS, q14, rest, rest, annihilator=np.ones((6, 1)))
