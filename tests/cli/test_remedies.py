"""What helps is a fact of an error; Python and the command line spell the same facts."""

import ast
import pickle
import string
from pathlib import Path

import numpy as np
import pytest

import armillary as am
from armillary.cli.remedies import COMMAND, spelled
from armillary.errors import PYTHON, FormatError, InadmissibleError, Message, Remedy

SOURCE = Path(am.__file__).parent


def remedies() -> set[str]:
    """Names in every `Remedy("...")` of the package."""
    found = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Remedy":
                found.add(ast.literal_eval(node.args[0]))
    return found


def fields(words: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(words) if name}


def test_every_surface_spells_every_remedy():
    """One row per remedy in both tables, and none that nobody raises."""
    assert set(PYTHON) == set(COMMAND) == remedies()


@pytest.mark.parametrize("name", PYTHON)
def test_the_command_line_asks_for_no_more_than_python(name):
    assert fields(COMMAND[name]) <= fields(PYTHON[name])


def test_an_error_carries_its_remedy_to_every_surface(tmp_path):
    path = tmp_path / "arm.yaml"
    arm = am.example("two-link")
    arm.save(path)
    with pytest.raises(FormatError) as caught:
        arm.save(path)
    error = caught.value
    assert error.remedy == Remedy("overwrite")
    assert str(error) == f"{path}: the file exists already. {PYTHON['overwrite']}"
    assert spelled(error.message) == f"{path}: the file exists already. {COMMAND['overwrite']}"


def test_messages_keep_their_remedy_where_more_is_said_and_where_they_are_sent():
    remedy = Remedy("hold v0", {"joint": "crank", "value": 1.0})
    error = InadmissibleError("v0: not allowed.", np.zeros(2), 3, remedy)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.remedy, again.row) == (str(error), remedy, 3)
    more = Message(error.message, before="state 1: ")
    assert more.startswith("state 1: v0: not allowed. Give v0={'crank': 1}")
    assert spelled(more).startswith("state 1: v0: not allowed. Give --v crank=1 to hold")
    assert spelled("a plain text") == "a plain text"
    file = FormatError("the file exists already.", "a.yaml", 4, Remedy("overwrite"))
    again = pickle.loads(pickle.dumps(file))
    assert (str(again), again.line, again.remedy) == (str(file), 4, file.remedy)
