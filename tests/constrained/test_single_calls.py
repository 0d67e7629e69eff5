"""Single questions to closed mechanisms by native calls: the same answers as by other ways."""

import numpy as np
import pytest

import armillary as am
from armillary.constraints import mobility, splitting
from armillary.constraints.compiled_forces import force_code

NAMES = ("four-bar", "stewart", "rover")


def states(m, count=3):
    rng = np.random.default_rng(3)
    start = m.project(m.initial)[0]
    step = m.project(start, rng.normal(size=m.nv))[1]
    q = m.integrate(start, 0.03 * step / np.abs(step).max() * rng.uniform(0.5, 1.0, (count, 1)))
    q, v = m.project(q, rng.normal(size=(count, m.nv)))
    return q, v, rng.normal(size=(count, m.nv))


@pytest.mark.parametrize("name", NAMES)
def test_rows_of_one_state(name):
    """Native straight-line code against the interpreter."""
    m = am.example(name)
    equations = m.constraint_solver.equations
    q, v, _ = states(m)
    ask = equations.row_kernels().all
    many = ask({"q": q, "v": v}, len(q))
    for k in range(len(q)):
        one = ask({"q": q[k : k + 1], "v": v[k : k + 1]}, 1)
        own = equations.interpreted_terms(q[k : k + 1], v[k : k + 1])
        size = np.abs(own.J).max()
        np.testing.assert_allclose(one["J"], own.J[:1], atol=1e-13 * size)
        np.testing.assert_allclose(one["right"][:, 1], own.rate[:1], atol=1e-12 * size)
        for name, x in one.items():
            np.testing.assert_allclose(x[0], many[name][k], atol=1e-14 * np.abs(many[name]).max())


def test_a_state_without_numbers_leaves_the_native_call():
    m = am.example("four-bar")
    ask = m.constraint_solver.equations.row_kernels().all
    bad = ask({"q": np.full((1, 3), np.nan), "v": np.zeros((1, 3))}, 1)
    assert np.isnan(bad["J"]).any() and np.isnan(bad["right"]).any()


@pytest.mark.parametrize("name", NAMES)
def test_forces_of_one_state(name):
    """`solve` of one state by native code, against the null space."""
    m = am.example(name).compile(states=1000)
    q, v, tau = states(m)
    found, own = m.solve(q[1], v[1], tau[1]), m.compile(tier=1).solve(q[1], v[1], tau[1])
    assert not found.suspect and own.suspect  # who answered
    size = np.abs(own.reactions.total).max()
    np.testing.assert_allclose(found.acceleration, own.acceleration, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(found.reactions.total, own.reactions.total, atol=1e-8 * size)
    wrench = own.constraint_forces.wrench
    np.testing.assert_allclose(found.constraint_forces.wrench, wrench, atol=1e-8 * size)
    assert found.messages == own.messages


def falling():
    """A four-bar on a free base, heavy against what its parts exert on each other."""
    b = am.Builder("falling")
    b.body("base", joint="free", mass=1200.0, com=(0, 0, 0.1), inertia=(300.0, 1400.0, 1500.0))
    arm = {"axis": "y", "mass": 2.0, "com": (0.1, 0.02, 0.01), "inertia": (1e-3, 2e-2, 2e-2)}
    b.body("crank", "base", at=(0.3, 0.2, 0), **arm)
    b.body("coupler", "crank", "revolute", (0.2, 0, 0), **arm)
    b.body("rocker", "base", at=(0.9, 0.2, 0), **arm)
    ends = [
        am.Frame(n, n[:-4], am.Pose((x, 0, 0)))
        for n, x in (("coupler.end", 0.5), ("rocker.end", 0.4))
    ]
    b.loop("pin", *ends, "revolute", axis="y")
    b.initial = {"crank": -1.0, "coupler": 0.5, "rocker": -1.5}
    return b.build()


def test_free_fall_is_answered_natively():
    """Where everything falls, all forces are rounding of weights that cancel: code that measured
    them against each other left every state to the null space."""
    m = falling()
    q = np.tile(m.assemble().q, (3, 1))
    rest = np.zeros((3, m.nv))
    equations = m.constraint_solver.equations
    a = m.forward_dynamics(q, rest, rest)
    kernels = force_code(equations, False, True)
    found = kernels({"q": q, "v": rest, "a": a, "tau": rest}, 3)
    assert np.isfinite(found["multipliers"]).all()
    weight = 9.81 * 1206.0
    assert np.abs(found["wrench"]).max() < 1e-9 * weight  # by Einstein's lift: nothing at all
    tau = np.array([0, 0, 0, 0, 0, 0, 3.0, 0, 0])
    crank = m.solve(q[0], rest[0], tau)
    moved = kernels({"q": q[:1], "v": rest[:1], "a": crank.acceleration[None], "tau": tau[None]}, 1)
    np.testing.assert_allclose(moved["wrench"][0], crank.reactions.total, atol=1e-9 * weight)


@pytest.mark.parametrize("tier", [None, 1])
def test_steps_on_quaternions(tier):
    """Against the joints' own formula on floats, joint by joint."""
    b = am.Builder("turns")
    part = {"mass": 1.0, "com": (0.1, 0.2, 0.3), "inertia": (0.1, 0.2, 0.25)}
    b.body("base", joint="free", **part)
    b.body("slide", "base", "prismatic", (0, 1, 0), axis="x", **part)
    b.body("ball", "slide", "spherical", (0, 0, 1), **part)
    b.body("pin", "ball", at=(1, 0, 0), axis="y", **part)
    m = b.build().compile(tier=tier)
    q, v, _ = m.random_state(4, count=37)
    v[0], v[1] = 0.0, 1e-9 * v[1]

    def by_joint(q, v):
        pairs = zip(m.model.joints, m.model.slots, strict=True)
        moved = [joint.integrate(q[s.q].tolist(), v[s.v].tolist()) for joint, s in pairs]
        return np.concatenate(moved)

    expected = np.array([by_joint(*pair) for pair in zip(q, v, strict=True)])
    np.testing.assert_allclose(m.integrate(q, v), expected, atol=3e-16)
    np.testing.assert_allclose(m.integrate(q[5], v[5]), expected[5], atol=3e-16)
    np.testing.assert_allclose(m.integrate(q[5], v)[7], by_joint(q[5], v[7]), atol=3e-16)


@pytest.mark.parametrize("name", ["four-bar", "stewart", "two-wheeled-cart", "differential"])
def test_regular_places_count_as_walks_do(name, monkeypatch):
    """As many independent rows as anywhere: going a way finds the same freedoms."""
    m = am.example(name)
    q = m.project(m.initial)[0]
    at_once = m.mobility(q)
    monkeypatch.setattr(mobility, "_REGULAR", 0.0)
    assert at_once.finite == m.mobility(q).finite


@pytest.mark.parametrize("name", ["four-bar", "stewart", "bricard", "two-wheeled-cart"])
def test_variations_by_dependent_coordinates(name, monkeypatch):
    """Derivatives of a batch against those by the null space of each state."""
    m = am.example(name).compile(budget=0)
    q, v, tau = states(m)
    found = m.forward_dynamics.derivatives(q, v, tau)
    monkeypatch.setattr(splitting, "_embedded", lambda *_: None)
    own = m.forward_dynamics.derivatives(q, v, tau)
    for one, other in zip(found.full, own.full, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-8 * np.abs(other).max())
    J = m.constraint_jacobian(q)
    assert np.abs(J @ found.velocities).max() < 1e-12 * np.abs(J).max()
    single = m.forward_dynamics.derivatives(q[2], v[2], tau[2])
    np.testing.assert_allclose(
        single.full.dq, own.full.dq[2], atol=1e-8 * np.abs(own.full.dq).max()
    )


def steered(m):
    """A rover whose wheels are steered anyhow, at rest but for its steering."""
    rng = np.random.default_rng(5)
    way = 0.3 * rng.normal(size=m.nv)
    q, v = m.project(m.integrate(m.initial, way), rng.normal(size=m.nv))
    return q, v, rng.normal(size=m.nv)


def test_wheels_in_general_position(monkeypatch):
    """The rows of a rover's wheels count as many only where their axles do not meet: there
    derivatives go by dependent coordinates, elsewhere by the null space, and know their place."""
    m, fresh = am.example("rover"), am.example("rover").compile(budget=0)
    general, start = steered(m), m.project(m.initial)[0]
    meeting = (start, np.zeros(m.nv), general[2])
    expected = []
    with monkeypatch.context() as safe:
        safe.setattr(splitting, "_embedded", lambda *_: None)
        expected = [fresh.forward_dynamics.derivatives(*x) for x in (general, meeting)]
    equations = m.constraint_solver.equations
    assert splitting._embedded(equations, *probed(equations, *general))[1].all()
    assert not splitting._embedded(equations, *probed(equations, *meeting))[1].any()
    for arm in (m.compile(budget=0), m):  # by numpy, by compiled code
        for state, own in zip((general, meeting), expected, strict=True):
            found = arm.forward_dynamics.derivatives(*state)
            assert found.velocities.shape == own.velocities.shape
            for one, other in zip(found.full, own.full, strict=True):
                np.testing.assert_allclose(one, other, atol=1e-9 * np.abs(own.full.dtau).max())


def probed(equations, q, v, tau):
    return equations.system(q[None], v[None], tau[None]), np.array(equations.constraints.holonomic)


@pytest.mark.parametrize("name", ["bricard", "rover", "stewart", "four-bar", "unicycle"])
def test_places_in_general_position_lead_on_as_walks_do(name, monkeypatch):
    """As many independent rows as at closed places anywhere: steps at once find what walks find."""
    m = am.example(name)
    places = [*states(m, 2)[0], m.project(m.initial)[0]]
    places += [steered(m)[0]] if name == "rover" else []
    at_once = [m.mobility(q) for q in places]
    monkeypatch.setattr(mobility, "_REGULAR", 0.0)
    monkeypatch.setattr(mobility, "_KNOWN", 0.0)
    for q, found in zip(places, at_once, strict=True):
        own = m.mobility(q)
        assert (found.finite, found.rank, found.redundant) == (own.finite, own.rank, own.redundant)


@pytest.mark.parametrize("name", NAMES)
def test_questions_about_rows(name):
    """Single states by a native call of what is asked, against the interpreter; what it cannot take
    goes the other way."""
    m = am.example(name)
    q, v, _ = states(m)
    asks = (m.constraint_jacobian, m.constraint_residual)
    terms = m.constraint_solver.equations.interpreted_terms(q, np.tile(v[0], (len(q), 1)))
    before = zip(terms.J, terms.residual, terms.rate, strict=True)
    for x, own in zip(q, before, strict=True):
        for given in (x, x.tolist(), np.ascontiguousarray(np.stack([x, x])[:, ::-1])[:, ::-1][0]):
            found = [ask(given) for ask in asks] + [m.constraint_rate(given, v[0])]
            for one, other in zip(found, own, strict=True):
                np.testing.assert_allclose(one, other, atol=1e-12 * max(1.0, np.abs(other).max()))
    J = m.constraint_jacobian(q[0])
    kept = J.copy()
    m.constraint_jacobian(q[1])
    np.testing.assert_array_equal(J, kept)  # nobody writes into what was given out
    for bad in (np.full(m.nq, np.nan), q[0][:-1], np.zeros(m.nq) if name != "four-bar" else "x"):
        with pytest.raises(am.InputError):
            m.constraint_jacobian(bad)
    if name == "four-bar":  # an angle that has no sine
        with pytest.raises(am.ArmillaryError):
            m.constraint_residual(np.array([1e200, *q[0][1:]]))


@pytest.mark.parametrize("name", ["four-bar", "stewart", "bricard"])
def test_projection_of_one_state(name):
    """As that of a batch; a state that needs no step is not the caller's array."""
    m = am.example(name)
    q, v, _ = states(m)
    rough = m.integrate(q, 1e-4 * np.random.default_rng(1).normal(size=v.shape))
    many = m.project(rough, v)
    for k, x in enumerate(rough):
        for given in ((x, v[k]), (x.tolist(), v[k])):
            for one, other in zip(m.project(*given), many, strict=True):
                np.testing.assert_allclose(one, other[k], atol=1e-11)
    with pytest.raises(am.InputError):
        m.project(rough[0], np.full(m.nv, np.nan))
    tree = m.open() if hasattr(m, "open") else am.example("six-r")
    start = tree.initial
    assert not np.shares_memory(tree.project(start)[0], start)


def test_rows_together():
    """Several directions by one call of rows, which share a state: as one after the other."""
    m = am.example("stewart")
    q, v, _ = states(m)
    ask = m.constraint_solver.equations.row_kernels().all
    many = np.resize(q, (9, m.nq))
    found = ask.together(many, v[0])
    for k, x in enumerate(many):
        for name, part in ask.one(x, v[0]).items():
            np.testing.assert_allclose(found[name][k], part, atol=1e-14 * np.abs(part).max())
    many[3] = np.nan
    assert ask.together(many, v[0]) is None
    assert ask.together(q[0], v[0]) is None
