"""Sparse elimination in native loops: every kind of row, every input, batches, corrections; kernels
in turn; whole runs of large mechanisms."""

import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from closed_machines import OTHERS, allowed, closed_tree
from scipy.integrate import solve_ivp
from test_loop_passive import LAWS, four_bar, moving

import armillary as am
from armillary.constraints.compiled import eliminating_kernels
from armillary.constraints.ladder import States, compiled
from armillary.constraints.large import Factor
from armillary.evaluate.kernel_in_turn import KernelInTurn
from samples import random_mass

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from benchmarks.closed import car, ladder

GROUPS = [
    ("revolute", "distance"), ("prismatic", "plane"), ("helical", "sphere"),
    ("cylindrical", "cylinder"), ("planar", "contact"), ("spherical", "disc"),
    ("universal", "ball"), ("fixed", "knife"), ("gimbal-ry-rz", "disc-on-body"),
    ("gimbal-dx-dz", "coupling"), ("spherical", "drive"),
]  # fmt: skip


@cache
def the_car():
    m = car()
    return m, *m.project(m.initial, np.random.default_rng(5).normal(size=m.nv))


def close(found, right, rel=1e-9):
    """Relative to the largest of all; of nothing at all, to 1."""
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found, right, rtol=0, atol=rel * max(np.abs(right).max(), 1.0))


def eliminated(m, level="gamma", passive=True, **arrays):
    """By the loops alone, NaN where they have no answer; rows of a batch are those of single calls,
    to the last bit."""
    equations = m.constraint_solver.equations
    kernels = eliminating_kernels(equations, level, tuple(arrays), passive)
    name = "a" if level == "gamma" else "x"

    def rows(count):
        many = {key: np.tile(x, (count, 1)) for key, x in arrays.items()}
        return kernels(many, count, m.evaluator.base_numbers)[name]

    one, several = rows(1), rows(19)
    np.testing.assert_array_equal(several, np.tile(one, (19, 1)))
    return one[0]


def test_every_kind_of_constraint_is_here():
    assert {kind for group in GROUPS for kind in group} >= set(OTHERS)


@pytest.mark.parametrize("group", GROUPS, ids="-".join)
def test_kinds_of_rows(group):
    """Accelerations of random trees of all joint types, against the null space."""
    seed = GROUPS.index(group)
    m, q = closed_tree(seed, group, bodies=8, base="free" if seed % 2 else "fixed")
    v, tau = allowed(m, q), np.random.default_rng(seed).normal(size=m.nv)
    close(eliminated(m, q=q, v=v, tau=tau), m.solve(q, v, tau).acceleration)


@pytest.mark.parametrize("law", LAWS)
def test_friction_and_springs_in_loops(law):
    """Cut at the pin with the law, and cut elsewhere: there it is a joint of the tree."""
    one, two = four_bar("pin", LAWS[law]), four_bar("foot", LAWS[law])
    (q1, v1), (q2, v2) = moving(one), moving(two)
    close(eliminated(one, q=q1, v=v1, tau=np.zeros(3))[:2], two.solve(q2, v2, [0, 0, 0])
          .acceleration[:2], 1e-8)  # fmt: skip
    bare = one.solve(q1, v1, np.zeros(3), passive=False).acceleration
    close(eliminated(one, passive=False, q=q1, v=v1, tau=np.zeros(3)), bare)


def test_wrenches_parameters_and_prescribed_rows():
    m, q, v = the_car()
    rng = np.random.default_rng(2)
    loops, tau = m.compile(tier=1), rng.normal(size=m.nv)
    external = {"fl.wheel": rng.normal(size=6) * 50.0, "chassis": rng.normal(size=6) * 300.0}
    prescribed = {"rr.top": rng.normal(size=3)}
    found = loops.forward_dynamics(q, v, tau, external, prescribed=prescribed)
    close(found, m.solve(q, v, tau, external, prescribed=prescribed).acceleration)
    heavier = m.parameters * 1.3
    a = loops.forward_dynamics(q, v, tau, parameters=heavier)
    # forces and masses 1.3 times as large; gravity grows with the masses
    close(a, m.solve(q, v, tau / 1.3).acceleration)


@pytest.mark.parametrize("seed", [0, 12, 23])
def test_given_inertias_of_welded_bodies(seed):
    """Bodies that are welded to others, between those that move: the same bodies in the model."""
    m, q = closed_tree(seed, ["revolute"], bodies=5)
    kinds = [body.joint.kind for body in m.model.bodies]
    assert "fixed" in kinds[:-1]
    rng = np.random.default_rng(seed)
    masses = {name: random_mass(rng) for name in m.bodies}
    given = {
        name: {"mass": x.mass, "com": x.com, "inertia": x.tensor} for name, x in masses.items()
    }
    other, loops = m.replace(given), m.compile(tier=1)
    v, tau = allowed(m, q), rng.normal(size=m.nv)
    wanted = other.solve(q, v, tau).acceleration
    close(loops.forward_dynamics(q, v, tau, parameters=other.parameters), wanted)
    Q, V, T = (np.tile(x, (5, 1)) for x in (q, v, tau))
    P = np.tile(other.parameters, (5, 1))
    close(loops.forward_dynamics(Q, V, T, parameters=P)[3], wanted)
    for method in ("rk4", *("variational",) * ("free" not in kinds)):  # none on moving bodies
        span = {"duration": 0.02, "step": 1e-3, "method": method}
        run = am.simulate(loops, q, v, parameters=other.parameters, **span)
        np.testing.assert_allclose(run.q, am.simulate(other, q, v, **span).q, rtol=0, atol=1e-10)


def test_a_moving_base():
    b = am.Builder("swing")
    b.base_velocity = (0.3, -0.2, 0.5, 1.0, 2.0, -1.0)
    b.base_acceleration = (0.1, 0.4, -0.3, 2.0, -1.0, 0.5)
    link = {"mass": 1.0, "com": (0.1, 0.02, 0.03), "inertia": (0.02, 0.03, 0.04)}
    b.body("crank", axis="y", **link)
    b.body("coupler", "crank", "revolute", (0.3, 0, 0), axis="y", **link)
    b.body("rocker", "coupler", "universal", (0.6, 0, 0), **link)
    pin, tip = am.Pose((0.8, 0, 0.2)), am.Pose((0.4, 0, 0))
    b.loop("ball", am.Frame("one", "world", pin), am.Frame("two", "rocker", tip), "spherical")
    m = b.build()
    q = m.assemble().q
    q, v = m.project(q, [1.0, -2.0, 0.5, 0.3])
    close(eliminated(m, q=q, v=v, tau=np.ones(4)), m.solve(q, v, np.ones(4)).acceleration)


def test_corrections_are_the_smallest_by_kinetic_energy():
    """x = M^-1 J^T (J M^-1 J^T)^+ (-residual or -rate), dense; what is left is second order."""
    m, q, v = the_car()
    rng = np.random.default_rng(3)
    q = m.integrate(q, 1e-4 * rng.normal(size=m.nv))
    v = v + rng.normal(size=m.nv)
    M, J = m.tree.mass_matrix(q), m.constraint_jacobian(q)
    W = np.linalg.solve(M, J.T)
    for level, arrays, missing in (
        ("residual", {"q": q}, m.constraint_residual(q)),
        ("rate", {"q": q, "v": v}, m.constraint_rate(q, v)),
    ):
        close(eliminated(m, level, **arrays), -W @ np.linalg.solve(J @ W, missing), 1e-8)
    closed, moved = m.project(q, v)
    assert np.abs(m.constraint_residual(closed)).max() < 1e-13
    assert np.abs(m.constraint_rate(closed, moved)).max() < 1e-12


def test_a_loop_that_cannot_close_has_no_correction():
    """Links of 1.5 m, stretched out, between pins 3 m apart: no step brings them nearer."""
    b = am.Builder("apart")
    link = {"mass": 1.0, "com": (0.3, 0, 0), "inertia": (0.1, 0.1, 0.1)}
    b.body("crank", axis="y", **link)
    b.body("coupler", "crank", "revolute", (0.5, 0, 0), axis="y", **link)
    ends = [am.Frame("one", "world", am.Pose((3.0, 0, 0))),
            am.Frame("two", "coupler", am.Pose((1.0, 0, 0)))]  # fmt: skip
    b.loop("pin", *ends, "revolute", axis="y")
    m = b.build().compile(tier=1)
    steps = m.constraint_solver.projector.kernels("residual")
    x = steps({"q": np.zeros((1, 2))}, 1, m.evaluator.base_numbers)["x"]
    assert np.isnan(x).all()
    with pytest.raises(am.ModelError, match="stays open"):
        m.project(np.zeros(2), np.zeros(2))


def test_the_pattern_of_a_factor():
    """L of a random sparse matrix, by its dense elimination."""
    rng, n = np.random.default_rng(0), 30
    A = np.diag(rng.uniform(5.0, 9.0, n))
    pairs = np.array([(k, k) for k in range(n)] + [(i, j) for i in range(n) for j in range(i)
                     if rng.random() < 0.08])  # fmt: skip
    for i, j in pairs[n:]:
        A[i, j] = A[j, i] = rng.normal()
    left, seen = A.copy(), set()
    for k in range(n):
        seen |= {(k, int(i)) for i in np.flatnonzero(np.abs(left[k + 1 :, k]) > 1e-14) + k + 1}
        left -= np.outer(left[:, k], left[k]) / left[k, k]
    factor = Factor.of(n, pairs)
    found = {(k, int(i)) for k in range(n)
             for i in factor.ranks[factor.starts[k] + 1 : factor.starts[k + 1]]}  # fmt: skip
    assert found == seen


@pytest.mark.parametrize("windows", [20, 60])
def test_runs_of_a_ladder(windows):
    """All rods stay parallel: one angle, θ'' = force(θ) / inertia, integrated by itself; energy."""
    m = ladder(windows)
    signs = np.array([1.0 if name.startswith("rod") else -1.0 for name in m.joints])
    inertia = moment = 0.0
    for body in m.model.bodies:
        rod = body.name.startswith("rod")
        arm = body.mass.com[2] if rod else body.at.position[2]
        inertia += body.mass.mass * arm**2 + (body.mass.tensor[1] if rod else 0.0)
        moment += body.mass.mass * arm
    push = -m.gravity[2] * moment / inertia  # θ'' = push sin θ
    run = am.simulate(m, 0.7 * signs, 1.3 * signs, duration=0.2, step=1e-3, method="rk4")

    def rate(t, x):
        return [x[1], push * np.sin(x[0])]

    right = solve_ivp(rate, (0.0, 0.2), [0.7, 1.3], rtol=1e-12, atol=1e-12).y[:, -1]
    np.testing.assert_allclose(run.q[-1], right[0] * signs, atol=1e-9)
    np.testing.assert_allclose(run.v[-1], right[1] * signs, atol=1e-8)
    energy = sum(m.energy(run.q, run.v))
    assert np.ptp(energy) < 1e-9 * np.abs(energy).max()


def test_a_run_of_a_car_stays_in_native_code(monkeypatch):
    """Energy and closure of a car in free fall and roll; no step asks for the null space."""
    m, q, v = the_car()
    asked = []
    equations = type(m.constraint_solver.equations)
    plain = equations.answer
    monkeypatch.setattr(equations, "answer", lambda *x: asked.append(1) or plain(*x))
    run = am.simulate(m, q, v, duration=0.1, step=1e-3, method="rk4")
    energy = sum(m.energy(run.q, run.v))
    assert np.ptp(energy) < 1e-7 * np.ptp(m.energy(run.q, run.v)[0])
    assert np.abs(m.constraint_residual(run.q)).max() < 1e-12
    assert not asked
    several = am.simulate(m, np.tile(q, (5, 1)), np.tile(v, (5, 1)), duration=0.02, step=1e-3,
                          method="rk4")  # fmt: skip
    np.testing.assert_allclose(several.q[:, 3], run.q[:21], rtol=0, atol=1e-12)


# -- several solvers in turn -----------------------------------------------------------------------


def bricard():
    m = am.example("bricard")
    return m, *m.project(m.initial, np.random.default_rng(1).normal(size=m.nv) * 3.0)


def test_rows_that_follow_where_a_mechanism_is_closed():
    """Bricard's linkage counts as rigid: five rows, of which four are independent all the way."""
    from armillary.constraints.plan import plan_of

    m, q, v = bricard()
    assert len(plan_of(m.constraint_solver.equations).implied) == 1
    run = am.simulate(m, q, v, duration=2.0, step=1e-2, method="rk4")
    tau = np.random.default_rng(0).normal(size=run.v.shape)
    found = m.forward_dynamics(run.q, run.v, tau)
    for k in range(0, len(found), 10):
        close(found[k], m.solve(run.q[k], run.v[k], tau[k]).acceleration)


def test_dependent_coordinates_are_chosen_anew(monkeypatch):
    """Where those of the first plan go singular, others answer, natively from then on."""
    m, q, v = bricard()
    asked = []
    equations = type(m.constraint_solver.equations)
    plain = equations.answer
    monkeypatch.setattr(equations, "answer", lambda *x: asked.append(1) or plain(*x))
    run = am.simulate(m, q, v, duration=2.0, step=1e-3, method="rk4")
    assert len(asked) < 10
    kernels = m.constraint_solver.forward.kernels(("q", "v", "tau"))
    assert isinstance(kernels.kernel(False, "double"), KernelInTurn)
    energy = sum(m.energy(run.q, run.v))
    assert np.ptp(energy) < 1e-7 * np.ptp(m.energy(run.q, run.v)[0])


@pytest.mark.parametrize("rows", [1, 19])
def test_rows_without_an_answer_go_to_the_next_kernel(rows):
    """A slider-crank whose plan is made blind at some states: they get the same answer."""
    m = am.example("slider-crank")
    equations = m.constraint_solver.equations
    kernels = m.constraint_solver.forward.kernels(("q", "v", "tau"))
    loops = eliminating_kernels(equations, "gamma", ("q", "v", "tau"))
    first = kernels.kernel(rows > 1, "double")
    blind = KernelInTurn(_Blind(first), loops.kernel(False, "double"))
    rng = np.random.default_rng(4)
    states = [m.project(m.integrate(m.initial, 0.3 * rng.normal(size=m.nv)),
                        rng.normal(size=m.nv)) for _ in range(rows)]  # fmt: skip
    q, v = (np.array(x) for x in zip(*states, strict=True))
    tau = rng.normal(size=v.shape)
    out = np.empty_like(v)
    blind.call([q, v, tau], [m.nq, m.nv, m.nv], [out], rows, m.evaluator.base_numbers)
    right = compiled(equations, loops, States({"q": q, "v": v, "tau": tau}), "a").values
    np.testing.assert_array_equal(out[::2], right[::2])
    np.testing.assert_allclose(out, right, rtol=1e-9, atol=1e-9)


class _Blind:
    """A kernel without an answer for every second row."""

    def __init__(self, kernel):
        self.kernel = kernel

    def __getattr__(self, name):
        return getattr(self.kernel, name)

    def run(self, rows):
        self.kernel.run(rows)
        rows.outputs[0][::2] = np.nan


def test_the_native_turn_is_that_of_numpy():
    """Machine code of two kernels in turn, at states where the first has no answer."""
    from armillary.codegen.abi import Context
    from armillary.codegen.jit import native_call

    m, q, v = bricard()
    run = am.simulate(m, q, v, duration=2.0, step=1e-3, method="rk4")
    kernels = m.constraint_solver.forward.kernels(("q", "v", "tau"))
    kernel = kernels.kernel(True, "double")
    assert isinstance(kernel, KernelInTurn)
    q, v = run.q[1450:1600].copy(), run.v[1450:1600].copy()
    tau, outs = np.zeros_like(v), [np.empty_like(v) for _ in range(2)]
    inputs, base = [q, v, tau], m.evaluator.base_numbers
    kernel.call(inputs, [5, 5, 5], [outs[0]], len(q), base)
    context, kept = kernel.context(len(q), base)
    for k, array in enumerate(inputs):
        context[Context.INPUT_ROWS + k] = array.ctypes.data
        context[Context.INPUT_STRIDES + k] = 5
    context[Context.OUTPUT_ROWS] = outs[1].ctypes.data
    native_call(kernel.address)(context.ctypes.data)
    del kept
    np.testing.assert_array_equal(*outs)
    assert np.isfinite(outs[0]).all()
    first = np.empty_like(v)
    kernel.first.call(inputs, [5, 5, 5], [first], len(q), base)
    assert np.isnan(first).any()  # there was something to hand on


def test_long_slopes_are_compiled_for_many_states(monkeypatch):
    """Derivatives of a car of 50 coordinates, 18 000 operations per direction: the interpreter's,
    and without it where many states are announced."""
    from armillary.constraints import slopes, splitting

    m = car()
    q, v = m.project(m.initial, 0.1 * np.random.default_rng(0).normal(size=m.nv))
    expected = m.compile(budget=0).forward_dynamics.derivatives(q, v, np.zeros(m.nv))
    monkeypatch.delattr(slopes, "Run")
    monkeypatch.delattr(splitting, "split_of")
    found = m.compile(states=100).forward_dynamics.derivatives(q, v, np.zeros(m.nv))
    for name in ("dq", "dv", "dtau"):
        one, other = getattr(expected.full, name), getattr(found.full, name)
        np.testing.assert_allclose(other, one, rtol=0.0, atol=1e-10 * np.abs(one).max())
    small = m.compile(budget=11_000, states=100)
    with pytest.raises(NameError):  # a budget of the user's own is kept
        small.forward_dynamics.derivatives(q, v, np.zeros(m.nv))
