"""Closing what is open: from rough guesses, impossible ones, and after a step."""

import numpy as np
import pytest
from closed_machines import allowed, closed_tree, four_bar_graph

import armillary as am
from armillary.errors import InputError, ModelError, ProjectionWarning
from compare import close
from oracles.direct import Direct

EXAMPLES = [name for name in am.example_names() if am.example(name).model.constraints]


def disturbed(m, size, seed=0):
    rng = np.random.default_rng([seed, m.nv])
    return m.integrate(m.initial, size * rng.normal(size=m.nv) * lengths(m))


def lengths(m):
    """A radian, or a tenth of the machine's extent."""
    points = np.array([m.pose(m.initial, name)[1] for name in m.bodies])
    extent = max(np.ptp(points, axis=0).max(), 0.1)
    return np.array([1.0 if unit == "rad" else extent for unit in m.v_units])


# -- assembly --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXAMPLES)
def test_rough_guesses(name):
    m = am.example(name)
    for seed in range(3):
        found = m.assemble(disturbed(m, 0.3, seed))
        assert found.closed and not found.open_rows
        residual = m.constraint_residual(found.q)
        assert np.abs(residual).max() < 1e-10 and "closed in" in str(found)


@pytest.mark.parametrize("name", ["four-bar", "slider-crank", "stewart"])
def test_held_joints_stay(name):
    m = am.example(name)
    joint = m.joint_names[0] if name != "stewart" else "piston1"
    slot = m.model.slots[m.model.joint_index[joint]].q
    guess = np.array(m.initial)
    guess[slot] += 0.05
    found = m.assemble(guess, hold=[joint])
    assert found.closed
    np.testing.assert_array_equal(found.q[slot], guess[slot])
    with pytest.raises(ModelError, match="Did you mean"):
        m.assemble(guess, hold=[joint + "x"])


def test_a_closed_guess_is_left_alone():
    for name in ("four-bar", "bricard", "stewart"):
        m = am.example(name)
        np.testing.assert_array_equal(m.assemble().q, m.initial)


def bars(lengths):
    """A chain of bars along x, its end pinned to the ground 1 m away."""
    b = am.Builder("bars")
    parent, at = "world", (0.0, 0.0, 0.0)
    for k, length in enumerate(lengths):
        b.body(f"bar{k}", parent, "revolute", at, axis="y", mass=1.0, com=(length / 2, 0, 0),
               inertia=(0.01, 0.1, 0.1))  # fmt: skip
        parent, at = f"bar{k}", (length, 0.0, 0.0)
    ends = [am.Frame("a", "world", am.Pose((1.0, 0, 0))), am.Frame("b", parent, am.Pose(at))]
    b.loop("pin", *ends, "revolute", axis="y")
    return b.build()


@pytest.mark.parametrize("lengths, gap", [((0.3, 0.5), 0.2), ((2.0, 0.4), 0.6)])
def test_lengths_that_cannot_meet(lengths, gap):
    """The rows that stay open, and by how much: what is missing to the triangle."""
    m = bars(lengths)
    found = m.assemble([0.3, 0.4])
    assert not found.closed
    assert found.open_rows and all(name.startswith("pin.f") for name in found.open_rows)
    assert np.linalg.norm(list(found.open_rows.values())) == pytest.approx(gap, abs=1e-6)
    text = str(found)
    assert "not closed" in text and "pin.f" in text and " m" in text


def test_out_of_plane_gap_is_reported_as_such():
    """A planar four-bar whose last pin is 1 cm beside the plane."""
    b = am.Builder("bent")
    four_bar = am.example("four-bar")
    for body in four_bar.model.bodies:
        b.add(body)
    (pin,) = four_bar.model.loops
    x, y, z = pin.first.pose.position
    b.loop("pin", am.Frame("a", pin.first.body, am.Pose((x, y + 0.01, z))), pin.second, pin.joint)
    found = b.build().assemble(four_bar.initial)
    assert not found.closed
    (name, size), *_ = found.open_rows.items()
    assert name.startswith("pin.f") and abs(size) == pytest.approx(0.01, rel=1e-9)
    assert len(found.open_rows) == 1


def test_project_says_what_to_do_with_a_wreck():
    m = bars((0.3, 0.5))
    with pytest.raises(ModelError, match=r"could not be projected.*assemble"):
        m.project([0.3, 0.4], [0.0, 0.0])


@pytest.mark.parametrize("missing", [1e-5, 1e-4, 1e-2, 0.2])
def test_only_tolerances_that_drawings_have_are_recommended(missing):
    """Bars too short by so much: rounding of a file may be the cause, a hand's breadth is not."""
    m = bars((0.5, 0.5 - missing))
    with pytest.raises(ModelError, match="could not be projected") as told:
        m.project([0.0, 0.0])
    text = str(told.value)
    assert "assemble(q)" in text
    assert ("geometry_tolerance=" in text) == (missing < 1e-3)
    assert ("cannot be closed from here" in text) == (missing > 1e-3)
    if missing < 1e-3:  # the cure works
        tolerance = float(text.rpartition("geometry_tolerance=")[2].rstrip("."))
        assert m.assemble([0.0, 0.0], geometry_tolerance=tolerance).closed


def test_rounding_is_no_velocity():
    """A triangle of bars cannot move; what projection leaves of a velocity is accepted as rest."""
    m = bars((0.7, 0.6))
    q = m.assemble([0.3, -1.0]).q
    run = am.simulate(m, q, [3e-15, -5e-15], duration=0.01, step=1e-3)
    assert run.complete and np.abs(run.q - q).max() < 1e-12


@pytest.mark.parametrize("angle", [0.0, np.pi])
def test_a_straight_chain_that_is_too_long(angle):
    """No velocity shortens it, so the first step is zero: it is not closed for all that."""
    m = bars((0.3, 0.5, 0.6))
    with pytest.raises(ModelError, match=r"could not be projected; it stays open by"):
        m.project([angle, 0.0, 0.0])


@pytest.mark.parametrize("hold", [(), ("bar0",)])
def test_a_state_that_cannot_be_closed_is_alone_in_its_batch(hold):
    """Its row is NaN and the reason is a warning; the other rows are those of single states."""
    m = bars((0.3, 0.5, 0.6))
    q = m.assemble([0.3, 0.5, -1.0]).q
    near, far = m.integrate(q, [1e-3, 0.0, 0.0]), np.array([np.pi, 0.0, 0.0])
    rates = np.array([1.0, 0.0, 0.0])
    with pytest.warns(ProjectionWarning, match=r"project: state 1: .*could not be projected"):
        places, v = m.project(np.array([q, far, near]), rates, hold=hold)
    assert np.isnan(places[1]).all() and np.isnan(v[1]).all()
    for k, place in ((0, q), (2, near)):
        one = m.project(place, rates, hold=hold)
        assert places[k] == pytest.approx(one[0], abs=1e-10)
        assert v[k] == pytest.approx(one[1], abs=1e-9)


# -- projection ------------------------------------------------------------------------------------


def machines():
    yield from ((name, am.example(name), None) for name in EXAMPLES if name != "rover")
    for seed, ties in ((1, ("revolute", "distance")), (2, ("helical", "universal", "drive"))):
        m, q = closed_tree(seed, ties, bodies=7, roots=0.3)
        yield f"tree {seed}", m.compile(tier=1), q


MACHINES = {name: (m, np.array(m.initial if q is None else q)) for name, m, q in machines()}


@pytest.mark.parametrize("name", MACHINES)
def test_projection(name):
    for law in (projection_closes_and_stays, velocity_correction_is_the_smallest,
                position_correction_is_the_smallest, batches):  # fmt: skip
        law(*MACHINES[name])


def projection_closes_and_stays(m, q):
    """Position, then velocity; doing it again changes nothing."""
    rng = np.random.default_rng(1)
    off = m.integrate(q, 1e-4 * rng.normal(size=m.nv))
    v = rng.normal(size=m.nv)
    q1, v1 = m.project(off, v)
    assert np.abs(m.constraint_residual(q1)).max() < 1e-12
    assert np.abs(m.constraint_rate(q1, v1)).max() < 1e-11 * max(1.0, np.abs(v1).max())
    q2, v2 = m.project(q1, v1)
    close(q2, q1, 1e-12)
    close(v2, v1, 1e-11)


def velocity_correction_is_the_smallest(m, q):
    """Orthogonal, by inertia, to everything that is allowed: M from 4x4 matrices."""
    v = np.random.default_rng(2).normal(size=m.nv)
    _, v1 = m.project(q, v)
    M = Direct(m.model, passive=True).mass_matrix(q)
    N = free(m, q)
    momentum = M @ (v1 - v)
    assert np.abs(N.T @ momentum).max() < 1e-10 * max(1.0, np.abs(momentum).max())


def free(m, q, holonomic=False):
    J = m.constraint_jacobian(q)
    if holonomic:
        J = J[np.array(m.constraint_solver.equations.constraints.holonomic)]
    _, s, Vt = np.linalg.svd(J)
    return Vt[np.sum(s > 1e-9 * s[0]) :].T


def position_correction_is_the_smallest(m, q):
    """To first order in the opening; motions along rolling rows stay allowed."""
    rng = np.random.default_rng(3)
    off = m.integrate(q, 1e-6 * rng.normal(size=m.nv))
    q1, _ = m.project(off)
    step = m.difference(off, q1)
    M = Direct(m.model, passive=True).mass_matrix(q1)
    momentum = M @ step
    if np.abs(step).max() > 1e-9:
        left = np.abs(free(m, q1, True).T @ momentum).max()
        assert left < 1e-4 * np.abs(momentum).max()


@pytest.mark.parametrize("name", ["rolling-disc", "two-wheeled-cart", "bicycle", "unicycle"])
def test_rolling_rows_do_not_move_the_position(name):
    """A closed position stays, wherever it is; a sliding velocity does not."""
    m = am.example(name)
    shifted = np.array(m.initial)
    start = m.q_labels.index(next(x for x in m.q_labels if x.endswith(".px")))
    shifted[start : start + 2] += [0.3, -0.2]
    v = np.zeros(m.nv)
    v[3:5] = 1.0, 0.5
    q1, v1 = m.project(shifted, v)
    close(q1, shifted, 1e-14)
    assert np.abs(m.constraint_rate(q1, v)).max() > 0.1
    assert np.abs(m.constraint_rate(q1, v1)).max() < 1e-13


def test_drives_set_the_velocity():
    """A motion with a velocity pulls the projected velocity to it, one without does not."""
    graph = four_bar_graph(7)
    for wanted in (None, 0.8):
        plain = graph.build(("pin2",))
        b = am.Builder("driven", gravity=graph.gravity)
        for body in plain.model.bodies:
            b.add(body)
        for loop in plain.model.loops:
            b.loop(loop.name, loop.first, loop.second, loop.joint)
        b.prescribe("motor", "pin0", 1.0, wanted, None)
        m = b.build()
        v0 = allowed(plain, plain.neutral())
        _, v = m.project(m.neutral(), v0)
        if wanted is None:
            close(v, v0, 1e-12)
        else:
            assert v[m.v_labels.index("pin0")] == pytest.approx(wanted, abs=1e-13)


def batches(m, q):
    """The same as one by one."""
    rng = np.random.default_rng(5)
    qs = np.array([m.integrate(q, 1e-5 * rng.normal(size=m.nv)) for _ in range(3)])
    vs = rng.normal(size=(3, m.nv))
    Q, V = m.project(qs, vs)
    for k in range(3):
        q1, v1 = m.project(qs[k], vs[k])
        close(Q[k], q1, 1e-12)
        close(V[k], v1, 1e-10)


def test_baumgarte_pulls_open_rows_back():
    """J a = gamma - 2 alpha rate - beta² residual, in both ways to accelerations."""
    m = am.example("four-bar")
    q, v, tau = m.integrate(m.initial, [1e-3, 0.0, 0.0]), np.array([1.0, 0.2, 0.3]), np.zeros(3)
    a = m.forward_dynamics(q, v, tau, baumgarte=(5.0, 7.0))
    np.testing.assert_allclose(m.solve(q, v, tau, baumgarte=(5.0, 7.0)).acceleration, a, atol=1e-9)
    pull = m.constraint_jacobian(q) @ (a - m.forward_dynamics(q, v, tau))
    expected = -10.0 * m.constraint_rate(q, v) - 49.0 * m.constraint_residual(q)
    np.testing.assert_allclose(pull, expected, atol=1e-10)
    with pytest.raises(InputError, match="baumgarte: expected two rates"):
        m.forward_dynamics(q, v, tau, baumgarte=(-1.0, 2.0))


def test_a_wheel_off_the_ground_is_told():
    """Rows, how far, and the cure; assembling puts it down."""
    disc = am.example("rolling-disc")
    q = disc.initial.copy()
    q[6] += 0.05
    (message,) = disc.solve(q, np.zeros(6), np.zeros(6)).messages
    assert "'rim.normal' is open by 0.05" in message and "assemble" in message
    assert disc.assemble(q).closed
