"""Friction and springs in the joint that closes a chain: as in a joint of the tree."""

import math

import numpy as np
import pytest

import armillary as am
from armillary.errors import ModelError
from armillary.model.joints import joint_spec, kernel_joint

SOME = {"mass": 2.0, "com": (0.1, 0.2, -0.1), "inertia": (0.3, 0.4, 0.5, 0.02, -0.03, 0.04)}
KINDS = [
    ("revolute", {"axis": "y"}), ("prismatic", {"axis": (1, 2, 2)}),
    ("helical", {"axis": "x", "pitch": 0.2}), ("cylindrical", {"axis": "z"}),
    ("universal", {"axes": ["y", "z"]}), ("planar", {"axis": "x"}), ("spherical", {}),
    ("free", {}), ("gimbal", {"free": ("rx", "rz")}), ("gimbal", {"free": ("ry", "rz", "dx")}),
    ("gimbal", {"free": ("rx", "ry", "rz", "dx", "dy", "dz")}), ("gimbal", {"free": ("dy", "dz")}),
]  # fmt: skip
LAWS = {
    "nothing": am.Passive(),
    "viscous": am.Passive(viscous=0.3),
    "Coulomb": am.Passive(coulomb=0.2, smoothing=1e-2),
    "Stribeck": am.Passive(coulomb=0.1, static=0.2, stribeck=0.3, smoothing=1e-2),
    "spring": am.Passive(spring=3.0, rest=-1.2),
    "table": am.Passive(table=((-4.0, -1.0), (0.0, 0.0), (4.0, 0.5))),
    "law": am.Passive(law=lambda x, v: 0.4 * x * x * x + 0.1 * v * v * v),
}


def four_bar(cut: str, law: am.Passive) -> am.Mechanism:
    """The same linkage, cut at the pin with the law or at the foot of the rocker."""
    b = am.Builder("bars")
    b.body("crank", axis="y", mass=0.4, com=(0.1, 0, 0), inertia=(1e-4, 1e-3, 1e-3))
    far = {"mass": 0.8, "com": (0.25, 0, 0), "inertia": (5e-4, 2e-2, 2e-2)}
    b.body("coupler", "crank", "revolute", (0.2, 0, 0), axis="y", **far)
    rocker = {"axis": "y", "mass": 0.6, "inertia": (4e-4, 8e-3, 8e-3)}
    end = am.Frame("end", "coupler", am.Pose((0.5, 0, 0)))
    if cut == "pin":
        b.body("rocker", at=(0.6, 0, 0), com=(0.2, 0, 0), **rocker)
        tip = am.Frame("tip", "rocker", am.Pose((0.4, 0, 0)))
        b.loop("pin", end, tip, "revolute", axis="y", passive=law)
        b.initial = {"crank": -1.0, "coupler": 0.5, "rocker": -1.5}
    else:
        b.body("rocker", "coupler", at=(0.5, 0, 0), com=(-0.2, 0, 0), joint_name="pin",
               passive=law, **rocker)  # fmt: skip
        foot = am.Frame("foot", "rocker", am.Pose((-0.4, 0, 0)))
        ground = am.Frame("ground", "world", am.Pose((0.6, 0, 0)))
        b.loop("foot", ground, foot, "revolute", axis="y")
        b.initial = {"crank": -1.0, "coupler": 0.5, "pin": -2.0}
    return b.build()


def moving(m: am.Mechanism) -> tuple[np.ndarray, np.ndarray]:
    """Closed, with a crank that turns at 2 rad/s."""
    q = m.assemble(hold=["crank"]).q
    v = m.project(q, [2.0, 0.0, 0.0])[1]
    return q, v * (2.0 / v[0])


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_a_four_bar_moves_alike_wherever_it_is_cut(law):
    runs = []
    for cut in ("foot", "pin"):
        m = four_bar(cut, law)
        record = ("q", "energy")
        runs.append(am.simulate(m, *moving(m), duration=0.5, every=50, record=record))
    there, here = runs
    assert np.abs(here.q[:, :2] - there.q[:, :2]).max() < 1e-7
    assert np.abs(here.energy - there.energy).max() < 1e-8  # springs of the loop are in it
    bare = am.simulate(four_bar("pin", am.Passive()), *moving(m), duration=0.5, every=50)
    assert (np.abs(here.q[:, :2] - bare.q[:, :2]).max() > 1e-2) == (law != am.Passive())


@pytest.mark.parametrize(("kind", "options"), KINDS, ids=str)
def test_a_loop_of_every_kind_resists_as_a_joint_of_the_tree(kind, options):
    """A free body in a loop to the world, and the same body on that joint: accelerations, the
    wrench in the joint, energies and power."""
    joint = kernel_joint(joint_spec(kind, name="j", **options))
    laws = tuple(
        am.Passive(viscous=0.1 + 0.2 * k, coulomb=0.3, smoothing=0.5,
                   spring=2.0 + k if joint.nq == joint.nv else 0.0, rest=0.1 * k)
        for k in range(joint.nv)
    )  # fmt: skip
    at = am.Pose.from_rpy((0.1, 0.2, 0.3), (0.3, -0.2, 0.5))
    b = am.Builder("tree")
    b.body("box", "world", kind, at, joint_name="j", passive=laws, **options, **SOME)
    tree = b.build()
    b = am.Builder("loop")
    b.body("box", "world", "free", **SOME)
    b.loop("j", am.Frame("ground", "world", at), "box", kind, passive=laws, **options)
    loop = b.build()
    rng = np.random.default_rng(1)
    q = tree.integrate(tree.neutral(), rng.uniform(-1.4, 1.4, tree.nv))
    v, zero = rng.normal(size=tree.nv), np.zeros(6)
    R, p = tree.pose(q, "box")
    turn = am.Pose((0, 0, 0), tuple(map(tuple, R.tolist()))).quaternion()
    q_free, v_free = np.concatenate([turn, p]), tree.velocity(q, v, "box")
    for passive in (True, False):
        own = tree.solve(q, v, np.zeros(tree.nv), passive=passive)
        tied = loop.solve(q_free, v_free, zero, passive=passive)
        wanted = tree.acceleration(q, v, own.acceleration, "box")
        found = loop.forward_dynamics(q_free, v_free, zero, passive=passive)
        for a in (found, tied.acceleration):
            moved = loop.acceleration(q_free, v_free, a, "box")
            assert np.allclose(moved, wanted, rtol=1e-11, atol=1e-11)
        assert np.allclose(tied.constraint_forces["j"], own.reactions["j"], rtol=1e-11, atol=1e-11)
        assert tied.kinetic == pytest.approx(own.kinetic, rel=1e-12)
        assert tied.potential == pytest.approx(own.potential, rel=1e-12)
        assert abs(tied.balance.imbalance) < 1e-11
        resisted = tree.bias_forces(q, v, passive=passive) - tree.bias_forces(q, v, passive=False)
        assert tied.balance.passive == pytest.approx(float(resisted @ v), abs=1e-11)
    errors = loop.check(q_free, v_free, zero).errors()
    assert all(x < 1e-11 for name, x in errors.items() if not name.startswith("rows"))


def test_derivatives_know_the_friction_of_a_loop():
    """Against central differences along admissible variations."""
    m = four_bar("pin", am.Passive(viscous=0.3, spring=3.0, rest=0.4))
    q, v = moving(m)
    d = m.forward_dynamics.derivatives(q, v, np.zeros(3))
    h = 1e-6

    def a(q, v):
        return m.forward_dynamics(q, v, np.zeros(3))

    along = d.velocities[:, 0]
    slope = (a(q, v + h * along) - a(q, v - h * along)) / (2 * h)
    assert np.allclose(d.dv[:, 0], slope, rtol=1e-7, atol=1e-7)
    along = d.motions[:, 0]
    slope = (a(q + h * along, v) - a(q - h * along, v)) / (2 * h)
    assert np.allclose(d.dq[:, 0], slope, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("method", ["dopri5", "variational", "implicit", "exponential"])
def test_every_method_takes_the_same_energy(method):
    """Energy that is gone = ∫ viscous rate² dt, of the relative rate coupler - rocker."""
    m = four_bar("pin", am.Passive(viscous=0.3))
    q, v = moving(m)
    run = am.simulate(m, q, v, duration=0.3, step=1e-3, method=method, record=("v", "energy"))
    rate = run.v[:, 2] - run.v[:, 0] - run.v[:, 1]
    power = 0.3 * rate * rate
    taken = np.sum((power[1:] + power[:-1]) / 2) * 1e-3
    assert taken > 0.3
    assert run.energy[0] - run.energy[-1] == pytest.approx(taken, rel=1e-3)


def test_forces_that_hold_a_spring_in_a_loop():
    """Virtual work: crank torque · crank rate = -d(potential)/dt at rest."""
    m = four_bar("pin", am.Passive(spring=5.0, rest=0.3))
    q, v = moving(m)
    hold = m.holding_forces(q, ["crank"])
    h = 1e-6
    ends = [m.project(m.integrate(q, s * h * v))[0] for s in (1.0, -1.0)]
    energies = [float(m.energy(x, np.zeros(3))[1]) for x in ends]
    assert hold["crank"] * v[0] == pytest.approx((energies[0] - energies[1]) / (2 * h), rel=1e-6)


def test_a_spring_pulls_towards_the_nearest_turn_of_its_rest():
    """A flywheel between two centres; its loop has turned by x, and the rest is two turns on."""
    b = am.Builder("wheel")
    b.body("disc", "world", "free", mass=1.0, inertia=(0.5, 0.5, 0.5))
    law = am.Passive(spring=2.0, rest=4.0 * math.pi + 0.5)
    b.loop("axle", "world", "disc", "revolute", axis="z", passive=law)
    m = b.build()
    for x in (0.4, 2.0, -2.4):
        q = [math.cos(x / 2), 0, 0, math.sin(x / 2), 0, 0, 0]
        a = m.forward_dynamics(q, np.zeros(6), np.zeros(6))
        assert a[2] == pytest.approx(-2.0 * (x - 0.5) / 0.5, rel=1e-12)
        assert float(m.energy(q, np.zeros(6))[1]) == pytest.approx((x - 0.5) ** 2, rel=1e-12)


def test_batches_and_loops_with_different_numbers():
    """Two boxes on loops with other numbers: each as it is alone; rows as single states."""

    def boxes(laws):
        b = am.Builder("boxes")
        for k, law in laws:
            b.body(f"box{k}", "world", "free", **SOME)
            b.loop(f"pin{k}", "world", f"box{k}", "revolute", axis="z", passive=law)
        return b.build()

    laws = [(0, am.Passive(viscous=0.3, spring=2.0)), (1, am.Passive(viscous=0.7, spring=5.0))]
    both = boxes(laws)
    rng = np.random.default_rng(2)
    angle, rate = rng.normal(size=(2, 7, 2))
    q, v = np.zeros((7, 14)), np.zeros((7, 12))
    for k in range(2):
        q[:, 7 * k], q[:, 7 * k + 3] = np.cos(angle[:, k] / 2), np.sin(angle[:, k] / 2)
        v[:, 6 * k + 2] = rate[:, k]
    a = both.forward_dynamics(q, v, np.zeros((7, 12)))
    system = both.solve(q, v, np.zeros((7, 12)))
    for k in range(2):
        one = boxes(laws[k : k + 1])
        for row in range(7):
            state = q[row, 7 * k : 7 * k + 7], v[row, 6 * k : 6 * k + 6]
            alone = one.forward_dynamics(*state, np.zeros(6))
            for found in (a, system.acceleration):
                assert np.allclose(found[row, 6 * k : 6 * k + 6], alone, atol=1e-11)


def test_the_native_file_keeps_it(tmp_path):
    law = am.Passive(viscous=0.3, coulomb=0.1, smoothing=0.1, spring=2.0, rest=-0.8)
    m = four_bar("pin", law)
    m.save(tmp_path / "bars.yaml")
    again = am.load(tmp_path / "bars.yaml")
    assert again.model.loops == m.model.loops and again.model.loops[0].joint.passive == (law,)
    q, v = moving(m)
    zero = np.zeros(3)
    assert np.array_equal(again.solve(q, v, zero).acceleration, m.solve(q, v, zero).acceleration)


def test_what_a_closing_joint_cannot_have():
    with pytest.raises(ModelError, match=r"loop 'pin'.*load_radial.*Cut the chain"):
        four_bar("pin", am.Passive(load_radial=0.1))
    with pytest.raises(ModelError, match=r"loop 'pin'.*one entry per degree of freedom"):
        four_bar("pin", (am.Passive(), am.Passive()))
    b = am.Builder("ball")
    b.body("box", "world", "free", **SOME)
    b.loop("ball", "world", "box", "spherical", passive=am.Passive(spring=1.0))
    with pytest.raises(ModelError, match="'ball': a spring needs a coordinate"):
        b.build()
    b = am.Builder("geared")
    b.body("box", "world", "free", **SOME)
    spec = joint_spec("revolute", name="pin", axis="z", rotors=(am.Rotor(0.1, 2.0),))
    b.loop("pin", "world", "box", spec)
    with pytest.raises(ModelError, match=r"loop 'pin': .* drives no rotor"):
        b.build()
    dry = four_bar("pin", am.Passive(coulomb=0.2))
    with pytest.raises(am.InputError, match="'pin' closes a chain"):
        am.simulate(dry, moving(dry)[0], events=am.StickSlip())
