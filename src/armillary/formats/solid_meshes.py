"""Volume moments of closed meshes, by trimesh (extra `mesh`)."""

from __future__ import annotations

from importlib import import_module

from armillary.errors import ModelError, how_to_install
from armillary.formats.references import Bounds, why_refused
from armillary.model.solids import VolumeMoments
from armillary.spatial import Symmetric, Vector


def mesh_moments(
    name: str, scale: tuple[float, float, float], bounds: Bounds | None, where: str
) -> VolumeMoments:
    """Of the solid inside a mesh file that a parts file names."""
    try:
        trimesh = import_module("trimesh")
    except ImportError:
        raise ModelError(f"{where}: meshes need trimesh. {how_to_install('mesh')}") from None
    if bounds is None:
        raise ModelError(f"{where}: a mesh needs a file beside it; this is a text.")
    refused = why_refused(name, bounds)
    place = bounds.locate(name)
    if refused is not None or place is None:
        raise ModelError(f"{where}: mesh '{name}': {refused or 'there is no such file'}.")
    try:
        mesh = trimesh.load_mesh(place)
    except Exception as fault:
        raise ModelError(f"{where}: mesh '{name}' cannot be read: {fault}.") from None
    if not getattr(mesh, "is_watertight", False):
        raise ModelError(
            f"{where}: mesh '{name}' is not closed, so it has no volume. Close its holes, or "
            f"describe the solid by sections."
        )
    mesh.apply_scale(scale)
    mesh.fix_normals()
    mesh.density = 1.0
    I = mesh.moment_inertia
    half = (I[0][0] + I[1][1] + I[2][2]) / 2
    second = Symmetric(
        *(float(half - I[k][k]) for k in range(3)),
        *(float(-I[r][c]) for r, c in ((0, 1), (0, 2), (1, 2))),
    )
    return VolumeMoments(float(mesh.volume), second, Vector(*map(float, mesh.center_mass)))
