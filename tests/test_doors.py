"""The table of doors: methods that open an upper room are bound when they are first used."""

import ast
import inspect
import subprocess
import sys

import armillary as am
from armillary import doors

FIRST_USE = """
import sys
from armillary.sim.record.run import Run
address = "armillary.sim.record.plotting"
before = address in sys.modules
assert "plot" in dir(Run)
from armillary import doors
door = vars(doors.RunDoors)["plot"]
method = Run.plot
print(before, type(door).__name__, address in sys.modules, method.__name__)
print(vars(doors.RunDoors)["plot"] is method)
"""


def test_the_upper_room_is_opened_at_the_first_use():
    command = [sys.executable, "-c", FIRST_USE]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["False", "Door", "True", "plot_run", "True"], done.stderr


def rows():
    """(class of doors, method, what stands there)."""
    classes = [c for c in vars(doors).values() if isinstance(c, type) and c.__name__ != "Door"]
    return [(c, n, x) for c in classes for n, x in vars(c).items() if not n.startswith("_")]


def test_every_row_opens_a_function_that_says_what_it_does():
    assert rows()
    for cls, name, _ in rows():
        function = getattr(cls, name)
        assert inspect.isfunction(function), (cls, name)
        assert function.__doc__, f"{cls.__name__}.{name}: no docstring"


def test_a_door_is_a_method_of_its_object():
    class Opens:
        name = doors.Door("inspect:getdoc")

    assert Opens().name() == inspect.getdoc(Opens())
    assert isinstance(vars(Opens)["name"], type(rows))  # a plain function now


def test_the_classes_have_their_doors():
    assert issubclass(am.Mechanism, doors.MechanismDoors)
    assert issubclass(am.Run, doors.RunDoors)


def test_a_row_for_type_checkers_names_the_function_of_its_address():
    """`plot = plot_run` beside `plot = Door("...:plot_run")`, and no row without the other."""
    for cls in ast.parse(inspect.getsource(doors)).body:
        if isinstance(cls, ast.ClassDef) and cls.name != "Door":
            for table in (node for node in cls.body if isinstance(node, ast.If)):
                typed = {n.targets[0].id: n.value.id for n in table.body}
                bound = {
                    n.targets[0].id: n.value.args[0].value.partition(":")[2] for n in table.orelse
                }
                assert typed == bound
