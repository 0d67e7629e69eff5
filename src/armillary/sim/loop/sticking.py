"""Which joints stick in a run: by default all whose dry friction can, and those that are named."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from armillary.errors import InputError
from armillary.mechanism.mechanism import Mechanism
from armillary.model.elements.line import LineForce
from armillary.sim.loop.events import Watched, asked_joints
from armillary.sim.loop.stick_slip import Slip, Stop, Stuck, passives, sticks_with
from armillary.sim.methods.integrators import Stepper
from armillary.sim.motion.schedules import columns_of


@dataclass
class StickSlip:
    """Joints with Coulomb, static or load-dependent friction stick and slip exactly, as those of a
    run do by default: this refuses what cannot.

    joints: names (default: all that have such friction).  Their friction must be sharp
    (smoothing = 0); methods: the explicit ones and "semi-implicit".  With `stick=False` no others
    stick."""

    joints: Sequence[str] | str | None = None

    def __post_init__(self) -> None:
        asked_joints("StickSlip", self.joints)

    def columns(self, mechanism: Mechanism) -> list[int]:
        """Entries of v that stick; what cannot is refused."""
        if mechanism.model.constraints:
            mechanism.evaluator.refuse_load_friction("StickSlip with constraints")
        passive, labels = passives(mechanism), mechanism.v_labels
        dry = [k for k, p in enumerate(passive) if p.dry]
        for name in _closing(mechanism) if self.joints is None else ():
            raise InputError(
                f"StickSlip: '{name}' closes a chain, and such a joint has no velocity "
                f"of its own that could be watched. Cut the chain at another joint, give this "
                f"one `smoothing`, or name the joints that stick: StickSlip(joints=[...])."
            )
        if self.joints is not None:
            names = asked_joints("StickSlip", self.joints)
            if not names:
                raise InputError(
                    "StickSlip: expected names of joints, found none. Name some, StickSlip() takes "
                    "all, or leave it out."
                )
            asked = [k for name in names for k in columns_of(mechanism, name)]
            for k in asked:
                if k not in dry:
                    raise InputError(
                        f"StickSlip: joint '{labels[k]}' has no dry friction. Give it `coulomb`, "
                        f"`static` or load-dependent friction, or leave it out."
                    )
            dry = asked
        if not dry:
            raise InputError(
                f"StickSlip: no joint of '{mechanism.name}' has dry friction. Give one `coulomb`, "
                f"`static` or load-dependent friction, or leave StickSlip out."
            )
        for k in dry:
            if passive[k].smoothing:
                raise InputError(
                    f"StickSlip: friction of joint '{labels[k]}' is smooth (smoothing = "
                    f"{passive[k].smoothing:g}) and never sticks. Set smoothing to 0."
                )
        return dry


def sticking_events(mechanism: Mechanism, columns: Iterable[int]) -> list[Watched]:
    """What is watched of entries of v that stick and slip."""
    stuck = Stuck(np.array(sorted(set(columns)), np.intp))
    labels, pairs = mechanism.v_labels, enumerate(stuck.columns)
    return [kind(labels[k], i, stuck) for i, k in pairs for kind in (Stop, Slip)]


def by_default(
    mechanisms: Sequence[Mechanism], named: Sequence[StickSlip], stepper: Stepper
) -> tuple[list[int], list[str]]:
    """Entries of v that stick though nobody asks for it, and what the run says of dry friction.

    mechanisms: the first one, and those that may replace it.  named: what the user asks for."""
    first, labels = mechanisms[0], mechanisms[0].v_labels
    asked = {k for one in named for k in one.columns(first)}
    sharp: dict[int, None] = {}
    creeps: dict[str, str] = {}
    for mechanism in mechanisms:
        model = mechanism.model
        given = {k for x in model.prescribed for k in columns_of(mechanism, x.joint)}
        for k, p in enumerate(passives(mechanism)):
            if not p.dry or k in given:
                continue
            if p.smoothing:
                creeps[labels[k]] = "it is smooth"
            elif model.constraints and p.loaded:
                creeps[labels[k]] = "it depends on the load of its joint, under constraints"
            elif not sticks_with(stepper):
                creeps[labels[k]] = "the explicit methods and 'semi-implicit' let it stick"
            else:
                sharp[k] = None
        creeps |= dict.fromkeys(_closing(mechanism), "the joint closes a chain")
        rubs = [e.name for e in model.elements if isinstance(e, LineForce) and e.coulomb]
        creeps |= dict.fromkeys(rubs, "that of elements is smooth")
    found = [k for k in sharp if k not in asked]
    verb = "sticks" if len(found) == 1 else "stick"
    notes = [f"dry friction: {_names(labels[k] for k in found)} {verb}"] if found else []
    for reason in dict.fromkeys(creeps.values()):
        names = _names(name for name, why in creeps.items() if why == reason)
        notes.append(f"dry friction of {names} creeps at rest: {reason}")
    return found, notes


def _closing(mechanism: Mechanism) -> list[str]:
    """Joints with sharp dry friction that close chains."""
    loops = mechanism.model.loops
    return [x.name for x in loops if any(p.dry and not p.smoothing for p in x.joint.passive)]


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)
