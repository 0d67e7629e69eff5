"""`explain`: the numbers on the way are those the documents print, and obey laws of their own.

What is shown is compared with the recorded cases, with compiled kinematics (other code), and
between formulations that share nothing."""

import numpy as np
import pytest
from typer.testing import CliRunner

import armillary as am
import samples
from armillary.cli.app import app
from armillary.textbook.formulations.registry import QUANTITIES
from seeds.cases import assert_value, case
from seeds.test_stanford import cubic, tap_place

STANFORD = case("000_stanford_inverse_dynamics")
TAP = case("000_tap_closing")
FOUR = case("000_four_link_closed")
Q, V, A = (np.array(STANFORD.problem[name], float) for name in ("q", "qd", "qdd"))
SHOWN = [f for f in am.methods.FORMULATIONS if not f.name.startswith("compiled")]


# -- chapter 4 of [VanDerMerwe1995] ---------------------------------------------------------------


def stanford_symbol(quantity: str) -> str:
    """Symbol of `explain` for a recorded quantity: 'I_2 spatial' -> 'I_2', '3X2' -> 'X_3'."""
    if "X" in quantity:
        return f"X_{quantity[0]}"
    return {"Ibar_1": "I_1", "tau pinocchio": "tau"}.get(quantity, quantity.split()[0])


@pytest.mark.parametrize("quantity", STANFORD.values)
def test_section_4_5_number_by_number(quantity):
    """Every recorded value, 4.37-4.62; frame 2 at its joint, as the source has it."""
    arm, recorded = am.example("stanford"), STANFORD[quantity]
    if quantity.startswith("H"):
        assert_value(arm.explain("structural growth", Q)["H_4"], recorded)
        return
    v = 0 * V if quantity == "tau gravity part" else V
    if quantity == "tau velocity part":
        arm = arm.replace(gravity=(0.0, 0.0, 0.0))
    found = arm.explain("inverse dynamics", Q, v, A, frames_at_joints=True)
    value = found[stanford_symbol(quantity)]
    assert_value(value[:3, :3] if quantity == "Ibar_1" else value, recorded)


def test_section_4_6_at_its_recorded_instants():
    """The tap: at the start, just before and after engaging, at the end (-5 N m on the tip)."""
    arm, q_tap = am.example("stanford"), tap_place()
    q_end = q_tap + np.array([0, 0, 0, 0, np.pi])
    assert_value(q_tap, TAP["q at tap (solution used)"])
    assert_value(q_end, TAP["q after turning"])
    start, before = (np.array(x) for x in zip(*cubic(Q, q_tap, 1.0, [0.0, 1.0]), strict=True))
    after, end = (np.array(x) for x in zip(*cubic(q_tap, q_end, 0.5, [0.0, 0.5]), strict=True))
    wrench = {"tip": [-5.0, 0.0, 0.0, 0.0, 0.0, 0.0]}

    def tau(state, external=None):
        return arm.explain("Newton-Euler", *state, external=external)["tau"]

    assert_value(tau(start), TAP["tau at t=0"])
    expected = TAP["tau just before/after engaging (t=1-,1+)"]
    assert_value([tau(before), tau(after, wrench)], expected)
    assert_value(tau(end, wrench), TAP["tau at t=1.5"])


@pytest.mark.parametrize("k", range(1, 5))
def test_section_5_5_growth_link_by_link(k):
    """J_k and H_k of the four links (5.96-5.105), inertias and transforms before them."""
    found = am.example("four-link-closed").tree.explain("structural growth", FOUR.problem["q"])
    for symbol in ("I", "J", "H"):
        assert_value(found[f"{symbol}_{k}"], FOUR[f"{symbol}_{k}"])
    assert_value(found[f"X_{k}"], FOUR[f"{k}X{k - 1}"])


# -- every formulation ----------------------------------------------------------------------------


def machine_of(row) -> am.Mechanism:
    flyer = am.example("dual-arm-free-flyer")
    machines = [*map(am.example, ("four-bar", "stanford", "six-r")), flyer.tree, flyer]
    return next(m for m in machines if not row.refusal(m.model))


def state_of(m: am.Mechanism, row) -> list[np.ndarray]:
    q, v, x = m.random_state(3)
    if m.constraints:
        q, v = m.project(m.initial, v)
    return [q, v, x][: len(QUANTITIES[row.quantity][0])]


@pytest.mark.parametrize("row", SHOWN, ids=lambda f: f.name)
def test_every_formulation_shows_its_work_and_gives_the_same_answer(row):
    m = machine_of(row)
    state = state_of(m, row)
    found, names = m.explain(row.name, *state), QUANTITIES[row.quantity][0]
    np.testing.assert_allclose(found.answer, row(m, *state), rtol=1e-12, atol=1e-12)
    assert found.symbols[: len(names)] == names
    assert len(found.notes) > len(names) + 1, "nothing on the way"
    for note in found.notes:
        assert note.frame and note.about and np.isfinite(note.value).all(), note.symbol


@pytest.mark.parametrize("row", SHOWN, ids=lambda f: f.name)
def test_all_three_layouts_have_every_quantity(row):
    m = machine_of(row)
    found = m.explain(row.name, *state_of(m, row))
    text, markdown, html = str(found), found.to_markdown(), found._repr_html_()
    for note in found.notes:
        unit = f" [{note.unit}]" if note.unit else ""
        assert f"\n{note.symbol}{unit}: {note.about}; {note.frame}\n" in text
        assert f"**{note.symbol}**{unit}: {note.about}; {note.frame}" in markdown
    assert html.count("<tr>") == len(found.notes) + 1
    assert repr(found) == text


# -- laws -----------------------------------------------------------------------------------------


@pytest.fixture(params=["stanford", "all-joints", "right-angles"])
def tree(request) -> am.Mechanism:
    if request.param == "stanford":
        return am.example("stanford")
    if request.param == "right-angles":
        return am.Mechanism(samples.structured_model(3))
    return am.Mechanism(samples.random_model(7, samples.KINDS, bodies=11))


def test_motions_and_forces_are_those_of_compiled_code(tree):
    """v, a at the bodies' origins by `velocity` and `acceleration`; f by `body_forces`."""
    q, v, a = samples.random_state(tree.model, 2)
    found = tree.explain("Newton-Euler", q, v, a, passive=False)
    forces = tree.body_forces(q, v, a, passive=False)
    for k, name in enumerate(tree.bodies, 1):
        R, _ = tree.pose(q, name)
        felt = tree.acceleration(q, v, a, name)
        felt[3:] -= R.T @ tree.model.gravity
        close(found[f"v_{k}"], tree.velocity(q, v, name))
        close(found[f"a_{k}"], felt)
        close(found[f"F_{k}"], forces.net[k - 1])
        close(found[f"f_{k}"], forces.transmitted[k - 1])


@pytest.mark.parametrize("at_joints", [False, True])
def test_the_shown_numbers_obey_the_shown_equations(tree, at_joints):
    """v = X v_before + phi v_J (4.27), f = F + Σ X^T f (4.30), tau = phi^T f (4.31): in the
    frames of the bodies and with those of slides at their joints."""
    q, v, a = samples.random_state(tree.model, 4)
    e = tree.explain("Newton-Euler", q, v, a, passive=False, frames_at_joints=at_joints)
    parents, slots = tree.model.parents, tree.model.slots
    for k in range(len(parents)):
        own = slice(slots[k].v.start, slots[k].v.stop)
        if parents[k] >= 0:
            before = e[f"X_{k + 1}"] @ e[f"v_{parents[k] + 1}"]
            close(e[f"v_{k + 1}"], before + e[f"phi_{k + 1}"] @ v[own])
        beyond = [e[f"X_{c + 1}"].T @ e[f"f_{c + 1}"] for c, p in enumerate(parents) if p == k]
        close(e[f"f_{k + 1}"], e[f"F_{k + 1}"] + sum(beyond))
        close(e[f"phi_{k + 1}"].T @ e[f"f_{k + 1}"], e["tau"][own])
        # F = I a + gyroscopic terms (4.29), a being that of the frame's origin
        I, w = e[f"I_{k + 1}"], e[f"v_{k + 1}"][:3]
        turning = np.concatenate([np.cross(w, I[:3, :3] @ w), np.cross(w, I[3:, :3] @ w)])
        close(e[f"F_{k + 1}"], I @ e[f"a_{k + 1}"] + turning)


def test_growth_and_projection_tell_of_the_same_links():
    """H_i of growing chains against what each body adds in world axes: other code, other frames."""
    m = am.Mechanism(samples.random_model(5, samples.MOVING, 6, branching=0.0, roots=0.0))
    q, v, _ = samples.random_state(m.model, 1)
    growth, parts = m.explain("structural growth", q), m.explain("inertia projection", q)
    total = np.zeros((m.nv, m.nv))
    for k, name in enumerate(m.bodies, 1):
        H, J = growth[f"H_{k}"], growth[f"J_{k}"]
        total += parts[f"M_{k}"]
        close(H, total[: len(H), : len(H)])
        close(J @ v[: J.shape[1]], m.velocity(q, v, name))


def test_articulated_and_composite_inertias(tree):
    """I_AB link by link against the stacked operators; I_C against sums of carried inertias."""
    q, v, tau = samples.random_state(tree.model, 6)
    bodies = tree.explain("articulated bodies", q, v, tau, passive=False)
    stacked = tree.explain("operator inverse", q, v, tau, passive=False)["I_AB"]
    composite = tree.explain("composite bodies", q, passive=False)
    sums = [composite[f"I_{k}"].copy() for k in range(1, len(tree.bodies) + 1)]
    for k in reversed(range(len(sums))):
        rows = slice(6 * k, 6 * k + 6)
        close(bodies[f"I_AB_{k + 1}"], stacked[rows, rows])
        close(composite[f"I_C_{k + 1}"], sums[k])
        if (p := tree.model.parents[k]) >= 0:
            X = composite[f"X_{k + 1}"]
            sums[p] += X.T @ sums[k] @ X


def test_tensors_and_virtual_power_find_the_same_net_forces(tree):
    q, v, a = samples.random_state(tree.model, 8)
    tensors, powers = (tree.explain(x, q, v, a) for x in ("Cartesian tensors", "virtual power"))
    for k in range(1, len(tree.bodies) + 1):
        close(tensors[f"F_{k}"], powers[f"F_{k}"])
        close(tensors[f"M_{k}"], powers[f"N_{k}"])


def test_open_and_closed_chain():
    """Tip forces: a_open is the tree's, M a = f + tau_c, J a = gamma, in the numbers shown."""
    bars = am.example("four-bar")
    q, v = bars.project(bars.initial, [1.0, 0.0, 0.0])
    tau = np.array([3.0, 0.0, -1.0])
    e = bars.explain("constrained dynamics", q, v, tau)
    assert e.formulation.name == "tip forces"
    close(e["a_open"], bars.tree.forward_dynamics(q, v, tau))
    close(e["M"] @ e["a"], e["f"] + e["tau_c"])
    close(e["J"] @ e["a"], e["gamma"])
    close(e["xdd_open"], e["J"] @ e["a_open"])
    close(e["Omega"] @ e["F"], e["xdd_open"] - e["gamma"])
    close(e["a"], bars.forward_dynamics(q, v, tau))
    close(e["tau_c"], -e["J"].T @ e["F"])
    assert np.abs(e["tau_c"]).max() > 0.1


def test_friction_and_wrenches_are_shown_as_what_they_ask_of_the_joints():
    m = am.example("four-link-closed").tree
    q, v, a = m.random_state(1)
    wrench = {m.bodies[-1]: [0.1, 0.2, 0.3, 1.0, 2.0, 3.0]}
    e = m.explain("Newton-Euler", q, v, a, external=wrench)
    close(e["tau"], m.inverse_dynamics(q, v, a, external=wrench))
    close(e["tau_p"], e["tau"] - m.inverse_dynamics(q, v, a, wrench, passive=False))
    power = m.explain("Lagrange", q, v, a, external=wrench)  # which knows joints alone
    close(power["tau_p"], e["tau"] - m.inverse_dynamics(q, v, a, passive=False))
    assert "tau_p" not in m.explain("Newton-Euler", q, v, a, passive=False).symbols


def close(found, expected) -> None:
    scale = np.abs(expected).max(initial=1.0)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10 * scale)


# -- entrances ------------------------------------------------------------------------------------


def test_what_cannot_be_explained_is_refused():
    arm, six = am.example("stanford"), am.example("six-r")
    with pytest.raises(am.InputError, match=r"machine code.*'Newton-Euler'"):
        arm.explain("compiled inverse dynamics", Q, V, A)
    with pytest.raises(am.ModelError, match="Did you mean 'Newton-Euler'"):
        arm.explain("newton", Q, V, A)
    with pytest.raises(am.InputError, match="expected q, v, a, found 1"):
        arm.explain("inverse dynamics", Q)
    with pytest.raises(am.InputError, match="one state"):
        arm.explain("inverse dynamics", [Q, Q], [V, V], [A, A])
    with pytest.raises(am.ModelError, match="has no constraints"):
        arm.explain("constrained dynamics", Q, V, A)
    with pytest.raises(am.InputError, match="frames_at_joints: Inverse Arm"):
        six.explain("Inverse Arm", *six.random_state(0), frames_at_joints=True)
    with pytest.raises(am.ModelError, match="v_4"):
        arm.explain("inverse dynamics", Q, V, A)["v_l"]


def test_a_hostile_name_is_escaped():
    m = am.Mechanism(samples.planar_arm(2)).replace(name="<script>x</script>")
    assert "<script>" not in m.explain("statics", [0.1, 0.2]).to_html()


def run(*words):
    return CliRunner().invoke(app, ["explain", *words])


@pytest.mark.parametrize(
    ("words", "symbols"),
    [
        (["stanford", "--inverse", "--v", "1,0,0,0,0", "--at-joints"], ["v_2", "f_4", "tau"]),
        (["stanford", "--forward", "--tau", "link1=3"], ["I_AB_1", "u_3", "a"]),
        (["four-bar", "--closed"], ["a_open", "Omega", "F", "tau_c", "a"]),
        (["stanford", "--method", "structural growth"], ["J_4", "H_4"]),
        (["six-r", "--method", "mixed form"], ["A", "G", "M_c"]),
        (["stanford", "--method", "statics"], ["W_1", "n_4"]),
    ],
)
def test_the_command(words, symbols):
    done = run(*words)
    assert done.exit_code == 0, done.output
    for symbol in symbols:
        assert f"\n{symbol} [" in done.output or f"\n{symbol}: " in done.output


def test_files_of_the_command(tmp_path):
    page = tmp_path / "work.html"
    assert run("stanford", "--inverse", "--format", "html", "-o", str(page)).exit_code == 0
    assert page.read_text().count("<tr>") > 20
    assert run("stanford", "--inverse", "--format", "html", "-o", str(page)).exit_code != 0
    assert run("stanford", "--inverse", "--format", "markdown").output.startswith("# Newton-Euler")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "expected one of --inverse"),
        (["--inverse", "--forward"], "found --inverse, --forward"),
        (["--inverse", "--tau", "1,2,3,4,5"], "--tau: Newton-Euler is asked with q, v, a"),
        (["--method", "magic"], "magic"),
        (["--inverse", "--format", "pdf"], "pdf"),
    ],
)
def test_faults_of_the_command(words, message):
    done = run("stanford", *words)
    assert done.exit_code == 1
    assert message in " ".join(done.output.split())
