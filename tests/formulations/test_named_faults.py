"""`check` names whoever is wrong: a sign planted in any formulation, and nobody else."""

import dataclasses
import json

import mpmath
import numpy as np
import pytest
from typer.testing import CliRunner

import armillary as am
import samples
from armillary.algorithms.tree.forward_dynamics import forward_dynamics
from armillary.cli.app import app
from armillary.evaluate.request import CompileOptions
from armillary.mechanism.symbolic import interpret_with
from armillary.model import Builder
from armillary.textbook import checking
from armillary.textbook.agreement import Agreement
from armillary.textbook.formulations import registry

ROWS = {f.name: f for f in am.methods.FORMULATIONS}


def planted(row, wrong):
    """The table with one formulation replaced."""
    return tuple(dataclasses.replace(f, function=wrong) if f is row else f for f in ROWS.values())


def machine_of(row) -> am.Mechanism:
    flyer = am.example("dual-arm-free-flyer")  # with springs
    machines = [am.example("stanford"), am.example("six-r"), flyer.tree]
    if row.quantity == "constrained dynamics":
        machines = [am.example("four-bar"), flyer]
    return next(m for m in machines if not row.refusal(m.model))


def state_of(m: am.Mechanism):
    q, v, tau = m.random_state(4)
    return (*m.project(m.initial, v), tau) if m.constraints else (q, v, tau)


@pytest.mark.parametrize("name", ROWS)
def test_a_planted_sign_is_named(name, monkeypatch):
    """The largest number of the answer with the other sign: that one is named, and no other."""
    row, m = ROWS[name], machine_of(ROWS[name])

    def wrong(*given):
        answer = np.array(row.function(*given))
        largest = np.unravel_index(np.argmax(np.abs(answer)), answer.shape)
        answer[largest] = -answer[largest]
        return answer

    state = state_of(m)
    assert m.check(*state).agreed
    monkeypatch.setattr(checking, "FORMULATIONS", planted(row, wrong))
    found = m.check(*state)
    assert found.odd == (name,)
    assert not found.agreed and name in found.verdict
    with pytest.raises(am.DisagreementError, match=f"against the others|{name}"):
        found.certify()


@pytest.mark.parametrize("name", [f for f in ROWS if ROWS[f].quantity == "inverse dynamics"])
@pytest.mark.parametrize("part", [1e-3, 1e-6])
def test_a_small_fault_is_named(name, part, monkeypatch):
    """Velocity forces that are off by a thousandth or a millionth part."""
    row, m = ROWS[name], machine_of(ROWS[name])

    def wrong(s, a):
        rest = registry.TreeState(s.machine, s.q, 0 * s.v, s.passive)
        return row.function(s, a) + part * (row.function(s, a) - row.function(rest, a))

    q, v, tau = state_of(m)
    monkeypatch.setattr(checking, "FORMULATIONS", planted(row, wrong))
    assert m.check(q, 3 * v, tau).odd == (name,)


def test_no_number_is_a_disagreement(monkeypatch):
    row, m = ROWS["operator inverse"], am.example("stanford")
    monkeypatch.setattr(
        checking, "FORMULATIONS", planted(row, lambda s, tau: np.full(len(tau), np.nan))
    )
    assert m.check(*state_of(m)).odd == ("operator inverse",)


@pytest.mark.parametrize("quantity", ["inverse dynamics", "forward dynamics"])
def test_a_coasting_machine_hides_no_sign(quantity, monkeypatch):
    """Without drives the joint forces are nothing, whatever their sign; at rest accelerations."""
    m = am.example("stanford")
    q, v, _ = state_of(m)
    for row in am.methods.formulations(quantity, m):
        monkeypatch.setattr(
            checking, "FORMULATIONS", planted(row, lambda s, x, row=row: -row.function(s, x))
        )
        assert m.check(q, v, 0 * v).odd == (row.name,)
        assert m.check(q, 0 * v, m.gravity_forces(q)).odd == (row.name,)


def test_without_a_majority_all_are_named():
    x = np.ones(2)
    part = Agreement("mass", "kg", {"one": x, "two": 2 * x}, x)
    assert part.odd == ("one", "two") and not part.decided
    three = Agreement("mass", "kg", {"one": x, "two": 2 * x, "three": x + 1e-12}, x)
    assert three.odd == ("two",) and three.decided
    assert three.groups == (("one", "three"), ("two",))
    assert three.digits()["three"] > 11.5 and three.digits()["two"] < 0.1


def test_conditioning_is_told():
    """Two turns of a wrist about nearly the same axis: accelerations grow with 1 / angle, their
    error with its cube.  The estimate is what 40 digits show, and nobody is called odd."""
    m = am.Mechanism(samples.wrist_gimbal())
    _, v, tau = samples.random_state(m.model, 1)
    found = {}
    for angle in (0.5, 1e-4, 1e-5):
        q = [0.4, 0.2, np.pi / 2 - angle, -0.3, 0.1]
        check = m.check(q, v, tau)
        assert check.agreed, check
        found[angle] = check.accuracy
        with mpmath.workdps(40):
            inputs = {n: [mpmath.mpf(float(x)) for x in xs]
                      for n, xs in (("q", q), ("v", v), ("tau", tau))}  # fmt: skip
            run = interpret_with(m, mpmath.mpf, forward_dynamics, inputs)
            exact = np.array([float(x) for x in run.result("a")])
        off = np.abs(m.forward_dynamics(q, v, tau) - exact).max() / np.abs(exact).max()
        assert off < 10.0 ** (1.0 - check.accuracy)
    assert found[0.5] > 14.0
    assert found[1e-4] - found[1e-5] == pytest.approx(2.0, abs=0.1)


def test_by_name_and_outside_the_domain():
    m = am.example("stanford")
    q, v, a = m.random_state(1)
    product = am.methods.formulation("operator product")
    np.testing.assert_allclose(product(m, q), m.mass_matrix(q), atol=1e-14)
    assert "H^T Φ^T M Φ H" in str(product) and "tree" in str(product)
    with pytest.raises(am.ModelError, match=r"Inverse Arm on 'stanford': joint 'link2' is gimbal"):
        am.methods.formulation("Inverse Arm")(m, q, v, a)
    with pytest.raises(am.InputError, match="expected q, v, a, found 1"):
        am.methods.formulation("virtual power")(m, q)
    with pytest.raises(am.InputError, match="expected one state"):
        product(m, np.tile(q, (2, 1)))
    with pytest.raises(am.ModelError, match="operator product"):
        am.methods.formulation("operator produkt")
    with pytest.raises(am.ModelError, match="mass matrix"):
        am.methods.formulations("mass")
    with pytest.raises(am.ModelError, match="it has no constraints"):
        am.methods.formulation("null space")(m, q, v, a)
    free = am.Mechanism(samples.single("free"))
    reason = am.methods.formulation("Lagrange").refusal(free.model)
    assert "is free: it has no coordinates" in reason


def test_large_mechanisms_are_asked_what_they_can_bear():
    b = Builder("chain")
    for k in range(81):
        b.body(f"b{k}", f"b{k - 1}" if k else "world", "revolute", (0.1, 0, 0), axis="yz"[k % 2],
               mass=1.0, com=(0.05, 0, 0), inertia=(0.01, 0.01, 0.01))  # fmt: skip
    m = am.Mechanism(b.build(), CompileOptions(tier=1))
    q, v, a = m.random_state(1)
    check = m.check(0.1 * q, 0.1 * v, m.inverse_dynamics(0.1 * q, 0.1 * v, a))
    assert check.agreed, check
    part = check.agreements[0]
    assert part.refused["operator product"] == "81 bodies, and it is for at most 80"
    assert "structural growth" in part.answers


# -- the command line ----------------------------------------------------------------------------


def run(*words: str):
    return CliRunner().invoke(app, list(words))


def test_check_command(monkeypatch):
    good = run("check", "stanford", "--seed", "3")
    assert good.exit_code == 0
    assert "all 24 formulations agree" in good.output and "Boltzmann-Hamel" in good.output
    content = json.loads(run("check", "four-bar", "--seed", "3", "--json").stdout)
    assert content["agreed"] and content["quantities"]["constrained dynamics"]["unit"]
    row = ROWS["Lagrange"]
    monkeypatch.setattr(checking, "FORMULATIONS", planted(row, lambda s, a: -row.function(s, a)))
    bad = run("check", "stanford", "--q", "0.1,0.2,0.3,0.4,0.5", "--v", "1,1,1,1,1")
    assert bad.exit_code == 1
    assert "DISAGREEMENT, against the others stand Lagrange" in bad.stderr


def test_methods_command():
    text = run("methods").stdout
    assert all(name in text for name in ROWS)
    assert "tip_constraint" in text
    some = run("methods", "stanford", "--quantity", "mass matrix").stdout
    assert "no: joint 'link2' is gimbal" in some and "Boltzmann" not in some
    rows = json.loads(run("methods", "--json").stdout)["formulations"]
    assert {row["name"] for row in rows} == set(ROWS)
    assert run("methods", "--quantity", "mass").exit_code == 1


@pytest.mark.parametrize("scale", [1e-8, 1e8])
@pytest.mark.parametrize("name", ["four-bar", "differential", "two-wheeled-cart", "puma560"])
def test_a_machine_of_any_mass_agrees(name, scale):
    """All masses, friction and forces times one number: the motion is the same, and no way to it
    is called odd."""
    m = am.example(name)
    parts = [
        dataclasses.replace(
            body,
            mass=dataclasses.replace(
                body.mass,
                mass=scale * body.mass.mass,
                tensor=tuple(scale * x for x in body.mass.tensor),
            ),
            joint=dataclasses.replace(body.joint, passive=(), rotors=()),
        )
        for body in m.model.bodies
    ]
    light = am.Mechanism(dataclasses.replace(m.model, bodies=tuple(parts)))
    q, v, tau = state_of(m)
    q, v = m.project(q, v) if m.constraints else (q, v)
    drives = scale * 0.1 * tau
    check = light.check(q, v, drives)
    assert check.agreed, check
    motion = m.forward_dynamics(q, v, 0.1 * tau, passive=False)
    for answer in check.agreements[-1].answers.values():
        np.testing.assert_allclose(answer[0], motion, rtol=0, atol=1e-8 * np.abs(motion).max())
