"""Every Python block of the documents runs; where an output block follows, it is the real one.

The blocks of one document share their names, as a reader would type them.  `$ armillary ...` lines
of console blocks run too, and what they show is compared.
"""

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from armillary.cli.app import app

ROOT = Path(__file__).resolve().parents[2]
LONG = {"manoeuvres.md"}  # pages that take a minute: make test-all
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(path):
    """(language, text, line) of every fenced block."""
    text = path.read_text(encoding="utf-8")
    for match in BLOCK.finditer(text):
        yield match.group(1), match.group(2), text.count("\n", 0, match.start()) + 2


def run_python(source, path, line, names):
    """Printed text of a block; errors point to the line of the document."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile("\n" * (line - 1) + source, str(path), "exec"), names)
    return out.getvalue()


@pytest.mark.parametrize(
    "path",
    [pytest.param(x, id=x.name, marks=[pytest.mark.long] * (x.name in LONG)) for x in DOCUMENTS],
)
def test_python_blocks_run_and_print_what_the_page_shows(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names, printed = {}, ""
    for language, text, line in blocks(path):
        if language == "python":
            assert not printed, f"{path.name}:{line}: the block before prints, show its output"
            printed = run_python(text, path, line, names)
        elif language == "text" and printed:
            assert plain(printed) == plain(text), f"{path.name}:{line}"
            printed = ""
    assert not printed, f"{path.name}: the last block prints, show its output"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_commands_run_and_print_what_the_page_shows(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for language, text, line in blocks(path):
        if language != "console":
            continue
        for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            words = shlex.split(command.partition("#")[0])
            if words[0] != "armillary":
                continue
            result = CliRunner().invoke(app, words[1:])
            assert result.exit_code == 0, f"{path.name}:{line}: {command}\n{result.output}"
            if shown.strip():
                assert plain(result.stdout) == plain(shown), f"{path.name}:{line}: {command}"


def plain(text):
    """Without spaces at the ends of lines and empty lines around."""
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def prose(path):
    """A page without its fenced blocks."""
    return BLOCK.sub("", path.read_text(encoding="utf-8"))


def anchors(text):
    """Of the headings of a page, as GitHub makes them: small letters, punctuation left out, blanks
    as hyphens; the second one of a name ends in -1."""
    found, counts = set(), {}
    for heading in re.findall(r"^#{1,6} +(.*?)(?: +#+)? *$", text, re.MULTILINE):
        words = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", words.strip().lower()).replace(" ", "-")
        count = counts[name] = counts.get(name, -1) + 1
        found.add(f"{name}-{count}" if count else name)
    return found


def dead_links(path, text):
    """Relative links of a page whose file or heading is not there."""
    found = []
    for link in re.findall(r"\]\(<?(?![a-z]+:)([^)\s>]+)>?[^)]*\)", text):
        name, _, anchor = link.partition("#")
        place = path.parent / name if name else path
        known = not name or place.exists()
        own = text if not name else prose(place) if known and place.suffix == ".md" else ""
        if not known or (anchor and anchor not in anchors(own)):
            found.append(link)
    return found


@pytest.mark.parametrize("path", [*DOCUMENTS, ROOT / "CHANGELOG.md"], ids=lambda path: path.name)
def test_links_lead_somewhere(path):
    """Relative links, with their anchors, and file names in backticks that look like paths of this
    project exist."""
    text = prose(path)
    paths = re.findall(r"`((?:src|tests|docs|examples)/[\w./-]+)`", text)
    missing = [p for p in paths if not (ROOT / p).exists()] if path in DOCUMENTS else []
    assert dead_links(path, text) + missing == []


def test_dead_links_are_seen():
    """The rule itself, on a page that does not exist."""
    page = ROOT / "docs" / "page.md"
    text = (
        "# One, two: *three* `four_5`\n## Again\n## Again\n[a](#one-two-three-four_5) "
        "[b](#again-1) [c](conventions.md) [d](https://x.org/#y)\n"
    )
    assert dead_links(page, text) == []
    wrong = "[a](#one) [b](#again-2) [c](convention.md) [d](conventions.md#nothing)"
    assert dead_links(page, text + wrong) == [
        "#one", "#again-2", "convention.md", "conventions.md#nothing"
    ]  # fmt: skip


def test_the_readme_example_is_short():
    """The first thing on the page: a handful of lines."""
    language, text, _ = next(blocks(ROOT / "README.md"))
    assert language == "python"
    assert len([line for line in text.splitlines() if line.strip()]) <= 8
