"""PID control of single joints: it needs no model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from armillary.errors import InputError
from armillary.evaluate.inputs import Array, as_floats
from armillary.mechanism.mechanism import Mechanism
from armillary.model.arguments import name_arguments
from armillary.scalar import Scalar, where
from armillary.sim.control.block import Block, Scalars, clip, made_for
from armillary.sim.motion.coordinates import (
    argument_units,
    coordinates,
    freedoms,
    per_freedom,
    positive_period,
)
from armillary.sim.motion.trajectories import Constant, Sample, Trajectory

Target = Trajectory | Mapping[str, float] | ArrayLike
Gains = ArrayLike | Mapping[str, float]  # one number, one per joint, or by name

_UNITS = {
    "target": "{x}",
    "kp": "{F}/{x}",
    "ki": "{F}/{x}/s",
    "kd": "{F} s/{x}",
    "limit": "{F}",
    "integral": "{x} s",
}


class PID(Block):
    """u + kp e + ki ∫e dt + kd (v_d - v) at chosen joints, e = q_d - q  [VanDerMerwe1995, 8.1.2].

    target: {"rod1.dx": 0.9, ...}; or a place per chosen joint; or a trajectory of all nv joints,
    or of the chosen ones alone.  Gains: one number, or one per chosen joint (N m/rad, N/m, ...).
    limit: of the force (N m or N); at the limit the integral does not grow further.  integral:
    ∫e at the start (rad s or m s).  `check_setpoints` tells whether set-points of a closed
    mechanism contradict each other."""

    entries: list[int]

    @name_arguments
    def __init__(
        self,
        mechanism: Mechanism,
        target: Target,
        kp: Gains,
        ki: Gains = 0.0,
        kd: Gains = 0.0,
        *,
        joints: Sequence[str] | str | None = None,
        limit: Gains | None = None,
        integral: Gains = 0.0,
        period: float | None = None,
    ):
        if isinstance(target, Mapping) and joints is None:
            joints = list(target)
        self.built_for = made_for(mechanism)
        self.entries = freedoms(mechanism, joints)
        self.places = coordinates(mechanism, self.entries)
        labels = [mechanism.v_labels[i] for i in self.entries]
        self.labels, n = tuple(labels), len(labels)
        self.kp, self.ki, self.kd, self.integral = (
            per_freedom(name, value, n, labels)
            for name, value in (("kp", kp), ("ki", ki), ("kd", kd), ("integral", integral))
        )
        self.limit = None if limit is None else per_freedom("limit", limit, n, labels, 0.0)
        self.target = _target(mechanism, target, self.places, self.labels)
        self.states = tuple(f"{label}.integral" for label in labels)
        self.state_units = tuple(f"{mechanism.v_units[i]} s" for i in self.entries)
        self.period = positive_period(period)
        self.argument_units = {
            **argument_units(mechanism, self.entries, _UNITS),
            "period": "s",
        }

    def start(
        self, mechanism: Mechanism, q: Scalars | None = None, v: Scalars | None = None
    ) -> list[Scalar]:
        return list(self.integral)

    def force(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        forces = list(u)
        for k, (i, (_, wanted)) in enumerate(
            zip(self.entries, self._laws(t, q, v, z), strict=True)
        ):
            if self.limit is not None:
                wanted = clip(wanted, -self.limit[k], self.limit[k])
            forces[i] = forces[i] + wanted
        return forces

    def rate(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        laws = self._laws(t, q, v, z)
        if self.limit is None:
            return [e for e, _ in laws]
        return [
            where(
                wanted > top, clip(e, -np.inf, 0.0), where(wanted < -top, clip(e, 0.0, np.inf), e)
            )
            for (e, wanted), top in zip(laws, self.limit, strict=True)
        ]

    def _laws(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars) -> list[tuple[Scalar, Scalar]]:
        """Error and force, before the limit, of every chosen joint."""
        q_d, v_d, _ = target_at(self.target, t)
        laws = []
        for k, (i, place) in enumerate(zip(self.entries, self.places, strict=True)):
            e = q_d[k] - q[place]
            rate = v_d[k] - v[i]
            laws.append((e, self.kp[k] * e + self.ki[k] * z[k] + self.kd[k] * rate))
        return laws


# -- targets -------------------------------------------------------------------------------------


class _Chosen(Trajectory):
    """Some joints of a trajectory of all."""

    def __init__(self, whole: Trajectory, places: Sequence[int], entries: Sequence[int]):
        self.whole, self.places, self.entries = whole, list(places), list(entries)
        self.start, self.end = whole.start, whole.end

    def _at(self, t: Array, side: str) -> Sample:
        q, v, a = self.whole(t, side)
        return Sample(q[:, self.places], v[:, self.entries], a[:, self.entries])

    def scalars(self, t: Scalar) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
        q, v, a = target_at(self.whole, t)
        return (
            [q[i] for i in self.places],
            [v[i] for i in self.entries],
            [a[i] for i in self.entries],
        )


def _target(
    mechanism: Mechanism, target: Target, places: Sequence[int], labels: Sequence[str]
) -> Trajectory:
    if isinstance(target, Mapping):
        missing = [label for label in labels if label not in target]
        if missing:
            raise InputError(f"target: no set-point for {', '.join(missing)}.")
        return Constant(per_freedom("target", dict(target), len(labels), labels))
    entries = [mechanism.v_labels.index(label) for label in labels]
    if isinstance(target, Trajectory):
        count = target(target.start).q.shape[-1]
        if count == len(labels) and count != mechanism.nq:
            return target
        if count == mechanism.nq:
            return _Chosen(target, places, entries)
        raise InputError(
            f"target: a trajectory of {len(labels)} (chosen) or {mechanism.nq} (all) "
            f"joints is needed, found {count}."
        )
    array = as_floats("target", target)
    if not np.isfinite(array).all():
        raise InputError(f"target: expected finite set-points, found {array.tolist()}.")
    if array.shape == (len(labels),):
        return Constant(array)
    if array.shape == (mechanism.nq,):
        return Constant(array[list(places)])
    raise InputError(
        f"target: expected {len(labels)} set-points ({', '.join(labels)}), "
        f"found shape {array.shape}."
    )


def target_at(target: Trajectory, t: Scalar) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
    """Lists of q, v, a at a time of any kind; only polynomials take other kinds than floats."""
    if hasattr(target, "scalars"):
        q, v, a = target.scalars(t)
        return q, v, a
    q, v, a = target(t)
    return list(q), list(v), list(a)
