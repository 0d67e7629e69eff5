"""Colours of pages and pictures: told apart by the colour-blind [Okabe and Ito], calm on white."""

from __future__ import annotations

from armillary.viewer.schema import Color

PALETTE: tuple[Color, ...] = (
    (0.22, 0.45, 0.69, 1.0),  # blue
    (0.90, 0.62, 0.13, 1.0),  # orange
    (0.13, 0.58, 0.47, 1.0),  # green
    (0.78, 0.47, 0.63, 1.0),  # pink
    (0.40, 0.68, 0.88, 1.0),  # sky
    (0.80, 0.37, 0.18, 1.0),  # red
)
PLAIN: Color = (0.66, 0.71, 0.77, 1.0)  # shapes without a colour
DARK: Color = (0.20, 0.23, 0.28, 1.0)  # joints
GROUND: Color = (0.72, 0.74, 0.77, 1.0)
WHEEL: Color = (0.27, 0.29, 0.33, 1.0)
SPRING: Color = (0.36, 0.40, 0.46, 1.0)
DAMPER: Color = (0.62, 0.55, 0.38, 1.0)
CABLE: Color = (0.45, 0.34, 0.22, 1.0)
RUBBER: Color = (0.15, 0.15, 0.17, 1.0)
COM: Color = (0.95, 0.77, 0.06, 1.0)
INERTIA: Color = (0.45, 0.35, 0.72, 0.22)


def body_color(number: int) -> Color:
    return PALETTE[number % len(PALETTE)]
