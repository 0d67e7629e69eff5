"""What the parts of a run tell: states of controllers, actuators and elements, and signals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armillary.errors import InputError
from armillary.sim.control.loop_turns import LoopTurns
from armillary.sim.loop.limits import Limit
from armillary.sim.methods.system import System
from armillary.sim.motion.user_functions import several
from armillary.sim.record.cross_check import refuse_check
from armillary.sim.record.quantities import EXTRAS, QUANTITIES, Quantity, quantity_of
from armillary.sim.record.recorder import Columns

STATES = "states"


def told_by(system: System, t0: float, step: float, runs: int | None = None) -> dict[str, Quantity]:
    """States of all blocks, and signals, by name.  runs: of a batch.

    The parts are asked once, at the initial configuration."""
    m, found = system.mechanism, dict[str, Quantity]()
    if not system.chain.stages:
        return found
    batch = () if runs is None else (runs,)
    q = np.broadcast_to(np.array(m.initial, float), (*batch, m.nq)).copy()
    v = np.zeros((*batch, m.nv))
    system.setup.enter(t0, t0 + step)
    own = {k: u for stage in system.chain.stages for k, u in stage.block.signal_units.items()}
    for name in system.view().signals(t0, q, v, system.start(t0, q, v)):
        units = (own.get(name, ""),) * m.nv
        known = EXTRAS[name].columns_of(m) if name in EXTRAS else ()
        found[name] = _signal(name, known or tuple(zip(m.v_labels, units, strict=True)))
    if system.chain.states:
        found[STATES] = _states(tuple(zip(*_state_columns(system, STATES), strict=True)))
    return found


def refuse_checks(
    system: System, names: Sequence[str], who: str = "record", varied: bool = False
) -> None:
    """Recorded checks of runs with more than their model.  varied: parameters of studies, which
    make such a mechanism anew."""
    setup = system.setup
    turns = any(isinstance(block, LoopTurns) for block in system.chain.blocks)
    numbers = None if varied else setup.parameters
    refuse_check(names, system.mechanism, turns or bool(setup.prescribed), numbers, who)


def signal_columns(
    system: System, names: Sequence[str], t0: float, step: float, who: str = "record"
) -> Columns:
    """Labels and units of signals that parts have beyond the known ones.  who: asks for them."""
    asked = [name for name in names if quantity_of(name) is None]
    found = {STATES: _state_columns(system, who)} if STATES in asked else {}
    if asked in ([], [STATES]):
        return found
    told = told_by(system, t0, step)
    for name in asked:
        if name in EXTRAS and name not in told:
            raise InputError(
                f"{who}: this run has no '{name}' (no part of it tells it). Leave it out."
            )
    for name, quantity in told.items():
        if name not in (*QUANTITIES, *EXTRAS, STATES):
            labels, units = zip(*quantity.columns(system.mechanism), strict=True)
            found[name] = labels, units
    return found


def _state_columns(system: System, who: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Labels and units of the states of all blocks; the second of one name is "name (2)"."""
    names, labels = system.chain.states, []
    if not names:
        raise InputError(f"{who}: this run has no 'states' (no block of it has any). Leave it out.")
    for k, name in enumerate(names):
        earlier = names[:k].count(name)
        labels.append(f"{name} ({earlier + 1})" if earlier else name)
    return tuple(labels), system.chain.state_units or ("",) * len(names)


def limited_by_parts(system: System, events: object, t0: float, step: float) -> dict[str, Quantity]:
    """Those that limits among the events look at, by name, beside `QUANTITIES`."""
    found: dict[str, Quantity] = {}
    for text in [str(event.quantity) for event in several(events) if isinstance(event, Limit)]:
        name = text.partition(".")[0]
        if ":" in name or name in (*QUANTITIES, *found):
            continue
        signal_columns(system, [name], t0, step, f"Limit('{text}')")  # refuses what is not there
        told = told_by(system, t0, step)
        found |= {name: told[name]} if name in told else {}
    return found


def _states(pairs: tuple[tuple[str, str], ...]) -> Quantity:
    """pairs: label and unit of every state."""
    return Quantity(lambda m: pairs, lambda s: s.block_states, of_state=True)


def _signal(name: str, pairs: tuple[tuple[str, str], ...]) -> Quantity:
    return Quantity(lambda m: pairs, lambda s: s.signals[name], of_state=True, of_blocks=name)
