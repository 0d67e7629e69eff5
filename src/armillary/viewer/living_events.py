"""Events of a living page: joint limits as numbers, functions of the state as graphs.

The page locates them as sim/loop/locating.py does (client/src/events.ts).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from armillary.evaluate.compile_function import NotNative, function_graph
from armillary.evaluate.inputs import Array
from armillary.graph.function import FunctionGraph
from armillary.mechanism.mechanism import Mechanism
from armillary.scalar import Scalar
from armillary.sim.control.traced_function import arrays_of_nodes
from armillary.sim.loop.events import Bound, Event, Switch, check_start
from armillary.sim.loop.watching import watched_events
from armillary.viewer.experiment import Experiment, cannot

Numbers = list[Scalar]


@dataclass(frozen=True)
class PageEvents:
    """limits and events: what the page is told; graphs: their functions, by role."""

    limits: list[dict[str, object]]
    events: list[dict[str, object]]
    graphs: dict[str, FunctionGraph]


def page_events(experiment: Experiment, q: Array) -> PageEvents:
    """q: at the start, which must lie within the limits.  InputError: a kind of event, or a
    function, that cannot go into a page."""
    mechanism = experiment.mechanism
    watched = watched_events(mechanism, experiment.watches)
    check_start(watched, q)
    bounds, events = [], []
    for event in watched:
        if isinstance(event, Bound):
            bounds.append(event)
        elif isinstance(event, Event) and not isinstance(event, Switch):
            events.append(event)
        else:
            kind = "Switch" if isinstance(event, Switch) else "StickSlip"
            raise cannot(f"events of the kind {kind}", "JointLimits or Event(function)")
    graphs: dict[str, FunctionGraph] = {}
    if events:
        graphs["events"] = _traced(mechanism, events)
    told = []
    for k, event in enumerate(events):
        changed = _action(mechanism, event)
        if changed is not None:
            graphs[f"action{k}"] = changed
        told.append(
            {
                "name": event.name,
                "direction": event.direction,
                "terminal": event.terminal,
                "acts": changed is not None,
            }
        )
    limits: list[dict[str, object]] = [
        {
            "label": b.label,
            "i": b.i,
            "k": b.k,
            "place": b.place,
            "side": b.side,
            "unit": b.unit,
            "restitution": b.limits.restitution,
            "rest": b.limits.rest,
        }
        for b in bounds
    ]
    return PageEvents(limits, told, graphs)


def _state(mechanism: Mechanism) -> dict[str, int]:
    return {"q": mechanism.nq, "v": mechanism.nv, "time": 1}


def _graph(
    mechanism: Mechanism,
    f: Callable[..., Sequence[Sequence[Scalar]]],
    outputs: dict[str, int],
    name: str,
) -> FunctionGraph:
    try:
        return function_graph(f, _state(mechanism), outputs)
    except NotNative as reason:
        raise cannot(
            f"event '{name}' ({reason})", "a function of t, q and v without `if` over scalars"
        ) from reason


def _traced(mechanism: Mechanism, events: Sequence[Event]) -> FunctionGraph:
    """The numbers whose signs are watched."""

    def values(event: Event) -> Callable[..., Sequence[Sequence[Scalar]]]:
        return lambda q, v, time: ([event.function(time[0], *arrays_of_nodes(q, v))],)

    for event in events:  # each alone, so that a refusal names it
        _graph(mechanism, values(event), {"g": 1}, event.name)

    def all_of_them(q: Numbers, v: Numbers, time: Numbers) -> Sequence[Sequence[Scalar]]:
        return ([event.function(time[0], *arrays_of_nodes(q, v)) for event in events],)

    return _graph(mechanism, all_of_them, {"g": len(events)}, events[0].name)


def _action(mechanism: Mechanism, event: Event) -> FunctionGraph | None:
    """(q, v) after the event; None: it changes nothing."""
    act = event.action
    if act is None:
        return None

    def function(q: Numbers, v: Numbers, time: Numbers) -> Sequence[Sequence[Scalar]]:
        changed = act(time[0], *arrays_of_nodes(q, v))
        return (q, v) if changed is None else (list(changed[0]), list(changed[1]))

    return _graph(mechanism, function, {"q": mechanism.nq, "v": mechanism.nv}, event.name)
