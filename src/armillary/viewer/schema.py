"""The scene, armillary.scene/1: what the client draws, as plain data.

The client knows no mechanics: shapes hang on bodies, bodies have poses over time, arrows have
components over time, all in the world frame, SI units.  Quaternions are x, y, z, w here, the order
of the client.  `client/src/scene.ts` holds the same fields; a test compares them.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

FORMAT: Literal["armillary.scene/1"] = "armillary.scene/1"

Point = tuple[float, float, float]
Place = tuple[float, float, float, float, float, float, float]  # position, quaternion x y z w
Color = tuple[float, float, float, float]  # red, green, blue, opacity: 0 ... 1


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Packed(Part):
    """An array: columns one after the other, byte planes of each number, gzip, base64.

    shape (T, ...): the numbers of one column over all T instants stand side by side."""

    type: Literal["f4", "f8", "u2", "u4"]
    shape: tuple[int, ...]
    gz: str


class BodyPart(Part):
    """A body: number k has the columns 7k ... 7k + 6 of the poses."""

    name: str
    parent: int
    joint: str
    kind: str
    mass: float  # kg
    com: Point  # m, in the body's frame


class ShapePart(Part):
    """Something solid on a body; `role` says which switch of the page shows it.

    size: box x y z; cylinder, capsule, coil (a wound wire) radius and length along z; sphere
    radius; ring radius and thickness about z; ellipsoid three half axes; mesh scale x y z."""

    kind: Literal["box", "cylinder", "sphere", "capsule", "coil", "ring", "ellipsoid", "mesh"]
    role: Literal[
        "shape", "link", "skeleton", "joint", "wheel", "ground", "element", "com", "inertia"
    ]
    body: int
    at: Place
    size: tuple[float, ...]
    color: Color
    name: str
    mesh: str = ""


class TiePart(Part):
    """A bar, spring or damper between a point of one body and a point of another.

    length: m, at the beginning; the wire of a spring has its thickness there."""

    name: str
    kind: Literal["bar", "coil", "damper"]
    role: Literal["link", "joint", "element"]
    bodies: tuple[int, int]
    points: tuple[Point, Point]
    radius: float
    length: float
    color: Color


class FramePart(Part):
    """A frame on a body; own: the body's own frame."""

    name: str
    body: int
    at: Place
    own: bool


class AxisPart(Part):
    """The axis of a joint, in the frame of a body."""

    name: str
    body: int
    point: Point
    direction: Point


class TrailPart(Part):
    """A point of a body that may leave a trail; shown: from the beginning."""

    name: str
    body: int
    point: Point
    shown: bool


class MeshPart(Part):
    """Triangles: corner = low + step * number (0 ... 65535), three indices each."""

    low: Point
    step: Point
    corners: Packed
    triangles: Packed


class ArrowPart(Part):
    """A force or a moment: number k has the columns 3k ... 3k + 2 of `forces`, world axes.

    It begins at a point of a body, or at the moving point `track` (columns of `tracks`)."""

    name: str
    kind: Literal["force", "moment"]
    group: Literal["joint", "constraint", "wheel", "element"]
    body: int
    point: Point
    track: int = -1


class ArrowScale(Part):
    """What a long arrow stands for: the 95th percentile of all magnitudes."""

    force: float  # N
    moment: float  # N m


class SeriesPart(Part):
    """A quantity over time: one column per label; least and greatest are those of the whole run."""

    name: str
    title: str
    unit: str
    labels: tuple[str, ...]
    values: Packed
    least: tuple[float | None, ...]
    greatest: tuple[float | None, ...]
    shown: bool


class EventPart(Part):
    time: float
    text: str


class GroundPart(Part):
    """A level grid: a point on it and its normal."""

    point: Point
    normal: Point


class ViewPart(Part):
    """Where the camera looks from: a direction towards the viewer, and what is up."""

    name: str
    direction: Point
    up: Point


class Camera(Part):
    center: Point
    radius: float  # m, of what is to be seen
    follow: int  # the body that it goes along with; -1: none
    views: tuple[ViewPart, ...]


class Scene(Part):
    """A mechanism or a run to look at."""

    format: Literal["armillary.scene/1"] = FORMAT
    name: str
    subtitle: str
    size: float  # m, of the mechanism
    up: Point
    bodies: tuple[BodyPart, ...]
    shapes: tuple[ShapePart, ...]
    ties: tuple[TiePart, ...]
    frames: tuple[FramePart, ...]
    axes: tuple[AxisPart, ...]
    trails: tuple[TrailPart, ...]
    ground: tuple[GroundPart, ...]
    meshes: dict[str, MeshPart]
    camera: Camera
    time: Packed
    poses: Packed
    tracks: Packed | None
    arrows: tuple[ArrowPart, ...]
    forces: Packed | None
    scale: ArrowScale
    series: tuple[SeriesPart, ...]
    events: tuple[EventPart, ...]
    notes: tuple[str, ...]
    picture: str  # data: address of a still picture, empty where there is none
