"""What acts on a mechanism acts in every formulation: external wrenches in frames of any body,
friction, springs, force elements.

Oracles: `Direct` (4x4 matrices, d'Alembert) for trees, slopes of a spring's energy by complex
steps, virtual work for closed mechanisms, balance of the bodies beyond a joint."""

import dataclasses

import numpy as np
import pytest
from typer.testing import CliRunner

import armillary as am
import samples
from armillary.cli.app import app
from armillary.textbook.formulations.registry import QUANTITIES
from formulations.test_agreement import arm_with_everything, closed_state, turning_chain
from oracles.direct import Direct

ALL = am.methods.FORMULATIONS
STIFF, REST = 150.0, 0.3  # of the strut, N/m and m
LOADED = [f for f in ALL if f.quantity in ("statics", "inverse dynamics", "forward dynamics")]


def strutted() -> am.Mechanism:
    """A revolute arm with friction, springs, rotors, a hand welded on, and a strut to the world."""
    model = arm_with_everything(("revolute",) * 3).model
    b = am.Builder("strutted", gravity=(1.0, -2.0, -9.0))
    for body in model.bodies:
        b.add(body)
    b.body("hand", "body2", "fixed", (0.1, -0.2, 0.3), mass=0.7, com=(0.1, 0, 0.05))
    b.frame("tip", "hand", samples.random_pose(np.random.default_rng(2)))
    b.spring("strut", "world", "tip", stiffness=STIFF, rest=REST)
    return b.build()


def moving() -> am.Mechanism:
    return am.Mechanism(samples.random_model(31, bodies=5)).replace(
        base_velocity=(0.3, -0.2, 0.5, 1.0, 2.0, -1.0), base_acceleration=(0.1, 0.4, -0.3, 2, 1, 3)
    )


MACHINES = {
    "strutted": strutted,
    "bare": lambda: am.Mechanism(samples.structured_model(1, ("revolute",), 1)),
    "turning": lambda: turning_chain("free"),
    "branched": lambda: am.Mechanism(samples.random_model(7, samples.KINDS, bodies=7)),
    "moving base": moving,
    "flexible": lambda: am.example("dual-arm-free-flyer").tree,
}


def wrenches(m: am.Mechanism) -> dict[str, np.ndarray]:
    """On the last body, on one in the middle, in a frame, on the ground."""
    rng, bodies = np.random.default_rng(3), m.bodies
    names = dict.fromkeys([bodies[-1], bodies[len(bodies) // 2], m.frames[-1], "world"])
    return {name: rng.normal(size=6) * 5.0 for name in names}


def strut_forces(m: am.Mechanism, q) -> np.ndarray:
    """∂V/∂q of V = ½ k (l - l0)²."""
    if not m.model.elements:
        return np.zeros(m.nv)
    direct, h = Direct(m.model), 1e-30
    p = [direct.pose(q + 1j * h * unit, "tip")[:3, 3] for unit in np.eye(m.nv)]
    return np.array([(0.5 * STIFF * (np.sqrt(x @ x) - REST) ** 2).imag / h for x in p])


def expected(m: am.Mechanism, q, v, a, external, passive) -> dict[str, np.ndarray]:
    strut = strut_forces(m, q) if passive else 0.0
    still = dataclasses.replace(m.model, base_velocity=(), base_acceleration=())
    tau = Direct(m.model, passive).inverse_dynamics(q, v, a, external) + strut
    held = Direct(still, passive).inverse_dynamics(q, 0.0 * v, 0.0 * v, external) + strut
    return {"statics": held, "inverse dynamics": tau, "forward dynamics": a}


@pytest.mark.parametrize(("name", "passive"), [*((x, True) for x in MACHINES), ("strutted", False)])
def test_every_formulation_of_a_tree_takes_all_that_acts(name, passive):
    m = MACHINES[name]()
    q, v, a = samples.random_state(m.model, 4)
    external = wrenches(m)
    right = expected(m, q, v, a, external, passive)
    known = [f for f in LOADED if not f.refusal(m.model)]
    for f in known:
        given = {"q": q, "v": v, "a": a, "tau": right["inverse dynamics"]}
        state = [given[x] for x in QUANTITIES[f.quantity][0]]
        answer = f(m, *state, external=external, passive=passive)
        scale = np.abs(right[f.quantity]).max() + np.abs(right["inverse dynamics"]).max()
        assert np.abs(answer - right[f.quantity]).max() < 1e-9 * scale, f.name
        without = f(m, *state, passive=passive)
        assert np.abs(without - answer).max() > 1e-3, f.name
        if not f.name.startswith("compiled"):
            shown = m.explain(f.name, *state, external=external, passive=passive)
            np.testing.assert_allclose(shown.answer, answer, atol=1e-9 * scale)
    check = m.check(q, v, right["inverse dynamics"], external, passive)
    assert check.agreed and "laws" not in check.verdict, check
    found = {part.quantity: part for part in check.agreements}
    held = found["statics"]
    assert len(held.answers) == len([f for f in known if f.quantity == "statics"])
    np.testing.assert_allclose(held.consensus, right["statics"], atol=1e-9 * scale)
    driven, moved = found["inverse dynamics"].consensus[0], found["forward dynamics"].consensus[0]
    np.testing.assert_allclose(driven, right["inverse dynamics"], atol=1e-8 * scale)
    np.testing.assert_allclose(moved, a, atol=1e-7 * scale)


def test_every_formulation_is_asked_with_loads():
    machines = [make() for make in MACHINES.values()]
    assert {f.name for m in machines for f in LOADED if not f.refusal(m.model)} == {
        f.name for f in LOADED
    }


def test_statics_is_certified_with_loads_and_springs():
    m = strutted()
    q, _, _ = samples.random_state(m.model, 5)
    right = expected(m, q, np.zeros(3), np.zeros(3), wrenches(m), True)["statics"]
    np.testing.assert_allclose(
        m.static_torques(q, wrenches(m), certified=True), right, rtol=0, atol=1e-9
    )


@pytest.mark.parametrize("name", ["four-bar", "dual-arm-free-flyer", "two-wheeled-cart"])
def test_every_formulation_of_a_closed_mechanism_takes_wrenches(name):
    """A wrench does what J^T w on the joints does."""
    m = am.example(name)
    q, v, tau = closed_state(m)
    external = wrenches(m)
    tree = Direct(m.tree.model)
    work = sum(tree.jacobian(q, frame).T @ w for frame, w in external.items())
    for f in am.methods.formulations("constrained dynamics", m):
        try:
            without = f(m, q, v, tau)
        except am.ModelError:
            continue  # massless bodies: it says so
        answer = f(m, q, v, tau, external=external)
        np.testing.assert_allclose(answer, f(m, q, v, tau + work), rtol=1e-8, atol=1e-8)
        assert np.abs(answer - without).max() > 1e-3, f.name
    check = m.check(q, v, tau, external)
    assert check.agreed, check
    moved = m.forward_dynamics(q, v, tau + work)
    np.testing.assert_allclose(
        check.agreements[-1].consensus[0], moved, rtol=0, atol=1e-8 * np.abs(moved).max()
    )


def test_what_a_formulation_cannot_use_is_refused_by_name():
    m = arm_with_everything(("revolute",) * 3)
    q, push = np.zeros(3), {"tip": np.ones(6)}
    for f in am.methods.formulations("mass matrix", m):
        with pytest.raises(am.InputError, match=f"external: {f.name} gives a mass matrix"):
            f(m, q, external=push)
    for question in ("mass_matrix", "gravity_forces", "center_of_mass"):
        with pytest.raises(TypeError, match=rf"{question}: .*'external'; it takes q, "):
            getattr(m, question)(q, external=push)
    statics = am.methods.formulation("force recursion")
    with pytest.raises(am.InputError, match=r"external\['tip'\]: expected one wrench.*found 2"):
        statics(m, q, external={"tip": np.ones((2, 6))})
    with pytest.raises(am.InputError, match="tip"):
        statics(m, q, external={"tip": [1.0, 2.0]})
    with pytest.raises(am.ArmillaryError, match="Did you mean 'tip'"):
        statics(m, q, external={"tpi": np.ones(6)})


# -- what is shown on the way -----------------------------------------------------------------


def carried(m: am.Mechanism, q, external) -> list[np.ndarray]:
    """Wrench in every joint of a chain without weight: what the loads beyond it leave to it."""
    direct, found = Direct(m.model), []
    for k in range(len(m.bodies)):
        total = np.zeros(6)
        for frame, w in external.items():
            body, _ = direct.frame(frame)
            if body >= 0 and direct.descends(body, k):
                H = np.linalg.inv(direct.pose(q, m.bodies[k])) @ direct.pose(q, frame)
                f = H[:3, :3] @ w[3:]
                total -= np.r_[H[:3, :3] @ w[:3] + np.cross(H[:3, 3], f), f]
        found.append(total)
    return found


def weightless() -> am.Mechanism:
    return arm_with_everything(("revolute",) * 3).replace(gravity=(0.0, 0.0, 0.0))


@pytest.mark.parametrize("method", ["Newton-Euler", "operator form", "force recursion"])
def test_forces_in_the_joints_hold_the_loads(method):
    """(4.30) with the tip's force; without weight and motion nothing but the loads is left."""
    m = weightless()
    q, external = np.array([0.3, -0.8, 0.5]), wrenches(m)
    state = [q] if method == "force recursion" else [q, np.zeros(3), np.zeros(3)]
    e = m.explain(method, *state, external=external)
    for k, f in enumerate(carried(m, q, external), 1):
        shown = {
            "Newton-Euler": lambda k=k: e[f"f_{k}"],
            "operator form": lambda k=k: e["F"][6 * k - 6 : 6 * k],
            "force recursion": lambda k=k: np.r_[e[f"n_{k}"], e[f"f_{k}"]],
        }[method]()
        np.testing.assert_allclose(shown, f, atol=1e-12)
    if method == "Newton-Euler":  # and the load is no part of the net force (4.29)
        np.testing.assert_allclose(e["F_3"], np.zeros(6), atol=1e-12)
        assert "F - w + Σ X^T f beyond (4.30)" in str(e)


@pytest.mark.parametrize("at_joints", [False, True])
def test_the_shown_numbers_obey_4_30_under_loads(at_joints):
    """f = F - w + Σ X^T f beyond, in both frames of slides; statics has one frame alone."""
    m = am.example("stanford")
    q, v, a = samples.random_state(m.model, 4)
    external = wrenches(m)
    e = m.explain("Newton-Euler", q, v, a, external=external, frames_at_joints=at_joints)
    for k in range(1, 5):
        beyond = e[f"X_{k + 1}"].T @ e[f"f_{k + 1}"] if k < 4 else 0.0
        np.testing.assert_allclose(e[f"f_{k}"], e[f"F_{k}"] - e[f"w_{k}"] + beyond, atol=1e-10)
    slot = m.model.slots[1].v
    np.testing.assert_allclose(
        e["phi_2"].T @ e["f_2"], e["tau"][slot.start : slot.stop], atol=1e-10
    )
    with pytest.raises(am.InputError, match="frames_at_joints: force recursion"):
        m.explain("force recursion", q, external=external, frames_at_joints=True)


def test_the_inverse_arm_shows_the_loads():
    """Force and moment in the joints by their sizes, and moments along the axes, DH frames."""
    m = weightless()
    q, external = np.array([0.3, -0.8, 0.5]), wrenches(m)
    e = m.explain("Inverse Arm", q, np.zeros(3), np.zeros(3), external=external, passive=False)
    for k, f in enumerate(carried(m, q, external)):
        np.testing.assert_allclose(np.linalg.norm(e["f"][k]), np.linalg.norm(f[3:]), rtol=1e-9)
        assert abs(e["n"][k] @ e["f"][k] - f[:3] @ f[3:]) < 1e-9 * np.abs(f).max() ** 2


def test_newton_euler_leaves_the_force_of_a_strut_to_the_strut():
    """With the strut, f of the first joint is what holds the ground but for the strut's pull."""
    m = strutted()
    q, v, a = samples.random_state(m.model, 6)
    e, bare = (m.explain("Newton-Euler", q, v, a, passive=passive) for passive in (True, False))
    R, _ = m.pose(q, "body0")
    tip = Direct(m.model).pose(q, "tip")[:3, 3]
    length = np.linalg.norm(tip)
    pull = -STIFF * (length - REST) * tip / length  # on the hand, towards the world's origin
    np.testing.assert_allclose(R @ e["f_1"][3:], R @ bare["f_1"][3:] - pull, rtol=1e-9)


def test_the_command_takes_loads():
    words = ["explain", "two-link", "--method", "statics", "--q", "0.3,0.5"]
    push = ["--external", "tip=0,0,0,3,-2,0"]
    done = [CliRunner().invoke(app, [*words, *more]).output for more in ([], push)]
    last = [text.rstrip().splitlines()[-1].split() for text in done]
    want = am.example("two-link").static_torques([0.3, 0.5], {"tip": [0, 0, 0, 3, -2, 0]})
    np.testing.assert_allclose(np.array(last[1], float), want, rtol=1e-6)
    assert last[0] != last[1]


def test_friction_by_load_counts_the_wrench_in_what_is_certified():
    """tau = S^T f + b v + μ |f_radial| with the wrench in f; `check` knows such an arm, too."""
    b = am.Builder("rubbing")
    b.body("a", axis="y", mass=1.0, com=(0, 0, -0.5), inertia=(1, 1, 1),
           passive=am.Passive(load_radial=0.05, viscous=0.1))  # fmt: skip
    m, external = b.build(), {"a": [0.0, 1.0, 0.0, 3.0, 0.0, 1.0]}
    f = m.body_forces([0.3], [0.5], [0.2], external, passive=False).transmitted[0]
    tau = f[1] + 0.1 * 0.5 + 0.05 * np.hypot(f[3], f[5])
    found = m.inverse_dynamics([0.3], [0.5], [0.2], external, certified=True)
    np.testing.assert_allclose(found, [tau], rtol=1e-12)
    back = m.forward_dynamics([0.3], [0.5], found, external, certified=True)
    np.testing.assert_allclose(back, [0.2], rtol=1e-9)
    check = m.check([0.3], [0.5], found, external)
    assert check.agreed and len(check.agreements[1].answers) == 4
