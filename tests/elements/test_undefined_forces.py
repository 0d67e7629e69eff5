"""States in which an element has no force: named as such, whatever the element divides by."""

import numpy as np
import pytest

import armillary as am
from armillary.errors import ModelError, NotFiniteError
from armillary.scalar import sqrt

BALL = {"mass": 0.5, "inertia": (0.1, 0.1, 0.1)}


def test_half_a_turn_across_the_axis_of_a_torsion_spring():
    """R = diag(-1, 1, -1) has no twist about x: any angle fits.  Beside it there is one."""
    b = am.Builder("hinge")
    b.body("flap", joint="revolute", axis="y", **BALL)
    b.torsion_spring("spiral", "world", "flap", axis="x", stiffness=2.0, damping=0.1)
    m = b.build()
    with pytest.raises(NotFiniteError, match=r"torsion spring 'spiral': .* half a turn apart"):
        m.element_forces([np.pi], [1.0])
    assert m.element_forces([np.pi - 1e-3], [1.0]).force("spiral") == pytest.approx(0.0)


@pytest.mark.parametrize("question", ["element_forces", "energy", "forward_dynamics"])
def test_a_law_that_divides_by_the_distance(question):
    def law(r, R, w, u):
        d = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
        return [-x / (d * d * d) for x in r]

    def potential(r, R):
        return -1.0 / sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])

    b = am.Builder("magnets", gravity=(0, 0, 0))
    for name in ("north", "south"):
        b.body(name, joint="free", **BALL)
    b.force("magnet", ("north", "south"), law, potential)
    m = b.build()
    rest = [np.zeros(m.nv)] * (2 if question == "forward_dynamics" else 1)
    with pytest.raises(NotFiniteError, match="force 'magnet': its force is undefined"):
        getattr(m, question)(m.neutral(), *rest)
    q = m.neutral()
    q[-1] = 0.5
    np.testing.assert_allclose(m.element_forces(q, rest[0])["magnet"][3:], [0, 0, -4.0])


def test_a_law_that_takes_the_root_of_a_negative_number():
    b = am.Builder("rail", gravity=(0, 0, 0))
    b.body("cart", joint="prismatic", axis="x", **BALL)
    b.force("root", ("world", "cart"), lambda r, R, w, u: [sqrt(2.0 - r[0]), 0, 0])
    m = b.build()
    with pytest.raises(NotFiniteError, match="force 'root'"):
        m.forward_dynamics([3.0], [0.0], [0.0])
    assert m.forward_dynamics([-2.0], [0.0], [0.0])[0] == pytest.approx(2.0 / 0.5)


def test_point_gravity_warns_where_its_ends_coincide():
    b = am.Builder("planets", gravity=(0, 0, 0))
    b.body("sun", joint="prismatic", axis="x", **BALL)
    b.body("moon", joint="prismatic", axis="x", **BALL)
    b.point_gravity("pull", "moon", strength=1.0, mass=0.5, center="sun")
    assert "point gravity 'pull': its ends coincide" in str(b.build().report)


def test_a_damper_that_drives():
    """Tension times rate is the power it takes: no row of its table may make it negative."""
    b = am.Builder("rail")
    b.body("cart", joint="prismatic", axis="x", at=(1, 0, 0), **BALL)
    with pytest.raises(ModelError, match=r"damper_table gives 3 N at -1 m/s, which would drive"):
        b.spring("d", "world", "cart", damper_table=[(-1.0, 3.0), (0.0, 0.0), (1.0, 3.0)])
    b.spring("d", "world", "cart", damper_table=[(-1.0, -3.0), (0.0, 0.0), (1.0, 0.0)])


def test_a_run_names_the_element():
    """As a single question does; a shorter step would not help."""
    b = am.Builder("rail", gravity=(0, 0, 0))
    b.body("cart", joint="prismatic", axis="x", **BALL)
    b.spring("tight", "world", "cart", stiffness=10.0, rest=0.3)
    m = b.build()
    run = am.simulate(m, duration=0.01)
    assert not run.complete and "spring 'tight': its force is undefined" in run.message
    many = am.simulate(m, [[0.0], [0.1]], duration=0.01)
    assert "run 0: not a number, spring 'tight'" in many.events[0][1]


def test_inputs_are_named():
    b = am.Builder("rail", gravity=(0, 0, 0))
    b.body("cart", joint="prismatic", axis="x", at=(1, 0, 0), **BALL)
    b.spring("jack", "world", "cart", stiffness=10.0)
    b.spring("cart", "world", "cart", stiffness=10.0)
    m = b.build()
    run = am.simulate(m, duration=0.01, inputs={"jack": lambda t: float("nan")})
    assert "force elements with inputs ('jack') gave nan for 'cart'" in run.message
    with pytest.raises(am.InputError, match=r"inputs\['cart'\]: a joint and a spring"):
        am.simulate(m, duration=0.01, inputs={"cart": 1.0})


def test_wrong_ends_and_axes_name_the_element():
    b = am.Builder("rail")
    b.body("cart", joint="prismatic", axis="x", **BALL)
    with pytest.raises(ModelError, match=r"spring 'd', an end: expected a Frame, .* found None"):
        b.spring("d", "world", None, stiffness=1.0)
    with pytest.raises(ModelError, match="torsion spring 't', axis: unknown axis 'q'"):
        b.torsion_spring("t", "world", "cart", axis="q", stiffness=1.0)
