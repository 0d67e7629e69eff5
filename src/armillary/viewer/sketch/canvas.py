"""From the world to the pixels of a picture."""

from __future__ import annotations

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.viewer.sketch.camera import View

MARGIN, FOOT = 50.0, 62.0  # pixels around; below, where axes and scale stand


class Canvas:
    """From the world to pixels."""

    def __init__(self, view: View, points: Array, width: float, height: float):
        self.view, self.width, self.height = view, width, height
        flat = view.flat(points)
        low, high = flat.min(axis=0), flat.max(axis=0)
        spread = np.maximum(high - low, 1e-12)
        room = np.array([width - 2.0 * MARGIN, height - MARGIN - FOOT])
        self.scale = float((room / spread).min())  # pixels per metre
        if not np.isfinite(self.scale) or (high - low).max() < 1e-9:
            self.scale = 200.0
        self.middle = (low + high) / 2.0

    def at(self, point: Array) -> Array:
        """Pixels of a point (3,) or of points (n, 3)."""
        flat = (self.view.flat(point) - self.middle) * self.scale
        return flat * (1.0, -1.0) + (self.width / 2.0, (self.height + MARGIN - FOOT) / 2.0)

    def along(self, directions: Array) -> Array:
        """How unit vectors look: (n, 3) to (n, 2), y down."""
        return self.view.flat(directions) * (1.0, -1.0)
