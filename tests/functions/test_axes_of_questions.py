"""`reactions` and `element_forces` along chosen axes and about chosen points, as arguments."""

import inspect

import numpy as np
import pytest

import armillary as am
from armillary.errors import ArmillaryError
from compare import close

POINT = (0.3, -0.1, 0.2)
CHOICES = [
    {"coordinates": "world_aligned"},
    {"coordinates": "world"},
    {"about": POINT},
    {"coordinates": "world_aligned", "about": POINT},
    {"coordinates": "world", "about": "hand"},
    {"about": "hand"},
]


def arm():
    """Two links with turned frames and a strut, a bushing and a cable."""
    b = am.Builder("arm")
    solid = {
        "mass": 1.3,
        "com": (0.2, 0.05, -0.03),
        "inertia": (0.02, 0.03, 0.04, 0.001, 0.002, 0.003),
    }
    turned = {"rpy": (0.3, -0.5, 0.7)}
    b.body("upper", joint="revolute", axis="y", at=(0.1, 0.2, 0.3), **turned, **solid)
    b.body("lower", "upper", joint="universal", at=(0.5, 0.0, 0.1), **solid)
    b.frame("hand", "lower", at=(0.4, 0.1, 0.0), rpy=(1.0, 0.2, 0.0))
    b.frame("hook", "world", at=(0.9, 0.4, 0.8), rpy=(0.1, 0.2, 0.3))
    b.spring("strut", "hook", "hand", stiffness=80.0, damping=3.0, rest=0.2)
    b.bushing("mount", "hand", "hook", stiffness=[4.0] * 3 + [70.0] * 3, damping=[0.1] * 6)
    b.cable("rope", ["world", "upper", "hand"], stiffness=50.0, rest=0.1)
    return b.build()


def state(m, rows=()):
    rng = np.random.default_rng(5)
    return tuple(rng.uniform(-0.8, 0.8, (*rows, m.nv)) for _ in range(3))


def moved(wrench, R, origin, point, choice):
    """By hand, one wrench: to the world's axes, n + (o - p) x f, and back where it is local."""
    n, f = R @ wrench[:3], R @ wrench[3:]
    n = n + np.cross(origin - point, f)
    return np.r_[n, f] if choice.get("coordinates", "local") != "local" else np.r_[R.T @ n, R.T @ f]


def point_of(m, q, origin, choice):
    about = choice.get("about")
    if isinstance(about, str):
        return m.pose(q, about)[1]
    if about is not None:
        return np.array(about)
    return np.zeros(3) if choice.get("coordinates") == "world" else origin


@pytest.mark.parametrize("choice", CHOICES)
def test_by_hand_and_by_solve(choice):
    m = arm()
    q, v, a = state(m)
    own, forces = m.reactions(q, v, a), m.element_forces(q, v)
    found, elements = m.reactions(q, v, a, **choice), m.element_forces(q, v, **choice)
    for body in m.model.bodies:
        R, origin = m.pose(q, body.name)
        expected = moved(own[body.joint.name], R, origin, point_of(m, q, origin, choice), choice)
        close(found[body.joint.name], expected, 1e-12)
    for name, frame in (("strut", "hand"), ("mount", "hook"), ("rope", "hand")):
        R, origin = m.pose(q, frame)
        expected = moved(forces[name], R, origin, point_of(m, q, origin, choice), choice)
        close(elements[name], expected, 1e-12)
        assert elements.force(name) == forces.force(name)
    np.testing.assert_array_equal(elements.power, forces.power)
    close(found.driving + found.constraint, found.total, 1e-12)
    solved = m.solve(q, v, m.inverse_dynamics(q, v, a), **choice)
    close(found.total, solved.reactions.total, 1e-10)
    close(found.driving, solved.reactions.driving, 1e-10)
    close(elements.wrench, solved.element_forces.wrench, 1e-10)
    assert found.place() == solved.reactions.place() == elements.place()
    assert found.place() in str(found) and elements.place() in str(elements)


@pytest.mark.parametrize("choice", CHOICES[1::2])
def test_batches_names_and_order_of_calls(choice):
    """Rows are those of single states; a plain call before or after is not touched."""
    m = arm()
    q, v, a = state(m, (9,))
    plain = m.reactions(q[0], v[0], a[0]).total.copy()
    many, elements = m.reactions(q, v, a, **choice), m.element_forces(q, v, **choice)
    assert many.total.shape == (9, 2, 6) and elements.wrench.shape == (9, 3, 6)
    for k in range(9):
        close(many.total[k], m.reactions(q[k], v[k], a[k], **choice).total, 1e-11)
        close(elements.wrench[k], m.element_forces(q[k], v[k], **choice).wrench, 1e-11)
    one = m.reactions(q[0], v, a[0], **choice)  # one place for all states
    close(one.total[3], m.reactions(q[0], v[3], a[0], **choice).total, 1e-11)
    named = [dict(zip(m.v_labels, x[0], strict=True)) for x in (q, v, a)]
    close(m.reactions(*named, **choice).total, many.total[0], 1e-11)
    close(m.reactions(*(x[0].tolist() for x in (q, v, a)), **choice).total, many.total[0], 1e-11)
    close(m.element_forces(*named[:2], **choice).wrench, elements.wrench[0], 1e-11)
    np.testing.assert_array_equal(m.reactions(q[0], v[0], a[0]).total, plain)
    np.testing.assert_array_equal(m.reactions(q[0], v[0], a[0], coordinates="local").total, plain)
    np.testing.assert_array_equal(m.reactions(q[0], v[0], a[0], about=None).total, plain)


def test_power_is_the_same_along_all_axes():
    """n·w + f·u of each wrench, with the velocity in the same coordinates."""
    m = arm()
    q, v, a = state(m)
    powers = []
    for coordinates in ("local", "world_aligned", "world"):
        found = m.reactions(q, v, a, coordinates=coordinates)
        twists = [m.velocity(q, v, body, coordinates) for body in m.bodies]
        powers.append(np.einsum("bi,bi->b", found.total, np.array(twists)))
    close(powers[1], powers[0], 1e-12)
    close(powers[2], powers[0], 1e-12)


def test_closed_mechanism():
    m = am.example("four-bar")
    q, v = m.project(m.initial, {"crank": 2.0})
    tau = np.array([0.4, 0.0, 0.0])
    choice = {"coordinates": "world", "about": "coupler"}
    own = m.reactions(q, v, tau)  # of the tree
    found = m.reactions(q, v, tau, **choice)
    for body in m.model.bodies:
        R, origin = m.pose(q, body.name)
        point = m.pose(q, "coupler")[1]
        expected = moved(own[body.joint.name], R, origin, point, choice)
        close(found[body.joint.name], expected, 1e-12)
    named = m.reactions({"crank": q[0]}, {"crank": v[0]}, {"crank": 0.1}, coordinates="world")
    assert np.isfinite(named.total).all()


def test_other_places_of_joints_and_ends():
    """Offsets and parameters move joints and ends: as a mechanism that has them there."""
    m, choice = arm(), {"coordinates": "world", "about": "hand"}
    q, v, a = state(m)
    numbers = m.parameters
    numbers[m.parameter_names.index("strut.second.y")] += 0.07
    numbers[m.parameter_names.index("mount.second.x")] -= 0.05
    elements = m.element_forces(q, v, parameters=numbers)
    R, origin = m.pose(q, "hand")
    origin = origin + m.pose(q, "lower")[0] @ [0.0, 0.07, 0.0]  # along the body's axes
    found = m.element_forces(q, v, parameters=np.tile(numbers, (4, 1)), **choice)
    point = m.pose(q, "hand")[1]
    close(found["strut"][2], moved(elements["strut"], R, origin, point, choice), 1e-11)
    offsets = np.random.default_rng(2).uniform(-0.3, 0.3, 6 * len(m.bodies))
    own = m.reactions(q, v, a, offsets=offsets)
    other = m.reactions(q, v, a, offsets=offsets, **choice)
    for body in m.model.bodies:
        R, origin = m.pose(q, body.name, offsets=offsets)
        point = m.pose(q, "hand", offsets=offsets)[1]
        expected = moved(own[body.joint.name], R, origin, point, choice)
        close(other[body.joint.name], expected, 1e-12)


def test_places_of_joints_as_parameters():
    """A joint that a parameter shifts, beside the same mechanism built there."""
    m = arm().varying("bodies.lower.at.x", "bodies.lower.at.z")
    q, v, a = state(m)
    numbers = m.parameters
    numbers[-2:] += (0.11, -0.06)
    built = arm().replace(bodies={"lower": {"at": (0.61, 0.0, 0.04)}})
    for choice in CHOICES[1::2]:
        found = m.reactions(q, v, a, parameters=numbers, **choice)
        close(found.total, built.reactions(q, v, a, **choice).total, 1e-11)
        solved = m.solve(q, v, a, parameters=numbers, **choice)
        expected = built.solve(q, v, a, **choice)
        close(solved.reactions.total, expected.reactions.total, 1e-10)
        close(solved.element_forces.wrench, expected.element_forces.wrench, 1e-10)


def test_recorded():
    m = arm()
    run = am.simulate(m, duration=0.05, step=0.01, record=["q", "v", "element_forces:world:hand"])
    expected = m.element_forces(run.q, run.v, coordinates="world", about="hand")
    close(run["element_forces:world:hand"][:, :6], expected["strut"], 1e-9)


def test_bad_axes():
    m = arm()
    q, v, a = state(m)
    for options, text in (
        ({"coordinates": "moon"}, "no coordinates named 'moon'"),
        ({"coordinates": ["world"]}, "no coordinates named"),
        ({"about": "moon"}, "no frame named 'moon'"),
        ({"about": [1.0, 2.0]}, "expected the name of a frame or a point"),
        ({"about": [1.0, np.nan, 0.0]}, "expected the name of a frame or a point"),
    ):
        for ask in (lambda o: m.reactions(q, v, a, **o), lambda o: m.element_forces(q, v, **o)):
            for _ in range(2):
                with pytest.raises(ArmillaryError, match=text):
                    ask(options)
    with pytest.raises(ArmillaryError, match="finite"):
        m.reactions(q * np.nan, v, a, coordinates="world")
    bad = np.stack([q, q * np.nan])
    assert np.isnan(m.reactions(bad, v, a, coordinates="world").total[1]).all()
    assert {"coordinates", "about"} <= set(inspect.signature(m.reactions).parameters)
