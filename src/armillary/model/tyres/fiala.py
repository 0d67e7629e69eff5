"""Fiala's tyre, with the friction that falls with slip of multibody programs."""

from __future__ import annotations

from dataclasses import dataclass

from armillary.errors import ModelError
from armillary.model.numbered import quantity
from armillary.model.tyres.simple import SlopedTyre
from armillary.model.tyres.tyre_model import Slip, size_of
from armillary.scalar import Scalar, where


@dataclass(frozen=True, kw_only=True)
class Fiala(SlopedTyre):
    """Fiala's tyre  [Fiala 1954; in the form of Adams/Tire].  Friction falls from mu at rest to
    mu_sliding at a comprehensive slip of 1: U = mu - (mu - mu_sliding) √(κ² + tan² α).

        F_x = longitudinal κ                            for |κ| < U F_z / (2 longitudinal)
            = ±(U F_z - (U F_z)² / (4 |κ| longitudinal))                beyond
        F_y = -U F_z (1 - H³) sgn α,   H = 1 - cornering |tan α| / (3 U F_z), 0 beyond
        M_z = U F_z width (1 - H) H³ sgn α

    Camber adds to the slip; both forces together are bounded by U F_z."""

    mu_sliding: float = quantity(0.9, "1", "friction at a slip of 1")
    width: float = quantity(0.1, "m", "lever of the aligning moment")

    def check(self, part: str) -> None:
        super().check(part)
        self.refuse_negative(part, "mu_sliding", "width")
        if self.mu_sliding > self.mu:
            raise ModelError(
                f"{part}: mu_sliding is {self.mu_sliding:g}, more than mu, {self.mu:g}."
            )

    def _friction(self, s: Slip) -> Scalar:
        """U F_z, N; from slips beyond 1 on that of sliding."""
        slip = size_of(s.kappa, s.tan_alpha)
        slip = where(slip < 1, slip, 1.0)
        limit = (self.mu - (self.mu - self.mu_sliding) * slip) * s.mu * s.fz
        return where(limit > 1e-6, limit, 1e-6)

    def _turn(self, s: Slip, limit: Scalar) -> tuple[Scalar, Scalar]:
        """H, and the sign of the slip with camber."""
        x = s.tan_alpha + self.camber_stiffness / self.cornering * s.camber
        h = 1.0 - self.cornering * abs(x) / (3.0 * limit)
        return where(h > 0, h, 0.0), where(x > 0, 1.0, where(x < 0, -1.0, 0.0))

    def steady(self, s: Slip) -> tuple[Scalar, Scalar]:
        limit = self._friction(s)
        linear = self.longitudinal * s.kappa
        sliding = where(2.0 * abs(linear) > limit, abs(linear), limit)
        beyond = limit - limit * limit / (4.0 * sliding)
        fx = where(2.0 * abs(linear) < limit, linear, where(linear > 0, beyond, -beyond))
        h, sign = self._turn(s, limit)
        fy = -(limit * (1.0 - h * h * h) * sign)
        size = size_of(fx, fy)
        share = where(self.grip(s.fz, s.mu) > 1e-6, where(size > limit, limit / size, 1.0), 0.0)
        return fx * share, fy * share

    def moments(self, s: Slip, fx: Scalar, fy: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        limit = self._friction(s)
        h, sign = self._turn(s, limit)
        mz = limit * self.width * (1.0 - h) * (h * h * h) * sign
        return 0, self.resisting(s), where(s.fz > 0, mz, 0.0)
