"""Draws every built-in mechanism and one run: `make pictures` writes docs/images."""

from pathlib import Path

import armillary as am

FOLDER = Path(__file__).resolve().parent / "images"


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in am.example_names():
        am.example(name).draw(size=(420, 315)).save(FOLDER / f"{name}.svg", overwrite=True)
    swing = am.simulate(am.example("four-bar"), duration=2.0, inputs={"crank": 0.3})
    swing.animate(FOLDER / "four-bar.gif", fps=15, overwrite=True)


if __name__ == "__main__":
    main()
