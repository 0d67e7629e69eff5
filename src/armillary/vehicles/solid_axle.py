"""A solid axle: one beam carries both wheels, guided by links, by leaf springs, or ideally."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from armillary.errors import InputError
from armillary.model.parts import Triple
from armillary.vehicles.arms import SIX
from armillary.vehicles.assembling import (
    SIDES,
    Assembler,
    Data,
    bar_shape,
    mirrored,
    rod,
)
from armillary.vehicles.axles import (
    Corner,
    RoadWheel,
    Strut,
    at_corner,
    put_strut,
    put_wheel,
    sides,
)

GUIDES = ("four-link", "leaf", "ideal")


@dataclass(frozen=True)
class SolidAxle(Data):
    """A beam with both wheels.

    guide: "four-link" (two lower and two oblique upper links, four rows: heave and roll are left),
    "leaf" (leaf springs: elastic in all six directions, `leaf_*` N/m each along x and y, N m/rad
    against winding up), or "ideal" (heave and roll about the axle's middle, nothing else: cheap,
    for long vehicles).  Struts stand at strut_low.  Points of links: *_body on the chassis, *_axle
    on the beam."""

    guide: str = "four-link"
    wheel_center: Triple = (0.0, 0.75, 0.31)
    lower_body: Triple = (0.55, 0.42, 0.26)
    lower_axle: Triple = (0.0, 0.50, 0.22)
    upper_body: Triple = (0.45, 0.45, 0.42)
    upper_axle: Triple = (0.03, 0.12, 0.45)
    strut_low: Triple = (-0.04, 0.50, 0.30)
    strut_top: Triple = (-0.04, 0.46, 0.66)
    mass: float = 60.0
    leaf_along: float = 2.0e6
    leaf_across: float = 1.0e6
    leaf_wind: float = 2.0e4
    leaf_time: float = 1.0e-3
    strut: Strut = field(default_factory=lambda: Strut(stiffness=24.0e3, damping=1.7e3))
    POSITIVE = frozenset({"mass"})

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.guide not in GUIDES:
            raise InputError(
                f"SolidAxle: guide is one of {', '.join(GUIDES)}; found {self.guide!r}."
            )
        self._apart("lower_body", "lower_axle")
        self._apart("upper_body", "upper_axle")
        self._apart("strut_low", "strut_top")
        if self.guide == "four-link" and abs(self.upper_body[1] - self.upper_axle[1]) < 0.02:
            raise InputError(
                "SolidAxle: the upper links run straight fore and aft, so nothing holds the axle "
                "sideways. Move upper_axle inward (its y), or take guide='ideal'."
            )

    def rigid(self) -> SolidAxle:
        """Guided ideally instead of by leaf springs."""
        return replace(self, guide="ideal") if self.guide == "leaf" else self

    def attach(
        self, a: Assembler, axle: str, x: float, wheel: RoadWheel, tie: str
    ) -> tuple[Corner, Corner]:
        beam = self.put_beam(a, axle, x)
        left, right = (self._corner(a, beam, n, s, x, wheel) for n, s in sides(axle))
        return left, right

    def put_beam(self, a: Assembler, axle: str, x: float) -> str:
        """The beam with its guide and struts."""
        beam = f"{axle}-axle"
        at = (x + self.wheel_center[0], 0.0, self.wheel_center[2])
        left, right = (mirrored(self.wheel_center, side, x) for side in SIDES.values())
        solid = rod(self.mass, left, right, at, 0.06)
        solid["shapes"] = [bar_shape(left, right, at, 0.04)]
        free = ("rx", "dz") if self.guide == "ideal" else SIX
        a.body(beam, a.carrier, "gimbal", at, free=free, **solid)
        if self.guide == "four-link":
            for side, sign in SIDES.items():
                for link in ("lower", "upper"):
                    p = at_corner(self, sign, x)
                    first, second = (a.carrier, p[f"{link}_body"]), (beam, p[f"{link}_axle"])
                    a.link(f"{axle}-{side}-{link}-link", first, second)
        elif self.guide == "leaf":
            self._leaves(a, axle, beam, x)
        return beam

    def _leaves(self, a: Assembler, axle: str, beam: str, x: float) -> None:
        k = [0.0, self.leaf_wind, 0.0, self.leaf_along, self.leaf_across, 0.0]
        for side, sign in SIDES.items():
            seat = mirrored(
                (self.wheel_center[0], self.strut_low[1], self.wheel_center[2]), sign, x
            )
            name = f"{axle}-{side}-leaf"
            ends = [a.frame(f"{name}.{body}", body, seat) for body in (a.carrier, beam)]
            damping = [self.leaf_time * value for value in k]
            a.builder.bushing(name, *ends, stiffness=k, damping=damping)

    def put_beam_struts(
        self, a: Assembler, name: str, beam: str, side: float, x: float
    ) -> tuple[tuple[str, ...], dict[str, float]]:
        p = at_corner(self, side, x)
        top, low = (a.carrier, p["strut_top"]), (beam, p["strut_low"])
        swing = {f"{beam}.rx": 1.0} if side > 0.0 else {}
        return put_strut(a, f"{name}-strut", top, low, self.strut), swing

    def _corner(
        self, a: Assembler, beam: str, name: str, side: float, x: float, wheel: RoadWheel
    ) -> Corner:
        center = mirrored(self.wheel_center, side, x)
        body = put_wheel(a, name, beam, center, (0.0, 0.0, 0.0), wheel)
        struts, swing = self.put_beam_struts(a, name, beam, side, x)
        return Corner(name, beam, body, side, swing, struts, center, (0.0, 0.0, 0.0))
