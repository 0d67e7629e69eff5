"""The gallery is made from the registry of examples, and shows what the library draws today."""

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

import armillary as am
from armillary.formats.examples import example_info

DOCS = Path(__file__).parents[2] / "docs"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


@pytest.fixture(scope="module")
def maker():
    spec = importlib.util.spec_from_file_location("make_pictures", DOCS / "make_pictures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_current(maker):
    text = (DOCS / "gallery.md").read_text(encoding="utf-8")
    assert text == maker.gallery(), "run `make pictures`"
    for name in am.example_names():
        assert f"![{name}](images/{name}.svg)" in text


@pytest.mark.parametrize("name", am.example_names())
def test_the_picture_is_current(maker, name):
    """The same words and lines; coordinates to a pixel, which another processor may round."""
    path = DOCS / "images" / f"{name}.svg"
    kept, drawn = path.read_text(encoding="utf-8"), maker.picture(name)
    assert len(kept) < 40_000
    assert NUMBER.sub("#", kept) == NUMBER.sub("#", drawn), "run `make pictures`"
    numbers = [np.array(NUMBER.findall(text), float) for text in (kept, drawn)]
    np.testing.assert_allclose(*numbers, atol=1.0)


def test_no_picture_is_left_over(maker):
    shown = {f"{name}.svg" for name in am.example_names()} | {"four-bar.gif", "bearing.png"}
    shown |= {"car.svg", "truck.svg", "kinematics.png", "ackermann.png", "tyres.png"}
    shown |= {"identification.png", "compliance.png", "drive.png", "yesiloglu-car.svg"}
    assert {path.name for path in (DOCS / "images").iterdir()} == shown


@pytest.mark.parametrize("name", am.example_names())
def test_the_registry_says_what_to_see(name):
    info = example_info(name)
    assert info.description and info.source
    assert info.motion["duration"] > 0.0
