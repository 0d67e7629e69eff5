"""`explain`: every number on the way of a formulation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from armillary.cli import closing, models
from armillary.cli.options import Source, State, Words
from armillary.cli.states import from_options
from armillary.errors import InputError, unknown_name
from armillary.formats.files import write_text
from armillary.textbook.explaining import Explanation, chosen
from armillary.textbook.formulations.registry import QUANTITIES

FORMATS: dict[str, Callable[[Explanation], str]] = {
    "text": str,
    "markdown": Explanation.to_markdown,
    "html": Explanation.to_html,
}


def explain(
    source: Source,
    state: State,
    a: Words,
    tau: Words,
    inverse: bool,
    forward: bool,
    closed: bool,
    method: str | None,
    at_joints: bool,
    format: str,
    out: Path | None,
    overwrite: bool,
) -> None:
    if format not in FORMATS:
        raise unknown_name("format", format, FORMATS)
    mechanism = models.find(source)
    name = chosen(mechanism, _method(inverse, forward, closed, method)).name
    kinds = QUANTITIES[chosen(mechanism, name).quantity][0]
    for kind, words in (("v", state.v), ("a", a), ("tau", tau)):
        if words and kind not in kinds:
            raise InputError(f"--{kind}: {name} is asked with {', '.join(kinds)}. Leave it out.")
    given = {"q": state.q, "v": state.v, "a": a, "tau": tau}
    states = closing.follow(
        mechanism, from_options(mechanism, {k: given[k] for k in kinds}, state.external)
    )
    numbers = [states.values[kind] for kind in kinds]
    found = mechanism.explain(
        name, *numbers, external=states.external or None, frames_at_joints=at_joints
    )
    text = FORMATS[format](found)
    if out is None:
        print(text)
    else:
        write_text(text, out, overwrite)


def _method(inverse: bool, forward: bool, closed: bool, method: str | None) -> str:
    asked = {"--inverse": inverse, "--forward": forward, "--closed": closed, "--method": method}
    found = [name for name, given in asked.items() if given]
    if len(found) != 1:
        names = ", ".join(found) or "none"
        raise InputError(f"expected one of {', '.join(asked)}; found {names}.")
    quantities = {"--inverse": "inverse dynamics", "--forward": "forward dynamics"}
    return method or quantities.get(found[0], "constrained dynamics")
