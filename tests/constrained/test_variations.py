"""Derivatives of constrained accelerations against differences along closed configurations, and
the benchmark bicycle's eigenvalues [Meijaard2007, table 2]."""

import numpy as np
import pytest

import armillary as am
from armillary.errors import ModelError
from compare import close

STEP = 1e-5
NAMES = [name for name in am.example_names() if am.example(name).constraints]


@pytest.mark.parametrize(
    "name", ["four-bar", "stewart", "hslm", "bicycle", "bricard", "two-link-load", "rover"]
)
def test_along_admissible_variations(name):
    m = am.example(name)
    rng = np.random.default_rng(0)
    q, v = m.project(m.integrate(m.initial, rng.normal(size=m.nv) * 0.02), rng.normal(size=m.nv))
    tau, f = rng.normal(size=m.nv), m.forward_dynamics
    d = f.derivatives(q, v, tau)
    size = 1.0 + np.abs(f(q, v, tau)).max()
    for k, direction in enumerate(d.motions.T[:3]):
        ends = [m.project(m.integrate(q, s * STEP * direction))[0] for s in (1.0, -1.0)]
        slope = (f(ends[0], v, tau) - f(ends[1], v, tau)) / (2.0 * STEP)
        np.testing.assert_allclose(slope, d.dq[:, k], atol=2e-5 * size * (1 + np.abs(slope).max()))
    for k, direction in enumerate(d.velocities.T[:3]):
        slope = (f(q, v + STEP * direction, tau) - f(q, v - STEP * direction, tau)) / (2.0 * STEP)
        np.testing.assert_allclose(slope, d.dv[:, k], atol=1e-5 * size)
    for k in range(m.nv):  # linear in tau: differences are exact
        unit = np.eye(m.nv)[k]
        np.testing.assert_allclose(f(q, v, tau + unit) - f(q, v, tau), d.dtau[:, k],
                                   atol=1e-9 * size)  # fmt: skip


def test_dtau_is_symmetric_and_stays_in_the_free_motions():
    m = am.example("stewart")
    d = m.forward_dynamics.derivatives(m.initial, np.zeros(24), np.zeros(24))
    size = np.abs(d.dtau).max()
    np.testing.assert_allclose(d.dtau, d.dtau.T, atol=1e-12 * size)
    np.testing.assert_allclose(m.constraint_jacobian(m.initial) @ d.dtau, 0, atol=1e-11 * size)


def moving(name, seed=0):
    """A closed state in motion, and joint forces."""
    m, rng = am.example(name), np.random.default_rng(seed)
    size = m.constraint_solver.equations.scaling.columns
    kick = rng.normal(size=m.nv) * 0.01 * size
    q, v = m.project(m.integrate(m.initial, kick), 3.0 * rng.normal(size=m.nv) * size)
    return m, q, v, rng.normal(size=m.nv)


@pytest.mark.parametrize("name", NAMES)
def test_along_the_manifold_in_motion(name):
    """`jvp` is the slope of the acceleration at the projected state: J(q + dq)(v + dv) = 0."""
    m, q, v, tau = moving(name)
    f, rng = m.forward_dynamics, np.random.default_rng(1)
    size = m.constraint_solver.equations.scaling.columns
    dq, dv, dtau = rng.normal(size=(3, m.nv)) * size
    d = f.derivatives(q, v, tau)

    def at(h):
        place, speed = m.project(m.integrate(q, h * dq), v + h * dv)
        return f(place, speed, tau + h * dtau)

    slope = (8 * (at(STEP) - at(-STEP)) - (at(2 * STEP) - at(-2 * STEP))) / (12 * STEP)
    found = d.jvp(dq, dv, dtau)
    close(found / np.abs(slope).max(), slope / np.abs(slope).max(), 1e-6)
    # an admissible variation of v together with that of q changes nothing but what it says
    x, y = rng.normal(size=d.motions.shape[1]), rng.normal(size=d.velocities.shape[1])
    whole = d.jvp(d.motions @ x, d.carried @ x + d.velocities @ y)
    close(whole, d.moved @ x + d.dv @ y, 1e-9)
    # the same by vector products, and backwards
    close(f.jvp(q, v, tau, dq, dv, dtau), found, 1e-12)
    weight = rng.normal(size=m.nv)
    back = f.vjp(q, v, tau, weight)
    assert back[0] @ dq + back[1] @ dv + back[2] @ dtau == pytest.approx(weight @ found, rel=1e-9)


def test_the_four_bar_at_speed():
    """By the crank's angle alone: a(crank, speed) along closed positions at 5 rad/s."""
    m = am.example("four-bar")
    q, v = m.project(m.initial, {"crank": 5.0})
    d = m.forward_dynamics.derivatives(q, v, np.zeros(3))
    N = d.motions[:, 0] / d.motions[0, 0]

    def at(h):
        place = m.assemble(m.integrate(q, h * N), hold=()).q
        place = m.assemble([q[0] + h, *place[1:]], hold=["crank"]).q
        return m.forward_dynamics(place, m.project(place, {"crank": 5.0})[1], np.zeros(3)), place

    (ahead, _), (behind, _) = at(STEP), at(-STEP)
    carried = d.carried[:, 0] / d.motions[0, 0]
    dv = carried - carried[0] * N  # the crank keeps its speed
    close(d.jvp(N, dv), (ahead - behind) / (2 * STEP), 1e-6)


def test_batches_and_shapes():
    m = am.example("two-wheeled-cart")
    rng = np.random.default_rng(2)
    q, v = m.project(np.tile(m.initial, (3, 1)), rng.normal(size=(3, m.nv)))
    tau, change = rng.normal(size=(3, m.nv)), rng.normal(size=(3, m.nv))
    many = m.forward_dynamics.derivatives(q, v, tau)
    assert many.motions.shape == many.carried.shape == many.moved.shape == (3, 8, 6)
    assert many.velocities.shape == many.dv.shape == (3, 8, 3)
    assert [x.shape for x in many.full] == [(3, 8, 8)] * 3
    for k in range(3):
        one = m.forward_dynamics.derivatives(q[k], v[k], tau[k])
        for x, y in zip(many.full, one.full, strict=True):
            close(x[k], y, 1e-12)
        close(many.jvp(change, change)[k], one.jvp(change[k], change[k]), 1e-12)
    by = m.forward_dynamics.parameter_jacobian(q, v, tau)
    p, h = m.parameters, 1e-6
    for k in (7, 13):  # a moment of the axle, a first moment of a wheel
        unit = h * np.eye(len(p))[k]
        ends = [m.forward_dynamics(q, v, tau, parameters=p + s * unit) for s in (1, -1)]
        close((ends[0] - ends[1]) / (2 * h), by[..., k], 1e-5)


# [Meijaard2007, table 2], speed: caster, capsize, real and imaginary part of weave
BENCHMARK = {
    5.0: (-14.07838969279822, -0.32286642900409, -0.77534188219585, 4.46486771378823),
    10.0: (-24.62459635017404, 0.16105338653172, -3.72016840437287, 10.90681139476287),
}


@pytest.mark.parametrize("speed", BENCHMARK)
def test_the_bicycle_weaves(speed):
    """Lean and steer about upright running, eigenvalues of the linear motion [Meijaard2007]."""
    m = am.example("bicycle")
    lean, steer, wheel = (m.v_labels.index(x) for x in ("rear-frame.wx", "steer", "rear-wheel"))
    q, own = np.array(m.initial), [lean, steer, wheel]
    v = m.project(q, {"rear-wheel": speed / 0.3, "rear-frame.wx": 0.0, "steer": 0.0})[1]
    d = m.forward_dynamics.derivatives(q, v, np.zeros(m.nv))

    def column(dq, rates):
        """Slopes of both accelerations, with these changes of the rates of lean, steer, wheel."""
        x = np.linalg.lstsq(d.motions, dq, rcond=None)[0]
        close(d.motions @ x, dq, 1e-12)
        base = d.carried @ x
        y = np.linalg.solve(d.velocities[own], rates - base[own])
        return d.jvp(dq, base + d.velocities @ y)[[lean, steer]]

    units = np.eye(m.nv)
    places = [column(units[k], np.zeros(3)) for k in (lean, steer)]
    speeds = [column(np.zeros(m.nv), rate) for rate in np.eye(3)[:2]]
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [np.array(places).T, np.array(speeds).T]])
    found = np.linalg.eigvals(A)
    weave = found[np.argmax(found.imag)]
    caster, capsize = np.sort(found[np.abs(found.imag) < 1e-9].real)
    found = np.array([caster, capsize, weave.real, weave.imag])
    np.testing.assert_allclose(found, BENCHMARK[speed], rtol=1e-10)  # each of its own size


def test_contacts_that_rub_are_refused():
    b = am.Builder("finger")
    link = {"axis": "y", "mass": 1.0, "com": (0.1, 0, 0), "inertia": (0.01, 0.01, 0.01)}
    b.body("a", **link)
    b.body("b", "a", "revolute", (0.3, 0, 0), **link)
    b.frame("tip", "b", (0.3, 0, 0))
    b.contact("c", am.Frame("floor", "world", am.Pose((0, 0, -0.1))), "tip", constrained=("dz",),
              friction=(("dx", "dz", 0.3),))  # fmt: skip
    m = b.build()
    with pytest.raises(ModelError, match="contact 'c' rubs"):
        m.forward_dynamics.derivatives([0.3, 0.4], [0.0, 0.0], [0.0, 0.0])


def all_parts(d):
    """Whatever bases of the variations were chosen."""
    of_q, of_v = np.linalg.pinv(d.motions), np.linalg.pinv(d.velocities)
    return {"motions": d.motions @ of_q, "carried": d.carried @ of_q, "dq": d.dq @ of_q,
            "moved": d.moved @ of_q, "velocities": d.velocities @ of_v, "dv": d.dv @ of_v,
            **{f"full.{name}": x for name, x in d.full._asdict().items()}}  # fmt: skip


@pytest.mark.parametrize("name", ["four-bar", "bicycle", "bricard", "rolling-disc"])
def test_compiled_derivatives_are_those_of_the_interpreter(name):
    """Also with wrenches, without friction and springs, and in batches."""
    m, q, v, tau = moving(name)
    wrench = {m.bodies[-1]: np.array([0.1, -0.2, 0.3, 1.0, 2.0, -1.0])}
    many = [np.stack([x, y]) for x, y in zip((q, v, tau), moving(name, seed=1)[1:], strict=True)]
    ways = [((q, v, tau, wrench), {}), ((q, v, tau), {"passive": False}), (many, {})]
    ask, ways = m.forward_dynamics.derivatives, ways if name == "four-bar" else ways[::2]
    plain = m.compile(budget=0).forward_dynamics.derivatives
    for given, options in ways:
        first = all_parts(plain(*given, **options))
        for part, x in all_parts(ask(*given, **options)).items():
            close(x, first[part], 1e-10, part)


def test_compiled_derivatives_leave_what_they_do_not_know():
    """An open position is told, and answered by numpy; next to the place where the coordinates of
    the compiled code go singular the other way answers; a state that is not finite is NaN."""
    m = am.example("four-bar")
    q, v = m.project(m.initial, np.ones(3))
    ask, tau = m.forward_dynamics.derivatives, np.zeros(3)
    with pytest.warns(am.ProjectionWarning, match="forward_dynamics.derivatives: 'four-bar' is op"):
        found = ask(q + np.array([0.0, 1e-4, 0.0]), v, tau)
    close(found.full.dtau, ask(q, v, tau).full.dtau, 1e-3)
    states = (np.stack([q, np.full(3, np.nan)]), np.stack([v, v]), np.stack([tau, tau]))
    both = ask(*states)
    close(both.full.dq[0], ask(q, v, tau).full.dq, 1e-10)
    assert np.isnan(both.full.dq[1]).all()
    with pytest.raises(am.ArmillaryError):
        ask(np.full(3, np.nan), v, tau)


@pytest.mark.parametrize("budget", [0, 12_000])
def test_a_singular_state_of_a_batch_is_nan_and_named(budget):
    """A flat parallelogram branches; the other states are those of the pendulum it is elsewhere:
    0.31 θ'' = 0.7 g cos θ."""
    b = am.Builder("parallelogram")
    link = {"axis": "y", "mass": 1.0, "inertia": (0.01, 0.02, 0.03)}
    b.body("crank", com=(0.1, 0, 0), **link)
    b.body("coupler", "crank", "revolute", (0.5, 0, 0), com=(0.3, 0, 0), **link)
    b.body("rocker", at=(1, 0, 0), com=(0.1, 0, 0), **link)
    ends = (
        am.Frame("end", "coupler", am.Pose((1, 0, 0))),
        am.Frame("tip", "rocker", am.Pose((0.5, 0, 0))),
    )
    b.loop("pin", *ends, "revolute", axis="y")
    b.initial = {"crank": 1.0, "coupler": -1.0, "rocker": 1.0}
    m = b.build().compile(budget=budget)
    along, angles = np.array([1.0, -1.0, 1.0]), np.array([1.0, 0.0, 0.7, -2.0, np.pi])
    q, v = angles[:, None] * along, np.array([1.0, 0.0, 2.0, 1.0, 0.0])[:, None] * along
    with pytest.warns(am.ProjectionWarning, match=r"state 1 \(and 1 more\) is NaN, for it is sing"):
        d = m.forward_dynamics.derivatives(q, v, 0.0 * v)
    regular = [0, 2, 3]
    for part in (*d.full, d.motions, d.moved):
        assert np.isnan(part[[1, 4]]).all() and np.isfinite(part[regular]).all()
    close(
        d.jvp(along)[regular], -9.81 * 0.7 / 0.31 * np.sin(angles[regular])[:, None] * along, 1e-12
    )
    assert len(m.forward_dynamics.derivatives(q[1], v[1], 0.0 * v[1]).motions.T) == 2


def test_a_state_of_a_batch_that_leads_nowhere_is_nan_and_named():
    """A rod on a string that is stretched straight: the velocity it admits leads nowhere."""
    b = am.Builder("stretched")
    b.body("rod", axis="y", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    b.body("free", axis="y", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    b.frame("tip", "rod", (1, 0, 0))
    b.distance("string", am.Frame("wall", "world", am.Pose((3, 0, 0))), "tip", 2.0)
    m = b.build()
    ask, q = m.forward_dynamics.derivatives, np.array([[0.0, 0.3], [0.0, 0.2]])
    with pytest.raises(ModelError, match="singular position, where"):
        ask(q[0], [1.0, 0.0], [0.0, 0.0])
    with pytest.warns(am.ProjectionWarning, match="in a singular position in state 0, where a"):
        d = ask(q, [[1.0, 0.0], [0.0, 0.5]], np.zeros((2, 2)))
    assert np.isnan(d.full.dq[0]).all()
    close(d.full.dq[1, 1, 1], 9.81 * 0.5 / (0.1 + 0.25) * -np.sin(0.2), 1e-12)


def test_accelerations_that_jump_have_no_derivatives():
    """A rover with its wheels in line, pushed ahead: turned a little, one wheel locks it, however
    little it was turned.  Along everything else derivatives are as differences have them."""
    m = am.example("rover")
    q, v = m.assemble(m.initial).q, np.zeros(m.nv)
    tau = np.array([1.0 * label.endswith("drive") for label in m.v_labels])
    tau[m.v_labels.index("front-right-drive")] = 2.0
    steers = [k for k, label in enumerate(m.v_labels) if label.endswith("steer")]
    a = m.forward_dynamics(q, v, tau)
    ahead = m.v_labels.index("chassis.vx")
    turned = [m.integrate(q, step * np.eye(m.nv)[steers[0]]) for step in (1e-3, 1e-6)]
    for place in turned:
        assert abs(m.forward_dynamics(m.project(place, v)[0], v, tau)[ahead]) < 1e-3 * a[ahead]
    with pytest.warns(am.ProjectionWarning, match="jump along .*front-left-steer.*NaN in dq"):
        d = m.forward_dynamics.derivatives(q, v, tau)
    assert np.isnan(d.full.dq[:, steers]).all()
    for label in ("chassis.wz", "chassis.vx", "chassis.vy", "rear-left-drive"):
        k = m.v_labels.index(label)
        step = 1e-4 * np.eye(m.nv)[k]
        sides = [m.forward_dynamics(m.integrate(q, s * step), v, tau) for s in (1.0, -1.0)]
        close(d.full.dq[:, k], (sides[0] - sides[1]) / 2e-4, 1e-7)
    push = np.linspace(-1.0, 1.0, m.nv)
    changed = m.forward_dynamics(q, v, tau + push) - a
    close(d.jvp(tau=push), changed, 1e-10)  # what does not change has no say
    refused = pytest.raises(ModelError, match="no linear model here: its accelerations jump")
    with refused, pytest.warns(am.ProjectionWarning):
        m.linearize(q, v, tau)
    still = m.forward_dynamics.derivatives(q, v, 0.0 * tau)  # nothing accelerates: nothing jumps
    close(still.full.dq, np.zeros((m.nv, m.nv)), 1e-12)
    with pytest.warns(am.ProjectionWarning, match="in a singular position in state 1, where rows"):
        both = m.forward_dynamics.derivatives(*(np.array([x, x]) for x in (q, v)), [0.0 * tau, tau])
    assert np.isfinite(both.full.dq[0]).all() and np.isnan(both.full.dq[1][:, steers]).all()


def test_other_numbers_are_refused_by_name():
    m = am.example("four-bar")
    state = m.initial, np.zeros(3), np.zeros(3)
    asked = m.forward_dynamics
    for ask in (asked.derivatives, asked.jvp, lambda *x, **n: asked.vjp(*x, np.ones(3), **n)):
        with pytest.raises(am.InputError, match=r"'four-bar' is closed.*`parameters`.*replace"):
            ask(*state, parameters=m.parameters)
        with pytest.raises(am.InputError, match="offsets"):
            ask(*state, offsets=np.zeros(18))
