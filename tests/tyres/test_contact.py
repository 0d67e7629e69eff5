"""Tyres in the model: where they touch, how they slip, what they do to the bodies; every way to
ask; frames that are turned, roads that tilt and move."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from wheels import MF, MODELS, near, steady, unicycle, wheel

import armillary as am
from armillary.algorithms.forces.element_forces import tyre_forces

R, T = am.roads, am.tyres
HILLS = R.HeightField.of(
    np.linspace(-3, 3, 25), np.linspace(-3, 3, 25),
    [[0.1 * np.sin(x) * np.cos(0.7 * y) for x in np.linspace(-3, 3, 25)]
     for y in np.linspace(-3, 3, 25)],
)  # fmt: skip
ROADS = {
    "level": R.Plane(mu=0.9),
    "tilted": R.Plane(0.02, 0.12, -0.07, 0.8),
    "split": R.Plane(grade=0.05, mu=R.Split(0.9, 0.3, 0.05, 0.4)),
    "hills": HILLS,
}


def state(m, seed=0, height=0.35):
    """A hub that leans, pitches and moves, low enough to press the tyre."""
    rng = np.random.default_rng(seed)
    q, v, _ = m.random_state(seed)
    turn = Rotation.from_euler("zyx", [rng.uniform(-3, 3), *rng.uniform(-0.15, 0.15, 2)])
    x, y, z, w = turn.as_quat()
    q[:4], q[4:7] = (w, x, y, z), (*rng.uniform(-1, 1, 2), height)
    v[:] = rng.uniform(-1, 1, m.nv)
    v[3], v[6] = 8.0, 30.0 + rng.uniform(-5, 5)
    return q, v


# a wheel whose axis is (0, 0.8, 0.6) of the hub stands upright when the hub is rolled by this
LEAN = np.arctan2(0.6, 0.8)


def upright(m, seed=0, height=0.38):
    q, v = state(m, seed, height)
    rng = np.random.default_rng(seed + 100)
    angles = [rng.uniform(-3, 3), rng.uniform(-0.1, 0.1), -LEAN + rng.uniform(-0.12, 0.12)]
    x, y, z, w = Rotation.from_euler("ZYX", angles).as_quat()
    q[:4] = (w, x, y, z)
    for _ in range(4):
        q[6] += m.tyre_forces(q, v)["t"]["deflection"] - 0.02
    return q, v


@pytest.mark.parametrize("road", ["level", "tilted"])
def test_kinematics_by_differences(road):
    """Point of contact, deflection, camber and slips of a wheel on a plane, from its pose and that
    a moment later."""
    m = wheel(steady(T.Linear()), ROADS[road])
    plane = ROADS[road]
    n = np.array([-plane.grade, -plane.bank, 1.0])
    n /= np.linalg.norm(n)
    foot = np.array([0.0, 0.0, plane.height])
    law = m.model.elements[0].law

    def seen(q):
        rotation, p = m.pose(q, "centre")
        e = rotation @ np.array(law.axis)
        up = n - e * (e @ n)
        up /= np.linalg.norm(up)
        loaded = n @ (p - foot) / (n @ up)
        return rotation, p, e, up, loaded

    for seed in range(4):
        q, v = upright(m, seed)
        found = m.tyre_forces(q, v)["t"]
        rotation, p, e, up, loaded = seen(q)
        contact = p - loaded * up
        near([found[k] for k in "xyz"], contact, 1e-12, 1.0)
        near(found["loaded_radius"], loaded, 1e-12)
        near(found["deflection"], 0.3 - loaded, 1e-12, 0.3)
        near(found["camber"], np.arcsin(e @ n), 1e-12, 1.0)
        # the mark on the rim that is at the point of contact now, and the centre, a moment later
        h = 1e-5
        later, before = (seen(m.integrate(q, s * h * v)) for s in (1, -1))
        mark = rotation.T @ (contact - p)
        rim = ((later[0] @ mark + later[1]) - (before[0] @ mark + before[1])) / (2 * h)
        x = np.cross(e, n) / np.linalg.norm(np.cross(e, n))
        y = np.cross(n, x)
        w = Rotation.from_matrix(later[0] @ before[0].T).as_rotvec() / (2 * h)
        forward = rim @ x + (w @ e) * loaded
        rolling = 0.3 - max(0.3 - loaded, 0.0) / 3.0
        near(found["slip_ratio"], -(forward - (w @ e) * rolling) / abs(forward), 1e-6, 1.0)
        near(np.tan(found["slip_angle"]), rim @ y / abs(forward), 1e-6, 1.0)
        rate = -(later[4] - before[4]) / (2 * h)
        fz = (2e5 * (0.3 - loaded) + 200.0 * rate) / (n @ up)
        near(found["Fz"], max(fz, 0.0), 1e-6, 2e3)


@pytest.mark.parametrize(
    ("name", "road"), [("linear", "level"), ("brush", "hills"), ("magic formula", "tilted")]
)
def test_wrench_on_the_rim(name, road):
    """Forces and moments in the tyre's axes are the wrench on the rim; nothing else moves it: rate
    of momentum = weight + tyre, about the point of contact."""
    m = wheel(steady(MODELS[name]), ROADS[road])
    for seed in range(3):
        q, v = upright(m, seed)
        f = m.tyre_forces(q, v)["t"]
        assert f["Fz"] > 0.0
        rotation, p = m.pose(q, "centre")
        e = rotation @ np.array(m.model.elements[0].law.axis)
        c = np.array([f["x"], f["y"], f["z"]])
        wrench = m.element_forces(q, v)["t"]
        force = rotation @ wrench[3:]
        moment = rotation @ wrench[:3] - np.cross(c - p, force)
        n = force_normal(m, c)
        x = np.cross(e, n) / np.linalg.norm(np.cross(e, n))
        axes = np.array([x, np.cross(n, x), n])
        size = abs(f["Fz"]) + 1.0
        tolerance = 5e-4 if road == "hills" else 1e-9  # the normal is that below the unloaded rim
        near(axes @ force, [f["Fx"], f["Fy"], f["Fz"]], tolerance, size)
        near(axes @ moment, [f["Mx"], f["My"], f["Mz"]], tolerance, size)
        a = m.forward_dynamics(q, v, np.zeros(m.nv))
        h = 1e-6
        ahead, behind = (m.momentum(m.integrate(q, s * h * v), v + s * h * a) for s in (1, -1))
        rate = (ahead - behind) / (2 * h)
        near(rate[3:], force + np.array([0, 0, -320.0 * 9.81]), 1e-5, size)


def force_normal(m, c):
    ground = m.model.elements[0].law.road.at(*c[:2])
    return np.array(list(ground.normal), float)


@pytest.mark.parametrize("name", ["linear", "fiala", "brush"])
def test_a_tyre_only_dissipates(name):
    """Power along the road and of rolling is never positive, whatever drives the wheel: without
    radial damping and aligning moment, power = slip power + resistance - rate of stored energy."""
    more = {"width": 0.0} if name == "fiala" else {}
    model = replace(steady(MODELS[name]), trail=0.0, damping=0.0, **more)
    m = wheel(model, ROADS["tilted"])
    for seed in range(20):
        q, v = upright(m, seed)
        v[6] *= np.random.default_rng(seed).uniform(-1.5, 2.5)
        h = 1e-6
        ends = [m.integrate(q, s * h * v) for s in (1, -1)]
        stored = [m.energy(end, 0 * v)[1] - weight(m, end) for end in ends]
        power = m.element_forces(q, v).power[0] + (stored[0] - stored[1]) / (2 * h)
        assert power <= 1e-4 * 3e4


def weight(m, q):
    return 320.0 * 9.81 * m.center_of_mass(q)[2]


@pytest.mark.parametrize("name", ["linear", "fiala", "magic formula"])
def test_every_way_to_ask(name):
    """Interpreter, straight line, loops over bodies, batches and given numbers agree, and so do
    derivatives with differences."""
    m = wheel(steady(MODELS[name]), ROADS["split"])
    q, v = upright(m)
    found = m.tyre_forces(q, v).outputs
    plain = m.interpret(tyre_forces, {"q": q.tolist(), "v": v.tolist()}).result("outputs")
    near(found, np.array(plain, float), 1e-12, 3e3)
    loops = m.compile(tier=1)
    near(loops.tyre_forces(q, v).outputs, found, 1e-12, 3e3)
    tau = np.ones(m.nv)
    a = m.forward_dynamics(q, v, tau)
    near(loops.forward_dynamics(q, v, tau), a, 1e-11)
    Q, V = np.tile(q, (9, 1)), np.tile(v, (9, 1))
    V[:, 4] += np.linspace(-1, 1, 9)
    rows = m.tyre_forces(Q, V)
    near(rows.outputs[4], found, 1e-12, 3e3)
    other = np.tile(m.parameters, (9, 1))
    k = m.parameter_names.index("t.road.mu.left")
    other[:, k] = np.linspace(0.1, 0.9, 9)
    changed = m.tyre_forces(Q, V, parameters=other)
    for row in (0, 5):
        one = m.replace(elements={"t": {"road.mu.left": other[row, k]}})
        near(changed.outputs[row], one.tyre_forces(Q[row], V[row]).outputs, 1e-12, 3e3)
    slopes = m.forward_dynamics.derivatives(q, v, tau)
    h = 1e-7
    for j in range(m.nv):
        d = np.eye(m.nv)[j] * h
        near(slopes.dv[:, j],
             (m.forward_dynamics(q, v + d, tau) - m.forward_dynamics(q, v - d, tau)) / (2 * h),
             2e-5, np.abs(slopes.dv).max())  # fmt: skip
        ahead, behind = (m.forward_dynamics(m.integrate(q, s * d), v, tau) for s in (1, -1))
        near(slopes.dq[:, j], (ahead - behind) / (2 * h), 2e-5, np.abs(slopes.dq).max())


def test_a_road_on_a_body():
    """On a table that moves: forces by the relative motion, and the table takes the reaction."""
    b = am.Builder("table", gravity=(0, 0, 0))
    b.body("table", joint="free", mass=50.0, inertia=(4.0, 5.0, 6.0))
    b.body("rim", joint="free", mass=20.0, inertia=(0.5, 1.0, 0.5))
    b.frame("top", "table", at=am.Pose.from_rpy((0.1, 0.2, 0.3), (0.2, 0.1, -0.3)))
    b.tyre("t", "rim", radius=0.3, model=steady(T.Brush()), on="top")
    m = b.build()
    q, v, _ = m.random_state(2)
    rotation, p = m.pose(q, "top")
    q[7:11] = am.Pose(rotation=tuple(map(tuple, rotation))).quaternion()
    q[11:] = p + rotation @ [0.5, -0.2, 0.28]
    found = m.tyre_forces(q, v)["t"]
    assert found["Fz"] > 0.0
    a = m.forward_dynamics(q, v, np.zeros(m.nv))
    h = 1e-6
    ahead, behind = (m.momentum(m.integrate(q, s * h * v), v + s * h * a) for s in (1, -1))
    near((ahead - behind)[3:] / (2 * h), np.zeros(3), 1e-5, found["Fz"])
    # the same relative motion on a table at rest
    still = m.replace(elements={"t": {"mu": 1.0}})
    w = np.zeros(m.nv)
    relative = v.copy()
    X = [np.array(x) for x in (m.pose(q, "table")[0], m.pose(q, "rim")[0])]
    origin = [m.pose(q, n)[1] for n in ("table", "rim")]
    spin, drift = X[0] @ v[:3], X[0] @ v[3:6]
    carried = drift + np.cross(spin, origin[1] - origin[0])
    w[6:9] = v[6:9] - X[1].T @ spin
    w[9:] = v[9:12] - X[1].T @ carried
    assert np.abs(relative - w).max() > 0.1
    near(still.tyre_forces(q, w).outputs, m.tyre_forces(q, v).outputs, 1e-10, 3e3)


def test_load_and_axes():
    """Static load = weight; SAE's signs; the air; a wheel that lies down; friction 0."""
    m = unicycle(steady(MF), mass=300.0)
    rest = m.equilibrium([0.0, 0.0, 0.28, 0.0], hold=["along", "across", "rim"]).q
    f = m.tyre_forces(rest, np.zeros(4))
    near(f["t"]["Fz"], 320.0 * 9.81, 1e-9)
    near(f["t"]["deflection"], 320.0 * 9.81 / 2e5, 1e-9)
    v = np.array([10.0, 0.7, 0.0, 34.0])
    iso, sae = m.tyre_forces(rest, v), m.tyre_forces(rest, v).sae()
    for name, sign in (("Fx", 1), ("Fy", -1), ("Fz", -1), ("Mz", -1), ("slip_angle", -1),
                       ("slip_ratio", 1), ("camber", 1)):  # fmt: skip
        assert sae["t"][name] == sign * iso["t"][name]
    assert "ISO 8855" in str(iso) and "SAE J670" in str(sae) and iso["t"]["Fy"] < 0.0
    up = m.tyre_forces([0, 0, 0.5, 0], v)["t"]
    assert up["deflection"] < 0.0 and up["Fz"] == up["Fx"] == up["Fy"] == up["Mz"] == 0.0
    ice = unicycle(steady(T.Brush()), R.Plane(mu=0.0)).tyre_forces(rest, v)["t"]
    assert ice["Fz"] > 0.0 and ice["Fx"] == ice["Fy"] == 0.0
    with pytest.raises(am.ModelError, match="has no tyres"):
        am.example("two-link").tyre_forces([0, 0], [0, 0])


def dog(height=None):
    """A trunk on four round feet, 0.4 m below it."""
    b = am.Builder("dog")
    b.body("trunk", joint="free", mass=10.0, inertia=(0.1, 0.2, 0.2))
    for name, x, y in (("fl", 0.2, 0.1), ("fr", 0.2, -0.1), ("rl", -0.2, 0.1), ("rr", -0.2, -0.1)):
        b.body(name, "trunk", "revolute", (x, y, 0), axis="y", mass=0.5, inertia=(0.01, 0.01, 0.01))
        b.frame(f"{name}_foot", name, (0.0, 0.0, -0.4))
        b.tyre(f"{name}_tyre", f"{name}_foot", radius=0.02)
    if height is not None:
        b.initial["trunk"] = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, height)
    return b.build()


def test_a_run_from_elsewhere_is_not_told_of_the_start(tmp_path):
    """The page of a run whose q0 stands on its feet."""
    m, page = dog(), tmp_path / "run.html"
    am.simulate(m, duration=2e-3).report(page, sections=["reading"])
    assert "deep in the road" in page.read_text()
    with pytest.raises(am.InputError, match="no 'reading'"):  # nothing to tell
        am.simulate(m, dog(0.419).initial, duration=2e-3).report(page, sections=["reading"])


def test_told_at_the_start():
    assert "in the air" in str(wheel(T.Linear(), R.Plane(-5.0)).report)
    b = am.Builder("deep")
    b.body("rim", joint="free", mass=1.0, inertia=(1.0, 1.0, 1.0))
    b.tyre("t", "rim", radius=0.3)
    assert "0.3 m deep in the road" in str(b.build().report)
    report = dog().report
    assert len(report.notes) == 1 and not report.of("warning")  # nobody gave that start
    assert "0.42 m deep in the road with all coordinates at zero" in str(report)
    assert "3 others are so, too. Give a start" in str(report)
    assert len(dog(0.3).report.of("warning")) == 1 and "0.12 m deep" in str(dog(0.3).report)
    assert not dog(0.419).report.notes
    b = am.Builder("fine")
    b.body("rim", joint="free", at=(0, 0, 0.29), mass=1.0, inertia=(1.0, 1.0, 1.0))
    b.tyre("t", "rim", radius=0.3)
    assert "road" not in str(b.build().report)
