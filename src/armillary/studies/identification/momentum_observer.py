"""External forces from measured motion, without accelerations: the momentum observer.

The generalised momentum p = M(q) v obeys, with external joint forces tau_e (J^T of contacts),

    dp/dt = tau + u + tau_e,      u = C(q, v)^T v + C(q, v) v - h(q, v)     (dM/dt = C + C^T)

h: bias forces (gravity, velocity, friction and springs of the model).  The observer

    r = K [ p - p(0) - ∫ (tau + u + r) dt ]      so that      dr/dt = K (tau_e - r)

follows tau_e with the lag 1/K and needs no acceleration [De Luca and Mattone 2003].  With the state
z = r - K p it is dz/dt = -K (tau + u + r).  Of a closed mechanism the same holds along the motions
that its constraints allow (closed_momentum.py): r then follows Q tau_e.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armillary.algorithms.interpreter import Run
from armillary.algorithms.passes import Algorithm
from armillary.algorithms.tree.coriolis import coriolis_matrix
from armillary.algorithms.tree.inverse_dynamics import bias_forces
from armillary.algorithms.tree.mass_matrix import mass_matrix
from armillary.errors import InputError, unknown_name
from armillary.evaluate.compile_function import NotNative
from armillary.evaluate.inputs import Array
from armillary.graph.expr import Node
from armillary.mechanism.mechanism import Mechanism
from armillary.model.arguments import name_arguments
from armillary.model.lowering.constraint_table import ConstraintTable
from armillary.scalar import Scalar, dot
from armillary.shown import shown
from armillary.sim.control.block import Block, Scalars, made_for
from armillary.sim.motion.coordinates import freedoms, per_freedom
from armillary.sim.motion.user_functions import array_of, columns
from armillary.studies.identification.admissible import free_motions, on_constraints
from armillary.studies.identification.closed_momentum import (
    ScalarFreedoms,
    known_forces,
    projectors,
    refuse_moving,
    turning_forces,
)
from armillary.studies.identification.filtering import Motion, filter_for, motion_of
from armillary.studies.identification.logs import Data, Log, read_logs

WRENCH = ("nx", "ny", "nz", "fx", "fy", "fz")
_SINGULAR = 1e-3  # of the largest singular value of the chosen rows of the Jacobian


def _refuse(mechanism: Mechanism, what: str) -> None:
    if mechanism.model.load_dependent_joints:
        joint = mechanism.model.load_dependent_joints[0]
        raise InputError(
            f"{what}: friction of joint '{joint}' depends on its "
            "load, which is not known before the external force. Take it out of the model."
        )
    if any(mechanism.model.base_velocity) or any(mechanism.model.base_acceleration):
        raise InputError(f"{what}: the base of '{mechanism.name}' moves; give it a joint.")
    if mechanism.constraints:
        refuse_moving(mechanism, what)


def _gains(mechanism: Mechanism, gain: ArrayLike | Mapping[str, float], what: str) -> list[float]:
    """Of a closed mechanism one for all: forces of its joints are seen together."""
    found = per_freedom("gain", gain, mechanism.nv, mechanism.v_labels, 0.0)
    if not all(found):
        raise InputError(f"{what}: gain: expected positive rates (1/s), found {found}.")
    if mechanism.constraints and len(set(found)) > 1:
        raise InputError(
            f"{what}: gain: '{mechanism.name}' is closed and its joints move together; expected "
            f"one rate (1/s) for all, found {found}."
        )
    return found


# -- in a simulation -----------------------------------------------------------------------------


class MomentumObserver(Block):
    """External joint forces (nv) as a signal `external_force`, inside a simulation.

    Of a closed mechanism: the least joint forces that would do the same to its motion.  What the
    constraints carry cannot be seen.

    gain: 1/s, of all joints or by name; 1/gain is the lag.  It stands behind the controllers whose
    forces it hears: controller=[PID(...), MomentumObserver(arm, 50.0)].  Forces of actuators and
    `inputs=` come later and are external to it; give actuators=[..., MomentumObserver(...)] to hear
    actuators.  record="external_force" records it."""

    @name_arguments
    def __init__(
        self,
        mechanism: Mechanism,
        gain: ArrayLike | Mapping[str, float],
    ):
        what = "MomentumObserver"
        _refuse(mechanism, what)
        self.mechanism, self.built_for = mechanism, made_for(mechanism)
        self._free = ScalarFreedoms(mechanism) if mechanism.constraints else None
        self.array_level = self._free is not None and self._free.long
        self.gain = _gains(mechanism, gain, what)
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
        p, _ = self._balance(q, v, [0.0] * len(v))
        return [-k * x for k, x in zip(self.gain, p, strict=True)]

    def force(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        return list(u)

    def rate(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        """dz/dt = -K (tau + u + r), with r = z + K p."""
        p, known = self._balance(q, v, u)
        rows = zip(self.gain, z, p, known, strict=True)
        return [-k * (push + own + k * x) for k, own, x, push in rows]

    def signals(
        self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars
    ) -> dict[str, list[Scalar]]:
        p, _ = self._balance(q, v, [0.0] * len(v))
        return {"external_force": [own + k * x for own, k, x in zip(z, self.gain, p, strict=True)]}

    def _balance(self, q: Scalars, v: Scalars, tau: Scalars) -> tuple[list[Scalar], list[Scalar]]:
        """Momentum, and the known part of its rate: along all joints, or along free motions."""
        if self.array_level:
            return self._balance_of_arrays(q, v, tau)
        M = self._asked(mass_matrix, q=list(q)).result("M")
        p: list[Scalar] = [dot(row, v) for row in M]
        known = [x + y for x, y in zip(tau, self._velocity_forces(q, v), strict=True)]
        if self._free is None:
            return p, known
        free = self._free.at(self._asked, q, v, p)
        pushed = free.along([x + y for x, y in zip(known, free.given, strict=True)])
        return free.along(p), [x + y for x, y in zip(pushed, free.turning, strict=True)]

    def _balance_of_arrays(
        self, q: Scalars, v: Scalars, tau: Scalars
    ) -> tuple[list[Scalar], list[Scalar]]:
        if any(isinstance(x, Node) for x in v):
            raise NotNative("a momentum observer of many constraints")
        single = np.ndim(v[0]) == 0
        parts = np.broadcast_arrays(array_of(v), array_of(tau))
        own, rates, pushes = (np.atleast_2d(x) for x in (array_of(q), *parts))
        found = _balance(self.mechanism, own, rates, pushes, projectors(self.mechanism, own))
        p, known = (columns(x[0] if single else x) for x in found)
        return p, known

    def _velocity_forces(self, q: Scalars, v: Scalars) -> list[Scalar]:
        """u = C^T v + C v - h."""
        C = self._asked(coriolis_matrix, q=list(q), v=list(v)).result("C")
        h = self._asked(bias_forces, q=list(q), v=list(v)).result("tau")
        n = range(len(h))
        return [dot([C[j][i] for j in n], v) + dot([C[i][j] for j in n], v) - h[i] for i in n]

    def _asked(
        self,
        algorithm: Algorithm,
        constraints: ConstraintTable | None = None,
        **inputs: list[Scalar],
    ) -> Run:
        """An algorithm over whatever scalars the loop has: nodes, floats or columns of a batch."""
        evaluator = self.mechanism.evaluator
        traced = any(isinstance(x, Node) for numbers in inputs.values() for x in numbers)
        ask = evaluator.inlined if traced else evaluator.interpret
        return ask(algorithm, inputs, constraints=constraints)


# -- over recorded data --------------------------------------------------------------------------


@shown
@dataclass(frozen=True)
class ObservedForces:
    """External joint forces over time (T, nv), N m or N, as the observer of `gain` (1/s) sees
    them.

    Of a closed mechanism: the least joint forces that would do the same to its motion; `at` gives
    those at chosen joints that would.  Q (T, nv, nv): what moves it of any joint forces."""

    mechanism: Mechanism
    time: Array
    q: Array
    forces: Array
    gain: tuple[float, ...]
    Q: Array | None = None

    def at(self, joints: Sequence[str] | str) -> Array:
        """(T, freedoms) forces at these joints of a closed mechanism, as many as it has freedoms,
        that would do to its motion what the external ones do."""
        if self.Q is None:
            return np.asarray(self.forces[:, freedoms(self.mechanism, joints)])
        still = np.zeros_like(self.forces)
        motion = Motion(self.time, self.q, still, still)
        names = [joints] if isinstance(joints, str) else list(joints)
        free = free_motions(self.mechanism, motion, (), names, "at")
        order = [free.entries.index(k) for k in freedoms(self.mechanism, names)]
        return np.asarray(np.einsum("tvf,tv->tf", free.N, self.forces)[:, order])

    def wrench(
        self,
        frame: str,
        components: Sequence[str] = WRENCH,
        coordinates: str = "world_aligned",
    ) -> Array:
        """The wrench (T, components) at a frame that has these joint forces: J^T w = r; of a closed
        mechanism Q J^T w = r, no more components than it has freedoms.

        components: those that act there, of nx, ny, nz (N m), fx, fy, fz (N); the others count as
        zero.  coordinates: "world_aligned", "local" or "world".  Of more joints than components the
        nearest; instants at which the joints do not tell them apart are NaN."""
        rows = []
        for name in [components] if isinstance(components, str) else components:
            if name not in WRENCH:
                raise unknown_name("component of a wrench", name, WRENCH)
            rows.append(WRENCH.index(name))
        J = self.mechanism.jacobian(self.q, frame, coordinates=coordinates)[:, rows]
        J = J if self.Q is None else J @ np.swapaxes(self.Q, 1, 2)
        s = np.linalg.svd(J * self._scale()[rows][:, None], compute_uv=False)
        good = s[:, -1] > _SINGULAR * s[:, 0] if len(rows) <= J.shape[2] else np.zeros(len(J), bool)
        if not good.any():
            kind = "joint forces" if self.Q is None else "joints"
            raise InputError(
                f"wrench: the {J.shape[2]} {kind} of '{self.mechanism.name}' do not tell "
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


@name_arguments
def observe_forces(
    mechanism: Mechanism,
    data: Data,
    gain: ArrayLike | Mapping[str, float] = 50.0,
    *,
    cutoff: float | None = None,
) -> ObservedForces:
    """External joint forces from recorded q, v and tau: what none of the model's own forces and tau
    explain.  dr/dt = K (tau_e - r), with r = 0 at the first instant.

    data: as `identify` takes it, with tau of every joint (of a closed mechanism: of those that are
    driven); v is found from q where it is not there
    (then, or with a cutoff in Hz, behind a zero-phase filter).  gain K: 1/s, for all joints or by
    name."""
    _refuse(mechanism, "observe_forces")
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
    tau = np.zeros((len(log.time), mechanism.nv))
    tau[:, list(log.entries)] = smooth.motion(log.effort)
    Q = None
    if mechanism.constraints:
        motion = on_constraints(mechanism, motion, "observe_forces")
        Q = projectors(mechanism, motion.q)
    p, known = _balance(mechanism, motion.q, motion.v, tau, Q)
    rates = np.array(_gains(mechanism, gain, "observe_forces"))
    forces = _observed(log.time, p, known, rates)
    return ObservedForces(mechanism, log.time, motion.q, forces, tuple(rates.tolist()), Q)


def _balance(
    mechanism: Mechanism, q: Array, v: Array, tau: Array, Q: Array | None
) -> tuple[Array, Array]:
    """Momentum (T, nv), and the known part of its rate; of a closed mechanism what moves it."""
    p = np.einsum("tij,tj->ti", mechanism.mass_matrix(q), v)
    C = mechanism.coriolis_matrix(q, v)
    u = np.einsum("tji,tj->ti", C, v) + np.einsum("tij,tj->ti", C, v) - mechanism.bias_forces(q, v)
    if Q is None:
        return p, tau + u
    pushed = np.einsum("tij,tj->ti", Q, tau + u + known_forces(mechanism, q, v))
    return np.einsum("tij,tj->ti", Q, p), pushed + turning_forces(mechanism, q, v, p)


def _refuse_missing(mechanism: Mechanism, log: Log) -> None:
    missing = [x for k, x in enumerate(mechanism.v_labels) if k not in log.entries]
    if log.kind != "tau" or (missing and not mechanism.constraints):
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
