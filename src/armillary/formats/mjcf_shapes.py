"""The geoms of MuJoCo's bodies as shapes to look at and to touch."""

from __future__ import annotations

from armillary.formats.mjcf_source import Source, triple
from armillary.model import Pose, Shape

SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH = range(2, 8)  # mjtGeom
_DEFAULT_COLOR = (0.5, 0.5, 0.5, 1.0)
_VISIBLE_GROUPS = 3  # geoms of higher groups are hidden in MuJoCo's viewer


def shapes_of(source: Source, i: int) -> tuple[Shape, ...]:
    """A geom that collides and is visible gives two shapes, one per role."""
    m = source.m
    first, count = int(m.body_geomadr[i]), int(m.body_geomnum[i])
    shapes: list[Shape] = []
    for g in range(first, first + count):
        touches = bool(m.geom_contype[g] or m.geom_conaffinity[g])
        shows = not touches or int(m.geom_group[g]) < _VISIBLE_GROUPS
        roles = ["visual"] * shows + ["collision"] * touches
        shapes += [shape for role in roles if (shape := _shape(source, i, g, role)) is not None]
    return tuple(shapes)


def _shape(source: Source, i: int, g: int, role: str) -> Shape | None:
    m = source.m
    type_ = int(m.geom_type[g])
    pose = source.pose_in(i, m.geom_pos[g], m.geom_quat[g])
    a, b, c = triple(m.geom_size[g])
    color = _color(source, g) if role == "visual" else None
    # MuJoCo gives half lengths
    sizes = {
        SPHERE: ("sphere", (a,)),
        CAPSULE: ("capsule", (a, 2 * b)),
        ELLIPSOID: ("ellipsoid", (a, b, c)),
        CYLINDER: ("cylinder", (a, 2 * b)),
        BOX: ("box", (2 * a, 2 * b, 2 * c)),
    }
    if type_ in sizes:
        kind, size = sizes[type_]
        return Shape(kind, size, pose, color=color, role=role)
    k = int(m.geom_dataid[g])
    if type_ == MESH and k >= 0:
        return _mesh(source, k, pose, color, role)
    text = "planes, height fields and distance fields are not read"
    source.notes.add("ignored", "geoms", "", text)
    return None


def _mesh(
    source: Source, k: int, pose: Pose, color: tuple[float, float, float, float] | None, role: str
) -> Shape | None:
    """MuJoCo moves a mesh to its centre and principal axes; the pose here is that of the file."""
    m = source.m
    reference = source.meshes.get(m.mesh(k).name)
    if reference is None:
        source.notes.add("ignored", "meshes without a file that may be opened", "", "not read")
        return None
    moved = Pose.from_quaternion(m.mesh_pos[k].tolist(), m.mesh_quat[k].tolist())
    back = Pose.from_transform(moved.transform().inverse())
    return Shape("mesh", (), pose.then(back), reference, triple(m.mesh_scale[k]), color, role)


def _color(source: Source, g: int) -> tuple[float, float, float, float]:
    m = source.m
    r, g_, b, a = (round(float(x), 9) for x in m.geom_rgba[g])
    material = int(m.geom_matid[g])
    if (r, g_, b, a) == _DEFAULT_COLOR and material >= 0:
        r, g_, b, a = (round(float(x), 9) for x in m.mat_rgba[material])
    return (r, g_, b, a)
