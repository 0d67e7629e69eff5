"""The gallery: a picture of every built-in mechanism, and docs/gallery.md (`make pictures`)."""

from pathlib import Path

import armillary as am
from armillary.formats.examples import example_info

DOCS = Path(__file__).resolve().parent
IMAGES = DOCS / "images"
HEAD = """# Gallery

Every built-in mechanism, drawn by `make pictures` from the registry that `am.example`,
`armillary examples` and `armillary demo` read. `am.example("four-bar")` gives the mechanism,
`armillary demo four-bar` all its forces, a picture and a page that plays a run of it.

| | |
|---|---|
"""


def picture(name: str) -> str:
    """A small sketch, SVG."""
    return am.example(name).draw(size=(420, 315)).svg


def gallery() -> str:
    """The page, from the registry."""
    return HEAD + "".join(map(_row, am.example_names()))


def _row(name: str) -> str:
    info, mechanism = example_info(name), am.example(name)
    options = f" Options: {', '.join(f'`{x}=`' for x in info.options)}." if info.options else ""
    count = len(mechanism.bodies)
    size = f"{mechanism.counts}; {count} {'body' if count == 1 else 'bodies'}"
    text = f"**{name}**: {info.description}.<br>{size}."
    source = f"Source: {info.source}.{options}<br>`armillary demo {name}`"
    return f"| ![{name}](images/{name}.svg) | {text}<br>{source} |\n"


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    for name in am.example_names():
        (IMAGES / f"{name}.svg").write_text(picture(name), encoding="utf-8")
    (DOCS / "gallery.md").write_text(gallery(), encoding="utf-8")
    swing = am.simulate(am.example("four-bar"), duration=2.0, inputs={"crank": 0.3})
    swing.animate(IMAGES / "four-bar.gif", fps=15, overwrite=True)
    loads = am.simulate(am.example("four-bar"), duration=1.0, record=("q", "reactions"))
    loads.plot("reactions", polar=True, columns=["crank"]).savefig(IMAGES / "bearing.png", dpi=80)


if __name__ == "__main__":
    main()
