"""External forces from measured motion, without accelerations: the momentum observer.

The generalised momentum p = M(q) v obeys, with external joint forces tau_e (J^T of contacts),

    dp/dt = tau + u + tau_e,      u = C(q, v)^T v + C(q, v) v - h(q, v)     (dM/dt = C + C^T)

h: bias forces (gravity, velocity, friction and springs of the model).  The observer

    r = K [ p - p(0) - ∫ (tau + u + r) dt ]      so that      dr/dt = K (tau_e - r)

follows tau_e with the lag 1/K and needs no acceleration [De Luca and Mattone 2003].  With the state
z = r - K p it is dz/dt = -K (tau + u + r).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armillary.algorithms.passes import Algorithm
from armillary.algorithms.tree.coriolis import coriolis_matrix
from armillary.algorithms.tree.inverse_dynamics import bias_forces
from armillary.algorithms.tree.mass_matrix import mass_matrix
from armillary.errors import InputError, unknown_name
from armillary.evaluate.inputs import Array
from armillary.graph.expr import Node
from armillary.mechanism.mechanism import Mechanism
from armillary.scalar import Scalar, dot
from armillary.shown import shown
from armillary.sim.control.block import Block, Scalars, made_for
from armillary.sim.motion.coordinates import per_freedom
from armillary.studies.identification.filtering import filter_for, motion_of
from armillary.studies.identification.logs import Data, Log, read_logs

WRENCH = ("nx", "ny", "nz", "fx", "fy", "fz")
_SINGULAR = 1e-3  # of the largest singular value of the chosen rows of the Jacobian


def _refuse(mechanism: Mechanism, what: str) -> None:
    if mechanism.constraints:
        raise InputError(
            f"{what}: '{mechanism.name}' is closed, and the momentum observer is known for open "
            "trees. Observe its tree with the forces of the constraints, or compare tau with "
            "mechanism.inverse_dynamics(q, v, a)."
        )
    if mechanism.model.load_dependent_joints:
        joint = mechanism.model.load_dependent_joints[0]
        raise InputError(
            f"{what}: friction of joint '{joint}' depends on its "
            "load, which is not known before the external force. Take it out of the model."
        )
    if any(mechanism.model.base_velocity) or any(mechanism.model.base_acceleration):
        raise InputError(f"{what}: the base of '{mechanism.name}' moves; give it a joint.")


def _gains(mechanism: Mechanism, gain: ArrayLike | Mapping[str, float], what: str) -> list[float]:
    found = per_freedom("gain", gain, mechanism.nv, mechanism.v_labels, 0.0)
    if not all(found):
        raise InputError(f"{what}: gain: expected positive rates (1/s), found {found}.")
    return found


# -- in a simulation -----------------------------------------------------------------------------


class MomentumObserver(Block):
    """External joint forces (nv) as a signal `external_force`, inside a simulation.

    gain: 1/s, of all joints or by name; 1/gain is the lag.  It stands behind the controllers whose
    forces it hears: controller=[PID(...), MomentumObserver(arm, 50.0)].  Forces of actuators and
    `inputs=` come later and are external to it; give actuators=[..., MomentumObserver(...)] to hear
    actuators.  record="external_force" records it."""

    def __init__(self, mechanism: Mechanism, gain: ArrayLike | Mapping[str, float]):
        _refuse(mechanism, "MomentumObserver")
        self.mechanism, self.built_for = mechanism, made_for(mechanism)
        self.gain = _gains(mechanism, gain, "MomentumObserver")
        self.states = tuple(f"{label}.observer" for label in mechanism.v_labels)
        self.entries = ()  # it drives nothing
        units = {"rad": "N m", "m": "N"}
        self.state_units = tuple(units[unit] for unit in mechanism.v_units)

    def start(
        self, mechanism: Mechanism, q: Scalars | None = None, v: Scalars | None = None
    ) -> list[Scalar]:
        """r = 0: z = -K p."""
        if q is None or v is None:
            return [0.0] * len(self.states)
        return [-k * x for k, x in zip(self.gain, self._momentum(q, v), strict=True)]

    def force(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        return list(u)

    def rate(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        r = self._residual(q, v, z)
        known = self._velocity_forces(q, v)
        return [-k * (x + y + own) for k, x, y, own in zip(self.gain, u, known, r, strict=True)]

    def signals(
        self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars
    ) -> dict[str, list[Scalar]]:
        return {"external_force": self._residual(q, v, z)}

    def _residual(self, q: Scalars, v: Scalars, z: Scalars) -> list[Scalar]:
        p = self._momentum(q, v)
        return [own + k * x for own, k, x in zip(z, self.gain, p, strict=True)]

    def _momentum(self, q: Scalars, v: Scalars) -> list[Scalar]:
        M = self._asked(mass_matrix, "M", q=list(q))
        return [dot(row, v) for row in M]

    def _velocity_forces(self, q: Scalars, v: Scalars) -> list[Scalar]:
        """u = C^T v + C v - h."""
        C = self._asked(coriolis_matrix, "C", q=list(q), v=list(v))
        h = self._asked(bias_forces, "tau", q=list(q), v=list(v))
        n = range(len(h))
        return [dot([C[j][i] for j in n], v) + dot([C[i][j] for j in n], v) - h[i] for i in n]

    def _asked(self, algorithm: Algorithm, result: str, **inputs: list[Scalar]) -> list[Scalar]:
        """An algorithm over whatever scalars the loop has: nodes, floats or columns of a batch."""
        evaluator = self.mechanism.evaluator
        traced = any(isinstance(x, Node) for numbers in inputs.values() for x in numbers)
        ask = evaluator.inlined if traced else evaluator.interpret
        return list(ask(algorithm, inputs).result(result))


# -- over recorded data --------------------------------------------------------------------------


@shown
@dataclass(frozen=True)
class ObservedForces:
    """External joint forces over time (T, nv), N m or N, as the observer of `gain` (1/s) sees
    them."""

    mechanism: Mechanism
    time: Array
    q: Array
    forces: Array
    gain: tuple[float, ...]

    def wrench(
        self,
        frame: str,
        components: Sequence[str] = WRENCH,
        coordinates: str = "world_aligned",
    ) -> Array:
        """The wrench (T, components) at a frame that has these joint forces: J^T w = r.

        components: those that act there, of nx, ny, nz (N m), fx, fy, fz (N); the others count as
        zero.  coordinates: "world_aligned", "local" or "world".  Of more joints than components the
        nearest; instants at which the joints do not tell them apart are NaN."""
        rows = []
        for name in [components] if isinstance(components, str) else components:
            if name not in WRENCH:
                raise unknown_name("component of a wrench", name, WRENCH)
            rows.append(WRENCH.index(name))
        J = self.mechanism.jacobian(self.q, frame, coordinates=coordinates)[:, rows]
        s = np.linalg.svd(J * self._scale()[rows][:, None], compute_uv=False)
        good = s[:, -1] > _SINGULAR * s[:, 0] if len(rows) <= J.shape[2] else np.zeros(len(J), bool)
        if not good.any():
            raise InputError(
                f"wrench: the {J.shape[2]} joint forces of '{self.mechanism.name}' do not tell "
                f"{', '.join(WRENCH[k] for k in rows)} at '{frame}' apart. Name fewer components: "
                "components=('fx', 'fz')."
            )
        found = np.full((len(J), len(rows)), np.nan)
        for k in np.flatnonzero(good):
            found[k] = np.linalg.lstsq(J[k].T, self.forces[k], rcond=None)[0]
        return found

    def _scale(self) -> Array:
        """(6,) moments count as forces at a lever of the machine's size."""
        reach = [np.linalg.norm(body.at.position) for body in self.mechanism.model.bodies]
        size = float(max(reach, default=0.0)) or 1.0
        return np.array([1.0] * 3 + [1.0 / size] * 3)

    def column(self, label: str) -> Array:
        """(T,) at one coordinate."""
        labels = self.mechanism.v_labels
        if label not in labels:
            raise unknown_name("joint", label, labels)
        return np.asarray(self.forces[:, labels.index(label)])

    def __str__(self) -> str:
        lag = ", ".join(f"{1e3 / k:.3g}" for k in dict.fromkeys(self.gain))
        lines = [
            f"external joint forces of '{self.mechanism.name}', {len(self.time)} instants, t = "
            f"{self.time[0]:g} to {self.time[-1]:g} s; lag {lag} ms",
            f"{'joint':16s} {'least':>10s} {'greatest':>10s} {'RMS':>10s}  unit",
        ]
        for k, label in enumerate(self.mechanism.v_labels):
            x = self.forces[:, k]
            unit = "N m" if self.mechanism.v_units[k] == "rad" else "N"
            size = np.sqrt(np.mean(x * x))
            lines.append(f"{label:16s} {x.min():10.4g} {x.max():10.4g} {size:10.4g}  {unit}")
        return "\n".join(lines)


def observe_forces(
    mechanism: Mechanism,
    data: Data,
    gain: ArrayLike | Mapping[str, float] = 50.0,
    *,
    cutoff: float | None = None,
) -> ObservedForces:
    """External joint forces from recorded q, v and tau: what none of the model's own forces and tau
    explain.  dr/dt = K (tau_e - r), with r = 0 at the first instant.

    data: as `identify` takes it, with tau of every joint; v is found from q where it is not there
    (then, or with a cutoff in Hz, behind a zero-phase filter).  gain K: 1/s, for all joints or by
    name."""
    _refuse(mechanism, "observe_forces")
    rates = np.array(_gains(mechanism, gain, "observe_forces"))
    (log,) = read_logs(mechanism, data)
    _refuse_missing(mechanism, log)
    given = (
        log
        if log.v is None
        else Log(
            log.time,
            log.q,
            log.v,
            np.zeros_like(log.v),
            log.effort,
            log.entries,
            log.kind,
            log.name,
        )
    )
    smooth = filter_for(given, cutoff)
    motion = motion_of(mechanism, given, smooth)
    q, v, tau = motion.q, motion.v, smooth.motion(log.effort)
    p = np.einsum("tij,tj->ti", mechanism.mass_matrix(q), v)
    C = mechanism.coriolis_matrix(q, v)
    u = np.einsum("tji,tj->ti", C, v) + np.einsum("tij,tj->ti", C, v) - mechanism.bias_forces(q, v)
    r = _observed(log.time, p, tau + u, rates)
    return ObservedForces(mechanism, log.time, q, r, tuple(rates.tolist()))


def _refuse_missing(mechanism: Mechanism, log: Log) -> None:
    missing = [x for k, x in enumerate(mechanism.v_labels) if k not in log.entries]
    if log.kind != "tau" or missing:
        raise InputError(
            f"{log.name}: the observer needs the forces of all joints, columns tau.JOINT; missing "
            f"are {', '.join(missing) or 'all: currents are given'}. Joints without a drive: zeros."
        )


def _observed(t: Array, p: Array, w: Array, K: Array) -> Array:
    """r (T, n) with dz/dt = -K z - K (w + K p), r = z + K p, exact for w and p linear between
    instants."""
    x = -(w + K * p)  # dz/dt = K (x - z)
    z = np.empty_like(p)
    z[0] = -K * p[0]
    for k, h in enumerate(np.diff(t)):
        E = np.exp(-K * h)
        mean = -np.expm1(-K * h) / (K * h)  # ∫ of E over the step
        z[k + 1] = E * z[k] + (mean - E) * x[k] + (1.0 - mean) * x[k + 1]
    return z + K * p
