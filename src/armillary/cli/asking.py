"""`ask`: any row of the table of functions by its name, as table, JSON or CSV file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from armillary import Mechanism, __version__
from armillary.cli import closing, models, screen
from armillary.cli.options import Answering, Choosing, Source, State, Words
from armillary.cli.remedies import spelled, with_notes
from armillary.cli.states import Array, States, from_csv, from_options, to_csv
from armillary.errors import InputError, unknown_name
from armillary.evaluate.functions import FUNCTIONS, HANGING, Function, Result
from armillary.evaluate.inputs import Keywords
from armillary.model.elements.element import OUTPUTS
from armillary.units import WRENCH

Units = tuple[str, ...] | None
_MOST = 200  # numbers of one result that are shown as a list


@dataclass(frozen=True)
class Asked:
    """A row of the table, what it was asked about, and its arrays in the order of its results."""

    name: str
    row: Function
    mechanism: Mechanism
    states: States
    options: Keywords
    arrays: tuple[Array, ...]

    @property
    def count(self) -> int | None:
        """States of a batch; None: one state."""
        first = self.states.values[self.row.inputs[0]]
        return None if first.ndim == 1 else len(first)

    @property
    def about(self) -> str:
        frame, words = self.options.get("frame"), self.options.get("coordinates", "local")
        return self.row.about(frame, words)

    def notes(self) -> list[str]:
        return [spelled(text) for text in self.states.notes]


def ask(
    source: Source,
    question: str | None,
    state: State,
    choosing: Choosing,
    answering: Answering,
    a: Words,
    tau: Words,
) -> None:
    """Answer the question, or list all of them."""
    mechanism = models.find(source)
    if question is None:
        _list(answering.json)
        return
    found = _asked(
        mechanism,
        question,
        {"q": state.q, "v": state.v, "a": a, "tau": tau},
        state.external,
        choosing,
        answering,
    )
    for text in found.notes():
        screen.note(text)
    if answering.out is not None:
        from armillary.formats.files import write_text

        text = to_csv(found.states.carried, _columns(found))
        write_text(text, answering.out, answering.overwrite)
    if answering.json:
        screen.print_json(_as_json(found))
    elif answering.out is None:
        _print(found)
    else:
        count = found.count or 1
        screen.say(f"{count} state{'s' if count > 1 else ''} written to {answering.out}")


# -- what is asked -------------------------------------------------------------------------------


def _asked(
    mechanism: Mechanism,
    question: str,
    given: dict[str, Words],
    wrenches: Words,
    choosing: Choosing,
    answering: Answering,
) -> Asked:
    if question not in FUNCTIONS:
        raise InputError(str(unknown_name("question", question, tuple(FUNCTIONS))))
    row = FUNCTIONS[question]
    typed = {
        "--external": ("external", wrenches or None), "--frame": ("frame", choosing.frame),
        "--coordinates": ("coordinates", choosing.coordinates), "--kind": ("kind", choosing.kind),
        "--no-passive": ("passive", None if answering.passive else False),
        "--actuator": ("actuators", choosing.actuator or None),
    }  # fmt: skip
    typed |= {f"--{name}": (name, words or None) for name, words in given.items()}
    known = row.signature.parameters
    for option, (name, value) in typed.items():
        if value is not None and name not in known:
            takes = ", ".join(f"--{n}" for n in known if f"--{n}" in typed)
            raise InputError(
                f"{option}: '{question}' does not take it; it takes {takes}. Leave it out."
            )
    if row.frame and choosing.frame is None:
        few = ", ".join(mechanism.frames[:8]) + (", ..." if mechanism.frames[8:] else "")
        raise InputError(f"--frame: '{question}' needs the name of a frame: {few}.")
    inputs = {name: given[name] for name in row.inputs}
    if answering.csv is not None:
        states = from_csv(mechanism, answering.csv, inputs, wrenches)
    else:
        states = from_options(mechanism, inputs, wrenches)
    states = closing.follow(mechanism, states)
    chosen: Keywords = {
        n: value for n, value in typed.values() if value is not None and n not in given
    }
    if states.external:
        if "external" not in known:
            raise InputError(f"'{question}' does not take wrenches, as {answering.csv} has.")
        chosen["external"] = states.external
    ask = _callable(mechanism, question)
    if answering.certified:
        ask = partial(mechanism.certified, question)
    answer, told = with_notes(ask, *states.values.values(), **chosen)
    states = replace(states, notes=(*states.notes, *told))
    return Asked(question, row, mechanism, states, chosen, _arrays(row, answer))


def _callable(mechanism: Mechanism, question: str) -> Any:
    """The callable of a row; derivatives hang on another one."""
    if question not in HANGING:
        return getattr(mechanism, question)
    of = next(name for name, row in FUNCTIONS.items() if row.derivative == question)
    return getattr(mechanism, of).derivatives


def _arrays(row: Function, answer: object) -> tuple[Array, ...]:
    """The results of a row, in their order, out of what Python gives."""
    if isinstance(answer, (np.ndarray, float)):
        return (np.asarray(answer, float),)
    if isinstance(answer, tuple) and not hasattr(answer, row.results[0].name):
        return tuple(np.asarray(x, float) for x in answer)
    return tuple(np.asarray(getattr(answer, r.name), float) for r in row.results)


# -- names of the numbers ------------------------------------------------------------------------


def _labels(mechanism: Mechanism, result: Result) -> list[tuple[str, ...]]:
    """The names of the entries along every axis of a result."""
    axes = {
        "nv": mechanism.v_labels,
        "bodies": mechanism.bodies,
        "10 bodies": mechanism.parameter_names[: 10 * len(mechanism.bodies)],
        "elements": tuple(part.name for part in mechanism.model.elements),
        3: ("force", "position", "rate") if result.name == "along" else ("x", "y", "z"),
    }
    if result.name == "outputs":  # of tyres
        axes[len(OUTPUTS)] = tuple(f"{name} [{unit}]" for name, unit in OUTPUTS)
    return [
        axes[n] if n in axes else _of_six(result) if n == 6 else tuple(map(str, range(int(n))))
        for n in result.shape
    ]


def _of_six(result: Result) -> tuple[str, ...]:
    """Entries of a wrench, or of a motion: angular ones first."""
    if result.meaning.startswith("moment") or result.name == "driving":
        return WRENCH
    return tuple(f"{part}.{x}" for part in ("angular", "linear") for x in "xyz")


def _units(mechanism: Mechanism, result: Result) -> Units:
    """One unit per entry, of results along the coordinates; None: the meaning says them."""
    kinds = {"a": "a", "tau": "tau"}
    if result.shape != ("nv",) or result.source not in kinds:
        return None
    return models.units(mechanism, kinds[result.source])


# -- for people ----------------------------------------------------------------------------------


def _list(json: bool) -> None:
    """All questions, one line each."""
    if json:
        screen.print_json({name: row.title for name, row in FUNCTIONS.items()})
        return
    rows = [[name, ", ".join(_takes(row)), row.title] for name, row in FUNCTIONS.items()]
    screen.table(["question", "takes", "what it is"], rows)


def _takes(row: Function) -> Iterator[str]:
    yield from row.inputs
    if row.frame:
        yield "frame"


def _print(found: Asked) -> None:
    gravity = screen.triple(found.mechanism.gravity)
    screen.say(f"'{found.mechanism.name}', gravity ({gravity}) m/s²: {found.about}\n")
    for result, array in zip(found.row.results, found.arrays, strict=True):
        _print_result(found, result, array)


def _print_result(found: Asked, result: Result, array: Array) -> None:
    title = f"{result.name}: {result.meaning}"
    names, units = _labels(found.mechanism, result), _units(found.mechanism, result)
    if found.count is not None:
        title += f" of {found.count} states; --out or --json give every number"
        columns = array.reshape(found.count, -1).T[:_MOST]
        numbers = [screen.numbers((x.min(), x.max(), np.sqrt(np.mean(x * x)))) for x in columns]
        _table(_flat(names), [">least", ">greatest", ">root mean square"], numbers, units, title)
    elif not result.shape:
        screen.say(f"{result.name} = {screen.number(float(array))} {result.meaning}")
    elif array.ndim == 1:
        _table(names[0], [f">{result.name}"], [[x] for x in screen.numbers(array)], units, title)
    else:
        numbers = [screen.numbers(row) for row in array.reshape(-1, array.shape[-1])]
        _table(_flat(names[:-1]), [f">{name}" for name in names[-1]], numbers, None, title)


def _table(
    names: Iterable[str], heads: list[str], numbers: list[list[str]], units: Units, title: str
) -> None:
    """Numbers behind the names of their rows, with a column of units where they differ."""
    rows = [[name, *row] for name, row in zip(names, numbers, strict=False)]
    if units is not None:
        heads = [*heads, "unit"]
        rows = [[*row, unit] for row, unit in zip(rows, units, strict=False)]
    screen.table(["entry", *heads], rows, title)


def _flat(names: list[tuple[str, ...]]) -> list[str]:
    """The name of every number, row by row; that of a single number is empty."""
    return [".".join(parts) for parts in product(*names)]


# -- for programs --------------------------------------------------------------------------------


def _as_json(found: Asked) -> dict[str, object]:
    mechanism, inputs = found.mechanism, found.states.values
    results = {
        result.name: {
            "meaning": result.meaning,
            "labels": _labels(mechanism, result),
            "units": _units(mechanism, result),
            "values": array,
        }
        for result, array in zip(found.row.results, found.arrays, strict=True)
    }
    return {
        "armillary": __version__,
        "command": "ask",
        "question": found.name,
        "about": found.about,
        "mechanism": mechanism.name,
        "gravity": mechanism.gravity,
        "options": found.options,
        "labels": {"q": mechanism.q_labels, "v": mechanism.v_labels},
        "units": {kind: models.units(mechanism, kind) for kind in inputs},
        "notes": found.notes(),
        **found.states.carried,
        **inputs,
        "results": results,
    }


def _columns(found: Asked) -> Iterator[tuple[str, Array]]:
    """(name, numbers) of every column of the CSV file."""
    count = found.count or 1
    for kind, x in found.states.values.items():
        for k, label in enumerate(models.labels(found.mechanism, kind)):
            yield f"{kind}.{label}", x[..., k]
    for frame, wrench in found.states.external.items():
        for k, entry in enumerate(WRENCH):
            yield f"external.{frame}.{entry}", np.broadcast_to(wrench[..., k], (count,))
    for result, array in zip(found.row.results, found.arrays, strict=True):
        columns = array.reshape(count, -1).T
        for label, x in zip(_flat(_labels(found.mechanism, result)), columns, strict=True):
            yield f"{result.name}.{label}".removesuffix("."), x
