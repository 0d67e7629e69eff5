"""Every public method of every kind of mechanism: a row of a batch is the single call, or a batch
is refused by name; a bad row is its own affair; numbers that overflow are an error that says so.

The methods are found by looking at the mechanism, so that a new one has to be entered in
every_question.py."""

import contextlib
from functools import cache

import numpy as np
import pytest
from every_question import (
    ELEMENTS_ONLY,
    ONE_STATE,
    OTHERS,
    STATES,
    TREES_ONLY,
    arrays_of,
    asked,
    public_names,
)

import armillary as am
from armillary.errors import ArmillaryError, InputError, ModelError, NotFiniteError

SIZES = (0, 1, 3, 19)  # 19: more than one block of 2, 4, 8 or 16 lanes, and none of them whole
COUNT = max(SIZES)
BODY = {"mass": 1.3, "com": (0.1, -0.2, 0.3), "inertia": (0.2, 0.3, 0.25)}


def floating() -> am.Mechanism:
    b = am.Builder("floating")
    b.body("base", joint="free", **BODY)
    b.body("arm", "base", joint="revolute", axis="y", at=am.Pose((0.1, 0.2, 0.3)), **BODY)
    return b.build()


def hung() -> am.Mechanism:
    """A free body on a ball joint, with quaternions and a loop."""
    b = am.Builder("hung")
    b.body("bob", joint="free", **BODY)
    b.loop("ball", "bob", "world", am.JointSpec("ball", "spherical"))
    return b.build()


def braked() -> am.Mechanism:
    """Friction by load."""
    b = am.Builder("braked")
    rail = am.Passive(load_radial=0.1)
    b.body("cart", joint="prismatic", axis="x", passive=rail, **BODY)
    b.body("rod", "cart", joint="revolute", axis="y", **BODY)
    return b.build()


def braked_closed() -> am.Mechanism:
    b = am.Builder("braked and closed")
    rail = am.Passive(load_radial=0.1)
    b.body("block", joint="prismatic", axis="x", passive=rail, **BODY)
    b.body("weight", joint="prismatic", axis="z", **BODY)
    b.coupling(am.Coupling("rope", "weight", "block", -1.0))
    return b.build()


def sprung() -> am.Mechanism:
    """Force elements between a floating body and an arm."""
    b = am.Builder("sprung")
    b.body("base", joint="free", **BODY)
    b.body("arm", joint="revolute", axis="y", at=am.Pose((0.1, 0.2, 0.3)), **BODY)
    b.spring("strut", "arm", am.Frame("top", "base", am.Pose((1, 1, 1))), stiffness=30, damping=2)
    b.bushing("mount", "world", "base", stiffness=[5.0] * 6, damping=[0.5] * 6)
    return b.build()


def sprung_closed() -> am.Mechanism:
    """A four-bar with a strut across it."""
    bar, b = am.example("four-bar"), am.Builder("x")
    b.body("link", joint="revolute", mass=1.0)
    ends = (am.Frame("a", bar.bodies[0]), am.Frame("b", bar.bodies[-1], am.Pose((0, 0, 0.1))))
    b.spring("strut", "world", am.Frame("end", "link", am.Pose((1, 0, 0))), stiffness=90, damping=1)
    law = b.build().model.elements[0].law
    return bar.replace(elements=(am.model.ForceElement("strut", ends, law),))


MACHINES = {
    "tree": lambda: am.example("two-link"),
    "loops over bodies": lambda: am.example("two-link").compile(tier=1),
    "floating": floating,
    "four-bar": lambda: am.example("four-bar"),
    "hung": hung,
    "braked": braked,
    "braked and closed": braked_closed,
    "sprung": sprung,
    "sprung loops": lambda: sprung().compile(tier=1),
    "sprung and closed": sprung_closed,
}

TREES = ("tree", "loops over bodies", "floating", "braked", "sprung", "sprung loops")


@cache
def machine(name: str) -> am.Mechanism:
    return MACHINES[name]()


@cache
def states(name: str) -> dict[str, np.ndarray]:
    m, rng = machine(name), np.random.default_rng(5)
    q = m.integrate(m.initial, rng.uniform(-0.2, 0.2, (COUNT, m.nv)))
    v = rng.uniform(-1.0, 1.0, (COUNT, m.nv))
    if m.constraints:
        q, v = m.project(q, v)
    others = ("a", "tau", "weight", "dq", "dv", "da", "dtau")
    found = {name: rng.uniform(-1.0, 1.0, (COUNT, m.nv)) for name in others}
    if m.constraints:
        found["a"] = m.forward_dynamics(q, v, found["tau"])  # which the constraints allow
    return found | {"q": q, "v": v, "q1": q[::-1].copy()}


def questions(m: am.Mechanism) -> list[str]:
    """Those that take batches here."""
    unknown = TREES_ONLY if m.constraints else frozenset()
    unknown |= frozenset() if m.model.elements else ELEMENTS_ONLY
    return [name for name in STATES if name not in unknown]


def count_of(m: am.Mechanism, name: str) -> int:
    """How many states are asked: few of what is interpreted row by row and knows no lanes."""
    slow = ("derivatives", "jvp", "vjp") if m.constraints or m.model.load_dependent_joints else ()
    return 3 if name.endswith(("offset_jacobian", *slow)) else COUNT


def ask(m: am.Mechanism, name: str, rows: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    arguments, options = STATES[name]
    options = {k: m.bodies[-1] if x == "last" else x for k, x in options.items()}
    return arrays_of(asked(m, name)(*(rows[x] for x in arguments), **options))


@cache
def singles(kind: str, name: str) -> list[dict[str, np.ndarray]] | str:
    """The answers to all states one by one, or how friction by load refuses the question."""
    m, s = machine(kind), states(kind)
    try:
        return [ask(m, name, {x: y[k] for x, y in s.items()})
                for k in range(count_of(m, name))]  # fmt: skip
    except ArmillaryError as error:
        assert m.model.load_dependent_joints
        return str(error)


def compare(name, found, wanted, rows):
    for key, first in wanted[0].items():
        assert found[key].ndim == first.ndim + 1, (name, key)
        if rows:  # how many free motions there are is not known of no state
            assert found[key].shape[1:] == first.shape, (name, key)
        for k in rows:
            # powers of one balance are rounded alike
            alike = [x for x in wanted[k] if ".balance." in x] if ".balance." in key else [key]
            size = max(1e-6, *(np.abs(wanted[k][x]).max(initial=0.0) for x in alike))
            np.testing.assert_allclose(
                found[key][k], wanted[k][key], rtol=0.0, atol=1e-9 * size, err_msg=f"{name} {key}"
            )


@pytest.mark.parametrize("kind", MACHINES)
def test_every_name_is_known(kind):
    m = machine(kind)
    known = {*STATES, *ONE_STATE, *OTHERS}
    found = {name for name in public_names(m) if not name.endswith(".compile_report")}
    assert found <= known, "enter new methods in every_question.py"


@pytest.mark.parametrize("kind", MACHINES)
def test_a_row_of_a_batch_is_the_single_call(kind):
    m, s = machine(kind), states(kind)
    for name in questions(m):
        wanted = singles(kind, name)
        for count in [size for size in SIZES if size <= count_of(m, name)]:
            rows = {x: y[:count].copy() for x, y in s.items()}
            if isinstance(wanted, str):
                with pytest.raises(ArmillaryError) as caught:
                    ask(m, name, rows)
                assert str(caught.value) == wanted
                continue
            found = ask(m, name, rows)
            assert found.keys() == wanted[0].keys(), name
            assert all(len(array) == count for array in found.values()), name
            compare(name, found, wanted, range(count))


@pytest.mark.parametrize("kind", MACHINES)
def test_one_state_goes_with_a_batch_of_others(kind):
    m, s = machine(kind), states(kind)
    if m.constraints:  # velocities and accelerations that go with the one position
        s = s | {x: np.tile(s[x][0], (COUNT, 1)) for x in "va"}
    for name in questions(m):
        arguments = STATES[name][0]
        if len(arguments) == 1 or isinstance(singles(kind, name), str):
            continue
        some = {x: y[: count_of(m, name)].copy() for x, y in s.items()}
        found = ask(m, name, some | {"q": s["q"][0]})
        wanted = [ask(m, name, {x: y[k] for x, y in s.items()} | {"q": s["q"][0]})
                  for k in range(3)]  # fmt: skip
        compare(name, found, wanted, range(3))


@pytest.mark.parametrize("kind", [kind for kind in MACHINES if kind not in TREES])
def test_what_trees_alone_have_is_refused_by_name(kind):
    m, s = machine(kind), states(kind)
    for name in TREES_ONLY:
        for rows in (s, {x: y[0] for x, y in s.items()}):
            with pytest.raises(InputError, match=f"{name}: .* is closed"):
                ask(m, name, rows)


@pytest.mark.parametrize("kind", MACHINES)
def test_batches_are_refused_by_name(kind):
    m, s = machine(kind), states(kind)
    for name, arguments in ONE_STATE.items():
        for count in (0, 1, 3):
            with pytest.raises(InputError, match=f"{name}: expected one state"):
                asked(m, name)(*(s[x][:count] for x in arguments))


def bad_rows(m: am.Mechanism, s: dict[str, np.ndarray]):
    """What is wrong, and the states with it in row 1."""
    turns = [k for k, unit in enumerate(m.q_units) if unit == "rad"]
    places = {"a number that is none": (np.nan, slice(None)), "an endless angle": (1e16, turns)}
    if m.evaluator.quaternions:
        places["a quaternion of zeros"] = (
            0.0,
            range(m.evaluator.quaternions[0], m.evaluator.quaternions[0] + 4),
        )
    for what, (value, columns) in places.items():
        q = s["q"].copy()
        q[1, columns] = value
        if len(q[1, columns]):
            yield what, s | {"q": q}
    yield "overflow", {x: np.where(np.arange(COUNT)[:, None] == 1, 1e200, y) for x, y in s.items()}


@pytest.mark.parametrize("kind", MACHINES)
def test_a_bad_row_is_its_own_affair(kind):
    m, s = machine(kind), states(kind)
    for what, rows in bad_rows(m, s):
        for name in questions(m):
            wanted = singles(kind, name)
            if isinstance(wanted, str):
                continue
            with np.errstate(all="ignore"):
                found = ask(m, name, {x: y[: len(wanted)].copy() for x, y in rows.items()})
            good = [k for k in range(len(wanted)) if k != 1]
            compare(f"{name}, {what}", found, wanted, good)
            if what == "a number that is none" and any(x[1].size for x in found.values()):
                assert not all(np.isfinite(x[1]).all() for x in found.values()), name


@pytest.mark.parametrize("kind", MACHINES)
def test_one_bad_state_is_refused_or_answered(kind):
    """No answer with numbers that are none, and no error that is not ours."""
    m, s = machine(kind), states(kind)
    refused = 0
    everything = [*questions(m), *ONE_STATE]
    for what, rows in bad_rows(m, s):
        for name in everything:
            one = {x: y[1] for x, y in rows.items()}
            with np.errstate(all="ignore"), contextlib.suppress(InputError, ModelError):
                refused += 1
                if name in STATES:
                    found = ask(m, name, one)
                else:
                    found = arrays_of(asked(m, name)(*(one[x] for x in ONE_STATE[name])))
                refused -= 1
                assert all(np.isfinite(x).all() for x in found.values()), (name, what)
    assert refused > 20


def test_the_error_names_the_number():
    arm = am.example("two-link")
    q, v, a = (x.copy() for x in arm.random_state(0))
    arm.inverse_dynamics(q, v, a)  # from now on natively
    v[1] = -1e200
    for _ in range(2):
        with pytest.raises(NotFiniteError, match=r"v\[1\] \('joint2'\) = -1e\+200"):
            arm.inverse_dynamics(q, v, a)
    with pytest.raises(NotFiniteError, match=r"q\[1\]"):
        arm.mass_matrix([0.0, 1e16])


def on_a_gimbal(closed: bool, loaded: bool) -> am.Mechanism:
    """An arm with a gimbal, held by a rod where it is closed."""
    b = am.Builder("on a gimbal")
    b.body("arm", axis="y", passive=am.Passive(load_radial=0.1 * loaded), **BODY)
    b.body("wrist", "arm", "gimbal", (0.4, 0, 0), free=("rx", "ry", "rz"), **BODY)
    b.body("tip", "wrist", "revolute", (0, 0.3, 0.1), axis="x", **BODY)
    if closed:
        b.distance("rod", am.Frame("end", "tip", am.Pose((0, 0.2, 0))),
                   am.Frame("ground", "world", am.Pose((1, 0, 0))), 0.7)  # fmt: skip
    return b.build()


@pytest.mark.parametrize("closed", [False, True], ids=["tree", "closed"])
@pytest.mark.parametrize("loaded", [False, True], ids=["plain", "braked"])
def test_a_locked_joint_is_its_own_affair(closed, loaded):
    """Axes that coincide leave accelerations undefined: NaN in that row, whatever is asked."""
    m, rng = on_a_gimbal(closed, loaded), np.random.default_rng(3)
    names = ("v", "a", "tau", "weight", "dq", "dv", "da", "dtau")
    s = {name: rng.uniform(-1.0, 1.0, (4, m.nv)) for name in names}
    q = rng.uniform(-0.3, 0.3, (4, m.nq))
    q[1, 2] = np.pi / 2
    if closed:
        q = np.array([m.assemble(place, hold=["wrist"]).q for place in q])
        s["v"] = m.project(q, s["v"])[1]
        s["a"] = m.project_acceleration(q, s["v"], s["a"])
    s |= {"q": q, "q1": q[::-1].copy()}
    undefined = []
    for name in questions(m):
        alone = {}
        for k in (0, 1, 2, 3):
            with contextlib.suppress(ModelError, InputError):
                alone[k] = ask(m, name, {x: y[k] for x, y in s.items()})
        if 0 not in alone:
            assert loaded  # friction by load refuses some
            continue
        found = ask(m, name, s)
        compare(name, found, alone | {1: alone.get(1, {})}, sorted(alone))
        if 1 not in alone:
            undefined.append(name)
            assert any(np.isnan(x[1]).any() for x in found.values()), name
            of_one = ask(m, name, {x: y[1:2] for x, y in s.items()})
            assert any(np.isnan(x).any() for x in of_one.values()), name
    assert {"forward_dynamics", "solve"} <= set(undefined)
    assert not any(name.startswith(("inverse", "driving", "reactions")) for name in undefined)
    if closed:
        texts = m.solve(s["q"], s["v"], s["tau"]).messages
        assert any("state 1: nothing with inertia moves" in x and "wrist" in x for x in texts)


def test_the_inertia_at_a_tip_behind_a_locked_joint_is_not_rounding():
    m, rng = on_a_gimbal(False, False), np.random.default_rng(0)
    q = rng.uniform(-2.0, 2.0, (40, m.nq))
    q[:, 2] = np.pi / 2
    assert np.isnan(m.operational_inertia(q, "tip").W).all(axis=(1, 2)).all()
    for place in q[:3]:
        with pytest.raises(ModelError, match=r"joint 'wrist' is locked"):
            m.operational_inertia(place, "tip")


def test_rows_that_give_way_do_not_hide_a_locked_joint():
    m = on_a_gimbal(True, False)
    places = [m.assemble([0.4, 0.3, x, 0.2, 0.1], hold=["wrist"]).q for x in (1.2, np.pi / 2)]
    state = np.array(places), np.zeros((2, m.nv)), np.ones((2, m.nv))
    for question in (m.forward_dynamics, m.solve):
        found = question(*state, baumgarte=am.Penalty(1e6, 1e3))
        a = getattr(found, "acceleration", found)
        assert np.isfinite(a[0]).all() and np.isnan(a[1]).all()
        with pytest.raises(ModelError, match=r"joint 'wrist' is locked"):
            question(*(x[1] for x in state), baumgarte=am.Penalty(1e6, 1e3))
