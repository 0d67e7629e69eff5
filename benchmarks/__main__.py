"""Run the benchmarks: `make bench`, or `python -m benchmarks --quick --section single`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from benchmarks import (
    batch,
    chains,
    constraints,
    derivatives,
    even,
    forces,
    growth,
    native,
    others,
    simulation,
    single,
    startup,
    studies,
    vehicles,
)
from benchmarks.clock import QUICK, Effort
from benchmarks.machine import describe
from benchmarks.mechanisms import ROBOTS
from benchmarks.setting import Setting
from benchmarks.table import Section

SECTIONS: dict[str, Callable[[Setting], Section]] = {
    "single": single.run,
    "even": even.run,
    "batch": batch.run,
    "derivatives": derivatives.run,
    "chains": chains.run,
    "growth": growth.run,
    "constraints": constraints.run,
    "forces": forces.run,
    "simulation": simulation.run,
    "studies": studies.run,
    "startup": startup.run,
    "others": others.run,
    "vehicles": vehicles.run,
}
WITH_NATIVE = {"single", "derivatives", "chains"}
WIDTH = 120  # of the table where no terminal tells


def arguments(words: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few repeats, nothing is built")
    parser.add_argument("--section", action="append", choices=SECTIONS, help="may be repeated")
    parser.add_argument("--robot", action="append", choices=ROBOTS, help="may be repeated")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all numbers")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables")
    parser.add_argument("--eigen", type=Path, metavar="FOLDER", help="Eigen headers for C++")
    return parser.parse_args(words)


def main(words: list[str] | None = None) -> None:
    asked = arguments(words)
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=WIDTH)
    names = asked.section or list(SECTIONS)
    head = describe()
    for line in head:
        console.print(line, markup=False)
    setting = prepare(asked, names, lambda text: console.print(text, markup=False))
    sections = []
    for name in names:
        section = SECTIONS[name](setting)
        sections.append(section)
        console.print()
        console.print(section.title, style="bold", markup=False)
        for table in section.tables(console.width):
            console.print(table)
        for note in section.notes:
            console.print(note, style="dim", markup=False)
    tail = summary(sections)
    console.print()
    for line in tail:
        console.print(line, markup=False)
    if asked.json:
        content = {"head": head, "sections": [section.data() for section in sections]}
        asked.json.write_text(json.dumps(content, indent=1) + "\n")
    if asked.markdown:
        parts = ["\n".join(f"- {line}" for line in head), *(s.markdown() for s in sections)]
        asked.markdown.write_text("\n\n".join([*parts, "\n".join(tail)]) + "\n")


def prepare(asked: argparse.Namespace, names: list[str], say: Callable[[str], None]) -> Setting:
    """The setting of a run, with Pinocchio in C++ where some section wants it."""
    effort = QUICK if asked.quick else Effort()
    program, reason = None, ""
    if WITH_NATIVE & set(names):
        try:
            program = native.build(effort.build, asked.eigen, say)
        except native.NotBuiltError as why:
            reason = str(why)
    return Setting(effort, tuple(asked.robot or ()), program, reason, say)


def summary(sections: list[Section]) -> list[str]:
    """How many targets were met, and every one that was not."""
    scores = [s for section in sections for row in section.rows for s in row.scores.values()]
    judged = [score for score in scores if score.met is not None]
    short = [
        f"  {section.name}: {text}"
        for section in sections
        for row in section.rows
        for text in row.short()
    ]
    met = sum(bool(score.met) for score in judged)
    return [f"{met} of {len(judged)} targets met" + ("; short:" if short else ""), *short]


if __name__ == "__main__":
    main()
