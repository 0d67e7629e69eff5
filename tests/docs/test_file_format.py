"""docs/file-format.md: current, complete, and its example can be read."""

import re

import pytest
from test_docs import ROOT, blocks
from typer.testing import CliRunner

from armillary.cli.app import app
from armillary.formats.native import read_native
from armillary.formats.native_schema import NativeFile, native_schema

PAGE = ROOT / "docs" / "file-format.md"
UNITS = re.compile(r"\b(m|kg|rad|N|V|A|H|ohm|s|μ|1/m|K/W|C)\b")


def test_the_page_is_what_the_command_writes():
    shown = CliRunner().invoke(app, ["schema", "--markdown"])
    assert shown.exit_code == 0
    command = "armillary schema --markdown > docs/file-format.md"
    assert shown.stdout == PAGE.read_text(encoding="utf-8"), f"run: {command}"


def entries():
    schema = native_schema()
    return {"NativeFile": schema, **schema["$defs"]}


@pytest.mark.parametrize("name", sorted(entries()))
def test_every_key_has_a_description(name):
    entry = entries()[name]
    assert entry.get("description"), f"{name}: no docstring"
    for key, field in entry["properties"].items():
        assert field.get("description"), f"{name}.{key}: no description"


def test_every_number_has_a_unit_or_is_a_ratio():
    plain = {"gear", "ratio", "efficiency", "load_drive", "coefficient"}  # of two equal units
    plain |= {"mu", "mu_sliding", "around", "left", "right", "rolling_share", "rolling_resistance"}
    plain |= {"grade", "bank", "seed"}
    for name, entry in entries().items():
        for key, field in entry["properties"].items():
            kinds = [field.get("type"), *(x.get("type") for x in field.get("anyOf", ()))]
            if "number" in kinds and key not in plain:
                assert UNITS.search(field["description"]), f"{name}.{key}: no unit"


def test_every_key_stands_on_the_page():
    rows = re.findall(r"^\| `(\w+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) == sum(len(entry["properties"]) for entry in entries().values()) > 100
    assert set(NativeFile.model_fields) <= set(rows)


def test_the_example_of_the_page_is_a_mechanism():
    (text,) = (text for language, text, _ in blocks(PAGE) if language == "yaml")
    assert read_native(text=text, strict=True).nv == 1
