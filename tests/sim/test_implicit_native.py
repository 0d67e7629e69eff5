"""The linearly implicit method in the native loop: the steps of the loop in Python, to rounding.

The Python loop inverts by numpy and asks the mechanism's functions for derivatives and mobility;
laws of the method stand in test_integrators.py.
"""

import numpy as np
import pytest

import armillary as am
import samples
from sim.machines import damped_arm, flyer, reference, shaken, sine, top
from sim.native_runs import both
from sim.test_integrators import stiff_arm
from sim.test_variational_native import moving, table

OPTIONS = {"duration": 0.04, "step": 2e-3, "method": "implicit"}
DIFFERENCES = {"rounding": 1e-10}  # over 1e-7, of controllers: eight digits of a Jacobian
ALL = {"record": ("q", "v", "a", "tau", "energy")}


@pytest.mark.parametrize("make", [damped_arm, top, flyer, stiff_arm])
def test_trees(make):
    m = make()
    _, taken = both(m, *moving(m), **OPTIONS, **ALL)
    assert taken == 20


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize("model", [samples.random_model, samples.structured_model])
@pytest.mark.parametrize("root", ["revolute", "free"])
def test_every_kind_of_joint(model, seed, root):
    kinds = (root, "universal", "spherical", "planar", "cylindrical", "helical", "prismatic")
    m = am.Mechanism(model(seed, kinds, bodies=6))
    q, v, _ = samples.random_state(m.model, seed, 0.5)
    _, taken = both(m, q, v, **OPTIONS)
    assert taken == 20


@pytest.mark.parametrize(
    "name", ["four-bar", "bricard", "two-link-load", "dual-arm-free-flyer", "stewart"]
)
def test_closed_mechanisms(name):
    m = am.example(name)
    _, taken = both(m, *moving(m), **OPTIONS, **ALL)
    assert taken == 20


def test_a_base_that_moves():
    base = {
        "base_velocity": (0.3, -0.2, 0.4, 1.0, 0.0, 0.5),
        "base_acceleration": (0, 1, 0, 2, 0, 1),
    }
    for make in (damped_arm, flyer):
        m = make().replace(**base)
        _, taken = both(m, *moving(m), **OPTIONS)
        assert taken == 20


@pytest.mark.parametrize("rows", [1, 3, 17])
@pytest.mark.parametrize("make", [damped_arm, flyer, lambda: am.example("four-bar")])
def test_a_row_is_the_single_run(make, rows):
    m = make()
    q, v = moving(m)
    speeds = np.linspace(0.2, 2.0, rows)[:, None]
    run, taken = both(m, np.tile(q, (rows, 1)), speeds * v, **OPTIONS)
    one = am.simulate(m, q, speeds[-1] * v, **OPTIONS)
    assert taken == 20
    np.testing.assert_allclose(run.v[:, -1], one.v, rtol=0, atol=1e-13 * (1 + abs(one.v).max()))


# -- what is given -------------------------------------------------------------------------------

GIVEN = {
    "forces": {"inputs": {"link2": 0.7}},
    "forces over time": {"inputs": {"link2": table(0.0, 2.0, -1.0, 1.0)}},
    "wrench": {"external": {"link3": [0.1, 0.2, -0.1, 1.0, 2.0, -3.0]}},
    "wrench over time": {"external": {"link3": lambda t: [0, 1.0, 0, 50 * t, 0, np.sin(90 * t)]}},
}


@pytest.mark.parametrize("given", GIVEN)
def test_what_is_given(given):
    m = damped_arm()
    for rows in (1, 9):
        q, v = (np.tile(x, (rows, 1)) if rows > 1 else x for x in moving(m))
        _, taken = both(m, q, v, **OPTIONS, **GIVEN[given], record=("q", "v", "a", "tau"))
        assert taken == 20


def test_wrenches_of_the_state():
    """A stiff spring in the hand of the user: asked in Python at every stage."""
    m = damped_arm()
    push = {"external": lambda t, q, v: {"link3": np.array([0, 0, 0, 3 * q[0], -v[1], t])}}
    _, taken = both(m, *moving(m), **OPTIONS, **push, inside=False)
    assert taken == 20


@pytest.mark.parametrize("make", [damped_arm, flyer, lambda: am.example("four-bar")])
def test_controllers(make):
    """Gains stiffer than the step; their derivatives are taken inside."""
    m = make()
    start, joint = moving(m), m.joint_names[-1] if make is flyer else m.joint_names[0]
    stiff, soft = {"kp": 2e4, "ki": 50.0, "kd": 200.0}, {"kp": 5.0, "ki": 2.0}
    here = start[0][list(m.q_labels).index(joint)] if m.additive else 0.5
    for gains, options in ((stiff, {}), (soft, {"period": 4e-3})):
        controller = am.PID(m, {joint: here}, **gains)
        _, taken = both(m, *start, **OPTIONS, **DIFFERENCES, controller=controller, **options)
        assert taken == 20


def test_a_controller_in_python():
    m = damped_arm()

    def law(t, q, v):
        return -20.0 * np.asarray(v) * float(np.linalg.norm(q))

    for options in ({}, {"inputs": {m.joint_names[1]: table(0.0, 2.0, -1.0, 1.0)}}):
        options |= DIFFERENCES | OPTIONS
        _, taken = both(m, *moving(m), controller=law, inside=False, **options)
        assert taken == 20


@pytest.mark.parametrize("make", [damped_arm, flyer])
def test_bodies_of_every_run(make):
    m, rng = make(), np.random.default_rng(0)
    p = m.parameters * (1.0 + 0.2 * rng.random((9, len(m.parameters))))
    q, v = (np.tile(x, (9, 1)) for x in moving(m))
    run, taken = both(m, q, v, **OPTIONS, parameters=p)
    one = am.simulate(m, q[4], v[4], **OPTIONS, parameters=p[4])
    assert taken == 20
    np.testing.assert_allclose(run.q[:, 4], one.q, atol=1e-13, rtol=0)


def test_prescribed_motion():
    m = shaken()
    _, taken = both(m, [0.0, 0.4], [0.6, 0.0], **OPTIONS, prescribed={"pivot": sine})
    assert taken == 20


# -- stiff, and too stiff ------------------------------------------------------------------------


def slide_and_rod(mass, rod, viscous):
    """A rod that swings on a slide, on a spring of 1e6 N/m."""
    b = am.Builder("stiff-slide")
    b.body("slide", joint="prismatic", axis="z", mass=mass,
           passive=am.Passive(viscous=viscous, spring=1e6))  # fmt: skip
    b.body("rod", "slide", "revolute", axis="y", mass=rod, com=(0.0, 0.0, -0.2),
           inertia=(0.01, 0.01, 0.001), passive=am.Passive(viscous=0.1))  # fmt: skip
    return b.build()


def test_a_spring_and_a_damper_of_a_million():
    """The damper alone decays a hundred times within a step of 1 ms: the rod swings as on a slide
    that is locked, and explicit steps are torn apart."""
    m = slide_and_rod(1.0, 0.5, 1e5)
    run = am.simulate(m, [0.0, 0.4], duration=2.0, step=1e-3, method="implicit", every=100)
    assert run.complete and run.performance().native == 1.0
    slow = reference(m.lock({"slide": 0.0}), np.array([0.4]), np.zeros(1), 2.0)
    assert abs(run.q[-1, 1] - slow[0][0]) < 1e-5
    assert np.abs(run.q[:, 0]).max() < 3.0 * 1.5 * 9.81 / 1e6
    assert not am.simulate(m, [0.0, 0.4], duration=0.1, step=1e-3).complete


def test_a_spring_of_a_million_without_damper():
    """At most 70 g on the spring: more than half a turn within a step of 1 ms.  What it holds does
    not grow."""
    m = slide_and_rod(0.02, 0.05, 0.0)
    options = {"step": 1e-3, "method": "implicit", "record": ("q", "v", "energy")}
    run = am.simulate(m, [1e-3, 1.5], duration=2.0, **options)
    assert run.complete and run.performance().native == 1.0
    assert (run.energy <= run.energy[0] + 1e-9).all()
    assert not am.simulate(m, [1e-3, 1.5], duration=0.1, step=1e-3).complete


def test_third_order():
    """Halving the step divides the error by eight, in the native loop."""
    m = top()
    q, v = moving(m)
    end = reference(m, q, v, 0.2)
    errors = []
    for h in (4e-3, 2e-3):
        run = am.simulate(m, q, v, 0.2, h, "implicit")
        assert run.performance().native == 1.0
        errors.append(np.abs(run.v[-1] - end[1]).max())
    assert 7.0 < errors[0] / errors[1] < 9.0


def test_runs_that_break_say_so():
    """An anti-spring beyond what numbers hold."""
    m = damped_arm()
    run = am.simulate(m, *moving(m), 0.1, 1e-3, "implicit", controller=lambda t, q, v: 1e305 * q)
    assert not run.complete and "not a number" in run.message


# -- other code ----------------------------------------------------------------------------------


def chain(count, spring=False, stiffness=3e3, damping=0.0):
    b = am.Builder("chain")
    for k in range(count):
        b.body(f"link{k}", f"link{k - 1}" if k else "world", "revolute", (0.2 * (k > 0), 0.0, 0.0),
               axis="yz"[k % 2], mass=1.0, com=(0.1, 0.01, 0.0), inertia=(0.01, 0.02, 0.02),
               passive=am.Passive(viscous=0.5, spring=20.0))  # fmt: skip
    if spring:
        b.frame("above", "world", (0.5, 0.2, 1.0))
        rest = None if damping else 0.3
        b.spring(
            "strut", "above", f"link{count - 1}", stiffness=stiffness, damping=damping, rest=rest
        )
    return b.build()


def test_loops_over_bodies():
    """Code of large trees."""
    m = chain(12).compile(tier=1)
    q, v, _ = m.random_state(seed=1)
    _, taken = both(m, 0.3 * q, 0.3 * v, **OPTIONS, rounding=1e-11)
    assert taken == 20


def test_force_elements():
    """In straight-line code: the derivatives of Python."""
    m = chain(4, spring=True)
    q, v, _ = m.random_state(seed=1)
    _, taken = both(m, 0.3 * q, 0.3 * v, **OPTIONS, rounding=1e-11)
    assert taken == 20


def test_force_elements_in_loops_over_bodies():
    """Loops have no derivatives of elements, but slopes of their forces: of third order still."""
    m = chain(4, spring=True).compile(tier=1)
    q, v, _ = m.random_state(seed=1)
    q, v = 0.3 * q, 0.3 * v
    end = reference(m, q, v, 0.1)
    errors = []
    for h in (1e-3, 5e-4):
        run = am.simulate(m, q, v, 0.1, h, "implicit")
        assert run.performance().native == 1.0
        errors.append(np.abs(run.v[-1] - end[1]).max())
    assert 6.5 < errors[0] / errors[1] < 9.5


def test_a_stiff_element_in_loops_over_bodies():
    """A strut of 1e8 N/m and 1e6 N s/m at the end of twenty links: explicit steps are torn."""
    m = chain(20, spring=True, stiffness=1e8, damping=1e6).compile(tier=1)
    options = {"duration": 0.05, "step": 1e-3}
    run = am.simulate(m, method="implicit", **options, record=("q", "v", "energy"))
    assert run.complete and run.performance().native == 1.0
    assert (np.diff(run.energy) <= 1e-9 * abs(run.energy).max()).all()
    assert not am.simulate(m, **options).complete
