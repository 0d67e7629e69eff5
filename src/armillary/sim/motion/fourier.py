"""Finite Fourier series as a trajectory: smooth, periodic, bounded by their coefficients.

    q(t) = c + Σ_k [ a_k sin(k ω τ) - b_k cos(k ω τ) ] / (k ω),     τ = t - start,  ω = 2 π / period
    v(t) =     Σ_k [ a_k cos(k ω τ) + b_k sin(k ω τ) ]              [Swevers et al. 1997]
    a(t) =     Σ_k [ b_k cos(k ω τ) - a_k sin(k ω τ) ] k ω

It begins and ends at rest where Σ a_k = 0, and without a jerk where Σ k b_k = 0.
"""

from __future__ import annotations

from math import pi

import numpy as np
from numpy.typing import ArrayLike

from armillary.errors import InputError
from armillary.evaluate.inputs import Array
from armillary.scalar import Scalar, cos, sin, where
from armillary.sim.motion.trajectories import Sample, Trajectory


class Fourier(Trajectory):
    """center (n,), rad or m; sines a and cosines b (harmonics, n), rad/s or m/s; `periods` of
    `period` (s) each.  Before and after it stands still."""

    def __init__(
        self,
        center: ArrayLike,
        sines: ArrayLike,
        cosines: ArrayLike,
        period: float,
        periods: int = 1,
        start: float = 0.0,
    ):
        self.center = np.atleast_1d(np.asarray(center, float))
        self.sines, self.cosines = (np.atleast_2d(np.asarray(x, float)) for x in (sines, cosines))
        if self.sines.shape != self.cosines.shape or self.sines.shape[1:] != self.center.shape:
            raise InputError(
                f"Fourier: expected sines and cosines (harmonics, {len(self.center)}), found "
                f"{self.sines.shape} and {self.cosines.shape}."
            )
        if not period > 0.0 or periods < 1:
            raise InputError(f"Fourier: expected a positive period, found {period} s x {periods}.")
        self.period, self.periods = float(period), int(periods)
        self.start, self.end = float(start), float(start) + self.period * self.periods

    @property
    def harmonics(self) -> int:
        return len(self.sines)

    @property
    def base_frequency(self) -> float:
        """ω, rad/s."""
        return 2.0 * pi / self.period

    def column(self, k: int) -> Fourier:
        """The motion of one coordinate."""
        own = slice(k, k + 1)
        return Fourier(
            self.center[own],
            self.sines[:, own],
            self.cosines[:, own],
            self.period,
            self.periods,
            self.start,
        )

    def _at(self, t: Array, side: str) -> Sample:
        tau = np.clip(t, self.start, self.end) - self.start
        k = self.base_frequency * np.arange(1, self.harmonics + 1)
        s, c = np.sin(np.outer(tau, k)), np.cos(np.outer(tau, k))
        q = self.center + (s / k) @ self.sines - (c / k) @ self.cosines
        v = c @ self.sines + s @ self.cosines
        a = (c * k) @ self.cosines - (s * k) @ self.sines
        moving = ((t >= self.start) & (t <= self.end))[:, None]
        return Sample(q, np.where(moving, v, 0.0), np.where(moving, a, 0.0))

    def scalars(self, t: Scalar) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
        """The same for a time of any scalar kind: lists of q, v, a."""
        before, after = t < self.start, t > self.end
        tau = where(before, 0.0, where(after, self.end - self.start, t - self.start))
        q: list[Scalar] = [float(x) for x in self.center]
        v: list[Scalar] = [0.0] * len(q)
        a: list[Scalar] = [0.0] * len(q)
        for n, (sines, cosines) in enumerate(zip(self.sines, self.cosines, strict=True), start=1):
            k = n * self.base_frequency
            s, c = sin(k * tau), cos(k * tau)
            for j, (x, y) in enumerate(zip(sines.tolist(), cosines.tolist(), strict=True)):
                q[j] = q[j] + (x / k) * s - (y / k) * c
                v[j] = v[j] + x * c + y * s
                a[j] = a[j] + (y * k) * c - (x * k) * s
        still = [[where(before, 0.0, where(after, 0.0, x)) for x in xs] for xs in (v, a)]
        return q, still[0], still[1]
