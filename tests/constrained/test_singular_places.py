"""Questions at singular and rank-deficient places, where native code of the null space answers: as
the null space by LAPACK does, and so does what is told.

Oracles: `Equations.answer(native=False)`, rows and inertias by numpy, laws of projection, and runs
whose steps are made in Python."""

import warnings

import numpy as np
import pytest
from closed_machines import closed_tree

import armillary as am
from armillary.constraints import compiled_forces, null_space_states, splitting
from armillary.constraints.ladder import States
from armillary.constraints.null_space_forces import by_null_space, forces_of_one
from armillary.constraints.self_stress import determinacy, force_map_of
from armillary.evaluate import native_call
from armillary.sim.loop import loop
from compare import close

pytestmark = pytest.mark.skipif(not native_call.available(), reason="needs native calls")


def rover():
    """All axles point to one centre, 1.7 m to the left: a row fewer counts than elsewhere."""
    m = am.example("rover")
    q = m.initial.copy()
    for corner, x, y in (("front-left", 0.5, 0.4), ("front-right", 0.5, -0.4),
                         ("rear-left", -0.5, 0.4), ("rear-right", -0.5, -0.4)):  # fmt: skip
        q[m.q_labels.index(f"{corner}-steer")] = np.arctan(x / (1.7 - y))
    return m, q, m.project(q, np.eye(m.nv)[3])[1]


def flat():
    """A parallelogram that lies flat, its bars at rest."""
    m = am.example("four-bar-ladder", n=1)
    return m, np.pi / 2 * np.array([1.0, -1.0, 1.0]), np.zeros(3)


def stretched():
    """Two bars in a line between pins: locked but for this instant."""
    b = am.Builder("stretched")
    bar = {"mass": 1.0, "com": (0.25, 0, 0), "inertia": (0.01, 0.02, 0.02)}
    b.body("first", axis="y", **bar)
    b.body("second", "first", "revolute", (0.5, 0, 0), axis="y", **bar)
    end = am.Frame("end", "second", am.Pose((0.5, 0, 0)))
    b.loop("pin", end, am.Frame("ground", "world", am.Pose((1.0, 0, 0))), "revolute", axis="y")
    return b.build(), np.zeros(2), np.zeros(2)


def platform():
    """A Stewart platform with locked pistons, turned by a quarter: one row follows [Fichter]."""
    m = am.example("stewart")
    guess = m.initial.copy()
    guess[:7] = [np.sqrt(0.5), 0, 0, np.sqrt(0.5), 0, 0, 0.78]
    q = np.array(m.assemble(guess, hold=["platform"]).q)
    pistons = [k for k, label in enumerate(m.q_labels) if label.startswith("piston")]
    locked = m.lock({m.q_labels[k]: float(q[k]) for k in pistons})
    return locked, np.delete(q, pistons), np.zeros(locked.nv)


def cranks():
    """Three parallel cranks with one coupler: one row more than the motion needs."""
    b = am.Builder("cranks")
    for k in range(3):
        b.body(f"crank{k}", "world", "revolute", (0.5 * k, 0, 0), axis="y", mass=1.0 + k,
               com=(0, 0, -0.25), inertia=(0.02, 0.02, 0.01))  # fmt: skip
    b.body("coupler", "crank0", "revolute", (0, 0, -0.5), axis="y", mass=2.0, com=(0.5, 0, 0.1),
           inertia=(0.1, 0.2, 0.1))  # fmt: skip
    for k in (1, 2):
        ends = (am.Frame("end", f"crank{k}", am.Pose((0, 0, -0.5))),
                am.Frame("eye", "coupler", am.Pose((0.5 * k, 0, 0))))  # fmt: skip
        b.loop(f"pin{k}", *ends, "revolute", axis="y")
    m = b.build()
    q = np.array([0.3 if label.startswith("crank") else -0.3 for label in m.v_labels])
    return m, q, 2.0 * np.sign(q)


MACHINES = [rover, flat, stretched, platform, cranks]
SINGULAR = [rover, flat, stretched, platform]


def pushes(m, seed=0):
    return np.random.default_rng(seed).normal(size=m.nv)


def by_lapack(m, q, v, tau):
    equations = m.constraint_solver.equations
    return equations.answer(equations.system(q[None], v[None], tau[None]), 0, native=False)


CLOSINGS = [("revolute", "spherical"), ("disc", "ball"), ("gimbal-rz", "coupling"),
            ("knife", "distance"), ("prismatic", "drive", "plane")]  # fmt: skip


@pytest.mark.parametrize("passive", [True, False])
@pytest.mark.parametrize("closing", CLOSINGS)
def test_whole_equations_in_one_code(closing, passive):
    """M, forces and all rows, against those of the tree and of the interpreter."""
    m, q = closed_tree(5, closing)
    equations, rng = m.constraint_solver.equations, np.random.default_rng(3)
    q, v, tau = (np.tile(x, (3, 1)) for x in (q, rng.normal(size=m.nv), rng.normal(size=m.nv)))
    v *= np.arange(3)[:, None]
    terms = equations.interpreted_terms(q, v, passive)
    h = m.tree.bias_forces(q, v, passive=passive)
    many = equations.system(q, v, tau, passive=passive)
    for k, found in [(slice(None), many), *((k, None) for k in range(3))]:
        one = slice(k, k + 1) if found is None else k
        found = found or equations.system(q[one], v[one], tau[one], passive=passive)
        close(found.M, m.tree.mass_matrix(q[one]), 1e-12)
        close(found.force, (tau - h + terms.given)[one], 1e-11)
        for name, x in vars(terms).items():
            close(getattr(found.terms, name), x[one], 1e-11, name)


@pytest.mark.parametrize("machine", MACHINES)
def test_accelerations(machine):
    """Single, in a batch and by the kernel itself; the second call is native."""
    m, q, v = machine()
    tau = pushes(m)
    expected = by_lapack(m, q, v, tau).a
    for _ in range(3):
        close(m.forward_dynamics(q, v, tau), expected, 1e-10)
    many = (np.repeat(x[None], 9, axis=0) for x in (q, v, tau))
    close(m.forward_dynamics(*many), np.repeat(expected[None], 9, axis=0), 1e-10)
    equations = m.constraint_solver.equations
    last = null_space_states.null_space_of_states(equations, ("q", "v", "tau"), True)
    close(last(States({"q": q[None], "v": v[None], "tau": tau[None]}))[0], expected, 1e-10)


def test_steps_that_only_the_null_space_takes_become_native(monkeypatch):
    m, q, _ = rover()
    v, tau = np.zeros(m.nv), pushes(m)  # rows that contradict each other, as in a bend, are told
    expected = by_lapack(m, q, v, tau).a
    m.forward_dynamics(q, v, tau)
    monkeypatch.setattr(States, "checked", None)  # nothing is asked in Python
    close(m.forward_dynamics(q, v, tau), expected, 1e-10)


def test_rows_that_contradict_each_other_are_told_every_time():
    """A rover in a bend: single and in a batch, with the accelerations of the null space."""
    m, q, v = rover()
    tau, rows = pushes(m), (np.repeat(x[None], 5, axis=0) for x in (q, v, pushes(m)))
    many, expected = tuple(rows), by_lapack(m, q, v, tau).a
    for _ in range(4):
        with pytest.warns(am.errors.ProjectionWarning, match="contradict"):
            close(m.forward_dynamics(q, v, tau), expected, 1e-10)
        with pytest.warns(am.errors.ProjectionWarning, match="contradict"):
            close(m.forward_dynamics(*many)[2], expected, 1e-10)


def test_wrenches_and_prescribed_motion():
    m, q, v = rover()
    tau, wrench = pushes(m), {m.bodies[0]: np.arange(6.0)}
    prescribed = {m.constraint_solver.equations.constraints.all[0].name: [0.1, 0.2, 0.3]}
    for options in ({"external": wrench}, {"prescribed": prescribed}):
        equations = m.constraint_solver.equations
        system = equations.system(q[None], v[None], tau[None], **options)
        expected = equations.answer(system, 0, native=False).a
        for _ in range(2):
            close(m.forward_dynamics(q, v, tau, **options), expected, 1e-10)


def test_open_positions_are_told():
    """A state that is open by 1e-4 of the size is answered with the rank tolerance of that
    opening, and warned about, however often it is asked for."""
    m, q, v = rover()
    tau = pushes(m)
    m.forward_dynamics(q, v, tau)
    up = q.copy()
    up[m.q_labels.index("chassis.pz" if "chassis.pz" in m.q_labels else m.q_labels[6])] += 1e-4
    expected = by_lapack(m, up, v, tau).a
    for _ in range(3):
        with pytest.warns(am.errors.ProjectionWarning, match="open"):
            close(m.forward_dynamics(up, v, tau), expected, 1e-8)


@pytest.mark.parametrize("opening", [0.0, 1e-7, 1e-5])
def test_ranks_of_open_positions(opening):
    """A Bricard that is open by more than rounding has its freedom all the same: rows count by how
    far they are open."""
    m = am.example("bricard")
    q = m.initial + opening * np.random.default_rng(2).normal(size=m.nv)
    v, tau, equations = np.zeros(m.nv), pushes(m), m.constraint_solver.equations
    expected = by_lapack(m, q, v, tau)
    assert expected.factor.rank == m.nv - 1
    last = null_space_states.null_space_of_states(equations, ("q", "v", "tau"), True)
    close(last(States({"q": q[None], "v": v[None], "tau": tau[None]}))[0], expected.a, 1e-7)


def test_rows_without_an_answer_do_not_hurt_others():
    m, q, v = rover()
    tau = pushes(m)
    m.forward_dynamics(q, v, tau)
    Q, V, T = (np.repeat(x[None], 6, axis=0) for x in (q, v, tau))
    Q[1], V[4, 0] = np.nan, np.inf
    with np.errstate(all="ignore"):
        found = m.forward_dynamics(Q, V, T)
    assert np.isnan(found[[1, 4]]).all()
    close(found[[0, 2, 3, 5]], np.repeat(by_lapack(m, q, v, tau).a[None], 4, axis=0), 1e-10)


@pytest.mark.parametrize("machine", MACHINES)
def test_forces(machine):
    """Reactions, their driving parts and wrenches of constraints, as numpy carries them from body
    to body; the smallest where the motion leaves a choice."""
    m, q, v = machine()
    tau, equations = pushes(m), m.constraint_solver.equations
    system = equations.system(q[None], v[None], tau[None])
    answer = equations.answer(system, 0)
    expected, _ = by_null_space(equations, system, None, True, True)
    found = forces_of_one(equations, system, answer)
    for name in ("a", "multipliers", "wrench", "driving", "pushes"):
        close(getattr(found, name), getattr(expected, name), 1e-9, name)
    for _ in range(2):
        asked = m.solve(q, v, tau)
        close(asked.reactions.total, expected.wrench[0], 1e-9)
        close(asked.multipliers, expected.multipliers[0], 1e-9)
    stress = determinacy(force_map_of(equations, system, 0), answer.factor)
    compiled = compiled_forces.reactions_at(equations, q, v, answer.a).map
    np.testing.assert_array_equal(
        determinacy(compiled, answer.factor).determinate, stress.determinate
    )


def test_pivots_of_rounding_carry_no_force():
    """Flat bars that gravity pulls across: no force acts along them, however often it is asked for
    and other pivots are tried.  Virtual work: a pull along the line of the bars does none."""
    m, q, v = flat()
    first = m.solve(q, v, np.zeros(3))
    for _ in range(200):
        found = m.solve(q, v, np.zeros(3))
    close(found.multipliers, first.multipliers, 1e-12)
    close(found.constraint_forces.wrench, first.constraint_forces.wrench, 1e-12)


@pytest.mark.parametrize("machine", SINGULAR)
def test_derivatives(machine, monkeypatch):
    """All of them, NaN where they do not exist, and what is warned about."""
    m, q, v = machine()
    v, tau = 0.0 * v, pushes(m)
    ask = m.forward_dynamics.derivatives

    def told():
        with warnings.catch_warnings(record=True) as texts:
            warnings.simplefilter("always")
            found = ask(q, v, tau)
        return found, [str(text.message) for text in texts]

    used = []
    native = splitting.solve_call
    monkeypatch.setattr(splitting, "solve_call", lambda *x: used.append(x) or native(*x))
    found, texts = told()
    assert used
    monkeypatch.setattr(splitting, "solve_call", lambda *x: None)
    expected, others = told()
    assert texts == others and texts
    both = [(getattr(found, n), getattr(expected, n)) for n in ("dtau", "moved", "dq", "dv")]
    both += [(getattr(found.full, n), getattr(expected.full, n)) for n in ("dq", "dv", "dtau")]
    for one, two in both:
        np.testing.assert_array_equal(np.isnan(one), np.isnan(two))
        close(np.nan_to_num(one), np.nan_to_num(two), 1e-9)


@pytest.mark.parametrize("machine", MACHINES)
def test_corrections_of_velocities(machine):
    """The nearest velocity that the rows allow: they are kept, and the change does no work along
    what they leave free."""
    m, q, _ = machine()
    v, equations = pushes(m, 4), m.constraint_solver.equations
    J, M = m.constraint_jacobian(q), m.mass_matrix(q)
    free = equations.factor_of(J, m.constraint_residual(q), native=False).free
    last = null_space_states.null_space_of_states(equations, ("q", "v"), True)
    for _ in range(2):
        for change in (
            last(States({"q": q[None], "v": v[None]}))[0],
            m.constraint_solver.projector.velocities(q[None], v[None])[0] - v,
        ):
            close(J @ (v + change), np.zeros(len(J)), 1e-10)
            close(free.T @ (M @ change), np.zeros(free.shape[1]), 1e-10)


def test_a_run_stays_native_where_rows_depend_on_each_other(monkeypatch):
    """A rover that drives straight on: steps of the native loop are those of Python."""
    m, q, v = rover()
    options = {"duration": 0.02, "step": 1e-3}
    am.simulate(m, q, v, **options)
    run = am.simulate(m, q, v, **options)
    assert run.performance().native > 0.8
    monkeypatch.setattr(loop.Loop, "_native", lambda *_: None)
    slow = am.simulate(m, q, v, **options)
    assert slow.performance().native == 0.0
    close(run.q, slow.q, 1e-11)
    close(run.v, slow.v, 1e-9)
