"""The name of traced code changes with everything the code is made of, and with nothing else."""

import functools
import math
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import armillary as am
from armillary.algorithms.passes import GlobalStep
from armillary.algorithms.tree import forward_dynamics, inverse_dynamics, kinematics
from armillary.codegen import sources
from armillary.evaluate.fingerprint import NotPlainError, described
from armillary.evaluate.request import Request
from armillary.joints import Revolute
from armillary.model.lowering.constraints import lower_constraints
from armillary.model.lowering.tree import Tables, parametric

ID = inverse_dynamics.inverse_dynamics


def builder(second: str = "universal", **options) -> am.Builder:
    b = am.Builder("two")
    passive = am.Passive(viscous=0.1, coulomb=0.2, smoothing=0.01, spring=2.0, rest=0.1, **options)
    b.body("a", joint="revolute", axis=(0.1, 0.2, 1.0), at=(0.1, 0.2, 0.3), rpy=(0.4, 0.5, 0.6),
           mass=1.5, com=(0.1, 0.2, -0.5), inertia=(1, 2, 2, 0.1, 0.2, 0.3), passive=passive,
           rotor=am.Rotor(1e-4, 50.0))  # fmt: skip
    b.body("b", "a", second, (0, 0, -1), mass=2.0, com=(0.3, 0, -0.1), inertia=(0.1, 0.2, 0.3))
    return b


def tables_of(b: am.Builder) -> Tables:
    return b.build().evaluator.tables()


def test_equal_mechanisms_have_equal_names():
    """Made twice: nothing of the objects' places in memory is in the text."""
    first, second = (described((Request(ID, ID.reads), tables_of(builder()))) for _ in range(2))
    assert first == second
    again = [described(parametric(builder().build().model, True, True)) for _ in range(2)]
    assert again[0] == again[1]


def test_every_number_counts():
    """To the last bit: of offsets, inertias, rotors, springs, friction."""
    tables = tables_of(builder(table=((-1.0, -2.0), (1.0, 3.0))))
    texts = {described(tables)}
    count = 1
    for k, body in enumerate(tables.bodies):
        numbers = list(body.parameters())
        for i, x in enumerate(numbers):
            for other in (math.nextafter(x, math.inf), math.nextafter(x, -math.inf)):
                changed = body.with_parameters([*numbers[:i], other, *numbers[i + 1 :]])
                bodies = (*tables.bodies[:k], changed, *tables.bodies[k + 1 :])
                texts.add(described(replace(tables, bodies=bodies)))
                count += 1
    assert count > 140
    assert len(texts) == count


def test_signs_and_types_of_zero_count():
    assert len({described(x) for x in (0, 0.0, -0.0, False, None, "0", (0,), [0])}) == 8
    assert described(np.float64(1.0)) != described(np.float32(1.0))
    assert described(("ab", "c")) != described(("a", "bc"))
    assert described(((1, 2), 3)) != described((1, (2, 3)))


def test_structure_counts():
    """Joint types, parents, inputs, the algorithm, a moving base, constraints, the asked frame."""
    tables = tables_of(builder())
    plain = Request(ID, ID.reads)
    fd = forward_dynamics.forward_dynamics
    closed = builder()
    closed.loop("tie", am.Frame("e", "b"), am.Frame("w", "world"), joint="spherical")
    model = closed.build().model
    rows = lower_constraints(model, closed.build().evaluator.tables())
    cases = [
        (plain, tables),
        (plain, tables_of(builder("spherical"))),
        (plain, tables_of(builder("cylindrical"))),
        (plain, replace(tables, parents=(-1, -1))),
        (plain, replace(tables, v_offsets=(2, 0))),
        (plain, builder().build().evaluator.tables(passive=False)),
        (plain, builder().build().evaluator.tables(minimal=True)),
        (plain, replace(tables, extra=(("z", 3),))),
        (plain, replace(tables, constraints=rows)),
        (plain, replace(tables, constraints=replace(rows, frames=()))),
        (Request(ID, ID.reads[:-1]), tables),
        (Request(ID, ID.reads, moving_base=True), tables),
        (Request(fd, fd.reads), tables),
        (Request(inverse_dynamics.bias_forces, ("q", "v")), tables),
        *((Request(kinematics.jacobian(c), ("q",)), tables) for c in kinematics.COORDINATES),
    ]
    texts = [described(case) for case in cases]
    assert len(set(texts)) == len(cases)


# ---------------------------------------------------------------- what has no name


def law(x, v):
    return 2.0 * v


class Strange(Revolute):
    """A joint that is not in the package."""


@functools.wraps(inverse_dynamics.outward)
def in_disguise(b, p, j):
    """Says that it is one of the package's own."""


@pytest.mark.parametrize(
    "value",
    [law, am.Passive(law=law), functools.partial(law, 1.0), Strange(), Strange, in_disguise,
     GlobalStep(law), lambda: 0, object(), [].append, math, np.array([law]), {"a": (law,)},
     np.sin, type("Tuple", (tuple,), {})((1, 2))],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_what_is_not_ours_has_no_name(value):
    with pytest.raises(NotPlainError):
        described((1.0, value))


def test_functions_are_told_apart_by_what_they_hold():
    """Steps made by one line of the source for other coordinates, and with other defaults."""
    steps = [kinematics.frame_velocity(c).passes for c in kinematics.COORDINATES]
    assert len({described(s) for s in steps}) == len(steps)
    assert described(functools.partial(described, 1)) != described(functools.partial(described, 2))


def test_a_function_that_holds_itself_ends():
    """Closures may be circular."""
    held = [1.0]
    held.append(held)
    assert described(held) == described(held)


def test_derived_values_do_not_count():
    """What an object works out when it is asked changes nothing."""
    closed = builder()
    closed.loop("tie", am.Frame("e", "b"), am.Frame("w", "world"), joint="spherical")
    rows = lower_constraints(closed.build().model, closed.build().evaluator.tables())
    before = described(rows)
    assert rows.count == 3
    assert "count" in vars(rows)
    assert described(rows) == before


# ---------------------------------------------------------------- the source


@pytest.fixture
def package(tmp_path) -> Path:
    rooms = [Path(sources.PACKAGE) / room for room in (*sources.ROOMS, "sim")]
    for path in rooms:
        if path.is_dir():
            shutil.copytree(path, tmp_path / path.name,
                            ignore=shutil.ignore_patterns("__pycache__"))  # fmt: skip
        else:
            shutil.copy(path.with_suffix(".py"), tmp_path)
    return tmp_path


def test_every_file_of_the_rooms_counts(package):
    """One byte more in any of them is another source; what lies above them does not matter."""
    whole = sources._hash(str(package))
    assert whole == sources._hash(str(package))
    files = sorted(package.rglob("*.py"))
    assert len(files) > 100
    seen = {whole}
    for path in files:
        content = path.read_bytes()
        path.write_bytes(content + b"#")
        new = sources._hash(str(package))
        path.write_bytes(content)
        if path.relative_to(package).parts[0] == "sim":
            assert new == whole
        else:
            assert new not in seen
            seen.add(new)


def test_names_of_files_count(package):
    whole = sources._hash(str(package))
    path = package / "joints" / "ball.py"
    path.rename(path.with_name("ball2.py"))
    renamed = sources._hash(str(package))
    (package / "joints" / "more.py").write_text("")
    assert len({whole, renamed, sources._hash(str(package))}) == 3


def test_a_missing_room_is_no_source(package):
    (package / "scalar.py").unlink()
    with pytest.raises(OSError, match="scalar"):
        sources._hash(str(package))


def test_later_changes_are_seen(package):
    import os
    import time

    now = time.time()
    assert not sources._changed_since(str(package), now + 60)
    os.utime(package / "spatial" / "force.py", (now + 90, now + 90))
    assert sources._changed_since(str(package), now + 60)


def test_which_modules_are_hashed():
    assert sources.is_ours("armillary.algorithms.passes")
    assert sources.is_ours("armillary.scalar")
    for other in (
        "armillary.sim.loop.loop",
        "armillary",
        "armillary2.scalar",
        "scalar",
        "__main__",
    ):
        assert not sources.is_ours(other)
