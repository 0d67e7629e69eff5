"""Solids of parts files in pages: closed surfaces around the volumes that the parts weigh."""

from collections import Counter

import numpy as np
import pytest

import armillary as am
from armillary.errors import ModelError
from armillary.formats.shape_masses import masses_from_shapes
from armillary.model import Pose, Shape
from armillary.model.solids import SOLIDS
from armillary.viewer.scene import mechanism_scene
from armillary.viewer.solids import SIDES, triangles

# a circle of SIDES corners has this share of the area of a round one
ROUND = SIDES / (2.0 * np.pi) * np.sin(2.0 * np.pi / SIDES)
STAR = [float(x) for k in range(10)
        for x in ((0.5 + 0.4 * (k % 2)) * np.cos(0.2 * np.pi * k),
                  (0.5 + 0.4 * (k % 2)) * np.sin(0.2 * np.pi * k))]  # fmt: skip
HOOK = [0, 0, 3, 0, 3, 1, 1, 1, 1, 2, 3, 2, 3, 3, 0, 3]  # right angles, a bay in the middle
SHAPES = {
    "cone": (Shape("cone", (0.3, 0.7, 0.0)), ROUND),
    "cut cone": (Shape("cone", (0.3, 0.7, 0.1)), ROUND),
    "cone on its head": (Shape("cone", (0.1, 0.7, 0.3)), ROUND),
    "tube": (Shape("hollow-cylinder", (0.3, 0.2, 0.5)), ROUND),
    "half": (Shape("semi-cylinder", (0.3, 0.5)), ROUND),
    "star": (Shape("prism", (0.4, *STAR)), 1.0),
    "hook": (Shape("prism", (0.4, *HOOK)), 1.0),
    "clockwise": (Shape("prism", (0.4, *np.reshape(HOOK, (-1, 2))[::-1].ravel().tolist())), 1.0),
}


def moments(shape: Shape):
    if shape.kind == "prism":
        return SOLIDS["prism"].moments(shape.outline, shape.size[0])
    return SOLIDS[shape.kind].moments(*shape.size)


@pytest.mark.parametrize("name", SHAPES)
def test_triangles_enclose_the_solid(name):
    """Closed and outward: every edge is walked once each way, and a sixth of the sum of
    a · (b x c) is the volume [Gauss]."""
    shape, share = SHAPES[name]
    corners, faces = triangles(shape)
    a, b, c = (corners[faces[:, k]] for k in range(3))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0
    assert volume == pytest.approx(abs(moments(shape).volume) * share, rel=1e-12)
    center = np.einsum("ij,ij,ik->k", a, np.cross(b, c), (a + b + c) / 24.0) / volume
    expected = list(moments(shape).centroid)
    assert center == pytest.approx(expected, abs=2e-3 * 0.7)
    places = {tuple(p): k for k, p in enumerate(np.round(corners, 12))}  # one number per place
    ids = [places[tuple(p)] for p in np.round(corners, 12)]
    edges = Counter((ids[f[k]], ids[f[k - 2]]) for f in faces for k in range(3))
    assert all(n == 1 and edges[k, i] == 1 for (i, k), n in edges.items())


@pytest.mark.parametrize("name", SHAPES)
def test_surrounding_box_or_cylinder_touches_it(name):
    shape = SHAPES[name][0]
    corners, _ = triangles(shape)
    around = shape.surrounding
    half = {"box": around.size, "cylinder": (2 * around.size[0],) * 2 + around.size[1:]}
    low = np.array(around.pose.position) - np.array(half[around.kind]) / 2.0
    high = np.array(around.pose.position) + np.array(half[around.kind]) / 2.0
    assert corners.min(axis=0) == pytest.approx(low, abs=1e-12)
    assert corners.max(axis=0) == pytest.approx(high, abs=1e-12)


def body_with(shape: Shape) -> am.Mechanism:
    b = am.Builder("solid")
    b.body("a", joint="revolute", axis="z", mass=1.0, inertia=(1, 1, 1), shapes=[shape])
    return b.build()


def test_scene_and_files_keep_solids(tmp_path):
    place = Pose((0.1, 0.2, 0.3))
    egg = Shape("ellipsoid", (0.1, 0.2, 0.3), place)
    for shape in [*(s for s, _ in SHAPES.values()), egg]:
        made = body_with(shape)
        parts = [s for s in mechanism_scene(made).shapes if s.role == "shape"]
        assert [p.kind for p in parts] == ["ellipsoid" if shape is egg else "mesh"]
        path = tmp_path / "solid.yaml"
        made.save(path, overwrite=True)
        (again,) = am.load(path).model.bodies[0].shapes
        assert again.kind == shape.kind
        assert again.size == pytest.approx(shape.size)
        heavy = masses_from_shapes(made.model, 1000.0).bodies[0].mass.mass
        assert heavy == pytest.approx(1000.0 * abs(moments(shape).volume))


def test_other_formats_get_what_surrounds(tmp_path):
    made = body_with(SHAPES["cut cone"][0])
    for name in ("solid.urdf", "solid.xml"):
        made.save(tmp_path / name)
        text = (tmp_path / name).read_text()
        assert "a cylinder stands for the cone inside it" in text
        (shape,) = am.load(tmp_path / name).model.bodies[-1].shapes
        assert (shape.kind, shape.size) == ("cylinder", pytest.approx((0.3, 0.7)))


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        (Shape("box", (1.0,)), "box is 3 numbers (m), found 1"),
        (Shape("prism", (1.0, 0.0, 0.0, 1.0, 0.0)), "3 corners or more"),
        (Shape("sphere", (np.nan,)), "found nan"),
        (Shape("blob", (1.0,)), "unknown shape 'blob'"),
    ],
)
def test_wrong_sizes_are_refused(shape, words):
    with pytest.raises(ModelError, match=r"body 'a'") as fault:
        body_with(shape)
    assert words in str(fault.value)
