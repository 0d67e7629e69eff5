"""Force elements in files: every kind there and back, and faults with their line."""

import numpy as np
import pytest
from machines import IN_FILES, machine

import armillary as am
from armillary.formats.native import read_native
from armillary.formats.native_schema import native_schema
from armillary.formats.native_write import write_native

HEAD = """armillary: 1
gravity: [0, 0, -9.81]
bodies:
  car: {parent: world, joint: {type: prismatic, axis: z}, at: {position: [0, 0, 0.5]}, mass: 300}
"""


def read(line):
    return read_native(text=HEAD + "forces:\n  strut: " + line + "\n")


def test_there_and_back():
    model = machine("all").model
    text = write_native(model)
    assert len(model.elements) == len(IN_FILES)
    assert read_native(text=text) == model
    assert write_native(read_native(text=text)) == text


def test_ends_in_place_and_defaults():
    """The free length is that of the initial configuration; a preload gives it, too."""
    free = read("{type: spring, between: [world, car], stiffness: 1000}")
    assert free.elements[0].law.rest == 0.5
    assert "free of force" in str(free.report)
    loaded = read("{type: spring, between: [world, {body: car, position: [0, 0, 0.1]}], "
                  "stiffness: 1000, preload: -100}")  # fmt: skip
    np.testing.assert_allclose(loaded.elements[0].law.rest, 0.7)
    assert loaded.elements[0].ends[1].name == "strut.second"


FAULTS = {
    "{between: [world, car]}": "`type` is one of spring, cable",
    "{type: sprung, between: [world, car]}": "found 'sprung'",
    "{type: [], between: [world, car]}": "`type` is one of spring, cable",
    "{type: {a: 1}, between: [world, car]}": "`type` is one of spring, cable",
    "{type: spring, between: [world, car]}": "spring 'strut': it exerts no force",
    "{type: spring, between: [world, car], stiffness: -3}": "stiffness is negative: -3",
    "{type: spring, between: [world, car], damping: -3}": "damping is negative",
    "{type: spring, between: [world, wagon], stiffness: 3}": "Did you mean 'car'|wagon",
    "{type: spring, between: [car, car], stiffness: 3}": "all its ends are on 'car'",
    "{type: spring, between: [world, car], stiffnes: 3}": "Did you mean 'stiffness'",
    "{type: spring, between: [world, car], stiffness: stiff}": "stiffness: expected a number",
    "{type: spring, between: [world], stiffness: 3}": "expected two frames",
    "{type: spring, between: [world, car], stiffness: 3, rest: -1}": "rest length is negative",
    "{type: spring, between: [world, car], stiffness: 3, rest: 0.5, preload: 9}":
        "rest length of 0.5 m and its preload of 9 N contradict",
    "{type: spring, between: [world, car], preload: 9}": "needs a stiffness",
    "{type: spring, between: [world, car], stiffness: 3, preload: 9, side: push}":
        "contradicts side='push'",
    "{type: spring, between: [world, car], stiffness: 3, preload: 9}": "would need a free length",
    "{type: spring, between: [world, car], force: 3, side: pull}": "contradict each other",
    "{type: spring, between: [world, car], table: [[-1, -10], [1, 5]], side: pull}":
        "its table pushes",
    "{type: spring, between: [world, car], table: [[0, 0], [0, 1]]}": "must rise",
    "{type: spring, between: [world, car], damper_table: [[-1, 1], [1, 2]]}": "N at rest",
    "{type: bushing, between: [world, car], stiffness: [1, 2, 3]}": "expected 6 numbers",
    "{type: bushing, between: [world, car], stiffness: [-1, 1, 1, 1, 1, 1]}": "negative in some",
    "{type: torsion_spring, between: [world, car], stiffness: -1}": "stiffness is negative",
    "{type: drag, frame: car}": "it exerts nothing",
    "{type: drag, frame: car, linear: -1}": "linear part is negative",
    "{type: fixed_wrench, frame: car}": "it exerts nothing",
    "{type: point_gravity, frame: car, strength: 0, mass: 1}": "are positive",
}  # fmt: skip


@pytest.mark.parametrize("line", FAULTS)
def test_faults(line):
    with pytest.raises(am.FormatError, match=FAULTS[line]) as fault:
        read(line)
    assert str(fault.value).startswith("<text>:6: ")


def test_schema_has_every_kind():
    assert native_schema()["$defs"].keys() >= {
        "PointSpringEntry", "CableEntry", "TorsionSpringEntry", "BushingEntry",
        "FixedWrenchEntry", "DragEntry", "PointGravityEntry",
    }  # fmt: skip


def test_other_formats_say_what_they_lose(tmp_path):
    m = machine("spring")
    for name in ("m.urdf", "m.xml"):
        with pytest.raises(am.FormatError, match=r"spring 'e'.*forces between bodies"):
            m.save(tmp_path / name)
    with pytest.raises(am.FormatError, match="Python function"):
        machine("user law").save(tmp_path / "m.yaml")


# -- Python ----------------------------------------------------------------------------------------


def builder():
    b = am.Builder("b")
    b.body("car", joint="prismatic", axis="z", at=(0, 0, 0.5), mass=300.0)
    return b


def test_faults_of_the_builder():
    b = builder()
    b.spring("s", "world", "car", stiffness=3.0)
    with pytest.raises(am.ModelError, match="'s' belongs to a spring already"):
        b.drag("s", "car", linear=1.0)
    with pytest.raises(am.ModelError, match="expected a finite number"):
        b.spring("t", "world", "car", stiffness=float("nan"))
    K = np.eye(6)
    K[0, 1] = 0.5
    with pytest.raises(am.ModelError, match="not symmetric"):
        b.bushing("k", "world", "car", stiffness=K)
    with pytest.raises(am.ModelError, match="gives 2 numbers"):
        b.force("f", ("world", "car"), lambda r, R, w, u: (1.0, 2.0))
    with pytest.raises(am.ModelError, match="does not belong to the law"):
        b.force("f", ("world", "car"), lambda r, R, w, u: (-r[0], -r[1], -r[2]),
                lambda r, R: r[0] * r[0])  # fmt: skip
    with pytest.raises(am.ModelError, match="failed"):
        b.force("f", ("world", "car"), lambda r: r)
    with pytest.raises(am.ModelError, match="two ends"):
        b.cable("c", ["car"], stiffness=1.0)
        b.build()


def flat(r, R, w, u):
    return (R[7], 0.0, 0.0)


@pytest.mark.parametrize(
    ("kind", "given", "options", "words"),
    [
        ("spring", ("world", "car"), {"table": 5}, "spring 'e', table: expected rows of 2 numbers"),
        ("bushing", ("world", "car"), {"stiffness": 5}, "stiffness: expected 6x6 numbers, or 6"),
        ("cable", (None,), {"stiffness": 1.0}, "cable 'e': expected two frames or more, found N"),
        ("maxwell", ("car",), {"stiffness": 1.0, "damping": 1.0}, "'e': expected two frames or"),
        ("force", (None, flat), {}, "force 'e': expected two frames or more, found None"),
        ("force", (("world", "car"), flat), {}, "failed: tuple index out of range. It takes four"),
        ("force", (("world", "car"), flat), {"parameters": ["k"]}, r"expected {name: number}, fou"),
        ("force", (("world", "car"), flat), {"states": [0.0]}, r"expected {name: number}, found"),
    ],
)
def test_wrong_types_are_refused_by_name(kind, given, options, words):
    with pytest.raises(am.ModelError, match=words):
        getattr(builder(), kind)("e", *given, **options)


def test_zero_length_is_named():
    """The direction is undefined: an error that names the spring, NaN in a row of a batch."""
    b = am.Builder("z", gravity=(0, 0, 0))
    for name in ("a", "c"):
        b.body(name, joint="prismatic", axis="x", mass=1.0)
    b.spring("s", "a", "c", stiffness=10, rest=0.5, damping=1)
    m = b.build()
    assert "its ends coincide in the initial configuration" in str(m.report)
    b.spring("loaded", "a", "c", stiffness=10, preload=-3.0)
    with pytest.raises(am.ModelError, match="spring 'loaded': a preload of -3 N has no direction"):
        b.build()
    for ask in (m.forward_dynamics, m.inverse_dynamics, m.solve, m.forward_dynamics.derivatives):
        with pytest.raises(am.errors.NotFiniteError, match="spring 's': its force is undefined"):
            ask(np.zeros(2), np.zeros(2), np.zeros(2))
    a = m.forward_dynamics(np.array([[0.0, 0.0], [0.0, 1.0]]), np.zeros((2, 2)), np.zeros((2, 2)))
    assert np.isnan(a[0]).all()
    np.testing.assert_allclose(a[1], [5.0, -5.0])
    plain = m.replace(elements={"s": {"rest": 0.0, "damping": 0.0}})
    np.testing.assert_allclose(plain.forward_dynamics(np.zeros(2), np.zeros(2), np.zeros(2)), 0.0)


def test_edits_keep_what_they_can():
    m = machine("spring")
    q, v, a = m.random_state(1)
    locked = m.lock({"crane": float(q[0])})
    rest = v[1:] * 1.0
    still = np.concatenate([[0.0], rest])
    wanted = m.inverse_dynamics(q, still, np.concatenate([[0.0], a[1:]]))[1:]
    np.testing.assert_allclose(locked.inverse_dynamics(q[1:], rest, a[1:]), wanted, rtol=1e-11)
    branch = m.subtree("bob")
    assert not branch.model.elements and "outside of the subtree" in str(branch.report)
    kept = machine("drag").subtree("crane")
    assert len(kept.model.elements) == 1
    with pytest.raises(am.ModelError, match="force element"):
        m.replace(elements={"x": {"stiffness": 1.0}})
    with pytest.raises(am.ModelError, match="negative"):
        m.replace(elements={"e": {"stiffness": -1.0}})
    assert "pushed and pulled by" in str(m)
    with pytest.raises(am.ModelError, match="has no force elements"):
        am.example("two-link").element_forces([0.0, 0.0], [0.0, 0.0])


def test_replaced_numbers_are_checked_as_new_ones():
    """What `replace` takes is what a builder takes: the same dynamics, the same refusals."""

    def built(stiffness=2.0, axis="z"):
        b = builder()
        b.torsion_spring("t", "world", "car", axis=axis, stiffness=stiffness)
        b.bushing("b", "world", "car", stiffness=(1, 2, 3, 4, 5, 6))
        b.spring("s", "world", "car", stiffness=3.0, rest=0.1)
        b.maxwell("m", ("world", "car"), stiffness=3.0, damping=1.0)
        return b.build()

    m = built()
    for axis in ((0, 3, 4), "-x"):
        assert m.replace(elements={"t": {"axis": axis}}).model == built(axis=axis).model
    full = m.replace(elements={"b": {"stiffness": np.diag([1.0, 2, 3, 4, 5, 6])}})
    assert full.model == m.model
    for changes, match in (
        ({"s": {"stiffness": np.nan}}, "finite"),
        ({"s": {"weights": (1.0,)}}, "expected 0"),
        ({"m": {"state": (1.0, 2.0)}}, "expected 1"),
        ({"b": {"rest": (0.0,) * 5}}, "expected 6"),
        ({"s": {"unit": "rad"}}, "named 'unit'"),
        ({"s": 3}, "found 3"),
        (3, "expected {name"),
    ):
        with pytest.raises(am.ModelError, match=match):
            m.replace(elements=changes)
