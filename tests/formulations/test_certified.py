"""`certified=True`: an answer is given where all formulations agree with it, and only there."""

import dataclasses
import gc
import inspect

import numpy as np
import pytest
from typer.testing import CliRunner

import armillary as am
import samples
from armillary.cli.app import app
from armillary.evaluate.functions import FUNCTIONS, QUESTIONS
from armillary.model import Passive
from armillary.textbook import checking
from armillary.textbook.certifying import CERTIFIED

ROWS = {f.name: f for f in am.methods.FORMULATIONS}
STATE = {"q": 0, "v": 1, "a": 2, "tau": 2}
WRENCH = {"last": [0.3, -0.2, 0.1, 1.0, 2.0, 3.0]}


def plant(monkeypatch, name: str, wrong) -> None:
    table = tuple(dataclasses.replace(f, function=wrong) if f.name == name else f
                  for f in ROWS.values())  # fmt: skip
    monkeypatch.setattr(checking, "FORMULATIONS", table)


def machine() -> am.Mechanism:
    """Two joint types, friction, springs and rotors."""
    b = am.Builder("resisted")
    b.body(
        "first",
        "world",
        "revolute",
        (0, 0, 0.1),
        axis="y",
        mass=2.0,
        com=(0.1, 0, 0.2),
        inertia=(0.1, 0.2, 0.3),
        rotor=am.Rotor(0.02, 5.0),
        passive=Passive(viscous=0.3, coulomb=0.2, smoothing=0.1, spring=4.0, rest=0.2),
    )
    b.body("last", "first", "universal", (0.4, 0.1, 0), mass=1.0, com=(0.1, 0.1, 0),
           inertia=(0.1, 0.1, 0.15, 0.01, 0.02, 0.03))  # fmt: skip
    return b.build()


def given_to(m: am.Mechanism, name: str) -> dict:
    state = m.random_state(2)
    return {x: state[STATE[x]] for x in FUNCTIONS[name].inputs}


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_question_is_certified_or_refused_by_name(name):
    """One mechanism for all rows of the table; the plain answer is the same."""
    m, row = machine(), FUNCTIONS[name]
    given = given_to(m, name) | ({"frame": "last"} if row.frame else {})
    ask = getattr(m, name)
    assert ("certified" in inspect.signature(ask).parameters) == bool(row.quantity)
    if name not in CERTIFIED:
        with pytest.raises(am.ModelError, match=f"certified: '{name}' has one formulation"):
            ask(**given, certified=True)
        return
    plain, sure = ask(**given), ask(**given, certified=True)
    np.testing.assert_array_equal(sure, plain)
    np.testing.assert_array_equal(ask(**given, certified=False), plain)
    np.testing.assert_array_equal(m.certified(name, **given), plain)
    pair = {x: np.stack([y, 0.7 * y]) for x, y in given.items()}
    np.testing.assert_array_equal(ask(**pair, certified=True), ask(**pair))
    if "external" in row.options:
        assert np.abs(ask(**given, external=WRENCH, certified=True) - plain).max() > 0.1
    if "out" in row.options:
        out = np.zeros(plain.shape)
        assert ask(**given, out=out, certified=True) is out
        np.testing.assert_array_equal(out, plain)


# a formulation that stands behind every question
BEHIND = {
    "inverse_dynamics": "virtual power", "bias_forces": "virtual power",
    "gravity_forces": "force recursion", "static_torques": "Jacobian transpose",
    "mass_matrix": "operator product", "forward_dynamics": "operator inverse",
}  # fmt: skip


@pytest.mark.parametrize("name", BEHIND)
def test_no_answer_where_a_formulation_contradicts(name, monkeypatch):
    row, m = ROWS[BEHIND[name]], machine()
    plant(monkeypatch, row.name, lambda *given: 1.001 * row.function(*given))
    with pytest.raises(am.DisagreementError, match=f"{name} is not certified.*{row.name}"):
        getattr(m, name)(**given_to(m, name), certified=True)
    assert set(BEHIND) | {"solve"} == set(CERTIFIED)


@pytest.mark.parametrize("name", BEHIND)
def test_the_answer_itself_is_compared(name):
    """Every number of it, in the state of a batch where it is wrong."""
    m = machine()
    right = getattr(m, name)
    pair = {x: np.stack([y, y]) for x, y in given_to(m, name).items()}

    def wrong(*given, **named):
        found = np.array(right(*given, **named))
        if len(found) == 2:  # of the batch
            found[1].flat[-1] += 1e-8 * np.abs(found).max()
        return found

    wrong.__signature__ = inspect.signature(right)
    vars(m)[name] = wrong
    with pytest.raises(am.DisagreementError, match=f"{name} of state 1 .*: the answer itself"):
        m.certified(name, **pair)


def closed_state(m: am.Mechanism):
    _, v, tau = m.random_state(4)
    return *m.project(m.initial, v), tau


def test_closed_mechanisms(monkeypatch):
    m = am.example("four-bar")
    q, v, tau = closed_state(m)
    a = m.forward_dynamics(q, v, tau, certified=True)
    np.testing.assert_array_equal(a, m.forward_dynamics(q, v, tau))
    forces = m.inverse_dynamics(q, v, a, actuators=["crank"], certified=True)
    assert np.flatnonzero(forces).tolist() == [m.v_labels.index("crank")]
    found = m.solve(*(np.stack([x, x]) for x in (q, v, tau)), certified=True)
    assert found.acceleration.shape == (2, 3)
    row = ROWS["pseudo joints"]
    plant(monkeypatch, row.name, lambda s, tau: 1.001 * row.function(s, tau))
    for name, last in (("forward_dynamics", tau), ("inverse_dynamics", a), ("solve", tau)):
        with pytest.raises(am.DisagreementError, match="pseudo joints"):
            getattr(m, name)(q, v, last, certified=True)


def test_rows_that_contradict_each_other_certify_nothing():
    """A stretched arm whose tip hangs on a rod along it: in motion no acceleration keeps the rod's
    length, and the nearest one is no answer."""
    b = am.Builder("stretched")
    for name, parent, x in (("upper", "world", 0.0), ("lower", "upper", 1.0)):
        b.body(name, parent, "revolute", (x, 0, 0), axis="z", mass=1.0, com=(0.5, 0, 0),
               inertia=(0.1, 0.1, 0.1))  # fmt: skip
    b.frame("tip", "lower", (1.0, 0, 0))
    b.distance("rod", am.Frame("pin", "world", am.Pose((3.0, 0.0, 0.0))), "tip", 1.0)
    m = b.build()
    q, rest, v = np.zeros(2), np.zeros(2), np.array([1.0, 0.0])
    with pytest.raises(am.DisagreementError, match="contradict each other at this state"):
        m.forward_dynamics(q, v, rest, certified=True)
    q, v = m.project(m.assemble([0.4, -0.7]).q, v)
    sure = m.forward_dynamics(q, v, rest, certified=True)
    np.testing.assert_array_equal(sure, m.forward_dynamics(q, v, rest))


def test_certified_solution(monkeypatch):
    m = machine()
    q, v, tau = m.random_state(4)
    found = m.solve(q, v, tau, external=WRENCH, certified=True)
    assert found.acceleration == pytest.approx(m.forward_dynamics(q, v, tau, external=WRENCH))
    row = ROWS["virtual power"]
    plant(monkeypatch, row.name, lambda s, a: 1.001 * row.function(s, a))
    m.solve(q, v, tau)
    with pytest.raises(am.DisagreementError, match="virtual power"):
        m.solve(q, v, tau, certified=True)


def test_friction_by_load():
    """Inverse and forward dynamics of a tree; of a closed mechanism nobody else knows it."""
    m = machine().replace(bodies={"first": {"passive": Passive(load_radial=0.05)}})
    assert m.model.load_dependent_joints
    q, v, a = m.random_state(2)
    tau = m.inverse_dynamics(q, v, a, certified=True)
    np.testing.assert_allclose(m.forward_dynamics(q, v, tau, certified=True), a, rtol=1e-10)


def test_what_nobody_else_knows_is_refused(monkeypatch):
    m = machine()
    q, v, a = m.random_state(2)
    with pytest.raises(am.InputError, match="mass_matrix with `parameters`"):
        m.mass_matrix(q, parameters=m.parameters, certified=True)
    with pytest.raises(am.InputError, match="certified: expected True or False"):
        m.mass_matrix(q, certified="yes please")
    with pytest.raises(am.InputError, match="float32 has 7 digits"):
        m.inverse_dynamics(*(x.astype(np.float32) for x in (q, v, a)), certified=True)
    with pytest.raises(am.ModelError, match="no question named 'mass'"):
        m.certified("mass", q)
    compiled = tuple(f for f in ROWS.values() if f.name.startswith("compiled"))
    monkeypatch.setattr(checking, "FORMULATIONS", compiled)
    with pytest.raises(am.ModelError, match="only compiled code knows inverse dynamics"):
        m.inverse_dynamics(q, v, a, certified=True)


def test_a_question_that_outlives_its_mechanism():
    question = machine().mass_matrix
    gc.collect()
    q = machine().random_state(2)[0]
    np.testing.assert_array_equal(question(q, certified=True), machine().mass_matrix(q))


def test_what_hangs_on_questions_stays():
    """Questions in Python, which are wrapped, and native ones, which are not."""
    m = am.Mechanism(samples.single("revolute"))
    q, v, a = m.random_state(1)
    assert m.inverse_dynamics.derivatives(q, v, a).dq.shape == (1, 1)
    loaded = machine().replace(bodies={"first": {"passive": Passive(load_radial=0.05)}})
    q, v, tau = loaded.random_state(1)
    assert loaded.forward_dynamics.derivatives(q, v, tau).dq.shape == (3, 3)
    assert "Accelerations" in loaded.forward_dynamics.__doc__


@pytest.mark.parametrize(
    "words, behind",
    [("ask mass_matrix", "operator product"), ("inverse", "Lagrange"),
     ("forward", "operator inverse"), ("solve", "Lagrange")],
)  # fmt: skip
def test_on_the_command_line(words, behind, monkeypatch):
    command, *question = words.split()
    asked, row = [command, "two-link", *question], ROWS[behind]
    plain = CliRunner().invoke(app, asked)
    sure = CliRunner().invoke(app, [*asked, "--certified"])
    assert sure.exit_code == 0 and sure.stdout == plain.stdout
    plant(monkeypatch, behind, lambda *given: row.function(*given) + 1.0)
    bad = CliRunner().invoke(app, [*asked, "--certified"])
    assert bad.exit_code == 1 and behind in bad.stderr and not bad.stdout


def test_refused_on_the_command_line():
    words = ["ask", "two-link", "pose", "--frame", "link2", "--certified"]
    refused = CliRunner().invoke(app, words)
    assert refused.exit_code == 1 and "'pose' has one formulation" in refused.stderr
