"""Kernels and memory of linearly implicit methods in the native loop (runtime/implicit_loop.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armillary.algorithms.closed.variational import known_forces
from armillary.algorithms.forces.element_forces import joint_pushes
from armillary.algorithms.tree.derivatives import forward_dynamics_derivatives
from armillary.constraints.compiled import compiled_kernels
from armillary.evaluate.compile_function import NotNative, compile_function
from armillary.evaluate.kernel import Kernel
from armillary.model.lowering.tree import Tables
from armillary.scalar import Scalar
from armillary.sim.methods.centre_of_mass import Center
from armillary.sim.methods.variational_parts import loop_forces

if TYPE_CHECKING:
    from armillary.evaluate.program import Program
    from armillary.mechanism.mechanism import Mechanism

Numbers = list[Scalar]
_MISSING = {
    "derivatives": "no compiled derivatives of the dynamics",
    "pushes": "no compiled code of the force elements alone",
    "known": "no traced kernel for springs and friction in loops",
}


class ImplicitKernels:
    """Of one mechanism: what sim/methods/jacobian.py asks for, the same way.  Raises `NotNative`
    where there is none.

    kernels: by role, each with the names of its inputs.  balls: where in v the turns of joints with
    quaternions begin."""

    def __init__(self, mechanism: Mechanism, tables: Tables, reads: tuple[str, ...], batched: bool):
        """tables and reads: those of the dynamics."""
        self._mechanism, owner = mechanism, mechanism.evaluator
        pairs = zip(mechanism.model.joints, mechanism.model.slots, strict=True)
        self.balls = [slot.v.start for joint, slot in pairs if joint.nq != joint.nv]
        self.kernels: dict[str, tuple[tuple[str, ...], Kernel]] = {}
        if not (mechanism.model.constraints or Center(mechanism)):
            derivatives = owner.kernels_of(forward_dynamics_derivatives, reads, True, True)
            if derivatives.tables.fused != tables.fused:
                raise NotNative("dynamics and its derivatives see other bodies")
            if derivatives.kernel(batched, "double").address:
                self._add("derivatives", reads, derivatives, batched)
                return
        self._stiff_part(reads, batched)

    def _stiff_part(self, reads: tuple[str, ...], batched: bool) -> None:
        """Slopes of forces, which go with mobility: of closed mechanisms and free bodies, and of
        trees with force elements in loops over bodies, which have no code of derivatives.  The
        order of the method does not need more."""
        mechanism, state = self._mechanism, ("q", "v")
        self.kernels["slopes"] = state, self._slopes(batched)
        if mechanism.model.elements:
            own = (*state, *(name for name in reads if name == "parameters"))
            pushes = mechanism.evaluator.kernels_of(joint_pushes, own, True, True)
            self._add("pushes", own, pushes, batched)
        if loop_forces(mechanism):
            equations = mechanism.constraint_solver.equations
            known = compiled_kernels(equations, known_forces, state)
            self._add("known", state, known, batched)

    def _add(
        self, role: str, reads: tuple[str, ...], program: Program | None, batched: bool
    ) -> None:
        kernel = None if program is None else program.kernel(batched, "double")
        if program is None or kernel is None or not kernel.address:
            raise NotNative(_MISSING[role])
        self.kernels[role] = reads, kernel

    def _slopes(self, batched: bool) -> Kernel:
        """Of friction and springs in the joints of the tree: (q, v) -> by q, by v."""
        owner, nv = self._mechanism.evaluator, self._mechanism.nv
        tables, drifts = owner.tables(), set(Center(self._mechanism).linear.tolist())

        def slopes(q: Numbers, v: Numbers) -> tuple[Numbers, Numbers]:
            by_q: Numbers = [0.0] * nv
            by_v: Numbers = [0.0] * nv
            for body, at, first in zip(
                tables.bodies, tables.q_offsets, tables.v_offsets, strict=True
            ):
                place, speed = q[at : at + body.joint.nq], v[first : first + body.joint.nv]
                for k, (by_x, by_rate) in enumerate(body.resistance_slopes(place, speed)):
                    by_q[first + k] = -by_x
                    if first + k not in drifts:  # of body axes, not of the centre's
                        by_v[first + k] = -by_rate
            return by_q, by_v

        sizes = {"q": self._mechanism.nq, "v": nv}
        simd = owner.options.simd(batched)
        return compile_function(slopes, sizes, {"by_q": nv, "by_v": nv}, simd)

    def memory(
        self, rows: int, nz: int, gammas: tuple[tuple[float, ...], ...]
    ) -> dict[str, np.ndarray]:
        """Arrays of `rows` states, by field (time_context.py)."""
        n, size = self._mechanism.nv, 2 * self._mechanism.nv + nz
        shapes = {"IMPLICIT": size * size, "BY_STATE": (n + nz) * size}
        shapes |= dict.fromkeys(("BY_Q", "BY_V", "BY_TAU"), n * n)
        shapes |= dict.fromkeys(("BEND_Q", "BEND_V", "KICK", "MOVE"), n)
        shapes |= {"BEND_Z": nz, "NOTHING": max(n, nz), "NEAR": 2 * (n + nz)}
        found: dict[str, np.ndarray] = {
            name: np.zeros((rows, max(width, 1))) for name, width in shapes.items()
        }
        found["RIGHT"], found["GAMMAS"] = np.zeros(size), np.zeros((len(gammas),) * 2)
        for i, row in enumerate(gammas):
            found["GAMMAS"][i, : len(row)] = row
        whole = {"ORDER": np.zeros((rows, size), int), "BALLS": np.array(self.balls or [0], int)}
        return found | whole
