"""Coulomb friction that differs between the directions: closed forms, code, files, sticking."""

import math
import subprocess

import numpy as np
import pytest
import sympy as sp

import armillary as am
from armillary.errors import FormatError, ModelError
from armillary.formats.dh_csv import read_dh, write_dh
from armillary.formats.mjcf_write import write_mjcf
from armillary.formats.native import read_native
from armillary.formats.native_write import write_native
from armillary.formats.sixparameter import sixparameter
from armillary.formats.sixparameter_write import write_sixparameter
from armillary.formats.urdf_write import write_urdf
from armillary.model import Passive

SPEEDS = [-3.0, -0.4, -1e-3, 0.0, 1e-3, 0.2, 5.0]
UP, DOWN = 0.7, 0.3


def level(v):
    return UP if v > 0 else -DOWN if v < 0 else 0.0


def wheel(inertia=2.0, **friction):
    """A balanced disc: its axle feels friction alone."""
    b = am.Builder("wheel", gravity=(0, 0, 0))
    b.body("disc", joint="revolute", axis="z", mass=1.0, inertia=(inertia, inertia, inertia),
           passive=Passive(**friction))  # fmt: skip
    return b.build()


@pytest.mark.parametrize("v", SPEEDS)
def test_the_law(v):
    assert Passive(coulomb=(UP, DOWN), viscous=0.1).force(0.0, v) == pytest.approx(
        level(v) + 0.1 * v
    )
    smooth = Passive(coulomb=[UP, DOWN], smoothing=0.02)
    assert smooth.force(0.0, v) == pytest.approx((UP if v > 0 else DOWN) * math.tanh(v / 0.02))
    rising = Passive(coulomb=(UP, DOWN), static=0.9, stribeck=0.1)
    size = abs(level(v)) + (0.9 - abs(level(v))) * math.exp(-((v / 0.1) ** 2))
    assert rising.force(0.0, v) == pytest.approx(size * np.sign(v))


def test_parameters_go_round():
    friction = Passive(viscous=0.2, coulomb=(UP, DOWN), static=0.9, stribeck=0.1)
    assert friction.with_parameters(friction.parameters()) == friction
    assert friction.key() == Passive(viscous=9, coulomb=(1, 2), static=3, stribeck=4).key()
    assert friction.key() != Passive(viscous=0.2, coulomb=UP, static=0.9, stribeck=0.1).key()
    names = sp.symbols(f"p0:{len(friction.parameters())}")
    numbers = dict(zip(names, friction.parameters(), strict=True))
    for v in (-0.3, 0.3):
        symbolic = sp.sympify(friction.with_parameters(names).force(0.0, v))
        assert float(symbolic.subs(numbers)) == pytest.approx(friction.force(0.0, v))
    assert Passive(coulomb=(0.0, 0.0)).is_nothing() and not Passive(coulomb=(0.0, 1.0)).is_nothing()


@pytest.mark.parametrize("friction", [{}, {"smoothing": 0.05}, {"static": 0.9, "stribeck": 0.1}])
def test_native_code_single_and_batch(friction):
    """Both ways of the compiled code, and forward dynamics against I a = tau - friction."""
    m = wheel(coulomb=(UP, DOWN), **friction)
    v = np.array(SPEEDS)[:, None]
    expected = np.array([[float(m.model.bodies[0].joint.passive[0].force(0.0, x))] for x in SPEEDS])
    zero = np.zeros_like(v)
    assert m.inverse_dynamics(zero, v, zero) == pytest.approx(expected)
    assert m.forward_dynamics(zero, v, zero) == pytest.approx(-expected / 2.0)
    for k, x in enumerate(SPEEDS):
        assert m.inverse_dynamics([0], [x], [0]) == pytest.approx(expected[k])
    plain = wheel(coulomb=UP)  # other code, not the cached one of this mechanism
    assert plain.inverse_dynamics([0], [-1.0], [0]) == pytest.approx([-UP])


def test_derivative_is_that_of_the_law():
    m = wheel(coulomb=(UP, DOWN), smoothing=0.3)
    for v in (-0.2, 0.15):
        found = m.inverse_dynamics.derivatives([0], [v], [0])
        h, law = 1e-6, m.model.bodies[0].joint.passive[0].force
        slope = (law(0.0, v + h) - law(0.0, v - h)) / (2 * h)
        assert float(found.dv[0, 0]) == pytest.approx(slope, rel=1e-6)


def test_c_source(tmp_path):
    source = wheel(coulomb=(UP, DOWN)).to_c("inverse_dynamics", name="ask")
    call = "double t; double q = 0, a = 0, v[2] = {-1, 1}; "
    assert "ask(" in source
    program = source + (
        "\n#include <stdio.h>\nint main(void){" + call +
        "for (int k = 0; k < 2; k++) { ask(&q, v + k, &a, &t); printf(\"%.17g \", t); } return 0;}"
    )  # fmt: skip
    (tmp_path / "a.c").write_text(program)
    try:
        subprocess.run(["cc", "-std=c99", "a.c", "-o", "a", "-lm"], cwd=tmp_path, check=True)
    except FileNotFoundError:
        pytest.skip("no C compiler")
    out = subprocess.run(["./a"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert [float(x) for x in out.split()] == pytest.approx([-DOWN, UP])


@pytest.mark.parametrize(("v0", "way"), [(3.0, UP), (-3.0, DOWN)])
def test_a_run_stops_and_sticks(v0, way):
    """v = v0 - (c/I) t up to t = I |v0| / c, then rest: events to rounding, each way its own."""
    m, stop = wheel(coulomb=(UP, DOWN)), 2.0 * 3.0 / way
    run = am.simulate(m, [0.0], [v0], duration=1.1 * stop, step=0.01, events=am.StickSlip())
    assert run.v[-1] == pytest.approx([0.0], abs=0)
    assert run.q[-1] == pytest.approx([v0 * stop / 2], rel=1e-12)
    assert [float(t) for t, _ in run.events] == pytest.approx([stop])


@pytest.mark.parametrize(("push", "moves"), [(0.69, 0), (0.71, 1), (-0.29, 0), (-0.31, -1)])
def test_break_away_each_way(push, moves):
    """At rest it holds up to `forward` when pushed forward, up to `backward` when pushed back."""
    m = wheel(coulomb=(UP, DOWN))
    run = am.simulate(m, [0.0], [0.0], duration=1.0, step=0.01, inputs={"disc": push},
                      events=am.StickSlip())  # fmt: skip
    left = push - moves * (UP if moves > 0 else DOWN)
    assert run.v[-1] == pytest.approx([moves * abs(left) / 2.0], abs=1e-12)


def test_slow_ramp_breaks_away_at_its_level():
    m = wheel(coulomb=(UP, DOWN))
    for sign, way in ((1, UP), (-1, DOWN)):
        run = am.simulate(m, [0.0], [0.0], duration=1.0, step=0.01, events=am.StickSlip(),
                          inputs={"disc": lambda t, sign=sign: sign * t})  # fmt: skip
        assert [float(t) for t, _ in run.events][:1] == pytest.approx([way], abs=1e-9)


def test_files():
    """Native file, tables as rows and as CSV: equal models; the native text names the pair."""
    m = wheel(coulomb=(UP, DOWN), viscous=0.1).model
    text = write_native(m)
    assert "coulomb: [0.7, 0.3]" in text and read_native(text=text) == m
    table = read_dh("arm.csv", text=write_dh(m))
    assert table.bodies[0].joint.passive == m.bodies[0].joint.passive
    rows = sixparameter(write_sixparameter(m))
    assert rows.bodies[0].joint.passive == m.bodies[0].joint.passive
    row = {"mass": 1.0, "inertia": (1, 1, 1), "friction": {"coulomb": [UP, DOWN]}}
    assert am.dh([row]).model.bodies[0].joint.passive[0].coulomb == (UP, DOWN)


def test_formats_without_words_for_it():
    m = wheel(coulomb=(UP, DOWN)).model
    for write in (write_urdf, write_mjcf):
        with pytest.raises(FormatError, match="differs between the directions"):
            write(m)
        assert "0.5" in write(m, lossy=True)


@pytest.mark.parametrize(
    ("coulomb", "words"),
    [((1, 2, 3), "pair .forward, backward.*3"), ((1.0, -1.0), "negative"), ("much", "number"),
     ((1.0, math.nan), "finite"), ((1.0, None), "number")],
)  # fmt: skip
def test_faults(coulomb, words):
    with pytest.raises(ModelError, match=words):
        wheel(coulomb=coulomb)
    with pytest.raises(ModelError, match="below Coulomb"):
        wheel(coulomb=(0.1, 2.0), static=1.0, stribeck=0.1)
