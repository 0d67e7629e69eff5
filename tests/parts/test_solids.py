"""Solids against volume integrals, fine meshes and closed forms of handbooks."""

import math

import numpy as np
import pytest

from armillary.errors import ModelError
from armillary.model.solids import SOLIDS, prism, solid_inertia
from armillary.model.volume_integral import volume_inertia
from armillary.spatial import Inertia, Matrix, Vector

OUTLINE = [(0.02, 0.0), (0.11, 0.01), (0.09, 0.06), (0.05, 0.03), (-0.01, 0.08)]  # not convex
SIZES = {
    "box": {"x": 0.1, "y": 0.23, "z": 0.31},
    "cylinder": {"radius": 0.07, "length": 0.4},
    "hollow-cylinder": {"radius": 0.07, "inner_radius": 0.055, "length": 0.4},
    "semi-cylinder": {"radius": 0.07, "length": 0.4},
    "sphere": {"radius": 0.09},
    "ellipsoid": {"x": 0.05, "y": 0.11, "z": 0.2},
    "cone": {"radius": 0.08, "top_radius": 0.03, "length": 0.25},
    "capsule": {"radius": 0.05, "length": 0.2},
    "prism": {"points": OUTLINE, "length": 0.15},
}


def inside(kind, d, p):
    """Is the point in the solid?  Written from the words of the module, not from its formulas."""
    x, y, z = p
    r = np.hypot(x, y)
    flat = np.abs(z) <= d["length"] / 2 if "length" in d else None
    match kind:
        case "box":
            return (np.abs(x) <= d["x"] / 2) & (np.abs(y) <= d["y"] / 2) & (np.abs(z) <= d["z"] / 2)
        case "cylinder":
            return flat & (r <= d["radius"])
        case "hollow-cylinder":
            return flat & (r <= d["radius"]) & (r >= d["inner_radius"])
        case "semi-cylinder":
            return flat & (r <= d["radius"]) & (x >= 0)
        case "sphere":
            return x**2 + y**2 + z**2 <= d["radius"] ** 2
        case "ellipsoid":
            return (x / d["x"]) ** 2 + (y / d["y"]) ** 2 + (z / d["z"]) ** 2 <= 1
        case "cone":
            s = z / d["length"] + 0.5
            return flat & (r <= d["radius"] * (1 - s) + d["top_radius"] * s)
        case "capsule":
            beyond = np.maximum(np.abs(z) - d["length"] / 2, 0)
            return r**2 + beyond**2 <= d["radius"] ** 2
        case "prism":
            odd = np.zeros_like(x, bool)  # how often a ray meets the outline
            for (a, b), (c, e) in zip(OUTLINE, OUTLINE[1:] + OUTLINE[:1], strict=True):
                meets = (b > y) != (e > y)
                with np.errstate(divide="ignore", invalid="ignore"):
                    odd ^= meets & (x < (c - a) * (y - b) / (e - b) + a)
            return flat & odd


def sampled_inertia(kind, d, density):
    """Means over points that fill a box evenly (Sobol)."""
    from scipy.stats import qmc

    half = np.array([0.13, 0.13, 0.26])
    p = (2 * qmc.Sobol(3, seed=1).random_base2(17) - 1) * half
    p = p[inside(kind, d, p.T)].T
    each = density * np.prod(2 * half) / 2**17
    square = each * p @ p.T
    return each * p.shape[1], each * p.sum(1), np.trace(square) * np.eye(3) - square


def matrix(inertia: Inertia) -> np.ndarray:
    return np.array([[float(x) for x in row] for row in inertia.tensor.rows])


@pytest.mark.parametrize("kind", sorted(SOLIDS))
def test_solids_are_what_their_points_are(kind):
    found = solid_inertia(kind, 2700.0, **SIZES[kind])
    mass, first, tensor = sampled_inertia(kind, SIZES[kind], 2700.0)
    assert found.mass == pytest.approx(mass, rel=5e-3)
    length = math.sqrt(np.trace(tensor) / mass)
    np.testing.assert_allclose(
        np.array(found.moment.leaves(), float), first, rtol=0, atol=5e-3 * mass * length
    )
    np.testing.assert_allclose(matrix(found), tensor, rtol=0, atol=1e-2 * np.trace(tensor))


def test_bounds_give_the_solids():
    """The same solids as volume integrals between their bounds."""
    d = SIZES["box"]
    sides = [(-d[k] / 2, d[k] / 2) for k in "xyz"]
    same(volume_inertia(2700.0, *sides), solid_inertia("box", 2700.0, **d))
    # a wedge under the plane x/a + y/b = 1, as an outline drawn out along z
    a, b, h = 0.3, 0.2, 0.1
    wedge = volume_inertia(900.0, (0.0, a), (0.0, lambda x: b * (1 - x / a)), (-h / 2, h / 2))
    same(wedge, solid_inertia("prism", 900.0, points=[(0, 0), (a, 0), (0, b)], length=h))


def same(one, two):
    scale = float(two.tensor.trace())
    assert one.mass == pytest.approx(two.mass, rel=1e-10)
    np.testing.assert_allclose(matrix(one), matrix(two), rtol=0, atol=1e-10 * scale)
    size = math.sqrt(two.mass * scale)
    for x, y in zip(one.moment, two.moment, strict=True):
        assert x == pytest.approx(y, abs=1e-10 * size)


def test_box_about_a_corner():
    """I_xx = m (h² + l²)/3, I_xy = -m w l/4  [Lecture, inertia tensor of a rectangular body]."""
    w, l, h, rho = 0.1, 0.2, 0.3, 1000.0
    found, m = volume_inertia(rho, (0.0, w), (0.0, l), (0.0, h)), rho * w * l * h
    wanted = m * np.array(
        [[(l * l + h * h) / 3, -w * l / 4, -h * w / 4],
         [-w * l / 4, (w * w + h * h) / 3, -h * l / 4],
         [-h * w / 4, -h * l / 4, (l * l + w * w) / 3]]
    )  # fmt: skip
    np.testing.assert_allclose(matrix(found), wanted, rtol=0, atol=1e-12 * m)
    sympy = pytest.importorskip("sympy")
    w, l, h, rho = sympy.symbols("w l h rho", positive=True)
    formula = volume_inertia(rho, (0, w), (0, l), (0, h))
    m = rho * w * l * h
    assert sympy.simplify(formula.tensor.xx - m * (l**2 + h**2) / 3) == 0
    assert sympy.simplify(formula.tensor.xz + m * h * w / 4) == 0


def test_symbols_agree_with_numbers():
    sympy = pytest.importorskip("sympy")
    rho, r, l = sympy.symbols("rho r l", positive=True)
    cylinder = solid_inertia("cylinder", rho, radius=r, length=l)
    at = {rho: 2700.0, r: 0.07, l: 0.4}
    found = solid_inertia("cylinder", 2700.0, **SIZES["cylinder"])
    assert float(cylinder.tensor.xx.subs(at)) == pytest.approx(float(found.tensor.xx), rel=1e-13)
    cone = volume_inertia(
        rho,
        (-r, r),
        (lambda x: -sympy.sqrt(r**2 - x**2), lambda x: sympy.sqrt(r**2 - x**2)),
        (0, l),
    )
    assert sympy.simplify(cone.mass - sympy.pi * rho * r**2 * l) == 0


@pytest.mark.parametrize(
    "kind", ["box", "cylinder", "hollow-cylinder", "sphere", "ellipsoid", "capsule"]
)
def test_fine_meshes(kind):
    """The surface as triangles, integrated by trimesh."""
    trimesh = pytest.importorskip("trimesh")
    mesh = surface(trimesh, kind, SIZES[kind])
    mesh.density = 2700.0
    found = solid_inertia(kind, 2700.0, **SIZES[kind])
    central = np.array([[float(x) for x in row] for row in found.tensor_com().rows])
    assert found.mass == pytest.approx(mesh.mass, rel=5e-3)
    np.testing.assert_allclose(central, mesh.moment_inertia, rtol=0, atol=1e-2 * np.trace(central))


def surface(trimesh, kind, d):
    make = trimesh.creation
    match kind:
        case "box":
            return make.box((d["x"], d["y"], d["z"]))
        case "cylinder":
            return make.cylinder(radius=d["radius"], height=d["length"], sections=200)
        case "hollow-cylinder":
            return make.annulus(d["inner_radius"], d["radius"], d["length"], sections=200)
        case "sphere" | "ellipsoid":
            ball = make.icosphere(subdivisions=5)
            ball.apply_scale([d.get("radius") or d[k] for k in "xyz"])
            return ball
        case "capsule":
            return make.capsule(radius=d["radius"], height=d["length"], count=(64, 64))


def test_turned_outlines_and_far_ones():
    """Either way round, and a kilometre away: the same prism."""
    here = prism(OUTLINE, 0.15)
    back = prism(OUTLINE[::-1], 0.15)
    far = prism([(x + 1000.0, y - 2000.0) for x, y in OUTLINE], 0.15)
    for other in (back, far):
        assert other.volume == pytest.approx(here.volume, rel=1e-9)
        np.testing.assert_allclose(np.array(other.second.leaves()), np.array(here.second.leaves()),
                     atol=1e-9 * float(here.second.trace()))  # fmt: skip
    assert far.centroid.x - 1000.0 == pytest.approx(here.centroid.x, rel=1e-9)


def test_pieces_make_the_whole():
    """A tube is a cylinder without a cylinder; two halves are a cylinder; a cone in two."""
    r, i, l = 0.07, 0.055, 0.4
    tube = solid_inertia("hollow-cylinder", 1.0, radius=r, inner_radius=i, length=l)
    outer, inner = (solid_inertia("cylinder", 1.0, radius=x, length=l) for x in (r, i))
    same(tube, outer - inner)
    half = solid_inertia("semi-cylinder", 1.0, radius=r, length=l)
    other = half.rotate(Matrix.diagonal(-1, -1, 1))  # half a turn about z
    same(half + other, outer)
    whole = solid_inertia("cone", 1.0, radius=0.08, length=0.4)
    low = solid_inertia("cone", 1.0, radius=0.08, top_radius=0.04, length=0.2)
    high = solid_inertia("cone", 1.0, radius=0.04, length=0.2)
    same(whole, low.shift(Vector(0, 0, -0.1)) + high.shift(Vector(0, 0, 0.1)))


@pytest.mark.parametrize(
    ("kind", "sizes", "said"),
    [
        ("ball", {"radius": 1.0}, "unknown solid 'ball'"),
        ("sphere", {}, "missing radius"),
        ("sphere", {"radius": -1.0}, "radius must be positive, found -1"),
        ("sphere", {"radius": math.nan}, "radius must be positive"),
        ("sphere", {"radius": 1.0, "length": 2.0}, "'length' is none of them"),
        ("hollow-cylinder", {"radius": 1.0, "inner_radius": 1.0, "length": 1.0}, "inner radius"),
        ("prism", {"points": [(0, 0), (1, 0)], "length": 1.0}, "at least 3 points"),
        ("prism", {"points": [(0, 0), (1, 1), (1, 0), (0, 1)], "length": 1.0}, "cross"),
        ("prism", {"points": [(0, 0), (1, 1), (2, 2)], "length": 1.0}, "no area"),
    ],
)
def test_impossible_solids(kind, sizes, said):
    with pytest.raises(ModelError, match=said):
        solid_inertia(kind, 1.0, **sizes)


def test_bounds_that_do_not_settle():
    with pytest.raises(ModelError, match="lower bound first"):
        volume_inertia(1.0, (1.0, 0.0), (0.0, 1.0), (0.0, 1.0))
    with pytest.raises(ModelError, match="does not settle"):
        volume_inertia(1.0, (0.0, 1.0), (0.0, lambda x: 1.0 if x < 0.3 else 2.0), (0.0, 1.0))
