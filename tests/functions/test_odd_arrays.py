"""Arrays as they come: any layout, byte order and class; batches, results and overlaps.

The oracle is the same call on plain copies, row by row by keyword (the careful way)."""

from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import armillary as am
from armillary.errors import ArmillaryError, InputError

ROWS = 24  # enough for the short ways of batches


@cache
def arm(tier: int = 2) -> am.Mechanism:
    return am.example("double-pendulum").compile(tier=tier)


@cache
def ball() -> am.Mechanism:
    builder = am.Builder("ball")
    builder.body("ball", joint="spherical", mass=1.0, com=(0, 0, 1), inertia=(1, 1, 1))
    return builder.build()


@cache
def states() -> tuple[np.ndarray, ...]:
    return tuple(np.random.default_rng(1).normal(size=(3, ROWS, 2)))


@cache
def expected(tier: int = 2) -> np.ndarray:
    q, v, a = states()
    return np.array([arm(tier).inverse_dynamics(q=q[k], v=v[k], a=a[k]) for k in range(ROWS)])


class Labelled(np.ndarray):
    """A subclass, as other libraries have them."""


def misaligned(x: np.ndarray) -> np.ndarray:
    room = np.zeros(x.nbytes + 1, np.uint8)
    view = room[1:].view(x.dtype).reshape(x.shape)
    view[...] = x
    return view


def frozen(x: np.ndarray) -> np.ndarray:
    x = x.copy()
    x.flags.writeable = False
    return x


LAYOUTS = {
    "plain": lambda x: x,
    "rows backwards": lambda x: np.flip(np.flip(x, 0).copy(), 0),
    "columns backwards": lambda x: np.flip(np.flip(x, 1).copy(), 1),
    "columns first": np.asfortranarray,
    "every third row": lambda x: np.repeat(x, 3, axis=0)[::3],
    "part of a table": lambda x: np.pad(x, 1, constant_values=np.nan)[1:-1, 1:-1],
    "other byte order": lambda x: x.astype(x.dtype.newbyteorder()),
    "misaligned": misaligned,
    "read-only": frozen,
    "subclass": lambda x: x.view(Labelled),
    "extended precision": lambda x: x.astype(np.longdouble),
    "nested lists": lambda x: x.tolist(),
    "list of rows": list,
    "memoryview": lambda x: memoryview(x.copy()),
}


@pytest.mark.parametrize("tier", [1, 2])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_batches_of_any_layout(layout, tier):
    dressed = [LAYOUTS[layout](x) for x in states()]
    for _ in range(2):  # the first call, and the short ways after it
        found = arm(tier).inverse_dynamics(*dressed)
        np.testing.assert_array_equal(found, expected(tier))
        assert type(found) is np.ndarray and found.dtype == np.float64
    q, _, a = states()
    np.testing.assert_array_equal(arm(tier).inverse_dynamics(q, dressed[1], a), expected(tier))


def test_one_row_repeated_without_memory():
    q, v, a = (np.broadcast_to(x[0], x.shape) for x in states())
    assert q.strides == (0, 8)
    np.testing.assert_array_equal(
        arm().inverse_dynamics(q, v, a), np.broadcast_to(expected()[0], (ROWS, 2))
    )


@pytest.mark.parametrize("kind", [np.float16, np.int32, np.uint8, bool])
def test_other_numbers(kind):
    q = (np.arange(2 * ROWS).reshape(ROWS, 2) % 3).astype(kind)
    np.testing.assert_array_equal(arm().mass_matrix(q), arm().mass_matrix(q.astype(float)))


@pytest.mark.parametrize("wrong", [
    np.zeros((ROWS, 2), object), np.zeros((ROWS, 2), complex), np.zeros((ROWS, 2), "U3"),
    np.zeros((ROWS, 2), "M8[s]"), np.zeros((ROWS, 2), "S2"), np.zeros(ROWS, [("x", float)]),
    np.array(0.5), np.zeros((0,)), np.zeros((ROWS, 0)), np.zeros((1, ROWS, 2)), np.zeros((ROWS, 3)),
], ids=str)  # fmt: skip
@pytest.mark.parametrize("which", [0, 2])
def test_what_is_no_batch_of_states_is_named(wrong, which):
    args = list(states())
    args[which] = wrong
    with pytest.raises(InputError, match=f"^{'qva'[which]}: "):
        arm().inverse_dynamics(*args)


def test_masked_entries_are_not_numbers():
    """What stands under a mask must not be computed with."""
    q, v, a = states()
    masked = np.ma.masked_array(q, mask=False)
    np.testing.assert_array_equal(arm().inverse_dynamics(masked, v, a), expected())
    masked[3, 1] = np.ma.masked
    with pytest.raises(InputError, match=r"^q: .*masked"):
        arm().inverse_dynamics(masked, v, a)
    with pytest.raises(InputError, match=r"^q: .*masked"):
        arm().inverse_dynamics(masked[3], v[3], a[3])


# ---------------------------------------------------------------- results put where the user wants

OUTS = {
    "plain": lambda: np.full((ROWS, 2), 7.0),
    "rows backwards": lambda: np.full((ROWS, 2), 7.0)[::-1],
    "columns backwards": lambda: np.full((ROWS, 2), 7.0)[:, ::-1],
    "columns first": lambda: np.full((ROWS, 2), 7.0, order="F"),
    "part of a table": lambda: np.full((ROWS + 2, 4), 7.0)[1:-1, 1:-1],
    "misaligned": lambda: misaligned(np.full((ROWS, 2), 7.0)),
    "subclass": lambda: np.full((ROWS, 2), 7.0).view(Labelled),
}


@pytest.mark.parametrize("tier", [1, 2])
@pytest.mark.parametrize("layout", OUTS)
def test_results_into_any_layout(layout, tier):
    for _ in range(2):
        out = OUTS[layout]()
        assert arm(tier).inverse_dynamics(*states(), out=out) is out
        np.testing.assert_array_equal(out, expected(tier))
        if out.base is not None and out.base.shape == (ROWS + 2, 4):
            edge = np.ones((ROWS + 2, 4), bool)
            edge[1:-1, 1:-1] = False
            assert (out.base[edge] == 7.0).all()  # nothing beside it was touched


@pytest.mark.parametrize("out", [
    np.zeros((ROWS, 2), ">f8"), np.zeros((ROWS, 2), np.float32), np.zeros((ROWS, 2), object),
    np.zeros((ROWS - 1, 2)), np.zeros((ROWS, 3)), np.zeros(2), np.zeros(()), [[0.0, 0.0]] * ROWS,
    np.zeros((2, ROWS)).tolist(), memoryview(np.zeros((ROWS, 2))),
])  # fmt: skip
def test_a_wrong_out_is_named(out):
    for _ in range(2):
        with pytest.raises(InputError, match=r"^out: expected an array of float64 with shape"):
            arm().inverse_dynamics(*states(), out=out)


def test_read_only_outs():
    for out in (frozen(np.zeros((ROWS, 2))), np.broadcast_to(np.zeros(2), (ROWS, 2))):
        with pytest.raises(InputError, match="read-only"):
            arm().inverse_dynamics(*states(), out=out)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    tier=st.sampled_from([1, 2]), single=st.booleans(), shifts=st.lists(
        st.integers(0, 12), min_size=4, max_size=4), steps=st.lists(
        st.sampled_from([-2, -1, 1, 2]), min_size=4, max_size=4),
)  # fmt: skip
def test_inputs_and_result_anywhere_in_one_piece_of_memory(tier, single, shifts, steps):
    """Views of one array, forwards, backwards, overlapping in any way, the result among them."""
    rng = np.random.default_rng(sum(shifts))
    room = rng.normal(size=12 + 4 * ROWS)
    count = 1 if single else ROWS
    views = []
    for shift, step in zip(shifts, steps, strict=True):
        flat = room[shift : shift + 2 * abs(step) * count][::step]
        views.append(flat if single else flat.reshape(count, 2))
    *inputs, out = views
    copies = [x.copy() for x in inputs]
    want = arm(tier).inverse_dynamics(**dict(zip("qva", copies, strict=True)))
    before = room.copy()
    assert arm(tier).inverse_dynamics(*inputs, out=out) is out
    np.testing.assert_array_equal(out, want)
    touched = np.zeros(len(room), bool)
    places = np.arange(len(room))
    shift, step = shifts[3], steps[3]
    if np.shares_memory(out, room):
        touched[places[shift : shift + 2 * abs(step) * count][::step]] = True
    np.testing.assert_array_equal(room[~touched], before[~touched])


# ---------------------------------------------------------------- the further calls


FURTHER = {
    "derivatives": lambda m, q, v, a: m.inverse_dynamics.derivatives(q, v, a).dq,
    "forward derivatives": lambda m, q, v, a: m.forward_dynamics.derivatives(q, v, a).dtau,
    "jvp": lambda m, q, v, a: m.inverse_dynamics.jvp(q, v, a, v, a, v),
    "vjp": lambda m, q, v, a: m.forward_dynamics.vjp(q, v, a, v)[0],
    "parameters": lambda m, q, v, a: m.inverse_dynamics(q, v, a, parameters=m.parameters),
    "offsets": lambda m, q, v, a: m.mass_matrix(q, offsets=np.zeros(12)),
}


@pytest.mark.parametrize("call", FURTHER)
def test_further_calls_take_any_layout(call):
    ask = FURTHER[call]
    want = ask(arm(), *states())
    for layout, change in LAYOUTS.items():
        found = ask(arm(), *(change(x) for x in states()))
        np.testing.assert_array_equal(found, want, err_msg=layout)
    row = ask(arm(), *(x[5] for x in states()))
    np.testing.assert_allclose(row, want[5], rtol=1e-13, atol=1e-13)
    assert ask(arm(), *(x[:0] for x in states())).shape == (0, *want.shape[1:])


ANY = st.one_of(
    st.none(), st.floats(), st.text(max_size=3), st.lists(st.floats(), max_size=3),
    st.sampled_from([np.zeros(2), np.zeros((3, 2)), np.zeros((3, 2))[::-1], np.zeros((0, 2)),
                     np.zeros(2, ">f8"), np.zeros(2, object), np.array(1.0), np.zeros((2, 0)),
                     np.zeros(2).view(Labelled), np.zeros(12), np.zeros(20), np.zeros((3, 20))]),
)  # fmt: skip


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(q=ANY, v=ANY, a=ANY, more=ANY)
def test_anything_in_further_calls(q, v, a, more):
    """Numbers, one of our errors, or Python's TypeError."""
    for call in (
        lambda: arm().inverse_dynamics.derivatives(q, v, a),
        lambda: arm().inverse_dynamics.jvp(q, v, a, more),
        lambda: arm().inverse_dynamics.vjp(q, v, a, more),
        lambda: arm().forward_dynamics(q, v, a, parameters=more),
        lambda: arm().bias_forces(q, v, offsets=more),
    ):
        try:
            call()
        except (ArmillaryError, TypeError):
            continue


def test_a_zero_quaternion_is_refused_everywhere():
    """Also by calls that are served natively, first and later ones."""
    still, turned = np.zeros(3), np.array([1.0, 0, 0, 0])
    calls = [
        lambda q, m: m.inverse_dynamics.derivatives(q, still, still),
        lambda q, m: m.forward_dynamics.derivatives(q, still, still),
        lambda q, m: m.inverse_dynamics.jvp(q, still, still, still),
        lambda q, m: m.forward_dynamics.vjp(q, still, still, still),
    ]
    weightless = ball().replace(gravity=(0, 0, 0))  # nothing depends on where it is turned
    for call in calls:
        for mechanism in (ball(), weightless):
            for _ in range(2):
                with pytest.raises(InputError, match="the quaternion at entry 0"):
                    call(np.zeros(4), mechanism)
                call(turned, mechanism)


# ---------------------------------------------------------------- many


def test_more_rows_than_memory_is_an_error_of_memory():
    q = np.broadcast_to(np.zeros(2), (10**13, 2))
    with pytest.raises(MemoryError, match="allocate"):
        arm().mass_matrix(q)


@pytest.mark.soak
@pytest.mark.parametrize("tier", [1, 2])
def test_ten_million_rows(tier):
    """About 1 GB.  Every block of rows is the same million, so the results must repeat."""
    some = np.random.default_rng(0).normal(size=(3, 10**6, 2))
    q, v, a = (np.tile(x, (10, 1)) for x in some)
    tau = arm(tier).inverse_dynamics(q, v, a)
    assert tau.shape == (10**7, 2)
    blocks = tau.reshape(10, 10**6, 2)
    np.testing.assert_array_equal(blocks, np.broadcast_to(blocks[0], blocks.shape))
    for k in (0, 123_456, 999_999):
        alone = arm(tier).inverse_dynamics(q=some[0, k], v=some[1, k], a=some[2, k])
        np.testing.assert_array_equal(tau[9 * 10**6 + k], alone)
    back = arm(tier).forward_dynamics(q, v, tau)
    np.testing.assert_allclose(back, a, atol=1e-9)
