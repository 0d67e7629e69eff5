"""What users pass in: the right answer, or an error that names the argument.  Never a crash."""

from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import armillary as am
from armillary.errors import ArmillaryError, InputError, ModelError


@cache
def arm() -> am.Mechanism:
    return am.example("double-pendulum")


@cache
def state() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    q, v, a = arm().random_state(3)
    return q, v, a


@cache
def expected() -> np.ndarray:
    """Asked by keyword: always the careful way."""
    q, v, a = state()
    return arm().inverse_dynamics(q=q, v=v, a=a)


def ask(q=None, v=None, a=None, **options):
    q0, v0, a0 = state()
    pick = lambda x, default: default if x is None else x  # noqa: E731
    return arm().inverse_dynamics(pick(q, q0), pick(v, v0), pick(a, a0), **options)


# ---------------------------------------------------------------- all the ways to say a state

WAYS = {
    "list": lambda x: x.tolist(),
    "tuple": lambda x: tuple(x.tolist()),
    "list of numpy numbers": list,
    "non-contiguous": lambda x: np.repeat(x, 2)[::2],
    "backwards": lambda x: np.flip(np.flip(x).copy()),
    "column of a matrix": lambda x: np.asfortranarray(np.stack([x, x]))[0],
    "read-only": lambda x: frozen(x),  # noqa: PLW0108 - defined below
    "misaligned": lambda x: misaligned(x),  # noqa: PLW0108
    "other byte order": lambda x: x.astype(">f8"),
    "extended precision": lambda x: x.astype(np.longdouble),
    "subclass": lambda x: x.view(np.matrix).A1.view(Labelled),
    "masked": np.ma.masked_array,
    "memoryview": memoryview,
}


class Labelled(np.ndarray):
    """A subclass of numpy's array, as other libraries have them."""


def frozen(x: np.ndarray) -> np.ndarray:
    x = x.copy()
    x.flags.writeable = False
    return x


def misaligned(x: np.ndarray) -> np.ndarray:
    raw = np.zeros(x.nbytes + 1, np.uint8)
    view = raw[1:].view(np.float64).reshape(x.shape)
    view[...] = x
    assert not view.flags.aligned
    return view


@pytest.mark.parametrize("way", WAYS)
def test_a_state_in_many_clothes(way):
    dressed = [WAYS[way](x) for x in state()]
    for _ in range(2):  # the first call and the lean ones after it
        np.testing.assert_array_equal(arm().inverse_dynamics(*dressed), expected())
    _, v, a = state()
    np.testing.assert_array_equal(arm().inverse_dynamics(dressed[0], v, a), expected())


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, bool])
def test_whole_numbers(dtype):
    q = np.array([1, 0], dtype)
    np.testing.assert_array_equal(arm().mass_matrix(q), arm().mass_matrix([1.0, 0.0]))


def test_inputs_are_left_alone():
    copies = [x.copy() for x in state()]
    ask()
    for x, copy in zip(state(), copies, strict=True):
        np.testing.assert_array_equal(x, copy)


def batch(count: int):
    rng = np.random.default_rng(count)
    return rng.normal(size=(3, count, 2))


@pytest.mark.parametrize("layout", ["C", "F", "strided", "read-only"])
def test_a_batch_in_any_layout(layout):
    q, v, a = batch(7)
    want = [arm().inverse_dynamics(*row) for row in zip(q, v, a, strict=True)]
    change = {
        "C": lambda x: x,
        "F": np.asfortranarray,
        "strided": lambda x: np.repeat(x, 3, axis=0)[::3],
        "read-only": frozen,
    }[layout]
    np.testing.assert_array_equal(arm().inverse_dynamics(*map(change, (q, v, a))), want)


def test_no_rows_and_one_row():
    q, v, a = batch(1)
    assert arm().inverse_dynamics(q, v, a).shape == (1, 2)
    np.testing.assert_array_equal(
        arm().inverse_dynamics(q, v, a)[0], arm().inverse_dynamics(q[0], v[0], a[0])
    )
    q, v, a = batch(0)
    assert arm().inverse_dynamics(q, v, a).shape == (0, 2)
    assert arm().mass_matrix(q).shape == (0, 2, 2)
    assert arm().energy(q, v)[0].shape == (0,)


def test_no_rows_of_wrenches():
    q, v, a = batch(0)
    for frame in ("world", arm().bodies[0]):
        for wrench in (np.zeros((0, 6)), np.zeros(6)):
            assert arm().inverse_dynamics(q, v, a, external={frame: wrench}).shape == (0, 2)


NO_ROWS = {
    "pose": lambda m, q, v, f: m.pose(q, f)[0],
    "poses": lambda m, q, v, f: m.poses(q)[0],
    "jacobian": lambda m, q, v, f: m.jacobian(q, f),
    "velocity": lambda m, q, v, f: m.velocity(q, v, f),
    "momentum": lambda m, q, v, f: m.momentum(q, v),
    "momentum_matrix": lambda m, q, v, f: m.momentum_matrix(q),
    "center_of_mass_jacobian": lambda m, q, v, f: m.center_of_mass_jacobian(q),
    "operational_inertia": lambda m, q, v, f: m.operational_inertia(q, f)[0],
    "operational_rank": lambda m, q, v, f: m.operational_inertia(q, f)[1],
    "regressor": lambda m, q, v, f: m.regressor(q, v, v),
    "forward derivatives": lambda m, q, v, f: m.forward_dynamics.derivatives(q, v, v).dq,
    "integrate": lambda m, q, v, f: m.integrate(q, v),
    "difference": lambda m, q, v, f: m.difference(q, q),
    "reactions": lambda m, q, v, f: m.reactions(q, v, v).total,
    "world": lambda m, q, v, f: m.pose(q, "world")[0],
}


@pytest.mark.parametrize("question", NO_ROWS)
def test_no_rows_everywhere(question):
    nothing = np.empty((0, 2))
    one = NO_ROWS[question](arm(), np.zeros((1, 2)), np.ones((1, 2)), arm().bodies[-1])
    found = NO_ROWS[question](arm(), nothing, nothing, arm().bodies[-1])
    assert found.shape == (0, *one.shape[1:])


@pytest.mark.parametrize("question", NO_ROWS)
@pytest.mark.parametrize("bad", [0, 2])
def test_a_bad_row_stays_alone_everywhere(question, bad):
    """A batch with one row that is not finite: the others have the bits they have without it."""
    q, v, _ = batch(5)
    ask_all = NO_ROWS[question]
    clean = ask_all(arm(), q, v, "tip")
    q = q.copy()
    q[bad, 1] = np.nan
    found = ask_all(arm(), q, v, "tip")
    good = [k for k in range(5) if k != bad]
    np.testing.assert_array_equal(found[good], clean[good])


def test_a_rank_does_not_depend_on_the_other_rows():
    """A state at 1 m beside one at 1e12 m: each is judged by its own numbers."""
    builder = am.Builder("two scales")
    builder.body("far", joint="prismatic", axis="x", mass=1.0)
    builder.body("hand", "far", "revolute", axis="z", mass=1.0, inertia=(1, 1, 1))
    slider = builder.build()
    q = np.array([[0.5, 0.1], [1e12, 0.1]])
    alone = [int(slider.operational_inertia(row, "hand", "world")[1]) for row in q]
    assert list(slider.operational_inertia(q, "hand", "world")[1]) == alone


def test_one_state_against_a_batch():
    q, v, a = batch(5)
    found = arm().inverse_dynamics(q, v[0], a)
    for k in range(5):
        np.testing.assert_array_equal(found[k], arm().inverse_dynamics(q[k], v[0], a[k]))


def test_a_plain_number_is_enough_for_one_degree_of_freedom():
    builder = am.Builder("pendulum")
    builder.body("rod", joint="revolute", axis="y", mass=1.0, com=(0, 0, -0.5))
    rod = builder.build()
    want = rod.inverse_dynamics([0.4], [0.0], [1.0])
    for number in (float, np.float64, np.array, np.float32):
        np.testing.assert_allclose(
            rod.inverse_dynamics(number(0.4), number(0.0), number(1.0)), want, rtol=1e-6
        )
    assert rod.inverse_dynamics(0.4, 0, 1).shape == (1,)
    with pytest.raises(InputError, match="q"):
        rod.inverse_dynamics([0.4, 0.5], 0, 1)
    assert rod.inverse_dynamics([[0.4], [0.5]], 0, 1).shape == (2, 1)


def test_float32_in_float32_out():
    q, v, a = (x.astype(np.float32) for x in state())
    found = arm().inverse_dynamics(q, v, a)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected(), rtol=1e-5)
    assert arm().inverse_dynamics(q, v, a.astype(float)).dtype == np.float64


def test_nothing_that_moves():
    """A mechanism without a degree of freedom is a mechanism."""
    builder = am.Builder("block")
    builder.body("block", joint="fixed", mass=1.0, inertia=(1, 1, 1))
    block = builder.build()
    assert block.inverse_dynamics([], [], []).shape == (0,)
    assert block.mass_matrix([]).shape == (0, 0)
    assert block.pose([], "block")[0].shape == (3, 3)
    assert block.inverse_dynamics(np.empty((4, 0)), [], []).shape == (4, 0)


# ---------------------------------------------------------------- wrong ones are named

WRONG = {
    "too many": ([1.0, 2.0, 3.0], "expected 2 numbers"),
    "too few": ([1.0], "expected 2 numbers"),
    "none": ([], "expected 2 numbers"),
    "a number": (1.0, "expected 2 numbers"),
    "a wide batch": (np.zeros((4, 3)), r"\(4, 3\)"),
    "three axes": (np.zeros((2, 2, 2)), r"\(2, 2, 2\)"),
    "complex": ([1.0 + 0j, 2.0], "complex"),
    "strings": (["1", "2"], "real numbers"),
    "a word": ("home", "real numbers"),
    "objects": ([object(), None], "real numbers"),
    "None": ([None, None], "real numbers"),
    "dates": (np.array(["2020-01-01", "2020-01-02"], "M8[D]"), "real numbers"),
    "ragged": ([[1.0, 2.0], [3.0]], "different lengths|real numbers"),
    "a dict": ({"q": 1.0}, "no joint named 'q'"),
    "a set": ({1.0, 2.0}, "real numbers"),
    "not a number": ([1.0, np.nan], "entry 1"),
    "infinite": ([-np.inf, 1.0], "entry 0"),
    "structured": (np.zeros(2, [("a", float)]), "real numbers"),
}


@pytest.mark.parametrize("name", ["q", "v", "a"])
@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_argument_is_named(name, wrong):
    value, said = WRONG[wrong]
    for _ in range(2):
        with pytest.raises(InputError, match=said) as caught:
            ask(**{name: value})
        assert str(caught.value).startswith(f"{name}:")


def test_the_spoilt_entry_is_named():
    with pytest.raises(InputError, match=f"'{arm().q_labels[1]}'"):
        ask(q=[0.0, np.nan])


def test_batches_of_different_lengths():
    with pytest.raises(InputError, match="q: 3, v: 4"):
        arm().bias_forces(np.zeros((3, 2)), np.zeros((4, 2)))


@pytest.mark.parametrize("call", [
    lambda m, q, v: m.pose(q, "elbo"),
    lambda m, q, v: m.jacobian(q, "elbo"),
    lambda m, q, v: m.velocity(q, v, "elbo"),
    lambda m, q, v: m.operational_inertia(q, "elbo"),
    lambda m, q, v: m.bias_forces(q, v, {"elbo": np.zeros(6)}),
    lambda m, q, v: m.bias_forces(q, v, external={"elbo": np.zeros((2, 6))}),
])  # fmt: skip
def test_unknown_frames_are_named(call):
    q, v, _ = state()
    with pytest.raises(ModelError, match="'elbo'"):
        call(arm(), q, v)


def test_unknown_coordinates_list_the_known():
    with pytest.raises(InputError, match="'local', 'world_aligned', 'world'"):
        arm().jacobian(state()[0], arm().bodies[0], "lokal")


WRENCHES = {
    "five numbers": (np.zeros(5), "external"),
    "a number": (1.0, "external"),
    "words": ("push", "external"),
    "complex": (np.zeros(6, complex), "complex"),
    "not finite": ([0, 0, np.nan, 0, 0, 0], "nz"),
    "three axes": (np.zeros((1, 1, 6)), "external"),
    "a batch of another length": (np.zeros((3, 6)), None),
}


@pytest.mark.parametrize("wrong", WRENCHES)
def test_wrong_wrenches_are_named(wrong):
    value, said = WRENCHES[wrong]
    body = arm().bodies[-1]
    if said is None:  # it makes a batch of the call
        assert ask(external={body: value}).shape == (3, 2)
        with pytest.raises(InputError, match=r"external\['"):
            arm().inverse_dynamics(*np.zeros((3, 2, 2)), external={body: value})
        return
    with pytest.raises(InputError, match=said) as caught:
        ask(external={body: value})
    assert f"external['{body}']" in str(caught.value)


@pytest.mark.parametrize(
    "value", [[1.0] * 6, np.ones(6), np.zeros(6), "push", 3.0, {1: np.zeros(6)}], ids=str
)
def test_wrenches_that_name_no_frame(value):
    with pytest.raises((InputError, ModelError), match=r"external|no frame|no body"):
        ask(external=value)


def test_empty_externals_are_none():
    np.testing.assert_array_equal(ask(external={}), expected())
    np.testing.assert_array_equal(ask(external={"world": np.ones(6)}), expected())


# ---------------------------------------------------------------- results put where the user wants


def test_out_is_filled_and_returned():
    out = np.empty(2)
    for _ in range(3):
        out[:] = np.nan
        assert ask(out=out) is out
        np.testing.assert_array_equal(out, expected())
    q, v, a = batch(6)
    many = np.empty((6, 2))
    assert arm().inverse_dynamics(q, v, a, out=many) is many
    np.testing.assert_array_equal(many, arm().inverse_dynamics(q, v, a))
    M = np.empty((2, 2))
    assert arm().mass_matrix(state()[0], out=M) is M


OUTS = {
    "too long": np.empty(3),
    "a batch": np.empty((1, 2)),
    "a number": np.empty(()),
    "single precision": np.empty(2, np.float32),
    "integers": np.empty(2, int),
    "complex": np.empty(2, complex),
    "a list": [0.0, 0.0],
    "a word": "out",
    "a number, plain": 1.0,
}


@pytest.mark.parametrize("wrong", OUTS)
def test_a_wrong_out_is_named(wrong):
    for _ in range(2):
        with pytest.raises(
            InputError, match=r"^out: expected an array of float64 with shape \(2,\)"
        ):
            ask(out=OUTS[wrong])


def test_a_read_only_out_is_refused():
    for _ in range(2):
        with pytest.raises(InputError, match=r"out: .*read-only"):
            ask(out=frozen(np.zeros(2)))


OTHER_OUTS = {
    "misaligned": lambda: misaligned(np.zeros(2)),
    "strided": lambda: np.zeros(4)[::2],
    "backwards": lambda: np.zeros(2)[::-1],
    "subclass": lambda: np.zeros(2).view(Labelled),
    "part of more": lambda: np.zeros((3, 2))[1],
}


@pytest.mark.parametrize("way", OTHER_OUTS)
def test_out_of_any_layout(way):
    for _ in range(2):
        out = OTHER_OUTS[way]()
        assert ask(out=out) is out
        np.testing.assert_array_equal(out, expected())


@pytest.mark.parametrize("which", [0, 1, 2])
def test_out_may_be_an_input(which):
    inputs = [x.copy() for x in state()]
    found = arm().inverse_dynamics(*inputs, out=inputs[which])
    assert found is inputs[which]
    np.testing.assert_array_equal(found, expected())


def test_out_may_overlap_an_input():
    q, v, a = state()
    for shift in (-1, 1):
        room = np.zeros(4)
        room[1:3] = v
        found = arm().inverse_dynamics(q, room[1:3], a, out=room[1 + shift : 3 + shift])
        np.testing.assert_array_equal(found, expected())
    matrix = np.zeros((2, 2))
    matrix[0] = q
    np.testing.assert_array_equal(
        arm().mass_matrix(matrix[0], out=matrix), arm().mass_matrix(q.copy())
    )
    rows = np.stack([np.tile(x, (8, 1)) for x in (q, v, a)])
    found = arm().inverse_dynamics(rows[0], rows[1], rows[2], out=rows[1])
    np.testing.assert_array_equal(found, np.tile(expected(), (8, 1)))


def test_a_refused_call_leaves_out_alone():
    out = np.full(2, 7.0)
    with pytest.raises(InputError):
        ask(q=[np.nan, 0.0], out=out)
    with pytest.raises(InputError):
        ask(v=[0.0], out=out)
    np.testing.assert_array_equal(out, 7.0)


# ---------------------------------------------------------------- ways to call


def test_positions_and_keywords_mix():
    q, v, a = state()
    f = arm().inverse_dynamics
    for found in (f(q, v, a), f(q, v, a=a), f(q, a=a, v=v), f(a=a, v=v, q=q), f(q, v, a, None),
                  f(q, v, a, None, True), f(q, v, a, passive=True), f(*(q, v), a=a),
                  f(q, v, a, None, True, None), f(q, v, a, **{"o" + "ut": None})):  # fmt: skip
        np.testing.assert_array_equal(found, expected())


@pytest.mark.parametrize("call", [
    lambda f, q: f(),
    lambda f, q: f(q),
    lambda f, q: f(q, q),
    lambda f, q: f(q, q, q, q=q),
    lambda f, q: f(q, q, q, speed=q),
    lambda f, q: f(q, q, q, None, True, None, 1),
    lambda f, q: f(q, q, tau=q),
])  # fmt: skip
def test_wrong_calls_are_type_errors(call):
    for _ in range(2):
        with pytest.raises(TypeError):
            call(arm().inverse_dynamics, state()[0])


# ---------------------------------------------------------------- anything at all

ANYTHING = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.complex_numbers(), st.text(max_size=5),
    st.binary(max_size=8), st.lists(st.floats(), max_size=4),
    st.lists(st.lists(st.floats(width=32), max_size=3), max_size=3),
    st.dictionaries(st.text(max_size=3), st.floats(), max_size=2),
    st.builds(object), st.sampled_from([np.nan, np.float32(1), np.int8(3), slice(None), int, len]),
    npst.arrays(
        st.one_of(npst.floating_dtypes(), npst.integer_dtypes(), npst.complex_number_dtypes(),
                  npst.boolean_dtypes(), npst.datetime64_dtypes(), npst.unicode_string_dtypes()),
        npst.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3),
    ),
    st.just(np.zeros(2)), st.just(np.ones((3, 2))), st.just(np.zeros(2, np.float32)),
)  # fmt: skip
FUZZ = settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))


NAMES = st.sampled_from(["q", "v", "a", "external", "passive", "out", "other"])


@FUZZ
@given(args=st.lists(ANYTHING, max_size=7), names=st.dictionaries(NAMES, ANYTHING, max_size=3))
def test_anything_is_answered_or_refused(args, names):
    """A call with arbitrary objects: numbers, or one of our errors, or Python's TypeError."""
    try:
        found = arm().inverse_dynamics(*args, **names)
    except (ArmillaryError, TypeError):
        return
    assert found.shape in ((2,), (len(found), 2))


@FUZZ
@given(value=ANYTHING, which=st.integers(0, 3))
def test_anything_beside_good_arguments(value, which):
    """Three good arguments and one arbitrary one, so that the native checks are reached."""
    args = [x.copy() for x in state()]
    ask()  # the lean call is on
    try:
        if which == 3:
            found = arm().inverse_dynamics(*args, out=value)
        else:
            args[which] = value
            found = arm().inverse_dynamics(*args)
    except (ArmillaryError, TypeError):
        return
    assert found.shape in ((2,), (len(found), 2))


@FUZZ
@given(value=ANYTHING, wrench=ANYTHING)
def test_anything_as_a_wrench_or_a_frame(value, wrench):
    q, v, _ = state()
    for call in (
        lambda: arm().bias_forces(q, v, {"world": wrench, arm().bodies[0]: wrench}),
        lambda: arm().pose(q, value),
        lambda: arm().velocity(q, v, arm().bodies[0], value),
        lambda: arm().mass_matrix(value),
    ):
        try:
            call()
        except (ArmillaryError, TypeError):
            continue


def test_bad_rows_of_frames_on_the_ground():
    """Nothing moves there, but a row that is no number says so, as everywhere."""
    m = am.example("two-link")
    q, zero = np.zeros((9, 2)), np.zeros((9, 2))
    q[4, 0] = np.nan
    results = [
        *m.pose(q, "world"), m.velocity(q, zero, "world"), m.jacobian(q, "world"),
        m.acceleration(q, zero, zero, "world"), m.jacobian_dot(q, zero, "world"),
    ]  # fmt: skip
    for x in results:
        assert np.isnan(x[4]).all() and np.isfinite(np.delete(x, 4, axis=0)).all()


def test_a_mechanism_is_made_of_a_model():
    arm = am.example("two-link")
    assert am.Mechanism(arm.model).nv == 2
    for wrong in (arm, None, "two-link"):
        with pytest.raises(InputError, match=r"expected a Model, found .*a mechanism already"):
            am.Mechanism(wrong)


NO_NAMES = (3, 1.5, [1], [["crank"]], np.zeros((2, 2)), object())


@pytest.mark.parametrize("wrong", NO_NAMES, ids=lambda x: type(x).__name__)
def test_what_is_no_name_is_refused_by_name(wrong):
    bars = am.example("four-bar")
    q, rest = bars.initial, np.zeros(3)
    for ask in (
        lambda: bars.project(q, hold=wrong),
        lambda: bars.assemble(q, hold=wrong),
        lambda: bars.equilibrium(q, hold=wrong),
        lambda: bars.project_acceleration(q, rest, hold=wrong),
    ):
        with pytest.raises(InputError, match=r"hold: expected names"):
            ask()
    with pytest.raises(InputError, match="expected names"):
        bars.inverse_dynamics(q, rest, rest, actuators=wrong)


def test_other_wrong_words_of_closed_questions():
    bars = am.example("four-bar")
    q, rest = bars.initial, np.zeros(3)
    for wrong in ("crank", 3, [1.0]):
        with pytest.raises(InputError, match=r"prescribed: expected accelerations by name"):
            bars.solve(q, rest, rest, prescribed=wrong)
        with pytest.raises(InputError, match=r"prescribed: expected the motion of all rows"):
            bars.project(q, prescribed=wrong)
    with pytest.raises(InputError, match=r"'crank': expected accelerations \(numbers\)"):
        bars.forward_dynamics(q, rest, rest, prescribed={"crank": "fast"})
    for wrong in (None, 1.5, -1, True, "a"):
        with pytest.raises(InputError, match="restarts: expected a whole number"):
            bars.assemble(q, restarts=wrong)


def test_a_check_where_a_pivot_is_zero():
    """All bars in one line: the first choice of dependent joints has none there."""
    bars = am.example("four-bar")
    rest = np.zeros(3)
    with pytest.warns(am.errors.ProjectionWarning, match="open at this q"):
        found = bars.check(rest, rest, rest)
    assert "null space" in str(found)


def test_masked_entries_are_refused():
    """What is masked has no number; a mask that hides nothing is as good as none."""
    arm = am.example("two-link")
    rest, q = np.zeros(2), np.ma.masked_array([0.1, 0.2], mask=[False, True])
    with pytest.raises(am.InputError, match="q: some entries are masked"):
        arm.inverse_dynamics(q, rest, rest)
    whole = np.ma.masked_array([0.1, 0.2], mask=[False, False])
    plain = arm.inverse_dynamics([0.1, 0.2], rest, rest)
    np.testing.assert_array_equal(arm.inverse_dynamics(whole, rest, rest), plain)


def test_numbers_and_names_of_a_wrong_kind_are_refused_by_name():
    arm, bars = am.example("two-link"), am.example("four-bar")
    for wrong in (-1, 1.5, "a", True, None):
        for ask in (
            lambda x: arm.random_state(seed=x),
            lambda x: bars.assemble(bars.initial, seed=x),
            lambda x: arm.compile(threads=x),
            lambda x: arm.compile(budget=x),
        ):
            with pytest.raises(InputError, match=r"expected a whole number from [01] on"):
                ask(wrong)
    for wrong in (-1, 1.5, "a", True):
        with pytest.raises(InputError, match="count: expected a whole number from 0 on"):
            arm.random_state(1, wrong)
    for name in ("inputs", "outputs", "wrenches"):
        with pytest.raises(InputError, match=f"{name}: expected names"):
            arm.linearize(arm.initial, **{name: 3})
    with pytest.raises(InputError, match="rows: expected"):
        arm.dexterity(arm.initial, rows=3)
    with pytest.raises(am.ModelError, match="bodies: expected"):
        arm.replace(bodies="a")


def test_random_states_of_any_number():
    """Rows of a batch are drawn one after the other, whatever their number."""
    m = am.example("dual-arm-free-flyer")
    assert [x.shape for x in m.random_state(1, 0)] == [(0, m.nq), (0, m.nv), (0, m.nv)]
    few, many = m.random_state(7, 2), m.random_state(7, np.int64(5))
    for x, y in zip(few, many, strict=True):
        np.testing.assert_array_equal(x, y[:2])
    np.testing.assert_array_equal(m.random_state(7)[0], few[0][0])
