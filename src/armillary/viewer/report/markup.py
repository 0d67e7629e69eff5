"""Pieces of an HTML report; every text is escaped here and nowhere else."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from armillary.viewer.sketch.display import Picture

STYLE = """
:root { color-scheme: light; --line: #d9dee3; --ink: #1f2933; --soft: #5b6773; --accent: #0072b2; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 2rem 1.5rem 4rem; color: var(--ink);
  font: 15px/1.55 system-ui, "Helvetica Neue", Arial, sans-serif; background: #fff; }
h1 { font-size: 1.9rem; margin: 0 0 .3rem; } h2 { font-size: 1.25rem; margin: 2.4rem 0 .6rem;
  padding-bottom: .25rem; border-bottom: 2px solid var(--accent); }
p.lead { color: var(--soft); margin: .2rem 0 1rem; } p.note { color: var(--soft); }
p.warning { border-left: 4px solid #d55e00; padding: .3rem .8rem; background: #fdf3ec; }
p.good { border-left: 4px solid #009e73; padding: .3rem .8rem; background: #eef8f4; }
table { border-collapse: collapse; margin: .5rem 0 1rem; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid var(--line); text-align: right; }
th { color: var(--soft); font-weight: 600; border-bottom: 2px solid var(--line); }
th:first-child, td:first-child { text-align: left; } td.text { text-align: left; }
div.wide td { white-space: nowrap; }
figure { margin: .6rem 0 1rem; } figure img { max-width: 100%; height: auto; }
figcaption { color: var(--soft); font-size: .9em; } nav a { margin-right: 1rem; }
nav { color: var(--soft); font-size: .92em; margin: .8rem 0; } a { color: var(--accent); }
div.wide { overflow-x: auto; }
iframe { width: 100%; height: 34rem; border: 1px solid var(--line); border-radius: 6px; }
@media print { body { max-width: none; padding: 0; font-size: 10.5pt; }
  nav, section.screen { display: none; } div.wide { overflow: visible; font-size: 8.5pt; }
  th, td { padding: .2rem .45rem; }
  h2 { break-after: avoid; } table, figure { break-inside: avoid; } @page { margin: 16mm; } }
""".strip()


@dataclass(frozen=True)
class Section:
    """A part of a report: its word for `sections=`, its heading and its markup."""

    word: str
    title: str
    content: str
    screen: bool = False  # moves: not on paper
    warnings: tuple[str, ...] = ()  # what a reader must not miss

    @property
    def markup(self) -> str:
        kind = ' class="screen"' if self.screen else ""
        head = f"<h2>{escape(self.title)}</h2>"
        said = "".join(paragraph(text, "warning") for text in self.warnings)
        return f'<section id="{self.word}"{kind}>{head}\n{self.content}{said}</section>'


def paragraph(text: str, kind: str = "") -> str:
    """One paragraph; kind: lead, note, warning or good."""
    mark = f' class="{kind}"' if kind else ""
    return f"<p{mark}>{escape(text)}</p>\n"


def paragraphs(text: str) -> str:
    """Text of the user: empty lines part paragraphs."""
    parts = [part.strip() for part in text.split("\n\n")]
    return "".join(paragraph(part) for part in parts if part)


def facts(rows: Mapping[str, str]) -> str:
    """A table of two columns: what, and its value."""
    lines = (
        f'<tr><td>{escape(name)}</td><td class="text">{escape(value)}</td></tr>'
        for name, value in rows.items()
    )
    return f"<table>{''.join(lines)}</table>\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    titles = "".join(f"<th>{escape(text)}</th>" for text in head)
    lines = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return f'<div class="wide"><table><tr>{titles}</tr>{lines}</table></div>\n'


def sketch(picture: Picture, caption: str) -> str:
    return image(picture.svg.encode(), "image/svg+xml", caption)


def image(data: bytes, kind: str, caption: str) -> str:
    """A picture inside the file."""
    text = base64.b64encode(data).decode()
    return (
        f'<figure><img alt="{escape(caption)}" src="data:{kind};base64,{text}">'
        f"<figcaption>{escape(caption)}</figcaption></figure>\n"
    )


def number(x: float, digits: int = 4) -> str:
    """A short number: four digits that count; rounding around nothing is nothing."""
    return f"{x:.{digits}g}" if x == x else "–"
