"""Kernels and memory of linearly implicit methods in the native loop (runtime/implicit_loop.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armillary.algorithms.tree.derivatives import forward_dynamics_derivatives
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


class ImplicitKernels:
    """Of one mechanism: what sim/methods/jacobian.py asks for, the same way.  Raises `NotNative`
    where there is none.

    kernels: by role.  program: whose kernel may change, of trees.  balls: where in v the turns of
    joints with quaternions begin."""

    def __init__(self, mechanism: Mechanism, tables: Tables, reads: tuple[str, ...], batched: bool):
        """tables and reads: those of the dynamics."""
        self._mechanism, owner = mechanism, mechanism.evaluator
        pairs = zip(mechanism.model.joints, mechanism.model.slots, strict=True)
        self.balls = [slot.v.start for joint, slot in pairs if joint.nq != joint.nv]
        self.kernels: dict[str, Kernel] = {}
        self.program: Program | None = None
        if mechanism.model.constraints or Center(mechanism):
            if mechanism.model.elements or loop_forces(mechanism):
                raise NotNative("slopes of forces in loops and between bodies, by differences")
            self.kernels["slopes"] = self._slopes(batched)
            return
        self.program = owner.kernels_of(forward_dynamics_derivatives, reads, True, True)
        if self.program.tables.fused != tables.fused:
            raise NotNative("dynamics and its derivatives see other bodies")
        kernel = self.program.kernel(batched, "double")
        if not kernel.address:
            raise NotNative("no compiled derivatives of force elements")
        self.kernels["derivatives"] = kernel

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
