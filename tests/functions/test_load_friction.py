"""Friction that depends on the load of its joint: closed forms, and forward against inverse."""

import json

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import armillary as am
import samples
from armillary import scalar
from armillary import textbook as methods
from armillary.errors import FormatError, InputError, ModelError
from armillary.formats.native_schema import native_schema
from armillary.mechanism.symbolic import equations, symbols
from compare import close

G = 9.81


def block(angle: float = 0.0, mass: float = 2.0, **friction) -> am.Mechanism:
    """A block on a slope that climbs along +x by `angle`."""
    b = am.Builder("block")
    b.body("block", joint="prismatic", rpy=(0.0, -angle, 0.0), axis="x", mass=mass,
           passive=am.Passive(**friction))  # fmt: skip
    return b.build()


@pytest.mark.parametrize("v", [-0.7, 0.7])
def test_a_block_on_a_slope(v):
    """Coulomb's law: μ times the weight across the slope, and what presses on top of it."""
    mu, angle, a = 0.3, 0.4, 1.7
    m = block(angle, load_radial=mu)
    push = {"block": (0.0, 0.0, 0.0, 0.0, 0.0, -5.0)}  # across the slope, downwards
    normal = 2.0 * G * np.cos(angle)
    rest = 2.0 * a + 2.0 * G * np.sin(angle)
    for external, pressed in ((None, normal), (push, normal + 5.0)):
        tau = m.inverse_dynamics([0.0], [v], [a], external)
        close(tau, [rest + mu * pressed * np.sign(v)], 1e-14)
        close(m.forward_dynamics([0.0], [v], tau, external), [a], 1e-14)


COM, INERTIA = (
    np.array([0.3, 0.05, 0.12]),
    np.array([[0.04, 0.003, -0.002], [0.003, 0.05, 0.001], [-0.002, 0.001, 0.03]]),
)
FRICTION = {"load_radial": 0.02, "load_axial": 0.015, "load_moment": 0.04, "load_drive": 0.1}
TILT = 0.5  # of the axis against the horizontal


def pendulum(**friction) -> am.Mechanism:
    """A body out of balance on an inclined axis."""
    b = am.Builder("pendulum")
    tensor = (*np.diag(INERTIA), INERTIA[0, 1], INERTIA[0, 2], INERTIA[1, 2])
    b.body("bob", joint="revolute", rpy=(TILT, 0.0, 0.0), axis="z", mass=1.5, com=COM,
           inertia=tensor, passive=am.Passive(**friction))  # fmt: skip
    return b.build()


def drive(q, v, a, friction):
    """Newton and Euler about the pin, in body axes, written out."""
    tilt = np.array([[1, 0, 0], [0, np.cos(TILT), -np.sin(TILT)], [0, np.sin(TILT), np.cos(TILT)]])
    turn = np.array([[np.cos(q), -np.sin(q), 0], [np.sin(q), np.cos(q), 0], [0, 0, 1]])
    down = (tilt @ turn).T @ (0, 0, -G)
    w, dw = np.array([0, 0, v]), np.array([0, 0, a])
    f = 1.5 * (np.cross(dw, COM) + np.cross(w, np.cross(w, COM)) - down)
    n = INERTIA @ dw + np.cross(w, INERTIA @ w) + np.cross(COM, f)
    level = (friction["load_radial"] * np.hypot(f[0], f[1])
             + friction["load_axial"] * abs(f[2])
             + friction["load_moment"] * np.hypot(n[0], n[1])
             + friction["load_drive"] * abs(n[2]))  # fmt: skip
    return n[2] + level * np.sign(v)


@pytest.mark.parametrize("name", [None, *FRICTION])
def test_a_pendulum_in_its_bearings(name):
    """Every coefficient alone, and all of them; accelerations by a search for the root."""
    friction = {k: x if name in (None, k) else 0.0 for k, x in FRICTION.items()}
    m = pendulum(**friction)
    rng = np.random.default_rng(4)
    for q, v, a in rng.normal(size=(6, 3)) * (2.0, 3.0, 10.0):
        tau = drive(q, v, a, friction)
        close(m.inverse_dynamics([q], [v], [a]), [tau], 1e-13)
        found = brentq(lambda x: drive(q, v, x, friction) - 0.8, -200, 200, xtol=1e-13)  # noqa: B023
        close(m.forward_dynamics([q], [v], [0.8]), [found], 1e-11)


def test_a_gear_takes_its_share_both_ways():
    """Lifting a weight costs 1 + μ of its moment, letting it down gives back 1 - μ."""
    mu, b = 0.2, am.Builder("winch")
    b.body("drum", joint="revolute", axis="y", mass=3.0, com=(0.5, 0.0, 0.0),
           passive=am.Passive(load_drive=mu))  # fmt: skip
    m = b.build()
    moment = -3.0 * G * 0.5  # the drive turns about +y, the weight pulls the same way
    up, down = (m.inverse_dynamics([0.0], [v], [0.0])[0] for v in (-0.1, 0.1))
    assert up == pytest.approx(moment * (1 + mu) - 0.0, rel=1e-12)
    assert down == pytest.approx(moment * (1 - mu), rel=1e-12)


def screw(friction: float, pitch: float = 0.002, smoothing: float = 0.0) -> am.Mechanism:
    b = am.Builder("screw")
    b.body("nut", joint="helical", axis="z", pitch=pitch, mass=8.0, inertia=(0.02, 0.02, 0.01),
           passive=am.Passive(load_axial=friction, smoothing=smoothing))  # fmt: skip
    return b.build()


def test_a_screw_locks_itself():
    """μ r above the pitch: the nut creeps with s artanh(pitch / μ r); below, it runs down."""
    pitch, creep = 0.002, 0.05
    locked = screw(0.0032, pitch, creep)
    run = am.simulate(locked, duration=0.1, step=1e-3)
    assert run.v[-1, 0] == pytest.approx(-creep * np.arctanh(pitch / 0.0032), rel=1e-6)
    c = 0.0012
    a = 8.0 * G * (c - pitch) / (0.01 + 8.0 * pitch**2 - c * 8.0 * pitch)
    close(screw(c, pitch).forward_dynamics([0.0], [-1.0], [0.0]), [a], 1e-13)


def slider(gain: float) -> am.Mechanism:
    """A mass at the height 0.5 m over its guide: accelerating tilts it.  No weight."""
    b = am.Builder("slider", (0.0, 0.0, 0.0))
    b.body("slider", joint="prismatic", axis="x", mass=2.0, com=(0.0, 0.0, 0.5),
           passive=am.Passive(load_moment=gain / 0.5))  # fmt: skip
    return b.build()


def test_friction_that_feeds_itself():
    """m a + gain m |a| = tau; from a gain of 1 on there is no or no single answer."""
    m = slider(0.8)
    close(m.forward_dynamics([0.0], [1.0], [6.0]), [6.0 / (2.0 * 1.8)], 1e-13)
    close(m.forward_dynamics([0.0], [1.0], [-6.0]), [-6.0 / (2.0 * 0.2)], 1e-12)
    with pytest.raises(ModelError, match=r"'slider'.*factor of 1\.1.*may not exist"):
        slider(1.1).forward_dynamics([0.0], [1.0], [-6.0])
    assert slider(1.1).forward_dynamics([0.0], [0.0], [-6.0]) == -3.0  # at rest nothing rubs


def loaded_tree(base: str = "fixed") -> am.Mechanism:
    """All one-axis joints and others between them, branches and welds, full tensors."""
    rng, b = np.random.default_rng(7), am.Builder("loaded")
    kinds = ("spherical" if base == "ball" else "revolute", "prismatic", "fixed", "helical",
             "universal", "revolute", "prismatic", "revolute")  # fmt: skip
    parents = (-1, 0, 1, 2, 0, 4, 5, 6)
    for k, (kind, p) in enumerate(zip(kinds, parents, strict=True)):
        numbers = dict.fromkeys(("load_radial", "load_moment", "load_drive"), 0.03)
        if kind in ("revolute", "helical"):
            numbers["load_axial"] = 0.02
        one = kind in ("revolute", "prismatic", "helical")
        law = am.Passive(viscous=0.1, coulomb=0.2, smoothing=0.3 * (k % 2), **numbers)
        b.body(f"b{k}", f"b{p}" if p >= 0 else "world", kind, samples.random_pose(rng),
               mass=samples.random_mass(rng), passive=law if one else (),
               rotor=am.Rotor(0.01, 2.0) if kind == "helical" else (),
               **samples.random_joint(kind, rng))  # fmt: skip
    b.frame("tip", "b7", samples.random_pose(rng))
    return b.build()


@pytest.fixture(scope="module", params=["fixed", "ball"])
def tree(request):
    return loaded_tree(request.param)


def states(m, count, seed=0):
    rng = np.random.default_rng(seed)
    q = m.integrate(np.tile(m.neutral(), (count, 1)), rng.normal(size=(count, m.nv)))
    return (q, *(2.0 * rng.normal(size=(2, count, m.nv))))


def test_forward_undoes_inverse(tree):
    q, v, a = states(tree, 40)
    rng = np.random.default_rng(5)
    bodies = tree.parameters * (1.0 + 0.1 * rng.random((40, len(tree.parameters))))
    for options in (
        {},
        {"external": {"tip": rng.normal(size=(40, 6))}},
        {"external": {"tip": rng.normal(size=6)}, "parameters": bodies},
        {"offsets": 0.05 * rng.normal(size=len(tree.offset_names))},
    ):
        tau = tree.inverse_dynamics(q, v, a, **options)
        again = tree.inverse_dynamics(q, v, tree.forward_dynamics(q, v, tau, **options), **options)
        assert np.abs(again - tau).max() < 1e-10
    close(tree.forward_dynamics(q[3], v[3], tree.inverse_dynamics(q[3], v[3], a[3])), a[3], 1e-9)
    plain = tree.forward_dynamics(q, v, a, passive=False)
    close(tree.inverse_dynamics(q, v, plain, passive=False), a, 1e-10)


def test_loads_of_the_reactions(tree):
    """The friction is that of the wrenches which `reactions` tells; it does not change them."""
    q, v, a = (x[0] for x in states(tree, 1))
    forces = tree.reactions(q, v, a)
    difference = tree.inverse_dynamics(q, v, a) - tree.replace(
        bodies={b.name: {"passive": [am.Passive(p.viscous, p.coulomb, smoothing=p.smoothing)
                                     for p in b.joint.passive]} for b in tree.model.bodies}
    ).inverse_dynamics(q, v, a)  # fmt: skip
    for body, slot in zip(tree.model.bodies, tree.model.slots, strict=True):
        if not body.joint.passive:
            continue
        law, axis = body.joint.passive[0], np.array(body.joint.axes[0])
        n, f = forces[body.name][:3], forces[body.name][3:]
        slide = body.joint.kind == "prismatic"
        driving = f @ axis if slide else n @ axis + body.joint.pitch * (f @ axis)
        level = (law.load_radial * np.linalg.norm(f - axis * (f @ axis))
                 + law.load_axial * abs(f @ axis)
                 + law.load_moment * np.linalg.norm(n if slide else n - axis * (n @ axis))
                 + law.load_drive * abs(driving))  # fmt: skip
        speed = v[slot.v.start]
        way = np.tanh(speed / law.smoothing) if law.smoothing else np.sign(speed)
        assert difference[slot.v.start] == pytest.approx(level * way, rel=1e-11)


def test_rows_that_are_no_numbers_stay_alone(tree):
    q, v, tau = states(tree, 6)
    whole = tree.forward_dynamics(q, v, tau)
    tau[2, 0] = np.nan
    found = tree.forward_dynamics(q, v, tau)
    assert np.isnan(found[2]).all()
    close(np.delete(found, 2, 0), np.delete(whole, 2, 0), 1e-10)


def test_derivatives_are_differences(tree):
    q, v, a = (x[0] for x in states(tree, 1, seed=3))
    tau, h, n = tree.inverse_dynamics(q, v, a), 1e-6, tree.nv
    step = h * np.concatenate([np.eye(n), -np.eye(n)])
    wrench = {"tip": np.arange(6.0)}
    moved = tree.integrate(np.tile(q, (2 * n, 1)), step)

    def slopes(ends):
        return ((ends[:n] - ends[n:]) / (2 * h)).T

    d = tree.inverse_dynamics.derivatives(q, v, a, wrench)
    for name, args in (("dq", (moved, v, a)), ("dv", (q, v + step, a)), ("da", (q, v, a + step))):
        numbers = slopes(tree.inverse_dynamics(*args, wrench))
        close(getattr(d, name), numbers, 1e-7)
    d = tree.forward_dynamics.derivatives(q, v, tau)
    for name, args in (("dq", (moved, v, tau)), ("dv", (q, v + step, tau)),
                       ("dtau", (q, v, tau + step))):  # fmt: skip
        close(getattr(d, name), slopes(tree.forward_dynamics(*args)), 1e-6)
    batch = tree.forward_dynamics.derivatives(np.tile(q, (2, 1)), v, tau)
    close(batch.dq[1], d.dq, 1e-12)
    free = tree.forward_dynamics.derivatives(q, v, tau, passive=False)
    close(free.dtau, np.linalg.inv(tree.mass_matrix(q, passive=False)), 1e-9)
    by = tree.forward_dynamics.offset_jacobian(q, v, tau)[:, 8]
    shift = np.zeros((2, len(tree.offset_names)))
    shift[:, 8] = h, -h
    ends = tree.forward_dynamics(q, v, tau, offsets=shift)
    close(by, (ends[0] - ends[1]) / (2 * h), 1e-6)


def test_solve_and_check(tree):
    q, v, a = (x[0] for x in states(tree, 1, seed=9))
    tau = tree.inverse_dynamics(q, v, a)
    close(tree.solve(q, v, tau).acceleration, a, 1e-9)
    assert tree.check(q, v, tau).worst < 1e-11


def test_a_mechanism_without_it_is_what_it_was(tree):
    """The regressor and the mass matrix know no friction; single-precision goes through."""
    q, v, a = states(tree, 3)
    rigid = tree.inverse_dynamics(q, v, a, passive=False)
    close(tree.regressor(q, v, a) @ tree.parameters, rigid, 1e-11)
    small = [x.astype(np.float32) for x in (q, v, a)]
    assert tree.forward_dynamics(*small).dtype == np.float32
    out = np.empty((3, tree.nv))
    assert tree.forward_dynamics(q, v, a, out=out) is out
    close(out, tree.forward_dynamics(q, v, a), 1e-13)


def test_inverse_dynamics_as_formulas():
    """Symbols and C know it; forward dynamics has a loop in it and says so."""
    m = pendulum(**FRICTION)
    x = symbols(m)
    (tau,) = equations(m)
    for q, v, a in ((0.3, -0.8, 2.0), (-1.0, 0.4, -3.0)):
        numbers = {x["q"][0]: q, x["v"][0]: v, x["a"][0]: a}
        assert float(tau.subs(numbers)) == pytest.approx(drive(q, v, a, FRICTION), rel=1e-12)
    assert "sqrt" in m.to_c("inverse_dynamics")
    for name in ("forward_dynamics", "inverse_dynamics_derivatives"):
        with pytest.raises(ModelError, match=f"{name} as an expression.*'bob'"):
            m.to_c(name)
    assert "sqrt" not in m.to_c("forward_dynamics", passive=False)


def test_actuator_forces_of_a_tree_have_the_friction_too():
    m = pendulum(**FRICTION)
    for q, v, a in ((0.3, -0.8, 2.0), (-1.0, 0.4, -3.0)):
        (tau,) = m.actuator_forces([q], [v], [a]).tau
        assert tau == pytest.approx(drive(q, v, a, FRICTION), rel=1e-9)


def test_what_is_refused():
    m = pendulum(**FRICTION)
    with pytest.raises(InputError, match=r"parameter_jacobian.*'bob'.*not linear"):
        m.inverse_dynamics.parameter_jacobian([0.0], [1.0], [0.0])
    with pytest.raises(ModelError, match=r"methods of the documents"):
        methods.tip_constraint(m, "bob", ("dx",), [0.0], [1.0], [0.0])
    limited = m.replace(bodies={"bob": {"limits": am.Limits(-1.0, 1.0)}})
    with pytest.raises(ModelError, match=r"JointLimits.*'bob'"):
        am.simulate(limited, [0.1], [1.0], 0.1, events=am.JointLimits())
    with pytest.raises(ModelError, match="variational"):
        am.simulate(m, [0.1], [1.0], 0.1, method="variational")
    tied = am.example("four-bar")
    name = tied.bodies[0]
    rough = tied.replace(bodies={name: {"passive": am.Passive(load_radial=0.01)}})
    q, v = rough.initial, np.zeros(rough.nv)
    with pytest.raises(ModelError, match=r"constraints.*depends on its load"):
        rough.forward_dynamics.derivatives(q, v, v)
    with pytest.raises(ModelError, match=r"StickSlip with constraints.*depends on its load"):
        am.simulate(rough, q, events=am.StickSlip())
    bare = tied.forward_dynamics(q, v, v, passive=False)
    close(rough.forward_dynamics(q, v, v, passive=False), bare, 1e-12)


def test_external_that_is_no_mapping(tree):
    q, v, a = (x[0] for x in states(tree, 1))
    for question in (tree.forward_dynamics, tree.inverse_dynamics.derivatives):
        with pytest.raises(InputError, match="wrenches by frame name"):
            question(q, v, a, 5)


@pytest.mark.parametrize("name", ["q", "v", "a", "tau", "parameters"])
def test_a_body_with_the_name_of_an_input(name):
    """One wrench for all rows of the input of that name; the other inputs are single."""
    b = am.Builder("named")
    b.body(name, joint="revolute", axis="y", mass=am.Mass(2.0, (0.3, 0, 0), (0.1,) * 3 + (0,) * 3),
           passive=am.Passive(load_radial=0.02, smoothing=0.1))  # fmt: skip
    m, wrench = b.build(), {name: (0.0, 2.0, 0.0, 1.0, 0.0, 0.0)}
    given = {"q": 0.3, "v": 0.7, "tau": 1.0}
    batch = name if name in given else "q"
    rows = given | {batch: np.array([[0.2], [0.4]])}
    found = m.forward_dynamics(**rows, external=wrench)
    one = [m.forward_dynamics(**(given | {batch: x}), external=wrench) for x in (0.2, 0.4)]
    np.testing.assert_array_equal(found, one)
    d = m.inverse_dynamics.derivatives([0.3], [0.7], [[0.2], [0.4]], wrench)
    assert d.dq.shape == (2, 1, 1)


@pytest.mark.parametrize(
    ("kind", "numbers", "text"),
    [
        ("spherical", {"load_radial": 0.1}, "load_radial needs a joint of one axis"),
        ("prismatic", {"load_axial": 0.1}, "Use load_drive"),
        ("revolute", {"load_drive": 1.0}, "below 1, found 1.0"),
        ("revolute", {"load_moment": -0.1}, "load_moment must not be negative"),
        ("revolute", {"load_axial": float("nan")}, "load_axial must be a finite number"),
    ],
)
def test_impossible_coefficients(kind, numbers, text):
    b = am.Builder("wrong")
    b.body("a", joint=kind, mass=1.0, inertia=(1, 1, 1), passive=am.Passive(**numbers))
    with pytest.raises(ModelError, match=text):
        b.build()
    b = am.Builder("right")
    b.body("a", joint=kind, mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(ModelError, match=text):
        b.build().replace(bodies={"a": {"passive": am.Passive(**numbers)}})


def test_files(tmp_path):
    m = pendulum(coulomb=0.2, **FRICTION)
    m.save(tmp_path / "m.yaml")
    assert am.load(tmp_path / "m.yaml").model.bodies[0].joint.passive == (
        am.Passive(coulomb=0.2, **FRICTION),
    )
    assert "load_moment" in json.dumps(native_schema())
    for ending in ("urdf", "xml"):
        with pytest.raises(FormatError, match="load_radial"):
            m.save(tmp_path / f"m.{ending}")


# -- time ---------------------------------------------------------------------------------------


def chain() -> am.Mechanism:
    b = am.Builder("chain")
    law = am.Passive(load_radial=0.01, load_moment=0.02, smoothing=0.05)
    b.body("upper", joint="revolute", axis="y", mass=2.0, com=(0.0, 0.03, -0.3),
           inertia=(0.05, 0.05, 0.01), passive=law)  # fmt: skip
    b.body("lower", "upper", "revolute", (0.0, 0.0, -0.6), axis="y", mass=1.0,
           com=(0.02, 0.0, -0.25), inertia=(0.02, 0.02, 0.005), passive=law)  # fmt: skip
    return b.build()


def test_energy_only_falls():
    run = am.simulate(chain(), [1.2, 0.4], [0.0, 1.0], 1.5, 4e-3, record=("q", "v", "energy"))
    assert np.diff(run.energy).max() < 1e-9
    assert run.energy[0] - run.energy[-1] > 0.3


@pytest.mark.parametrize("method", ["semi-implicit", "heun", "rk4", "dopri5", "implicit",
                                    "exponential"])  # fmt: skip
def test_methods_agree(method):
    m = chain()
    start = np.array([1.2, 0.4, 0.5, 1.0])
    rate = lambda t, x: np.concatenate([x[2:], m.forward_dynamics(x[:2], x[2:], np.zeros(2))])  # noqa: E731
    wanted = solve_ivp(rate, (0, 0.1), start, rtol=1e-9, atol=1e-10).y[:2, -1]
    run = am.simulate(m, start[:2], start[2:], 0.1, 1e-3, method=method)
    close(run.q[-1], wanted, 2e-3 if method == "semi-implicit" else 5e-6)


def test_a_batch_runs_as_its_rows():
    m, rng = chain(), np.random.default_rng(2)
    q0, v0 = rng.normal(size=(2, 3, 2))
    both = am.simulate(m, q0, v0, 0.1, 5e-3)
    alone = am.simulate(m, q0[1], v0[1], 0.1, 5e-3)
    close(both.q[:, 1], alone.q, 1e-12)


# -- laws of one's own -------------------------------------------------------------------------


def quadratic(x, v):
    """Air, and a seal that grips where the shaft is rough."""
    return 0.3 * v * scalar.sqrt(v * v + 1e-4) + 0.2 * scalar.sin(x) * scalar.tanh(v / 0.1)


def test_a_function_of_the_user_everywhere():
    """Inverse, forward, derivatives, native steps; against the same numbers in numpy."""
    b = am.Builder("fan")
    b.body("fan", joint="revolute", axis="z", mass=1.0, inertia=(0.2, 0.2, 0.4),
           passive=am.Passive(law=quadratic))  # fmt: skip
    m = b.build()
    q, v, a = 0.7, -1.3, 2.0
    drag = lambda x, v: 0.3 * v * np.sqrt(v * v + 1e-4) + 0.2 * np.sin(x) * np.tanh(v / 0.1)  # noqa: E731
    close(m.inverse_dynamics([q], [v], [a]), [0.4 * a + drag(q, v)], 1e-14)
    close(m.forward_dynamics([q], [v], [1.0]), [(1.0 - drag(q, v)) / 0.4], 1e-14)
    d, h = m.forward_dynamics.derivatives([q], [v], [1.0]), 1e-6
    by_q = -(drag(q + h, v) - drag(q - h, v)) / (2 * h * 0.4)
    by_v = -(drag(q, v + h) - drag(q, v - h)) / (2 * h * 0.4)
    close(np.ravel([d.dq, d.dv]), [by_q, by_v], 1e-8)
    rate = lambda t, x: [x[1], (1.0 - drag(*x)) / 0.4]  # noqa: E731
    wanted = solve_ivp(rate, (0, 1), [q, v], rtol=1e-11, atol=1e-12).y[:, -1]
    run = am.simulate(m, [q], [v], 1.0, 1e-3, inputs={"fan": 1.0})
    close([run.q[-1, 0], run.v[-1, 0]], wanted, 1e-8)
