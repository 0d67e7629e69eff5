"""How force elements look: which symbols stand for one, and which of its ends are places."""

from __future__ import annotations

from armillary.model.elements.along import AlongForce
from armillary.model.elements.element import ForceElement
from armillary.model.elements.line import LineForce
from armillary.model.elements.maxwell import Maxwell
from armillary.model.elements.turning import Bushing, TorsionSpring
from armillary.model.elements.tyre import Tyre
from armillary.model.elements.user import UserForce
from armillary.model.elements.world import Drag, FixedWrench, PointGravity
from armillary.model.model import Model
from armillary.model.parts import WORLD, Frame

_SYMBOLS = {
    TorsionSpring: "torsion",
    Bushing: "bushing",
    FixedWrench: "wrench",
    Drag: "drag",
    PointGravity: "gravity",
    UserForce: "law",
    Tyre: "tyre",
}


def symbols_of(part: ForceElement) -> tuple[str, ...]:
    """Of a line: cable, or spring and damper side by side or one of them, or both in series, or
    actuator; else one of torsion, bushing, wrench, drag, gravity, law, tyre."""
    law = part.law
    if isinstance(law, Maxwell):
        return ("series",)
    if not isinstance(law, LineForce):
        return (_SYMBOLS.get(type(law), "law"),)
    if len(part.ends) > 2 or law.side == "pull":
        return ("cable",)
    elastic = bool(law.stiffness or law.cubic or law.table)
    found = (("spring", elastic), ("damper", law.damped))
    return tuple(name for name, there in found if there) or ("actuator",)


def anchors(part: ForceElement) -> tuple[Frame, ...]:
    """The ends that are places of the mechanism, where something hangs on a body; the origin of
    the world is none for a load, nor is a centre of attraction."""
    if isinstance(part.law, (AlongForce, TorsionSpring, Bushing)):
        return part.ends
    if isinstance(part.law, (PointGravity, FixedWrench, Drag, Tyre)):
        return part.ends[1:]
    return tuple(end for end in part.ends if end.body != WORLD)


def placed(model: Model) -> list[ForceElement]:
    """The elements between frames; those between coordinates of joints have no place."""
    return [part for part in model.elements if part.ends]


def tyres(model: Model) -> list[tuple[ForceElement, Tyre]]:
    """Those among the elements."""
    return [(part, part.law) for part in model.elements if isinstance(part.law, Tyre)]


def title(part: ForceElement) -> str:
    return f"{part.name} ({part.law.noun})"
