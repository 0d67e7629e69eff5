"""The client that ships is the one of its sources; its fields are those of the scene."""

import hashlib
import json
import re
import shutil
import subprocess
import typing
from pathlib import Path

import pytest
from pydantic import BaseModel

from armillary.viewer import schema

ROOT = Path(__file__).resolve().parents[2]
CLIENT = ROOT / "client"
ASSETS = ROOT / "src" / "armillary" / "viewer" / "assets"
REBUILD = "rebuild it: make page"


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_bundle_is_current():
    about = json.loads((ASSETS / "bundle.json").read_text())
    assert about["bundle"] == sha256(ASSETS / "armillary.js"), REBUILD
    names = ["package.json", "build.mjs", "tsconfig.json"]
    names += [f"src/{path.name}" for path in sorted((CLIENT / "src").iterdir())]
    assert about["sources"] == {name: sha256(CLIENT / name) for name in names}, REBUILD


def test_versions_are_exact_and_no_lock_file_is_kept():
    package = json.loads((CLIENT / "package.json").read_text())
    versions = {**package["dependencies"], **package["devDependencies"]}
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", v) for v in versions.values()), versions
    assert not list(CLIENT.glob("*lock*"))


def test_the_licences_of_what_is_inside_are_shipped():
    text = (ASSETS / "THIRD_PARTY.txt").read_text()
    package = json.loads((CLIENT / "package.json").read_text())
    for name, version in package["dependencies"].items():
        assert f"{name} {version}" in text
    assert text.count("Permission is hereby granted") == len(package["dependencies"])
    assert "THIRD_PARTY.txt" in (ASSETS / "armillary.js").read_text()[:200]


def test_a_rebuild_gives_the_same_bytes(tmp_path):
    if shutil.which("node") is None:
        pytest.skip("no Node on this machine")
    if not (CLIENT / "node_modules" / "esbuild").is_dir():
        pytest.skip("the client's packages are not installed: make page")
    command = ["node", str(CLIENT / "build.mjs"), "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for name in ("armillary.js", "bundle.json", "THIRD_PARTY.txt"):
        assert (tmp_path / name).read_bytes() == (ASSETS / name).read_bytes(), REBUILD


TYPES = {
    float: "number",
    int: "number",
    str: "string",
    bool: "boolean",
    type(None): "null",
    schema.Point: "Point",
    schema.Place: "Place",
    schema.Color: "Color",
}


def written(kind):
    """A type of a field as TypeScript writes it."""
    if kind in TYPES:
        return TYPES[kind]
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return kind.__name__
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Literal:
        return " | ".join(f'"{word}"' for word in args)
    if origin is dict:
        return f"Record<string, {written(args[1])}>"
    if origin is tuple and args[1:] == (...,):
        inner = written(args[0])
        return f"({inner})[]" if "|" in inner else f"{inner}[]"
    if origin is tuple:
        return f"[{', '.join(map(written, args))}]"
    return " | ".join(map(written, args))


def test_the_fields_of_the_client_are_those_of_the_scene():
    """client/src/scene.ts says the same as schema.py, interface by interface."""
    text = (CLIENT / "src" / "scene.ts").read_text()
    found = {
        name: dict(re.findall(r"^  (\w+): (.*);$", body, re.MULTILINE))
        for name, body in re.findall(r"^export interface (\w+) \{\n(.*?)^\}", text, re.M | re.S)
    }
    models = {
        name: part
        for name, part in vars(schema).items()
        if isinstance(part, type) and issubclass(part, schema.Part) and part is not schema.Part
    }
    wanted = {
        name: {field: written(kind) for field, kind in typing.get_type_hints(part).items()
               if field in part.model_fields}
        for name, part in models.items()
    }  # fmt: skip
    assert found == wanted
    assert f'FORMAT = "{schema.FORMAT}"' in text
