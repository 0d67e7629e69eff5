"""Torsion springs and bushings that pass half a turn in a run.

Their angle is known up to whole turns, so that their moment jumps there from one side to the other,
and so does their energy.  A run goes on, and says so."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.model.elements.element import ForceElement
from armillary.model.elements.turning import Bushing, TorsionSpring
from armillary.model.parts import WORLD, Frame

_WHY = (
    ": its moment and energy jump there, as it knows no whole turns. The spring of a joint "
    "(Passive) counts them"
)


class HalfTurns:
    """Looks at one block of a recording after the other."""

    def __init__(self) -> None:
        self._last: Array | None = None  # q at the end of the block before

    def passed(
        self, mechanism: Mechanism, time: Array, q: Array
    ) -> Iterator[tuple[str, float, str]]:
        """Element, time and remark where one first passes half a turn, to within the recorded
        instants; time (T,), q (T, nq) or (T, B, nq)."""
        turning = [part for part in mechanism.model.elements if _has_moment(part)]
        if not turning or not len(q):
            return
        before, self._last = self._last, q[-1].copy()
        if before is not None and before.shape == q.shape[1:]:
            q, time = np.concatenate([before[None], q]), np.r_[time[0], time]
        for part in turning:
            angles = _angles(mechanism, part, q.reshape(-1, q.shape[-1]))
            angles = angles.reshape(len(q), -1, angles.shape[-1])  # (T, B, 1 or 3)
            far = np.linalg.norm(np.diff(angles, axis=0), axis=-1) > np.pi
            if far.any():
                k, row = (int(x[0]) for x in np.nonzero(far))
                of = f" in run {row}" if q.ndim == 3 else ""
                yield part.name, float(time[k + 1]), f"{part.title} passed half a turn{of}{_WHY}"


def _has_moment(part: ForceElement) -> bool:
    """Does it depend on an angle between frames?"""
    law = part.law
    if isinstance(law, TorsionSpring):
        return bool(law.stiffness)
    return isinstance(law, Bushing) and any(any(x[:3]) for x in (*law.stiffness, law.preload))


def _angles(mechanism: Mechanism, part: ForceElement, q: Array) -> Array:
    """(S, 1): of a torsion spring about its axis; (S, 3): rotation vectors of a bushing."""
    one, two = (_rotation(mechanism, end, q) for end in part.ends)
    R = np.swapaxes(one, -1, -2) @ two
    V = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], -1)
    trace = np.trace(R, axis1=1, axis2=2)
    if isinstance(part.law, TorsionSpring):
        return 2.0 * np.arctan2(V @ np.array(part.law.axis), 1.0 + trace)[:, None]
    sine = np.linalg.norm(V, axis=-1)
    angle = np.arctan2(sine, trace - 1.0)
    return np.asarray(V * (angle / np.where(sine > 0.0, sine, 1.0))[:, None])


def _rotation(mechanism: Mechanism, end: Frame, q: Array) -> Array:
    """(S, 3, 3) of an end in the world."""
    own = np.array(end.pose.rotation)
    if end.body == WORLD:
        return np.broadcast_to(own, (len(q), 3, 3))
    return np.asarray(mechanism.pose(q, end.body)[0] @ own)
