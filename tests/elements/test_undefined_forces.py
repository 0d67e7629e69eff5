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


# -- ends that coincide: every entrance ------------------------------------------------------------

KINDS = {
    "gravity": lambda b: b.point_gravity("pull", "moon", strength=1.0, mass=0.5, center="sun"),
    "spring": lambda b: b.spring("pull", "sun", "moon", stiffness=10.0, rest=0.1),
    "damper": lambda b: b.spring("pull", "sun", "moon", damping=10.0),
    "maxwell": lambda b: b.maxwell("pull", ("sun", "moon"), stiffness=10.0, damping=1.0),
}


def pair(kind):
    """Two carts on one line."""
    b = am.Builder("pair", gravity=(0, 0, 0))
    b.body("sun", joint="prismatic", axis="x", **BALL)
    b.body("moon", joint="prismatic", axis="x", **BALL)
    KINDS[kind](b)
    return b.build()


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_names_the_element_and_the_time(kind):
    m = pair(kind)
    for method in ("rk4", "semi-implicit", "implicit", "dopri5"):
        run = am.simulate(m, [0.0, 0.0], duration=0.01, method=method)
        assert not run.complete, method
        assert "'pull': force undefined at t = 0 s (its ends coincide" in run.message, method
    both = am.simulate(m, [[0.3, 0.1], [0.0, 0.0]], duration=0.01)
    assert not both.complete and np.isnan(both.q[-1, 1]).all() and np.isfinite(both.q[:, 0]).all()
    (told,) = [text for _, text in both.events]
    assert told.startswith("run 1: ") and "'pull': force undefined" in told


def test_a_run_that_meets_the_place_later():
    """Carts that glide together at 1 m/s from 0.5 m: the steps end at 0.5 s exactly."""
    m = pair("damper").replace(elements={"pull": {"damping": 1e-300}})
    run = am.simulate(m, [0.0, 0.5], [1.0, 0.0], duration=1.0, step=0.125, method="euler")
    assert not run.complete and run.time[-1] == 0.5
    assert "spring 'pull': force undefined at t = 0.5 s" in run.message


@pytest.mark.parametrize("kind", ["gravity", "spring", "damper"])
def test_a_row_of_a_batch_is_no_number(kind):
    m = pair(kind)
    q, v = np.array([[0.0, 0.0], [0.0, 0.5]]), np.zeros((2, 2))
    for found in (
        m.forward_dynamics(q, v, v),
        m.inverse_dynamics(q, v, v),
        m.element_forces(q, v).wrench[:, 0],
    ):
        assert np.isnan(found[0]).any() and np.isfinite(found[1]).all()
    if kind == "gravity":
        potential = m.energy(q, v)[1]
        assert np.isnan(potential[0]) and potential[1] == pytest.approx(-1.0)
        for question in (m.energy, m.element_forces):
            with pytest.raises(NotFiniteError, match="point gravity 'pull': its force is undef"):
                question(q[0], v[0])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("joint", ["revolute", "spherical", "fixed"])
def test_ends_that_coincide_for_ever(kind, joint):
    b = am.Builder("hub", gravity=(0, 0, 0))
    b.body("sun", joint="revolute", axis="z", at=(0.1, 0.2, 0.3), **BALL)
    axis = {"axis": "z"} if joint == "revolute" else {}
    b.body("moon", "sun", joint=joint, **axis, **BALL)
    KINDS[kind](b)
    with pytest.raises(ModelError, match="'pull': its ends coincide in every configuration"):
        b.build()


def test_a_spring_that_needs_no_direction_may_stay_there():
    b = am.Builder("hub", gravity=(0, 0, 0))
    b.body("sun", joint="revolute", axis="z", **BALL)
    b.body("moon", "sun", joint="revolute", axis="z", **BALL)
    b.spring("pull", "sun", "moon", stiffness=10.0, rest=0.0)
    m = b.build()
    run = am.simulate(m, [0.1, 0.2], duration=0.01, record="element_forces")
    assert run.complete and not run["element_forces"].any()
    assert m.element_forces([0.1, 0.2], [1.0, 2.0]).force("pull") == 0.0
    carts = am.Builder("carts", gravity=(0, 0, 0))
    for name in ("sun", "moon"):
        carts.body(name, joint="prismatic", axis="x", **BALL)
    carts.spring("pull", "sun", "moon", stiffness=10.0, rest=0.0)
    carts.spring("slack", "sun", "moon", stiffness=10.0, rest=0.5, side="pull")
    forces = carts.build().element_forces([0.2, 0.2], [1.0, 3.5])
    np.testing.assert_array_equal(forces.wrench, 0.0)
    np.testing.assert_array_equal(forces.along, [[0.0, 0.0, 2.5]] * 2)  # they part with 2.5 m/s


def test_a_law_of_the_user_without_a_number_beside_the_motion():
    """It pushes along the axis of its joint alone: the motion does not know, the recording does."""
    b = am.Builder("shaft", gravity=(0, 0, 0))
    b.body("shaft", joint="revolute", axis="z", **BALL)
    b.force("root", ("world", "shaft"), lambda r, R, w, u: [0, 0, sqrt(0.5 - w[2])])
    m = b.build()
    run = am.simulate(m, [0.0], [1.0], duration=0.01, record="element_forces")
    assert not run.complete and "'root' is undefined" in run.message and "t = 0 s" in run.message
    many = am.simulate(m, [[0.0], [0.0]], [[0.1], [1.0]], duration=0.01, record="element_forces")
    assert not many.complete and "run 1: the force of 'root'" in many.message
    assert any("run 1: the force of 'root'" in text for _, text in many.events)


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
