"""Springs, dampers, dry friction and backlash between coordinates, in every question: against the
generalised forces by hand, joint springs, torsion springs and closed forms."""

from dataclasses import replace

import numpy as np
import pytest
from machines import tree

import armillary as am
from armillary.formats.native import read_native
from armillary.formats.native_write import write_native
from armillary.model import Passive
from armillary.model.elements.line import LineForce
from armillary.sim.methods.choice import METHODS

GEAR = {"crane": 1.0, "arm.first": -3.0, "slide.angle": 0.5}
TABLE = [(-1.0, -20.0), (0.0, 0.0), (0.5, 30.0), (1.0, 80.0)]
KINDS = {
    "elastic gear": lambda b: b.coordinate_spring("e", GEAR, stiffness=40.0, damping=0.7, rest=0.2),
    "friction": lambda b: b.coordinate_spring("e", GEAR, coulomb=3.0, smoothing=0.4, force=2.0),
    "progressive": lambda b: b.coordinate_spring(
        "e", {"slide.translation": 2.0, "crane": 0.3}, cubic=7.0, table=TABLE,
        damper_table=[(-2, -5), (0, 0), (3, 40)]),
    "stop": lambda b: b.coordinate_spring("e", {"arm.second": 1.0}, stiffness=50.0, rest=9.0,
                                          damping=0.1, side="push"),
    "backlash": lambda b: b.backlash("e", GEAR, stiffness=60.0, damping=2.0, gap=0.3, rest=0.1),
}  # fmt: skip
OF_FIRST = {"elastic gear": "rad", "friction": "rad", "progressive": "m", "stop": "rad",
            "backlash": "rad"}  # fmt: skip


def machine(kind: str, **options) -> am.Mechanism:
    """The nasty tree with one joint more, of two coordinates, and an element between frames."""
    b = tree(kind)
    b.body("slide", "arm", joint="cylindrical", axis="-y", at=(0.1, 0, 0.2), mass=0.7,
           com=(0.1, 0.05, 0), inertia=(0.01, 0.02, 0.03))  # fmt: skip
    b.spring("line", "tip", "eye", stiffness=30.0, damping=2.0, rest=0.3)
    if kind == "all":
        for name, add in KINDS.items():
            add(b)
            b._elements[name] = replace(b._elements.pop("e"), name=name)
    else:
        KINDS[kind](b)
    return b.build().compile(**options)


def tension(law, x, rate):
    if hasattr(law, "gap"):
        deep = np.sign(x) * max(abs(x) - law.gap / 2, 0.0)
        T = law.stiffness * deep + law.damping * rate
        return T if deep and T * deep > 0 else 0.0
    T = law.force + law.stiffness * x + law.cubic * x**3 + law.damping * rate
    T += law.coulomb * np.tanh(rate / law.smoothing)
    for table, at in ((law.table, x), (law.damper_table, rate)):
        T += np.interp(at, *np.array(table).T) if table else 0.0
    return min(T, 0.0) * (x < 0) if law.side == "push" else T


def by_hand(m, q, v):
    """Generalised forces of all elements between coordinates, from labels alone."""
    total = np.zeros(m.nv)
    for part in m.model.elements:
        if part.coordinates:
            w = np.array(part.law.weights)
            iq = [m.q_labels.index(x) for x in part.coordinates]
            iv = [m.v_labels.index(x) for x in part.coordinates]
            total[iv] -= w * tension(part.law, w @ q[iq] - part.law.rest, w @ v[iv])
    return total


def bare(m):
    return m.replace(elements=tuple(x for x in m.model.elements if not x.coordinates))


def near(found, wanted, tolerance=1e-12, size=None):
    size = np.abs(wanted).max(initial=1.0) if size is None else size
    np.testing.assert_allclose(found, wanted, rtol=0.0, atol=tolerance * size)


@pytest.mark.parametrize("tier", [1, 2])
def test_every_question(tier):
    m = machine("all", tier=tier)
    plain = bare(m)
    for q, v, a in zip(*m.random_state(5, 3), strict=True):
        Q = by_hand(m, q, v)
        tau = plain.inverse_dynamics(q, v, a) - Q
        near(m.inverse_dynamics(q, v, a), tau)
        near(m.forward_dynamics(q, v, tau), a, 1e-9)
        near(m.bias_forces(q, v), plain.bias_forces(q, v) - Q)
        near(m.static_torques(q), plain.static_torques(q) - by_hand(m, q, 0.0 * v))
        near(m.reactions(q, v, a).total, plain.reactions(q, v, a).total)
        forces = m.solve(q, v, tau).element_forces
        own = [k for k, part in enumerate(m.model.elements) if part.coordinates]
        near(forces.power[own].sum(), Q @ v, 1e-11, np.abs(Q).max() * 10)
        assert not forces.wrench[own].any()
        near(
            m.inverse_dynamics(q, v, a, passive=False), plain.inverse_dynamics(q, v, a, None, False)
        )
        assert m.check(q, v, tau).worst < 1e-11


@pytest.mark.parametrize("kind", KINDS)
def test_readings(kind):
    """Force, position and rate in the units of the first coordinate."""
    m = machine(kind)
    q, v, _ = m.random_state(2)
    part = m.model.elements[1]
    w = np.array(part.law.weights)
    x = w @ [q[m.q_labels.index(n)] for n in part.coordinates]
    rate = w @ [v[m.v_labels.index(n)] for n in part.coordinates]
    wanted = [tension(part.law, x - part.law.rest, rate), x, rate]
    near(m.element_forces(q, v).along[1], np.array(wanted))
    unit = OF_FIRST[kind]
    assert part.law.units == ({"rad": "N m", "m": "N"}[unit], unit, f"{unit}/s")


@pytest.mark.parametrize("kind", KINDS)
def test_energy_and_derivatives(kind):
    """dE/dq = static forces (without friction); derivatives by differences, of both tiers."""
    m = machine(kind)
    q, v, a = m.random_state(8)
    h, units = 1e-6, 1e-6 * np.eye(m.nv)
    still = m.static_torques(q)
    slope = [(m.energy(m.integrate(q, d), v)[1] - m.energy(m.integrate(q, -d), v)[1]) / (2 * h)
             for d in units]  # fmt: skip
    near(still, np.array(slope), 3e-8)

    def tau(q, v):
        return m.inverse_dynamics(q, v, a)

    dq = [(tau(m.integrate(q, d), v) - tau(m.integrate(q, -d), v)) / (2 * h) for d in units]
    dv = [(tau(q, v + d) - tau(q, v - d)) / (2 * h) for d in units]
    for tier in (1, 2):
        found = m.compile(tier=tier).inverse_dynamics.derivatives(q, v, a)
        near(found.dq, np.array(dq).T, 3e-8)
        near(found.dv, np.array(dv).T, 3e-8)


def test_numbers_are_parameters():
    m, loops = machine("all"), machine("all", tier=1)
    Q, V, A = m.random_state(4, 5)
    P = m.parameters * np.random.default_rng(1).uniform(0.9, 1.1, (5, len(m.parameters)))
    wanted = m.inverse_dynamics(Q, V, A, parameters=P)
    near(loops.inverse_dynamics(Q, V, A, parameters=P), wanted)
    assert {"elastic gear.weights.1", "backlash.gap", "friction.coulomb"} <= set(m.parameter_names)
    row = np.array(m.parameters)
    row[m.parameter_names.index("elastic gear.weights.1")] = -5.0
    row[m.parameter_names.index("backlash.gap")] = 0.05
    other = m.replace(elements={"elastic gear": {"weights": (1.0, -5.0, 0.5)},
                                "backlash": {"gap": 0.05}})  # fmt: skip
    near(m.forward_dynamics(Q, V, A, parameters=row), other.forward_dynamics(Q, V, A), 1e-9)
    near(np.array(m.energy(Q, V, parameters=row)), np.array(other.energy(Q, V)))


# -- other formulations and closed forms -----------------------------------------------------------


def test_one_coordinate_is_the_spring_and_friction_of_the_joint():
    b = tree("joint")
    b.coordinate_spring("e", {"crane": 1}, stiffness=30.0, damping=2.0, rest=0.3, coulomb=1.5,
                        smoothing=0.2)  # fmt: skip
    m = b.build()
    law = Passive(viscous=2.0, coulomb=1.5, smoothing=0.2, spring=30.0, rest=0.3)
    peer = bare(m).replace(bodies={"crane": {"passive": law}})
    q, v, a = m.random_state(3)
    near(m.inverse_dynamics(q, v, a), peer.inverse_dynamics(q, v, a))
    near(np.array(m.energy(q, v)), np.array(peer.energy(q, v)))
    for one, two in zip(m.forward_dynamics.derivatives(q, v, a),
                        peer.forward_dynamics.derivatives(q, v, a), strict=True):  # fmt: skip
        near(one, two, 1e-10)
    for axis in ("x", "-y", "z"):
        runs = []
        for own in (True, False):
            b = am.Builder("wheel")
            b.body("wheel", joint="revolute", axis=axis, mass=1, com=(0.1, 0.1, 0.1),
                   inertia=(0.3, 0.3, 0.3), passive=() if own else law)  # fmt: skip
            if own:
                b.coordinate_spring("e", {"wheel": 1}, stiffness=30.0, damping=2.0, rest=0.3,
                                    coulomb=1.5, smoothing=0.2)  # fmt: skip
            runs.append(am.simulate(b.build(), [0.5], [0.2], duration=0.2)["q"])
        near(*runs)


@pytest.mark.parametrize("axis", ["x", "-y", "z"])
def test_coaxial_wheels_are_joined_by_a_torsion_spring(axis):
    def built(coordinates):
        b = am.Builder("shaft")
        for name, J in (("one", 0.2), ("two", 0.7)):
            b.body(name, joint="revolute", axis=axis, mass=1.0, com=(0.1, 0.2, 0.3),
                   inertia=(J, J, J))  # fmt: skip
        if coordinates:
            b.coordinate_spring("s", {"two": 1, "one": -1}, stiffness=9.0, damping=0.3, rest=0.2)
        else:
            b.torsion_spring("s", "one", "two", axis=axis, stiffness=9.0, damping=0.3, rest=0.2)
        return b.build()

    m, peer = built(True), built(False)
    for q in ([0.0, np.pi / 2], [0.3, -1.2]):
        state = np.array(q), np.array([0.4, -0.9]), np.array([1.0, 2.0])
        near(m.inverse_dynamics(*state), peer.inverse_dynamics(*state))
        near(m.element_forces(*state[:2]).along, peer.element_forces(*state[:2]).along)


def test_geared_rotors_oscillate():
    """ω² = k (1/J + n²/I) about n J w1 + I w2 = const."""
    k, n, J, inertia = 80.0, 7.0, 0.02, 3.0
    b = am.Builder("gear", gravity=(0, 0, 0))
    b.body("motor", joint="revolute", axis="x", mass=1, inertia=(J, J, J))
    b.body("load", joint="revolute", axis="-z", mass=1, inertia=(inertia,) * 3)
    b.coordinate_spring("s", {"motor": 1, "load": -n}, stiffness=k)
    m = b.build()
    omega = np.sqrt(k * (1 / J + n**2 / inertia))
    A = m.forward_dynamics.derivatives([0.0, 0.0], [0.0, 0.0], [0.0, 0.0]).dq
    np.testing.assert_allclose(np.sort(np.linalg.eigvals(A)), [-(omega**2), 0.0], atol=1e-9)
    run = am.simulate(m, [0.1, 0.0], [0.0, 0.0], duration=0.5, step=1e-4, record="q,v,energy")
    near((run["q"] @ [1, -n])[-1], 0.1 * np.cos(omega * 0.5), 1e-6)
    near(run["v"] @ [n * J, inertia], np.zeros(len(run.time)), 1e-12)
    near(run["energy"], run["energy"][0], 1e-9)


def test_backlash_rattles():
    """Between two sides: free flight across the gap, half a swing in contact, and back: the period
    is 2 gap / u + 2 π / ω.  Damping acts in contact alone, and never pulls."""
    k, m_, gap, u = 400.0, 2.0, 0.2, 3.0
    b = am.Builder("rattle", gravity=(0, 0, 0))
    b.body("bob", joint="prismatic", axis="x", mass=m_)
    b.backlash("side", {"bob": 1}, stiffness=k, gap=gap, rest=0.5)
    m = b.build()
    period = 2 * gap / u + 2 * np.pi / np.sqrt(k / m_)
    run = am.simulate(m, [0.5], [u], duration=period, step=period / 4000, record="q,v,energy")
    near(run["q"][-1], np.array([0.5]), 1e-5)
    near(run["v"][-1], np.array([u]), 1e-4)
    near(run["energy"], run["energy"][0], 1e-5)
    lossy = m.replace(elements={"side": {"damping": 30.0}})
    for q, v, T in ((0.55, 9.0, 0.0), (0.65, 1.0, 400 * 0.05 + 30), (0.65, -1.0, 0.0),
                    (0.35, -1.0, -50.0), (0.35, 0.1, -17.0)):  # fmt: skip
        near(lossy.element_forces([q], [v]).force("side"), T, 1e-10)


def test_every_method_and_power_balance():
    b = am.Builder("two arms")
    for k, name in enumerate(("one", "two")):
        b.body(name, joint="revolute", axis="y", at=(k, 0, 0), mass=1, com=(0, 0, -0.3),
               inertia=(0.1, 0.1, 0.1))  # fmt: skip
    b.coordinate_spring("s", {"one": 1, "two": -2}, stiffness=5.0, damping=0.3, coulomb=0.2,
                        smoothing=0.3)  # fmt: skip
    m = b.build()
    start = [0.5, -0.4], [0.0, 1.0]
    exact = am.simulate(m, *start, duration=0.5, step=2e-4, record="q,energy,element_forces")
    lost = 0.3 * exact["element_forces"][:, 8] ** 2
    rate = exact["element_forces"][:, 8]
    lost = lost + 0.2 * np.tanh(rate / 0.3) * rate
    dissipated = np.trapezoid(lost, exact.time)
    near(exact["energy"][0] - exact["energy"][-1], dissipated, 1e-6)
    for method in METHODS:
        run = am.simulate(m, *start, duration=0.5, step=2e-3, method=method)
        limit = 0.02 if method in ("euler", "semi-implicit", "exponential-euler") else 3e-4
        assert np.abs(run["q"][-1] - exact["q"][-1]).max() < limit, method


def test_closed_mechanism():
    """A four-bar with a spring between two of its joints: virtual work, and the same by hand."""
    plain = am.example("four-bar")
    labels = plain.v_labels[:2]
    law = LineForce(stiffness=12.0, damping=0.4, rest=0.1, weights=(1.0, -2.0), unit="rad")
    m = plain.replace(elements=(am.model.ForceElement("e", (), law, labels),))
    q = plain.assemble(plain.initial).q if hasattr(plain.assemble(plain.initial), "q") else None
    q = np.array(plain.initial) if q is None else q
    v = plain.project(q, np.ones(plain.nv))[1]
    Q = by_hand(m, q, v)
    tau = np.zeros(m.nv)
    near(m.forward_dynamics(q, v, tau), plain.forward_dynamics(q, v, tau + Q), 1e-9)
    run = am.simulate(m, q, v, duration=0.1, record="q,energy")
    assert run.complete and np.ptp(run["energy"]) > 1e-4


def test_symbols_and_c():
    from armillary.mechanism.symbolic import equations

    b = am.Builder("gear")
    b.body("motor", joint="revolute", axis="x", mass=1, inertia=(2, 2, 2))
    b.body("load", joint="revolute", axis="x", mass=1, inertia=(3, 3, 3))
    b.coordinate_spring("s", {"motor": 1, "load": -7}, stiffness=81.0)
    m = b.build()
    assert "81" in str(equations(m, "forward_dynamics"))
    assert "81" in m.to_c("forward_dynamics")


# -- files, edits, faults --------------------------------------------------------------------------


def test_there_and_back():
    model = machine("all").model
    text = write_native(model)
    assert "coordinates: {crane: 1.0" in text
    assert read_native(text=text) == model
    assert write_native(read_native(text=text)) == text


def test_locked_joints_hold_their_share():
    m = machine("elastic gear")
    q, v, a = m.random_state(6)
    k = m.v_labels.index("crane")
    v[k] = a[k] = 0.0
    wanted = np.delete(m.inverse_dynamics(q, v, a), k)
    for tier in (1, 2):
        locked = m.compile(tier=tier).lock({"crane": float(q[k])})
        state = np.delete(q, k), np.delete(v, k), np.delete(a, k)
        near(locked.inverse_dynamics(*state), wanted, 1e-11)
    again = read_native(text=write_native(locked.model))
    near(am.Mechanism(again).inverse_dynamics(*state), wanted, 1e-11)
    assert locked.unlock("crane").model.elements == m.model.elements
    everything = machine("stop").lock(["arm"])
    assert np.isfinite(everything.bias_forces(*everything.random_state(1)[:2])).all()
    with pytest.raises(am.FormatError, match="all joints of its coordinates are locked"):
        write_native(everything.model)
    part = m.subtree("arm")
    assert [x.name for x in part.model.elements] == [] and "outside" in str(part.report)
    assert "e  (spring: crane -3 arm.first +0.5 slide.angle)" in str(m)


HEAD = """armillary: 1
bodies:
  motor: {parent: world, joint: {type: revolute, axis: z}, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
  ball: {parent: motor, joint: {type: spherical}, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
  arm: {parent: ball, joint: {type: universal, axes: [x, y]}, mass: 1,
        inertia: {xx: 1, yy: 1, zz: 1}}
  weld: {parent: arm, joint: {type: fixed}, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
forces:
  e: """
FAULTS = {
    "{type: coordinate_spring, stiffness: 1}": "coordinates",
    "{type: coordinate_spring, coordinates: [motor], stiffness: 1}": "coordinates with their weigh",
    "{type: coordinate_spring, coordinates: {}, stiffness: 1}": "coordinates with their weights",
    "{type: coordinate_spring, coordinates: {moter: 1}, stiffness: 1}": "Did you mean 'motor'",
    "{type: coordinate_spring, coordinates: {arm: 1}, stiffness: 1}": "name one: arm.first",
    "{type: coordinate_spring, coordinates: {weld: 1}, stiffness: 1}": "fixed and cannot move",
    "{type: coordinate_spring, coordinates: {ball.wx: 1}, stiffness: 1}": "torsion_spring",
    "{type: coordinate_spring, coordinates: {motor: 0}, stiffness: 1}": "weight of one of its coo",
    "{type: coordinate_spring, coordinates: {motor: 1}}": "exerts no force",
    "{type: coordinate_spring, coordinates: {motor: 1}, stiffness: -1}": "stiffness is negative",
    "{type: coordinate_spring, coordinates: {motor: 1}, coulomb: -1}": "coulomb is negative",
    "{type: coordinate_spring, coordinates: {motor: 1}, coulomb: 1, smoothing: 0}":
        "smoothing is 0",
    "{type: coordinate_spring, coordinates: {motor: 1}, coulomb: 1, side: pull}": "both ways",
    "{type: backlash, coordinates: {motor: 1}, stiffness: 1, gap: -1}": "gap is negative",
    "{type: backlash, coordinates: {motor: 1}, stiffness: 0, gap: 1}": "more than 0",
    "{type: backlash, coordinates: {motor: 1}, stiffness: 1}": "gap",
}  # fmt: skip


@pytest.mark.parametrize("line", FAULTS)
def test_faults(line):
    with pytest.raises(am.FormatError, match=FAULTS[line]):
        read_native(text=HEAD + line + "\n")
