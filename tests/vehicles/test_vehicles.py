"""Whole vehicles: statics by hand, Newton's law for the whole, counts, modes in closed form."""

import numpy as np
import pytest

import armillary as am
from armillary.errors import InputError

V = am.vehicles
G = 9.81


def world_forces(m, q, v, names):
    """Forces of elements on their second ends, in world axes."""
    forces = m.element_forces(q, v)
    ends = {part.name: part.ends[1] for part in m.model.elements if part.name in names}
    return {n: m.pose(q, ends[n].body)[0] @ forces[n][3:] for n in names}


def momentum_rate(m, q, v, a, h=1e-6):
    """Rate of the linear momentum along the motion, by central differences."""
    ends = [m.momentum(m.integrate(q, s * h * v), v + s * h * a)[3:] for s in (1, -1)]
    return (np.asarray(ends[0]) - ends[1]) / (2 * h)


CARS = {
    "wishbones, trailing arms": {},
    "MacPherson, four links": {"front": "MacPherson", "rear": "solid axle", "drive": "rear"},
    "beam with trapezoid, five hinges": {"front": "solid axle", "rear": "five-degree"},
    "cambered": {
        "front": V.DoubleWishbone(camber=-0.02),
        "rear": V.DoubleWishbone(camber=-0.03, lower_mass=7.0),
        "com": (-1.1, 0.0, 0.6),
        "tyre": am.tyres.Brush(camber_stiffness=0.0),
    },
}


@pytest.fixture(scope="module", params=CARS, ids=lambda x: x.replace(" ", "-"))
def any_car(request):
    return V.car(**CARS[request.param])


def test_a_car_rests_on_loads_by_the_lever_rule(any_car):
    m = any_car.mechanism
    q, v = any_car.start()
    a = m.forward_dynamics(q, v, np.zeros(m.nv))
    assert np.abs(a).max() < 1e-9
    weight, x = any_car.mass * G, any_car.center_of_mass[0]
    rear = -x / any_car.wheelbase * weight / 2
    loads = [f[2] for f in world_forces(m, q, v, any_car.tyres).values()]
    assert np.allclose(loads, [weight / 2 - rear] * 2 + [rear] * 2, rtol=1e-9)
    # forces in every joint: a bearing bears what its tyre does, less the wheel's own weight
    rest = m.solve(q, v, np.zeros(m.nv), coordinates="world_aligned")
    for wheel, load in zip(any_car.wheels, loads, strict=True):
        own = m.model.bodies[m.model.index[wheel]].mass.mass * G
        assert rest.reactions[wheel][5] == pytest.approx(own - load, rel=1e-8)


def test_tyres_and_weight_change_the_momentum(any_car):
    """Newton's law for the whole, in motion: turning, bouncing, driven."""
    m = any_car.mechanism
    rng = np.random.default_rng(7)
    q, v = any_car.start(12.0)
    v = v + rng.normal(scale=0.05, size=m.nv)
    q = m.integrate(q, rng.normal(scale=2e-3, size=m.nv))
    q, v = m.project(q, v)
    tau = np.zeros(m.nv)
    tau[[m.v_labels.index(w) for w in any_car.driven]] = 200.0
    a = m.forward_dynamics(q, v, tau)
    forces = sum(world_forces(m, q, v, any_car.tyres).values())
    needed = momentum_rate(m, q, v, np.asarray(a))
    weight = any_car.mass * G
    assert np.allclose(forces - np.array([0, 0, weight]), needed, atol=1e-5 * weight)
    assert abs(needed).max() > 100.0


def test_counts_in_words():
    car = V.car()
    # chassis 6, bump 4, wheels 4, rack 1; two balls of 3 rows and two tie rods of 1
    assert (car.mechanism.nv, len(car.mechanism.constraint_rows)) == (23, 8)
    assert car.mechanism.mobility().instantaneous == 15
    assert "wheelbase 2.7 m" in str(car) and "steered by 'rack'" in str(car)


def test_steering_gain_is_that_of_the_rig():
    car = V.car()
    front = car.data["axles"][0]
    turned = V.kinematics(front, steer=[-1e-3, 1e-3])
    mean = (turned["left steer"] + turned["right steer"]) / 2
    assert car.steering_gain == pytest.approx((mean[1] - mean[0]) / 2e-3, rel=1e-4)
    assert car.steering_gain > 0.0


def test_mirror_images():
    """Steered left with the left wheels on a bump is steered right with the right ones."""
    car = V.car()
    m = car.mechanism
    q0, v0 = car.start(15.0)
    a = []
    for side, other, sign in (("left", "right", 1.0), ("right", "left", -1.0)):
        v = v0.copy()
        v[m.v_labels.index("rack")] = 0.02 * sign
        v[m.v_labels.index(f"front-{side}-lower-arm")] = 0.3
        v[m.v_labels.index(f"rear-{other}-arm")] = -0.2
        v[m.v_labels.index("chassis.wz")] = 0.1 * sign
        v = m.project(q0, v)[1]
        a.append(dict(zip(m.v_labels, m.forward_dynamics(q0, v, np.zeros(m.nv)), strict=True)))
    one, two = a
    for label in ("chassis.vx", "chassis.vz", "chassis.wy"):
        assert one[label] == pytest.approx(two[label], rel=1e-8)
    for label in ("chassis.vy", "chassis.wx", "chassis.wz", "rack"):
        assert one[label] == pytest.approx(-two[label], rel=1e-8)
    assert one["front-left-wheel"] == pytest.approx(two["front-right-wheel"], rel=1e-8)


def test_quarter_car_modes_in_closed_form():
    """Eigenvalues of the two-mass model by the characteristic polynomial."""
    ms, mu, ks, kt, cs, ct = 310.0, 42.0, 21e3, 1.9e5, 1400.0, 150.0
    b = am.Builder("quarter car")
    b.body("wheel", joint="prismatic", axis="z", at=(0, 0, 0.3), mass=mu)
    b.body("car", joint="prismatic", axis="z", at=(0, 0, 0.8), mass=ms)
    b.spring("strut", "wheel", "car", stiffness=ks, damping=cs, preload=-ms * G)
    tyre = am.tyres.Linear(stiffness=kt, damping=ct, relaxation_x=0.0, relaxation_y=0.0)
    b.tyre("tyre", "wheel", radius=0.3 + (ms + mu) * G / kt, model=tyre)
    m = b.build()
    found = np.sort_complex(np.array([mode.eigenvalue for mode in m.modes(m.initial)]))
    # (ms s² + cs s + ks)(mu s² + (cs+ct) s + ks + kt) - (cs s + ks)²
    first, second = [ms, cs, ks], [mu, cs + ct, ks + kt]
    poly = np.polysub(np.polymul(first, second), np.polymul([cs, ks], [cs, ks]))
    closed = np.roots(poly)
    for eigenvalue in found:  # a conjugate pair is told once
        assert np.abs(closed - eigenvalue).min() < 1e-7 * abs(eigenvalue)
    assert len(found) in (2, 4)


def test_ride_modes_are_those_of_a_half_car():
    """Undamped, hardly loaded (no part of the weight in the stiffness), on tyres without grip:
    heave, pitch and wheel hop from wheel rates of the rig and masses reduced to the wheels by
    virtual work, with no part of the car's own equations."""
    strut = V.Strut(stiffness=60e3, damping=0.0, bump=0.0, rebound=0.0)
    tyre = am.tyres.Linear(
        mu=0.0, stiffness=2e5, damping=0.0, relaxation_x=0.0, relaxation_y=0.0,
        rolling_resistance=0.0, camber_stiffness=0.0,
    )  # fmt: skip
    data = V.DoubleWishbone(strut=strut)
    car = V.car(
        data, V.DoubleWishbone(strut=strut), tyre=tyre, steering=V.Rack(friction=0.0), gravity=1e-3
    )
    m = car.mechanism
    modes = m.modes(m.initial)
    rates, masses, whole = [], [], []
    for axle in car.data["axles"]:
        curves = V.kinematics(axle, travel=[0.0])
        rates.append(2 * curves["left wheel rate"][0])
        rig = V.Rig(axle)
        at = np.zeros((1, 3))
        q = rig.places(at)
        v = rig.motions(q)[0, :, :2].sum(axis=1)
        M = rig.mechanism.mass_matrix(q[0])
        masses.append(v @ M @ v - 2.0)  # less the posts
        whole.append(axle.weighed()[0])
    body = m.model.bodies[0].mass
    a, b = -body.com[0], car.wheelbase + body.com[0]
    # heave, pitch, and the heights of both axles over the body: what of an axle's mass does not
    # move with its wheels moves with the body
    x = np.array([a, -b])
    kt = 2 * 2e5
    unsprung = np.array(masses)
    K = np.zeros((4, 4))
    M = np.diag([body.mass, body.tensor[1], 0.0, 0.0])
    for k in range(2):
        lift = np.array([1.0, x[k], 0.0, 0.0])  # of the body over the axle, nose up pitch
        lift[2 + k] = 1.0  # the wheel's own height
        M += unsprung[k] * np.outer(lift, lift)
        body_lift = np.array([1.0, x[k], 0.0, 0.0])
        M += (whole[k] - unsprung[k]) * np.outer(body_lift, body_lift)
        M[1, 1] += whole[k] * (0.56 - 0.31) ** 2
        K += kt * np.outer(lift, lift)
        K[2 + k, 2 + k] += rates[k]
    wanted = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real)) / (2 * np.pi)
    found = np.array([mode.frequency for mode in modes if mode.kind == "oscillation"])
    for frequency in wanted:
        assert np.abs(found / frequency - 1).min() < 0.01
    assert 1.0 < wanted[0] < 2.0 and wanted[-1] > 8.0


def test_drive_line():
    """An open differential shares alike; torque and power are limited; brakes hold back."""
    car = V.car(drive="rear")
    m = car.mechanism
    rear = [m.v_labels.index(w) for w in car.driven]
    line = V.DriveLine(car, throttle=100.0, gear=6.0, limit=80.0, power=20e3)
    v = np.zeros(m.nv)
    v[rear] = (10.0, 30.0)  # mean 20 rad/s: the motor turns at 120, 80 N m are 9.6 kW
    tau = np.array(line.force(0.0, m.initial, list(v), [], [0.0] * m.nv))
    assert np.allclose(tau[rear], 80.0 * 6.0 / 2) and np.count_nonzero(tau) == 2
    v[rear] = (80.0, 80.0)  # 480 rad/s: 20 kW are 41.7 N m
    tau = np.array(line.force(0.0, m.initial, list(v), [], [0.0] * m.nv))
    assert np.allclose(tau[rear], 20e3 / 480.0 * 3.0)
    brakes = V.DriveLine(car, brake=1000.0, brake_share=0.7, brake_limit=300.0)
    v[:] = 0.0
    v[[m.v_labels.index(w) for w in car.wheels]] = 50.0
    tau = np.array(brakes.force(0.0, m.initial, list(v), [], [0.0] * m.nv))
    expected = [-300.0, -300.0, -150.0, -150.0]  # 350 in front are limited
    assert np.allclose(tau[[m.v_labels.index(w) for w in car.wheels]], expected)
    q, v = car.start(5.0)
    stopped = am.simulate(
        m, q, v, duration=1.6, controller=V.DriveLine(car, brake=3000.0), every=100
    )
    assert stopped.complete and abs(stopped.column("v.chassis.vx")[-1]) < 0.1
    assert stopped.performance().native == 1.0


def test_a_differential_as_a_mechanism():
    """The case turns with the mean of the wheels, and both shafts carry half the torque."""
    b = am.Builder("axle", gravity=(0, 0, 0))
    b.body("frame", joint="fixed", mass=1.0, inertia=(1, 1, 1))
    for side, y in (("left", 0.7), ("right", -0.7)):
        b.body(side, "frame", "revolute", (0, y, 0), axis="y", mass=10, inertia=(0.5, 1.0, 0.5))
    motor = V.put_differential(b, "motor", "frame", "left", "right", gear=4.0, at=(0, 0, 0))
    m = b.build()
    drag = {"left": 0.0, "right": -60.0}  # the right wheel is held back
    run = am.simulate(
        m,
        duration=1.0,
        step=1e-4,
        inputs={motor: 20.0, **drag},
        record="q,v,element_forces",
        every=1000,
    )
    left, right, case = (run.column(f"v.{x}") for x in ("left", "right", "motor-case"))
    assert np.allclose(case[1:], (left + right)[1:] / 2, rtol=2e-3)
    # shafts: torque on each wheel, mean over the last half second (they swing a little)
    gain = np.polyfit(run.time[5:], np.stack([left, right], axis=1)[5:], 1)[0]
    torque = gain * 1.0 - [0.0, -60.0]
    assert torque[0] == pytest.approx(torque[1], rel=2e-3)
    spinning = 2 * 1.0 * (gain.mean()) + 60.0  # N m, both shafts
    case_share = (0.05 + 2e-3 + 0.02 * 16) * gain.mean()
    assert pytest.approx(spinning + case_share, rel=1e-2) == 20.0 * 4.0


def test_four_posts_lift_a_car():
    """All posts up by 30 mm lift the whole car by that, and the loads are the old ones."""
    car = V.four_post(V.car())
    m = car.mechanism

    def lift(t):
        s = np.clip(t / 0.5, 0, 1)
        return 0.03 * (3 * s * s - 2 * s**3)

    motions = {f"post-{tyre}": lift for tyre in car.tyres}
    run = am.simulate(
        m, duration=3.0, step=1e-3, prescribed=motions, record="q,v,prescribed_force", every=100
    )
    assert run.column("chassis.pz")[-1] == pytest.approx(0.03, abs=2e-4)  # tyres scrub a little
    loads = run["prescribed_force"][-1] - 20.0 * G  # less the posts' own weight
    assert loads.sum() == pytest.approx(car.mass * G - 4 * 20 * G, rel=1e-3)
    assert np.abs(run.column("chassis.pz")).max() > 0.0301  # it overshoots


@pytest.mark.soak
def test_a_batch_of_cars_is_each_of_them():
    """Springs and speeds of their own, one native loop, the rows equal to single runs."""
    car, count = V.car(), 7
    m, rng = car.mechanism, np.random.default_rng(2)
    springs = [k for k, x in enumerate(m.parameter_names) if x.endswith("-strut.stiffness")]
    numbers = np.tile(m.parameters, (count, 1))
    numbers[:, springs] *= rng.uniform(0.8, 1.2, (count, 4))
    v = np.stack([car.start(speed)[1] for speed in rng.uniform(10.0, 30.0, count)])
    q = np.tile(m.initial, (count, 1))
    given = {"duration": 0.1, "inputs": {car.steering: 60.0}, "every": 50}
    many = am.simulate(m, q, v, parameters=numbers, **given)
    assert many.complete and many.performance().native == 1.0
    assert np.ptp(many.q[-1], axis=0).max() > 0.5  # they are at different places
    for k in range(count):
        one = am.simulate(m, q[k], v[k], parameters=numbers[k], **given)
        assert np.allclose(one.q, many.q[:, k], rtol=1e-12, atol=1e-13)


BAD = [
    (lambda: V.car(com=(0.5, 0, 0.5)), "rear wheels would carry"),
    (lambda: V.car(com=(-1.2, 0.8, 0.5)), "beside the middle, outside its wheels (0.75 m)"),
    (lambda: V.Strut(stiffness=0.0, load=100.0), "needs a stiffness more than 0"),
    (lambda: V.car(mass=-1.0), "mass is a number more than 0"),
    (lambda: V.car(drive="both"), "drive is one of front, rear, all"),
    (lambda: V.car("leaf"), "there is no 'leaf'"),
    (lambda: V.car(42), "expected one of double wishbone"),
    (lambda: V.car(tyre="slick"), "expected 'rolling'"),
    (lambda: V.car(tyre=3.0), "a model of armillary.tyres"),
    (lambda: V.car(tyre=am.tyres.Linear(stiffness=1e3)), "press its tyre together"),
    (lambda: V.car(wheel=V.RoadWheel(radius=0.25)), "begin in the air"),
    (lambda: V.truck(trailers=-1), "a whole number"),
    (lambda: V.truck(trailers=2, trailer=V.Unit(hitch=0.0)), "'trailer1' has no hitch"),
    (lambda: V.truck([V.Unit(), V.Unit()]), "'trailer1' has no hitch for 'dolly2'"),
    (lambda: V.truck([V.Unit(), 3.0]), "trailers[1] is a Unit(...)"),
    (lambda: V.truck([V.Unit()], dolly=[V.Unit()]), "0 trailers stand on dollies, and 1 are given"),
    (lambda: V.truck([V.Unit()], trailer=V.Unit()), "leave `trailer` out"),
    (lambda: V.Unit(coupling="rope"), "coupling is one of fifth wheel, dolly, drawbar"),
    (lambda: V.truck(tractor=V.Unit(mass=5000, com=8, axle=3.6, hitch=3.4)), "in the air"),
    (lambda: V.differential_drive(com=(-0.1, 0, 0.1)), "in the air at the start"),
    (lambda: V.four_post(V.bicycle()), "rolls without slip"),
    (lambda: V.yesiloglu_car("flying"), "contact is one of"),
    (lambda: V.DriveLine(V.car(), gear=0.0), "gear is a number more than 0"),
    (lambda: V.ackermann(V.Axle("double wishbone"), wheelbase=2.7), "a steered Axle"),
    (lambda: V.ackermann(V.Axle("MacPherson", V.Rack())), "give the wheelbase"),
    (lambda: V.rover(arm=3), "arm is a name or a mechanism"),
]  # fmt: skip


@pytest.mark.parametrize(("wrong", "text"), BAD)
def test_wrong_vehicles_are_named(wrong, text):
    with pytest.raises(InputError) as error:
        wrong()
    assert text in str(error.value)
