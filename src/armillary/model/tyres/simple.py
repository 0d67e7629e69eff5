"""Tyres by a few numbers: linear up to friction, and the brush."""

from __future__ import annotations

from dataclasses import dataclass

from armillary.model.numbered import quantity
from armillary.model.tyres.tyre_model import Slip, TyreModel, brush_share, size_of
from armillary.scalar import Scalar, where


@dataclass(frozen=True, kw_only=True)
class SlopedTyre(TyreModel):
    """Tyres with given slopes at no slip, and friction.

    Forces without friction (longitudinal κ, -cornering tan α - camber_stiffness γ) are scaled to
    the share that friction lets through; mu: at the friction 1 of a road."""

    longitudinal: float = quantity(1e5, "N", "longitudinal force per slip ratio")
    cornering: float = quantity(6e4, "N/rad", "lateral force per slip angle")
    camber_stiffness: float = quantity(2e3, "N/rad", "lateral force per camber")
    mu: float = quantity(1.0, "1", "friction, on a road of friction 1")
    trail: float = quantity(0.03, "m", "pneumatic trail at no slip")

    def check(self, part: str) -> None:
        super().check(part)
        self.refuse_not_positive(part, "longitudinal", "cornering")
        self.refuse_negative(part, "camber_stiffness", "mu")

    def slopes(self, fz: Scalar, camber: Scalar, mu: Scalar) -> tuple[Scalar, Scalar]:
        return self.longitudinal, self.cornering

    def nominal_slopes(self) -> tuple[Scalar, Scalar]:
        return self.longitudinal, self.cornering

    def grip(self, fz: Scalar, mu: Scalar) -> Scalar:
        return self.mu * mu * fz

    def _without_friction(self, s: Slip) -> tuple[Scalar, Scalar, Scalar]:
        """Both forces, and their size over that of friction."""
        fx = self.longitudinal * s.kappa
        fy = -(self.cornering * s.tan_alpha + self.camber_stiffness * s.camber)
        limit = self.grip(s.fz, s.mu)
        return fx, fy, size_of(fx, fy) / where(limit > 1e-6, limit, 1e-6)

    def steady(self, s: Slip) -> tuple[Scalar, Scalar]:
        fx, fy, x = self._without_friction(s)
        share = where(self.grip(s.fz, s.mu) > 1e-6, self.friction_share(x), 0.0)
        return fx * share, fy * share

    def moments(self, s: Slip, fx: Scalar, fy: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        return 0, self.resisting(s), -(self.trail_at(s) * fy)

    def trail_at(self, s: Slip) -> Scalar:
        return self.trail


@dataclass(frozen=True, kw_only=True)
class Linear(SlopedTyre):
    """Forces in proportion to the slips, up to the circle (or ellipse) of friction."""

    def friction_share(self, x: Scalar) -> Scalar:
        return where(x < 1, 1.0, 1.0 / where(x < 1, 1.0, x))


@dataclass(frozen=True, kw_only=True)
class Brush(SlopedTyre):
    """Bristles on a parabolic pressure  [Pacejka, Tire and Vehicle Dynamics, ch. 3]: with the
    force without friction over friction, x,

        F = μ F_z (x - x²/3 + x³/27)   for x < 3, then μ F_z
        trail = trail₀ (1 - x/3)³ / (1 - x/3 + x²/27)

    and slips relative to the speed of rolling: σ_x = κ/(1 + κ), σ_y = tan α/(1 + κ)."""

    reference = "rolling"

    def trail_at(self, s: Slip) -> Scalar:
        _, _, x = self._without_friction(s)
        h = where(x < 3, 1.0 - x * (1.0 / 3.0), 0.0)
        return self.trail * (h * h * h) / brush_share(x)
