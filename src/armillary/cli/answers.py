"""`inverse` and `forward`: a question about states, its answer as table, JSON or CSV file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from armillary import Mechanism, __version__
from armillary.cli import models, screen
from armillary.cli.states import KINDS, WRENCH, Array, States, from_csv, from_options, to_csv
from armillary.functions.results import Reactions

RESULT = {"inverse": "tau", "forward": "a"}
NAMES = {"q": "position", "v": "velocity", "a": "acceleration", "tau": "force"}


@dataclass(frozen=True)
class Question:
    """What was typed."""

    command: str
    model: str
    base: str | None
    given: dict[str, list[str] | None]
    external: Sequence[str] | None
    csv: Path | None
    passive: bool


@dataclass(frozen=True)
class Answer:
    """All four of q, v, a, tau, of one state or a batch, and the reactions where asked."""

    command: str
    mechanism: Mechanism
    passive: bool
    states: States
    values: dict[str, Array]
    reactions: Reactions | None

    @property
    def single(self) -> bool:
        return self.values["tau"].ndim == 1


def answer(
    question: Question, reactions: bool, out: Path | None, overwrite: bool, json: bool
) -> None:
    result = solve(question, reactions)
    for text in (models.open_parts(result.mechanism), *result.states.remarks):
        if text:
            screen.remark(text)
    if out is not None:
        from armillary.formats.files import write_text

        write_text(to_csv(result.states.carried, _columns(result)), out, overwrite)
    if json:
        screen.print_json(as_json(result))
    elif out is not None:
        count = 1 if result.single else len(result.values["tau"])
        screen.say(f"{count} state{'s' if count > 1 else ''} written to {out}")
    else:
        print_answer(result)


def solve(question: Question, reactions: bool) -> Answer:
    mechanism = models.find(question.model, question.base)
    if question.csv is not None:
        states = from_csv(mechanism, question.csv, question.given, question.external)
    else:
        states = from_options(mechanism, question.given, question.external)
    values, external, passive = dict(states.values), states.external, question.passive
    q, v = values["q"], values["v"]
    if question.command == "inverse":
        values["tau"] = mechanism.inverse_dynamics(q, v, values["a"], external, passive)
    else:
        values["a"] = mechanism.forward_dynamics(q, v, values["tau"], external, passive)
    found = mechanism.reactions(q, v, values["a"], external, passive) if reactions else None
    return Answer(question.command, mechanism, passive, states, values, found)


# -- for people ----------------------------------------------------------------------------------


def print_answer(result: Answer) -> None:
    mechanism = result.mechanism
    gravity = screen.triple(mechanism.model.gravity)
    passive = "included" if result.passive else "left out"
    screen.say(
        f"{result.command} dynamics of '{mechanism.name}', gravity ({gravity}) m/s²; "
        f"friction, springs and rotors {passive}"
    )
    for frame, wrench in result.states.external.items():
        if wrench.ndim == 1:
            n, f = screen.triple(wrench[:3]), screen.triple(wrench[3:])
            screen.say(f"wrench on '{frame}', in that frame: n = ({n}) N m, f = ({f}) N")
    screen.say()
    if result.single:
        print_state(mechanism, result.values)
    else:
        _print_batch(result)
    if result.reactions is not None:
        _print_reactions(result.reactions)


def print_state(mechanism: Mechanism, values: dict[str, Array]) -> None:
    """One line per degree of freedom; quaternions have a table of their own."""
    kinds = [kind for kind in KINDS if kind in values]
    if mechanism.nq != mechanism.nv:
        rows = zip(mechanism.q_labels, screen.numbers(values["q"]), models.units(mechanism, "q"),
                   strict=True)  # fmt: skip
        screen.table(["coordinate", ">q", "unit"], rows)
        kinds.remove("q")
    units = [models.units(mechanism, kind) for kind in kinds]
    numbers = [screen.numbers(values[kind]) for kind in kinds]
    rows_ = [
        [label, *(x[k] for x in numbers), ", ".join(u[k] for u in units)]
        for k, label in enumerate(mechanism.v_labels)
    ]
    heads = [f">{kind} ({NAMES[kind]})" for kind in kinds]
    screen.table(["degree of freedom", *heads, "units"], rows_)


def _print_batch(result: Answer) -> None:
    """The range of the result over the batch."""
    kind = RESULT[result.command]
    values, mechanism = result.values[kind], result.mechanism
    rows = [
        [label, *screen.numbers((x.min(), x.max(), np.sqrt(np.mean(x * x)))), unit]
        for label, x, unit in zip(
            mechanism.v_labels, values.T, models.units(mechanism, kind), strict=True
        )
    ]
    title = f"{kind} ({NAMES[kind]}) of {len(values)} states; --out or --json give every number"
    screen.table(["degree of freedom", ">least", ">greatest", ">root mean square", "unit"], rows,
                 title)  # fmt: skip


def _print_reactions(reactions: Reactions) -> None:
    frame = "reaction in every joint: by the parent on the body, in the body's frame at its origin"
    if reactions.total.ndim == 2:
        parts = (("total", reactions.total), ("driving", reactions.driving),
                 ("constraint", reactions.constraint))  # fmt: skip
        rows = [
            [body.joint.name if not n else "", body.name if not n else "", part,
             *screen.numbers(x[k], 5)]
            for k, body in enumerate(reactions.model.bodies)
            for n, (part, x) in enumerate(parts)
        ]  # fmt: skip
        screen.table(["joint", "body", "part", *wrench_heads()], rows, frame)
        return
    rows = [
        [body.joint.name, body.name,
         *screen.numbers((np.linalg.norm(x[:, :3], axis=1).max(),
                          np.linalg.norm(x[:, 3:], axis=1).max()))]
        for k, body in enumerate(reactions.model.bodies)
        for x in [reactions.total[:, k]]
    ]  # fmt: skip
    screen.table(["joint", "body", ">greatest moment [N m]", ">greatest force [N]"], rows, frame)


def wrench_heads() -> list[str]:
    return [f">{x} [{'N m' if x[0] == 'n' else 'N'}]" for x in WRENCH]


# -- for programs --------------------------------------------------------------------------------


def as_json(result: Answer) -> dict[str, Any]:
    mechanism = result.mechanism
    content: dict[str, Any] = {
        "armillary": __version__,
        "command": result.command,
        "mechanism": mechanism.name,
        "gravity": mechanism.model.gravity,
        "passive": result.passive,
        "labels": {"q": mechanism.q_labels, "v": mechanism.v_labels},
        "units": {kind: models.units(mechanism, kind) for kind in KINDS},
        "notes": [x for x in (models.open_parts(mechanism), *result.states.remarks) if x],
        **result.states.carried,
        **{kind: result.values[kind] for kind in KINDS},
        "external": result.states.external,
    }
    found = result.reactions
    if found is not None:
        content["reactions"] = {
            "order": WRENCH,
            "units": ["N m"] * 3 + ["N"] * 3,
            "frame": "by the parent on the body, in the body's frame at its origin",
            "joints": {
                body.joint.name: {
                    "body": body.name,
                    "total": found.total[..., k, :],
                    "driving": found.driving[..., k, :],
                    "constraint": found.constraint[..., k, :],
                }
                for k, body in enumerate(mechanism.model.bodies)
            },
        }
    return content


def _columns(result: Answer) -> Iterator[tuple[str, Array]]:
    """(name, numbers) of every column of the CSV file."""
    mechanism = result.mechanism
    for kind in KINDS:
        for k, label in enumerate(models.labels(mechanism, kind)):
            yield f"{kind}.{label}", result.values[kind][..., k]
    count = 1 if result.single else len(result.values["tau"])
    for frame, wrench in result.states.external.items():
        for k, entry in enumerate(WRENCH):
            yield f"external.{frame}.{entry}", np.broadcast_to(wrench[..., k], (count,))
    if result.reactions is not None:
        for j, body in enumerate(mechanism.model.bodies):
            for k, entry in enumerate(WRENCH):
                yield f"reaction.{body.joint.name}.{entry}", result.reactions.total[..., j, k]
