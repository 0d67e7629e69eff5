"""All that has to be watched in a run, of what the user gave as its events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from armillary.errors import InputError
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.loop.events import Event, Switch, Watched
from armillary.sim.loop.limits import Limit
from armillary.sim.loop.sticking import StickSlip, sticking_events
from armillary.sim.motion.user_functions import several
from armillary.sim.record.quantities import Quantity


def watched_events(
    mechanism: Mechanism,
    events: object,
    of_parts: Mapping[str, Quantity] = MappingProxyType({}),
    stick: Sequence[int] = (),
) -> list[Watched]:
    """Everything to watch.  of_parts: quantities that the parts of the run tell, by name.  stick:
    entries of v that stick by default."""
    found: list[Watched] = []
    for event in several(events):
        if isinstance(event, Limit):
            found += event.watched(mechanism, of_parts)
        elif isinstance(event, StickSlip):
            found += sticking_events(mechanism, [*event.columns(mechanism), *stick])
            stick = ()
        elif hasattr(event, "watched"):  # JointLimits
            found += event.watched(mechanism)
        elif isinstance(event, Event):
            own = (mechanism.q_labels, mechanism.v_labels)
            if isinstance(event, Switch) and (event.to.q_labels, event.to.v_labels) != own:
                raise InputError(
                    f"Switch: '{event.to.name}' has another tree than '{mechanism.name}'; the "
                    f"labels of q and v must agree."
                )
            found.append(event)
        elif callable(event):
            found.append(Event(event, getattr(event, "__name__", "event")))
        else:
            raise InputError(
                f"events: expected Event, Switch, JointLimits, Limit, StickSlip or a function "
                f"(t, q, v); "
                f"found {type(event).__name__}."
            )
    return found + (sticking_events(mechanism, stick) if stick else [])
