"""Compiled functions as C source: a text to build anywhere, without Armillary.

The constants of the mechanism, gravity and the placement of the frame stand as numbers in it.
"""

from __future__ import annotations

import re

from armillary.constraints.exported import CLOSED
from armillary.constraints.questions import Constrained
from armillary.errors import InputError
from armillary.evaluate import functions
from armillary.evaluate.inputs import choice
from armillary.graph.c_source import ELEMENTS, Function, Row, c_source, is_identifier
from armillary.mechanism.function_graph import Traced, trace
from armillary.model.arguments import name_arguments
from armillary.model.model import Model
from armillary.units import FORCE

# what an input is, and what its numbers are measured in beyond rad and m
_INPUTS = {
    "q": ("position coordinates", ""),
    "v": ("velocities", "/s"),
    "a": ("accelerations", "/s^2"),
    "tau": ("joint forces of the actuators", ""),
}


@name_arguments
def to_c(
    mechanism: Constrained,
    function: str = "inverse_dynamics",
    name: str | None = None,
    frame: str | None = None,
    element: str = "double",
    *,
    coordinates: str = "local",
    passive: bool = True,
) -> str:
    """C99 source of a function of this mechanism, by its public name:

    `void name(const double *q, ..., double *out)`, with `out` holding all results one after the
    other, matrices row by row.  Derivatives are "inverse_dynamics_derivatives" and
    "forward_dynamics_derivatives".  element: "double" or "float".  External wrenches are none."""
    choice("element", element, ELEMENTS)
    traced = trace(mechanism, function, frame, coordinates, passive, minimal=True)
    symbol = _symbol(mechanism.model, function, frame) if name is None else name
    if not isinstance(symbol, str) or not is_identifier(symbol):
        raise InputError(
            f"name: {symbol!r:.60} cannot be the name of a C function; use letters, digits and _."
        )
    inputs = tuple(
        Row(n, len(nodes), _INPUTS[n][0], _entries(mechanism.model, n))
        for n, nodes in traced.inputs.items()
    )
    return c_source(
        Function(
            symbol,
            traced.entry.about(frame, coordinates),
            _notes(mechanism, traced.entry, function, passive),
            inputs,
            _results(traced),
            element,
        ),
        traced.roots(),
    )


def _symbol(model: Model, function: str, frame: str | None) -> str:
    """model_function_frame, as far as C allows."""
    words = [model.name, function] if frame is None else [model.name, function, frame]
    text = re.sub(r"[^A-Za-z0-9]+", "_", "_".join(words)).strip("_")
    return text if text[0].isalpha() else f"m{text}"


def _notes(
    mechanism: Constrained, entry: functions.Function, function: str, passive: bool
) -> tuple[str, ...]:
    model = mechanism.model
    gravity = ", ".join(f"{g:g}" for g in model.gravity)
    notes = [
        f"Mechanism '{model.name}': {len(model.bodies)} bodies, {model.nv} degrees of freedom. "
        f"Gravity ({gravity}) m/s^2. SI units, radians; angular parts first; "
        f"quaternions (w, x, y, z).",
    ]
    if model.constraints:
        names = ", ".join(part.name for part in model.constraints)
        kept = function in CLOSED
        notes.append(
            f"With its constraints: {names}." if kept else f"Of its tree, without {names}."
        )
    if mechanism.evaluator.moving_base:
        notes.append("The world frame moves as the mechanism says.")
    if entry.passive and not passive:
        notes.append("Friction, springs and rotors are left out.")
    return tuple(notes)


def _results(traced: Traced) -> tuple[Row, ...]:
    rows = []
    for result, shape, nodes in traced.results:
        size = " x ".join(map(str, shape))
        meaning = f"{result.meaning} ({size})" if len(shape) > 1 else result.meaning
        rows.append(Row(result.name, len(nodes), meaning))
    return tuple(rows)


def _entries(model: Model, name: str) -> tuple[str, ...]:
    """Label and unit of every number of an input."""
    if name == "q":
        labels, units = model.q_labels, _position_units(model)
    elif name == "tau":
        labels, units = model.v_labels, [FORCE[u] for u in model.v_units]
    else:
        labels, units = model.v_labels, [u + _INPUTS[name][1] for u in model.v_units]
    width = max(map(len, labels), default=0)
    return tuple(f"{x:<{width}}  {unit}" for x, unit in zip(labels, units, strict=True))


def _position_units(model: Model) -> list[str]:
    """Of q: quaternions have none."""
    units: list[str] = []
    for joint in model.joints:
        if joint.nq == joint.nv:
            units += joint.units
        else:
            units += ["(quaternion)" if len(c) == 1 else "m" for c in joint.coordinates]
    return units
