"""Where the bodies of a run are: which of its instants a page shows, and the poses there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.errors import InputError
from armillary.mechanism.mechanism import Mechanism
from armillary.model.constraint_parts import Wheel
from armillary.sim.record.run_data import RunData
from armillary.viewer.places import Array, continuous, quaternions

FPS = 60.0  # pictures per second that a page keeps of a run
MOST = 1_200_000  # bodies times instants: a page of some MB
_FAR = 1e15  # m: beyond this nothing can be drawn in single precision
_BLOCK = 2048  # states at a time


@dataclass(frozen=True)
class Motion:
    """Poses of all bodies at the instants of a page."""

    time: Array  # (T,)
    rows: NDArray[np.intp]  # numbers of these instants in the run
    R: Array  # (T, bodies, 3, 3)
    p: Array  # (T, bodies, 3)

    def points(self, body: int, at: Array) -> Array:
        """(T, 3): a point of a body in the world; at: in the body's frame, (3,) or (T, 3)."""
        if body < 0:
            return np.broadcast_to(at, (len(self.time), 3))
        return self.p[:, body] + np.einsum(
            "tij,tj->ti", self.R[:, body], np.broadcast_to(at, (len(self.time), 3))
        )

    def columns(self) -> Array:
        """(T, bodies, 7): position and quaternion x, y, z, w, without jumps of sign."""
        return np.concatenate([self.p, continuous(quaternions(self.R))], axis=-1)


def of_state(mechanism: Mechanism, q: Array) -> Motion:
    """The poses of one state."""
    R, p = poses(mechanism, q[None])
    return Motion(np.zeros(1), np.zeros(1, np.intp), R, p)


def of_run(
    mechanism: Mechanism, run: RunData, member: int, fps: float | None
) -> tuple[Motion, list[str]]:
    """The poses of a run at the instants that a page shows, and remarks on what it leaves out.

    member: which run of a batch.  fps: pictures per second; None: as many as a page should hold."""
    q = positions(mechanism, run, member)
    finite = np.flatnonzero(np.isfinite(q).all(axis=1) & np.isfinite(run.time))
    if not len(finite):
        raise InputError(
            "animate: no instant of the run has finite positions, so there is nothing to see. "
            f"Its message: {run.message or 'none'}."
        )
    notes = []
    if len(finite) < len(q):
        lost = len(q) - len(finite)
        notes.append(f"{lost} of {len(q)} instants are left out: positions that are no numbers.")
    chosen = finite[_shown(run.time[finite], len(mechanism.bodies), fps)]
    R, p = poses(mechanism, q[chosen])
    seen = (np.abs(p) < _FAR).all(axis=(1, 2)) & np.isfinite(R).all(axis=(1, 2, 3))
    if not seen.any():
        raise InputError("animate: the bodies are too far away to be drawn at every instant.")
    if not seen.all():
        notes.append(f"{int((~seen).sum())} instants are left out: bodies are too far away.")
    if len(chosen) < len(finite):
        notes.append(
            f"{len(chosen)} of {len(finite)} recorded instants are shown; least and greatest "
            "values are those of all (fps= keeps more)."
        )
    return Motion(run.time[chosen][seen], chosen[seen], R[seen], p[seen]), notes


def positions(mechanism: Mechanism, run: RunData, member: int) -> Array:
    """q (T, nq) of one run, checked against the mechanism."""
    if not isinstance(mechanism, Mechanism):
        raise InputError(f"animate: expected a mechanism, found {mechanism!r:.60}.")
    if not len(run):
        raise InputError("run: it holds no instant; there is nothing to see.")
    if "q" not in run:
        raise InputError(
            "animate: the run has no positions. Record them: simulate(..., record=('q', ...))."
        )
    if tuple(run.labels["q"]) != mechanism.q_labels:
        raise InputError(
            f"animate: the run is not one of '{mechanism.name}': expected the coordinates "
            f"{_few(mechanism.q_labels)}, found {_few(run.labels['q'])}."
        )
    return member_of(run, run["q"], member)


def member_of(run: RunData, values: Array, member: int) -> Array:
    """The numbers of one run of a batch; of a single run all."""
    if run.batch is None:
        return values
    if not -run.batch <= member < run.batch:
        raise InputError(
            f"animate: member is the number of a run of the batch, 0 to {run.batch - 1}; "
            f"found {member}."
        )
    return values[:, member]


def _few(labels: tuple[str, ...]) -> str:
    return ", ".join(labels[:8]) + (f", ... ({len(labels)})" if len(labels) > 8 else "")


def _shown(time: Array, bodies: int, fps: float | None) -> NDArray[np.intp]:
    """Numbers of the instants nearest to evenly spaced pictures, the first and the last too."""
    most = max(MOST // max(bodies, 1), 2)
    if fps is not None:
        if not (isinstance(fps, int | float) and np.isfinite(fps) and fps > 0.0):
            raise InputError(f"animate: fps is a number greater than 0, found {fps!r}.")
        most = len(time)
    span = float(time[-1] - time[0])
    wanted = min(int(np.ceil(span * (fps or FPS))) + 1, most)
    if wanted >= len(time):
        return np.arange(len(time))
    wishes = np.linspace(time[0], time[-1], max(wanted, 2))
    after = np.clip(np.searchsorted(time, wishes), 1, len(time) - 1)
    nearer = wishes - time[after - 1] < time[after] - wishes
    return np.unique(np.concatenate([[0], after - nearer, [len(time) - 1]]))


def poses(mechanism: Mechanism, q: Array) -> tuple[Array, Array]:
    """Rotations (S, bodies, 3, 3) and origins (S, bodies, 3) of many states, block by block."""
    parts = [mechanism.poses(q[k : k + _BLOCK]) for k in range(0, len(q), _BLOCK)]
    R, p = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
    return R, p


def contact_points(mechanism: Mechanism, motion: Motion, wheel: Wheel) -> Array:
    """(T, 3) in the world: where a wheel touches its ground."""
    index = mechanism.model.index
    hub, ground = index[wheel.body], index[wheel.ground]
    zero, normal, axle = np.zeros(3), np.array(wheel.normal), np.array(wheel.axis)
    n = motion.points(ground, normal) - motion.points(ground, zero)
    a = motion.points(hub, axle) - motion.points(hub, zero)
    a /= np.linalg.norm(a, axis=1, keepdims=True)
    down = -n
    if wheel.kind == "disc":  # the lowest point of the rim
        down = down - np.sum(down * a, axis=1, keepdims=True) * a
        length = np.linalg.norm(down, axis=1, keepdims=True)
        down = np.where(length > 1e-9, down / np.maximum(length, 1e-9), -n)
    return motion.points(hub, np.array(wheel.center)) + wheel.radius * down
