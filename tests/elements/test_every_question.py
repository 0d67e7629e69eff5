"""Force elements in every question about a tree, against their laws by hand (by_hand.py): the same
mechanism without them, pushed by the same wrenches.  Single kinds are interpreted; all of them
together run as compiled code, straight-line and in loops."""

import by_hand
import numpy as np
import pytest
from machines import KINDS, STORING, machine, tree, without

import armillary as am
from armillary.algorithms.forces.element_forces import element_forces
from armillary.algorithms.tree.derivatives import inverse_dynamics_derivatives
from armillary.algorithms.tree.energy import energy
from armillary.algorithms.tree.inverse_dynamics import inverse_dynamics, static_forces


def near(found, wanted, tolerance=1e-12, size=None):
    size = np.abs(wanted).max(initial=1.0) if size is None else size
    np.testing.assert_allclose(found, wanted, rtol=0.0, atol=tolerance * size)


def interpreted(m, algorithm, *results, **state):
    run = m.interpret(algorithm, {name: np.asarray(x).tolist() for name, x in state.items()})
    found = [np.array(run.result(name), float) for name in results]
    return found[0] if len(found) == 1 else found


@pytest.mark.parametrize("kind", KINDS)
def test_forces_by_hand(kind):
    """Joint forces, wrench on the last end in its frame, power; actio = reactio."""
    m, bare = machine(kind), without(machine("spring"))
    part = m.model.elements[0]
    # by_hand takes gradients of rotations by differences
    tolerance = 1e-12 if kind not in ("torsion spring", "bushing") else 1e-8
    for q, v, a in zip(*m.random_state(1, 3), strict=True):
        wanted = bare.inverse_dynamics(q, v, a, by_hand.external(m, q, v))
        near(interpreted(m, inverse_dynamics, "tau", q=q, v=v, a=a), wanted, tolerance)
        ends, world = by_hand.Ends(m, part, q, v), by_hand.wrenches(m, part, q, v)
        row = interpreted(m, element_forces, "readings", q=q, v=v)[0]
        R, size = ends.R[-1], np.abs(world).max() * 10
        near(row[:6], np.concatenate([R.T @ world[-1, :3], R.T @ world[-1, 3:]]), 1e-8)
        power = sum(x[:3] @ w + x[3:] @ u for x, w, u in zip(world, ends.w, ends.u, strict=True))
        near(row[9], power, 1e-8, size)
        moment = sum(x[:3] + np.cross(p, x[3:]) for x, p in zip(world, ends.p, strict=True))
        near(np.concatenate([moment, world[:, 3:].sum(axis=0)]), np.zeros(6), 1e-12, size)


@pytest.mark.parametrize("kind", STORING)
def test_force_is_the_gradient_of_energy(kind):
    m, bare = machine(kind), without(machine("spring"))
    q, rest, h = m.random_state(1)[0], np.zeros(m.nv), 1e-6

    def stored(d):
        return interpreted(m, energy, "potential", q=m.integrate(q, d), v=rest)[0]

    slopes = [(stored(d) - stored(-d)) / (2 * h) for d in h * np.eye(m.nv)]
    held = interpreted(m, static_forces, "tau", q=q)
    near(held, np.array(slopes), 3e-8)
    assert np.abs(held - bare.static_torques(q)).max() > 1.0


@pytest.mark.parametrize("kind", KINDS)
def test_derivatives_by_differences(kind):
    m = machine(kind)
    q, v, a = m.random_state(1)
    h, units = 1e-6, 1e-6 * np.eye(m.nv)

    def tau(q, v):
        return interpreted(m, inverse_dynamics, "tau", q=q, v=v, a=a)

    dq = [(tau(m.integrate(q, d), v) - tau(m.integrate(q, -d), v)) / (2 * h) for d in units]
    dv = [(tau(q, v + d) - tau(q, v - d)) / (2 * h) for d in units]
    found = interpreted(m, inverse_dynamics_derivatives, "dq", "dv", q=q, v=v, a=a)
    near(found[0], np.array(dq).T, 2e-8)
    near(found[1], np.array(dv).T, 2e-8)


def test_all_questions_compiled():
    """Straight-line code of all elements together against the wrenches by hand."""
    m = machine("all")
    bare = without(m)
    for q, v, a in zip(*m.random_state(1, 2), strict=True):
        external = by_hand.external(m, q, v)
        tau = bare.inverse_dynamics(q, v, a, external)
        near(m.inverse_dynamics(q, v, a), tau, 1e-8)
        near(m.forward_dynamics(q, v, tau), a, 1e-5)
        near(m.bias_forces(q, v), bare.bias_forces(q, v, external), 1e-8)
        near(m.reactions(q, v, a).total, bare.reactions(q, v, a, external).total, 1e-8)
        still = by_hand.external(m, q, 0.0 * v)
        near(m.static_torques(q), bare.static_torques(q, still), 1e-8)
        near(m.bias_forces(q, v, passive=False), bare.bias_forces(q, v, None, False))
        assert (m.gravity_forces(q) == bare.gravity_forces(q)).all()
        solution = m.solve(q, v, tau)
        forces = m.element_forces(q, v)
        assert (solution.element_forces.wrench == forces.wrench).all()
        near(forces.power.sum(), (m.bias_forces(q, v, passive=False) - m.bias_forces(q, v)) @ v,
             1e-10, np.abs(forces.wrench).max() * 10)  # fmt: skip
        assert "bushing" in str(solution) and f"{forces.force('spring'):.6g} N" in str(forces)
        assert m.check(q, v, tau).worst < 1e-12
        assert m.solve(q, v, tau, passive=False).element_forces is None


def test_loops_agree_with_straight_code():
    m, loops = machine("all"), machine("all", tier=1)
    Q, V, A = m.random_state(2, 5)
    tau = m.inverse_dynamics(Q, V, A)
    near(loops.inverse_dynamics(Q, V, A), tau)
    near(loops.inverse_dynamics(Q[0], V[0], A[0]), tau[0])
    near(loops.forward_dynamics(Q, V, tau), A, 1e-10)
    near(np.array(loops.energy(Q, V)), np.array(m.energy(Q, V)))
    near(loops.reactions(Q, V, A).total, m.reactions(Q, V, A).total)
    for name in ("wrench", "along", "power"):
        near(getattr(loops.element_forces(Q, V), name), getattr(m.element_forces(Q, V), name))
    one, two = (x.forward_dynamics.derivatives(Q, V, tau) for x in (m, loops))
    for x, y in zip(one, two, strict=True):
        near(y, x, 1e-9)
    inverse = m.inverse_dynamics.derivatives(Q, V, A)
    minus = -np.linalg.inv(m.mass_matrix(Q))
    near(one.dq, minus @ inverse.dq, 1e-9)
    near(one.dv, minus @ inverse.dv, 1e-9)
    q, v, a = Q[0], V[0], A[0]
    x, y, z, w = np.random.default_rng(0).normal(size=(4, m.nv))
    found = m.inverse_dynamics.derivatives(q, v, a)
    near(m.inverse_dynamics.jvp(q, v, a, x, y, z), found.dq @ x + found.dv @ y + found.da @ z)
    near(m.inverse_dynamics.jvp(q, v, a, dv=y), found.dv @ y)
    for got, wanted in zip(m.forward_dynamics.vjp(q, v, tau[0], w), one, strict=True):
        near(got, w @ wanted[0], 1e-9)


def test_numbers_of_elements_are_parameters():
    """Row k with parameters = the mechanism with those numbers; straight code and loops."""
    m, loops = machine("all"), machine("all", tier=1)
    rows = 5
    Q, V, A = m.random_state(4, rows)
    rng = np.random.default_rng(1)
    P = m.parameters * rng.uniform(0.9, 1.1, (rows, len(m.parameters)))
    assert len(m.parameter_names) == len(m.parameters)
    near(loops.inverse_dynamics(Q, V, A, parameters=P), m.inverse_dynamics(Q, V, A, parameters=P))
    near(m.inverse_dynamics(Q, V, A, parameters=m.parameters), m.inverse_dynamics(Q, V, A))
    assert {"bushing.stiffness.35", "drag.wind.2", "spring.second.z"} <= set(m.parameter_names)
    spring = machine("spring")
    values = np.array(spring.parameters)
    for name, x in (("e.stiffness", 77.0), ("e.rest", 0.1), ("e.second.y", -0.4)):
        values[spring.parameter_names.index(name)] = x
    other = spring.replace(elements={"e": {"stiffness": 77.0, "rest": 0.1}})
    part = other.model.elements[0]
    moved = am.Frame("end", "bob", am.Pose((0.1, -0.4, 0.3)))
    other = other.replace(elements=(am.model.ForceElement("e", (part.ends[0], moved), part.law),))
    near(spring.inverse_dynamics(Q, V, A, parameters=values), other.inverse_dynamics(Q, V, A))
    near(np.array(spring.energy(Q, V, parameters=values)), np.array(other.energy(Q, V)))
    with pytest.raises(am.InputError, match="parameters"):
        spring.inverse_dynamics(Q, V, A, parameters=values[:-1])


def test_derivatives_by_numbers_of_elements():
    m = machine("bump stop")
    q, v, a = m.random_state(3)
    tau = m.inverse_dynamics(q, v, a)
    found = m.inverse_dynamics.parameter_jacobian(q, v, a)
    assert found.shape == (m.nv, len(m.parameters))
    h = 1e-6 * np.maximum(np.abs(m.parameters), 1.0)
    for k in range(10 * len(m.bodies), len(m.parameters)):
        if m.parameter_names[k].endswith((".force", ".damping", ".cubic")):
            continue  # a bump stop is switched off by less than nothing
        values = [np.array(m.parameters) for _ in range(2)]
        values[0][k] += h[k]
        values[1][k] -= h[k]
        ends = [m.inverse_dynamics(q, v, a, parameters=x) for x in values]
        near(found[:, k], (ends[0] - ends[1]) / (2 * h[k]), 1e-7)
    forward = m.forward_dynamics.parameter_jacobian(q, v, tau)
    near(forward, -np.linalg.solve(m.mass_matrix(q), found), 1e-9)


def test_laws_of_the_user_are_compiled():
    m, loops = machine("user law"), machine("user law", tier=1)
    q, v, a = m.random_state(3)
    wanted = without(m).inverse_dynamics(q, v, a, by_hand.external(m, q, v))
    near(m.inverse_dynamics(q, v, a), wanted)
    near(loops.inverse_dynamics(q, v, a), wanted)
    values = np.array(m.parameters)
    values[m.parameter_names.index("e.k")] *= 2.0
    doubled = by_hand.external(m.replace(elements={"e": {"values": (60.0, 0.7)}}), q, v)
    wanted = without(m).inverse_dynamics(q, v, a, doubled)
    near(m.inverse_dynamics(q, v, a, parameters=values), wanted)


def test_symbols_and_c_know_elements():
    from armillary.mechanism.symbolic import equations

    b = am.Builder("quarter car")
    b.body("wheel", joint="prismatic", axis="z", mass=40.0)
    b.body("car", joint="prismatic", axis="z", mass=300.0)
    top = am.Frame("top", "car", am.Pose((0, 0, 0.5)))
    b.spring("strut", "wheel", top, stiffness=2e4, rest=0.4)
    m = b.build()
    assert "20000" in str(equations(m, "forward_dynamics"))
    assert "element_forces" in m.to_c("element_forces")


@pytest.mark.parametrize("closed", [False, True])
def test_solve_with_other_numbers(closed):
    """Forces, energies and powers are those of a mechanism that has the numbers, row by row."""
    b = tree("tied")
    KINDS["spring"](b)
    b.drag("air", "tip", linear=0.5, quadratic=1.3, wind=(3, 0, 1))
    if closed:
        b.distance("rod", "tip", "eye", 1.0)
    m = b.build()
    q = m.assemble(m.random_state(1)[0]).q if closed else m.random_state(1)[0]
    v, tau = m.random_state(1)[1], np.linspace(-1, 1, m.nv)
    v = m.project(q, v)[1] if closed else v
    rows, pull = np.tile(m.parameters, (2, 1)), {"tip": [1.0, 2, 3, 4, 5, 6]}
    rows[1, m.parameter_names.index("e.stiffness")] = 900.0
    own = m.replace(elements={"e": {"stiffness": 900.0}})
    together = m.solve([q, q], v, tau, external=pull, parameters=rows)
    singles = [m.solve(q, v, tau, external=pull, parameters=x) for x in rows]
    for k, wanted in enumerate(x.solve(q, v, tau, external=pull) for x in (m, own)):
        alone = singles[k]
        near(alone.acceleration, wanted.acceleration, 1e-9)
        near(together.acceleration[k], wanted.acceleration, 1e-9)
        near(alone.element_forces.force("e"), wanted.element_forces.force("e"))
        near(together.element_forces.force("e")[k], wanted.element_forces.force("e"))
        near(alone.potential, wanted.potential)
        for name, x in vars(wanted.balance).items():
            near(getattr(alone.balance, name), x, 1e-9)
            near(getattr(together.balance, name)[k], x, 1e-9)
        assert abs(wanted.balance.imbalance) < 1e-10 * abs(wanted.balance.passive)
    change = singles[1].element_forces.force("e") / singles[0].element_forces.force("e")
    near(change, 900 / 300, 0.5)  # and the damper
    # the rate of energy without the elements, by differences along the motion
    bare, h = without(m), 1e-6

    def energy_at(s):
        return sum(bare.energy(m.integrate(q, s * v), v + s * singles[0].acceleration))

    slope = (energy_at(h) - energy_at(-h)) / (2 * h)
    near(singles[0].balance.energy_rate, slope, 1e-6)
