"""Notebooks: every result shows itself as `print` does, mechanisms and runs with a sketch."""

import numpy as np
import pytest

import armillary as am


def results():
    bars, arm = am.example("four-bar"), am.example("six-r")
    q, v, a = arm.random_state(seed=1)
    s = bars.solve(bars.initial, [0, 0, 0], [0.5, 0, 0])
    rest = [0, 0, 0]
    return [
        arm.reactions(q, v, a), arm.solve(q, v, a), arm.check(q, v, a), arm.body_forces(q, v, a),
        arm.inverse_kinematics("link6", arm.pose(q, "link6")), arm.report, s, s.constraint_forces,
        s.determinacy, s.balance, bars.mobility(), bars.assemble(), bars.counts,
        bars.actuator_forces(bars.initial, rest, rest),
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
