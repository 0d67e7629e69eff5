"""States of a run with what its blocks add to the forces of the model: elements with states or
inputs of their own, and springs in loops that count turns."""

from __future__ import annotations

from dataclasses import replace

from armillary.evaluate.inputs import Array, Keywords
from armillary.sim.control.chain import Chain
from armillary.sim.control.element_changes import ElementChanges
from armillary.sim.control.loop_turns import LoopTurns
from armillary.sim.record.recorded_states import States


def changed_states(states: States, chain: Chain, t: Array, z: Array) -> States:
    """As a recording has them.  t (S,), z (S, states): of one run."""
    q, v = states.q, states.v
    for stage in chain.stages:
        own = z[:, stage.z]
        if isinstance(stage.block, LoopTurns):
            force, added = stage.block.added(q, v, own)
            states = replace(
                states,
                tau=states.tau - force,
                turned=states.turned + added[:, 0],
                turn_wrenches=added[:, 1:],
            )
        elif isinstance(stage.block, ElementChanges):
            found = stage.block.added(t, q, v, own, states.parameters)
            extras: Keywords = {"external": dict(states.external)}
            found.put(extras, v.shape)
            states = replace(
                states,
                tau=states.tau - found.force + extras.get("restraint", 0.0),
                external=extras.get("external", {}),
                turned=states.turned + found.energy,
                element_readings=found.readings,
                tyre_outputs=found.outputs,
            )
    return states
