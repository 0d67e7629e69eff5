"""All forces of closed mechanisms by native loops: as the null space has them, of any size."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.closed import car
from closed_machines import uneven_ladder
from test_loop_passive import LAWS, four_bar, moving
from test_solution import EXAMPLES, NASTY, allowed, example_state, nasty

import armillary as am
from armillary.codegen.target import native
from armillary.constraints.loop_forces import loop_forces
from armillary.evaluate.inputs import wrench_rows
from compare import close

pytestmark = pytest.mark.skipif(not native(), reason="needs llvmlite")
WRENCH = np.array([0.3, -0.2, 0.1, 2.0, -1.0, 0.5])


def by_loops(m, q, v, tau, a, external=None, passive=True, **given):
    """Of states (B, ·)."""
    equations = m.constraint_solver.equations
    ask = loop_forces(equations, bool(external), passive, bool(given))
    inputs = {"q": q, "v": v, "a": a, "tau": tau, **given}
    if external:
        rows = {name: wrench_rows(name, x) for name, x in external.items()}
        inputs["external"] = equations.evaluator.external_rows(rows, len(q), ask.program.tables)
    return ask(inputs, len(q))


def compared(m, q, v, tau, external=None, passive=True, tolerance=1e-11):
    """One state, as a batch of three and alone; None where it is left."""
    expected = m.compile(tier=1).solve(q, v, tau, external, passive)
    a = expected.acceleration
    three = [np.tile(x, (3, 1)) for x in (q, v, tau, a)]
    found = by_loops(m, *three, external, passive)
    if np.isnan(found["multipliers"]).all():
        return None
    size = np.abs(expected.reactions.total).max() + np.abs(expected.multipliers).max(initial=0.0)
    truth = {
        "multipliers": expected.multipliers,
        "wrench": expected.reactions.total,
        "driving": expected.reactions.driving,
        "pushes": expected.constraint_forces.wrench,
    }
    for name, x in truth.items():
        assert np.abs(found[name] - x).max(initial=0.0) <= tolerance * size, name
    if not external:
        one = loop_forces(m.constraint_solver.equations, False, passive).one(q, v, a, tau)
        for name, x in truth.items():
            assert np.abs(one[name] - x).max(initial=0.0) <= tolerance * size, name
    return found


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name):
    m, q, v, tau = example_state(name)
    body = m.bodies[-1]
    for external in (None, {body: WRENCH}):
        for passive in (True, False):
            assert compared(m, q, v, tau, external, passive) is not None


@pytest.mark.parametrize("name", NASTY)
def test_any_constraints(name):
    m, q = nasty(name)
    v, tau = allowed(m, q), np.random.default_rng(2).normal(size=m.nv)
    assert compared(m, q, v, tau, {m.bodies[3]: WRENCH}, tolerance=1e-9) is not None


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_friction_and_springs_of_loops(law):
    """Their angle counts the turns of the tree."""
    m = four_bar("pin", law)
    q, v = moving(m)
    q[0] += 2.0 * np.pi
    assert compared(m, q, v, np.ones(3)) is not None


def test_moving_base():
    m, q, v, tau = example_state("hslm")
    rng = np.random.default_rng(0)
    base = {"base_velocity": tuple(rng.normal(size=6)), "base_acceleration": (0.3,) * 6}
    assert compared(am.Mechanism(replace(m.model, **base)), q, v, tau) is not None


@pytest.mark.parametrize("make", ["ladder", "car", "train", "rolling train"])
def test_large_mechanisms(make):
    m = {
        "ladder": lambda: uneven_ladder(40),
        "car": car,
        "train": lambda: am.vehicles.truck(4).mechanism,
        "rolling train": lambda: am.vehicles.truck(4, tyre="rolling").mechanism,
    }[make]()
    rng = np.random.default_rng(3)
    q, v = m.project(m.initial, 0.3 * rng.normal(size=m.nv))
    assert compared(m, q, v, rng.normal(size=m.nv), {m.bodies[-1]: WRENCH}) is not None


def test_rows_of_several_constraints_that_depend_on_each_other():
    """Rods beside the bars of a ladder: the shares with the smallest reactions."""
    b = am.Builder("doubled")
    for body in (model := uneven_ladder(30).model).bodies:
        b.add(body)
    for k, loop in enumerate(model.loops, 1):
        b.loop(loop.name, loop.first, loop.second, loop.joint)
        tops = [f"rod{k - 1}", f"rod{k}"]
        heights = [model.loops[k - 2].second.pose.position[2] if k > 1 else bar_height(model), 0.0]
        heights[1] = loop.second.pose.position[2]
        ends = [
            am.Frame(f"{name}.{k}", name, am.Pose((0.0, 0.0, z)))
            for name, z in zip(tops, heights, strict=True)
        ]
        b.distance(f"strut{k}", *ends, float(np.hypot(1.0, heights[1] - heights[0])))
    m, rng = b.build(), np.random.default_rng(4)
    assert m.constraint_solver.equations.constraints.count == 180
    q, v = m.project(m.initial, rng.normal(size=m.nv))
    tau = rng.normal(size=m.nv)
    assert compared(m, q, v, tau, tolerance=1e-10) is not None
    assert not m.solve(q, v, tau).suspect


def bar_height(model):
    """Where the first bar of a ladder hangs on its rod."""
    return next(body for body in model.bodies if body.name == "bar1").at.position[2]


def test_other_inertias():
    m, q, v, tau = example_state("four-bar")
    other = 1.3 * m.parameters
    a = m.forward_dynamics(q, v, tau, parameters=other)
    expected = m.compile(tier=1).solve(q, v, tau, parameters=other)
    found = by_loops(m, *(x[None] for x in (q, v, tau, a)), parameters=other[None])
    close(found["wrench"][0], expected.reactions.total, 1e-12)
    close(found["multipliers"][0], expected.multipliers, 1e-12)


def test_equilibrium_of_every_body():
    """Newton and Euler by hand: what the joints and loops transmit moves each body of a ladder."""
    m, rng = uneven_ladder(30), np.random.default_rng(5)
    q, v = m.project(m.initial, rng.normal(size=m.nv))
    s = m.solve(q, v, rng.normal(size=m.nv))
    assert not s.suspect
    names, spots = list(m.bodies), {}
    total = {name: np.zeros(6) for name in names}  # about the world's origin, along its axes

    def add(body, R, p, wrench, sign):
        if body != "world":
            f = R @ wrench[3:]
            total[body] += sign * np.concatenate([R @ wrench[:3] + np.cross(p, f), f])

    for k, body in enumerate(m.model.bodies):
        R, p = m.pose(q, body.name)
        spots[body.name] = R, p
        add(body.name, R, p, s.reactions.total[k], 1.0)
        add(body.parent, R, p, s.reactions.total[k], -1.0)
    for loop, wrench in zip(m.model.loops, s.constraint_forces.wrench, strict=True):
        R, p = spots[loop.second.body]
        at = np.array(loop.second.pose.position)
        turn = np.array(loop.second.pose.rotation)
        add(loop.second.body, R @ turn, p + R @ at, wrench, 1.0)
        add(loop.first.body, R @ turn, p + R @ at, wrench, -1.0)
    net = m.tree.body_forces(q, v, s.acceleration).net  # of the tree: without the loops
    for k, name in enumerate(names):
        R, p = spots[name]
        f = R @ net[k, 3:]
        wanted = np.concatenate([R @ net[k, :3] + np.cross(p, f), f])
        assert np.abs(total[name] - wanted).max() < 1e-10 * np.abs(s.reactions.total).max()


@pytest.mark.parametrize("angle", [0.0, 1e-6, 1e-4])
def test_singular_places_are_left(angle):
    m = am.example("four-bar-ladder", n=2)
    lean = np.pi / 2 - angle
    q = np.array([lean if "rod" in name else -lean for name in m.joints])
    v, tau = 0.7 * np.sign(q), np.linspace(-1, 1, m.nv)
    found = by_loops(m, *(x[None] for x in (q, v, tau, m.forward_dynamics(q, v, tau))))
    assert np.isnan(found["multipliers"]).all() or found["stretch"][0, 0] > 1.0


def test_open_loops_and_wrong_accelerations_are_left():
    m = am.example("four-bar-ladder", n=30)
    q, v = m.project(m.initial, np.ones(m.nv))
    tau = np.ones(m.nv)
    a = m.forward_dynamics(q, v, tau)
    states = [np.tile(x, (4, 1)) for x in (q, v, tau, a)]
    states[0][1, 3] += 1e-3
    states[3][2] += 1e-3 * v
    states[2][3, 0] = np.nan
    found = by_loops(m, *states)
    assert np.isfinite(found["wrench"]).all(axis=(1, 2)).tolist() == [True, False, False, False]
    s = m.solve(*states[:3])
    assert s.suspect.tolist() == [False, True, False, False]
    assert np.isnan(s.multipliers[3]).all() and np.isfinite(s.multipliers[:3]).all()


def test_room_grows_with_the_windows():
    """Numbers per state, and products of the elimination: in proportion."""
    sizes = []
    for windows in (40, 80, 160):
        equations = am.example("four-bar-ladder", n=windows).constraint_solver.equations
        kernel = loop_forces(equations, False, True).program.kernel(False, "double")
        sizes.append(kernel._linked.extra)
    assert sizes[2] - sizes[1] < 2.1 * (sizes[1] - sizes[0])


@pytest.mark.parametrize("trailers", [5, 8])
def test_the_first_state_is_answered_by_loops(trailers):
    """What the null space answers is suspect."""
    m = am.vehicles.truck(trailers).mechanism
    q, v = m.project(m.initial, np.zeros(m.nv))
    assert not m.solve(q, v, np.ones(m.nv)).suspect
