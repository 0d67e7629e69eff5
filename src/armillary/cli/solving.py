"""`solve`: motion, every force, what is determinate, and the power balance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from armillary.cli import answers, closing, models, screen
from armillary.cli.answers import Answer, Question
from armillary.cli.options import WrenchAxes
from armillary.cli.states import Array, from_prescribed
from armillary.constraints.self_stress import Determinacy
from armillary.constraints.solution import ConstrainedSolution, ConstraintForces, WheelForces
from armillary.evaluate.results import ElementForces, Solution
from armillary.units import WRENCH, WRENCH_UNITS

_MOST = 200  # lines of a table on the screen


@dataclass(frozen=True)
class Closing:
    """Whether a state is closed first, and which joints keep their position then."""

    assemble: bool = False
    hold: Sequence[str] = ()


def answer(question: Question, close: Closing, prescribe: Sequence[str], axes: WrenchAxes) -> None:
    result, solution, prescribed = solve(question, close, prescribe, axes)
    columns = [*answers.columns(result), *_constraint_columns(solution)]
    answers.write(result, columns, question.answering)
    if question.answering.json:
        screen.print_json(answers.as_json(result) | as_json(solution, prescribed))
    elif question.answering.out is None:
        print_solution(result, solution)


def solve(
    question: Question, close: Closing, prescribe: Sequence[str], axes: WrenchAxes
) -> tuple[Answer, Solution, dict[str, Array]]:
    mechanism = models.find(question.source)
    prescribed = from_prescribed(mechanism, prescribe)
    states = answers.states_of(question, mechanism)
    values = dict(states.values)
    if close.assemble:
        part = {k: x for k, x in values.items() if k not in states.named or k == "q"}
        closed, notes = closing.close(mechanism, part, close.hold)
        values |= closed
        states = replace(states, values=values, notes=(*notes, *states.notes))
    states = closing.follow(mechanism, states)
    values, passive = dict(states.values), question.answering.passive
    given = (values["q"], values["v"], values["tau"], states.external, passive)
    chosen = axes.coordinates, _point(axes.about)
    solution = mechanism.solve(
        *given,
        prescribed=prescribed or None,
        coordinates=chosen[0],
        about=chosen[1],
        certified=question.answering.certified,
    )
    values["a"] = solution.acceleration
    answers.refuse_infinite(values["a"], mechanism)
    messages = _messages(solution, len(np.atleast_2d(values["q"])))
    forces = solution.reactions
    return (
        Answer("solve", mechanism, passive, states, values, forces, messages),
        solution,
        prescribed,
    )


def _point(about: str | None) -> str | list[float] | None:
    """A point of the world, where three numbers are typed; else the name of a frame."""
    parts = (about or "").split(",")
    try:
        return [float(x) for x in parts] if len(parts) == 3 else about
    except ValueError:
        return about


def _messages(solution: Solution, states: int, most: int = 6) -> tuple[str, ...]:
    if not isinstance(solution, ConstrainedSolution):
        return (f"'{solution.model.name}' has no constraints: its tree is solved",)
    found = solution.messages
    more = (f"{len(found) - most} more messages about {states} states; --json has all",)
    return found if len(found) <= most else found[:most] + more


# -- for people ----------------------------------------------------------------------------------


def print_solution(result: Answer, solution: Solution) -> None:
    answers.heading(result, "solution")
    answers.print_motion(result)
    answers.print_reactions(solution.reactions)
    if solution.element_forces is not None:
        _print_elements(solution.element_forces)
    if isinstance(solution, ConstrainedSolution):
        _print_constraints(solution)
        if result.single and len(solution.wheel_forces):
            _print_wheels(solution.wheel_forces)
        if result.single:
            print_determinacy(solution.determinacy, solution.convention)
        else:
            freedoms = [state.static_indeterminacy for state in solution.states]
            screen.say(
                f"self-stresses: {min(freedoms)} to {max(freedoms)}; --json tells which forces are "
                f"determinate in every state\n"
            )
    if result.single:
        _print_power(solution)


def _print_elements(forces: ElementForces) -> None:
    """Wrenches of force elements, and what they say along their own coordinates."""
    title = "force of every element: on its second end's body, in that frame at its origin"
    parts, heads = forces.model.elements, ["element", "kind"]
    names = [(part.name, part.law.kind) for part in parts]
    if forces.wrench.ndim != 2:
        answers.print_greatest(heads, names, forces.wrench, title, _MOST)
        return
    rows = []
    for part, name, wrench, along in zip(parts, names, forces.wrench, forces.along, strict=True):
        own = zip(screen.numbers(along, 5), part.law.units, strict=True)
        said = ", ".join(f"{x} {unit}" for x, unit in own if unit)
        rows.append([*name, *screen.numbers(answers.quiet(wrench), 5), said])
    columns = [*heads, *answers.WRENCH_COLUMNS, "force, position, rate"]
    screen.table(columns, rows[:_MOST], title)


def _print_constraints(solution: ConstrainedSolution) -> None:
    """Wrenches of constraints between frames, then forces of couplings and prescribed motions."""
    forces = solution.constraint_forces
    title = f"force of every constraint: on the named body, {_where(forces)}"
    heads = ["constraint", "kind", "on body"]
    names = list(zip(forces.names, forces.kinds, forces.bodies, strict=True))
    if names and forces.wrench.ndim == 2:
        wrenches = answers.quiet(forces.wrench)
        rows = [[*name, *screen.numbers(x, 5)] for name, x in zip(names, wrenches, strict=True)]
        screen.table([*heads, *answers.WRENCH_COLUMNS], rows[:_MOST], title)
    elif names:
        answers.print_greatest(heads, names, forces.wrench, title, _MOST)
    if forces.axis_names:
        single = forces.axis.ndim == 1
        axis = answers.quiet(forces.axis) if single else np.abs(forces.axis).max(axis=0)
        numbers = screen.numbers(axis)
        rows = [list(x) for x in zip(forces.axis_names, numbers, forces.axis_units, strict=True)]
        heads = ["coupling or prescribed motion", ">force" if single else ">greatest force", "unit"]
        screen.table(heads, rows[:_MOST], "force along the coordinate that follows or is driven")


def _print_wheels(forces: WheelForces) -> None:
    title = "force of the ground on every wheel, in the ground's axes [N]"
    quiet = answers.quiet(forces.force)
    rows = [[name, *screen.numbers(x, 5)] for name, x in zip(forces, quiet, strict=True)]
    screen.table(["wheel", *(f">{row}" for row in forces.rows)], rows[:_MOST], title)


def _where(forces: ConstraintForces) -> str:
    usual = forces.where == ConstraintForces.where
    return f"{forces.where} at its origin (wheel: at its centre)" if usual else forces.where


def print_determinacy(state: Determinacy, convention: str) -> None:
    if not state.static_indeterminacy:
        screen.say("every reaction is determinate\n")
        return
    pairs = zip(state.names, state.determinate, strict=True)
    rows = [[name, *("+" if known else "-" for known in flags)] for name, flags in pairs]
    count = state.static_indeterminacy
    stresses = f"{count} self-stress{'' if count == 1 else 'es'}"
    title = f"{stresses}: + has one true value, - is chosen ({convention})"
    screen.table(["joint or constraint", *WRENCH], rows[:_MOST], title)
    screen.say(f"every reaction becomes determinate without: {', '.join(state.proposals())}\n")


def _print_power(solution: Solution) -> None:
    heads, row, tail = [">actuators"], [solution.power], []
    if isinstance(solution, ConstrainedSolution):
        power = solution.balance
        heads += [">external", ">constraints", ">to friction and springs"]
        heads += [">energy changes by", ">imbalance"]
        row += [power.external, power.constraints, power.passive, power.energy_rate]
        tail = [f"{power.imbalance:.0e}"]
    numbers = screen.numbers(answers.quiet(np.array(row, float)), 5)
    screen.table(heads, [[*numbers, *tail]], "power [W]")
    energies = screen.numbers((float(solution.kinetic), float(solution.potential)))
    screen.say(f"kinetic energy {energies[0]} J, potential energy {energies[1]} J")
    if solution.model.hidden_energy:
        laws = ", ".join(solution.model.hidden_energy)
        screen.note(f"it lacks the laws of {laws}, which name no potential")


# -- for programs --------------------------------------------------------------------------------


def as_json(solution: Solution, prescribed: dict[str, Array]) -> dict[str, object]:
    content: dict[str, object] = {
        "energy": {"unit": "J", "kinetic": solution.kinetic, "potential": solution.potential}
    }
    if (elements := solution.element_forces) is not None:
        content["element_forces"] = {
            "names": elements.names,
            "order": WRENCH,
            "units": WRENCH_UNITS,
            "frame": "on the second end's body, in that frame at its origin",
            "wrench": elements.wrench,
            "along": elements.along,
            "power": elements.power,
        }
    if not isinstance(solution, ConstrainedSolution):
        return content | {"power": {"unit": "W", "actuators": solution.power}}
    power, forces = solution.balance, solution.constraint_forces
    wrenches = {
        name: {"kind": kind, "body": body, "wrench": forces[name]}
        for name, kind, body in zip(forces.names, forces.kinds, forces.bodies, strict=True)
    }
    axes = {
        name: {"force": forces[name], "unit": unit}
        for name, unit in zip(forces.axis_names, forces.axis_units, strict=True)
    }
    states = [determinacy_json(state) for state in solution.states]
    return content | {
        "power": {
            "unit": "W",
            "actuators": power.actuators,
            "external": power.external,
            "constraints": power.constraints,
            "passive": power.passive,
            "energy_rate": power.energy_rate,
            "imbalance": power.imbalance,
        },
        "prescribed": prescribed,
        "constraints": {
            "order": WRENCH,
            "units": WRENCH_UNITS,
            "frame": f"on the named body, {_where(forces)}",
            "forces": wrenches | axes,
        },
        "wheels": {name: solution.wheel_forces[name] for name in solution.wheel_forces},
        "rows": {
            "labels": solution.row_labels,
            "rank": solution.rank,
            "residual": solution.residual,
            "rate": solution.rate,
            "multipliers": solution.multipliers,
            "conflict": solution.conflict,
        },
        "convention": solution.convention,
        "determinacy": states[0] if solution.acceleration.ndim == 1 else states,
        "messages": solution.messages,
    }


def determinacy_json(state: Determinacy) -> dict[str, object]:
    return {
        "self_stresses": state.static_indeterminacy,
        "determinate": dict(zip(state.names, state.determinate, strict=True)),
        "indeterminate": state.indeterminate,
        "proposals": state.proposals(),
    }


def _constraint_columns(solution: Solution) -> list[answers.Column]:
    if not isinstance(solution, ConstrainedSolution):
        return []
    forces = solution.constraint_forces
    found = [
        (f"constraint.{name}.{entry}", forces[name][..., k])
        for name in forces.names
        for k, entry in enumerate(WRENCH)
    ]
    return found + [(f"constraint.{name}", forces[name]) for name in forces.axis_names]
