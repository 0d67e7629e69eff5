"""The README in a fresh environment that has the core dependencies and nothing else."""

import os
import shlex
import subprocess
import sys
import venv

import pytest
from test_docs import ROOT, blocks, plain

PARSER = """
import contextlib, io, json, sys
names, shown = {}, []
for source in json.load(open(sys.argv[1])):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(source, names)
    shown.append(out.getvalue())
print(json.dumps(shown))
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """The folder of the programs of a new environment with this checkout in it."""
    folder = tmp_path_factory.mktemp("core") / "env"
    venv.create(folder, with_pip=True)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    command = [programs / "python", "-m", "pip", "--disable-pip-version-check", "install", "-q",
               "--constraint", ROOT / "constraints.txt", ROOT]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode and not _index(folder.parent):
        pytest.skip("no package index to install from")
    assert done.returncode == 0, done.stderr
    return programs


def _index(folder):
    """Does pip find packages at all?"""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "-q", "-d", folder]
    text = subprocess.run([*command, "numpy"], capture_output=True, text=True, check=False).stderr
    return "No matching distribution" not in text


def _run(programs, words, folder):
    """As a person types it: with the programs of the environment first, no source beside it."""
    own = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    own["PATH"] = f"{programs}{os.pathsep}{own.get('PATH', '')}"
    words = [str(programs / words[0]), *words[1:]]
    return subprocess.run(
        words, cwd=folder, env=own, capture_output=True, text=True, check=False, timeout=600
    )


@pytest.mark.long
def test_only_the_core_is_there(environment, tmp_path):
    code = "import importlib.util as u; print([n for n in {} if u.find_spec(n)])"
    extras = ["mujoco", "sympy", "casadi", "pyarrow", "pytest", "pinocchio"]
    done = _run(environment, ["python", "-c", code.format(extras)], tmp_path)
    assert done.stdout.strip() == "[]", done.stderr


@pytest.mark.long
def test_every_block_of_the_readme_runs(environment, tmp_path):
    import json

    found = [(lang, text) for lang, text, _ in blocks(ROOT / "README.md")]
    sources = [text for lang, text in found if lang == "python"]
    (tmp_path / "blocks.json").write_text(json.dumps(sources))
    done = _run(environment, ["python", "-c", PARSER, "blocks.json"], tmp_path)
    assert done.returncode == 0, done.stderr
    outputs = [text for lang, text in found if lang == "text"]
    printed = [text for text in json.loads(done.stdout) if text]
    assert [plain(x) for x in printed] == [plain(x) for x in outputs]


@pytest.mark.long
def test_every_console_line_of_the_readme_runs(environment, tmp_path):
    lines = [
        line.removeprefix("$ ")
        for lang, text, _ in blocks(ROOT / "README.md")
        if lang == "console"
        for line in text.splitlines()
        if line.startswith("$ ")
    ]
    assert len(lines) >= 9
    for line in lines:
        done = _run(environment, shlex.split(line), tmp_path)
        assert done.returncode == 0, (line, done.stdout, done.stderr)
    demo = _run(environment, ["armillary", "demo"], tmp_path)
    assert demo.returncode == 0, demo.stderr


@pytest.mark.long
def test_a_missing_extra_names_a_command_that_works(environment, tmp_path):
    """What the error says is typed in the checkout; afterwards the file is read."""
    (tmp_path / "a.xml").write_text(
        '<mujoco><worldbody><body name="a"><joint/><geom size=".1"/></body></worldbody></mujoco>'
    )
    failed = _run(environment, ["armillary", "show", "a.xml"], tmp_path)
    assert failed.returncode == 1
    words = shlex.split(failed.stderr.partition("checkout of Armillary: ")[2])
    assert words[1:] == ["-m", "pip", "install", ".[mjcf]"], failed.stderr
    pinned = ["--disable-pip-version-check", "-q", "--constraint", "constraints.txt"]
    done = subprocess.run([*words, *pinned], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    again = _run(environment, ["armillary", "show", "a.xml"], tmp_path)
    assert again.returncode == 0, again.stderr
