"""The reader's map names calls, modules and formulations that exist, and corrects every slip."""

import importlib
import re
from pathlib import Path

import pytest

import armillary as am

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "sources.md").read_text(encoding="utf-8")
MAP = [line for line in PAGE.splitlines() if not re.match(r"\| \d-", line)]  # without corrections
CALLS = sorted(set(re.findall(r"`(am|mechanism|armillary)\.([\w.]+)", "\n".join(MAP))))
# of chapter 7 of [VanDerMerwe1995]
PROGRAMS = (
    "dir_dyn_cor", "multiple_closed_chain", "inv_dyn_friction", "rot_disp", "rot_disp6dof",
    "inertia", "orientation", "correction_force", "next_state", "next_joint_var", "man_plot",
)  # fmt: skip
# how many corrections each document has; 0-54 was never given, 0-2 has a second part
CORRECTIONS = {"0": 60, "1": 16, "2": 38, "3": 8, "4": 10}


def tables() -> str:
    """The rows of the map: chapter, call, place."""
    return "\n".join(line for line in MAP if line.startswith("|"))


@pytest.mark.parametrize(("start", "names"), CALLS)
def test_every_call_exists(start, names):
    if start == "armillary":
        importlib.import_module(f"armillary.{names}")
        return
    thing = am if start == "am" else am.Mechanism
    for name in names.split("."):
        assert hasattr(thing, name), f"{start}.{names}"
        thing = getattr(thing, name)


def test_the_map_is_long_enough_to_be_one():
    assert len(CALLS) > 40


def test_every_formulation_and_example_exists():
    quoted = set(re.findall(r'"([^"\n]+)"', re.sub(r"`[^`\n]*`", "", tables())))
    assert len(quoted) > 15
    for name in quoted:
        am.methods.formulation(name)
    examples = set(re.findall(r'am\.example\("([^"]+)"\)', PAGE))
    assert examples <= set(am.example_names()) and len(examples) >= 8


def test_every_program_of_the_documents_has_its_row():
    for name in (*PROGRAMS, "InvArm", "ForArm"):
        assert re.search(rf"^\| `{name}`", PAGE, re.MULTILINE), name


def test_every_place_exists():
    root = Path(am.__file__).resolve().parents[2]
    places = re.findall(r"`((?:src|tests|docs|examples)/[\w./-]+)`", PAGE)
    assert len(places) > 25
    assert [place for place in places if not (root / place).exists()] == []


@pytest.mark.parametrize("document", CORRECTIONS)
def test_all_corrections_are_there_once(document):
    rows = re.findall(rf"^\| ({document}-\w+) \|(.*)\|$", PAGE, re.MULTILINE)
    names = [name for name, _ in rows]
    assert len(names) == len(set(names)) == CORRECTIONS[document]
    assert all(len(row.split("|")) == 4 for _, row in rows), "a bar inside a cell"


def test_corrections_that_the_code_speaks_of_are_on_the_page():
    """`errata 2-11` in a docstring leads to a row."""
    package = Path(am.__file__).resolve().parent
    named = set()
    for path in package.rglob("*.py"):
        for text in re.findall(r"errata ((?:\d-\d+[a-z]?(?:, )?)+)", path.read_text("utf-8")):
            named |= set(re.findall(r"\d-\d+[a-z]?", text))
    assert len(named) > 15
    assert {name for name in named if f"| {name} |" not in PAGE} == set()


def test_scripts_call_what_their_rows_name():
    """A row with a script of examples/sources: one of its calls stands in the script."""
    root = Path(am.__file__).resolve().parents[2]
    rows = [x.split("|") for x in tables().splitlines() if "`examples/sources/" in x]
    assert len(rows) > 8
    for _, _, calls, places, *_ in rows:
        scripts = re.findall(r"`(examples/sources/\w+\.py)`", places)
        text = "".join((root / script).read_text("utf-8") for script in scripts)
        named = re.findall(r"`(?:am|mechanism)\.([\w.]+)(?:\(\"([\w-]+)\"\))?", calls)
        quoted = re.findall(r'"([^"]+)"', calls)
        called = [f"{name}(" in text and what in text for name, what in named]
        assert any(called) or any(name in text for name in quoted), (calls, scripts)
