"""Mechanisms of many equal parts: code of their own, rolled up (graph/rolling.py)."""

import numpy as np
import pytest

import armillary as am
from armillary.codegen.target import native
from armillary.constraints import own_size, sparse_plan, verify_rolled
from armillary.constraints.plan import make_plan
from armillary.evaluate.program import Program
from armillary.model import Frame, Passive, Pose

VISCOUS = 0.1  # N m s/rad
pytestmark = pytest.mark.skipif(not native(), reason="needs llvmlite")


def ladder(windows, seed=0, tilt=(0.4, -0.3, 0.9)):
    """Windows of one shape, each body with a mass, a centre and a full tensor of its own, on a
    ground that is tilted, with springs and friction in some joints."""
    rng = np.random.default_rng(seed)
    b = am.Builder("uneven ladder")
    b.body("ground", joint="fixed", rpy=tilt, mass=1.0, inertia=(1, 1, 1, 0, 0, 0))

    def mass():
        A = rng.normal(size=(3, 3))
        tensor = 0.1 * (A @ A.T + np.eye(3))
        return {
            "mass": rng.uniform(0.5, 2.0),
            "com": tuple(rng.uniform(-0.3, 0.3, 3)),
            "inertia": (*np.diag(tensor), tensor[0, 1], tensor[0, 2], tensor[1, 2]),
        }

    turn = {"joint": "revolute", "axis": "y"}
    for k in range(windows + 1):
        resistance = (Passive(viscous=VISCOUS + 0.01 * k),)
        b.body(f"rod{k}", "ground", at=(k, 0, 0), passive=resistance, **turn, **mass())
        if k < windows:
            b.body(f"coupler{k}", f"rod{k}", at=(0, 0, 1), **turn, **mass())
    for k in range(windows):
        ends = ((f"coupler{k}", (1.0, 0.0, 0.0)), (f"rod{k + 1}", (0.0, 0.0, 1.0)))
        first, second = (Frame("", body, Pose(at)) for body, at in ends)
        b.loop(f"pin{k + 1}", first, second, **turn)
    return b.build()


def signs(m):
    """Rods turn, couplers turn back."""
    return np.array([1.0 if name.startswith("rod") else -1.0 for name in m.v_labels])


def state(m, seed=1):
    """A closed position with all rods parallel, a velocity that the rows allow, forces."""
    tau = np.random.default_rng(seed).normal(size=m.nv)
    return 0.6 * signs(m), 1.4 * signs(m), tau


def kinds(m):
    """What has answered forward dynamics, as far as it is compiled."""
    question = m.forward_dynamics.question
    made = [*question._own.programs, *question._made.values()]
    return {kernel.code.kind for p in made if p for kernel in p._kernels.values()}


@pytest.fixture(scope="module")
def long_ladder():
    return ladder(24)


def test_rolled_code_answers_as_the_null_space_does(long_ladder):
    m = long_ladder
    q, v, tau = state(m)
    a = m.forward_dynamics(q, v, tau)
    assert kinds(m) == {"rolled"}
    expected = m.solve(q, v, tau).acceleration  # one state by pivoted QR
    np.testing.assert_allclose(a, expected, rtol=1e-10, atol=1e-10 * np.abs(expected).max())
    loops = m.compile(tier=1).forward_dynamics(q, v, tau)
    np.testing.assert_allclose(a, loops, rtol=1e-10, atol=1e-10 * np.abs(loops).max())


def test_power_is_the_rate_of_energy(long_ladder):
    """tau · v less what friction takes = dE/dt, by differences along the motion."""
    m = long_ladder
    q, v, tau = state(m)
    a = m.forward_dynamics(q, v, tau)
    friction = m.bias_forces(q, v) - m.bias_forces(q, v, passive=False)
    h = 1e-4

    def energy(t):
        return sum(m.energy(q + t * v + 0.5 * t * t * a, v + t * a))

    rate = (energy(h) - energy(-h)) / (2 * h)
    assert rate == pytest.approx((tau - friction) @ v, rel=1e-5)


def test_batches_are_the_single_answers(long_ladder):
    m = long_ladder
    q, v, tau = state(m)
    scale = np.linspace(0.1, 1.1, 7)[:, None]
    found = m.forward_dynamics(q * scale, v * scale, tau * scale)
    each = [m.forward_dynamics(q * s, v * s, tau * s) for s in scale[:, 0]]
    np.testing.assert_allclose(found, each, rtol=1e-12, atol=1e-12 * np.abs(found).max())


def test_bad_rows_stay_bad_and_alone(long_ladder):
    m = long_ladder
    q, v, tau = (np.tile(x, (6, 1)) for x in state(m))
    tau[2, 5] = np.nan
    found = m.forward_dynamics(q, v, tau)
    assert np.isnan(found[2]).all() and np.isfinite(np.delete(found, 2, axis=0)).all()
    with pytest.raises(am.InputError, match="tau"):
        m.forward_dynamics(q[2], v[2], tau[2])


def test_singular_positions_are_left_to_other_solvers(long_ladder):
    """All rods and couplers in one line: rows are dependent there, and the answer is the null
    space's."""
    m = long_ladder
    q, v, tau = state(m)
    flat = q / 0.6 * (np.pi / 2)
    a = m.forward_dynamics(flat, 0 * v, tau)
    np.testing.assert_allclose(a, m.solve(flat, 0 * v, tau).acceleration, rtol=1e-6, atol=1e-6)


def test_open_positions_are_told(long_ladder):
    m = long_ladder
    q, v, tau = state(m)
    q = q.copy()
    q[4] += 0.05
    with pytest.warns(am.ProjectionWarning):
        m.forward_dynamics(q, v, tau)


def test_runs_stay_closed_and_lose_what_friction_takes(long_ladder):
    m = long_ladder
    q, v, _ = state(m)
    run = am.simulate(m, q, v, duration=0.2, step=1e-3, record=("q", "v", "energy", "drift"))
    assert abs(run.drift).max() < 1e-11
    viscous = [VISCOUS + 0.01 * int(n[3:]) if n.startswith("rod") else 0.0 for n in m.v_labels]
    power = -(run.v**2 @ np.array(viscous))
    lost = np.trapezoid(power, run.time)
    assert run.energy[-1] - run.energy[0] == pytest.approx(lost, rel=2e-4)


def test_project_is_rolled_too(long_ladder):
    m = long_ladder
    q, v, _ = state(m)
    rng = np.random.default_rng(5)
    near, speed = m.project(q + 1e-3 * rng.normal(size=m.nq), v + 0.01 * rng.normal(size=m.nv))
    assert np.abs(m.constraint_residual(near)).max() < 1e-12
    assert np.abs(m.constraint_jacobian(near) @ speed).max() < 1e-12
    projector = m.constraint_solver.projector
    served = [p for p in projector._made.values() if p is not None]
    assert any(isinstance(p, Program) and p.specialised() and not p.straight() for p in served)


def test_large_ones_are_compiled_after_many_states(monkeypatch):
    """What was asked decides, not the clock; the digits stay within rounding."""
    monkeypatch.setattr(own_size, "_TRACED", 50)
    monkeypatch.setattr(own_size, "MANY_STATES", 20)
    m = ladder(24, seed=3)
    q, v, tau = state(m)
    first = m.forward_dynamics(q, v, tau)
    for _ in range(17):
        m.forward_dynamics(q, v, tau)
    assert kinds(m) == {"loop"}
    later = [m.forward_dynamics(q, v, tau) for _ in range(4)][-1]
    assert "rolled" in kinds(m)
    np.testing.assert_allclose(later, first, rtol=1e-10, atol=1e-10 * np.abs(first).max())
    announced = ladder(24, seed=3).compile(states=20)
    announced.forward_dynamics(q, v, tau)
    assert kinds(announced) == {"rolled"}


def test_announced_states_are_checked():
    with pytest.raises(am.InputError, match="states"):
        am.example("four-bar").compile(states=-1)


@pytest.mark.parametrize("name", ["four-bar", "stewart", "four-bar-ladder", "slider-crank"])
def test_sparse_and_dense_plans_solve_as_many_rows(name):
    equations = am.example(name).constraint_solver.equations
    found, dense = sparse_plan.sparse_plan(equations), make_plan(equations)
    if dense.pivots is None:
        pytest.skip("rows that are not independent")
    assert found is not None
    assert len(found.pivots) == len(dense.pivots)
    assert len({p.dof for p in found.pivots}) == len({p.row for p in found.pivots})


def test_dependent_rows_have_no_plan():
    """Two couplings that are equal but for rounding: nothing is left of the second."""
    one = np.ones(2)
    rows = [{0: one, 1: -one}, {0: one, 1: -one * (1.0 + 1e-14)}]
    assert sparse_plan.dependent_coordinates(rows) is None


def test_wrong_code_is_found_by_the_elimination(long_ladder):
    """The code of other masses is no code of this mechanism."""
    equations = long_ladder.constraint_solver.equations
    residuals = []
    for m in (long_ladder, ladder(24, seed=9)):
        program = m.constraint_solver.forward.kernels(("q", "v", "tau"))
        kernel = program.kernel(False, "double")
        residuals.append(verify_rolled.from_elimination(equations, program, kernel, True))
    assert residuals[0] < 1e-10 and residuals[1] > 1e-3


def test_code_is_made_in_the_background():
    """Loops answer until it is there; then it serves, natively too."""
    m = ladder(24, seed=4).compile(background=True)
    q, v, tau = state(m)
    first = m.forward_dynamics(q, v, tau)
    assert kinds(m) == {"loop"}
    m.forward_dynamics.question.wait()
    assert "rolled" in kinds(m)
    later = m.forward_dynamics(q, v, tau)
    expected = ladder(24, seed=4).forward_dynamics(q, v, tau)  # code of its own from the start
    np.testing.assert_array_equal(later, expected)
    np.testing.assert_allclose(first, later, rtol=1e-10, atol=1e-10 * np.abs(later).max())
    assert [x.tier for x in m.forward_dynamics.compile_report() if x.operations] == [2]
    with pytest.raises(am.InputError, match="background"):
        m.compile(background="yes")
