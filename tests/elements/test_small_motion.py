"""Own states of force elements in linear models and modes: closed forms, differences, runs."""

import numpy as np
import pytest
from machines import tree
from scipy.linalg import expm

import armillary as am
from armillary.errors import NotFiniteError
from armillary.scalar import sqrt
from compare import close

K, C = 300.0, 40.0


def same_roots(found, wanted):
    np.testing.assert_allclose(found, np.sort_complex(wanted), atol=1e-10 * np.abs(wanted).max())


def test_standard_linear_solid():
    """A spring beside a Maxwell element: m x'' = -c x - s,  s' = k x' - k/d s."""
    b = am.Builder("mount", gravity=(0, 0, 0))
    b.body("engine", joint="prismatic", axis="x", at=(1, 0, 0), mass=20.0)
    b.spring("rubber", "world", "engine", stiffness=2e4)
    b.maxwell("relaxing", ("world", "engine"), stiffness=3e4, damping=400.0)
    mount = b.build()
    model = mount.linearize(outputs=["a.engine", "engine"])
    A = np.array([[0, 1, 0], [-1000.0, 0, -1 / 20], [0, 3e4, -75.0]])
    close(model.A, A, 1e-12)
    close(model.C, np.array([A[1], [1.0, 0, 0]]), 1e-12)
    assert model.states == ("engine", "v.engine", "relaxing.tension")
    assert model.state_units == ("m", "m/s", "N") and model.about == "rest" and not model.notes
    modes = mount.modes()
    same_roots(modes.eigenvalues, np.linalg.eigvals(A))
    assert [mode.kind for mode in modes] == ["oscillation", "decay"]
    dq, dv = model.coordinates(np.array([0.1, 0.2, 7.0]))
    assert dq.tolist() == [0.1] and dv.tolist() == [0.2]


def test_a_free_body_keeps_its_zeros():
    """Two carts with nothing but a Maxwell element between them: drifts, and one that decays."""
    b = am.Builder("carts", gravity=(0, 0, 0))
    for k, name in enumerate(("one", "two")):
        b.body(name, joint="prismatic", axis="x", at=(k, 0, 0), mass=2.0 + k)
    b.maxwell("m", ("one", "two"), stiffness=K, damping=C)
    modes = b.build().modes()
    # x1'' = s/m1, x2'' = -s/m2, s' = k (x2' - x1') - k/c s:  λ² + k/c λ + k (1/m1 + 1/m2) = 0
    others = np.roots([1.0, K / C, K * (1 / 2 + 1 / 3)])
    assert modes.zeros == 3
    same_roots(modes.eigenvalues[3:], others)


def nasty(tension, own):
    """A branch, a free body, full tensors; two elements with states."""
    b = tree("nasty")

    def law(r, R, w, u, z):
        return [-z[0] * r[0] - z[1] * z[1], 0.4 * z[1] * r[2] - 0.2 * u[1], z[0] * R[0][1]]

    def rate(r, R, w, u, z):
        return [r[0] * u[1] - 3.0 * z[0] * z[0], sqrt(1.0 + z[0] * z[0]) * w[2] + z[1] * R[1][1]]

    b.maxwell("m", ("tip", "eye"), stiffness=K, damping=C, tension=tension)
    b.force("f", ("arm", "bob"), law, states={"a": own[0], "b": own[1]}, rate=rate)
    return b.build(), rate


def by_hand(z, q, v, tau):
    """Accelerations from a model that holds z, and rates of z from poses and velocities."""
    m, rate = nasty(z[0], z[1:])
    a = m.forward_dynamics(q, v, tau)
    spot = {name: m.pose(q, name) for name in ("tip", "eye", "arm", "bob")}
    motion = {name: m.velocity(q, v, name, coordinates="world_aligned") for name in spot}
    line = spot["eye"][1] - spot["tip"][1]
    speed = (motion["eye"] - motion["tip"])[3:]
    tension = K * (line @ speed) / np.linalg.norm(line) - K / C * z[0]
    R1, p1 = spot["arm"]
    R2, p2 = spot["bob"]
    w1, w2 = motion["arm"][:3], motion["bob"][:3]
    r = R1.T @ (p2 - p1)
    u = R1.T @ (motion["bob"][3:] - motion["arm"][3:] - np.cross(w1, p2 - p1))
    own = rate(r, R1.T @ R2, R1.T @ (w2 - w1), u, z[1:])
    return np.array([*a, tension, *own])


def test_slopes_against_differences():
    """Rows of velocities and own states of A, about a passing state."""
    z = np.array([25.0, 0.7, -0.4])
    m, _ = nasty(z[0], z[1:])
    rng = np.random.default_rng(4)
    q = m.integrate(m.initial, 0.4 * rng.normal(size=m.nv))
    v, tau = rng.normal(size=(2, m.nv))
    model = m.linearize(q, v, tau)
    assert model.about == "passing state" and model.states[-3:] == ("m.tension", "f.a", "f.b")
    h, n = 1e-6, m.nv
    wanted = np.zeros((n + 3, 2 * n + 3))
    for k in range(2 * n + 3):
        d = np.zeros(2 * n + 3)
        d[k] = h
        ends = [
            by_hand(z + s * d[2 * n :], m.integrate(q, s * d[:n]), v + s * d[n : 2 * n], tau)
            for s in (1.0, -1.0)
        ]
        wanted[:, k] = (ends[0] - ends[1]) / (2 * h)
    close(model.A[n:], wanted, 1e-7)
    assert np.abs(wanted[:, 2 * n :]).max() > 0.1  # own states have a part in it


def four_bar(tension):
    """Two arms and a coupler; a Maxwell element and a spring from the coupler to the world."""
    b = am.Builder("four-bar", gravity=(0.5, 0, -9.81))
    size = {"mass": 1.3, "com": (0.1, 0.05, -0.4), "inertia": (0.1, 0.12, 0.03)}
    b.body("left", joint="revolute", axis="y", **size)
    b.body("coupler", "left", joint="revolute", axis="-y", at=(0, 0, -0.8), **size)
    b.body("right", joint="revolute", axis="y", at=(1.0, 0.1, 0), **size)
    first = am.Frame("one", "coupler", am.Pose((1.0, 0.1, 0.1)))
    second = am.Frame("two", "right", am.Pose((0, 0, -0.7)))
    b.loop("pin", first, second, "spherical")
    b.frame("eye", "coupler", at=(0.5, 0, -0.2))
    foot = am.Frame("foot", "world", am.Pose((0.2, 0, -1.9)))
    b.spring("spring", foot, "eye", stiffness=200.0, damping=2.0)
    b.maxwell("m", (foot, "eye"), stiffness=500.0, damping=60.0, tension=tension)
    return b.build()


@pytest.mark.parametrize("which", [0, 1, 2])
def test_runs_of_a_closed_mechanism(which):
    """x(t) = e^(A t) x(0) about rest, for a change of the place, of the speed, of the tension."""
    m = four_bar(0.0)
    rest = m.equilibrium(m.project(m.initial)[0])
    model = m.linearize(rest.q)
    assert model.about == "rest" and len(model.states) == 3
    h = np.array([1e-5, 1e-4, 1e-2])[which]
    x = np.zeros(3)
    x[which] = h
    dq, dv = model.coordinates(x)
    q, _ = m.project(m.integrate(rest.q, dq))
    q, v = m.project(q, dv)
    k = m.v_labels.index(model.independent[0])
    machine = four_bar(x[2])
    run = am.simulate(machine, q, v, duration=0.3, step=1e-3, record="q,v,states")
    found = np.array([run.q[-1, k] - rest.q[k], run.v[-1, k], run["states"][-1, 0]])
    x[0] = q[k] - rest.q[k]
    wanted = expm(model.A * 0.3) @ x
    np.testing.assert_allclose(found / wanted, 1.0, atol=2e-3)


def test_rest_that_does_not_last_says_so():
    """A spring against a Maxwell element under tension: 10 N shift the rest by 0.1 m as long as
    they last; without them it is where the spring has it, and has modes."""

    def mount(tension):
        b = am.Builder("mount", gravity=(0, 0, 0))
        b.body("cart", joint="prismatic", axis="x", mass=1.0)
        b.frame("wall", "world", (-1, 0, 0))
        b.spring("spring", "wall", "cart", stiffness=100.0, rest=0.9)
        b.maxwell("relaxing", ("wall", "cart"), stiffness=50.0, damping=5.0, tension=tension)
        return b.build()

    passing = mount(10.0).equilibrium()
    assert passing.q[0] == pytest.approx(-0.2)
    (text,) = passing.messages
    assert "'relaxing.tension' changes here" in text and text in str(passing)
    with pytest.raises(am.InputError, match=r"'relaxing\.tension' changes there"):
        mount(10.0).modes(passing.q)
    lasting = mount(0.0).equilibrium()
    assert lasting.q[0] == pytest.approx(-0.1) and not lasting.messages
    assert len(mount(0.0).modes(lasting.q)) == 2


def test_an_element_without_a_direction_is_named():
    """Its ends coincide: there is no rate of its length, so there is no linear model."""
    b = am.Builder("rail")
    b.body("cart", joint="prismatic", axis="x", mass=1.0)
    b.maxwell("lag", ("world", "cart"), stiffness=10.0, damping=1.0)
    m = b.build()
    for ask in (m.linearize, m.modes, m.equilibrium):
        with pytest.raises(NotFiniteError, match="Maxwell element 'lag': its force is undefined"):
            ask([0.0])
