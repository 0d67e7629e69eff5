"""The same mechanism said differently: another joint cut, other units, another place or size."""

import numpy as np
import pytest
from closed_machines import Graph, Link, allowed, four_bar_graph, frame_at, placed_mass
from exact import Exact

import armillary as am
from armillary.errors import ModelError
from armillary.model import Mass
from compare import close
from oracles.direct import Direct

BODIES = ("crank", "coupler", "rocker")
FREEDOMS = {"four-bar-ladder": 1, "bricard": 1, "hslm": 3, "rolling-disc": 3}
MIXED = ("revolute", "spherical", "cylindrical", "revolute")


def two_loops(seed: int = 3) -> Graph:
    """Two planar loops that share a link, pins spread along their axes."""
    graph = four_bar_graph(seed)
    rng = np.random.default_rng(seed)
    pins = {link.name: link.H for link in graph.links}
    up = pins["pin0"][:3, 2]
    across = pins["pin1"][:3, 3] - pins["pin0"][:3, 3]
    points = [pins["pin2"][:3, 3] + 0.3 * across, pins["pin3"][:3, 3] + 0.8 * across]
    points[0] += 0.1 * up
    graph.bodies["arm"] = placed_mass(rng, points[0])
    graph.bodies["lever"] = placed_mass(rng, points[1])
    graph.links += [
        Link("pin4", "coupler", "arm", "revolute", frame_at(points[0], up, rng), {"axis": "z"}),
        Link("pin5", "arm", "lever", "revolute", frame_at(points[1], up, rng), {"axis": "z"}),
        Link("pin6", "lever", "world", "revolute", frame_at(points[1] + 0.4 * across - 0.2 * up,
                                                            up, rng), {"axis": "z"}),
    ]  # fmt: skip
    return graph


def moved(graph: Graph, shift) -> Graph:
    """The same, elsewhere in the world."""
    links = []
    for x in graph.links:
        H = x.H.copy()
        H[:3, 3] += shift
        links.append(Link(x.name, x.one, x.two, x.kind, H, x.options))
    bodies = {name: Mass(m.mass, tuple(np.add(m.com, shift)), m.tensor)
              for name, m in graph.bodies.items()}  # fmt: skip
    return Graph(bodies, links, graph.gravity)


class Answer:
    """Body accelerations and joint wrenches in the world of one spanning tree of a graph."""

    def __init__(self, graph, cut, twists=None, torques=None, length=1.0, mass=1.0):
        self.graph, self.length, self.mass = graph, length, mass
        self.m = m = graph.build(cut, length, mass).compile(tier=1)
        self.direct = Direct(m.model)
        self.q = m.neutral()
        J = np.concatenate([self.direct.jacobian(self.q, b, "world") for b in graph.bodies])
        if twists is None:
            v = allowed(m, self.q, 1)
        else:
            v = np.linalg.lstsq(J, twists.ravel() * self.units(), rcond=None)[0]
        self.twists = (J @ v).reshape(-1, 6)
        self.v = v
        tau = np.zeros(m.nv)
        for name, torque in (torques or {}).items():
            k = m.model.joint_index[name]
            tau[m.model.slots[k].v.start] = self.sign(name) * torque * mass * length**2
        self.s = m.solve(self.q, v, tau)

    def units(self):
        return np.tile([1.0] * 3 + [self.length] * 3, len(self.graph.bodies))

    def sign(self, name):
        """+1 where the tree joint carries the second body of the graph's joint."""
        (link,) = (x for x in self.graph.links if x.name == name)
        (body,) = (b for b in self.m.model.bodies if b.joint.name == name)
        return 1.0 if body.name == link.two else -1.0

    def accelerations(self):
        """(bodies, 6) of the old units."""
        a = [self.direct.acceleration(self.q, self.v, self.s.acceleration, b, "world", "spatial")
             for b in self.graph.bodies]  # fmt: skip
        return np.array(a) / self.units().reshape(-1, 6)

    def wrenches(self):
        """{joint: wrench on its second body, in the joint's frame} in the old units."""
        found = {}
        force = self.mass * self.length
        for link in self.graph.links:
            name = link.name
            if name in self.m.model.joint_index:
                w = self.sign(name) * self.s.reactions[name]
            else:
                w = self.s.constraint_forces[name]
            found[name] = w / np.r_[[force * self.length] * 3, [force] * 3]
        return found

    def determinate(self):
        return {x.name: self.s.determinacy.of(x.name) for x in self.graph.links}


def same(one: Answer, other: Answer, tolerance=1e-10):
    close(other.accelerations(), one.accelerations(), tolerance, "accelerations")
    known = one.determinate()
    for name, w in one.wrenches().items():
        np.testing.assert_array_equal(other.determinate()[name], known[name], err_msg=name)
        close(other.wrenches()[name][known[name]], w[known[name]], tolerance, f"{name}, true")
        close(other.wrenches()[name], w, tolerance, f"{name}, by convention")


# -- which joint was cut ---------------------------------------------------------------------------


@pytest.mark.parametrize("kinds", [("revolute",) * 4, MIXED])
@pytest.mark.parametrize("cut", ["pin1", "pin2", "pin3"])
def test_four_bar_cut_anywhere(kinds, cut):
    graph = four_bar_graph(1, kinds)
    torques = {"pin0": 2.0} if cut != "pin0" else {}
    reference = Answer(graph, ("pin1" if cut == "pin3" else "pin3",), torques=torques)
    assert reference.s.determinacy.static_indeterminacy == (3 if kinds != MIXED else 0)
    same(reference, Answer(graph, (cut,), reference.twists, torques))


@pytest.mark.parametrize("cut", [("pin0", "pin5"), ("pin2", "pin4"), ("pin1", "pin6"),
                                 ("pin0", "pin4")])  # fmt: skip
def test_two_loops_cut_anywhere(cut):
    graph = two_loops()
    reference = Answer(graph, ("pin3", "pin6"))
    assert reference.s.determinacy.static_indeterminacy == 6
    assert reference.m.mobility().finite == 1
    same(reference, Answer(graph, cut, reference.twists))


def test_bricard_cut_anywhere():
    """The same loop of six pins, through the cube's edges, with any pin cut."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1.0]])
    rng = np.random.default_rng(2)
    names = ["world", "r1", "r2", "r3", "r4", "r5", "world"]
    edges = np.roll(corners, -1, axis=0) - corners
    links = [Link(f"pin{k}", names[k], names[k + 1], "revolute",
                  frame_at(corners[k], np.cross(edges[k - 1], edges[k]), rng), {"axis": "z"})
             for k in range(6)]  # fmt: skip
    bodies = {n: placed_mass(rng, corners[k] + edges[k] / 2) for k, n in enumerate(names[1:6])}
    graph = Graph(bodies, links)
    reference = Answer(graph, ("pin5",))
    assert reference.s.determinacy.static_indeterminacy == 1
    for k in range(5):
        same(reference, Answer(graph, (f"pin{k}",), reference.twists))


# -- units, place, size ----------------------------------------------------------------------------


@pytest.mark.parametrize("length, mass", [(1e3, 1.0), (1e3, 1e3), (1.0, 1e3), (1e-3, 1e-6)])
@pytest.mark.parametrize("kinds", [("revolute",) * 4, MIXED])
def test_units(kinds, length, mass):
    graph = four_bar_graph(2, kinds)
    reference = Answer(graph, ("pin3",), torques={"pin0": 2.0})
    other = Answer(graph, ("pin3",), reference.twists, {"pin0": 2.0}, length, mass)
    same(reference, other)
    assert other.m.mobility().instantaneous == reference.m.mobility().instantaneous == 1
    assert not other.s.messages


@pytest.mark.parametrize("shift", [(0.0, 0.0, 3.0), (50.0, -20.0, 10.0)])
def test_place(shift):
    graph = four_bar_graph(4)
    reference = Answer(graph, ("pin3",))
    elsewhere = Answer(moved(graph, shift), ("pin3",))
    close(elsewhere.v, reference.v, 1e-12)
    close(elsewhere.s.acceleration, reference.s.acceleration, 1e-11)
    for name, w in reference.wrenches().items():
        close(elsewhere.wrenches()[name], w, 1e-10, name)


@pytest.mark.parametrize("scale", [1e-3, 1e2])
@pytest.mark.parametrize("name", FREEDOMS)
def test_sizes(name, scale):
    """Machines of 1 mm and 100 m against the oracle: rank and motion."""
    machine = am.example(name)
    m = resized(machine, scale).compile(tier=1)
    q = np.array(m.initial)
    v, tau = allowed(m, q), np.zeros(m.nv)
    expected = Exact(m.model).accelerations(q, v, tau)
    s = m.solve(q, v, tau, passive=False)
    units = np.array([1.0 if u == "rad" else scale for u in m.v_units])
    size = max(9.81 / scale, np.abs(expected / units).max())
    assert np.abs((s.acceleration - expected) / units).max() < 1e-10 * size
    mobility = m.mobility()
    assert (mobility.instantaneous, mobility.finite) == (FREEDOMS[name],) * 2


def resized(machine, scale):
    """Every length times `scale`, densities and gravity / length as they were."""
    from dataclasses import replace

    model = machine.model

    def pose(p):
        return replace(p, position=tuple(scale * x for x in p.position))

    bodies = []
    for b in model.bodies:
        mass = Mass(b.mass.mass * scale**3, tuple(scale * x for x in b.mass.com),
                    tuple(scale**5 * x for x in b.mass.tensor))  # fmt: skip
        joint = replace(b.joint, passive=(), rotors=(), limits=())
        bodies.append(replace(b, at=pose(b.at), mass=mass, joint=joint))
    loops = [replace(x, first=replace(x.first, pose=pose(x.first.pose)),
                     second=replace(x.second, pose=pose(x.second.pose)))
             for x in model.loops]  # fmt: skip
    wheels = [replace(x, radius=scale * x.radius, height=scale * x.height,
                      center=tuple(scale * c for c in x.center))
              for x in model.wheels]  # fmt: skip
    initial = tuple(scale * x if unit == "m" else x
                    for x, unit in zip(model.initial, model.q_units, strict=True))  # fmt: skip
    return am.Mechanism(replace(model, bodies=tuple(bodies), loops=tuple(loops), frames=(),
                                wheels=tuple(wheels), initial=initial))  # fmt: skip


# -- massless bodies -------------------------------------------------------------------------------


@pytest.mark.parametrize("massless", [("coupler",), ("coupler", "rocker"), ("crank", "coupler")])
def test_massless_bodies_in_a_loop(massless):
    """Rods without mass move as the others say; the answer is the limit of light ones."""
    graph = four_bar_graph(5)
    graph.bodies |= {name: Mass() for name in massless}
    m = graph.build(("pin3",)).compile(tier=1)
    q, tau = m.neutral(), np.array([1.0, 0.0, 0.0])
    v = allowed(m, q)
    expected = Exact(m.model).accelerations(q, v, tau)
    for found in (m.solve(q, v, tau).acceleration, m.forward_dynamics(q, v, tau)):
        close(found, expected, 1e-11)


def test_a_massless_rod_with_ball_ends_pulls_along_itself():
    """A real rod of a pole vault is a two-force body; a spherical pair at both ends spins freely,
    so one end is a universal joint."""
    graph = four_bar_graph(6, ("revolute", "spherical", "universal", "revolute"))
    for link in graph.links:
        link.options = {} if link.kind in ("spherical", "universal") else {"axis": "z"}
    graph.bodies["coupler"] = Mass()
    m = graph.build(("pin3",)).compile(tier=1)
    q = m.neutral()
    s = m.solve(q, allowed(m, q), np.array([2.0] + [0.0] * (m.nv - 1)))
    pins = {x.name: x.H for x in graph.links}
    along = pins["pin2"][:3, 3] - pins["pin1"][:3, 3]
    force = pins["pin1"][:3, :3] @ s.reactions["pin1"][3:]
    assert np.linalg.norm(force) > 0.1
    close(np.cross(force, along) / np.linalg.norm(force), np.zeros(3), 1e-10)
    close(s.reactions["pin1"][:3], np.zeros(3), 1e-10)


def test_nothing_with_inertia():
    """A free motion without any mass has no acceleration: said by name."""
    graph = four_bar_graph(5)
    graph.bodies |= {name: Mass() for name in BODIES}
    m = graph.build(("pin3",))
    with pytest.raises(ModelError, match=r"nothing with inertia moves along .*pin"):
        m.solve(m.neutral(), np.zeros(3), np.zeros(3))
    with pytest.raises(ModelError, match="nothing with inertia"):
        m.forward_dynamics(m.neutral(), np.zeros(3), np.zeros(3))


# -- rows that contradict each other ---------------------------------------------------------------


def driven_four_bar(one: float, two: float):
    """Crank and rocker of a four-bar both driven: one drive too many."""
    graph = four_bar_graph(7)
    m = graph.build(("pin2",))
    b = am.Builder("driven", gravity=graph.gravity)
    for body in m.model.bodies:
        b.add(body)
    for loop in m.model.loops:
        b.loop(loop.name, loop.first, loop.second, loop.joint)
    b.prescribe("crank drive", "pin0", one)
    b.prescribe("rocker drive", "pin3", two)
    return b.build()


def test_contradictory_drives_give_least_squares_and_are_named():
    m = driven_four_bar(3.0, -2.0)
    q, v, tau = m.neutral(), np.zeros(3), np.zeros(3)
    s = m.solve(q, v, tau)
    (message,) = s.messages
    assert "contradict" in message and "crank drive" in message and "rocker drive" in message
    engine = m.constraint_solver.equations
    J, target = m.constraint_jacobian(q), engine.terms(q[None], v[None]).gamma[0]
    size = np.array([engine.length if u == "rad" else 1.0 for u in engine.constraints.units])
    expected = np.linalg.lstsq(size[:, None] * J, size * target, rcond=1e-10)[0]
    close(s.acceleration, expected, 1e-11)
    close(m.forward_dynamics(q, v, tau), expected, 1e-11)
    close(s.conflict, target - J @ s.acceleration, 1e-11)


def test_drives_that_agree_are_redundant_and_silent():
    m = driven_four_bar(3.0, -2.0)
    q = m.neutral()
    J = m.constraint_jacobian(q)
    N = np.linalg.svd(J[:5])[2][-1]  # of the loop alone
    agreeing = driven_four_bar(3.0, 3.0 * N[m.v_labels.index("pin3")] / N[m.v_labels.index("pin0")])
    s = agreeing.solve(q, np.zeros(3), np.zeros(3))
    assert not s.messages
    close(s.acceleration, 3.0 * N / N[m.v_labels.index("pin0")], 1e-11)
