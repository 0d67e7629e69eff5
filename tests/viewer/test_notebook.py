"""Notebooks: every result shows itself as `print` does, mechanisms and runs with a sketch."""

import inspect

import numpy as np
import pytest

import armillary as am


def results():
    bars, arm = am.example("four-bar"), am.example("six-r")
    q, v, a = arm.random_state(seed=1)
    s = bars.solve(bars.initial, [0, 0, 0], [0.5, 0, 0])
    rest, links, zeros = [0, 0, 0], am.example("four-link-closed"), np.zeros(4)
    return [
        arm.reactions(q, v, a), arm.solve(q, v, a), arm.check(q, v, a), arm.body_forces(q, v, a),
        arm.inverse_kinematics("link6", arm.pose(q, "link6")), arm.report, s, s.constraint_forces,
        s.determinacy, s.balance, bars.mobility(), bars.assemble(), bars.counts,
        bars.actuator_forces(bars.initial, rest, rest),
        arm.inverse_dynamics.derivatives(q, v, a), arm.forward_dynamics.derivatives(q, v, a),
        bars.forward_dynamics.derivatives(bars.initial, rest, rest), arm.base_parameters(),
        arm.operational_inertia(q, "link6"), am.DCMotor(arm).inverse(v, a),
        am.check_setpoints(bars, {"crank": 0.3, "rocker": 0.1}),
        am.line_trajectory(arm, "link6", arm.pose(q, "link6")[1] + 0.01, q0=q, duration=1.0).report,
        am.methods.tip_constraint(links.tree, "tip", links.initial, zeros, zeros, ("dx", "dz")),
    ]  # fmt: skip


@pytest.mark.parametrize("result", results(), ids=lambda x: type(x).__name__)
def test_results_show_themselves(result):
    """repr and notebook show the text of print: no dump of fields, nothing that is markup."""
    text = str(result)
    assert repr(result) == text
    assert "(model=" not in text and "array(" not in text
    html = result._repr_html_()
    assert html.startswith("<pre") and html.count("<") == 2
    words = [w for w in text.split() if not set(w) & set("<>&'\"")]
    assert all(w in html for w in words)


def test_parts_say_what_they_are():
    """No address in memory, no dump of a whole model."""
    arm = am.example("six-r")
    q, _, _ = arm.random_state(seed=1)
    chain = am.Builder("chain")
    chain.body("rod", mass=1.0)
    line = am.trajectories.point_to_point(arm, q, q + 0.1, 2.0)
    parts = [
        arm.model, chain, line, am.trajectories.Constant(q), am.DCMotor(arm),
        am.PID(arm, {"link1": 0.2}, 1.0, 1.0, 1.0), am.GravityCompensation(arm),
        am.Schedule([0.0, 1.0], [1.0, 2.0]), am.RoadProfile([0.0, 1.0], [0.0, 0.1]),
        arm, arm.draw(), arm.view(), am.simulate(arm, duration=0.01),
    ]  # fmt: skip
    for part in parts:
        assert len(repr(part)) < 250, type(part)
        assert " at 0x" not in repr(part)
    assert "6 bodies" in repr(arm.model) and "rod" in repr(chain)
    assert "0 to 2 s" in repr(line) and "'six-r'" in repr(parts[5])


@pytest.mark.parametrize("name", ["four-bar", "six-r"])
def test_functions_say_how_they_are_called(name):
    """At the prompt: name, arguments and one line of what they give."""
    made = am.example(name)
    for question in ("inverse_dynamics", "forward_dynamics", "mass_matrix", "pose", "energy",
                     "reactions", "inverse_kinematics"):  # fmt: skip
        function = getattr(made, question)
        text = repr(function)
        assert text.startswith(f"{question}(") and " at 0x" not in text and "\n" not in text
        for argument in list(inspect.signature(function).parameters)[:2]:
            assert argument in text
    assert "tau = M(q) a + h(q, v)" in repr(am.example("six-r").inverse_dynamics)


def test_small_numbers_beside_large_ones_are_not_zero():
    text = str(am.example("six-r").operational_inertia([0.1] * 6, "link6"))
    W = am.example("six-r").operational_inertia([0.1] * 6, "link6").W
    numbers = [float(x) for line in text.splitlines()[2:] for x in line.strip(" []").split()]
    np.testing.assert_allclose(numbers, W.ravel(), rtol=1e-4, atol=1e-14)


def test_mechanisms_and_runs_show_a_sketch():
    bars = am.example("four-bar")
    html = bars._repr_html_()
    assert "data:image/svg+xml" in html and "overconstrained by 3" in html
    run = am.simulate(bars, duration=0.1)
    assert "data:image/svg+xml" in run._repr_html_()
    only = am.simulate(bars, duration=0.1, record=("energy",))
    assert "data:image" not in only._repr_html_() and "energy" in only._repr_html_()


def test_hostile_names_stay_text():
    b = am.Builder("<script>alert(1)</script>")
    b.body("</pre><b>", mass=1.0, com=(0.3, 0, 0), inertia=(0.1, 0.1, 0.1))
    html = b.build()._repr_html_()
    assert "<script" not in html and "</pre><b>" not in html


def test_large_mechanisms_are_text_only():
    b = am.Builder("chain")
    for k in range(80):
        b.body(f"b{k}", f"b{k - 1}" if k else "world", mass=1.0, inertia=np.full(3, 0.1))
    assert "data:image" not in b.build()._repr_html_()
