"""What is asked of arrays at an open position is answered for its rows as they stand, and said."""

import itertools
import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app
from armillary.joints.loops import loop_closure
from armillary.model.joints import joint_spec, kernel_joint
from armillary.spatial import Matrix, Transform, Vector
from constrained.closed_machines import LOOPS, OTHERS, allowed, closed_tree

BARS = am.example("four-bar")
OPEN = np.array([0.3, 0.2, 0.1])
REST = np.zeros(3)
KINDS = [*LOOPS, *OTHERS]


def silent(ask, *given, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return ask(*given, **options)


def told(ask, *given, **options):
    """The answer, and the one warning about it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        answer = ask(*given, **options)
    (warning,) = caught
    assert warning.category is am.ProjectionWarning
    return answer, warning


def turns():
    """All rotations by right angles, and some others."""
    units = np.vstack([np.eye(3), -np.eye(3)])
    for x, y in itertools.product(units, units):
        if x @ y == 0.0:
            yield np.array([x, y, np.cross(x, y)])
    rng = np.random.default_rng(3)
    for angle in (*rng.normal(size=8), 1e-5, np.pi, np.pi - 1e-6):
        axis = rng.normal(size=3)
        yield Rotation.from_rotvec(angle * axis / np.linalg.norm(axis)).as_matrix()


@pytest.mark.parametrize("kind", LOOPS)
def test_the_short_way_is_the_sum_of_squares(kind):
    """`openings` against the residuals of the rows, also by exact right angles and half turns."""
    if kind == "general":
        pytest.skip("becomes a joint of the tree")
    rng = np.random.default_rng(5)
    closure = loop_closure(kernel_joint(joint_spec(**LOOPS[kind])))
    for E in turns():
        for r in (np.zeros(3), rng.normal(size=3)):
            X = Transform(Matrix(E.tolist()), Vector(*r.tolist()))
            residual = np.array(closure.residual(X), float)
            found = np.array(closure.openings(X), float)
            assert len(found) == len(residual)
            if min(E.trace(), *E.diagonal()) > -0.999:
                assert found.sum() == pytest.approx(np.sum(residual**2), rel=1e-12, abs=1e-14)
            else:  # next to half turns: both are far from closed, or both allow it
                assert (found.sum() > 1.0) == (np.sum(residual**2) > 1.0)


@pytest.mark.parametrize(
    ("kind", "tier"),
    [
        *((kind, None) for kind in KINDS),
        ("revolute", 1),
        ("fixed", 1),
        ("coupling", 1),
        ("distance", 1),
    ],
)
def test_every_kind_of_constraint(kind, tier):
    """A small kick opens it; the answer stays that of `solve`, by the null space."""
    m, q = closed_tree(3, [kind], bodies=3)
    m = m if tier is None else m.compile(tier=tier)
    rng, v = np.random.default_rng(1), allowed(m, q)
    tau = rng.normal(size=m.nv)
    for _ in range(3):  # in Python, then natively
        silent(m.forward_dynamics, q, v, tau)
    silent(m.forward_dynamics, *(np.tile(x, (5, 1)) for x in (q, v, tau)))
    kicked = m.integrate(q, 3e-5 * rng.normal(size=m.nv))  # far less than what is singular
    if kind == "drive" or np.abs(m.constraint_residual(kicked)).max(initial=0.0) < 2e-7:
        silent(m.forward_dynamics, kicked, v, tau)
        return
    expected = m.solve(kicked, v, tau)
    if not any("is open by" in text for text in expected.messages):
        assert np.abs(m.constraint_residual(kicked)).max() < 1e-5
        silent(m.forward_dynamics, kicked, v, tau)
        return
    for _ in range(2):
        a, _ = told(m.forward_dynamics, kicked, v, tau)
        assert a == pytest.approx(expected.acceleration, rel=1e-6, abs=1e-6)
    many = (np.array([q, kicked, q]), np.tile(v, (3, 1)), np.tile(tau, (3, 1)))
    for _ in range(2):
        a, warning = told(m.forward_dynamics, *many)
        assert "in state 1 by" in str(warning.message)
        assert a[1] == pytest.approx(expected.acceleration, rel=1e-6, abs=1e-6)


def test_the_measure_is_that_of_solve():
    """Openings next to the tolerance: `forward_dynamics` and `solve` agree on what is open."""
    q0 = np.array(BARS.initial)
    for kick in (1e-8, 1e-7, 2e-7, 5e-7, 1e-6, 2e-6, 5e-6, 1e-5):
        q = q0 + np.array([kick, 0.0, 0.0])
        said = any("is open by" in text for text in BARS.solve(q, REST, REST).messages)
        (told if said else silent)(BARS.forward_dynamics, q, REST, REST)
        (told if said else silent)(BARS.inverse_dynamics, q, REST, REST)


FORWARD = BARS.forward_dynamics
ASKED = {
    "forward_dynamics": FORWARD,
    "inverse_dynamics": lambda q, v, x: BARS.inverse_dynamics(q, v, x, actuators=["crank"]),
    "driving_forces": lambda q, v, x: BARS.driving_forces(q, v, x, ["crank"]),
    "forward_dynamics.derivatives": FORWARD.derivatives,
    "forward_dynamics.parameter_jacobian": FORWARD.parameter_jacobian,
}  # fmt: skip


@pytest.mark.parametrize("question", ASKED)
def test_every_entrance_says_it_once_where_it_was_asked(question):
    closed = np.array(BARS.initial)
    for q in (OPEN, np.array([closed, OPEN, OPEN - 0.01])):
        if question.endswith("derivatives") and q.ndim == 2:
            continue  # open states have other ranks, which is refused
        rest = np.zeros_like(q)
        _, warning = told(ASKED[question], q, rest, rest)
        text = str(warning.message)
        assert text.startswith(f"{question}: 'four-bar' is open at this q")
        assert "q = mechanism.assemble(q).q" in text
        assert ("in state 1 (and in 1 more, by less)" in text) == (q.ndim == 2)
        assert warning.filename == __file__
    silent(ASKED[question], closed, REST, REST)


def test_wrenches_and_other_inertias_are_looked_at_too():
    numbers = BARS.parameters
    told(BARS.forward_dynamics, OPEN, REST, REST, {"coupler": np.ones(6)})
    told(BARS.forward_dynamics, OPEN, REST, REST, parameters=numbers)
    told(BARS.forward_dynamics, OPEN, REST, REST, passive=False)


def test_what_draws_rows_back_is_for_open_positions():
    silent(BARS.forward_dynamics, OPEN, REST, REST, baumgarte=(10.0, 10.0))


def test_angles_of_single_precision_are_closed():
    q = np.array(BARS.initial, np.float32)
    rest = np.zeros(3, np.float32)
    silent(BARS.forward_dynamics, q, rest, rest)
    silent(BARS.inverse_dynamics, q, rest, rest)
    told(BARS.forward_dynamics, OPEN.astype(np.float32), rest, rest)


@pytest.mark.parametrize("method", ["rk4", "implicit", "variational", "dopri5"])
def test_steps_of_time_are_no_question(method):
    """Their stages leave the constraints by far more than the tolerance."""
    v0 = {"crank": 6.0}
    run = silent(
        am.simulate,
        BARS,
        v0=v0,
        duration=0.1,
        step=0.01,
        method=method,
        record=["a", "constraint_forces"],
    )
    assert run.complete
    silent(
        am.simulate,
        BARS,
        v0=v0,
        duration=0.1,
        step=0.01,
        project=False,
        record=["a", "constraint_forces"],
    )
    controller = am.ComputedTorque(BARS, BARS.initial, 20.0, 5.0, actuators=["crank"])
    silent(am.simulate, BARS, duration=0.1, step=0.02, controller=controller, method=method)


@pytest.mark.parametrize("words", [
    ("ask", "four-bar", "forward_dynamics"), ("ask", "four-bar", "inverse_dynamics"),
    ("inverse", "four-bar"), ("forward", "four-bar"),
])  # fmt: skip
def test_the_command_line_says_it_in_its_words(words):
    place = [x for n in ("crank=0.3", "coupler=0.2", "rocker=0.1") for x in ("--q", n)]
    result = CliRunner().invoke(app, [*words, *place])
    assert result.exit_code == 0, result.output
    text = " ".join(result.output.split())
    assert "open" in text and "--assemble" in text and "mechanism.assemble" not in text
    assert "ProjectionWarning" not in text


def test_exported_code_has_no_number_there():
    text = " ".join(BARS.to_c("forward_dynamics").replace(" * ", " ").split())
    assert "NaN where the position is open" in text


def drawn_back(m, q, v, tau, alpha, beta, share):
    """The oracle: least squares over all rows in the library's units, by the singular values that
    count (above the share), and in what they leave free the least constraint (Gauss)."""
    equations = m.constraint_solver.equations
    system = equations.system(q[None], v[None], tau[None])
    J, M, force = system.terms.J[0], system.M[0], system.force[0]
    target = system.target[0] - 2.0 * alpha * J @ v - beta**2 * m.constraint_residual(q)
    rows = equations.scaling.rows[:, None] * np.eye(len(J))
    U, sizes, W = np.linalg.svd(rows @ J * equations.scaling.columns)
    rank = int(np.sum(sizes > share * sizes[0]))
    wide = W[:rank].T / sizes[:rank] @ U[:, :rank].T
    a = equations.scaling.columns * (wide @ rows @ target)
    N = equations.scaling.columns[:, None] * W[rank:].T
    return a + N @ np.linalg.solve(N.T @ M @ N, N.T @ (force - M @ a))


@pytest.mark.parametrize("kick", [1e-7, 3e-6, 1e-4, 1e-3])
def test_rows_that_follow_where_it_is_closed_count_where_it_is_open(kick):
    """A row of Bricard's linkage follows from the others while it is closed.  Drawn back from an
    open position it has its say: `forward_dynamics` and `solve` give one answer, which is, but for
    the opening itself, that of the singular values."""
    m, rng = am.example("bricard"), np.random.default_rng(4)
    q, v = m.project(m.initial, rng.normal(size=m.nv))
    tau, q = rng.normal(size=m.nv), m.integrate(q, kick * rng.normal(size=m.nv))
    for alpha, beta in ((5.0, 7.0), (50.0, 50.0)):
        solved = m.solve(q, v, tau, baumgarte=(alpha, beta))
        found = m.forward_dynamics(q, v, tau, baumgarte=(alpha, beta))
        size = np.abs(solved.acceleration).max()
        assert found == pytest.approx(solved.acceleration, rel=0, abs=1e-9 * size)
        oracle = drawn_back(m, q, v, tau, alpha, beta, 0.1)
        assert found == pytest.approx(oracle, rel=0, abs=300.0 * kick * size)


def test_rows_that_contradict_each_other_are_drawn_back_by_least_squares():
    """Two couplings of the same joints, closed at different places: one row follows from the other
    in every position, and no place fulfils both."""
    builder = am.Builder("pair")
    for k, name in enumerate(("left", "right")):
        builder.body(name, "world", "revolute", (float(k), 0.0, 0.0), axis="y", mass=1.0 + k,
                     com=(0.1, 0.02, 0.3), inertia=(0.02, 0.03, 0.01))  # fmt: skip
    for name, offset in (("first", 0.1), ("second", 0.101)):
        builder.coupling(am.Coupling(name, "left", "right", ratio=2.0, offset=offset))
    m, rng = builder.build(), np.random.default_rng(2)
    v, tau = rng.normal(size=(2, 2))
    q = np.array([0.1002 + 2.0 * 0.3, 0.3])
    found = m.forward_dynamics(q, v, tau, baumgarte=(3.0, 4.0))
    assert found == pytest.approx(drawn_back(m, q, v, tau, 3.0, 4.0, 1e-9), rel=1e-10)
    assert m.solve(q, v, tau, baumgarte=(3.0, 4.0)).acceleration == pytest.approx(found, rel=1e-12)
    many = m.forward_dynamics(*np.tile([q, v, tau], (3, 1, 1)).swapaxes(0, 1), baumgarte=(3.0, 4.0))
    assert many == pytest.approx(np.tile(found, (3, 1)), rel=1e-12)


@pytest.mark.parametrize("name", ["four-bar", "stewart", "bricard"])
def test_within_the_tolerance_two_solvers_differ_by_the_opening(name):
    """By nothing where rows are independent or follow from others everywhere; of rows that follow
    where the mechanism is closed (Bricard), one solves some and the other the mean of all."""
    m, rng = am.example(name), np.random.default_rng(1)
    columns = m.constraint_solver.equations.scaling.columns
    q, v = m.project(m.initial, rng.normal(size=m.nv))
    tau, way = rng.normal(size=(2, m.nv))
    for opening in (0.0, 1e-9, 1e-7):
        place = m.integrate(q, opening * way / np.abs(way).max() * columns)
        a = silent(m.forward_dynamics, place, v, tau)
        b = m.solve(place, v, tau).acceleration
        share = 20.0 * opening if name == "bricard" else 0.0
        assert np.abs(a - b).max() <= (1e-12 + share) * np.abs(a).max()
