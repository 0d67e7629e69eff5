"""Solids of uniform density and their inertias, over any scalar: floats, symbols.

Every solid has a frame of its own.  Its origin is the middle of the length where there is one
(along z), of a sphere, ellipsoid and box the centre; a half cylinder keeps the side x >= 0 of its
axis, and the outline of a prism is given in the plane z = 0.

Second moments are central:  J = ∫ (r - c)(r - c)^T dV, so the tensor of inertia is
density (tr(J) 1 - J)  [VanDerMerwe1995, 3.24-3.30].  Checked by tests/parts/test_solids.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from armillary.errors import ModelError
from armillary.model.arguments import name_arguments
from armillary.scalar import Scalar
from armillary.spatial import Inertia, Symmetric, Vector

Point = tuple[float, float]
Dimension: TypeAlias = Scalar  # a length, or the points of an outline


@dataclass(frozen=True)
class VolumeMoments:
    """Volume (m³), centroid (m) and central second moments (m⁵) of a solid, in its frame."""

    volume: Scalar
    second: Symmetric
    centroid: Vector = Vector()  # noqa: RUF009 - never changed

    def inertia(self, density: Scalar) -> Inertia:
        """About the origin of the solid's frame; density in kg/m³."""
        mass, c = self.volume * density, self.centroid
        central = Inertia.from_euler(mass, Vector(), self.second * density)
        return central.shift(c)


def _diagonal(volume: Scalar, x: Scalar, y: Scalar, z: Scalar) -> Symmetric:
    """Second moments from mean squares along the axes."""
    return Symmetric(volume * x, volume * y, volume * z)


def box(x: Scalar, y: Scalar, z: Scalar) -> VolumeMoments:
    volume = x * y * z
    return VolumeMoments(volume, _diagonal(volume, x * x / 12, y * y / 12, z * z / 12))


def cylinder(radius: Scalar, length: Scalar) -> VolumeMoments:
    return hollow_cylinder(radius, 0, length)


def hollow_cylinder(radius: Scalar, inner_radius: Scalar, length: Scalar) -> VolumeMoments:
    """A tube."""
    outer, inner = radius * radius, inner_radius * inner_radius
    volume = math.pi * (outer - inner) * length
    across = (outer + inner) / 4
    return VolumeMoments(volume, _diagonal(volume, across, across, length * length / 12))


def half_cylinder(radius: Scalar, length: Scalar) -> VolumeMoments:
    """The side x >= 0; its centroid is 4 r / 3 π off the axis."""
    volume = math.pi * radius * radius * length / 2
    off = radius * (4 / (3 * math.pi))
    square = radius * radius / 4
    second = _diagonal(volume, square - off * off, square, length * length / 12)
    return VolumeMoments(volume, second, Vector(off, 0, 0))


def sphere(radius: Scalar) -> VolumeMoments:
    return ellipsoid(radius, radius, radius)


def ellipsoid(x: Scalar, y: Scalar, z: Scalar) -> VolumeMoments:
    """x, y, z: half axes."""
    volume = x * y * z * (4 * math.pi / 3)
    return VolumeMoments(volume, _diagonal(volume, x * x / 5, y * y / 5, z * z / 5))


def cone(radius: Scalar, length: Scalar, top_radius: Scalar = 0) -> VolumeMoments:
    """Base below, at z = -length/2; cut off where a top radius is given.

    With the radius a (1 - s) + b s at height s = z / length above the base:
    V = π l/3 (a² + ab + b²),  ∫ z dV = π l²/12 (a² + 2ab + 3b²),
    ∫ z² dV = π l³/30 (a² + 3ab + 6b²),  ∫ x² dV = π l/20 (a⁴ + a³b + a²b² + ab³ + b⁴)."""
    a, b, l = radius, top_radius, length
    aa, ab, bb = a * a, a * b, b * b
    volume = math.pi / 3 * l * (aa + ab + bb)
    height = math.pi / 12 * l * l * (aa + 2 * ab + 3 * bb) / volume  # centroid above the base
    square = math.pi / 30 * l * l * l * (aa + 3 * ab + 6 * bb)
    across = math.pi / 20 * l * (aa * aa + aa * ab + aa * bb + ab * bb + bb * bb)
    second = Symmetric(across, across, square - volume * height * height)
    return VolumeMoments(volume, second, Vector(0, 0, height - l / 2))


def capsule(radius: Scalar, length: Scalar) -> VolumeMoments:
    """A cylinder of that length with half spheres on its ends."""
    tube, ball = cylinder(radius, length), sphere(radius)
    ends = length * length / 4 + 3 * length * radius / 8  # of the half spheres' centroids
    more = _diagonal(ball.volume, 0, 0, ends)
    return VolumeMoments(tube.volume + ball.volume, tube.second + ball.second + more)


def prism(points: Sequence[Sequence[Scalar]], length: Scalar) -> VolumeMoments:
    """An outline (x, y), either way round, drawn out along z; by Green's theorem about its first
    point, so that an outline far from the origin loses no digits."""
    x0, y0 = points[0]
    around = [(x - x0, y - y0) for x, y in points]
    area = mx = my = xx = yy = xy = 0
    for (x, y), (u, w) in zip(around, [*around[1:], around[0]], strict=True):
        cross = x * w - u * y
        area = area + cross / 2
        mx, my = mx + (x + u) * cross / 6, my + (y + w) * cross / 6
        xx = xx + (x * x + x * u + u * u) * cross / 12
        yy = yy + (y * y + y * w + w * w) * cross / 12
        xy = xy + (2 * x * y + x * w + u * y + 2 * u * w) * cross / 24
    cx, cy = mx / area, my / area
    clockwise = isinstance(area, (int, float)) and area < 0
    depth = -length if clockwise else length
    second = Symmetric(
        (xx - area * cx * cx) * depth,
        (yy - area * cy * cy) * depth,
        area * depth * length * length / 12,
        (xy - area * cx * cy) * depth,
    )
    return VolumeMoments(area * depth, second, Vector(x0 + cx, y0 + cy, 0))


@dataclass(frozen=True)
class Solid:
    """A kind of solid: what its dimensions are called, and its moments."""

    dimensions: tuple[str, ...]
    moments: Callable[..., VolumeMoments]
    optional: tuple[str, ...] = ()


SOLIDS = {
    "box": Solid(("x", "y", "z"), box),
    "cylinder": Solid(("radius", "length"), cylinder),
    "hollow-cylinder": Solid(("radius", "inner_radius", "length"), hollow_cylinder),
    "semi-cylinder": Solid(("radius", "length"), half_cylinder),
    "sphere": Solid(("radius",), sphere),
    "ellipsoid": Solid(("x", "y", "z"), ellipsoid),
    "cone": Solid(("radius", "length"), cone, ("top_radius",)),
    "capsule": Solid(("radius", "length"), capsule),
    "prism": Solid(("points", "length"), prism),
}


@name_arguments
def solid_inertia(kind: str, density: Scalar, **dimensions: Dimension) -> Inertia:
    """Inertia of a solid about the origin of its own frame (see this module).

    kind: box, cylinder, hollow-cylinder, semi-cylinder, sphere, ellipsoid, cone, capsule, prism.
    density in kg/m³, dimensions in m; symbols give formulas.

    >>> solid_inertia("box", 1000.0, x=0.1, y=0.2, z=0.3).mass
    6.0
    """
    solid = checked_solid(kind, dimensions, f"solid '{kind}'")
    return solid.moments(**dimensions).inertia(density)


def checked_solid(kind: str, dimensions: dict[str, Dimension], part: str) -> Solid:
    """The solid of that name, with dimensions that it can have."""
    if kind not in SOLIDS:
        raise ModelError(f"{part}: unknown solid '{kind}'. Known: {', '.join(SOLIDS)}.")
    solid = SOLIDS[kind]
    known = (*solid.dimensions, *solid.optional)
    missing = [name for name in solid.dimensions if name not in dimensions]
    unknown = [name for name in dimensions if name not in known]
    if missing or unknown:
        text = f"missing {', '.join(missing)}" if missing else f"'{unknown[0]}' is none of them"
        raise ModelError(f"{part}: a {kind} has the dimensions {', '.join(known)}; {text}.")
    for name, value in dimensions.items():
        if name == "points":
            _check_outline(value, part)
        elif isinstance(value, (int, float)):
            least = value >= 0 if name in ("inner_radius", "top_radius") else value > 0
            if not (least and math.isfinite(value)):
                raise ModelError(f"{part}: {name} must be positive, found {value:g} m.")
    inner, outer = dimensions.get("inner_radius"), dimensions.get("radius")
    if isinstance(inner, (int, float)) and isinstance(outer, (int, float)) and inner >= outer:
        raise ModelError(
            f"{part}: the inner radius ({inner:g} m) must be below the radius ({outer:g} m)."
        )
    return solid


def _check_outline(points: object, part: str) -> None:
    """Three points or more, none of whose edges cross; symbols are taken as they are."""
    if not isinstance(points, Sequence) or len(points) < 3:
        raise ModelError(f"{part}: the outline of a prism needs at least 3 points (x, y).")
    if any(not isinstance(p, Sequence) or len(p) != 2 for p in points):
        raise ModelError(f"{part}: every point of an outline is two numbers (x, y).")
    if not all(isinstance(x, (int, float)) and math.isfinite(x) for p in points for x in p):
        return
    n = len(points)
    edges = [(points[k], points[(k + 1) % n]) for k in range(n)]
    size = max(math.dist(p, q) for p in points for q in points)
    for k, (p, q) in enumerate(edges):
        if math.dist(p, q) <= 1e-12 * size:
            raise ModelError(
                f"{part}: points {k + 1} and {(k + 1) % n + 1} of the outline are one."
            )
        for m in range(k + 2, n):
            if (m + 1) % n != k and _cross(p, q, *edges[m]):
                raise ModelError(
                    f"{part}: edges {k + 1} and {m + 1} of the outline cross. Give the points in "
                    f"the order of the outline."
                )
    area = sum(p[0] * q[1] - q[0] * p[1] for p, q in edges) / 2
    if abs(area) <= 1e-12 * size * size:
        raise ModelError(f"{part}: the outline has no area; its points lie on a line.")


def _cross(p: Point, q: Point, r: Point, s: Point) -> bool:
    """Do the segments pq and rs have a point in common?"""

    def side(a: Point, b: Point, c: Point) -> float:
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])

    def between(a: Point, b: Point, c: Point) -> bool:
        return all(min(a[i], b[i]) <= c[i] <= max(a[i], b[i]) for i in (0, 1))

    one, two, three, four = side(p, q, r), side(p, q, s), side(r, s, p), side(r, s, q)
    if one * two < 0 and three * four < 0:
        return True
    return (
        (one == 0 and between(p, q, r))
        or (two == 0 and between(p, q, s))
        or (three == 0 and between(r, s, p))
        or (four == 0 and between(r, s, q))
    )
