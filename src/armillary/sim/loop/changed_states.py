"""What blocks of a run add to the forces of the model: elements with states or inputs of their own,
and springs in loops that count turns.  Recordings, limits and responses know it from here."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from armillary.evaluate.inputs import Array, Keywords
from armillary.sim.control.chain import Chain, Stage
from armillary.sim.control.element_changes import Added, ElementChanges
from armillary.sim.control.loop_turns import LoopTurns
from armillary.sim.record.quantities import Quantity
from armillary.sim.record.recorded_states import States


def of_motion(quantity: Quantity, name: str) -> bool:
    """Do q, v and a tell it (or the blocks themselves), without a word of force elements?"""
    moves = quantity.of_state and name not in ("potential", "energy")
    return moves or name == "a" or name.startswith("acceleration:")


@dataclass(frozen=True)
class BlockForces:
    """At S instants: joint forces (S, nv) that stand in tau and are none of the user's, energy
    (S,), wrenches of turns (S, 6 c), and what elements say."""

    force: Array
    energy: Array
    turn_wrenches: Array | None = None
    elements: Added | None = None


def adding(chain: Chain) -> list[Stage]:
    """Blocks that add to the forces of the model."""
    return [x for x in chain.stages if isinstance(x.block, LoopTurns | ElementChanges)]


def block_forces(
    chain: Chain, t: Array, q: Array, v: Array, z: Array, parameters: Array | None = None
) -> BlockForces | None:
    """t (S,), z (S, states), parameters (S, n): other numbers of bodies and elements.  None: no
    block of the chain adds any."""
    found: BlockForces | None = None
    for stage in adding(chain):
        own = z[:, stage.z]
        found = found or BlockForces(np.zeros(v.shape), np.zeros(len(v)))
        if isinstance(stage.block, LoopTurns):
            force, added = stage.block.added(q, v, own)
            found = replace(found, turn_wrenches=added[:, 1:])
            energy = added[:, 0]
        elif isinstance(stage.block, ElementChanges):
            elements = stage.block.added(t, q, v, own, parameters)
            found = replace(found, elements=elements)
            force, energy = elements.force, elements.energy
        found = replace(found, force=found.force + force, energy=found.energy + energy)
    return found


def changed_states(states: States, chain: Chain, t: Array, z: Array) -> States:
    """As a recording has them.  t (S,), z (S, states)."""
    added = block_forces(chain, t, states.q, states.v, z, states.parameters)
    if added is None:
        return states
    found = replace(
        states,
        tau=states.tau - added.force,
        turned=states.turned + added.energy,
        turn_wrenches=added.turn_wrenches,
    )
    if added.elements is None:
        return found
    extras: Keywords = {"external": dict(states.external)}
    added.elements.put(extras, states.v.shape)
    return replace(
        found,
        tau=found.tau + extras.get("restraint", 0.0),
        external=extras.get("external", {}),
        element_readings=added.elements.readings,
        tyre_outputs=added.elements.outputs,
    )
