"""Numbers without a place, numbers out of range and things of another kind: errors that name the
argument, say what was expected and found, and what helps."""

import numpy as np
import pytest

import armillary as am
from armillary.errors import InputError, ModelError

PENDULUM = am.example("double-pendulum")


def slide():
    b = am.Builder("slide", gravity=(0, 0, 0))
    b.body("cart", joint="prismatic", axis="x", mass=2.0)
    return b.build()


def ball():
    b = am.Builder("ball", gravity=(0, 0, 0))
    b.body("top", joint="spherical", mass=1.0, inertia=(1, 1, 1))
    return b.build()


# -- joint forces --------------------------------------------------------------------------------


def test_one_number_for_one_coordinate():
    """x = F t² / 2 m."""
    for given in (3.0, lambda t: 3.0, [3.0], {"cart": 3}):
        run = am.simulate(slide(), inputs=given, duration=1.0, step=0.1)
        assert run.q[-1, 0] == pytest.approx(0.75, abs=1e-12)


@pytest.mark.parametrize("given", [3, 3.0, np.float64(-2.0), True, lambda t: 0.5])
def test_one_number_for_several_coordinates(given):
    with pytest.raises(InputError, match=r"2 numbers \(shoulder, elbow\).*'shoulder'"):
        am.simulate(PENDULUM, inputs=given, duration=0.01)


def test_one_number_for_a_joint_of_several_coordinates():
    with pytest.raises(InputError, match=r"inputs\['top'\]: expected 3 numbers .*the number 3"):
        am.simulate(ball(), inputs={"top": 3.0}, duration=0.01)
    label = ball().v_labels[1]
    run = am.simulate(ball(), inputs={label: 3.0}, duration=0.1)
    np.testing.assert_allclose(run.v[-1], [0.0, 0.3, 0.0], atol=1e-12)


def test_nothing_acts_everywhere():
    """0 says the same of every joint."""
    run = am.simulate(PENDULUM, inputs=0, duration=0.01)
    plain = am.simulate(PENDULUM, duration=0.01)
    assert np.array_equal(run.q, plain.q)


# -- numbers of results --------------------------------------------------------------------------


def test_modes_by_number():
    modes = PENDULUM.modes(PENDULUM.equilibrium(PENDULUM.initial).q)
    count = len(modes)
    assert modes[-1] is modes[count - 1] is modes[np.int64(count - 1)]
    assert modes[-count] is modes[0] and modes[1:] == tuple(modes)[1:]
    for k in (count, -count - 1, 99, 1.5, "shoulder", True):
        with pytest.raises(InputError, match=f"has {count} modes here.* from 0 to {count - 1}"):
            modes[k]


def test_columns_of_a_run():
    run = am.simulate(PENDULUM, duration=0.01)
    with pytest.raises(ModelError, match=r"no column named '3'. Known: 'shoulder'"):
        run.column(3)


# -- names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [3, b"f", ["f"], "a b"])
def test_names_of_c_functions(name):
    with pytest.raises(InputError, match="cannot be the name of a C function"):
        PENDULUM.to_c(name=name)


def test_numbers_that_vary():
    with pytest.raises(ModelError, match="'3' is no number of"):
        PENDULUM.varying(3)


@pytest.mark.parametrize("given", [3, "composite bodies"])
def test_formulations_that_are_counted(given):
    with pytest.raises(InputError, match="formulations: expected names in a list"):
        PENDULUM.operation_counts(given)


# -- force elements ------------------------------------------------------------------------------


def mounted(rest):
    b = am.Builder("mounted", gravity=(0, 0, 0))
    b.body("box", joint="free", mass=1.0, inertia=(1, 1, 1))
    b.bushing("mount", "world", "box", stiffness=(1.0, 2.0, 3.0, 4.0, 5.0, 6.0), rest=rest)
    return b.build()


def test_a_rest_beyond_half_a_turn():
    """The proposed rotation vector is the same rotation: the box rests there without force."""
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    with pytest.raises(ModelError, match=r"bushing 'mount': its rest is rotated by 4 rad") as fault:
        mounted((*(4.0 * axis), 0, 0, 0))
    words = str(fault.value).partition("same place is (")[2].partition(")")[0]
    near = np.array([float(x) for x in words.split(",")])
    np.testing.assert_allclose(near, (4.0 - 2.0 * np.pi) * axis, atol=1e-5)
    m = mounted((*near, 0, 0, 0))
    q = [np.cos(2.0), *(np.sin(2.0) * axis), 0, 0, 0]  # turned by 4 rad about the axis
    assert np.abs(m.forward_dynamics(q, np.zeros(6), np.zeros(6))).max() < 1e-4
    with pytest.raises(ModelError, match="its rest is rotated by 4 rad"):
        m.replace(elements={"mount": {"rest": (0, 4.0, 0, 0, 0, 0)}})
    mounted((np.pi, 0, 0, 0, 0, 0))  # just half a turn


def test_laws_and_ends_of_another_kind():
    from armillary.model.elements.line import LineForce

    b = am.Builder("x")
    b.body("a", mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(ModelError, match=r"force element 's': expected a law .* found 3"):
        b.element("s", ("world", "a"), 3)
    for ends in (3, "world"):
        with pytest.raises(ModelError, match=r"spring 's': expected frames, .* found"):
            b.element("s", ends, LineForce(stiffness=1.0))


def test_endless_names_are_refused_at_once_and_shortly():
    """A name of a million characters is none that was mistyped: nothing is compared with it."""
    for ask in (am.example, lambda name: PENDULUM.pose([0, 0], name)):
        with pytest.raises(ModelError, match=r"x{10}\.\.\.x{10} \(1000000 characters\)") as fault:
            ask("x" * 10**6)
        assert len(str(fault.value)) < 1000
