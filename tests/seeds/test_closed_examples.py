"""The closed mechanisms of the documents as built-in examples, by the public way: `solve`,
`forward_dynamics`, `mobility` reproduce the recorded numbers of the case files.

What the documents print on the way there is in test_methods_*.py.
"""

import numpy as np
import pytest

import armillary as am
from seeds.cases import assert_rows, assert_value, case, columns, motion, table

FOUR, LOAD = case("000_four_link_closed"), case("000_two_link_suspended_load")
HSLM, FLYER = case("000_hslm"), case("002_dual_arm_free_flyer")
WHEELS = case("002_wheeled_systems")


def at_start(machine, tau=None, **options):
    """`solve` at rest, where the example starts."""
    rest = np.zeros(machine.nv)
    return machine.solve(machine.initial, rest, rest if tau is None else tau, **options)


def counts(machine, q=None) -> tuple[int, ...]:
    """Rows, rank, freedoms at this instant and on the way."""
    found = machine.mobility(q)
    return found.rows, found.rank, found.instantaneous, found.finite


# -- four links, the tip pinned ------------------------------------------------------------------


@pytest.fixture(scope="module")
def four() -> am.Mechanism:
    return am.example("four-link-closed")


def test_four_links_at_the_start(four):
    """5.129-5.133: the force of the pin on the tip is minus that of the tip."""
    x = at_start(four)
    assert_value(x.acceleration, FOUR["qdd closed"])
    np.testing.assert_allclose(
        x.constraint_forces["pin"][[3, 5]], [0, -FOUR["f (6th component)"]], atol=1e-12
    )
    assert x.rank == 2
    assert x.determinacy.static_indeterminacy == 3
    assert counts(four) == (5, 2, 2, 2)


def four_link_rows():
    data = table("000_four_link_closed_reference")
    q, v, a = (columns(data, *(f"{x}{k}" for k in range(1, 5))) for x in ("q", "qd", "qdd"))
    return data, q, v, a


def in_world(machine, q, name: str, frame: str, x) -> np.ndarray:
    """Forces of a tie on the body of its second frame, along the world's axes."""
    R, _ = machine.pose(q, frame)
    return np.einsum("...ij,...j->...i", R, x.constraint_forces[name][..., 3:])


def test_four_links_along_the_recorded_motion(four):
    """All rows in one batch."""
    data, q, v, a = four_link_rows()
    x = four.solve(q, v, np.zeros_like(v))
    assert_rows(x.acceleration, a)
    f = in_world(four, q, "pin", "tip", x)
    assert_rows(-f[:, [0, 2]], columns(data, "f_env_x", "f_env_z"))
    assert (x.rank == 2).all()
    kinetic, potential = four.energy(q, v)
    assert_rows((kinetic + potential)[:, None], data["energy"][:, None])


def test_four_links_for_ten_seconds(four):
    """The recorded motion from rest; the largest force of the pin (0-36)."""
    data, q, v, _ = four_link_rows()

    def rate(t, x):
        return np.concatenate([x[4:], four.forward_dynamics(x[:4], x[4:], np.zeros(4))])

    fine = np.linspace(0, 1.5, 3001)
    times = np.union1d(fine.round(10), data["t"])
    x = motion(rate, np.zeros(8), times, 1e-12)
    here = np.isin(times, data["t"])
    np.testing.assert_allclose(x[here], np.hstack([q, v]), rtol=0, atol=1e-6)
    early = x[times <= 1.5]
    f = in_world(
        four, early[:, :4], "pin", "tip", four.solve(*np.hsplit(early, 2), 0 * early[:, :4])
    )
    size = np.linalg.norm(f[:, [0, 2]], axis=1)
    peak = FOUR["peak values accurate"]
    assert times[size.argmax()] == pytest.approx(peak["t_norm"], abs=1e-9)
    assert size.max() == pytest.approx(peak["norm"], rel=1e-7)


# -- two links and a load ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def load() -> am.Mechanism:
    return am.example("two-link-load")


def test_load_at_the_start(load):
    """6.138, 6.142 and the true tip forces (errata 0-52), which are determinate in the plane."""
    x = at_start(load)
    np.testing.assert_allclose(x.acceleration[:6], LOAD["a_r"], rtol=5e-12, atol=1e-12)
    np.testing.assert_allclose(x.acceleration[6:], [LOAD["qdd_k"][0]] * 2, rtol=5e-12)
    name = "true tip forces on the reference member (tip frame, minimum norm)"
    for k in (1, 2):
        f = in_world(load, load.initial, f"pin{k}", f"grip{k}", x)
        tip = load.pose(load.initial, f"tip{k}")[0].T @ f
        np.testing.assert_allclose(tip, LOAD[name][k - 1][3:], rtol=5e-12, atol=1e-12)
    assert counts(load) == (10, 7, 1, 1)


def test_load_in_balance_and_under_a_couple(load):
    """6.147-6.152; 1 N m cannot turn it (errata 0-47)."""
    tau = np.array([0.0] * 6 + [LOAD["M_y static"]] * 2)
    np.testing.assert_allclose(at_start(load, tau).acceleration, 0, atol=1e-11)
    x = at_start(load, external={"load": [0, 1.0, 0, 0, 0, 0]})
    value = LOAD["defect test of 6.63-6.65: extra couple 1 N m about y on the reference member"]
    np.testing.assert_allclose(x.acceleration[:6], value["a_r exact"], rtol=5e-12, atol=1e-12)


def test_load_along_the_recorded_swing(load):
    data = table("000_two_link_load_reference")
    angle, speed = data["q"], data["qd"]
    c, s, o, one = np.cos(angle), np.sin(angle), 0 * angle, 1 + 0 * angle
    q = np.stack([one, o, o, o, 0.4 + 1.5 * c, o, -1.5 * s, angle, angle], axis=1)
    v = np.stack([o, o, o, -1.5 * s * speed, o, -1.5 * c * speed, speed, speed], axis=1)
    x = load.solve(q, v, np.zeros_like(v))
    assert_rows(x.acceleration[:, 6:], columns(data, "qdd", "qdd"))
    for k in (1, 2):
        f = in_world(load, q, f"pin{k}", f"grip{k}", x)
        recorded = columns(data, *(f"tip{k}_f{axis}_on_ref" for axis in "xz"))
        np.testing.assert_allclose(f[:, [0, 2]], recorded, rtol=0, atol=5.1e-8)  # 7 decimals


# -- three legs and a platform -------------------------------------------------------------------


@pytest.fixture(scope="module")
def hslm() -> am.Mechanism:
    return am.example("hslm")


def test_platform_falls(hslm):
    """8.2.1, 8.7."""
    x = at_start(hslm)
    down = HSLM["reference member downward acceleration, no joint forces"]
    np.testing.assert_allclose(x.acceleration[:6], [0, 0, 0, 0, -down, 0], rtol=5e-12, atol=1e-11)
    legs = x.acceleration[6:].reshape(3, 5)
    recorded = HSLM["joint accelerations, no joint forces"]
    np.testing.assert_allclose(legs, [recorded] * 3, rtol=5e-12, atol=1e-11)
    for k in (1, 2, 3):
        push = in_world(hslm, hslm.initial, f"weld{k}", f"grip{k}", x)[1]
        expected = -HSLM["downward force of each chain on the reference member"]
        assert push == pytest.approx(expected, abs=2e-12)
    value = HSLM["mobility"]
    rank, free = value["constraint rank (18 equations)"], value["degrees of freedom"]
    assert counts(hslm) == (18, rank, free, free)
    assert x.determinacy.static_indeterminacy == 0


def test_platform_in_balance(hslm):
    """8.8 (errata 0-58): one of many; the slides alone can do it too."""
    tau = np.concatenate([np.zeros(6), *[HSLM["static equilibrium joint forces"]] * 3])
    np.testing.assert_allclose(at_start(hslm, tau).acceleration, 0, atol=1e-10)
    slides = [f"rod{k}.{x}" for k in (1, 2, 3) for x in ("dx",)]
    found = hslm.holding_forces(hslm.initial, slides)
    np.testing.assert_allclose(at_start(hslm, found.tau).acceleration, 0, atol=1e-10)


@pytest.mark.parametrize(
    "push, axis, exact", [([0, 0, 0, 10.0, 0, 0], 3, 0.907), ([0, 1.0, 0, 0, 0, 0], 1, 0.0)]
)
def test_platform_under_loads_without_symmetry(hslm, push, axis, exact):
    """Errata 0-47, 0-57."""
    x = at_start(hslm, external={"platform": push})
    assert x.acceleration[axis] == pytest.approx(exact, abs=5.1e-4)
    if axis == 3:
        assert x.acceleration[2] == pytest.approx(-4.97, abs=5.1e-3)


# -- two arms on a free base ---------------------------------------------------------------------


def test_free_flyer():
    """20 s of flight, forces of the second hand, condition of the closed chain."""
    flyer, data = am.example("dual-arm-free-flyer"), table("002_dual_arm_free_flyer_reference")
    ramp, t = FLYER.problem["synthetic_data"]["ramp"], data["t"]

    def torques(time, on=True):
        tau = np.zeros(9)
        tau[[4, 8]] = np.array(ramp["signs"]) * ramp["amplitude_at_5s"] * time / 5.0 * on
        return tau

    def rate(on):
        def f(time, x):
            a = flyer.forward_dynamics(x[:9], x[9:], torques(time, on))
            return np.concatenate([x[9:], a])

        return f

    stop = ramp["zero_after"]
    start = np.concatenate([flyer.initial, np.zeros(9)])
    driven = motion(rate(True), start, t[t <= stop], 1e-11)
    x = np.concatenate([driven, motion(rate(False), driven[-1], t[t >= stop], 1e-11)[1:]])
    order = [1, 2, 0, *range(3, 9)]  # the case lists x, y before the angle
    end = np.concatenate([x[-1, :9][order], x[-1, 9:][order]])
    np.testing.assert_allclose(end, FLYER["state at t=20"], rtol=0, atol=1e-8)
    tau = np.array([torques(time, time <= stop) for time in t])
    y = flyer.solve(x[:, :9], x[:, 9:], tau)
    R, _ = flyer.pose(x[:, :9], "grip")
    force = np.einsum("bij,bj->bi", R, y.constraint_forces["grasp"][:, 3:])
    recorded = columns(data, "F2_x", "F2_y")
    np.testing.assert_allclose(force[:, :2], recorded, rtol=0, atol=1e-7)
    np.testing.assert_allclose(
        y.constraint_forces["grasp"][:, 2], data["F2_torque"], rtol=0, atol=1e-7
    )
    assert (y.rank == 3).all()
    np.testing.assert_allclose(flyer.momentum(x[:, :9], x[:, 9:]), 0, atol=1e-8)


def test_free_flyer_freedoms():
    flyer = am.example("dual-arm-free-flyer")
    assert flyer.nv == 3 + 6  # base and joints; the closure takes three
    assert counts(flyer) == (6, 3, 6, 6)


# -- wheels --------------------------------------------------------------------------------------


@pytest.mark.parametrize("drive", ["forward", "rotate", "off_center"])
def test_cart(drive):
    cart = am.example("two-wheeled-cart")
    value = WHEELS["synthetic cart accelerations at rest"][drive]
    x = at_start(cart, np.array([0.0] * 6 + value["torques"]))
    names = (
        "acceleration_along_y (forward is -y)", "yaw_acceleration", "axle_pitch_acceleration",
    )  # fmt: skip
    np.testing.assert_allclose(
        x.acceleration[[4, 2, 0]], [value[n] for n in names], rtol=5e-12, atol=1e-10
    )
    for k in (1, 2):
        f = in_world(cart, cart.initial, f"wheel{k}-tyre", f"wheel{k}", x)
        recorded = value[f"contact_force_on_wheel{k}"]
        np.testing.assert_allclose(f, recorded, rtol=5e-12, atol=1e-10)


def test_cart_freedoms():
    """Three freedoms, two prescribed: underactuation one; the lateral rows say the same twice."""
    cart, value = am.example("two-wheeled-cart"), WHEELS["dof table"]["cart"]
    found = cart.mobility()
    assert found.instantaneous == found.finite == value["dof"]
    assert found.redundancy == value["equations"] - value["rank"]
    prescribed = ("wheel1", "wheel2")
    assert value["dof"] - len(prescribed) == value["underactuation"]
    rest = np.zeros(8)
    pull = cart.actuator_forces(
        cart.initial, rest, at_start(cart, [0] * 6 + [1, 1]).acceleration, prescribed
    )
    np.testing.assert_allclose(pull.tau[6:], [1.0, 1.0], atol=1e-10)


def test_unicycle_freedoms():
    unicycle = am.example("unicycle")
    assert counts(unicycle)[2:] == (WHEELS["dof table"]["unicycle"]["dof"],) * 2


STEER = {
    "4ws straight": (0.0, 0.0, 0.0, 0.0),
    "4ws parallel crab 20deg": (np.radians(20),) * 4,
    "4ws generic steer": (0.3, -0.2, 0.1, 0.25),
    "4ws ICR-consistent steer": tuple(  # square to a point 1.7 m to the left
        np.arctan(x / (1.7 - y)) for x in (0.5, -0.5) for y in (0.4, -0.4)
    ),
}


@pytest.mark.parametrize("name", STEER)
def test_rover(name):
    """Three redundant rows where the axles meet, two otherwise (errata 2-28); instantaneous."""
    rover, value = am.example("rover"), WHEELS["dof table"][name]
    q = np.array(rover.initial)
    legs = [k for k, label in enumerate(rover.q_labels) if label.endswith("-steer")]
    q[legs] = STEER[name]
    found = rover.mobility(q)
    assert (found.redundancy, found.instantaneous) == (value["redundant"], value["dof"])
    x = rover.solve(q, np.zeros(14), np.zeros(14))
    assert x.determinacy.static_indeterminacy == value["redundant"]
    np.testing.assert_allclose(x.acceleration, 0, atol=1e-10)
    tyres = [name for name in x.constraint_forces if name.endswith("-tyre")]
    lift = sum(in_world(rover, q, t, t.replace("-tyre", "-wheel"), x)[2] for t in tyres)
    weight = 9.81 * sum(body.mass.mass for body in rover.model.bodies)
    assert lift == pytest.approx(weight, rel=1e-11)
