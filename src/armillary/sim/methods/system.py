"""A mechanism with its blocks and loads, and what changes while it runs."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armillary.constraints.drift import DrawnBack
from armillary.errors import InputError
from armillary.evaluate.inputs import Array, as_floats
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.control.block import check_block
from armillary.sim.control.chain import SLACK, RunChain
from armillary.sim.control.sensors import Motion, Sensor
from armillary.sim.methods.modes import Mechanisms, Modes, RunRows
from armillary.sim.methods.run_view import DryFriction, RunView
from armillary.sim.methods.setup import Setup
from armillary.sim.motion.driven import PrescribedMotions
from armillary.sim.motion.schedules import External, Forces, Inputs, Wrenches
from armillary.sim.motion.user_functions import columns, rows, scalars

_SOON = 1e-6  # of a period: a schedule that jumps by then has jumped


class System:
    """setup: what stays; modes and mechanisms: what changes; `view`: how it is seen now."""

    def __init__(
        self,
        mechanism: Mechanism,
        controller: object = None,
        actuators: object = None,
        inputs: Inputs = None,
        external: External = None,
        period: float | None = None,
        parameters: ArrayLike | None = None,
        prescribed: PrescribedMotions | None = None,
        voltages: Inputs = None,
        baumgarte: DrawnBack | None = None,
    ):
        chain = RunChain(controller, actuators, period)
        for block in chain.blocks:
            check_block(block, mechanism)
        self.setup = Setup(
            chain,
            Forces(mechanism, inputs),
            Wrenches(mechanism, external),
            Forces(mechanism, voltages, "voltages") if voltages else None,
            prescribed or None,
            checked_parameters(mechanism, parameters),
            baumgarte,
        )
        self.chain, self.nv, self.nz = chain, mechanism.nv, self.setup.nz
        self.modes, self.mechanisms = Modes(chain), Mechanisms(mechanism)
        self.friction: DryFriction | None = None
        self._view: RunView | None = None

    @property
    def mechanism(self) -> Mechanism:
        """The one in force, of all runs that have not switched."""
        return self.mechanisms.all

    def view(self, run_rows: RunRows = None) -> RunView:
        """All runs, one of them or some, with the mechanism that is in force now."""
        if run_rows is not None:
            return RunView(self.setup, self.modes, self.mechanisms, self.friction, run_rows)
        now = self._view
        if now is None or now.mechanism is not self.mechanism or now.friction is not self.friction:
            now = RunView(self.setup, self.modes, self.mechanisms, self.friction, None)
            self._view = now
        return now

    def start(self, t: float, q: Array, v: Array) -> Array:
        """States z of the blocks at the first instant."""
        z = np.zeros((*q.shape[:-1], self.nz))
        for stage in self.chain.stages:
            if stage.count:
                found = stage.block.start(self.mechanism, columns(q), columns(v))
                meant = "states to start with"
                values = scalars(stage.what, found, stage.count, q.shape[:-1], t, meant)
                z[..., stage.z] = rows(values, z[..., stage.z])
        if self.chain.starts_steady:
            z = rows(self.chain.settled(self.view().instant(t, q, v, z)), z)
        return z

    def sample(self, t: float, q: Array, v: Array, z: Array) -> Array:
        """Blocks whose period is over look at the state and hold their force until the next time;
        their own states move on by explicit Euler.  Gives z.  Where a schedule jumps at t they see
        what holds from now on."""
        samples, view = self.modes.samples, self.view()
        pairs = list(zip(samples.due, samples.stages, strict=True))
        due = [t >= last - SLACK * float(stage.period or 0.0) for last, stage in pairs]
        if not any(due):
            return z
        soon = min(
            float(s.period or 0.0) for now, s in zip(due, samples.stages, strict=True) if now
        )
        self.setup.enter(t, t + _SOON * soon)
        found, samples.held = self.chain.sample(view.instant(t, q, v, z), due)
        z = self._read_motion(t, q, v, rows(found, z), due)
        samples.due = [
            stage.next_sample(t) if now else last
            for now, (last, stage) in zip(due, pairs, strict=True)
        ]
        return z

    def _read_motion(self, t: float, q: Array, v: Array, z: Array, due: list[bool]) -> Array:
        """Sensors that are due read accelerations and forces, as the others have left them."""
        motion = None
        for stage in self.chain.sampled:
            block, k = stage.block, stage.sampled
            if isinstance(block, Sensor) and block.needs_motion and k is not None and due[k]:
                motion = self._motion(t, q, v, z) if motion is None else motion
                found = block.after(columns(z[..., stage.z]), block.read(motion))
                z[..., stage.z] = rows(found, z[..., stage.z])
        return z

    def _motion(self, t: float, q: Array, v: Array, z: Array) -> Motion:
        view = self.view()
        tau, a = view.dynamics(t, q, v, z)
        outside = (view.wrenches(t, q, v), view.moving(t))
        how = (self.setup.baumgarte, self.setup.parameters)
        return Motion(view.mechanism, q, v, a, tau, *outside, *how)


def checked_parameters(mechanism: Mechanism, given: ArrayLike | None) -> Array | None:
    """Inertias (10 bodies,) or (B, 10 bodies), in the order of `mechanism.parameters`."""
    if given is None:
        return None
    numbers = as_floats("parameters", given)
    size = len(mechanism.parameters)
    if numbers.ndim not in (1, 2) or numbers.shape[-1] != size or not np.isfinite(numbers).all():
        raise InputError(
            f"parameters: expected {size} finite numbers (10 per body, see "
            f"mechanism.parameter_names) or (B, {size}); found shape {numbers.shape}."
        )
    return numbers
