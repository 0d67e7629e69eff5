"""C of closed mechanisms against `solve`, which solves in the null space of the constraints."""

import numpy as np
import pytest
from test_c_source import build, call, needs_cc

import armillary as am
from armillary.errors import InputError
from armillary.mechanism.symbolic import equations
from compare import close

NAMES = ("four-bar", "bricard", "slider-crank", "bicycle", "two-wheeled-cart")


def state(m, seed):
    rng, size = np.random.default_rng(seed), m.constraint_solver.equations.scaling.columns
    kick = 0.005 * rng.normal(size=m.nv) * size
    q, v = m.project(m.integrate(m.initial, kick), rng.normal(size=m.nv) * size)
    return q, v, rng.normal(size=m.nv)


@needs_cc
@pytest.mark.parametrize("name", NAMES)
def test_the_constraints_are_in_the_code(name, tmp_path):
    m = am.example(name)
    texts = m.to_c("forward_dynamics", "f"), m.to_c("inverse_dynamics", "g")
    assert "With its constraints: " in texts[0] and "NaN" in texts[0]
    library = build(tmp_path, *texts)
    for seed in range(2):
        q, v, tau = state(m, seed)
        a = m.solve(q, v, tau).acceleration
        close(call(library.f, (q, v, tau), m.nv), a, 1e-9)
        forces = m.actuator_forces(q, v, a).tau
        close(call(library.g, (q, v, a), m.nv), forces, 1e-9)
        assert np.isnan(call(library.g, (q, v, a + np.arange(m.nv)), m.nv)).any()


@needs_cc
def test_the_four_bar_of_the_tree_is_another_question(tmp_path):
    m = am.example("four-bar")
    library = build(tmp_path, m.to_c("forward_dynamics", "f"), m.tree.to_c("forward_dynamics", "g"))
    zero = np.zeros(3)
    found = [call(f, (m.initial, zero, zero), 3) for f in (library.f, library.g)]
    close(found[0], m.solve(m.initial, zero, zero).acceleration, 1e-12)
    close(found[1], m.tree.forward_dynamics(m.initial, zero, zero), 1e-12)
    assert np.abs(found[0] - found[1]).max() > 10.0


@needs_cc
def test_far_from_the_start_regular_places_have_numbers(tmp_path):
    """A rod between a body that flies and an arm: whichever coordinate is dependent, somewhere its
    part in the row vanishes; and a linkage with a massless coupler."""
    b = am.Builder("tied")
    b.body("hull", joint="free", mass=4.0, com=(0.1, -0.2, 0.1), inertia=(0.3, 0.4, 0.5))
    b.body("arm", axis=(0, 1, 0.3), at=(0.5, 0, 0), mass=1.0, com=(0.2, 0, 0), inertia=(1, 2, 2))
    b.frame("eye", "hull", (0.2, 0.1, -0.1))
    b.frame("tip", "arm", (0.4, 0, 0))
    b.distance("rod", "eye", "tip", 1.0)
    m = b.build()
    library = build(tmp_path, m.to_c("forward_dynamics", "f"))
    for seed in range(30):
        q = m.assemble(m.random_state(seed)[0]).q
        v = m.project(q, m.random_state(seed)[1])[1]
        tau = np.random.default_rng(seed).normal(size=m.nv)
        close(call(library.f, (q, v, tau), m.nv), m.solve(q, v, tau).acceleration, 1e-10)


@needs_cc
def test_massless_bodies(tmp_path):
    m = am.example("four-bar").replace(bodies={"coupler": {"mass": 0.0, "inertia": (0, 0, 0)}})
    library = build(tmp_path, m.to_c("forward_dynamics", "f"))
    for crank in (-1.0, 0.5, 2.0):
        q = m.assemble({"crank": crank}, hold=["crank"]).q
        v, tau = m.project(q, {"crank": 1.5})[1], np.array([0.2, 0.0, -0.1])
        close(call(library.f, (q, v, tau), m.nv), m.solve(q, v, tau).acceleration, 1e-10)


def test_what_has_no_expression_is_refused_by_name():
    m = am.example("four-bar")
    for function in ("inverse_dynamics_derivatives", "forward_dynamics_derivatives"):
        with pytest.raises(InputError, match=rf"{function} of 'four-bar'.*mechanism\.tree"):
            m.to_c(function)
        m.tree.to_c(function)
    with pytest.raises(InputError, match=r"not a closed form.*mechanism\.tree"):
        equations(m, "forward_dynamics")
    large = am.example("four-bar-ladder", n=40)
    with pytest.raises(InputError, match="sparse elimination"):
        large.to_c("forward_dynamics")
    assert "Of its tree, without pin." in m.to_c("mass_matrix")


def test_a_structure_that_nothing_drives_is_refused_by_name():
    """A square of bars with both diagonals: rigid, whatever the actuators give."""
    b = am.Builder("braced")
    bar = {"axis": "y", "mass": 1.0, "com": (0.5, 0, 0), "inertia": (0.01, 0.02, 0.03)}
    b.body("left", **bar)
    b.body("top", "left", "revolute", (1, 0, 0), **bar)
    b.body("right", "top", "revolute", (1, 0, 0), **bar)
    for name in ("left", "top", "right"):
        b.frame(f"{name}-end", name, (1, 0, 0))
    foot = am.Frame("foot", "world", am.Pose((1, 0, 0)))
    b.loop("pin", foot, "right-end", "revolute", axis="y")
    b.distance("one", "world", "top-end", np.sqrt(2))
    b.distance("other", foot, "left-end", np.sqrt(2))
    b.initial = {"left": -np.pi / 2, "top": np.pi / 2, "right": np.pi / 2}
    m = b.build()
    assert m.mobility().finite == 0
    with pytest.raises(InputError, match=r"inverse_dynamics of 'braced'.* has no freedom"):
        m.to_c("inverse_dynamics")
