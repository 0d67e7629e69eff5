"""A picture as a list of marks in pixels, y downward; printed as SVG, or as PNG and PDF.

Marks are plain data, so that one drawing serves every kind of file and a test can read what it
shows.  Text is escaped when it is printed, and nothing in a picture can run or be fetched.
"""

from __future__ import annotations

import io
import math
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from html import escape

from armillary.errors import InputError
from armillary.formats.files import named_path, write_bytes
from armillary.shown import drawn

Point = tuple[float, float]
INK, PAPER = "#222222", "#ffffff"


@dataclass(frozen=True)
class Line:
    """A polyline or, closed, a polygon."""

    points: tuple[Point, ...]
    color: str = INK
    width: float = 1.5
    closed: bool = False
    fill: str = ""
    opacity: float = 1.0  # of the filling
    dash: str = ""
    role: str = ""  # what it shows: link, pin, ground ...
    name: str = ""  # of what


@dataclass(frozen=True)
class Disc:
    center: Point
    radius: float
    color: str = INK
    width: float = 1.5
    fill: str = PAPER
    role: str = ""
    name: str = ""


@dataclass(frozen=True)
class Text:
    """A line of text, centred at a point."""

    center: Point
    text: str
    color: str = INK
    size: float = 12.0
    role: str = "label"
    name: str = ""


Mark = Line | Disc | Text


@dataclass(frozen=True)
class Picture:
    """Marks on a page of width x height pixels; a notebook shows it by itself."""

    width: float
    height: float
    marks: tuple[Mark, ...]
    title: str = ""
    notes: tuple[str, ...] = field(default=())  # what a reader should know

    def of(self, role: str) -> tuple[Mark, ...]:
        """The marks that show one kind of thing."""
        return tuple(mark for mark in self.marks if mark.role == role)

    @property
    def svg(self) -> str:
        size = f"{_number(self.width)} {_number(self.height)}"
        width, height = size.split()
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {size}" font-family="Helvetica, Arial, sans-serif">',
            f"<title>{_text(self.title)}</title>",
            f'<rect width="{width}" height="{height}" fill="{PAPER}"/>',
        ]
        lines += [_svg_mark(mark) for mark in self.marks]
        return "\n".join([*lines, "</svg>", ""])

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        notes = "".join(f"\n  {note}" for note in self.notes)
        return (
            f"<Picture '{self.title}', {self.width:.0f} x {self.height:.0f}; "
            f".save('{_file_name(self.title)}.svg') writes it>{notes}"
        )

    @property
    def png(self) -> bytes:
        return self._printed("png")

    def save(self, path: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Write a file; its ending chooses .svg, .png or .pdf."""
        target = named_path(path)
        ending = target.suffix.lower().removeprefix(".")
        if ending not in ("svg", "png", "pdf"):
            raise InputError(
                f"picture '{target}': expected a name that ends in .svg, .png or .pdf."
            )
        data = self.svg.encode() if ending == "svg" else self._printed(ending)
        write_bytes(data, target, overwrite)

    def _printed(self, kind: str) -> bytes:
        """By matplotlib, at 100 pixels per inch in print and twice that on a screen."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=(self.width / 100.0, self.height / 100.0), dpi=100)
        FigureCanvasAgg(figure)
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set_xlim(0.0, self.width)
        axes.set_ylim(self.height, 0.0)
        axes.axis("off")
        for order, mark in enumerate(self.marks):
            _plot_mark(axes, mark, order)
        buffer = io.BytesIO()
        figure.savefig(buffer, format=kind, dpi=200, facecolor=PAPER)
        return buffer.getvalue()


def moved(marks: Iterable[Mark], dx: float, dy: float) -> tuple[Mark, ...]:
    """The same marks elsewhere on the page."""
    found: list[Mark] = []
    for mark in marks:
        if isinstance(mark, Line):
            points = tuple((x + dx, y + dy) for x, y in mark.points)
            found.append(replace(mark, points=points))
        else:
            x, y = mark.center
            found.append(replace(mark, center=(x + dx, y + dy)))
    return tuple(found)


def faded(marks: Iterable[Mark], strength: float) -> tuple[Mark, ...]:
    """The same marks in paler colours: 1 as they are, 0 paper."""
    return tuple(
        replace(m, color=_pale(m.color, strength))
        if isinstance(m, Text)
        else replace(m, color=_pale(m.color, strength), fill=_pale(m.fill, strength))
        for m in marks
    )


def _pale(color: str, strength: float) -> str:
    if not color:
        return color
    parts = (int(color[k : k + 2], 16) for k in (1, 3, 5))
    return "#" + "".join(f"{round(255 + strength * (part - 255)):02x}" for part in parts)


def _number(x: float) -> str:
    return f"{x:.2f}".rstrip("0").rstrip(".") if math.isfinite(x) else "0"


def _text(text: str) -> str:
    """Escaped, without characters that XML forbids."""
    return escape(re.sub(r"[^\t\n\r -\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]", "\ufffd", text))


def _file_name(title: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]+", "-", title).strip("-") or "picture"


def _svg_mark(mark: Mark) -> str:
    told = f' data-role="{_text(mark.role)}"' if mark.role else ""
    told += f' data-name="{_text(mark.name)}"' if mark.name else ""
    if isinstance(mark, Text):
        x, y = mark.center
        return (
            f'<text x="{_number(x)}" y="{_number(y + 0.35 * mark.size)}" fill="{mark.color}" '
            f'font-size="{_number(mark.size)}" text-anchor="middle" stroke="{PAPER}" '
            f'stroke-width="3" paint-order="stroke" stroke-linejoin="round"{told}>'
            f"{_text(mark.text)}</text>"
        )
    stroke = f' stroke="{mark.color or "none"}" stroke-width="{_number(mark.width)}"'
    fill = mark.fill or "none"
    if isinstance(mark, Disc):
        x, y = mark.center
        return (
            f'<circle cx="{_number(x)}" cy="{_number(y)}" r="{_number(mark.radius)}" '
            f'fill="{fill}"{stroke}{told}/>'
        )
    points = " ".join(f"{_number(x)},{_number(y)}" for x, y in mark.points)
    tag = "polygon" if mark.closed else "polyline"
    more = f' fill-opacity="{_number(mark.opacity)}"' if mark.opacity < 1.0 else ""
    more += f' stroke-dasharray="{mark.dash}"' if mark.dash else ""
    return (
        f'<{tag} points="{points}" fill="{fill}"{stroke} stroke-linecap="round" '
        f'stroke-linejoin="round"{more}{told}/>'
    )


def _plot_mark(axes, mark: Mark, order: int) -> None:  # type: ignore[no-untyped-def]
    """One mark on matplotlib axes whose unit is the pixel; 72 points are 100 pixels."""
    from matplotlib.patches import Circle, Polygon
    from matplotlib.patheffects import withStroke

    point = 0.72
    if isinstance(mark, Text):
        axes.text(
            *mark.center,
            drawn(mark.text),
            color=mark.color,
            fontsize=mark.size * point,
            ha="center",
            va="center",
            zorder=order,
            clip_on=False,
            path_effects=[withStroke(linewidth=3 * point, foreground=PAPER)],
        )
    elif isinstance(mark, Disc):
        axes.add_patch(
            Circle(
                mark.center,
                mark.radius,
                facecolor=mark.fill or "none",
                edgecolor=mark.color or "none",
                linewidth=mark.width * point,
                zorder=order,
            )
        )
    else:
        style = (0, tuple(float(x) * point for x in mark.dash.split())) if mark.dash else "-"
        if mark.closed and mark.fill:
            axes.add_patch(
                Polygon(
                    mark.points,
                    closed=True,
                    facecolor=mark.fill,
                    linewidth=0,
                    alpha=mark.opacity,
                    zorder=order,
                )
            )
        if mark.color:
            points = [*mark.points, mark.points[0]] if mark.closed else list(mark.points)
            xs, ys = zip(*points, strict=True)
            axes.plot(
                xs,
                ys,
                color=mark.color,
                linewidth=mark.width * point,
                linestyle=style,
                solid_capstyle="round",
                solid_joinstyle="round",
                zorder=order,
            )


def side_by_side(pictures: Sequence[Picture], title: str, columns: int = 3) -> Picture:
    """Several pictures of one size on one page."""
    columns = min(columns, len(pictures))
    width = max(p.width for p in pictures)
    height = max(p.height for p in pictures)
    marks: list[Mark] = []
    for k, picture in enumerate(pictures):
        row, column = divmod(k, columns)
        marks += moved(picture.marks, column * width, row * height)
    rows = -(-len(pictures) // columns)
    notes = tuple(dict.fromkeys(note for p in pictures for note in p.notes))
    return Picture(columns * width, rows * height, tuple(marks), title, notes)
