"""What can move, at this instant and on the way; which reactions have a value of their own."""

import re

import numpy as np
import pytest
from closed_machines import Graph, Link, closed_tree, four_bar_graph, frame_at, placed_mass

import armillary as am
from armillary.errors import InputError

# name: finite, instantaneous
EXAMPLES = {
    "four-bar": (1, 1), "slider-crank": (1, 1), "bricard": (1, 1), "stewart": (6, 6),
    "delta": (3, 3), "hslm": (3, 3), "four-link-closed": (2, 2), "two-link-load": (1, 1),
    "dual-arm-free-flyer": (6, 6), "differential": (2, 2), "unicycle": (3, 3),
    "two-wheeled-cart": (3, 3), "rolling-disc": (3, 3), "bicycle": (3, 3),
    "four-bar-ladder": (1, 1),
}  # fmt: skip


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name):
    m = am.example(name)
    found = m.mobility()
    assert (found.finite, found.instantaneous) == EXAMPLES[name]
    assert found.singular == "" and found.closed
    J = m.constraint_jacobian(m.initial)
    assert found.rank == np.linalg.matrix_rank(J, tol=1e-9)
    assert np.abs(J @ found.motions).max() < 1e-13
    assert np.linalg.matrix_rank(found.motions) == found.instantaneous
    assert found.redundancy == len(J) - found.rank


# -- planar chains of pins -------------------------------------------------------------------------


def pins(points, seed=0, normals=None) -> Graph:
    """A closed loop of pins through the points, the first link being the ground."""
    rng = np.random.default_rng(seed)
    points = np.asarray(points, float)
    count = len(points)
    normals = [(0, 0, 1.0)] * count if normals is None else normals
    names = ["world", *(f"link{k}" for k in range(1, count)), "world"]
    links = [Link(f"pin{k}", names[k], names[k + 1], "revolute",
                  frame_at(points[k], normals[k], rng), {"axis": "z"})
             for k in range(count)]  # fmt: skip
    bodies = {names[k]: placed_mass(rng, points[k - 1 : k + 1].mean(axis=0))
              for k in range(1, count)}  # fmt: skip
    return Graph(bodies, links)


PLANAR = {
    "collinear two-bar": ([(0, 0, 0), (0.7, 0, 0), (1.2, 0, 0)], 0, 1),
    "two-bar, a triangle": ([(0, 0, 0), (0.7, 0.3, 0), (1.2, 0, 0)], 0, 0),
    "flat parallelogram": ([(0, 0, 0), (0.5, 0, 0), (1.5, 0, 0), (1.0, 0, 0)], 1, 2),
    "open parallelogram": ([(0, 0, 0), (0.3, 0.4, 0), (1.3, 0.4, 0), (1.0, 0, 0)], 1, 1),
    "stretched five-bar": ([(0, 0, 0), (0.4, 0, 0), (1.0, 0, 0), (1.3, 0, 0), (2.0, 0, 0)], 0, 3),
    "folded five-bar": ([(0, 0, 0), (0.4, 0, 0), (0.1, 0, 0), (1.3, 0, 0), (2.0, 0, 0)], 2, 3),
    "six-bar": ([(0, 0, 0), (0, 1, 0.1), (0.5, 1.5, 0), (1, 1.4, 0), (1.6, 1, 0), (2, 0, 0)], 3, 3),
}


@pytest.mark.parametrize("cut", ["first", "last"])
@pytest.mark.parametrize(
    "name", [n for n in PLANAR if n not in ("flat kite", "stretched five-bar")]
)
def test_planar_chains(name, cut):
    points, finite, instantaneous = PLANAR[name]
    graph = pins(points)
    m = graph.build(("pin0" if cut == "first" else f"pin{len(points) - 1}",))
    for seed in range(2):
        found = m.mobility(seed=seed)
        assert (found.finite, found.instantaneous) == (finite, instantaneous)
    kind = "locked" if finite == 0 else "branching"
    assert m.mobility().singular == ("" if finite == instantaneous else kind)


def test_generic_six_pins_are_rigid():
    rng = np.random.default_rng(4)
    graph = pins(rng.normal(size=(6, 3)), 4, rng.normal(size=(6, 3)))
    found = graph.build(("pin5",)).mobility()
    assert (found.finite, found.instantaneous, found.redundancy) == (0, 0, 0)


def test_generic_seven_pins_move():
    rng = np.random.default_rng(5)
    graph = pins(rng.normal(size=(7, 3)), 4, rng.normal(size=(7, 3)))
    found = graph.build(("pin2",)).mobility()
    assert (found.finite, found.instantaneous) == (1, 1)


def test_spherical_four_bar_moves():
    """All axes through one point: like a planar one, on a sphere."""
    rng = np.random.default_rng(6)
    points = rng.normal(size=(4, 3))
    graph = pins(points, 4, points - np.array([0.3, 0.2, 0.1]))
    found = graph.build(("pin3",)).mobility()
    assert (found.finite, found.instantaneous, found.redundancy) == (1, 1, 3)


def test_bennett_moves():
    """Four skew pins, opposite links alike, lengths as the sines of the twists: Bennett 1903."""
    a, b, alpha = 0.7, 1.1, 0.5
    beta = np.arcsin(np.sin(alpha) * b / a)
    theta = 1.1  # Bennett: tan(θ1/2) tan(θ2/2) = sin((β+α)/2) / sin((β-α)/2)
    other = 2 * np.arctan(np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2)
                          / np.tan(theta / 2))  # fmt: skip
    frames = [np.eye(4)]
    for length, twist, angle in ((a, alpha, theta), (b, beta, other), (a, alpha, -theta),
                                 (b, beta, -other)):  # fmt: skip
        frames.append(frames[-1] @ dh_matrix(length, twist, angle))
    np.testing.assert_allclose(frames[4], np.eye(4), atol=1e-14)
    graph = pins([H[:3, 3] for H in frames[:4]], 1, [H[:3, 2] for H in frames[:4]])
    found = graph.build(("pin3",)).mobility()
    assert (found.finite, found.instantaneous, found.redundancy) == (1, 1, 3)


def x_turn(angle):
    c, s = np.cos(angle), np.sin(angle)
    return ((1.0, 0.0, 0.0), (0.0, c, -s), (0.0, s, c))


def dh_matrix(a, alpha, theta):
    c, s = np.cos(theta), np.sin(theta)
    turn = np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])
    link = np.eye(4)
    link[:3, :3], link[0, 3] = x_turn(alpha), a
    return turn @ link


@pytest.mark.parametrize("n", [1, 2, 3])
def test_flat_ladder_branches(n):
    """Every window may fold over by itself, and only one of these motions leads on."""
    m = am.example("four-bar-ladder", n=n)
    flat = np.array([np.pi / 2 if "rod" in name else -np.pi / 2 for name in m.joints])
    found = m.mobility(flat)
    assert (found.finite, found.instantaneous) == (1, n + 1)
    assert found.singular == "branching"


def test_random_trees_count_like_their_rows():
    """Generic rows are independent as long as there are freedoms left."""
    ties = ("revolute", "spherical", "distance", "planar")
    m, q = closed_tree(1, ties, bodies=5, joints=("universal", "spherical", "revolute", "free"))
    m = m.compile(tier=1)
    found = m.mobility(q)
    J = m.constraint_jacobian(q)
    assert found.rank == np.linalg.matrix_rank(J, tol=1e-9)
    assert found.finite == found.instantaneous == m.nv - found.rank


@pytest.mark.parametrize("name", ["four-bar", "stewart", "bricard", "two-wheeled-cart", "delta"])
def test_open_mechanisms_are_refused(name):
    """Away from closure the rank is that of no mechanism at all: no numbers, but by how much it is
    open and the way to close it, which leads to the numbers of the closed one."""
    m = am.example(name)
    q = m.integrate(m.initial, np.random.default_rng(1).uniform(-0.1, 0.1, m.nv))
    gap = m.constraint_residual(q)
    held = np.array(m.constraint_solver.equations.constraints.holonomic)
    with pytest.raises(
        InputError, match=r"open at this q by .* of its size .*assemble\(q\)\.q"
    ) as e:
        m.mobility(q)
    named = re.search(r"most at '(.*)', (.*) (rad|m)\)", str(e.value))
    row = m.constraint_solver.equations.constraints.labels.index(named[1])
    assert float(named[2]) == pytest.approx(abs(gap[row]), rel=1e-2) and held[row]
    start = m.mobility()
    closed = m.mobility(m.assemble(q).q)
    assert (closed.rank, closed.finite) == (start.rank, start.finite)


def test_what_is_open_by_rounding_has_numbers():
    """Less than a millionth of the size, or than the accuracy of the geometry that was told."""
    m = am.example("four-bar")
    near = np.add(m.initial, [1e-8, 0, 0])
    found = m.mobility(near)
    assert (found.finite, found.closed) == (1, False) and "open by" in str(found)
    rough = np.add(m.initial, [1e-4, 0, 0])
    with pytest.raises(InputError, match="open at this q"):
        m.mobility(rough)
    assert m.compile(geometry_tolerance=1e-3).mobility(rough).finite == 1


def test_redundant_ties_are_named():
    """Two hinges of a door are redundant, the rod beside it is not."""
    b = am.Builder("door")
    b.body("door", joint="free", mass=20.0, com=(0.4, 0, 0), inertia=(3, 4, 1))
    b.body("bob", joint="spherical", at=(3, 0, 0), mass=1.0, com=(0, 0, -1), inertia=(1, 1, 1))
    for name, z in (("low", 0.3), ("high", 1.7)):
        frames = [am.Frame(name, body, am.Pose((0, 0, z))) for body in ("world", "door")]
        b.loop(name, *frames, "revolute")
    ends = [
        am.Frame("rod", "door", am.Pose((0.8, 0, 0))),
        am.Frame("rod", "bob", am.Pose((0, 0, -1))),
    ]
    b.distance("rod", *ends, float(np.hypot(2.2, 1.0)))
    found = b.build().mobility()
    assert found.redundant == ("low", "high")
    assert (found.rank, found.redundancy, found.instantaneous) == (6, 5, 3)


# -- reactions -------------------------------------------------------------------------------------


def test_four_bar_reactions():
    """In the plane determinate; forces along the pins and moments that bend them are not."""
    m = am.example("four-bar")
    state = m.solve(m.initial, np.zeros(3), np.zeros(3)).determinacy
    assert state.static_indeterminacy == 3
    for name in ("crank", "coupler", "rocker", "pin"):
        nx, ny, nz, fx, fy, fz = state.of(name)  # the pins along y
        assert (nx, ny, nz, fx, fy, fz) == (False, True, False, True, False, True)
    assert len(state.proposals()) == 3
    tilted = four_bar_graph(3).build(("pin3",))
    state = tilted.solve(tilted.neutral(), np.zeros(3), np.zeros(3)).determinacy
    for k in range(4):  # the pins along z of their frames
        assert tuple(state.of(f"pin{k}")) == (False, False, True, True, True, False)


def test_planar_closure_with_three_rows_leaves_nothing_open():
    """The same with a gimbal that is free out of the plane: every reaction has one value."""
    graph = four_bar_graph(3)
    graph.links[3].kind, graph.links[3].options = "gimbal", {"free": ("rx", "ry", "rz", "dz")}
    m = graph.build(("pin3",))
    s = m.solve(m.neutral(), np.zeros(3), np.zeros(3))
    assert s.determinacy.static_indeterminacy == 0 and s.determinacy.determinate.all()


def test_cart_reactions():
    """Side forces of the two wheels share one line: only their sum has a value."""
    m = am.example("two-wheeled-cart")
    tau = np.zeros(m.nv)
    tau[6:] = 1.0, 0.4
    s = m.solve(m.initial, np.zeros(m.nv), tau)
    assert s.determinacy.static_indeterminacy == 1
    assert m.mobility().redundancy == 1
    (stress,) = s.determinacy.basis
    wheels = [s.determinacy.names.index(w.name) for w in m.model.wheels]
    sideways = [stress[k, 3:] for k in wheels]
    for f in sideways:
        assert np.linalg.norm(f) == pytest.approx(np.abs(f).max(), rel=1e-9)  # along the axle
        assert np.linalg.norm(f) > 0.1
    for k in wheels:
        assert sum(~s.determinacy.determinate[k, 3:]) == 1


def test_bricard_reactions():
    """One self-stress, felt in every joint; the others follow from it."""
    m = am.example("bricard")
    s = m.solve(m.initial, np.zeros(5), np.zeros(5))
    assert s.determinacy.static_indeterminacy == 1
    assert len(s.determinacy.proposals()) == 1
    touched = {name.split(".")[0] for name in s.determinacy.indeterminate}
    assert touched == {*m.joints, "pin6"}


@pytest.mark.parametrize("name", ["four-bar", "bricard", "two-wheeled-cart", "rover", "hslm"])
def test_self_stress_balances_itself(name):
    """Multipliers of a self-stress do nothing to the motion."""
    m = am.example(name)
    s = m.solve(m.initial, np.zeros(m.nv), np.zeros(m.nv))
    J = m.constraint_jacobian(m.initial)
    assert np.abs(J.T @ s.determinacy.multipliers).max(initial=0.0) < 1e-13
    assert s.determinacy.static_indeterminacy == len(J) - np.linalg.matrix_rank(J, tol=1e-9)


@pytest.mark.parametrize("name", ["four-bar", "bricard"])
def test_freeing_what_is_proposed_makes_all_determinate(name):
    """Components of the proposal span the self-stresses: their values fix all the others."""
    m = am.example(name)
    state = m.solve(m.initial, np.zeros(m.nv), np.zeros(m.nv)).determinacy
    rows = [x.rpartition(".") for x in state.proposals()]
    names = ("nx", "ny", "nz", "fx", "fy", "fz")
    picked = np.array([state.basis[:, state.names.index(j), names.index(c)] for j, _, c in rows])
    assert np.linalg.matrix_rank(picked, tol=1e-6) == state.static_indeterminacy


def test_compliance_moves_the_load():
    """Weights choose among true forces: a stiff joint takes what a soft one does not."""
    m = am.example("four-bar")
    args = m.initial, np.zeros(3), np.zeros(3)
    plain, soft = m.solve(*args), m.solve(*args, compliance={"pin": 1e6})
    np.testing.assert_allclose(soft.acceleration, plain.acceleration, rtol=1e-12)
    known = plain.determinacy.of("pin")
    np.testing.assert_allclose(
        soft.constraint_forces["pin"][known], plain.constraint_forces["pin"][known], atol=1e-10
    )
    assert np.linalg.norm(soft.constraint_forces["pin"][~known]) < 1e-3 * np.linalg.norm(
        plain.constraint_forces["pin"][~known]
    )


def test_a_velocity_that_leads_nowhere_all_along_a_branch():
    """A rod and a string in one line, on a carrier that turns: the rod may begin to move wherever
    the carrier is, and cannot go on.  With a second such rod beside it there are two of them."""
    for rods in (1, 2):
        b = am.Builder("carried")
        b.body("carrier", axis="y", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
        for k in range(rods):
            at = (0, 0.3 * k, 0)
            b.body(f"rod{k}", parent="carrier", axis="y", at=at, mass=1.0, inertia=(0.1, 0.1, 0.1))
            b.frame(f"tip{k}", f"rod{k}", (1, 0, 0))
            b.frame(f"wall{k}", "carrier", (3, 0.3 * k, 0))
            b.distance(f"string{k}", f"wall{k}", f"tip{k}", 2.0)
        m = b.build()
        for turn in (0.0, 0.7, -np.pi / 2):
            found = m.mobility([turn, *[0.0] * rods])
            assert (found.instantaneous, found.finite) == (1 + rods, 1)
            assert found.singular == "branching" and found.rank == 0
