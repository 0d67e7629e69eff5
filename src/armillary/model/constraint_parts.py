"""What constrains a mechanism beyond its tree: loops, couplings, wheels, rods, contacts, motions.

Plain frozen data, as in parts.py.  Two frames are always named `first` and `second`: the second
moves relative to the first, and the force of a constraint is the one on the second's body.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from armillary.model.parts import WORLD, Frame, JointSpec, Triple

WHEEL_ROWS = ("normal", "longitudinal", "lateral")
SHAPES = ("plane", "sphere", "cylinder", "profile")
DIRECTIONS = ("rx", "ry", "rz", "dx", "dy", "dz")


@dataclass(frozen=True)
class Loop:
    """A joint that closes a chain: frame `second` moves in frame `first` as the joint allows."""

    name: str
    first: Frame
    second: Frame
    joint: JointSpec


@dataclass(frozen=True)
class Coupling:
    """q[joint] = ratio * q[source] + offset: gears, mimic joints, screws, racks.

    joint, source: a joint with one coordinate, or joint.coordinate.  The unit of the ratio follows:
    m/rad for a rack or a screw."""

    name: str
    joint: str
    source: str
    ratio: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class Wheel:
    """A wheel that rolls on a plane.

    kind: "disc" (thin rim), "sphere" (the contact is below the centre) or "knife" (an edge that
    slides along `axis` × normal and not sideways; radius 0).  `rows` says what is prevented:
    leaving the ground (normal), slip along the track and across it.  normal and height belong to
    the frame of the body `ground`."""

    name: str
    body: str
    radius: float
    axis: Triple = (0.0, 1.0, 0.0)
    center: Triple = (0.0, 0.0, 0.0)
    normal: Triple = (0.0, 0.0, 1.0)
    height: float = 0.0
    kind: str = "disc"
    rows: tuple[str, ...] = WHEEL_ROWS
    ground: str = WORLD


@dataclass(frozen=True)
class Distance:
    """A massless rod with ball ends: the origins of two frames keep their distance (m)."""

    name: str
    first: Frame
    second: Frame
    length: float


@dataclass(frozen=True)
class Surface:
    """The origin of `second` stays on a surface fixed in `first`: the plane z = 0, a sphere about
    the origin or a cylinder about z of the given radius (m), or a profile z = h(x), the smooth
    curve through rows (x, z) in m, level before the first and after the last."""

    name: str
    first: Frame
    second: Frame
    shape: str = "plane"
    radius: float = 0.0
    profile: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class Contact:
    """A contact with given motion along the constrained directions  [VanDerMerwe1995, 5.2.4].

    constrained: directions of `first` (the environment) in which `second` (the tip) follows it:
    rotations rx, ry, rz, translations dx, dy, dz.  force: known force components (N m, N) on the
    tip along free directions (class I).  friction: (free direction, constrained direction,
    coefficient): the force along the first is the coefficient times the force along the second
    (class II).

    A contact is bilateral: it holds the tip both ways, and a negative force along a constrained
    displacement pulls at it.  One state takes the coefficient with its sign; a run takes its size,
    lets friction oppose the sliding, and names in `sticking` the free directions along which the
    contact sticks at the moment: no velocity there, whatever force it takes."""

    name: str
    first: Frame
    second: Frame
    constrained: tuple[str, ...]
    force: tuple[tuple[str, float], ...] = ()
    friction: tuple[tuple[str, str, float], ...] = ()
    sticking: tuple[str, ...] = ()

    @property
    def normals(self) -> tuple[str, ...]:
        """Constrained directions along which it pushes or pulls: those that friction follows, else
        the only displacement; held in several, it is a guide."""
        rubbing = tuple(dict.fromkeys(of for _, of, _ in self.friction))
        translations = tuple(d for d in self.constrained if d[0] == "d")
        return rubbing or (translations if len(translations) == 1 else ())


@dataclass(frozen=True)
class PrescribedMotion:
    """A coordinate that moves as prescribed, whatever force that takes.

    joint: a joint with one coordinate, or joint.coordinate (a label of v).  None: not prescribed
    at that level (only accelerations enter the dynamics)."""

    name: str
    joint: str
    acceleration: float = 0.0
    velocity: float | None = None
    position: float | None = None


Constraint = Loop | Coupling | Wheel | Distance | Surface | Contact | PrescribedMotion
NOUNS: dict[type, str] = {
    Loop: "loop",
    Coupling: "coupling",
    Wheel: "wheel",
    Distance: "distance",
    Surface: "surface",
    Contact: "contact",
    PrescribedMotion: "prescribed motion",
}
# where a model keeps them
FIELDS: dict[type, str] = {
    Loop: "loops",
    Coupling: "couplings",
    Wheel: "wheels",
    Distance: "distances",
    Surface: "surfaces",
    Contact: "contacts",
    PrescribedMotion: "prescribed",
}


def titled(part: Constraint) -> str:
    """How a message names it."""
    return f"{NOUNS[type(part)]} '{part.name}'"


def touches(part: Constraint, bodies: Container[str], joints: Container[str]) -> bool:
    """Whether a constraint acts on one of these bodies or on a coordinate of these joints."""
    if isinstance(part, (Coupling, PrescribedMotion)):
        labels = (part.joint, part.source) if isinstance(part, Coupling) else (part.joint,)
        return any(label in joints or label.rpartition(".")[0] in joints for label in labels)
    if isinstance(part, Wheel):
        return part.body in bodies or part.ground in bodies
    return part.first.body in bodies or part.second.body in bodies
