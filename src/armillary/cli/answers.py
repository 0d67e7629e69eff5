"""`inverse` and `forward`: a question about states, its answer as table, JSON or CSV file.

`solve` (solving.py) asks and answers with the same parts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from armillary import Mechanism, __version__
from armillary.cli import closing, models, screen
from armillary.cli.options import Answering, Source, State, Words
from armillary.cli.remedies import spelled, with_notes
from armillary.cli.states import KINDS, Array, States, from_csv, from_options, to_csv
from armillary.cli.voltages import commands_of, fed_forces, print_commands
from armillary.errors import InputError, ModelError
from armillary.evaluate.inputs import Keywords
from armillary.evaluate.results import Reactions, ReactionsIn
from armillary.units import WRENCH, WRENCH_HEADS, WRENCH_UNITS

if TYPE_CHECKING:
    from armillary.sim.actuators.dc_motor import Commands

Column = tuple[str, Array]  # name and numbers
RESULT = {"inverse": "tau", "forward": "a", "solve": "a"}
WRENCH_COLUMNS = tuple(f">{head}" for head in WRENCH_HEADS)
NAMES = {"q": "position", "v": "velocity", "a": "acceleration", "tau": "force"}


@dataclass(frozen=True)
class Question:
    """What was typed; more: accelerations or forces."""

    command: str
    source: Source
    state: State
    answering: Answering
    more: dict[str, Words]
    actuators: Sequence[str] = ()
    tree: bool = False  # the open tree, without what closes it
    voltages: bool = False  # what the motors need, too
    fed: Words = None  # voltages of motors that drive

    @property
    def given(self) -> dict[str, Words]:
        return {"q": self.state.q, "v": self.state.v, **self.more}


@dataclass(frozen=True)
class Answer:
    """All four of q, v, a, tau, of one state or a batch, and the reactions where asked."""

    command: str
    mechanism: Mechanism
    passive: bool
    states: States
    values: dict[str, Array]
    reactions: Reactions | None
    messages: tuple[str, ...] = ()  # about the constraints
    commands: Commands | None = None  # of the motors

    @property
    def single(self) -> bool:
        return self.values["tau"].ndim == 1

    def notes(self) -> list[str]:
        """What a reader of the numbers should know beside them."""
        found = (*self.messages, *self.states.notes, *outside(self))
        return [spelled(text) for text in found if text]


def answer(question: Question, reactions: bool) -> None:
    result = solve(question, reactions)
    write(result, columns(result), question.answering)
    if question.answering.json:
        screen.print_json(as_json(result))
    elif question.answering.out is None:
        print_answer(result)


def write(result: Answer, columns: Iterable[Column], answering: Answering) -> None:
    """The notes, and the file where one is asked for."""
    for text in result.notes():
        screen.note(text)
    if answering.out is None:
        return
    from armillary.formats.files import write_text

    write_text(to_csv(result.states.carried, columns), answering.out, answering.overwrite)
    if not answering.json:
        count = 1 if result.single else len(result.values["tau"])
        screen.say(f"{count} state{'s' if count > 1 else ''} written to {answering.out}")


def states_of(question: Question, mechanism: Mechanism) -> States:
    """Out of the file, or as typed."""
    given, external, csv = question.given, question.state.external, question.answering.csv
    if csv is not None:
        return from_csv(mechanism, csv, given, external)
    return from_options(mechanism, given, external)


def solve(question: Question, reactions: bool) -> Answer:
    mechanism = models.find(question.source)
    whole, mechanism = mechanism, mechanism.tree if question.tree else mechanism
    states = closing.follow(mechanism, states_of(question, mechanism))
    values, external, passive = dict(states.values), states.external, question.answering.passive
    q, v = values["q"], values["v"]
    messages: tuple[str, ...] = ()
    if question.command == "inverse":
        values["tau"], messages = _inverse(question, mechanism, values, external)
        if whole.constraints and question.tree:
            messages = (models.left_out(whole),)
    else:
        if question.fed:
            values["tau"] = fed_forces(mechanism, question.fed, v, values["tau"])
        tau = values["tau"]
        try:
            ask = partial(mechanism.forward_dynamics, certified=question.answering.certified)
            values["a"], _ = with_notes(ask, q, v, tau, external, passive)  # `messages` say more
        except ArithmeticError:  # a constant division by zero, met while compiling
            values["a"] = np.full_like(v, np.nan)
        messages = tuple(closing.messages(mechanism, q, v, tau, external, passive))
    refuse_infinite(values[RESULT[question.command]], mechanism)
    found = None
    if reactions and mechanism.constraints:
        found = mechanism.solve(q, v, values["tau"], external, passive).reactions
    elif reactions:
        found = mechanism.reactions(q, v, values["a"], external, passive)
    commands = commands_of(mechanism, v, values["tau"]) if question.voltages else None
    return Answer(question.command, mechanism, passive, states, values, found, messages, commands)


def _inverse(
    question: Question, mechanism: Mechanism, values: dict[str, Array], external: dict[str, Array]
) -> tuple[Array, tuple[str, ...]]:
    """Joint forces of a motion, and whose they are where not all joints have some."""
    motion = (values["q"], values["v"], values["a"])
    answering = question.answering
    options: Keywords = {"external": external, "passive": answering.passive}
    options["certified"] = answering.certified
    if not mechanism.constraints:
        if question.actuators:
            raise InputError(
                f"--actuator: '{mechanism.name}' has no constraints; every joint has the force "
                f"that its motion takes. Leave --actuator out."
            )
        return mechanism.inverse_dynamics(*motion, **options), ()
    if question.actuators:
        options["actuators"] = question.actuators
    tau, told = with_notes(mechanism.inverse_dynamics, *motion, **options)
    if not question.actuators:
        motors = [body.joint.name for body in mechanism.model.bodies if body.motor]
        whose = "of all joints, the smallest that give this motion; --actuator names some"
        if motors:
            whose = f"of the joints with motors ({', '.join(motors)})"
        told = [f"tau are the forces {whose}; --tree answers for the open tree", *told]
    return tau, tuple(told)


def refuse_infinite(result: Array, mechanism: Mechanism) -> None:
    """Finite questions have finite answers, except where a mass matrix is singular."""
    bad = ~np.isfinite(np.atleast_2d(result))
    if bad.any():
        row, k = np.argwhere(bad)[0]
        where = "" if result.ndim == 1 else f" in state {row + 1} of {len(result)}"
        raise ModelError(
            f"the result for '{mechanism.v_labels[k]}' is not finite{where}: the mass matrix is "
            f"singular there. Give the bodies behind that joint inertia, or lock it."
        )


def outside(result: Answer) -> Iterator[str]:
    """Positions, velocities and forces beyond the limits of the mechanism."""
    mechanism = result.mechanism
    for kind, k, low, high in _limits(mechanism):
        x = np.atleast_2d(result.values[kind])[:, k]
        beyond = x[(x < low) | (x > high)]
        if len(beyond):
            label, unit = models.labels(mechanism, kind)[k], models.units(mechanism, kind)[k]
            states = "" if result.single else f" in {len(beyond)} of {len(x)} states, most"
            most = beyond[np.argmax(np.maximum(low - beyond, beyond - high))]
            yield (
                f"{NAMES[kind]} of {label} lies outside its limits {low:g} ... {high:g} {unit}"
                f"{states}: {most:.6g}"
            )


def _limits(mechanism: Mechanism) -> Iterator[tuple[str, int, float, float]]:
    """(kind, index, low, high) of every limit; velocity and force limits of 0 mean none."""
    model = mechanism.model
    for body, joint, slot in zip(model.bodies, model.joints, model.slots, strict=True):
        for k, limits in enumerate(body.joint.limits):
            if joint.nq == joint.nv:
                low = -math.inf if limits.lower is None else limits.lower
                high = math.inf if limits.upper is None else limits.upper
                yield "q", slot.q.start + k, low, high
            for kind, most in (("v", limits.velocity), ("tau", limits.effort)):
                if most:
                    yield kind, slot.v.start + k, -most, most


# -- for people ----------------------------------------------------------------------------------


def print_answer(result: Answer) -> None:
    heading(result, f"{result.command} dynamics")
    print_motion(result)
    if result.commands is not None:
        print_commands(result.mechanism, result.commands)
    if result.reactions is not None:
        print_reactions(result.reactions)


def heading(result: Answer, what: str) -> None:
    """What was asked, gravity, what takes part, and the wrenches that act."""
    mechanism = result.mechanism
    gravity = screen.triple(mechanism.model.gravity)
    passive = "included" if result.passive else "left out"
    screen.say(
        f"{what} of '{mechanism.name}', gravity ({gravity}) m/s²; "
        f"friction, springs and rotors {passive}"
    )
    for frame, wrench in result.states.external.items():
        if wrench.ndim == 1:
            n, f = screen.triple(wrench[:3]), screen.triple(wrench[3:])
            screen.say(f"wrench on '{frame}', in that frame: n = ({n}) N m, f = ({f}) N")
    screen.say()


def print_motion(result: Answer) -> None:
    if result.single:
        print_state(result.mechanism, result.values)
    else:
        _print_batch(result)


def print_state(mechanism: Mechanism, values: dict[str, Array]) -> None:
    """One line per degree of freedom; quaternions have a table of their own."""
    kinds = [kind for kind in KINDS if kind in values]
    if mechanism.nq != mechanism.nv:
        labels, units = mechanism.q_labels, models.units(mechanism, "q")
        rows = zip(labels, screen.numbers(values["q"]), units, strict=True)
        screen.table(["coordinate", ">q", "unit"], rows)
        kinds.remove("q")
    of_kinds = [models.units(mechanism, kind) for kind in kinds]
    numbers = [screen.numbers(values[kind]) for kind in kinds]
    rows_ = [
        [label, *(x[k] for x in numbers), ", ".join(u[k] for u in of_kinds)]
        for k, label in enumerate(mechanism.v_labels)
    ]
    screen.table(["joint", *(f">{kind}" for kind in kinds), "units"], rows_)


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
    screen.table(["joint", ">least", ">greatest", ">root mean square", "unit"], rows, title)


def _where(reactions: Reactions) -> str:
    usual = "" if isinstance(reactions, ReactionsIn) else " at its origin"
    return f"by the parent on the body, {reactions.place()}{usual}"


def print_reactions(reactions: Reactions) -> None:
    frame = f"reaction in every joint: {_where(reactions)}"
    if reactions.total.ndim != 2:
        names = ((body.joint.name, body.name) for body in reactions.model.bodies)
        print_greatest(["joint", "body"], names, reactions.total, frame)
        return
    rows = []
    for k, body in enumerate(reactions.model.bodies):
        titles = [body.joint.name, body.name]
        for part in ("total", "driving", "constraint"):
            wrench = quiet(getattr(reactions, part), reactions.total)[k]
            rows.append([*titles, part, *screen.numbers(wrench, 5)])
            titles = ["", ""]
    screen.table(["joint", "body", "part", *WRENCH_COLUMNS], rows, frame)


def print_greatest(
    heads: list[str], names: Iterable[Sequence[str]], wrenches: Array, title: str, most: int = 200
) -> None:
    """Greatest moment and force of wrenches (B, n, 6) over the states."""
    moment, force = (
        np.linalg.norm(wrenches[..., part], axis=-1).max(axis=0) for part in (slice(3), slice(3, 6))
    )
    rows = [
        [*name, *screen.numbers(pair)] for name, *pair in zip(names, moment, force, strict=True)
    ]
    screen.table([*heads, ">greatest moment [N m]", ">greatest force [N]"], rows[:most], title)


def quiet(wrenches: Array, beside: Array | None = None) -> Array:
    """Without the rounding of zeros, seen from the largest number of the table."""
    largest = np.abs(wrenches if beside is None else beside).max(initial=0.0)
    return np.where(np.abs(wrenches) < 1e-13 * largest, 0.0, wrenches)


# -- for programs --------------------------------------------------------------------------------


def as_json(result: Answer) -> dict[str, object]:
    mechanism = result.mechanism
    content: dict[str, object] = {
        "armillary": __version__,
        "command": result.command,
        "mechanism": mechanism.name,
        "gravity": mechanism.model.gravity,
        "passive": result.passive,
        "labels": {"q": mechanism.q_labels, "v": mechanism.v_labels},
        "units": {kind: models.units(mechanism, kind) for kind in KINDS},
        "notes": result.notes(),
        **result.states.carried,
        **{kind: result.values[kind] for kind in KINDS},
        "external": result.states.external,
    }
    if result.commands is not None:
        names = ("current", "voltage", "applied", "limited")
        content["motors"] = {name: getattr(result.commands, name) for name in names}
    if result.reactions is not None:
        content["reactions"] = reactions_json(result.reactions)
    return content


def reactions_json(found: Reactions) -> dict[str, object]:
    return {
        "order": WRENCH,
        "units": WRENCH_UNITS,
        "frame": _where(found),
        "joints": {
            body.joint.name: {
                "body": body.name,
                "total": found.total[..., k, :],
                "driving": found.driving[..., k, :],
                "constraint": found.constraint[..., k, :],
            }
            for k, body in enumerate(found.model.bodies)
        },
    }


def columns(result: Answer) -> Iterator[Column]:
    """(name, numbers) of every column of the CSV file."""
    mechanism = result.mechanism
    for kind in KINDS:
        for k, label in enumerate(models.labels(mechanism, kind)):
            yield f"{kind}.{label}", result.values[kind][..., k]
    if result.commands is not None:
        for what in ("current", "voltage"):
            for k, label in enumerate(mechanism.v_labels):
                yield f"{what}.{label}", getattr(result.commands, what)[..., k]
    count = 1 if result.single else len(result.values["tau"])
    for frame, wrench in result.states.external.items():
        for k, entry in enumerate(WRENCH):
            yield f"external.{frame}.{entry}", np.broadcast_to(wrench[..., k], (count,))
    if result.reactions is not None:
        for j, body in enumerate(mechanism.model.bodies):
            for k, entry in enumerate(WRENCH):
                yield f"reaction.{body.joint.name}.{entry}", result.reactions.total[..., j, k]
