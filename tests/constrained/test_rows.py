"""Rows of every kind of constraint between bodies of a nasty tree: J, rates, biases, residuals."""

import numpy as np
import pytest
from closed_machines import LOOPS, OTHERS, closed_tree
from test_loop_passive import LAWS, four_bar
from test_loop_passive import moving as moving_four_bar

import armillary as am
from armillary.codegen.target import native
from armillary.constraints import compiled_rows
from armillary.evaluate import native_call, program
from compare import close, derivative
from oracles.direct import Direct, joint_pose, joint_tangents, pose_matrix

KINDS = (*LOOPS, *OTHERS)
TWICE = (
    "helical",
    "gimbal-rx-rz",
    "universal",
    "cylinder",
    "contact",
    "contact",
    "contact",
    "disc",
)
SEEDS = (1, 2, 3)


@pytest.fixture(scope="module", params=SEEDS)
def everything(request):
    """One tree with a constraint of every kind, a state, and random velocities."""
    base = "free" if request.param == 2 else None
    m, q = closed_tree(request.param, (*KINDS, *TWICE), bodies=9, base=base)
    v = np.random.default_rng(request.param).normal(size=m.nv)
    return m, q, v


@pytest.fixture(scope="module")
def moving(everything):
    """The same on a base that moves, twists and accelerates."""
    m, q, v = everything
    base = {"base_velocity": (0.1, 0.2, -0.3, 0.4, 0.5, 0.6),
            "base_acceleration": (1.0, 2.0, 3.0, -4.0, 5.0, 6.0)}  # fmt: skip
    return m.replace(**base), q, v


def along(m, q, v, t):
    """Where constant velocities lead."""
    return m.integrate(q, t * v)


def bias(m, q, v):
    """gamma as the library uses it: what J a must be."""
    return m.constraint_solver.equations.terms(q[None], v[None]).gamma[0]


def axis_free(m):
    """Rows that are not those of prescribed: these have a given velocity."""
    return np.array([not label.startswith("drive") for label in m.constraint_rows])


def test_every_kind_has_its_rows(everything):
    m, _, _ = everything
    assert len(m.constraint_rows) > 80
    for what in KINDS:
        if what not in ("general", "gimbal-"):
            assert any(row.startswith(what) for row in m.constraint_rows), what


def test_jacobian_times_velocity_is_the_rate(everything):
    m, q, v = everything
    rate = m.constraint_rate(q, v) - m.constraint_rate(q, 0 * v)
    close(rate, m.constraint_jacobian(q) @ v, 1e-13)
    still = m.constraint_rate(q, 0 * v)
    assert not still[axis_free(m)].any()
    assert set(still[~axis_free(m)]) == {-0.1}


def test_rate_changes_by_the_bias(everything):
    """d/dt (J v) = -gamma at constant v; prescribed motions aside."""
    m, q, v = everything
    found = derivative(lambda t: m.constraint_rate(along(m, q, v, t), v), 1e-3)
    rows = axis_free(m)
    close(found[rows], -bias(m, q, v)[rows], 1e-9)
    assert set(bias(m, q, v)[~rows]) == {0.3}
    assert np.abs(bias(m, q, v)[rows]).max() > 1.0


def test_closed_by_construction(everything):
    m, q, _ = everything
    assert np.abs(m.constraint_residual(q)).max() < 2e-14


def test_residual_changes_by_the_rate_where_closed(everything):
    m, q, v = everything
    found = derivative(lambda t: m.constraint_residual(along(m, q, v, t)), 1e-3)
    rows = np.array(m.constraint_solver.equations.constraints.holonomic) & axis_free(m)
    close(found[rows], m.constraint_rate(q, v)[rows], 1e-9)


def test_rolling_rows_have_no_residual(everything):
    m, q, v = everything
    rolling = ~np.array(m.constraint_solver.equations.constraints.holonomic)
    named = [row for row, r in zip(m.constraint_rows, rolling, strict=True) if r]
    assert any("longitudinal" in row for row in named) and any("lateral" in row for row in named)
    assert not m.constraint_residual(along(m, q, v, 0.3))[rolling].any()


def test_moving_base_leaves_relative_motion_alone(everything, moving):
    """The world of a model moves with its base, so nothing relative to it changes."""
    m, q, v = everything
    other = moving[0]
    close(other.constraint_jacobian(q), m.constraint_jacobian(q), 1e-13)
    close(other.constraint_rate(q, v), m.constraint_rate(q, v), 1e-13)
    close(bias(other, q, v), bias(m, q, v), 1e-11)


@pytest.mark.parametrize("what", [k for k in LOOPS if k != "general"])  # a joint of the tree
@pytest.mark.parametrize("seed", [5, 6])
def test_rows_of_a_loop_are_what_its_joint_forbids(what, seed):
    """J v = 0 exactly for those relative velocities that the joint's own motions can make.

    The relative motion comes from 4x4 matrices; the free one from the joint's tangents."""
    m, q = closed_tree(seed, [what], bodies=6)
    (loop,) = m.model.loops
    direct = Direct(m.model)
    poses = {**dict(zip(m.bodies, direct.poses(q), strict=True)), "world": np.eye(4)}
    ends = [poses[f.body] @ pose_matrix(f.pose) for f in (loop.first, loop.second)]
    relative = np.linalg.inv(ends[0]) @ ends[1]
    place = fitted(loop.joint, relative)
    own = [twist(np.linalg.inv(relative) @ T) for T in joint_tangents(loop.joint, place)]
    own = np.array(own).reshape(-1, 6).T
    forbidden = np.linalg.svd(np.eye(6) - own @ np.linalg.pinv(own))
    T = forbidden[0][:, : 6 - np.linalg.matrix_rank(own)].T if own.size else np.eye(6)
    J1, J2 = (direct.jacobian(q, f.body, "world") for f in (loop.first, loop.second))
    H = np.linalg.inv(ends[1])
    rows = T @ carry(H) @ (J2 - J1)
    J = m.constraint_jacobian(q)
    assert len(J) == len(T)
    together = np.linalg.svd(np.concatenate([unit_rows(J), unit_rows(rows)]), compute_uv=False)
    assert np.sum(together > 1e-12) == np.linalg.matrix_rank(J, tol=1e-9)
    assert np.linalg.matrix_rank(J, tol=1e-9) == np.linalg.matrix_rank(rows, tol=1e-9)


def unit_rows(J):
    size = np.linalg.norm(J, axis=1, keepdims=True)
    return J / np.where(size > 1e-12, size, 1.0)


def twist(field):
    return np.array([field[2, 1], field[0, 2], field[1, 0], *field[:3, 3]])


def carry(H) -> np.ndarray:
    """(ω; v at the old origin) in old axes -> in the axes and at the origin of H's target."""
    R = H[:3, :3]
    p = -R.T @ H[:3, 3]
    cross = np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])
    return np.block([[R, np.zeros((3, 3))], [-R @ cross, R]])


def fitted(spec, H):
    """Coordinates of a joint at a pose, by least squares from several starts."""
    from scipy.optimize import least_squares

    from oracles.direct import joint_sizes

    size = joint_sizes(spec)[0]
    if not size:
        return np.zeros(0)
    rng = np.random.default_rng(0)
    for _ in range(40):
        found = least_squares(lambda x: (joint_pose(spec, x) - H).ravel(), rng.normal(size=size),
                              xtol=1e-15, ftol=1e-15, gtol=1e-15)  # fmt: skip
        if found.cost < 1e-20:
            return found.x
    raise AssertionError("the loop is not closed")


@pytest.mark.parametrize("what", [k for k in KINDS if k not in ("general", "gimbal-")])
def test_residual_tells_open_from_closed(what):
    """Free motions of the rows keep it at zero to second order, others open it."""
    m, q = closed_tree(8, [what], bodies=6, joints=("revolute", "prismatic", "universal"))
    holonomic = np.array(m.constraint_solver.equations.constraints.holonomic)
    if not holonomic.any():
        pytest.skip("it has no position")
    J = m.constraint_jacobian(q)[holonomic]
    assert np.abs(m.constraint_residual(q)).max() < 2e-14
    _, s, Vt = np.linalg.svd(J)
    rank = np.sum(s > 1e-9)
    for d in Vt[:rank]:
        assert np.abs(m.constraint_residual(m.integrate(q, 1e-3 * d))).max() > 1e-5 * s[rank - 1]
    for d in Vt[rank:]:
        for step in (1e-3, 1e-4):
            opened = np.abs(m.constraint_residual(m.integrate(q, step * d))).max()
            assert opened < 30 * step**2


@pytest.mark.parametrize("kind, axis", [
    ("revolute", "x"), ("revolute", "y"), ("fixed", "z"), ("fixed", (1, 2, 3)), ("contact", "y"),
    ("prismatic", (-1, 2, 0.1)), ("planar", "y"), ("level", "x"), ("level", "y"),
    ("gimbal", "z"), ("cylindrical", (1, -1, 0)),
])  # fmt: skip
def test_turned_by_half_is_not_closed(kind, axis):
    """Axes that point against each other, a weld half a turn off: open, and closed again by
    `assemble`.  The exact half turn is the natural wrong guess."""
    b = am.Builder("flipped")
    b.body("one", joint="revolute", axis=axis, mass=1.0, inertia=(1, 1, 1))
    if kind in ("contact", "level"):
        b.contact("tie", "world", "one", ("rx", "ry", "rz") if kind == "contact" else ("rx", "ry"))
    else:
        b.loop("tie", "world", "one", kind, **({"free": ("ry",)} if kind == "gimbal" else {}))
    m = b.build()
    assert np.abs(m.constraint_residual([0.0])).max() < 1e-15
    for angle in (np.pi, 3.1415926, 3.0, 1.5):
        opening = np.linalg.norm(m.constraint_residual([angle]))
        assert opening == pytest.approx(2 * np.sin(angle / 2), rel=0.45), angle
        assert opening > 1.1
    closed = m.assemble([np.pi])
    assert closed.closed and abs(np.sin(closed.q[0] / 2)) < 1e-12


def test_half_turn_of_a_free_body_is_not_closed():
    b = am.Builder("flipped")
    b.body("one", joint="free", mass=1.0, inertia=(1, 1, 1))
    b.loop("tie", "world", "one", "fixed")
    m = b.build()
    for axis in np.eye(3):
        q = np.array([0.0, *axis, 0, 0, 0])
        assert np.abs(m.constraint_residual(q)).max() > 1.0
        closed = m.assemble(q)
        assert closed.closed and abs(closed.q[0]) == pytest.approx(1.0, abs=1e-12)


def test_screw_counts_its_turns():
    """A helical loop is closed after any number of turns, if the slide fits."""
    pitch = 0.03
    b = am.Builder("screw")
    b.body("nut", joint="cylindrical", mass=1.0, inertia=(1, 1, 1))
    b.loop("thread", "world", "nut", "helical", pitch=pitch)
    m = b.build()
    for angle in (0.0, 2.0, 7.0, -40.0, 300.0):
        assert np.abs(m.constraint_residual([angle, pitch * angle])).max() < 1e-13
        off = m.constraint_residual([angle, pitch * angle + 0.01])
        assert np.abs(off).max() == pytest.approx(0.01, rel=1e-9)


def test_batches_of_rows(everything):
    m, q, v = everything
    qs = np.array([along(m, q, v, t) for t in (0.0, 0.1, -0.2)])
    J, r = m.constraint_jacobian(qs), m.constraint_residual(qs)
    for k in range(3):
        close(J[k], m.constraint_jacobian(qs[k]), 1e-15)
        close(r[k], m.constraint_residual(qs[k]), 1e-15)


def ends_of(m, parts):
    """Where the points of constraints are, by 4x4 matrices: q -> (parts, 2, 3)."""
    direct = Direct(m.model)

    def points(q):
        poses = {**dict(zip(m.bodies, direct.poses(q), strict=True)), "world": np.eye(4)}
        frames = [(part.first, part.second) for part in parts]
        return np.array([[(poses[f.body] @ pose_matrix(f.pose))[:3, 3] for f in x] for x in frames])

    return points


@pytest.mark.parametrize("tier", [1, 2])
@pytest.mark.parametrize("seed", SEEDS)
def test_distances_and_balls_from_the_places_of_their_points(seed, tier):
    """A rod is as long as its points are apart, wherever they are; a ball is open by as much.  J by
    differences of them, for a ball at its closed place and up to its axes."""
    kinds = ("distance", "spherical", "distance")
    m, q = closed_tree(seed, kinds, bodies=9, base="free" if seed == 2 else None)
    m = m.compile(tier=tier)
    rods, (ball,) = m.model.distances, m.model.loops
    slices = m.constraint_solver.equations.constraints.slices
    apart = lambda q: np.diff(ends_of(m, rods)(q), axis=1)[:, 0]  # noqa: E731
    open_ = m.integrate(q, 0.2 * np.random.default_rng(seed).normal(size=m.nv))
    rows = [slices[rod.name].start for rod in rods]
    lengths = np.array([rod.length for rod in rods])
    close(m.constraint_residual(open_)[rows], np.linalg.norm(apart(open_), axis=1) - lengths, 1e-13)
    J = m.constraint_jacobian(open_)[rows]
    for k, axis in enumerate(np.eye(m.nv)):
        found = derivative(lambda t, d=axis: np.linalg.norm(apart(along(m, open_, d, t)), axis=1))
        close(J[:, k], found, 1e-9)
    gap = lambda q: np.diff(ends_of(m, [ball])(q), axis=1)[0, 0]  # noqa: E731
    own = m.constraint_residual(open_)[slices[ball.name]]
    close(np.linalg.norm(own), np.linalg.norm(gap(open_)), 1e-13)
    J = m.constraint_jacobian(q)[slices[ball.name]]
    D = np.array([derivative(lambda t, d=d: gap(along(m, q, d, t))) for d in np.eye(m.nv)]).T
    close(J.T @ J, D.T @ D, 1e-9)


# -- three ways to the same rows ------------------------------------------------------------------


def terms_by(m, way, q, v, passive=True):
    """Terms of states by straight-line code, loops over tables or the interpreter."""
    equations = m.constraint_solver.equations
    if way == "interpreter":
        return equations.interpreted_terms(q, v, passive)
    compiled = m.compile(tier=1 if way == "loops" else 2).constraint_solver.equations
    kernels = compiled.row_kernels(passive)
    assert kernels.loops == (way == "loops")
    return compiled.terms(q, v) if passive else compiled._terms(q, v, passive)


def same_rows(m, q, v, tolerance=1e-13):
    """One state and several, with passive forces and without."""
    q, v = np.tile(q, (9, 1)), v * np.linspace(1.0, -0.5, 9)[:, None]
    for passive in (True, False):
        expected = vars(terms_by(m, "interpreter", q, v, passive))
        for way in ("straight", "loops"):
            for count in (1, 9):
                found = vars(terms_by(m, way, q[:count], v[:count], passive))
                for name, x in expected.items():
                    close(found[name], x[:count], tolerance, f"{way} {name}")
    return expected


def rubbing():
    """A finger on a free palm, whose tip rubs on a plate and is pushed on by it."""
    b = am.Builder("finger")
    heavy = {"mass": 1.0, "com": (0.1, 0.02, -0.03)}
    tensor = {"inertia": (0.03, 0.04, 0.05, 0.002, -0.003, 0.004)}
    b.body("palm", joint="free", **heavy, **tensor)
    b.body("a", "palm", "revolute", (0.1, 0.2, 0.3), axis=(1, 2, 2), **heavy, **tensor)
    b.body("b", "a", "universal", (0.3, 0, 0), **heavy, **tensor)
    b.body("plate", "palm", "prismatic", (0, 0, -0.4), axis="z", **heavy, **tensor)
    tip = am.Frame("tip", "b", am.Pose.from_rpy((0.3, 0.1, 0), (0.3, -0.2, 0.5)))
    floor = am.Frame("floor", "plate", am.Pose.from_rpy((0.1, -0.1, 0.2), (-0.1, 0.4, 0.2)))
    b.contact("c", floor, tip, ("dz", "rx"), friction=(("dx", "dz", 0.3),), force={"dy": 2.0})
    b.contact("still", "world", "plate", ("dx",))
    b.loop("tie", "world", "palm", "spherical")
    return b.build()


needs_compiler = pytest.mark.skipif(not native(), reason="needs llvmlite")


@needs_compiler
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("moving_base", [False, True])
def test_rows_three_ways(seed, moving_base):
    """Every kind of row, each coordinate off its closed place."""
    m, q = closed_tree(seed, KINDS, bodies=9, base="free" if seed == 2 else None)
    rng = np.random.default_rng(seed)
    if moving_base:
        m = m.replace(base_velocity=(0.1, 0.2, -0.3, 0.4, 0.5, 0.6),
                      base_acceleration=(1.0, 2.0, 3.0, -4.0, 5.0, 6.0))  # fmt: skip
    q = m.integrate(q, 0.1 * rng.normal(size=m.nv))
    same_rows(m, q, rng.normal(size=m.nv))


@needs_compiler
@pytest.mark.parametrize("law", LAWS)
def test_springs_and_friction_three_ways(law):
    m = four_bar("pin", LAWS[law])
    q, v = moving_four_bar(m)
    with_laws = terms_by(m, "loops", q[None], v[None])
    assert with_laws.given_W.any() == with_laws.resisted.any() == (law != "nothing")
    same_rows(m, q, v)
    cut_elsewhere = four_bar("foot", LAWS[law])  # a joint of the tree has the spring
    q2, v2 = moving_four_bar(cut_elsewhere)
    for loops in (m, m.compile(tier=1)):
        close(sum(loops.energy(q, v)), sum(cut_elsewhere.energy(q2, v2)), 1e-9)


@needs_compiler
def test_rubbing_contacts_three_ways():
    """Multipliers of contacts that rub push along other directions than their rows."""
    m = rubbing()
    q, v = m.initial + 0.1, np.linspace(0.4, -0.3, m.nv)
    same_rows(m, q, v)
    found = terms_by(m, "loops", q[None], v[None])
    assert np.abs(found.G - found.J).max() > 0.1


@needs_compiler
def test_entries_of_J_are_those_of_its_places():
    m, q = closed_tree(3, KINDS, bodies=9)
    equations = m.compile(tier=1).constraint_solver.equations
    rows, columns, *_ = equations.rows.pairs
    J = m.constraint_jacobian(q)
    close(equations.row_entries(q[None])[0], J[rows, columns], 1e-13)
    J[rows, columns] = 0.0
    linear = len(equations.constraints.axes)
    assert linear and not J[: len(J) - linear].any()


def test_states_without_numbers_have_no_rows():
    m, q = closed_tree(3, ["revolute"], bodies=9)
    equations = m.compile(tier=1).constraint_solver.equations
    many = np.tile(q, (9, 1))
    many[3, 1] = np.nan
    for some in (many, many[3:4]):
        found, bad = equations.terms(some), np.isnan(some).any(axis=1)
        assert np.isnan(found.J[bad]).all() and np.isnan(found.residual[bad]).all()
        assert np.isfinite(found.J[~bad]).all()


def test_rows_without_a_compiler(monkeypatch):
    """The interpreter answers: the same rows, and entries of J."""
    m, q = closed_tree(2, ["revolute", "disc", "coupling"], bodies=6)
    v = np.ones(m.nv)
    expected, entries = m.constraint_jacobian(q), m.constraint_solver.equations.row_entries(q[None])
    for module in (program, compiled_rows, native_call):
        monkeypatch.setattr(module, "native", lambda: False)
    native_call.available.cache_clear()
    bare = closed_tree(2, ["revolute", "disc", "coupling"], bodies=6)[0]
    equations = bare.constraint_solver.equations
    kernels = equations.row_kernels()
    assert kernels.program.kernel(False, "double").code.kind == "interpreter"
    close(equations.terms(q[None], v[None]).J[0], expected, 1e-13)
    close(equations.row_entries(q[None]), entries, 1e-13)
    assert equations.spring_energy(q[None]) == 0.0
    monkeypatch.undo()
    native_call.available.cache_clear()


@needs_compiler
def test_rows_in_loops_beside_a_cable_over_many_bodies():
    """Force elements are no part of the rows, however many bodies they pull at."""
    b, names = am.Builder("chain"), [f"link{k}" for k in range(6)]
    for k, name in enumerate(names):
        b.body(name, names[k - 1] if k else "world", "revolute", (0.3, 0, 0), axis="xyz"[k % 3],
               mass=1.0, com=(0.1, 0, 0), inertia=(0.1, 0.1, 0.1))  # fmt: skip
    b.loop("tie", "world", names[-1], "spherical")
    free = b.build()
    b.cable("rope", names, stiffness=10.0)
    pulled = b.build().compile(budget=0).constraint_solver.equations
    q = np.linspace(-0.5, 0.7, 6)
    assert pulled.row_kernels().loops
    close(pulled.row_entries(q[None])[0], free.constraint_jacobian(q).T.ravel(), 1e-13)
    close(pulled.at_once(("residual",), q), free.constraint_residual(q), 1e-13)
